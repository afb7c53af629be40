//! Invented documents: types of odd shapes that contain each other in any way. A seed always gives the same document.

use std::fmt::Write as _;

use fastrand::Rng;

/// The number of types in a document, beside the generic ones.
const TYPES: usize = 8;

/// The deepest nesting of a type in a definition.
const DEEPEST: usize = 3;

/// Names of fields: words of the languages, and names that need quotes or escapes.
const FIELDS: &[&str] = &[
    "a",
    "b",
    "next",
    "list",
    "int",
    "type",
    "self",
    "String",
    "größe",
    "a-b",
    "$ref",
    "",
    "a b",
    "__proto__",
    "constructor",
    "nil",
    "\u{1f600}",
    "quote\\\"",
    "length",
    "dict",
    "None",
    "len",
];

/// Texts of literals.
const TEXTS: &[&str] =
    &["a", "b", "A", "rain", "", " ", "a b", "é", "\u{1f600}", "true", "3", "quote\\\"", "class"];

const NUMBERS: &[&str] = &["0", "1", "-1", "3", "2.5", "-0.5", "1e21", "0.1", "100"];

const OF_TEXT: &[&str] = &[
    "minLength(2)",
    "maxLength(3)",
    "nonEmpty()",
    "startsWith(\"a\")",
    "endsWith(\"b\")",
    "regex(/^[a-z]+$/)",
    "regex(/\\d{2}|é/i)",
    "email()",
    "url()",
    "uuid()",
];

const OF_NUMBER: &[&str] = &[
    "min(0)",
    "max(3)",
    "min(-1.5)",
    "max(1e300)",
    "positive()",
    "multipleOf(0.1)",
    "multipleOf(3)",
    "multipleOf(0.25)",
];

/// Types that every document knows: dates, identifiers, and any JSON.
const KNOWN: &[&str] = &[
    "Timestamp",
    "Duration",
    "Email",
    "URL",
    "UUID",
    "SemVer",
    "Bytes",
    "JSONValue",
    "JSONObject",
    "DetailLevel",
    "Timestamp.min(0)",
    "Email.endsWith(\"b.co\")",
];

const OF_LIST: &[&str] = &["minItems(1)", "maxItems(2)", "nonEmpty()", "unique()"];

/// Returns the document of a seed.
pub(crate) fn document(seed: u64) -> String {
    let mut inventor = Inventor { rng: Rng::with_seed(seed) };
    let mut text = format!(
        "---\nid: invented-{seed}\ntitle: Invented\nsummary: Types that nobody would write.\n---\n\n<define>\n\n\
         ```typescript\ntype Chain<T> = {{ item: T, next?: Chain<T> }}\ntype Tree<T> = Leaf(T) | Fork(List<Tree<T>>)\n"
    );
    for at in 0..TYPES {
        text.push_str(&inventor.definition(at));
    }
    let (input, output) = (inventor.ty(TYPES, true, 1), inventor.mention(TYPES, true));
    let _ = writeln!(text, "tool use(given: {input}, rest?: {}) -> {output}", inventor.mention(TYPES, true));
    text + "```\n\n</define>\n"
}

struct Inventor {
    rng: Rng,
}

