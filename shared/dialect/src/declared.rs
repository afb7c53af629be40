//! Failures that rows declare, so that callers know of them beforehand.

use std::fmt;
use std::sync::Arc;

use crate::{Failure, Level};

/// A failure that a row declares, with advice on how to handle it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredFailure {
    /// The name by which programs tell failures apart: `RateLimitError`.
    pub name: String,
    /// The data that it carries, as parameters of a signature: `remaining: number, resetAt: number`; may be
    /// empty.
    pub carries: String,
    /// The cause, in a sentence; may be empty.
    pub description: String,
    /// The message, with `${…}` for the parts that vary: `${remaining} requests are left.`
    pub message: String,
    /// Advice for the reader, a template as well; may be empty.
    pub recovery: String,
    /// `true` if the same call may succeed later.
    pub retryable: bool,
    /// The time from which on to retry, as an expression over the data: `resetAt + 1`; may be empty.
    pub retry_after: String,
    /// The message for the user, a template as well; may be empty.
    pub user_message: String,
    /// The number of retries that are worthwhile.
    pub max_retries: Option<u64>,
}

/// Replaces a failure of a row's code by one with the words of its declaration.
pub type ErrorTemplate = Arc<dyn Fn(Failure) -> Failure + Send + Sync>;

/// Writes `NotReady: A language server is loading. Wait a while. The same call may succeed later.` Without a
/// description, the message stands there in quotes.
impl fmt::Display for DeclaredFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(Level::Detailed))
    }
}

impl DeclaredFailure {
    /// Describes the failure: its name, then advice, then everything, depending on the level.
    pub(crate) fn describe(&self, level: Level) -> String {
        if level < Level::Detailed {
            return self.name.clone();
        }
        let is_complete = level == Level::Complete;
        let carries = if is_complete && !self.carries.is_empty() {
            format!("({})", self.carries)
        } else {
            String::new()
        };
        let says = || crate::quote::quoted(&with_placeholders(&self.message));
        let mut parts = vec![match (self.description.as_str(), self.message.as_str()) {
            ("", "") => String::new(),
            ("", _) => says(),
            (description, _) => description.to_owned(),
        }];
        if is_complete && !self.description.is_empty() && !self.message.is_empty() {
            parts.push(format!("It says {}.", says()));
        }
        parts.push(with_placeholders(&self.recovery));
        parts.extend(self.retry_advice());
        if is_complete && !self.user_message.is_empty() {
            parts.push(format!(
                "The user may be told {}.",
                crate::quote::quoted(&with_placeholders(&self.user_message))
            ));
        }
        parts.retain(|it| !it.is_empty());
        let colon = if parts.is_empty() { "" } else { ": " };
        format!("{}{carries}{colon}{}", self.name, parts.join(" "))
    }

    /// Returns advice on retrying, if a retry may help.
    fn retry_advice(&self) -> Option<String> {
        if !self.retryable {
            return None;
        }
        let after = if self.retry_after.is_empty() { "" } else { ", after a time that it says" };
        let often = self.max_retries.map(|most| format!(" Try at most {most} times.")).unwrap_or_default();
        Some(format!("The same call may succeed later{after}.{often}"))
    }
}

/// Returns a template for display, with each `${hole}` as `<hole>`.
fn with_placeholders(template: &str) -> String {
    let mut parts = template.split("${");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}') {
            Some((hole, rest)) => text.push_str(&format!("<{}>{rest}", hole.trim())),
            None => text.push_str(&format!("${{{part}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_seen_as_what_will_fill_them() {
        assert_eq!(
            with_placeholders("ask ${ host } in ${resetAt - now()} s, ${"),
            "ask <host> in <resetAt - now()> s, ${"
        );
    }
}
