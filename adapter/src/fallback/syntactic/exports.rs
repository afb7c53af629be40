//! The definitions that a module offers to others, with those that it passes on, followed from file to file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{Definition, Listing, ModuleNames, Reason};
use syntax::{ExportList, ImportedName, Kind, Parsed, Visibility};

use super::file_definitions::{described, is_inner};
use super::found_definition::{FoundDefinition, ParsedFile, definitions_in, parse_file, range};
use super::modules::{Module, Modules, ResolvedImport};
use crate::fallback::source::languages::ids;
use crate::fallback::source::names::Name;
use crate::fallback::source::outline::Extent;
use crate::fallback::workspace::session_folders::SessionFolders;

/// The maximum number of modules that an export is followed through.
const STEPS: usize = 32;

/// The maximum number of names that a note lists.
const NAMED: usize = 20;

/// A file with what it imports and lists as exports.
struct ModuleFile {
    source: Arc<ParsedFile>,
    imports: Vec<ResolvedImport>,
    list: ExportList,
}

/// A reader of exports, with what could not be followed.
pub(crate) struct Exports<'a> {
    roots: &'a SessionFolders,
    modules: Modules<'a>,
    until: Instant,
    files: BTreeMap<PathBuf, Option<Arc<ModuleFile>>>,
    /// Names that lead outside the workspace, by module.
    external: BTreeMap<(String, Option<String>), BTreeSet<String>>,
    /// Names that were not found, by module and the file that names it.
    missing: BTreeMap<(String, Option<String>), BTreeSet<String>>,
    doubts: Vec<Reason>,
}

/// An exported definition, under the name that the module gives it.
#[derive(Clone)]
struct Export {
    name: String,
    definition: Definition,
}

impl<'a> Exports<'a> {
    pub(crate) fn new(roots: &'a SessionFolders, until: Instant) -> Self {
        Self {
            roots,
            modules: Modules::new(roots),
            until,
            files: BTreeMap::new(),
            external: BTreeMap::new(),
            missing: BTreeMap::new(),
            doubts: Vec::new(),
        }
    }

    /// Returns the exports of a file; blocking.
    pub(crate) fn of_file(&mut self, path: &Path) -> Vec<Definition> {
        let all = self.all(path, &[], &mut BTreeSet::new());
        let mut seen = BTreeSet::new();
        let mut is_new = |it: &Export| {
            seen.insert((it.name.clone(), it.definition.name_at.path.clone(), it.definition.name_at.start))
        };
        all.into_iter().filter(|it| is_new(it)).map(|it| it.definition).collect()
    }

    /// Returns the reasons why exports may be missing.
    pub(crate) fn reasons(&self) -> Vec<Reason> {
        let listed = |of: &BTreeMap<(String, Option<String>), BTreeSet<String>>| {
            let modules = of.iter().map(|((module, path), names)| ModuleNames {
                module: module.clone(),
                path: path.clone(),
                names: names.iter().cloned().collect(),
            });
            (!of.is_empty()).then(|| Listing::of(modules, NAMED))
        };
        let external = listed(&self.external).map(|modules| Reason::ExternalExports { modules });
        let missing = listed(&self.missing).map(|modules| Reason::MissingExports { modules });
        let mut doubts = self.doubts.clone();
        doubts.sort_by_cached_key(ToString::to_string);
        external.into_iter().chain(missing).chain(doubts).collect()
    }

    /// Records a reason once.
    fn doubt(&mut self, reason: Reason) {
        if !self.doubts.contains(&reason) {
            self.doubts.push(reason);
        }
    }

