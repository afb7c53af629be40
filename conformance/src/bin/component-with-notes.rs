//! The component with a library that writes, for scenarios about permission.

use component::Config;

fn main() -> anyhow::Result<()> {
    if std::env::args().nth(1).as_deref() == Some(component::relay::COMMAND) {
        let _code = component::relay::main();
        return Ok(());
    }
    let program = std::env::current_exe()?;
    let mut config = Config::new(program.clone());
    let worker = program.with_file_name("dialect-under-test");
    config.checks_edits = false;
    config.scripts = Some(component::Scripts::new(worker, ["script-worker".into()]));
    config.read_only = std::env::args().any(|it| it == "--read-only");
    conformance::notes::from_environment(&mut config)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let ended = runtime.block_on(component::run_on_stdio(config));
    runtime.shutdown_background();
    Ok(ended?)
}
