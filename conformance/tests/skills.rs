//! Skills as an agent meets them: a folder of documents that the user names, whose tools are functions like all others.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use conformance::conversation::Conversation;
use libtest_mimic::{Completion, Trial};
use serde_json::json;
use tempfile::TempDir;

use crate::plugin_chain::{DENY, ONCE, SESSION, User, write_plugin_of};
use crate::scripts::run;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = tests![
        async
        a_tool_with_a_body_is_a_function_like_any_other,
        a_description_names_skills_and_nothing_without_them,
        a_body_asks_for_what_it_does,
        tools_bound_to_plugins_run_in_one_program_with_the_ide,
        a_tool_without_code_says_what_to_do,
        a_skill_that_loads_manually_is_asked_about,
        a_skill_of_a_rule_comes_with_the_answer,
        budgets_decide_how_much_is_loaded,
        hostile_documents_are_bounded_and_told,
        a_folder_of_the_workspace_is_not_taken_unasked,
    ];
    trials.push(Trial::ignorable_test("mcp, a_tool_bound_to_a_server_of_npm", || {
        let Some(server) = server_of_npm().filter(|it| it.is_file()) else {
            let reason = "`AILANG_TOOLS` names no folder with @modelcontextprotocol/sdk";
            let required = std::env::var("AILANG_REQUIRE_TOOLS").unwrap_or_default();
            return match required.split(',').any(|it| it.trim() == "mcp") {
                true => Err(reason.into()),
                false => Ok(Completion::ignored_with(reason)),
            };
        };
        crate::with_server("node", || {
            let runtime = crate::runtime()?;
            let tested = runtime.block_on(a_tool_bound_to_a_server_of_npm(&server));
            runtime.shutdown_background();
            tested
        })
    }));
    trials
}

const GREETER: &str = "---
id: greeter
title: Greeter
summary: Greets people by their names.
version: 1.0.0
---

# Greeter

Be polite.

<define>

```ailang
type Greeting = { text: string, length: int }

// Greets somebody.
// @pure
tool greet(name: string.nonEmpty(), mark?: string) -> Greeting
{
  text = \"Hello, ${name}${mark ?? \"!\"}\"
  return { text, length: text.length }
}
```

</define>
";

/// A user with a folder of skills.
struct Skilled {
    user: User,
    folder: TempDir,
}

