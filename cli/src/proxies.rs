//! `dialect adapter` and `dialect component`: the two proxies on standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use adapter::fallback::{Config, Fallback};

use crate::arguments::{Adapter, Component};
use crate::chain::fallback_config;
use crate::environment::executable;
use crate::failure::Failure;
use crate::{os, script};

pub(crate) async fn adapter(arguments: Adapter) -> Result<ExitCode, Failure> {
    let mut config = fallback_config(executable()?);
    config.user_settings = adapter::fallback::user_settings();
    config.ask_user_for_trust();
    config.keep_index();
    arguments.trust.set_up(&mut config)?;
    config.borrow_servers(arguments.servers.editor_servers);
    let fallback = Arc::new(Fallback::new(config));
    let ended = tokio::select! {
        ended = adapter::run_on_stdio(Arc::clone(&fallback)) => ended,
        () = os::asked_to_end()? => Ok(()),
    };
    fallback.shutdown().await;
    ended?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn component(arguments: Component) -> Result<ExitCode, Failure> {
    let mut config = component::Config::new(executable()?);
    config.read_only = arguments.read_only.read_only;
    config.description_tokens = arguments.description.description_tokens;
    arguments.words.set_up(&mut config);
    let mut fallback = Config::new(executable()?);
    fallback.build_walls();
    config.scripts = script::tool(&arguments.scripts, &fallback)?;
    tokio::select! {
        ended = component::run_on_stdio(config) => ended?,
        () = os::asked_to_end()? => {}
    }
    Ok(ExitCode::SUCCESS)
}
