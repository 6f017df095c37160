/**
 * The library's entry (docs/browser-library.md). Importing it does nothing: no element is defined, no socket opened, nothing
 * is listened to or stored. `elements.js` defines the custom elements, `react.js` is the binding to React.
 */

export { backoffMs } from "./backoff.js";
export { CLOSES, UNAUTHENTICATED, mayReconnect } from "./close_codes.js";
export { Connection } from "./connection.js";
export { desktopShown } from "./expansion/desktop.js";
export { focusFirst, reduce } from "./expansion/reducer.js";
export { EMPTY_PANE, NOTHING_CHOSEN, paneOf } from "./expansion/state.js";
export { webShown } from "./expansion/web.js";
export { ServiceClient, sharedService } from "./service_client.js";
export { SessionList, changedAtMs, stateOf } from "./session_list.js";
export { Subscription } from "./subscription.js";
export { OutOfStep, Transcript } from "./transcript.js";
export { TranscriptFollower } from "./transcript_follower.js";
export { TranscriptValues } from "./transcript_values.js";

/**
 * @typedef {import("./connection.js").ConnectionOptions} ConnectionOptions
 * @typedef {import("./connection.js").Link} Link
 * @typedef {import("./credentials.js").CredentialOptions} CredentialOptions
 * @typedef {import("./expansion/actions.js").Action} Action
 * @typedef {import("./expansion/state.js").Expansion} Expansion
 * @typedef {import("./expansion/state.js").Pane} Pane
 * @typedef {import("./service_client.js").Member} Member
 * @typedef {import("./service_client.js").ServiceOptions} ServiceOptions
 * @typedef {import("./subscription.js").Phase} Phase
 * @typedef {import("./transcript.js").Patch} Patch
 * @typedef {import("./transcript_follower.js").TranscriptSnapshot} TranscriptSnapshot
 * @typedef {import("./types.js").Block} Block
 * @typedef {import("./types.js").Frame} Frame
 * @typedef {import("./types.js").Op} Op
 * @typedef {import("./types.js").Position} Position
 * @typedef {import("./types.js").Row} Row
 * @typedef {import("./types.js").Summary} Summary
 * @typedef {import("./types.js").ThreadValue} ThreadValue
 * @typedef {import("./types.js").TurnValue} TurnValue
 */
