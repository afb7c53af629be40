//! Names in archives.

use std::collections::HashMap;

use source_text::folded_name;

use super::foreign::{is_own_lock, refusal};

/// The maximum length of a path, in bytes.
const LONGEST_PATH: usize = 1_024;

/// The maximum length of a name, in bytes, as file systems have it.
const LONGEST_NAME: usize = 255;

/// The maximum number of folders above a file.
const DEEPEST: usize = 32;

/// Names that are devices on Windows, with any ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Checks the path of an entry, and returns it without the folder at the top; empty for that folder itself.
///
/// # Errors
/// The reason why no file may have the path.
pub(super) fn checked(bytes: &[u8]) -> Result<String, String> {
    let path = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    if path.len() > LONGEST_PATH {
        return Err(format!("it is longer than {LONGEST_PATH} bytes"));
    }
    if path.chars().any(hides) {
        return Err("it contains a character that controls or hides".to_owned());
    }
    if path.contains(['\\', ':']) {
        return Err("it contains `\\` or `:`, which some systems read as another folder".to_owned());
    }
    if path.starts_with('/') {
        return Err("it is absolute".to_owned());
    }
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    for name in &names {
        name_checked(name)?;
    }
    let within = names.get(1..).unwrap_or_default().join("/");
    let believed = if is_own_lock(&within) { &names[..1] } else { &names };
    if let Some((name, reason)) = believed.iter().find_map(|it| Some((it, refusal(it)?))) {
        return Err(format!("`{name}` {reason}"));
    }
    if names.len() > DEEPEST {
        return Err(format!("it is below more than {DEEPEST} folders"));
    }
    Ok(within)
}

fn name_checked(name: &str) -> Result<(), String> {
    if name == ".." {
        return Err("it contains `..`".to_owned());
    }
    if name.len() > LONGEST_NAME {
        return Err(format!("a name is longer than {LONGEST_NAME} bytes"));
    }
    if name.ends_with(['.', ' ']) || name.starts_with(' ') {
        return Err(format!("`{name}` starts or ends as another name does on some systems"));
    }
    if is_device(name) {
        return Err(format!("`{name}` is a device on some systems"));
    }
    Ok(())
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let is_numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|it| it.len() == 1 && it.bytes().all(|byte| byte.is_ascii_digit()))
    };
    DEVICES.contains(&stem.as_str()) || is_numbered("com") || is_numbered("lpt")
}

/// Returns `true` for a control, and for a character without a shape of its own.
fn hides(char: char) -> bool {
    char.is_control() || ailang::visible(char.encode_utf8(&mut [0; 4])) != char.to_string()
}

/// The names that were seen, to find those that are one file on some systems.
#[derive(Debug, Default)]
pub(super) struct SeenPaths {
    /// The spelling of each path and of the folders above it, by folded path; `true` for files.
    seen: HashMap<String, (String, bool)>,
}

impl SeenPaths {
    /// Adds the path of a file.
    ///
    /// # Errors
    /// Another file or folder has the path, perhaps in another case or in another form of Unicode.
    pub(super) fn add(&mut self, path: &str) -> Result<(), String> {
        let ends = path.match_indices('/').map(|(at, _)| (at, false));
        for (end, is_file) in ends.chain([(path.len(), true)]) {
            let part = &path[..end];
            let key = folded_name(part);
            match self.seen.get(&key) {
                None => {
                    self.seen.insert(key, (part.to_owned(), is_file));
                }
                Some((spelling, was_file)) if spelling == part && !was_file && !is_file => {}
                Some((spelling, _)) if spelling == part => {
                    return Err("another entry has the same path".to_owned());
                }
                Some((spelling, _)) => {
                    return Err(format!("it and `{spelling}` are one file on some systems"));
                }
            }
        }
        Ok(())
    }

    /// Returns a folder that git would take for a repository without a work tree, by its file `HEAD`. Git runs what the
    /// settings in it name.
    pub(super) fn bare_repository(&self) -> Option<&str> {
        self.seen.iter().find_map(|(key, (spelling, is_file))| {
            let folder = key.strip_suffix("head").filter(|it| it.is_empty() || it.ends_with('/'))?;
            let has = |name: &str| self.seen.contains_key(&format!("{folder}{name}"));
            (*is_file && (has("objects") || has("commondir"))).then_some(spelling.as_str())
        })
    }
}
