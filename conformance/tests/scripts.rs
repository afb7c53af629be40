//! The tool `script` as an agent meets it: calls, changes of files behind one question, limits and attacks.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use conformance::conversation::Conversation;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::plugin_chain::{DENY, NEVER, ONCE, SESSION, User};

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        a_program_calls_functions_and_files,
        a_user_can_switch_it_off,
        changes_are_written_together_after_one_question,
        files_of_another_work_tree_are_read_and_written,
        functions_see_what_the_program_wrote,
        nothing_is_written_when_a_program_does_not_end_well,
        nothing_is_written_where_edits_are_forbidden,
        what_is_wrong_names_its_place_and_the_remedy,
        several_meanings_can_be_chosen_from,
        limits_have_outcomes,
        attacks_end_and_the_next_program_runs,
        a_cancelled_program_ends_with_its_question,
        long_output_is_shortened_and_can_be_read,
    ]
}

/// The files of the migration: services with a tier in their header, and a call that is to be replaced.
pub(crate) const SERVICES: usize = 8;

/// Reads the tier of each service, and writes the new call with it.
pub(crate) const MIGRATE: &str = r#"
const paths = await fs.list("services")
for (const path of paths) {
  const text = await fs.read(path)
  const tier = /^# tier: (\w+)/.exec(text)?.[1] ?? "standard"
  await fs.write(path, text.replace("connect()", `open_connection("${tier}")`))
}
return paths.length
"#;

pub(crate) fn user() -> Result<User> {
    let user = User::new()?;
    std::fs::create_dir(user.path("services"))?;
    for number in 0..SERVICES {
        let tier = if number % 2 == 0 { "gold" } else { "basic" };
        let text = format!("# tier: {tier}\n\ndef start():\n    return connect()\n");
        std::fs::write(user.path(&format!("services/svc{number}.py")), text)?;
    }
    Ok(user)
}

/// Returns a user whose programs may compute for a second only.
fn impatient() -> Result<User> {
    let user = user()?;
    set(user.settings(), "computing = 1")?;
    Ok(user)
}

/// Writes a setting of scripts into a folder of settings.
pub(crate) fn set(settings: &Path, line: &str) -> Result<()> {
    let folder = settings.join("dialect");
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join("config.toml"), format!("[script]\n{line}\n"))?)
}

/// Runs a program, and returns the answer.
pub(crate) async fn run(chain: &mut Conversation, code: &str, more: Value) -> Result<String> {
    let mut arguments = json!({ "code": code });
    for (key, value) in more.as_object().into_iter().flatten() {
        arguments[key] = value.clone();
    }
    let said = chain.play(&format!("script {arguments}")).await?;
    said.into_iter().next().context("nothing was said")
}

/// Returns the arguments of a program that computes up to its limit, on a machine that does much else.
fn long() -> Value {
    json!({"timeout_ms": 300_000})
}

fn none() -> Value {
    json!({})
}

/// Returns the texts of all services, in order.
pub(crate) fn services(user: &User) -> Result<Vec<String>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(user.path("services"))?.map(|it| Ok(it?.path())).collect::<Result<_>>()?;
    paths.sort();
    paths.iter().map(|it| Ok(std::fs::read_to_string(it)?)).collect()
}

async fn a_user_can_switch_it_off() -> Result<()> {
    let mut user = user()?;
    user.scripts = vec!["--no-script".into()];
    let (mut chain, _shims) = user.session(&[]).await?;
    let tools = chain.play("tools").await?;
    ensure!(tools[0].contains("ide_operation") && !tools[0].contains("script"), "{tools:?}");
    let said = run(&mut chain, "return 1", none()).await?;
    ensure!(!said.contains("ok · 0 calls") && said.contains("script"), "{said}");
    Ok(())
}

