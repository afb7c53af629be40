//! Writing the changes of a program.

use dialect::{GivenArgument, Limits, Object, Outcome, Program};
use ide_protocol::{ChangedFile, DraftQuestion, Edit, EditsResult, FileEdit, IdeError, Operation};
use script_protocol::CallOutcome;
use serde_json::{Value, json};

use super::outcomes::{failed, returned};
use super::{Calls, Environment};
use crate::permission::Changes;
use crate::script::overlay::Overlay;
use crate::tool::dry_run::APPLY;
use unpoisoned::lock;

/// The title of the edit of a whole program.
const TITLE: &str = "Make the changes of a script";

impl Calls {
    /// Writes all changes, once the user permits it, or none of them.
    pub(crate) async fn commit(&self, label: &str) -> CallOutcome {
        let files = lock(&self.overlay).files();
        if files.is_empty() || self.is_dry {
            return returned(label, &json!([]), Vec::new());
        }
        let question = DraftQuestion { title: TITLE.to_owned(), files };
        let client = self.environment.client();
        let drafted: Result<EditsResult, IdeError> = client.ask(Operation::Draft, &question).await;
        let edits = match drafted {
            Ok(drafted) => drafted.edits,
            Err(why) => return failed(label, why),
        };
        let registry = self.environment.loaded.extensions.tables();
        let ids: Vec<Value> = edits.iter().map(|it| json!({ "id": it.id })).collect();
        let arguments = [GivenArgument { name: None, value: Value::Array(ids).into() }];
        let program =
            match Program::of_call(registry, APPLY, &arguments, &Object::default(), &Limits::default()) {
                Ok(program) => program,
                Err(failures) => {
                    return self.outcome(0, label, Outcome::Failure(failures), Object::default());
                }
            };
        let pause = self.clock.pause();
        let outcome = self.evaluated(&program, self.environment.client()).await;
        drop(pause);
        if let Outcome::Success(_) = &outcome {
            lock(&self.written).extend(changed(&edits));
            let Environment { gate, caller, .. } = &self.environment;
            gate.show_made(caller, &Changes::new(edits, None));
            *lock(&self.overlay) = Overlay::default();
        }
        self.outcome(0, label, outcome, Object::default())
    }
}

/// Returns the files that edits change.
pub(super) fn changed(edits: &[Edit]) -> Vec<ChangedFile> {
    let files = edits.iter().flat_map(|it| &it.files);
    let changed = files.map(|it| {
        let FileEdit { path, changes, fate, to, .. } = it.clone();
        ChangedFile { path, changes, fate, to }
    });
    changed.collect()
}
