//! Lists files that match a glob.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ide_protocol::{
    Completeness, ErrorCode, FilesQuestion, FilesResult, IdeError, Operation, Reason, Source,
};
use ignore::overrides::{Override, OverrideBuilder};

use super::handler::{Call, Handler};
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::walk;

/// The maximum number of paths in one result.
const PATH_LIMIT: usize = 1000;

pub(crate) struct Files;

impl Handler for Files {
    const OPERATION: Operation = Operation::Files;
    type Question = FilesQuestion;

    async fn answer(call: &Call, question: FilesQuestion) -> Result<FilesResult, IdeError> {
        let walk = move |roots: &SessionFolders, deadline, cancelled: &Arc<AtomicBool>| {
            answer(roots, &question.glob, &|| cancelled.load(Ordering::Relaxed) || Instant::now() >= deadline)
        };
        call.walk(walk).await
    }
}

fn answer(
    roots: &SessionFolders,
    written: &str,
    is_over: &dyn Fn() -> bool,
) -> Result<FilesResult, IdeError> {
    let glob = understood(roots, written)?;
    let mut found = Found::default();
    for root in walk::outermost(roots.folders()) {
        found.walk(roots, root, &matcher(root, &glob)?, reaches_hidden(&glob), is_over);
    }
    let reason = if found.stopped {
        Some(Reason::TimeUp { files: found.looked_at })
    } else if found.total > PATH_LIMIT as u64 {
        Some(Reason::PathsCut { shown: PATH_LIMIT, total: found.total })
    } else {
        (found.total == 0).then(|| nothing_matches(&glob, found.looked_at))
    };
    let with_hidden = reaches_hidden(&glob);
    let left_out = roots.folders().iter().filter_map(|it| roots.left_out_remark(it, with_hidden));
    Ok(FilesResult {
        completeness: Completeness::with(Source("text".into()), reason.into_iter().chain(left_out)),
        total: found.total,
        paths: found.paths,
    })
}

/// Returns the glob that a parameter gives; `None` if it gives a path. What exists is that path, whatever its
/// characters.
pub(crate) fn glob(roots: &SessionFolders, written: &str) -> Result<Option<String>, IdeError> {
    let is_glob = is_glob(written) && roots.resolve_exactly(written.trim()).is_err();
    is_glob.then(|| understood(roots, written)).transpose()
}

fn is_glob(path: &str) -> bool {
    path.contains(GLOB)
}

/// The characters that make a path a glob.
const GLOB: [char; 4] = ['*', '?', '[', '{'];

/// Normalizes a glob: a folder means everything in it, and a path may start at the root or be absolute. What
/// exists means itself.
fn understood(roots: &SessionFolders, written: &str) -> Result<String, IdeError> {
    let below = roots.below_tree(written.trim());
    let plain = below.as_deref().unwrap_or_else(|| written.trim().trim_start_matches("./"));
    if plain.split('/').any(|it| it == "..") {
        let advice = "Give a glob relative to the workspace, such as `src/**/*.rs`.";
        return Err(IdeError::new(ErrorCode::OutsideWorkspace, format!("`{written}` leaves the workspace"))
            .recovery(advice));
    }
    let root = roots.folders().iter().find_map(|root| plain.strip_prefix(root.to_str()?));
    let plain = root.unwrap_or(plain).trim_start_matches('/').trim_end_matches('/');
    if matches!(plain, "" | "." | "*" | "**") {
        return Ok("**".to_owned());
    }
    let is_folder = roots.folders().iter().any(|it| it.join(plain).is_dir());
    if is_folder {
        return Ok(format!("/{}/**", escaped(plain)));
    }
    if is_glob(plain) && roots.resolve_exactly(plain).is_ok() {
        return Ok(format!("/{}", escaped(plain)));
    }
    // In `src/[id]/*.ts` only the end is a glob if there is a folder `src/[id]`.
    let folders = plain.match_indices('/').rev().map(|(at, _)| plain.split_at(at));
    let is_odd = |(folder, _): &(&str, &str)| {
        is_glob(folder) && roots.folders().iter().any(|it| it.join(folder).is_dir())
    };
    Ok(match folders.into_iter().find(is_odd) {
        Some((folder, rest)) => format!("/{}{rest}", escaped(folder)),
        None if below.is_some() => format!("/{plain}"),
        None => plain.to_owned(),
    })
}

/// Returns the glob that only a path matches.
fn escaped(path: &str) -> String {
    let escaped = |it: char| {
        let is_special = GLOB.contains(&it) || "]}!\\".contains(it);
        is_special.then_some('\\').into_iter().chain([it])
    };
    path.chars().flat_map(escaped).collect()
}

pub(crate) fn matcher(root: &Path, glob: &str) -> Result<Override, IdeError> {
    let bad = |error: &ignore::Error| {
        let message = format!("`{glob}` is no glob: {error}");
        IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery("Write one such as `*.rs`, `src/**/*.{ts,tsx}` or a folder.")
    };
    let mut builder = OverrideBuilder::new(root);
    builder.add(glob).map_err(|it| bad(&it))?;
    builder.build().map_err(|it| bad(&it))
}

/// Returns `true` if the glob names hidden files.
fn reaches_hidden(glob: &str) -> bool {
    glob.starts_with('.') || glob.contains("/.")
}

fn nothing_matches(glob: &str, files: u64) -> Reason {
    Reason::NoSuchFile { files, bare: (!is_glob(glob)).then(|| glob.to_owned()) }
}

