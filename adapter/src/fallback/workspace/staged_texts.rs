//! Texts that one caller is about to write. Calls about them see them in place of those on disk; no other call does.
//!
//! Servers know one text of a file, so that calls about other texts wait for each other, in the order in which they came.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::buffers::Buffers;
use crate::fallback::source::text::Text;
use unpoisoned::lock;

/// The texts that a call is about, by canonical path.
pub(crate) type Staged = BTreeMap<PathBuf, String>;

/// The texts that the running calls are about. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct StagedTexts(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    buffers: Buffers,
    /// The place at the head of the queue.
    head: tokio::sync::Mutex<()>,
    running: Mutex<Running>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Running {
    texts: Staged,
    calls: usize,
}

/// A call that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct StagedCall(Arc<Shared>);

impl StagedTexts {
    /// Creates the texts before an editor's buffers.
    pub(crate) fn new(buffers: Buffers) -> Self {
        let (head, running, ended) = (tokio::sync::Mutex::default(), Mutex::default(), Notify::new());
        Self(Arc::new(Shared { buffers, head, running, ended }))
    }

    /// Waits until no call about other texts runs.
    pub(crate) async fn begin(&self, texts: Staged) -> StagedCall {
        let shared = &self.0;
        let _head = shared.head.lock().await;
        loop {
            let ended = shared.ended.notified();
            if shared.try_begin(&texts) {
                return StagedCall(Arc::clone(shared));
            }
            ended.await;
        }
    }
}

impl Shared {
    fn try_begin(&self, texts: &Staged) -> bool {
        let mut running = lock(&self.running);
        if running.calls > 0 && running.texts != *texts {
            return false;
        }
        if running.texts != *texts {
            running.texts.clone_from(texts);
            self.stage(texts);
        }
        running.calls += 1;
        true
    }

    fn stage(&self, texts: &Staged) {
        let each = texts.iter().map(|(path, it)| (path.clone(), Arc::new(Text::from(it.clone()))));
        self.buffers.stage(each.collect());
    }
}

impl Drop for StagedCall {
    fn drop(&mut self) {
        let mut running = lock(&self.0.running);
        running.calls -= 1;
        if running.calls == 0 {
            if !running.texts.is_empty() {
                running.texts.clear();
                self.0.stage(&Staged::new());
            }
            self.0.ended.notify_one(); // only the head of the queue waits
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn texts(text: &str) -> Staged {
        if text.is_empty() {
            Staged::new()
        } else {
            Staged::from([(PathBuf::from("/a.rs"), text.to_owned())])
        }
    }

    fn shown(buffers: &Buffers) -> Option<String> {
        buffers.texts().values().next().map(|it| it.as_str().to_owned())
    }

    #[tokio::test]
    async fn calls_about_other_texts_wait_in_order() {
        let buffers = Buffers::default();
        let staged = StagedTexts::new(buffers.clone());
        let (one, same) = (staged.begin(texts("1")).await, staged.begin(texts("1")).await);
        assert_eq!(shown(&buffers).as_deref(), Some("1"));
        let mut other = Box::pin(staged.begin(Staged::new()));
        let mut third = Box::pin(staged.begin(texts("1")));
        assert!(other.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none(), "it came after another");
        drop((one, same));
        assert_eq!(shown(&buffers), None);
        let other = other.await;
        assert!(third.as_mut().now_or_never().is_none());
        drop(other);
        let _third = third.await;
        assert_eq!(shown(&buffers).as_deref(), Some("1"));
    }

    #[tokio::test]
    async fn a_call_that_is_given_up_keeps_nobody_waiting() {
        let staged = StagedTexts::new(Buffers::default());
        let one = staged.begin(texts("1")).await;
        assert!(staged.begin(texts("2")).now_or_never().is_none());
        let mut last = Box::pin(staged.begin(texts("3")));
        assert!(last.as_mut().now_or_never().is_none());
        drop(one);
        last.await;
    }
}
