//! The frames between the host of a TypeScript program and the process that runs it.
//!
//! A frame is its length in bytes, as four bytes with the lowest first, and then so many bytes of JSON. The runtime
//! says [`FromRuntime::Ready`]; the host sends one [`ToRuntime::Start`]; then calls go one way and their answers the
//! other, in any order, until the runtime says [`FromRuntime::Done`] or [`FromRuntime::Failed`]. While a call is open, the
//! host may call the functions among its arguments: [`ToRuntime::Callback`].

#![warn(missing_docs)]

mod digits;
mod frame;
mod mark;

pub use digits::{Exact, too_long};
pub use frame::{Decoder, MAX_FRAME, TooLong, encode};
pub use mark::Marked;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What programs find beside JavaScript's own library: a function of the host's functions and options, JavaScript.
pub const PRELUDE: &str = concat!(
    "(function (host, { functions, arguments: given, now, seed, name: program, isExternal = false, ended = () => {} }) {\n",
    include_str!("prelude/engine.js"),
    include_str!("prelude/inspect.js"),
    include_str!("prelude/locale.js"),
    include_str!("prelude/web.js"),
    include_str!("prelude/calls.js"),
    include_str!("prelude/modules.js"),
    include_str!("prelude/run.js"),
    "})\n",
);

/// Returns the program of an external runtime (Node.js or Deno) that reads frames from its standard input, and
/// writes frames to its standard output.
pub fn external() -> String {
    include_str!("external.mjs").replace("const prelude = $PRELUDE", &format!("const prelude = {PRELUDE}"))
}

/// A frame from the host.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToRuntime {
    /// Starts the program; the first frame, and sent once.
    Start(Box<Start>),
    /// Answers a call.
    Answered(Answered),
    /// Calls a function among the arguments of a call that has no answer yet.
    Callback(Callback),
}

/// A call of a function of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// The program's call that the function is an argument of.
    pub call: u64,
    /// A number that no other callback of the program has.
    pub callback: u64,
    /// The number of the function.
    pub function: u64,
    /// The arguments, a list.
    pub arguments: Exact,
}

/// The outcome of a call of a function of the program.
#[derive(Debug, Serialize, Deserialize)]
pub struct Returned {
    /// The program's call that the function is an argument of.
    pub call: u64,
    /// The number of the callback.
    pub callback: u64,
    /// The value, or the error's text.
    pub outcome: Result<ReturnedValue, String>,
}

/// The value of a function of the program.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReturnedValue {
    /// The value.
    pub value: Box<RawValue>,
    /// The mark of objects in it: see [`Marked`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// A program, and what it may use.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// JavaScript: an expression whose value is an async function without parameters.
    pub code: String,
    /// The name of the program in stack traces.
    pub name: String,
    /// The functions that it can call.
    pub functions: Vec<Stub>,
    /// The value of the global `args`.
    pub arguments: Exact,
    /// The time that its clock shows, in milliseconds since the start of 1970.
    pub now: f64,
    /// The seed of its random numbers.
    pub seed: u32,
    /// The limits of the process.
    pub limits: Limits,
}

/// A function of the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stub {
    /// The object that it is in: `ide`.
    pub namespace: String,
    /// Its name there: `findReferences`, or `CounterRef.inc` for one that is in an object there.
    pub name: String,
    /// The names of its parameters, in order.
    pub parameters: Vec<String>,
    /// True if arguments may be functions of the program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_functions: bool,
    /// True if it takes more arguments than the parameters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
    /// The type of the object that it is a member of, and that is its first argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// True for a property of that object, which is read without arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_property: bool,
}

/// The limits of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// The maximum computing time, in milliseconds. Waiting for calls does not count.
    pub cpu_ms: u64,
    /// The maximum memory of the engine, in bytes.
    pub memory: usize,
    /// The maximum stack of the engine, in bytes.
    pub stack: usize,
    /// The maximum of printed bytes that are sent; the rest is counted.
    pub output: usize,
}

