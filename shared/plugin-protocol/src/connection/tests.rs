use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::methods::{Arguments, HostCall};
use crate::value::Value;

fn call(host: &mut Host, callback: &str) -> CallId {
    let arguments = Arguments { args: vec![Value::Callback(callback.to_owned())], ..Arguments::default() };
    host.call(&HostCall::Function { name: "echo".to_owned(), arguments }).unwrap()
}

/// A line that a plugin might write: messages, messages that are odd, and anything else.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        r#"\{"id":[0-5],"result":(null|\{\}|\{"type":"int","value":[0-9]\}|7)\}"#,
        r#"\{"id":(null|"x"|[0-5](\.0)?),"error":(null|"bad"|\{\}|\{"code":-1,"message":"m"\})\}"#,
        r#"\{"id":[0-9],"method":("callback.call"|"host.log"|"nope"|5),"params":(null|\{"id":"cb-[0-3]"\}|\[\])\}"#,
        r#"\[\{"id":[0-5]\},\{"id":[0-9],"method":"callback.call","params":\{"id":"cb-1"\}\},3\]"#,
        r#"[\[{]("id"|:|,|[0-5]|\}|\]|"method"|\n){0,9}"#,
        "\\PC{0,20}",
    ]
}

/// Plays lines to a host with three pending calls. Returns all events in short, and the lines of the output
/// in any order.
fn play(bytes: &[u8], cuts: &[usize]) -> (Vec<String>, Vec<String>) {
    let mut host = Host::new(Limits { message_bytes: 120, depth: 9, bad_lines: 20 });
    for callback in ["cb-1", "cb-2", "cb-3"] {
        call(&mut host, callback);
    }
    host.take_output();
    let mut from = 0;
    for to in cuts.iter().map(|it| *it.min(&bytes.len())).chain([bytes.len()]) {
        host.receive(&bytes[from.min(to)..to]);
        from = to.max(from);
    }
    host.end("over");
    let events = std::iter::from_fn(|| host.next_event()).map(|it| format!("{it:?}")).collect();
    let output = String::from_utf8(host.take_output()).unwrap();
    let mut output: Vec<_> = output.lines().map(ToOwned::to_owned).collect();
    output.sort();
    (events, output)
}

proptest! {
    #[test]
    fn every_call_is_answered_once_and_chunks_do_not_matter(
        lines in prop::collection::vec(line(), 0..12), mut cuts in prop::collection::vec(0_usize..400, 0..4),
    ) {
        let text = lines.join("\n");
        cuts.sort_unstable();
        let (events, output) = play(text.as_bytes(), &[]);
        prop_assert_eq!(&play(text.as_bytes(), &cuts), &(events.clone(), output.clone()));
        for id in 1..=3 {
            let answers = events.iter().filter(|it| it.starts_with(&format!("Answer {{ call: CallId({id}),"))).count();
            prop_assert_eq!(answers, 1, "{}: {:?}", text, events);
        }
        prop_assert!(events.last().is_some_and(|it| it.starts_with("Closed")), "{:?}", events);
        for line in &output {
            prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{}", line);
        }
    }

    #[test]
    fn requests_are_answered_once_each(
        ids in prop::collection::vec(0_u8..4, 1..12), order in any::<prop::sample::Index>(), batch in any::<bool>(),
    ) {
        let mut host = Host::new(Limits::default());
        call(&mut host, "cb-1");
        host.take_output();
        let requests: Vec<_> = ids
            .iter()
            .map(|id| format!(r#"{{"id":{id},"method":"callback.call","params":{{"id":"cb-1"}}}}"#))
            .collect();
        let text = if batch { format!("[{}]", requests.join(",")) } else { requests.join("\n") };
        host.receive(text.as_bytes());
        let mut tickets: Vec<_> = std::iter::from_fn(|| host.next_event())
            .filter_map(|it| match it {
                HostEvent::Callback { ticket, .. } => ticket,
                _ => None,
            })
            .collect();
        tickets.rotate_left(order.index(ids.len()));
        for ticket in tickets.iter().chain(&tickets) {
            host.answer_callback(*ticket, Ok(&Value::Null));
        }
        let output = String::from_utf8(host.take_output()).unwrap();
        let answers: Vec<serde_json::Value> = if batch {
            serde_json::from_str(&output).unwrap()
        } else {
            output.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
        };
        let mut counts: BTreeMap<u64, i64> = BTreeMap::new();
        ids.iter().for_each(|it| *counts.entry(u64::from(*it)).or_default() += 1);
        answers.iter().for_each(|it| *counts.entry(it["id"].as_u64().unwrap()).or_default() -= 1);
        prop_assert!(counts.values().all(|it| *it == 0), "{}", output);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        play(&bytes, &[7, 90]);
        let mut plugin = Plugin::new(Limits::default());
        plugin.receive(&bytes);
        plugin.end("over");
    }
}
