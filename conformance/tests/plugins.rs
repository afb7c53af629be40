//! Plugins as processes: what each does to itself costs its own calls, and never the host.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use component::plugins::{Callbacks, Launch, Object, Plugin};
use libtest_mimic::Trial;
use plugin_protocol::Value;
use plugin_protocol::methods::Arguments;
use rustix::process::{Pid, test_kill_process};

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        a_plugin_has_functions_objects_and_a_log,
        a_plugin_that_does_not_start_says_why,
        lines_that_are_no_messages_cost_no_call,
        an_answer_over_the_limit_fails_its_call_alone,
        a_death_fails_what_is_pending_and_another_life_begins_later,
        a_death_within_a_message_is_a_death,
        a_child_that_holds_the_pipes_is_no_reason_to_wait,
        a_callback_may_call_the_plugin_again,
        a_call_that_is_dropped_is_given_up,
        a_plugin_that_does_not_end_is_killed_with_its_children,
        a_plugin_without_handles_ends,
        a_plugin_that_closes_its_output_is_ended,
        a_plugin_that_does_not_read_is_killed,
        our_own_functions_are_a_plugin_of_other_hosts,
    ]
}

/// The time that anything here may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn launch(mode: &str) -> Launch {
    Launch { arguments: vec![mode.into()], ..Launch::new(env!("CARGO_BIN_EXE_probe-plugin")) }
}

fn arguments(args: impl IntoIterator<Item = Value>) -> Arguments {
    Arguments { args: args.into_iter().collect(), ..Arguments::default() }
}

async fn call(plugin: &Plugin, name: &str, argument: Value) -> Result<Value, String> {
    let called = plugin.call(name, arguments([argument]), Callbacks::default());
    let answer = tokio::time::timeout(PATIENCE, called).await.map_err(|_| format!("{name} hangs"))?;
    answer.map_err(|it| it.to_string())
}

async fn counter(plugin: &Plugin, start: i64) -> Result<Object> {
    Ok(plugin.new_object("Counter", arguments([Value::Int(start)]), Callbacks::default()).await?)
}

async fn method(plugin: &Plugin, object: &Object, name: &str, args: &[Value]) -> Result<Value, String> {
    let called = plugin.call_method(object, name, arguments(args.to_vec()), Callbacks::default());
    called.await.map_err(|it| it.to_string())
}

/// Waits until a process is gone.
async fn gone(id: i32) -> Result<()> {
    let (pid, started) = (Pid::from_raw(id).context("a process")?, Instant::now());
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    while is_running(pid) {
        ensure!(started.elapsed() < PATIENCE, "process {id} is still there");
        ticks.tick().await;
    }
    Ok(())
}

/// Returns true for a process that is there and not a zombie, which whoever adopted it has yet to reap.
fn is_running(pid: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    test_kill_process(pid).is_ok() && !status.is_ok_and(|it| it.contains(") Z "))
}

fn process_id(value: Result<Value, String>) -> Result<i32> {
    match value {
        Ok(Value::Int(id)) if id > 0 => Ok(i32::try_from(id)?),
        other => Err(anyhow!("no process: {other:?}")),
    }
}

async fn a_plugin_has_functions_objects_and_a_log() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let deep = (0..plugin_protocol::VALUE_DEPTH).fold(Value::Float(3.0), |it, _| Value::List(vec![it]));
    assert!(call(&plugin, "echo", deep.clone()).await == Ok(deep));
    assert_eq!(call(&plugin, "fail", Value::Null).await, Err("it failed".to_owned()));
    assert_eq!(call(&plugin, "log", Value::Null).await, Ok(Value::Null));
    assert_eq!(call(&plugin, "env", Value::Null).await, Ok(Value::String("0.27.3".to_owned())));
    let nan = call(&plugin, "echo", Value::Float(f64::NAN)).await;
    assert_eq!(nan, Err("unsupported value: NaN is no JSON number at args[0]".to_owned()));
    let object = counter(&plugin, 10).await?;
    assert_eq!(object.remote.library, "plugin.probe");
    assert_eq!(method(&plugin, &object, "inc", &[Value::Int(5)]).await, Ok(Value::Int(15)));
    let description = plugin.description();
    let class = description.class("Counter").context("the class")?;
    plugin.set(&object, class, "value", Value::Int(40)).await?;
    let refused = plugin.set(&object, class, "label", Value::Null).await.map_err(|it| it.to_string());
    assert_eq!(refused, Err("can't set attribute 'label': property is read-only".to_owned()));
    assert_eq!(method(&plugin, &object, "value", &[]).await, Ok(Value::Int(40)));
    plugin.destroy(&object).await?;
    plugin.shutdown().await?;
    assert!(call(&plugin, "echo", Value::Null).await.is_err());
    Ok(())
}

