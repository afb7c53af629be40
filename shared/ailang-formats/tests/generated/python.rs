//! Python: `mypy --strict`, and pydantic.

use std::path::Path;

use ailang_formats::{GenerateOptions, Language};
use libtest_mimic::{Failed, Trial};

use super::subjects::{combined, subjects};
use super::tools::{run, tool, trial};
use super::{combinations, driver, folder, write};

pub(super) const NEEDS: &[&[&str]] = &[&["python3", "-c", "import mypy, pydantic"]];

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("python", "checks values as documents do", NEEDS, checked),
        trial("python", "is well typed, whatever is left out", NEEDS, typed),
    ]
}

fn checked() -> Result<(), Failed> {
    let folder = folder("python");
    let mut check = tool("python3");
    check.arg("-W").arg("error").arg(driver("check.py"));
    for subject in subjects() {
        let module = folder.join(format!("{}_generated.py", subject.name));
        write(&module, &subject.code(Language::Python, &GenerateOptions::default()))?;
        let vectors = folder.join(format!("{}.json", subject.name));
        write(&vectors, &subject.vectors().to_string())?;
        check.arg(module).arg(vectors);
    }
    run(&mut check)?;
    Ok(())
}

/// Checks the types of the files of a folder.
pub(super) fn is_typed(folder: &Path) -> Result<(), Failed> {
    let mypy = ["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", ".cache", "."];
    run(tool("python3").args(mypy).current_dir(folder))?;
    Ok(())
}

fn typed() -> Result<(), Failed> {
    let folder = folder("python-typed");
    let subjects = subjects();
    for subject in subjects {
        let code = subject.code(Language::Python, &GenerateOptions::default());
        write(&folder.join(format!("{}.py", subject.name)), &code)?;
    }
    for (at, options) in combinations().iter().enumerate() {
        for subject in combined(subjects) {
            let code = subject.code(Language::Python, options);
            write(&folder.join(format!("{}_{at}.py", subject.name)), &code)?;
        }
    }
    is_typed(&folder)?;
    let each = "import importlib, pathlib\nfor path in sorted(pathlib.Path('.').glob('*.py')): importlib.import_module(path.stem)";
    run(tool("python3").args(["-W", "error", "-c", each]).current_dir(&folder))?;
    Ok(())
}
