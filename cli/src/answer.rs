//! The answer of a program, for people and for scripts.

mod screen;

use std::process::ExitCode;

use serde_json::{Value, json};
use source_text::visible_json;

use crate::failure::Failure;
use crate::output::{complain, say, say_safe};
pub(crate) use screen::{Screen, Shown};

const USAGE: u8 = 2;
const AMBIGUOUS: u8 = 3;

/// The answer of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    kind: Kind,
    /// The value as JSON, or the message.
    text: String,
    notes: Vec<String>,
    /// The candidates of an ambiguity: objects with a description and a program.
    candidates: Value,
    /// The reasons in the notes: objects with a code, and whether it is a gap.
    reasons: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Success,
    Failure,
    Ambiguity,
    /// A command line without a program or a workspace that could be used.
    Usage,
}

impl Answer {
    /// Returns the answer of a tool call, whose result has the form of MCP.
    pub(crate) fn of(result: &Value) -> Self {
        let kind = match result["_meta"]["dialect/outcome"].as_str() {
            Some("success") => Kind::Success,
            Some("ambiguity") => Kind::Ambiguity,
            _ => Kind::Failure,
        };
        let blocks = result["content"].as_array().into_iter().flatten();
        let mut blocks = blocks.filter_map(|it| it["text"].as_str()).map(str::to_owned);
        let (text, notes) = (blocks.next().unwrap_or_default(), blocks.collect());
        let meta = |key: &str| result["_meta"][key].clone();
        let (candidates, reasons) = (meta("dialect/candidates"), meta("dialect/reasons"));
        Self { kind, text, notes, candidates, reasons }
    }

    /// Returns an answer for what went wrong outside of the program.
    pub(crate) fn failure(message: impl Into<String>) -> Self {
        let (notes, candidates, reasons) = (Vec::new(), Value::Null, Value::Null);
        Self { kind: Kind::Failure, text: message.into(), notes, candidates, reasons }
    }

    /// Returns an answer for a command line that cannot be used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, ..Self::failure(message) }
    }

    /// Prints the value to standard output, and notes or an error to standard error. As JSON, all of it is one object
    /// on standard output. Returns the exit code.
    pub(crate) fn print(&self, as_json: bool) -> Result<ExitCode, Failure> {
        if as_json {
            say(&visible_json(&self.to_json().to_string()))?;
        } else if self.kind == Kind::Success {
            say(&readable(&self.text))?;
            self.complain_notes();
        } else {
            complain(&self.text);
            self.complain_notes();
        }
        Ok(self.exit_code())
    }

    /// Prints the answer as people read it on a terminal: what fits of the value, or what a name is bound to. Returns
    /// the value in lines.
    pub(crate) fn print_on(&self, screen: &Screen, name: Option<&str>) -> Result<Shown, Failure> {
        if self.kind != Kind::Success {
            complain(&self.text);
            self.complain_notes();
            return Ok(Shown::default());
        }
        let value = serde_json::from_str(&self.text).unwrap_or_else(|_| json!(self.text));
        let shown = screen.shown(&value);
        match name {
            Some(name) => say_safe(&screen.bound(name, &value))?,
            None => say_safe(&screen.fitting(&shown))?,
        }
        self.complain_notes();
        Ok(shown)
    }

    fn complain_notes(&self) {
        self.notes.iter().for_each(|note| complain(note));
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.kind {
            Kind::Success => ExitCode::SUCCESS,
            Kind::Failure => ExitCode::FAILURE,
            Kind::Usage => ExitCode::from(USAGE),
            Kind::Ambiguity => ExitCode::from(AMBIGUOUS),
        }
    }

    /// Returns the outcome as one object.
    pub(crate) fn to_json(&self) -> Value {
        let Self { text, notes, candidates, reasons, .. } = self;
        let mut outcome = match self.kind {
            Kind::Success => {
                let value: Value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
                let mut outcome = json!({"outcome": "success", "value": value, "notes": notes});
                if !reasons.is_null() {
                    outcome["reasons"] = reasons.clone();
                }
                return outcome;
            }
            Kind::Ambiguity => json!({"outcome": "ambiguity", "message": text, "candidates": candidates}),
            Kind::Failure | Kind::Usage => json!({"outcome": "failure", "message": text}),
        };
        if !notes.is_empty() {
            outcome["notes"] = json!(notes);
        }
        outcome
    }
}

/// Returns an answer for a pipe. A text stands as it is.
fn readable(answer: &str) -> String {
    match serde_json::from_str(answer) {
        Ok(Value::String(text)) => text,
        _ => answer.to_owned(),
    }
}

/// Returns JSON formatted as a program, since JSON is one.
fn laid_out(answer: &str) -> String {
    match dialect::format(answer) {
        Ok(text) => text.trim_end().to_owned(),
        Err(_) => answer.to_owned(), // deeper or longer than a program may be
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(outcome: &str, text: &str) -> Answer {
        let candidates =
            json!([{"description": "one", "program": "1"}, {"description": "two", "program": "2"}]);
        let meta = json!({"dialect/outcome": outcome, "dialect/candidates": candidates});
        Answer::of(&json!({"content": [{"type": "text", "text": text}, {"text": "cut"}], "_meta": meta}))
    }

    #[test]
    fn the_outcome_is_the_exit_code() {
        let code = |outcome: &str| format!("{:?}", answer(outcome, "1").exit_code());
        assert_eq!(code("success"), format!("{:?}", ExitCode::SUCCESS));
        assert_eq!(code("failure"), format!("{:?}", ExitCode::FAILURE));
        assert_eq!(code("ambiguity"), format!("{:?}", ExitCode::from(3)));
        assert_eq!(format!("{:?}", Answer::usage("").exit_code()), format!("{:?}", ExitCode::from(2)));
    }

    #[test]
    fn people_read_a_text_as_it_is() {
        assert_eq!(readable(r#""a.rs:1: x\nb.rs:2: y""#), "a.rs:1: x\nb.rs:2: y");
        assert_eq!(readable(r#"[{"a":1}]"#), r#"[{"a":1}]"#);
        let wide = format!("[{}]", ["\"some text of a list\""; 6].join(","));
        assert_eq!(laid_out(&wide).lines().count(), 8);
    }

    #[test]
    fn machines_read_the_value_or_the_candidates() {
        let value = answer("success", "[1]").to_json();
        assert_eq!(value, json!({"outcome": "success", "value": [1], "notes": ["cut"]}));
        let reasons = json!([{"code": "timeUp", "gap": true}]);
        let late = Answer { reasons: reasons.clone(), ..answer("success", "[1]") }.to_json();
        assert_eq!(late["reasons"], reasons);
        let failed = answer("failure", "no such thing").to_json();
        assert_eq!(failed, json!({"outcome": "failure", "message": "no such thing", "notes": ["cut"]}));
        let asked = answer("ambiguity", "Which?").to_json();
        assert_eq!((&asked["message"], &asked["candidates"][1]["program"]), (&json!("Which?"), &json!("2")));
    }
}