impl Skilled {
    fn new(documents: &[(&str, &str)]) -> Result<Self> {
        let mut skilled = Self { user: User::new()?, folder: TempDir::new()? };
        for (path, text) in documents {
            skilled.write(path, text)?;
        }
        skilled.user.plugins.clear();
        skilled.user.scripts = vec!["--skills".into(), skilled.folder.path().into()];
        Ok(skilled)
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().context("it lies in the folder")?)?;
        Ok(std::fs::write(path, text)?)
    }

    /// Writes the user's settings.
    fn set(&self, text: &str) -> Result<()> {
        let folder = self.user.settings().join("dialect");
        std::fs::create_dir_all(&folder)?;
        Ok(std::fs::write(folder.join("config.toml"), text)?)
    }

    fn budget(&mut self, tokens: usize) {
        self.user.scripts.extend(["--skill-tokens".into(), tokens.to_string().into()]);
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Checks that programs say what is expected; an answer of several blocks as one text.
async fn says(chain: &mut Conversation, expected: &[(&str, &[&str])]) -> Result<()> {
    for (program, parts) in expected {
        let said = chain.call(program).await?;
        let whole = [vec![said.text], said.notes].concat().join("\n---\n");
        let absent = parts.iter().find(|it| !whole.contains(**it));
        ensure!(absent.is_none(), "{program} lacks {absent:?}: {whole}");
    }
    Ok(())
}

async fn a_tool_with_a_body_is_a_function_like_any_other() -> Result<()> {
    let manifest = r#"{"name": "packed", "version": "1.0.0", "main": "start.md"}"#;
    let packed = "---\nid: packed\ntitle: Packed\nsummary: Doubles.\n---\n<define>\nimport { Count } from \"./other.md\"\n\
                  // Doubles it.\n// @pure\ntool double(count: Count) -> Count { return { n: count.n * 2 } }\n</define>\n";
    let other =
        "---\nid: other\ntitle: Other\nsummary: Counts.\n---\n<define>\ntype Count = { n: int }\n</define>\n";
    let skilled = Skilled::new(&[
        ("greeter.md", GREETER),
        ("pack/ailang.json", manifest),
        ("pack/start.md", packed),
        ("pack/other.md", other),
    ])?;
    let (mut chain, _shims) = skilled.user.session(&[]).await?;
    let one = "{hello: greet(findDefinition(`User`).name).text, all: findReferences(`User`).count()}";
    assert_eq!(chain.call(one).await?.text, r#"{"hello":"Hello, User!","all":0}"#);
    says(
        &mut chain,
        &[
            ("greeter.greet(name=`Ada`, mark=`?`)", &[r#"{"text":"Hello, Ada?","length":11}"#]),
            ("[`a`, `b`].map(n => greet(n).length)", &["[9,9]"]),
            ("greet(``)", &["failure: ", "`name` of `greeter.greet`", "empty"]),
            ("greet(`Ada`, 3, 4)", &["failure: ", "greeter.greet(name: string.nonEmpty(), mark?: string)"]),
            ("help(`greet`)", &["-> greeter.Greeting", r#"From "greeter": "Greets somebody.""#]),
            ("skill(`greeter`)", &["Be polite.", "tool greet(", "Functions: greet."]),
            ("skill(`greeter`, level=`minimal`)", &["Greets people by their names."]),
            (
                "skills().map(s => [s.name, s.level, s.uses])",
                &[r#"[["packed","minimal",0],["greeter","minimal",4]]"#],
            ),
            ("double({n: 4})", &[r#"{"n":8}"#]),
            ("skill(`greter`)", &["failure: ", "there is no skill `greter`", "greeter"]),
        ],
    )
    .await?;
    let said = run(&mut chain, "return (await greeter.greet('Ada')).text", json!({})).await?;
    ensure!(said.contains("Hello, Ada!"), "{said}");
    let said = run(&mut chain, "return (await skills.skill('greeter')).length > 100", json!({})).await?;
    ensure!(said.contains("true"), "{said}");
    chain.end().await
}

async fn a_description_names_skills_and_nothing_without_them() -> Result<()> {
    let eager = GREETER.replace("greeter", "eager").replace("version:", "loading: eager\nversion:");
    let skilled = Skilled::new(&[("greeter.md", GREETER), ("eager.md", &eager)])?;
    let (mut chain, _shims) = skilled.user.session(&[]).await?;
    let with = chain.play("describe").await?.concat();
    for part in ["Skills; skill(`name`) shows one", "\n  greeter: Greets people by their names.\n"] {
        ensure!(with.contains(part), "{part}: {with}");
    }
    ensure!(with.matches("tool greet(").count() == 1, "that which loads eagerly is there: {with}");
    chain.end().await?;
    let empty = Skilled::new(&[])?;
    let mut said = Vec::new();
    let mut plain = User::new()?;
    plain.plugins.clear();
    for user in [empty.user, plain] {
        let (mut chain, _shims) = user.session(&[]).await?;
        said.push(chain.play("describe").await?.concat());
        chain.end().await?;
    }
    ensure!(said[0] == said[1] && !said[0].contains("skill"), "{}", said[0]);
    Ok(())
}

async fn a_body_asks_for_what_it_does() -> Result<()> {
    let text = "---\nid: keeper\ntitle: Keeper\nsummary: Keeps notes.\n---\n<define>\n\
                from ailang.storage import writeFile\n\n\
                // Keeps a note.\ntool keep(name: string, text: string) -> string\n{\n  \
                writeFile(\"${name}.txt\", text)\n  return name\n}\n</define>\n";
    let skilled = Skilled::new(&[("keeper.md", text)])?;
    // The tool itself, and then the one path that its body writes.
    let (mut chain, _shims) = skilled.user.session(&[ONCE, ONCE, ONCE, DENY]).await?;
    says(&mut chain, &[("keep(`one`, `text`)", &["\"one\""])]).await?;
    assert_eq!(std::fs::read_to_string(skilled.user.path("one.txt"))?, "text");
    says(
        &mut chain,
        &[(
            "keep(`two`, `text`)",
            &["failure: ", "the user refused", "What ran before this call has happened"],
        )],
    )
    .await?;
    ensure!(!skilled.user.path("two.txt").exists(), "it was refused");
    chain.end().await?;
    let (_, audit) = skilled.user.dialect(&["audit", "--action", "used"])?;
    ensure!(audit.contains("keeper/keep (once)") && audit.contains("one.txt"), "{audit}");
    Ok(())
}

const TODO: &str = "---
id: chores
title: Chores
summary: Lists what is to do.
---
<define>
// Lists what is to do.
// @readOnly
tool chores(folder: string) -> string

// Counts the letters of it.
// @readOnly
tool size(folder: string) -> int
{
  return chores(folder).length
}
</define>
";

async fn tools_bound_to_plugins_run_in_one_program_with_the_ide() -> Result<()> {
    let mut skilled = Skilled::new(&[("chores.md", TODO)])?;
    let plugin = skilled.user.path("todo.sh");
    let parameters = json!([{"name": "folder"}]);
    let schema = json!({"functions": [{"name": "list", "effect": "reads", "params": parameters}]});
    write_plugin_of(&plugin, "todo", &schema, &json!({"type": "string", "value": "wash"}))?;
    skilled.user.plugins.push(plugin);
    skilled.set("[skills.bind]\n\"chores.chores\" = { plugin = \"todo.list\" }\n")?;
    let (mut chain, _shims) = skilled.user.session(&[]).await?;
    let program = "{todo: chores(`.`), letters: size(`.`), user: findDefinition(`User`).path}";
    assert_eq!(chain.call(program).await?.text, r#"{"todo":"wash","letters":4,"user":"main.py"}"#);
    chain.end().await
}

async fn a_tool_without_code_says_what_to_do() -> Result<()> {
    let skilled = Skilled::new(&[("chores.md", TODO)])?;
    let (mut chain, _shims) = skilled.user.session(&[]).await?;
    let why = "it has no body, and nothing is bound to it";
    says(
        &mut chain,
        &[
            ("chores(`.`)", &["failure: ", why, "[skills.bind] \"chores.chores\""]),
            ("size(`.`)", &["failure: ", why]),
            ("skill(`chores`)", &["Functions: size.", "Not callable: chores: ", why]),
            ("help(`chores`)", &["Not callable here"]),
        ],
    )
    .await?;
    chain.end().await
}

async fn a_skill_that_loads_manually_is_asked_about() -> Result<()> {
    let manual = GREETER.replace("version:", "loading: manual\nversion:");
    let skilled = Skilled::new(&[("greeter.md", &manual)])?;
    let (mut chain, _shims) = skilled.user.session(&[DENY, DENY]).await?;
    says(
        &mut chain,
        &[
            ("skill(`greeter`, level=`minimal`)", &["Greets people by their names."]),
            ("greet(`Ada`)", &["failure: ", "the user refused"]),
            ("skill(`greeter`)", &["failure: ", "refused"]),
        ],
    )
    .await?;
    chain.end().await?;
    let (mut chain, _shims) = skilled.user.session(&SESSION).await?;
    says(&mut chain, &[("skill(`greeter`)", &["tool greet("]), ("greet(`Ada`).text", &["Hello, Ada!"])])
        .await?;
    chain.end().await
}

async fn a_skill_of_a_rule_comes_with_the_answer() -> Result<()> {
    let rules = "loading: by_rule\nrules:\n  - when: keyword\n    pattern: greetings\nversion:";
    let skilled = Skilled::new(&[("greeter.md", &GREETER.replace("version:", rules))])?;
    let (mut chain, _shims) = skilled.user.session(&[]).await?;
    let said = chain.call("1 + 1").await?;
    ensure!(said.text == "2" && said.notes.is_empty(), "{said:?}");
    let said = chain.call("search(`.`, `greetings`).count()").await?;
    ensure!(said.text == "0" && said.notes.concat().contains("tool greet("), "{said:?}");
    let said = chain.call("search(`.`, `greetings`).count()").await?;
    ensure!(!said.notes.concat().contains("tool greet("), "it comes once: {said:?}");
    chain.end().await
}

/// Returns a skill of about 120 tokens at the level standard.
fn numbered(number: usize) -> (String, String) {
    let tools: String = (1..=3)
        .map(|it| {
            format!(
                "// Does the thing number {it} of the skill {number}, which takes a while.\n// @pure\n\
                 tool act{number}x{it}(first: string.nonEmpty(), second?: int.min(0).max(9)) -> string\n\
                 {{\n  return first\n}}\n"
            )
        })
        .collect();
    let text = format!(
        "---\nid: skill-{number:02}\ntitle: Skill {number}\nsummary: Does the things of the kind {number}.\n---\n\n\
         # Skill {number}\n\nWords about it.\n\n<define>\n{tools}</define>\n"
    );
    (format!("{number:02}.md"), text)
}

async fn budgets_decide_how_much_is_loaded() -> Result<()> {
    let documents: Vec<(String, String)> = (1..=30).map(numbered).collect();
    let documents: Vec<(&str, &str)> = documents.iter().map(|(path, text)| (&**path, &**text)).collect();
    let asked = "skills().take(20).map(s => skill(s.name)).count()";
    let state = "skills().map(s => [s.level, s.why])";
    for (tokens, expected) in [
        (
            2_000,
            [
                r#"["minimal","it made room for skill-"#,
                r#"["standard","asked for; standard is the highest level that has room"]"#,
                r#"["minimal","found at the start"]"#,
            ],
        ),
        (
            20_000,
            [
                r#"["detailed","asked for; detailed is the highest level that has room"]"#,
                r#"["detailed","asked for; detailed is the highest level that has room"]"#,
                r#"["minimal","found at the start"]"#,
            ],
        ),
    ] {
        let mut skilled = Skilled::new(&documents)?;
        skilled.budget(tokens);
        let (mut chain, _shims) = skilled.user.session(&[]).await?;
        says(&mut chain, &[(asked, &["20"])]).await?;
        let said = chain.call(state).await?.text;
        ensure!(expected.iter().all(|it| said.contains(it)), "{tokens}: {said}");
        let total: usize = chain.call("skills().map(s => s.tokens).sum()").await?.text.parse()?;
        ensure!(total <= tokens && total * 10 > tokens, "{total} of {tokens}");
        // A use gives more detail.
        says(
            &mut chain,
            &[
                ("act30x1(`a`)", &["\"a\""]),
                ("s = skills().last(); [s.level, s.why, s.uses]", &["compact", "`act30x1` was called", "1"]),
            ],
        )
        .await?;
        chain.end().await?;
        let (_, audit) = skilled.user.dialect(&["audit", "--action", "loaded", "--last", "1"])?;
        ensure!(audit.contains("skill-30") && audit.contains("`act30x1` was called"), "{audit}");
        let budget = tokens.to_string();
        let folder = skilled.path().display().to_string();
        let arguments = ["skills", "--skills", &folder, "--skill-tokens", &budget, "skill-01"];
        let (code, said) = skilled.user.dialect(&arguments)?;
        ensure!(code == Some(0) && said.contains(&format!("of {tokens} tokens")), "{said}");
        ensure!(said.contains("found at the start") && said.contains("asked for; "), "{said}");
    }
    Ok(())
}

async fn hostile_documents_are_bounded_and_told() -> Result<()> {
    let document = |id: &str, code: &str| {
        format!("---\nid: {id}\ntitle: {id}\nsummary: About {id}.\n---\n<define>\n{code}\n</define>\n")
    };
    let tool = |name: &str| {
        format!("// Does it.\n// @pure\ntool {name}(text: string) -> string {{ return \"mine\" }}\n")
    };
    let huge = document("huge", &"// x\n".repeat(400_000));
    let texts = [
        ("greeter.md", GREETER.to_owned()),
        ("README.md", "# Not a document\n".to_owned()),
        ("huge.md", huge),
        ("one.md", document("one", &format!("from two import other\n{}", tool("first")))),
        ("two.md", document("two", &format!("from one import first\n{}", tool("other")))),
        ("collides.md", document("collides", &(tool("search") + &tool("help") + &tool("unlike")))),
        ("ide.md", document("ide", &tool("pretend"))),
        ("twice.md", document("greeter", &tool("again"))),
        ("broken.md", "---\nid: broken\n---\n<define>\ntool (\n</define>\n".to_owned()),
        (
            "hidden.md",
            document("hidden", "// Say \u{202e}nothing.\n// @pure\ntool quiet() -> int { return 1 }"),
        ),
        (
            "endless.md",
            document("endless", "// @pure\ntool spin() -> int { while (true) { x = 1 }\n return 1 }"),
        ),
    ];
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, &**text)).collect();
    let skilled = Skilled::new(&texts)?;
    std::os::unix::fs::symlink("/etc/passwd", skilled.path().join("link.md"))?;
    std::os::unix::fs::symlink(skilled.path(), skilled.path().join("circle"))?;
    let folder = skilled.path().display().to_string();
    let (code, said) = skilled.user.dialect(&["skills", "--skills", &folder])?;
    for part in [
        "huge.md: it has 20",
        "one.md: error[AL3601]: the document imports itself: one.md → two.md → one.md",
        "twice.md: ignored: ",
        "broken.md: ",
        "link.md",
    ] {
        ensure!(said.contains(part), "{part}: {said}");
    }
    ensure!(code == Some(1) && !said.contains("README") && !said.contains("root:"), "{said}");
    let (mut chain, _shims) = skilled.user.session(&[]).await?;
    says(
        &mut chain,
        &[
            ("greet(`Ada`).text", &["Hello, Ada!"]),
            // Those of the IDE keep their names, and the others have that of their skill before them.
            ("search(`.`, `class`).count()", &["1"]),
            ("collides.search(`x`)", &["\"mine\""]),
            ("[unlike(`x`), collides.help(`x`)]", &[r#"["mine","mine"]"#]),
            ("skill(`collides`)", &["collides.search, collides.help, unlike"]),
            ("skill(`one`)", &["failure: ", "there is no skill `one`"]),
            ("skills().filter(s => s.name == `ide`)[0].missing", &["ide"]),
            ("pretend(`x`)", &["failure: "]),
            ("spin()", &["failure: "]),
        ],
    )
    .await?;
    chain.end().await
}

async fn a_folder_of_the_workspace_is_not_taken_unasked() -> Result<()> {
    let mut user = User::new()?;
    user.plugins.clear();
    std::fs::create_dir(user.path("skills"))?;
    std::fs::write(user.path("skills/greeter.md"), GREETER)?;
    std::fs::write(user.path(".dialect.toml"), "[skills]\nfolders = [\"skills\"]\n")?;
    let (mut chain, _shims) = user.session(&[]).await?;
    says(&mut chain, &[("greet(`Ada`)", &["failure: "]), ("skills()", &["failure: "])]).await?;
    chain.end().await?;
    // The user's own settings name it.
    let own = Skilled { user, folder: TempDir::new()? };
    own.set(&format!("[skills]\nfolders = [\"{}\"]\n", own.user.path("skills").display()))?;
    let (mut chain, _shims) = own.user.session(&[]).await?;
    says(&mut chain, &[("greet(`Ada`).text", &["Hello, Ada!"])]).await?;
    chain.end().await
}

/// Returns a file of the search path.
fn program(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|it| it.join(name)).filter(|it| it.is_file());
    found.next().with_context(|| format!("`{name}` is not in the search path"))
}

/// Returns the path of a server that the MCP SDK brings.
fn server_of_npm() -> Option<PathBuf> {
    let examples = "node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server";
    let tools = std::env::var_os("AILANG_TOOLS").map(PathBuf::from);
    tools.map(|it| it.join(examples).join("mcpServerOutputSchema.js"))
}

async fn a_tool_bound_to_a_server_of_npm(server: &Path) -> Result<()> {
    let text = "---\nid: weather\ntitle: Weather\nsummary: Tells the weather.\n---\n<define>\n\
                type Weather = { conditions: string, humidity: number }\n\
                // Tells the weather of a city.\n// @readOnly\ntool weather(city: string, country: string) -> Weather\n\
                // Says it in a sentence.\n// @readOnly\ntool sentence(city: string) -> string\n{\n  \
                it = weather(city, \"UK\")\n  return \"${city} is ${it.conditions}\"\n}\n\
                // Goes wrong.\n// @readOnly\ntool wrong(city: string) -> string\n\
                // Ends its server.\n// @readOnly\ntool once(city: string, country: string) -> Weather\n\
                // Has no server.\n// @readOnly\ntool lost() -> string\n</define>\n";
    let skilled = Skilled::new(&[("weather.md", text)])?;
    // Its process ends with the answer to a call.
    let mortal = skilled.user.path("mortal.mjs");
    let code = format!(
        "const write = process.stdout.write.bind(process.stdout)\n\
         process.stdout.write = (text, ...more) => {{\n  \
         if (String(text).includes('structuredContent')) setImmediate(() => process.exit(0))\n  \
         return write(text, ...more)\n}}\nawait import({server:?})\n"
    );
    std::fs::write(&mortal, code)?;
    skilled.set(&format!(
        "[skills.mcp.mortal]\ncommand = {0:?}\nargs = [{mortal:?}]\n[skills.mcp.sky]\ncommand = {0:?}\nargs = [{server:?}]\n[skills.mcp.gone]\ncommand = \"/nowhere/at-all\"\n\
         [skills.bind]\nweather = {{ mcp = \"sky\", tool = \"get_weather\" }}\nwrong = {{ mcp = \"sky\", tool = \"get_weather\" }}\n\
         once = {{ mcp = \"mortal\", tool = \"get_weather\" }}\n\"weather.lost\" = {{ mcp = \"gone\" }}\n",
        program("node")?
    ))?;
    let (mut chain, _shims) = skilled.user.session(&[]).await?;
    let one = "{sky: weather(`Leeds`, `UK`).humidity >= 0, user: findDefinition(`User`).path, says: sentence(`York`)}";
    says(&mut chain, &[(one, &[r#""sky":true,"user":"main.py","says":"York is "#])]).await?;
    says(
        &mut chain,
        &[
            ("wrong(`Leeds`)", &["failure: ", "`get_weather` of the MCP server `sky` failed", "country"]),
            ("lost()", &["failure: ", "the MCP server `gone` failed: it does not start"]),
        ],
    )
    .await?;
    says(&mut chain, &[("once(`Leeds`, `UK`).humidity >= 0", &["true"])]).await?;
    // A call fails that comes while it ends; a later one starts it again.
    let mut said = String::new();
    for _ in 0..20 {
        said = chain.call("once(`Leeds`, `UK`).humidity >= 0").await?.text;
        if said == "true" {
            break;
        }
        ensure!(said.contains("`get_weather` of the MCP server `mortal` failed"), "{said}");
    }
    assert_eq!(said, "true");
    let said =
        run(&mut chain, "return (await weather.weather('Leeds', 'UK')).humidity >= 0", json!({})).await?;
    ensure!(said.contains("true"), "{said}");
    chain.end().await
}
