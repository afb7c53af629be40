//! Permissions for programs that run without an editor: the same questions, files and memory as those of sessions, asked
//! by whoever runs them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ailang::Capability;
use dialect::{Arguments, Failure, Need, Object, Requirement};
use source_text::Span;

use crate::extension::Extensions;
use crate::permission::asker::{Asked, Asker, AskerLink};
use crate::permission::{Approval, Caller, Gate, Waiting};
use crate::state::State;

/// The time that a question stays open.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// The session of the questions: the process is one.
const SESSION: &str = "local";

/// The permissions of one process in one workspace.
pub struct LocalPermissions {
    gate: Arc<Gate>,
    workspace: Option<PathBuf>,
}

impl std::fmt::Debug for LocalPermissions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalPermissions").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl LocalPermissions {
    /// Opens the permissions of a workspace. Without a state folder, nothing can be granted.
    pub fn new(state: Option<&State>, workspace: Option<PathBuf>, asker: Arc<dyn Asker>) -> Self {
        let catalogue = Extensions::built_in().catalogue;
        let gate = Gate::new(Arc::new(AskerLink(asker)), catalogue, state, false).asking_directly();
        Self { gate: Arc::new(gate), workspace }
    }

    /// Allows a capability without a question, as long as this is there.
    pub fn allow(&self, capability: impl Into<String>) {
        self.gate.allow(capability);
    }

    /// Returns `true` if nobody has to be asked before that call.
    pub async fn is_granted(&self, tool: &str, requires: &[Requirement], declared: &[Capability]) -> bool {
        self.learn(declared);
        !self.gate.asks(&self.caller(String::new()), &needs(tool, requires)).await
    }

    /// Asks for what a call needs and was not granted before, and records its use.
    ///
    /// # Errors
    /// The user refuses, nobody can be asked, or the decision cannot be recorded.
    pub async fn request(
        &self,
        tool: &str,
        requires: &[Requirement],
        arguments: &Object,
        declared: &[Capability],
    ) -> Result<(), Failure> {
        self.learn(declared);
        let call = format!("{tool}({})", dialect::show(&dialect::Value::Object(arguments.clone())));
        let caller = Arc::new(self.caller(call));
        let (steps, _nobody_shows_them) = tokio::sync::mpsc::unbounded_channel();
        let waiting = Waiting { steps, patience: PATIENCE };
        let approval = Approval::request(&self.gate, &caller, &needs(tool, requires), waiting).await?;
        approval.use_for(tool, requires, &Arguments(arguments.clone())).await
    }

    fn caller(&self, program: String) -> Caller {
        let (session, workspace) = (SESSION.to_owned(), self.workspace.clone());
        Caller { session, workspace, program, changes: None, asked: Asked::Editor }
    }

    /// Takes the declarations of the documents that run now: one that was granted with other words is asked again. A
    /// document owns the capabilities under its id.
    fn learn(&self, declared: &[Capability]) {
        let mut catalogue = Extensions::built_in().catalogue;
        for capability in declared {
            let document = capability.id.rsplit_once('/').map_or("", |(document, _)| document);
            // Fails for a second declaration, which would change what the first one asks.
            let _ = catalogue.declare(document, capability.clone());
        }
        self.gate.know(catalogue);
    }
}

