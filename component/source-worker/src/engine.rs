//! The interpreter, with the source of a plugin in it.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::Sender;
use std::time::Duration;

use monty::{MontyRepl, ReplProgress, ReplStartError};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, NameLookupResult, PrintWriter,
    ResourceLimits, ResourceTracker,
};
use plugin_protocol::Value;
use plugin_protocol::methods::Arguments;
use plugin_protocol::source::Module;

use crate::module::{Part, is_name, parts};
use crate::print::Printed;
use crate::values::{self, given, named, read};

/// The functions around the source.
const PRELUDE: &str = include_str!("prelude.py");

/// The function that the source calls to reach the host.
const ASK: &str = "_dialect_host";

/// The bounds of the source of one plugin.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The computing time of one call, and of loading an entry. Waiting for the plugin does not count.
    pub computing: Duration,
    /// The memory, in bytes.
    pub memory: usize,
    /// The calls of the plugin that one call makes.
    pub asks: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { computing: Duration::from_secs(10), memory: 256 * 1024 * 1024, asks: 10_000 }
    }
}

/// The start of the words about a limit that stopped the source.
const STOPPED: &str = "stopped: ";

/// The method that ends an object.
const END: &str = "__del__";

/// The plugin, as far as the source reaches it.
pub(crate) trait Host {
    /// Calls the plugin. The arguments are those of the prelude's `_dialect_host`.
    fn ask(&mut self, arguments: Vec<Value>) -> Result<Value, String>;

    /// Records what the source printed.
    fn log(&mut self, text: &str);
}

/// A call of the source.
pub(crate) enum Call {
    /// A function, or the class of a new object.
    Function(String),
    /// A method or a property of an object.
    Method { object: String, name: String },
}

impl Call {
    /// Returns the name of the function, class or member.
    fn function(&self) -> &str {
        match self {
            Self::Function(name) | Self::Method { name, .. } => name,
        }
    }
}

/// The interpreter.
pub(crate) struct Engine {
    module: Module,
    bounds: Bounds,
    /// Hears when the interpreter begins and stops computing.
    computes: Sender<bool>,
    /// The state after the source was loaded; `None` before.
    loaded: Option<Loaded>,
    is_used_up: bool,
}

struct Loaded {
    repl: MontyRepl,
    /// The entries of the source, by the names that the interpreter gives their texts.
    entries: HashMap<String, String>,
    /// The entries that do not load, each with the reason.
    broken: BTreeMap<String, String>,
}

/// The end of some code: its value, or the exception.
type Ended = Result<MontyObject, MontyException>;

impl Engine {
    pub(crate) fn new(module: Module, bounds: Bounds, computes: Sender<bool>) -> Self {
        Self { module, bounds, computes, loaded: None, is_used_up: false }
    }

    /// Returns whether the memory was used up. The process has to end then: what filled it is still there.
    pub(crate) fn is_used_up(&self) -> bool {
        self.is_used_up
    }

    /// Makes a call. The source is loaded before the first one.
    ///
    /// # Errors
    /// The text of the exception, with its place in the source.
    pub(crate) fn run(
        &mut self,
        call: &Call,
        arguments: &Arguments,
        host: &mut impl Host,
    ) -> Result<Value, String> {
        let code = code(call)?;
        let loaded = self.loaded.take();
        let Loaded { repl, entries, broken } = match loaded {
            Some(loaded) => loaded,
            None => self.load(host)?,
        };
        if let Call::Function(name) = call
            && let Some(why) = broken.get(name).cloned()
        {
            self.loaded = Some(Loaded { repl, entries, broken });
            return Err(format!("it does not load: {why}"));
        }
        let object = match call {
            Call::Function(_) => MontyObject::None,
            Call::Method { object, .. } => MontyObject::String(object.clone()),
        };
        let inputs = vec![
            ("_dialect_args".to_owned(), given(&arguments.args)),
            ("_dialect_kwargs".to_owned(), named(&arguments.kwargs)),
            ("_dialect_self".to_owned(), object),
        ];
        let (repl, ended) = self.feed(repl, &code, inputs, host);
        let outcome = match ended {
            Ok(value) => read(&value),
            Err(error) => Err(self.words(&error, &entries, call.function())),
        };
        self.loaded = Some(Loaded { repl, entries, broken });
        outcome
    }

    /// Runs the prelude, then every entry of the source. One that fails costs the others nothing.
    ///
    /// # Errors
    /// The prelude does not run.
    fn load(&mut self, host: &mut impl Host) -> Result<Loaded, String> {
        let Bounds { computing, memory, .. } = self.bounds;
        let limits = ResourceLimits::default().max_duration(computing).max_memory(memory);
        let repl = MontyRepl::new("source", ResourceTracker::new(limits), CompileOptions::default());
        let (mut repl, ended) = self.feed(repl, PRELUDE, Vec::new(), host);
        ended.map_err(|error| error.summary())?;
        let (mut entries, mut broken) = (HashMap::new(), BTreeMap::new());
        for (index, Part { entry, code, is_theirs }) in parts(&self.module).into_iter().enumerate() {
            // The interpreter counts the texts that it is given; the prelude was the first.
            entries.extend(is_theirs.then(|| (format!("<python-input-{}>", index + 1), entry.clone())));
            let (next, ended) = self.feed(repl, &code, Vec::new(), host);
            repl = next;
            if let Err(error) = ended {
                let why = self.words(&error, &entries, &entry);
                broken.entry(entry).or_insert(why);
            }
        }
        Ok(Loaded { repl, entries, broken })
    }

