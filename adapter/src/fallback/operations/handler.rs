//! The operations of the wire as a trait: each is implemented in the file of its name, and listed in
//! [`table`](super::table).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ide_protocol::{IdeError, Operation, Question};

use crate::blocking;
use crate::fallback::edits::{Editor, NoEditor};
use crate::fallback::servers::run::lent::Lender;
use crate::fallback::session::Session;
use crate::fallback::source::deadlines::{Deadlines, OnProgress};
use crate::fallback::workspace::session_folders::SessionFolders;

/// An operation of the wire.
///
/// One that a language server answers sends a [`ServerQuery`](super::server_query::ServerQuery), which is
/// implemented beside it: [`about_symbol`](super::about_symbol::about_symbol) for the server of a symbol,
/// [`ask`](super::dispatch::ask) for the one of a file, [`ask_each`](super::every_language::ask_each) for
/// those of several languages.
pub(crate) trait Handler {
    /// Its row in the table of the wire.
    const OPERATION: Operation;
    type Question: Question;

    /// Answers a question; dropping the future cancels what runs for it, in the language servers too.
    async fn answer(call: &Call, question: Self::Question) -> Result<ResultOf<Self>, IdeError>;
}

/// The result of an operation.
pub(crate) type ResultOf<H> = <<H as Handler>::Question as Question>::Result;

/// A request without its question.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) session: Arc<Session>,
    pub(crate) within: Deadlines,
    pub(crate) caller: Caller,
    /// `true` if the question names something hidden.
    pub(crate) sees_hidden: bool,
}

impl Call {
    /// Runs what blocks on a thread of its own, to its end.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Session) -> T + Send + 'static,
    ) -> T {
        let session = Arc::clone(&self.session);
        blocking::spawn(move || work(&session)).await
    }

    /// Runs a walk over files on a thread of its own, with the deadline and a flag that is set when the
    /// future is dropped.
    pub(crate) async fn walk<T: Send + 'static>(
        &self,
        walk: impl FnOnce(&SessionFolders, Instant, &Arc<AtomicBool>) -> T + Send + 'static,
    ) -> T {
        let guard = CancelOnDrop::default();
        let (deadline, cancelled) = (self.within.deadline, Arc::clone(&guard.0));
        let result = self.blocking(move |session| walk(&session.roots, deadline, &cancelled)).await;
        drop(guard);
        result
    }
}

/// Sets a flag when dropped: the caller has gone, so the walk may end.
#[derive(Debug, Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The side that sends a request.
pub struct Caller {
    /// The callback for the progress of the request.
    pub on_progress: OnProgress,
    /// The editor, whose texts of files count, and which writes them.
    pub editor: Arc<dyn Editor>,
    /// The way to the language servers of the editor, if it lends them.
    pub lender: Option<Arc<dyn Lender>>,
}

impl Caller {
    /// Returns a caller without an editor: files are what they are on disk.
    pub fn without_editor(on_progress: OnProgress) -> Self {
        Self { on_progress, editor: Arc::new(NoEditor), lender: None }
    }
}

impl Default for Caller {
    /// Returns a caller without an editor, to which no progress is shown.
    fn default() -> Self {
        Self::without_editor(Box::new(|_, _| {}))
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").finish_non_exhaustive()
    }
}
