// The verdicts of ajv: check.js FILE.
import { readFileSync } from "node:fs";

import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

// By the keyword and the value.
const exceptions = new Map([
  ["optional/float-overflow: 1e308", "The quotient exceeds a double."],
  ["uniqueItems: [9007199254740992, 9007199254740993]", "JavaScript reads both as the same double."],
  ['properties: {"__proto__": "foo"}', "ajv skips a property of this name."],
]);

let cases = 0;
const failures = [];
const known = new Set();
for (const line of readFileSync(process.argv[2], "utf8").trimEnd().split("\n")) {
  const { keyword, schema, values } = JSON.parse(line);
  // `ownProperties`, because `toString` of an object is not a property of its JSON.
  const ajv = new Ajv({ strict: false, ownProperties: true });
  addFormats(ajv);
  const validate = ajv.compile(schema);
  for (const [text, expected] of values) {
    cases += 1;
    if (validate(JSON.parse(text)) === expected) continue;
    const exception = `${keyword}: ${text}`;
    known.add(exception);
    if (!exceptions.has(exception)) failures.push(`${exception} is ${expected ? "valid" : "invalid"}`);
  }
}
for (const exception of exceptions.keys()) {
  if (!known.has(exception)) failures.push(`the exception ${exception} is not needed`);
}
for (const failure of failures) console.log(failure);
console.log(`ajv: ${cases} cases, ${exceptions.size} exceptions, ${failures.length} failures`);
process.exitCode = failures.length > 0 || cases < 600 ? 1 : 0;
