//! Plugins as an agent meets them: functions beside all others, behind permissions, through failures and deaths.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use conformance::chain::{Notes, Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        functions_of_a_plugin_are_functions_like_any_other,
        objects_live_as_long_as_something_reaches_them,
        a_death_is_the_outcome_of_its_call_and_the_next_one_works,
        what_may_write_is_asked_about_and_refused,
        nothing_that_writes_runs_where_edits_are_forbidden,
        a_plugin_of_the_workspace_starts_when_the_user_allows_it,
        the_first_plugin_of_a_name_counts,
        a_document_beside_a_plugin_describes_it,
        the_command_line_lists_adds_and_trusts_plugins,
        a_plugin_is_behind_a_wall_that_its_user_widens,
        methods_are_those_of_the_class,
        a_plugin_has_its_second_to_end,
        what_is_not_there_says_why,
        a_callback_that_fails_tells_its_plugin_why,
        what_is_source_runs_beside_its_plugin,
        source_has_the_permissions_of_its_program,
    ]
}

/// The answers to permission questions.
pub(crate) const ONCE: &str = "ailang.once";
pub(crate) const SESSION: [&str; 2] = ["ailang.lasting", "ailang.session"];
pub(crate) const NEVER: &str = "never";
pub(crate) const DENY: &str = "ailang.deny";

/// A workspace, and the folders of its user.
pub(crate) struct User {
    workspace: TempDir,
    state: TempDir,
    settings: TempDir,
    pub(crate) plugins: Vec<PathBuf>,
    trust: bool,
    pub(crate) read_only: bool,
    pub(crate) wall: bool,
    /// The search path of the chain; empty for one without language servers.
    pub(crate) search_path: OsString,
    /// The options about the tool `script`.
    pub(crate) scripts: Vec<OsString>,
}

impl User {
    pub(crate) fn new() -> Result<Self> {
        let [workspace, state, settings] = [TempDir::new()?, TempDir::new()?, TempDir::new()?];
        std::fs::write(workspace.path().join("main.py"), "class User:\n    pass\n")?;
        let plugins = vec![env!("CARGO_BIN_EXE_probe-plugin").into()];
        let [trust, read_only, wall] = [false; 3];
        let (search_path, scripts) = (OsString::new(), Vec::new());
        Ok(Self { workspace, state, settings, plugins, trust, read_only, wall, search_path, scripts })
    }

    /// Opens a session whose user answers the first questions like that, and no other.
    pub(crate) async fn session(&self, choices: &[&str]) -> Result<(Conversation, TempDir)> {
        let mut setup = Setup::new(Shape::Fused, crate::programs()?);
        setup.notes = Some(Notes {
            folder: self.workspace.path().join("notes"),
            state: self.state.path().to_owned(),
            patience: None,
            read_only: self.read_only,
        });
        setup.trust = self.trust;
        setup.wall = self.wall;
        setup.settings = Some(self.settings.path().to_owned());
        setup.plugins.clone_from(&self.plugins);
        setup.options.clone_from(&self.scripts);
        let shims = setup.shim(None)?;
        if !self.search_path.is_empty() {
            setup.environment.push(("PATH".into(), self.search_path.clone()));
        }
        let outcome = |it: &&str| match *it {
            NEVER => NEVER.to_owned(),
            it => json!({"outcome": {"outcome": "selected", "optionId": it}}).to_string(),
        };
        let answers = choices.iter().map(outcome).chain(["error -32603 asked again".to_owned()]);
        let answers: String = answers.map(|it| format!("session/request_permission {it}\n")).collect();
        let answers = Answers::parse(&answers)?;
        Ok((Conversation::open(&setup, self.workspace.path(), &json!({}), answers).await?, shims))
    }