async fn a_program_calls_functions_and_files() -> Result<()> {
    let user = user()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    ensure!(chain.play("tools").await?[0].contains("ide_operation, script"), "both tools are listed");
    for (code, expected) in [
        // The types are not checked here, and leave nothing behind.
        ("const n: number = (await ide.search('.', 'connect')).length; n", "ok · 1 call (1 ide.search)"),
        ("return (await ide.findDefinitions('User')).map((d): string => d.kind)", "[\"class\"]"),
        ("return await fs.list('services/*1.py')", "[\"services/svc1.py\"]"),
        ("return (await fs.read('main.py')).split('\\n')[0]", "class User:"),
        ("return [await fs.exists('main.py'), await fs.exists('nope.py'), args.x]", "[true,false,7]"),
        // Functions of a plugin, with data there and back, and the core library.
        ("return await probe.peek({ a: [1, null, 'é'] })", "{\"a\":[1,null,\"é\"]}"),
        ("return await core.sort([3, 1, 2])", "[1,2,3]"),
        ("return await dialect.run('[1, 2].map(n => n + 1)')", "[2,3]"),
        ("return await ide.help('search')", "search(path: string"),
        (
            "import { ide as i, search } from './ide';\nreturn [typeof i.files, typeof search]",
            "[\"function\",\"function\"]",
        ),
        (
            "import { readFile } from 'node:fs/promises'; import path from 'path';\n\
          return path.basename('a/b.c') + (await readFile('main.py', 'utf8')).length",
            "b.c",
        ),
        (
            "enum Bit { No, One = 1 << 0, Two = One << 1, Text = 'x' }\n\
             class P { constructor(readonly name: string, private n = 2) {} get twice() { return this.name + this.n } }\n\
             class Q extends P { constructor(public z: Bit) { super('q') } }\n\
             const q = new Q(Bit.Two); return [q.z, Bit[2], Bit.Text, Bit.No, q.twice]",
            "[2,\"Two\",\"x\",0,\"q2\"]",
        ),
        // Default exports run, or are the result.
        ("export default async (given: any) => given.x + 1", "8"),
        ("#!/usr/bin/env node\nexport default function () { return [/x/, undefined] }", "[/x/,undefined]"),
        ("export default { a: 1 }", "{\"a\":1}"),
        ("export default class Model {}", "[class Model]"),
        ("let n = 0\nexport default async function main() { return ++n }\nawait main()", "\n1"),
        ("async function main() { return 'ran' }\nexport { main as default }", "ran"),
        // Large integers keep their digits, and so do several files their order.
        (
            "return await probe.peek([9007199254740993n, -9223372036854775808n])",
            "[9007199254740993,-9223372036854775808]",
        ),
        ("const [n] = await probe.peek([9007199254740993n]); return typeof n + n", "bigint9007199254740993"),
        (
            "return (await fs.read(['services/svc1.py', 'main.py'])).map(t => t.split('\\n')[0])",
            "[\"# tier: basic\",\"class User:\"]",
        ),
        (
            "import { readdir } from 'node:fs/promises'; return [await readdir('.'), await readdir('services', { recursive: true })]",
            "\"services\"",
        ),
        ("for (let i = 0; i < 300; i++) await fs.exists('main.py'); return 'many'", "ok · 300 calls"),
        ("return ['b', 'a', 'C', 'ä', 'Z'].sort((x, y) => x.localeCompare(y)).join('')", "aäbCZ"),
        // Data that looks like a call is data.
        ("return await probe.peek({ search: ['.', 'x'] })", "{\"search\":[\".\",\"x\"]}"),
        // Twenty reads at once, in the order of the program.
        (
            "const all = await Promise.all(Array.from({ length: 20 }, (_, i) => fs.read(`services/svc${i % 8}.py`)));\n\
          return all.filter(t => t.includes('gold')).length",
            "10",
        ),
    ] {
        let said = run(&mut chain, code, json!({"args": {"x": 7}})).await?;
        ensure!(said.starts_with("ok · ") && said.contains(expected), "{code}: {said}");
    }
    chain.end().await
}

