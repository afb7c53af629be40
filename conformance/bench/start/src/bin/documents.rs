//! Reading and validating interface documents takes time by their bytes and by nothing else: many small ones, and
//! one large one, of each size the time for a megabyte.

use std::fmt::Write;
use std::time::{Duration, Instant};

use ailang::{Document, Documents, Severity, Strictness, validate_all};

const ROUNDS: usize = 5;

/// The number of small documents.
const COUNTS: [usize; 4] = [125, 250, 500, 1_000];

/// The size of the large document in bytes.
const SIZES: [usize; 4] = [1 << 17, 1 << 18, 1 << 19, 1 << 20];

/// The most that the largest of a row may take.
const LIMIT: Duration = Duration::from_secs(2);

/// The largest allowed ratio of the time per byte, largest to smallest document. Some growth is due to the
/// processor's caches; anything quadratic would take eight times as long.
const GROWTH: f64 = 4.0;

const SKILLS: [&str; 4] = [
    include_str!("../../../../../shared/ailang/corpus/skills/email-sender.md"),
    include_str!("../../../../../shared/ailang/corpus/skills/github-workflow.md"),
    include_str!("../../../../../shared/ailang/corpus/skills/script-tool.md"),
    include_str!("../../../../../shared/ailang/corpus/skills/send_tweet.md"),
];

/// The repeated part of a large document.
struct Shape {
    name: &'static str,
    /// The text that its `n`th part has.
    part: fn(usize) -> String,
    end: &'static str,
    is_valid: bool,
}

const SHAPES: [Shape; 6] = [
    Shape { name: "definitions", part: definitions, end: "", is_valid: true },
    Shape { name: "capabilities and errors", part: refusals, end: "", is_valid: true },
    Shape { name: "examples", part: example, end: "", is_valid: true },
    Shape { name: "statements of one example", part: statement, end: "</example>\n", is_valid: true },
    Shape { name: "prose", part: prose, end: "", is_valid: true },
    Shape { name: "unknown names", part: unknown, end: "", is_valid: false },
];

fn main() {
    println!("| how many, or bytes | of what | µs to read | µs to validate | ms a megabyte |");
    println!("|---:|---|---:|---:|---:|");
    row("documents that know nothing of each other", &COUNTS, apart, true);
    row("documents that import the one before", &COUNTS, chained, true);
    row("documents that import the one before by its name", &COUNTS, named, true);
    row("documents that all import one", &COUNTS, around_one, true);
    for shape in &SHAPES {
        row(&format!("one document of {}", shape.name), &SIZES, |size| one(size, shape), shape.is_valid);
    }
}

/// Measures each size, and holds the largest to the smallest.
fn row(name: &str, sizes: &[usize], make: impl Fn(usize) -> Texts, is_valid: bool) {
    let all: Vec<Times> = sizes.iter().map(|size| measure(&make(*size), is_valid)).collect();
    for (size, times) in sizes.iter().zip(&all) {
        let (reading, validating) = (times.reading.as_micros(), times.validating.as_micros());
        println!("| {size} | {name} | {reading} | {validating} | {:.0} |", times.rate());
    }
    let (smallest, largest) = (&all[0], &all[all.len() - 1]);
    assert!(largest.all() <= LIMIT, "{name}: {:?}", largest.all());
    let growth = largest.rate() / smallest.rate();
    assert!(
        growth <= GROWTH,
        "{name}: a byte of the largest takes {growth:.1} times as much as of the smallest"
    );
}

/// Paths and texts.
type Texts = Vec<(String, String)>;

struct Times {
    bytes: usize,
    reading: Duration,
    validating: Duration,
}

impl Times {
    fn all(&self) -> Duration {
        self.reading + self.validating
    }

    /// Milliseconds for a megabyte.
    fn rate(&self) -> f64 {
        self.all().as_secs_f64() * 1e9 / self.bytes as f64
    }
}

/// The least of some rounds: what else runs on the machine only adds to a time.
fn measure(texts: &Texts, is_valid: bool) -> Times {
    let bytes = texts.iter().map(|(_, text)| text.len()).sum();
    let (mut reading, mut validating) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let (time, documents) = timed(|| read(texts));
        reading = reading.min(time);
        let (time, found) = timed(|| count_errors(&documents));
        validating = validating.min(time);
        assert_eq!(found == 0, is_valid, "{found} errors are found");
    }
    Times { bytes, reading, validating }
}

fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let value = run();
    (start.elapsed(), value)
}

fn read(texts: &Texts) -> Documents {
    let mut documents = Documents::new();
    for (path, text) in texts {
        documents.insert(path, Document::parse(text));
    }
    documents
}

fn count_errors(documents: &Documents) -> usize {
    let all = validate_all(documents, Strictness::Normal);
    let errors = all.iter().flat_map(|(path, found)| found.iter().map(move |it| (path, it)));
    errors.filter(|(_, it)| it.severity == Severity::Error).count()
}

