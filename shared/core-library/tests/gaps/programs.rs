//! Programs that are generated: each production has a type, so that most of them succeed.

/// A stream of pseudo-random numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        let index = self.below(of.len() as u64);
        &of[usize::try_from(index).expect("it is an index")]
    }
}

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Hits,
    Hit,
    Texts,
    Text,
    Numbers,
    Number,
    Bool,
    Groups,
    Lists,
}

use Kind::{Bool, Groups, Hit, Hits, Lists, Number, Numbers, Text, Texts};

/// The productions of each type. `{Kind}` is an expression, `{x: Kind => Kind}` a function.
fn productions(kind: Kind) -> &'static [&'static str] {
    match kind {
        Hits => &[
            "hits({Text})",
            "hits({Text})",
            "{Hits}.filter({Hit => Bool})",
            "{Hits}.take({Count})",
            "{Hits}.drop({Count})",
            "{Hits}.reverse()",
            "{Hits}.sortBy({Hit => Number})",
            "{Hits}.unique()",
            "{Hits}.unique({Hit => Text})",
            "{Texts}.map({Text => Hits}).flatten()",
            "[...{Hits}, ...{Hits}]",
            "if({Bool}, {Hits}, {Hits})",
            "{Groups}.values().flatten()",
            "({Groups}.get({Text}) ?? [])",
            "(attempt({Hits})?.value ?? [])",
            "({Hits} ?? [])",
            "{all: {Hits}, n: {Number}}.all",
            "[{Hits}, {Hits}][{Index}]",
        ],
        Hit => &["({Hits}.first() ?? {path: `none`, line: 0, test: false})"],
        Texts => &[
            "[`a`, `b`, `c`, `d`]",
            "[`ab`, {Text}]",
            "names({Text})",
            "{Hits}.map({Hit => Text})",
            "{Groups}.keys()",
            "{Text}.split(`,`)",
            "{Texts}.map({Text => Text})",
            "{Texts}.filter({Text => Bool})",
            "{Texts}.sort()",
            "{Texts}.sortBy({Text => Number})",
            "{Texts}.unique()",
            "{Texts}.take({Count})",
            "about({Text}).uses",
            "[...{Texts}, {Text}]",
        ],
        Numbers => &[
            "[1, 2, 3]",
            "{Hits}.map(h => h.line)",
            "{Texts}.map({Text => Number})",
            "{Hits}.map((h, i) => i)",
            "{Groups}.values().map(g => g.count())",
            "{Numbers}.sort()",
            "range({Hits}.length)",
        ],
        Text => &[
            "`a`",
            "`bc`",
            "`x`",
            "{Texts}.join(`,`)",
            "text({Text})",
            "({Text} + {Text})",
            "({Texts}.first() ?? `none`)",
            "({Texts}.max() ?? `none`)",
            "toText({Hits})",
            "toText({Number})",
            "about({Text}).name",
            "{Text}.upper()",
            "{Text}.replace(`x`, `y`)",
            "{Hit}.path",
            "{Texts}.reduce((all, it) => all + it, ``)",
        ],
        Number => &[
            "1",
            "2",
            "{Hits}.count()",
            "{Hits}.count({Hit => Bool})",
            "{Hits}.length",
            "{Text}.length",
            "{Numbers}.sum()",
            "({Numbers}.max() ?? 0)",
            "({Number} + {Number})",
            "({Number} - {Number})",
            "{Hit}.line",
            "{Numbers}.reduce((all, it) => all + it, 0)",
            "{Groups}.count()",
        ],
        Bool => &[
            "({Number} == {Number})",
            "({Number} > {Number})",
            "({Text} == {Text})",
            "({Hits} == {Hits})",
            "{Hits}.any({Hit => Bool})",
            "{Hits}.all({Hit => Bool})",
            "{Texts}.contains({Text})",
            "(!{Bool})",
            "({Bool} && {Bool})",
            "({Bool} || {Bool})",
            "({Hits}.find({Hit => Bool}) == null)",
            "{Text}.startsWith({Text})",
            "{Text}.matches(`x`)",
            "{Hit}.test",
        ],
        Groups => &[
            "{Hits}.groupBy({Hit => Text})",
            "{a: {Hits}, b: {Hits}}",
            "merge({Groups}, {Groups})",
            "merge({a: {Hits}}, {Groups})",
        ],
        Lists => &[
            "{Texts}.map({Text => Hits})",
            "{Texts}.map({Text => Number})",
            "{Texts}.map(t => {name: t, uses: {Hits}, many: {Bool}})",
            "{Groups}.values()",
            "{Lists}.reverse()",
            "[{Hits}, {Number}, {Text}]",
            "{Texts}.map(t => attempt({Hits}))",
            "[{Hits}, {Hits}].sortBy(xs => xs.length)",
        ],
    }
}

