//! The imports and helpers of generated code, of which a file has those that it uses.

use crate::generate::helpers::{mentions, needed, without_texts};

/// The packages of the standard library that code may use.
const PACKAGES: &[&str] = &[
    "context",
    "encoding/json",
    "errors",
    "fmt",
    "math",
    "math/big",
    "regexp",
    "slices",
    "strconv",
    "strings",
    "sync",
    "time",
    "unicode/utf8",
];

/// Returns the imports and the helpers that code needs. It ignores unknown fields in results if it `is_lenient`.
pub(super) fn head(code: &str, is_lenient: bool) -> String {
    let helpers = needed(&of_mode(include_str!("helpers.txt"), is_lenient), code);
    let text = without_texts(&format!("{helpers}\n{code}"));
    let is_used = |package: &str| {
        let name = package.rsplit('/').next().unwrap_or_default();
        mentions(&text, &format!("{name}."))
    };
    let packages: Vec<&str> = PACKAGES.iter().copied().filter(|it| is_used(it)).collect();
    let imports = match &packages[..] {
        [] => String::new(),
        [only] => format!("import \"{only}\"\n\n"),
        all => format!("import (\n{})\n\n", all.iter().map(|it| format!("\t\"{it}\"\n")).collect::<String>()),
    };
    let gap = if helpers.is_empty() { "" } else { "\n" };
    format!("{imports}{helpers}{gap}")
}

/// Returns the helpers of code that ignores unknown fields in results, or those of code that has no results.
fn of_mode(helpers: &str, is_lenient: bool) -> String {
    let (own, other) = if is_lenient { (" //lenient", " //strict") } else { (" //strict", " //lenient") };
    let lines = helpers.lines().filter(|it| !it.ends_with(other));
    lines.map(|it| format!("{}\n", it.strip_suffix(own).unwrap_or(it))).collect()
}
