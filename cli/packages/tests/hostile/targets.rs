//! Properties that hold for any bytes, for the fuzzer and for plain tests.

use std::collections::HashSet;
use std::io::Write as _;

use ailang::{DependencySource, Manifest};
use flate2::Compression;
use flate2::write::GzEncoder;
use packages::archive::{ArchiveLimits, unpack};
use packages::{Integrity, PackageSpec};

/// Returns the target of that name.
pub(crate) fn target(name: &str) -> fn(&[u8]) {
    match name {
        "unpack" => archive,
        "names" => names,
        _ => panic!("there is no target `{name}`"),
    }
}

const LIMITS: ArchiveLimits = ArchiveLimits { packed: 1 << 20, unpacked: 4 << 20, entries: 50, ratio: 50 };

/// The size of a block of tar.
const BLOCK: usize = 512;

/// The place of the checksum in a header.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// Bytes are an archive or none, as they are, compressed, and with correct checksums.
fn archive(bytes: &[u8]) {
    let summed = with_checksums(bytes);
    for bytes in [bytes, &compressed(bytes), &summed, &compressed(&summed)] {
        let Ok(files) = unpack(bytes, &LIMITS) else { continue };
        let total: usize = files.iter().map(|it| it.bytes.len()).sum();
        assert!(total as u64 <= LIMITS.unpacked && files.len() <= LIMITS.entries, "it exceeds its limits");
        let mut seen = HashSet::new();
        for file in &files {
            assert!(is_safe(&file.path), "{:?}", file.path);
            assert!(seen.insert(file.path.to_lowercase()), "{:?} is there twice", file.path);
        }
        assert!(files.iter().all(|it| !is_inside_a_file(&it.path, &seen)), "a file is a folder");
    }
}

/// Returns `true` for a path that means a file below a folder, on each system.
fn is_safe(path: &str) -> bool {
    let is_name = |part: &str| {
        !matches!(part, "" | "." | "..")
            && !part.ends_with(['.', ' '])
            && !part.contains(['\\', ':', '\0', '<', '>', '"', '|', '?', '*'])
            && !part.chars().any(char::is_control)
    };
    path.split('/').all(is_name)
}

fn is_inside_a_file(path: &str, files: &HashSet<String>) -> bool {
    let lower = path.to_lowercase();
    lower.match_indices('/').any(|(at, _)| files.contains(&lower[..at]))
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// Returns bytes whose blocks all have the checksum that a header has, since random bytes hardly ever do.
fn with_checksums(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for block in bytes.chunks_exact_mut(BLOCK).filter(|block| block.iter().any(|byte| *byte != 0)) {
        block[CHECKSUM].fill(b' ');
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    bytes
}

/// Checks that a name of a package has one spelling: printed and read again it is the same.
fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(source) = DependencySource::parse(&text) {
        assert_eq!(DependencySource::parse(&source.to_string()), Ok(source), "{text}");
    }
    match PackageSpec::parse(&text) {
        Ok(PackageSpec::Named { name, range }) => {
            assert!(Manifest::is_name(&name), "{text}");
            let again = range.map_or(name.clone(), |range| format!("{name}@{range}"));
            assert!(PackageSpec::parse(&again).is_ok(), "{text}: {again}");
        }
        Ok(PackageSpec::Tagged { name, tag }) => {
            assert!(Manifest::is_name(&name), "{text}");
            assert!(PackageSpec::parse(&format!("{name}@{tag}")).is_ok(), "{text}: {tag}");
        }
        Ok(PackageSpec::Placed(place)) => {
            assert_eq!(
                PackageSpec::parse(&place.to_string()).ok(),
                Some(PackageSpec::Placed(place)),
                "{text}"
            );
        }
        Err(error) => assert!(!error.message.contains(char::is_control), "{:?}", error.message),
    }
    if let Some(integrity) = Integrity::parse(&text) {
        assert_eq!(Integrity::parse(&integrity.to_string()), Some(integrity), "{text}");
    }
    let manifest = Manifest::parse(text.into_owned());
    let found = manifest.validate(&ailang::Documents::new(), ailang::Strictness::Strict);
    assert!(found.iter().all(|it| manifest.source.get(it.span.range()).is_some()), "{found:?}");
}
