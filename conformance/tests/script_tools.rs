//! Programs outside of Dialect that work for scripts: runtimes that the user names, and a type checker.

use anyhow::{Result, ensure};
use conformance::processes::{self, PATIENCE};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::example_plugins::are_there;
use crate::plugin_chain::{ONCE, User};
use crate::scripts::{run, set, user};

pub(crate) fn trials() -> Vec<Trial> {
    let has_wall = adapter::fallback::wall().is_ok();
    let (has_node, has_checker) = (are_there(&["node"]), has_wall && checker());
    let of_node = tests![async a_runtime_of_the_user_imports_packages_behind_the_wall];
    let of_endpoint = tests![async calls_go_over_loopback_where_the_streams_are_taken];
    let of_checker = tests![async a_type_checker_advises];
    let flagged =
        |trials: Vec<Trial>, runs: bool| trials.into_iter().map(move |it| it.with_ignored_flag(!runs));
    flagged(of_node, has_node && has_wall)
        .chain(flagged(of_endpoint, has_node))
        .chain(flagged(of_checker, has_checker))
        .collect()
}

/// Returns whether the search path has a type checker that is fast enough.
fn checker() -> bool {
    let version = std::process::Command::new("tsc").arg("--version").output();
    version.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).starts_with("Version 7"))
}

/// Returns a user whose search path is that of the tests.
fn with_search_path() -> Result<User> {
    let mut user = user()?;
    user.search_path = std::env::var_os("PATH").unwrap_or_default();
    Ok(user)
}

async fn calls_go_over_loopback_where_the_streams_are_taken() -> Result<()> {
    let mut user = with_search_path()?;
    user.scripts = vec!["--script-runtime".into(), "node,unconfined,http".into()];
    let (mut chain, _shims) = user.session(&[ONCE]).await?;
    let node = || json!({"runtime": "node"});
    let code = "process.stdout.write('printed by a package\\n');\n\
                for (let i = 0; i < 5; i++) console.log(i);\n\
                const all = await Promise.all([1, 2, 3].map(() => fs.read('services/svc0.py')));\n\
                await fs.write('new.txt', all.join(''));\n\
                return [all.length, process.env.DIALECT_TOKEN ?? 'no token', (await ide.search.outcome('.', '(')).outcome]";
    let said = run(&mut chain, code, node()).await?;
    ensure!(said.contains("printed by a package\n0\n1\n2\n3\n4\n[3,\"no token\",\"failure\"]"), "{said}");
    ensure!(said.contains("Written: new.txt (new)."), "{said}");
    // A program that ends badly, one that never ends, and one whose process dies.
    for (code, more, expected) in [
        (
            "await fs.write('never.txt', 'x'); throw new RangeError('here')",
            json!({}),
            "RangeError (line 1, column 41): here",
        ),
        (
            "await new Promise(() => setInterval(() => {}, 1000))",
            json!({"timeout_ms": 900}),
            "Stopped after 0.9 s",
        ),
        (
            "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})",
            json!({}),
            "The process of the program ended",
        ),
    ] {
        let mut arguments = node();
        arguments
            .as_object_mut()
            .into_iter()
            .for_each(|it| it.extend(more.as_object().cloned().unwrap_or_default()));
        let said = run(&mut chain, code, arguments).await?;
        ensure!(said.contains(expected), "{code}: {said}");
    }
    ensure!(!user.path("never.txt").exists(), "a program that throws writes nothing");
    let folder = user.workspace().canonicalize()?;
    let is_node = |it: &processes::Process| it.command.contains("node") && it.command.contains("-e");
    let nodes = || processes::at_work_in(&folder).into_iter().filter(is_node).collect();
    processes::none_left(nodes, PATIENCE).await?;
    chain.end().await
}

async fn a_type_checker_advises() -> Result<()> {
    let mut user = with_search_path()?;
    user.wall = true;
    set(user.settings(), "checking = 60")?;
    let (mut chain, _shims) = user.session(&[]).await?;
    let code = "const hits = await ide.search('.', 'connect')\nconsole.log(hits[0].start.col)\nthrow new Error('stop')";
    let said = run(&mut chain, code, json!({})).await?;
    ensure!(said.contains("Note (line 2, types): Property 'col' does not exist on type 'Point'."), "{said}");
    let right = "const hits = await ide.search('.', 'connect')\nthrow new Error(`${hits[0].start.column}`)";
    let said = run(&mut chain, right, json!({})).await?;
    ensure!(said.contains("Error (line 2") && !said.contains("types)"), "{said}");
    chain.end().await
}