const KINDS: [(&str, Kind); 9] = [
    ("Hits", Hits),
    ("Hit", Hit),
    ("Texts", Texts),
    ("Text", Text),
    ("Numbers", Numbers),
    ("Number", Number),
    ("Bool", Bool),
    ("Groups", Groups),
    ("Lists", Lists),
];

fn kind(name: &str) -> Kind {
    KINDS.iter().find(|(it, _)| *it == name).unwrap_or_else(|| panic!("{name} is no kind")).1
}

/// The names that are bound: each with its type, or with what it takes and returns.
#[derive(Clone, Default)]
struct Names {
    values: Vec<(String, Kind)>,
    functions: Vec<(String, Kind, Kind)>,
}

/// Generates a program of some lines.
pub(crate) fn program(random: &mut Random) -> String {
    let (mut names, mut lines) = (Names::default(), Vec::new());
    for _ in 0..random.below(3) {
        let name = format!("v{}", lines.len());
        if random.below(3) == 0 {
            let (takes, returns) = (*random.pick(&[Hit, Text]), *random.pick(&[Bool, Number, Text]));
            lines.push(format!("{name} = {}", lambda(random, takes, returns, 2, &names)));
            names.functions.push((name, takes, returns));
        } else {
            let kind = random.pick(&KINDS).1;
            lines.push(format!("{name} = {}", expression(random, kind, 2, &names)));
            names.values.push((name, kind));
        }
    }
    let kind = random.pick(&KINDS).1;
    lines.push(expression(random, kind, 4, &names));
    lines.join("\n")
}

fn lambda(random: &mut Random, takes: Kind, returns: Kind, depth: u64, names: &Names) -> String {
    let known: Vec<_> = names.functions.iter().filter(|it| (it.1, it.2) == (takes, returns)).collect();
    let parameter = format!("p{depth}{}", names.values.len());
    if !known.is_empty() && random.below(2) == 0 {
        return format!("{parameter} => {}({parameter})", random.pick(&known).0);
    }
    let mut names = names.clone();
    names.values.push((parameter.clone(), takes));
    format!("{parameter} => {}", expression(random, returns, depth.saturating_sub(1), &names))
}

fn expression(random: &mut Random, kind: Kind, depth: u64, names: &Names) -> String {
    let known: Vec<_> = names.values.iter().filter(|it| it.1 == kind).collect();
    if !known.is_empty() && random.below(3) > 0 {
        return random.pick(&known).0.clone();
    }
    if let (Text | Number | Bool, Some((of, _))) = (kind, names.values.iter().rfind(|it| it.1 == Hit))
        && random.below(2) == 0
    {
        let field = match kind {
            Text => "path",
            Number => "line",
            _ => "test",
        };
        return format!("{of}.{field}");
    }
    let all = productions(kind);
    // Those at the beginning need little depth.
    let some = if depth == 0 { &all[..all.len().min(2)] } else { all };
    let template = *random.pick(some);
    fill(random, template, depth, names)
}

/// Fills the holes of a production.
fn fill(random: &mut Random, template: &str, depth: u64, names: &Names) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, hole, after)) = hole_in(rest) {
        filled.push_str(before);
        let depth = depth.saturating_sub(1);
        filled.push_str(&match hole.split_once(" => ") {
            Some((takes, returns)) => lambda(random, kind(takes), kind(returns), depth, names),
            None if hole == "Count" => (random.below(4)).to_string(),
            None if hole == "Index" => random.below(2).to_string(),
            // Deeper than the productions go, an expression is as small as it gets.
            None => expression(random, kind(hole), depth, names),
        });
        rest = after;
    }
    filled + rest
}

/// Splits a production at its first hole: in braces, and beginning with a capital.
fn hole_in(template: &str) -> Option<(&str, &str, &str)> {
    let is_hole = |at: &usize| template[at + 1..].starts_with(|it: char| it.is_ascii_uppercase());
    let start = template.match_indices('{').map(|(at, _)| at).find(is_hole)?;
    let end = start + template[start..].find('}')?;
    Some((&template[..start], &template[start + 1..end], &template[end + 1..]))
}
