//! Python.

use std::ffi::OsStr;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::ids;
use super::profile::OutsideFolder::{At, Beside, Cache, Home, Variable};
use super::profile::{
    DiagnosticsRule, FILES, FileRule, ProgramCandidate, ProjectContext, ReadyRule, SERVER, ServerProfile,
    SymbolsRule, VersionCheck,
};
use super::row::{InstallPlaces, Language, PackageRule, ROW, RootRule};

pub(crate) const PYTHON: Language = Language { stylist: Some(&STYLE), ..TONGUE };

/// The row without the formatter.
const TONGUE: Language = Language {
    id: ids::PYTHON,
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
    packages: PackageRule::Manifest(&["pyproject.toml", "setup.py", "setup.cfg"]),
    // `.venv/lib/python3.12/site-packages`
    installs: InstallPlaces { below: &[".venv", "venv"], depth: 3 },
    servers: &[
        ServerProfile {
            name: "ty",
            candidates: &[ProgramCandidate::SearchPath("ty")],
            proof: VersionCheck::Version(&["--version"]),
            args: &["server"],
            starts_cheaply: true,
            install: "pip install ty",
            files: FileRule { only_open: false, needs_anchor: false, keeps_mark: true, ..FILES },
            ..SERVER
        },
        ServerProfile {
            name: "basedpyright",
            candidates: &[ProgramCandidate::SearchPath("basedpyright-langserver")],
            proof: VersionCheck::Sibling("basedpyright"),
            install: "pip install basedpyright",
            ..PYRIGHT
        },
        ServerProfile {
            name: "pyright",
            candidates: &[ProgramCandidate::SearchPath("pyright-langserver")],
            proof: VersionCheck::Sibling("pyright"),
            install: "npm install -g pyright",
            ..PYRIGHT
        },
        ServerProfile {
            name: "jedi-language-server",
            candidates: &[ProgramCandidate::SearchPath("jedi-language-server")],
            proof: VersionCheck::Version(&["--version"]),
            install: "pip install jedi-language-server",
            ..SERVER
        },
    ],
    structural_base: "Protocol",
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

/// The formatter's row, because the type checkers format nothing.
static STYLE: Language = Language {
    id: "python-style",
    name: "Python style",
    installs: InstallPlaces::NONE,
    servers: &[ServerProfile {
        name: "ruff",
        candidates: &[ProgramCandidate::SearchPath("ruff")],
        proof: VersionCheck::Version(&["--version"]),
        args: &["server"],
        install: "pip install ruff",
        symbols: SymbolsRule { is_asked: false, ..SERVER.symbols },
        ..SERVER
    }],
    ..TONGUE
};

/// Pyright. Its symbol list may be stale and slow, and the sources give the same.
const PYRIGHT: ServerProfile = ServerProfile {
    args: &["--stdio"],
    options: pyright,
    unknown: interpreted,
    ready: ReadyRule::Logs(&["source files", "Found 1 source file"]), // "No source files found" too
    files: FileRule { only_open: false, needs_anchor: false, keeps_mark: true, ..FILES },
    diagnoses: DiagnosticsRule::Registers,
    symbols: SymbolsRule { is_asked: false, ..SERVER.symbols },
    ..SERVER
};

/// Keeps it from running the workspace's interpreter to find packages.
fn pyright(ground: &ProjectContext<'_>) -> Value {
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

/// Notes packages that only the workspace's interpreter could find, which does not run.
fn interpreted(ground: &ProjectContext<'_>, _: &[PathBuf]) -> Option<&'static str> {
    // These two belong to the environment itself and name no package.
    let points = |it: &PathBuf| {
        let is_other = |it: &OsStr| it != "_virtualenv.pth" && it != "distutils-precedence.pth";
        it.extension().is_some_and(|it| it == "pth") && it.file_name().is_some_and(is_other)
    };
    let entries =
        packages(ground).into_iter().filter_map(|it| std::fs::read_dir(it).ok()).flatten().flatten();
    let is_found = !ground.level.runs_code() && entries.map(|it| it.path()).any(|it| points(&it));
    is_found.then_some("no packages that only the interpreter of the workspace finds")
}

/// Returns the package folders of the projects' virtual environments.
fn packages(ground: &ProjectContext<'_>) -> Vec<PathBuf> {
    let environments = ground.folders.iter().flat_map(|it| [it.join(".venv"), it.join("venv")]);
    let libraries = environments.filter_map(|it| std::fs::read_dir(it.join("lib")).ok());
    let packages = libraries.flat_map(|it| it.flatten()).map(|it| it.path().join("site-packages"));
    packages.filter(|it| it.is_dir()).collect()
}
