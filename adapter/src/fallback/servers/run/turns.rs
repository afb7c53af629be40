//! Turns of editors at one server. A server knows one text of a file, so that queries with other unsaved texts wait for
//! each other, in the order in which they came.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use crate::fallback::workspace::buffers::{Buffers, Texts, are_same};
use crate::fallback::workspace::session_folders::SessionFolders;
use unpoisoned::lock;

/// The turns at one server.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The place at the head of the queue.
    head: tokio::sync::Mutex<()>,
    running: Mutex<Running>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Running {
    /// The texts that the running queries are about.
    texts: Texts,
    /// The number of queries of each editor, by [`Buffers::id`].
    queries: HashMap<usize, usize>,
}

/// The asker of a query: an editor, with the texts of one session's tree or all.
#[derive(Clone, Debug)]
pub(crate) enum Asker {
    Session(Arc<SessionFolders>),
    Editor(Buffers),
}

/// A query's turn, until it is dropped. Nobody may wait for another turn meanwhile.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    /// The asker, whose editor keeps its id as long as this exists.
    pub(crate) asker: Asker,
}

impl Asker {
    /// Returns the editor's buffers.
    pub(crate) fn buffers(&self) -> &Buffers {
        match self {
            Self::Session(folders) => folders.buffers(),
            Self::Editor(buffers) => buffers,
        }
    }

    /// Returns the texts that replace those on disk.
    pub(crate) fn texts(&self) -> Texts {
        match self {
            Self::Session(folders) => folders.texts(),
            Self::Editor(buffers) => buffers.texts(),
        }
    }
}

impl Turns {
    /// Waits until no query of another editor with other texts runs. `own` selects the texts that the server gets.
    pub(crate) async fn begin(self: &Arc<Self>, asker: &Asker, own: impl Fn(&Texts) -> Texts) -> Arc<Turn> {
        let _head = self.head.lock().await;
        loop {
            let ended = self.ended.notified();
            if let Some(turn) = self.try_begin(asker, &own) {
                return turn;
            }
            ended.await;
        }
    }

    /// Begins a turn if nobody has to be waited for. Queries of one editor run together, whatever its texts become: one
    /// whose texts changed starts over.
    pub(crate) fn try_begin(
        self: &Arc<Self>,
        asker: &Asker,
        own: impl Fn(&Texts) -> Texts,
    ) -> Option<Arc<Turn>> {
        let (texts, id) = (own(&asker.texts()), asker.buffers().id());
        let mut running = lock(&self.running);
        let is_alone = running.queries.keys().all(|it| *it == id);
        if !is_alone && !are_same(&running.texts, &texts) {
            return None;
        }
        running.texts = texts;
        *running.queries.entry(id).or_default() += 1;
        Some(Arc::new(Turn { turns: Arc::clone(self), asker: asker.clone() }))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut running = lock(&self.turns.running);
        let id = self.asker.buffers().id();
        if let Some(queries) = running.queries.get_mut(&id) {
            *queries -= 1;
            if *queries == 0 {
                running.queries.remove(&id);
                self.turns.ended.notify_one(); // only the head of the queue waits
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use futures::FutureExt;

    use super::*;

    fn editor(text: Option<&str>) -> Asker {
        let buffers = Buffers::default();
        if let Some(text) = text {
            buffers.set_editor_text(Path::new("/no/such.rs"), text.to_owned());
        }
        Asker::Editor(buffers)
    }

    fn all(texts: &Texts) -> Texts {
        Arc::clone(texts)
    }

    #[test]
    fn editors_with_the_same_texts_share_a_server() {
        let turns = Arc::new(Turns::default());
        let (plain, other) = (editor(None), editor(None));
        let first = turns.try_begin(&plain, all).unwrap();
        let second = turns.try_begin(&other, all).unwrap();
        assert!(turns.try_begin(&editor(Some("1")), all).is_none());
        drop((first, second));
        let _mine = turns.try_begin(&editor(Some("1")), all).unwrap();
        assert!(turns.try_begin(&editor(Some("1")), all).is_some() && turns.try_begin(&plain, all).is_none());
    }

    #[tokio::test]
    async fn others_wait_in_order() {
        let turns = Arc::new(Turns::default());
        let (mine, other, plain) = (editor(Some("1")), editor(Some("2")), editor(None));
        let running = turns.begin(&mine, all).await;
        let mut waiting = Box::pin(turns.begin(&other, all));
        assert!(waiting.as_mut().now_or_never().is_none());
        let mut third = Box::pin(turns.begin(&mine, all));
        assert!(third.as_mut().now_or_never().is_none(), "it came after another");
        let mut given_up = Box::pin(turns.begin(&plain, all));
        assert!(given_up.as_mut().now_or_never().is_none());
        drop(given_up);
        drop(running);
        let running = waiting.await;
        assert!(third.as_mut().now_or_never().is_none());
        drop(running);
        third.await;
    }

    #[test]
    fn an_editor_never_waits_for_itself() {
        let turns = Arc::new(Turns::default());
        let mine = editor(Some("1"));
        let _first = turns.try_begin(&mine, all).unwrap();
        mine.buffers().set_editor_text(Path::new("/no/such.rs"), "2".into());
        assert!(turns.try_begin(&mine, all).is_some());
    }
}
