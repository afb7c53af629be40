//! Lists the imports of a file, and the imports of a file or package in all files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ide_protocol::{
    Completeness, ErrorCode, IdeError, Import, ImportersQuestion, ImportsQuestion, ImportsResult, Listing,
    Operation, Reason, Source,
};
use syntax::Language;

use super::code_files::code_files;
use super::handler::{Call, Handler};
use crate::fallback::source::languages::language_of;
use crate::fallback::syntactic::imports::file_imports;
use crate::fallback::syntactic::modules::{Module, Modules};
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath};

/// The maximum number of imports in one result.
const LIMIT: usize = 1000;

/// The maximum number of files that a reason names.
const NAMED_FILES: usize = 10;

pub(crate) struct Imports;

impl Handler for Imports {
    const OPERATION: Operation = Operation::Imports;
    type Question = ImportsQuestion;

    async fn answer(call: &Call, question: ImportsQuestion) -> Result<ImportsResult, IdeError> {
        call.blocking(move |session| of_file(&session.roots, &question.path)).await
    }
}

pub(crate) struct Importers;

impl Handler for Importers {
    const OPERATION: Operation = Operation::Importers;
    type Question = ImportersQuestion;

    async fn answer(call: &Call, question: ImportersQuestion) -> Result<ImportsResult, IdeError> {
        call.walk(move |roots, deadline, cancelled| of_all(roots, &question.path, deadline, cancelled)).await
    }
}

fn of_file(roots: &SessionFolders, path: &str) -> Result<ImportsResult, IdeError> {
    let place = file_with_imports(roots, path)?;
    let mut modules = Modules::new(roots);
    let Some(found) = file_imports(&mut modules, &place.path, |_| true) else {
        let message = format!("`{path}` is no text, or too large to be parsed");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery("search finds lines in a file of any size."));
    };
    let imports = found.written(&modules, &place.path);
    let paths = || Listing::of([place.spelling.clone()], 1);
    let torn = found.is_partial.then(|| Reason::PartlyRead { paths: paths() });
    Ok(result(imports, torn.into_iter().collect()))
}

/// Returns the file at a path.
///
/// # Errors
/// There is none, or the imports of its language are not known.
pub(super) fn file_with_imports(roots: &SessionFolders, path: &str) -> Result<SessionPath, IdeError> {
    let place = roots.resolve(path)?;
    if place.path.is_dir() {
        let message = format!("expected a file, got the folder `{path}`");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message).recovery(format!(
            "files(`{path}`).map(f => imports(f)).flatten() asks about each of its files."
        )));
    }
    check_language(path, &place.path)?;
    Ok(place)
}

/// Checks that the imports of a file's language are known.
pub(super) fn check_language(path: &str, file: &Path) -> Result<(), IdeError> {
    if language_of(file).is_some_and(Language::has_imports) {
        return Ok(());
    }
    let known: Vec<_> = Language::all().filter(|it| it.has_imports()).map(Language::name).collect();
    let message = format!("the imports of `{path}` are not known: known are those of {}", known.join(", "));
    Err(IdeError::new(ErrorCode::InvalidRequest, message)
        .recovery("search(path, `import|include|require`) finds their lines."))
}

fn of_all(
    roots: &SessionFolders,
    path: &str,
    deadline: Instant,
    cancelled: &AtomicBool,
) -> Result<ImportsResult, IdeError> {
    let mut modules = Modules::new(roots);
    let target = Target::read(roots, &modules, path)?;
    let files = code_files(roots, ".", deadline, cancelled)?;
    let mut imports = Vec::new();
    let (mut torn, mut unread, mut looked_at) = (Vec::new(), Vec::new(), 0);
    for file in files.files.iter().filter(|it| language_of(it).is_some_and(Language::has_imports)) {
        if Instant::now() >= deadline || cancelled.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
        looked_at += 1;
        let spelling = || roots.display_path(file);
        let Some(mut found) = file_imports(&mut modules, file, |text| target.may_be_in(text)) else {
            unread.push(spelling());
            continue;
        };
        found.imports.retain(|it| target.is_meant(file, &it.import.module, &it.to));
        if found.is_partial {
            torn.push(spelling());
        }
        imports.extend(found.written(&modules, file));
    }
    let mut reasons = Vec::new();
    let known = files.files.iter().filter(|it| language_of(it).is_some_and(Language::has_imports)).count();
    if looked_at < known || files.is_cut {
        reasons.push(Reason::TimeUp { files: looked_at as u64 });
    }
    if !torn.is_empty() {
        reasons.push(Reason::PartlyRead { paths: Listing::of(torn, NAMED_FILES) });
    }
    if !unread.is_empty() {
        reasons.push(Reason::NotParsed { paths: Listing::of(unread, NAMED_FILES) });
    }
    if imports.is_empty() && target.files.is_empty() {
        reasons.push(Reason::NotImported { path: path.to_owned() });
    }
    reasons.extend(files.left_out);
    Ok(result(imports, reasons))
}

