//! The documents whose generated code is judged: all valid ones there are in the long form, which `DIALECT_LONG=generated`
//! asks for. The short one has those that were written for this test, one that is invented, and every sixth of the others.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use ailang::{Diagnostic, Document, Documents, standard_library};
use ailang_formats::{GenerateOptions, Language, generate};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use source_text::LineIndex;

use super::{invented, names};
use crate::vectors::{Vectors, mutated_vectors};

/// The folders of documents that were written for this test, each with the prefix of their names.
const OWN: &[(&str, &str)] = &[("tests/suite/generate", ""), ("tests/generated/documents", "hostile_")];

/// The folders of other single documents.
const FOLDERS: &[(&str, &str)] = &[("../ailang/corpus/valid", ""), ("../ailang/corpus/skills", "skill_")];

/// The folders with a folder for each document and those that it imports.
const PACKAGES: &[(&str, &str)] =
    &[("../ailang/corpus/valid-multi", "multi_"), ("../../examples/skills", "example_")];

/// A document with its vectors.
pub(crate) struct Subject {
    /// A name for files and modules.
    pub(crate) name: String,
    documents: Documents,
    path: String,
    /// True if it was written for this test.
    is_of_this_test: bool,
    /// The number of values for each type that differ from others in one part.
    more: usize,
    /// The vectors as JSON, or the errors as users see them.
    vectors: OnceLock<Result<Value, String>>,
}

impl Subject {
    fn new(name: &str, documents: Documents, path: &str) -> Self {
        let name = name.replace(['-', '/', '.'], "_");
        Self {
            name,
            documents,
            path: path.to_owned(),
            is_of_this_test: false,
            more: 0,
            vectors: OnceLock::new(),
        }
    }

    /// Returns the generated code.
    pub(crate) fn code(&self, language: Language, options: &GenerateOptions) -> String {
        let options = GenerateOptions { by_name: true, ..options.clone() };
        let made = generate(&self.documents, &self.path, language, &options);
        made.unwrap_or_else(|errors| panic!("{}", self.shown(&errors))).files[0].content.clone()
    }

    /// Returns the vectors as JSON.
    pub(crate) fn vectors(&self) -> &Value {
        self.checked().as_ref().unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn checked(&self) -> &Result<Value, String> {
        self.vectors.get_or_init(|| {
            let all = mutated_vectors(&self.documents, &self.path, self.more);
            let all = all.map_err(|errors| self.shown(&errors))?;
            let shown = |it: &Vectors| {
                json!({"name": it.name, "ok": it.ok, "bad": it.bad, "newer": it.newer, "loose": it.is_loose})
            };
            Ok(all.iter().map(shown).collect())
        })
    }

    /// Returns `true` for a document with types that contain themselves in any way.
    fn contains_itself(&self) -> bool {
        self.more > 0 || self.name == "hostile_recursion"
    }

    /// Checks that `Documents::check_value` accepts and refuses the same values as generated code should, in documents
    /// whose types contain themselves.
    pub(crate) fn is_checked_alike(&self) -> Result<(), Failed> {
        for vectors in self.own_types().filter(|_| self.contains_itself()) {
            let name = vectors["name"].as_str().unwrap_or_default();
            let check = |ty: &str, value: &Value| self.documents.check_value(&self.path, ty, value);
            // A type of another document has no name here, and a use of a generic type another one.
            if check(name, &Value::Null).is_err() {
                continue;
            }
            let all = check(&format!("List<{name}>"), &vectors["ok"])?;
            if let Err(problems) = all {
                return Err(format!("{}: {name}: {problems:#?}", self.name).into());
            }
            // Each check names some of the values that are refused.
            let mut bad = vectors["bad"].as_array().cloned().unwrap_or_default();
            while let Some(first) = bad.first() {
                let Err(problems) = check(&format!("List<{name}>"), &json!(bad))? else {
                    return Err(format!("{}: {name}: {first} should be refused", self.name).into());
                };
                let refused: HashSet<&str> =
                    problems.iter().filter_map(|it| it.pointer.split('/').nth(1)).collect();
                if refused.is_empty() {
                    return Err(format!("{}: {name}: {problems:#?}", self.name).into());
                }
                let rest =
                    bad.iter().enumerate().filter(|(at, _)| !refused.contains(at.to_string().as_str()));
                bad = rest.map(|(_, value)| value.clone()).collect();
            }
        }
        Ok(())
    }

    /// Returns the vectors of types, without those of tools.
    fn own_types(&self) -> impl Iterator<Item = &Value> {
        let all = self.vectors().as_array().into_iter().flatten();
        all.filter(|it| it["name"].as_str().is_some_and(|name| !name.contains('.')))
    }

    /// Returns the number of values for each of the types that were invented.
    pub(crate) fn invented(&self) -> Vec<usize> {
        let count = |vectors: &Value, key: &str| vectors[key].as_array().map_or(0, Vec::len);
        let types = self.own_types().filter(|_| self.more > 0);
        types.map(|it| count(it, "ok") + count(it, "bad")).collect()
    }

    /// Returns the errors of the document as users see them; `None` if it is valid.
    pub(crate) fn errors(&self) -> Option<String> {
        self.checked().as_ref().err().cloned()
    }

    /// Returns errors as users see them.
    fn shown(&self, errors: &[(String, Diagnostic)]) -> String {
        let each = errors.iter().map(|(path, error)| {
            let source = self.documents.get(path).map_or("", |it| &it.source);
            error.show(path, source, &LineIndex::new(source))
        });
        format!("{}: {}", self.name, each.collect::<String>())
    }
}

/// The distance between the documents of the short form among those that were not written for this test.
const EVERY: usize = 6;

/// Returns the documents that are judged.
pub(crate) fn subjects() -> &'static [Subject] {
    static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| {
        let all = all().into_iter().enumerate();
        let is_judged =
            |(at, subject): &(usize, Subject)| super::is_long() || subject.is_of_this_test || at % EVERY == 0;
        all.filter(is_judged).map(|(_, subject)| subject).collect()
    });
    &SUBJECTS
}