async fn changes_are_written_together_after_one_question() -> Result<()> {
    let user = user()?;
    let (mut chain, _shims) = user.session(&[ONCE]).await?;
    let shown = run(&mut chain, MIGRATE, json!({"dry_run": true})).await?;
    ensure!(
        shown.contains("Would write") && shown.contains("+    return open_connection(\"gold\")"),
        "{shown}"
    );
    ensure!(services(&user)?.iter().all(|it| it.contains("return connect()")), "a dry run writes nothing");

    let early = format!("{}\nawait fs.commit()", MIGRATE.replace("return paths.length", ""));
    let shown = run(&mut chain, &early, json!({"dry_run": true})).await?;
    ensure!(shown.contains("Would write"), "{shown}");
    ensure!(services(&user)?.iter().all(|it| it.contains("return connect()")), "a dry run commits nothing");

    // A program sees what it has changed; nothing is on disk before its end. A second question would fail.
    let said = run(&mut chain, MIGRATE, none()).await?;
    ensure!(said.starts_with("ok · 17 calls (8 fs.read, 8 fs.write, 1 fs.list) · 8 files written"), "{said}");
    ensure!(said.contains("Written: services/svc0.py, services/svc1.py"), "{said}");
    for (number, text) in services(&user)?.iter().enumerate() {
        let tier = if number % 2 == 0 { "gold" } else { "basic" };
        ensure!(text.contains(&format!("return open_connection(\"{tier}\")")), "{text}");
    }
    // The editor is asked once, with every diff, and is told of every file that was written.
    let asked = chain.heard("session/request_permission");
    let diffs =
        |it: &Value| it["content"].as_array().into_iter().flatten().filter(|it| it["type"] == "diff").count();
    ensure!(asked.len() == 1 && diffs(&asked[0]["toolCall"]) == SERVICES, "{asked:?}");
    let updates = chain.heard("session/update");
    let made = updates.iter().map(|it| &it["update"]).find(|it| !it["locations"].is_null());
    let made = made.context("the editor is told what was written")?;
    let places: Vec<&str> =
        made["locations"].as_array().into_iter().flatten().filter_map(|it| it["path"].as_str()).collect();
    ensure!(diffs(made) == SERVICES && places.len() == SERVICES, "{made}");
    ensure!(places[7].ends_with("services/svc7.py") && Path::new(places[7]).is_file(), "{places:?}");
    let logged = user.dialect(&["audit"])?.1;
    ensure!(logged.contains("ran        script") && logged.contains("\"written\":8"), "{logged}");
    ensure!(logged.contains("services/svc0.py") && logged.contains("services/svc7.py"), "{logged}");
    chain.end().await?;

    let (mut chain, _shims) = user.session(&[ONCE, DENY]).await?;
    let several = "await fs.write('new/a.py', 'x = 1\\n');\n\
                   await fs.edit('new/a.py', 'x', 'y');\n\
                   await fs.rename('services/svc0.py', 'services/zero.py');\n\
                   await fs.remove('services/svc1.py');\n\
                   return [await fs.read('new/a.py'), (await fs.list('services')).length, await fs.exists('services/svc1.py')]";
    let said = run(&mut chain, several, none()).await?;
    ensure!(said.contains("[\"y = 1\\n\",7,false]"), "{said}");
    ensure!(said.contains("new/a.py (new)") && said.contains("svc0.py → services/zero.py"), "{said}");
    ensure!(std::fs::read_to_string(user.path("new/a.py"))? == "y = 1\n", "the new file is there");
    ensure!(user.path("services/zero.py").is_file() && !user.path("services/svc1.py").exists());

    let before = services(&user)?;
    let refused = run(&mut chain, "await fs.write('main.py', 'gone'); return 1", none()).await?;
    ensure!(refused.contains("not written · ") && refused.contains("the user refused"), "{refused}");
    ensure!(refused.contains("Nothing was written: the changes of 1 file are dropped"), "{refused}");
    ensure!(services(&user)? == before && user.path("main.py").metadata()?.len() > 4);
    chain.end().await
}

