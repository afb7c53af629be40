//! The imports of a file, each with its destination.

use std::path::Path;
use std::sync::Arc;

use ide_protocol::{FileRange, Import};
use source_text::Span;
use syntax::{ImportedName, Parsed};

use super::found_definition::{range, text_of};
use super::modules::{Module, Modules, ResolvedImport};
use super::syntax_facts;
use super::syntax_facts::Usage;
use crate::fallback::source::languages::language_of;
use crate::fallback::source::outline::Extent;
use crate::fallback::source::text::Text;

/// The imports of one file.
pub(crate) struct FileImports {
    pub(crate) text: Arc<Text>,
    pub(crate) imports: Vec<ResolvedImport>,
    /// `true` if a part of the file that may import something could not be read as code.
    pub(crate) is_partial: bool,
}

/// Returns the imports of a file that are wanted; `None` if it cannot be read or parsed. Blocking.
pub(crate) fn file_imports(
    modules: &mut Modules<'_>,
    path: &Path,
    is_wanted: impl Fn(&str) -> bool,
) -> Option<FileImports> {
    let language = language_of(path)?;
    let text = text_of(modules.roots, path)?;
    if !is_wanted(text.as_str()) {
        return Some(FileImports { text, imports: Vec::new(), is_partial: false });
    }
    let (found, is_partial) = {
        let parsed = Parsed::new(language, text.as_str())?;
        (parsed.imports(), parsed.has_torn_imports())
    };
    let imports = found.into_iter().flat_map(|it| modules.resolve(path, language, it)).collect();
    Some(FileImports { text, imports, is_partial })
}

impl FileImports {
    /// Returns the imports as the agent gets them.
    pub(crate) fn written(&self, modules: &Modules<'_>, path: &Path) -> Vec<Import> {
        let spelling = modules.roots.display_path(path);
        let extent =
            |span: Span| Extent { start: self.text.point(span.start), end: self.text.point(span.end) };
        let points: Vec<_> = self.imports.iter().map(|it| extent(it.import.at).start).collect();
        let usages = syntax_facts::read(path, &self.text, &spelling, &points).unwrap_or_default();
        let import = |(it, usage): (&ResolvedImport, Usage)| {
            let place = range(modules.roots, path, &self.text, extent(it.import.at));
            Import {
                at: FileRange { role: Some("import".to_owned()), text: None, ..usage.add_to(place) },
                module: it.import.module.clone(),
                names: it.import.names.iter().map(name).collect(),
                file: match &it.to {
                    Module::File(file, _) | Module::Folder(file) => Some(modules.roots.display_path(file)),
                    Module::External | Module::Unknown => None,
                },
                external: it.to == Module::External,
            }
        };
        self.imports.iter().zip(usages).map(import).collect()
    }
}

fn name(it: &ImportedName) -> String {
    match &it.alias {
        Some(alias) => format!("{} as {alias}", it.name),
        None => it.name.clone(),
    }
}
