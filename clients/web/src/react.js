/**
 * The React binding, apart from everything else: importing it is what needs React (18 or newer, a peer dependency).
 *
 * Snapshots are stable: a component that is given one turn or row is drawn again only when that one changed (`memo`).
 * Nothing is connected while rendering, so StrictMode, an aborted render and a server render leave nothing behind.
 *
 * The service is made once, outside of any component: `new ServiceClient(url, { token })` connects nothing by itself.
 */

import { useMemo, useSyncExternalStore } from "react";

import { TranscriptFollower } from "./transcript_follower.js";

/** @typedef {import("./service_client.js").ServiceClient} ServiceClient */
/** @typedef {import("./transcript_follower.js").TranscriptSnapshot} TranscriptSnapshot */
/** @typedef {import("./types.js").Summary} Summary */
/** @typedef {import("./expansion/actions.js").Action} Action */
/** @typedef {import("./expansion/state.js").Pane} Pane */

/**
 * One session, live, for as long as the component is there.
 *
 * @param {ServiceClient} service @param {string} session
 * @param {import("./transcript_follower.js").FollowOptions} [options]
 * @returns {TranscriptSnapshot}
 */
export function useTranscript(service, session, { locale, view } = {}) {
  const follower = useMemo(() => new TranscriptFollower(service, session, { locale, view }), [service, session, locale, view]);
  return useSyncExternalStore(follower.subscribe, follower.getSnapshot, follower.getSnapshot);
}

/**
 * What the reader opened by hand in one session, and how to change it (docs/clients.md). Everything on the page that shows
 * the session shares it, the elements too; it is kept while the page lives.
 *
 * @param {ServiceClient} service @param {string} session
 * @returns {[Pane, (action: Action) => void]}
 */
export function useExpansion(service, session) {
  const store = useMemo(() => expansionOf(service, session), [service, session]);
  return [useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot), store.dispatch];
}

/** @param {ServiceClient} service @param {string} session */
function expansionOf(service, session) {
  return {
    subscribe: (/** @type {() => void} */ listener) => service.join({ expanded: (changed) => changed === session && listener() }),
    getSnapshot: () => service.pane(session),
    dispatch: (/** @type {Action} */ action) => service.dispatch(action),
  };
}

/**
 * The list of sessions, newest first.
 *
 * @param {ServiceClient} service @returns {readonly Summary[] | null} null until it is known
 */
export function useSessions(service) {
  const store = useMemo(() => sessionsOf(service), [service]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
}

/** @param {ServiceClient} service */
function sessionsOf(service) {
  /** @type {readonly Summary[] | null} */
  let held = null;
  return {
    subscribe: (/** @type {() => void} */ listener) =>
      service.join({
        listed: () => {
          held = service.list.newestFirst();
          listener();
        },
      }),
    getSnapshot: () => (held ??= service.list.known ? service.list.newestFirst() : null),
  };
}
