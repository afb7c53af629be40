//! `import`, `export … from`, `require` and lists of exports in TypeScript and JavaScript.

use tree_sitter::Node;

use super::{ExportList, Import, ImportedName, children};
use crate::Parsed;
use crate::parsed::span;

pub(super) fn imports(parsed: &Parsed<'_>) -> Vec<Import> {
    let mut found = Vec::new();
    parsed.each_node(|node| {
        let import = match node.kind() {
            "import_statement" => statement(parsed, &node),
            "export_statement" => export(parsed, &node),
            "call_expression" => call(parsed, &node),
            _ => None,
        };
        found.extend(import);
    });
    found
}

fn import(
    parsed: &Parsed<'_>,
    source: &Node<'_>,
    names: Vec<ImportedName>,
    is_exported: bool,
) -> Option<Import> {
    let text = parsed.text_of(source).trim();
    let module = text.strip_prefix(['"', '\'', '`'])?.strip_suffix(['"', '\'', '`'])?;
    let is_computed = source.kind() == "template_string" && module.contains("${");
    (!is_computed).then(|| Import {
        module: module.to_owned(),
        at: span(source),
        names,
        is_exported,
        around: Vec::new(),
    })
}

fn statement(parsed: &Parsed<'_>, node: &Node<'_>) -> Option<Import> {
    let mut names = Vec::new();
    let mut source = node.child_by_field_name("source");
    for clause in children(node) {
        match clause.kind() {
            "import_clause" => {
                for it in children(&clause) {
                    match it.kind() {
                        "identifier" => names.push(aliased(parsed, "default", &it)),
                        "namespace_import" => {
                            names.extend(children(&it).first().map(|it| aliased(parsed, "*", it)));
                        }
                        _ => names.extend(specifiers(parsed, &it)),
                    }
                }
            }
            "import_require_clause" => {
                source = clause.child_by_field_name("source");
                names.extend(children(&clause).first().map(|it| aliased(parsed, "*", it)));
            }
            _ => {}
        }
    }
    import(parsed, &source?, names, false)
}

fn export(parsed: &Parsed<'_>, node: &Node<'_>) -> Option<Import> {
    let source = node.child_by_field_name("source")?;
    let mut names = Vec::new();
    for it in children(node) {
        match it.kind() {
            "export_clause" => names.extend(specifiers(parsed, &it)),
            "namespace_export" => names.extend(children(&it).first().map(|it| aliased(parsed, "*", it))),
            _ => {}
        }
    }
    let mut cursor = node.walk();
    let star = node.children(&mut cursor).find(|it| it.kind() == "*");
    names.extend(star.map(|it| ImportedName { name: "*".to_owned(), alias: None, at: span(&it) }));
    import(parsed, &source, names, true)
}

/// Reads `require("module")` and `import("module")`.
fn call(parsed: &Parsed<'_>, node: &Node<'_>) -> Option<Import> {
    let function = node.child_by_field_name("function")?;
    if !matches!(parsed.text_of(&function), "require" | "import") {
        return None;
    }
    let source = node.child_by_field_name("arguments")?.named_child(0)?;
    if !matches!(source.kind(), "string" | "template_string") {
        return None;
    }
    let declared = node.parent().filter(|it| it.kind() == "variable_declarator");
    let names =
        declared.and_then(|it| it.child_by_field_name("name")).map_or_else(Vec::new, |pattern| match pattern
            .kind()
        {
            "identifier" => vec![aliased(parsed, "*", &pattern)],
            _ => children(&pattern).iter().filter_map(|it| taken(parsed, it)).collect(),
        });
    import(parsed, &source, names, false)
}

/// Reads an entry of `const { name, name: other } = require(…)`.
fn taken(parsed: &Parsed<'_>, node: &Node<'_>) -> Option<ImportedName> {
    match node.kind() {
        "shorthand_property_identifier_pattern" => Some(plain(parsed, node)),
        "pair_pattern" => {
            let (key, value) = node.child_by_field_name("key").zip(node.child_by_field_name("value"))?;
            Some(aliased(parsed, parsed.text_of(&key), &value))
        }
        _ => None,
    }
}

/// Reads the entries of `{ name, name as other }`.
fn specifiers(parsed: &Parsed<'_>, list: &Node<'_>) -> Vec<ImportedName> {
    let mut names = Vec::new();
    for it in children(list) {
        let Some(name) = it.child_by_field_name("name") else { continue };
        names.push(match it.child_by_field_name("alias") {
            Some(alias) => aliased(parsed, parsed.text_of(&name), &alias),
            None => plain(parsed, &name),
        });
    }
    names
}

fn plain(parsed: &Parsed<'_>, node: &Node<'_>) -> ImportedName {
    ImportedName { name: parsed.text_of(node).to_owned(), alias: None, at: span(node) }
}

fn aliased(parsed: &Parsed<'_>, name: &str, alias: &Node<'_>) -> ImportedName {
    let alias_text = parsed.text_of(alias).to_owned();
    ImportedName { name: name.to_owned(), alias: Some(alias_text), at: span(alias) }
}

/// Reads `export { name as other }` and `export default name`.
pub(super) fn export_list(parsed: &Parsed<'_>) -> ExportList {
    let mut list = ExportList::default();
    for node in children(&parsed.tree.root_node()) {
        if node.kind() != "export_statement" || node.child_by_field_name("source").is_some() {
            continue;
        }
        for clause in children(&node).iter().filter(|it| it.kind() == "export_clause") {
            list.is_given = true;
            list.names.extend(specifiers(parsed, clause));
        }
        if let Some(value) = node.child_by_field_name("value").filter(|it| it.kind() == "identifier") {
            list.is_given = true;
            let (name, alias) = (parsed.text_of(&value).to_owned(), Some("default".to_owned()));
            list.names.push(ImportedName { name, alias, at: span(&value) });
        }
    }
    list
}
