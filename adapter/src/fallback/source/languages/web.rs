//! What browsers are given: Vue, Svelte, HTML, CSS.

use serde_json::{Value, json};

use super::profile::{Candidate, Ground, Proof, SERVER, Server};
use super::{Language, ROW};

pub(crate) const VUE: Language = Language {
    id: "vue",
    name: "Vue",
    files: &[("vue", "vue")],
    servers: &[Server {
        name: "vue-language-server",
        candidates: &[Candidate::SearchPath("vue-language-server")],
        proof: Proof::Version(&["--version"]),
        args: &["--stdio"],
        install: "npm install -g @vue/language-server@2 typescript@5",
        options: vue,
        ..SERVER
    }],
    keywords_name_members: true,
    letters: "$",
    ..ROW
};

/// A TypeScript of its own installation, never the workspace's.
fn vue(ground: &Ground<'_>) -> Value {
    let library = super::profile::companion(ground.program, "typescript/lib/typescript.js");
    let folder = library.and_then(|it| it.parent().map(|it| it.to_string_lossy().into_owned()));
    json!({ "typescript": { "tsdk": folder }, "vue": { "hybridMode": false } })
}

pub(crate) const SVELTE: Language = Language {
    id: "svelte",
    name: "Svelte",
    files: &[("svelte", "svelte")],
    markers: &["svelte.config.js"],
    servers: &[Server {
        name: "svelteserver",
        candidates: &[Candidate::SearchPath("svelteserver")],
        args: &["--stdio"],
        install: "npm install -g svelte-language-server",
        options: svelte,
        ..SERVER
    }],
    ..ROW
};

/// A workspace's `svelte.config.js` is code that it would run.
fn svelte(ground: &Ground<'_>) -> Value {
    json!({ "isTrusted": ground.level.runs_code() })
}

pub(crate) const HTML: Language = Language {
    id: "html",
    name: "HTML",
    files: &[("html", "html"), ("htm", "html")],
    servers: &[Server {
        name: "vscode-html-language-server",
        candidates: &[Candidate::SearchPath("vscode-html-language-server")],
        args: &["--stdio"],
        install: "npm install -g vscode-langservers-extracted",
        ..SERVER
    }],
    is_code: false,
    ..ROW
};

pub(crate) const CSS: Language = Language {
    id: "css",
    name: "CSS",
    files: &[("css", "css"), ("scss", "scss"), ("less", "less")],
    servers: &[Server {
        name: "vscode-css-language-server",
        candidates: &[Candidate::SearchPath("vscode-css-language-server")],
        args: &["--stdio"],
        install: "npm install -g vscode-langservers-extracted",
        ..SERVER
    }],
    is_code: false,
    definition: r"NAME",
    declaration: r"^\s*(?:[.#]|--|@mixin\s+|\$)NAME",
    ..ROW
};
