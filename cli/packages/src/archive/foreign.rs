//! Names that a package has no say about, since other programs run or believe what they find below them.

use source_text::{folded_name, is_of_version_control};

/// Names that no package brings, with the reason.
const REFUSED: [(&[&str], &str); 2] = [
    (
        &["ailang_modules", LOCK, "node_modules"],
        "is of an installation, and a package brings no other packages",
    ),
    (&["pyvenv.cfg"], "makes a folder an environment of Python, which tools run"),
];

/// Names that are not written: agents take them as instructions, and Python and its test runners run them unasked.
const LEFT_OUT: [&str; 7] = [
    "AGENTS.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "conftest.py",
    "sitecustomize.py",
    "usercustomize.py",
];

/// The lock file of a package that is developed where it was fetched from. At its root it is accepted and not written: it
/// has a say in the project that it is of, and nowhere else.
const LOCK: &str = "ailang.lock";

/// Returns `true` for the path of a package's own lock file, however it is spelled.
pub(super) fn is_own_lock(path: &str) -> bool {
    folded_name(path) == LOCK
}

/// Returns the reason why no package brings a file or a folder of this name.
pub(crate) fn refusal(name: &str) -> Option<&'static str> {
    if is_of_version_control(name) {
        return Some("belongs to version control, which runs what its settings name");
    }
    let folded = folded_name(name);
    REFUSED.iter().find(|(names, _)| names.contains(&folded.as_str())).map(|(_, reason)| *reason)
}

/// Returns `true` for a path that is not written: hidden files, which packages never publish, are settings of editors,
/// shells and agents.
pub(crate) fn is_left_out(path: &str) -> bool {
    is_own_lock(path) || path.split('/').any(|name| name.starts_with('.') || LEFT_OUT.contains(&name))
}
