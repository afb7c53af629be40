//! The fields that all results share: the source of a result, and what it lacks. On the wire they are flattened into the
//! message, ahead of its own fields.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::reason::{Gap, Reason, Weight};

/// The coverage and source of a result. It is complete unless one of its reasons is a gap, so that silence means complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Completeness {
    /// The source of the result.
    pub source: Source,
    reasons: Vec<Reason>,
}

impl Completeness {
    /// Creates the completeness of a result that lacks nothing.
    pub fn complete(source: Source) -> Self {
        Self { source, reasons: Vec::new() }
    }

    /// Creates the completeness of a result for these reasons, each once.
    pub fn with(source: Source, reasons: impl IntoIterator<Item = Reason>) -> Self {
        let mut completeness = Self::complete(source);
        completeness.extend(reasons);
        completeness
    }

    /// Creates the completeness of a result, with the gaps before the remarks.
    pub fn gaps_first(source: Source, mut reasons: Vec<Reason>) -> Self {
        reasons.sort_by_key(|it| !it.is_gap());
        Self::with(source, reasons)
    }

    /// Merges the completeness of several results.
    pub fn merged<'a>(source: Source, results: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::with(source, results.into_iter().flat_map(Self::reasons).cloned())
    }

    /// Creates the completeness that an editor reports in its own words.
    pub fn reported(complete: bool, source: Source, note: Option<String>, gap: Option<Gap>) -> Self {
        let weight = if complete && gap.is_none() { Weight::Remark } else { Weight::of_gap(gap) };
        let reason = match note {
            Some(text) => Some(Reason::Note { text, weight }),
            None => (weight > Weight::Remark).then_some(Reason::Unsaid { weight }),
        };
        Self::with(source, reason)
    }

    /// Returns the reasons why the result is incomplete or unusual, in the order in which they are told.
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Adds reasons that the result does not have yet.
    pub fn extend(&mut self, reasons: impl IntoIterator<Item = Reason>) {
        for reason in reasons {
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
    }

    /// Puts a reason before the others.
    pub fn lead_with(&mut self, reason: Reason) {
        self.reasons.retain(|it| *it != reason);
        self.reasons.insert(0, reason);
    }

    /// Keeps the reasons for which `keep` holds.
    pub fn retain(&mut self, keep: impl FnMut(&Reason) -> bool) {
        self.reasons.retain(keep);
    }

    /// Returns false if there may be more: a server is still indexing, a fallback answered, a limit cut the result.
    pub fn is_complete(&self) -> bool {
        !self.reasons.iter().any(Reason::is_gap)
    }

    /// Returns the gravest cause of what is missing, if it is known that something is.
    pub fn gap(&self) -> Option<Gap> {
        self.reasons.iter().filter_map(|it| it.weight().gap()).max()
    }

    /// Returns the text of the reasons; `None` if there is nothing to say.
    pub fn note(&self) -> Option<String> {
        let said = self.reasons.iter().filter(|it| !matches!(it, Reason::Unsaid { .. }));
        let said: Vec<_> = said.map(ToString::to_string).collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

impl JsonSchema for Completeness {
    fn schema_name() -> Cow<'static, str> {
        Written::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Written::json_schema(generator)
    }
}

/// The fields of every result: how much it covers, and its source.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Completeness", rename_all = "camelCase")]
struct Written {
    /// False if there may be more: a server is still indexing, a fallback answered, a limit cut the result.
    complete: bool,
    /// The source of the result.
    source: Source,
    /// The reason why the result is incomplete or unusual, as one short sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The gravest cause of what is missing, if it is known that something is. A program may not decide on such a result:
    /// count it, or conclude that there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gap: Option<Gap>,
    /// The reasons of the note one by one, as data. Who gives them derives the other fields from them; who has only
    /// words leaves them out.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "known")]
    reasons: Vec<Reason>,
}

/// Reads reasons. If one is of a kind that is not known, the note has to stand for all of them.
fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Reason>, D::Error> {
    let all = Option::<Vec<Value>>::deserialize(from)?.unwrap_or_default();
    Ok(all.into_iter().map(serde_json::from_value).collect::<Result<_, _>>().unwrap_or_default())
}

impl From<Written> for Completeness {
    fn from(written: Written) -> Self {
        let Written { complete, source, note, gap, reasons } = written;
        if reasons.is_empty() {
            return Self::reported(complete, source, note, gap);
        }
        let mut completeness = Self::with(source, reasons);
        if !complete && completeness.is_complete() {
            completeness.extend([Reason::Unsaid { weight: Weight::of_gap(gap) }]);
        }
        completeness
    }
}

impl From<Completeness> for Written {
    fn from(completeness: Completeness) -> Self {
        let (complete, note, gap) = (completeness.is_complete(), completeness.note(), completeness.gap());
        let Completeness { source, reasons } = completeness;
        // A single note says no more than the other fields.
        let is_plain = matches!(&reasons[..], [Reason::Note { .. } | Reason::Unsaid { .. }]);
        Self { complete, source, note, gap, reasons: if is_plain { Vec::new() } else { reasons } }
    }
}

/// The source of a result, as text: `editor`, `language-server:rust-analyzer`, `syntax-index` (the definitions of all
/// files, before a server has loaded), `syntax`, `text`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Source(pub String);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(json: &Value) -> Completeness {
        serde_json::from_value(json.clone()).unwrap()
    }

    fn time_up() -> Reason {
        Reason::TimeUp { files: 12 }
    }

    #[test]
    fn what_an_editor_says_in_words_comes_back_as_it_was() {
        for json in [
            json!({"complete": true, "source": "editor"}),
            json!({"complete": true, "source": "editor", "note": "a; b. C"}),
            json!({"complete": false, "source": "editor"}),
            json!({"complete": false, "source": "editor", "note": "still indexing"}),
            json!({"complete": false, "source": "editor", "note": "cut", "gap": "limit"}),
            json!({"complete": false, "source": "editor", "gap": "time"}),
        ] {
            assert_eq!(serde_json::to_value(read(&json)).unwrap(), json);
        }
    }

    #[test]
    fn reasons_decide_and_the_rest_is_derived() {
        let remark = Reason::NotOwn { name: "User".into() };
        let some = Completeness::with(Source("syntax".into()), [remark.clone(), time_up(), remark]);
        let json = json!({
            "complete": false,
            "source": "syntax",
            "note": "`User` is not the workspace's own; the time was up after 12 files",
            "gap": "time",
            "reasons": [{"code": "notOwn", "name": "User"}, {"code": "timeUp", "files": 12}],
        });
        assert_eq!(serde_json::to_value(&some).unwrap(), json);
        assert_eq!(read(&json), some);
    }

    #[test]
    fn contradictions_count_as_incomplete_and_unknown_reasons_are_words() {
        let odd = read(&json!({"complete": true, "source": "editor", "gap": "failed"}));
        assert_eq!((odd.is_complete(), odd.gap(), odd.note()), (false, Some(Gap::Failed), None));
        let remark = json!([{"code": "notOwn", "name": "User"}]);
        let odd = read(&json!({"complete": false, "source": "editor", "reasons": remark}));
        assert_eq!((odd.is_complete(), odd.gap(), odd.reasons().len()), (false, None, 2));
        let newer = json!([{"code": "timeUp", "files": 12}, {"code": "newer", "by": 1}]);
        let json = json!({"complete": false, "source": "x", "note": "a; b", "gap": "time", "reasons": newer});
        let note = Reason::Note { text: "a; b".into(), weight: Weight::Time };
        assert_eq!(read(&json).reasons(), [note]);
    }
}
