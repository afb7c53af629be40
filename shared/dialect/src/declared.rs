//! Failures that rows declare: what callers should know of before they meet them.

use std::fmt;
use std::sync::Arc;

use crate::{Failure, Level};

/// A failure that a row speaks of, and what to do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredFailure {
    /// Its name: `RateLimitError`.
    pub name: String,
    /// What it carries, as a signature has it: `remaining: number, resetAt: number`; may be empty.
    pub carries: String,
    /// When it comes, in a sentence; may be empty.
    pub description: String,
    /// What it says, with `${…}` where it differs from time to time: `${remaining} requests are left.`
    pub message: String,
    /// What its reader can do, in the same way; empty when nothing is known to help.
    pub recovery: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// From when on, as an expression over what it carries: `resetAt + 1`; empty when it does not say.
    pub retry_after: String,
    /// What a user can be told, in the same way as `message`; may be empty.
    pub user_message: String,
    /// How often it is worth trying again.
    pub max_retries: Option<u64>,
}

/// What a program is told instead of a failure with which a row's code ended: the words of its declaration.
pub type Telling = Arc<dyn Fn(Failure) -> Failure + Send + Sync>;

/// `NotReady: A language server is loading. Wait a while. The same call may succeed later.` Without a description what
/// it says stands there, in quotes.
impl fmt::Display for DeclaredFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(Level::Detailed))
    }
}

impl DeclaredFailure {
    /// What is said of it: its name, then what to do about it, then all.
    pub(crate) fn told(&self, level: Level) -> String {
        if level < Level::Detailed {
            return self.name.clone();
        }
        let is_complete = level == Level::Complete;
        let carries = if is_complete && !self.carries.is_empty() {
            format!("({})", self.carries)
        } else {
            String::new()
        };
        let says = || crate::types::quoted(&seen(&self.message));
        let mut parts = vec![match (self.description.as_str(), self.message.as_str()) {
            ("", "") => String::new(),
            ("", _) => says(),
            (description, _) => description.to_owned(),
        }];
        if is_complete && !self.description.is_empty() && !self.message.is_empty() {
            parts.push(format!("It says {}.", says()));
        }
        parts.push(seen(&self.recovery));
        parts.extend(self.again());
        if is_complete && !self.user_message.is_empty() {
            parts.push(format!("The user may be told {}.", crate::types::quoted(&seen(&self.user_message))));
        }
        parts.retain(|it| !it.is_empty());
        let colon = if parts.is_empty() { "" } else { ": " };
        format!("{}{carries}{colon}{}", self.name, parts.join(" "))
    }

    /// Whether, when and how often to try once more.
    fn again(&self) -> Option<String> {
        if !self.retryable {
            return None;
        }
        let after = if self.retry_after.is_empty() { "" } else { ", after a time that it says" };
        let often = self.max_retries.map(|most| format!(" Try at most {most} times.")).unwrap_or_default();
        Some(format!("The same call may succeed later{after}.{often}"))
    }
}

/// A template before there is anything to fill it: each `${hole}` as `<hole>`.
fn seen(template: &str) -> String {
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
            seen("ask ${ host } in ${resetAt - now()} s, ${"),
            "ask <host> in <resetAt - now()> s, ${"
        );
    }
}
