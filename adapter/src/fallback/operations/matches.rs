//! Finds code that matches a structural pattern.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ide_protocol::{
    Completeness, Counted, ErrorCode, FileRange, IdeError, Listing, MatchesQuestion, MatchesResult,
    Operation, Reason, Source,
};
use syntax::{Language, Pattern, PatternError};

use super::files;
use super::handler::{Call, Handler};
use super::search::{HIT_LIMIT, left_out, root_of, starts};
use crate::fallback::session::completeness::Qualified;
use crate::fallback::source::languages;
use crate::fallback::source::languages::ids;
use crate::fallback::syntactic::code_pattern;
use crate::fallback::syntactic::code_pattern::{Doubt, PatternMatches, PatternQuery};
use crate::fallback::workspace::session_folders::{SessionFolders, SessionPath};
use crate::fallback::workspace::walk;

/// The maximum number of files that one reason names.
const NAMED_FILES: usize = 50;

pub(crate) struct Matches;

impl Handler for Matches {
    const OPERATION: Operation = Operation::Matches;
    type Question = MatchesQuestion;

    async fn answer(call: &Call, question: MatchesQuestion) -> Result<MatchesResult, IdeError> {
        call.walk(move |roots, deadline, cancelled| answer(roots, &question, deadline, cancelled)).await
    }
}

fn answer(
    roots: &SessionFolders,
    request: &MatchesQuestion,
    deadline: Instant,
    cancelled: &AtomicBool,
) -> Result<MatchesResult, IdeError> {
    let asked = request.language.as_deref().map(languages).transpose()?;
    let glob = files::glob(roots, &request.path)?;
    let places = starts(roots, if glob.is_some() { "." } else { &request.path })?;
    let patterns = patterns(&request.pattern, asked.as_deref(), &places, roots)?;
    let mut sum = Sum::default();
    for place in places.clone() {
        let root = root_of(roots, &place.path);
        let globbed = glob.as_deref().map(|it| files::matcher(&root, it)).transpose()?;
        let is_meant = |path: &Path| {
            let is_asked = asked.is_none() || is_of(path, request.language.as_deref(), asked.as_deref());
            is_asked && globbed.as_ref().is_none_or(|it| it.matched(path, false).is_whitelist())
        };
        let query = PatternQuery {
            roots,
            start: place.path,
            root,
            patterns: &patterns.compiled,
            is_meant: &is_meant,
            keep: HIT_LIMIT,
            deadline,
        };
        sum.add(roots, code_pattern::run(&query, cancelled));
    }
    Ok(sum.result(request, &patterns).noting(left_out(roots, &places)))
}

/// Returns the languages that a name selects. TypeScript has two grammars, and C headers are parsed as C++.
fn languages(named: &str) -> Result<Vec<Language>, IdeError> {
    let Some(language) = code_pattern::language(named) else {
        let all: Vec<_> = Language::all().map(|it| format!("`{}`", it.id())).collect();
        let message = format!("the syntax of `{named}` is not known");
        return Err(IdeError::new(ErrorCode::InvalidRequest, message)
            .recovery(format!("Known are {}; `search` finds text in all files.", all.join(", "))));
    };
    let too = match language.id() {
        ids::TYPESCRIPT => Language::of_id(ids::TSX),
        ids::C => Language::of_id(ids::CPP),
        _ => None,
    };
    Ok([Some(language), too].into_iter().flatten().collect())
}

/// Returns `true` if a file is in one of the languages. For C, of the C++ files only `.h` headers count.
fn is_of(path: &Path, named: Option<&str>, languages: Option<&[Language]>) -> bool {
    let is_c = named.and_then(code_pattern::language).is_some_and(|it| it.id() == ids::C);
    let is_header = || path.extension().is_some_and(|it| it == "h");
    languages::language_of(path).is_some_and(|it| {
        languages.is_none_or(|all| all.contains(&it)) && (!is_c || it.id() == ids::C || is_header())
    })
}

/// A pattern compiled for each language that can parse it.
struct Patterns {
    compiled: Vec<Pattern>,
    /// The parse errors, by name of the language that rejects the pattern.
    refused: BTreeMap<&'static str, PatternError>,
}

fn patterns(
    written: &str,
    asked: Option<&[Language]>,
    places: &[SessionPath],
    roots: &SessionFolders,
) -> Result<Patterns, IdeError> {
    let mut patterns = Patterns { compiled: Vec::new(), refused: BTreeMap::new() };
    let all: Vec<Language> = asked.map_or_else(|| Language::all().collect(), <[_]>::to_vec);
    for language in &all {
        match Pattern::new(*language, written) {
            Ok(pattern) => patterns.compiled.push(pattern),
            Err(error) => {
                patterns.refused.insert(language.name(), error);
            }
        }
    }
    if !patterns.compiled.is_empty() {
        return Ok(patterns);
    }
    let common = || all.iter().copied().max_by_key(|it| count(*it, places, roots));
    let language = if all.len() == 1 { all.first().copied() } else { common() };
    let name = language.map_or("Rust", Language::name);
    let error = patterns.refused.remove(name).unwrap_or(PatternError::SaysNothing);
    Err(no_pattern(written, name, &error))
}

