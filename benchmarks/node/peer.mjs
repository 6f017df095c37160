// The peer: a socket.io server that sends each event it is given to everybody in the session's room.
import { createServer } from "node:http";
import { Server } from "socket.io";

const http = createServer();
const io = new Server(http, { transports: ["websocket"], serveClient: false });

io.on("connection", (socket) => {
  socket.on("follow", (session) => socket.join(session));
  socket.on("publish", (session, event) => io.to(session).emit("event", event));
});
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