impl Inventor {
    fn one<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.rng.usize(..all.len())]
    }

    /// Returns some of the words in order, each once.
    fn some<'t>(&mut self, all: &[&'t str], most: usize) -> Vec<&'t str> {
        let mut chosen = all.to_vec();
        self.rng.shuffle(&mut chosen);
        chosen.truncate(1 + self.rng.usize(..most));
        chosen
    }

    /// Returns some of the calls, of each method one.
    fn calls(&mut self, all: &[&str], most: usize) -> String {
        let mut chosen = self.some(all, most);
        let method = |call: &str| call.split('(').next().unwrap_or_default().to_owned();
        chosen.sort_by_key(|it| method(it));
        chosen.dedup_by_key(|it| method(it));
        chosen.join(".")
    }

    /// Returns a definition of the type with that index.
    fn definition(&mut self, at: usize) -> String {
        let name = format!("T{at}");
        match self.rng.u8(..8) {
            0 => {
                let words = self.some(&["Clear", "Rain", "None", "Self", "Class", "Type"], 4);
                let wire = self.some(TEXTS, words.len());
                let variants = words.iter().enumerate().map(|(n, word)| match wire.get(n) {
                    Some(text) if n % 2 == 1 => format!("{word} = \"{text}\""),
                    _ => (*word).to_owned(),
                });
                format!("enum {name} {{ {} }}\n", variants.collect::<Vec<_>>().join(", "))
            }
            1 | 2 => {
                let tags = self.some(&["Eq", "Not", "All", "Box", "Err"], 4);
                let mut variants = vec![format!("{name}Of({})", self.payload(at))];
                for tag in tags {
                    let bare = self.rng.bool();
                    variants.push(if bare { tag.to_owned() } else { format!("{tag}({})", self.payload(at)) });
                }
                format!("type {name} = {}\n", variants.join(" | "))
            }
            3 | 4 => format!("type {name} = {}\n", self.structure(at, DEEPEST)),
            5 => {
                let members: Vec<String> =
                    (0..2 + self.rng.usize(..3)).map(|_| self.ty(at, false, DEEPEST - 1)).collect();
                format!("type {name} = {}\n", members.join(" | "))
            }
            6 => format!("type {name} = {}\n", self.literals()),
            _ => format!("type {name} = {}\n", self.ty(at, false, DEEPEST)),
        }
    }

    /// Returns the fields of a variant.
    fn payload(&mut self, at: usize) -> String {
        let names = self.some(&["a", "inner", "of", "list", "type", "value", "r"], 3);
        let each: Vec<String> = names
            .into_iter()
            .map(|name| {
                let mark = if self.rng.u8(..4) == 0 { "?" } else { "" };
                format!("{name}{mark}: {}", self.ty(at, true, 2))
            })
            .collect();
        each.join(", ")
    }

    /// Returns a struct. Fields that have to be there only have types before it, so that there are values.
    fn structure(&mut self, at: usize, depth: usize) -> String {
        let names = self.some(FIELDS, 5);
        let each: Vec<String> = names
            .into_iter()
            .map(|name| {
                let is_optional = self.rng.bool();
                let mark = if is_optional { "?" } else { "" };
                format!("\"{name}\"{mark}: {}", self.ty(at, is_optional, depth.saturating_sub(1)))
            })
            .collect();
        format!("{{ {} }}", each.join(", "))
    }

    fn literals(&mut self) -> String {
        match self.rng.u8(..3) {
            0 => {
                let texts = self.some(TEXTS, 4);
                let each: Vec<String> = texts.into_iter().map(|it| format!("\"{it}\"")).collect();
                format!("choice({})", each.join(" | "))
            }
            1 => {
                self.some(&["0", "1", "-1", "2.5", "true", "false", "\"a\"", "\"1\"", "null"], 4).join(" | ")
            }
            _ => self.some(NUMBERS, 3).join(" | "),
        }
    }

    /// Returns a mention of a type: of any if `free`, otherwise of one before that with the index `at`.
    fn mention(&mut self, at: usize, free: bool) -> String {
        let most = if free { TYPES } else { at };
        match most {
            0 => "string".to_owned(),
            most => format!("T{}", self.rng.usize(..most)),
        }
    }

    fn ty(&mut self, at: usize, free: bool, depth: usize) -> String {
        let choices = if depth == 0 { 7 } else { 17 };
        match self.rng.u8(..choices) {
            0 => self.one(&["string", "number", "int", "bool", "any", "null"]).to_owned(),
            1 => format!("string.{}", self.calls(OF_TEXT, 2)),
            2 => format!("{}.{}", self.one(&["number", "int"]), self.calls(OF_NUMBER, 2)),
            3 => self.literals(),
            4 | 5 => self.mention(at, free),
            6 => self.one(KNOWN).to_owned(),
            7 | 8 => format!("List<{}>", self.ty(at, true, depth - 1)),
            9 => format!("List<{}>.{}", self.ty(at, true, depth - 1), self.calls(OF_LIST, 2)),
            10 => format!("Dict<string, {}>", self.ty(at, true, depth - 1)),
            11 => format!("Dict<DetailLevel, {}>", self.ty(at, true, depth - 1)),
            12 => format!("Option<{}>", self.ty(at, free, depth - 1)),
            13 => self.structure(at, depth - 1),
            14 => format!("Chain<{}>", self.mention(at, false)),
            15 => format!("Result<{}, {}>", self.ty(at, true, depth - 1), self.mention(at, true)),
            _ => format!("Tree<{}>", self.mention(at, free)),
        }
    }
}
