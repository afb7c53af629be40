//! Two versions of a document: what changed, and which changes break callers.
//!
//! A parameter breaks callers if it takes less than before, a result if it may be more. Named types are compared once, in
//! the direction in which tools use them.

mod side;
mod subset;
mod tools;
mod types;

use ailang::Documents;
use dialect::Type;
use semver::Version;
use serde_json::{Value, json};
use side::Side;
use source_text::Span;
use subset::{Reason, excess};

/// The effect of a change on those who use the document; the later, the worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Impact {
    /// Words alone changed.
    Patch,
    /// There is more than before, and what was valid is valid.
    Minor,
    /// Calls, grants or handlers that were valid may fail.
    Major,
}

impl Impact {
    /// Returns the impact as versions name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

/// A change between two versions of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The effect on those who use the document.
    pub impact: Impact,
    /// The kind of change, for programs: `toolRemoved`, `parameterNarrowed`.
    pub rule: &'static str,
    /// The changed definition, and the part of it: `sendEmail.recipient`.
    pub subject: String,
    /// The change, in a sentence.
    pub message: String,
    /// The place in the new document, or in the old one of something that was removed.
    pub span: Span,
    /// `true` if the place is in the old document.
    pub in_old: bool,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The changes, the worst first.
    pub changes: Vec<Change>,
    /// The version of the old document.
    pub old: Option<Version>,
    /// The version of the new document.
    pub new: Option<Version>,
}

impl Comparison {
    /// Returns the worst impact; `None` without a change.
    pub fn impact(&self) -> Option<Impact> {
        self.changes.iter().map(|it| it.impact).max()
    }

    /// Returns the version that the changes ask for, if the old document has one. Before 1.0.0 the minor number
    /// counts breaking changes.
    pub fn suggested(&self) -> Option<Version> {
        let old = self.old.as_ref()?;
        let Some(impact) = self.impact() else { return Some(old.clone()) };
        let (major, minor, patch) = (old.major, old.minor, old.patch);
        Some(match (impact, major) {
            (Impact::Major, 1..) => Version::new(major + 1, 0, 0),
            (Impact::Major, 0) | (Impact::Minor, 1..) => Version::new(major, minor + 1, 0),
            (Impact::Minor, 0) | (Impact::Patch, _) => Version::new(major, minor, patch + 1),
        })
    }

    /// Returns `true` if the new document has at least the suggested version, or nothing is suggested.
    pub fn is_versioned(&self) -> bool {
        match (self.suggested(), &self.new) {
            (Some(suggested), Some(new)) => *new >= suggested,
            (Some(_), None) => false,
            (None, _) => true,
        }
    }

    /// Returns the comparison for programs. `place` returns a place of a change as JSON.
    pub fn to_json(&self, place: impl Fn(&Change) -> Value) -> Value {
        let change = |it: &Change| {
            json!({
                "impact": it.impact.name(), "rule": it.rule, "subject": it.subject, "message": it.message,
                "location": place(it),
            })
        };
        let text = |version: &Option<Version>| version.as_ref().map(ToString::to_string);
        json!({
            "breaking": self.impact() == Some(Impact::Major),
            "impact": self.impact().map(Impact::name),
            "oldVersion": text(&self.old),
            "newVersion": text(&self.new),
            "suggestedVersion": text(&self.suggested()),
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
        })
    }
}

/// Compares two versions of a document; `None` if one of them is missing.
pub fn compare(old: &Documents, old_path: &str, new: &Documents, new_path: &str) -> Option<Comparison> {
    let (old_home, new_home) = (old.index_of(old_path)?, new.index_of(new_path)?);
    let (old_table, new_table) = (ailang::names::SymbolTable::new(old), ailang::names::SymbolTable::new(new));
    let old = Side::new(&old_table, old_home)?;
    let new = Side::new(&new_table, new_home)?;
    let mut comparer = Comparer { old: &old, new: &new, changes: Vec::new() };
    comparer.tools();
    comparer.definitions();
    comparer.words();
    let mut changes = comparer.changes;
    changes.sort_by(|left, right| {
        right
            .impact
            .cmp(&left.impact)
            .then(left.in_old.cmp(&right.in_old))
            .then(left.span.start.cmp(&right.span.start))
    });
    changes.dedup();
    let version = |side: &Side<'_>| side.document.front_matter.version.as_ref().map(|it| it.value.clone());
    Some(Comparison { changes, old: version(&old), new: version(&new) })
}

/// A comparison in progress.
struct Comparer<'c, 'a> {
    old: &'c Side<'a>,
    new: &'c Side<'a>,
    changes: Vec<Change>,
}

impl Comparer<'_, '_> {
    fn removed(&mut self, impact: Impact, rule: &'static str, subject: &str, message: String, span: Span) {
        self.changes.push(Change { impact, rule, subject: subject.to_owned(), message, span, in_old: true });
    }

    fn changed(&mut self, impact: Impact, rule: &'static str, subject: &str, message: String, span: Span) {
        self.changes.push(Change { impact, rule, subject: subject.to_owned(), message, span, in_old: false });
    }

    /// Compares a type of both versions whose values go in a direction. `rules` are the names of a change that breaks
    /// callers, and of one that does not.
    fn typed(
        &mut self,
        direction: Direction,
        subject: &str,
        types: (&Type, &Type),
        span: Span,
        rules: (&'static str, &'static str),
    ) {
        let (old, new) = ((self.old, types.0), (self.new, types.1));
        // What was sent before the change is received after it, or the other way round.
        let (sent, received) = match direction {
            Direction::Given => (old, new),
            Direction::Received => (new, old),
        };
        let [breaking, more, less] = direction.words();
        let with = |words: Words| move |why: Reason| (why, words);
        let mut reasons: Vec<_> =
            excess(sent, received, direction.is_open()).into_iter().map(with(breaking)).collect();
        let is_breaking = !reasons.is_empty();
        let (impact, rule) = if is_breaking { (Impact::Major, rules.0) } else { (Impact::Minor, rules.1) };
        if !is_breaking {
            reasons.extend(excess(received, sent, false).into_iter().map(with(less)));
            // A new required field is one change: there are more fields, and fewer objects.
            let new = excess(sent, received, false).into_iter();
            let new: Vec<_> = new.filter(|it| reasons.iter().all(|(why, _)| why.path != it.path)).collect();
            reasons.extend(new.into_iter().map(with(more)));
        }
        for (why, words) in reasons {
            let subject = format!("{subject}{}", why.path);
            self.changed(impact, rule, &subject, why.words(words), span);
        }
    }
}

/// The direction in which values go.
#[derive(Clone, Copy)]
enum Direction {
    /// From callers to a tool.
    Given,
    /// From a tool to callers, who ignore fields that they do not know.
    Received,
}

/// The words before a type that has more values, and before the one that it is compared with.
type Words = (&'static str, &'static str);

impl Direction {
    fn is_open(self) -> bool {
        matches!(self, Self::Received)
    }

    /// Returns the words for a change that breaks callers, and for one that does not where there are more values and
    /// where there are less.
    fn words(self) -> [Words; 3] {
        match self {
            Self::Given => [("took", "now takes"), ("takes", "took only"), ("takes", "took only")],
            Self::Received => [("may be", "was always"), ("may be", "was"), ("was", "is always")],
        }
    }
}
