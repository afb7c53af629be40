//! The reasons why an answer is incomplete or unusual, as data: one table with their codes, fields and words.

mod parts;

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use self::Weight::{Failed, Limit, MayLack, Remark, Time};
pub use self::parts::{Counted, Kept, Listing, ModuleNames, NoServer, QuotedLine, Retry, SearchCut};
use self::parts::{all, lines, names, plain, plain_places};
use crate::place::{Line, Location};

/// The cause of a missing part of a result, in ascending gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Gap {
    /// The result is longer than a limit, and its end was cut off.
    Limit,
    /// One of the sources failed.
    Failed,
    /// The time was up.
    Time,
}

/// The weight of a reason, ascending: a remark, then the causes of a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Weight {
    /// The answer is unusual, but not incomplete for this reason.
    Remark,
    /// There may be more.
    MayLack,
    /// The answer is longer than a limit, and its end was cut off.
    Limit,
    /// One of the sources failed.
    Failed,
    /// The time was up.
    Time,
}

impl Weight {
    /// Returns the cause of a gap that is certain; `None` for a remark, and where there only may be more.
    pub fn gap(self) -> Option<Gap> {
        match self {
            Remark | MayLack => None,
            Limit => Some(Gap::Limit),
            Failed => Some(Gap::Failed),
            Time => Some(Gap::Time),
        }
    }

    /// Returns the weight of an incomplete answer with this gap.
    pub fn of_gap(gap: Option<Gap>) -> Self {
        match gap {
            None => MayLack,
            Some(Gap::Limit) => Limit,
            Some(Gap::Failed) => Failed,
            Some(Gap::Time) => Time,
        }
    }
}

/// Makes [`Reason`] and its functions of a table. A row has the meaning, the fields, the weight and the words, in which
/// the fields are variables.
macro_rules! reasons {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? }
        $weight:expr, $format:literal $(, $argument:expr)*;
    )*) => {
        /// A reason why an answer is incomplete or unusual. Its text ([`Display`](fmt::Display)) is a part of a
        /// sentence.
        ///
        /// The fields are named alike: `server` is the name of a language server, `name` that of the symbol in
        /// question, `path` a file or folder as answers spell it, `places` are lines of code; what is counted has the
        /// name of what it is. `is_cut` is true if there may be more of the same.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(tag = "code", rename_all = "camelCase", rename_all_fields = "camelCase")]
        #[expect(missing_docs, reason = "the fields are named alike in all variants")]
        pub enum Reason {
            $($(#[doc = $doc])+ $name { $($(#[$attribute])* $field: $type),* },)*
        }

        impl Reason {
            /// Returns the name of the variant.
            fn variant(&self) -> &'static str {
                match self {
                    $(Self::$name { .. } => stringify!($name),)*
                }
            }

            /// Returns whether it is a remark or a gap, and the cause of a gap.
            #[expect(unused_variables, reason = "few weights depend on fields")]
            pub fn weight(&self) -> Weight {
                match self {
                    $(Self::$name { $($field),* } => $weight,)*
                }
            }
        }

        impl fmt::Display for Reason {
            #[expect(unused_variables, reason = "some fields are for programs only")]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name { $($field),* } => write!(f, $format $(, $argument)*),)*
                }
            }
        }

        /// The rows of the table: the name of the variant, its meaning, and its fields.
        const ROWS: &[(&str, &str, &[&str])] =
            &[$((stringify!($name), concat!($($doc),+), &[$(stringify!($field)),*]),)*];
    };
}

