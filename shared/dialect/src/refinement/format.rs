//! Formats of text: email addresses, URLs and UUIDs.

/// Returns `true` for `local@label.label`, in ASCII.
pub(crate) fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_local = |char: char| char.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(char);
    let dots = !local.starts_with('.') && !local.ends_with('.') && !local.contains("..");
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
    };
    text.len() <= 254
        && !local.is_empty()
        && dots
        && local.chars().all(is_local)
        && domain.contains('.')
        && domain.split('.').all(is_label)
}

/// Returns `true` for `scheme:rest`, with a host if the scheme needs one.
pub(crate) fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|char: char| char.is_ascii_lowercase())
        && scheme
            .chars()
            .all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || "+.-".contains(char));
    let has_host = match rest.strip_prefix("//") {
        Some(behind) => !behind.is_empty() && (scheme == "file" || !behind.starts_with(['/', '?', '#', ':'])),
        None => !rest.is_empty() && !matches!(scheme, "http" | "https" | "ws" | "wss" | "ftp"),
    };
    is_scheme && has_host && !text.contains(|char: char| char.is_whitespace() || char.is_control())
}

/// Returns `true` for hexadecimal digits in groups of 8, 4, 4, 4 and 12.
pub(crate) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|it| it.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|it| it.chars().all(|char| char.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emails() {
        for text in ["a@b.co", "first.last+tag@sub.example.org"] {
            assert!(is_email(text), "{text}");
        }
        for text in
            ["a@b", "a@", "@b.co", "a b@c.de", ".a@b.co", "a..b@c.de", "a@-b.co", "ä@b.co", "a@b.co\n"]
        {
            assert!(!is_email(text), "{text}");
        }
    }

    #[test]
    fn urls() {
        for text in ["https://example.org/a?b#c", "file:///tmp", "mailto:a@b.co", "git+ssh://host/x"] {
            assert!(is_url(text), "{text}");
        }
        for text in
            ["example.org", "https:", "https://", "https:///x", "http:x", "://x", "HTTP://x", "https://a b"]
        {
            assert!(!is_url(text), "{text}");
        }
    }

    #[test]
    fn uuids() {
        assert!(is_uuid("123e4567-E89B-12d3-a456-426614174000"));
        assert!(!is_uuid("123e4567e89b12d3a456426614174000"));
        assert!(!is_uuid("123e4567-e89b-12d3-a456-42661417400g"));
    }
}
