/**
 * The library's entry (docs/browser-library.md). Importing it does nothing: no element is defined, no socket opened, nothing
 * is listened to or stored. `elements.js` defines the custom elements.
 */

export { backoffMs } from "./backoff.js";
export { CLOSES, UNAUTHENTICATED, mayReconnect } from "./close_codes.js";
export { Connection } from "./connection.js";
export { focusFirst, reduce } from "./expansion/reducer.js";
export { EMPTY_PANE, NOTHING_CHOSEN, paneOf } from "./expansion/state.js";
export { webShown } from "./expansion/web.js";
export { ServiceClient, sharedService } from "./service_client.js";
export { SessionList, changedAtMs, stateOf } from "./session_list.js";
export { Subscription } from "./subscription.js";
export { OutOfStep, Transcript } from "./transcript.js";
