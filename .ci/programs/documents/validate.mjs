// Validates documents with the schema of their version: node validate.mjs DOCUMENT..
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

for (const path of process.argv.slice(2)) {
  const document = JSON.parse(readFileSync(path, "utf8"));
  const { valid, errors } = await new Validator().validate(document);
  // A member without its type must be found.
  const broken = await new Validator().validate({ ...document, info: { ...document.info, version: 1 } });
  if (!valid || broken.valid) {
    console.log(path, valid ? "accepts a broken document" : errors);
    process.exitCode = 1;
  }
}
