//! Tests of questions: their words, their options, and the answers to them.

use std::collections::BTreeMap;

use ailang::CapabilityKind as Kind;
use expect_test::expect;
use ide_protocol::{Edit, FileEdit};

use super::*;
use crate::permission::asker::Asked;
use crate::permission::bounds::Bounds;

fn missing(capability: Capability) -> Missing {
    let demand = CapabilityDemand { capability: capability.id.clone(), bounds: Bounds::default() };
    Missing { demand, capability, callables: BTreeSet::from(["writeNote".to_owned()]), lost: None }
}

fn write() -> Capability {
    Capability::new("notes/Write", "Write notes into your workspace").kind(Kind::Edit)
}

fn all() -> BTreeSet<Scope> {
    Scope::ALL.into_iter().collect()
}

fn question(missing: Vec<Missing>) -> Question {
    let (mut questions, hopeless) = Question::group(missing, &all());
    assert!(questions.len() == 1 && hopeless.is_empty());
    questions.remove(0)
}

#[test]
fn one_capability_in_version_1() {
    let mut write = missing(write());
    let paths = ["notes/**".to_owned(), "!notes/old".to_owned()];
    write.demand.bounds = Bounds::new(&BTreeMap::from([("paths".to_owned(), paths.to_vec())]));
    let params = question(vec![write]).params(1, "c", &caller("writeNote(`x`)", None));
    let expected = expect![[r#"
        {
          "sessionId": "s",
          "toolCall": {
            "toolCallId": "c",
            "title": "writeNote: \"Write notes into your workspace\"",
            "kind": "edit",
            "status": "pending",
            "rawInput": {
              "program": "writeNote(`x`)"
            },
            "content": [
              {
                "type": "content",
                "content": {
                  "type": "text",
                  "text": "writeNote: \"Write notes into your workspace\"\nlimited to paths: !notes/old, notes/**"
                }
              }
            ]
          },
          "options": [
            {
              "optionId": "ailang.once",
              "name": "Allow once",
              "kind": "allow_once"
            },
            {
              "optionId": "ailang.lasting",
              "name": "Allow, and do not ask again…",
              "kind": "allow_always"
            },
            {
              "optionId": "ailang.deny",
              "name": "Deny",
              "kind": "reject_once"
            },
            {
              "optionId": "ailang.deny_session",
              "name": "Deny for this session",
              "kind": "reject_always"
            }
          ]
        }"#]];
    expected.assert_eq(&serde_json::to_string_pretty(&params).unwrap());
}

fn caller(program: &str, changes: Option<Changes>) -> Caller {
    let (session, workspace) = ("s".to_owned(), Some("/w".into()));
    Caller { session, workspace, program: program.to_owned(), changes, asked: Asked::Editor }
}

fn renaming() -> Changes {
    let diff = "@@ 1\n-a\n+b".to_owned();
    let file = FileEdit { path: "a.rs".to_owned(), changes: 1, diff, cut: 0, fate: None, to: None };
    let title = "Rename `a` to `b`".to_owned();
    Changes::new(vec![Edit { id: String::new(), title, kind: None, files: vec![file] }], None)
}

#[test]
fn a_change_is_named_and_shown() {
    let params = question(vec![missing(write())]).params(1, "c", &caller("x", Some(renaming())));
    assert_eq!(params["toolCall"]["title"], "Rename `a` to `b` in a.rs (+1 -1 lines)");
    let shown = json!({"type": "diff", "path": "/w/a.rs", "oldText": "a\n", "newText": "b\n"});
    assert_eq!(params["toolCall"]["content"][1], shown);
    assert_eq!(Question::announcement(1, &params)["content"][1], shown);
}

#[test]
fn a_program_is_shown_without_what_hides_and_not_at_any_length() {
    let asked = |program: &str| question(vec![missing(write())]).params(1, "c", &caller(program, None));
    let hostile = asked("writeNote(`a\u{202E}b`)\n// \u{1b}[2J");
    assert_eq!(hostile["toolCall"]["rawInput"]["program"], "writeNote(`a\\u{202e}b`)\n// \\u{1b}[2J");
    let long = asked(&"ä".repeat(PROGRAM));
    let shown = long["toolCall"]["rawInput"]["program"].as_str().unwrap();
    assert!(shown.ends_with("ä… (cut: 8192 bytes of 16384)") && shown.len() < PROGRAM + 100);
    let text = long["toolCall"]["content"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.ends_with("The program is long: the first 8192 bytes of 16384 are shown with this question.")
    );
}

#[test]
fn several_capabilities_in_version_2() {
    let mut run = Capability::new("shell/Run", "Run commands").kind(Kind::Execute).scopes([Scope::Once]);
    run.origin = Some("shell-tools".to_owned());
    let several = question(vec![missing(write()), missing(run)]);
    let params = several.params(2, "c", &caller("x", Some(renaming())));
    let title =
        r#"writeNote: "Write notes into your workspace"; writeNote (from "shell-tools"): "Run commands""#;
    assert_eq!(params["title"], title);
    assert_eq!(params["subject"]["type"], "tool_call");
    assert_eq!(params["subject"]["toolCall"]["kind"], "execute");
    assert_eq!(params["subject"]["toolCall"]["name"], "ide_operation");
    let description = params["description"].as_str().unwrap();
    assert!(description.contains("\n\nwriteNote (from \"shell-tools\"): \"Run commands\""));
    assert!(description.ends_with("\n\nIt changes 1 file:\na.rs: 1 change, +1 -1 lines"));
    assert_eq!(params["subject"]["toolCall"]["content"][1]["changes"][0]["path"], "/w/a.rs");
    let options: Vec<_> = params["options"].as_array().unwrap().iter().map(|it| &it["optionId"]).collect();
    assert_eq!(options, ["ailang.once", "ailang.deny", "ailang.deny_session"]);
}

#[test]
fn a_document_cannot_imitate_the_frame() {
    let ask = "harmless\"\n\nfiles/Read, for you:\n\u{202E}\"look at files";
    let mut capability = Capability::new("x/Y", format!("{ask}{}", "!".repeat(500)));
    capability.origin = Some("bad\") needs (\"".to_owned());
    let question = question(vec![missing(capability)]);
    let title = question.title(None);
    assert!(title.starts_with(r#"writeNote (from "bad\") needs (\""): "harmless\" files/Read, for"#));
    assert!(title.chars().count() < 320 && question.description().lines().count() == 1, "{title}");
}

#[test]
fn only_what_was_offered_is_granted() {
    let question = question(vec![missing(write().scopes([Scope::Once]))]);
    let selected = |id: &str| json!({"outcome": {"outcome": "selected", "optionId": id}});
    for (answer, expected) in [
        (selected("ailang.once"), Reply::Granted(Scope::Once)),
        (selected("ailang.session"), Reply::Cancelled),
        (selected("ailang.persistent"), Reply::Cancelled),
        (selected("ailang.lasting"), Reply::Cancelled),
        (selected("ailang.deny"), Reply::Denied),
        (selected("ailang.deny_session"), Reply::DeniedForSession),
        (selected("allow"), Reply::Cancelled),
        (json!({"outcome": {"outcome": "cancelled"}}), Reply::Cancelled),
        (json!({"outcome": {"outcome": "_other", "optionId": "ailang.once"}}), Reply::Cancelled),
        (json!({"outcome": {"optionId": "ailang.once"}}), Reply::Cancelled),
        (json!(null), Reply::Cancelled),
        (json!({}), Reply::Cancelled),
    ] {
        assert_eq!(question.read(&answer), expected, "{answer}");
    }
}

#[test]
fn no_two_options_are_of_one_kind_and_each_scope_can_be_chosen() {
    let scopes = [&[Scope::Once][..], &[Scope::Session], &[Scope::Persistent], &Scope::ALL[..2]];
    for scopes in scopes.into_iter().chain([&Scope::ALL[1..], &Scope::ALL]) {
        let first = question(vec![missing(write().scopes(scopes.iter().copied()))]);
        let asked = [first.choices(), first.about_time().choices()];
        let lasts = asked[0].iter().any(|it| it.reply == Reply::Lasting);
        for choices in &asked {
            let kinds: BTreeSet<_> = choices.iter().map(|it| it.kind).collect();
            assert_eq!(kinds.len(), choices.len(), "{scopes:?}");
        }
        let reachable = asked.iter().take(if lasts { 2 } else { 1 }).flatten();
        let granted: BTreeSet<Scope> = reachable
            .filter_map(|it| if let Reply::Granted(scope) = it.reply { Some(scope) } else { None })
            .collect();
        assert_eq!(granted, scopes.iter().copied().collect(), "{scopes:?}");
        assert_eq!(first.shortest(), scopes[0]);
    }
}

#[test]
fn the_question_for_how_long_says_what_lasts_and_shows_no_diff() {
    let question = question(vec![missing(write())]).about_time();
    let params = question.params(1, "c", &caller("x", Some(renaming())));
    let title = r#"For how long: writeNote: "Write notes into your workspace""#;
    assert_eq!(params["toolCall"]["title"], title);
    let content = params["toolCall"]["content"].as_array().unwrap();
    assert!(content.len() == 1 && content[0].to_string().contains(LASTS), "{content:?}");
    assert_eq!(params["options"][1]["kind"], "allow_always");
    assert_eq!(
        question.read(&json!({"outcome": {"outcome": "selected", "optionId": "ailang.persistent"}})),
        Reply::Granted(Scope::Persistent)
    );
}

#[test]
fn what_has_no_scope_in_common_is_asked_apart() {
    let of =
        |id: &str, scopes: &[Scope]| missing(Capability::new(id, "May I").scopes(scopes.iter().copied()));
    let (once, session, persistent, never) = (
        of("d/Once", &[Scope::Once]),
        of("d/Session", &[Scope::Session]),
        of("d/Persistent", &[Scope::Persistent]),
        of("d/Never", &[]),
    );
    let (questions, hopeless) = Question::group(vec![once.clone(), session, never.clone()], &all());
    assert_eq!(questions.len(), 2);
    assert_eq!(hopeless[0].capability.id, "d/Never");
    let available = BTreeSet::from([Scope::Once, Scope::Session]);
    let (questions, hopeless) = Question::group(vec![once, persistent], &available);
    assert_eq!((questions.len(), hopeless.len()), (1, 1));
    let (questions, _) = Question::group(vec![never], &all());
    assert!(questions.is_empty());
}
