//! An edit is seen by the next question.

use std::fs;

use adapter::fallback::Write;
use libtest_mimic::Failed;
use tokio::runtime::Runtime;

use super::languages::Language;
use super::project::{Change, Files, Project, Question};
use super::verdict::Figures;
use super::ways::Way;
use crate::world::World;

/// The least percentage of right answers. The others may report that the machine was too busy.
const LEAST_RIGHT: usize = 95;

/// Edits and asks at once, again and again, on disk and through the editor in turn; then says what came of it.
pub(crate) fn edit_and_ask(
    runtime: &Runtime,
    language: &'static Language,
    server: &str,
    rounds: usize,
) -> Result<(), Failed> {
    let mut project = Project::new(language, 12, 4, 7);
    let world = language.world(server);
    let mut workspace = EditedWorkspace { world, files: Files::new(), figures: Figures::of(language) };
    workspace.save(project.files());
    workspace.world.open(runtime);
    runtime.block_on(async {
        workspace.ask(&[project.any_question(0)], "at the start").await;
        for round in 0..rounds {
            let change = Change::ALL[round % Change::ALL.len()];
            let when = format!("round {round}, {change:?}");
            let before = project.clone();
            let questions = project.change(change);
            let way = (round + round / Change::ALL.len()) % 3;
            // Editors are not asked to remove files.
            if way == 0 || change == Change::DeleteFile {
                workspace.save(project.files());
                workspace.ask(&questions, &format!("{when}, on disk")).await;
                continue;
            }
            let writes = workspace.request(&project.files());
            workspace.ask(&questions, &format!("{when}, requested")).await;
            if way == 1 {
                workspace.save(project.files());
                writes.iter().for_each(|it| workspace.world.fallback.write_ends(it, true));
                workspace.ask(&questions, &format!("{when}, written")).await;
            } else {
                writes.iter().for_each(|it| workspace.world.fallback.write_ends(it, false));
                project = before;
                let questions: Vec<_> = questions.iter().filter_map(|it| project.again(it)).collect();
                workspace.ask(&questions, &format!("{when}, refused")).await;
            }
        }
        workspace.world.fallback.shutdown().await;
    });
    workspace.figures.report(&format!("{server}, {rounds} edits"));
    workspace.figures.outcome(LEAST_RIGHT)
}

/// Changes files in every way, and asks at once; and once more, when everybody believes that nothing changed.
pub(crate) fn edit_in_every_way(
    runtime: &Runtime,
    language: &'static Language,
    server: &str,
    rounds: usize,
) -> Result<(), Failed> {
    let mut project = Project::new(language, 12, 4, 11);
    let world = language.world(server);
    let mut workspace = EditedWorkspace { world, files: Files::new(), figures: Figures::of(language) };
    workspace.save(project.files());
    workspace.world.open(runtime);
    let outside = tempfile::tempdir_in(workspace.world.root().parent().unwrap()).unwrap();
    runtime.block_on(async {
        let questions = [project.any_question(0)];
        for _ in 0..3 {
            workspace.ask(&questions, "at the start").await;
        }
        for round in 0..rounds {
            let way = Way::ALL[round % Way::ALL.len()];
            let change = Change::ALL[(round + round / Way::ALL.len()) % Change::ALL.len()];
            let questions = project.change(change);
            let after = project.files();
            way.save(workspace.world.root(), outside.path(), &workspace.files, &after);
            workspace.files = after;
            for again in ["", ", again", ", once more"] {
                workspace.ask(&questions, &format!("round {round}, {change:?}, {way:?}{again}")).await;
            }
        }
        workspace.world.fallback.shutdown().await;
    });
    workspace.figures.report(&format!("{server}, {rounds} edits in every way"));
    workspace.figures.outcome(LEAST_RIGHT)
}

/// A workspace that is worked on.
struct EditedWorkspace {
    world: World,
    /// The files on disk.
    files: Files,
    figures: Figures,
}

impl EditedWorkspace {
    async fn ask(&mut self, questions: &[Question], when: &str) {
        for question in questions {
            self.figures.judge(&self.world, question, None, when).await;
        }
    }

    /// Makes the files on disk these, writing only what differs.
    fn save(&mut self, files: Files) {
        for path in self.files.keys().filter(|it| !files.contains_key(*it)) {
            fs::remove_file(self.world.root().join(path)).unwrap();
        }
        for (path, text) in files.iter().filter(|(path, text)| self.files.get(*path) != Some(*text)) {
            self.world.write(path, text);
        }
        self.files = files;
    }

    /// Asks the editor, which does not answer yet, to write what differs. There is no asking to remove a file.
    fn request(&self, files: &Files) -> Vec<Write> {
        let new = files.iter().filter(|(path, text)| self.files.get(*path) != Some(*text));
        let begin = |(path, text): (&String, &String)| {
            self.world.fallback.write_begins(&self.world.root().join(path), text.clone())
        };
        new.map(begin).collect()
    }
}
