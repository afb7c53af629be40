//! The functions of one document below a name, for programs that know other documents too.

use std::collections::HashSet;

use dialect::{Function, Library, RecordType, Signature, Type, TypeAlias};

use super::tables::Interface;

impl Interface {
    /// Returns a library of the functions that `tools` names, with the types that they mention, below the name of the
    /// library: `send(mail: Mail)` becomes `post.send(mail: post.Mail)`.
    ///
    /// Types have no constructors, since programs write such values as objects. There are no conversions: they would
    /// change programs that do not use the library. The functions have no code.
    pub fn below(&self, library: &str, tools: &[String]) -> Library {
        let is_asked_for = |row: &&Function| tools.iter().any(|it| it == name_of(&row.signature));
        let rows: Vec<&Function> = self.functions.iter().filter(is_asked_for).collect();
        let mentioned = self.mentioned(&rows);
        let is_own = |name: &str| mentioned.contains(name);
        let below = |name: &str| if is_own(name) { format!("{library}.{name}") } else { name.to_owned() };
        let signature = |text: &str| {
            let signature = Signature::parse(text).ok()?.renamed(&below);
            Some(Signature { name: format!("{library}.{}", signature.name), ..signature }.to_string())
        };
        let function = |row: &&Function| {
            let signature = signature(&row.signature)?;
            Some(Function { signature, generic: String::new(), ..(*row).clone() })
        };
        let record = |row: &RecordType| {
            let text = signature(&row.signature).filter(|_| is_own(name_of(&row.signature)))?;
            let signature = text.strip_suffix(" -> any").map_or_else(|| text.clone(), str::to_owned);
            Some(RecordType { signature, has_constructor: false, ..row.clone() })
        };
        let alias = |it: &TypeAlias| TypeAlias {
            name: format!("{library}.{}", it.name),
            ty: it.ty.renamed(&below),
            description: it.description.clone(),
        };
        Library {
            name: library.to_owned(),
            functions: rows.iter().filter_map(function).collect(),
            types: self.types.iter().filter_map(record).collect(),
            aliases: self.aliases.iter().filter(|it| is_own(&it.name)).map(alias).collect(),
            ..Library::default()
        }
    }

    /// Returns the names of the declared types that functions mention, and those that these mention.
    fn mentioned(&self, functions: &[&Function]) -> HashSet<String> {
        let names = |text: &str| {
            let signature = Signature::parse(text).ok();
            let types = |it: Signature| it.parameters.into_iter().map(|it| it.ty).chain([it.returns]);
            signature.into_iter().flat_map(types).flat_map(|it| names_in(&it)).collect::<Vec<_>>()
        };
        let mut pending: Vec<String> = functions.iter().flat_map(|it| names(&it.signature)).collect();
        let mut mentioned = HashSet::new();
        while let Some(name) = pending.pop() {
            let record = self.types.iter().find(|it| name_of(&it.signature) == name);
            let alias = self.aliases.iter().find(|it| it.name == name);
            if (record.is_none() && alias.is_none()) || !mentioned.insert(name) {
                continue;
            }
            pending.extend(record.into_iter().flat_map(|it| names(&it.signature)));
            pending.extend(alias.into_iter().flat_map(|it| names_in(&it.ty)));
        }
        mentioned
    }
}

fn names_in(ty: &Type) -> Vec<String> {
    ty.names().into_iter().map(|it| it.to_string()).collect()
}

fn name_of(signature: &str) -> &str {
    signature.split('(').next().unwrap_or(signature)
}

#[cfg(test)]
mod tests {
    use dialect::Registry;

    use super::*;
    use crate::{Document, Documents};

    #[test]
    fn names_of_two_documents_do_not_meet() {
        let text = "---\nid: post\ntitle: Post\nsummary: Mail.\n---\n<define>\n\
            type Mail = { to: string, answers?: List<Mail> }\ntype Tree = List<Tree>\n\
            // Sends it.\ntool send(mail: Mail, all?: Map<string, Mail | \"Mail\">) -> List<Mail>\n\
            // Grows.\ntool grow(tree: Tree) -> Tree\n// Not asked for.\ntool other() -> null\n</define>\n";
        let mut documents = Documents::new();
        documents.insert("post.md", Document::parse(text));
        let interface = Interface::load(&documents).expect("it is valid");
        let library = |name: &str| interface.below(name, &["send".to_owned(), "grow".to_owned()]);
        let [one, two] = [library("one"), library("two")];
        let signatures: Vec<&str> = one.functions.iter().map(|it| it.signature.as_str()).collect();
        assert_eq!(
            signatures,
            [
                "one.send(mail: one.Mail, all?: Map<string, one.Mail | \"Mail\">) -> List<one.Mail>",
                "one.grow(tree: one.Tree) -> one.Tree"
            ]
        );
        assert_eq!(one.types[0].signature, "one.Mail(to: string, answers?: List<one.Mail>)");
        Registry::new([one, two]).expect("they fit together");
    }
}
