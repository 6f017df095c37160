// The two servers as a subscriber and a publisher see them. Every event carries a mark in its text, which arrives in
// whatever frame the server makes of it.
import net from "node:net";
import { Wire } from "./wire.mjs";

/** The product: followed over `/v1/ws`, published to by XADD, as a producer does. */
export class Turnfold {
  constructor(config) {
    this._config = config;
    this._engine = net.connect(config.engine);
    this._engine.on("data", () => {}); // the ids of what was appended
  }

  /** @returns {Promise<Wire>} */
  follow(sessions, onFrame) {
    return new Promise((resolve) => {
      let waiting = sessions.length + 1; // the welcome, and each session's first snapshot
      const wire = new Wire({
        port: this._config.port,
        path: "/v1/ws",
        protocol: "turnfold.v1.json",
        onOpen: () => wire.send('{"type":"hello"}'),
        onFrame: (data, from, to) => {
          if (waiting > 0) {
            const text = data.toString("latin1", from, to);
            if (text.startsWith('{"type":"error"')) throw new Error(text);
            if (text.startsWith('{"type":"welcome"')) subscribe();
            if (/^\{"type":"(welcome|snapshot)"/.test(text) && --waiting === 0) resolve(wire);
          } else if (data[from + 9] !== 0x73) onFrame(data, from, to); // a snapshot repeats what was delivered
        },
      });
      const subscribe = () => {
        for (const [at, session] of sessions.entries()) {
          wire.send(`{"type":"subscribe","sub":"${at}","session":"${session}","view":{"kind":"web"}}`);
        }
      };
    });
  }

  /** @param {[string, object][]} events */
  publish(events) {
    const { stream } = this._config;
    const words = (session, event) => ["XADD", stream, "*", "s", session, "e", JSON.stringify(event)];
    const packed = (all) => `*${all.length}\r\n${all.map((one) => `$${Buffer.byteLength(one)}\r\n${one}\r\n`).join("")}`;
    this._engine.write(events.map(([session, event]) => packed(words(session, event))).join(""));
  }
}

/** socket.io: rooms, and a publisher that is a client like the others. */
export class SocketIo {
  constructor(config) {
    this._config = config;
    this._publisher = this.follow([], () => {});
    this._publisher.then((wire) => (this._publishing = wire));
  }

  /** @returns {Promise<Wire>} */
  follow(sessions, onFrame) {
    return new Promise((resolve) => {
      const wire = new Wire({
        port: this._config.port,
        path: "/socket.io/?EIO=4&transport=websocket",
        onOpen: () => {},
        onFrame: (data, from, to) => {
          const kind = data[from];
          if (kind === 0x30) wire.send("40"); // its handshake asks for the namespace
          else if (kind === 0x32) wire.send("3"); // ping
          else if (data[from + 1] === 0x30) {
            for (const session of sessions) wire.send(`42["follow","${session}"]`);
            resolve(wire);
          } else onFrame(data, from, to);
        },
      });
    });
  }

  /** @param {[string, object][]} events */
  publish(events) {
    for (const [session, event] of events) {
      this._publishing.send(`42${JSON.stringify(["publish", session, event])}`);
    }
  }
}
