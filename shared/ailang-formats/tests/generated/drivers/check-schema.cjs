// Validates each value of files of vectors with ajv. Fails where it takes or refuses the wrong ones. The arguments are
// pairs of a schema and its vectors.
const { readFileSync } = require("node:fs");
const Ajv = require("ajv/dist/2020").default;

const files = process.argv.slice(2).map((path) => [path, JSON.parse(readFileSync(path, "utf8"))]);
for (let at = 0; at < files.length; at += 2) {
  const [[path, schema], [, vectors]] = files.slice(at, at + 2);
  // `toString` is a field only if the value has it. Without all errors, ajv does not miss a field called "".
  const exact = { ownProperties: true, allErrors: true };
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false, ...exact });
  ajv.addVocabulary(["x-ailang-capabilities", "x-ailang-requires", "x-ailang-throws", "x-ailang-message",
    "x-ailang-retryable", "x-ailang-recovery", "x-ailang-user-message", "x-ailang-max-retries"]);
  ajv.addSchema(schema, "document");
  for (const { name, ok, bad, newer, loose } of vectors) {
    const validate = ajv.getSchema(`document#/$defs/${encodeURIComponent(name)}`);
    const check = (value, wanted) => {
      // ajv knows no property called `__proto__`.
      if (JSON.stringify(value).includes('"__proto__":')) return;
      if (validate?.(value) !== wanted) {
        console.log(`${path}: ${name}: ${JSON.stringify(value)} should be ${wanted ? "accepted" : "refused"}`);
        process.exitCode = 1;
      }
    };
    ok.forEach((value) => check(value, true));
    // A schema cannot tell results from other values of the same types.
    if (!loose) [...bad, ...newer].forEach((value) => check(value, false));
  }
}
