//! `dialect skills`: the skills that a session would have, how much of each is loaded at its start, and why.

use std::path::PathBuf;
use std::process::ExitCode;

use ailang::Level;
use clap::Args;
use component::skills::{SkillState, Skills};
use serde_json::json;
use source_text::visible_line;

use super::settings::SkillConfig;
use super::shelf::Shelf;
use crate::arguments::SkillFolders;
use crate::failure::Failure;
use crate::output::{complain, say, say_line};

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    folders: SkillFolders,
    /// Load these as an agent that asks for them with skill(name), one after the other
    #[arg(value_name = "SKILL")]
    asked: Vec<String>,
    /// Print each skill as a JSON object on its own line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: List) -> Result<ExitCode, Failure> {
    let config = SkillConfig::read()?;
    let (folders, tokens) = (config.folders(&arguments.folders), config.tokens(&arguments.folders));
    if folders.is_empty() {
        return Err("no folder of skills is named: pass --skills DIR, or set `folders` below [skills] in your settings".into());
    }
    let shelf = Shelf::open(&folders, tokens, PathBuf::new());
    let mut code = ExitCode::SUCCESS;
    for skill in &arguments.asked {
        if let Err(problem) = shelf.load(skill, None) {
            complain(&format!("{skill}: {problem}"));
            code = ExitCode::FAILURE;
        }
    }
    let states = shelf.states();
    for state in &states {
        match arguments.json {
            true => say(&json(state))?,
            false => say_line(&line(state))?,
        }
    }
    if !arguments.json {
        let used: usize = states.iter().filter(|it| it.level.is_some()).map(|it| it.tokens).sum();
        say(&format!("{} skills take {used} of {tokens} tokens", states.len()))?;
    }
    for problem in shelf.problems() {
        complain(problem);
        code = ExitCode::FAILURE;
    }
    Ok(code)
}

fn json(state: &SkillState) -> String {
    let SkillState { name, loading, level, tokens, why, .. } = state;
    let level = level.map(Level::name);
    json!({"name": name, "loading": loading.name(), "level": level, "tokens": tokens, "why": why}).to_string()
}

/// Returns the line of a skill: `email     standard   312 tokens  on_demand  asked for; …`.
fn line(state: &SkillState) -> String {
    let SkillState { name, loading, level, tokens, why, .. } = state;
    let level = level.map_or("none", Level::name);
    let name = visible_line(name, 60);
    format!("{name:<24} {level:<9} {tokens:>6} tokens  {:<9}  {why}", loading.name())
}
