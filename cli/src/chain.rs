//! Conductor, adapter and component in one process.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use adapter::Adapter;
use adapter::fallback::{self, Fallback};
use agent_client_protocol::{Agent, Client, ConnectTo, DynConnectTo, Error};
use agent_client_protocol_conductor::{ConductorImpl, InstantiatedChain, SelectedInitializeRequest};
use component::{CacheCounter, CacheLookups, Component, Standalone};
use transport::DirectRequests;

use crate::server;

/// The settings of the chain.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The settings of the fallback, toward the editor.
    pub fallback: fallback::Config,
    /// The settings of the component, toward the agent.
    pub component: component::Config,
    /// The server for MCP clients without a session of ACP, if there is one.
    pub mcp: Option<Standalone>,
    /// True when the chain speaks the draft of version 2 of ACP with clients and agents that do. It needs the
    /// feature `acp-draft`.
    pub speaks_draft: bool,
}

impl Chain {
    /// Returns the default settings, with the executable for relays and supervisors.
    pub fn new(executable: PathBuf) -> Self {
        let fallback = fallback_config(executable.clone());
        Self { fallback, component: component::Config::new(executable), mcp: None, speaks_draft: false }
    }

    /// Has the user's background process answer where it can be had, as `dialect agent` has it. The executable of the chain
    /// must run [`main`](crate::main) when it has arguments.
    pub fn share_servers(&mut self) {
        let found = adapter::background::of_user(&self.fallback.supervisor, server::ARGUMENTS);
        self.fallback.background = found.ok();
    }
}

/// Returns the default settings of the fallback; `executable` is `dialect`, which is the server of interface documents too.
pub(crate) fn fallback_config(executable: PathBuf) -> fallback::Config {
    let command = [executable.as_os_str(), "ailang".as_ref(), "lsp".as_ref()].map(OsStr::to_owned);
    let mut config = fallback::Config::new(executable);
    config.own_servers.insert("ailang".to_owned(), command.to_vec());
    config
}

/// Runs the chain between `client` and `agent` until one of them ends, and then stops the language servers.
///
/// # Errors
/// A connection breaks, or a side does not speak the protocol.
pub async fn chain(
    mut config: Chain,
    client: impl ConnectTo<Agent> + 'static,
    agent: impl ConnectTo<Client> + 'static,
) -> Result<(), Error> {
    let lookups = config.fallback.cache_lookups.clone();
    config.component.cache.get_or_insert_with(|| {
        CacheCounter::new(move || {
            let (hits, misses) = lookups.take();
            CacheLookups { hits, misses }
        })
    });
    let fallback = Arc::new(Fallback::new(config.fallback));
    let direct = Arc::<DirectRequests>::default();
    let adapter = Adapter::new(Arc::clone(&fallback)).answering(Arc::clone(&direct));
    let component = Component::new(config.component).serving(config.mcp).calling(direct);
    let (adapter, component) = (DynConnectTo::new(adapter), DynConnectTo::new(component));
    let agent = DynConnectTo::new(agent);
    let members = async move |first: SelectedInitializeRequest| {
        let first = if config.speaks_draft { first } else { first.into_v1()?.into() };
        Ok::<_, Error>(InstantiatedChain::new(first, vec![adapter, component], agent))
    };
    let ended = ConductorImpl::new_agent("dialect", members).run(client).await;
    fallback.shutdown().await;
    ended
}
