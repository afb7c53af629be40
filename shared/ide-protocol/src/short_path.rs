//! Short forms of paths of files outside of the workspace: `typeshed:builtins.pyi`, `crates:serde-1.0.2/src/lib.rs`.
//!
//! The wire has whole paths. Answers for agents have the short forms, and every question may have them in place of a
//! path: it means the one file with that form that an answer named. A file of the workspace that is called like that
//! comes first.

/// The known roots of libraries, and what stands for each. The first row that a path has is used. A `*` at the end of a
/// name stands for any characters.
const ROOTS: &[(&[&str], &str)] = &[
    (&["typeshed", "*", "stdlib"], "typeshed:"),
    (&["typeshed", "stdlib"], "typeshed:"),
    (&["typeshed-fallback", "stdlib"], "typeshed:"),
    (&["typeshed", "*", "stubs"], "typeshed-stubs:"),
    (&["typeshed", "stubs"], "typeshed-stubs:"),
    (&["typeshed-fallback", "stubs"], "typeshed-stubs:"),
    (&["node_modules", "@typescript", "*", "lib"], "typescript:"),
    (&["node_modules", "typescript", "lib"], "typescript:"),
    (&["site-packages"], "site-packages:"),
    (&["dist-packages"], "dist-packages:"),
    (&["lib", "python3.*"], "python:"),
    (&["node_modules"], "npm:"),
    (&["rustlib", "src", "rust", "library"], "rust:"),
    (&["registry", "src", "*"], "crates:"),
    (&["git", "checkouts"], "crates-git:"),
    (&["pkg", "mod"], "go-modules:"),
    (&["go", "src"], "go:"),
    (&["go-*", "src"], "go:"),
    (&["go1.*", "src"], "go:"),
    (&["lib", "clang", "*", "include"], "clang:"),
];

/// Returns the short form of an absolute path below a known root of libraries. Paths of two roots may have the same.
pub fn short_path(path: &str) -> Option<String> {
    if !path.starts_with('/') {
        return None;
    }
    let (rest, prefix) = ROOTS.iter().find_map(|(root, prefix)| Some((below(path, root)?, prefix)))?;
    Some(format!("{prefix}{rest}"))
}

/// Returns true if a text has the form that [`short_path`] gives.
pub fn is_short_path(path: &str) -> bool {
    ROOTS.iter().any(|(_, prefix)| path.strip_prefix(prefix).is_some_and(|it| !it.is_empty()))
}

/// Returns the part of a path below the first folders with these names.
fn below<'p>(path: &'p str, root: &[&str]) -> Option<&'p str> {
    let starts = path.match_indices('/').map(|(at, _)| &path[at + 1..]);
    let rest = |from| root.iter().try_fold(from, |rest: &'p str, name| step(rest, name));
    starts.into_iter().find_map(rest).filter(|it| !it.is_empty())
}

/// Returns the path behind its first folder, if that has a name.
fn step<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let (folder, rest) = path.split_once('/')?;
    let is_so = match name.strip_suffix('*') {
        Some(start) => folder.starts_with(start),
        None => folder == name,
    };
    is_so.then_some(rest)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn libraries_have_short_forms() {
        let ty = "/home/u/.cache/ty/vendored/typeshed/2e4d4dcf/stdlib/builtins.pyi";
        let tsc =
            "/opt/lib/node_modules/typescript/node_modules/@typescript/typescript-linux-x64/lib/lib.es5.d.ts";
        let basedpyright =
            "/usr/lib/python3.12/site-packages/basedpyright/dist/typeshed-fallback/stdlib/os/path.pyi";
        for (path, short) in [
            (ty, Some("typeshed:builtins.pyi")),
            (basedpyright, Some("typeshed:os/path.pyi")),
            (tsc, Some("typescript:lib.es5.d.ts")),
            ("/r/node_modules/typescript/lib/lib.dom.d.ts", Some("typescript:lib.dom.d.ts")),
            ("/r/node_modules/@types/node/fs.d.ts", Some("npm:@types/node/fs.d.ts")),
            ("/r/node_modules/a/node_modules/b/x.d.ts", Some("npm:a/node_modules/b/x.d.ts")),
            (
                "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/serde-1.0.2/src/lib.rs",
                Some("crates:serde-1.0.2/src/lib.rs"),
            ),
            ("/r/lib/rustlib/src/rust/library/core/src/option.rs", Some("rust:core/src/option.rs")),
            ("/usr/lib/python3.12/json/decoder.py", Some("python:json/decoder.py")),
            ("/v/lib/python3.12/site-packages/a/b.py", Some("site-packages:a/b.py")),
            (
                "/home/u/go/pkg/mod/golang.org/x/net@v0.1.0/a.go",
                Some("go-modules:golang.org/x/net@v0.1.0/a.go"),
            ),
            ("/usr/lib/go-1.22/src/fmt/print.go", Some("go:fmt/print.go")),
            ("node_modules/a/x.d.ts", None),
            ("/r/node_modules", None),
            ("/r/node_modules/", None),
            ("/usr/include/stdio.h", None),
        ] {
            assert_eq!(short_path(path).as_deref(), short, "{path}");
        }
    }

    #[test]
    fn a_short_form_stands_for_one_path_of_each_root() {
        let folder = |name: &str| name.replace('*', "x1");
        for (names, prefix) in ROOTS {
            let root = format!("/r/{}", names.iter().map(|it| folder(it)).collect::<Vec<_>>().join("/"));
            let rests = ["a", "a.rs", "a/b.pyi", "a b/c:1.ts", "@s/p@1.0/é.go"];
            let shorts: BTreeSet<_> =
                rests.iter().filter_map(|it| short_path(&format!("{root}/{it}"))).collect();
            assert_eq!(shorts.len(), rests.len(), "{root}");
            for (rest, short) in rests.iter().map(|it| (it, short_path(&format!("{root}/{it}")).unwrap())) {
                assert_eq!(short, format!("{prefix}{rest}"));
                assert!(is_short_path(&short) && short_path(&short).is_none(), "{short}");
            }
        }
    }
}
