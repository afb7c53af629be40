//! `use` and `extern crate` of Rust.

use tree_sitter::Node;

use super::{Import, ImportedName, children};
use crate::Parsed;
use crate::parsed::span;

/// The maximum depth of a tree of `use` that is read.
const DEPTH: usize = 64;

pub(super) fn imports(parsed: &Parsed<'_>) -> Vec<Import> {
    let mut found = Vec::new();
    parsed.each_node(|node| match node.kind() {
        "use_declaration" => {
            let is_public =
                |it: &Node<'_>| it.kind() == "visibility_modifier" && parsed.text_of(it).trim() == "pub";
            let is_exported = children(&node).iter().any(is_public);
            let Some(tree) = node.child_by_field_name("argument") else { return };
            let mut reader =
                Reader { parsed, is_exported, around: modules_around(parsed, node), found: Vec::new() };
            reader.tree(&tree, None, DEPTH);
            found.extend(reader.found);
        }
        "extern_crate_declaration" => {
            let Some(name) = node.child_by_field_name("name") else { return };
            found.push(Import {
                module: parsed.text_of(&name).to_owned(),
                at: span(&name),
                names: Vec::new(),
                is_exported: false,
                around: modules_around(parsed, node),
            });
        }
        _ => {}
    });
    found
}

fn modules_around(parsed: &Parsed<'_>, node: Node<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = node.parent();
    while let Some(around) = next {
        if around.kind() == "mod_item" {
            names.extend(around.child_by_field_name("name").map(|it| parsed.text_of(&it).to_owned()));
        }
        next = around.parent();
    }
    names.reverse();
    names
}

/// Reads one tree of `use`.
struct Reader<'p, 'text> {
    parsed: &'p Parsed<'text>,
    is_exported: bool,
    around: Vec<String>,
    found: Vec<Import>,
}

impl Reader<'_, '_> {
    fn tree(&mut self, node: &Node<'_>, module: Option<(&str, Node<'_>)>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match node.kind() {
            "use_list" => children(node).iter().for_each(|it| self.tree(it, module, depth)),
            "scoped_use_list" => {
                let path = node.child_by_field_name("path");
                let joined = path.map(|it| (self.joined(module, &it), it));
                let Some(list) = node.child_by_field_name("list") else { return };
                let within = joined.as_ref().map(|(text, it)| (text.as_str(), *it)).or(module);
                self.tree(&list, within, depth);
            }
            "use_wildcard" => match children(node).first() {
                Some(path) => {
                    let joined = self.joined(module, path);
                    self.add(&joined, path, self.name("*", None, node));
                }
                None => {
                    if let Some((module, at)) = module {
                        self.add(module, &at, self.name("*", None, node));
                    }
                }
            },
            "use_as_clause" => {
                let (path, alias) = (node.child_by_field_name("path"), node.child_by_field_name("alias"));
                let Some((path, alias)) = path.zip(alias) else { return };
                self.leaf(&path, Some(alias), module);
            }
            "identifier" | "scoped_identifier" | "self" | "super" | "crate" => self.leaf(node, None, module),
            _ => {}
        }
    }

    /// Reads the path of one name.
    fn leaf(&mut self, path: &Node<'_>, alias: Option<Node<'_>>, module: Option<(&str, Node<'_>)>) {
        let parts = match path.kind() {
            "scoped_identifier" => path.child_by_field_name("path").zip(path.child_by_field_name("name")),
            _ => None,
        };
        let (of, last) = match parts {
            Some((of, last)) => (Some((self.joined(module, &of), of)), last),
            None => (module.map(|(text, at)| (text.to_owned(), at)), *path),
        };
        let written = alias.map(|it| self.parsed.text_of(&it).to_owned());
        let name = self.name(self.parsed.text_of(&last), written, &alias.unwrap_or(last));
        match of {
            Some((of, at)) => self.add(&of, &at, name),
            None => {
                let (is_exported, around) = (self.is_exported, self.around.clone());
                let module_itself =
                    name.alias.clone().map(|_| ImportedName { name: "self".to_owned(), ..name.clone() });
                let names = module_itself.into_iter().collect();
                let import = Import { module: name.name, at: span(&last), names, is_exported, around };
                self.found.push(import);
            }
        }
    }

    fn name(&self, name: &str, alias: Option<String>, at: &Node<'_>) -> ImportedName {
        ImportedName { name: name.to_owned(), alias, at: span(at) }
    }

    fn joined(&self, module: Option<(&str, Node<'_>)>, path: &Node<'_>) -> String {
        let path: String = self.parsed.text_of(path).split_whitespace().collect();
        let path = path.trim_start_matches("::");
        module.map_or_else(|| path.to_owned(), |(module, _)| format!("{module}::{path}"))
    }

    /// Adds a name to the import of `module` in the same `use`, or starts one.
    fn add(&mut self, module: &str, at: &Node<'_>, name: ImportedName) {
        if let Some(import) = self.found.iter_mut().find(|it| it.module == module) {
            import.names.push(name);
            return;
        }
        let (is_exported, around) = (self.is_exported, self.around.clone());
        let (module, names) = (module.to_owned(), vec![name]);
        self.found.push(Import { module, at: span(at), names, is_exported, around });
    }
}
