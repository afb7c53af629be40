//! Reasons of incomplete answers that want many files, or a server that lists much.

use adapter::fallback::{Caller, Config, Fallback};
use anyhow::{Context, Result};
use conformance::workspace::Workspace;
use ide_protocol::{
    CodeActionsQuestion, Column, DefinitionsQuestion, DiagnosticsQuestion, Envelope, HierarchyQuestion, Line,
    Listing, Location, Operation, Question, Reason, ReferencesQuestion, RenameQuestion, Request,
    SymbolsQuestion, Target,
};
use libtest_mimic::Trial;
use serde_json::{Value, json};

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        a_long_hierarchy_is_cut,
        the_diagnostics_of_many_files_are_cut,
        many_code_actions_are_cut,
        more_files_define_such_names,
        a_server_that_stops_listing_is_told,
        uses_on_very_many_lines_are_left_out,
        local_variables_on_many_lines_are_cut,
        many_types_are_not_followed,
        too_many_files_outside_are_not_tracked,
        more_uses_of_relatives_than_are_told_apart_are_mixed,
        a_file_that_only_the_editor_has_is_named,
        a_name_that_stays_for_importers_is_told,
        extending_types_without_a_name_are_told,
        places_that_may_extend_a_type_are_cut,
        a_file_that_cannot_be_searched_may_mention_the_name,
    ]
}

/// The time for an answer, generous: the machine may be busy.
const DEADLINE: u64 = 120_000;

/// A workspace whose server of one language is the fake one.
struct World {
    /// The workspace, and beside it what the server is told.
    folders: [Workspace; 2],
    fallback: Fallback,
}

impl World {
    fn new<'a>(
        language: &str,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
        plan: &Value,
    ) -> Result<Self> {
        let workspace = Workspace::new(files)?;
        let programs = crate::programs()?;
        let mut config = Config::new(programs.path("dialect-under-test"));
        let server = programs.path("fake-language-server").into();
        // It may be longer than a command line.
        let told = Workspace::new([("plan.json", plan.to_string().as_str())])?;
        let plan = format!("@{}", told.root().join("plan.json").display());
        config.servers.insert(language.into(), vec![server, "--plan".into(), plan.into()]);
        let fallback = Fallback::new(config);
        fallback.open_session("s", vec![workspace.root().to_owned()]);
        Ok(Self { folders: [workspace, told], fallback })
    }

    fn rust<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>, plan: &Value) -> Result<Self> {
        let manifest =
            ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        Self::new("rust", [manifest].into_iter().chain(files), plan)
    }

    /// Returns the reasons of the only answer, and ends the server.
    async fn reasons<Q: Question>(self, operation: Operation, question: Q) -> Result<Vec<Reason>> {
        let envelope = Envelope { deadline_ms: Some(DEADLINE), ..Envelope::new("s") };
        let request = Request { envelope, question };
        let answer = self.fallback.ask(operation, request, Caller::default()).await;
        self.fallback.shutdown().await;
        drop(self.folders);
        let answer = serde_json::to_value(answer?)?;
        let reasons = answer.get("reasons").with_context(|| format!("no reasons: {answer}"))?;
        Ok(serde_json::from_value(reasons.clone())?)
    }
}

fn named(name: &str) -> Target {
    Target { name: Some(name.to_owned()), at: None }
}

/// Returns a line, from 1.
fn line(path: &str, line: usize) -> Location {
    Location { path: path.into(), line: Line::from_index(line - 1), column: None }
}

/// Returns a place, both from 1.
fn place(path: &str, at: usize, column: usize) -> Location {
    Location { column: Some(Column::from_index(column - 1)), ..line(path, at) }
}

/// Returns a range on one line, both from 0.
fn range(line: usize, columns: std::ops::Range<usize>) -> Value {
    let at = |column| json!({"line": line, "character": column});
    json!({"start": at(columns.start), "end": at(columns.end)})
}

/// Returns a file whose functions each call the first one, so many times in all.
fn calling(count: usize) -> String {
    let calls = (0..count).map(|it| format!("fn f{it}() {{ called(); }}\n"));
    "pub fn called() {}\n".to_owned() + &calls.collect::<String>()
}

async fn a_long_hierarchy_is_cut() -> Result<()> {
    let world = World::rust([("src/lib.rs", calling(501).as_str())], &json!({}))?;
    let question = HierarchyQuestion { target: named("called"), depth: 2 };
    let reasons = world.reasons(Operation::Callers, question).await?;
    let cut = Reason::HierarchyCut { links: 501, unasked: 501 };
    assert!(reasons.contains(&cut), "{reasons:?}");
    Ok(())
}