/// Returns the result with the reasons why imports may be missing.
fn result(mut imports: Vec<Import>, reasons: Vec<Reason>) -> ImportsResult {
    let total = imports.len();
    let mut completeness = Completeness::with(Source("syntax".into()), reasons);
    if total > LIMIT {
        let path = imports[LIMIT - 1].at.path.clone();
        completeness.lead_with(Reason::ImportsCut { shown: LIMIT, total, path });
        imports.truncate(LIMIT);
    }
    ImportsResult { completeness, total: total as u64, imports }
}

/// The file, folder or package whose imports are searched.
struct Target {
    /// The files that it means.
    files: BTreeSet<PathBuf>,
    /// The folders that it means.
    folders: BTreeSet<PathBuf>,
    /// The package that it may name.
    package: Option<String>,
    /// Words of which one is in every file that imports it; none if that is not known.
    words: Vec<String>,
}

impl Target {
    fn read(roots: &SessionFolders, modules: &Modules<'_>, path: &str) -> Result<Self, IdeError> {
        let is_bare = !path.contains(['/', '\\']) || path.starts_with('@');
        let is_file_name = language_of(Path::new(path)).is_some();
        let package = (is_bare && !is_file_name).then(|| path.to_owned());
        let mut target =
            Self { files: BTreeSet::new(), folders: BTreeSet::new(), package, words: Vec::new() };
        let place = match (roots.resolve(path), &target.package) {
            (Ok(place), None) => Some(place),
            // The end of a path is not enough for what may be a package.
            (Ok(place), Some(name)) => Some(place).filter(|it| it.spelling.trim_end_matches('/') == name),
            (Err(error), None) => return Err(error),
            (Err(_), Some(_)) => None,
        };
        if let Some(SessionPath { path: place, .. }) = place {
            if place.is_dir() {
                target.files.extend(modules.index_of(&place));
                target.folders.insert(place);
            } else {
                check_language(path, &place)?;
                target.set_words(&place);
                target.files.insert(place);
            }
        } else if let Some(name) = &target.package {
            target.words = vec![name.clone(), name.replace('-', "_")];
        }
        Ok(target)
    }

    /// Sets the words for a file, unless its module is named otherwise.
    fn set_words(&mut self, file: &Path) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.split('.').next().unwrap_or_default().to_owned();
        if !matches!(stem.as_str(), "index" | "mod" | "lib" | "main" | "__init__") {
            self.words = vec![stem];
            if name.ends_with(".rs") {
                self.words.push("super".to_owned());
            }
        }
    }

    fn may_be_in(&self, text: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|it| text.contains(it.as_str()))
    }

    fn is_meant(&self, importer: &Path, module: &str, to: &Module) -> bool {
        let is_there = match to {
            Module::File(file, _) | Module::Folder(file) => {
                let is_in = |it: &PathBuf| file.starts_with(it) && !importer.starts_with(it);
                self.files.contains(file) && file != importer || self.folders.iter().any(is_in)
            }
            Module::External | Module::Unknown => false,
        };
        is_there || self.package.as_ref().is_some_and(|it| is_of_package(module, it))
    }
}

/// Returns whether a module as written belongs to a package.
fn is_of_package(module: &str, package: &str) -> bool {
    let after = |name: &str| {
        let rest = module.strip_prefix(name);
        rest.is_some_and(|it| it.is_empty() || it.starts_with(['/', '.']) || it.starts_with("::"))
    };
    after(package) || after(&package.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_long_list_of_imports_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let text: String = (0..=LIMIT).map(|it| format!("import m{it}\n")).collect();
        fs::write(dir.path().join("a.py"), text).unwrap();
        let found = of_file(&SessionFolders::new(vec![dir.path().to_owned()]), "a.py").unwrap();
        assert_eq!(found.imports.len(), LIMIT);
        let cut = Reason::ImportsCut { shown: LIMIT, total: LIMIT + 1, path: "a.py".into() };
        assert_eq!(found.completeness.reasons(), [cut]);
    }

    #[test]
    fn a_module_belongs_to_its_package() {
        for (module, package, expected) in [
            ("react", "react", true),
            ("react/jsx-runtime", "react", true),
            ("react-dom", "react", false),
            ("serde_json::value", "serde-json", true),
            ("os.path", "os", true),
            ("./react", "react", false),
            ("@scope/a/b", "@scope/a", true),
        ] {
            assert_eq!(is_of_package(module, package), expected, "{module} {package}");
        }
    }
}
