//! Checks that the next question sees a change outside of the session's folder: in a package beside it that its code
//! uses, and in a dependency of that package which no answer has named before.

use std::fs;
use std::path::PathBuf;

use ide_protocol::{DefinitionsResult, IdeError, Line, ReferencesResult, Target};
use libtest_mimic::Failed;
use tokio::runtime::Runtime;

use super::languages::Language;
use crate::world::{self, World};

/// A project in one language that uses a package beside it.
struct Layout {
    id: &'static str,
    /// Files of the session's folder that stay as they are.
    fixed: &'static [(&'static str, &'static str)],
    /// The file that uses the package.
    main: (&'static str, &'static str),
    /// A file of the package: its name, how it begins, the lines of `work`, a line that uses it.
    part: (&'static str, &'static str, &'static str, &'static str),
    /// The file that the package uses: its name and the lines of `grow`.
    deep: (&'static str, &'static str),
    comment: &'static str,
}

static LAYOUTS: &[Layout] = &[
    Layout {
        id: "python",
        fixed: &[(
            "pyproject.toml",
            "[project]\nname = \"app\"\nversion = \"0.1.0\"\n\n[tool.ty.environment]\nextra-paths = [\"../beside\"]\n",
        )],
        main: (
            "main.py",
            "from part import work\nfrom deep import grow\n\n\ndef use() -> int:\n    return work(1) + grow(1)\n",
        ),
        part: (
            "part.py",
            "from deep import grow\n",
            "def work(n: int) -> int:\n    return grow(n)\n",
            "used = work(2)\n",
        ),
        deep: ("deep.py", "def grow(n: int) -> int:\n    return n\n"),
        comment: "# é😀\n",
    },
    Layout {
        id: "typescript",
        fixed: &[(
            "tsconfig.json",
            "{ \"compilerOptions\": { \"strict\": true, \"module\": \"esnext\", \"moduleResolution\": \"bundler\", \"noEmit\": true }, \"include\": [\"*.ts\"] }\n",
        )],
        main: (
            "main.ts",
            "import { work } from \"../beside/part\";\nimport { grow } from \"../beside/deep\";\n\nexport function use(): number {\n    return work(1) + grow(1);\n}\n",
        ),
        part: (
            "part.ts",
            "import { grow } from \"./deep\";\n",
            "export function work(n: number): number {\n    return grow(n);\n}\n",
            "export const used = [work(2)];\n",
        ),
        deep: ("deep.ts", "export function grow(n: number): number {\n    return n;\n}\n"),
        comment: "// é😀\n",
    },
    Layout {
        id: "c",
        fixed: &[("compile_flags.txt", "-I../beside\n")],
        main: ("main.c", "#include \"part.h\"\n\nint use(void) {\n    return work(1) + grow(1);\n}\n"),
        part: (
            "part.h",
            "#pragma once\n#include \"deep.h\"\n",
            "static inline int work(int n) {\n    return grow(n);\n}\n",
            "static inline int used(void) { return work(2); }\n",
        ),
        deep: ("deep.h", "#pragma once\nstatic inline int grow(int n) {\n    return n;\n}\n"),
        comment: "// é😀\n",
    },
];

/// Returns `true` if there is a layout for the language and the server.
pub(crate) fn is_known(language: &Language, server: &str) -> bool {
    matches!((language.name, server), ("python", "ty") | ("typescript", "tsc") | ("c", "clangd"))
}

/// Changes the package and asks at once, again and again.
pub(crate) fn edit_beside(
    runtime: &Runtime,
    language: &'static Language,
    server: &str,
    rounds: usize,
) -> Result<(), Failed> {
    let layout = LAYOUTS.iter().find(|it| it.id == language.id).ok_or("no layout")?;
    let world = World::confined(&[], &world::settings(language.id, server)).trusted();
    let workspace = EditedWorkspace { layout, root: world.root().canonicalize()?, world };
    for (path, text) in layout.fixed.iter().chain([&layout.main]) {
        workspace.world.write(&format!("app/{path}"), text);
    }
    workspace.save(0, 0);
    workspace.world.open_in(runtime, "app");
    let (mut wrong, mut n_right, mut says_so) = (Vec::new(), 0, Vec::new());
    runtime.block_on(async {
        for round in 0..rounds {
            // A file that no answer named until the end changes all the while.
            workspace.save(1 + round * 3 % 7, round % 5);
            let last = round + 1 == rounds;
            let names = if last { &["work", "grow"][..] } else { &["work"] };
            for name in names {
                for verdict in [workspace.definition(name).await, workspace.uses(name).await] {
                    match verdict {
                        Ok(None) => n_right += 1,
                        Ok(Some(note)) => says_so.push(note),
                        Err(how) => wrong.push(format!("round {round}: {how}")),
                    }
                }
            }
        }
        workspace.world.fallback.shutdown().await;
    });
    eprintln!(
        "{server}, {rounds} edits beside: {n_right} right, {} say that they are not complete, {} wrong",
        says_so.len(),
        wrong.len()
    );
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    match n_right * 100 < (n_right + says_so.len()) * 95 {
        true => Err(format!("only {n_right} are right: {}", says_so.join("\n")).into()),
        false => Ok(()),
    }
}

