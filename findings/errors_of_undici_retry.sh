#!/usr/bin/env bash
# undici 7.30.2 (npm): `RetryAgent` replaces a 429 or 503 by an error without the body, also for a method that it never repeats.
#
# Expected: a POST, which is not among the `methods` that RetryAgent repeats, returns the response of the server, as `Agent` does.
# Behaviour: `request` throws a RequestRetryError with the code UND_ERR_REQ_RETRY after one attempt. It has the status and the headers, and not the
# body. With `throwOnError: false` it returns the response. A 422, which is not among the `statusCodes`, is returned in both cases.
# Source: https://github.com/nodejs/undici/blob/v7.30.2/lib/handler/retry-handler.js.
# Output seen on 2026-11-30:
#   POST, 503, default: UND_ERR_REQ_RETRY, 1 attempt
#   POST, 503, throwOnError: false: 503 {"code":"busy"}, 1 attempt
#   POST, 422, default: 422 {"code":"busy"}, 1 attempt
#
# Fails if this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund undici@7.30.2
cat >post.mjs <<'JS'
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Agent, RetryAgent, request } from "undici";

let attempts = 0;
const server = createServer((received, response) => {
  attempts += 1;
  received.resume();
  response.writeHead(Number(received.url.slice(1)), { "Content-Type": "application/problem+json", "Retry-After": "1" });
  response.end('{"code":"busy"}');
}).listen(0, "127.0.0.1");
await new Promise((done) => server.once("listening", done));

for (const [status, options, expected] of [
  [503, {}, "UND_ERR_REQ_RETRY"],
  [503, { throwOnError: false }, '503 {"code":"busy"}'],
  [422, {}, '422 {"code":"busy"}'],
]) {
  attempts = 0;
  const url = `http://127.0.0.1:${server.address().port}/${status}`;
  const dispatcher = new RetryAgent(new Agent(), options);
  const end = await request(url, { method: "POST", body: "{}", dispatcher }).then(
    async (response) => `${response.statusCode} ${await response.body.text()}`,
    (error) => (error.body === undefined ? error.code : "an error with a body"),
  );
  const setting = "throwOnError" in options ? "throwOnError: false" : "default";
  console.log(`POST, ${status}, ${setting}: ${end}, ${attempts} attempt`);
  assert.equal(end, expected);
  assert.equal(attempts, 1);
}
process.exit(0);
JS
node post.mjs
