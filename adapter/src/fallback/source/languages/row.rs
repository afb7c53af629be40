//! The row of a language: its type, its defaults, and the rules for names and files.

use std::ops::Range;
use std::path::Path;

use ide_protocol::Reason;

use super::profile::{DiskEvent, OutsideFolder, ServerProfile};
use crate::fallback::source::words;

/// One language: how to recognise its files, and its servers.
#[derive(Debug)]
pub(crate) struct Language {
    /// The name in configuration: `rust`.
    pub(crate) id: &'static str,
    /// The name for users.
    pub(crate) name: &'static str,
    /// The file extensions without the dot, each with its LSP language id.
    pub(crate) files: &'static [(&'static str, &'static str)],
    /// Further files, which their content tells from those of another language.
    pub(crate) content: Option<ContentRule>,
    /// The files that mark a project.
    pub(crate) markers: &'static [&'static str],
    /// The rule that finds a project's root from a marker.
    pub(crate) root: RootRule,
    /// The files besides sources whose change reloads the project.
    pub(crate) manifests: &'static [&'static str],
    /// The files that are targets of their own and change the project.
    pub(crate) targets: Targets,
    /// The rule for the package of a file.
    pub(crate) packages: PackageRule,
    /// The places in the projects and around them that change when their dependencies are installed.
    pub(crate) installs: InstallPlaces,
    /// The same outside of any workspace, each below the first of these folders that is known.
    pub(crate) shared_installs: &'static [(&'static [OutsideFolder], InstallPlaces)],
    /// The servers, in order of preference.
    pub(crate) servers: &'static [ServerProfile],
    /// Folders outside of any workspace with sources of the language and its libraries.
    pub(crate) given: &'static [OutsideFolder],
    /// A row with other servers that format files and sort imports.
    pub(crate) stylist: Option<&'static Self>,
    /// `true` for programming languages. A bare name seldom means a symbol of another language.
    pub(crate) is_code: bool,
    /// `true` if its files may be templates for code of other languages.
    pub(crate) is_template: bool,
    /// `true` if definitions say their own kinds and types, and each makes one symbol. Elsewhere servers
    /// merge several to one symbol (overloads in TypeScript, properties in Python), or lead from one to
    /// another (headers of C).
    pub(crate) is_plain: bool,
    /// Returns a phrase on why code may not be loaded, where the servers run code of the workspace or do not.
    pub(crate) not_loaded: fn(runs_code: bool) -> &'static str,
    /// The reason why the diagnostics of its servers are incomplete.
    pub(crate) diagnostics_gap: Option<fn() -> Reason>,
    /// `true` if its servers say nothing of an import of a file that is hidden from them.
    pub(crate) ignores_hidden_imports: bool,
    /// `true` if macros take tokens, so that the syntax knows which mentions of a name go into macros.
    pub(crate) has_macro_input: bool,
    /// The places that name the supertypes of a type.
    pub(crate) supertypes: SupertypeRule,
    /// The places that have parts of a type besides its definition.
    pub(crate) parts: PartRule,
    /// `true` if a member of a type hides the members of its supertypes with the same name.
    pub(crate) members_hide_inherited: bool,
    /// The supertype whose subtypes are all classes that have its members; may be empty.
    pub(crate) structural_base: &'static str,
    /// `true` if calls of capitalized names make values of types: `Some(…)`.
    pub(crate) calls_types: bool,
    /// The ending that uses of a name may leave out, as those of attributes in C# do; may be empty.
    pub(crate) optional_ending: &'static str,
    /// `true` if names that differ only in case are the same.
    pub(crate) folds_case: bool,
    /// The name that an indexer has in the language; may be empty.
    pub(crate) indexer: &'static str,
    /// Words between a type and its member that name neither: `Hooks.prototype.validate`.
    pub(crate) silent_qualifiers: &'static [&'static str],
    /// `true` if a name may be declared in one file and defined in another.
    pub(crate) declares_apart: bool,
    /// `true` if declarations of one name in one place are overloads of one function.
    pub(crate) has_overloads: bool,
    /// A regular expression for a line that may define `NAME`, which is a placeholder.
    pub(crate) definition: &'static str,
    /// `true` if `definition` matches nearly all definitions, so that other lines are a second choice.
    pub(crate) defines_plainly: bool,
    /// A regular expression for a line that certainly defines `NAME`, which is a placeholder.
    pub(crate) declaration: &'static str,
    /// Words that look like names but are not.
    pub(crate) keywords: &'static [&'static str],
    /// `true` if members may have keywords as names, such as `Map.delete` in TypeScript.
    pub(crate) keywords_name_members: bool,
    /// The characters of names besides letters, digits and `_`.
    pub(crate) letters: &'static str,
    /// The prefix that makes a keyword a name, such as `r#`; may be empty.
    pub(crate) raw: &'static str,
    /// The characters that can only end a name.
    pub(crate) endings: &'static str,
    /// `true` if operators, conversions and destructors have names such as `operator==` and `~User`.
    pub(crate) has_operators: bool,
    /// The signs that are names of methods: `<<`.
    pub(crate) signs: &'static [&'static str],
    /// The start of a line comment.
    pub(crate) comment: &'static str,
    /// The separator between a container and its member.
    pub(crate) separator: &'static str,
}

