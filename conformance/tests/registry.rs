//! The entries for the registries of ACP and of MCP, filled in as for a release, follow the rules of both.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    tests![
        the_agent_is_one_of_acp,
        the_server_is_one_of_mcp,
        the_package_is_the_servers,
        an_unknown_place_is_refused
    ]
}

/// Returns the folder of the entries for a release that is made up.
fn filled() -> Result<TempDir> {
    let folder = TempDir::new()?;
    let status = fill("https://github.com/ada/dialect", folder.path())?;
    ensure!(status == Some(0), "registry/fill: {status:?}");
    Ok(folder)
}

fn fill(repository: &str, folder: &Path) -> Result<Option<i32>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../registry/fill");
    let mut command = Command::new("bash");
    command.arg(script).args([repository, "@ada/dialect", "io.github.ada", "1.2.3"]).arg(folder);
    Ok(command.output()?.status.code())
}

fn read(folder: &TempDir, entry: &str) -> Result<Value> {
    let text = std::fs::read_to_string(folder.path().join(entry))?;
    ensure!(!text.contains('{') || !Regex::new(r"\{[a-z]+\}")?.is_match(&text), "{entry} has holes: {text}");
    Ok(serde_json::from_str(&text)?)
}

/// Checks that an object has these fields as texts that match, and no others than these and `more`.
fn has(object: &Value, fields: &[(&str, &str)], more: &[&str]) -> Result<()> {
    let object = object.as_object().context("an object")?;
    for (field, pattern) in fields {
        let text = object.get(*field).and_then(Value::as_str).with_context(|| format!("no text {field}"))?;
        ensure!(Regex::new(pattern)?.is_match(text), "{field}: {text}");
    }
    let known = |key: &String| fields.iter().any(|(it, _)| it == key) || more.contains(&key.as_str());
    let unknown: Vec<&String> = object.keys().filter(|it| !known(it)).collect();
    ensure!(unknown.is_empty(), "{unknown:?}");
    Ok(())
}

const VERSION: &str = r"^\d+\.\d+\.\d+$";
const ADDRESS: &str = "^https://[a-z.]+/";

/// The rules are those of `agent.schema.json` and of the registry's own checks, as they were in November 2026.
fn the_agent_is_one_of_acp() -> Result<()> {
    let folder = filled()?;
    let agent = read(&folder, "acp/dialect/agent.json")?;
    let fields = [
        ("id", "^dialect$"), // the name of the folder; lower case, digits and hyphens
        ("name", "."),
        ("version", VERSION),
        ("description", "."),
        ("repository", ADDRESS),
        ("license", "^MIT OR Apache-2.0$"),
    ];
    has(&agent, &fields, &["distribution"])?;
    let ways = agent["distribution"].as_object().context("ways to get it")?;
    ensure!(ways.keys().all(|it| ["binary", "npx", "uvx"].contains(&it.as_str())) && !ways.is_empty());
    has(&ways["npx"], &[("package", r"^@ada/dialect@1\.2\.3$")], &["args", "env", "cmd"])?;
    let args = ways["npx"]["args"].as_array().context("arguments")?;
    ensure!(args.iter().all(Value::is_string) && args[0] == "agent" && args[1] == "--", "{args:?}");
    let icon = std::fs::read_to_string(folder.path().join("acp/dialect/icon.svg"))?;
    ensure!(icon.starts_with("<svg") && icon.contains(r#"width="16" height="16" viewBox="0 0 16 16""#));
    for colour in Regex::new(r#"(?:fill|stroke)="([^"]*)""#)?.captures_iter(&icon) {
        ensure!(["currentColor", "none", "inherit"].contains(&&colour[1]), "{}", &colour[1]);
    }
    ensure!(!icon.contains("style") && !icon.contains('#'), "a colour of its own");
    Ok(())
}

/// The rules are those of `server.schema.json` of 2025-12-11 and of the registry's own checks.
fn the_server_is_one_of_mcp() -> Result<()> {
    let server = read(&filled()?, "mcp/server.json")?;
    let fields = [
        (
            "$schema",
            r"^https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/server\.schema\.json$",
        ),
        ("name", "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"),
        ("title", "^.{1,100}$"),
        ("description", "^.{1,100}$"),
        ("version", VERSION),
    ];
    has(&server, &fields, &["repository", "packages"])?;
    has(&server["repository"], &[("url", ADDRESS), ("source", "^(github|gitlab)$")], &[])?;
    let packages = server["packages"].as_array().context("packages")?;
    for package in packages {
        let fields = [("registryType", "^npm$"), ("identifier", "^@ada/dialect$"), ("version", VERSION)];
        has(package, &fields, &["transport", "packageArguments"])?;
        has(&package["transport"], &[("type", "^stdio$")], &[])?;
        for argument in package["packageArguments"].as_array().context("arguments")? {
            match argument["type"].as_str() {
                Some("positional") => has(argument, &[("type", "."), ("value", "^mcp$")], &[])?,
                _ => {
                    let fields = [("type", "^named$"), ("name", "^--"), ("format", "^filepath$")];
                    has(argument, &fields, &["description"])?;
                }
            }
        }
    }
    ensure!(!packages.is_empty() && packages.iter().all(|it| it["version"] == server["version"]));
    Ok(())
}

/// The registry of MCP looks for the name of the server in the package.
fn the_package_is_the_servers() -> Result<()> {
    let folder = filled()?;
    let (server, package) = (read(&folder, "mcp/server.json")?, read(&folder, "npm/package.json")?);
    ensure!(package["mcpName"] == server["name"], "{package}");
    ensure!(
        package["name"] == server["packages"][0]["identifier"] && package["version"] == server["version"]
    );
    ensure!(package["bin"]["dialect"].is_string(), "both registries start the package's only program");
    Ok(())
}

fn an_unknown_place_is_refused() -> Result<()> {
    ensure!(fill("https://example.org/dialect", TempDir::new()?.path())? == Some(2));
    Ok(())
}
