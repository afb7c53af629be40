//! The five tasks, as one would write them in each language.

/// A language that the tasks are written in.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    Dialect,
    Jaq,
    Rhai,
    Starlark,
}

pub(crate) struct Task {
    pub(crate) name: &'static str,
    dialect: &'static str,
    jaq: &'static str,
    rhai: &'static str,
    starlark: &'static str,
    /// As JSON.
    pub(crate) answer: &'static str,
}

impl Task {
    pub(crate) fn program(&self, language: Language) -> &'static str {
        match language {
            Language::Dialect => self.dialect,
            Language::Jaq => self.jaq,
            Language::Rhai => self.rhai,
            Language::Starlark => self.starlark,
        }
    }
}

pub(crate) const TASKS: &[Task] = &[
    Task {
        name: "calls in calls",
        dialect: "describe(findReferences(findDefinition(`open_token`))[0])",
        jaq: r#"describe(findReferences(findDefinition("open_token"))[0])"#,
        rhai: r#"describe(findReferences(findDefinition("open_token"))[0])"#,
        starlark: r#"describe(findReferences(findDefinition("open_token"))[0])"#,
        answer: include_str!("../answers/calls.json"),
    },
    Task {
        name: "filter and map",
        dialect: "definitions().filter(d => d.kind == `function` && d.line > 50).map(d => d.name)",
        jaq: r#"map(select(.kind == "function" and .line > 50) | .name)"#,
        rhai: r#"definitions.filter(|d| d.kind == "function" && d.line > 50).map(|d| d.name)"#,
        starlark: r#"[d["name"] for d in definitions if d["kind"] == "function" and d["line"] > 50]"#,
        answer: include_str!("../answers/filter.json"),
    },
    Task {
        name: "group and count",
        dialect: "groups = definitions().groupBy(d => d.path)
keys(groups).map(path => {path, count: count(groups[path])})",
        jaq: "group_by(.path) | map({path: .[0].path, count: length})",
        rhai: "let counts = #{};
for d in definitions { counts[d.path] = (counts[d.path] ?? 0) + 1; }
let groups = [];
for path in counts.keys() { groups.push(#{path: path, count: counts[path]}); }
groups",
        starlark: r#"counts = {}
for d in definitions:
    counts[d["path"]] = counts.get(d["path"], 0) + 1
[{"path": path, "count": count} for path, count in counts.items()]"#,
        answer: include_str!("../answers/groups.json"),
    },
    Task {
        name: "text",
        dialect: r#"definitions().filter(d => d.exported).take(20).map(d => d.name + ` at ` + d.path + `:` + d.line).join("\n")"#,
        jaq: r#"[limit(20; .[] | select(.exported)) | "\(.name) at \(.path):\(.line)"] | join("\n")"#,
        rhai: r#"let lines = "";
for d in definitions.filter(|d| d.exported).extract(0, 20) {
    if lines != "" { lines += "\n"; }
    lines += `${d.name} at ${d.path}:${d.line}`;
}
lines"#,
        starlark: r#""\n".join(["%s at %s:%d" % (d["name"], d["path"], d["line"]) for d in [d for d in definitions if d["exported"]][:20]])"#,
        answer: include_str!("../answers/text.json"),
    },
    Task {
        name: "arithmetic",
        dialect: "square = x => x * x
a = 3
b = 4
c = square(a) + square(b)
range(0, 20).map(n => (n * c + a) % 7 - b)",
        jaq: "def square: . * .;
3 as $a | 4 as $b | (($a | square) + ($b | square)) as $c | [range(20) | (. * $c + $a) % 7 - $b]",
        rhai: "let square = |x| x * x;
let a = 3;
let b = 4;
let c = square.call(a) + square.call(b);
let numbers = [];
for n in 0..20 { numbers.push((n * c + a) % 7 - b); }
numbers",
        starlark: "square = lambda x: x * x
a = 3
b = 4
c = square(a) + square(b)
[(n * c + a) % 7 - b for n in range(20)]",
        answer: include_str!("../answers/arithmetic.json"),
    },
];