/// Files of an extension that belong to the language if their content says so. The row of the others comes later in the
/// table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentRule {
    /// The file extension without the dot.
    pub(crate) extension: &'static str,
    /// LSP's language id.
    pub(crate) id: &'static str,
    /// The test of a file, by its absolute path. It reads the file, and has to be cheap the second time.
    pub(crate) holds: fn(&Path) -> bool,
}

/// Files that reload a project when they are created or deleted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Targets {
    /// Ends of paths: `src/main.rs`.
    pub(crate) files: &'static [&'static str],
    /// Ends of paths of folders that hold such files, directly or one level down: `tests`.
    pub(crate) folders: &'static [&'static str],
}

/// The rule for the package that a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PackageRule {
    /// Not known.
    Unknown,
    /// Each folder is a package.
    Folder,
    /// The nearest folder above with one of these manifests.
    Manifest(&'static [&'static str]),
}

/// Files and folders that change when dependencies are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstallPlaces {
    /// Paths below each folder.
    pub(crate) below: &'static [&'static str],
    /// The depth of the folders below them that change too.
    pub(crate) depth: usize,
}

impl InstallPlaces {
    pub(super) const NONE: Self = Self { below: &[], depth: 0 };
}

/// The places that name the supertypes of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SupertypeRule {
    /// None: a type implements an interface by its members.
    Structural,
    /// Blocks apart from its head: `impl Trait for Type`.
    Blocks,
    /// Its head, and maybe others.
    Head,
    /// Its head alone.
    HeadAlone,
}

/// The places that have parts of a type besides its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartRule {
    /// Blocks in any file: `impl Type`.
    Blocks,
    /// Definitions of the same name, which are merged.
    Merged,
    /// Members that name the type, in the files of its package.
    Package,
    /// Members that name the type, in its file.
    File,
}

/// The rule that finds a project's root from a marker file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootRule {
    /// Ask Cargo for the workspace of the manifest.
    CargoWorkspace,
    /// Each folder with a marker is a project; so is the nearest one above the session's folders.
    Marked,
    /// The server receives the session's folders and finds projects itself.
    Session,
    /// As `Session`, with a compilation database merged from all in the folders.
    CompilationDatabase,
}

