//! Foreign idioms: calls of other languages, with the replacement in Dialect.
//!
//! A function that differs only in its name is a foreign name in its row.

mod lambda;
mod slice;
mod written;

use dialect::ForeignIdiom;
use written::{is_text, positional};

/// Calls with their replacements; a hole stands for the text of an argument.
const TEMPLATES: &[(&str, &str)] = &[
    // Longer lists
    ("flatMap($xs, $f)", "flatten(map($xs, $f))"),
    ("mapcat($f, $xs)", "flatten(map($xs, $f))"),
    ("selectMany($xs, $f)", "flatten(map($xs, $f))"),
    ("push($xs, $item)", "[...$xs, $item]"),
    ("append($xs, $item)", "[...$xs, $item]"),
    ("add($xs, $item)", "[...$xs, $item]"),
    ("prepend($xs, $item)", "[$item, ...$xs]"),
    ("unshift($xs, $item)", "[$item, ...$xs]"),
    ("extend($xs, $ys)", "[...$xs, ...$ys]"),
    ("union($xs, $ys)", "unique([...$xs, ...$ys])"),
    ("intersection($xs, $ys)", "$xs.filter(x => contains($ys, x))"),
    ("intersect($xs, $ys)", "$xs.filter(x => contains($ys, x))"),
    ("difference($xs, $ys)", "$xs.filter(x => !contains($ys, x))"),
    ("enumerate($xs)", "$xs.map((x, i) => [i, x])"),
    ("zip($xs, $ys)", "take($xs, count($ys)).map((x, i) => [x, get($ys, i)])"),
    // Parts
    ("at($xs, $i)", "$xs[$i]"),
    ("nth($xs, $i)", "$xs[$i]"),
    ("elementAt($xs, $i)", "$xs[$i]"),
    ("entries($o)", "keys($o).map(k => [k, get($o, k)])"),
    ("items($o)", "keys($o).map(k => [k, get($o, k)])"),
    ("Object.entries($o)", "keys($o).map(k => [k, get($o, k)])"),
    ("splitlines($text)", "split($text, \"\\n\")"),
    ("then($x, $f)", "let($x, $f)"),
    ("pipe($x, $f)", "let($x, $f)"),
    // No-ops
    ("list($xs)", "$xs"),
    ("tuple($xs)", "$xs"),
    ("iter($xs)", "$xs"),
    ("collect($xs)", "$xs"),
    ("toList($xs)", "$xs"),
    ("toArray($xs)", "$xs"),
    ("copy($xs)", "$xs"),
    ("Array.from($xs)", "$xs"),
    ("Promise.all($xs)", "$xs"),
    // Operators
    ("isEmpty($xs)", "(count($xs) == 0)"),
    ("empty($xs)", "(count($xs) == 0)"),
    ("isNotEmpty($xs)", "(count($xs) > 0)"),
    ("nonEmpty($xs)", "(count($xs) > 0)"),
    ("isNull($x)", "($x == null)"),
    ("isNone($x)", "($x == null)"),
    ("isSome($x)", "($x != null)"),
    ("equals($x, $y)", "($x == $y)"),
    ("eq($x, $y)", "($x == $y)"),
    ("not($x)", "!($x)"),
    ("none($xs, $f)", "!any($xs, $f)"),
    ("in($item, $xs)", "contains($xs, $item)"),
    ("isIn($item, $xs)", "contains($xs, $item)"),
    ("abs($x)", "($x < 0 ? -($x) : $x)"),
    ("Math.abs($x)", "($x < 0 ? -($x) : $x)"),
    // Numbers
    ("max($a, $b)", "max([$a, $b])"),
    ("min($a, $b)", "min([$a, $b])"),
    ("max($a, $b, $c)", "max([$a, $b, $c])"),
    ("min($a, $b, $c)", "min([$a, $b, $c])"),
    ("Math.max($a, $b)", "max([$a, $b])"),
    ("Math.min($a, $b)", "min([$a, $b])"),
    ("Math.max($a, $b, $c)", "max([$a, $b, $c])"),
    ("Math.min($a, $b, $c)", "min([$a, $b, $c])"),
    ("average($xs)", "(sum($xs) / count($xs))"),
    ("avg($xs)", "(sum($xs) / count($xs))"),
    ("mean($xs)", "(sum($xs) / count($xs))"),
    ("sumBy($xs, $f)", "sum(map($xs, $f))"),
    ("countBy($xs, $f)", "let(groupBy($xs, $f), g => keys(g).map(k => [k, count(get(g, k))]))"),
    ("tally($xs)", "let(groupBy($xs, x => x), g => keys(g).map(k => [k, count(get(g, k))]))"),
    ("Counter($xs)", "let(groupBy($xs, x => x), g => keys(g).map(k => [k, count(get(g, k))]))"),
    ("wc($xs)", "count($xs)"),
    // Order
    ("sorted($xs, key=$f)", "sortBy($xs, $f)"),
    ("sorted($xs, key=$f, reverse=$down)", "sortBy($xs, $f, $down)"),
    ("sorted($xs, reverse=$down)", "sort($xs, $down)"),
    ("sort($xs, key=$f)", "sortBy($xs, $f)"),
    ("sort($xs, key=$f, reverse=$down)", "sortBy($xs, $f, $down)"),
    ("sort($xs, reverse=$down)", "sort($xs, $down)"),
    ("sortBy($xs, $f, reverse=$down)", "sortBy($xs, $f, $down)"),
    ("sortDescending($xs)", "sort($xs, true)"),
    ("sortByDescending($xs, $f)", "sortBy($xs, $f, true)"),
    ("orderByDescending($xs, $f)", "sortBy($xs, $f, true)"),
    ("min($xs, key=$f)", "min($xs, $f)"),
    ("max($xs, key=$f)", "max($xs, $f)"),
    // Patterns
    ("re.search($pattern, $text)", "matches($text, $pattern)"),
    ("re.sub($pattern, $by, $text)", "replace($text, $pattern, $by, regex=true)"),
];

