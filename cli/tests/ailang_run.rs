//! Tests of `ailang run` as a user runs it. The example skills run against their fixtures.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;

use expect_test::{Expect, expect};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        each_skill_does_what_its_examples_say,
        skills_are_ready_to_be_published,
        one_example_prints_what_it_says_and_how_it_ended,
        a_failed_example_is_told_with_its_place,
        a_document_with_errors_does_not_run,
        a_program_without_an_end_ends,
        the_core_library_is_there_unless_the_document_has_the_name,
        the_example_of_each_built_in_module_runs,
        a_program_reaches_a_server_that_was_granted_and_no_other,
        files_are_written_where_that_was_granted_and_nowhere_else,
        fixtures_permit_nothing_that_is_real,
        examples_ask_a_real_workspace,
        examples_of_the_ide_document_run_in_a_real_workspace
    ]
}

/// The exit code, standard output and standard error of a run.
struct Run {
    code: i32,
    out: String,
    err: String,
}

fn run(arguments: &[&str]) -> Run {
    run_in(Path::new("."), arguments)
}

/// Runs it in a folder.
fn run_in(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ailang"));
    let command = command.current_dir(folder).env("NO_PROXY", "*").arg("run").args(arguments);
    let output = command.output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it prints text");
    Run { code: output.status.code().expect("it exits"), out: text(output.stdout), err: text(output.stderr) }
}

fn skills() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/skills")
}

/// Runs the document of a skill with its fixtures.
fn skill(name: &str, more: &[&str]) -> Run {
    let folder = skills().join(name);
    let (document, fixtures) = (folder.join(format!("{name}.md")), folder.join("fixtures.json"));
    let (document, fixtures) = (document.display().to_string(), fixtures.display().to_string());
    let mut arguments = vec![document.as_str(), "--mock", fixtures.as_str(), "--now", "1760000000"];
    arguments.extend(more);
    run(&arguments)
}

fn document(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".md").tempfile().expect("there is room");
    let head = "---\nid: test\ntitle: Test\nsummary: For tests.\n---\n\n";
    std::fs::write(file.path(), format!("{head}{text}")).expect("it can be written");
    file
}

fn each_skill_does_what_its_examples_say() {
    let mut names: Vec<String> = std::fs::read_dir(skills())
        .expect("there are skills")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["email", "etl", "github", "publishing", "social-media"]);
    for name in names {
        for mode in [&[][..], &["--strict"]] {
            let Run { code, out, err } = skill(&name, mode);
            assert_eq!((code, err.as_str()), (0, ""), "{name}: {out}{err}");
            let examples = out.lines().filter(|line| line.starts_with("ok: ")).count();
            assert!(examples >= 2, "{name}: {out}");
        }
    }
}

fn skills_are_ready_to_be_published() {
    let folder = skills().display().to_string();
    let checked = Command::new(env!("CARGO_BIN_EXE_ailang"))
        .args(["validate", "--strictness", "strict", &folder])
        .output()
        .expect("it starts");
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}

