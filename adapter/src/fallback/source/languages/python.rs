//! Python.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::profile::Folder::{At, Beside, Cache, Home, Variable};
use super::profile::{
    Candidate, Diagnoses, FILES, FileRule, Ground, Proof, ReadyRule, SERVER, Server, Symbols,
};
use super::{Language, ROW, RootRule};

pub(crate) const PYTHON: Language = Language { stylist: Some(&STYLE), ..TONGUE };

/// All but what lays it out.
const TONGUE: Language = Language {
    id: "python",
    name: "Python",
    files: &[("py", "python"), ("pyi", "python")],
    markers: &[
        "pyproject.toml",
        "ty.toml",
        "pyrightconfig.json",
        "setup.py",
        "setup.cfg",
        "requirements.txt",
    ],
    root: RootRule::Marked,
    manifests: &["pyproject.toml", "ty.toml", "pyrightconfig.json"],
    servers: &[
        Server {
            name: "ty",
            candidates: &[Candidate::SearchPath("ty")],
            proof: Proof::Version(&["--version"]),
            args: &["server"],
            starts_cheaply: true,
            install: "pip install ty",
            files: FileRule { only_open: false, needs_anchor: false, ..FILES },
            ..SERVER
        },
        Server {
            name: "basedpyright",
            candidates: &[Candidate::SearchPath("basedpyright-langserver")],
            proof: Proof::Sibling("basedpyright"),
            install: "pip install basedpyright",
            ..PYRIGHT
        },
        Server {
            name: "pyright",
            candidates: &[Candidate::SearchPath("pyright-langserver")],
            proof: Proof::Sibling("pyright"),
            install: "npm install -g pyright",
            ..PYRIGHT
        },
        Server {
            name: "jedi-language-server",
            candidates: &[Candidate::SearchPath("jedi-language-server")],
            proof: Proof::Version(&["--version"]),
            install: "pip install jedi-language-server",
            ..SERVER
        },
    ],
    has_overloads: true,
    definition: concat!(
        r"\b(?:def|class|type)\s+NAME\b|",
        r"^\s*(?:[\w.]+\s*,\s*)*(?:(?:self|cls)\.)?NAME\s*(?:[:,]|=[^=])"
    ),
    declaration: r"^\s*(?:async\s+)?(?:def|class)\s+NAME",
    keywords: &[
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
        "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in",
        "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "self", "try", "while", "with",
        "yield", "_",
    ],
    comment: "#",
    given: &[
        Variable("VIRTUAL_ENV", "lib*/python*"),
        Variable("CONDA_PREFIX", "lib/python*"),
        Variable("PYTHONPATH", ""),
        Beside("python3", "lib*/python*"),
        Beside("python", "lib*/python*"),
        At("/usr/lib/python*"),
        At("/usr/local/lib/python*"),
        Home(".local/lib/python*"),
        Home(".local/share/uv/python"),
        Home(".local/share/pipx/venvs"),
        Home(".local/share/virtualenvs"),
        Home(".pyenv/versions"),
        Home(".virtualenvs"),
        Cache("pypoetry/virtualenvs"),
        Cache("uv"),
        Cache("ty"),
    ],
    ..ROW
};

/// Its type checkers lay out nothing.
static STYLE: Language = Language {
    id: "python-style",
    name: "Python style",
    servers: &[Server {
        name: "ruff",
        candidates: &[Candidate::SearchPath("ruff")],
        proof: Proof::Version(&["--version"]),
        args: &["server"],
        install: "pip install ruff",
        symbols: Symbols { is_asked: false, ..SERVER.symbols },
        ..SERVER
    }],
    ..TONGUE
};

/// Its list of symbols may be stale and takes seconds in a large project; what the sources define says the same.
const PYRIGHT: Server = Server {
    args: &["--stdio"],
    options: pyright,
    unknown: interpreted,
    ready: ReadyRule::Logs(&["source files", "source file found", "No source files found"]),
    files: FileRule { only_open: false, needs_anchor: false, ..FILES },
    diagnoses: Diagnoses::Registers,
    symbols: Symbols { is_asked: false, ..SERVER.symbols },
    ..SERVER
};

/// Left alone, it runs the interpreter that the workspace brings, to learn where its packages are.
fn pyright(ground: &Ground<'_>) -> Value {
    let mut analysis =
        json!({ "diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "indexing": true });
    let mut python = json!({});
    if !ground.level.runs_code() {
        analysis["extraPaths"] = json!(packages(ground));
        let interpreter = which::which_in_global("python3", Some(ground.search_path)).ok();
        let interpreter = interpreter.and_then(|mut it| it.next());
        python["pythonPath"] = json!(interpreter.unwrap_or_else(|| PathBuf::from("/dev/null")));
    }
    python["analysis"] = analysis.clone();
    json!({
        "python": python,
        "basedpyright": { "analysis": analysis, "disableOrganizeImports": true },
        "pyright": { "disableOrganizeImports": true },
    })
}

/// What only the interpreter finds that is not run: the packages that its environment points at.
fn interpreted(ground: &Ground<'_>, _: &[PathBuf]) -> Option<&'static str> {
    // Those two are the environment's own and point at nothing.
    let points = |it: &PathBuf| {
        let name = it.file_name().unwrap_or_default();
        it.extension().is_some_and(|it| it == "pth")
            && name != "_virtualenv.pth"
            && name != "distutils-precedence.pth"
    };
    let entries =
        packages(ground).into_iter().filter_map(|it| std::fs::read_dir(it).ok()).flatten().flatten();
    let is_found = !ground.level.runs_code() && entries.map(|it| it.path()).any(|it| points(&it));
    is_found.then_some("no packages that only the interpreter of the workspace finds")
}

/// Where the virtual environments of the projects keep their packages.
fn packages(ground: &Ground<'_>) -> Vec<PathBuf> {
    let environments = ground.folders.iter().flat_map(|it| [it.join(".venv"), it.join("venv")]);
    let libraries = environments.filter_map(|it| std::fs::read_dir(it.join("lib")).ok());
    let packages = libraries.flat_map(|it| it.flatten()).map(|it| it.path().join("site-packages"));
    packages.filter(|it| it.is_dir()).collect()
}
