//! The standard library: documents of the built-in modules.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use crate::Document;
use crate::documents::{Documents, built_in_at, built_in_path};
use crate::module::{INDEX, Module, resolve};
use crate::syntax::{Definition, Import, ImportForm, ModuleReference};

/// The names of the modules with their texts.
const SOURCES: &[(&str, &str)] = &[
    ("ai", include_str!("standard/ai.md")),
    ("context", include_str!("standard/context.md")),
    ("database", include_str!("standard/database.md")),
    ("errors", include_str!("standard/errors.md")),
    ("generator", include_str!("standard/generator.md")),
    ("http", include_str!("standard/http.md")),
    ("media", include_str!("standard/media.md")),
    ("notification", include_str!("standard/notification.md")),
    ("parser", include_str!("standard/parser.md")),
    ("runtime", include_str!("standard/runtime.md")),
    ("storage", include_str!("standard/storage.md")),
    ("validator", include_str!("standard/validator.md")),
];

/// The documents, in the order of their names; the index is the last.
static MODULES: LazyLock<Vec<(&str, Arc<Document>)>> = LazyLock::new(|| {
    let parsed = SOURCES.iter().map(|(name, text)| (*name, Arc::new(Document::parse(*text))));
    let mut modules: Vec<_> = parsed.collect();
    let index = Arc::new(Document::parse(index(&modules)));
    modules.push((INDEX, index));
    modules
});

/// Returns the text of the document that offers what all modules define: it imports them.
fn index(modules: &[(&str, Arc<Document>)]) -> String {
    let import = |(module, document): &(&str, Arc<Document>)| {
        let names: Vec<&str> = document.definitions().map(|it| it.name.text.as_str()).collect();
        let reason = "// ailang-ignore AL3506: they are for others";
        format!("{reason}\nfrom ailang.{module} import {}", names.join(", "))
    };
    let imports: Vec<String> = modules.iter().map(import).collect();
    include_str!("standard/builtin.md").replace("// imports", &imports.join("\n"))
}

/// Returns the built-in modules by their paths among documents: `ailang://http.md`, `ailang://storage.md`; and
/// `ailang://builtin.md`, which offers what all of them define.
pub fn standard_library() -> impl Iterator<Item = (String, &'static Document)> {
    MODULES.iter().map(|(name, document)| (built_in_path(name), &**document))
}

/// Returns the document of the built-in module at a path (see [`crate::built_in_module`]).
pub fn standard_document(path: &str) -> Option<&'static Document> {
    module(built_in_at(path)?).map(|document| &**document)
}

/// Returns the definitions that the built-in module of a reference offers, each with its document; none for a reference
/// to anything else.
pub fn standard_definitions(
    reference: &ModuleReference,
) -> impl Iterator<Item = (&'static Document, &'static Definition)> {
    let path = crate::built_in_module(reference);
    let wanted = path.as_deref().and_then(built_in_at).unwrap_or_default().to_owned();
    let modules = MODULES.iter().filter(move |(name, _)| wanted == *name || wanted == INDEX);
    modules.flat_map(|(_, document)| document.definitions().map(|it| (&**document, it)))
}

fn module(name: &str) -> Option<&'static Arc<Document>> {
    MODULES.iter().find(|(module, _)| *module == name).map(|(_, document)| document)
}

/// Returns the name of the built-in module that a document is; `None` for one of a host at such a path, too.
pub(crate) fn standard_module(path: &str, document: &Document) -> Option<&'static str> {
    let (name, own) = MODULES.iter().find(|(name, _)| built_in_at(path) == Some(*name))?;
    (own.source == document.source).then_some(*name)
}

/// Returns the first built-in module with a definition of that name, which starts with one of the keywords.
pub(crate) fn module_with(name: &str, keywords: &[&str]) -> Option<&'static str> {
    let is_it = |document: &Document| {
        document.definitions().any(|it| it.name.text == name && keywords.contains(&it.kind.keyword()))
    };
    MODULES.iter().find(|(_, document)| is_it(document)).map(|(module, _)| *module)
}

impl Documents {
    /// Adds the built-in modules that the documents import, so that their definitions are known. Without them every
    /// name of a built-in module is accepted.
    pub fn add_standard_library(&mut self) {
        let mut modules = BTreeSet::new();
        // The index imports everything, and is here for a part of it.
        for (path, document) in self.iter().filter(|(path, _)| built_in_at(path) != Some(INDEX)) {
            let examples = document.examples.iter().flat_map(|it| it.program.imports());
            for import in document.imports().chain(examples) {
                if matches!(resolve(self, path, &import.module), Module::BuiltIn) {
                    modules.extend(needed(import));
                }
            }
        }
        while let Some(name) = modules.pop_first() {
            // A host may offer a module of its own.
            if let Some(document) = module(name).filter(|_| self.get(&built_in_path(name)).is_none()) {
                self.insert(built_in_path(name), Arc::clone(document));
                modules.extend(document.imports().filter(|_| name != INDEX).flat_map(needed));
            }
        }
    }
}

