//! The direction of imports: each crate is a pile of layers, and a file imports only from its own layer and lower ones.

mod graph;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};
use cargo_metadata::MetadataCommand;
use graph::Imports;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        imports_point_to_lower_layers,
        no_circle_has_more_than_four_files,
        every_crate_is_in_a_list,
        uses_are_resolved,
    ]
}

/// The most files of a circle. What is larger hides an order.
const LARGEST_CIRCLE: usize = 4;

/// The layers of a crate, the lowest first: modules by name, with all that is in them but what another layer names.
type Layers = &'static [&'static str];

/// The layers of the crates that have several.
const LAYERS: &[(&str, Layers)] = &[
    (
        "adapter",
        &[
            "os xdg_dirs supervise blocking disk_budget background::place",
            "fallback::trust",
            "fallback::source",
            "fallback::workspace",
            "fallback::syntactic",
            "fallback::servers::find",
            "fallback::servers::run",
            "fallback::edits",
            "fallback::session",
            "fallback::operations::dispatch fallback::operations::handler fallback::operations::server_query",
            "fallback::operations::lookup",
            "fallback::operations::corrections",
            "fallback::operations::definitions",
            "fallback::operations",
            "background::client background::status background::wire",
            "fallback",
            "acp background consent loading route sessions",
        ],
    ),
    (
        "component",
        &[
            "os no_host extension::exported_tools mcp::secret session::bindings",
            "acp::known_agents acp::mcp_servers acp::resource_uri acp::system_prompt permission::denied_name permission::hunks script::settings tool::answer tool::truncation",
            "state audit plugins",
            "acp::sub_agents",
            "acp::prompt acp::upstream permission::shown_edits permission::asker session session::routing call_metrics",
            "permission plugins::tables",
            "extension permission::local",
            "skills",
            "session::plugins",
            "config",
            "tool::rendering",
            "tool::description tool::dry_run tool::interpret",
            "script",
            "tool",
            "mcp mcp::native mcp::port",
            "mcp::http mcp::relay",
            "mcp::standalone",
            "acp::connection",
            "acp",
        ],
    ),
    (
        "cli",
        &[
            "failure os source settings_file script_config arguments::help deviation",
            "output environment",
            "progress answer source_process server chain",
            "stub process check logs",
            "grants trusted audit stats plugin_sources",
            "ailang check_editor setup",
            "arguments plugins skills",
            "agent mcp proxies eval script script_checker script_runtimes fmt doctor",
            "repl plugin_server workspace_provider",
        ],
    ),
    (
        "cli/built-in-modules",
        &[
            "transport",
            "program",
            "call config definitions",
            "view",
            "capabilities loader",
            "context error_handler http monitor parser storage type_validator validator",
            "generator runtime",
            "modules",
        ],
    ),
    (
        "cli/language-server",
        &[
            "answers bounded options text tolerant",
            "package",
            "workspace",
            "document",
            "program",
            "convert",
            "capabilities",
            "handlers",
            "run_example server",
        ],
    ),
    (
        "cli/packages",
        &[
            "error limits",
            "archive integrity npmrc spec",
            "listing http",
            "project registry settings",
            "lock resolve store package package_files",
            "modules git fetch loader",
            "install publish search",
        ],
    ),
    (
        "shared/dialect",
        &[
            "evaluated form invisible level limits name number partial quote token tokens",
            "refinement signature type_error types",
            "ambiguity closure failure gap interrupt outcome show value",
            "ast brackets lex parse",
            "habits printer tightness",
            "code explain fix format",
            "declared foreign_idiom invocation library registry requirement shape work",
            "lookalike mismatch print",
            "decisions embedded embedding inference json_form method node program reading resolve surroundings write",
            "candidates convert eval",
            "describe editing help reference",
        ],
    ),
    (
        "shared/plugin-protocol",
        &[
            "limits grammar text tokens",
            "frames",
            "envelope",
            "signature value",
            "methods",
            "schema",
            "connection source",
            "session",
        ],
    ),
    (
        "shared/ailang",
        &[
            "limits",
            "diagnostic",
            "syntax",
            "split",
            "parse",
            "front_matter",
            "document",
            "documents",
            "module",
            "standard",
            "names",
            "print",
            "extract",
            "budget",
            "format",
            "trust",
            "values",
            "schema",
            "capability",
            "throwable",
            "lower",
            "validate",
            "analysis values::typed",
            "manifest",
            "interface",
            "run",
        ],
    ),
    ("shared/ailang-formats", &["generate", "bridges compare pages"]),
    (
        "shared/core-library",
        &[
            "failure",
            "row",
            "equality",
            "order",
            "arguments",
            "pattern",
            "elements",
            "lists",
            "sorting",
            "groups",
            "numbers",
            "texts",
            "objects",
            "foreign_idioms",
            "flows",
            "generics",
            "interface",
        ],
    ),
    (
        "shared/ide-library",
        &[
            "host later_context order symbol spelling habits interface resolve::subject",
            "cached_host",
            "failure naming selection",
            "ambiguity completeness_notes excerpt place_argument row",
            "shown_hits",
            "resolve",
            "resolve::in_file",
            "diagnostic_changes functions::calls",
            "compact",
            "functions",
            "types",
            "conversions",
        ],
    ),
    (
        "shared/syntax",
        &[
            "kind role visibility signature test_path pattern::error queries::path captures::leads",
            "language misread outline scope queries::rules",
            "parsed enclosing imports pattern::contexts pattern::holes pattern::literal pattern::optional",
            "queries macros classify::locals captures::entries pattern::shape",
            "classify captures pattern::matching pattern::parsing",
            "nest pattern",
            "collect pattern::macros",
            "pattern::visit",
        ],
    ),
];

