//! The members of a type by its syntax: those of its definition, and those of its other parts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ide_protocol::{
    Completeness, Definition, ErrorCode, IdeError, Listing, MembersResult, Reason, Source, Target,
};
use syntax::Kind;

use super::file_definitions::{described, is_parameter_property};
use super::found_definition::{FoundDefinition, ParsedFile, definitions_in};
use super::python_attributes;
use super::sources::ParsedFiles;
use crate::blocking;
use crate::fallback::source::languages::{Language, PartRule, ids};
use crate::fallback::source::names::Name;
use crate::fallback::workspace::index::file_symbols::FileSymbols;
use crate::fallback::workspace::session_folders::SessionFolders;
use crate::fallback::workspace::word_scan;

/// Returns the members of a type.
///
/// # Errors
/// The target is no type, or its language has no grammar.
pub(crate) async fn members(
    roots: &Arc<SessionFolders>,
    language: &'static Language,
    target: Target,
    until: Instant,
) -> Result<MembersResult, IdeError> {
    let roots = Arc::clone(roots);
    let looking = blocking::spawn(move || look(&roots, language, &target, until));
    looking.await
}

fn look(
    roots: &SessionFolders,
    language: &'static Language,
    target: &Target,
    until: Instant,
) -> Result<MembersResult, IdeError> {
    let mut sources = ParsedFiles::new(roots, language, until);
    let of = sources.resolve_target(target).into_iter().next().ok_or_else(|| unknown(target, language))?;
    let kind = of.definition().kind;
    if !kind.is_type() && !matches!(kind, Kind::Module | Kind::Namespace) {
        return Err(no_type(&of));
    }
    let mut parts = Parts::new(of, sources);
    match language.parts {
        PartRule::Blocks => parts.add_blocks(),
        PartRule::Merged => parts.add_merged(),
        PartRule::Package => parts.add_owned(),
        PartRule::File => parts.add_owned_in_file(),
    }
    Ok(parts.result())
}

fn unknown(target: &Target, language: &Language) -> IdeError {
    let name = target.name.as_deref().unwrap_or("the symbol");
    if !language.has_syntax() {
        let message = format!("the syntax of {} is not known", language.name);
        return IdeError::new(ErrorCode::Unavailable, message)
            .recovery("outline lists what a file defines, if a language server knows it.");
    }
    IdeError::new(ErrorCode::NotFound, format!("`{name}` is not defined there, as far as the syntax tells"))
        .recovery(format!(
            "Code that a macro makes has no syntax of its own; describe(`{name}`) may know it."
        ))
}

fn no_type(of: &FoundDefinition) -> IdeError {
    let name = &of.candidate.name;
    let message = format!("`{name}` is no type but a {}, and has no members", of.definition().kind);
    IdeError::new(ErrorCode::InvalidRequest, message)
        .recovery(format!("definitions(path) lists what a file defines; describe(`{name}`) tells its type."))
}

/// The parts of one type, with the members that were found.
struct Parts<'a> {
    of: FoundDefinition,
    sources: ParsedFiles<'a>,
    members: Vec<Definition>,
    /// The reasons why members may be missing, and remarks.
    reasons: Vec<Reason>,
}

impl<'a> Parts<'a> {
    fn new(of: FoundDefinition, sources: ParsedFiles<'a>) -> Self {
        let mut parts = Self { of, sources, members: Vec::new(), reasons: Vec::new() };
        let own = parts.of.clone();
        parts.add(&own);
        let definition = own.definition();
        if definition.kind == Kind::Type && parts.members.is_empty() {
            parts.reasons.push(Reason::TypeAlias { name: own.candidate.name.clone() });
        }
        if own.source.language.id() == ids::PYTHON {
            let attributes = python_attributes::of(&own);
            parts.reasons.extend(attributes.remark());
            let assigned = attributes.assigned.into_iter();
            parts.members.extend(assigned.map(|it| it.definition(parts.sources.roots, &own)));
        }
        parts
    }

    /// Adds the members of one part.
    fn add(&mut self, part: &FoundDefinition) {
        let roots = self.sources.roots;
        self.members.extend(inside(part).iter().map(|it| described(roots, it)));
    }

    /// Adds the `impl` blocks of a Rust type, in all files that have its name.
    fn add_blocks(&mut self) {
        if self.of.is_extension() || matches!(self.of.definition().kind, Kind::Module) {
            return;
        }
        let name = self.of.candidate.name.clone();
        let extends = |it: &FileSymbols| {
            it.kinds().any(|(other, kind)| other == name && (kind == Kind::Extension || kind.is_type()))
        };
        let mut blocks: BTreeMap<PathBuf, Vec<FoundDefinition>> = BTreeMap::new();
        for source in self.sources_with(&name, extends) {
            let here = definitions_in(&source, &Name::any(), |it| it.name == name && it.kind.is_type());
            blocks.insert(source.path.clone(), here);
        }
        let own = self.of.source.path.clone();
        let is_type = |it: &FoundDefinition| !it.is_extension();
        let is_other_type = |it: &&FoundDefinition| is_type(it) && it.place() != self.of.place();
        let others: Vec<_> = blocks.values().flatten().filter(is_other_type).cloned().collect();
        let mut uncertain = Vec::new();
        let mine = blocks.remove(&own).into_iter().chain(blocks.into_values());
        for block in mine.flatten().filter(FoundDefinition::is_extension).collect::<Vec<_>>() {
            let is_beside = |it: &FoundDefinition| it.source.path == block.source.path;
            let is_of = |it: &FoundDefinition| is_beside(it) && module_of(it) == module_of(&block);
            if is_of(&self.of) || is_beside(&self.of) && !others.iter().any(is_beside) {
                self.add(&block);
            } else if others.iter().any(is_of) || !self.names_own(&block) {
                continue;
            } else if others.is_empty() {
                self.add(&block);
            } else {
                uncertain.push(block.candidate.line(self.sources.roots));
            }
        }
        if !uncertain.is_empty() {
            self.reasons.push(Reason::UncertainBlocks { name, places: uncertain });
        }
    }