async fn files_of_another_work_tree_are_read_and_written() -> Result<()> {
    let (user, beside) = (user()?, tempfile::tempdir()?);
    let tree = beside.path().canonicalize()?;
    let write = |path: PathBuf, text: String| -> Result<()> {
        std::fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        Ok(std::fs::write(path, text)?)
    };
    let entry = user.path(".git/worktrees/t");
    write(entry.join("gitdir"), format!("{}\n", tree.join(".git").display()))?;
    write(entry.join("commondir"), "../..\n".to_owned())?;
    write(tree.join(".git"), format!("gitdir: {}\n", entry.display()))?;
    write(tree.join("a.txt"), "one\n".to_owned())?;
    let (mut chain, _shims) = user.session(&[ONCE]).await?;
    let code = "const text = await fs.read(`${args.tree}/a.txt`);\n\
                await fs.write(`${args.tree}/a.txt`, text + 'two\\n');\n\
                await fs.write(`${args.tree}/new/b.txt`, 'b\\n');\n\
                return [await fs.read(`${args.tree}/new/b.txt`), await fs.list(args.tree), await fs.exists('a.txt')]";
    let said = run(&mut chain, code, json!({"args": {"tree": tree}})).await?;
    let all = format!("[\"b\\n\",[\"{0}/a.txt\",\"{0}/new/b.txt\"],false]", tree.display());
    ensure!(said.contains(&all), "{said}");
    ensure!(said.contains(&format!("this is of the work tree `{}`", tree.display())), "{said}");
    ensure!(std::fs::read_to_string(tree.join("a.txt"))? == "one\ntwo\n", "{said}");
    ensure!(std::fs::read_to_string(tree.join("new/b.txt"))? == "b\n", "{said}");
    let asked = chain.heard("session/request_permission");
    let folder = tree.display().to_string();
    ensure!(asked.len() == 1 && asked[0].to_string().contains(&folder), "{asked:?}");
    chain.end().await
}

async fn functions_see_what_the_program_wrote() -> Result<()> {
    let user = user()?;
    let (mut chain, _shims) = user.session(&[ONCE]).await?;
    let code = "await fs.write('util.py', 'def fresh(a):\\n    return a\\n')\n\
                await fs.write('main.py', 'from util import fresh\\n\\nclass Member:\\n    x = fresh(1)\\n')\n\
                const old = await ide.findDefinitions.outcome('User')\n\
                return [(await ide.findDefinitions('fresh')).map(it => it.path), (await ide.search('.', 'fresh')).length,\n\
                        (await ide.definitions('main.py')).map(it => it.name), old.outcome]";
    let found = "[[\"util.py\"],3,[\"Member\",\"x\"],\"failure\"]";
    let dry = run(&mut chain, code, json!({"dry_run": true})).await?;
    ensure!(dry.contains(found) && !dry.contains("fs.commit"), "{dry}");
    // Nobody else sees it.
    let after = run(&mut chain, "return (await ide.search('.', 'fresh')).length", none()).await?;
    ensure!(after.contains("\n0"), "{after}");
    assert_eq!(chain.call("search(`.`, `fresh`).count()").await?.text, "0");
    let said = run(&mut chain, code, none()).await?;
    ensure!(said.contains(found) && said.contains("main.py") && said.contains("util.py (new)"), "{said}");
    // What was removed is still on disk for the others.
    let code = "await fs.remove('util.py')\nreturn (await ide.findDefinitions('fresh')).length";
    let said = run(&mut chain, code, json!({"dry_run": true})).await?;
    ensure!(said.contains("still sees 1 file that this program has removed or moved"), "{said}");
    chain.end().await
}

async fn nothing_is_written_when_a_program_does_not_end_well() -> Result<()> {
    let user = impatient()?;
    let (mut chain, _shims) = user.session(&[]).await?; // any question fails
    for (end, expected) in [
        ("throw new Error('stop')", "Error (line 10, column 11): stop"),
        ("await fs.read('nope.py')", "no file or folder `nope.py`"),
        ("while (true) {}", "Stopped after 1 s of computing"),
        ("await new Promise(() => {})", "waits for a promise that nothing can settle"),
        ("const a = []; for (;;) a.push(new Array(1000).fill(1.5))", "more than 64 MiB"),
    ] {
        let code = format!("{}\n{end}", MIGRATE.replace("return paths.length", ""));
        let said = run(&mut chain, &code, long()).await?;
        ensure!(said.contains(expected), "{end}: {said}");
        ensure!(
            said.contains("Nothing was written: the changes of 8 files are dropped. services/svc0.py"),
            "{end}: {said}"
        );
        ensure!(services(&user)?.iter().all(|it| it.contains("return connect()")), "{end}");
    }
    // The end of the turn stops the program.
    for outside in ["../outside.py", "/tmp/dialect-script-outside.py", ".git/config"] {
        let code = format!("await fs.write('{outside}', 'x')");
        let said = run(&mut chain, &code, none()).await?;
        ensure!(!said.starts_with("ok"), "{outside}: {said}");
        ensure!(!Path::new("/tmp/dialect-script-outside.py").exists(), "{said}");
    }
    chain.end().await
}

