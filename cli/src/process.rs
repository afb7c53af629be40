//! The agent as a child process, which ends with this one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::{Agent, Client, ConnectTo, Error};
use thiserror::Error;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};
use transport::Transport;

use crate::os;

/// The time that the agent may take to exit after its input is closed. Its supervisor kills it then.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time that we wait for the supervisor.
const END_WAIT: Duration = Duration::from_secs(3);

/// The time that errors of open requests may take to reach the client when the agent is gone.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// An error of the agent's process.
#[derive(Clone, Debug, Error)]
pub(crate) enum AgentError {
    #[error(
        "the agent command `{command}` was not found. Install it, or give its full path: \
         dialect agent -- /path/to/it"
    )]
    NotFound { command: String },
    #[error("the agent command `{command}` exists but is not executable: chmod +x {command}")]
    NotExecutable { command: String },
    #[error("the agent `{command}` cannot be started: {error}")]
    NotStarted { command: String, error: Arc<std::io::Error> },
    #[error("the agent `{command}` exited ({status})")]
    Ended { command: String, status: ExitStatus },
}

/// The command of an agent, found but not started.
#[derive(Clone, Debug)]
pub(crate) struct AgentProcess {
    supervisor: PathBuf,
    /// The command as the user wrote it.
    command: String,
    program: PathBuf,
    arguments: Vec<OsString>,
    life: watch::Sender<Life>,
}

#[derive(Clone, Debug)]
enum Life {
    NotStarted,
    Running,
    /// The agent ended while its connection was open.
    Failed(AgentError),
    Ended,
}

impl AgentProcess {
    /// Finds the program of a command.
    ///
    /// # Errors
    /// The program does not exist, or is not executable.
    pub(crate) fn find(supervisor: PathBuf, command: &[OsString]) -> Result<Self, AgentError> {
        let (program, arguments) = command.split_first().expect("the command line requires one");
        let command = program.to_string_lossy().into_owned();
        let found = which::which(program).map_err(|_| match Path::new(program).is_file() {
            true => AgentError::NotExecutable { command: command.clone() },
            false => AgentError::NotFound { command: command.clone() },
        })?;
        let life = watch::Sender::new(Life::NotStarted);
        Ok(Self { supervisor, command, program: found, arguments: arguments.to_vec(), life })
    }

    /// Waits until no process of the agent is left.
    ///
    /// # Errors
    /// The agent's own failure, if it ended the chain.
    pub(crate) async fn ended(&self) -> Result<(), AgentError> {
        let mut life = self.life.subscribe();
        let over = life.wait_for(|it| !matches!(it, Life::Running));
        let _ = tokio::time::timeout(END_WAIT, over).await; // the supervisor goes on without us
        match &*self.life.borrow() {
            Life::Failed(error) => Err(error.clone()),
            Life::NotStarted | Life::Running | Life::Ended => Ok(()),
        }
    }

    /// Starts the agent under a supervisor, which leads a process group and ends it if this process is killed.
    fn start(&self) -> Result<Child, AgentError> {
        let patience = PATIENCE.as_millis().to_string();
        let mut command = Command::new(&self.supervisor);
        command.args(["supervise", "--patience", &patience, "--"]).arg(&self.program).args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let started = command.spawn();
        started
            .map_err(|error| AgentError::NotStarted { command: self.command.clone(), error: Arc::new(error) })
    }

    fn fail(&self, error: AgentError) -> Error {
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

impl ConnectTo<Client> for AgentProcess {
    async fn connect_to(self, client: impl ConnectTo<Agent>) -> Result<(), Error> {
        let mut child = self.start().map_err(|error| self.fail(error))?;
        self.life.send_replace(Life::Running);
        let stdin = child.stdin.take().expect("it is piped").compat_write();
        let stdout = child.stdout.take().expect("it is piped").compat();
        let mut reaped = tokio::spawn(reap(child, self.life.clone()));
        let talking = ConnectTo::<Client>::connect_to(Transport::new(stdin, stdout), client);
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
        Err(self.fail(AgentError::Ended { command: self.command.clone(), status }))
    }
}