struct EditedWorkspace {
    layout: &'static Layout,
    root: PathBuf,
    world: World,
}

impl EditedWorkspace {
    /// Writes the package, with so many lines of comment and so many uses.
    fn save(&self, n_comments: usize, n_uses: usize) {
        let (name, head, work, using) = self.layout.part;
        let (comments, uses) = (self.layout.comment.repeat(n_comments), using.repeat(n_uses.min(1)));
        self.world.write(&format!("beside/{name}"), &format!("{head}{comments}{work}{uses}"));
        let (name, grow) = self.layout.deep;
        self.world.write(&format!("beside/{name}"), &format!("{comments}{grow}"));
    }

    /// Returns a question about the last use of a name in the main file.
    fn at(&self, name: &str) -> Target {
        let (path, text) = self.layout.main;
        let lines = text.lines().enumerate();
        let (line, column) =
            lines.filter_map(|(n, it)| Some((n, it.find(&format!("{name}("))?))).last().unwrap();
        let (line, column) = (u32::try_from(line).unwrap() + 1, u32::try_from(column).unwrap() + 1);
        world::at(path, line, column)
    }

    /// The line of a file, from 1.
    fn line(&self, path: &str, line: Line) -> Option<String> {
        let path = self.root.join("app").join(path);
        let text = fs::read_to_string(path).ok()?;
        text.lines().nth(line.get() as usize - 1).map(str::to_owned)
    }

    /// Asks for a definition. Returns `None` if it is right, and the note of an incomplete answer.
    async fn definition(&self, name: &str) -> Result<Option<String>, String> {
        let found: Result<DefinitionsResult, IdeError> = self.world.definitions(self.at(name)).await;
        let found = found.map_err(|error| format!("{name}: {error:?}"))?;
        let file = if name == "work" { self.layout.part.0 } else { self.layout.deep.0 };
        let places: Vec<_> = found.definitions.iter().map(|it| &it.name_at).collect();
        let is_right = places.len() == 1
            && places[0].path.ends_with(&format!("beside/{file}"))
            && self.line(&places[0].path, places[0].start.line).is_some_and(|it| {
                it.contains(&format!("{name}(")) && places[0].text.as_deref() == Some(it.trim())
            });
        self.verdict(
            is_right,
            found.completeness.is_complete(),
            found.completeness.note(),
            &format!("{name} is defined at {places:?}"),
        )
    }

    /// Asks for uses. Every one has to be a use, and none of the main file may be missing.
    async fn uses(&self, name: &str) -> Result<Option<String>, String> {
        let found: Result<ReferencesResult, IdeError> = self.world.references(self.at(name)).await;
        let found = found.map_err(|error| format!("{name}: {error:?}"))?;
        let is_use = |it: &ide_protocol::FileRange| {
            let line = self.line(&it.path, it.start.line).unwrap_or_default();
            let named: String = line.chars().skip(it.start.column.index()).take(name.len()).collect();
            named == name
        };
        let (main, text) = self.layout.main;
        let expected = text.lines().filter(|it| it.contains(name)).count();
        let own = found.references.iter().filter(|it| it.path == main).count();
        let is_right = found.references.iter().all(is_use) && own == expected;
        self.verdict(
            is_right,
            found.completeness.is_complete(),
            found.completeness.note(),
            &format!("{name} is used at {:?}", found.references),
        )
    }

    fn verdict(
        &self,
        is_right: bool,
        is_complete: bool,
        note: Option<String>,
        what: &str,
    ) -> Result<Option<String>, String> {
        match (is_right, is_complete) {
            (true, true) => Ok(None),
            (_, false) => Ok(Some(note.unwrap_or_default())),
            (false, true) => Err(what.to_owned()),
        }
    }
}
