//! File operations below folders that are held open. Paths are resolved from there without following symbolic
//! links.
//!
//! Linux resolves a whole path at once with `openat2`; other systems and old kernels open one folder after
//! the other. A folder that is replaced by a link meanwhile leads nowhere else. A folder that is moved out of
//! the workspace between its opening and a write takes that write along.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// The flags for opening a folder only to resolve paths from it.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The flags for opening a file; opening a pipe does not wait for its writer.
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// The number of names that are tried for a draft.
const ATTEMPTS: usize = 100;

/// The folders of a workspace, each held open.
#[derive(Debug)]
pub(crate) struct OpenFolders(Vec<(PathBuf, OwnedFd)>);

/// A name in a folder that is held open.
#[derive(Debug)]
pub(crate) struct OpenEntry {
    folder: OwnedFd,
    name: OsString,
}

impl OpenFolders {
    /// Opens folders by their canonical paths. Folders that are missing or behind a link are left out.
    pub(crate) fn open(paths: &[PathBuf]) -> Self {
        Self(paths.iter().filter_map(|it| Some((it.clone(), open_absolute(it).ok()?))).collect())
    }

    /// Opens the folder of a file below one of these folders.
    ///
    /// # Errors
    /// The file lies below none of them; or its folder is missing or behind a symbolic link.
    pub(crate) fn entry(&self, path: &Path) -> io::Result<OpenEntry> {
        let (root, folder, name) = self.below(path)?;
        Ok(OpenEntry { folder: open_below(root, folder)?, name: name.to_owned() })
    }

    /// Opens the folder of a file, and creates missing folders.
    ///
    /// # Errors
    /// As for [`OpenFolders::entry`], and when a folder cannot be created.
    pub(crate) fn entry_in_new_folders(&self, path: &Path) -> io::Result<OpenEntry> {
        let (root, folder, name) = self.below(path)?;
        let mut above = root.try_clone_to_owned()?;
        for part in folder {
            above = match open_below(above.as_fd(), Path::new(part)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match rustix::fs::mkdirat(&above, part, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(Errno::EXIST) => open_below(above.as_fd(), Path::new(part))?,
                        Err(error) => return Err(error.into()),
                    }
                }
                opened => opened?,
            };
        }
        Ok(OpenEntry { folder: above, name: name.to_owned() })
    }

    /// Returns whether nothing exists at a path, and everything that exists above it is a folder.
    pub(crate) fn is_free(&self, path: &Path) -> bool {
        let Ok((root, folder, name)) = self.below(path) else { return false };
        let Ok(mut above) = root.try_clone_to_owned() else { return false };
        for part in folder {
            above = match open_below(above.as_fd(), Path::new(part)) {
                Ok(opened) => opened,
                Err(error) => return error.kind() == io::ErrorKind::NotFound,
            };
        }
        let spot = OpenEntry { folder: above, name: name.to_owned() };
        spot.stat().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Splits a path into the open folder, the folders between, and the name.
    fn below<'path>(&self, path: &'path Path) -> io::Result<(BorrowedFd<'_>, &'path Path, &'path OsStr)> {
        let found = self.0.iter().find_map(|(root, fd)| Some((fd, path.strip_prefix(root).ok()?)));
        let (fd, rest) = found.ok_or_else(|| invalid("its folder is not one of the workspace any more"))?;
        let is_plain = rest.components().all(|it| matches!(it, Component::Normal(_)));
        match (rest.parent(), rest.file_name()) {
            (Some(folder), Some(name)) if is_plain => Ok((fd.as_fd(), folder, name)),
            _ => Err(invalid("it is no file below a folder of the workspace")),
        }
    }
}

impl OpenEntry {
    /// Reads the regular file of that name.
    ///
    /// # Errors
    /// The file is missing, not regular, or cannot be read.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.regular(OFlags::RDONLY)?.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns whether nobody may write the file of that name.
    ///
    /// # Errors
    /// The file is missing.
    pub(crate) fn is_read_only(&self) -> io::Result<bool> {
        Ok(self.mode(&self.stat()?).bits() & 0o222 == 0)
    }

    /// Returns whether a folder has that name, and not a link.
    pub(crate) fn is_folder(&self) -> bool {
        self.stat().is_ok_and(|it| FileType::from_raw_mode(it.st_mode) == FileType::Directory)
    }

    /// Creates a file.
    ///
    /// # Errors
    /// The name is taken, or writing fails.
    pub(crate) fn create(&self, bytes: &[u8]) -> io::Result<()> {
        self.new_file(&self.name, 0o666)?.write_all(bytes)
    }