fn one_example_prints_what_it_says_and_how_it_ended() {
    let found = skill("publishing", &["--example", "first-time", "--metrics", "table"]);
    let expected: Expect = expect![[r#"
        published as a17
        ok: first-time
        tool             calls  errors  refused  median ms  95 % ms  max ms  tokens in  tokens out
        generateSummary      1       0        0        0.0      0.0     0.0         23           5
        httpGet              1       0        0        0.0      0.0     0.0         16           1
        httpPost             1       0        0        0.0      0.0     0.0         64          11
        improveWriting       1       0        0        0.0      0.0     0.0         18          16
        publishArticle       1       0        0        0.0      0.0     0.0         39           9
        writeFile            1       0        0        0.0      0.0     0.0         25           1
    "#]];
    expected.assert_eq(&found.out);
    let absent = skill("publishing", &["--example", "third-time"]);
    assert_eq!(absent.code, 3);
    assert_eq!(absent.err, "ailang: there is no example `third-time`; there are: first-time, second-time\n");
}

fn a_failed_example_is_told_with_its_place() {
    let file = document(
        "<define>\n\ntool send(to: string) -> string\n\n</define>\n\n<example id=\"good\">\n\nprint(now())\n\n</example>\n\n\
         <example id=\"bad\">\n\nsend(\"a\")\n\n</example>\n",
    );
    let path = file.path().display().to_string();
    let Run { code, out, err } = run(&[&path, "--now", "1970-01-01T00:00:07Z"]);
    assert_eq!(code, 1);
    assert_eq!(out, "7\nok: good\nfailed: bad: NotImplementedError: nothing implements `send`\n");
    assert!(err.contains("line 21, column 1") && err.contains("^^^^"), "{err}");
}

fn a_document_with_errors_does_not_run() {
    let file = document("<example id=\"bad\">\n\nsend(\"a\")\n\n</example>\n");
    let Run { code, out, err } = run(&[&file.path().display().to_string()]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("no tool is called `send`"), "{err}");
    let absent = run(&["absent.md"]);
    assert_eq!(absent.code, 3);
    let fixtures = run(&[&file.path().display().to_string(), "--mock", "absent.json"]);
    assert_eq!(fixtures.code, 3, "{}", fixtures.err);
}

fn a_program_without_an_end_ends() {
    let file = document("<example id=\"loop\">\n\nwhile (true) {}\n\n</example>\n");
    let Run { code, out, .. } = run(&[&file.path().display().to_string()]);
    assert_eq!((code, out.as_str()), (1, "failed: loop: the program takes more steps than 1000000\n"));
}

fn the_core_library_is_there_unless_the_document_has_the_name() {
    let file = document(
        "<define>\n\n// @pure\ntool first(items: List<number>) -> number { return -1 }\n\n</define>\n\n<example id=\"core\">\n\n```ts\n\
         print([3, 1, 2].last(), first([7]))\n```\n\n```dialect\n[1, 2, 3].map(x => x * 2).filter(x => x > 2)\n```\n\n</example>\n",
    );
    let Run { code, out, err } = run(&[&file.path().display().to_string()]);
    assert_eq!((code, out.as_str()), (0, "2 -1\n[4,6]\nok: core\n"), "{err}");
}

fn the_example_of_each_built_in_module_runs() {
    let folder = tempfile::tempdir().expect("there is room");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for name in ["modules", "skills/email", "skills/etl"] {
        let target = folder.path().join("examples").join(name);
        std::fs::create_dir_all(&target).expect("there is room");
        for file in std::fs::read_dir(examples.join(name)).expect("it is there").flatten() {
            std::fs::copy(file.path(), target.join(file.file_name())).expect("there is room");
        }
    }
    for (name, more) in [
        ("parser", &[][..]),
        ("validator", &[]),
        ("generator", &[]),
        ("context", &[]),
        ("storage", &["--grant", "FileSystemRead", "--grant", "FileSystemWrite"]),
        ("http", &["--mock", "examples/modules/http.json"]),
        ("runtime", &["--capability-mode", "permissive"]),
    ] {
        let path = format!("examples/modules/{name}.md");
        let arguments: Vec<&str> = [path.as_str()].into_iter().chain(more.iter().copied()).collect();
        let Run { code, out, err } = run_in(folder.path(), &arguments);
        assert_eq!(code, 0, "{name}: {out}{err}");
        assert!(out.ends_with(&format!("ok: {name}\n")), "{name}: {out}{err}");
    }
}

/// Answers one request with JSON, and returns what was sent.
fn served(listener: TcpListener) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody comes");
        let (mut request, mut piece) = (Vec::new(), [0; 1_024]);
        while !request.ends_with(b"{\"name\":\"Ghent\"}") {
            let count = stream.read(&mut piece).expect("it is sent");
            request.extend_from_slice(&piece[..count]);
        }
        let answer =
            "HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{\"id\":7}";
        stream.write_all(answer.as_bytes()).expect("it is received");
        String::from_utf8_lossy(&request).into_owned()
    })
}

