//! The calls of functions of the registry, and whole programs of Dialect.

use std::sync::Arc;

use dialect::{Effect, Failures, GivenArgument, Limits, Object, Outcome, Program};
use ide_protocol::{EditedTextsQuestion, EditedTextsResult, IdeError, Operation};
use script_protocol::{CallOutcome, ErrorKind};
use serde_json::json;

use super::commit::changed;
use super::outcomes::{error, failed, invalid, read_only, returned};
use super::{Calls, Given};
use crate::acp::upstream::CallClient;
use crate::permission::{Caller, WhileAsking};
use crate::script::stubs;
use crate::tool::dry_run::{self, DryRun, dry_run};
use crate::tool::interpret::{RunContext, evaluate};
use unpoisoned::lock;

impl Calls {
    /// Calls a function of the registry.
    pub(super) async fn library_function(
        &self,
        number: u64,
        label: &str,
        (namespace, name): (&str, &str),
        Given { positional, named, mark }: Given,
    ) -> CallOutcome {
        let registry = self.environment.loaded.extensions.tables();
        let Some((function, _)) = stubs::find(registry, namespace, name) else {
            return invalid(label, "there is no such function");
        };
        let is_name = |it: &str| it.chars().all(|it| it.is_alphanumeric() || it == '_');
        if let Some(key) = named.keys().find(|it| !is_name(it)) {
            return invalid(label, &format!("`{key}` is no name of a parameter"));
        }
        let positional = positional.into_iter().map(|it| (None, it));
        let named = named.into_iter().map(|(name, it)| (Some(name), it));
        let mut values = self.values(number, mark.as_deref());
        let given = positional
            .chain(named)
            .map(|(name, it)| Ok(GivenArgument { name, value: values.read(it)? }))
            .collect::<Result<Vec<_>, String>>();
        let arguments = match given {
            Ok(arguments) => arguments,
            Err(why) => return invalid(label, &why),
        };
        let functions = values.functions;
        let program = Program::of_call(registry, function, &arguments, &functions, &Limits::default());
        self.run(number, label, program, functions).await
    }

    /// Reads a program of Dialect, in which functions have names.
    pub(super) fn parsed(&self, program: &str, functions: &Object) -> Result<Program, Failures> {
        let registry = self.environment.loaded.extensions.tables();
        Program::parse_with(registry, program, &Limits::default(), functions)
    }

    /// Runs a program of Dialect, in which `functions` have names. Edits that it applies go into the overlay.
    pub(super) async fn run(
        &self,
        number: u64,
        label: &str,
        program: Result<Program, Failures>,
        functions: Object,
    ) -> CallOutcome {
        let program = match program {
            Ok(program) => program,
            Err(failures) => return self.outcome(number, label, Outcome::Failure(failures), functions),
        };
        let effect = program.effect();
        let client = self.client_of_changes();
        let unseen = if effect == Effect::Pure { None } else { self.unseen(label, &client) };
        if !program.needs().is_empty() && dry_run::applies_to(&program) {
            return self.stage(number, label, &program, &client).await;
        }
        if self.is_dry && effect == Effect::Writes {
            let message = format!("{label} would change something, and this is a dry run");
            return error(label, ErrorKind::Denied, message);
        }
        let outcome = self.evaluated(&program, client).await;
        let outcome = self.outcome(number, label, outcome, functions);
        match (outcome, unseen) {
            (CallOutcome::Success { value, mark, mut notes }, Some(unseen)) => {
                notes.push(unseen);
                CallOutcome::Success { value, mark, notes }
            }
            (outcome, _) => outcome,
        }
    }

    /// Returns a client whose questions are about the files as this program has changed them.
    fn client_of_changes(&self) -> Arc<CallClient> {
        let texts = lock(&self.overlay).texts();
        self.environment.client_about(texts)
    }

    /// Returns a note on the changes of this program that a call with this client does not see.
    fn unseen(&self, label: &str, client: &CallClient) -> Option<String> {
        let overlay = lock(&self.overlay);
        let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let (changed, gone) = (overlay.len(), overlay.listed().1.len());
        let what = match client.is_about_unsaved() || overlay.texts().is_empty() {
            _ if changed == 0 => return None,
            true if gone == 0 => return None,
            true => format!("still sees {} that this program has removed or moved", files(gone)),
            false => {
                format!("knows the files on disk, without the changes of this program in {}", files(changed))
            }
        };
        Some(format!("{label} {what}; `await fs.commit()` writes them first"))
    }

    /// Evaluates a program. The clock of the script stands still while the user is asked.
    pub(super) async fn evaluated(&self, program: &Program, client: Arc<CallClient>) -> Outcome {
        let caller = Caller { program: program.source().to_owned(), ..self.environment.caller.clone() };
        let needs = program.needs();
        let asks = !needs.is_empty() && self.environment.gate.asks(&caller, needs).await;
        let _pause = asks.then(|| self.clock.pause());
        let clock = Arc::clone(&self.clock);
        let while_asking: WhileAsking = Arc::new(move || Box::new(clock.hold()));
        let context = RunContext { while_asking: Some(while_asking), ..self.environment.context(client) };
        evaluate(caller, program, context).await
    }

    /// Puts the edits that a program would apply into the overlay.
    async fn stage(
        &self,
        number: u64,
        label: &str,
        program: &Program,
        client: &Arc<CallClient>,
    ) -> CallOutcome {
        if self.environment.read_only {
            return read_only(label);
        }
        let extensions = &self.environment.loaded.extensions;
        let shown = match dry_run(program, client, extensions).await {
            DryRun::Ends(outcome) => return self.outcome(number, label, outcome, Object::default()),
            DryRun::Changes(None) => {
                let message = "its edits are not known, so that they cannot be made with the other changes; apply \
                               them with ide_operation";
                return error(label, ErrorKind::Failure, message.to_owned());
            }
            DryRun::Changes(Some(shown)) => shown,
        };
        let question = EditedTextsQuestion { edits: shown.ids };
        let texts: Result<EditedTextsResult, IdeError> = client.ask(Operation::EditedTexts, &question).await;
        let files = match texts {
            Ok(texts) => texts.files,
            Err(why) => return failed(label, why),
        };
        let changed_files = ide_library::changed_files(&changed(&shown.edits));
        match lock(&self.overlay).take(files) {
            Ok(()) => returned(label, &json!(changed_files), Vec::new()),
            Err(path) => error(
                label,
                ErrorKind::Failure,
                format!(
                    "this program has changed `{path}` already, and the edit is for its text on disk; write the \
                     changes first: await fs.commit()"
                ),
            ),
        }
    }
}