/// Returns the needs of a call that stands in no program.
fn needs(tool: &str, requires: &[Requirement]) -> Vec<Need> {
    let need = |requirement: &Requirement| Need {
        requirement: requirement.clone(),
        callable: tool.to_owned(),
        span: Span::default(),
    };
    requires.iter().map(need).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use ailang::GrantScope as Scope;
    use futures::FutureExt;
    use futures::future::BoxFuture;
    use serde_json::json;

    use super::*;
    use crate::audit::Log;
    use crate::permission::ConfirmedGrants;
    use crate::permission::asker::PermissionQuestion;
    use unpoisoned::lock;

    /// A user who chooses these options, one after the other.
    struct Scripted {
        choices: Mutex<Vec<&'static str>>,
        asked: Mutex<Vec<PermissionQuestion>>,
    }

    impl Asker for Scripted {
        fn ask(&self, question: PermissionQuestion) -> BoxFuture<'static, Result<Option<String>, String>> {
            lock(&self.asked).push(question);
            let choice = lock(&self.choices).pop();
            futures::future::ready(choice.map(|it| Some(it.to_owned())).ok_or_else(|| "nobody".to_owned()))
                .boxed()
        }
    }

    struct World {
        _folder: tempfile::TempDir,
        state: State,
        user: Arc<Scripted>,
    }

    impl World {
        fn new(choices: &[&'static str]) -> Self {
            let folder = tempfile::TempDir::new().unwrap();
            let state = State::at(folder.path().join("state"));
            let choices = Mutex::new(choices.iter().rev().copied().collect());
            Self { _folder: folder, state, user: Arc::new(Scripted { choices, asked: Mutex::default() }) }
        }

        fn permissions(&self) -> LocalPermissions {
            LocalPermissions::new(Some(&self.state), Some("/work".into()), Arc::clone(&self.user) as _)
        }

        fn actions(&self) -> Vec<String> {
            let mut actions = Vec::new();
            Log::new(self.state.clone())
                .verify(|it| actions.push(json!(it.event.action).to_string()))
                .unwrap();
            actions
        }
    }

    async fn send(permissions: &LocalPermissions, declared: &Capability) -> Result<(), Failure> {
        let requires = [Requirement::new("mail/Send")];
        permissions.request("send", &requires, &Object::default(), std::slice::from_ref(declared)).await
    }

    #[tokio::test]
    async fn the_options_are_those_of_the_declaration() {
        let ids = |scopes: &[Scope]| {
            let declared = Capability::new("mail/Send", "Send mail").scopes(scopes.iter().copied());
            async move {
                let world = World::new(&["ailang.deny"]);
                send(&world.permissions(), &declared).await.unwrap_err();
                let asked = lock(&world.user.asked).remove(0);
                assert!(asked.title.contains("Send mail") && asked.call.starts_with("send("), "{asked:?}");
                asked.options.into_iter().map(|it| it.0).collect::<Vec<_>>()
            }
        };
        let all = ids(&Scope::ALL).await;
        let expected =
            ["ailang.once", "ailang.session", "ailang.persistent", "ailang.deny", "ailang.deny_session"];
        assert_eq!(all, expected);
        assert_eq!(ids(&[Scope::Once]).await, ["ailang.once", "ailang.deny", "ailang.deny_session"]);
        assert_eq!(ids(&[Scope::Persistent]).await[0], "ailang.persistent");
    }

    #[tokio::test]
    async fn a_grant_holds_as_long_as_it_says() {
        let declared = Capability::new("mail/Send", "Send mail");
        let world = World::new(&["ailang.once", "ailang.session", "ailang.persistent"]);
        let first = world.permissions();
        for _ in 0..3 {
            send(&first, &declared).await.unwrap(); // once, then for the session
        }
        assert_eq!(lock(&world.user.asked).len(), 2);
        send(&world.permissions(), &declared).await.unwrap(); // another session, where it is allowed for good
        let last = world.permissions();
        assert!(
            last.is_granted("send", &[Requirement::new("mail/Send")], std::slice::from_ref(&declared)).await
        );
        send(&last, &declared).await.unwrap();
        assert_eq!(lock(&world.user.asked).len(), 3);
        let confirmed = ConfirmedGrants::all(&world.state).unwrap();
        assert_eq!(confirmed["/work"].grants.iter().count(), 1);
        // Another declaration is another question, which nobody answers.
        let failure = send(&last, &Capability::new("mail/Send", "Send anything")).await.unwrap_err();
        assert!(dialect::diagnostic(&failure).message.contains("nobody"), "{failure:?}");
        let used = world.actions().iter().filter(|it| *it == "\"used\"").count();
        assert_eq!(used, 5);
    }

    #[tokio::test]
    async fn a_refusal_is_not_asked_again() {
        let declared = Capability::new("mail/Send", "Send mail");
        let world = World::new(&["ailang.deny"]);
        let permissions = world.permissions();
        send(&permissions, &declared).await.unwrap_err();
        send(&permissions, &declared).await.unwrap_err();
        assert_eq!(lock(&world.user.asked).len(), 1);
        permissions.allow("mail/Send");
        send(&permissions, &declared).await.unwrap();
    }
}