/// Returns the modules whose definitions an import needs. Of those behind the index these are as few as possible, since
/// a program may define what a module that it does not use defines as well.
fn needed(import: &Import) -> Vec<&'static str> {
    let path = crate::built_in_module(&import.module);
    let Some(wanted) = path.as_deref().and_then(built_in_at) else { return Vec::new() };
    let all = MODULES.iter().map(|(name, _)| *name);
    if wanted != INDEX {
        return all.filter(|name| *name == wanted).collect();
    }
    let ImportForm::Names(items) = &import.form else { return all.collect() };
    let defines = |name: &str, text: &str| {
        module(name).is_some_and(|it| it.definitions().any(|definition| definition.name.text == text))
    };
    let is_known = |text: &str| SOURCES.iter().any(|(name, _)| defines(name, text));
    if !items.iter().all(|item| is_known(&item.name.text)) {
        return all.collect();
    }
    let is_used = |name: &str| name == INDEX || items.iter().any(|item| defines(name, &item.name.text));
    all.filter(|name| is_used(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Severity, Strictness};

    #[test]
    fn the_standard_library_is_beyond_reproach() {
        for (name, document) in standard_library() {
            let mut documents = Documents::new();
            documents.insert(name.as_str(), document.clone());
            documents.add_standard_library();
            let found = crate::validate(&documents, &name, Strictness::Strict).expect("it was added");
            let serious: Vec<_> = found.iter().filter(|it| it.severity > Severity::Info).collect();
            assert!(serious.is_empty(), "{name}: {serious:?}");
            crate::Interface::load(&documents).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }

    /// Returns the errors of a document that imports something, as `code message`.
    fn errors(imports: &str, with_library: bool) -> Vec<String> {
        let text = format!("---\nid: a\ntitle: A\nsummary: A.\n---\n<define>\n{imports}\n</define>\n");
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(text));
        // A document of the package at such a path changes nothing.
        documents.insert("@ailang/http.md", Document::parse("---\nid: http\n---\n"));
        documents.insert("http.md", Document::parse("---\nid: http\n---\n"));
        if with_library {
            documents.add_standard_library();
            let count = documents.len();
            documents.add_standard_library();
            assert_eq!(documents.len(), count, "it is added once");
        }
        let found = crate::validate(&documents, "a.md", Strictness::Normal).expect("it was added");
        let found = found.into_iter().filter(|it| it.severity == Severity::Error);
        found
            .map(|it| {
                let fix = it.fixes.first().map_or(String::new(), |fix| {
                    let source = &documents.get("a.md").expect("it was added").source;
                    format!(" {} → {}", &source[fix.span.start..fix.span.end], fix.replacement)
                });
                format!("{} {}{fix}", it.code, it.message)
            })
            .collect()
    }

    #[test]
    fn imported_modules_bring_their_definitions() {
        let wrong = "AL3502 the built-in module `http` does not define `httpGte` httpGte → httpGet";
        for module in
            ["http", "ailang.http", "\"ailang/http\"", "\"@ailang/http\"", "\"@ailang/builtin/http\""]
        {
            let imports = format!("from {module} import httpPost, httpGte");
            assert_eq!(errors(&imports, false), [""; 0], "{module}");
            assert_eq!(errors(&imports, true), [wrong], "{module}");
        }
    }

    #[test]
    fn the_index_offers_everything() {
        assert_eq!(errors("from \"@ailang/builtin\" import httpGet, readFile", true), [""; 0]);
        let used =
            "import all from \"@ailang/builtin\"\ntool f(a: all.FilePath, b: all.MediaType, c: all.FilePaht)";
        assert_eq!(errors(used, true), ["AL3001 no type is called `all.FilePaht`"]);
        assert_eq!(
            errors("from \"@ailang/builtin\" import readFlie", true),
            ["AL3502 the built-in module `builtin` does not define `readFlie` readFlie → readFile"]
        );
        let mut documents = Documents::new();
        documents
            .insert("a.md", Document::parse("<define>\nfrom \"@ailang/builtin\" import readFile\n</define>"));
        documents.add_standard_library();
        let paths: Vec<&str> = documents.iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["a.md", "ailang://builtin.md", "ailang://storage.md"]);
    }

    #[test]
    fn modules_that_do_not_exist_are_errors() {
        for (import, error) in [
            ("ailang.htpp", "AL3501 there is no built-in module `ailang.htpp` htpp → http"),
            ("htpp", "AL3501 `htpp` is not there htpp → http"),
            ("\"@ailang/builtin/eror\"", "AL3501 there is no built-in module `@ailang/builtin/eror`"),
            ("\"@ailang/scheduling\"", "AL3501 `@ailang/scheduling` is not there"),
            ("\"@ailang/storge\"", "AL3501 `@ailang/storge` is not there storge → storage"),
        ] {
            assert_eq!(errors(&format!("from {import} import x"), true), [error], "{import}");
        }
    }
}
