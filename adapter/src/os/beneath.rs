//! Files below folders that are held open: paths are resolved from there, and no symbolic link is followed.
//!
//! Linux resolves a whole path at once (`openat2`); elsewhere, and in old kernels, one folder after the other is opened.
//! Nothing outside is reached by a folder that becomes a link meanwhile. A folder that is itself moved out of the
//! workspace between its opening and a write takes that write along.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

/// How a folder is opened that is only a place to start from.
#[cfg(target_os = "linux")]
const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A pipe has no writer that is waited for.
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// How often another name is tried for a draft.
const ATTEMPTS: usize = 100;

/// The folders of a workspace, each opened once.
#[derive(Debug)]
pub(crate) struct Folders(Vec<(PathBuf, OwnedFd)>);

/// A name in a folder that is held open.
#[derive(Debug)]
pub(crate) struct Spot {
    folder: OwnedFd,
    name: OsString,
}

impl Folders {
    /// Opens these, which are canonical paths. Those that are not there, or not by that path, are left out.
    pub(crate) fn open(paths: &[PathBuf]) -> Self {
        Self(paths.iter().filter_map(|it| Some((it.clone(), open_absolute(it).ok()?))).collect())
    }

    /// Opens the folder of a file that lies below one of them.
    ///
    /// # Errors
    /// It lies below none, or its folder is not there, or is reached by a symbolic link.
    pub(crate) fn spot(&self, path: &Path) -> io::Result<Spot> {
        let (root, folder, name) = self.below(path)?;
        Ok(Spot { folder: open_below(root, folder)?, name: name.to_owned() })
    }

    /// Does the same, and makes the folders that are not there.
    ///
    /// # Errors
    /// As for [`Folders::spot`], and where a folder cannot be made.
    pub(crate) fn spot_in_new(&self, path: &Path) -> io::Result<Spot> {
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
        Ok(Spot { folder: above, name: name.to_owned() })
    }

    /// Returns whether nothing has that path, and nothing above it is other than a folder.
    pub(crate) fn is_free(&self, path: &Path) -> bool {
        let Ok((root, folder, name)) = self.below(path) else { return false };
        let Ok(mut above) = root.try_clone_to_owned() else { return false };
        for part in folder {
            above = match open_below(above.as_fd(), Path::new(part)) {
                Ok(opened) => opened,
                Err(error) => return error.kind() == io::ErrorKind::NotFound,
            };
        }
        let spot = Spot { folder: above, name: name.to_owned() };
        spot.stat().is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    /// Splits a path into the open folder that it lies below, the folders between, and its name.
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

impl Spot {
    /// Reads the regular file of that name.
    ///
    /// # Errors
    /// It is not there, is another kind of file, or cannot be read.
    pub(crate) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.regular(OFlags::RDONLY)?.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns whether nobody may write the file of that name.
    ///
    /// # Errors
    /// It is not there.
    pub(crate) fn is_read_only(&self) -> io::Result<bool> {
        Ok(self.mode(&self.stat()?).bits() & 0o222 == 0)
    }

    /// Returns whether a folder has that name, and no link.
    pub(crate) fn is_folder(&self) -> bool {
        self.stat().is_ok_and(|it| FileType::from_raw_mode(it.st_mode) == FileType::Directory)
    }

    /// Makes a new file.
    ///
    /// # Errors
    /// Something has that name, or the disk refuses.
    pub(crate) fn create(&self, bytes: &[u8]) -> io::Result<()> {
        self.new_file(&self.name, 0o666)?.write_all(bytes)
    }

    /// Replaces the file of that name with another of the same mode: the old content or the new one, never a part.
    ///
    /// # Errors
    /// It is not there, is another kind of file, or the disk refuses.
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

    /// Writes over a file in a folder where no file can be made.
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
    /// It is not there, is a folder, or the disk refuses.
    pub(crate) fn remove(&self) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty())?)
    }

    /// Moves what has that name to where nothing is.
    ///
    /// # Errors
    /// Something is there by now, or the disk refuses.
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
            // File systems that have no such flag.
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

    /// Makes an empty file beside it, for this user alone.
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
            // A kernel before 5.6, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => {}
            opened => return opened.map_err(linked),
        }
    }
    open_step_by_step(folder, path)
}

/// Opens a folder by its path, one part after the other, none of which is a link.
fn open_step_by_step(folder: BorrowedFd<'_>, path: &Path) -> io::Result<OwnedFd> {
    let mut opened = folder.try_clone_to_owned()?;
    for part in path {
        opened = rustix::fs::openat(&opened, part, FOLDER, Mode::empty()).map_err(linked)?;
    }
    Ok(opened)
}

/// Says what stands in the way of a path.
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
