//! Runs interface documents inside of another program: loads one, checks it, runs its examples with code of ours, calls a
//! tool by name, and prints what was measured.
//!
//! `cargo run -p embedding`

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use ailang::{
    CapabilityMode, Monitor, Provider, Runtime, RuntimeSettings, RuntimeSetup, Severity, Strictness, validate,
};
use built_in_modules::BuiltInModules;
use dialect::{Failure, Handler, Invocation, Object};
use futures::executor::block_on;

/// The code of the tools that the document leaves to its host.
struct Weather;

impl Provider for Weather {
    fn implementation(&self, tool: &str) -> Option<Arc<dyn Handler>> {
        let temperature = |invocation: Invocation| async move {
            match invocation.arguments.text("city")? {
                "Ghent" => Ok(12_u32.into()),
                // The document has the words of the error.
                city => Err(Failure::thrown("UnknownCityError", [("city", city.into())]).into()),
            }
        };
        (tool == "temperature").then(|| Arc::new(temperature) as _)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = std::io::stdout();

    // The document, with everything that it imports.
    let package = packages::package(&folder.join("weather.md"))?;
    let found = validate(&package.documents, &package.path, Strictness::Normal).unwrap_or_default();
    for problem in found.iter().filter(|it| it.severity == Severity::Error) {
        writeln!(out, "{} {}", problem.code, problem.message)?;
    }

    let monitor = Monitor::new();
    let setup = RuntimeSetup {
        settings: RuntimeSettings { capabilities: CapabilityMode::Audit, ..RuntimeSettings::default() },
        providers: vec![Arc::new(Weather)],
        modules: Some(Arc::new(BuiltInModules::new(folder, folder))),
        libraries: vec![core_library::library()],
        monitor: Some(monitor.clone()),
        ..RuntimeSetup::default()
    };
    let runtime = Runtime::new(package.documents, &package.path, setup)?;

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
