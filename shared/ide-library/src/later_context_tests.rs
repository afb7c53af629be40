use std::sync::Arc;

use dialect::{Limits, Registry};

use super::*;
use crate::cached_host::tests::Nobody;

fn reading(program: &str) -> Reading {
    let library = crate::library(Arc::new(Nobody));
    let nothing = |_: dialect::Invocation| std::future::ready(Ok(dialect::Value::Null));
    let row =
        dialect::Function::new("probe(n?: number) -> number", "A plugin's.", nothing).effect(Effect::Reads);
    let plugin =
        dialect::Library { name: "probe".into(), functions: vec![row], ..dialect::Library::default() };
    let registry = Registry::new([core_library::library(), library, plugin]).expect("the tables fit");
    match Program::parse(&registry, program, &Limits::default()) {
        Ok(program) => program.reading(&HITS),
        Err(failures) => panic!("{program}: {:?}", failures.all),
    }
}

#[test]
fn programs_that_do_not_look_at_the_code_around_hits() {
    for program in [
        "search(`.`, `x`)",
        "search(`.`, `x`).take(3)",
        "search(`.`, `x`).drop(80)",
        "[search(`.`, `x`), search(`src`, `y`)]",
        "search(`.`, `x`).filter(hit => hit.path.startsWith(`src`))",
        "search(`.`, `x`).map(hit => hit)",
        "[search(`.`, `x`)].first()",
        "search(`.`, `x`)[0]",
        "search(`.`, `x`).groupBy(hit => hit.path)",
        "{hits: search(`.`, `x`)}",
        "hits = search(`.`, `x`)\nhits.filter(hit => hit.start.line > 3)",
        r#"{"search": {"path": ".", "pattern": "x"}}"#,
    ] {
        assert_eq!(reading(program), Reading::MayShow, "{program}");
    }
    for program in [
        "search(`.`, `x`).count()",
        "search(`.`, `x`).length",
        "count(search(`.`, `x`).filter(hit => hit.text.contains(`y`)))",
        "search(`.`, `x`).map(hit => hit.path)",
        "search(`.`, `x`).map(hit => hit.path + `:` + hit.start.line).join(`, `)",
        "search(`.`, `x`).map(hit => {path: hit.path, line: hit.start.line})",
        "search(`.`, `x`).any(hit => hit.text.contains(`y`))",
        "brief(search(`.`, `x`))",
        "source(search(`.`, `x`).take(3))",
        "[1, 2].map(n => n + 1)",
    ] {
        assert_eq!(reading(program), Reading::Neither, "{program}");
    }
}

#[test]
fn programs_that_may_look_at_the_code_around_hits() {
    for program in [
        "search(`.`, `x`).filter(hit => hit.role == `call`)",
        "search(`.`, `x`).map(hit => hit.in)",
        "search(`.`, `x`).map(hit => hit.inKind)",
        "search(`.`, `x`).filter(hit => !hit.test)",
        "search(`.`, `x`).map(hit => hit[`role`])",
        "search(`.`, `x`).map(hit => hit[toText(`role`)])",
        "search(`.`, `x`).groupBy(hit => hit.in)",
        "{hits: search(`.`, `x`)}.hits.map(hit => hit.role)",
        "{path: search(`.`, `x`)}.path.map(hit => toText(hit))",
        "search(`.`, `x`).groupBy(hit => `path`).path.map(hit => toText(hit))",
        "search(`.`, `x`).map(toText)",
        "search(`.`, `x`).map(keys)",
        "toText(search(`.`, `x`))",
        "`hits: ` + search(`.`, `x`)",
        "search(`.`, `x`).unique()",
        "search(`.`, `x`).contains(search(`.`, `y`)[0])",
        "search(`.`, `x`) == search(`.`, `y`)",
        "look = hit => hit.role\nsearch(`.`, `x`).map(look)",
        "look = hit => toText(hit)\nlook(search(`.`, `x`))",
        "search(`.`, `x`).map(hit => get(hit, `role`))",
        "search(`.`, `x`).reduce((all, hit) => all + hit.path, ``)",
        "attempt(search(`.`, `x`))",
        // Its code may search, too, and look.
        "probe(1)",
        "[search(`.`, `x`).count(), probe()]",
        "[1].map(probe)",
        "findReferences(search(`.`, `x`)[0])",
        "hits = search(`.`, `x`)\n[1].map(n => hits[n].role)",
        "[`.`].map(folder => search(folder, `x`)).flatten().map(hit => hit.signature)",
    ] {
        assert_eq!(reading(program), Reading::MayLook, "{program}");
    }
}
