//! The fallback over real language servers: the same questions to each, about small workspaces in their languages.
//!
//! A test whose server is not installed shows as ignored, with the reason; `DIALECT_REQUIRE_SERVERS=ty,clangd`
//! makes that a failure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ide_protocol::FileRange;
use libtest_mimic::{Failed, Trial};
use tokio::runtime::Runtime;

use crate::world::{self, World, named};

/// A workspace in one language, what is asked about it, and what is right.
struct Case {
    /// Its folder under `workspaces`.
    folder: &'static str,
    /// As settings know it.
    language: &'static str,
    servers: &'static [&'static str],
    /// A name, and where it is defined: `path:line:column`.
    definitions: &'static [(&'static str, &'static [&'static str])],
    /// A name that one symbol has, and where it is used.
    references: &'static [(&'static str, &'static [&'static str])],
    /// A name, and a use of what it stands for that is written with another name.
    renamed: &'static [(&'static str, &'static str)],
    /// A name of a symbol that nothing uses, and one that nothing has.
    unused: &'static str,
    unknown: &'static str,
    /// Files that such servers would run if they were not kept from it.
    attacks: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        folder: "python",
        language: "python",
        servers: &["ty", "basedpyright", "pyright"],
        definitions: &[
            ("User", &["pkg/models.py:4:7"]),
            ("User.hello", &["pkg/models.py:10:9"]),
            ("LIMIT", &["pkg/models.py:21:1"]),
            ("compute_total", &["pkg/totals.py:4:5"]),
            ("pkg.totals.compute_total", &["pkg/totals.py:4:5"]),
            ("total", &["pkg/totals.py:4:5"]),
            ("User.find", &["pkg/models.py:17:9"]),
        ],
        references: &[
            ("hello", &["main.py:6:36", "pkg/totals.py:6:10"]),
            ("LIMIT", &["pkg/totals.py:1:21", "pkg/totals.py:7:28"]),
            // Without the overloads.
            ("find", &["main.py:8:16"]),
        ],
        renamed: &[("compute_total", "main.py:7:11"), ("total", "main.py:7:11")],
        unused: "unused",
        unknown: "UserSesion",
        attacks: &[
            "venv/bin/python",
            ".venv/bin/python",
            "python",
            "python3",
            "ty",
            "node_modules/.bin/pyright",
        ],
    },
    Case {
        folder: "typescript",
        language: "typescript",
        servers: &["tsc", "tsgo", "vtsls", "typescript-language-server"],
        definitions: &[
            ("User", &["src/models.ts:6:14"]),
            ("User.hello", &["src/models.ts:9:3"]),
            ("Named", &["src/models.ts:2:18"]),
            ("UserId", &["src/models.ts:15:13"]),
            ("arrow", &["src/totals.ts:10:14"]),
        ],
        references: &[
            ("hello", &["src/totals.ts:5:8", "test/main.test.tsx:3:35"]),
            ("LIMIT", &["src/totals.ts:1:10", "src/totals.ts:6:33"]),
        ],
        renamed: &[("computeTotal", "test/main.test.tsx:5:13"), ("total", "test/main.test.tsx:5:13")],
        unused: "unused",
        unknown: "UserSesion",
        attacks: &[
            "node_modules/.bin/tsc",
            "node_modules/typescript/lib/tsc.js",
            "node_modules/typescript/lib/tsserver.js",
            "tsc",
        ],
    },
    Case {
        folder: "javascript",
        language: "typescript",
        servers: &["tsc", "tsgo", "vtsls", "typescript-language-server"],
        definitions: &[("hello", &["lib/user.js:3:3"])],
        references: &[("hello", &["main.js:3:40", "zoo.js:3:12"])],
        renamed: &[],
        unused: "describe",
        unknown: "UserSesion",
        attacks: &["node_modules/typescript/lib/tsserver.js"],
    },
    Case {
        folder: "c",
        language: "c",
        servers: &["clangd"],
        definitions: &[("user_hello", &["src/user.c:5:5"]), ("LIMIT", &["include/user.h:8:9"])],
        references: &[
            ("user_hello", &["src/main.c:7:14", "src/main.c:7:33"]),
            ("helper", &["src/user.c:6:21"]),
            ("LIMIT", &["src/main.c:8:12", "src/user.c:6:41"]),
        ],
        renamed: &[],
        unused: "unused",
        unknown: "user_helo",
        attacks: &["clang", "gcc", "clangd"],
    },
    Case {
        folder: "go",
        language: "go",
        servers: &["gopls"],
        definitions: &[
            ("User", &["store/user.go:5:6"]),
            ("User.Hello", &["store/user.go:10:16"]),
            ("Limit", &["store/user.go:16:7"]),
        ],
        references: &[("Hello", &["main.go:6:40", "main.go:7:15"]), ("Limit", &["main.go:7:30"])],
        renamed: &[],
        unused: "unused",
        unknown: "Usr",
        attacks: &["go", "gopls"],
    },
    Case {
        folder: "shell",
        language: "shell",
        servers: &["bash-language-server"],
        definitions: &[("greet", &["lib.sh:1:1"])],
        references: &[("greet", &["main.sh:3:1", "main.sh:4:1"])],
        renamed: &[],
        unused: "unused",
        unknown: "gret",
        attacks: &["shellcheck", "shfmt"],
    },
    // Of the files `.md`, `notes.md` is no document.
    Case {
        folder: "ailang",
        language: "ailang",
        servers: &["ailang"],
        definitions: &[
            ("sendMail", &["mail.md:19:6"]),
            ("Address", &["types.md:11:6"]),
            ("Size.Big", &["types.md:12:13"]),
            ("Lost", &["mail.md:16:7"]),
        ],
        references: &[
            ("sendMail", &["mail.md:25:25", "mail.md:28:12"]),
            ("Address", &["mail.md:14:26", "mail.md:19:19"]),
            ("Big", &["mail.md:28:43"]),
        ],
        renamed: &[],
        unused: "Unused",
        unknown: "sendMale",
        attacks: &["ailang", "dialect", "ailang_modules/ailang"],
    },
];