/// Returns all documents.
fn all() -> Vec<Subject> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for (n, (folder, prefix)) in OWN.iter().chain(FOLDERS).enumerate() {
        for path in entries(&root.join(folder)).into_iter().filter(|it| is_document(it)) {
            let (name, file) = (stem(&path), file_name(&path));
            let subject = Subject::new(&format!("{prefix}{name}"), read(&[path]), &file);
            all.push(Subject { is_of_this_test: n < OWN.len(), ..subject });
        }
    }
    for (position, text) in names::documents() {
        let mut documents = Documents::new();
        documents.insert("names.md", Document::parse(text));
        let subject = Subject::new(&format!("names_{position}"), documents, "names.md");
        all.push(Subject { is_of_this_test: true, ..subject });
    }
    for seed in 0..if super::is_long() { 5 } else { 1 } {
        let mut documents = Documents::new();
        documents.insert("invented.md", Document::parse(invented::document(seed)));
        let subject = Subject::new(&format!("invented_{seed}"), documents, "invented.md");
        let more = if super::is_long() { 500 } else { 30 };
        all.push(Subject { is_of_this_test: true, more, ..subject });
    }
    for (folder, prefix) in PACKAGES {
        for package in entries(&root.join(folder)) {
            let paths: Vec<PathBuf> = entries(&package).into_iter().filter(|it| is_document(it)).collect();
            for path in &paths {
                let name = format!("{prefix}{}_{}", stem(&package), stem(path));
                let mut documents = read(&paths);
                documents.add_standard_library();
                all.push(Subject::new(&name, documents, &file_name(path)));
            }
        }
    }
    for (path, document) in standard_library() {
        let name = path.trim_start_matches("ailang://").trim_end_matches(".md");
        let mut documents = Documents::new();
        documents.insert(format!("{name}.md"), document.clone());
        documents.add_standard_library();
        all.push(Subject::new(&format!("standard_{name}"), documents, &format!("{name}.md")));
    }
    all
}

/// Returns the documents whose code is also generated with each combination of parts left out.
pub(crate) fn combined(subjects: &[Subject]) -> impl Iterator<Item = &Subject> {
    let names = ["shop", "words", "hostile_signatures"];
    subjects.iter().filter(move |it| names.contains(&it.name.as_str()))
}

fn read(paths: &[PathBuf]) -> Documents {
    let mut documents = Documents::new();
    for path in paths {
        let source = std::fs::read_to_string(path).unwrap_or_else(|it| panic!("{}: {it}", path.display()));
        documents.insert(file_name(path), Document::parse(source));
    }
    documents
}

/// Returns the entries of a folder in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|it| panic!("{}: {it}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("it can be listed").path()).collect();
    paths.sort();
    paths
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "md")
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |it| it.to_string_lossy().into_owned())
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |it| it.to_string_lossy().into_owned())
}
