//! Tests of files that were changed by hand.

use serde_json::Value;
use tempfile::TempDir;

use super::*;
use crate::audit::{By, Event};
use crate::permission::bounds::Bounds;

const WORKSPACE: &str = "/w";

struct User {
    _folder: TempDir,
    state: State,
}

impl User {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let state = State::at(folder.path().join("state"));
        Self { _folder: folder, state }
    }

    fn record(&self, capability: &str, action: Action) -> crate::audit::Written {
        let bounds = bounds();
        let event = Event {
            session: None,
            workspace: Some(WORKSPACE.to_owned()),
            capability: capability.to_owned(),
            params: json!(bounds),
            action,
            tool: None,
            document: None,
            document_hash: Some("f".to_owned()),
            scope: Some("persistent".to_owned()),
            by: By::User,
            arguments: Some(json!({"text": "\"action\":\"revoked\"\n{\"seq\":2,"})),
            reason: None,
            measured: None,
        };
        Log::new(self.state.clone()).append(vec![event]).unwrap().remove(0)
    }

    fn grant(&self, capability: &str) {
        let written = self.record(capability, Action::Granted);
        let grant = Grant {
            capability: capability.to_owned(),
            bounds: bounds(),
            fingerprint: "f".to_owned(),
            granted_at: written.ts,
            entry: Some(written.seal),
        };
        Store::new(self.state.clone()).add(Path::new(WORKSPACE), vec![grant]).unwrap();
    }

    /// Describes the grants that count, and why the others do not.
    fn describe(&self) -> String {
        let all = ConfirmedGrants::all(&self.state).unwrap();
        let each = all.values().flat_map(|it| {
            let counting = it.grants.iter().map(|it| format!("{} counts", it.capability));
            counting.chain(it.others.iter().map(|(it, why)| format!("{}: {why}", it.capability)))
        });
        each.collect::<Vec<_>>().join("; ")
    }

    fn edit(&self, name: &str, edit: impl FnOnce(String) -> String) {
        let path = self.state.file(name);
        let text = edit(std::fs::read_to_string(&path).unwrap());
        std::fs::write(path, text).unwrap();
    }

    fn edit_grant(&self, edit: impl FnOnce(&mut Value)) {
        self.edit("grants.json", |text| {
            let mut all: Value = serde_json::from_str(&text).unwrap();
            edit(&mut all["workspaces"]);
            all.to_string()
        });
    }
}

fn bounds() -> Bounds {
    Bounds::new(&BTreeMap::from([("paths".to_owned(), vec!["src/**".to_owned()])]))
}

#[test]
fn a_grant_counts_with_its_entry() {
    let user = User::new();
    user.grant("d/A");
    user.record("d/A", Action::Used);
    user.grant("d/B");
    assert_eq!(user.describe(), "d/A counts; d/B counts");
    user.record("d/A", Action::Revoked);
    assert_eq!(user.describe(), "d/B counts; d/A: entry 4 of the record revoked it");
    user.grant("d/A");
    assert_eq!(user.describe(), "d/B counts; d/A counts");
}

#[test]
fn a_grant_that_was_changed_does_not_count() {
    type Edit = fn(&mut Value);
    let edits: [Edit; 6] = [
        |all| all[WORKSPACE][0]["bounds"] = json!({}),
        |all| all[WORKSPACE][0]["bounds"] = json!({"paths": [["**"]]}),
        |all| all[WORKSPACE][0]["capability"] = "d/B".into(),
        |all| all[WORKSPACE][0]["fingerprint"] = "g".into(),
        |all| all[WORKSPACE][0]["grantedAt"] = 7.into(),
        |all| {
            let grants = all[WORKSPACE].take();
            *all = json!({ "/other": grants });
        },
    ];
    for edit in edits {
        let user = User::new();
        user.grant("d/A");
        user.edit_grant(edit);
        assert!(
            user.describe().ends_with(": entry 1 of the record granted something else"),
            "{}",
            user.describe()
        );
    }
    let user = User::new();
    user.grant("d/A");
    user.edit_grant(|all| drop(all[WORKSPACE][0].as_object_mut().unwrap().remove("entry")));
    assert_eq!(user.describe(), "d/A: it names no entry of the record");
    user.edit_grant(|all| all[WORKSPACE][0]["entry"] = json!({"seq": 9, "hash": "x"}));
    assert_eq!(
        user.describe(),
        "d/A: entry 9 of the record, which granted it, is not there as it was written"
    );
}

#[test]
fn a_grant_does_not_count_without_its_entry() {
    let missing = "d/A: entry 1 of the record, which granted it, is not there as it was written";
    for remove in ["audit.jsonl", "audit.head.json"] {
        let user = User::new();
        user.grant("d/A");
        user.record("d/B", Action::Used);
        std::fs::remove_file(user.state.file(remove)).unwrap();
        assert_eq!(user.describe(), missing, "{remove}");
    }
    // A line replaced by another one with a valid hash.
    let user = User::new();
    user.record("d/B", Action::Granted);
    let forged = std::fs::read(user.state.file("audit.jsonl")).unwrap();
    let other = User::new();
    other.grant("d/A");
    other.record("d/B", Action::Used);
    other.edit("audit.jsonl", |text| String::from_utf8(forged).unwrap() + text.split_once('\n').unwrap().1);
    assert_eq!(other.describe(), missing);
    // A line behind the end that `audit.head.json` keeps.
    let user = User::new();
    user.record("d/B", Action::Used);
    let head = std::fs::read(user.state.file("audit.head.json")).unwrap();
    user.grant("d/A");
    std::fs::write(user.state.file("audit.head.json"), head).unwrap();
    assert_eq!(user.describe(), missing.replace("entry 1", "entry 2"));
}
