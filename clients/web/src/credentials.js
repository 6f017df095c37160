/**
 * Who connects: a token or a ticket, or a function that gives one and is asked anew for every connect.
 *
 * A token is sent in `hello`, and as a header where something is fetched. A ticket opens one socket and nothing else, so
 * that a page can follow sessions without ever holding a token (docs/browser-library.md).
 *
 * @typedef {string | null | undefined} Secret
 * @typedef {() => Secret | Promise<Secret>} Provider
 * @typedef {{token?: Secret | Provider, ticket?: Provider}} CredentialOptions with both, the ticket opens the socket
 * @typedef {{token?: string, ticket?: string}} Hello
 */

export class Credentials {
  /** @param {CredentialOptions} [options] */
  constructor({ token = null, ticket } = {}) {
    this.token = token;
    this.ticket = ticket;
    /** The token that was sent last. @type {string | null} */
    this.held = typeof token === "string" ? token : null;
  }

  /** Whether another attempt may bring another credential. */
  get renews() {
    return typeof this.token === "function" || typeof this.ticket === "function";
  }

  /** @returns {Promise<Hello>} what the next `hello` says; rejects where the provider does */
  async next() {
    if (this.ticket) {
      // The token is for what is fetched; a socket does not wait for one in vain.
      const [ticket] = await Promise.all([this.ticket(), this.nextToken().catch(() => null)]);
      return ticket ? { ticket } : {};
    }
    const token = await this.nextToken();
    return token ? { token } : {};
  }

  /** @returns {Promise<string | null>} */
  async nextToken() {
    const { token } = this;
    this.held = (typeof token === "function" ? await token() : token) || null;
    return this.held;
  }

  /** What a request over HTTP needs beside its address. @returns {Record<string, string>} */
  headers() {
    return this.held ? { authorization: `Bearer ${this.held}` } : {};
  }
}
