//! The skills of one session: their functions, and the lines of the tool's description about them.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use ailang::{Level, visible, visible_line};
use dialect::{Effect, Function, Library, Registry, Requirement};
use serde_json::json;
use unpoisoned::lock;

use crate::extension::{Extension, Extensions};
use crate::skills::functions::library;
use crate::skills::tools::ToolCode;
use crate::skills::{
    FoundSkill, LoadedSkill, SkillBinding, SkillContext, SkillFile, SkillSettings, SkillState, Skills,
};

/// The most characters of a summary in a line of the description.
const LONGEST_LINE: usize = 100;

/// The start of the summary of a tool that cannot be called.
const NOT_CALLABLE: &str = "Not callable here";

/// The most lines of the description. `skills()` has the others.
const MOST_LINES: usize = 100;

/// The most problems that an answer names.
const MOST_PROBLEMS: usize = 5;

/// The most bytes of the texts of eager skills in the description.
const MOST_EAGER: usize = 16 * 1024;

/// The skills of one session.
#[derive(Debug)]
pub(crate) struct SessionSkills {
    pub(super) source: Arc<dyn Skills>,
    pub(super) settings: SkillSettings,
    /// The names of each skill's functions in programs.
    functions: Mutex<HashMap<String, SkillFunctions>>,
    /// The states that are recorded already.
    recorded: Mutex<Vec<SkillState>>,
    /// The files of each skill that clients may read, made when one asks.
    files: OnceLock<Vec<Vec<SkillFile>>>,
}

/// The functions of a skill, as programs name them.
#[derive(Clone, Debug, Default)]
pub(super) struct SkillFunctions {
    pub(super) callable: Vec<String>,
    /// The tools that cannot be called, each with the reason.
    pub(super) missing: Vec<String>,
}

impl SessionSkills {
    /// Finds the skills of a session; blocking. `None` if there are none, and nothing to say.
    pub(crate) fn find(settings: &SkillSettings, roots: &[PathBuf]) -> Option<Arc<Self>> {
        let source = settings.finder.find(roots);
        source.problems().iter().for_each(|it| tracing::warn!("{it}"));
        let has_any = !source.found().is_empty() || !source.problems().is_empty();
        let (settings, functions) = (settings.clone(), Mutex::default());
        // That nothing but the lines of the description is loaded goes without saying.
        let mut recorded = source.states();
        recorded.iter_mut().filter(|it| it.level > Some(Level::Minimal)).for_each(|it| it.level = None);
        let (recorded, files) = (Mutex::new(recorded), OnceLock::new());
        has_any.then(|| Arc::new(Self { source, settings, functions, recorded, files }))
    }

    /// Returns the files of each skill that may be read without asking the user.
    pub(crate) fn files(&self) -> &[Vec<SkillFile>] {
        self.files.get_or_init(|| {
            let open = self.source.found().iter().filter(|it| it.consent.is_none());
            open.map(|it| self.source.files(&it.name)).collect()
        })
    }

