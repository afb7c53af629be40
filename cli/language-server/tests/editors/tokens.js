// Prints how the TextMate grammars colour a file: each token with its innermost scopes. Needs `vscode-textmate` and
// `vscode-oniguruma` in NODE_PATH. Arguments: the folder of the grammars, a scope, a file.

const fs = require("fs");
const path = require("path");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

const [folder, scope, file] = process.argv.slice(2);
// Markdown's own grammar belongs to the editor.
const grammars = { "text.html.markdown": { scopeName: "text.html.markdown", patterns: [{ name: "markup.heading", match: "^#.*" }] } };
for (const name of fs.readdirSync(folder)) {
  const grammar = parseRawGrammar(fs.readFileSync(path.join(folder, name), "utf8"), name);
  grammars[grammar.scopeName] = grammar;
}

async function main() {
  const wasm = fs.readFileSync(path.join(path.dirname(require.resolve("vscode-oniguruma")), "onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (name) => grammars[name] ?? null,
    getInjections: (name) => (name === "text.html.markdown" ? ["markdown.ailang.block"] : undefined),
  });
  const grammar = await registry.loadGrammar(scope);
  let state = INITIAL;
  for (const line of fs.readFileSync(file, "utf8").split(/\r?\n/)) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens) {
      const text = line.slice(startIndex, endIndex).trim();
      const shown = scopes.slice(1).filter((it) => !it.startsWith("meta.embedded"));
      if (text && shown.length) console.log(`${text}  ${shown.join(" ")}`);
    }
  }
}

main();
