//! Names that shells, editors and other tools have for the functions.

use dialect::ForeignIdiom;

/// Foreign calls and commands with their replacements; a hole holds the text of an argument.
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
    ("findDefinitions($name, $path)", "findDefinitions(symbol($name, $path))"),
    ("findDefinition($name, $path)", "findDefinition(symbol($name, $path))"),
    ("findReferences($path, $line, $column)", "findReferences(location($path, $line, $column))"),
    ("findDefinition($path, $line, $column)", "findDefinition(location($path, $line, $column))"),
    ("findDefinitions($path, $line, $column)", "findDefinitions(location($path, $line, $column))"),
    ("source($path, $first, $last)", "source(lines($path, $first, $last))"),
    ("ls()", "files(`.`)"),
    ("tree()", "files(`.`)"),
    ("files()", "files(`.`)"),
    ("findSymbols($path, $query, $kind)", "findSymbols($query, $path)"),
    ("sed($lines, $path)", "source($path)"),
    ("head($path)", "lines($path, 1, 10)"),
    ("less($path)", "source($path)"),
];

/// Returns the foreign idiom of giving a name and its file, in either order: ``findReferences(`src/auth.rs`, `User`)``.
fn pinned() -> ForeignIdiom {
    ForeignIdiom::from_fn("findReferences", |written| {
        let [one, other] = <[&str; 2]>::try_from(written.positional.as_slice()).ok()?;
        let is_text = |it: &str| it.starts_with(['`', '"', '\'']);
        let is_path = |it: &str| it.contains(['/', '.']);
        if !written.named.is_empty() || !is_text(one) || !is_text(other) || is_path(one) == is_path(other) {
            return None;
        }
        let (name, path) = if is_path(one) { (other, one) } else { (one, other) };
        Some(format!("findReferences(symbol({name}, {path}))"))
    })
}

/// Returns all foreign idioms.
pub(crate) fn rows() -> Vec<ForeignIdiom> {
    let templates = TEMPLATES.iter().map(|(call, instead)| ForeignIdiom::new(call, instead));
    templates.chain([pinned()]).collect()
}
