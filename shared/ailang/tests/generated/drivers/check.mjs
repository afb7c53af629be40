// Parses each value of a file of vectors with the schema of its type. Fails where it takes or refuses the wrong ones.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [module, vectors] = process.argv.slice(2);
const generated = await import(pathToFileURL(module).href);
for (const { name, ok, bad } of JSON.parse(readFileSync(vectors, "utf8"))) {
  const [owner, part] = name.split(".");
  if (part === "output") continue; // results have no schema of their own
  const schema = part === "input" ? `${owner[0].toUpperCase()}${owner.slice(1)}ParamsSchema` : `${name}Schema`;
  const check = (value, wanted) => {
    const result = generated[schema]?.safeParse(value);
    if (result?.success !== wanted) {
      console.log(`${name}: ${JSON.stringify(value)} should be ${wanted ? "accepted" : "refused"}: ${result?.error}`);
      process.exitCode = 1;
    }
  };
  ok.forEach((value) => check(value, true));
  bad.forEach((value) => check(value, false));
}
