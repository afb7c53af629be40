//! SIGKILL of the processes around a script, at each of its calls and while its changes are written: the workspace is
//! untouched or complete.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use conformance::chain::{Setup, Shape, start};
use conformance::editor::{Answers, Editor};
use conformance::processes::{self, PATIENCE, Process};
use conformance::record::Log;
use libtest_mimic::Trial;
use serde_json::json;
use tokio::time::sleep;

use crate::plugin_chain::User;
use crate::scripts::{MIGRATE, SERVICES, services, user};

pub(crate) fn trials() -> Vec<Trial> {
    tests![async each_call, while_changes_are_written]
}

/// The calls of the migration: one list, a read and a write of each service.
const CALLS: usize = 1 + 2 * SERVICES;

/// The calls between two at which the short form kills a member; the long one (`DIALECT_LONG=kills`) kills every member at
/// every call.
const EVERY: usize = 3;

/// The computing time, in ticks of the kernel, that only a program that loops has taken.
const LOOPING: u64 = 15;

/// The time between two looks at foreign processes.
const POLL: Duration = Duration::from_millis(10);

/// A process that is killed.
struct Member {
    name: &'static str,
    shape: Shape,
    is_it: fn(&Process) -> bool,
}

const MEMBERS: [Member; 5] = [
    Member { name: "the worker", shape: Shape::Fused, is_it: is_worker },
    Member {
        name: "the fused process",
        shape: Shape::Fused,
        is_it: |it| it.command.contains("dialect-under-test agent"),
    },
    Member { name: "the agent", shape: Shape::Fused, is_it: is_agent },
    Member {
        name: "the component",
        shape: Shape::Conducted,
        is_it: |it| it.command.contains("dialect-under-test component"),
    },
    Member {
        name: "the adapter",
        shape: Shape::Conducted,
        is_it: |it| it.command.ends_with("dialect-under-test adapter"),
    },
];

fn is_worker(process: &Process) -> bool {
    process.command.ends_with(" script-worker")
}

fn is_agent(process: &Process) -> bool {
    process.command.split(' ').next().is_some_and(|it| it.ends_with("/mock-agent"))
}

/// Returns the migration, which computes without end once it has made so many calls.
fn looping_after(calls: usize) -> String {
    let counted = MIGRATE.replace("await fs.", "await at(fs.").replace(")\n  const tier", "))\n  const tier");
    let counted = counted.replace("list(\"services\")", "list(\"services\"))");
    let counted = counted.replace("(\"${tier}\")`))", "(\"${tier}\")`)))");
    format!(
        "let left = {calls};\nconst at = async call => {{ if (left-- === 0) for (;;) await null; return await call }};\n\
         {}\nfor (;;) await null",
        counted.replace("return paths.length", "")
    )
}

async fn each_call() -> Result<()> {
    let is_long = literate::is_long("kills");
    for calls in 0..=CALLS {
        for (index, member) in MEMBERS.iter().enumerate() {
            if is_long || calls % EVERY == 0 && calls / EVERY % MEMBERS.len() == index {
                let killed = kill_at(calls, member).await;
                killed.with_context(|| format!("{} at call {calls}", member.name))?;
            }
        }
    }
    Ok(())
}

/// Kills a member when the program has made so many calls.
async fn kill_at(calls: usize, member: &Member) -> Result<()> {
    let user = user()?;
    let mut setup = Setup::new(member.shape, crate::programs()?);
    let _shims = setup.shim(None)?;
    setup.environment.push(("XDG_STATE_HOME".into(), user.state().into()));
    let mut chain = start(&setup)?;
    let (read, write) = chain.read.take().zip(chain.write.take()).context("no streams")?;
    let mut editor = Editor::open(read, write, Answers::default(), Log::Nowhere);
    editor.initialize(1, &json!({})).await?;
    editor.set_up("session/new", "A", json!({"cwd": user.workspace(), "mcpServers": []})).await?;
    editor.prompt("A", &format!("script {}", json!({ "code": looping_after(calls) })))?;
    let worker = loop {
        let parents: Vec<i32> = chain.run.living().iter().map(|it| it.id).collect();
        let is_looping = |it: &Process| {
            parents.contains(&parent(it).unwrap_or_default()) && computed(it).unwrap_or_default() >= LOOPING
        };
        match processes::with_argument("script-worker").into_iter().find(is_looping) {
            Some(worker) => break worker,
            None => sleep(POLL).await, // nothing tells what a foreign process does
        }
    };
    match is_worker(&worker) && (member.is_it)(&worker) {
        true => worker.kill(),
        false => {
            let living = chain.run.living();
            living.iter().find(|it| (member.is_it)(it)).context("it is not there")?.kill();
        }
    }
    editor.peer().close();
    editor.forget();
    chain.died().await?;
    let is_left = || computed(&worker).map(|_| worker.clone());
    processes::none_left(|| is_left().into_iter().collect(), PATIENCE).await?;
    ensure!(services(&user)?.iter().all(|it| it.contains("return connect()")), "something is written");
    Ok(())
}

/// Returns a field of a process's statistics, counted from its state; `None` for one that is gone or dead.
fn statistic(process: &Process, index: usize) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", process.id)).ok()?;
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    (fields.clone().next() != Some("Z")).then(|| fields.nth(index)?.parse().ok()).flatten()
}

fn parent(process: &Process) -> Option<i32> {
    statistic(process, 1)?.try_into().ok()
}

/// Returns the computing time of a process in user mode.
fn computed(process: &Process) -> Option<u64> {
    statistic(process, 11)
}

/// The number of files that one program writes.
const FILES: usize = 400;

async fn while_changes_are_written() -> Result<()> {
    for round in 0..3 {
        let user = User::new()?;
        std::fs::create_dir(user.path("many"))?;
        (0..FILES).try_for_each(|it| std::fs::write(user.path(&format!("many/{it:03}")), "old"))?;
        let code = "for (const path of await fs.list('many')) await fs.write(path, 'new')";
        let mut command = Command::new(crate::programs()?.path("dialect-under-test"));
        command.args(["script", "--write", "--calls", "1000", code]).current_dir(user.workspace());
        command.env("DIALECT_WALL", "off").env("XDG_STATE_HOME", user.state());
        let mut tool = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let read = |it: usize| std::fs::read_to_string(user.path(&format!("many/{it:03}")));
        // As soon as one of them shows that the writing has begun.
        while read(0)? == "old" && read(FILES - 1)? == "old" {
            ensure!(tool.try_wait()?.is_none(), "nothing was written");
        }
        tool.kill()?;
        tool.wait()?;
        let workspace = user.workspace().canonicalize()?;
        let writes = |it: &Process| it.command.ends_with(" write-files");
        let writers = || processes::at_work_in(&workspace).into_iter().filter(writes).collect();
        processes::none_left(writers, PATIENCE).await?;
        let written = (0..FILES).filter(|it| read(*it).is_ok_and(|it| it == "new")).count();
        ensure!(written == FILES, "round {round}: {written} of {FILES} files are written");
        let left = std::fs::read_dir(user.path("many"))?.count();
        ensure!(left == FILES, "round {round}: {left} files are there");
    }
    Ok(())
}
