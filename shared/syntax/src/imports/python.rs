//! `import`, `from … import` and `__all__` of Python.

use tree_sitter::Node;

use super::{ExportList, Import, ImportedName, children, under};
use crate::Parsed;
use crate::parsed::span;

pub(super) fn imports(parsed: &Parsed<'_>) -> Vec<Import> {
    let mut found = Vec::new();
    let import = |module: &Node<'_>, names| Import {
        module: joined(parsed, module),
        at: span(module),
        names,
        is_exported: false,
        around: Vec::new(),
    };
    parsed.each_node(|node| match node.kind() {
        "import_statement" => {
            for it in under(&node, "name") {
                let alias = it.child_by_field_name("alias");
                let module = it.child_by_field_name("name").unwrap_or(it);
                let names = alias.map(|alias| ImportedName {
                    name: "self".to_owned(),
                    alias: Some(parsed.text_of(&alias).to_owned()),
                    at: span(&alias),
                });
                found.push(import(&module, names.into_iter().collect()));
            }
        }
        "import_from_statement" => {
            let Some(module) = node.child_by_field_name("module_name") else { return };
            let mut names: Vec<_> = under(&node, "name").iter().map(|it| name(parsed, it)).collect();
            let all = children(&node).into_iter().find(|it| it.kind() == "wildcard_import");
            names.extend(all.map(|it| ImportedName { name: "*".to_owned(), alias: None, at: span(&it) }));
            found.push(import(&module, names));
        }
        _ => {}
    });
    found
}

fn name(parsed: &Parsed<'_>, node: &Node<'_>) -> ImportedName {
    let alias = node.child_by_field_name("alias");
    let name = node.child_by_field_name("name").unwrap_or(*node);
    ImportedName {
        name: parsed.text_of(&name).to_owned(),
        alias: alias.map(|it| parsed.text_of(&it).to_owned()),
        at: span(&alias.unwrap_or(name)),
    }
}

fn joined(parsed: &Parsed<'_>, node: &Node<'_>) -> String {
    parsed.text_of(node).split_whitespace().collect()
}

/// Reads `__all__ = […]`, `__all__ += […]` and `__all__.extend([…])` of the module.
pub(super) fn export_list(parsed: &Parsed<'_>) -> ExportList {
    let mut list = ExportList::default();
    for statement in children(&parsed.tree.root_node()) {
        let Some(node) = children(&statement).into_iter().next() else { continue };
        let is_all = |it: Option<Node<'_>>| it.is_some_and(|it| parsed.text_of(&it) == "__all__");
        match node.kind() {
            "assignment" | "augmented_assignment" if is_all(node.child_by_field_name("left")) => {
                if node.kind() == "assignment" {
                    list = ExportList { is_given: true, ..ExportList::default() };
                }
                add(parsed, &mut list, node.child_by_field_name("right"));
            }
            "call" => {
                let function = node.child_by_field_name("function");
                let object = function.and_then(|it| it.child_by_field_name("object"));
                if is_all(object) {
                    let arguments = node.child_by_field_name("arguments");
                    add(parsed, &mut list, arguments.and_then(|it| it.named_child(0)));
                }
            }
            _ => {}
        }
    }
    list
}

/// Adds the texts of a list or tuple, or of several that are added up.
fn add(parsed: &Parsed<'_>, list: &mut ExportList, value: Option<Node<'_>>) {
    let mut open: Vec<Node<'_>> = value.into_iter().collect();
    while let Some(node) = open.pop() {
        match node.kind() {
            "list" | "tuple" | "binary_operator" => open.extend(children(&node).into_iter().rev()),
            "string" => {
                let content = children(&node).into_iter().find(|it| it.kind() == "string_content");
                list.names.extend(content.map(|it| ImportedName {
                    name: parsed.text_of(&it).to_owned(),
                    alias: None,
                    at: span(&it),
                }));
            }
            "comment" => {}
            _ => list.is_computed = true,
        }
    }
}
