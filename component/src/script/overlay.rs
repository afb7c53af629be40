//! The files that a program has changed and nobody has written yet. Its own reads see them.

use std::collections::{BTreeMap, BTreeSet};

use ide_protocol::{FileTexts, UnsavedText};

/// Changes of files, by their paths as answers spell them. A clone is a snapshot.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlay {
    /// The texts as they were found, by the paths on disk.
    found: BTreeMap<String, String>,
    /// The changed files, by the paths that they are to have.
    changed: BTreeMap<String, Changed>,
    /// The paths on disk of files that were removed or moved away.
    gone: BTreeSet<String>,
}

#[derive(Clone, Debug)]
struct Changed {
    /// The path on disk that it was moved from.
    origin: Option<String>,
    text: String,
}

/// The state of a path, as far as the program has changed it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Known<'o> {
    /// The file has this text now.
    Text(&'o str),
    /// The file was removed or moved away.
    Gone,
    /// The program did not change the file: the one on disk counts.
    No,
}

impl Overlay {
    /// Returns the size of the new texts, in bytes.
    pub(super) fn size(&self) -> usize {
        self.changed.values().map(|it| it.text.len()).sum()
    }

    /// Returns the number of files that would be written.
    pub(super) fn len(&self) -> usize {
        self.files().len()
    }

