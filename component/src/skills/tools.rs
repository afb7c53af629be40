//! The code of a skill's tools: consent and permissions before it, and what the user bound to tools without a body.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};

use ailang::{Gate, PermissionRequest, Provider, Refusal};
use dialect::{
    Arguments, Caller, Failure, Function, GivenArgument, Handler, Interrupt, Invocation, Registry,
    Requirement, Signature, Type,
};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::permission::{AskingCode, CallPermit};
use crate::skills::functions::ended;
use crate::skills::session::{SessionSkills, no_body};
use crate::skills::{FoundSkill, SkillBinding, SkillSurroundings};

/// The code of the tools of one skill.
#[derive(Debug)]
pub(super) struct ToolCode {
    /// The session, which keeps the registry that keeps this.
    skills: Weak<SessionSkills>,
    skill: Arc<FoundSkill>,
    /// The permissions that its functions need, by the names of the functions.
    required: HashMap<String, Vec<Requirement>>,
    /// Everything that programs can name besides skills.
    known: Registry,
}

impl ToolCode {
    /// Creates the code of a skill with these functions.
    pub(super) fn new(
        skills: &Arc<SessionSkills>,
        skill: &FoundSkill,
        functions: &[Function],
        known: &Registry,
    ) -> Self {
        let name = |it: &Function| it.signature.split('(').next().unwrap_or_default().to_owned();
        let required = functions.iter().map(|it| (name(it), it.requires.clone())).collect();
        let (skills, skill) = (Arc::downgrade(skills), Arc::new(skill.clone()));
        Self { skills, skill, required, known: known.clone() }
    }
}

impl AskingCode for ToolCode {
    fn bound(&self, function: &str, permit: &CallPermit) -> Arc<dyn Handler> {
        let library = &*self.skill.library.name;
        let tool = function.strip_prefix(library).and_then(|it| it.strip_prefix('.')).unwrap_or(function);
        let call = ToolCall {
            skills: Weak::clone(&self.skills),
            skill: Arc::clone(&self.skill),
            known: self.known.clone(),
            tool: tool.to_owned(),
            required: self.required.get(function).cloned().unwrap_or_default(),
            permit: permit.clone(),
        };
        Arc::new(move |invocation: Invocation| call.clone().run(invocation).boxed())
    }
}

/// The calls of one tool in one program.
#[derive(Clone)]
struct ToolCall {
    skills: Weak<SessionSkills>,
    skill: Arc<FoundSkill>,
    known: Registry,
    tool: String,
    /// The permissions that the guard before it has asked for.
    required: Vec<Requirement>,
    permit: CallPermit,
}

impl ToolCall {
    async fn run(self, invocation: Invocation) -> Result<dialect::Value, Interrupt> {
        let skills = self.skills.upgrade().ok_or_else(ended)?;
        skills.consent(&self.skill, &self.name(&self.tool), &self.permit).await?;
        skills.source.used(&self.skill.name, &self.tool);
        let call = Arc::new(self);
        let surroundings =
            SkillSurroundings { gate: Arc::clone(&call) as _, providers: vec![Arc::clone(&call) as _] };
        skills.source.call(&call.skill.name, &call.tool, surroundings, invocation).await
    }

    /// Returns the name of a tool in questions and in the audit log.
    fn name(&self, tool: &str) -> String {
        format!("{}.{tool}", self.skill.library.name)
    }

    async fn permitted(
        &self,
        tool: &str,
        requires: &[Requirement],
        arguments: dialect::Object,
    ) -> Result<(), Failure> {
        // The guard before the function has asked for what its row needs, and for no more.
        match tool == self.tool && requires.iter().all(|it| self.required.contains(it)) {
            true => Ok(()),
            false => self.permit.request(&self.name(tool), requires, &Arguments(arguments)).await,
        }
    }

    /// Calls a function of a plugin, by name where it has parameters of these names, and else in order.
    async fn plugin(
        &self,
        tool: &str,
        function: &str,
        invocation: Invocation,
    ) -> Result<dialect::Value, Interrupt> {
        let found = self.known.functions().find(|it| it.1.name == *function);
        let Some((_, signature, row)) = found else {
            let message = format!("`{tool}` is bound to `{function}`, which no plugin that runs has");
            return Err(Failure::raised("NotImplementedError", message).into());
        };
        self.permitted(tool, &row.requires, invocation.arguments.0.clone()).await?;
        let names: HashSet<&str> = signature.named_parameters().iter().map(|it| it.name.as_str()).collect();
        let by_name = invocation.arguments.0.keys().all(|it| names.contains(it.as_str()));
        let given = invocation
            .arguments
            .0
            .iter()
            .map(|(name, value)| GivenArgument { name: by_name.then(|| name.clone()), value: value.clone() });
        let Invocation { limits, work, notes, .. } = &invocation;
        Caller::new(&self.known, limits, work, notes).call(function, given.collect()).await
    }

    /// Returns whether a tool of the skill's document gives a text.
    fn gives_text(&self, tool: &str) -> bool {
        let rows = self.skill.library.functions.iter();
        let signatures = rows.filter_map(|it| Signature::parse(&it.signature).ok());
        let mut own = signatures.filter(|it| it.name == self.name(tool));
        own.next().is_some_and(|it| is_text(&it.returns))
    }
}

fn is_text(ty: &Type) -> bool {
    match ty {
        Type::Text => true,
        Type::Optional(inner) | Type::Refined(inner, _) => is_text(inner),
        _ => false,
    }
}

impl Gate for ToolCall {
    fn permits(&self, request: PermissionRequest) -> BoxFuture<'static, Result<(), Refusal>> {
        let call = self.clone();
        async move {
            let PermissionRequest { tool, requires, arguments, .. } = request;
            call.permitted(&tool, &requires, arguments).await.map_err(Refusal::from)
        }
        .boxed()
    }
}

impl Provider for ToolCall {
    fn implementation(&self, tool: &str) -> Option<Arc<dyn Handler>> {
        let skills = self.skills.upgrade()?;
        let binding = skills.binding(&self.skill, tool).cloned();
        if binding.is_none() && !self.skill.bodiless.iter().any(|it| it == tool) {
            return None; // a tool of a built-in module, or of another document
        }
        let (call, tool) = (self.clone(), tool.to_owned());
        let servers = Arc::clone(&skills.settings.servers);
        Some(Arc::new(move |invocation: Invocation| {
            let (call, tool, servers) = (call.clone(), tool.clone(), Arc::clone(&servers));
            let binding = binding.clone();
            async move {
                match binding {
                    Some(SkillBinding::Plugin(function)) => call.plugin(&tool, &function, invocation).await,
                    Some(SkillBinding::Mcp { server, tool: remote }) => {
                        let is_text = call.gives_text(&tool);
                        Ok(servers.call(&server, &remote, &invocation.arguments, is_text).await?)
                    }
                    None => {
                        let why = no_body(&call.skill.name, &tool);
                        let message = format!("`{tool}` cannot be called: {why}");
                        Err(Failure::raised("NotImplementedError", message).into())
                    }
                }
            }
            .boxed()
        }))
    }
}
