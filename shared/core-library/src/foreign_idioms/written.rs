//! The text of arguments.

use dialect::WrittenArguments;

pub(super) fn is_text(argument: &str) -> bool {
    argument.starts_with(['`', '"', '\''])
}

/// Returns the name between the quotes of a text.
pub(super) fn name_in(argument: &str) -> Option<&str> {
    let inside = argument.strip_prefix(['`', '"', '\''])?.strip_suffix(['`', '"', '\''])?;
    let inside = inside.strip_prefix('.').unwrap_or(inside);
    let is_name = inside.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '.');
    (is_name && inside.starts_with(char::is_alphabetic)).then_some(inside)
}

/// Returns the arguments of a call without named ones, if there are `N`.
pub(super) fn positional<'a, const N: usize>(written: &WrittenArguments<'a>) -> Option<[&'a str; N]> {
    if !written.named.is_empty() {
        return None;
    }
    <[&str; N]>::try_from(written.positional.as_slice()).ok()
}
