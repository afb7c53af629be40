//! Writes the examples of the chapters where cargo-fuzz looks for its corpora.

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = Vec::new();
    for chapter in fs::read_dir(here.join("../spec"))? {
        let chapter = fs::read_to_string(chapter?.path())?;
        let cases = literate::cases(&chapter);
        programs.extend(cases.iter().filter_map(|it| it.input("dialect")).map(str::to_owned));
    }
    for target in ["read", "json", "evaluate"] {
        let corpus = here.join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        for (index, program) in programs.iter().enumerate() {
            fs::write(corpus.join(format!("chapter-{index}")), program)?;
        }
    }
    Ok(())
}
