//! What shells, editors and other tools call it.

use dialect::Habit;

/// Calls and commands, and what to write instead; a hole holds the text of an argument.
const TEMPLATES: &[(&str, &str)] = &[
    ("search($pattern)", "search(`.`, $pattern)"),
    ("search(pattern=$pattern)", "search(`.`, $pattern)"),
    ("grep($pattern)", "search(`.`, $pattern)"),
    ("grep($pattern, $path)", "search($path, $pattern)"),
    ("rg($pattern)", "search(`.`, $pattern)"),
    ("rg($pattern, $path)", "search($path, $pattern)"),
    ("ag($pattern)", "search(`.`, $pattern)"),
    ("ag($pattern, $path)", "search($path, $pattern)"),
    ("findText($pattern)", "search(`.`, $pattern)"),
    ("searchText($pattern)", "search(`.`, $pattern)"),
    ("searchCode($pattern)", "search(`.`, $pattern)"),
    ("cat($path)", "source($path)"),
    ("open($path)", "source($path)"),
    ("read($path)", "source($path)"),
    ("view($path)", "source($path)"),
    ("readFile($path)", "source($path)"),
    ("getFile($path)", "source($path)"),
    ("openFile($path)", "source($path)"),
    ("fs.readFileSync($path)", "source($path)"),
    ("read($path, $first, $last)", "lines($path, $first, $last)"),
    ("readFile($path, $first, $last)", "lines($path, $first, $last)"),
    ("readLines($path, $first, $last)", "lines($path, $first, $last)"),
    ("definition($name)", "findDefinitions($name)"),
];

/// All habits.
pub(crate) fn rows() -> Vec<Habit> {
    TEMPLATES.iter().map(|(call, instead)| Habit::new(call, instead)).collect()
}