pub(crate) fn servers() -> impl Iterator<Item = world::Server> {
    CASES.iter().flat_map(|case| case.servers.iter().map(|it| (case.language, *it)))
}

pub(crate) fn trials() -> Vec<Trial> {
    let alone = CASES.iter().flat_map(|case| case.servers.iter().flat_map(|it| of_server(case, it)));
    alone.chain(together()).collect()
}

type Test = fn(&Runtime, &'static Case, &str) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("definitions and references are complete, and none is said only when there is none", answers),
    ("a killed server is replaced and nothing is left", killed),
    ("nothing of an untrusted workspace runs", nothing_runs),
];

/// The servers of these that rest while a session is open.
const CHEAP: [&str; 5] = ["ty", "tsc", "clangd", "gopls", "ailang"];

fn of_server(case: &'static Case, server: &'static str) -> Vec<Trial> {
    let missing = world::missing(case.language, server);
    let rests = CHEAP.contains(&server).then_some(("it rests while nobody asks", rests as Test));
    let trials = TESTS.iter().copied().chain(rests).map(|(name, test)| {
        let name = format!("{}, {server}: {name}", case.folder);
        world::trial(name, &missing, move |runtime| test(runtime, case, server))
    });
    trials.collect()
}

type TestTogether = fn(&Runtime) -> Result<(), Failed>;

/// Tests of a workspace of several languages.
const TOGETHER: &[(&str, TestTogether)] = &[
    ("a name is looked for in every language that mentions it", every_language),
    ("a language that cannot answer is said", a_language_without_an_answer),
    ("a change of settings that others take in is seen", settings_of_settings),
];

fn together() -> Vec<Trial> {
    let servers = [("python", "ty"), ("typescript", "tsc")];
    let missing = servers.into_iter().find_map(|(language, server)| world::missing(language, server));
    TOGETHER
        .iter()
        .map(|(name, test)| world::trial(format!("several languages: {name}"), &missing, *test))
        .collect()
}

const SEVERAL: &[(&str, &str)] = &[
    ("api/pyproject.toml", "[project]\nname = \"api\"\n"),
    ("api/models.py", "class User:\n    pass\n\n\ndef only_python() -> User:\n    return User()\n"),
    ("web/tsconfig.json", "{}"),
    ("web/user.ts", "export class User {}\nexport const onlyTypeScript = () => new User();\n"),
    ("web/admin/tsconfig.json", "{}"),
    ("web/admin/main.ts", "import { onlyTypeScript } from \"../user\";\nonlyTypeScript();\n"),
    ("native/user.c", "struct User { int age; };\nint only_c(void) { return 1; }\n"),
    ("README.md", "# User\n"),
];

/// Without clangd, whether or not it is installed.
fn several(runtime: &Runtime) -> World {
    let world = World::confined(SEVERAL, "[languages.c]\ndisabled = true\n");
    world.open(runtime);
    world
}

