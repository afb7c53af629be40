//! `ailang lsp`: serves editors as a language server.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use component::vocabulary;
use language_server::{Options, serve_port, serve_stdio};

use super::outcome::ExitResult;
use crate::environment::executable;
use crate::output::complain;

/// The exit code of a connection that broke.
const BROKEN: u8 = 3;

#[derive(Debug, Args)]
pub(super) struct Lsp {
    /// Listen on this port of this machine instead of standard input and output; 0 for any free one
    #[arg(long)]
    port: Option<u16>,
}

pub(super) fn run(arguments: &Lsp) -> ExitResult {
    let options = Arc::new(Options {
        registry: Arc::new(vocabulary()),
        command: vec![executable()?, PathBuf::from("ailang")],
    });
    let runtime = transport::runtime()?;
    let served = runtime.block_on(async {
        match arguments.port {
            None => serve_stdio(options).await.map_err(|error| error.to_string()),
            Some(port) => {
                let listening = |address| complain(&format!("ailang: listening on {address}"));
                serve_port(port, options, listening).await.map_err(|error| format!("port {port}: {error}"))
            }
        }
    });
    // A thread still reads standard input, and would delay the end until the client closes it.
    runtime.shutdown_background();
    match served {
        Ok(()) => Ok(0),
        Err(error) => {
            complain(&format!("ailang: {error}"));
            Ok(BROKEN)
        }
    }
}
