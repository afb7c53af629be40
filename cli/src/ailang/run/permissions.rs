//! The permissions of a run: what the user granted before, and questions on the terminal for the rest.

use std::path::Path;
use std::sync::Arc;

use ailang::{Capability, Fixtures, Gate, PermissionRequest, Refusal};
use built_in_modules::BuiltInModules;
use component::{Asker, LocalPermissions, PermissionQuestion};
use dialect::Requirement;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::user::User;
use crate::environment::workspace;
use crate::failure::Failure;
use crate::grants::state;

/// The permissions of a run, in the workspace or the current folder.
#[derive(Debug)]
pub(super) struct Permissions {
    local: Arc<LocalPermissions>,
    /// The fixtures, when they answer instead of providers: they do nothing that needs a permission.
    mocked: Option<Fixtures>,
}

impl Permissions {
    /// Opens the permissions of a workspace; by default the current folder.
    ///
    /// # Errors
    /// There is no such folder.
    pub(super) fn new(folder: Option<&Path>, user: Arc<User>) -> Result<Self, Failure> {
        let (folder, asker) = (workspace(folder)?, Arc::new(Terminal(user)));
        let local = LocalPermissions::new(state().ok().as_ref(), Some(folder), asker);
        Ok(Self { local: Arc::new(local), mocked: None })
    }

    /// Grants everything that fixtures and bodies do, since nothing happens. What a built-in module does without a fixture
    /// is real, and asked about.
    pub(super) fn of_fixtures(self, fixtures: Fixtures) -> Self {
        Self { mocked: Some(fixtures), ..self }
    }

    /// Returns `true` if nothing happens in a call.
    fn is_mocked(&self, tool: &str) -> bool {
        let fixtures = self.mocked.as_ref();
        fixtures.is_some_and(|it| it.has(tool) || !BuiltInModules::reaches_out(tool))
    }

    /// Grants a capability for this run, and those that it consists of. Parts with restrictions are left out: a grant
    /// without them would allow more.
    pub(super) fn grant(&self, id: &str, declared: &[Capability]) {
        let is_whole = |it: &Requirement| it.restrictions.is_empty();
        for part in simple(&Requirement::new(id), declared).into_iter().filter(is_whole) {
            self.local.allow(part.capability);
        }
    }
}

impl Gate for Permissions {
    fn permits(&self, request: PermissionRequest) -> BoxFuture<'static, Result<(), Refusal>> {
        if self.is_mocked(&request.tool) {
            return std::future::ready(Ok(())).boxed();
        }
        let local = Arc::clone(&self.local);
        async move {
            let PermissionRequest { tool, requires, arguments, declared } = &request;
            if !User::is_there() && !local.is_granted(tool, requires, declared).await {
                return Err(nobody_to_ask(&request));
            }
            local.request(tool, requires, arguments, declared).await.map_err(Refusal::from)
        }
        .boxed()
    }
}

/// Returns the refusal without a terminal.
fn nobody_to_ask(request: &PermissionRequest) -> Refusal {
    let all = request.requires.iter().flat_map(|it| simple(it, &request.declared));
    let mut ids: Vec<String> = Vec::new();
    all.for_each(|it| ids.extend((!ids.contains(&it.capability)).then_some(it.capability)));
    let options: Vec<String> = ids.iter().map(|it| format!("--grant {it}")).collect();
    Refusal {
        reason: format!("nobody granted {}, and there is no terminal to ask on", ids.join(", ")),
        recovery: format!(
            "Pass `{}`, run it on a terminal, or check nothing with `--capability-mode audit`.",
            options.join(" ")
        ),
    }
}

/// Returns the capabilities that one consists of, which are asked for in its place; a simple one is itself.
fn simple(requirement: &Requirement, declared: &[Capability]) -> Vec<Requirement> {
    let (mut simple, mut seen, mut pending) = (Vec::new(), Vec::new(), vec![requirement.clone()]);
    while let Some(requirement) = pending.pop() {
        if seen.contains(&requirement) {
            continue;
        }
        let parts =
            declared.iter().find(|it| it.id == requirement.capability).map_or(&[][..], |it| &it.parts);
        if parts.is_empty() {
            simple.push(requirement.clone());
        }
        pending.extend(parts.iter().rev().cloned());
        seen.push(requirement);
    }
    simple
}

/// Returns the id of a capability that the user names, with or without its document.
///
/// # Errors
/// The documents declare none of that name, or several.
pub(super) fn named(name: &str, declared: &[Capability]) -> Result<String, Failure> {
    let known: Vec<String> = declared.iter().cloned().chain(Capability::prelude()).map(|it| it.id).collect();
    let fits = |id: &&String| *id == name || id.rsplit('/').next() == Some(name);
    let found: Vec<String> = known.iter().filter(fits).cloned().collect();
    match &found[..] {
        [only] => Ok(only.clone()),
        [] => Err(format!("there is no capability `{name}`; there are: {}", known.join(", ")).into()),
        _ => Err(format!("`{name}` can be one of: {}", found.join(", ")).into()),
    }
}

/// The user as the one who decides.
struct Terminal(Arc<User>);

impl Asker for Terminal {
    fn ask(&self, question: PermissionQuestion) -> BoxFuture<'static, Result<Option<String>, String>> {
        let user = Arc::clone(&self.0);
        async move {
            let PermissionQuestion { title, description, call, options, .. } = question;
            let description = if description == title { String::new() } else { format!("{description}\n") };
            let shown = format!("Permission needed. {title}\n{description}{call}");
            let names: Vec<String> = options.iter().map(|it| it.1.clone()).collect();
            let chosen = user.choose(&shown, &names).await;
            Ok(chosen.map(|it| options[it].0.clone()))
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_composed_capability_is_its_parts() {
        let write = Requirement::new("cap/Write").restricted("paths", vec!["src".to_owned()]);
        let declared = [
            Capability::new("cap/Read", ""),
            Capability::new("cap/Write", ""),
            Capability::composed("cap/Both", vec![Requirement::new("cap/Read"), write.clone()]),
            Capability::composed("cap/All", vec![Requirement::new("cap/Both"), Requirement::new("cap/Read")]),
        ];
        let parts = [Requirement::new("cap/Read"), write];
        assert_eq!(simple(&Requirement::new("cap/All"), &declared), parts);
        assert_eq!(simple(&Requirement::new("cap/Read"), &declared), parts[..1]);
    }

    #[test]
    fn a_capability_is_named_with_or_without_its_document() {
        let declared = ["mail/Send", "mail/Read", "chat/Send"].map(|id| Capability::new(id, ""));
        assert_eq!(named("mail/Send", &declared).unwrap(), "mail/Send");
        assert_eq!(named("Read", &declared).unwrap(), "mail/Read");
        let several = named("Send", &declared).unwrap_err().to_string();
        assert_eq!(several, "`Send` can be one of: mail/Send, chat/Send");
        let none = named("Sned", &declared).unwrap_err().to_string();
        let first = "there is no capability `Sned`; there are: mail/Send, mail/Read, chat/Send, prelude/";
        assert!(none.starts_with(first), "{none}");
        assert_eq!(named("NetworkAccess", &[]).unwrap(), "prelude/NetworkAccess");
    }
}