reasons! {
    /// Text of others: an editor that sends only a `note`.
    Note { text: String, weight: Weight } *weight, "{text}";
    /// Something is missing, and nobody says what.
    Unsaid { weight: Weight } *weight, "a part may be missing";

    // Servers and workspaces.

    /// The language server complains about the project.
    ServerComplains { server: String, message: String } MayLack, "{server} complains: {message}";
    /// A file exists only in the editor, where the server does not see it.
    NotOnDisk { path: String, server: String } MayLack, "`{path}` is not on disk yet, where {server} reads it";
    /// Folders of the session do not exist any more.
    FoldersGone { paths: Vec<String> } MayLack,
        "the session's {} {} {} gone (deleted, moved or not mounted)",
        if paths.len() == 1 { "folder" } else { "folders" }, all(paths), if paths.len() == 1 { "is" } else { "are" };
    /// The question named a path in another work tree than the session's own, which answers.
    OtherTree { path: String } Remark, "this is of the work tree `{path}`";
    /// Other work trees were not looked into: linked ones, submodules, repositories in a folder.
    TreesLeftOut { paths: Listing<String> } Remark,
        "other work trees are not looked into, but where `path` names one: {}", names(paths);
    /// Places in hidden files are left out, as hidden files are not searched.
    HiddenLeftOut { paths: Listing<String> } Remark,
        "also in hidden files, which are looked into where `path` names one: {}", names(paths);
    /// There are more files outside of the workspace than are watched for changes.
    UntrackedFiles { example: String } MayLack,
        "too many files outside of the workspace to watch, such as `{example}`: changes there may be missed";
    /// The workspace is restricted, so the server does not know the code that programs of the workspace would make.
    Restricted { server: String, knows: String, is_asking: bool } MayLack,
        "{}", parts::restricted(server, knows, *is_asking);
    /// The same, on the first answer that such code does not concern.
    RestrictedElsewhere { server: String, knows: String, is_asking: bool } Remark,
        "{}, and an answer that may lack some of it says so", parts::restricted(server, knows, *is_asking);
    /// The answer names places in files that may not be read.
    NotReadable { paths: Listing<String> } Remark,
        "{}: outside of the workspace and its toolchain; not read", names(paths);
    /// Projects beyond a limit are loaded as parts of others.
    MergedProjects { limit: usize } MayLack, "projects beyond the first {limit} are loaded as parts of those";
    /// Projects beyond a limit are not loaded.
    UnloadedProjects { count: usize, limit: usize } MayLack,
        "{count} projects beyond the first {limit} are not loaded";
    /// A project is not loaded.
    UnloadedProject { path: String, cause: String } MayLack, "`{path}` is not loaded: {cause}";
    /// A project is not loaded because it could run code, and the workspace is restricted.
    RefusedProject { path: String, cause: String } MayLack,
        "`{path}` is not loaded, the workspace is restricted: {cause}";
    /// Flags for the compiler are ignored because the workspace is restricted.
    IgnoredFlags { path: String } MayLack, "`rustflags` of `{path}` are ignored: the workspace is restricted";
    /// The compilation database cannot be written.
    NoCompilationDatabase { cause: String } MayLack, "no compilation database can be written: {cause}";
    /// Of the places outside that the settings name, only some are watched.
    UnwatchedPlaces { limit: usize } MayLack,
        "only {limit} of the places that the settings name outside of the project are watched";
    /// A folder outside that the settings name is too large to be watched.
    UnwatchedFolder { path: String } MayLack,
        "`{path}`, which the settings of the project name, has too many files to watch: changes there may be missed";
    /// A language is not answered. The places read as a definition of the name.
    NotAnswered { language: String, places: Vec<Location>, message: String } Failed,
        "{language}{} is not answered: {message}", parts::bracketed(places);
    /// The symbols of a language are not answered.
    SymbolsNotAnswered { language: String, message: String } MayLack, "{language} is not answered: {message}";
    /// The diagnostics of a language are not answered.
    FilesNotAnswered { language: String, files: usize, message: String } MayLack,
        "{files} {language} files are not answered: {message}";
    /// One of the servers of the language failed.
    ServerFailed { message: String } Failed, "{message}";

    // The syntax instead of a server.

    /// The syntax answers instead of a server, and has all of the answer.
    FromSyntax { why: NoServer } Remark, "{why}";
    /// The syntax answers instead of a server.
    FromSyntaxAlone { why: NoServer } MayLack, "{why}";
    /// The syntax answers instead of a server, and sees no code that is not written in the workspace.
    UnseenCode { why: NoServer } MayLack,
        "{why}. Dependencies, generated code and what macros make are not seen";
    /// The occurrences of a name are listed instead of the uses of the symbol.
    Occurrences { why: NoServer, name: String, is_cut: bool } if *is_cut { Time } else { MayLack },
        "{why}. These are the occurrences of `{name}` in code, also of other symbols with that name{}", if *is_cut { ", and not all of them" } else { "" };
    /// The syntax answers instead of a server, and compares names alone.
    NamesAlone { why: NoServer } MayLack,
        "{why}. Names alone are compared, so namesakes may be among them";
    /// The syntax answers instead of a server, and infers no types.
    UninferredTypes { why: NoServer } MayLack, "{why}. Inferred types are missing";
    /// Not every file with the name was read.
    NamedFilesCut {} Time, "not every file that has the name was looked into";
    /// Not every file was read.
    FilesCut {} Time, "not every file was looked into";
    /// Not everything was searched.
    SearchesCut {} Time, "not everything was looked at";
    /// Not every file could be read.
    FilesUnread {} MayLack, "not every file could be read";
    /// Names of which the query is a part may be missing.
    PartsOfNames {} MayLack, "names that only have it as a part may be missing";
    /// No definition is seen to have the qualifier; some have a shorter one, or none.
    OtherQualifier { name: String, qualifier: String, found: Option<String> } Remark,
        "no `{name}` is seen to be in `{qualifier}`; these are {}", found.as_ref().map_or("elsewhere".to_owned(), |it| format!("in `{it}`"));
    /// Uses of an operator by its sign are missing.
    SignUses {} MayLack, "uses by its sign are missing";
    /// Calls of operators by their signs are missing.
    SignCalls { names: Listing<String> } MayLack, "calls of {} by its sign are missing", self::names(names);
    /// Go's types do not name the interfaces that they implement.
    UnnamedInterfaces {} MayLack,
        "types of Go do not name the interfaces they implement, so these are missing";
    /// Called or extended names without a definition.
    Undefined { names: Listing<String> } MayLack, "no definition was seen of {}", self::names(names);
    /// Called names that are defined as something else than functions and types.
    NotCallable { names: Listing<String> } MayLack,
        "left out, since they are defined but not as functions or types: {}", self::names(names);
    /// Extended names that are defined as something else than types.
    NotTypes { names: Listing<String> } MayLack,
        "left out, since they are defined but not as types: {}", self::names(names);
    /// Names with too many definitions to tell which is meant.
    CommonNames { names: Listing<String> } MayLack,
        "left out, since many have the name: {}", self::names(names);
    /// The members of an alias are not known.
    TypeAlias { name: String } MayLack,
        "`{name}` is another name for a type, whose members are not known from it";
    /// Blocks that may belong to another type of the name.
    UncertainBlocks { name: String, places: Vec<Location> } MayLack,
        "left out, since several types are called `{name}`: the blocks at {}", plain_places(places);
    /// Declarations elsewhere that the language may merge with the type.
    MaybeMerged { places: Vec<Location> } MayLack,
        "it may be merged with the declarations at {}", plain_places(places);
    /// The search for parts of the type in other files was cut.
    OtherFilesCut { cuts: Vec<SearchCut> } Time,
        "members in other files may be missing: {}", parts::joined(cuts, ", and ");
    /// Attributes that only methods other than constructors set.
    AssignedElsewhere { attributes: Listing<Counted> } Remark,
        "attributes that only other methods set: {}", attributes.with(", ", |it| format!("`{}` (line {})", it.name, it.count));

    // Limits of lists and of time.

    /// The time was up.
    TimeUp { files: u64 } Time, "the time was up after {files} files";
    /// The time was up before all modules were read.
    ModulesTimeUp {} Time, "the time was up before all modules were read";
    /// The list of definitions was cut.
    DefinitionsCut { shown: usize, total: usize } Limit, "the first {shown} of {total} definitions";
    /// The list of definitions was cut within a file.
    DefinitionsCutFrom { shown: usize, total: usize, path: String } Limit,
        "the first {shown} of {total} definitions; left out are those from `{path}` on, and a smaller `path` or a `kind` lists them";
    /// The list of definitions was cut after a file.
    DefinitionsCutAfter { shown: usize, total: usize, path: String } Limit,
        "the first {shown} of {total} definitions; left out are those of the files after `{path}`, and a smaller `path` or a `kind` lists them";
    /// The list of imports was cut.
    ImportsCut { shown: usize, total: usize, path: String } Limit,
        "the first {shown} of {total} imports, up to `{path}`";
    /// The list of matches of a pattern was cut.
    MatchesCut { shown: usize, total: u64 } Limit, "the first {shown} of {total} places";
    /// The list of matching lines was cut.
    HitsCut { shown: usize, total: u64 } Limit, "the first {shown} of {total} matching lines";
    /// The list of files was cut.
    PathsCut { shown: usize, total: u64 } Limit, "the first {shown} of {total} files";
    /// The list of symbols was cut.
    SymbolsCut { shown: usize, total: u64 } Limit,
        "the first {shown} of {total}; a longer name or a path narrows it";
    /// The list of code actions was cut.
    ActionsCut { shown: usize, total: usize } Limit,
        "the first {shown} of {total} are told; a place or a kind narrows them";
    /// The diagnostics of only some files were requested.
    DiagnosticsCut { shown: usize, total: usize } Limit,
        "the first {shown} of {total} files were looked at; a file or folder narrows it";
    /// The hierarchy was cut.
    HierarchyCut { links: usize, unasked: usize } Limit,
        "cut after {links} links; {unasked} more symbols were not asked about";
    /// The text was cut.
    TextCut { next: Line } Limit, "cut after 1 MiB; line {next} is the next";
    /// Long lines were cut.
    LinesCut { width: usize } Limit, "lines are cut after {width} characters";
    /// The server stops listing symbols at a limit.
    ServerLimit { server: String, symbols: usize } Limit, "{server} stops listing at {symbols} symbols";
    /// More files than are read seem to define such symbols.
    MoreFilesDefine { files: usize } Limit, "{files} more files seem to define such names";
    /// The server lists no symbol of that name among as many as it lists.
    OnlySimilar { server: String, symbols: usize, name: String } MayLack,
        "{server} lists only {symbols} symbols like `{name}`";
    /// Not all types that were found were followed.
    TypesNotFollowed { limit: usize } MayLack,
        "what implements the types after the first {limit} was not asked";
    /// Not every file was searched for the name.
    NameNotSearched { name: String } MayLack, "not every file could be searched for `{name}`";
    /// Not every file was searched for mentions.
    MentionsNotSearched {} MayLack, "not every file could be searched for further mentions";
    /// Not every place that may extend the type was resolved.
    ExtendingNotSearched { name: String } MayLack,
        "not every place could be looked at that may extend `{name}`";
    /// More parts of a file are attached than are kept.
    SelectionsCut { count: usize } MayLack, "{count} more selections are attached";
    /// An attachment cannot be used.
    OddAttachment { uri: String, cause: String } Remark, "`{uri}` is attached, but {cause}";
    /// A file is attached without a selection.
    WholeAttachment { path: String } Remark, "`{path}` is attached whole, without lines";

    // Files and their text.

    /// Parts of files are no code of their language.
    PartlyRead { paths: Listing<String> } MayLack, "not all of {} could be read as code", names(paths);
    /// Parts of files are no code of their language, so that matches may be missing.
    PartlyMatched { paths: Listing<String> } MayLack,
        "not all of {} could be read as code, and there may be more", names(paths);
    /// Files could not be read, or were too large.
    NotParsed { paths: Listing<String> } Failed, "not read, or too large to be parsed: {}", names(paths);
    /// Files could not be read.
    NotRead { paths: Listing<String> } Failed, "{} could not be read", names(paths);
    /// Some files could not be read.
    SomeNotRead { files: u64 } Failed, "{files} files could not be read";
    /// A module could not be read.
    ModuleNotRead { path: String } MayLack, "`{path}` could not be read";
    /// Files are too large to be parsed.
    TooLarge { paths: Listing<String> } MayLack, "too large to be parsed: {}", names(paths);
    /// The comparison with the pattern was given up in files.
    ComparisonGivenUp { paths: Listing<String> } MayLack,
        "the comparison was given up in {}, and there may be more", names(paths);
    /// Files of languages without a grammar are left out.
    UnknownSyntax { languages: Vec<Counted> } MayLack,
        "files of languages without a known syntax are left out: {}", parts::counted(languages);
    /// Files are left out because the pattern is no code of their languages.
    OtherLanguages { languages: Vec<Counted> } Remark,
        "files were left out because the pattern is no code of their language: {}", parts::counted(languages);
    /// There is no file of a language with a grammar.
    NoKnownSyntax { path: String } Remark, "no file of a known syntax in `{path}`";
    /// The same, for patterns, with the languages that are known.
    NothingMatched { path: String, known: Vec<String> } Remark,
        "no file of a known syntax in `{path}` was looked into; known are {}", known.join(", ");
    /// There is no definition of the kind.
    NoSuchKind { kind: String, path: String, kinds: Vec<Counted> } Remark,
        "no `{kind}` in `{path}`; there are {}", parts::joined_with(kinds, |it| format!("{} `{}`", it.count, it.name));
    /// No file has the extension.
    NoSuchExtension { path: String, extension: String, extensions: Vec<String> } Remark,
        "no file in `{path}` ends with `{extension}`; there are {}", all(extensions);
    /// There is no file to search.
    NothingSearched { path: String } Remark,
        "no file in `{path}` was searched: hidden, ignored and binary files are left out";
    /// No file matches the glob. One without wildcards is given, so that advice can name it.
    NoSuchFile { files: u64, #[serde(default, skip_serializing_if = "Option::is_none")] bare: Option<String> } Remark,
        "no file matches, of {files} that are neither hidden nor ignored{}", bare.as_ref().map_or(String::new(), |it| format!("; `**/*{it}*` finds a part of a name"));
    /// The code around hits is not known in files that were not parsed.
    UnknownContext { files: usize } Remark,
        "`in`, `role` and `test` are not known for the hits in {files} files: search in a folder";
    /// Bytes that are no UTF-8 are replaced.
    ReplacedBytes {} Remark, "bytes that are no UTF-8 are shown as \u{fffd}";
    /// The path is no file, and no import names it.
    NotImported { path: String } Remark, "`{path}` is no file or folder, and no import names it";
    /// Exports that are defined outside of the workspace.
    ExternalExports { modules: Listing<ModuleNames> } MayLack,
        "left out, since they are defined outside the workspace: {}", parts::modules(modules);
    /// Exports that were not found.
    MissingExports { modules: Listing<ModuleNames> } MayLack,
        "left out, since they were not found: {}", parts::modules(modules);
    /// A part of `__all__` is computed.
    ComputedExports { path: String } MayLack, "a part of `__all__` in `{path}` is computed";
    /// The preprocessor leaves definitions out.
    Preprocessed { definitions: Listing<Counted> } MayLack,
        "left out of this compilation by `#if`: {}", definitions.with(", ", |it| format!("`{}` on line {}", it.name, it.count));

    // Definitions.

    /// The code is not loaded by the server.
    NotLoaded { name: String, cause: String, #[serde(default, skip_serializing_if = "Listing::is_empty")] places: Listing<Location> } MayLack,
        "`{name}` stands in code that is {cause}{}", parts::behind_colon(places);
    /// Other definitions are not loaded by the server.
    OthersNotLoaded { cause: String, places: Listing<Location> } MayLack,
        "also defined in code that is {cause}: {}", lines(places);
    /// The name is imported from where the server does not follow.
    ImportNotFollowed { name: String, server: String, places: Listing<Location> } MayLack,
        "`{name}` is imported from where {server} does not follow: {}", lines(places);
    /// Lines read as a definition that the server does not know.
    UnknownDefinitions { server: String, name: String, places: Vec<Location> } MayLack,
        "{server} knows no definition of `{name}`, but these lines read as one: {}", plain_places(places);
    /// The name is another one of the symbol.
    OtherName { name: String, of: String } Remark, "`{name}` is another name of `{of}`";
    /// Definitions of a lesser kind are left out.
    LesserKind { kind: String, name: String, count: usize, places: Listing<Location> } Remark,
        "{}: {}", if *count == 1 { format!("a {kind} `{name}` is left out") } else { format!("{count} {kind}s `{name}` are left out") }, lines(places);
    /// The template is specialised.
    Specialised { name: String, places: Listing<Location> } Remark, "`{name}` is specialised at {}", lines(places);
    /// The symbol has an accessor beside this one.
    OtherAccessor { name: String, places: Listing<Location> } Remark, "`{name}` has another half: {}", lines(places);
    /// The language merges the symbol with other declarations.
    MergedDeclarations { name: String, places: Listing<Location> } Remark,
        "`{name}` is one with what is declared at {}", lines(places);
    /// Nothing in the qualifier has the name; others have.
    NotInQualifier { qualifier: String, name: String } Remark,
        "nothing in `{qualifier}` is called `{name}`; these are, elsewhere";
    /// The symbol is defined outside of the workspace.
    NotOwn { name: String } Remark, "`{name}` is not the workspace's own";
    /// The name differs in case.
    OtherCase { name: String, found: String } Remark, "nothing is called `{name}`; `{found}` differs in case";
    /// The member is inherited.
    Inherited { name: String, base: String } Remark, "`{name}` is inherited from `{base}`";
    /// There is no name at the place.
    NoNameThere { place: Location } Remark, "no symbol's name stands at {}", parts::place(place);
    /// Local variables are listed, of only the lines that were resolved.
    LocalsCut { name: String, lines: usize } MayLack,
        "these are the local variables called `{name}` on {lines} lines that were looked at; there may be more";
    /// Of the symbols of dependencies, only those that the workspace uses are listed.
    UsedOfDependencies { total: usize, name: String, used: usize, #[serde(default, skip_serializing_if = "Option::is_none")] lines: Option<usize> } Remark,
        "of {total} that dependencies call `{name}`, the workspace uses {used}{}", lines.map_or(String::new(), |it| format!(" on {it} lines that were looked at"));
    /// The symbol is declared where it is defined.
    DeclaredWhereDefined { name: String } Remark, "`{name}` is declared only where it is defined";
    /// The type of the symbol has no known definition.
    NoTypeDefinition { server: String, name: String } Remark,
        "{server} knows no definition of the type of `{name}`";
    /// The function does not say what it returns.
    UnwrittenType { name: String } Remark, "the type of what `{name}` gives is not written";
    /// The type of a result, or of what a variant holds, has no known definition.
    UnknownType { name: String, written: String, is_held: bool } Remark,
        "`{name}` {} `{written}`, of which no definition is known", if *is_held { "holds" } else { "gives" };
    /// Implementations without a name.
    UnnamedImplementations { places: Listing<Location> } Remark,
        "implementations without a name: {}", lines(places);
    /// Literals without a name.
    UnnamedLiterals { places: Listing<Location> } Remark, "literals without a name: {}", lines(places);
    /// The server has no description; the definition stands for it.
    NotDescribed { server: String } MayLack, "{server} says nothing of it; this is how its definition begins";
    /// The server lists nothing in a file with definitions.
    NothingListed { server: String, lines: usize } MayLack,
        "{server} lists nothing there, but {lines} lines read as definitions";

    // Uses and calls.

    /// Files with mentions are not loaded by the server.
    MentionsNotLoaded { name: String, cause: String, paths: Vec<String> } MayLack,
        "`{name}` is also mentioned in files that are {cause}: {}", plain(paths);
    /// The server lists no uses; those that lead to the symbol were found.
    NoUsesListed { server: String, name: String } MayLack,
        "{server} lists no uses of `{name}`; these are the names that lead to it";
    /// The server leaves uses out, and not all lines with the name were resolved.
    UsesLeftOut { server: String, name: String, lines: usize } MayLack,
        "{server} leaves uses of `{name}` out, maybe on {lines} more lines with that name";
    /// The symbol is not at its place any more.
    Moved { name: String, from: Location, to: Line } Remark,
        "`{name}` is no longer at {}; this is the one at {}:{to}", parts::place(from), from.path;
    /// Places that the server cannot resolve may be uses, beside an answer that has all others.
    MaybeUses { server: String, name: String, is_call: bool, count: usize, is_cut: bool, places: Listing<QuotedLine> } Remark,
        "{}", parts::unresolved(server, name, (*is_call, *count, *is_cut), places);
    /// Places that the server cannot resolve, so that the answer may be incomplete.
    Unresolved { server: String, name: String, is_call: bool, count: usize, is_cut: bool, places: Listing<QuotedLine> } MayLack,
        "{}", parts::unresolved(server, name, (*is_call, *count, *is_cut), places);
    /// Strings have the name of the symbol.
    Strings { name: String, places: Listing<Location> } Remark, "strings `{name}`: {}", lines(places);
    /// Uses of overriding and overridden members are among the answer, or left out.
    UsesOfRelatives { server: String, names: Vec<String>, is_left_out: bool, places: Listing<Location> } Remark,
        "{server} lists uses of {} {}: {}", all(names), if *is_left_out { "with these, which are left out" } else { "among these" }, lines(places);
    /// Uses of overriding and overridden members could not be told apart.
    MixedUses { server: String, names: Vec<String> } Remark, "{server} lists uses of {} among these", all(names);
    /// Some uses have another name.
    OtherNames { count: usize, names: Vec<String> } Remark,
        "{count} of these use it under another name: {}", all(names);
    /// Some uses stand in code that macros write.
    InMacros { count: usize, names: Vec<String> } Remark,
        "{count} of these stand in what macros write: {}", all(names);
    /// Uses of a member that may run this one are left out.
    UsesOfOverridden { member: String, places: Listing<Location>, is_cut: bool } Remark,
        "uses of `{member}`, which may run it, are left out: {}{}", lines(places), if *is_cut { " and maybe more" } else { "" };
    /// Uses of a member that overrides this one are left out.
    UsesOfOverriding { member: String, places: Listing<Location>, is_cut: bool } Remark,
        "uses of `{member}`, which overrides it, are left out: {}{}", lines(places), if *is_cut { " and maybe more" } else { "" };
    /// Syntax calls the method, too.
    CalledBySyntax { name: String } MayLack,
        "`{name}` is called by syntax too, as operators are, and those places are not among these";
    /// The operator is declared as a friend alone, so that the server lists no expressions.
    FriendOperator { name: String, server: String } MayLack,
        "`{name}` is declared as a friend alone: {server} does not list where its sign calls it";
    /// Pytest hands the fixture to parameters.
    Fixture { name: String, count: usize, places: Listing<Location> } MayLack,
        "`{name}` is a fixture: pytest hands it to {count} {} of that name, which are not followed: {}", if *count == 1 { "parameter" } else { "parameters" }, lines(places);
    /// A base class has the member, too; its uses are among the answer.
    MemberOfBase { name: String, class: String, place: Location } Remark,
        "`{name}` is also that of `{class}`, at {}: what leads there is among these", parts::place(place);
    /// Uses on other subclasses of the base class are left out.
    UsesOnOthers { name: String, class: String, others: Listing<String>, places: Listing<Location> } Remark,
        "uses of `{name}` on other kinds of `{class}` ({}) are left out: {}", names(others), lines(places);
    /// Subclasses set the member, too; those uses are among the answer.
    SetInSubclasses { name: String, classes: Listing<String>, server: String, places: Listing<Location>, is_cut: bool } if *is_cut { MayLack } else { Remark },
        "{} sets `{name}` too, which {server} takes for another one ({}): what leads there is among these{}", names(classes), lines(places), if *is_cut { ", as far as its name was followed" } else { "" };
    /// The member is defined in a base class.
    DefinedInBase { name: String, class: String, place: Location, server: String } MayLack,
        "`{name}` is only assigned here and defined in `{class}`, at {}, which {server} takes for another one: ask about `{class}.{name}` for all of it", parts::place(place);
    /// The server goes by the name.
    GoesByName { server: String, name: String, places: Listing<Location> } MayLack,
        "{server} goes by the name: what means the `{name}` of {} is among these", lines(places);
    /// The server takes symbols of other programs for the same.
    OtherPrograms { server: String, name: String, paths: Vec<String> } Remark,
        "{server} takes the `{name}` that {} defines for the same; what is said of that is left out", plain(paths);
    /// Uses behind an export were found by the name.
    BehindExport { server: String, name: String, places: Listing<Location> } MayLack,
        "{server} does not follow `{name}` through its export: what is behind {} was found by the name", lines(places);
    /// Calls outside of functions are not listed.
    CallsLeftOut { server: String, count: usize, name: String, places: Listing<Location> } MayLack,
        "{server} leaves out {count} {} of `{name}`: {}", if *count == 1 { "call" } else { "calls" }, lines(places);
    /// Calls that the server does not list were found by the name.
    CallsFound { server: String, places: Listing<Location> } Remark,
        "{server} lists no calls at {}: these were found by the name", lines(places);
    /// The same, in an answer that should follow the calls further.
    CallsNotFollowed { server: String, places: Listing<Location> } MayLack,
        "{server} lists no calls at {}: these were found by the name", lines(places);
    /// The server has no call hierarchy, so that all uses are listed.
    NoCallHierarchy { server: String } Remark,
        "{server} has no call hierarchy: these are all uses, calls or not";

    // Types.

    /// The server has no type hierarchy, so that implementations are listed.
    NoTypeHierarchy { server: String } MayLack,
        "{server} has no type hierarchy: these implement it, directly or not, without interfaces that extend it";
    /// Places that implement or extend the type are not listed.
    ImplementationsNotListed { server: String, name: String, places: Listing<Location> } MayLack,
        "{server} does not list what implements or extends `{name}` at {}", lines(places);
    /// Places that extend the type are not listed.
    ExtendingNotListed { server: String, name: String, places: Listing<Location> } MayLack,
        "{server} does not list what extends `{name}` at {}", lines(places);
    /// Classes implement the type by their members alone.
    Structural { name: String } MayLack,
        "classes that only have the members of `{name}` implement it too, and are not listed";
    /// The type extends something that no name stands for.
    NamelessBase { name: String, places: Listing<Location> } MayLack,
        "`{name}` also extends what no name of a type stands for, at {}", lines(places);
    /// The supertypes of types outside of the workspace are left out.
    OutsideTypes { names: Listing<String> } MayLack,
        "supertypes of what lies outside the workspace are left out: {}", self::names(names);
    /// Types that extend or implement it through another one.
    Indirect { names: Listing<String> } Remark,
        "these extend or implement it through another one: {}", self::names(names);

    // Diagnostics and edits.

    /// The server has not checked files in time.
    DiagnosticsLate { server: String, files: usize, total: usize } Time,
        "{server} has not said in time what is wrong with {}", if *total == 1 { "it".to_owned() } else { format!("{files} of {total} files") };
    /// Only the server's own checks run, not the compiler.
    CompilerNotRun {} MayLack,
        "these are the server's own checks: the compiler, which finds more, does not run here";
    /// Files that come or go in a comparison of diagnostics cannot be taken away for it.
    NotTakenAway { paths: Listing<String> } MayLack,
        "{} cannot be taken away for the comparison: what other files lack without it does not show", names(paths);
    /// Files changed since the point of a comparison, and their earlier texts are not known.
    UnknownChanges { paths: Listing<String> } MayLack,
        "{} changed too, and what was there before is not known: what that broke or mended does not show", names(paths);
    /// The server has not checked the file in time, so that fixes may be missing.
    FixesLate { server: String } MayLack,
        "{server} has not said in time what is wrong there, so that fixes may be missing";
    /// An editor would run a command after the edit.
    CommandNotRun { command: String } Remark,
        "an editor would run `{command}` afterwards, and here nobody does";
    /// Importers keep the old name.
    KeptForImporters { name: String, places: Listing<Location> } Remark,
        "`{name}` stays the name for those who import it from {}", lines(places);
    /// The server would replace a keyword.
    KeywordSpared { server: String, keywords: Vec<QuotedLine> } Remark,
        "{server} would replace the keyword {} too, which is left out", parts::joined_with(keywords, |it| format!("`{}` at {}:{}", it.text, it.path, it.line));
    /// The old name stays where a macro writes it.
    KeptInMacro { name: String, places: Listing<Location> } MayLack,
        "`{name}` would stay where a macro writes it, at {}", lines(places);
    /// A macro pastes the name into another one.
    Pasted { name: String, into: String, places: Listing<Location>, uses: Listing<Location> } MayLack,
        "a macro pastes `{name}` into `{into}` at {}, which would not be the name at {} any more", lines(places), lines(uses);
    /// The old name stays at uses.
    KeptUses { name: String, places: Listing<Location> } MayLack,
        "`{name}` would stay, and leads to what is renamed, at {}", lines(places);
    /// The old name stays in related methods.
    KeptRelatives { name: String, kept: Kept, places: Listing<Location> } MayLack,
        "`{name}` would stay {kept}, at {}", lines(places);
    /// The new name exists already.
    NameTaken { name: String, places: Listing<Location> } MayLack,
        "`{name}` already stands at {}: what is renamed may come to mean that, or that this", lines(places);
    /// Files are left out of the edit because they are no UTF-8.
    NotUtf8 { paths: Listing<String> } MayLack,
        "{} {} left out, since the text is not UTF-8: change it yourself", names(paths), if paths.total() == 1 { "is" } else { "are" };
    /// Files on disk are not what was written.
    NotAsWritten { paths: Vec<String> } MayLack,
        "{} on disk is not what was written: unsaved, or changed by the editor", all(paths);
}

impl Reason {
    /// Returns the stable code of the kind of reason, as on the wire: `notLoaded`.
    pub fn code(&self) -> String {
        code_of(self.variant())
    }

    /// Returns the codes of all kinds of reasons, in the order of the table.
    pub fn codes() -> impl Iterator<Item = String> {
        ROWS.iter().map(|(name, ..)| code_of(name))
    }

    /// Returns whether the answer is incomplete for this reason.
    pub fn is_gap(&self) -> bool {
        self.weight() > Remark
    }

    /// Returns the text without the part that says why no server answers.
    pub fn without_server(&self) -> String {
        let text = self.to_string();
        let Some(why) = self.no_server().map(ToString::to_string) else { return text };
        text[why.len()..].trim_start_matches(". ").to_owned()
    }

    /// Returns why the syntax answers instead of a server, if it does.
    pub fn no_server(&self) -> Option<&NoServer> {
        match self {
            Self::FromSyntax { why }
            | Self::FromSyntaxAlone { why }
            | Self::UnseenCode { why }
            | Self::Occurrences { why, .. }
            | Self::NamesAlone { why }
            | Self::UninferredTypes { why } => Some(why),
            _ => None,
        }
    }
}

fn code_of(variant: &str) -> String {
    let mut code = variant.to_owned();
    code[..1].make_ascii_lowercase();
    code
}

impl JsonSchema for Reason {
    fn schema_name() -> Cow<'static, str> {
        "Reason".into()
    }

    /// A known code has its own fields. Others may come, so that only the code is required.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let code = |(name, meaning, fields): &(&str, &str, &[&str])| {
            let fields = fields.iter().map(|it| format!("`{}`", parts::camel(it)));
            let fields = fields.collect::<Vec<_>>().join(", ");
            let fields = if fields.is_empty() { fields } else { format!(" Fields: {fields}.") };
            json_schema!({ "const": code_of(name), "description": format!("{}{fields}", meaning.trim()) })
        };
        json_schema!({
            "description": "A reason why an answer is incomplete or unusual. The code says which; other fields belong to it.",
            "type": "object",
            "properties": {
                "code": {
                    "description": "The kind of reason. Readers take unknown ones from the `note`.",
                    "anyOf": ROWS.iter().map(code).chain([json_schema!({ "type": "string" })]).collect::<Vec<_>>(),
                },
            },
            "required": ["code"],
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_beyond_is_counted() {
        let list = |count| Listing::of(["a", "b", "c"].map(str::to_owned).into_iter().take(count), 2);
        for (count, expected) in [(0, ""), (1, "`a`"), (2, "`a`, `b`"), (3, "`a`, `b` and 1 more")] {
            assert_eq!(names(&list(count)), expected);
        }
    }

    #[test]
    fn words_follow_the_fields() {
        let place = |line| Location { path: "a.rs".into(), line: Line::from_index(line), column: None };
        let places = Listing::of([place(0)], 5);
        let left_out = |count| Reason::LesserKind {
            kind: "field".into(),
            name: "open".into(),
            count,
            places: places.clone(),
        };
        assert_eq!(left_out(1).to_string(), "a field `open` is left out: a.rs:1");
        assert_eq!(left_out(2).to_string(), "2 fields `open` are left out: a.rs:1");
        let why = NoServer { message: "ty is not ready".into(), install: None, retry: Some(Retry::Later) };
        let reason = Reason::Occurrences { why, name: "User".into(), is_cut: true };
        let occurrences = "These are the occurrences of `User` in code, also of other symbols with that name, and not all of them";
        assert_eq!(reason.to_string(), format!("ty is not ready; ask again in a while. {occurrences}"));
        assert_eq!((reason.without_server().as_str(), reason.weight()), (occurrences, Time));
        let gone = Reason::FoldersGone { paths: vec!["/a".into(), "/b".into()] };
        assert_eq!(
            gone.to_string(),
            "the session's folders `/a`, `/b` are gone (deleted, moved or not mounted)"
        );
    }

    #[test]
    fn the_wire_has_the_code_and_the_fields() {
        let reason = Reason::DiagnosticsLate { server: "ty".into(), files: 1, total: 2 };
        let json = json!({"code": "diagnosticsLate", "server": "ty", "files": 1, "total": 2});
        assert_eq!(serde_json::to_value(&reason).unwrap(), json);
        assert_eq!(json["code"], reason.code());
        assert_eq!(serde_json::from_value::<Reason>(json).unwrap(), reason);
        let codes: BTreeSet<_> = Reason::codes().collect();
        assert!(codes.contains("diagnosticsLate") && codes.len() == ROWS.len());
    }
}
