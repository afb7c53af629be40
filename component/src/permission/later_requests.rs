//! Requests for permissions that only show while a program runs: in the body of a skill's tool.

use std::sync::Arc;
use std::time::Duration;

use dialect::{Failure, Need, Requirement};
use source_text::Span;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::approval::Approval;
use super::caller::{Caller, Waiting};
use super::gate::Gate;
use crate::acp::upstream::{CallClient, ProgressStep};

/// Begins something that lasts as long as its result is held: a pause of a script's clock.
pub(crate) type WhileAsking = Arc<dyn Fn() -> Box<dyn Send> + Send + Sync>;

/// The way to ask the user while a program runs.
pub(crate) struct LaterRequests {
    pub(crate) gate: Arc<Gate>,
    pub(crate) caller: Arc<Caller>,
    /// The client of the program, whose deadline does not run while the user decides.
    pub(crate) client: Arc<CallClient>,
    pub(crate) while_asking: Option<WhileAsking>,
    pub(crate) steps: UnboundedSender<ProgressStep>,
    pub(crate) patience: Duration,
    /// The time that the program may take once the user has decided.
    pub(crate) deadline: Duration,
}

impl LaterRequests {
    /// Asks the user for what one call needs.
    ///
    /// # Errors
    /// A permission is denied.
    pub(super) async fn approval(
        &self,
        callable: &str,
        requires: &[Requirement],
    ) -> Result<Approval, Failure> {
        let need = |it: &Requirement| Need {
            requirement: it.clone(),
            callable: callable.to_owned(),
            span: Span::default(),
        };
        let needs: Vec<Need> = requires.iter().map(need).collect();
        let waiting = Waiting { steps: self.steps.clone(), patience: self.patience };
        let _asking = self.while_asking.as_ref().map(|begin| begin());
        self.client.postpone(Instant::now() + self.patience + self.deadline);
        let approval = Approval::request_within(&self.gate, &self.caller, &needs, waiting).await;
        self.client.postpone(Instant::now() + self.deadline);
        approval
    }
}