/// Counts the files of a language among the first 2,000 files.
fn count(language: Language, places: &[SessionPath], roots: &SessionFolders) -> usize {
    let files = places.iter().flat_map(|it| walk::builder(&it.path, &root_of(roots, &it.path)).build());
    let files = files.filter_map(Result::ok).take(2_000);
    files.filter(|it| languages::language_of(it.path()) == Some(language)).count()
}

/// Returns an error that locates the fault in the pattern and suggests a correction.
fn no_pattern(written: &str, language: &str, error: &PatternError) -> IdeError {
    let (message, advice) = match error {
        PatternError::NoCode { at } => {
            let column = written.get(..*at).map_or(0, |it| it.chars().count()) + 1;
            let place =
                if *at == 0 { String::new() } else { format!(": it goes wrong at character {column}") };
            (
                format!("the pattern `{written}` is no code of {language}{place}"),
                "Write a whole expression, statement or item, with `$X` for one thing and `$$$` for any number of them: \
                 `foo($X, $$$)`, `if ($A) { $$$ }`. `search` finds text.",
            )
        }
        PatternError::SaysNothing => (
            format!("everything matches the pattern `{written}`"),
            "Write code around it: `foo($X)`, `$X.unwrap()`.",
        ),
        PatternError::TooLarge => {
            ("the pattern is too large".to_owned(), "Write a part of it, with `$$$` for what stands between.")
        }
        PatternError::PartOfText { .. } => (
            format!("in the pattern `{written}` {error}"),
            "Let it stand for the whole name or text, and look at what it stood for: \
             findCode(…).filter(m => m.bindings.X.contains(`…`)).",
        ),
    };
    IdeError::new(ErrorCode::InvalidRequest, message).recovery(advice)
}

/// The accumulated matches of all starting places.
#[derive(Default)]
struct Sum {
    finds: BTreeMap<String, Vec<FileRange>>,
    total: u64,
    files: u64,
    others: BTreeMap<&'static str, usize>,
    doubtful: BTreeMap<Doubt, Vec<String>>,
    stopped: bool,
}

impl Sum {
    fn add(&mut self, roots: &SessionFolders, found: PatternMatches) {
        self.total += found.total;
        self.files += found.files.values().sum::<u64>();
        for (language, count) in found.others {
            *self.others.entry(language).or_default() += count as usize;
        }
        for (path, doubt) in found.doubtful {
            self.doubtful.entry(doubt).or_default().push(roots.display_path(&path));
        }
        self.stopped |= found.stopped;
        let finds = found.finds.into_files().into_iter();
        self.finds.extend(finds.map(|(path, finds)| (roots.display_path(&path), finds)));
    }

    fn result(self, request: &MatchesQuestion, patterns: &Patterns) -> MatchesResult {
        MatchesResult {
            completeness: Completeness::with(Source("syntax".into()), self.reasons(request, patterns)),
            total: self.total,
            matches: self.finds.into_values().flatten().take(HIT_LIMIT).collect(),
        }
    }

    fn reasons(&self, request: &MatchesQuestion, patterns: &Patterns) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if self.stopped {
            reasons.push(Reason::TimeUp { files: self.files });
        }
        if self.total > HIT_LIMIT as u64 {
            reasons.push(Reason::MatchesCut { shown: HIT_LIMIT, total: self.total });
        }
        for (doubt, files) in &self.doubtful {
            let paths = Listing::of(files.iter().cloned(), NAMED_FILES);
            reasons.push(match doubt {
                Doubt::Unread => Reason::NotRead { paths },
                Doubt::Unparsed => Reason::TooLarge { paths },
                Doubt::Unfinished => Reason::ComparisonGivenUp { paths },
                Doubt::Torn => Reason::PartlyMatched { paths },
            });
        }
        if self.total == 0 {
            reasons.extend(self.nothing(request, patterns));
        }
        reasons
    }

    /// Explains an empty result, so that it is not read as "there is no such code".
    fn nothing(&self, request: &MatchesQuestion, patterns: &Patterns) -> Option<Reason> {
        let others = self.others.iter().filter(|(language, _)| patterns.refused.contains_key(*language));
        let counted = |(name, count): (&&str, &usize)| Counted { name: (*name).to_owned(), count: *count };
        let languages: Vec<_> = others.map(counted).collect();
        if !languages.is_empty() {
            return Some(Reason::OtherLanguages { languages });
        }
        (self.files == 0).then(|| {
            let known = Language::all().map(|it| it.name().to_owned()).collect();
            Reason::NothingMatched { path: request.path.clone(), known }
        })
    }
}

#[cfg(test)]
#[path = "matches_tests.rs"]
mod tests;