async fn nothing_is_written_where_edits_are_forbidden() -> Result<()> {
    let mut user = user()?;
    user.read_only = true;
    let (mut chain, _shims) = user.session(&[]).await?;
    let said = run(&mut chain, MIGRATE, none()).await?;
    ensure!(said.contains("failed · ") && said.contains("fs.write (line 6"), "{said}");
    ensure!(said.contains("read-only Dialect"), "{said}");
    let tried = "const r = await fs.write.outcome('main.py', 'x'); return [r.outcome, r.error.kind]";
    ensure!(run(&mut chain, tried, none()).await?.contains("[\"failure\",\"denied\"]"));
    ensure!(services(&user)?.iter().all(|it| it.contains("return connect()")));
    chain.end().await
}

async fn what_is_wrong_names_its_place_and_the_remedy() -> Result<()> {
    let user = user()?;
    let (mut chain, _shims) = user.session(&[]).await?;
    for (code, expected) in [
        ("const x = ;", &["not run", "line 1, column 11", "^"][..]),
        (
            "\nide.findRefs('x')",
            &["line 2, column 5", "`ide` has no function `findRefs`", "`findReferences`"],
        ),
        (
            "await ide.search({ path: '.', patern: 'x' })",
            &["has no parameter `patern`", "Did you mean `pattern`?"],
        ),
        ("ide.search('.', 'x').length", &["not awaited", "await ide.search(…)"]),
        ("import z from 'zod'; z.string()", &["there is no module `zod`"]),
        ("namespace A { export const b = 1 }\nA.b", &["a namespace cannot run", "an object with functions"]),
        (
            "enum A { B, C }\nconst f = (a: A) => { throw new Error(A[a]) };\nf(A.C)",
            &["Error (line 2, column 41): C"],
        ),
        ("await ide.search('nowhere', 'x')", &["failed · 1 call", "ide.search (line 1, column ", "nowhere"]),
        ("await ide.search('.', '(')", &["ide.search (line 1", "1 | await ide.search('.', '(')"]),
        ("await ide.findCallers({ symbol: 'User', depth: 99 })", &["`depth`", "at most 16, got 99"]),
        ("await ide.search([], 'x')", &["ide.search (line 1", "`path` takes a string"]),
        (
            "await fs.edit('main.py', 'nothing like it', 'x')",
            &["fs.edit (line 1", "does not have the text `find`"],
        ),
        ("await fs.edit('services/svc0.py', 't', 'x')", &["times (lines 1, 3", "all: true"]),
        ("await fs.write('main.py', { a: 1 })", &["`text` must be a string", "fs.write(path, text)"]),
        ("await core.map([1], x => x)", &["takes no functions", "JavaScript"]),
        (
            "const o: any = {};\nconst f = () => o.a.b;\nf()",
            &["TypeError (line 2, column 17)", "Called from line 3."],
        ),
        ("const p: any = ide.search('.', 'x');\n(0, p).length", &["ide.search returns a promise", "await"]),
        ("Promise.reject(new Error('lost'))\n1", &["failed", "lost", "Nobody handled this promise"]),
        ("ide.search('.', 'connect')\n1", &["ok · ", "nobody awaits the calls of line 1"]),
        ("await script({ code: '1' })", &["ReferenceError (line 1", "script"]),
        ("await fetch('http://localhost')", &["not run", "there is no `fetch` here", "reaches the network"]),
        ("await import('node:fs')", &["not run", "import fs from \"node:fs\""]),
        ("import { existsSync } from 'fs'; existsSync('a')", &["not run", "Write `await fs.exists(path)`"]),
        (
            "import { fs } from './ide'\nfs.write({ path: 'a', content: 'b' })",
            &["not run", "no parameter `content`"],
        ),
        (
            "const o: any = { path: 'a', content: 'b' }; await fs.write(o)",
            &["there is no parameter `content`"],
        ),
        ("async function main() {}", &["not run", "only defines `main`", "return await main()"]),
        ("await ide.search('.', 'connect')\nconst n = 1", &["ok · ", "it printed and returned nothing"]),
        ("return await probe.peek(2 ** 60)", &["numbers lose digits beyond 2^53"]),
        ("return await probe.peek(2n ** 70n)", &["1180591620717411303424 has more than 64 bits"]),
        ("await fs.write('\\ud800', 'x')", &["fs.write (line 1, column 9)", "half of a surrogate pair"]),
        ("return await dialect.output(9)", &["no output was shortened"]),
    ] {
        let said = run(&mut chain, code, none()).await?;
        for part in expected {
            ensure!(said.contains(part), "{code}: no {part:?} in\n{said}");
        }
    }
    for (arguments, expected) in [
        (r#"{"code": "return args.id", "args": "{\"id\": 7}"}"#, "\n7"),
        (r#"{"code": "return args.id", "args": "{\"id\": "}"#, "at line 1 column 7"),
        (r#"{"code": "return typeof args", "args": 9007199254740993}"#, "bigint"),
        (r#"{"code": "1", "dryRun": true}"#, "There is no argument `dryRun`; there are: code"),
        ("{}", "The argument `code` is missing"),
        (r#"{"code": 3}"#, "`code` must be a string"),
        (r#"{"code": "1", "timeout_ms": "soon"}"#, "`timeout_ms` must be a whole number"),
        (r#"{"code": "```ts\nreturn 41 + 1\n```"}"#, "42"),
        (r#"{"code": "async () => { return 'called' }"}"#, "called"),
    ] {
        let said = chain.play(&format!("script {arguments}")).await?;
        ensure!(said[0].contains(expected), "{arguments}: {said:?}");
    }
    chain.end().await
}

async fn several_meanings_can_be_chosen_from() -> Result<()> {
    let user = user()?;
    std::fs::write(user.path("other.py"), "class User:\n    other = 1\n")?;
    let (mut chain, _shims) = user.session(&[]).await?;
    let asked = run(&mut chain, "\nawait ide.source('User')", none()).await?;
    for part in
        ["ambiguous · 1 call", "ide.source (line 2", "main.py:1", "other.py:1", "await dialect.run(\"source("]
    {
        ensure!(asked.contains(part), "no {part:?} in {asked}");
    }
    // What it says to write works.
    let offered =
        asked.lines().find_map(|it| it.split_once("other.py:1").map(|it| it.1)).context("the other one")?;
    let program = offered.split_once(": ").context("a program")?.1;
    ensure!(run(&mut chain, &format!("return {program}"), none()).await?.contains("other = 1"), "{program}");
    let chosen = "const { outcome, candidates } = await ide.source.outcome('User');\n\
                  const other = candidates.find(c => c.description.includes('other.py'));\n\
                  return outcome + JSON.stringify(await other.choose())";
    ensure!(run(&mut chain, chosen, none()).await?.contains("other = 1"));
    chain.end().await
}

async fn limits_have_outcomes() -> Result<()> {
    let user = impatient()?;
    let (mut chain, _shims) = user.session(&[]).await?;
    for (code, more, expected) in [
        (
            "let n = 0; for (;;) { await core.first([1]); n++ }",
            none(),
            "core.first (line 1, column 33): a program may make 256 calls besides those of `fs`, and this is one more",
        ),
        ("try { for (;;) await core.first([1]) } catch (e) { return e.kind }", none(), "ok · 257 calls"),
        (
            "await fs.write('a.py', 'x'); await fs.write('b.py', 'x'); for (;;) await core.first([1])",
            none(),
            "the changes of 2 files are dropped. a.py, b.py.",
        ),
        ("for (;;) await null", json!({"timeout_ms": 300}), "Stopped after 0.3 s"),
        ("let n = 0\nfor (;;) n++", long(), "It was at line 1, column 1, or in a loop after it"),
        (
            "await fs.exists('main.py')\nlet n = 0\nfor (;;) n = Math.abs(n)",
            long(),
            "Its last call was fs.exists (line 1, column 9)",
        ),
        // The engine tells the place only while it has memory for an error.
        ("const all = []\nfor (;;) all.push(new Array(1000).fill(1))", none(), "more than 64 MiB of memory"),
        (
            "await fs.exists('main.py')\nArray.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)",
            long(),
            "Its last call was fs.exists (line 1, column 9)",
        ),
        (
            "const done = new Promise(r => 1)\nawait done",
            none(),
            "Is it the one of line 1, column 14? Something has to call its `resolve`.",
        ),
        ("const f = () => f() + 1; f()", none(), "RangeError (line 1, column "),
        ("return 'x'.repeat(9e6)", none(), "too large to return"),
        ("await fs.write('a.py', 'x'.repeat(9e6))", none(), "too large"),
        (
            "const t = 'x'.repeat(4e6); for (let i = 0; i < 9; i++) await fs.write(`a${i}.py`, t)",
            none(),
            "above 16 MiB",
        ),
    ] {
        let said = run(&mut chain, code, more).await?;
        ensure!(said.contains(expected), "{code}: {said}");
    }
    let source = format!("{} 1", " ".repeat(300_000));
    ensure!(run(&mut chain, &source, none()).await?.contains("the limit is 256 KiB"));
    chain.end().await
}

async fn attacks_end_and_the_next_program_runs() -> Result<()> {
    let user = impatient()?;
    let (mut chain, _shims) = user.session(&[]).await?;
    let chapter = include_str!("../../component/script-worker/spec/2-attacks.md");
    let attacks: Vec<&str> =
        chapter.split("```js\n").skip(1).filter_map(|it| Some(it.split_once("\n```")?.0)).collect();
    ensure!(attacks.len() > 40, "{} attacks", attacks.len());
    for attack in attacks.into_iter().step_by(7) {
        let said = run(&mut chain, attack, none()).await?;
        let known = ["ok · ", "failed · ", "stopped · ", "not run · "];
        ensure!(known.iter().any(|it| said.contains(it)), "{attack}: {said}");
        ensure!(run(&mut chain, "return 41 + 1", none()).await?.contains("42"), "after {attack}");
    }
    chain.end().await
}

async fn a_cancelled_program_ends_with_its_question() -> Result<()> {
    let user = user()?;
    let (mut chain, _shims) = user.session(&[NEVER]).await?;
    chain.editor.prompt("A", &format!("script {}", json!({ "code": MIGRATE })))?;
    chain.wait("session/request_permission").await?;
    let session = chain.editor.session("A")?.to_owned();
    chain.editor.peer().notify("session/cancel", json!({ "sessionId": session }));
    chain.editor.turn("A").await?.map_err(|error| anyhow::anyhow!("{error}"))?;
    ensure!(services(&user)?.iter().all(|it| it.contains("return connect()")), "nothing is written");
    // The next program finds a chain that works.
    ensure!(run(&mut chain, "return 41 + 1", none()).await?.contains("42"));
    let logged = user.dialect(&["audit"])?.1;
    ensure!(logged.contains("\"dropped\":8") && logged.contains("cancelled"), "{logged}");
    chain.end().await
}

async fn long_output_is_shortened_and_can_be_read() -> Result<()> {
    let user = user()?;
    let (mut chain, _shims) = user.session(&[]).await?;
    let code =
        "for (let i = 0; i < 5000; i++) console.log(`line ${i} of many`, i === 2500 ? 'error: here' : '')";
    let said = run(&mut chain, code, none()).await?;
    ensure!(
        said.len() < 14_000 && said.contains("line 0 of many") && said.contains("line 4999 of many"),
        "{said}"
    );
    ensure!(said.contains("error: here") && said.contains("await dialect.output(1, FIRST, LAST)"), "{said}");
    let lines = run(&mut chain, "return await dialect.output(1, 3000, 3001)", none()).await?;
    ensure!(lines.contains("line 2999 of many \nline 3000 of many"), "{lines}");
    let value =
        run(&mut chain, "return Array.from({ length: 3000 }, (_, i) => ({ name: `n${i}` }))", none()).await?;
    ensure!(value.contains("of 3000 items omitted") && value.contains("\"n2999\""), "{value}");
    // What is no data is a text in it.
    let code = "return Array.from({ length: 3000 }, (_, i) => ({ name: `n${i}`, re: /x/ }))";
    let value = run(&mut chain, code, none()).await?;
    ensure!(value.contains("of 3000 items omitted") && value.contains("\"/x/\""), "{value}");
    chain.end().await
}
