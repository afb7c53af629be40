//! The work trees of a repository of git, to find that of a sub-agent whose folder is not reported.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use source_text::linked_git_folder;

/// The least length of an id that tells one folder from all others.
const LEAST_ID: usize = 8;

/// Returns the work tree that is named after a session, in the repository around a folder; blocking.
pub(crate) fn of_session(session: &str, folder: &Path) -> Option<PathBuf> {
    if session.len() < LEAST_ID {
        return None;
    }
    let git = folder.ancestors().map(|it| it.join(".git")).find(|it| it.exists())?;
    let entries = fs::read_dir(shared(&git)?.join("worktrees")).ok()?;
    let mut trees = entries.flatten().filter_map(|it| tree(&it.path()));
    trees.find(|it| it.file_name().and_then(OsStr::to_str).is_some_and(|name| ends_with_word(name, session)))
}

fn ends_with_word(name: &str, word: &str) -> bool {
    name.strip_suffix(word).is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}

/// Returns the folder that all work trees of a repository share, by the `.git` of one of them.
fn shared(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = fs::read_to_string(git).ok()?;
    let own = git.parent()?.join(linked_git_folder(&text)?);
    let shared = fs::read_to_string(own.join("commondir")).ok()?;
    Some(own.join(shared.trim()))
}

/// Returns the folder of a work tree, by its entry in the folder that all share.
fn tree(entry: &Path) -> Option<PathBuf> {
    let git = entry.join(fs::read_to_string(entry.join("gitdir")).ok()?.trim());
    git.parent()?.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_work_tree_is_found_by_the_id_at_the_end_of_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let main = dir.path().canonicalize().unwrap().join("main");
        let git = |words: &str| {
            let mut git = Command::new("git");
            let git = git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-C"]).arg(&main);
            assert!(git.args(words.split(' ')).status().unwrap().success(), "{words}");
        };
        fs::create_dir_all(main.join("src")).unwrap();
        git("init -q");
        git("commit -q --allow-empty -m one");
        git("worktree add -q .claude/worktrees/agent-0123456789");
        git("worktree add -q ../abcdefgh");
        let inner = main.join(".claude/worktrees/agent-0123456789");
        let outer = dir.path().canonicalize().unwrap().join("abcdefgh");
        for folder in [&main, &main.join("src"), &inner, &outer] {
            assert_eq!(of_session("0123456789", folder).as_ref(), Some(&inner));
            assert_eq!(of_session("abcdefgh", folder).as_ref(), Some(&outer));
            for other in ["23456789", "agent", "6789", "", "0123456780", "bcdefgh"] {
                assert_eq!(of_session(other, folder), None, "{other}");
            }
        }
        fs::remove_dir_all(&outer).unwrap();
        assert_eq!(of_session("abcdefgh", &main), None, "it is gone");
        assert_eq!(of_session("0123456789", dir.path()), None, "no repository");
    }
}
