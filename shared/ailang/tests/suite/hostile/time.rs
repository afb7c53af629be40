//! The time for a document grows with its length, whatever it repeats.

use std::time::Duration;

use ailang::{Document, Documents, Strictness, format, validate};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![the_time_grows_with_the_length]
}

/// The length of the short documents, in bytes.
const SHORT: usize = 6 << 10;

/// The length of a long document, in short ones.
const TIMES: u32 = 8;

/// The most that a long document may take, in the times of a short one. A quadratic step takes 64.
const MOST: u32 = 25;

/// The least time that counts; anything shorter is noise.
const LEAST: Duration = Duration::from_millis(40);

/// What documents repeat: the text before, the repeated text with `#` for a number, and the text behind.
const SHAPES: &[(&str, &str, &str)] = &[
    ("---\nid: a\ntitle: A\nsummary: S\n---\n", "Prose and *more* prose, `code` and <b>tags</b>.\n\n", ""),
    ("---\nid: a\ntitle: A\nsummary: S\n---\n", "# A heading #\n", ""),
    ("", "<define>\n", ""),
    ("", "```\n", ""),
    ("", "~~~~ a\n```\n", ""),
    ("", "<!-- ", ""),
    ("---\n", "key#: [a, {b: c}]\n", "---\n"),
    ("---\nkeywords: [", "w#, ", "]\n---\n"),
    ("<define>\n", "type T# = { a: string.minLength(1), b?: List<int> }\n", "</define>\n"),
    ("<define>\n", "type T# = U#\n", "</define>\n"),
    ("<define>\ntype T = ", "\"a#\" | ", "\"z\"\n</define>\n"),
    ("<define>\n", "enum E# { A, B, C }\n", "</define>\n"),
    ("<define>\n", "capability C# { ask = \"May I?\" }\n", "</define>\n"),
    ("<define>\n", "tool f#(a: string, b?: int) -> bool throws E\n", "</define>\n"),
    ("<define>\n", "// A comment.\n", "tool f()\n</define>\n"),
    ("<define>\n", "/* ", "</define>\n"),
    ("<define>\ntype T = {\n", "// A comment.\n", "a: int }\n</define>\n"),
    ("<define>\ntype T = { a: int\n", "// A comment.\n", "}\n</define>\n"),
    ("<define>\ntype T = { a: int ", "/**/ ", "}\n</define>\n"),
    ("<define>\ntype T = { a: ", "/**/ ", "int }\n</define>\n"),
    ("<define>\nerror E { message = \"a\"\n", "// A comment.\n", "}\n</define>\n"),
    ("<define>\ntool f(\n", "a#: List<Map<string, int>>,\n", ") -> bool\n</define>\n"),
    ("<example>\nf(1 ", "/**/ ", ")\n</example>\n"),
    ("<example>\n", "// A comment.\n", "print(1)\n</example>\n"),
    ("<example>\nx = {", "a#: { b: [1] }, ", "}\n</example>\n"),
    ("<define>\ntype A = ", "{", "\n</define>\n"),
    ("<define>\n", "type A = \n", "</define>\n"),
    ("<define>\n", "}\n", "</define>\n"),
    ("<example>\n", "x# = [1, 2].map(it => it + 1)\n", "</example>\n"),
    ("<example>\n", "print(`a ${1} b`, \"${2}\")\n", "</example>\n"),
    ("<example>\nx = ", "1 + ", "1\n</example>\n"),
    ("<example>\nx = [", "1, ", "1]\n</example>\n"),
    ("<example>\n", "`${", "</example>\n"),
    ("<example>\n", "if (a) { } else ", "{ }\n</example>\n"),
    ("", "<example>\nprint(#)\n</example>\n\n", ""),
    ("", "\u{1f600}\r", ""),
];

fn document((before, repeated, behind): (&str, &str, &str), length: usize) -> String {
    let mut text = before.to_owned();
    let mut number = 0;
    while text.len() < length {
        number += 1;
        text += &repeated.replace('#', &number.to_string());
    }
    text + behind
}

/// Returns the processor time of this thread, which other work of the machine does not lengthen.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("it is not negative")
}

/// Returns the processor time to parse, check and format a document.
fn time(text: &str) -> Duration {
    let start = processor_time();
    let mut documents = Documents::new();
    documents.insert("a.md", Document::parse(text));
    validate(&documents, "a.md", Strictness::Strict);
    // A document with syntax errors stays as it is.
    let _ = format(text);
    processor_time() - start
}

fn the_time_grows_with_the_length() {
    let mut slow = Vec::new();
    for shape in SHAPES {
        let measured = || {
            let short = time(&document(*shape, SHORT)).max(LEAST / TIMES);
            let long = time(&document(*shape, SHORT * TIMES as usize));
            (long > LEAST && long > short * MOST).then_some((short, long))
        };
        // Something else may have run at the same time, so only what is slow each time counts.
        if let Some((short, long)) = (0..4).map_while(|_| measured()).nth(3) {
            slow.push(format!("{:?}: {short:?}, and {long:?} for {TIMES} times as much", shape.1));
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