    /// Returns the first problems with what was found.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &String> {
        self.source.problems().iter().take(MOST_PROBLEMS)
    }

    /// Adds the functions about skills.
    pub(crate) fn add_own(self: &Arc<Self>, extensions: &mut Extensions) {
        let (extension, code) = library(self);
        if let Err(error) = extensions.add_asking(extension, code) {
            tracing::warn!("the functions about skills are not there: {error}");
        }
    }

    /// Adds the tools of all skills, beside everything else that programs can name. A name that is taken, or that two
    /// skills have, needs the name of its skill before it.
    pub(crate) fn add_tools(self: &Arc<Self>, extensions: &mut Extensions) {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for skill in self.source.found() {
            skill.library.functions.iter().for_each(|it| *counts.entry(bare(skill, it)).or_default() += 1);
        }
        let known = extensions.tables().clone();
        for skill in self.source.found() {
            let own = self.add(skill, extensions, &known, |name| counts.get(name).is_none_or(|it| *it == 1));
            own.missing.iter().for_each(|it| tracing::info!("the skill {}: {it}", skill.name));
            lock(&self.functions).insert(skill.name.clone(), own);
        }
        for skill in self.source.found() {
            let origin = |it: &ailang::Capability| it.clone().foreign(&skill.name);
            let imported: Vec<_> = skill.imported.iter().map(origin).collect();
            if let Err(error) = extensions.declare_imported(&skill.library.name, &imported) {
                tracing::warn!("the skill {}: {error}", skill.name);
            }
        }
    }

    fn add(
        self: &Arc<Self>,
        skill: &FoundSkill,
        extensions: &mut Extensions,
        known: &Registry,
        is_alone: impl Fn(&str) -> bool,
    ) -> SkillFunctions {
        let mut own = SkillFunctions::default();
        let mut library = Library { functions: Vec::new(), ..skill.library.clone() };
        for row in &skill.library.functions {
            let name = bare(skill, row).to_owned();
            let mut row = row.clone();
            if let Some(why) = self.unbound(skill, &name, known) {
                row.summary = format!("{NOT_CALLABLE}: {}", row.summary);
                row.docs = format!("It cannot be called: {why}.\n{}", row.docs);
                (row.effect, row.requires) = (Effect::Pure, Vec::new());
                own.missing.push(format!("{name}: {why}"));
            } else {
                row.requires.extend(self.required(skill, &name, &row, known));
            }
            let aliases: Vec<String> = row.aliases.iter().filter(|it| is_alone(it)).cloned().collect();
            let plain = Function { aliases: Vec::new(), foreign: Vec::new(), ..row };
            let named = |more: &[String]| match is_alone(&name) {
                true => more.iter().fold(plain.clone().alias(&name), |row, it| row.alias(it)),
                false => plain.clone(),
            };
            if let Err(why) =
                keep(&mut library, [named(&aliases), named(&[]), plain.clone()], extensions, skill)
            {
                own.missing.push(format!("{name}: {why}"));
            }
        }
        let is_there = |row: &&Function| !row.summary.starts_with(NOT_CALLABLE);
        let callable = |row: &Function| match row.aliases.iter().find(|it| *it == bare(skill, row)) {
            Some(name) => name.clone(),
            None => whole(row).to_owned(),
        };
        own.callable = library.functions.iter().filter(is_there).map(callable).collect();
        let code = Arc::new(ToolCode::new(self, skill, &library.functions, known));
        let origin = Some(skill.name.clone());
        let extension = Extension { library, origin, capabilities: skill.capabilities.clone() };
        match extensions.add_asking(extension, code) {
            Ok(()) => own,
            Err(error) => {
                tracing::warn!("the skill {} has no functions: {error}", skill.name);
                SkillFunctions { callable: Vec::new(), missing: vec![error.to_string()] }
            }
        }
    }

    /// Returns the permissions that a tool needs besides those that its document names.
    fn required(&self, skill: &FoundSkill, tool: &str, row: &Function, known: &Registry) -> Vec<Requirement> {
        let of_plugin = match self.binding(skill, tool) {
            Some(SkillBinding::Plugin(function)) if skill.bodiless.iter().any(|it| it == tool) => {
                known.functions().find(|it| it.1.name == *function).map(|it| it.2.requires.clone())
            }
            _ => None,
        };
        let of_plugin = of_plugin.unwrap_or_default();
        match row.effect == Effect::Writes && row.requires.is_empty() && of_plugin.is_empty() {
            true => vec![Requirement::new(format!("{}/{tool}", skill.name))],
            false => of_plugin,
        }
    }

    /// Returns why a tool cannot be called, if so.
    fn unbound(&self, skill: &FoundSkill, tool: &str, known: &Registry) -> Option<String> {
        if !skill.bodiless.iter().any(|it| it == tool) {
            return None;
        }
        match self.binding(skill, tool) {
            None => Some(no_body(&skill.name, tool)),
            Some(SkillBinding::Mcp { server, .. }) if !self.settings.servers.has(server) => {
                Some(format!("it is bound to the MCP server `{server}`, which [skills.mcp] does not have"))
            }
            Some(SkillBinding::Plugin(function)) if known.functions().all(|it| it.1.name != *function) => {
                Some(format!("it is bound to `{function}`, which no plugin that runs has"))
            }
            Some(_) => None,
        }
    }

    /// Returns what the user bound to a tool.
    pub(super) fn binding(&self, skill: &FoundSkill, tool: &str) -> Option<&SkillBinding> {
        let bindings: &BTreeMap<String, SkillBinding> = &self.settings.bindings;
        let named = [format!("{}.{tool}", skill.name), format!("{}.{tool}", skill.library.name)];
        named.iter().find_map(|it| bindings.get(it)).or_else(|| bindings.get(tool))
    }

    pub(super) fn functions_of(&self, skill: &str) -> SkillFunctions {
        lock(&self.functions).get(skill).cloned().unwrap_or_default()
    }

    /// Returns the part of the tool's description about skills: a line for each that has room, and the texts of those
    /// that load eagerly.
    pub(crate) fn description(&self) -> String {
        let found = self.source.found();
        if found.is_empty() {
            return String::new();
        }
        let states = self.source.states();
        let level = |name: &str| states.iter().find(|it| it.name == name).and_then(|it| it.level);
        let shown: Vec<&FoundSkill> = found.iter().filter(|it| level(&it.name).is_some()).collect();
        let mut text = "Skills; skill(`name`) shows one, with the functions that it adds:\n".to_owned();
        for skill in shown.iter().take(MOST_LINES) {
            text += &format!("  {}: {}\n", skill.name, visible_line(&skill.summary, LONGEST_LINE));
        }
        let rest = found.len() - shown.len().min(MOST_LINES);
        if rest > 0 {
            text += &format!("  and {rest} more: skills()\n");
        }
        let mut room = MOST_EAGER;
        for skill in shown.iter().filter(|it| it.is_eager && level(&it.name) > Some(Level::Minimal)) {
            let Some(loaded) = self.source.current(&skill.name) else { continue };
            let whole = self.shown(&loaded);
            if whole.len() <= room {
                room -= whole.len();
                text += &format!("\n{whole}\n");
            }
        }
        text
    }

    /// Returns the text of a skill for the agent, with the names of its functions. Without backticks of ours, most texts are
    /// printed as they are.
    pub(super) fn shown(&self, loaded: &LoadedSkill) -> String {
        let SkillFunctions { callable, missing } = self.functions_of(&loaded.name);
        let mut text = visible(loaded.text.trim_end());
        if !callable.is_empty() {
            let first = &callable[0];
            text += &format!("\n\nFunctions: {}. help(\"{first}\") explains one.", callable.join(", "));
        }
        if !missing.is_empty() {
            text += &format!("\n\nNot callable: {}", missing.join("; "));
        }
        text
    }

    /// Returns the skills that have another level since the last call, with numbers and the reason, for the audit log.
    pub(crate) fn changes(&self) -> Vec<(String, serde_json::Value, String)> {
        let states = self.source.states();
        let mut recorded = lock(&self.recorded);
        let changed = states.iter().zip(&*recorded).filter(|(now, before)| now.level != before.level);
        let numbers = |it: &SkillState| json!({"level": it.level.map(Level::name), "tokens": it.tokens});
        let changes = changed.map(|(it, _)| (it.name.clone(), numbers(it), it.why.clone())).collect();
        *recorded = states;
        changes
    }

    /// Returns the texts of skills whose rules match for the first time, for an answer.
    pub(crate) fn matching(&self, about: &SkillContext) -> Vec<String> {
        let loaded = self.source.matching(about);
        let text = |it: &LoadedSkill| format!("The skill {}: {}\n{}", it.name, it.why, self.shown(it));
        loaded.iter().map(text).collect()
    }
}

