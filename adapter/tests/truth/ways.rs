//! The ways in which editors and tools change files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::project::Files;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    InPlace,
    /// The new file takes the place of the old one.
    Atomic,
    /// The old file is kept beside.
    Aside,
    /// With the times that the old file had.
    OldTimes,
    /// The folder takes the place of another one.
    Folder,
    /// Everything is removed and written again.
    Checkout,
    /// Amid more changes of other files than anybody is told of.
    Flood,
}

/// More than the kernel keeps for one who does not listen.
const FLOOD: usize = 20_000;

impl Way {
    pub(crate) const ALL: [Self; 7] =
        [Self::InPlace, Self::Atomic, Self::Aside, Self::OldTimes, Self::Folder, Self::Checkout, Self::Flood];

    /// Changes the files under `root`; `outside` is a folder on the same disk.
    pub(crate) fn save(self, root: &Path, outside: &Path, before: &Files, after: &Files) {
        match self {
            Self::Folder => swap_folders(root, outside, before, after),
            Self::Checkout => {
                let sources = || before.keys().filter(|it| it.contains('/'));
                sources().for_each(|it| fs::remove_file(root.join(it)).unwrap());
                let kept: Files = before.iter().filter(|(it, _)| !it.contains('/')).map(owned).collect();
                write_changes(root, &kept, after, |path, text| fs::write(path, text).unwrap());
            }
            Self::Flood => {
                flood(root);
                write_changes(root, before, after, |path, text| fs::write(path, text).unwrap());
                flood(root);
            }
            _ => write_changes(root, before, after, |path, text| self.write(path, text)),
        }
    }

    fn write(self, path: &Path, text: &str) {
        let beside = path.with_extension("beside~");
        let times = fs::metadata(path).ok().and_then(|it| it.modified().ok());
        match (self, times) {
            (Self::Atomic, _) => {
                fs::write(&beside, text).unwrap();
                fs::rename(&beside, path).unwrap();
            }
            (Self::Aside, Some(_)) => {
                fs::rename(path, &beside).unwrap();
                fs::write(path, text).unwrap();
            }
            (Self::OldTimes, Some(modified)) => {
                fs::write(path, text).unwrap();
                fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
            }
            _ => fs::write(path, text).unwrap(),
        }
    }
}

fn owned((path, text): (&String, &String)) -> (String, String) {
    (path.clone(), text.clone())
}

fn write_changes(root: &Path, before: &Files, after: &Files, write: impl Fn(&Path, &str)) {
    for path in before.keys().filter(|it| !after.contains_key(*it)) {
        fs::remove_file(root.join(path)).unwrap();
    }
    for (path, text) in after.iter().filter(|(path, text)| before.get(*path) != Some(*text)) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text);
    }
}

/// Makes each folder anew beside, and puts it into the place of the old one.
fn swap_folders(root: &Path, outside: &Path, before: &Files, after: &Files) {
    let folders: BTreeSet<_> =
        before.keys().chain(after.keys()).filter_map(|it| it.split_once('/')).collect();
    let folders: BTreeSet<_> = folders.into_iter().map(|(folder, _)| folder).collect();
    for folder in folders {
        let within = |it: &(&String, &String)| it.0.split_once('/').is_some_and(|(first, _)| first == folder);
        let new: Files = after.iter().filter(within).map(owned).collect();
        let made = tempfile::tempdir_in(outside).unwrap();
        write_changes(made.path(), &Files::new(), &new, |path, text| fs::write(path, text).unwrap());
        fs::rename(root.join(folder), made.path().join("old")).unwrap();
        fs::rename(made.path().join(folder), root.join(folder)).unwrap();
    }
    let top =
        |files: &Files| -> Files { files.iter().filter(|(it, _)| !it.contains('/')).map(owned).collect() };
    write_changes(root, &top(before), &top(after), |path, text| fs::write(path, text).unwrap());
}

fn flood(root: &Path) {
    let names = ["one.log", "other.log"].map(|it| root.join(it));
    fs::write(&names[0], "x").unwrap();
    for round in 0..FLOOD {
        fs::rename(&names[round % 2], &names[(round + 1) % 2]).unwrap();
    }
}
