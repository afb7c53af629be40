//! Modules of TypeScript and JavaScript: relative ones, path aliases, and the packages of the workspace.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Module, Modules};
use crate::fallback::workspace::session_folders::normalize;

/// The endings that a specifier may leave out, the likeliest first.
const ENDINGS: &[&str] =
    &["ts", "tsx", "d.ts", "mts", "cts", "d.mts", "js", "jsx", "mjs", "cjs", "json", "vue", "svelte"];

/// The endings of programs, with those of their sources.
const COMPILED: &[(&str, &[&str])] = &[
    ("js", &["ts", "tsx", "d.ts"]),
    ("jsx", &["tsx"]),
    ("mjs", &["mts", "d.mts"]),
    ("cjs", &["cts", "d.cts"]),
];

/// The largest manifest that is read, in bytes.
const SIZE: u64 = 1024 * 1024;

/// The maximum length of a chain of `extends`.
const EXTENDS: usize = 8;

/// The path aliases of a `tsconfig.json`.
#[derive(Clone, Debug)]
pub(super) struct Aliases {
    /// The folder that the targets are relative to.
    base: PathBuf,
    /// `true` if bare specifiers are looked up in the folder, too.
    is_base: bool,
    /// The patterns, each with its targets.
    paths: Vec<(String, Vec<String>)>,
}

impl Modules<'_> {
    pub(super) fn resolve_specifier(&mut self, file: &Path, specifier: &str) -> Module {
        let specifier = specifier.split(['?', '#']).next().filter(|it| !it.is_empty()).unwrap_or(specifier);
        let folder = file.parent().unwrap_or(file);
        if specifier.starts_with('.') {
            let found = self.script_at(&normalize(&folder.join(specifier)));
            return found.map_or(Module::Unknown, |it| Module::File(it, Vec::new()));
        }
        if let Some(found) = self.aliased(folder, specifier) {
            return found;
        }
        match self.in_package(specifier) {
            Some(Some(file)) => Module::File(file, Vec::new()),
            Some(None) => Module::Unknown,
            None => Module::External,
        }
    }

    /// Returns the file of a path without ending, or the index file of a folder.
    fn script_at(&self, path: &Path) -> Option<PathBuf> {
        if self.is_file(path) {
            return Some(path.to_owned());
        }
        let text = path.to_string_lossy();
        for (ending, sources) in COMPILED {
            let Some(plain) = text.strip_suffix(&format!(".{ending}")) else { continue };
            let files = sources.iter().map(|it| PathBuf::from(format!("{plain}.{it}")));
            if let Some(file) = files.into_iter().find(|it| self.is_file(it)) {
                return Some(file);
            }
        }
        let files = ENDINGS.iter().map(|it| PathBuf::from(format!("{text}.{it}")));
        files.into_iter().find(|it| self.is_file(it)).or_else(|| self.index_script(path))
    }

    fn index_script(&self, folder: &Path) -> Option<PathBuf> {
        ENDINGS.iter().map(|it| folder.join(format!("index.{it}"))).find(|it| self.is_file(it))
    }

    /// Returns the main source file of a package.
    pub(super) fn package_file(&self, folder: &Path) -> Option<PathBuf> {
        let manifest = json(&folder.join("package.json"));
        let mains = ["source", "types", "module", "main"];
        let mains = mains.iter().filter_map(|key| manifest.as_ref()?.get(*key)?.as_str());
        // What is built is not there, but its source is.
        let main = mains.filter_map(|it| self.script_at(&normalize(&folder.join(it)))).next();
        let main = main.filter(|it| !self.is_ignored(it));
        main.or_else(|| self.index_script(&folder.join("src"))).or_else(|| self.index_script(folder))
    }

    /// Returns whether a file is built, by the name of its folder.
    fn is_ignored(&self, file: &Path) -> bool {
        let root = self.root_of(file);
        let inner = root.and_then(|it| file.strip_prefix(it).ok()).unwrap_or(file);
        inner.iter().any(|it| matches!(it.to_str(), Some("dist" | "build" | "out" | "node_modules")))
    }

    /// Resolves a specifier of a package of the workspace; `None` if there is no such package.
    fn in_package(&self, specifier: &str) -> Option<Option<PathBuf>> {
        let packages = self.packages.get_or_init(|| {
            let named = |manifest: &PathBuf| {
                let name = json(manifest)?.get("name")?.as_str()?.to_owned();
                Some((name, manifest.parent()?.to_owned()))
            };
            self.manifests("package.json").iter().filter_map(named).collect::<HashMap<_, _>>()
        });
        let steps = if specifier.starts_with('@') { 2 } else { 1 };
        let end = specifier.match_indices('/').nth(steps - 1).map_or(specifier.len(), |(at, _)| at);
        let folder = packages.get(&specifier[..end])?;
        let inner = specifier[end..].trim_start_matches('/');
        if inner.is_empty() {
            return Some(self.package_file(folder));
        }
        let found = self.script_at(&folder.join(inner));
        Some(found.or_else(|| self.script_at(&folder.join("src").join(inner))))
    }

    /// Resolves a specifier by the path aliases above a folder; `None` if no alias fits.
    fn aliased(&mut self, folder: &Path, specifier: &str) -> Option<Module> {
        for aliases in self.aliases_of(folder) {
            for (pattern, targets) in &aliases.paths {
                let Some(part) = fit(pattern, specifier) else { continue };
                let files = targets.iter().map(|it| normalize(&aliases.base.join(it.replace('*', part))));
                let file = files.into_iter().find_map(|it| self.script_at(&it));
                if let Some(file) = file {
                    return Some(Module::File(file, Vec::new()));
                }
                // `*` is for everything, also for packages.
                if pattern != "*" {
                    return Some(Module::Unknown);
                }
            }
            if aliases.is_base
                && let Some(file) = self.script_at(&aliases.base.join(specifier))
            {
                return Some(Module::File(file, Vec::new()));
            }
        }
        None
    }

    /// Returns the aliases of the nearest configuration above a folder.
    fn aliases_of(&mut self, folder: &Path) -> Vec<Aliases> {
        if let Some(known) = self.aliases.get(folder) {
            return known.clone();
        }
        let workspace = self.root_of(folder).cloned();
        let above =
            folder.ancestors().take_while(|it| workspace.as_ref().is_some_and(|root| it.starts_with(root)));
        let configs = above.flat_map(|it| ["tsconfig.json", "jsconfig.json"].map(|name| it.join(name)));
        let found = configs.into_iter().find(|it| it.is_file());
        let aliases = found.map(|it| aliases_in(&it)).unwrap_or_default();
        self.aliases.insert(folder.to_owned(), aliases.clone());
        aliases
    }
}