async fn the_diagnostics_of_many_files_are_cut() -> Result<()> {
    let paths: Vec<_> = (0..201).map(|it| format!("src/m{it}.rs")).collect();
    let world = World::rust(paths.iter().map(|it| (it.as_str(), "fn f() {}\n")), &json!({}))?;
    let reasons = world.reasons(Operation::Diagnostics, DiagnosticsQuestion::default()).await?;
    assert!(reasons.contains(&Reason::DiagnosticsCut { shown: 200, total: 201 }), "{reasons:?}");
    Ok(())
}

async fn many_code_actions_are_cut() -> Result<()> {
    let edit = json!({"changes": {"~/src/lib.rs": [{"range": range(0, 0..0), "newText": "// "}]}});
    let action = |it| json!({"title": format!("Mend it {it}"), "kind": "quickfix", "edit": edit});
    let plan = json!({"answers": {"textDocument/codeAction": (0..201).map(action).collect::<Vec<_>>()}});
    let world = World::rust([("src/lib.rs", "fn f() {}\n")], &plan)?;
    let question = CodeActionsQuestion { path: "src/lib.rs".into(), start: None, end: None, kind: None };
    let reasons = world.reasons(Operation::CodeActions, question).await?;
    assert!(reasons.contains(&Reason::ActionsCut { shown: 200, total: 201 }), "{reasons:?}");
    Ok(())
}

async fn more_files_define_such_names() -> Result<()> {
    let files: Vec<_> =
        (0..65).map(|it| (format!("src/m{it}.rs"), format!("pub fn made_{it}() {{}}\n"))).collect();
    let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let world = World::rust(files, &json!({"answers": {"workspace/symbol": []}}))?;
    let reasons =
        world.reasons(Operation::Symbols, SymbolsQuestion { query: "made".into(), path: None }).await?;
    assert!(reasons.contains(&Reason::MoreFilesDefine { files: 1 }), "{reasons:?}");
    Ok(())
}

/// gopls lists at most a hundred symbols.
async fn a_server_that_stops_listing_is_told() -> Result<()> {
    let symbol = |it| {
        let location = json!({"uri": "~/main.go", "range": range(2, 5..10)});
        json!({"name": format!("found{it}"), "kind": 12, "location": location})
    };
    let plan = json!({"answers": {"workspace/symbol": (0..100).map(symbol).collect::<Vec<_>>(),
        "textDocument/documentSymbol": []}});
    let files = [("go.mod", "module small\n"), ("main.go", "package main\n\nfunc found() {}\n")];
    let world = World::new("go", files, &plan)?;
    let question = SymbolsQuestion { query: "found".into(), path: None };
    let reasons = world.reasons(Operation::Symbols, question).await?;
    let limit = Reason::ServerLimit { server: "gopls".into(), symbols: 100 };
    assert!(reasons.contains(&limit), "{reasons:?}");

    let world = World::new("go", files, &plan)?;
    let reasons = world.reasons(Operation::Definitions, DefinitionsQuestion::new(named("foun"))).await?;
    let similar = Reason::OnlySimilar { server: "gopls".into(), symbols: 100, name: "foun".into() };
    assert!(reasons.contains(&similar), "{reasons:?}");
    Ok(())
}

async fn uses_on_very_many_lines_are_left_out() -> Result<()> {
    let plan = json!({"answers": {"textDocument/references": []}});
    let world = World::rust([("src/lib.rs", calling(600).as_str())], &plan)?;
    let question = ReferencesQuestion { target: named("called"), include_declaration: false };
    let reasons = world.reasons(Operation::References, question).await?;
    let left_out =
        Reason::UsesLeftOut { server: "rust-analyzer".into(), name: "called".into(), lines: 600 - 512 };
    assert!(reasons.contains(&left_out), "{reasons:?}");
    Ok(())
}

async fn local_variables_on_many_lines_are_cut() -> Result<()> {
    let text = format!("fn f() {{\n    let local = 1;\n{}}}\n", "    g(local);\n".repeat(70));
    let plan = json!({"answers": {
        "workspace/symbol": [],
        "textDocument/definition": [{"uri": "~/src/lib.rs", "range": range(1, 8..13)}],
    }});
    let world = World::rust([("src/lib.rs", text.as_str())], &plan)?;
    let reasons = world.reasons(Operation::Definitions, DefinitionsQuestion::new(named("local"))).await?;
    assert!(reasons.contains(&Reason::LocalsCut { name: "local".into(), lines: 64 }), "{reasons:?}");
    Ok(())
}