    /// Returns whether the path before a block's type, if there is one, can be that of the type.
    fn names_own(&self, block: &FoundDefinition) -> bool {
        let start = block.definition().name_at.start;
        let before = &block.source.text.as_str()[..start];
        let Some(path) = before.strip_suffix("::") else { return true };
        let step = path.rsplit(|it: char| !(it.is_alphanumeric() || it == '_')).next().unwrap_or_default();
        let own = self.of.source.path.with_extension("");
        let is_in_path =
            own.components().any(|it| it.as_os_str().to_string_lossy().replace('-', "_") == step);
        let modules = module_of(&self.of);
        matches!(step, "self" | "super" | "crate") || is_in_path || modules.iter().any(|it| it == step)
    }

    /// Adds the declarations of the file that TypeScript merges with the type.
    fn add_merged(&mut self) {
        let name = self.of.candidate.name.clone();
        let source = Arc::clone(&self.of.source);
        let is_merged =
            |kind: Kind| matches!(kind, Kind::Interface | Kind::Class | Kind::Namespace | Kind::Enum);
        let here = definitions_in(&source, &Name::any(), |it| it.name == name && is_merged(it.kind));
        let is_part =
            |it: &&FoundDefinition| it.place() != self.of.place() && module_of(it) == module_of(&self.of);
        for part in here.iter().filter(is_part).cloned().collect::<Vec<_>>() {
            self.add(&part);
        }
        self.add_owned_in_file();
        let augments = |it: &FoundDefinition| {
            let is_inside = !module_of(it).is_empty() && it.source.path != source.path;
            it.definition().kind == Kind::Interface && is_inside
        };
        let found = self.sources.declared_by_keyword(&name);
        let roots = self.sources.roots;
        let places: Vec<_> =
            found.iter().filter(|it| augments(it)).map(|it| it.candidate.line(roots)).collect();
        if !places.is_empty() {
            self.reasons.push(Reason::MaybeMerged { places });
        }
    }

    /// Adds the methods of a Go type, which stand in any file of its package.
    fn add_owned(&mut self) {
        let name = self.of.candidate.name.clone();
        let folder = self.of.source.path.parent().map(PathBuf::from);
        for source in self.sources_with(&name, |it| {
            it.entries().is_none_or(|all| all.iter().any(|it| it.owner.as_ref() == Some(&name)))
        }) {
            if source.path.parent().map(PathBuf::from) == folder {
                self.add_owned_of(&source, &name);
            }
        }
    }

    /// Adds the members that stand apart from the type in its own file, as in `User.prototype.name = …`.
    fn add_owned_in_file(&mut self) {
        let (source, name) = (Arc::clone(&self.of.source), self.of.candidate.name.clone());
        self.add_owned_of(&source, &name);
    }

    fn add_owned_of(&mut self, source: &Arc<ParsedFile>, name: &String) {
        let roots = self.sources.roots;
        let owned = definitions_in(source, &Name::any(), |it| it.owner.as_ref() == Some(name));
        for it in owned {
            let member = described(roots, &it);
            // C++ declares members in the class and defines them apart.
            let is_declared = self.sources.language.declares_apart
                && self.members.iter().any(|other| other.name == member.name);
            if !is_declared && !self.members.iter().any(|other| other.name_at == member.name_at) {
                self.members.push(member);
            }
        }
    }

    /// Parses the files whose symbols are wanted, or else those that mention the name.
    fn sources_with(&mut self, name: &str, is_wanted: impl Fn(&FileSymbols) -> bool) -> Vec<Arc<ParsedFile>> {
        let files = self.sources.files_with(is_wanted).unwrap_or_else(|| {
            let (language, until) = (self.sources.language, self.sources.until);
            let lines = word_scan::mentions(language, &self.sources.roots.search_scope(), name, until);
            self.sources.files_of(lines)
        });
        files.iter().filter_map(|it| self.sources.source(it)).collect()
    }

    fn result(mut self) -> MembersResult {
        if self.sources.is_cut {
            let cuts = std::mem::take(&mut self.sources.cuts).into_iter().collect();
            self.reasons.push(Reason::OtherFilesCut { cuts });
        }
        if self.of.source.outline.is_partial {
            let path = self.sources.roots.display_path(&self.of.source.path);
            self.reasons.push(Reason::PartlyRead { paths: Listing::of([path], 1) });
        }
        let completeness = Completeness::gaps_first(Source("syntax".into()), self.reasons);
        MembersResult { completeness, definitions: self.members }
    }
}

/// Returns the definitions directly inside of one.
fn inside(of: &FoundDefinition) -> Vec<FoundDefinition> {
    let whole = of.definition();
    let all = &of.source.outline.definitions;
    let is_whole = |it: Option<usize>| it.is_some_and(|it| std::ptr::eq(&all[it], whole));
    let is_inside = |it: &syntax::Definition| {
        let is_property = is_parameter_property(&of.source.outline, it);
        is_whole(it.parent) || is_property && is_whole(it.parent.and_then(|it| all[it].parent))
    };
    definitions_in(&of.source, &Name::any(), is_inside)
}

/// Returns the names of the definitions around one.
fn module_of(of: &FoundDefinition) -> Vec<String> {
    of.source.outline.around(of.definition()).into_iter().map(|it| it.name.clone()).collect()
}