    /// Runs `dialect` with the folders of this user.
    pub(crate) fn dialect(&self, arguments: &[&str]) -> Result<(Option<i32>, String)> {
        let mut command = Command::new(crate::programs()?.path("dialect-under-test"));
        command.args(arguments).current_dir(&self.workspace).env("DIALECT_WALL", "off");
        command.env("XDG_STATE_HOME", self.state.path()).env("XDG_CONFIG_HOME", self.settings.path());
        let output = command.output()?;
        let text = String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?;
        Ok((output.status.code(), text))
    }

    /// Returns the folder of permissions and of the audit log.
    pub(crate) fn state(&self) -> &Path {
        self.state.path()
    }

    /// Returns the folder of the settings.
    pub(crate) fn settings(&self) -> &Path {
        self.settings.path()
    }

    pub(crate) fn workspace(&self) -> &Path {
        self.workspace.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.workspace.path().join(name)
    }
}

/// Writes a plugin for the shell whose library has that name, and one function of it that returns a text.
pub(crate) fn write_plugin(path: &Path, library: &str, function: &str, answer: &str) -> Result<()> {
    let schema = json!({"functions": [{"name": function, "effect": "reads", "params": []}]});
    write_plugin_of(path, library, &schema, &json!({"type": "string", "value": answer}))
}