async fn a_runtime_of_the_user_imports_packages_behind_the_wall() -> Result<()> {
    let mut user = user()?;
    (user.wall, user.search_path) = (true, "/usr/local/bin:/usr/bin:/bin".into());
    user.scripts = vec!["--script-runtime".into(), "node".into()];
    for (package, manifest, code) in [
        (
            "leftpad",
            r#"{"name": "leftpad", "main": "index.js"}"#,
            "module.exports = (s, n) => String(s).padStart(n)",
        ),
        (
            "modern",
            r#"{"name": "modern", "type": "module", "exports": "./index.js"}"#,
            "export const two = 2",
        ),
    ] {
        std::fs::create_dir_all(user.path(&format!("node_modules/{package}")))?;
        std::fs::write(user.path(&format!("node_modules/{package}/package.json")), manifest)?;
        std::fs::write(user.path(&format!("node_modules/{package}/index.js")), code)?;
    }
    let (mut chain, _shims) = user.session(&[ONCE]).await?;
    let node = |more: &str| {
        let mut arguments: Value = serde_json::from_str(more).unwrap_or_default();
        arguments["runtime"] = json!("node");
        arguments
    };
    let code = "import pad from 'leftpad'; import { two } from 'modern';\n\
                const text: string = await fs.read('services/svc0.py');\n\
                await fs.write('padded.txt', pad('x', two + 1) + text.length);\n\
                console.log(pad('a', 3)); return [two, (await ide.search('.', 'connect')).length]";
    let said = run(&mut chain, code, node("{}")).await?;
    ensure!(said.contains("  a\n[2,8]") && said.contains("Written: padded.txt (new)."), "{said}");
    ensure!(std::fs::read_to_string(user.path("padded.txt"))?.starts_with("  x"), "the package was used");
    // Its own files and the network are out of reach, whatever it tries.
    for (tried, expected) in [
        (
            "process.getBuiltinModule ? 0 : 0; const m = await import('node:fs'); m.writeFileSync('evil', 'x')",
            "Error",
        ),
        ("const m = await import('node:fs'); return m.readFileSync('/etc/shadow', 'utf8')", "EACCES"),
        (
            "const m = await import('node:net'); return await new Promise(r => m.connect(80, '127.0.0.1')\
             .on('error', e => r(e.code)).on('connect', () => r('connected')))",
            "EPERM",
        ),
        ("const f = () => { throw new RangeError('here') };\n f()", "RangeError (line 1, column 25)"),
        ("await ide.search('nowhere', 'x')", "ide.search (line 1, column "),
        ("Promise.reject(new Error('lost')); 1", "Nobody handled this promise"),
        ("import x from 'not-there'; x", "not-there"),
    ] {
        let said = run(&mut chain, tried, node("{}")).await?;
        ensure!(said.contains(expected), "{tried}: {said}");
    }
    ensure!(!user.path("evil").exists());
    // What it started ends with it, and leaves nothing.
    let child = "const m = await import('node:child_process');\n\
                 m.spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });\n\
                 await new Promise(() => setInterval(() => {}, 1000))";
    let said = run(&mut chain, child, node(r#"{"timeout_ms": 700}"#)).await?;
    ensure!(said.contains("Stopped after 0.7 s"), "{said}");
    let folder = user.workspace().canonicalize()?;
    let is_node = |it: &processes::Process| it.command.contains("node") && it.command.contains("-e");
    let nodes = || processes::at_work_in(&folder).into_iter().filter(is_node).collect();
    processes::none_left(nodes, PATIENCE).await?;
    let other = run(&mut chain, "1", json!({"runtime": "deno"})).await?;
    ensure!(other.contains("There is no runtime `deno`; there are: node, embedded"), "{other}");
    chain.end().await
}