/// The defaults of a row.
pub(super) const ROW: Language = Language {
    id: "",
    name: "",
    files: &[],
    content: None,
    markers: &[],
    root: RootRule::Session,
    manifests: &[],
    targets: Targets { files: &[], folders: &[] },
    packages: PackageRule::Unknown,
    installs: InstallPlaces::NONE,
    shared_installs: &[],
    servers: &[],
    given: &[],
    stylist: None,
    is_code: true,
    is_template: false,
    is_plain: false,
    not_loaded: |_| "not loaded (in no project that the server knows)",
    diagnostics_gap: None,
    ignores_hidden_imports: false,
    has_macro_input: false,
    supertypes: SupertypeRule::Head,
    parts: PartRule::File,
    members_hide_inherited: true,
    structural_base: "",
    calls_types: false,
    optional_ending: "",
    folds_case: false,
    indexer: "",
    silent_qualifiers: &[],
    declares_apart: false,
    has_overloads: false,
    definition: r"^\s*(?:[\w<>\[\],*&.?@-]+\s+)*[*&]*NAME\b|\bNAME\s*[:=]",
    defines_plainly: false,
    declaration: concat!(
        r"\b(?:class|interface|struct|record|enum|trait|protocol|object|module|namespace|type|def|defp|fun|func|",
        r"function|fn|sub|val|let)\s+(?:self\.)?NAME"
    ),
    keywords: &[
        "if", "else", "for", "while", "do", "return", "case", "switch", "break", "continue", "class", "true",
        "false", "null", "nil", "new", "this", "self", "import", "try", "catch", "in", "is", "not", "and",
        "or", "_",
    ],
    keywords_name_members: false,
    letters: "",
    raw: "",
    endings: "",
    has_operators: false,
    signs: &[],
    comment: "//",
    separator: ".",
};

impl Language {
    /// Returns whether a file is of this language, by its name and where that leaves it open by its content. The path is
    /// absolute.
    pub(crate) fn owns(&self, path: &Path) -> bool {
        self.file_id(path).is_some()
    }

