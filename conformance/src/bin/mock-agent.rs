//! The mock agent on standard input and output; what it is told to be, its arguments say.

use conformance::agent::{Config, run_on_stdio};
use conformance::record::Log;

fn main() -> anyhow::Result<()> {
    let config = Config::from_arguments(std::env::args().skip(1))?;
    let log = Log::from_environment("agent")?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(run_on_stdio(config, log));
    runtime.shutdown_background(); // standard input may still be read
    Ok(())
}