/// The matching files, with counts.
#[derive(Debug, Default)]
struct Found {
    paths: Vec<String>,
    total: u64,
    looked_at: u64,
    stopped: bool,
}

impl Found {
    fn walk(
        &mut self,
        roots: &SessionFolders,
        root: &Path,
        matcher: &Override,
        hidden: bool,
        is_over: &dyn Fn() -> bool,
    ) {
        let mut walk = walk::builder_noting(root, root, roots.left_out());
        walk.hidden(!hidden).sort_by_file_path(Path::cmp);
        for entry in walk.build().filter_map(Result::ok) {
            if is_over() {
                self.stopped = true;
                return;
            }
            if !entry.file_type().is_some_and(|it| it.is_file()) {
                continue;
            }
            self.looked_at += 1;
            if matcher.matched(entry.path(), false).is_whitelist() {
                self.total += 1;
                if self.paths.len() < PATH_LIMIT {
                    self.paths.push(roots.display_path(entry.path()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn found(glob: &str, odd: &[&str]) -> String {
        let dir = tempfile::tempdir().unwrap();
        let plain = ["src/a.rs", "src/deep/b.rs", "web/c.ts", "web/d.tsx", ".github/e.yml", "target/f.rs"];
        for path in plain.into_iter().chain(odd.iter().copied()) {
            fs::create_dir_all(dir.path().join(path).parent().unwrap()).unwrap();
            fs::write(dir.path().join(path), "").unwrap();
        }
        fs::write(dir.path().join(".gitignore"), "target/\n").unwrap();
        let roots = SessionFolders::new(vec![dir.path().to_owned()]);
        match answer(&roots, glob, &|| false) {
            Ok(it) => format!("{} {}", it.paths.join(" "), it.completeness.note().unwrap_or_default())
                .trim()
                .to_owned(),
            Err(error) => error.message.lines().next().unwrap_or_default().to_owned(),
        }
    }

    #[test]
    fn a_long_list_of_files_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        (0..=PATH_LIMIT).for_each(|it| fs::write(dir.path().join(it.to_string()), "").unwrap());
        let found = answer(&SessionFolders::new(vec![dir.path().to_owned()]), "**", &|| false).unwrap();
        assert_eq!(found.paths.len(), PATH_LIMIT);
        let total = PATH_LIMIT as u64 + 1;
        assert_eq!(found.completeness.reasons(), [Reason::PathsCut { shown: PATH_LIMIT, total }]);
    }

    #[test]
    fn globs_as_people_write_them() {
        for (glob, expected) in [
            ("*.rs", "src/a.rs src/deep/b.rs"),
            ("**/*.rs", "src/a.rs src/deep/b.rs"),
            ("./src/*.rs", "src/a.rs"),
            ("src", "src/a.rs src/deep/b.rs"),
            ("src/deep/", "src/deep/b.rs"),
            ("*.{ts,tsx}", "web/c.ts web/d.tsx"),
            ("b.rs", "src/deep/b.rs"),
            (".", "src/a.rs src/deep/b.rs web/c.ts web/d.tsx"),
            (".github/**", ".github/e.yml"),
            (
                "deep",
                "no file matches, of 4 that are neither hidden nor ignored; `**/*deep*` finds a part of a name",
            ),
            ("*.py", "no file matches, of 4 that are neither hidden nor ignored"),
            ("../*", "`../*` leaves the workspace"),
            ("[a", "`[a` is no glob: error parsing glob '[a': unclosed character class; missing ']'"),
        ] {
            assert_eq!(found(glob, &[]), expected, "{glob}");
        }
    }

    #[test]
    fn what_exists_is_itself() {
        let odd = [
            "src/a..b/g.rs",
            "src/[id]/h.rs",
            "src/[id]/[...rest]/i.rs",
            "src/i/k.rs",
            "src/{a,b}{{x}}/l.rs",
            "src/m*n?/o.rs",
            "src/!p/q.rs",
        ];
        for (glob, expected) in [
            ("src/a..b/*", "src/a..b/g.rs"),
            ("src/a..b", "src/a..b/g.rs"),
            ("src/[id]", "src/[id]/[...rest]/i.rs src/[id]/h.rs"),
            ("src/[id]/h.rs", "src/[id]/h.rs"),
            ("src/[id]/[...rest]", "src/[id]/[...rest]/i.rs"),
            ("src/[id]/*.rs", "src/[id]/h.rs"),
            ("src/[ij]/*.rs", "src/i/k.rs"),
            ("src/[id]/[[]*/*.rs", "src/[id]/[...rest]/i.rs"),
            ("src/{a,b}{{x}}", "src/{a,b}{{x}}/l.rs"),
            ("src/{a,b}{{x}}/l.rs", "src/{a,b}{{x}}/l.rs"),
            ("src/m*n?", "src/m*n?/o.rs"),
            ("src/!p", "src/!p/q.rs"),
        ] {
            assert_eq!(found(glob, &odd), expected, "{glob}");
        }
    }

    #[test]
    fn a_walk_that_is_stopped_says_so() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.rs"), "").unwrap();
        let roots = SessionFolders::new(vec![dir.path().to_owned()]);
        let result = answer(&roots, "*.rs", &|| true).unwrap();
        assert_eq!(
            (result.completeness.is_complete(), result.completeness.note().unwrap().as_str()),
            (false, "the time was up after 0 files")
        );
    }
}
