//! `skill()` and `skills()`.

use std::sync::{Arc, Weak};

use ailang::{Implementation, Level};
use dialect::{Arguments, Failure, Handler, Interrupt, Invocation, Requirement, Value};
use futures::FutureExt;
use serde_json::json;

use crate::extension::Extension;
use crate::permission::{AskingCode, CallPermit};
use crate::skills::FoundSkill;
use crate::skills::session::{SessionSkills, SkillFunctions};

/// The document of the functions.
const DOCUMENT: &str = include_str!("skills.md");

/// The capability to load a skill whose author wants that the user is asked.
const LOAD: &str = "skills/Load";

/// Returns the library of the functions, and their code.
pub(super) fn library(skills: &Arc<SessionSkills>) -> (Extension, Arc<dyn AskingCode>) {
    let unbound = |_: Invocation| async { Err::<Value, _>(Interrupt::from(ended())) };
    let code = ["skill(name, level?)", "skills()"].map(|it| Implementation::of(it, unbound));
    let mut extension = Extension::documented(DOCUMENT, code).expect("a test loads it");
    // That of `Skill` would be called as the function.
    extension.library.types.iter_mut().for_each(|it| it.has_constructor = false);
    (extension, Arc::new(SkillCode(Arc::downgrade(skills))))
}

/// Returns the failure of a call after the end of its session.
pub(super) fn ended() -> Failure {
    Failure::raised("InternalError", "the session of these skills is over")
}

/// The code of the functions. The registry, which the session keeps, does not keep the session.
#[derive(Debug)]
struct SkillCode(Weak<SessionSkills>);

impl AskingCode for SkillCode {
    fn bound(&self, function: &str, permit: &CallPermit) -> Arc<dyn Handler> {
        let (skills, permit, is_list) = (Weak::clone(&self.0), permit.clone(), function == "skills");
        Arc::new(move |invocation: Invocation| {
            let (skills, permit) = (skills.upgrade(), permit.clone());
            async move {
                let skills = skills.ok_or_else(ended)?;
                match is_list {
                    true => Ok(skills.listed()),
                    false => skills.skill(&invocation.arguments, &permit).await,
                }
            }
            .boxed()
        })
    }
}

impl SessionSkills {
    /// Returns the text of a skill.
    async fn skill(&self, arguments: &Arguments, permit: &CallPermit) -> Result<Value, Interrupt> {
        let name = arguments.text("name")?;
        let skill = self.found(name).ok_or_else(|| {
            let known: Vec<&str> = self.source.found().iter().map(|it| it.name.as_str()).collect();
            thrown("UnknownSkill", json!({"name": name, "known": known}))
        })?;
        let level = arguments.get("level").and_then(Value::as_text).and_then(Level::parse);
        if level != Some(Level::Minimal) {
            self.consent(skill, "skill", permit).await?;
        }
        let loaded = self.source.load(&skill.name, level);
        let loaded = loaded
            .map_err(|reason| thrown("SkillNotLoaded", json!({"name": skill.name, "reason": reason})))?;
        Ok(self.shown(&loaded).into())
    }

    /// Returns the skill of that name, which may be that of its library.
    fn found(&self, name: &str) -> Option<&FoundSkill> {
        let found = self.source.found();
        let is =
            |it: &&FoundSkill| [&it.name, &it.library.name].iter().any(|it| it.eq_ignore_ascii_case(name));
        found.iter().find(|it| it.name == name).or_else(|| found.iter().find(is))
    }

    /// Asks the user about a skill whose author wants that. The answer holds for this content of its document.
    ///
    /// # Errors
    /// The user refuses.
    pub(super) async fn consent(
        &self,
        skill: &FoundSkill,
        callable: &str,
        permit: &CallPermit,
    ) -> Result<(), Failure> {
        let Some(hash) = &skill.consent else { return Ok(()) };
        let what = format!("{} sha256:{hash}", skill.path.display());
        let requirement = Requirement::new(LOAD).restricted("skill", [what]);
        permit.request(callable, &[requirement], &Arguments::default()).await?;
        self.source.approve(&skill.name);
        Ok(())
    }

    fn listed(&self) -> Value {
        let states = self.source.states();
        let each = self.source.found().iter().zip(&states).map(|(skill, state)| {
            let SkillFunctions { callable, missing } = self.functions_of(&skill.name);
            json!({
                "name": skill.name,
                "summary": ailang::visible_line(&skill.summary, ailang::LONGEST_SUMMARY),
                "level": state.level.map_or("none", Level::name),
                "tokens": state.tokens,
                "loading": state.loading.name(),
                "uses": state.uses,
                "why": state.why,
                "functions": callable,
                "missing": missing,
            })
        });
        Value::from(serde_json::Value::from(each.collect::<Vec<_>>()))
    }
}

fn thrown(name: &'static str, carries: serde_json::Value) -> Failure {
    let carries = carries.as_object().into_iter().flatten();
    Failure::thrown(name, carries.map(|(name, value)| (name.as_str(), Value::from(value.clone()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_and_the_code_fit() {
        let code = ["skill(name, level?)", "skills()"]
            .map(|it| Implementation::of(it, |_: Invocation| async { Ok::<_, Interrupt>(Value::Null) }));
        Extension::documented(DOCUMENT, code).expect("they fit");
    }
}