/// The answer to one call.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answered {
    /// The number of the call.
    pub call: u64,
    /// Its outcome.
    pub outcome: CallOutcome,
}

/// The outcome of one call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallOutcome {
    /// A value, and the notes that belong to it.
    Success {
        /// The value, as in [`Exact`].
        value: Box<RawValue>,
        /// The mark of its large integers and objects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<String>,
        /// What has to be known about the value: that it is not complete, for instance.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    },
    /// A failure or an ambiguity, which a program sees as an exception.
    Error(CallError),
}

/// A call that has no value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallError {
    /// The function: `ide.findReferences`.
    pub operation: String,
    /// The kind of error.
    pub kind: ErrorKind,
    /// The reason, with the remedy where there is one.
    pub message: String,
    /// The readings of an ambiguous call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
}

/// One reading of an ambiguous call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What it means.
    pub description: String,
    /// The Dialect program that means this alone.
    pub program: String,
}

/// The kinds of errors of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ErrorKind {
    /// The function failed.
    #[default]
    Failure,
    /// The call has several readings.
    Ambiguous,
    /// A permission was refused.
    Denied,
    /// The arguments do not fit.
    Invalid,
    /// A limit of the program was reached.
    Limit,
    /// The program was stopped.
    Cancelled,
}

/// A frame from the runtime.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FromRuntime {
    /// The process can take a program.
    Ready {
        /// The reason why the operating system does not confine it; absent if it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unconfined: Option<String>,
    },
    /// Calls a function of the host.
    Call(Call),
    /// Printed text.
    Log(Log),
    /// The program ended.
    Done(Done),
    /// The program stopped with an error. Calls that were not answered are dropped.
    Failed(Failed),
    /// Answers a callback.
    Returned(Returned),
}

/// A call of a function of the host.
#[derive(Debug, Serialize, Deserialize)]
pub struct Call {
    /// A number that no other call of the program has.
    pub call: u64,
    /// What is called.
    pub target: CallTarget,
    /// The place of the call in the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What a call is for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CallTarget {
    /// A function, with its arguments.
    Function {
        /// The object that it is in.
        namespace: String,
        /// Its name.
        name: String,
        /// The arguments without names, a list.
        positional: Box<RawValue>,
        /// The arguments with names, an object.
        named: Box<RawValue>,
        /// The mark of functions and objects among the arguments: see [`Marked`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<String>,
    },
    /// One reading of an earlier call that was ambiguous.
    Candidate {
        /// The earlier call.
        of: u64,
        /// The index among its candidates.
        index: usize,
    },
}

/// A place in a program; line and column count from 1, columns in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Printed text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// True for `console.error` and `console.warn`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// The text, without its line break.
    pub text: String,
}

/// The end of a program.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// Its value; absent for `undefined`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// The places of calls whose outcome nobody waited for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unawaited: Vec<Place>,
    /// The printed bytes that were not sent.
    #[serde(default)]
    pub dropped: u64,
    /// The computing time, in milliseconds.
    #[serde(default)]
    pub cpu_ms: u64,
}

/// The error that stopped a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failed {
    /// What stopped it.
    pub reason: FailedReason,
    /// The name of the error: `TypeError`; empty where a limit stopped the program.
    #[serde(default)]
    pub name: String,
    /// The message.
    pub message: String,
    /// The places in the program that led there, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrame>,
    /// The number of the call whose error nobody caught.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The printed bytes that were not sent.
    #[serde(default)]
    pub dropped: u64,
    /// The computing time, in milliseconds.
    #[serde(default)]
    pub cpu_ms: u64,
}

/// What stopped a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FailedReason {
    /// An exception that nobody caught.
    #[default]
    Exception,
    /// A rejected promise that nobody handled.
    Rejection,
    /// The computing time.
    Cpu,
    /// The memory.
    Memory,
    /// A promise that nothing can settle.
    Deadlock,
}

/// A function on the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackFrame {
    /// Its name; empty for the program itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    /// The place.
    #[serde(flatten)]
    pub place: Place,
}