async fn a_plugin_that_does_not_start_says_why() -> Result<()> {
    let exited = "plugin process exited (exit status: 3; its last words: the library is missing)";
    for (mode, reason) in [
        ("wrong", "unsupported protocol \"2.0\""),
        ("refuses", "no licence"),
        ("exits", exited),
        ("silent", "the handshake was not answered within 0.3 s"),
    ] {
        let mut launch = launch(mode);
        if mode == "silent" {
            launch.settings.handshake = Duration::from_millis(300);
        }
        let refused = Plugin::start(launch).await.map(drop).map_err(|it| it.to_string());
        assert_eq!(refused, Err(reason.to_owned()), "{mode}");
    }
    let nowhere = Plugin::start(Launch::new("/nowhere/plugin")).await.map(drop);
    let error = nowhere.map_err(|it| it.to_string()).err().unwrap_or_default();
    assert!(error.starts_with("/nowhere/plugin does not start: "), "{error}");
    Ok(())
}

async fn lines_that_are_no_messages_cost_no_call() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    for (name, argument) in [("garbage", 1), ("twice", 2), ("flood", 20_000), ("shout", 300_000), ("echo", 3)]
    {
        assert_eq!(call(&plugin, name, Value::Int(argument)).await, Ok(Value::Int(argument)), "{name}");
    }
    plugin.shutdown().await?;
    Ok(())
}

async fn an_answer_over_the_limit_fails_its_call_alone() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let (huge, echo) =
        tokio::join!(call(&plugin, "huge", Value::Int(70_000_000)), call(&plugin, "echo", Value::Int(1)));
    let reason = "the answer cannot be read: longer than 67108864 bytes".to_owned();
    assert_eq!((huge.map(drop), echo), (Err(reason), Ok(Value::Int(1))));
    let long = call(&plugin, "huge", Value::Int(5_000_000)).await;
    assert!(matches!(long, Ok(Value::String(it)) if it.len() == 5_000_000));
    plugin.shutdown().await?;
    Ok(())
}

async fn a_death_fails_what_is_pending_and_another_life_begins_later() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let object = counter(&plugin, 1).await?;
    let (silent, die) = tokio::join!(call(&plugin, "silent", Value::Null), call(&plugin, "die", Value::Null));
    let reason = "plugin process exited (exit status: 7; its last words: out of luck)".to_owned();
    assert_eq!((silent, die), (Err(reason.clone()), Err(reason.clone())));
    // The first delays are short, so that calls wait for them. A longer one is told.
    let mut delayed = None;
    while delayed.is_none() {
        assert_eq!(call(&plugin, "echo", Value::Int(1)).await, Ok(Value::Int(1)));
        counter(&plugin, 2).await?;
        let stale = method(&plugin, &object, "value", &[]).await;
        assert_eq!(stale, Err("the object is gone: the plugin has ended since it was made".to_owned()));
        assert_eq!(call(&plugin, "die", Value::Null).await, Err(reason.clone()));
        let next = tokio::time::timeout(PATIENCE, call(&plugin, "echo", Value::Int(1)));
        delayed = next.await?.err();
    }
    let delayed = delayed.unwrap_or_default();
    assert!(delayed.starts_with(&reason) && delayed.contains("may start again in"), "{delayed}");
    plugin.shutdown().await?;
    Ok(())
}

async fn a_death_within_a_message_is_a_death() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let died = call(&plugin, "half", Value::Null).await;
    assert_eq!(died, Err("plugin process exited (exit status: 7)".to_owned()));
    Ok(())
}

async fn a_child_that_holds_the_pipes_is_no_reason_to_wait() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let child = process_id(call(&plugin, "child", Value::Null).await)?;
    let died = call(&plugin, "die", Value::Null).await.err().context("a death")?;
    assert!(died.starts_with("plugin process exited (exit status: 7"), "{died}");
    gone(child).await
}

async fn a_callback_may_call_the_plugin_again() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let mut callbacks = Callbacks::default();
    let again = plugin.clone();
    let callback = callbacks.add(move |arguments| {
        let plugin = again.clone();
        async move { call(&plugin, "echo", Value::List(arguments.args)).await }
    });
    let answer = plugin.call("call", arguments([callback, Value::Int(6)]), callbacks).await?;
    assert_eq!(answer, Value::List(vec![Value::Int(6)]));
    let mut callbacks = Callbacks::default();
    let callback = callbacks.add(|_| async { Err("no such event".to_owned()) });
    let failed = plugin.call("call", arguments([callback]), callbacks).await.map_err(|it| it.to_string());
    assert_eq!(failed, Err("no such event".to_owned()));
    let mut callbacks = Callbacks::default();
    let callback = callbacks.add(|_| async { Ok(Value::Float(f64::INFINITY)) });
    let failed = plugin.call("call", arguments([callback]), callbacks).await.map_err(|it| it.to_string());
    assert_eq!(failed, Err("unsupported value: inf is no JSON number at result".to_owned()));
    plugin.shutdown().await?;
    Ok(())
}

