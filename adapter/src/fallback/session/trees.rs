//! The trees of a session: its own, and the others that questions named a path in, each with servers of its own.
//!
//! So an answer about another tree is that of a session which was opened there, with paths as the agent's session has
//! them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ide_protocol::Subjects;

use super::Session;
use crate::fallback::edits::FileChange;
use crate::fallback::workspace::session_folders::Located;
use unpoisoned::lock;

/// The time after which a tree without questions is forgotten, with its servers.
const UNUSED: Duration = Duration::from_secs(10 * 60);

/// The maximum number of other trees; the one that was unused for longest goes.
const LIMIT: usize = 8;

/// The sessions of the trees of one session.
#[derive(Debug)]
pub(crate) struct SessionTrees {
    pub(crate) own: Arc<Session>,
    others: Mutex<Vec<OtherTrees>>,
}

/// The session that answers a question.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) session: Arc<Session>,
    /// `true` if the question names something hidden there.
    pub(crate) sees_hidden: bool,
}

/// The session of other trees: mostly of one, of several for a question that names paths in several.
#[derive(Debug)]
struct OtherTrees {
    folders: Vec<PathBuf>,
    session: Arc<Session>,
    used: Instant,
}

impl SessionTrees {
    /// Starts with the own tree.
    pub(crate) fn new(own: Arc<Session>) -> Self {
        Self { own, others: Mutex::default() }
    }

    /// Returns the session that answers a question; blocking. The paths and edits that it names decide.
    pub(crate) fn session_about(&self, subjects: &Subjects) -> About {
        let own = &self.own;
        let places: Vec<_> = subjects.paths.iter().map(|it| own.roots.locate(it)).collect();
        let tree_of = |it: &Option<Located>| own.roots.tree_of(&it.as_ref()?.path);
        let mut trees: BTreeSet<_> = places.iter().map(tree_of).collect();
        for id in &subjects.edits {
            if let Some(action) = own.offers.find(id) {
                trees.insert(tree_of(&own.roots.locate(&action.request.path)));
            }
            let preview = own.previews.find(id);
            let files = preview.iter().flat_map(|it| it.files.iter().flat_map(FileChange::paths));
            trees.extend(files.map(|it| own.roots.tree_of(it)));
        }
        let session = if trees.iter().all(Option::is_none) {
            self.forget_unused();
            Arc::clone(own)
        } else {
            let own_folders = own.roots.folders().iter().filter(|_| trees.contains(&None)).cloned();
            self.session_of(own_folders.chain(trees.iter().flatten().cloned()).collect())
        };
        let sees_hidden = places.iter().flatten().any(|it| it.exists && session.roots.is_hidden(&it.path));
        About { session, sees_hidden }
    }

    /// Returns the session of these trees, which is opened if there is none.
    pub(crate) fn session_of(&self, folders: Vec<PathBuf>) -> Arc<Session> {
        self.forget_unused();
        let mut others = lock(&self.others);
        if let Some(known) = others.iter_mut().find(|it| it.folders == folders) {
            known.used = Instant::now();
            return Arc::clone(&known.session);
        }
        if others.len() >= LIMIT {
            others.sort_by_key(|it| std::cmp::Reverse(it.used));
            others.truncate(LIMIT - 1);
        }
        let session = self.own.of_trees(folders.clone());
        others.push(OtherTrees { folders, session: Arc::clone(&session), used: Instant::now() });
        session
    }

    /// Returns the sessions of all trees.
    pub(crate) fn all(&self) -> Vec<Arc<Session>> {
        let others = lock(&self.others).iter().map(|it| Arc::clone(&it.session)).collect::<Vec<_>>();
        others.into_iter().chain([Arc::clone(&self.own)]).collect()
    }

    /// Forgets trees that are gone, or that no question was about for a while. Calls that run keep theirs.
    fn forget_unused(&self) {
        let is_used = |it: &OtherTrees| it.used.elapsed() < UNUSED && it.folders.iter().all(|it| it.exists());
        lock(&self.others).retain(is_used);
    }
}
