// Starts `ailang lsp` for Markdown and for Dialect programs. Markdown that is no interface document is left alone by it.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const [command, ...args] = workspace.getConfiguration("ailang").get("command");
  const languages = ["ailang", "markdown", "dialect"];
  const documentSelector = languages.flatMap((language) =>
    ["file", "untitled"].map((scheme) => ({ language, scheme })));
  // Code lenses send `ailang.runExample`, which the client forwards to the server.
  client = new LanguageClient("ailang", "AiLang", { command, args }, { documentSelector });
  await client.start();
};

exports.deactivate = () => client?.stop();
