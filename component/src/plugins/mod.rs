//! Plugins: programs that offer functions and classes over their standard streams, in Scriptling's protocol.
//!
//! A [`Plugin`] is a handle; the task of `actor` behind it owns the process and the session. It never waits
//! for a callback, so that a callback may call the same plugin.

mod actor;
mod callbacks;
mod lives;
mod process;
pub(crate) mod tables;
mod trust;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plugin_protocol::connection::{Answer, CallError};
use plugin_protocol::methods::{Arguments, HostCall};
use plugin_protocol::schema::{Class, Description};
use plugin_protocol::session::{End, Settings};
use plugin_protocol::{Remote, Value};
use tokio::sync::{mpsc, oneshot, watch};

use crate::plugins::actor::{Actor, Command, Done, Request, StateSenders};
use crate::plugins::lives::Running;

pub use crate::plugins::callbacks::Callbacks;
pub use crate::plugins::lives::end_all;
pub(crate) use crate::plugins::process::LastWords;
pub use crate::plugins::trust::{TrustedPlugins, content_hash};

/// The way to start a plugin.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The name in records, if it is not the program's.
    pub name: Option<String>,
    /// The path of the plugin's executable.
    pub program: PathBuf,
    /// The command-line arguments, without the name of the program.
    pub arguments: Vec<OsString>,
    /// Variables of its environment beside those that it inherits.
    pub environment: BTreeMap<OsString, OsString>,
    /// True if it inherits no variables.
    pub clears_environment: bool,
    /// True if the program is a supervisor: it starts the plugin, and kills what the plugin started once the plugin
    /// has ended or the input is closed. It is left alive for that.
    pub is_supervisor: bool,
    /// The working directory; `None` for that of this process.
    pub folder: Option<PathBuf>,
    /// The times and limits.
    pub settings: Settings,
    /// The bytes that may wait to be written. A plugin that leaves more unread is killed: it may wait for its
    /// own output to be read, and then would never read.
    pub unread_bytes: usize,
}

impl Launch {
    /// Creates a launch of a program without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            name: None,
            program: program.into(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            clears_environment: false,
            is_supervisor: false,
            folder: None,
            settings: Settings::default(),
            unread_bytes: 128 << 20,
        }
    }

    /// Returns the command, with pipes for its three streams, in a process group of its own.
    pub(crate) fn command(&self) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(&self.program);
        if self.clears_environment {
            command.env_clear();
        }
        command.args(&self.arguments).envs(&self.environment);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(!self.is_supervisor);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }
}

/// A plugin, over all its lives. Clones share it; it is shut down after the last one is gone.
///
/// Dropping the future of a call gives the call up.
#[derive(Clone, Debug)]
pub struct Plugin {
    commands: mpsc::UnboundedSender<Command>,
    description: watch::Receiver<Arc<Description>>,
    generation: watch::Receiver<u64>,
    skipped: watch::Receiver<SkippedLines>,
}

/// The lines of a plugin that were no messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkippedLines {
    pub(crate) count: u64,
    /// The start of the last one.
    pub(crate) last: String,
}

/// An object that lives in a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The name of the object on the wire.
    pub remote: Remote,
    /// The life of the plugin that it belongs to.
    pub generation: u64,
}

impl Plugin {
    /// Starts a plugin, and waits for its description.
    ///
    /// # Errors
    /// The reason why it did not start, with its last words.
    pub async fn start(launch: Launch) -> Result<Self, CallError> {
        let (commands, received) = mpsc::unbounded_channel();
        let (description, described) = watch::channel(Arc::default());
        let (generation, lives) = watch::channel(0);
        let (skipping, skipped) = watch::channel(SkippedLines::default());
        let (started, start) = oneshot::channel();
        let state = StateSenders { description, generation, skipped: skipping };
        let (actor, running) = (Actor::new(launch, received, state), Running::begin());
        tokio::spawn(async move {
            let _running = running;
            actor.run(started).await;
        });
        start.await.unwrap_or_else(|_| Err(gone()))?;
        Ok(Self { commands, description: described, generation: lives, skipped })
    }

    /// Returns the plugin's description, from its last start.
    pub fn description(&self) -> Arc<Description> {
        self.description.borrow().clone()
    }

    /// Calls a function. A plugin that has crashed is started again first, after a delay that grows.
    ///
    /// # Errors
    /// The plugin's own error, or the reason why there is no result.
    pub async fn call(
        &self,
        name: &str,
        arguments: Arguments,
        callbacks: Callbacks,
    ) -> Result<Value, CallError> {
        let call = HostCall::Function { name: name.to_owned(), arguments };
        self.send(call, callbacks, None).await?.value()
    }