/// Returns the part of a specifier that `*` of a pattern stands for.
fn fit<'s>(pattern: &str, specifier: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        Some((before, after)) => {
            let rest = specifier.strip_prefix(before)?;
            rest.strip_suffix(after)
        }
        None => (pattern == specifier).then_some(""),
    }
}

/// Reads the aliases of a configuration, of those that it extends and of the projects that it refers to.
fn aliases_in(config: &Path) -> Vec<Aliases> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![config.to_owned()], 0);
    while let Some(path) = open.pop().filter(|_| seen < EXTENDS) {
        seen += 1;
        let Some(config) = json(&path) else { continue };
        let folder = path.parent().unwrap_or(&path);
        let options = &config["compilerOptions"];
        let base = options["baseUrl"].as_str().map(|it| normalize(&folder.join(it)));
        let targets = |it: &Value| {
            it.as_array().into_iter().flatten().filter_map(|it| Some(it.as_str()?.to_owned())).collect()
        };
        let paths = options["paths"].as_object().into_iter().flatten();
        let paths: Vec<(String, Vec<String>)> = paths.map(|(key, it)| (key.clone(), targets(it))).collect();
        if base.is_some() || !paths.is_empty() {
            found.push(Aliases {
                is_base: base.is_some(),
                base: base.unwrap_or_else(|| folder.to_owned()),
                paths,
            });
        }
        let extended = match &config["extends"] {
            Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            one => one.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
        };
        let references = config["references"].as_array().into_iter().flatten();
        let references = references.filter_map(|it| Some(it["path"].as_str()?.to_owned()));
        for other in extended.into_iter().chain(references).filter(|it| it.starts_with('.')) {
            let other = normalize(&folder.join(other));
            open.push(if other.is_dir() { other.join("tsconfig.json") } else { with_ending(other) });
        }
    }
    found
}

fn with_ending(path: PathBuf) -> PathBuf {
    if path.extension().is_some_and(|it| it == "json") {
        path
    } else {
        PathBuf::from(format!("{}.json", path.display()))
    }
}

/// Reads a JSON file with comments and trailing commas; `None` if it is no such file, or too large.
fn json(path: &Path) -> Option<Value> {
    fs::metadata(path).ok().filter(|it| it.is_file() && it.len() <= SIZE)?;
    let text = fs::read_to_string(path).ok()?;
    serde_json::from_str(&plain_json(text.trim_start_matches('\u{feff}'))).ok()
}

/// Removes comments and trailing commas outside of texts.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let end = end_of_text(rest);
                plain.push_str(&rest[..end]);
                end
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |it| it + 2),
            '}' | ']' => {
                let kept = plain.trim_end().trim_end_matches(',').len();
                plain.truncate(kept);
                plain.push(first);
                1
            }
            other => {
                plain.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    plain
}

/// Returns the end of the JSON text at the start.
fn end_of_text(rest: &str) -> usize {
    let mut is_escaped = false;
    for (at, it) in rest.char_indices().skip(1) {
        match it {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_are_read_with_comments_and_trailing_commas() {
        for (text, plain) in [
            ("{\"a\": 1, // b\n}", "{\"a\": 1}"),
            ("[1, /* , */ ]", "[1]"),
            ("{\"@/*\": [\"./src/*\",],}", "{\"@/*\": [\"./src/*\"]}"),
            ("\"\\\" // no\"", "\"\\\" // no\""),
            ("\"open", "\"open"),
            ("/* open", ""),
        ] {
            assert_eq!(plain_json(text), plain, "{text}");
        }
    }

    #[test]
    fn a_pattern_stands_for_a_part() {
        for (pattern, specifier, part) in [
            ("@/*", "@/a/b", Some("a/b")),
            ("@app", "@app", Some("")),
            ("@app", "@app/x", None),
            ("*.css", "a.css", Some("a")),
            ("aa*a", "aa", None),
        ] {
            assert_eq!(fit(pattern, specifier), part, "{pattern} {specifier}");
        }
    }
}
