//! Runs interface documents inside of another program: loads one, checks it, runs its examples with code of ours, calls a
//! tool by name, and prints what was measured.
//!
//! `cargo run -p embedding`

use std::error::Error;
use std::io::Write;
use std::path::Path;

use ailang_host::{
    CapabilityMode, Failure, Invocation, Monitor, Object, Opened, RuntimeSettings, RuntimeSetup, Severity,
    Strictness, Tools,
};
use futures::executor::block_on;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = std::io::stdout();

    // The document, with everything that it imports.
    let weather = Opened::file(folder.join("weather.md"))?;
    for problem in weather.problems(Strictness::Normal).iter().filter(|it| it.severity == Severity::Error) {
        writeln!(out, "{} {}", problem.code, problem.message)?;
    }

    // The code of the tool that the document leaves to its host.
    let temperature = |call: Invocation| async move {
        match call.arguments.text("city")? {
            "Ghent" => Ok(12_u32.into()),
            // The document has the words of the error.
            city => Err(Failure::thrown("UnknownCityError", [("city", city.into())]).into()),
        }
    };
    let monitor = Monitor::new();
    let setup = RuntimeSetup {
        settings: RuntimeSettings { capabilities: CapabilityMode::Audit, ..RuntimeSettings::default() },
        providers: Tools::default().with("temperature", temperature).into(),
        monitor: Some(monitor.clone()),
        ..RuntimeSetup::default()
    };
    let runtime = weather.runtime(setup)?;

    for index in 0..runtime.examples().len() {
        if let Some(result) = block_on(runtime.run_example(index)) {
            let outcome = result.error.map_or("ok".to_owned(), |it| it.text);
            writeln!(out, "{}: {outcome}", result.name)?;
        }
    }
    let city = Object::from_iter([("city".to_owned(), "Atlantis".into())]);
    match block_on(runtime.call("forecast", city)) {
        Ok(value) => writeln!(out, "{value}")?,
        Err(error) => writeln!(out, "{}: {}", error["message"], error["recovery"])?,
    }
    write!(out, "{}", monitor.metrics().table())?;
    Ok(())
}
