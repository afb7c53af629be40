// Prints for each value of a request whether generated TypeScript, or a schema, takes it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const { generator, file, root, values } = JSON.parse(readFileSync(process.argv[2], "utf8"));

async function taker() {
  if (file.endsWith(".ts")) {
    const made = await import(pathToFileURL(file.replace(/ts$/, "js")).href);
    if (generator === "quicktype_typescript") return (value) => made.Convert[root](JSON.stringify(value));
    return (value) => made.schemas[root].parse(value);
  }
  const schema = JSON.parse(readFileSync(file, "utf8"));
  const is2020 = /2020/.test(schema.$schema ?? "");
  const Ajv = require(is2020 ? "ajv/dist/2020" : "ajv").default;
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
  if (/draft-04/.test(schema.$schema ?? "")) delete schema.$schema;
  let validate;
  if (generator === "schema") {
    validate = ajv.compile(schema);
  } else {
    ajv.addSchema({ ...schema, $id: "made" });
    const of = generator === "ailang_schema" ? `made#/$defs/${encodeURIComponent(root)}` : `${root}.json`;
    validate = ajv.getSchema(of) ?? ajv.getSchema(`made#/$defs/${root}`);
  }
  return (value) => {
    if (!validate(value)) throw new Error("refused");
  };
}

const take = await taker();
const isTaken = (value) => {
  try {
    take(value);
    return true;
  } catch {
    return false;
  }
};
console.log(JSON.stringify(values.map(isTaken)));