    /// Replaces a file atomically with one of the same mode.
    ///
    /// # Errors
    /// The file is missing, not regular, or cannot be written.
    pub(crate) fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let (old, stat) = self.regular(OFlags::RDONLY)?;
        let (draft_name, mut draft) = match self.draft() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                drop(old);
                return self.overwrite(bytes);
            }
            draft => draft?,
        };
        let written = draft
            .write_all(bytes)
            .and_then(|()| Ok(rustix::fs::fchmod(&draft, self.mode(&stat))?))
            .and_then(|()| Ok(rustix::fs::renameat(&self.folder, &draft_name, &self.folder, &self.name)?));
        if written.is_err() {
            let _gone = rustix::fs::unlinkat(&self.folder, &draft_name, AtFlags::empty());
        }
        written
    }

    /// Overwrites a file in a folder where no file can be created.
    fn overwrite(&self, bytes: &[u8]) -> io::Result<()> {
        let (mut file, stat) = self.regular(OFlags::WRONLY)?;
        if stat.st_nlink > 1 {
            return Err(io::Error::other(
                "it has other names (hard links), and its folder takes no new file",
            ));
        }
        file.set_len(0)?;
        file.write_all(bytes)
    }

    /// Removes the file of that name.
    ///
    /// # Errors
    /// The file is missing, is a folder, or cannot be removed.
    pub(crate) fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?)
    }

    /// Moves the entry to a free name.
    ///
    /// # Errors
    /// The name has been taken meanwhile, or moving fails.
    pub(crate) fn move_to(&self, to: &Self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        match rustix::fs::renameat_with(
            &self.folder,
            &self.name,
            &to.folder,
            &to.name,
            rustix::fs::RenameFlags::NOREPLACE,
        ) {
            Err(Errno::EXIST) => return Err(taken()),
            // The file system does not support the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {}
            moved => return Ok(moved?),
        }
        match to.stat() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(rustix::fs::renameat(&self.folder, &self.name, &to.folder, &to.name)?)
            }
            _ => Err(taken()),
        }
    }

    fn stat(&self) -> io::Result<Stat> {
        Ok(rustix::fs::statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    #[expect(clippy::unused_self, reason = "reads as what belongs to it")]
    fn mode(&self, stat: &Stat) -> Mode {
        Mode::from_raw_mode(stat.st_mode & 0o7777)
    }

    /// Opens the regular file of that name.
    fn regular(&self, how: OFlags) -> io::Result<(File, Stat)> {
        let file = rustix::fs::openat(&self.folder, &self.name, how | FILE, Mode::empty())?;
        let stat = rustix::fs::fstat(&file)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok((file.into(), stat)),
            _ => Err(invalid("it is no regular file")),
        }
    }

    fn new_file(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let how = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
        Ok(rustix::fs::openat(&self.folder, name, how, mode)?.into())
    }

    /// Creates an empty file beside it that only this user can read.
    fn draft(&self) -> io::Result<(OsString, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        for _ in 0..ATTEMPTS {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = OsString::from(format!(".dialect-{}-{number}.tmp", std::process::id()));
            match self.new_file(&name, 0o600) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|it| (name, it)),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no name is free for a draft beside it"))
    }
}

fn invalid(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn taken() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "something is there by now")
}

fn open_absolute(path: &Path) -> io::Result<OwnedFd> {
    let top = rustix::fs::open("/", FOLDER, Mode::empty())?;
    let rest = path.strip_prefix("/").map_err(|_| invalid("it is no absolute path"))?;
    open_below(top.as_fd(), rest)
}

/// Opens a folder by a path below another.
fn open_below(folder: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    if path.as_os_str().is_empty() {
        return folder.try_clone_to_owned();
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(folder, path, FOLDER, Mode::empty(), how) {
            // The kernel is older than 5.6, or a sandbox forbids the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened.map_err(linked),
        }
    }
    open_step_by_step(folder, path)
}

/// Opens one part of a path after the other; none may be a link.
fn open_step_by_step(folder: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    let mut opened = folder.try_clone_to_owned()?;
    for part in path {
        opened = rustix::fs::openat(&opened, part, FOLDER, Mode::empty()).map_err(linked)?;
    }
    Ok(opened)
}

/// Rewords an error for a path with a link in it.
fn linked(error: Errno) -> io::Error {
    match error {
        Errno::LOOP | Errno::NOTDIR | Errno::XDEV => {
            io::Error::other("a folder above it is no folder any more, or a symbolic link")
        }
        error => error.into(),
    }
}

#[cfg(test)]
#[path = "beneath_tests.rs"]
mod tests;