/// Adds the first row that fits beside everything else.
///
/// # Errors
/// The reason why the first one does not fit, if none does.
fn keep(
    library: &mut Library,
    rows: [Function; 3],
    extensions: &Extensions,
    skill: &FoundSkill,
) -> Result<(), String> {
    let mut reason = None;
    for row in rows {
        let mut whole = library.clone();
        whole.functions.push(row);
        let fits = ailang::foreign(whole.clone(), &skill.name).map_err(|it| it.to_string());
        match fits.and_then(|_| extensions.tables().with(whole.clone()).map_err(|it| it.to_string())) {
            Ok(_) => {
                *library = whole;
                return Ok(());
            }
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    Err(reason.unwrap_or_default())
}

/// Returns the remedy for a tool without code.
pub(super) fn no_body(skill: &str, tool: &str) -> String {
    format!(
        "it has no body, and nothing is bound to it; the user can bind an MCP server's tool or a plugin's function: \
         [skills.bind] \"{skill}.{tool}\" in the settings"
    )
}

/// Returns the name of a function with that of its library.
fn whole(row: &Function) -> &str {
    row.signature.split('(').next().unwrap_or_default()
}

/// Returns the name of a skill's tool.
fn bare<'r>(skill: &FoundSkill, row: &'r Function) -> &'r str {
    let whole = whole(row);
    whole.strip_prefix(&*skill.library.name).and_then(|it| it.strip_prefix('.')).unwrap_or(whole)
}
