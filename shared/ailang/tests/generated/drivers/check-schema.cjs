// Validates each value of a file of vectors with ajv. Fails where it takes or refuses the wrong ones.
const { readFileSync } = require("node:fs");
const Ajv = require("ajv/dist/2020").default;

const [schema, vectors] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
ajv.addVocabulary(["x-ailang-capabilities", "x-ailang-requires", "x-ailang-throws", "x-ailang-message",
  "x-ailang-retryable", "x-ailang-recovery", "x-ailang-user-message", "x-ailang-max-retries"]);
ajv.addSchema(schema, "document");
for (const { name, ok, bad } of vectors) {
  const validate = ajv.getSchema(`document#/$defs/${name}`);
  const check = (value, wanted) => {
    if (validate?.(value) !== wanted) {
      console.log(`${name}: ${JSON.stringify(value)} should be ${wanted ? "accepted" : "refused"}`);
      process.exitCode = 1;
    }
  };
  ok.forEach((value) => check(value, true));
  bad.forEach((value) => check(value, false));
}
