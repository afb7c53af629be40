//! The imports between the files of a crate, read from their text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::Result;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use regex::Regex;

type Module = Vec<String>;

/// The files of a crate by their modules, with the modules that each imports.
pub(super) struct Imports(BTreeMap<Module, BTreeSet<Module>>);

/// Returns the path of a module: `a::b`; `lib` is the crate.
pub(super) fn module(name: &str) -> Module {
    name.split("::").filter(|it| *it != "lib").map(str::to_owned).collect()
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern compiles")
}

static NOISE: LazyLock<Regex> =
    LazyLock::new(|| regex(r##"//[^\n]*|(?s:r#".*?"#)|b?'(?:\\.[^']*|[^'\\])'|"(?s:\\.|[^"\\])*""##));
static TESTS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{"));
static USE: LazyLock<Regex> = LazyLock::new(|| regex(r"\b(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);"));
static PATH: LazyLock<Regex> = LazyLock::new(|| regex(r"\b[A-Za-z_]\w*(?:\s*::\s*[A-Za-z_]\w*)+"));

/// One file without comments, literals and tests.
struct File {
    /// Each imported name with its path, relative to the file.
    uses: Vec<(String, Module)>,
    /// Paths in the code itself.
    paths: Vec<Module>,
}

impl Imports {
    /// Reads the sources of a crate; programs beside its library are left out.
    pub(super) fn read(src: &Path) -> Result<Self> {
        let (mut files, mut folders) = (BTreeMap::new(), vec![src.to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(src)?.with_extension("");
                let name = name.to_string_lossy().replace('/', "::");
                let name = name.strip_suffix("::mod").unwrap_or(&name);
                let is_left_out = name.ends_with("tests") || name.starts_with("bin::") || name == "main";
                if path.extension().is_some_and(|it| it == "rs") && !is_left_out {
                    files.insert(module(name), fs::read_to_string(&path)?);
                }
            }
        }
        Ok(Self::of(&files))
    }

    /// Finds the imports between files, by module.
    pub(super) fn of(files: &BTreeMap<Module, String>) -> Self {
        let read: BTreeMap<&Module, File> =
            files.iter().map(|(module, text)| (module, File::of(text))).collect();
        let resolver = Resolver(&read);
        let imports = read.iter().map(|(from, file)| {
            let paths = file.uses.iter().map(|(_, path)| path).chain(&file.paths);
            let to = paths.filter_map(|path| resolver.file_of(&resolver.absolute(from, path, 0)?, 0));
            ((*from).clone(), to.filter(|to| to != *from).collect())
        });
        Self(imports.collect())
    }

    pub(super) fn modules(&self) -> impl Iterator<Item = &Module> {
        self.0.keys()
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = (&Module, &Module)> {
        self.0.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)))
    }

    /// Returns the circles of more than one file, each file by its module.
    pub(super) fn circles(&self) -> Vec<Vec<String>> {
        let mut graph = DiGraph::<&Module, ()>::new();
        let nodes: BTreeMap<_, _> = self.0.keys().map(|it| (it, graph.add_node(it))).collect();
        for (from, to) in self.edges() {
            graph.add_edge(nodes[from], nodes[to], ());
        }
        let circles = tarjan_scc(&graph).into_iter().filter(|it| it.len() > 1);
        circles.map(|all| all.into_iter().map(|it| graph[it].join("::")).collect()).collect()
    }
}

impl File {
    fn of(text: &str) -> Self {
        let text = without_tests(&NOISE.replace_all(text, " "));
        let uses = USE.captures_iter(&text).flat_map(|it| expanded(&it[1], &[])).collect();
        let code = USE.replace_all(&text, "");
        let paths = PATH.find_iter(&code).map(|it| segments(it.as_str())).collect();
        Self { uses, paths }
    }
}

fn segments(path: &str) -> Module {
    path.split("::").map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}

fn without_tests(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(found) = TESTS.find(&text) {
        let mut depth = 1;
        let end = text[found.end()..].find(|it| {
            depth += i32::from(it == '{') - i32::from(it == '}');
            depth == 0
        });
        let end = end.map_or(text.len(), |it| found.end() + it + 1);
        text.replace_range(found.start()..end, "");
    }
    text
}

/// Returns the paths of a tree of imports, each with the name that it brings.
fn expanded(tree: &str, prefix: &[String]) -> Vec<(String, Module)> {
    let (mut depth, mut parts, mut part) = (0, Vec::new(), String::new());
    for char in tree.chars() {
        depth += i32::from(char == '{') - i32::from(char == '}');
        match char {
            ',' if depth == 0 => parts.push(std::mem::take(&mut part)),
            _ => part.push(char),
        }
    }
    parts.push(part);
    let parts = parts.iter().map(|it| it.trim()).filter(|it| !it.is_empty());
    let expand = |part: &str| match part.split_once('{') {
        Some((before, inside)) => {
            let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
            expanded(inside, &[prefix, &segments(before)].concat())
        }
        None => {
            let (path, name) =
                part.split_once(" as ").map_or((part, None), |(path, name)| (path, Some(name)));
            let mut path = [prefix, &segments(path)].concat();
            path.pop_if(|it| it == "self" || it == "*");
            let name = name.map(str::trim).or(path.last().map(String::as_str)).unwrap_or_default();
            vec![(name.to_owned(), path)]
        }
    };
    parts.flat_map(expand).collect()
}

/// How far aliases are followed.
const STEPS: usize = 8;

struct Resolver<'a>(&'a BTreeMap<&'a Module, File>);

impl Resolver<'_> {
    /// Returns a path of a file as one from the crate on; `None` for what other crates define.
    fn absolute(&self, from: &Module, path: &[String], steps: usize) -> Option<Module> {
        let (first, rest) = path.split_first().filter(|_| steps < STEPS)?;
        let parent = |it: &[String]| it.split_last().map(|(_, parent)| parent.to_vec());
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => Some([from.as_slice(), rest].concat()),
            "super" => {
                let mut base = parent(from)?;
                let mut rest = rest;
                while let [first, more @ ..] = rest
                    && first == "super"
                {
                    (base, rest) = (parent(&base)?, more);
                }
                Some([base.as_slice(), rest].concat())
            }
            name => {
                let child = [from.as_slice(), std::slice::from_ref(first)].concat();
                if self.0.contains_key(&child) {
                    return Some([from.as_slice(), path].concat());
                }
                let (_, alias) =
                    self.0.get(from)?.uses.iter().find(|(it, path)| it == name && path.len() > 1)?;
                let alias = self.absolute(from, alias, steps + 1)?;
                Some([alias.as_slice(), rest].concat())
            }
        }
    }

    /// Returns the file that defines what a path names, through re-exports.
    fn file_of(&self, path: &[String], steps: usize) -> Option<Module> {
        let known = (0..=path.len()).rev().find(|it| self.0.contains_key(&path[..*it].to_vec()))?;
        let (file, rest) = path.split_at(known);
        let file = file.to_vec();
        let again = rest.first().filter(|_| steps < STEPS).and_then(|name| {
            let (_, exported) = self.0[&file].uses.iter().find(|(it, _)| it == name)?;
            let exported = self.absolute(&file, exported, 0)?;
            (exported != path[..=known]).then(|| [exported.as_slice(), &rest[1..]].concat())
        });
        again.and_then(|it| self.file_of(&it, steps + 1)).or(Some(file))
    }
}