fn a_program_reaches_a_server_that_was_granted_and_no_other() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has one");
    let file = document(&format!(
        "<define>\nfrom ailang.http import httpPost\n</define>\n\n<example id=\"send\">\n\
         print(httpPost(\"http://{address}/visits\", {{ name: \"Ghent\" }}).id)\n</example>\n"
    ));
    let path = file.path().display().to_string();
    let Run { code, out, err } = run(&[&path]);
    assert_eq!(code, 1, "{out}{err}");
    let denied = "`httpPost` is not permitted: nobody granted prelude/NetworkAccess";
    assert!(out.contains("CapabilityDeniedError") && out.contains(denied), "{out}{err}");
    let server = served(listener);
    let Run { code, out, err } = run(&[&path, "--grant", "NetworkAccess"]);
    assert_eq!((code, out.as_str()), (0, "7\nok: send\n"), "{err}");
    let request = server.join().expect("it has served");
    assert!(request.starts_with("POST /visits HTTP/1.1\r\n"), "{request}");
    assert!(request.to_ascii_lowercase().contains("content-type: application/json"), "{request}");
}

const WRITES: &str = "<define>\nfrom ailang.storage import writeFile, readFile\n</define>\n\n\
                      <example id=\"write\">\nwriteFile(\"out/a.txt\", \"text\")\nprint(readFile(\"out/a.txt\"))\n\
                      </example>\n";

fn files_are_written_where_that_was_granted_and_nowhere_else() {
    let file = document(WRITES);
    let path = file.path().display().to_string();
    let folder = tempfile::tempdir().expect("there is room");
    let written = folder.path().join("out/a.txt");
    let refused = run_in(folder.path(), &[&path, "--grant", "FileSystemRead"]);
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("prelude/FileSystemWrite"), "{}", refused.out);
    assert!(!written.exists());
    let both = ["--grant", "FileSystemRead", "--grant", "FileSystemWrite"];
    let Run { code, out, err } = run_in(folder.path(), &[&[path.as_str()], &both[..]].concat());
    assert_eq!((code, out.as_str()), (0, "text\nok: write\n"), "{err}");
    assert_eq!(std::fs::read_to_string(&written).expect("it was written"), "text");
}

fn fixtures_permit_nothing_that_is_real() {
    let file = document(WRITES);
    let path = file.path().display().to_string();
    let folder = tempfile::tempdir().expect("there is room");
    let fixtures = folder.path().join("fixtures.json");
    std::fs::write(&fixtures, r#"{"readFile": [{"result": "text"}]}"#).expect("there is room");
    let Run { code, out, .. } = run_in(folder.path(), &[&path, "--mock", "fixtures.json"]);
    assert_eq!(code, 1);
    assert!(out.contains("nobody granted prelude/FileSystemWrite"), "{out}");
    assert!(!folder.path().join("out").exists());
}

fn examples_ask_a_real_workspace() {
    let workspace = tempfile::tempdir().expect("there is room");
    std::fs::write(workspace.path().join("notes.txt"), "one needle\ntwo\n").expect("it can be written");
    let file = document(
        "<define>\n\n// @readOnly\ntool search(path: string, pattern: string) -> List<JSONValue>\n\n</define>\n\n<example id=\"search\">\n\n```ts\n\
         found = search(\".\", \"needle\")\nprint(found.length, found[0].path, found[0].start.line)\n```\n\n\
         ```dialect\nsearch(`.`, `needle`).length\n```\n\n</example>\n",
    );
    let folder = workspace.path().display().to_string();
    let Run { code, out, err } = run(&[&file.path().display().to_string(), "--workspace", &folder]);
    assert_eq!((code, out.as_str()), (0, "1 notes.txt 1\n1\nok: search\n"), "{err}");
}

fn examples_of_the_ide_document_run_in_a_real_workspace() {
    let workspace = tempfile::tempdir().expect("there is room");
    std::fs::write(workspace.path().join("auth.py"), "class User:\n    pass\n").expect("it can be written");
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/ide-library/interface/ide.md");
    let folder = workspace.path().display().to_string();
    let Run { out, .. } = run(&[&document.display().to_string(), "--workspace", &folder]);
    let first = out.lines().next().expect("it prints something");
    assert!(first.contains(r#""name":"User""#) && first.contains("auth.py"), "{out}");
    assert!(out.lines().any(|line| line.starts_with("ok: example 1, line ")), "{out}");
    assert!(out.lines().any(|line| line.starts_with("failed: ")), "names of other workspaces are not there");
}
