//! The forms of text that have names, as patterns: exactly those that `Refinement::holds` accepts, without anything
//! that patterns of other languages lack.

/// Digits in groups of 8, 4, 4, 4 and 12.
pub(super) const UUID: &str = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$";

/// A URL of a scheme that has hosts, and without `//`.
pub(super) const WITHOUT_HOST: &str = "^(https?|wss?|ftp):(/?$|/?[^/])";

/// Blanks and characters that control, in a class.
const BLANK: &str = "\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/// `local@label.label`; that it is short is another keyword's.
pub(super) fn email() -> String {
    let local = "[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+";
    let label = "[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?";
    format!("^{local}(\\.{local})*@{label}(\\.{label})+$")
}

/// `scheme:rest`, and a host behind `//`, which only files need none of.
pub(super) fn url() -> String {
    let scheme = "[a-z][a-z0-9+.-]*";
    let rest = format!("[^{BLANK}]");
    let host = format!("//[^/?#:{BLANK}]{rest}*");
    let path = format!("(/?[^/{BLANK}]{rest}*|/)");
    format!("^(file://{rest}+|{scheme}:({host}|{path}))$")
}

/// A pattern of that very text.
pub(super) fn escaped(text: &str) -> String {
    let is_syntax = |char: &char| "^$\\.*+?()[]{}|".contains(*char);
    text.chars().flat_map(|char| is_syntax(&char).then_some('\\').into_iter().chain([char])).collect()
}
