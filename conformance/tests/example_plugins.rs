//! The plugins of `examples/plugins` as an agent meets them, behind the wall where this machine has one.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;

use crate::plugin_chain::{SESSION, User};

pub(crate) fn trials() -> Vec<Trial> {
    let trials =
        tests![async git_tells_who_wrote_a_definition, python_calls_back, bash_runs_a_task, c_counts_lines];
    let needs: [&[&str]; 4] = [&["git"], &["python3"], &["bash", "jq", "make"], &["cc"]];
    trials.into_iter().zip(needs).map(|(it, needs)| it.with_ignored_flag(!are_there(needs))).collect()
}

/// The folders of programs in which the plugins of these tests run.
const SEARCH_PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Returns whether the machine has these programs, which plugins in other languages need.
pub(crate) fn are_there(programs: &[&str]) -> bool {
    programs.iter().all(|name| SEARCH_PATH.iter().any(|it| Path::new(it).join(name).is_file()))
}

/// Returns a plugin of the examples.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/plugins").join(name)
}

fn user(plugin: PathBuf) -> Result<User> {
    let mut user = User::new()?;
    (user.plugins, user.wall) = (vec![plugin], adapter::fallback::wall().is_ok());
    user.search_path = SEARCH_PATH.join(":").into();
    Ok(user)
}

/// Runs a program of the system, which has to succeed.
fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for side in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
        command.env(side, "2026-02-03T04:05:06Z");
    }
    run(&mut command)
}

async fn git_tells_who_wrote_a_definition() -> Result<()> {
    let user = user(env!("CARGO_BIN_EXE_git-plugin-under-test").into())?;
    let folder = user.workspace();
    git(folder, &["init", "--quiet"])?;
    git(folder, &["add", "main.py"])?;
    git(folder, &["commit", "--quiet", "--message", "Add users"])?;
    std::fs::write(
        user.path("main.py"),
        "class User:\n    pass\n\n\nclass Group:\n    \"\"\"Many users.\"\"\"\n",
    )?;
    git(folder, &["commit", "--quiet", "--all", "--message", "Add groups"])?;
    // A filter of the repository would run a program over each file that is compared.
    let marker = user.path("ran");
    git(folder, &["config", "filter.evil.clean", &format!("touch {}; cat", marker.display())])?;
    std::fs::write(user.path(".gitattributes"), "*.py filter=evil\n")?;
    std::fs::write(
        user.path("main.py"),
        "class User:\n    pass\n\n\nclass Group:\n    \"\"\"All users.\"\"\"\n",
    )?;
    let (mut chain, _shims) = user.session(&[]).await?;
    for (program, expected) in [
        // A definition is a range, and what only reads asks nobody.
        (
            "git.blame(findDefinition(`User`)).map(l => l.summary + l.text)",
            r#"["Add usersclass User:","Add users    pass"]"#,
        ),
        (
            "git.blame(findDefinition(`Group`)).map(l => [l.line, l.author, l.date])",
            r#"[[5,"Ada","2026-02-03"],[6,"Not Committed Yet","#,
        ),
        ("git.history(findDefinition(`Group`)).map(c => c.summary)", r#"["Add groups"]"#),
        ("git.log().map(c => c.summary)", r#"["Add groups","Add users"]"#),
        ("git.log(`main.py`, first=1).map(c => c.date)", r#"["2026-02-03"]"#),
        ("git.diff(from=`HEAD~1`, to=`HEAD`).files", r#"[{"added":4,"path":"main.py","removed":0}]"#),
        ("git.diff(`main.py`).patch.contains(`All users.`)", "true"),
        ("git.diff(from=`--output=x`)", "--output=x is no commit, branch or tag"),
        ("git.log(`nowhere`)", "[]"),
        ("git.log(from=`x`)", "from"),
    ] {
        let said = chain.call(program).await?.text;
        ensure!(said.contains(expected), "{program}: {said}");
    }
    ensure!(!marker.exists() && !user.path("x").exists(), "the repository's own settings ran a program");
    chain.end().await
}

async fn python_calls_back() -> Result<()> {
    let user = user(example("todo.py"))?;
    std::fs::create_dir(user.path("src"))?;
    std::fs::write(user.path("src/a.py"), "# TODO(ada): greet\nx = 1  # FIXME later\ntodo = 'TODOS'\n")?;
    std::fs::write(user.path("b.sh"), "# NOTE here\n# TODO: there\n")?;
    let (mut chain, _shims) = user.session(&[]).await?;
    for (program, expected) in [
        (
            "todo.todos().map(t => [t.path, t.line, t.text])",
            r#"[["b.sh",2,"there"],["src/a.py",1,"greet"],["src/a.py",2,"later"]]"#,
        ),
        ("todo.todos(keep=(t => t.word == `FIXME`)).map(t => t.line)", "[2]"),
        ("todo.todos(`src`).filter(t => t.author == `ada`).map(t => t.line)", "[1]"),
        ("todos(words=[`NOTE`]).map(t => t.path)", r#"["b.sh"]"#),
        ("todo.words()", r#"["TODO","FIXME","HACK","XXX"]"#),
        ("todo.words", "Write:\n    todo.words()"),
        // A failure of the function that was passed is the program's own.
        ("todo.todos(keep=(t => t.nothing.at))", "nothing"),
        ("todo.todos(`nowhere`)", "there is no nowhere in"),
    ] {
        let said = chain.call(program).await?.text;
        ensure!(said.contains(expected), "{program}: {said}");
    }
    chain.end().await
}

async fn bash_runs_a_task() -> Result<()> {
    let user = user(example("tasks.sh"))?;
    std::fs::write(
        user.path("Makefile"),
        "X := 1\n.PHONY: hello\nhello: main.py\n\t@echo \"hello $(X)\"\nbad:\n\t@exit 3\n",
    )?;
    std::fs::write(user.path("package.json"), r#"{"scripts": {"lint": "true"}}"#)?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    for (program, expected) in [
        ("tasks.tasks().map(t => [t.name, t.with])", r#"[["bad","make"],["hello","make"],["lint","npm"]]"#),
        ("tasks.run(`hello`)", r#"{"code":0,"output":"hello 1"}"#),
        ("tasks.run(name=`bad`).code", "2"),
        ("tasks.run(`nothing`)", r#"there is no task "nothing""#),
    ] {
        let said = chain.call(program).await?.text;
        ensure!(said.contains(expected), "{program}: {said}");
    }
    chain.end().await
}

async fn c_counts_lines() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let plugin = folder.path().join("count");
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"];
    run(Command::new("cc").args(strict).arg(&plugin).arg(example("count.c")))?;
    let user = user(plugin)?;
    std::fs::write(user.path("ä \"b\".txt"), "one\n\n\t\nfour")?;
    std::fs::write(user.path("data.bin"), "x\0\n")?;
    let (mut chain, _shims) = user.session(&[]).await?;
    for (program, expected) in [
        (r#"count.lines("ä \"b\".txt")"#, r#"{"blank":2,"bytes":11,"files":1,"lines":4}"#),
        // `main.py` has two lines; what has a zero byte is no text.
        ("count.lines().lines", "6"),
        ("count.lines(findDefinition(`User`).path).files", "1"),
        ("count.lines(path=`nowhere`)", "there is no nowhere in the workspace"),
        (r#"{"count.lines": {"args": [3]}}"#, "string"),
    ] {
        let said = chain.call(program).await?.text;
        ensure!(said.contains(expected), "{program}: {said}");
    }
    chain.end().await
}
