//! TypeScript: `tsc` with all strict options, and zod on Node.

use std::path::Path;

use ailang_formats::{GenerateOptions, Language};
use libtest_mimic::{Failed, Trial};
use serde_json::json;

use super::subjects::{combined, subjects};
use super::tools::{home, run, tool, trial};
use super::{combinations, driver, folder, write};

pub(super) const NEEDS: &[&[&str]] = &[&["tsc", "--version"], &["node", "-e", "require('zod')"]];

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("typescript", "compiles, and checks values as documents do", NEEDS, checked)]
}

fn checked() -> Result<(), Failed> {
    let folder = folder("typescript");
    let subjects = subjects();
    for subject in subjects {
        let code = subject.code(Language::TypeScript, &GenerateOptions::default());
        write(&folder.join(format!("{}.ts", subject.name)), &code)?;
        write(&folder.join(format!("{}.json", subject.name)), &subject.vectors().to_string())?;
    }
    for (at, mut options) in combinations().into_iter().enumerate() {
        for subject in combined(subjects) {
            options.style = [("semi".to_owned(), json!(at % 3 != 0)), ("quotes".to_owned(), json!("single"))]
                .into_iter()
                .collect();
            let code = subject.code(Language::TypeScript, &options);
            write(&folder.join(format!("combinations/{}_{at}.ts", subject.name)), &code)?;
        }
    }
    compile(&folder)?;
    let mut check = tool("node");
    check.arg(driver("check.mjs"));
    for subject in subjects {
        check.arg(folder.join(format!("out/{}.js", subject.name)));
        check.arg(folder.join(format!("{}.json", subject.name)));
    }
    run(&mut check)?;
    Ok(())
}

/// Compiles the files of a folder to its folder `out`.
pub(super) fn compile(folder: &Path) -> Result<(), Failed> {
    write(&folder.join("package.json"), "{\"type\": \"module\"}")?;
    let options = json!({
        "strict": true, "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "noUnusedLocals": true,
        "noUnusedParameters": true, "noImplicitReturns": true, "noImplicitOverride": true,
        "noPropertyAccessFromIndexSignature": true, "verbatimModuleSyntax": true, "erasableSyntaxOnly": true,
        "module": "nodenext", "target": "es2023", "types": [], "rootDir": ".", "outDir": "out",
    });
    write(&folder.join("tsconfig.json"), &json!({"compilerOptions": options}).to_string())?;
    // Modules find packages in the folders above them only.
    #[cfg(unix)]
    if let Some(home) = home() {
        std::os::unix::fs::symlink(home.join("node_modules"), folder.join("node_modules"))?;
    }
    run(tool("tsc").arg("-p").arg(folder))?;
    Ok(())
}
