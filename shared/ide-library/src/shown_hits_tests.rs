use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::executor::block_on;
use ide_protocol::{Column, ErrorCode, HitContextResult, IdeError, Line, SearchQuestion, SearchResult};
use serde_json::json;
use unpoisoned::lock;

use super::*;
use crate::Answer;

fn hit(line: usize) -> FileRange {
    let point = |column| Point { line: Line::from_index(line), column: Column::from_index(column) };
    FileRange { text: Some("let user = 1;".into()), ..FileRange::new("src/a.rs", point(4), point(8)) }
}

/// A host that knows the code around hits, and counts the hits of each question.
#[derive(Default)]
struct Knowing {
    asked: Mutex<Vec<(String, usize)>>,
    failures: AtomicUsize,
}

impl Host for Knowing {
    fn send(&self, operation: Operation, question: Value) -> Answer<'_, Value> {
        assert_eq!(operation, Operation::HitContext);
        let HitContextQuestion { path, hits } = serde_json::from_value(question).unwrap();
        lock(&self.asked).push((path, hits.len()));
        if self.failures.load(Ordering::Relaxed) > 0 {
            let error = IdeError::new(ErrorCode::NotReady, "the time was up");
            return std::future::ready(Err(error)).boxed();
        }
        let known = |it| FileRange { role: Some("read".into()), inside: Some("f".into()), ..it };
        let hits = hits.into_iter().map(known).collect();
        let completeness = Completeness::complete(Source("text".into()));
        let result = serde_json::to_value(HitContextResult { completeness, hits }).unwrap();
        std::future::ready(Ok(result)).boxed()
    }
}

fn kept(count: usize) -> (LaterContext, Vec<FileRange>) {
    let (later, hits) = (LaterContext::default(), (0..count).map(hit).collect::<Vec<_>>());
    let completeness = Completeness::complete(Source("text".into()));
    let (total, with_context) = (count as u64, Some(0));
    later.keep(
        &SearchQuestion::new("src", "user"),
        &SearchResult { completeness, total, hits: hits.clone(), with_context },
    );
    (later, hits)
}

#[test]
fn what_an_answer_shows_is_completed() {
    let (later, hits) = kept(3);
    let host = Knowing::default();
    let groups = [("name".to_owned(), "user".to_owned())].into();
    let named = FileRange { groups, ..hits[1].clone() };
    let elsewhere = FileRange { path: "src/b.rs".into(), ..hits[0].clone() };
    let mut value = json!({"a": [hits[0], named, elsewhere], "b": hits[0], "c": "src/a.rs"});
    let notes = block_on(complete_hits(&later, &host, &mut value, <[_]>::len));
    assert_eq!(notes, Some(vec![]));
    assert_eq!(*lock(&host.asked), [("src".to_owned(), 2)]);
    assert_eq!((&value["a"][0]["role"], &value["b"]["in"]), (&json!("read"), &json!("f")));
    assert_eq!(
        (&value["a"][1]["role"], &value["a"][1]["groups"]),
        (&json!("read"), &json!({"name": "user"}))
    );
    assert_eq!(value["a"][2], json!(elsewhere), "it is no hit of the search");
    assert_eq!(block_on(complete_hits(&later, &host, &mut json!(["src/a.rs"]), <[_]>::len)), None);
}

#[test]
fn of_a_list_only_the_shown_start_is_completed() {
    let (later, hits) = kept(500);
    let host = Knowing::default();
    let mut value = json!(hits);
    block_on(complete_hits(&later, &host, &mut value, |_| 20));
    assert_eq!(lock(&host.asked)[0].1, 20);
    assert_eq!(value.as_array().unwrap().iter().filter(|it| it["role"] == "read").count(), 20);
}

#[test]
fn code_around_hits_that_cannot_be_asked_for_is_said() {
    let (later, hits) = kept(2);
    let host = Knowing { failures: 1.into(), ..Knowing::default() };
    let mut value = json!(hits);
    let notes = block_on(complete_hits(&later, &host, &mut value, <[_]>::len)).expect("there are hits");
    assert_eq!(value, json!(hits));
    assert!(notes[0].text.contains("are not known for the hits in 1 file"), "{notes:?}");
}