pub(crate) fn rows() -> Vec<ForeignIdiom> {
    let templates = TEMPLATES.iter().map(|(call, instead)| ForeignIdiom::new(call, instead));
    templates
        .chain(slice::rows())
        .chain(lambda::rows())
        .chain([join(), concat(), matched_at_start(), replaced_pattern()])
        .collect()
}

/// Rewrites `", ".join(xs)`.
fn join() -> ForeignIdiom {
    ForeignIdiom::from_fn("join", |written| match written.positional.as_slice() {
        [separator, list] if is_text(separator) && !is_text(list) => {
            Some(format!("join({list}, {separator})"))
        }
        _ => None,
    })
}

/// Rewrites `re.match("a+", text)`, which looks at the start alone.
fn matched_at_start() -> ForeignIdiom {
    ForeignIdiom::from_fn("re.match", |written| {
        let [pattern, text] = positional(written)?;
        let quote = pattern.chars().next().filter(|_| is_text(pattern))?;
        let inside = pattern.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(format!("matches({text}, {quote}^(?:{inside}){quote})"))
    })
}

/// Rewrites ``text.replace(`\s+`, ` `)``, whose part is plainly a pattern, and would be looked for literally.
fn replaced_pattern() -> ForeignIdiom {
    let idiom = ForeignIdiom::from_fn("replace", |written| {
        let [text, part, by] = positional(written)?;
        let quote = part.chars().next().filter(|_| is_text(part))?;
        let inside = part.strip_prefix(quote)?.strip_suffix(quote)?;
        is_pattern(inside).then(|| format!("replace({text}, {part}, {by}, regex=true)"))
    });
    idiom.preceding()
}

/// Returns `true` for a text that is hardly anything but a regular expression.
fn is_pattern(text: &str) -> bool {
    let is_class = |it: char| matches!(it, 's' | 'S' | 'd' | 'D' | 'w' | 'W' | 'b' | 'B');
    let is_mark = |it: char| ".()[]{}+*?|^$".contains(it);
    let escapes = text.match_indices('\\').filter_map(|(at, _)| text[at + 1..].chars().next());
    let repeats = [".*", ".+", "]+", "]*", ")+", ")*", "(?", "[^"].iter().any(|it| text.contains(it));
    { escapes }.any(|it| is_class(it) || is_mark(it)) || repeats || text.starts_with('^') && text.len() > 1
}

/// Rewrites `xs.concat(ys)` to one list, or one text.
fn concat() -> ForeignIdiom {
    ForeignIdiom::from_fn("concat", |written| {
        let parts = written.positional.as_slice();
        if parts.len() < 2 {
            return None;
        }
        if parts.iter().any(|it| is_text(it)) {
            return Some(format!("({})", parts.join(" + ")));
        }
        Some(format!("[...{}]", parts.join(", ...")))
    })
}
