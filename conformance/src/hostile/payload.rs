//! The code of traps, compiled once, and made one trap's own by the words that are written into it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};
use tempfile::TempDir;

const MARKER: &[u8] = b"@DIALECT-TRAP-WORDS@";
const ROOM: usize = 1024;

/// The compiled code, not yet any trap's own.
#[derive(Debug)]
pub struct Payload {
    library: Vec<u8>,
    program: Vec<u8>,
}

impl Payload {
    /// Compiles it with the C compiler of this machine.
    ///
    /// # Errors
    /// When there is none, or it fails.
    pub fn compile(source: &Path) -> Result<Self> {
        let folder = TempDir::new()?;
        let compile = |name: &str, options: &[&str]| {
            let to = folder.path().join(name);
            let output = Command::new("cc").args(options).arg("-o").arg(&to).arg(source).output();
            let output = output.context("`cc`, which compiles what traps run, does not start")?;
            ensure!(output.status.success(), "`cc` fails: {}", String::from_utf8_lossy(&output.stderr));
            Ok(std::fs::read(to)?)
        };
        Ok(Self {
            library: compile("hook.so", &["-shared", "-fPIC"])?,
            program: compile("run", &["-DPROGRAM"])?,
        })
    }

    /// The library and the program with the words of a trap in them.
    ///
    /// # Errors
    /// When there are too many words.
    pub fn with(&self, words: &str) -> Result<(Vec<u8>, Vec<u8>)> {
        Ok((written_into(&self.library, words)?, written_into(&self.program, words)?))
    }
}

fn written_into(code: &[u8], words: &str) -> Result<Vec<u8>> {
    ensure!(words.len() < ROOM, "the words of a trap take more than {ROOM} bytes");
    let at = code.windows(MARKER.len()).position(|it| it == MARKER);
    let at = at.ok_or_else(|| anyhow!("the compiled payload lacks its marker"))?;
    let mut code = code.to_vec();
    code[at..at + ROOM].fill(0);
    code[at..at + words.len()].copy_from_slice(words.as_bytes());
    Ok(code)
}