    /// Returns whether a file with that name may be of this language.
    pub(crate) fn may_own(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|it| it.to_str());
        extension.is_some_and(|it| self.extensions().any(|other| other == it))
    }

    /// Returns LSP's language id of a file of this language. The path is absolute.
    pub(crate) fn file_id(&self, path: &Path) -> Option<&'static str> {
        let extension = path.extension().and_then(|it| it.to_str())?;
        let by_name = self.files.iter().find(|(it, _)| *it == extension).map(|(_, id)| *id);
        let rule = self.content.filter(|rule| by_name.is_none() && rule.extension == extension);
        by_name.or_else(|| rule.filter(|rule| (rule.holds)(path)).map(|rule| rule.id))
    }

    /// Returns the extensions of its files without the dot, also where the content decides.
    fn extensions(&self) -> impl Iterator<Item = &'static str> {
        self.files.iter().map(|(it, _)| *it).chain(self.content.map(|rule| rule.extension))
    }

    /// Returns whether a grammar exists for its files.
    pub(crate) fn has_syntax(&self) -> bool {
        self.syntax().is_some()
    }

    /// Returns the grammar of its first extension that has one.
    pub(crate) fn syntax(&self) -> Option<syntax::Language> {
        self.suffixes().iter().find_map(|it| syntax::Language::of_path(it))
    }

    /// Returns the file extensions with the dot. Files of an extension whose content decides may be of another language.
    pub(crate) fn suffixes(&self) -> Vec<String> {
        self.extensions().map(|it| format!(".{it}")).collect()
    }

    /// Returns whether an event on a file reloads the project although no manifest changed.
    pub(crate) fn makes_target(&self, path: &Path, event: DiskEvent) -> bool {
        let mut above = path.ancestors().skip(1).take(2);
        let is_target = self.targets.files.iter().any(|it| path.ends_with(it))
            || above.any(|folder| self.targets.folders.iter().any(|it| folder.ends_with(it)));
        event != DiskEvent::Changed && is_target
    }

    /// Returns whether a word can name a symbol.
    pub(crate) fn is_name(&self, word: &str) -> bool {
        self.is_word(word) && !self.keywords.contains(&word)
    }

    /// Returns whether a word can name a symbol where a name is expected: for a member or a raw identifier.
    pub(crate) fn is_known_name(&self, word: &str, is_raw: bool) -> bool {
        self.is_name(word) || (self.keywords_name_members || is_raw) && self.is_word(word) && word != "_"
    }

    /// Returns whether the word at these columns of a line (from 0, in characters) can name a symbol there.
    pub(crate) fn is_name_in(&self, line: &str, word: &str, columns: &Range<usize>) -> bool {
        let before = columns.start.checked_sub(1).and_then(|it| line.chars().nth(it));
        let is_member = self.keywords_name_members && before == Some('.');
        let is_raw = columns.len() > word.chars().count();
        self.is_name(word) || (is_member || is_raw) && self.is_word(word) && word != "_"
    }

    fn is_word(&self, word: &str) -> bool {
        let is_first = |it: char| it.is_alphabetic() || it == '_' || self.letters.contains(it);
        word.chars().next().is_some_and(is_first)
    }

    /// Returns whether uses of a symbol contain its name. Those of operators, conversions and indexers do
    /// not.
    pub(crate) fn is_written_in_uses(&self, name: &str) -> bool {
        let is_sign = |it: char| !(self.is_letter(it) || it == ' ');
        let is_operator = self.has_operators && (name.starts_with("operator ") || name.contains(is_sign));
        !is_operator && !self.signs.contains(&name)
    }

    /// Returns the words of a line with their columns, from 0, in characters.
    ///
    /// The prefix of a raw identifier belongs to the columns, as for servers and grammars, but not to the
    /// word.
    pub(crate) fn words(&self, line: &str) -> Vec<(String, Range<usize>)> {
        let mut words = words::words(line, self.letters, self.endings);
        if !self.raw.is_empty() && line.contains(self.raw) {
            self.join_raw(line, &mut words);
        }
        words
    }

    fn join_raw(&self, line: &str, words: &mut Vec<(String, Range<usize>)>) {
        let letters: Vec<_> = line.chars().collect();
        let raw: Vec<_> = self.raw.chars().collect();
        for (_, columns) in &mut *words {
            let start = columns.start.saturating_sub(raw.len());
            if letters[start..columns.start] == raw {
                columns.start = start;
            }
        }
        // `r#` starts with a word of its own.
        let all: Vec<_> = words.iter().map(|(_, columns)| columns.clone()).collect();
        words.retain(|(_, it)| !all.iter().any(|other| other.start == it.start && other.end > it.end));
    }

    /// Returns the word around a column of a line, with its columns. The column just after a word counts.
    pub(crate) fn word_at(&self, line: &str, column: usize) -> Option<(String, Range<usize>)> {
        self.words(line).into_iter().find(|(_, columns)| columns.contains(&column) || columns.end == column)
    }

    /// Returns a regular expression for one character of a name.
    pub(crate) fn letter(&self) -> String {
        format!(r"[\w{}]", self.letters)
    }

    /// Returns `true` for a character of its names.
    pub(crate) fn is_letter(&self, it: char) -> bool {
        words::is_letter(it, self.letters)
    }

    /// Returns `true` if a line has a name whole: no letter of the language stands beside it.
    pub(crate) fn has_whole(&self, line: &str, name: &str) -> bool {
        let is_letter = |it: char| self.is_letter(it);
        line.match_indices(name).any(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + name.len()..]);
            !before.ends_with(is_letter) && !behind.starts_with(is_letter)
        })
    }

    /// Fills `NAME` into a pattern of the row, with a word boundary that fits the name's last character.
    pub(crate) fn pattern_for(&self, pattern: &str, name: &str) -> String {
        // `\b` needs a word character on one side, which `$` and `?` are not.
        let pattern = if name.ends_with(|it: char| self.letters.contains(it) || self.endings.contains(it)) {
            pattern.replace(r"NAME\b", r"NAME\b{end-half}")
        } else {
            pattern.to_owned()
        };
        pattern.replace("NAME", &regex::escape(name))
    }
}