    /// Makes an object.
    ///
    /// # Errors
    /// The plugin's own error, or the reason why there is no object.
    pub async fn new_object(
        &self,
        class: &str,
        arguments: Arguments,
        callbacks: Callbacks,
    ) -> Result<Object, CallError> {
        let call = HostCall::New { class: class.to_owned(), arguments };
        let Done { answer, generation } = self.send(call, callbacks, None).await?;
        let Answer::Object(id) = answer else {
            return Err(CallError::Unreadable("the answer is no object".to_owned()));
        };
        let library = self.description().library.qualified_name();
        Ok(Object { remote: Remote { library, class: class.to_owned(), id }, generation })
    }

    /// Calls a method of an object, or reads a property: that is a call of its name without arguments.
    ///
    /// # Errors
    /// The plugin's own error, or the reason why there is no result. An object does not outlive the process.
    pub async fn call_method(
        &self,
        object: &Object,
        method: &str,
        arguments: Arguments,
        callbacks: Callbacks,
    ) -> Result<Value, CallError> {
        let (object_id, method) = (object.remote.id.clone(), method.to_owned());
        let call = HostCall::Method { object_id, method, arguments };
        self.send(call, callbacks, Some(object.generation)).await?.value()
    }

    /// Sets a property of an object.
    ///
    /// # Errors
    /// The reason why it cannot be set, or was not.
    pub async fn set(
        &self,
        object: &Object,
        class: &Class,
        property: &str,
        value: Value,
    ) -> Result<(), CallError> {
        let call = class.assignment(&object.remote.id, property, value).map_err(CallError::Unreadable)?;
        self.send(call, Callbacks::default(), Some(object.generation)).await.map(drop)
    }

    /// Ends an object.
    ///
    /// # Errors
    /// The plugin's own error, or the reason why it is gone already.
    pub async fn destroy(&self, object: &Object) -> Result<(), CallError> {
        let call = HostCall::Destroy { object_id: object.remote.id.clone() };
        self.send(call, Callbacks::default(), Some(object.generation)).await.map(drop)
    }

    /// Shuts the plugin down: asks it to end, closes its input, and kills what is left of it.
    ///
    /// # Errors
    /// The end that came before, if it ended otherwise.
    pub async fn shutdown(&self) -> Result<(), End> {
        let (reply, ended) = oneshot::channel();
        if self.commands.send(Command::Shutdown(reply)).is_err() {
            return Ok(());
        }
        match ended.await {
            Ok(End::Stopped(_)) | Err(_) => Ok(()),
            Ok(end) => Err(end),
        }
    }

    /// Makes any call. Returns its answer and the life of the plugin that gave it.
    pub(crate) async fn ask(
        &self,
        call: HostCall,
        callbacks: Callbacks,
        generation: Option<u64>,
    ) -> Result<(Reply, u64), CallError> {
        let Done { answer, generation } = self.send(call, callbacks, generation).await?;
        Ok((Reply(answer), generation))
    }

    /// Returns the lines that were no messages, so far.
    pub(crate) fn skipped(&self) -> SkippedLines {
        self.skipped.borrow().clone()
    }

    /// Returns the number of the plugin's life, which objects belong to.
    pub(crate) fn generation(&self) -> u64 {
        *self.generation.borrow()
    }

    async fn send(
        &self,
        call: HostCall,
        callbacks: Callbacks,
        generation: Option<u64>,
    ) -> Result<Done, CallError> {
        static TOKENS: AtomicU64 = AtomicU64::new(1);
        let token = TOKENS.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let request = Request { token, call, callbacks, generation, reply };
        self.commands.send(Command::Call(Box::new(request))).map_err(|_| gone())?;
        let _guard = Guard { token, commands: self.commands.clone() };
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

/// The answer to a call.
#[derive(Debug)]
pub(crate) struct Reply(Answer);

impl Reply {
    /// Returns the value; null for an answer that is none.
    pub(crate) fn value(self) -> Value {
        match self.0 {
            Answer::Value(value) => value,
            _ => Value::Null,
        }
    }

    /// Returns the id of the new object.
    pub(crate) fn object(self) -> Result<String, CallError> {
        match self.0 {
            Answer::Object(id) => Ok(id),
            _ => Err(CallError::Unreadable("the answer is no object".to_owned())),
        }
    }
}

impl Done {
    fn value(self) -> Result<Value, CallError> {
        match self.answer {
            Answer::Value(value) => Ok(value),
            _ => Err(CallError::Unreadable("the answer is no value".to_owned())),
        }
    }
}

/// Gives up a call when its future is dropped. A call that was answered is not pending any more.
struct Guard {
    token: u64,
    commands: mpsc::UnboundedSender<Command>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::GiveUp(self.token));
    }
}

fn gone() -> CallError {
    CallError::Closed("the plugin was shut down".to_owned())
}
