/**
 * What readers typed as an answer and did not send: in memory alone, so that another session, another language or another
 * place of the element does not cost them their words. Pure.
 *
 * @typedef {{get: (id: string, path: readonly string[]) => string, set: (id: string, path: readonly string[], text: string) => void}} SessionDrafts
 */

export class Drafts {
  /** By session, and in it by the interaction and the calls that lead to it. @type {Map<string, Map<string, string>>} */
  #texts = new Map();

  /** @param {string} session @returns {SessionDrafts} an empty text ends a draft */
  of(session) {
    return {
      get: (id, path) => this.#texts.get(session)?.get(JSON.stringify([...path, id])) ?? "",
      set: (id, path, text) => this.#set(session, JSON.stringify([...path, id]), text),
    };
  }

  /** @param {string} session */
  forget(session) {
    this.#texts.delete(session);
  }

  /** @param {string} session @param {string} place @param {string} text */
  #set(session, place, text) {
    const held = this.#texts.get(session) ?? new Map();
    if (text) held.set(place, text);
    else held.delete(place);
    if (held.size > 0) this.#texts.set(session, held);
    else this.#texts.delete(session);
  }
}
