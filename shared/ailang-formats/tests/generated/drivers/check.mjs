// Parses each value of files of vectors with the schema of its type. Fails where it takes or refuses the wrong ones.
// The arguments are pairs of a module and its vectors.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const paths = process.argv.slice(2);
for (let at = 0; at < paths.length; at += 2) {
  const [module, vectors] = paths.slice(at, at + 2);
  const { schemas } = await import(pathToFileURL(module).href);
  for (const { name, ok, bad, newer } of JSON.parse(readFileSync(vectors, "utf8"))) {
    const check = (value, wanted) => {
      const result = schemas?.[name]?.safeParse(value);
      if (result?.success !== wanted) {
        const verdict = wanted ? "accepted" : "refused";
        console.log(`${vectors}: ${name}: ${JSON.stringify(value)} should be ${verdict}: ${result?.error}`);
        process.exitCode = 1;
      }
    };
    [...ok, ...newer].forEach((value) => check(value, true));
    bad.forEach((value) => check(value, false));
  }
}
