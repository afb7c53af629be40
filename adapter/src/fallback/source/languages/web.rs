//! Languages of the web: Vue, Svelte, HTML, CSS.

use serde_json::{Value, json};

use super::profile::{ProgramCandidate, ProjectContext, SERVER, ServerProfile, VersionCheck};
use super::row::{Language, ROW};

pub(crate) const VUE: Language = Language {
    id: "vue",
    name: "Vue",
    files: &[("vue", "vue")],
    servers: &[ServerProfile {
        name: "vue-language-server",
        candidates: &[ProgramCandidate::SearchPath("vue-language-server")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["--stdio"],
        install: "npm install -g @vue/language-server@2 typescript@5",
        options: vue,
        ..SERVER
    }],
    keywords_name_members: true,
    letters: "$",
    ..ROW
};

/// Selects the TypeScript of its own installation, never the workspace's.
fn vue(ground: &ProjectContext<'_>) -> Value {
    let library = super::profile::companion(ground.program, "typescript/lib/typescript.js");
    let folder = library.and_then(|it| it.parent().map(|it| it.to_string_lossy().into_owned()));
    json!({ "typescript": { "tsdk": folder }, "vue": { "hybridMode": false } })
}

pub(crate) const SVELTE: Language = Language {
    id: "svelte",
    name: "Svelte",
    files: &[("svelte", "svelte")],
    markers: &["svelte.config.js"],
    servers: &[ServerProfile {
        name: "svelteserver",
        candidates: &[ProgramCandidate::SearchPath("svelteserver")],
        args: &["--stdio"],
        install: "npm install -g svelte-language-server",
        options: svelte,
        ..SERVER
    }],
    ..ROW
};

/// Lets the server run the workspace's `svelte.config.js` only where its code may run.
fn svelte(ground: &ProjectContext<'_>) -> Value {
    json!({ "isTrusted": ground.level.runs_code() })
}

pub(crate) const HTML: Language = Language {
    id: "html",
    name: "HTML",
    files: &[("html", "html"), ("htm", "html")],
    servers: &[ServerProfile {
        name: "vscode-html-language-server",
        candidates: &[ProgramCandidate::SearchPath("vscode-html-language-server")],
        args: &["--stdio"],
        install: "npm install -g vscode-langservers-extracted",
        ..SERVER
    }],
    is_template: true,
    is_code: false,
    ..ROW
};

pub(crate) const CSS: Language = Language {
    id: "css",
    name: "CSS",
    files: &[("css", "css"), ("scss", "scss"), ("less", "less")],
    servers: &[ServerProfile {
        name: "vscode-css-language-server",
        candidates: &[ProgramCandidate::SearchPath("vscode-css-language-server")],
        args: &["--stdio"],
        install: "npm install -g vscode-langservers-extracted",
        ..SERVER
    }],
    is_code: false,
    definition: r"NAME",
    declaration: r"^\s*(?:[.#]|--|@mixin\s+|\$)NAME",
    ..ROW
};
