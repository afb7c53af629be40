//! The user at the terminal, if there is one.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::output::complain;
use unpoisoned::lock;

/// The user, who answers one question after the other. Questions go to standard error.
#[derive(Debug, Default)]
pub(super) struct User {
    asking: tokio::sync::Mutex<()>,
    spent: Mutex<Spent>,
}

/// The time that questions were open.
#[derive(Debug, Default)]
struct Spent {
    before: Duration,
    /// The start of the question that is open.
    since: Option<Instant>,
}

impl User {
    /// Returns `true` if questions reach somebody.
    pub(super) fn is_there() -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Shows a question with numbered options, until one of them is chosen. Returns its index; `None` for an empty line,
    /// and at the end of the input.
    pub(super) async fn choose(&self, question: &str, options: &[String]) -> Option<usize> {
        let _one = self.asking.lock().await;
        lock(&self.spent).since = Some(Instant::now());
        let answer = self.answer(question, options).await;
        let mut spent = lock(&self.spent);
        let taken = spent.since.take().map(|it| it.elapsed()).unwrap_or_default();
        spent.before += taken;
        answer
    }

    async fn answer(&self, question: &str, options: &[String]) -> Option<usize> {
        complain(question);
        for (index, option) in options.iter().enumerate() {
            complain(&format!("  {}  {option}", index + 1));
        }
        loop {
            complain(&format!("Choose 1 to {} (nothing: none of them):", options.len()));
            let line = tokio::task::spawn_blocking(read_line).await.ok().flatten()?;
            match line.trim() {
                "" => return None,
                line => {
                    let is_it = |it: &String| it.eq_ignore_ascii_case(line);
                    let number = line.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
                    let chosen = number.filter(|it| *it < options.len());
                    if let Some(chosen) = chosen.or_else(|| options.iter().position(is_it)) {
                        return Some(chosen);
                    }
                }
            }
        }
    }

    /// Returns when so much time has passed, without that of questions.
    pub(super) async fn time_without_answers(&self, most: Duration) {
        let (begun, before) = (Instant::now(), self.spent());
        loop {
            let passed = begun.elapsed().saturating_sub(self.spent().saturating_sub(before));
            let Some(rest) = most.checked_sub(passed).filter(|it| !it.is_zero()) else { return };
            tokio::time::sleep(rest).await;
        }
    }

    fn spent(&self) -> Duration {
        let spent = lock(&self.spent);
        spent.before + spent.since.map(|it| it.elapsed()).unwrap_or_default()
    }
}

fn read_line() -> Option<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).ok().filter(|it| *it > 0)?;
    Some(line)
}