async fn a_call_that_is_dropped_is_given_up() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let mut callbacks = Callbacks::default();
    let (ran, mut has_run) = tokio::sync::mpsc::channel(1);
    let callback = callbacks.add(move |_| {
        let ran = ran.clone();
        async move {
            let _ = ran.send(()).await;
            std::future::pending().await
        }
    });
    let called = plugin.call("call", arguments([callback]), callbacks);
    tokio::select! {
        answer = called => return Err(anyhow!("it was answered: {answer:?}")),
        ran = has_run.recv() => ran.context("the callback runs")?,
    }
    assert!(has_run.recv().await.is_none(), "the callback ends with the call around it");
    assert_eq!(call(&plugin, "echo", Value::Int(2)).await, Ok(Value::Int(2)));
    plugin.shutdown().await?;
    Ok(())
}

async fn a_plugin_that_does_not_end_is_killed_with_its_children() -> Result<()> {
    for mode in ["stays", "never ends", ""] {
        let mut launch = launch(mode);
        (launch.settings.shutdown, launch.settings.exit) =
            (Duration::from_millis(200), Duration::from_millis(200));
        let plugin = Plugin::start(launch).await?;
        let child = process_id(call(&plugin, "child", Value::Null).await)?;
        plugin.shutdown().await?;
        gone(child).await?;
    }
    Ok(())
}

async fn a_plugin_without_handles_ends() -> Result<()> {
    let plugin = Plugin::start(launch("")).await?;
    let child = process_id(call(&plugin, "child", Value::Null).await)?;
    drop(plugin);
    gone(child).await
}

async fn a_plugin_that_closes_its_output_is_ended() -> Result<()> {
    let script = r#"
        read handshake
        echo '{"id":1,"result":{"protocol":"1.0","transport":"json","library":{"name":"shell"}}}'
        read call
        exec >&-
        read nothing
        sleep 600
    "#;
    let mut launch = Launch { arguments: vec!["-c".into(), script.into()], ..Launch::new("/bin/sh") };
    launch.settings.exit = Duration::from_millis(200);
    let plugin = Plugin::start(launch).await?;
    let failed = call(&plugin, "echo", Value::Null).await;
    assert_eq!(failed, Err("the plugin closed its output".to_owned()));
    let end = plugin.shutdown().await.map_err(|it| it.to_string());
    assert_eq!(end, Err("the plugin closed its output".to_owned()), "it did not end because it was asked to");
    Ok(())
}

async fn a_plugin_that_does_not_read_is_killed() -> Result<()> {
    let script = r#"
        read handshake
        echo '{"id":1,"result":{"protocol":"1.0","transport":"json","library":{"name":"shell"}}}'
        sleep 600
    "#;
    let plugin =
        Plugin::start(Launch { arguments: vec!["-c".into(), script.into()], ..Launch::new("/bin/sh") })
            .await?;
    let text = Value::String("x".repeat(35_000_000));
    let calls = (0..4).map(|_| call(&plugin, "echo", text.clone()));
    for failed in futures::future::join_all(calls).await {
        let reason = failed.err().context("a failure")?;
        assert!(reason.contains("it does not read its input"), "{reason}");
    }
    Ok(())
}

async fn our_own_functions_are_a_plugin_of_other_hosts() -> Result<()> {
    let workspace = tempfile::TempDir::new()?;
    std::fs::write(workspace.path().join("main.py"), "class User:\n    pass\n")?;
    std::fs::write(workspace.path().join("other.py"), "class Item:\n    pass\n\nclass Item:\n    x = 1\n")?;
    let program = crate::programs()?.path("dialect-under-test");
    let folder = workspace.path().as_os_str().to_owned();
    let command = ["plugin".into(), "--wait".into(), "0".into(), "--workspace".into(), folder].to_vec();
    let plugin = Plugin::start(Launch { arguments: command, ..Launch::new(program) }).await?;
    let described = plugin.description();
    let found = described.function("findDefinitions").context("it is offered")?;
    let words = found.description.clone().unwrap_or_default();
    ensure!(words.starts_with("findDefinitions(symbol") && words.contains(") - "), "{words}");
    assert!(described.function("applyEdits").is_none(), "that changes files");
    let text = |it: &str| Value::String(it.to_owned());
    let named = Arguments { kwargs: [("symbol".to_owned(), text("User"))].into(), ..Arguments::default() };
    for given in [arguments([text("User")]), named] {
        let Value::List(found) = plugin.call("findDefinitions", given, Callbacks::default()).await? else {
            return Err(anyhow!("no list"));
        };
        let [Value::Dict(one)] = &found[..] else { return Err(anyhow!("{found:?}")) };
        assert_eq!(one["path"], text("main.py"));
    }
    // What an object with one key means is data.
    let data: Value = Value::Dict([("count".to_owned(), text("x"))].into());
    let refused = call(&plugin, "findDefinitions", data).await.err().unwrap_or_default();
    ensure!(refused.contains("symbol"), "{refused}");
    let unknown = call(&plugin, "nosuch", Value::Null).await.err().unwrap_or_default();
    ensure!(unknown.starts_with("unknown function nosuch (available: findDefinitions, "), "{unknown}");
    let failed = call(&plugin, "lines", text("nowhere.py")).await.err().unwrap_or_default();
    ensure!(failed.contains("lines"), "{failed}");
    plugin.shutdown().await?;
    Ok(())
}
