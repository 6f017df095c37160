/**
 * Every code that the service closes a socket with, as in its own table and in docs/protocol.md (a test compares the
 * three). The number says what to do: 4000 to 4499 connect again, 4500 to 4999 do not.
 *
 * @type {Readonly<Record<number, string>>}
 */
export const CLOSES = {
  4000: "the service stops or moves; connect again after the time that `drain` named",
  4001: "no valid `hello` within `hello_timeout_ms`",
  4002: "the client read too slowly, or not at all, for too long",
  4003: "messages kept coming far over the limit, or while the answers were not read",
  4004: "a fault of the service, logged there with its cause",
  4005: "the subject holds too many sockets",
  4500: "the token or ticket in `hello` was refused; get another one",
  4502: "the handshake offered neither `turnfold.v1.json` nor `turnfold.v1.msgpack`",
};

/** The one final code that the reader can do something about. */
export const UNAUTHENTICATED = 4500;

/**
 * True where a client comes back by itself after this close code: all but 4500 to 4999. A code that is not in the table
 * is a lost connection, or one of a later version; its range counts.
 *
 * @param {number} code
 */
export function mayReconnect(code) {
  return code < 4500 || code > 4999;
}
