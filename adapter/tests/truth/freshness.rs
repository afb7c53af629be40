//! An edit is seen by the next question.

use std::fs;

use adapter::fallback::Write;
use libtest_mimic::Failed;
use tokio::runtime::Runtime;

use super::languages::Language;
use super::project::{Change, Files, Project, Question};
use super::verdict::Figures;
use super::ways::Way;
use crate::world::{self, World};

/// How many percent of the answers are right. The others may say that the machine was too busy.
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
    let mut desk = Desk { world, files: Files::new(), figures: Figures::of(language) };
    desk.save(project.files());
    desk.world.open(runtime);
    runtime.block_on(async {
        desk.ask(&[project.any_question(0)], "at the start").await;
        for round in 0..rounds {
            let change = Change::ALL[round % Change::ALL.len()];
            let when = format!("round {round}, {change:?}");
            let before = project.clone();
            let questions = project.change(change);
            let way = (round + round / Change::ALL.len()) % 3;
            // Editors are not asked to remove files.
            if way == 0 || change == Change::DeleteFile {
                desk.save(project.files());
                desk.ask(&questions, &format!("{when}, on disk")).await;
                continue;
            }
            let writes = desk.request(&project.files());
            desk.ask(&questions, &format!("{when}, requested")).await;
            if way == 1 {
                desk.save(project.files());
                writes.iter().for_each(|it| desk.world.fallback.write_ends(it, true));
                desk.ask(&questions, &format!("{when}, written")).await;
            } else {
                writes.iter().for_each(|it| desk.world.fallback.write_ends(it, false));
                project = before;
                let questions: Vec<_> = questions.iter().filter_map(|it| project.again(it)).collect();
                desk.ask(&questions, &format!("{when}, refused")).await;
            }
        }
        desk.world.fallback.shutdown().await;
    });
    desk.figures.report(&format!("{server}, {rounds} edits"));
    desk.figures.outcome(LEAST_RIGHT)
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
    let mut desk = Desk { world, files: Files::new(), figures: Figures::of(language) };
    desk.save(project.files());
    desk.world.open(runtime);
    let outside = tempfile::tempdir_in(desk.world.root().parent().unwrap()).unwrap();
    runtime.block_on(async {
        let questions = [project.any_question(0)];
        for _ in 0..3 {
            desk.ask(&questions, "at the start").await;
        }
        for round in 0..rounds {
            let way = Way::ALL[round % Way::ALL.len()];
            let change = Change::ALL[(round + round / Way::ALL.len()) % Change::ALL.len()];
            let questions = project.change(change);
            let after = project.files();
            way.save(desk.world.root(), outside.path(), &desk.files, &after);
            desk.files = after;
            for again in ["", ", again", ", once more"] {
                desk.ask(&questions, &format!("round {round}, {change:?}, {way:?}{again}")).await;
            }
        }
        desk.world.fallback.shutdown().await;
    });
    desk.figures.report(&format!("{server}, {rounds} edits in every way"));
    desk.figures.outcome(LEAST_RIGHT)
}

/// A workspace that is worked on.
struct Desk {
    world: World,
    /// What it holds on disk.
    files: Files,
    figures: Figures,
}

impl Desk {
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
