//! The rows of documents, and the names that editors and checks know.

use std::collections::BTreeSet;

use ailang::{Analysis, BUILT_IN_FUNCTIONS, Document, Documents, document_rows};
use dialect::Signature;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        each_built_in_function_has_a_row,
        each_row_says_what_it_does,
        the_methods_that_editors_offer_exist
    ]
}

fn signatures() -> Vec<Signature> {
    let library = core_library::library();
    let names = library.functions.iter().flat_map(|row| {
        let signature = Signature::parse(&row.signature).expect("it is registered");
        let names =
            [signature.name.clone()].into_iter().chain(row.aliases.clone()).chain(row.foreign.clone());
        names.map(move |name| Signature { name, ..signature.clone() }).collect::<Vec<_>>()
    });
    let own = document_rows().map(|(signature, _)| Signature::parse(signature).expect("it is registered"));
    names.chain(own).collect()
}

fn each_built_in_function_has_a_row() {
    let rows: BTreeSet<String> = document_rows()
        .map(|(signature, _)| signature.split('(').next().unwrap_or_default().to_owned())
        .filter(|name| !name.contains('.'))
        .collect();
    assert_eq!(rows, BUILT_IN_FUNCTIONS.iter().map(ToString::to_string).collect());
}

fn each_row_says_what_it_does() {
    for (signature, summary) in document_rows() {
        assert!(summary.ends_with('.'), "{signature}: {summary}");
    }
}

/// The methods that editors offer are rows, and have their parameters.
fn the_methods_that_editors_offer_exist() {
    let text = "---\nid: a\ntitle: A\nsummary: S\n---\n<define>\n\
                tool f(list: List<string>, text: string, dict: Dict<string, int>) -> int {\n  x = HERE.m\n}\n</define>\n";
    let all = signatures();
    for (name, class) in [("list", "List"), ("text", "Text"), ("dict", "Object")] {
        let source = text.replace("HERE", name);
        let mut documents = Documents::new();
        documents.insert("a.md", Document::parse(source.clone()));
        let offset = source.find(".m\n").expect("it is there") + 1;
        let members = Analysis::new(&documents).members_of_value("a.md", offset);
        assert!(members.len() > 5, "{name}");
        for member in members.iter().filter(|it| it.is_method) {
            let named = |name: &str| all.iter().find(|it| it.name == name);
            let row = named(&format!("{class}.{}", member.name)).or_else(|| named(&member.name));
            let row = row.unwrap_or_else(|| panic!("{class} has no {}", member.name));
            let inside = member.declaration.split_once('(').map_or("", |(_, it)| it.trim_end_matches(')'));
            let inside = inside.replace("(result, item)", "pair");
            let offered = inside.split(',').filter(|it| !it.trim().is_empty()).count();
            let takes = row.parameters.len() - 1;
            assert!((row.required() - 1..=takes).contains(&offered), "{}: {row}", member.declaration);
        }
    }
}