/// clangd lists only direct implementations, so that those of each are asked for.
async fn many_types_are_not_followed() -> Result<()> {
    let types: Vec<_> = (0..201).map(|it| format!("D{it:03}")).collect();
    let text: String = types.iter().map(|it| format!("struct {it} : Base {{}};\n")).collect();
    let text = format!("struct Base {{}};\n{text}");
    let location = |line| json!({"uri": "~/a.cpp", "range": range(line, 7..11)});
    let symbol = |(line, name): (usize, &str)| {
        let (whole, own) = (range(line, 0..16), range(line, 7..11));
        json!({"name": name, "kind": 23, "range": whole, "selectionRange": own})
    };
    let names = ["Base"].into_iter().chain(types.iter().map(String::as_str));
    let plan = json!({"answers": {
        "textDocument/implementation": (1..=201).map(location).collect::<Vec<_>>(),
        "textDocument/documentSymbol": names.enumerate().map(symbol).collect::<Vec<_>>(),
        "textDocument/definition": [location(0)],
        "workspace/symbol": [{"name": "Base", "kind": 23, "location": location(0)}],
        "textDocument/references": [],
    }});
    let world = World::new("c", [("a.cpp", text.as_str())], &plan)?;
    let reasons = world.reasons(Operation::Implementations, DefinitionsQuestion::new(named("Base"))).await?;
    assert!(reasons.contains(&Reason::TypesNotFollowed { limit: 200 }), "{reasons:?}");
    Ok(())
}

async fn too_many_files_outside_are_not_tracked() -> Result<()> {
    let paths: Vec<_> = (0..4_097).map(|it| format!("{it:04}.rs")).collect();
    let outside = Workspace::new(paths.iter().map(|it| (it.as_str(), "called\n")))?;
    let location = |it: &String| {
        let path = outside.root().join(it);
        json!({"uri": format!("file://{}", path.display()), "range": range(0, 0..6)})
    };
    let plan =
        json!({"answers": {"textDocument/references": paths.iter().map(location).collect::<Vec<_>>()}});
    let world = World::rust([("src/lib.rs", "pub fn called() {}\n")], &plan)?;
    let question = ReferencesQuestion { target: named("called"), include_declaration: false };
    let reasons = world.reasons(Operation::References, question).await?;
    let last = outside.root().join("4096.rs").display().to_string();
    assert!(reasons.contains(&Reason::UntrackedFiles { example: last }), "{reasons:?}");
    Ok(())
}

/// clangd mixes the uses of a method with those of the methods that override it.
async fn more_uses_of_relatives_than_are_told_apart_are_mixed() -> Result<()> {
    let uses = "void f(Base *b) { b->draw(); }\n".repeat(1_001);
    let text =
        format!("struct Base {{ virtual void draw(); }};\nstruct Sub : Base {{ void draw(); }};\n{uses}");
    let at = |line, columns| json!({"uri": "~/a.cpp", "range": range(line, columns)});
    let class = |line, name: std::ops::Range<usize>, method: std::ops::Range<usize>, called: &str| {
        let draw = json!({"name": "draw", "kind": 6, "range": range(line, method.start..method.end + 2),
            "selectionRange": range(line, method)});
        json!({"name": called, "kind": 23, "range": range(line, 0..36), "selectionRange": range(line, name),
            "children": [draw]})
    };
    let mut references = vec![at(1, 25..29)];
    references.extend((2..1_003).map(|line| at(line, 21..25)));
    let plan = json!({"answers": {
        "textDocument/documentSymbol": [class(0, 7..11, 27..31, "Base"), class(1, 7..10, 25..29, "Sub")],
        "textDocument/definition": [at(0, 27..31)],
        "textDocument/references": references,
        "workspace/symbol": [],
    }});
    let world = World::new("c", [("a.cpp", text.as_str())], &plan)?;
    let target = Target { name: Some("draw".into()), at: Some(place("a.cpp", 1, 28)) };
    let question = ReferencesQuestion { target, include_declaration: false };
    let reasons = world.reasons(Operation::References, question).await?;
    let mixed = Reason::MixedUses { server: "clangd".into(), names: vec!["Sub::draw".into()] };
    assert!(reasons.contains(&mixed), "{reasons:?}");
    Ok(())
}

async fn a_file_that_only_the_editor_has_is_named() -> Result<()> {
    let files = [("pyproject.toml", "[project]\nname = \"small\"\n"), ("app.py", "def shown(): ...\n")];
    let world = World::new("python", files, &json!({}))?;
    let typed = world.folders[0].root().join("typed.py");
    world.fallback.shown_in_editor(&typed, Some("def typed(): ...\n".into()));
    let reasons = world.reasons(
        Operation::Diagnostics,
        DiagnosticsQuestion { path: Some("app.py".into()), ..Default::default() },
    );
    let reasons = reasons.await?;
    let unwritten = Reason::NotOnDisk { path: "typed.py".into(), server: "ty".into() };
    assert!(reasons.contains(&unwritten), "{reasons:?}");
    Ok(())
}

