//! Permissions outlive the process that asked for them, and `dialect` shows, checks and revokes them.

use std::process::{Command, Output};

use anyhow::{Result, ensure};
use conformance::chain::{Notes, Programs, Setup, Shape};
use conformance::conversation::Conversation;
use conformance::editor::Answers;
use libtest_mimic::Trial;
use serde_json::json;
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        async
        what_is_always_allowed_is_so_in_the_next_process_until_it_is_revoked,
        a_changed_record_is_noticed,
        lines_of_the_record_that_are_taken_away_are_noticed,
        a_grant_counts_only_as_the_record_has_it,
        a_file_of_grants_that_is_damaged_grants_nothing,
    ]
}

/// The user's choices. How long a lasting permission lasts is a second question.
const ALWAYS: [&str; 2] = ["ailang.lasting", "ailang.persistent"];
const ONCE: [&str; 1] = ["ailang.once"];
const DENY: [&str; 1] = ["ailang.deny"];

struct User {
    programs: Programs,
    workspace: TempDir,
    state: TempDir,
}

impl User {
    fn new() -> Result<Self> {
        let programs = crate::programs()?;
        Ok(Self { programs, workspace: TempDir::new()?, state: TempDir::new()? })
    }

    /// One session of processes that are new, whose editor answers the first questions like that and no other.
    async fn call(&self, choices: &[&str], program: &str) -> Result<String> {
        let mut setup = Setup::new(Shape::Conducted, self.programs.clone());
        setup.notes = Some(Notes {
            folder: self.workspace.path().join("notes"),
            state: self.state.path().to_owned(),
            patience: None,
            read_only: false,
        });
        let _shims = setup.shim(None)?;
        let outcome = |it: &&str| json!({"outcome": {"outcome": "selected", "optionId": it}}).to_string();
        let answers = choices.iter().map(outcome).chain(["error -32603 asked again".to_owned()]);
        let answers: String = answers.map(|it| format!("session/request_permission {it}\n")).collect();
        let answers = Answers::parse(&answers)?;
        let mut conversation = Conversation::open(&setup, self.workspace.path(), &json!({}), answers).await?;
        let said = conversation.call(program).await?.text;
        conversation.end().await?;
        Ok(said)
    }

    fn dialect(&self, arguments: &[&str]) -> Result<Output> {
        let mut command = Command::new(self.programs.path("dialect-under-test"));
        command.args(arguments).env("XDG_STATE_HOME", self.state.path()).current_dir(&self.workspace);
        Ok(command.output()?)
    }

    fn says(&self, arguments: &[&str]) -> Result<String> {
        let output = self.dialect(arguments)?;
        ensure!(output.status.success(), "{arguments:?}: {output:?}");
        Ok(String::from_utf8(output.stdout)?)
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.state.path().join("dialect").join(name)
    }
}