    fn file(&mut self, path: &Path) -> Option<Arc<ModuleFile>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        if Instant::now() >= self.until {
            self.doubt(Reason::ModulesTimeUp {});
            return None;
        }
        let file = self.read(path).map(Arc::new);
        if file.is_none() {
            self.doubt(Reason::ModuleNotRead { path: self.roots.display_path(path) });
        }
        self.files.insert(path.to_owned(), file.clone());
        file
    }

    fn read(&mut self, path: &Path) -> Option<ModuleFile> {
        let source = Arc::new(parse_file(self.roots, path, None)?);
        let (imports, list) = {
            let parsed = Parsed::new(source.language, source.text.as_str())?;
            (parsed.imports(), parsed.export_list())
        };
        let resolved = imports.into_iter().flat_map(|it| self.modules.resolve(path, source.language, it));
        Some(ModuleFile { imports: resolved.collect(), source, list })
    }

    /// Returns all exports of a module: a file, and the definitions in it that lead to the module.
    fn all(
        &mut self,
        path: &Path,
        inside: &[String],
        seen: &mut BTreeSet<(PathBuf, Vec<String>)>,
    ) -> Vec<Export> {
        if seen.len() >= STEPS * STEPS || !seen.insert((path.to_owned(), inside.to_vec())) {
            return Vec::new();
        }
        let Some(file) = self.file(path) else { return Vec::new() };
        if file.source.outline.is_partial {
            let path = self.roots.display_path(path);
            self.doubt(Reason::PartlyRead { paths: Listing::of([path], 1) });
        }
        match file.source.language.id() {
            ids::RUST => self.all_of_rust(&file, inside, seen),
            ids::PYTHON => self.all_of_python(&file, seen),
            _ => self.all_of_script(&file, seen),
        }
    }

    fn all_of_rust(
        &mut self,
        file: &Arc<ModuleFile>,
        inside: &[String],
        seen: &mut BTreeSet<(PathBuf, Vec<String>)>,
    ) -> Vec<Export> {
        let own =
            self.own(file, inside, |it| it.visibility == Visibility::Public && it.kind != Kind::Extension);
        let mut found = own;
        let passed = file.imports.iter().filter(|it| it.import.is_exported && it.import.around == inside);
        for it in passed.cloned().collect::<Vec<_>>() {
            found.extend(self.passed_on(file, &it, seen));
        }
        found
    }

    fn all_of_python(
        &mut self,
        file: &Arc<ModuleFile>,
        seen: &mut BTreeSet<(PathBuf, Vec<String>)>,
    ) -> Vec<Export> {
        if file.list.is_computed {
            let path = self.roots.display_path(&file.source.path);
            self.doubt(Reason::ComputedExports { path });
        }
        if file.list.is_given {
            let names = file.list.names.clone();
            return names.iter().flat_map(|it| self.listed_in_python(file, it)).collect();
        }
        let mut found = self.own(file, &[], |it| it.visibility == Visibility::Public);
        if file.source.path.file_stem().is_some_and(|it| it == "__init__") {
            let folder = file.source.path.parent().map(Path::to_owned).unwrap_or_default();
            for it in file.imports.clone() {
                let (Module::File(to, _) | Module::Folder(to)) = &it.to else { continue };
                if to.starts_with(&folder) {
                    found.extend(self.passed_on(file, &it, seen));
                }
            }
            found.retain(|it| !it.name.starts_with('_'));
        }
        found
    }

    fn listed_in_python(&mut self, file: &Arc<ModuleFile>, name: &ImportedName) -> Vec<Export> {
        let found = self.named(&file.source.path, &[], &name.name, STEPS);
        if found.is_empty() {
            let folder = file.source.path.parent().map(Path::to_owned).unwrap_or_default();
            let files =
                [folder.join(format!("{}.py", name.name)), folder.join(&name.name).join("__init__.py")];
            if let Some(module) = files.into_iter().find(|it| it.is_file()) {
                return self.module(file, name, &module);
            }
            self.miss(file, "__all__", &name.name);
        }
        found
    }

    fn all_of_script(
        &mut self,
        file: &Arc<ModuleFile>,
        seen: &mut BTreeSet<(PathBuf, Vec<String>)>,
    ) -> Vec<Export> {
        let others: BTreeSet<_> =
            file.list.names.iter().filter(|it| is_renamed(it)).map(|it| it.name.clone()).collect();
        let plain: BTreeSet<_> =
            file.list.names.iter().filter(|it| !is_renamed(it)).map(|it| it.name.clone()).collect();
        let mut found = self.own(file, &[], |it| it.visibility == Visibility::Public);
        // A name that is exported only as another one is marked as exported, too.
        found.retain(|it| {
            let is_declared = it.definition.signature.as_deref().is_some_and(|it| it.starts_with("export "));
            !others.contains(&it.name) || plain.contains(&it.name) || is_declared
        });
        for name in &file.list.names {
            let known = found.iter().any(|it| it.name == name.name);
            if is_renamed(name) || !known {
                let of = self.named_here(file, &[], &name.name, STEPS);
                if of.is_empty() {
                    self.miss(file, "its own list", &name.name);
                }
                found.extend(self.renamed(file, name, of));
            }
        }
        for it in file.imports.iter().filter(|it| it.import.is_exported).cloned().collect::<Vec<_>>() {
            found.extend(self.passed_on(file, &it, seen));
        }
        found
    }

    /// Returns the definitions of a module that are exported where they stand.
    fn own(
        &self,
        file: &ModuleFile,
        inside: &[String],
        is_wanted: impl Fn(&syntax::Definition) -> bool,
    ) -> Vec<Export> {
        let outline = &file.source.outline;
        let is_there = |it: &syntax::Definition| {
            let around: Vec<_> = outline.around(it).into_iter().map(|it| &it.name).collect();
            around.iter().copied().eq(inside) && it.owner.is_none() && !is_inner(outline, it)
        };
        let found = definitions_in(&file.source, &Name::any(), |it| is_there(it) && is_wanted(it));
        found.iter().map(|it| self.export(it)).collect()
    }

    fn export(&self, found: &FoundDefinition) -> Export {
        let definition = described(self.roots, found);
        Export { name: definition.name.clone(), definition }
    }

    /// Returns the exports that an import passes on.
    fn passed_on(
        &mut self,
        file: &Arc<ModuleFile>,
        import: &ResolvedImport,
        seen: &mut BTreeSet<(PathBuf, Vec<String>)>,
    ) -> Vec<Export> {
        let is_python = file.source.language.id() == ids::PYTHON;
        let mut found = Vec::new();
        let names =
            if import.import.names.is_empty() { vec![itself(import)] } else { import.import.names.clone() };
        for name in &names {
            let (to, inside) = match &import.to {
                Module::File(to, inside) => (to.clone(), inside.clone()),
                Module::Folder(_) => continue,
                Module::External => {
                    self.leave(&import.import.module, name);
                    continue;
                }
                Module::Unknown => {
                    self.miss(file, &import.import.module, &name.name);
                    continue;
                }
            };
            match (name.name.as_str(), &name.alias) {
                ("*", None) => {
                    let all = self.all(&to, &inside, seen);
                    // `export *` leaves out the default export.
                    found.extend(all.into_iter().filter(|it| it.name != "default"));
                }
                // `import pkg.models` gives `pkg`, not `models`.
                ("self", _) if is_python && !import.import.module.starts_with('.') => {}
                ("*" | "self", _) => found.extend(self.module(file, name, &to)),
                (wanted, _) => {
                    let of = self.named(&to, &inside, wanted, STEPS);
                    if of.is_empty() {
                        self.miss(file, &import.import.module, wanted);
                    }
                    found.extend(self.renamed(file, name, of));
                }
            }
        }
        found
    }

    /// Returns the definitions that a module has under a name, its own or imported.
    fn named(&mut self, path: &Path, inside: &[String], name: &str, steps: usize) -> Vec<Export> {
        let Some(steps) = steps.checked_sub(1) else { return Vec::new() };
        let Some(file) = self.file(path) else { return Vec::new() };
        self.named_here(&file, inside, name, steps)
    }

    fn named_here(
        &mut self,
        file: &Arc<ModuleFile>,
        inside: &[String],
        name: &str,
        steps: usize,
    ) -> Vec<Export> {
        let is_script = !matches!(file.source.language.id(), ids::RUST | ids::PYTHON);
        // `export { one as other }` gives `other` to others, and `export default one` the default.
        let listed =
            file.list.names.iter().find(|it| is_script && steps < STEPS && it.given() == name).cloned();
        if let Some(listed) = listed.filter(|it| it.name != name) {
            let of = self.named_here(file, inside, &listed.name, STEPS);
            return self.renamed(file, &listed, of);
        }
        if name == "default" && is_script {
            let all = self.own(file, inside, |it| it.visibility == Visibility::Public);
            let is_default = |it: &Export| {
                it.definition.signature.as_deref().is_some_and(|it| it.starts_with("export default"))
            };
            return all.into_iter().filter(is_default).collect();
        }
        let own = self.own(file, inside, |it| it.name == name && it.kind != Kind::Extension);
        if !own.is_empty() {
            return own;
        }
        if let Some(derive) = self.derive(file, name) {
            return vec![derive];
        }
        let brings = |it: &&ResolvedImport| {
            it.import.around == inside && it.import.names.iter().any(|it| it.given() == name)
        };
        let direct = file.imports.iter().find(brings).cloned();
        if let Some(import) = direct {
            let one = import.import.names.iter().find(|it| it.given() == name).cloned();
            let one = one.into_iter().collect();
            let only =
                ResolvedImport { import: syntax::Import { names: one, ..import.import }, to: import.to };
            return self.followed(file, &only, steps);
        }
        let all = file.imports.iter().filter(|it| it.import.around == inside);
        let all = all.filter(|it| it.import.names.iter().any(|it| it.name == "*" && it.alias.is_none()));
        for it in all.cloned().collect::<Vec<_>>() {
            let Module::File(to, inside) = &it.to else { continue };
            let found = self.named(to, inside, name, steps);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the macro of `#[proc_macro_derive(NAME)]`.
    fn derive(&self, file: &ModuleFile, name: &str) -> Option<Export> {
        let text = file.source.text.as_str();
        let makes = |it: &syntax::Definition| {
            let attributes = &text[it.whole.start..it.signature.start.max(it.whole.start)];
            let arguments = attributes.split_once("proc_macro_derive(").map(|(_, it)| it.trim_start());
            let rest = arguments.and_then(|it| it.strip_prefix(name));
            rest.is_some_and(|it| it.starts_with([')', ',', ' ']))
        };
        let function = file.source.outline.definitions.iter().find(|it| makes(it))?;
        let start = function.whole.start + text[function.whole.start..].find("proc_macro_derive(")?;
        let start = start + text[start..].find(name)?;
        let at = source_text::Span::new(start, start + name.len());
        let place = self.place(file, &ImportedName { name: name.to_owned(), alias: None, at });
        let definition = Definition {
            signature: Some(format!("#[proc_macro_derive({name})] {}", function.signature(text))),
            public: true,
            ..Definition::new(name, "macro", place.clone(), place)
        };
        Some(Export { name: name.to_owned(), definition })
    }

    /// Returns the definitions that an import of one name leads to.
    fn followed(&mut self, file: &Arc<ModuleFile>, import: &ResolvedImport, steps: usize) -> Vec<Export> {
        let Some(name) = import.import.names.first().cloned() else { return Vec::new() };
        match &import.to {
            Module::File(to, _) if matches!(name.name.as_str(), "*" | "self") => self.module(file, &name, to),
            Module::File(to, inside) => {
                let of = self.named(to, inside, &name.name, steps);
                self.renamed(file, &name, of)
            }
            Module::External => {
                self.leave(&import.import.module, &name);
                // It is known where it comes from.
                Vec::new()
            }
            Module::Folder(_) | Module::Unknown => Vec::new(),
        }
    }

    /// Returns exports under the name that a module gives them, at the place of that name.
    fn renamed(&self, file: &ModuleFile, name: &ImportedName, of: Vec<Export>) -> Vec<Export> {
        if name.given() == name.name || of.is_empty() {
            return of;
        }
        // The default export is offered under its own name.
        if name.given() == "default" || name.name == "default" && of.iter().all(|it| it.name == name.given())
        {
            return of.into_iter().map(|it| Export { name: name.given().to_owned(), ..it }).collect();
        }
        let place = self.place(file, name);
        let written = |it: &Export| Export {
            name: name.given().to_owned(),
            definition: Definition {
                name: name.given().to_owned(),
                defined_at: place.clone(),
                name_at: place.clone(),
                container: None,
                public: true,
                ..it.definition.clone()
            },
        };
        of.first().map(written).into_iter().collect()
    }

    /// Returns a module that is exported itself, at the place of its name.
    fn module(&self, file: &ModuleFile, name: &ImportedName, to: &Path) -> Vec<Export> {
        let place = self.place(file, name);
        let given = name.given().to_owned();
        let signature = Some(format!("module {}", self.roots.display_path(to)));
        let definition = Definition {
            signature,
            public: true,
            ..Definition::new(given.clone(), "module", place.clone(), place)
        };
        vec![Export { name: given, definition }]
    }

    fn place(&self, file: &ModuleFile, name: &ImportedName) -> ide_protocol::FileRange {
        let text = &file.source.text;
        let extent = Extent { start: text.point(name.at.start), end: text.point(name.at.end) };
        ide_protocol::FileRange { text: None, ..range(self.roots, &file.source.path, text, extent) }
    }

    fn leave(&mut self, module: &str, name: &ImportedName) {
        self.external.entry((module.to_owned(), None)).or_default().insert(name.given().to_owned());
    }

    fn miss(&mut self, file: &ModuleFile, module: &str, name: &str) {
        // What leads outside the workspace was noted where it does.
        if self.external.values().any(|it| it.contains(name)) {
            return;
        }
        let of = (module.to_owned(), Some(self.roots.display_path(&file.source.path)));
        self.missing.entry(of).or_default().insert(name.to_owned());
    }
}

fn is_renamed(name: &ImportedName) -> bool {
    name.given() != name.name && name.given() != "default"
}

/// Returns the name for an import of a module itself.
fn itself(import: &ResolvedImport) -> ImportedName {
    let module = &import.import.module;
    let last = module.rsplit(['.', '/', ':']).next().unwrap_or(module);
    ImportedName { name: "self".to_owned(), alias: Some(last.to_owned()), at: import.import.at }
}
