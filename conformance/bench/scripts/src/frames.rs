//! A runtime that speaks our protocol, and its program.

use std::io::{Read, Write};
use std::process::Child;

use script_protocol::{Answered, CallOutcome, Decoder, FromRuntime, Limits, Start, Stub, ToRuntime, encode};
use serde_json::Value;
use serde_json::value::RawValue;

/// Fifty calls, each of which needs the answer to the one before.
const PROGRAM: &str =
    "(async () => { let n = 0; for (let i = 0; i < 50; i++) n = await test.next(n); return n })";

/// The value of the program.
pub(crate) const EXPECTED: &str = "50";

pub(crate) fn run(child: &mut Child) {
    let mut frames = Frames::default();
    frames.ready(child);
    frames.run(child);
}

#[derive(Default)]
pub(crate) struct Frames(Decoder);

impl Frames {
    pub(crate) fn ready(&mut self, child: &mut Child) {
        assert!(matches!(self.next(child), FromRuntime::Ready { .. }));
    }

    pub(crate) fn run(&mut self, child: &mut Child) {
        let parameters = vec!["value".to_owned()];
        let stub = Stub { namespace: "test".into(), name: "next".into(), parameters, ..Stub::default() };
        let limits = Limits { cpu_ms: 2_000, memory: 64 << 20, stack: 768 * 1024, output: 5_000_000 };
        send(
            child,
            &ToRuntime::Start(Box::new(Start {
                code: PROGRAM.into(),
                name: "program.ts".into(),
                functions: vec![stub],
                arguments: script_protocol::Exact::new("null".to_owned()),
                now: 0.0,
                seed: 1,
                limits,
            })),
        );
        loop {
            match self.next(child) {
                FromRuntime::Call(call) => {
                    let script_protocol::CallTarget::Function { positional, .. } = call.target else {
                        panic!("it calls functions alone")
                    };
                    let [given]: [u64; 1] = serde_json::from_str(positional.get()).expect("it is a number");
                    let value = RawValue::from_string((given + 1).to_string()).expect("it is JSON");
                    let outcome = CallOutcome::Success { value, mark: None, notes: Vec::new() };
                    send(child, &ToRuntime::Answered(Answered { call: call.call, outcome }));
                }
                FromRuntime::Done(done) => {
                    return assert_eq!(done.value.expect("it returns one").get(), EXPECTED);
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn next(&mut self, child: &mut Child) -> FromRuntime {
        let mut chunk = [0; 65536];
        loop {
            if let Some(frame) = self.0.decode().expect("it is a frame") {
                return frame;
            }
            let count = child.stdout.as_mut().expect("it is a pipe").read(&mut chunk).expect("it is open");
            assert!(count > 0, "it ended");
            self.0.push(&chunk[..count]);
        }
    }
}

fn send(child: &mut Child, frame: &ToRuntime) {
    let bytes = encode(frame).expect("it is short");
    child.stdin.as_mut().expect("it is a pipe").write_all(&bytes).expect("it reads");
}