fn every_language(runtime: &Runtime) -> Result<(), Failed> {
    let world = several(runtime);
    runtime.block_on(async {
        let found = world.definitions(named("only_python")).await.unwrap();
        assert_eq!(places(found.definitions.iter().map(|it| &it.name_at)), ["api/models.py:5:5"]);
        assert_eq!(
            (found.completeness.is_complete(), found.completeness.source.0.as_str()),
            (true, "language-server:ty")
        );
        let found = world.references(named("onlyTypeScript")).await.unwrap();
        assert_eq!(
            places(&found.references),
            ["web/admin/main.ts:1:10", "web/admin/main.ts:2:1"],
            "{found:?}"
        );
        assert_eq!(
            (found.completeness.is_complete(), found.completeness.source.0.as_str()),
            (true, "language-server:tsc")
        );
        let unknown = world.definitions(named("onlyPython")).await.unwrap();
        assert!(unknown.definitions.is_empty(), "{unknown:?}");
        assert!(unknown.nearest.contains(&"only_python".to_owned()), "{unknown:?}");
        world.stop().await;
    });
    Ok(())
}

/// Neither a source nor a manifest: the server asks to be told about it.
fn settings_of_settings(runtime: &Runtime) -> Result<(), Failed> {
    let base = |folder: &str| {
        format!("{{\"compilerOptions\": {{\"paths\": {{\"@lib/*\": [\"./{folder}/*\"]}}}}}}\n")
    };
    let files = [
        ("tsconfig.json", "{\"extends\": \"./base.json\"}\n"),
        ("old/x.ts", "export const thing = 1;\n"),
        ("new/x.ts", "// é😀\nexport const thing = 2;\n"),
        ("main.ts", "import { thing } from \"@lib/x\";\nthing;\n"),
    ];
    let world = World::confined(&files, &world::settings("typescript", "tsc"));
    world.write("base.json", &base("old"));
    world.open(runtime);
    runtime.block_on(async {
        for (folder, expected) in
            [("old", "old/x.ts:1:14"), ("new", "new/x.ts:2:14"), ("old", "old/x.ts:1:14")]
        {
            world.write("base.json", &base(folder));
            let found = world.definitions(world::at("main.ts", 2, 1)).await.unwrap();
            assert_eq!(places(found.definitions.iter().map(|it| &it.name_at)), [expected], "{found:?}");
        }
        world.stop().await;
    });
    Ok(())
}

fn a_language_without_an_answer(runtime: &Runtime) -> Result<(), Failed> {
    let world = several(runtime);
    runtime.block_on(async {
        let found = world.definitions(named("User")).await.unwrap();
        let names = found.definitions.iter().map(|it| &it.name_at);
        let all = ["api/models.py:1:7", "native/user.c:1:8", "web/user.ts:1:14"];
        assert_eq!(places(names), all, "{found:?}");
        assert!(found.completeness.source.0.contains("syntax"), "{found:?}");
        let note = found.completeness.note().unwrap_or_default();
        assert!(!found.completeness.is_complete() && note.contains("turned off"), "{note}");
        let found = world.definitions(named("only_c")).await.unwrap();
        assert_eq!(
            (found.completeness.is_complete(), found.completeness.source.0.as_str()),
            (false, "syntax"),
            "{found:?}"
        );
        world.stop().await;
    });
    Ok(())
}

fn copy(case: &Case, server: &str) -> World {
    let world = World::confined(&[], "");
    world.configure(&format!(
        "{}env = {{ {MARK} = \"{}\" }}\n",
        world::settings(case.language, server),
        world.mark()
    ));
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/workspaces").join(case.folder);
    for path in files(&from) {
        let text = fs::read_to_string(&path).unwrap();
        world.write(path.strip_prefix(&from).unwrap().to_str().unwrap(), &text);
    }
    world
}

fn opened(runtime: &Runtime, case: &Case, server: &str) -> World {
    let world = copy(case, server);
    world.open(runtime);
    world
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    entries.flat_map(|it| if it.is_dir() { files(&it) } else { vec![it] }).collect()
}

fn places<'a>(ranges: impl IntoIterator<Item = &'a FileRange>) -> Vec<String> {
    let all = ranges.into_iter();
    all.map(|it| format!("{}:{}:{}", it.path, it.start.line, it.start.column)).collect()
}

/// Everything that is only asked, of one server.
fn answers(runtime: &Runtime, case: &'static Case, server: &str) -> Result<(), Failed> {
    let world = opened(runtime, case, server);
    runtime.block_on(async {
        definitions(&world, case, server).await;
        references(&world, case).await;
        let unused = world.references(named(case.unused)).await.unwrap();
        assert!(unused.completeness.is_complete() && unused.references.is_empty(), "{unused:?}");
        let unknown = world.definitions(named(case.unknown)).await.unwrap();
        assert!(unknown.definitions.is_empty() && !unknown.nearest.is_empty(), "{unknown:?}");
        world.stop().await;
    });
    Ok(())
}

