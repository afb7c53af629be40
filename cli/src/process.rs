//! The agent as a child process, which ends when we do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use agent_client_protocol::{Agent, ByteStreams, Client, ConnectTo, Error};
use thiserror::Error;
use tokio::process::{Child, Command};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

use crate::os;

/// How long the agent may take to end by itself once its input is closed.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long the errors of requests in flight may take to reach the client when the agent is gone.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Why there is no agent.
#[derive(Debug, Error)]
pub(crate) enum AgentError {
    #[error(
        "the agent command `{command}` was not found. Install it, or give its full path: dialect agent -- \
         /path/to/{command}"
    )]
    NotFound { command: String },
    #[error("the agent `{command}` cannot be started: {error}")]
    NotStarted { command: String, error: std::io::Error },
    #[error("the agent `{command}` ended by itself ({status}). What it said is on standard error")]
    Ended { command: String, status: ExitStatus },
}

/// An agent's command, found but not started.
#[derive(Clone, Debug)]
pub(crate) struct AgentProcess {
    supervisor: PathBuf,
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl AgentProcess {
    /// Finds the program.
    pub(crate) fn find(supervisor: PathBuf, command: &[OsString]) -> Result<Self, AgentError> {
        let (program, arguments) = command.split_first().expect("the command line requires one");
        let found = which::which(program)
            .map_err(|_| AgentError::NotFound { command: program.to_string_lossy().into_owned() })?;
        Ok(Self { supervisor, program: found, arguments: arguments.to_vec() })
    }

    /// Under our supervisor, which leads a process group and ends it should we be killed.
    fn start(&self) -> Result<Child, AgentError> {
        let patience = PATIENCE.as_millis().to_string();
        let mut command = Command::new(&self.supervisor);
        command.args(["supervise", "--patience", &patience, "--"]).arg(&self.program).args(&self.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).kill_on_drop(true);
        command.spawn().map_err(|error| AgentError::NotStarted { command: name(&self.program), error })
    }
}

fn name(program: &Path) -> String {
    program.display().to_string()
}

impl ConnectTo<Client> for AgentProcess {
    async fn connect_to(self, client: impl ConnectTo<Agent>) -> Result<(), Error> {
        let mut process = Group(self.start().map_err(Error::into_internal_error)?);
        let stdin = process.0.stdin.take().expect("it is piped").compat_write();
        let stdout = process.0.stdout.take().expect("it is piped").compat();
        let talking = ConnectTo::<Client>::connect_to(ByteStreams::new(stdin, stdout), client);
        let mut talking = std::pin::pin!(talking);
        let talked = tokio::select! {
            talked = &mut talking => Some(talked),
            _ = process.0.wait() => None,
        };
        match talked {
            Some(Err(error)) => Err(error),
            // Its output ended, or our side did: in either case its input is closed now, and it should end.
            Some(Ok(())) | None => {
                let _ = tokio::time::timeout(LAST_WORDS, talking_on(talked, talking)).await;
                let status = process.0.wait().await.map_err(Error::into_internal_error)?;
                Err(Error::into_internal_error(AgentError::Ended { command: name(&self.program), status }))
            }
        }
    }
}

async fn talking_on(talked: Option<Result<(), Error>>, talking: impl Future<Output = Result<(), Error>>) {
    match talked {
        Some(_) => std::future::pending().await,
        None => drop(talking.await),
    }
}

/// Kills the whole group when it is dropped.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0.id() {
            os::kill_group(leader);
        }
    }
}
