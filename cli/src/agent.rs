//! `dialect agent`: the fused chain in front of an agent process.

use std::process::ExitCode;

use crate::arguments::{Agent, AgentChain};
use crate::environment::executable;
use crate::failure::Failure;
use crate::plugin_sources::PluginSources;
use crate::process::{PeerProcess, Side};
use crate::{Chain, chain, os, script, skills};

pub(crate) async fn run(arguments: Agent) -> Result<ExitCode, Failure> {
    let agent = PeerProcess::find(Side::Agent, executable()?, &arguments.command)?;
    let mut chain_of_agent = chain_for_agents(&arguments.chain)?;
    chain_of_agent.fallback.borrow_servers(arguments.servers.editor_servers);
    #[cfg(feature = "acp-draft")]
    let chain_of_agent = Chain { speaks_draft: arguments.acp_draft, ..chain_of_agent };
    let ended = tokio::select! {
        ended = chain(chain_of_agent, transport::stdio(), agent.clone()) => ended,
        () = os::asked_to_end()? => Ok(()),
    };
    agent.ended().await?; // says more than the chain's own error
    ended?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the settings of the chain for programs of agents.
pub(crate) fn chain_for_agents(arguments: &AgentChain) -> Result<Chain, Failure> {
    let mut config = Chain::new(executable()?);
    config.fallback.user_settings = adapter::fallback::user_settings();
    arguments.trust.set_up(&mut config.fallback)?;
    config.fallback.ask_user_for_trust();
    config.fallback.keep_index();
    config.component.read_only = arguments.read_only.read_only;
    config.component.description_tokens = arguments.description.description_tokens;
    arguments.words.set_up(&mut config.component);
    config.component.scripts = script::tool(&arguments.scripts, &config.fallback)?;
    config.component.skills = skills::offered(&arguments.skills, &config.fallback.supervisor)?;
    let plugins = PluginSources::new(&arguments.plugins.plugins, &config.fallback);
    config.component.plugins = Some(plugins.finder());
    Ok(config)
}
