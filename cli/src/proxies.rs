//! `dialect adapter` and `dialect component`: the two proxies on standard input and output.

use std::process::ExitCode;
use std::sync::Arc;

use adapter::fallback::{Config, Fallback};

use crate::arguments::{Trust, executable};
use crate::{Failure, os};

pub(crate) async fn adapter(trust: Trust) -> Result<ExitCode, Failure> {
    let mut config = Config::new(executable()?);
    config.user_settings = adapter::fallback::user_settings();
    config.trust = trust.trust;
    let fallback = Arc::new(Fallback::new(config));
    let ended = tokio::select! {
        ended = adapter::run_on_stdio(Arc::clone(&fallback)) => ended,
        () = os::asked_to_end()? => Ok(()),
    };
    fallback.shutdown().await;
    ended?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn component() -> Result<ExitCode, Failure> {
    let config = component::Config::new(executable()?);
    tokio::select! {
        ended = component::run_on_stdio(config) => ended?,
        () = os::asked_to_end()? => {}
    }
    Ok(ExitCode::SUCCESS)
}
