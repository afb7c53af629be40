//! jaq, with the input as `.`. It keeps no compiled library: what a program does not bring itself is compiled
//! with each program. *Bare* is the least that the five programs need, which is not how it is used.

use jaq_core::data::JustLut;
use jaq_core::load::parse::Def;
use jaq_core::load::{Arena, File, Loader};
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Compiler, Ctx, Vars, unwrap_valr};
use jaq_json::{Val, read};

use crate::Peer;

pub(crate) struct Jaq {
    input: Val,
    library: Vec<Def<&'static str>>,
}

impl Jaq {
    /// With the whole standard library, as the command has it.
    pub(crate) fn new(input: &str) -> Self {
        let library = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).collect();
        Self { input: value(input), library }
    }

    /// With only those definitions of it that the programs use.
    pub(crate) fn bare(input: &str) -> Self {
        let needed = ["map", "select", "empty", "join", "tostring", "true", "false", "range"];
        let mut jaq = Self::new(input);
        jaq.library.retain(|it| needed.contains(&it.name));
        jaq
    }
}

impl Peer for Jaq {
    fn answer(&self, program: &str) -> String {
        let arena = Arena::default();
        let file = File { code: program, path: () };
        let modules = Loader::new(self.library.iter().cloned()).load(&arena, file).expect("it reads");
        let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs()).chain(host());
        let filter = Compiler::default().with_funs(functions).compile(modules).expect("it compiles");
        let context = Ctx::<JustLut<Val>>::new(&filter.lut, Vars::new([]));
        let mut answers = filter.id.run((context, self.input.clone())).map(unwrap_valr);
        answers.next().expect("it answers").expect("it runs").to_string()
    }
}

fn host() -> impl Iterator<Item = Fun<JustLut<Val>>> {
    [
        run(("findDefinition", v(1), |mut it| {
            let name = it.0.pop_var();
            bome(Ok(definition(&it.1, &name)))
        })),
        run(("findReferences", v(1), |mut it| bome(Ok(references(&it.0.pop_var()))))),
        run(("describe", v(1), |mut it| bome(Ok(describe(&it.0.pop_var()))))),
    ]
    .into_iter()
}

/// `key` of an object.
fn field(object: &Val, key: &str) -> Val {
    match object {
        Val::Obj(fields) => fields.get(&text(key)).cloned().unwrap_or_default(),
        _ => Val::Null,
    }
}

fn text(text: &str) -> Val {
    Val::from(text.to_owned())
}

fn definition(input: &Val, name: &Val) -> Val {
    let Val::Arr(definitions) = input else { return Val::Null };
    definitions.iter().find(|it| field(it, "name") == *name).cloned().unwrap_or_default()
}

fn references(definition: &Val) -> Val {
    let Val::Num(line) = field(definition, "line") else { return Val::Null };
    let line: isize = line.to_string().parse().expect("lines are integers");
    let place = |line: isize| {
        let fields = [(text("path"), field(definition, "path")), (text("line"), Val::from(line))];
        Val::obj(fields.into_iter().collect())
    };
    [1, 2, 3].into_iter().map(|it| place(line + 10 * it)).collect()
}

fn describe(place: &Val) -> Val {
    let Val::TStr(path) = field(place, "path") else { return Val::Null };
    text(&format!("{}:{}", String::from_utf8_lossy(&path), field(place, "line")))
}

fn value(json: &str) -> Val {
    read::parse_single(json.as_bytes()).expect("the input is JSON")
}
