//! Comparison of names: which are equal, and which are similar.

/// Returns the form in which names are compared: without case and underscores.
pub(crate) fn fold(name: &str) -> String {
    if name.is_ascii() {
        let mut folded = name.to_ascii_lowercase();
        folded.retain(|char| char != '_');
        return folded;
    }
    name.chars().filter(|char| *char != '_').flat_map(char::to_lowercase).collect()
}

/// Returns `true` if two names have the same [folded](fold) form.
pub(crate) fn is_same_name(a: &str, b: &str) -> bool {
    folded(a, |a| folded(b, |b| a == b))
}

/// Calls `look` with the folded name. A name in the usual spelling costs no allocation.
pub(crate) fn folded<T>(name: &str, look: impl FnOnce(&str) -> T) -> T {
    let mut buffer = [0; 64];
    if name.len() > buffer.len() || !name.is_ascii() {
        return look(&fold(name));
    }
    let bytes = name.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase());
    let length = buffer.iter_mut().zip(bytes).map(|(place, byte)| *place = byte).count();
    look(str::from_utf8(&buffer[..length]).expect("it is ASCII"))
}

/// Returns the names that `wanted` probably means, the closest first, at most three.
pub(crate) fn nearest<'name>(wanted: &str, names: impl IntoIterator<Item = &'name str>) -> Vec<&'name str> {
    let wanted = fold(wanted);
    let mut near: Vec<_> =
        names.into_iter().filter_map(|name| Some((distance(&wanted, &fold(name))?, name))).collect();
    near.sort();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Returns the only name that this can be a slip of: one letter too many, too few, changed, or swapped with
/// the next. Short names have no slips, because they are often words of their own.
pub(crate) fn slip<'name>(wanted: &str, names: impl IntoIterator<Item = &'name str>) -> Option<&'name str> {
    const LENGTH: usize = 6;
    let wanted = fold(wanted);
    let near = |name: &&str| is_short(name) && strsim::osa_distance(&wanted, &fold(name)) == 1;
    if wanted.chars().count() < LENGTH || !is_short(&wanted) {
        return None;
    }
    names.into_iter().find(near)
}

/// Returns `true` for names whose similarity is worth computing, which takes the product of their lengths.
fn is_short(name: &str) -> bool {
    const LONGEST: usize = 200;
    name.len() <= LONGEST
}

/// Returns the edits between two folded names, or `None` if these are too many for a slip.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    if !is_short(wanted) || !is_short(name) {
        return None;
    }
    let length = wanted.chars().count().max(name.chars().count());
    let edits = strsim::osa_distance(wanted, name);
    if 3 * edits <= length {
        return Some(edits);
    }
    // `references` for `findReferences`, `ext` for `extension`.
    let contained = wanted.len() >= 4 && name.contains(wanted) || name.len() >= 4 && wanted.contains(name);
    let abbreviates = wanted.len() >= 3 && name.starts_with(wanted);
    (contained || abbreviates).then_some(edits)
}

/// Returns the names that share most of their words with `wanted`: `getRefs` and `findReferences`.
pub(crate) fn akin<'name>(wanted: &str, names: impl IntoIterator<Item = &'name str>) -> Vec<&'name str> {
    let wanted = words(wanted);
    let total: usize = wanted.iter().map(String::len).sum();
    let shares = |name: &str| {
        let words = words(name);
        let akin = |word: &&String| {
            words.iter().any(|it| it.starts_with(word.as_str()) || word.starts_with(it.as_str()))
        };
        wanted.iter().filter(akin).map(String::len).sum::<usize>()
    };
    let mut found: Vec<_> = names.into_iter().map(|name| (shares(name), name)).collect();
    let most = found.iter().map(|(shared, _)| *shared).max().unwrap_or(0);
    found.retain(|(shared, _)| *shared == most && most > 0 && 2 * most >= total);
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Returns the words of a name in camel or snake case that have three letters or more, without a plural's
/// ending.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for char in name.chars() {
        if char.is_uppercase() || !char.is_alphanumeric() {
            words.push(String::new());
        }
        if char.is_alphanumeric() {
            words.last_mut().expect("it starts with one").extend(char.to_lowercase());
        }
    }
    let mut words: Vec<String> =
        words.into_iter().map(|word| word.trim_end_matches('s').to_owned()).collect();
    words.retain(|word| word.len() >= 3);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["findDefinitions", "findReferences", "search", "lines"];

    #[test]
    fn slips_are_near() {
        for (wanted, expected) in
            [("findReference", "findReferences"), ("serach", "search"), ("line", "lines")]
        {
            assert_eq!(nearest(wanted, NAMES.iter().copied()).first(), Some(&expected), "{wanted}");
        }
        assert!(nearest("grep", NAMES.iter().copied()).is_empty());
    }

    #[test]
    fn folding_is_the_same_however_it_is_done() {
        for name in ["", "_", "find_References", "größe_GROSS", &"Ab_".repeat(30)] {
            folded(name, |it| assert_eq!(it, fold(name)));
        }
        let names = [
            "",
            "_",
            "inside",
            "Inside",
            "in_side_",
            "insides",
            "size",
            "größe_GROSS",
            "GRÖSSEgross",
            "GRÖßegross",
        ];
        for (a, b) in names.iter().flat_map(|a| names.map(|b| (*a, b))) {
            assert_eq!(is_same_name(a, b), fold(a) == fold(b), "{a} {b}");
        }
    }

    #[test]
    fn names_of_the_same_words_are_akin() {
        for wanted in ["findRefs", "getReferences", "list_references", "referencesOf"] {
            assert_eq!(akin(wanted, NAMES.iter().copied()), ["findReferences"], "{wanted}");
        }
        assert_eq!(akin("gotoDefinition", NAMES.iter().copied()), ["findDefinitions"]);
        assert!(akin("hover", NAMES.iter().copied()).is_empty());
    }
}
