/** The network's end of a connection, for tests: sockets that open, speak and close when the test says so. */

/** @typedef {{url: string, protocols: string[], sent: any[], readyState: number, closed: boolean}} Made */

/** @returns {{WebSocket: any, sockets: FakeSocket[], last: () => FakeSocket}} */
export function network() {
  /** @type {FakeSocket[]} */
  const sockets = [];
  const made = class extends FakeSocket {
    /** @param {string} url @param {string[]} protocols */
    constructor(url, protocols) {
      super(url, protocols);
      sockets.push(this);
    }
  };
  return { WebSocket: made, sockets, last: () => sockets[sockets.length - 1] };
}

export class FakeSocket extends EventTarget {
  /** @param {string} url @param {string[]} protocols */
  constructor(url, protocols) {
    super();
    this.url = url;
    this.protocols = protocols;
    this.readyState = 0;
    this.closed = false;
    /** @type {any[]} */
    this.sent = [];
  }

  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.closed = true;
    this.readyState = 3;
  }

  /** The handshake succeeds. */
  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  /** The service says something. @param {object} frame */
  say(frame) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  }

  /** The handshake succeeds, and `hello` is good. @param {object} [fields] */
  welcome(fields = {}) {
    this.open();
    this.say({ type: "welcome", server_time_ms: Date.now(), ...fields });
  }

  /** The connection ends. @param {number} code */
  end(code, reason = "") {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  }

  /** @param {string} type @returns {any[]} */
  sentOf(type) {
    return this.sent.filter((message) => message.type === type);
  }
}

/** Lets promises that are settled go on. */
export async function settled() {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}