    /// Runs code to its end. What it asks of the host is answered meanwhile.
    fn feed(
        &self,
        mut repl: MontyRepl,
        code: &str,
        inputs: Vec<(String, MontyObject)>,
        host: &mut impl Host,
    ) -> (MontyRepl, Ended) {
        repl.tracker_mut().set_max_duration(self.bounds.computing);
        let (mut printed, mut asks) = (Printed::default(), 0);
        let mut step = self.step(|| repl.feed_start(code, inputs, PrintWriter::Callback(&mut printed)));
        let ended = loop {
            let progress = match step {
                Ok(ReplProgress::Complete { repl, value }) => break (repl, Ok(value)),
                Ok(progress) => progress,
                Err(failed) => break (failed.repl, Err(failed.error)),
            };
            let print = PrintWriter::Callback(&mut printed);
            step = match progress {
                ReplProgress::FunctionCall(call) if asks == self.bounds.asks => {
                    let why = format!("{STOPPED}it called its plugin more than {asks} times");
                    self.step(|| call.abort(exception(&why), print))
                }
                // A name that nobody knows, which is called.
                ReplProgress::FunctionCall(call) if call.function_name != ASK => {
                    let unknown = ExtFunctionResult::NotFound(call.function_name.clone());
                    self.step(|| call.resume(unknown, print))
                }
                ReplProgress::FunctionCall(call) => {
                    asks += 1;
                    let answer = asked(&call.args, host);
                    self.step(|| call.resume(answer, print))
                }
                ReplProgress::NameLookup(lookup) => {
                    let (name, docstring) = (ASK.to_owned(), None);
                    let found = match lookup.name == ASK {
                        true => NameLookupResult::Value(MontyObject::Function { name, docstring }),
                        false => NameLookupResult::Undefined,
                    };
                    self.step(|| lookup.resume(found, print))
                }
                ReplProgress::OsCall(call) => {
                    let refused = exception("the source has no files, no clock and no environment");
                    self.step(|| call.resume(ExtFunctionResult::Error(refused), print))
                }
                other => {
                    let why = "the source waits for nothing that could come";
                    break (other.into_repl(), Err(exception(why)));
                }
            };
        };
        if !printed.0.is_empty() {
            host.log(printed.0.trim_end());
        }
        ended
    }

    /// Lets the interpreter compute, watched.
    fn step(
        &self,
        step: impl FnOnce() -> Result<ReplProgress, Box<ReplStartError>>,
    ) -> Result<ReplProgress, Box<ReplStartError>> {
        let _ = self.computes.send(true); // the watch is there until this ends
        let ended = step();
        let _ = self.computes.send(false);
        ended
    }

    /// Returns an exception in a line: its message, with its type if it is not that of the plugin's own errors, and the
    /// innermost place in the source.
    fn words(&mut self, error: &MontyException, entries: &HashMap<String, String>, called: &str) -> String {
        let message = error.message().unwrap_or_default();
        let text = match error.exc_type() {
            ExcType::TimeoutError if message.starts_with("time limit exceeded") => {
                format!("{STOPPED}it computed for more than {} s", self.bounds.computing.as_secs_f64())
            }
            ExcType::MemoryError => {
                self.is_used_up = true;
                format!("{STOPPED}it took more than {} MiB of memory", self.bounds.memory / 1024 / 1024)
            }
            ExcType::RuntimeError if !message.is_empty() => message.to_owned(),
            kind if message.is_empty() => kind.to_string(),
            kind => format!("{kind}: {message}"),
        };
        let places = error.traceback().iter().rev();
        let place = places.filter_map(|it| Some((entries.get(&it.filename)?, it.start.line))).next();
        match place {
            Some((entry, line)) => format!("{text} (line {line} of the source of `{entry}`)"),
            // Where a limit stops it between two instructions, the interpreter names no line.
            None if text.starts_with(STOPPED) => format!("{text} (in `{called}`)"),
            None => text,
        }
    }
}

/// Returns the expression that makes a call.
fn code(call: &Call) -> Result<String, String> {
    let plain = |name: &str| match is_name(name) {
        true => Ok(()),
        false => Err(format!("{name:?} is no name")),
    };
    match call {
        Call::Function(name) => {
            plain(name)?;
            Ok(format!("_dialect_call({name}, _dialect_args, _dialect_kwargs)"))
        }
        Call::Method { name, .. } if name == END => Ok("_dialect_destroy(_dialect_self)".to_owned()),
        Call::Method { name, .. } => {
            plain(name)?;
            Ok(format!("_dialect_method(_dialect_self, {name:?}, _dialect_args, _dialect_kwargs)"))
        }
    }
}

/// Asks the host what the source asks it.
fn asked(arguments: &[MontyObject], host: &mut impl Host) -> ExtFunctionResult {
    match values::asked(arguments).and_then(|it| host.ask(it)) {
        Ok(value) => ExtFunctionResult::Return(values::write(&value)),
        Err(why) => ExtFunctionResult::Error(exception(&why)),
    }
}

fn exception(why: &str) -> MontyException {
    MontyException::new(ExcType::RuntimeError, Some(why.to_owned()))
}
