//! Integrity of archives: a SHA-512 in the form that npm's registries and lock files use (`sha512-…`).

use std::fmt;

use ailang::Code;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::Sha1;
use sha2::{Digest as _, Sha512};

use crate::error::PackageError;

const PREFIX: &str = "sha512-";

/// The SHA-512 of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integrity([u8; 64]);

impl Integrity {
    /// Computes the integrity of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha512::digest(bytes).into())
    }

    /// Parses an integrity. Of several hashes, separated by blanks, the SHA-512 counts; weaker ones do not.
    pub fn parse(text: &str) -> Option<Self> {
        let hashes = text.split_ascii_whitespace().filter_map(|it| it.strip_prefix(PREFIX));
        // Options may follow behind a question mark.
        let mut hashes = hashes.map(|it| it.split('?').next().unwrap_or(it));
        let bytes = STANDARD.decode(hashes.next()?).ok()?;
        let more = hashes.next();
        bytes.try_into().ok().filter(|_| more.is_none()).map(Self)
    }

    /// Checks that bytes have this integrity.
    ///
    /// # Errors
    /// They have another.
    pub fn check(&self, bytes: &[u8]) -> Result<(), PackageError> {
        let actual = Self::of(bytes);
        if actual == *self {
            return Ok(());
        }
        let message = format!("the archive has the integrity {actual}, and {self} was expected");
        Err(PackageError::new(Code::INTEGRITY, message))
    }

    /// Returns the hash as hexadecimal digits, for names of files.
    pub(crate) fn hex(&self) -> String {
        hex::encode(self.0)
    }
}

/// Returns the SHA-1 of an archive in hexadecimal digits. Old clients of npm check it; nothing here relies on it.
pub(crate) fn shasum(bytes: &[u8]) -> String {
    hex::encode(Sha1::digest(bytes))
}

impl fmt::Display for Integrity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", STANDARD.encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sha_512_counts() {
        let it = Integrity::of(b"abc");
        assert_eq!(Integrity::parse(&it.to_string()), Some(it));
        assert_eq!(Integrity::parse(&format!("sha1-AAAA {it}?x")), Some(it));
        let other = Integrity::of(b"");
        for wrong in
            ["", "sha512-", "sha512-AAAA", "sha1-qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", &format!("{it} {other}")]
        {
            assert_eq!(Integrity::parse(wrong), None, "{wrong}");
        }
        assert_eq!(shasum(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert!(it.check(b"abc").is_ok());
        assert_eq!(it.check(b"abd").unwrap_err().code, Code::INTEGRITY);
    }
}
