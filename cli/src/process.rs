//! An agent or an editor as a child process, which ends with this one.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::{ConnectTo, Error, Role};
use thiserror::Error;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};
use transport::Transport;

use crate::os;

/// The time that the process may take to exit after its input is closed. Its supervisor kills it then.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time that we wait for the supervisor.
const END_WAIT: Duration = Duration::from_secs(3);

/// The time that errors of open requests may take to reach the other side when the process is gone.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The side of a connection that a process is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    /// An agent, as `dialect agent` starts it.
    Agent,
    /// An editor, as `dialect check-editor` starts it.
    Editor,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agent => "agent",
            Self::Editor => "editor",
        })
    }
}

impl Side {
    /// Returns the subcommand that starts it.
    fn subcommand(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Editor => "check-editor",
        }
    }
}

/// An error of the process.
#[derive(Clone, Debug, Error)]
pub(crate) enum PeerError {
    #[error(
        "the {side} command `{command}` was not found. Install it, or give its full path: \
         dialect {} -- /path/to/it", side.subcommand()
    )]
    NotFound { side: Side, command: String },
    #[error("the {side} command `{command}` exists but is not executable: chmod +x {command}")]
    NotExecutable { side: Side, command: String },
    #[error("the {side} `{command}` cannot be started: {error}")]
    NotStarted { side: Side, command: String, error: Arc<std::io::Error> },
    #[error("the {side} `{command}` exited ({status})")]
    Ended { side: Side, command: String, status: ExitStatus },
}

/// The command of an agent or an editor, found but not started.
#[derive(Clone, Debug)]
pub(crate) struct PeerProcess {
    side: Side,
    supervisor: PathBuf,
    /// The command as the user wrote it.
    command: String,
    program: PathBuf,
    arguments: Vec<OsString>,
    /// The folder in which it runs, instead of the current one.
    folder: Option<PathBuf>,
    environment: Vec<(&'static str, OsString)>,
    life: watch::Sender<Life>,
}

#[derive(Clone, Debug)]
enum Life {
    NotStarted,
    Running,
    /// The process ended while its connection was open.
    Failed(PeerError),
    Ended,
}

impl PeerProcess {
    /// Finds the program of a command.
    ///
    /// # Errors
    /// The program does not exist, or is not executable.
    pub(crate) fn find(side: Side, supervisor: PathBuf, command: &[OsString]) -> Result<Self, PeerError> {
        let (program, arguments) = command.split_first().expect("the command line requires one");
        let command = program.to_string_lossy().into_owned();
        let found = which::which(program).map_err(|_| match Path::new(program).is_file() {
            true => PeerError::NotExecutable { side, command: command.clone() },
            false => PeerError::NotFound { side, command: command.clone() },
        })?;
        let life = watch::Sender::new(Life::NotStarted);
        let (arguments, environment) = (arguments.to_vec(), Vec::new());
        Ok(Self { side, supervisor, command, program: found, arguments, folder: None, environment, life })
    }

    /// Runs it in that folder, with that environment variable.
    #[must_use]
    pub(crate) fn within(self, folder: &Path, name: &'static str, value: impl Into<OsString>) -> Self {
        let program = std::path::absolute(&self.program).unwrap_or(self.program);
        Self { folder: Some(folder.to_owned()), environment: vec![(name, value.into())], program, ..self }
    }

    /// Waits until no process of the command is left.
    ///
    /// # Errors
    /// Its own failure, if it ended the connection.
    pub(crate) async fn ended(&self) -> Result<(), PeerError> {
        let mut life = self.life.subscribe();
        let over = life.wait_for(|it| !matches!(it, Life::Running));
        let _ = tokio::time::timeout(END_WAIT, over).await; // the supervisor goes on without us
        match &*self.life.borrow() {
            Life::Failed(error) => Err(error.clone()),
            Life::NotStarted | Life::Running | Life::Ended => Ok(()),
        }
    }

    /// Starts it under a supervisor, which leads a process group and ends it if this process is killed.
    fn start(&self) -> Result<Child, PeerError> {
        let patience = PATIENCE.as_millis().to_string();
        let mut command = Command::new(&self.supervisor);
        command.args(["supervise", "--patience", &patience, "--"]).arg(&self.program).args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let started = command.spawn();
        started.map_err(|error| {
            let (side, command) = (self.side, self.command.clone());
            PeerError::NotStarted { side, command, error: Arc::new(error) }
        })
    }

    fn fail(&self, error: PeerError) -> Error {
        self.life.send_replace(Life::Failed(error.clone()));
        Error::into_internal_error(error)
    }
}

/// Waits for the process independently of the connection, and kills the rest of its group.
async fn reap(mut child: Child, life: watch::Sender<Life>) -> std::io::Result<ExitStatus> {
    let leader = child.id();
    let status = child.wait().await;
    if let Some(leader) = leader {
        os::kill_group(leader); // the supervisor may have been killed before it could
    }
    life.send_if_modified(|it| {
        let was_running = matches!(it, Life::Running);
        if was_running {
            *it = Life::Ended;
        }
        was_running
    });
    status
}

impl<R: Role> ConnectTo<R> for PeerProcess {
    async fn connect_to(self, client: impl ConnectTo<R::Counterpart>) -> Result<(), Error> {
        let mut child = self.start().map_err(|error| self.fail(error))?;
        self.life.send_replace(Life::Running);
        let stdin = child.stdin.take().expect("it is piped").compat_write();
        let stdout = child.stdout.take().expect("it is piped").compat();
        let mut reaped = tokio::spawn(reap(child, self.life.clone()));
        let talking = ConnectTo::<R>::connect_to(Transport::new(stdin, stdout), client);
        let mut talking = std::pin::pin!(talking);
        let status = tokio::select! {
            biased;
            status = &mut reaped => {
                let _ = tokio::time::timeout(LAST_WORDS, talking).await;
                status
            }
            talked = &mut talking => {
                talked?;
                reaped.await // its output has ended, so it is about to exit
            }
        };
        let status = status.map_err(Error::into_internal_error)?.map_err(Error::into_internal_error)?;
        Err(self.fail(PeerError::Ended { side: self.side, command: self.command.clone(), status }))
    }
}
