use proptest::prelude::*;

use super::*;
use crate::envelope;
use crate::limits::Limits;
use crate::methods::Arguments;

const DESCRIBED: &str =
    r#"{"id":1,"result":{"protocol":"1.0","transport":"json","library":{"name":"probe"}}}"#;

fn echo() -> HostCall {
    HostCall::Function { name: "echo".to_owned(), arguments: Arguments::default() }
}

#[test]
fn a_crash_delays_the_next_life_and_objects_do_not_outlive_theirs() {
    let mut session = Session::new(Settings::default());
    let at = Duration::from_millis;
    session.start(at(0)).unwrap();
    assert_eq!(session.start(at(0)), Err(NotStarted::Running));
    session.receive(DESCRIBED.as_bytes(), at(10));
    assert!(session.check_generation(1).is_ok());
    session.exited("exit status 7", at(1000));
    assert!(session.check_generation(1).is_err());
    assert_eq!(session.start(at(1499)), Err(NotStarted::Wait { until: at(1500) }));
    session.start(at(1500)).unwrap();
    assert_eq!(session.generation(), 2);
    assert!(session.check_generation(1).unwrap_err().to_string().contains("the object is gone"));
    session.exited("exit status 7", at(1600));
    assert_eq!(session.restart_at(), Some(at(2600)), "a start that fails counts as a crash");
}

#[test]
fn who_was_asked_to_end_starts_again_at_once() {
    let mut session = Session::new(Settings::default());
    session.start(Duration::ZERO).unwrap();
    session.receive(DESCRIBED.as_bytes(), Duration::ZERO);
    session.shutdown(Duration::ZERO);
    session.exited("exit status 0", Duration::ZERO);
    assert_eq!(session.end(), Some(&End::Stopped(None)));
    assert_eq!(session.start(Duration::ZERO), Ok(()));
}

#[test]
fn a_stream_that_is_lost_ends_the_life() {
    let limits = Limits { message_bytes: 100, ..Limits::default() };
    let mut session = Session::new(Settings { limits, ..Settings::default() });
    session.start(Duration::ZERO).unwrap();
    session.receive(DESCRIBED.as_bytes(), Duration::ZERO);
    session.call(&echo()).unwrap();
    session.receive(format!("[\n{}", "1,".repeat(100)).as_bytes(), Duration::ZERO);
    let events: Vec<_> = std::iter::from_fn(|| session.next_event()).map(|it| format!("{it:?}")).collect();
    assert!(
        events.iter().any(|it| it.contains("Closed(\"a message of the peer is longer than 100 bytes\")"))
    );
    assert!(events.iter().any(|it| it == "CloseInput"), "{events:?}");
}

/// Something that happens to a session.
#[derive(Clone, Debug)]
enum Happening {
    Start,
    Line(String),
    Call,
    Shutdown,
    Tick(u64),
    OutputEnded,
    Exited,
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        2 => Just(Happening::Start),
        2 => Just(Happening::Line(DESCRIBED.to_owned())),
        2 => r#"\{"id":[1-4],("result":null|"error":"no")\}|oops"#.prop_map(Happening::Line),
        3 => Just(Happening::Call),
        1 => Just(Happening::Shutdown),
        2 => (0_u64..20_000).prop_map(Happening::Tick),
        1 => Just(Happening::OutputEnded),
        1 => Just(Happening::Exited),
    ]
}

proptest! {
    #[test]
    fn every_life_ends_once_and_every_call_is_answered(happenings in prop::collection::vec(happening(), 0..40)) {
        let mut session = Session::new(Settings::default());
        let (mut now, mut lives, mut ends, mut calls, mut answers) = (Duration::ZERO, 0, 0, 0, 0);
        for happening in happenings.into_iter().chain([Happening::Exited]) {
            match happening {
                Happening::Start => lives += u32::from(session.start(now).is_ok()),
                Happening::Line(line) => session.receive(format!("{line}\n").as_bytes(), now),
                Happening::Call => calls += u32::from(session.call(&echo()).is_ok()),
                Happening::Shutdown => session.shutdown(now),
                Happening::Tick(more) => {
                    now += Duration::from_millis(more);
                    session.tick(now);
                    prop_assert!(session.deadline().is_none_or(|it| it > now));
                }
                Happening::OutputEnded => session.output_ended(now),
                Happening::Exited => session.exited("exit status 1", now),
            }
            while let Some(event) = session.next_event() {
                ends += u32::from(matches!(event, SessionEvent::Ended(_)));
                answers += u32::from(matches!(event, SessionEvent::Connection(HostEvent::Answer { .. })));
            }
            for line in String::from_utf8(session.take_output()).unwrap().lines() {
                let is_request = matches!(envelope::read(line), envelope::Content::Single(envelope::Message::Request { .. }));
                prop_assert!(is_request, "{}", line);
            }
        }
        prop_assert_eq!(lives, ends);
        prop_assert_eq!(calls, answers);
    }
}
