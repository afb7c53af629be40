//! Search over the documents of a package and of those that are installed for it.

use ailang::syntax::{Definition, DefinitionKind};
use ailang::{BUILT_IN_PACKAGE, Document, Manifest};

use crate::project::Project;

/// The kind of what is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FoundKind {
    /// A package of the project, by its manifest.
    Package,
    /// An interface document.
    Document,
    /// A tool that a document declares.
    Tool,
    /// A type, an enum or an error.
    Type,
    /// A capability that a document declares.
    Capability,
}

impl FoundKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Document => "document",
            Self::Tool => "tool",
            Self::Type => "type",
            Self::Capability => "capability",
        }
    }
}

/// A result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The kind of what was found, which decides what the other fields are about.
    pub kind: FoundKind,
    /// The declared name; of a document, its title or path.
    pub name: String,
    /// The name of its package; empty for a folder without a manifest.
    pub package: String,
    /// The path of its document, or the manifest of the package.
    pub path: String,
    /// The first sentence about it.
    pub summary: String,
    /// The declaration on one line; empty for packages and documents.
    pub declaration: String,
    /// The sum over the words of the query: higher is a better match.
    score: u32,
}

/// Returns what all words of a query match, the best first; of equally good ones, those of built-in modules last. `kinds` and `tags` (keywords of packages and documents)
/// limit it, where they are not empty.
pub fn search(project: &Project, query: &str, kinds: &[FoundKind], tags: &[String]) -> Vec<Found> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let mut searcher = Searcher { words, tags, found: Vec::new() };
    for (package, manifest, paths) in project.packages() {
        let tagged = manifest.is_some_and(|it| searcher.package(package, it, &paths));
        for path in &paths {
            if let Ok(source) = project.read(path) {
                searcher.document(package, path, &Document::parse(source.text), tagged);
            }
        }
    }
    let mut found = searcher.found;
    found.retain(|it| kinds.is_empty() || kinds.contains(&it.kind));
    found.sort_by(|left, right| {
        let key = |it: &Found| {
            let is_built_in = it.package == BUILT_IN_PACKAGE;
            let place = (is_built_in, it.kind, it.package.clone(), it.path.clone());
            (std::cmp::Reverse(it.score), place, it.name.clone())
        };
        key(left).cmp(&key(right))
    });
    found
}

struct Searcher<'s> {
    words: Vec<String>,
    tags: &'s [String],
    found: Vec<Found>,
}

impl Searcher<'_> {
    /// Adds a package, if it matches; returns `true` if it has the tags.
    fn package(&mut self, name: &str, manifest: &Manifest, paths: &[String]) -> bool {
        let keywords: Vec<&str> = manifest.keywords.iter().map(|it| it.value.as_str()).collect();
        let tagged = self.has_tags(&keywords);
        let summary = manifest.description.as_ref().map_or("", |it| it.value.as_str());
        let main = manifest.main_path();
        let path = paths.iter().find(|path| path.ends_with(main)).map_or(Manifest::FILE, String::as_str);
        if tagged {
            self.add(FoundKind::Package, name, name, path, summary, &keywords);
        }
        tagged
    }

    fn document(&mut self, package: &str, path: &str, document: &Document, tagged: bool) {
        let matter = &document.front_matter;
        let text = |field: &Option<ailang::Field<String>>| {
            field.as_ref().map_or(String::new(), |it| it.value.clone())
        };
        let keywords: Vec<&str> = matter.keywords.iter().map(|it| it.value.as_str()).collect();
        if !document.is_interface() || !(tagged || self.has_tags(&keywords)) {
            return;
        }
        let title = text(&matter.title);
        let more: Vec<&str> = keywords.iter().copied().chain([title.as_str()]).collect();
        self.add(FoundKind::Document, &text(&matter.id), package, path, &text(&matter.summary), &more);
        for definition in document.definitions().filter(|it| !it.name.text.starts_with('_')) {
            let summary = definition.documentation.text.lines().next().unwrap_or_default();
            if self.add(kind(definition), &definition.name.text, package, path, summary, &[])
                && let Some(found) = self.found.last_mut()
            {
                found.declaration = one_line(&document.declaration(definition));
            }
        }
    }

    fn has_tags(&self, keywords: &[&str]) -> bool {
        self.tags.iter().all(|tag| keywords.iter().any(|it| it.eq_ignore_ascii_case(tag)))
    }

    /// Adds what matches; returns `true` if it does.
    fn add(
        &mut self,
        kind: FoundKind,
        name: &str,
        package: &str,
        path: &str,
        summary: &str,
        more: &[&str],
    ) -> bool {
        let texts = [summary].into_iter().chain(more.iter().copied()).collect::<Vec<_>>().join("\n");
        let Some(score) = self.score(&name.to_lowercase(), &texts.to_lowercase()) else { return false };
        let [name, package, path, summary] = [name, package, path, summary].map(str::to_owned);
        self.found.push(Found { kind, name, package, path, summary, declaration: String::new(), score });
        true
    }

    /// Returns how well a name and texts match; `None` if a word is in neither.
    fn score(&self, name: &str, texts: &str) -> Option<u32> {
        let each = self.words.iter().map(|word| match name.find(word.as_str()) {
            Some(_) if name == word => Some(4),
            Some(0) => Some(3),
            Some(_) => Some(2),
            None => texts.contains(word.as_str()).then_some(1),
        });
        each.sum()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn kind(definition: &Definition) -> FoundKind {
    match definition.kind {
        DefinitionKind::Tool(_) => FoundKind::Tool,
        DefinitionKind::Capability(_) => FoundKind::Capability,
        _ => FoundKind::Type,
    }
}