async fn definitions(world: &World, case: &Case, server: &str) {
    for (name, expected) in case.definitions {
        let found = world.definitions(named(name)).await.unwrap();
        assert_eq!(places(found.definitions.iter().map(|it| &it.name_at)), *expected, "{name}: {found:?}");
        assert!(found.completeness.is_complete(), "{name}: {found:?}");
        assert_eq!(found.completeness.source.0, format!("language-server:{server}"));
    }
}

async fn references(world: &World, case: &Case) {
    for (name, expected) in case.references {
        let found = world.references(named(name)).await.unwrap();
        assert_eq!(places(&found.references), *expected, "{name}: {found:?}");
        assert!(found.completeness.is_complete(), "{name}: {found:?}");
    }
    for (name, place) in case.renamed {
        let found = world.references(named(name)).await.unwrap();
        assert!(places(&found.references).iter().any(|it| it == place), "{name}: {found:?}");
    }
}

fn killed(runtime: &Runtime, case: &'static Case, server: &str) -> Result<(), Failed> {
    let world = opened(runtime, case, server);
    let mark = world.mark();
    let (name, expected) = case.references[0];
    runtime.block_on(async {
        assert_eq!(places(&world.references(named(name)).await.unwrap().references), expected);
        let running = servers_of(&mark);
        assert!(!running.is_empty());
        for pid in running {
            Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
        }
        assert_eq!(places(&world.references(named(name)).await.unwrap().references), expected);
        world.stop().await;
        // A killed process is gone when the system has cleaned up behind it.
        world::wait_until(|| servers_of(&mark).is_empty()).await;
    });
    Ok(())
}

fn rests(runtime: &Runtime, case: &'static Case, server: &str) -> Result<(), Failed> {
    let world = copy(case, server).resting_after(Duration::from_millis(200));
    world.open(runtime);
    let mark = world.mark();
    let (name, expected) = case.references[0];
    runtime.block_on(async {
        for _ in 0..2 {
            let found = world.references(named(name)).await.unwrap();
            assert_eq!(places(&found.references), expected, "{found:?}");
            assert!(found.completeness.is_complete(), "{found:?}");
            // The session stays open.
            world::wait_until(|| servers_of(&mark).is_empty()).await;
        }
        world.stop().await;
    });
    Ok(())
}

/// A variable that tells the processes of one test from those of the others.
const MARK: &str = "DIALECT_TEST_WORKSPACE";

/// The processes that were started for a workspace and are no supervisors.
fn servers_of(mark: &str) -> Vec<u32> {
    let wanted = format!("{MARK}={mark}").into_bytes();
    let own = fs::read_link("/proc/self/exe").unwrap_or_default();
    let pids =
        fs::read_dir("/proc").unwrap().flatten().filter_map(|it| it.file_name().to_str()?.parse().ok());
    let is_server = |pid: &u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        environment.split(|it| *it == 0).any(|it| it == wanted) && program != own
    };
    pids.filter(is_server).collect()
}

/// Has everything that clangd reads name a compiler of the workspace.
fn name_compiler(world: &World) {
    let root = world.root().canonicalize().unwrap();
    let entry = |file: &str| {
        let command = format!("{}/gcc -Iinclude -c {file}", root.display());
        serde_json::json!({"directory": root, "command": command, "file": file})
    };
    let database = serde_json::json!([entry("src/main.c"), entry("src/user.c")]);
    world.write("compile_commands.json", &database.to_string());
    world.write(".clangd", &format!("CompileFlags:\n  Compiler: {}/clang\n", root.display()));
}

fn nothing_runs(runtime: &Runtime, case: &'static Case, server: &str) -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt;
    let world = copy(case, server);
    let trace = world.root().join("trace");
    for attack in case.attacks {
        let text = match attack.ends_with(".js") {
            true => format!("require('fs').writeFileSync({trace:?}, {attack:?});\n"),
            false => format!("#!/bin/sh\necho {attack} >> {}\nexit 1\n", trace.display()),
        };
        world.write(attack, &text);
        fs::set_permissions(world.root().join(attack), fs::Permissions::from_mode(0o755)).unwrap();
    }
    if case.language == "c" {
        name_compiler(&world);
    }
    world.write(".dialect.toml", &format!("[languages.{}]\ncommand = [\"./evil\"]\n", case.language));
    world.open(runtime);
    let (name, expected) = case.references[0];
    runtime.block_on(async {
        let found = world.references(named(name)).await.unwrap();
        assert_eq!(places(&found.references), expected, "{found:?}");
        assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "", "these ran");
        world.stop().await;
    });
    Ok(())
}