async fn what_is_always_allowed_is_so_in_the_next_process_until_it_is_revoked() -> Result<()> {
    let user = User::new()?;
    assert_eq!(user.call(&ALWAYS, "writeNote(`a`, `one`)").await?, r#""wrote 3 bytes""#);
    assert_eq!(user.call(&DENY, "writeNote(`a`, `two`)").await?, r#""wrote 3 bytes""#);
    let listed = user.says(&["grants", "list"])?;
    assert!(listed.contains("notes/Write (paths: notes/**)"), "{listed}");
    let revoked = user.says(&["grants", "revoke", "notes/Write"])?;
    assert!(revoked.starts_with("revoked notes/Write (paths: notes/**) in /"), "{revoked}");
    assert_eq!(user.dialect(&["grants", "revoke", "notes/Write"])?.status.code(), Some(1));
    assert_eq!(user.says(&["grants", "list"])?, "");
    let refused = user.call(&DENY, "writeNote(`a`, `three`)").await?;
    assert!(refused.contains("the user refused writeNote"), "{refused}");
    let actions: Vec<String> = user
        .says(&["audit", "--json"])?
        .lines()
        .map(|line| Ok(serde_json::from_str::<serde_json::Value>(line)?["action"].to_string()))
        .collect::<Result<_>>()?;
    let expected = ["requested", "granted", "used", "used", "revoked", "requested", "denied"];
    assert_eq!(actions, expected.map(|it| format!("{it:?}")));
    Ok(())
}

async fn a_changed_record_is_noticed() -> Result<()> {
    let user = User::new()?;
    assert!(user.says(&["audit", "verify"])?.starts_with("0 entries"));
    user.call(&ONCE, "writeNote(`a`, `one`)").await?;
    assert!(user.says(&["audit", "verify"])?.starts_with("3 entries, unchanged"));
    let used = user.says(&["audit", "--action", "used"])?;
    let expected = r#"used       notes/Write (once) by grant, writeNote, {"name":"a","text":"one"}, in /"#;
    assert!(used.contains(expected) && used.lines().count() == 1, "{used}");
    let path = user.file("audit.jsonl");
    let text = std::fs::read_to_string(&path)?.replace("\"granted\"", "\"denied\"");
    std::fs::write(&path, text)?;
    let broken = user.dialect(&["audit", "verify"])?;
    assert_eq!(broken.status.code(), Some(1));
    let words = String::from_utf8(broken.stderr)?;
    assert!(words.contains("audit.jsonl, line 2: it is not what was written"), "{words}");
    Ok(())
}

async fn lines_of_the_record_that_are_taken_away_are_noticed() -> Result<()> {
    let user = User::new()?;
    user.call(&ONCE, "writeNote(`a`, `one`)").await?;
    let text = std::fs::read_to_string(user.file("audit.jsonl"))?;
    let shorter: String = text.split_inclusive('\n').take(2).collect();
    for (kept, expected) in [(shorter, "the record ends with entry 2"), (String::new(), "ends with entry 0")]
    {
        std::fs::write(user.file("audit.jsonl"), kept)?;
        let broken = user.dialect(&["audit", "verify"])?;
        assert_eq!(broken.status.code(), Some(1));
        let words = String::from_utf8(broken.stderr)?;
        assert!(words.contains("3 entries were written") && words.contains(expected), "{words}");
    }
    std::fs::remove_file(user.file("audit.jsonl"))?;
    assert_eq!(user.dialect(&["audit", "verify"])?.status.code(), Some(1));
    // What follows is recorded, and the gap stays.
    assert_eq!(user.call(&ONCE, "writeNote(`a`, `two`)").await?, r#""wrote 3 bytes""#);
    let broken = String::from_utf8(user.dialect(&["audit", "verify"])?.stderr)?;
    assert!(broken.contains("line 1: it is entry 4, and entry 1 is due"), "{broken}");
    Ok(())
}

async fn a_grant_counts_only_as_the_record_has_it() -> Result<()> {
    let user = User::new()?;
    user.call(&ALWAYS, "writeNote(`a`, `one`)").await?;
    assert!(user.says(&["audit", "verify"])?.starts_with("3 entries, unchanged"));
    let granted = std::fs::read_to_string(user.file("grants.json"))?;

    let wider = granted.replace("\"notes/**\"", "\"**\"");
    assert_ne!(wider, granted);
    std::fs::write(user.file("grants.json"), wider)?;
    let refused = user.call(&DENY, "writeNote(`a`, `two`)").await?;
    assert!(refused.contains("the user refused writeNote"), "{refused}");
    let listed = user.says(&["grants", "list"])?;
    let expected = "notes/Write (paths: **); does not count: entry 2 of the record granted something else";
    assert!(listed.contains(expected), "{listed}");
    let verified = user.dialect(&["audit", "verify"])?;
    assert_eq!(verified.status.code(), Some(1));
    assert!(String::from_utf8(verified.stderr)?.contains("which does not count: entry 2"));

    std::fs::write(user.file("grants.json"), &granted)?;
    assert_eq!(user.call(&DENY, "writeNote(`a`, `two`)").await?, r#""wrote 3 bytes""#);
    user.says(&["grants", "revoke", "notes/Write"])?;
    std::fs::write(user.file("grants.json"), &granted)?;
    let refused = user.call(&DENY, "writeNote(`a`, `three`)").await?;
    assert!(refused.contains("the user refused writeNote"), "what was revoked is put back: {refused}");

    user.says(&["grants", "revoke", "notes/Write"])?;
    user.call(&ALWAYS, "writeNote(`a`, `four`)").await?;
    std::fs::remove_file(user.file("audit.jsonl"))?;
    let refused = user.call(&DENY, "writeNote(`a`, `five`)").await?;
    assert!(refused.contains("the user refused writeNote"), "{refused}");
    Ok(())
}

async fn a_file_of_grants_that_is_damaged_grants_nothing() -> Result<()> {
    let user = User::new()?;
    user.call(&ALWAYS, "writeNote(`a`, `one`)").await?;
    std::fs::write(user.file("grants.json"), "{\"version\": 1")?;
    let refused = user.call(&ONCE, "writeNote(`b`, `two`)").await?;
    assert!(
        refused.contains("grants.json cannot be understood") && refused.contains("repair it"),
        "{refused}"
    );
    assert!(!user.workspace.path().join("notes/b").exists());
    assert_eq!(user.dialect(&["grants", "list"])?.status.code(), Some(1));
    Ok(())
}
