// WebSocket as a client speaks it, by hand: what the subscribers do with a frame must cost next to nothing, and the
// same for whatever server sent it.
import net from "node:net";

const TEXT = 0x81;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const HANDSHAKE_END = Buffer.from("\r\n\r\n");
// One buffer for all sockets: it is read out before the next socket is read.
const READING = Buffer.allocUnsafe(256 * 1024);
const NOTHING = Buffer.alloc(0);

/** One socket; `onFrame(buffer, from, to, firstByte)` is told each whole frame's payload, which it must not keep. */
export class Wire {
  /**
   * @param {{port: number, path: string, protocol?: string, onOpen: () => void, onFrame: Function}} options
   */
  constructor(options) {
    this.bytes = 0;
    this.frames = 0;
    this._left = NOTHING;
    this._isOpen = false;
    this._options = options;
    this._socket = net.connect({
      port: options.port,
      host: "127.0.0.1",
      noDelay: true,
      onread: { buffer: READING, callback: (size) => this._read(size) },
    });
    this._socket.on("error", (error) => this._fail(error.message));
    this._socket.on("close", () => this._fail("closed"));
    this._socket.write(this._handshake());
  }

  send(text) {
    this._send(TEXT, Buffer.from(text));
  }

  _send(kind, payload) {
    const long = payload.length > 125;
    const head = Buffer.alloc(long ? 8 : 6); // a mask of zeros changes nothing
    head[0] = kind;
    head[1] = 0x80 | (long ? 126 : payload.length);
    if (long) head.writeUInt16BE(payload.length, 2);
    this._socket.write(Buffer.concat([head, payload]));
  }

  close() {
    this._isClosing = true;
    this._socket.destroy();
  }

  _fail(why) {
    if (this._isClosing) return;
    console.error(`a socket ended: ${why}`);
    process.exit(1);
  }

  _handshake() {
    const { path, port, protocol } = this._options;
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ...(protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : []),
    ];
    return `${lines.join("\r\n")}\r\n\r\n`;
  }

  _read(size) {
    let data = READING.subarray(0, size);
    if (this._left.length) data = Buffer.concat([this._left, data]);
    const at = this._isOpen ? 0 : this._open(data);
    const used = at < 0 ? 0 : this._take(data, at);
    this._left = used < data.length ? Buffer.from(data.subarray(used)) : NOTHING;
    return true;
  }

  _open(data) {
    const end = data.indexOf(HANDSHAKE_END);
    if (end < 0) return -1;
    if (!data.subarray(0, 12).equals(Buffer.from("HTTP/1.1 101"))) this._fail(data.toString().slice(0, 300));
    this._isOpen = true;
    queueMicrotask(this._options.onOpen);
    return end + HANDSHAKE_END.length;
  }

  /** Takes whole frames from `at` on; says where the first that is not whole begins. */
  _take(data, at) {
    const onFrame = this._options.onFrame;
    while (data.length - at >= 2) {
      let size = data[at + 1] & 0x7f;
      let from = at + 2;
      if (size === 126) {
        if (data.length - at < 4) break;
        size = data.readUInt16BE(from);
        from += 2;
      } else if (size === 127) {
        if (data.length - at < 10) break;
        size = Number(data.readBigUInt64BE(from));
        from += 8;
      }
      if (data.length < from + size) break;
      if (data[at] === CLOSE) this._fail(data.subarray(from + 2, from + size).toString());
      if (data[at] === PING) {
        this._send(PONG, data.subarray(from, from + size));
        at = from + size;
        continue;
      }
      this.frames += 1;
      this.bytes += from + size - at;
      onFrame(data, from, from + size);
      at = from + size;
    }
    return at;
  }
}