const MANIFEST: (&str, &str) = ("tsconfig.json", "{}\n");

/// tsc writes `export { new as old }`, and here also where that is renamed itself.
async fn a_name_that_stays_for_importers_is_told() -> Result<()> {
    let text = "function draw() {}\nexport { draw };\n";
    let change = |line, columns, text: &str| json!({"range": range(line, columns), "newText": text});
    let changes = json!([change(0, 9..13, "paint"), change(1, 9..13, "paint as draw")]);
    let symbol =
        json!({"name": "draw", "kind": 12, "range": range(0, 0..18), "selectionRange": range(0, 9..13)});
    let plan = json!({"answers": {
        "textDocument/rename": {"changes": {"~/a.ts": changes}},
        "textDocument/documentSymbol": [symbol],
        "textDocument/definition": [{"uri": "~/a.ts", "range": range(0, 9..13)}],
        "textDocument/references": [{"uri": "~/a.ts", "range": range(1, 9..13)}],
        "workspace/symbol": [],
    }});
    let world = World::new("typescript", [MANIFEST, ("a.ts", text)], &plan)?;
    let target = Target { name: Some("draw".into()), at: Some(place("a.ts", 1, 10)) };
    let question = RenameQuestion { target, new_name: "paint".into() };
    let reasons = world.reasons(Operation::Rename, question).await?;
    let places = Listing::of([line("a.ts", 2)], 5);
    let kept = Reason::KeptForImporters { name: "draw".into(), places };
    assert!(reasons.contains(&kept), "{reasons:?}");
    Ok(())
}

/// Returns the plan of a server that lists nothing that extends `Base` of the first line.
fn without_subtypes(leads_to: usize) -> Value {
    let class = |line, name: &str| {
        let own = range(line, 13..13 + name.len());
        json!({"name": name, "kind": 5, "range": range(line, 0..21), "selectionRange": own})
    };
    json!({"answers": {
        "textDocument/documentSymbol": [class(0, "Base"), class(1, "Other")],
        "textDocument/definition": [{"uri": "~/a.ts", "range": range(leads_to, 13..17)}],
        "textDocument/references": [],
        "textDocument/implementation": [],
        "workspace/symbol": [],
    }})
}

const CLASSES: &str = "export class Base {}\nexport class Other {}\n";

async fn extending_types_without_a_name_are_told() -> Result<()> {
    let text = format!("{CLASSES}use(class extends Base {{}});\n");
    let world = World::new("typescript", [MANIFEST, ("a.ts", text.as_str())], &without_subtypes(0))?;
    let target = Target { name: Some("Base".into()), at: Some(place("a.ts", 1, 14)) };
    let reasons = world.reasons(Operation::Implementations, DefinitionsQuestion::new(target)).await?;
    let places = Listing::of([line("a.ts", 3)], 5);
    let unlisted = Reason::ExtendingNotListed { server: "tsc".into(), name: "Base".into(), places };
    assert!(reasons.contains(&unlisted), "{reasons:?}");
    Ok(())
}

async fn places_that_may_extend_a_type_are_cut() -> Result<()> {
    let text = CLASSES.to_owned() + &"use(class extends Base {});\n".repeat(70);
    let world = World::new("typescript", [MANIFEST, ("a.ts", text.as_str())], &without_subtypes(1))?;
    let target = Target { name: Some("Base".into()), at: Some(place("a.ts", 1, 14)) };
    let reasons = world.reasons(Operation::Implementations, DefinitionsQuestion::new(target)).await?;
    assert!(reasons.contains(&Reason::ExtendingNotSearched { name: "Base".into() }), "{reasons:?}");
    Ok(())
}

/// A line of more than 32 MiB ends the search of its file.
async fn a_file_that_cannot_be_searched_may_mention_the_name() -> Result<()> {
    let long = "x".repeat(32 * 1024 * 1024 + 1);
    let files = [("src/lib.rs", "pub fn called() {}\n"), ("src/long.rs", long.as_str())];
    let world = World::rust(files, &json!({}))?;
    let target = Target { name: Some("called".into()), at: Some(place("src/lib.rs", 1, 8)) };
    let question = ReferencesQuestion { target, include_declaration: false };
    let reasons = world.reasons(Operation::References, question).await?;
    assert!(reasons.contains(&Reason::MentionsNotSearched {}), "{reasons:?}");
    Ok(())
}
