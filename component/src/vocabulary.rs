//! Everything that a program can name, made before a program needs it: that takes longer than most programs do.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use dialect::Registry;

use crate::extension::Extensions;
use crate::lock;
use crate::permission::Pass;
use crate::upstream::Asker;

/// How long after an answer the next vocabulary is made: not while the answer is on its way.
const PAUSE: Duration = Duration::from_millis(20);

/// What one program can name, and the ends at which it is bound to that program.
pub(crate) struct Vocabulary {
    pub(crate) registry: Registry,
    pub(crate) line: Arc<Line>,
    pub(crate) pass: Pass,
}

/// Where the questions of one program go, once there is somebody.
#[derive(Default)]
pub(crate) struct Line(OnceLock<Arc<Asker>>);

impl Line {
    /// One that leads there.
    pub(crate) fn to(asker: &Arc<Asker>) -> Self {
        Self(OnceLock::from(Arc::clone(asker)))
    }

    /// Questions go there from now on.
    pub(crate) fn connect(&self, asker: &Arc<Asker>) {
        let is_first = self.0.set(Arc::clone(asker)).is_ok();
        assert!(is_first, "a vocabulary serves one program");
    }
}

impl Deref for Line {
    type Target = Asker;

    fn deref(&self) -> &Asker {
        self.0.get().expect("it is connected before a program is read")
    }
}

/// The vocabulary of the next program.
pub(crate) struct Spare {
    extensions: Extensions,
    next: Mutex<Option<Vocabulary>>,
}

impl Spare {
    /// For programs that can use these extensions.
    pub(crate) fn of(extensions: Extensions) -> Self {
        Self { extensions, next: Mutex::default() }
    }

    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// For one program.
    pub(crate) fn take(&self) -> Vocabulary {
        let next = lock(&self.next).take();
        next.unwrap_or_else(|| self.make())
    }

    /// Makes the next one, if there is none, when nobody waits.
    pub(crate) fn fill_soon(self: &Arc<Self>) {
        let spare = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(PAUSE).await;
            if lock(&spare.next).is_none() {
                let made = spare.make();
                lock(&spare.next).get_or_insert(made);
            }
        });
    }

    fn make(&self) -> Vocabulary {
        let (line, pass) = (Arc::<Line>::default(), Pass::default());
        let registry = self.extensions.registry(line.clone(), &pass);
        Vocabulary { registry, line, pass }
    }
}