    pub(super) fn known(&self, path: &str) -> Known<'_> {
        match self.changed.get(path) {
            Some(changed) => Known::Text(&changed.text),
            None if self.gone.contains(path) => Known::Gone,
            None => Known::No,
        }
    }

    /// Gives a file a text. `found` is the text on disk, if the overlay does not know the file and it is there.
    pub(super) fn write(&mut self, path: &str, text: String, found: Option<String>) {
        if let Some(changed) = self.changed.get_mut(path) {
            changed.text = text;
            return;
        }
        if let Some(found) = found {
            self.found.entry(path.to_owned()).or_insert(found);
        }
        self.gone.remove(path);
        self.changed.insert(path.to_owned(), Changed { origin: None, text });
    }

    /// Removes a file. `found` is as for [`Self::write`].
    pub(super) fn remove(&mut self, path: &str, found: Option<String>) {
        if let Some(found) = found {
            self.found.entry(path.to_owned()).or_insert(found);
        }
        self.changed.remove(path);
        if self.found.contains_key(path) {
            self.gone.insert(path.to_owned());
        }
    }

    /// Moves a file to a path where there is none. `found` is as for [`Self::write`].
    pub(super) fn rename(&mut self, from: &str, to: &str, found: Option<String>) {
        if let Some(found) = found.clone() {
            self.found.entry(from.to_owned()).or_insert(found);
        }
        let changed = self.changed.remove(from);
        let Some(text) = changed.as_ref().map(|it| it.text.clone()).or(found) else { return };
        let on_disk = self.found.contains_key(from).then(|| from.to_owned());
        let origin = changed.and_then(|it| it.origin).or_else(|| on_disk.clone());
        self.gone.extend(on_disk);
        self.gone.remove(to);
        self.changed.insert(to.to_owned(), Changed { origin, text });
    }

    /// Takes the texts of an edit. Fails with the path of a file that has another text here than the one that the edit is
    /// for.
    pub(super) fn take(&mut self, files: Vec<FileTexts>) -> Result<(), String> {
        let clash = files.iter().find(|it| match self.known(&it.path) {
            Known::No => false,
            Known::Text(text) => it.before.as_deref() != Some(text),
            Known::Gone => it.before.is_some(),
        });
        if let Some(file) = clash {
            return Err(file.path.clone());
        }
        for FileTexts { path, before, after, to } in files {
            // The text of a file that is changed here is none that was found on disk.
            let before = before.filter(|_| self.known(&path) == Known::No);
            match (after, to) {
                (Some(after), None) => self.write(&path, after, before),
                (Some(after), Some(to)) => {
                    self.rename(&path, &to, before);
                    self.write(&to, after, None);
                }
                (None, _) => self.remove(&path, before),
            }
        }
        Ok(())
    }

    /// Returns the texts of the files that are new here or have another text than on disk.
    pub(super) fn texts(&self) -> Vec<UnsavedText> {
        let changed = self.changed.iter().filter(|(path, it)| self.found.get(*path) != Some(&it.text));
        changed.map(|(path, it)| UnsavedText { path: path.clone(), text: it.text.clone() }).collect()
    }

    /// Returns the paths of files that are new here, and of those that are no longer there.
    pub(super) fn listed(&self) -> (Vec<&str>, Vec<&str>) {
        let is_new = |(path, it): &(&String, &Changed)| it.origin.as_ref() != Some(*path);
        let new = self.changed.iter().filter(is_new).map(|(path, _)| path.as_str()).collect();
        let gone =
            self.gone.iter().filter(|it| !self.changed.contains_key(*it)).map(String::as_str).collect();
        (new, gone)
    }

    /// Returns the changes: each file on disk once, and each new one.
    pub(super) fn files(&self) -> Vec<FileTexts> {
        let (mut files, mut moved) = (Vec::new(), BTreeSet::new());
        for (path, Changed { origin, text }) in &self.changed {
            let (before, after) = (self.found.get(path).cloned(), Some(text.clone()));
            if before.is_some() {
                files.extend((before != after).then(|| FileTexts {
                    path: path.clone(),
                    before,
                    after,
                    to: None,
                }));
                continue;
            }
            // A file moves if nothing else is where it was.
            let origin = origin.as_ref().filter(|it| self.gone.contains(*it) && moved.insert((*it).clone()));
            files.push(match origin {
                Some(origin) => {
                    let before = self.found.get(origin).cloned();
                    FileTexts { path: origin.clone(), before, after, to: Some(path.clone()) }
                }
                None => FileTexts { path: path.clone(), before: None, after, to: None },
            });
        }
        for path in self.gone.difference(&moved) {
            let before = self.found.get(path).cloned();
            files.push(FileTexts { path: path.clone(), before, after: None, to: None });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(overlay: &Overlay) -> Vec<String> {
        let text = |it: &Option<String>| it.clone().unwrap_or_else(|| "-".to_owned());
        let each = overlay.files().into_iter();
        each.map(|it| {
            let to = it.to.map(|it| format!(" to {it}")).unwrap_or_default();
            format!("{} {}>{}{to}", it.path, text(&it.before), text(&it.after))
        })
        .collect()
    }

    #[test]
    fn the_changes_of_a_file_are_one() {
        let mut overlay = Overlay::default();
        overlay.write("a", "2".into(), Some("1".into()));
        overlay.write("a", "3".into(), None);
        overlay.write("new", "n".into(), None);
        assert_eq!(overlay.known("a"), Known::Text("3"));
        assert_eq!(shown(&overlay), ["a 1>3", "new ->n"]);
        overlay.write("a", "1".into(), None);
        assert_eq!(shown(&overlay), ["new ->n"], "what is as before is no change");
        overlay.remove("new", None);
        assert_eq!((shown(&overlay), overlay.known("new")), (vec![], Known::No));
    }

    #[test]
    fn files_move_and_go() {
        let mut overlay = Overlay::default();
        overlay.rename("a", "b", Some("1".into()));
        assert_eq!((overlay.known("a"), overlay.known("b")), (Known::Gone, Known::Text("1")));
        overlay.write("b", "2".into(), None);
        assert_eq!(shown(&overlay), ["a 1>2 to b"]);
        overlay.write("a", "x".into(), None);
        assert_eq!(
            shown(&overlay),
            ["a 1>x", "b ->2"],
            "another file is at the path, so that none has moved"
        );
        overlay.remove("b", None);
        assert_eq!(shown(&overlay), ["a 1>x"]);
        let mut back = Overlay::default();
        back.rename("a", "b", Some("1".into()));
        back.rename("b", "a", None);
        assert_eq!(shown(&back), Vec::<String>::new());
        back.remove("a", None);
        assert_eq!(shown(&back), ["a 1>-"]);
        back.write("a", "2".into(), None);
        assert_eq!(shown(&back), ["a 1>2"]);
        let mut over = Overlay::default();
        over.remove("b", Some("old".into()));
        over.rename("a", "b", Some("1".into()));
        assert_eq!(shown(&over), ["a 1>-", "b old>1"], "what was there is not moved over");
    }

    #[test]
    fn an_edit_for_another_text_than_the_programs_is_refused() {
        let file = |path: &str, before: &str, after: &str| FileTexts {
            path: path.into(),
            before: Some(before.into()),
            after: Some(after.into()),
            to: None,
        };
        let mut overlay = Overlay::default();
        assert_eq!(overlay.take(vec![file("a", "1", "2"), file("b", "1", "2")]), Ok(()));
        assert_eq!(overlay.take(vec![file("c", "1", "2"), file("b", "1", "3")]), Err("b".into()));
        assert_eq!(shown(&overlay), ["a 1>2", "b 1>2"], "nothing of it is taken");
        assert_eq!(overlay.take(vec![file("b", "2", "3")]), Ok(()), "it is for the program's text");
        overlay.write("new", "n".into(), None);
        let moved = FileTexts { to: Some("moved".into()), ..file("new", "n", "m") };
        assert_eq!(overlay.take(vec![moved]), Ok(()));
        assert_eq!(shown(&overlay), ["a 1>2", "b 1>3", "moved ->m"]);
        let texts: Vec<_> =
            overlay.texts().into_iter().map(|it| format!("{} {}", it.path, it.text)).collect();
        assert_eq!(texts, ["a 2", "b 3", "moved m"]);
    }
}
