//! A scenario: a conversation written as Markdown, played, and told as a transcript.
//!
//! Its blocks, besides files of the workspace (```` ```file src/lib.rs ````):
//!
//! - `chain`: `key: value` lines. `run` is the shapes of [`Shape`], separated by commas; `agent` the command line
//!   of the mock agent, and each further `agent` line runs all of it once more; `meta` and `protocol` are what the
//!   editor says in `initialize`; `server hears` the LSP methods that are shown; `order` is an [`Order`], for
//!   steps in which several things happen at once; `notes: yes` adds a library that
//!   writes notes, `trust: asked` has the user asked whether he trusts the workspace, `health` is when a language server is ended, in milliseconds and megabytes, `patience` is how many milliseconds its calls wait for the user, and `read only: yes` refuses them.
//!   `editor servers` has the servers asked that the editor lends, which answer within that many milliseconds.
//! - `answers`: what the editor answers, see [`Answers`].
//! - `server`: the plan of a fake language server. Without it there is none.
//! - `setup` and `script`: steps, see [`Step`]; the transcript begins with the script. Without a `setup` block
//!   it is `initialize` and `new A`, unless the script begins with `initialize` itself.

mod play;
mod step;

use std::collections::HashMap;
use std::ffi::OsString;
use std::time::Duration;

use adapter::fallback::Health;
use anyhow::{Context, Result, anyhow, bail};
use literate::Case;
use serde_json::{Value, json};
pub use step::{Place, Step};

use crate::chain::{Programs, Shape};
use crate::editor::Answers;
use crate::transcript::Order;

/// A scenario, ready to be played.
#[derive(Clone, Debug)]
pub struct Scenario {
    files: Vec<(String, String)>,
    shapes: Vec<Shape>,
    agents: Vec<Vec<String>>,
    meta: Value,
    protocol: u64,
    server_hears: Vec<String>,
    order: Order,
    answers: Answers,
    server: Option<Value>,
    setup: Vec<Step>,
    script: Vec<Step>,
    notes: bool,
    patience: Option<u64>,
    read_only: bool,
    health: Option<Health>,
    asks_for_trust: bool,
    options: Vec<String>,
    lent_patience: Option<Duration>,
}

impl Scenario {
    /// From its blocks.
    ///
    /// # Errors
    /// When a block cannot be understood.
    pub fn parse(case: &Case) -> Result<Self> {
        if let Some(odd) = case.inputs.iter().find(|it| !KINDS.contains(&it.kind.as_str())) {
            bail!("a scenario has no `{}` block", odd.kind);
        }
        let settings = settings(case.input("chain").unwrap_or_default())?;
        let one = |key: &str| settings.get(key).and_then(|it| it.first()).map(String::as_str);
        let list = |key: &str| one(key).into_iter().flat_map(|it| it.split(',')).map(str::trim);
        let shapes: Vec<Shape> = list("run").map(str::parse).collect::<Result<_>>()?;
        let agents = settings.get("agent").into_iter().flatten();
        let agents: Vec<Vec<String>> = agents.map(|it| words(it)).collect();
        let script = Step::parse_all(case.input("script").ok_or_else(|| anyhow!("no `script` block"))?)?;
        Ok(Self {
            files: case.inputs_of("file").map(|it| (it.subject.clone(), it.text.clone() + "\n")).collect(),
            shapes: if shapes.is_empty() { vec![Shape::InProcess] } else { shapes },
            agents: if agents.is_empty() { vec![Vec::new()] } else { agents },
            meta: one("meta").map_or(Ok(json!({})), serde_json::from_str).context("meta")?,
            protocol: one("protocol").map_or(Ok(1), str::parse).context("protocol")?,
            server_hears: list("server hears").map(str::to_owned).collect(),
            order: one("order").map_or(Ok(Order::default()), str::parse)?,
            answers: Answers::parse(case.input("answers").unwrap_or_default())?,
            server: case.input("server").map(serde_json::from_str).transpose().context("server")?,
            setup: case.input("setup").map_or_else(|| usual_setup(&script), Step::parse_all)?,
            script,
            notes: one("notes").is_some(),
            patience: one("patience").map(str::parse).transpose().context("patience")?,
            read_only: one("read only").is_some(),
            asks_for_trust: one("trust") == Some("asked"),
            health: one("health").map(health).transpose().context("health")?,
            options: one("options").map(words).unwrap_or_default(),
            lent_patience: one("editor servers").map(str::parse).transpose()?.map(Duration::from_millis),
        })
    }

    /// Plays it in each of its shapes, with each of its agents, and gives the transcript that all of them share.
    ///
    /// # Errors
    /// When something awaited does not come, when the chain leaves something behind, or when two runs differ.
    pub async fn play(&self, programs: &Programs) -> Result<String> {
        let mut first: Option<(String, String)> = None;
        for shape in &self.shapes {
            for agent in &self.agents {
                let name = format!("{shape}, agent {}", agent.join(" "));
                let told = play::play(self, *shape, agent, programs).await.with_context(|| name.clone())?;
                match &first {
                    Some((_, same)) if *same == told => {}
                    Some((other, before)) => bail!("--- {other}\n{before}\n--- differs: {name}\n{told}"),
                    None => first = Some((name, told)),
                }
            }
        }
        first.map(|(_, told)| told).ok_or_else(|| anyhow!("nothing was run"))
    }
}

fn usual_setup(script: &[Step]) -> Result<Vec<Step>> {
    match script {
        [Step::Initialize, ..] => Ok(Vec::new()),
        _ => Step::parse_all("initialize\nnew A"),
    }
}

const KINDS: [&str; 6] = ["file", "chain", "answers", "server", "setup", "script"];

const SETTINGS: [&str; 13] = [
    "editor servers",
    "run",
    "trust",
    "health",
    "agent",
    "meta",
    "protocol",
    "server hears",
    "order",
    "notes",
    "patience",
    "read only",
    "options",
];

/// `{"silence": 300, "memory": 200}`
fn health(text: &str) -> Result<Health> {
    let health: Value = serde_json::from_str(text)?;
    let time = |key: &str| health[key].as_u64().map(Duration::from_millis);
    let usual = Health { look: Duration::from_millis(20), ..Health::default() };
    Ok(Health {
        suspicion: time("silence").unwrap_or(usual.suspicion),
        silence: time("silence").unwrap_or(usual.silence),
        memory: health["memory"].as_u64().map(|it| it * 1_000_000).or(usual.memory),
        ..usual
    })
}

fn settings(text: &str) -> Result<HashMap<String, Vec<String>>> {
    let mut settings: HashMap<String, Vec<String>> = HashMap::new();
    for line in text.lines().filter(|it| !it.trim().is_empty()) {
        let (key, value) = line.split_once(':').ok_or_else(|| anyhow!("not `key: value`: {line}"))?;
        if !SETTINGS.contains(&key) {
            bail!("a chain has no `{key}`; it has {}", SETTINGS.join(", "));
        }
        settings.entry(key.to_owned()).or_default().push(value.trim().to_owned());
    }
    Ok(settings)
}

/// Words separated by spaces; what stands in backticks is one word, without them.
fn words(line: &str) -> Vec<String> {
    let quoted = line.split('`').enumerate();
    let words = quoted.flat_map(|(n, part)| match n % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// The fake language server as a command.
pub fn server_command(programs: &Programs, plan: &Value, record: &str, control: &str) -> Vec<OsString> {
    let arguments = ["--plan", &plan.to_string(), "--record", record, "--control", control];
    let program = programs.path("fake-language-server").into_os_string();
    std::iter::once(program).chain(arguments.into_iter().map(Into::into)).collect()
}