/// Skills of the corpus, each with an `id` of its own.
fn apart(count: usize) -> Texts {
    (0..count).map(|n| (format!("d{n}.md"), renamed(SKILLS[n % SKILLS.len()], n))).collect()
}

fn renamed(skill: &str, n: usize) -> String {
    let named =
        |line| if str::starts_with(line, "id: ") { format!("id: d{n}\n") } else { format!("{line}\n") };
    skill.lines().map(named).collect()
}

fn chained(count: usize) -> Texts {
    let from = |n: usize| {
        if n == 0 { String::new() } else { format!("from \"./d{}.md\" import T{}\n", n - 1, n - 1) }
    };
    (0..count).map(|n| (format!("d{n}.md"), importing(n, &from(n), n.saturating_sub(1)))).collect()
}

fn named(count: usize) -> Texts {
    let from = |n: usize| if n == 0 { String::new() } else { format!("from d{} import T{}\n", n - 1, n - 1) };
    (0..count).map(|n| (format!("d{n}.md"), importing(n, &from(n), n.saturating_sub(1)))).collect()
}

fn around_one(count: usize) -> Texts {
    let from = |n: usize| if n == 0 { "" } else { "from \"./d0.md\" import T0\n" };
    (0..count).map(|n| (format!("d{n}.md"), importing(n, from(n), 0))).collect()
}

/// Defines `T{n}` and a few tools, with a type of another document.
fn importing(n: usize, import: &str, other: usize) -> String {
    let tools: String =
        (0..20).map(|it| format!("// Does it.\ntool go{it}(with: T{other}) -> T{n}\n\n")).collect();
    document(n, &format!("<define>\n{import}type T{n} = {{ name: string.nonEmpty() }}\n\n{tools}</define>\n"))
}

fn one(size: usize, shape: &Shape) -> Texts {
    let mut body = String::new();
    for n in 0.. {
        if body.len() >= size {
            break;
        }
        body.push_str(&(shape.part)(n));
    }
    vec![("main.md".to_owned(), document(0, &(body + shape.end)))]
}

fn document(n: usize, body: &str) -> String {
    format!("---\nid: d{n}\ntitle: Document {n}\nsummary: One of many.\n---\n\n# Document {n}\n\n{body}")
}

fn definitions(n: usize) -> String {
    let before = n.saturating_sub(1);
    format!(
        "<define>\nenum Level{n} {{ Low, High = \"high\" }}\n\
         type Place{n} = {{ path: string.regex(/^[a-z]+\\/{n}$/), level?: Level{before}, line?: int.min(1).max(4_000) }}\n\
         // Goes to a place, and stays there for a while.\n\
         tool go{n}(place: Place{before}, level?: Level{n}.default(Low), names?: List<string>) -> List<Place{n}>\n\
         </define>\n\n"
    )
}

fn refusals(n: usize) -> String {
    let composed = if n % 8 == 0 { format!("Read{n}") } else { format!("Both{} & Read{n}", n - 1) };
    format!(
        "<define>\ncapability Read{n} {{ ask = \"Allow reading number {n}\", scope = \"once\" }}\n\
         capability Both{n} = {composed}\n\
         error Refused{n}(name: string, code: number) {{\n  message = \"No ${{name}}: ${{code}}\"\n  \
         recovery = \"Ask for another than ${{name}}.\"\n  retryable = false\n}}\n\
         tool try{n}(name: string) -> string requires Both{n} throws Refused{n}\n</define>\n\n"
    )
}

fn example(n: usize) -> String {
    let define = "<define>\ntool go(name: string, times?: int.min(1)) -> List<string>\n</define>\n\n";
    let mut text = if n == 0 { define.to_owned() } else { String::new() };
    write!(
        text,
        "<example id=\"e{n}\" tool=\"go\">\nfound = go(\"number {n}\", times = 3)\n\
         long = found.filter(it => it.length > {n})\nif (long.length > 0) {{\n  print(\"${{long[0]}} of ${{found.length}}\")\n\
         }}\n</example>\n\n"
    )
    .expect("a string takes all");
    text
}

/// One block, in which each statement sees what the one before has bound.
fn statement(n: usize) -> String {
    let start = "<define>\ntool go(start: number) -> number\n</define>\n\n<example id=\"e\" tool=\"go\">\nx0 = go(1)\n";
    if n == 0 { start.to_owned() } else { format!("x{n} = go(start = x{} + {n})\n", n - 1) }
}

fn prose(n: usize) -> String {
    format!(
        "## Section {n}\n\nText about `number {n}`, *which* goes on < for a while > and [ends](#{n}).\n\n- one\n- two\n\n"
    )
}

fn unknown(n: usize) -> String {
    format!("<define>\ntool go{n}(place: Plaec{n}) -> Resutl{n} throws Nothing{n}\n</define>\n\n")
}
