//! Writing of archives. The same files give the same bytes, on every machine and at any time.

use std::io;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

/// The folder at the top, as npm calls it.
const TOP: &str = "package/";

/// The time of every file: 1985-10-26, as npm has it, since some tools refuse 1970.
const TIME: u64 = 499_162_500;

/// A file that goes into an archive, below `package/`.
#[derive(Clone, Copy, Debug)]
pub struct PackedFile<'f> {
    /// The path in the package, with `/`.
    pub path: &'f str,
    /// The content.
    pub bytes: &'f [u8],
}

/// Packs files into a gzipped tar, sorted by path.
///
/// # Errors
/// A path is too long for an archive.
pub fn pack(files: &[PackedFile<'_>]) -> io::Result<Vec<u8>> {
    let compressed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    write(files, compressed)?.finish()
}

/// Packs files into a tar that is not compressed, whose bytes depend on no compressor.
///
/// # Errors
/// As for [`pack`].
pub fn pack_tar(files: &[PackedFile<'_>]) -> io::Result<Vec<u8>> {
    write(files, Vec::new())
}

fn write<W: io::Write>(files: &[PackedFile<'_>], target: W) -> io::Result<W> {
    let mut builder = Builder::new(target);
    let mut files = files.to_vec();
    files.sort_by_key(|file| file.path);
    for file in files {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.bytes.len() as u64);
        header.set_mode(0o644); // nothing of a package runs
        header.set_mtime(TIME);
        builder.append_data(&mut header, format!("{TOP}{}", file.path), file.bytes)?;
    }
    builder.into_inner()
}
