//! One editor, one session, one program after the other: for tests and measurements that have no script.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};

use crate::chain::{Chain, Setup, start};
use crate::editor::{Answers, Editor};
use crate::processes::Run;
use crate::record::{Entry, Log, Record, Way};

/// Longer than the component's own deadline, which answers first.
const DEADLINE: Duration = Duration::from_secs(90);

/// The number of times that a question is repeated until a server is ready.
const PATIENCE: usize = 20;

/// A chain in the middle of a session.
#[derive(Debug)]
pub struct Conversation {
    chain: Chain,
    pub editor: Editor,
    record: Arc<Record>,
}

/// The tool's answer: its blocks, the first line marked `failure: ` for a failure.
#[derive(Clone, Debug)]
pub struct Said {
    pub text: String,
    pub notes: Vec<String>,
}

impl Conversation {
    /// Starts a chain and sets up a session for that folder. `meta` is what the editor advertises.
    ///
    /// # Errors
    /// When any of that is refused or takes too long.
    pub async fn open(setup: &Setup, root: &Path, meta: &Value, answers: Answers) -> Result<Self> {
        let mut chain = start(setup)?;
        let (Some(read), Some(write)) = (chain.read.take(), chain.write.take()) else { bail!("no streams") };
        let record = Arc::new(Record::default());
        let log = Log::Here { player: "editor", record: Arc::clone(&record) };
        let mut editor = Editor::open(read, write, answers, log);
        let setting_up = async {
            editor.initialize(1, meta).await?;
            editor.set_up("session/new", "A", json!({"cwd": root, "mcpServers": []})).await
        };
        let set_up = tokio::time::timeout(DEADLINE, setting_up).await;
        set_up.map_err(|_| anyhow!("no session within {DEADLINE:?}: {}", chain.run.last_words()))??;
        Ok(Self { chain, editor, record })
    }

    /// Waits until the editor has heard a message of that method.
    ///
    /// # Errors
    /// When none came in time.
    pub async fn wait(&self, method: &str) -> Result<()> {
        let is_one = |_, it: &Entry| it.way == Way::Heard && it.method() == method;
        self.record.wait(method, DEADLINE, is_one).await.map(|_| ())
    }

    /// Returns the params of every message of that method that the editor has heard.
    pub fn heard(&self, method: &str) -> Vec<Value> {
        self.heard_of(&[method]).into_iter().map(|(_, params)| params).collect()
    }

    /// Returns the messages of those methods that the editor has heard, with their params, in order.
    pub fn heard_of(&self, methods: &[&str]) -> Vec<(String, Value)> {
        let entries = self.record.entries_from(0);
        let heard = entries.iter().filter(|it| it.way == Way::Heard && methods.contains(&it.method()));
        heard.map(|it| (it.method().to_owned(), it.message["params"].clone())).collect()
    }

    pub fn run(&self) -> &Run {
        &self.chain.run
    }

    /// The prompt's script, played; what the agent said.
    ///
    /// # Errors
    /// When the turn fails or takes too long.
    pub async fn play(&mut self, script: &str) -> Result<Vec<String>> {
        let before = self.record.len();
        let turn = tokio::time::timeout(DEADLINE, self.editor.whole_turn("A", script)).await;
        turn.map_err(|_| anyhow!("`{script}` was not played within {DEADLINE:?}"))??;
        let entries = self.record.entries_from(before);
        let said = entries.iter().filter(|it| it.way == Way::Heard && it.method() == "session/update");
        let texts = said.filter_map(|it| it.message["params"]["update"]["content"]["text"].as_str());
        Ok(texts.map(str::to_owned).collect())
    }

    /// Calls the tool with a program of one line.
    ///
    /// # Errors
    /// When the turn fails or takes too long; not when the program does.
    pub async fn call(&mut self, program: &str) -> Result<Said> {
        let said = self.play(&format!("call {program}")).await?;
        let text = said.into_iter().next().ok_or_else(|| anyhow!("nothing was said to `{program}`"))?;
        let mut blocks = text.split("\n---\n").map(str::to_owned);
        Ok(Said { text: blocks.next().unwrap_or_default(), notes: blocks.collect() })
    }

    /// The same, again while it says that the program may succeed later.
    ///
    /// # Errors
    /// As [`Self::call`], or when nobody ever becomes ready.
    pub async fn call_when_ready(&mut self, program: &str) -> Result<Said> {
        let mut last = None;
        for _ in 0..PATIENCE {
            let said = self.call(program).await?;
            if !said.text.starts_with("failure: ") || !said.text.contains("may succeed later") {
                return Ok(said);
            }
            last = Some(said.text);
        }
        bail!("nobody was ever ready for `{program}`: {}", last.unwrap_or_default())
    }

    /// Ends it, and looks for what is left.
    ///
    /// # Errors
    /// When the chain does not end, or leaves processes.
    pub async fn end(self) -> Result<()> {
        self.editor.peer().close();
        self.chain.ended().await
    }
}
