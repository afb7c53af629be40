//! Cycles of documents, capabilities and types, compared with those that petgraph finds.

use std::collections::BTreeSet;

use ailang::{Code, Document, Documents, Strictness, validate, validate_all};
use libtest_mimic::Trial;
use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use proptest::prelude::*;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        documents_that_import_each_other_are_told,
        capabilities_that_are_parts_of_themselves_are_told,
        types_that_need_themselves_are_told,
        types_that_stand_for_themselves_are_told
    ]
}

const NODES: usize = 9;

/// Returns a random graph: the successors of each node, possibly including itself.
fn graph() -> impl Strategy<Value = Vec<BTreeSet<usize>>> {
    let edge = (0..NODES, 0..NODES);
    prop::collection::vec(edge, 0..14).prop_map(|edges| {
        let mut targets = vec![BTreeSet::new(); NODES];
        edges.into_iter().for_each(|(from, to)| _ = targets[from].insert(to));
        targets
    })
}

/// Returns the nodes that lie on a cycle.
fn circular(targets: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = targets.iter().map(|_| graph.add_node(())).collect();
    for (from, to) in targets.iter().enumerate().flat_map(|(from, all)| all.iter().map(move |to| (from, *to)))
    {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let components = tarjan_scc(&graph).into_iter();
    let of_several = components.filter(|it| it.len() > 1 || graph.contains_edge(it[0], it[0]));
    of_several.flatten().map(|node| node.index()).collect()
}

fn document(id: usize, definitions: &str) -> String {
    format!("---\nid: d{id}\ntitle: D\nsummary: D.\n---\n<define>\n{definitions}</define>\n")
}

/// Returns the source at the places where a code is reported.
fn reported<'text>(documents: &Documents, source: &'text str, code: Code) -> Vec<&'text str> {
    let found = validate(documents, "a.md", Strictness::Normal).expect("it was added");
    found.iter().filter(|it| it.code == code).map(|it| &source[it.span.range()]).collect()
}

fn alone(definitions: &str, code: Code) -> BTreeSet<usize> {
    let source = document(0, definitions);
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(source.as_str()));
    reported(&documents, &source, code)
        .into_iter()
        .map(|name| name[1..].parse().expect("a number is there"))
        .collect()
}

fn names(targets: &BTreeSet<usize>, separator: &str) -> String {
    targets.iter().map(|to| format!("C{to}")).collect::<Vec<_>>().join(separator)
}

proptest! {
    fn documents_that_import_each_other_are_told(targets in graph()) {
        let mut documents = Documents::new();
        for (at, to) in targets.iter().enumerate() {
            let imports: String = to.iter().map(|to| format!("import m{to} from \"./d{to}.md\"\n")).collect();
            documents.insert(format!("d{at}.md"), Document::parse(document(at, &imports)));
        }
        let all = validate_all(&documents, Strictness::Normal);
        let reported: BTreeSet<usize> = all
            .iter()
            .enumerate()
            .filter(|(_, (_, found))| found.iter().any(|it| it.code == Code::IMPORT_CYCLE))
            .map(|(at, _)| at)
            .collect();
        prop_assert_eq!(reported, circular(&targets));
    }

    fn capabilities_that_are_parts_of_themselves_are_told(targets in graph()) {
        let one = |(at, to): (usize, &BTreeSet<usize>)| match to.is_empty() {
            true => format!("capability C{at} {{ ask = \"a\" }}\n"),
            false => format!("capability C{at} = {}\n", names(to, " & ")),
        };
        let definitions: String = targets.iter().enumerate().map(one).collect();
        prop_assert_eq!(alone(&definitions, Code::CAPABILITY_CYCLE), circular(&targets));
    }

    /// One type of a cycle is reported for all of it. A cycle that leads into another one is reported once
    /// that is broken.
    fn types_that_need_themselves_are_told(targets in graph()) {
        let field = |to: &usize| format!("f{to}: C{to}");
        let one = |(at, to): (usize, &BTreeSet<usize>)| {
            format!("type C{at} = {{ n: int, {} }}\n", to.iter().map(field).collect::<Vec<_>>().join(", "))
        };
        let definitions: String = targets.iter().enumerate().map(one).collect();
        let reported = alone(&definitions.replace(",  }", " }"), Code::INFINITE_TYPE);
        let circular = circular(&targets);
        prop_assert!(reported.is_subset(&circular), "{reported:?} of {circular:?}");
        prop_assert_eq!(reported.is_empty(), circular.is_empty());
    }

    /// A type that is one of its own members says nothing; in a list or a struct it does.
    fn types_that_stand_for_themselves_are_told(targets in graph()) {
        let member = |to: &usize| format!(" | Maybe<C{to}>");
        let one = |(at, to): (usize, &BTreeSet<usize>)| {
            format!("type C{at} = int | List<C{at}>{}\n", to.iter().map(member).collect::<String>())
        };
        let definitions: String = targets.iter().enumerate().map(one).collect();
        let reported = alone(&format!("type Maybe<T> = T | null\n{definitions}"), Code::INFINITE_TYPE);
        let circular = circular(&targets);
        prop_assert!(reported.is_subset(&circular), "{reported:?} of {circular:?}");
        prop_assert_eq!(reported.is_empty(), circular.is_empty());
    }
}