/// Crates with one layer, which must be free of large circles all the same.
const FLAT: &[&str] = &[
    "adapter/confinement",
    "adapter/transport",
    "cli/ailang-host",
    "component/script-worker",
    "component/source-worker",
    "conformance",
    "examples",
    "examples/embedding",
    "examples/plugin-sdk",
    "shared/ide-protocol",
    "shared/json-text",
    "shared/literate",
    "shared/metrics",
    "shared/script-protocol",
    "shared/source-text",
    "shared/typescript",
    "shared/unpoisoned",
];

fn imports_point_to_lower_layers() -> Result<()> {
    let mut wrong = Vec::new();
    for (name, layers) in LAYERS {
        let imports = read(name)?;
        let of = |module: &[String]| layer(layers, module);
        for (from, to) in imports.edges() {
            match (of(from), of(to)) {
                (Some(low), Some(high)) if high > low => {
                    wrong.push(format!("{name}: {} imports {}", from.join("::"), to.join("::")));
                }
                _ => {}
            }
        }
        let files = imports.modules().filter(|it| !it.is_empty() && it[0] != "main");
        let outside = files.filter(|it| of(it).is_none());
        wrong.extend(outside.map(|it| format!("{name}: {} is in no layer of this test", it.join("::"))));
    }
    ensure!(
        wrong.is_empty(),
        "move what is imported to a lower layer, or the file to a higher one:\n{}",
        wrong.join("\n")
    );
    Ok(())
}

fn no_circle_has_more_than_four_files() -> Result<()> {
    let mut large = Vec::new();
    for name in LAYERS.iter().map(|(name, _)| name).chain(FLAT) {
        for circle in read(name)?.circles().into_iter().filter(|it| it.len() > LARGEST_CIRCLE) {
            large.push(format!("{name}: {}", circle.join(", ")));
        }
    }
    ensure!(large.is_empty(), "these files import each other in a circle:\n{}", large.join("\n"));
    Ok(())
}

/// The reader of imports sees what it has to: aliases, groups, re-exports, paths in expressions; and no tests.
fn uses_are_resolved() -> Result<()> {
    let files = [
        ("lib", "mod a;\nmod b;\npub use b::Kept;"),
        ("a", "use crate::{Kept, b::{self, inner as other}};\nfn f() { other::g(); b::inner::g(); }"),
        (
            "b",
            "pub mod inner;\npub struct Kept;\n#[cfg(test)]\nmod tests { use crate::a; fn t() { a::f(); } }",
        ),
        ("b::inner", "// crate::a\nconst TEXT: &str = \"crate::a::f()\";\nfn g() { super::h(); }"),
    ];
    let files: BTreeMap<Vec<String>, String> =
        files.iter().map(|(name, text)| (graph::module(name), (*text).to_owned())).collect();
    let imports = Imports::of(&files);
    let edges: Vec<_> =
        imports.edges().map(|(a, b)| format!("{} → {}", a.join("::"), b.join("::"))).collect();
    ensure!(edges == [" → b", "a → b", "a → b::inner", "b::inner → b"], "{edges:?}");
    Ok(())
}

fn every_crate_is_in_a_list() -> Result<()> {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec()?;
    let listed: BTreeSet<_> = LAYERS.iter().map(|(name, _)| *name).chain(FLAT.iter().copied()).collect();
    let folders = metadata.workspace_packages().into_iter().filter_map(|it| it.manifest_path.parent());
    let with_sources = folders.filter(|it| it.join("src").exists());
    let names = with_sources.filter_map(|it| it.strip_prefix(&metadata.workspace_root).ok());
    let missing: Vec<_> = names.filter(|it| !listed.contains(it.as_str())).collect();
    ensure!(missing.is_empty(), "these crates are in no list of this test: {missing:?}");
    Ok(())
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it lies in the repository")
}

fn read(name: &str) -> Result<Imports> {
    Imports::read(&root().join(name).join("src"))
}

/// Returns the place of a module's layer in the pile: the one that names most of its path.
fn layer(layers: &[&str], module: &[String]) -> Option<usize> {
    let all = layers.iter().enumerate().flat_map(|(at, names)| names.split(' ').map(move |it| (at, it)));
    let own = all.filter_map(|(at, name)| {
        let name = graph::module(name);
        module.starts_with(&name).then_some((name.len(), at))
    });
    own.max().map(|(_, at)| at)
}
