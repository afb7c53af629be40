//! Starlark, with the input frozen among its globals: it is not copied in a run.

use starlark::any::ProvidesStaticType;
use starlark::environment::{Globals, GlobalsBuilder, Module};
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::syntax::{AstModule, Dialect};
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::list::{AllocList, ListRef};
use starlark::values::{FrozenValue, Heap, Value};

use crate::Peer;

pub(crate) struct Starlark {
    globals: Globals,
    input: Input,
}

/// The input, for host functions.
#[derive(ProvidesStaticType)]
struct Input(FrozenValue);

impl Starlark {
    pub(crate) fn new(input: &str) -> Self {
        let input: serde_json::Value = serde_json::from_str(input).expect("the input is JSON");
        let mut globals = GlobalsBuilder::standard().with(host);
        let input = globals.alloc(input);
        globals.set("definitions", input);
        Self { globals: globals.build(), input: Input(input) }
    }
}

impl Peer for Starlark {
    fn answer(&self, program: &str) -> String {
        let ast = AstModule::parse("program", program.to_owned(), &Dialect::Extended).expect("it reads");
        Module::with_temp_heap(|module| {
            let mut evaluator = Evaluator::new(&module);
            evaluator.extra = Some(&self.input);
            evaluator.eval_module(ast, &self.globals).expect("it runs").to_json().expect("it is data")
        })
    }
}

fn field<'v>(object: Value<'v>, key: &str) -> Value<'v> {
    DictRef::from_value(object).and_then(|it| it.get_str(key)).expect("it is an object with that key")
}

fn place<'v>(heap: Heap<'v>, path: Value<'v>, line: i32) -> Value<'v> {
    heap.alloc(AllocDict([("path", path), ("line", heap.alloc(line))]))
}

#[starlark_module]
fn host(globals: &mut GlobalsBuilder) {
    fn findDefinition<'v>(name: &str, eval: &mut Evaluator<'v, '_, '_>) -> anyhow::Result<Value<'v>> {
        let input = eval.extra.and_then(|it| it.downcast_ref::<Input>()).expect("it was given").0.to_value();
        let mut all = ListRef::from_value(input).expect("the input is a list").iter();
        let found = all.find(|it| field(*it, "name").unpack_str() == Some(name));
        Ok(found.unwrap_or_else(Value::new_none))
    }

    fn findReferences<'v>(
        definition: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> anyhow::Result<Value<'v>> {
        let (heap, path) = (eval.heap(), field(definition, "path"));
        let line = field(definition, "line").unpack_i32().expect("lines are integers");
        Ok(heap.alloc(AllocList([1, 2, 3].map(|it| place(heap, path, line + 10 * it)))))
    }

    fn describe<'v>(place: Value<'v>) -> anyhow::Result<String> {
        Ok(format!("{}:{}", field(place, "path").to_str(), field(place, "line")))
    }
}