/// Writes a plugin for the shell that answers every call with the same result. Quotes are not escaped in it.
pub(crate) fn write_plugin_of(path: &Path, library: &str, schema: &Value, result: &Value) -> Result<()> {
    let handshake = json!({
        "protocol": "1.0", "transport": "json", "library": {"name": library, "version": "1"},
        "capabilities": [], "schema": schema,
    });
    let text = format!(
        "#!/bin/sh\nwhile read -r line; do\n  id=${{line#*'\"id\":'}}\n  case $line in\n    \
         *scriptling.handshake*) result='{handshake}';;\n    *) result='{result}';;\n  esac\n  \
         printf '{{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}}\\n' \"${{id%%,*}}\" \"$result\"\ndone\n"
    );
    std::fs::write(path, text)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

async fn functions_of_a_plugin_are_functions_like_any_other() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    for (program, expected) in [
        // What only reads asks for nothing, whatever its arguments are.
        ("peek(findDefinition(`User`)).path", r#""main.py""#),
        ("[1, 2].map(n => probe.peek(n))", "[1,2]"),
        (r#"{"probe.peek": {"args": [[1.0, 2]]}}"#, "[1.0,2]"),
        (r#"{"probe.peek": "Ada"}"#, r#""Ada""#),
        // A function goes to the plugin, which calls it back; it may call the plugin again.
        ("probe.call(n => n + 1, 4)", "5"),
        ("probe.call(n => peek(n) + 1, 4)", "5"),
    ] {
        assert_eq!(chain.call(program).await?.text, expected, "{program}");
    }
    for (program, parts) in [
        (
            "probe.fail(1)",
            &["failure: ", "`probe.fail` failed: it failed", r#"{"probe.fail":{"args":[1],"kwargs":{}}}"#][..],
        ),
        ("probe.fail(name=`Ada`)", &[r#"by name (`kwargs`): {"probe.fail":{"args":["Ada"],"kwargs":{}}}"#]),
        ("attempt(probe.fail(1)).failure.contains(`it failed`)", &["true"]),
        ("probe.call(n => lines(`nowhere`, 1), 4)", &["failure: ", "nowhere"]),
        ("peek(9223372036854775808)", &["failure: ", "args[0]", "2^63-1"]),
        ("probe.pek(1)", &["failure: ", "peek"]),
        ("help(`probe.peek`)", &["probe.peek(...) -> any", "parameters are not known"]),
        ("help()", &["probe.echo(...)"]),
    ] {
        let said = chain.call(program).await?.text;
        ensure!(parts.iter().all(|it| said.contains(it)), "{program}: {said}");
    }
    chain.end().await
}

async fn objects_live_as_long_as_something_reaches_them() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    let sum = "c = probe.Counter(5)\n[c.inc(3), c.value(), c.setValue(40), c.value()]";
    let said = chain.call(&sum.replace('\n', "; ")).await?.text;
    assert_eq!(said, "[8,8,null,40]");
    // Its value names it, and is a program.
    let made = chain.call("probe.Counter(7)").await?.text;
    assert_eq!(made, "probe.CounterRef(`probe#1:2`)");
    assert_eq!(chain.call(&format!("{made}.inc(1)")).await?.text, "8");
    assert_eq!(
        chain.call(r#"{"probe.Counter.inc": [{"probe.CounterRef": {"ref": "probe#1:2"}}, 1]}"#).await?.text,
        "9"
    );
    assert_eq!(chain.call("probe.destroyed()").await?.text, "1", "the first one was in no result");
    assert_eq!(chain.call(&format!("{made}.release()")).await?.text, "null");
    assert_eq!(chain.call("probe.destroyed()").await?.text, "2");
    let gone = chain.call(&format!("{made}.value()")).await?.text;
    for part in ["the object `probe#1:2` is gone", r#"Make it again: {"probe.Counter":{"args":[7]}}"#] {
        ensure!(gone.contains(part), "{gone}");
    }
    chain.end().await
}

async fn a_death_is_the_outcome_of_its_call_and_the_next_one_works() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    let counter = chain.call("probe.Counter(7)").await?.text;
    for mode in ["die", "half"] {
        let died = chain.call(&format!("probe.{mode}(1)")).await?.text;
        for part in ["failure: ", "plugin process exited", "exit status: 7", "may succeed later"] {
            ensure!(died.contains(part), "{mode}: {died}");
        }
        // It starts again after a delay that grows; the failure says so.
        let back = chain.call_when_ready("peek(1)").await?.text;
        assert_eq!(back, "1", "{mode}");
    }
    let stale = chain.call(&format!("{counter}.value()")).await?.text;
    ensure!(stale.starts_with("failure: ") && !stale.contains('7'), "{stale}");
    // The plugin's next life gives other objects the same ids.
    assert_eq!(chain.call("probe.Counter(8).value()").await?.text, "8");
    let stale = chain.call(&format!("peek([{counter}])")).await?.text;
    ensure!(stale.contains("is gone: the plugin has ended since it was made"), "{stale}");
    for program in ["probe.twice(1)", "probe.garbage(1)", "probe.flood(1)"] {
        assert_eq!(chain.call(program).await?.text, "1", "{program}");
    }
    let huge = chain.call("probe.huge(100000000)").await?.text;
    ensure!(huge.contains("longer than 67108864 bytes"), "{huge}");
    let probe = env!("CARGO_BIN_EXE_probe-plugin");
    let (code, late) = user.dialect(&["eval", "--timeout", "2", "--plugin", probe, "probe.silent(1)"])?;
    let expected = "Stopped after 2 s, while waiting for the plugin's answer to `probe.silent`";
    ensure!(code == Some(1) && late.contains(expected), "{late}");
    // A child that holds the pipes is ended with the chain, which looks for processes.
    let child = chain.call("probe.child()").await?.text;
    ensure!(child.parse::<u32>().is_ok_and(|it| it > 0), "{child}");
    chain.end().await
}

async fn what_may_write_is_asked_about_and_refused() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&[DENY, ONCE]).await?;
    let refused = chain.call("probe.echo(1)").await?.text;
    ensure!(refused.contains("the user refused probe.echo"), "{refused}");
    assert_eq!(chain.call("probe.echo([2])").await?.text, "[2]");
    let unasked = chain.call("probe.echo(3)").await?.text;
    ensure!(unasked.starts_with("failure: "), "{unasked}");
    chain.end().await?;
    let (_, audit) = user.dialect(&["audit", "--action", "used"])?;
    ensure!(audit.contains(r#"plugins/Run (once) by grant, probe.echo, {"args":[[2]]}"#), "{audit}");
    Ok(())
}

async fn nothing_that_writes_runs_where_edits_are_forbidden() -> Result<()> {
    let user = User { read_only: true, ..User::new()? };
    let (mut chain, _shims) = user.session(&[]).await?;
    assert_eq!(chain.call("peek(1)").await?.text, "1");
    let refused = chain.call("probe.echo(1)").await?.text;
    ensure!(refused.starts_with("failure: ") && refused.contains("read-only"), "{refused}");
    chain.end().await
}

async fn a_plugin_of_the_workspace_starts_when_the_user_allows_it() -> Result<()> {
    let mut user = User { plugins: Vec::new(), trust: true, ..User::new()? };
    let plugin = user.path("theirs.py");
    write_plugin(&plugin, "theirs", "told", "one")?;
    std::fs::write(user.path(".dialect.toml"), "[plugins]\npaths = [\"theirs.py\"]\n")?;
    let always = ["ailang.lasting", "ailang.persistent"];
    // Refused, it is not there.
    let (mut chain, _shims) = user.session(&[DENY]).await?;
    let said = chain.call("theirs.told()").await?;
    ensure!(
        said.text.starts_with("failure: ") && said.notes.concat().contains("the user refused"),
        "{said:?}"
    );
    chain.end().await?;
    // Allowed for good, it is there, and in the next session without a question.
    for choices in [&always[..], &[]] {
        let (mut chain, _shims) = user.session(choices).await?;
        assert_eq!(chain.call("theirs.told()").await?.text, r#""one""#, "{choices:?}");
        chain.end().await?;
    }
    // Another content is another question.
    write_plugin(&plugin, "theirs", "told", "two")?;
    let (mut chain, _shims) = user.session(&[]).await?;
    let said = chain.call("theirs.told()").await?.text;
    ensure!(said.starts_with("failure: "), "{said}");
    chain.end().await?;
    let (code, said) = user.dialect(&["plugins", "list", "--trust"])?;
    ensure!(code == Some(0) && said.contains("you are asked before it starts"), "{said}");
    // What the user trusts by the command line starts without a question too.
    let file = plugin.display().to_string();
    let (code, said) = user.dialect(&["plugins", "trust", &file])?;
    ensure!(code == Some(0) && said.contains("is trusted while its content is sha256:"), "{said}");
    let (mut chain, _shims) = user.session(&[]).await?;
    assert_eq!(chain.call("theirs.told()").await?.text, r#""two""#);
    chain.end().await?;
    // In a workspace that is not trusted, its settings say nothing.
    user.trust = false;
    let (mut chain, _shims) = user.session(&[]).await?;
    let said = chain.call("theirs.told()").await?.text;
    ensure!(said.starts_with("failure: "), "{said}");
    chain.end().await
}

async fn the_first_plugin_of_a_name_counts() -> Result<()> {
    let mut user = User { plugins: Vec::new(), ..User::new()? };
    for (file, library, function) in [
        ("a.py", "one", "told"),
        ("b.py", "one", "other"),
        ("c.py", "two", "told"),
        ("d.py", "search", "search"),
    ] {
        let path = user.path(file);
        write_plugin(&path, library, function, file)?;
        user.plugins.push(path);
    }
    let (mut chain, _shims) = user.session(&[]).await?;
    assert_eq!(
        chain.call("[one.told(), two.told(), search.search()]").await?.text,
        r#"["a.py","c.py","d.py"]"#
    );
    // Two plugins have this name, so it is no name of a function; the answer has both.
    let said = chain.call("told()").await?.text;
    ensure!(said.contains("one.told()") && said.contains("two.told()"), "{said}");
    let other = chain.call("one.other()").await?.text;
    ensure!(other.starts_with("failure: "), "{other}");
    chain.end().await?;
    let given: Vec<String> = user.plugins.iter().map(|it| it.display().to_string()).collect();
    let mut arguments = vec!["plugins", "list"];
    given.iter().for_each(|it| arguments.extend(["--plugin", it]));
    let (code, said) = user.dialect(&arguments)?;
    ensure!(code == Some(1) && said.contains("not there: ignored: duplicate library `one`"), "{said}");
    Ok(())
}

async fn a_document_beside_a_plugin_describes_it() -> Result<()> {
    let mut user = User { plugins: Vec::new(), ..User::new()? };
    let path = user.path("sky.py");
    write_plugin(&path, "sky", "told", "blue")?;
    let document =
        "---\nid: sky\ntitle: Sky\nsummary: The sky.\n---\n\n<define>\ncapability Look = \"\"\n</define>\n";
    std::fs::write(user.path("sky.py.md"), document)?;
    user.plugins.push(path);
    let given = user.plugins[0].display().to_string();
    let (_, said) = user.dialect(&["plugins", "list", "--plugin", &given])?;
    ensure!(said.contains("left out: its document: ") && said.contains("sky.told() -> any"), "{said}");
    let document = "---\nid: sky\ntitle: Sky\nsummary: The sky.\n---\n\n<define>\n// The colour of the sky. At noon.\n\
                    // @pure\ntool told(\n  // The hour.\n  hour?: int.min(0).max(23)\n) -> string\n\
                    // Rains.\ntool rain() -> null\n</define>\n";
    std::fs::write(user.path("sky.py.md"), document)?;
    let (mut chain, _shims) = user.session(&[]).await?;
    assert_eq!(chain.call("told(3)").await?.text, r#""blue""#);
    let wrong = chain.call("sky.told(30)").await?.text;
    ensure!(wrong.contains("`hour` of `sky.told` must be at most 23, got 30"), "{wrong}");
    let help = chain.call("help(`told`)").await?.text;
    ensure!(
        help.contains(r#"From \"sky\": \"The colour of the sky.\""#) && help.contains("The hour."),
        "{help}"
    );
    chain.end().await?;
    let (_, said) = user.dialect(&["plugins", "list", "--plugin", &given])?;
    ensure!(said.contains("left out: function rain: its document describes it"), "{said}");
    Ok(())
}

async fn the_command_line_lists_adds_and_trusts_plugins() -> Result<()> {
    let user = User::new()?;
    let (code, said) = user.dialect(&["plugins", "list"])?;
    assert_eq!((code, said.as_str()), (Some(0), "No plugins. To add one: dialect plugins add PATH\n"));
    let (path, broken) = (user.path("mine.py"), user.path("broken.sh"));
    write_plugin(&path, "mine", "told", "mine")?;
    std::fs::write(&broken, "#!/bin/sh\necho no licence >&2\nexit 3\n")?;
    let (file, broken_file) = (path.display().to_string(), broken.display().to_string());
    for arguments in [["plugins", "add", &file], ["plugins", "add", &file], ["plugins", "add", &broken_file]]
    {
        let (code, said) = user.dialect(&arguments)?;
        assert_eq!(code, Some(0), "{said}");
    }
    // What cannot be executed is no plugin; the user sees that when it is given by name.
    let (code, said) = user.dialect(&["plugins", "list", "--plugin", &broken_file])?;
    ensure!(code == Some(1) && said.contains("cannot be executed: chmod +x"), "{said}");
    std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755))?;
    let (code, said) = user.dialect(&["plugins", "list", "--json"])?;
    let said: Value = serde_json::from_str(&said)?;
    assert_eq!((code, &said["plugins"][1]["functions"]), (Some(1), &json!(["mine.told() -> any"])));
    let problem = said["plugins"][0]["problem"].as_str().unwrap_or_default().to_owned();
    ensure!(problem.contains("exit status: 3; its last words: no licence"), "{problem}");
    let (code, said) = user.dialect(&["eval", "mine.told()"])?;
    ensure!(code == Some(0) && said.starts_with("mine\n"), "{said}");
    let (_, said) = user.dialect(&["doctor"])?;
    ensure!(said.contains("mine.told() -> any") && said.contains("no licence"), "{said}");
    let (code, said) = user.dialect(&["plugins", "remove", "mine.py"])?;
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(user.dialect(&["plugins", "remove", "mine.py"])?.0, Some(1));
    let (code, said) = user.dialect(&["eval", "mine.told()"])?;
    ensure!(code == Some(1), "{said}");
    Ok(())
}

async fn a_plugin_is_behind_a_wall_that_its_user_widens() -> Result<()> {
    if let Err(absent) = adapter::fallback::wall() {
        eprintln!("no wall here: {absent}");
        return Ok(());
    }
    let mut user = User { wall: true, ..User::new()? };
    let outside = TempDir::new()?;
    let [secret, own] = ["secret", "own"].map(|it| outside.path().join(it));
    std::fs::write(&secret, "s3cret")?;
    std::fs::create_dir(&own)?;
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let socket = outside.path().join("socket");
    let _unix = std::os::unix::net::UnixListener::bind(&socket)?;
    let (address, note) = (listener.local_addr()?.to_string(), own.join("note"));
    let denied = "permission denied";
    let mut tries = vec![
        ("read", user.path("main.py").display().to_string(), "done"),
        ("read", secret.display().to_string(), denied),
        ("write", user.path("new.py").display().to_string(), "read-only"),
        ("write", note.display().to_string(), "read-only"),
        ("connect", address, denied),
        ("unix", socket.display().to_string(), denied),
        ("variable", "XDG_STATE_HOME".to_owned(), ""),
    ];
    let run = async |user: &User, tries: &[(&str, String, &str)]| -> Result<()> {
        let (mut chain, _shims) = user.session(&SESSION).await?;
        for (how, what, expected) in tries {
            let said = chain.call(&format!("probe.{how}(`{what}`)")).await?.text;
            let is_expected = said.contains(expected) || *expected == "read-only" && said.contains(denied);
            ensure!(is_expected && (!expected.is_empty() || said == r#""""#), "{how} {what}: {said}");
        }
        // What leaves the plugin's group and holds its pipes ends with the chain too.
        let left = chain.call("probe.leave()").await?.text;
        ensure!(left.parse::<u32>().is_ok_and(|it| it > 0), "{left}");
        chain.end().await
    };
    run(&user, &tries).await?;
    // Each widening is the user's, in the user's own settings.
    let folder = user.settings.path().join("dialect");
    std::fs::create_dir_all(&folder)?;
    let profile =
        format!("[plugins.profile.probe-plugin]\nread = [{secret:?}]\nwrite = [{own:?}]\nnetwork = true\n");
    std::fs::write(folder.join("config.toml"), &profile)?;
    (tries[1].2, tries[3].2, tries[4].2) = ("done", "done", "done");
    run(&user, &tries).await?;
    // A workspace cannot widen it.
    std::fs::remove_file(folder.join("config.toml"))?;
    std::fs::write(user.path(".dialect.toml"), &profile)?;
    (tries[1].2, tries[3].2, tries[4].2) = (denied, "read-only", denied);
    user.trust = true;
    run(&user, &tries).await
}

async fn methods_are_those_of_the_class() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    assert_eq!(chain.call("c = probe.Counter(5); [c.get(), c.inc(3), c.get()]").await?.text, "[5,8,8]");
    assert_eq!(chain.call("[probe.Counter(5)].map(c => c.commit(`k`, `v`))").await?.text, r#"["commit 2"]"#);
    let said = chain.call("probe.Counter(5).value").await?.text;
    ensure!(said.contains("Did you mean `value()`?"), "{said}");
    chain.end().await
}

async fn a_plugin_has_its_second_to_end() -> Result<()> {
    let user = User::new()?;
    let (plugin, trace) = (user.path("slow"), user.path("ended"));
    write_plugin(&plugin, "slow", "ping", "pong")?;
    let text = std::fs::read_to_string(&plugin)?;
    let end = format!(
        "    *plugin.shutdown*) sleep 0.3; touch {}; result='null';;\n    *) result",
        trace.display()
    );
    std::fs::write(&plugin, text.replace("    *) result", &end))?;
    let plugin = plugin.to_string_lossy();
    let (code, said) = user.dialect(&["eval", "--plugin", &plugin, "slow.ping()"])?;
    assert_eq!(code, Some(0), "{said}");
    ensure!(trace.exists(), "it was not let finish: {said}");
    Ok(())
}

async fn what_is_not_there_says_why() -> Result<()> {
    let user = User::new()?;
    let broken = user.path("broken");
    std::fs::write(&broken, "#!/bin/sh\necho 'no licence' >&2\nexit 3\n")?;
    std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755))?;
    let plugin = broken.to_string_lossy();
    for program in [
        "broken.ping()",
        "broken.count([1])",
        "broken.search(`a`, `b`)",
        "x = broken.Counter(5)\nx.inc()",
        r#"{"broken.ping": [1]}"#,
        "[1].map(n => broken.get(n))",
    ] {
        let (_, said) = user.dialect(&["eval", "--json", "--plugin", &plugin, program])?;
        // The log says it too; an answer has it among its notes.
        let note = said.split_once(r#""notes":["Not there: the plugin broken"#).map(|(_, rest)| rest);
        ensure!(note.is_some_and(|it| it.contains("no licence")), "{program}: {said}");
    }
    Ok(())
}

/// Writes a plugin with wrappers, functions and classes that its host runs. It answers every call itself with `bare`, and with
/// the object 7.
fn write_source_plugin(path: &Path) -> Result<()> {
    let call = |name: &str| format!("scriptling.plugin.call_function(\"plugin.wrap\", \"{name}\", name)");
    let wrapper = |name: &str, of: &str| {
        format!("import scriptling.plugin\n\ndef {name}(name, mark=\"!\"):\n    return {} + mark\n", call(of))
    };
    let config = "class Config:\n    def __init__(self, name):\n        self.name = name\n        self._plugin_remote = scriptling.plugin._new_object(\"wrap\", \"Config\", name)\n\n    def get(self, key, default=\"\"):\n        return [self.name, scriptling.plugin.call_method(self._plugin_remote, \"get\", key), default]\n\n    def __del__(self):\n        scriptling.plugin.release(self._plugin_remote)\n";
    let schema = json!({
        "functions": [
            {"name": "plain", "effect": "reads", "params": []},
            {"name": "greet", "description": "Greets.", "effect": "reads", "source": wrapper("greet", "greet")},
            {"name": "changes", "source": wrapper("changes", "changes")},
            {"name": "sly", "effect": "pure", "source": wrapper("sly", "changes")},
            {"name": "slug", "effect": "pure", "source": "def slug(text):\n    return \"-\".join(text.lower().split())\n"},
            {"name": "each", "effect": "pure", "source": "def each(items, function):\n    return [function(it) for it in items]\n"},
            {"name": "fails", "effect": "pure", "source": "def fails(x):\n    y = x + 1\n    raise ValueError(\"no \" + str(y))\n"},
            {"name": "bad", "effect": "pure", "source": "def bad(:"},
        ],
        "classes": [{
            "name": "Config", "constructor": {"name": "Config", "effect": "reads"}, "source": config,
            "methods": [{"name": "get", "effect": "reads"}], "properties": [{"name": "name", "settable": true}],
        }],
    });
    let result = json!({"type": "string", "value": "bare", "library": "wrap", "class": "Config", "id": "7"});
    write_plugin_of(path, "wrap", &schema, &result)
}

async fn what_is_source_runs_beside_its_plugin() -> Result<()> {
    let mut user = User::new()?;
    let plugin = user.path("wrap");
    write_source_plugin(&plugin)?;
    user.plugins = vec![plugin.clone()];
    let (mut chain, _shims) = user.session(&SESSION).await?; // for the setter
    for (program, expected) in [
        ("wrap.plain()", "\"bare\""),
        ("wrap.greet(`Ada`)", "\"bare!\""),
        ("greet(`Ada`, mark=`?`)", "\"bare?\""),
        ("wrap.slug(text=`Some  Title`)", "\"some-title\""),
        ("wrap.each([1, 2], x => x * 10)", "[10,20]"),
        ("wrap.each([1], x => plain())", "[\"bare\"]"),
        ("wrap.fails(1)", "`wrap.fails` failed: ValueError: no 2 (line 3 of the source of `fails`)"),
        ("wrap.bad()", "`wrap.bad` failed: it does not load: SyntaxError: "),
        ("wrap.each([1], x => wrap.slug(`A`))", "that of `wrap` waits for the function that calls it"),
        ("wrap.each([1], x => fail(`stop`))", "stop"),
        (
            "[wrap.Config(`n`)].map(c => [c.get(`k`), c.get(`k`, default=`d`), c.name()])[0]",
            "[[\"n\",\"bare\",\"\"],[\"n\",\"bare\",\"d\"],\"n\"]",
        ),
        ("[wrap.Config(`n`)].map(c => [c.setName(`m`), c.name()])[0]", "[null,\"m\"]"),
        ("wrap.each([wrap.Config(`n`)], c => c)[0]", "wrap.Config"),
    ] {
        let said = chain.call(program).await?.text;
        let said_in_one_line = said.replace(",\n", ", ").replace('\n', " ");
        ensure!(said.contains(expected) || said_in_one_line.contains(expected), "{program}: {said}");
    }
    let help = chain.call("help(`wrap.greet`)").await?.text;
    ensure!(help.contains("Greets.") && !help.contains("Not available"), "{help}");
    let said = crate::scripts::run(&mut chain, "return await wrap.greet('Ada')", json!({})).await?;
    ensure!(said.starts_with("ok") && said.contains("bare!"), "{said}");
    chain.end().await?;
    let (_, listed) = user.dialect(&["plugins", "list", "--plugin", &plugin.to_string_lossy()])?;
    ensure!(listed.contains("wrap.greet(name: any, mark?: any)") && !listed.contains("left out"), "{listed}");
    Ok(())
}

async fn source_has_the_permissions_of_its_program() -> Result<()> {
    let mut user = User::new()?;
    let plugin = user.path("wrap");
    write_source_plugin(&plugin)?;
    user.plugins = vec![plugin];
    let (mut chain, _shims) = user.session(&[DENY, ONCE]).await?;
    let sly = chain.call("wrap.sly(`x`)").await?.text;
    ensure!(sly.contains("`wrap.changes` needs a permission that the user was not asked for"), "{sly}");
    let refused = chain.call("wrap.changes(`x`)").await?.text;
    ensure!(refused.contains("the user refused"), "{refused}");
    assert_eq!(chain.call("wrap.changes(`x`)").await?.text, "\"bare!\"");
    let logged = user.dialect(&["audit"])?.1;
    // The wrapper, and the call that it made.
    let used = logged.lines().filter(|it| it.contains("used") && it.contains("wrap.changes")).count();
    ensure!(used == 2, "{logged}");
    chain.end().await
}

async fn a_callback_that_fails_tells_its_plugin_why() -> Result<()> {
    let user = User::new()?;
    let (mut chain, _shims) = user.session(&SESSION).await?;
    for (program, why) in [
        ("probe.caught(n => [n][7], 4)", "there is no element 7 in a list of 1"),
        ("probe.caught(n => lines(`nowhere`, 1), 4)", "nowhere"),
        ("probe.caught(n => probe.fail(n), 4)", "it failed"),
    ] {
        let said = chain.call(program).await?.text;
        ensure!(said.contains(why), "{program}: {said}");
    }
    chain.end().await
}
