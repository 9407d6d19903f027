// Talks to examples/files through npm's ws.
import assert from "node:assert/strict";
import { once } from "node:events";
import WebSocket from "ws";

const url = process.env.API_URL.replace("http", "ws") + "/discussion";

// A message that never arrives fails the run.
setTimeout(() => assert.fail("no end after 60 seconds"), 60_000).unref();

async function open(options) {
  const socket = new WebSocket(url, options);
  await once(socket, "open");
  return socket;
}

async function text(socket) {
  const [data, isBinary] = await once(socket, "message");
  assert.equal(isBinary, false);
  return JSON.parse(data).text;
}

async function closed(socket) {
  const [code, reason] = await once(socket, "close");
  return [code, reason.toString()];
}

const [ann, bo] = [await open(), await open({ perMessageDeflate: true })];
for (const said of ["Hello", "κόσμε", "x".repeat(500)]) {
  const heard = [text(ann), text(bo)];
  ann.send(JSON.stringify({ text: said }));
  assert.deepEqual(await Promise.all(heard), [said, said]);
}

// A message in fragments, and a ping with its pong.
const parts = text(bo);
ann.send('{"text":', { fin: false });
ann.send('"in parts"}', { fin: true });
assert.equal(await parts, "in parts");
const pong = once(bo, "pong");
bo.ping("data");
assert.equal((await pong)[0].toString(), "data");

const end = closed(ann);
ann.close(4321, "bye");
assert.equal((await end)[0], 4321);

for (const [sent, expected] of [
  ['{"text": ""}', [1007, "/text: must have at least 1 character"]],
  ["no JSON", [1007, "the message is not JSON (line 1, column 2)"]],
  [Buffer.from("binary"), [1003, "the message must be text"]],
]) {
  const socket = await open();
  const code = closed(socket);
  socket.send(sent);
  assert.deepEqual(await code, expected);
}

const refused = new WebSocket(url, { origin: "https://evil.example" });
const [error] = await once(refused, "error");
assert.match(error.message, /403/);
const missing = new WebSocket(url.replace("/discussion", "/nowhere"));
assert.match((await once(missing, "error"))[0].message, /404/);

bo.terminate();
console.log("ws");
