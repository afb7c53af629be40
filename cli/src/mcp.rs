//! `dialect mcp`: the tools as an MCP server, for agents and editors that do not speak ACP.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use component::{Standalone, Workspaces};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::agent::chain_for_agents;
use crate::arguments::Mcp;
use crate::environment::{home, workspace};
use crate::failure::Failure;
use crate::os;
use crate::output::complain;
use crate::stub::{Sessions, serve};

/// The variable that names the workspace, for settings of clients that have variables and no arguments of their own.
const WORKSPACE: &str = "DIALECT_WORKSPACE";

/// The variable with the token that clients of the port have to show.
const TOKEN: &str = "DIALECT_MCP_TOKEN";

pub(crate) async fn run(arguments: Mcp) -> Result<ExitCode, Failure> {
    let folders = folders(&arguments.workspaces)?;
    let token = token(arguments.http)?;
    let mut chain = chain_for_agents(&arguments.chain)?;
    chain.component.trusts_edits = arguments.allow_write;
    let standalone = Standalone::new(arguments.allow_write);
    chain.mcp = Some(standalone.clone());
    let asked = standalone.clone();
    let asks = Box::new(move |params| {
        let asked = asked.clone();
        async move { asked.ask(&params).await }.boxed()
    });
    let serving = serve(chain, asks, async |sessions| {
        let is_local = arguments.http.is_none();
        let workspaces = Arc::new(Served { folders, is_local, sessions, open: Arc::default() });
        match arguments.http {
            None => standalone.serve_stdio(workspaces).await,
            Some(address) => listen(&standalone, address, token, workspaces).await,
        }
        .map_err(agent_client_protocol::Error::into_internal_error)
    });
    tokio::select! {
        served = serving => served?,
        () = os::asked_to_end()? => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers over a port until this process is asked to end.
async fn listen(
    standalone: &Standalone,
    address: SocketAddr,
    token: Option<String>,
    workspaces: Arc<Served>,
) -> std::io::Result<()> {
    let closed = CancellationToken::new();
    let _closes = closed.clone().drop_guard();
    let bound = standalone.listen(address, token, workspaces, closed).await?;
    complain(&format!("dialect mcp: listening at http://{bound}/mcp"));
    std::future::pending().await
}

/// Returns the folders that are served, the first of which is meant where a request names none: those of the command
/// line, that of the environment, or the current one.
fn folders(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let of_environment = || std::env::var_os(WORKSPACE).filter(|it| !it.is_empty()).map(PathBuf::from);
    let named = match given {
        [] => of_environment().into_iter().collect(),
        given => given.to_vec(),
    };
    if named.is_empty() {
        let current = workspace(None)?;
        if is_no_project(&current, home().as_deref()) {
            return Err(format!(
                "{} is no workspace: clients start their servers anywhere. Name one: dialect mcp --workspace DIR, \
                 or the variable {WORKSPACE}",
                current.display()
            )
            .into());
        }
        return Ok(vec![current]);
    }
    named.iter().map(|it| workspace(Some(it))).collect()
}

/// Returns whether a folder is one that programs are started in, rather than a project.
fn is_no_project(folder: &Path, home: Option<&Path>) -> bool {
    folder.parent().is_none() || home.is_some_and(|it| it == folder)
}

/// Returns the token of the environment.
///
/// # Errors
/// Other machines could reach the port without one.
fn token(address: Option<SocketAddr>) -> Result<Option<String>, Failure> {
    let token = std::env::var(TOKEN).ok().filter(|it| !it.is_empty());
    match address {
        Some(address) if !address.ip().is_loopback() && token.is_none() => Err(format!(
            "other machines can reach {address}: set {TOKEN} to a secret that clients show as `Authorization: Bearer`, \
             or listen on 127.0.0.1"
        )
        .into()),
        _ => Ok(token),
    }
}

/// The folders that clients may ask about, and their sessions.
struct Served {
    folders: Vec<PathBuf>,
    /// True when the client is the process that started this one, and may name any folder.
    is_local: bool,
    sessions: Sessions,
    open: Arc<Mutex<HashMap<PathBuf, String>>>,
}

impl Served {
    /// Returns the folder that a request is about.
    fn folder(&self, named: Option<&str>) -> Result<PathBuf, String> {
        let Some(named) = named else { return Ok(self.folders[0].clone()) };
        let folder = workspace(Some(Path::new(named))).map_err(|error| error.to_string())?;
        match self.is_local || self.folders.iter().any(|it| folder.starts_with(it)) {
            true => Ok(folder),
            false => {
                Err(format!("{} is not served here: start dialect mcp --workspace with it", folder.display()))
            }
        }
    }
}

impl Workspaces for Served {
    fn session(&self, folder: Option<String>) -> BoxFuture<'static, Result<String, String>> {
        let folder = self.folder(folder.as_deref());
        let (open, sessions) = (Arc::clone(&self.open), self.sessions.clone());
        async move {
            let folder = folder?;
            let mut open = open.lock().await;
            if let Some(session) = open.get(&folder) {
                return Ok(session.clone());
            }
            let session = sessions.open(&folder).await.map_err(|error| error.to_string())?;
            open.insert(folder, session.clone());
            Ok(session)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_programs_start_is_no_project() {
        let home = Some(Path::new("/home/a"));
        assert!(is_no_project(Path::new("/"), home) && is_no_project(Path::new("/home/a"), home));
        assert!(
            !is_no_project(Path::new("/home/a/project"), home) && !is_no_project(Path::new("/srv"), None)
        );
    }

    #[test]
    fn other_machines_need_a_token() {
        assert!(token(Some("127.0.0.1:80".parse().unwrap())).is_ok() && token(None).is_ok());
        if std::env::var_os(TOKEN).is_none() {
            assert!(token(Some("0.0.0.0:80".parse().unwrap())).is_err());
        }
    }
}
