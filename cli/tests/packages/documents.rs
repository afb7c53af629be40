//! Packages that `ailang init` writes, and imports of built-in modules.

use std::fs;

use expect_test::expect;
use libtest_mimic::Trial;

use super::{check, package, run, write};

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        a_new_package_is_valid_and_its_examples_run,
        imports_of_built_in_modules_are_checked_and_run
    ]
}

fn a_new_package_is_valid_and_its_examples_run() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    fs::create_dir(folder.join("app")).expect("there is room");
    run(folder, "init ../http");
    for path in ["ailang.json", "README.md", "main.md", "lib/types.md", "examples/usage.md"] {
        assert!(folder.join("http").join(path).is_file(), "{path}");
    }
    check(
        folder,
        "validate ../http --strictness strict",
        &expect![[r#"
            info[AL0119]: the front matter does not say how many tokens the document has at each level
              --> ../http/examples/usage.md:2:1
            2 | id: usage
              | ^

            info[AL0119]: the front matter does not say how many tokens the document has at each level
              --> ../http/lib/helpers.md:2:1
            2 | id: helpers
              | ^

            info[AL0119]: the front matter does not say how many tokens the document has at each level
              --> ../http/lib/types.md:2:1
            2 | id: types
              | ^

            info[AL0119]: the front matter does not say how many tokens the document has at each level
              --> ../http/main.md:2:1
            2 | id: http-tools
              | ^

            ✓ ../http (4 documents) is valid
            --- 0
        "#]],
    );
    check(
        folder,
        "run ../http/main.md",
        &expect![[r#"
            Hello, Ada!
            ok: demo
            --- 0
        "#]],
    );
    check(
        folder,
        "run ../http/examples/usage.md",
        &expect![[r#"
            Hello, Ada!
            Ask how the name is spelt.
            ok: unknown-name
            --- 0
        "#]],
    );
    run(folder, "publish ../http --dry-run");
}

fn imports_of_built_in_modules_are_checked_and_run() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path();
    package(folder, "app");
    let main = fs::read_to_string(folder.join("app/main.md")).expect("it is there");
    let with = |imports: &str, code: &str| {
        let main = main.replace("<define>\n", &format!("<define>\n{imports}\n"));
        write(folder, "app/main.md", &main.replace("appTime(\"UTC\")", code));
    };
    with("from http import httpGte", "httpGte(\"https://example.org\")");
    check(
        folder,
        "validate main.md",
        &expect![[r#"
            error[AL3502]: the built-in module `http` does not define `httpGte`
              --> main.md:12:18
            12 | from http import httpGte
               |                  ^^^^^^^
            help: did you mean `httpGet`?

            warning[AL3420]: this example never calls `appTime`
              --> main.md:18:19
            18 | <example id="one" tool="appTime">
               |                   ^^^^^^^^^^^^^^

            ✗ main.md has 1 error and 1 warning
            --- 1
        "#]],
    );
    with(
        "from \"@ailang/builtin\" import readFile, readFlie\nfrom \"@ailang/htpp\" import x\nfrom ailang.htpp import y",
        "readFile(\"a\")",
    );
    check(
        folder,
        "validate main.md",
        &expect![[r#"
            error[AL3502]: the built-in module `builtin` does not define `readFlie`
              --> main.md:12:41
            12 | from "@ailang/builtin" import readFile, readFlie
               |                                         ^^^^^^^^
            help: did you mean `readFile`?

            error[AL3501]: `@ailang/htpp` is not there
              --> main.md:13:6
            13 | from "@ailang/htpp" import x
               |      ^^^^^^^^^^^^^^
            help: did you mean `http`?

            error[AL3501]: there is no built-in module `ailang.htpp`
              --> main.md:14:6
            14 | from ailang.htpp import y
               |      ^^^^^^^^^^^
            help: did you mean `http`?

            warning[AL3420]: this example never calls `appTime`
              --> main.md:20:19
            20 | <example id="one" tool="appTime">
               |                   ^^^^^^^^^^^^^^

            ✗ main.md has 3 errors and 1 warning
            --- 1
        "#]],
    );
    with("from \"@ailang/builtin\" import readFile", "print(readFile(\"a.txt\"))");
    write(folder, "app/mock.json", r#"{"readFile":[{"result":"the text"}]}"#);
    run(folder, "validate main.md");
    check(
        folder,
        "run main.md --mock mock.json",
        &expect![[r#"
        the text
        ok: one
        --- 0
    "#]],
    );
    check(
        folder,
        "generate main.md --lang typescript --output ../generated",
        &expect![[r#"
        ../generated/app.generated.ts
        --- 0
    "#]],
    );
    check(
        folder,
        "search readFile --in tools",
        &expect![[r#"
        tool readFile of @ailang/builtin  ailang://storage.md
            tool readFile(path: FilePath) -> string requires FileSystemRead throws FileNotFoundError, StorageError
            Reads a text file.
        --- 0
    "#]],
    );
    check(
        folder,
        "install @ailang/builtin",
        &expect![[r#"
        ✓ `@ailang/builtin` is a dependency now: *
        --- 0
    "#]],
    );
    check(
        folder,
        "install",
        &expect![[r#"
        ✓ there are no dependencies
        --- 0
    "#]],
    );
    assert!(!folder.join("app/ailang_modules").exists());
}
