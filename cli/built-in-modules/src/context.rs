//! `context`: the room of documents, and plans for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use ailang::{Budget, Detail, Level, Section, Sizes, WantedDocument};
use dialect::{Failure, Interrupt, Invocation, Object, Value};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use packages::LoadError;
use serde_json::{Map, Value as Json, json};

use crate::call::{Call, level};
use crate::loader::{approved, error_value};
use crate::program::Program;
use crate::view;

/// The room of the program's documents: that of the loader that was made last, and what all loaders have loaded.
pub(crate) fn room(program: &Program) -> Budget {
    let loaders = program.loaders();
    let used = loaders.iter().map(|it| it.lock().tokens()).sum();
    let last = loaders.iter().rev().find_map(|it| it.budget);
    let Budget { max, reserved, .. } =
        last.unwrap_or(Budget { max: crate::program::ROOM, used: 0, reserved: crate::program::RESERVED });
    Budget { max, used, reserved }
}

pub(crate) fn budget(call: &Call) -> Result<Value, Failure> {
    call.program.own()?;
    let budget = room(&call.program);
    let Budget { max, used, reserved } = budget;
    let available = budget.available();
    let fields = json!({
        "maxTokens": max,
        "usedTokens": used,
        "reservedTokens": reserved,
        "availableTokens": available,
    });
    Ok(fields.into())
}

pub(crate) fn usage(call: &Call) -> Result<Value, Failure> {
    Ok(room(&call.program).used.into())
}

pub(crate) fn document_size(call: &Call) -> Result<Value, Failure> {
    let sizes = sizes(call, call.text("path")?)?;
    Ok(sizes.at(level(&call.invocation, "level").unwrap_or(Level::Standard)).into())
}

/// Returns the size of the document whose program runs.
pub(crate) fn own_size(call: &Call) -> Result<Value, Failure> {
    let document = call.run.documents().get(call.run.path());
    let size = document
        .map(|it| Sizes::estimate(it).at(level(&call.invocation, "level").unwrap_or(Level::Standard)));
    Ok(size.unwrap_or_default().into())
}

fn sizes(call: &Call, path: &str) -> Result<Sizes, Failure> {
    let read = call.program.own()?.lock().read(path, Level::Minimal);
    read.map(|it| it.metadata().sizes()).map_err(|error| unreadable(call, path, &error))
}

/// Returns the failure of a tool whose document cannot be read.
fn unreadable(call: &Call, path: &str, error: &LoadError) -> Failure {
    match error {
        LoadError::ModuleNotFound { .. } => call.failure("DocumentNotFoundError", json!({ "path": path })),
        LoadError::Parse { problem, .. } => {
            call.failure("ParseError", json!({"path": path, "reason": problem}))
        }
        LoadError::OutsidePackage { .. } => {
            call.failure("ParseError", json!({"path": path, "reason": "it leads out of the package"}))
        }
        LoadError::CircularDependency { .. } => {
            call.failure("ParseError", json!({"path": path, "reason": error.to_string()}))
        }
        error => call.run.thrown(&error_value(&call.run, error)),
    }
}

pub(crate) fn plan(call: &Call) -> Result<Value, Failure> {
    let mut wanted = Vec::new();
    for path in call.invocation.arguments.list("requiredSkills")? {
        let path = path.as_text().unwrap_or_default();
        wanted.push(WantedDocument { path: path.to_owned(), sizes: sizes(call, path)?, uses: 0 });
    }
    let budget = call.invocation.arguments.get("currentBudget").map(Value::to_json).unwrap_or_default();
    let available = budget["availableTokens"].as_f64().unwrap_or_default().max(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and is not negative"
    )]
    let plan = ailang::plan(&wanted, available as usize);
    for path in &plan.missing {
        call.run.log(format!("optimizeContextUsage: {path} does not fit at any level"));
    }
    let each =
        plan.levels.iter().map(|(path, level)| json!({"path": path, "level": view::level_name(*level)}));
    Ok(each.collect::<Json>().into())
}

/// Loads a document into the context.
pub(crate) fn load(call: Call) -> BoxFuture<'static, Result<Value, Interrupt>> {
    async move {
        let path = call.text("path")?.to_owned();
        let level = level(&call.invocation, "level").unwrap_or(Level::Standard);
        let detail = detail(&call.invocation, level)?;
        let loader = call.program.own()?;
        let loaded = approved(&call.run, &loader, |loader| loader.load(&path, Some(level))).await?;
        let loaded = loaded.map_err(|error| unreadable(&call, &path, &error))?;
        let document = Arc::clone(loaded.document());
        Ok(view::parsed(&call.program, document, Some(&loaded.path), &detail).into())
    }
    .boxed()
}

/// Returns the sections that an argument selects.
fn detail(invocation: &Invocation, level: Level) -> Result<Detail, Failure> {
    let config = invocation.arguments.get("config").map(Value::to_json).unwrap_or_default();
    let sections = |name: &str| -> Result<BTreeSet<Section>, Failure> {
        let names = config[name].as_array().into_iter().flatten().filter_map(Json::as_str);
        let each = names.map(|it| {
            Section::parse(it).ok_or_else(|| {
                let known = Section::ALL.map(Section::name).join(", ");
                Failure::raised("ValidationError", format!("`{it}` is no section; there are: {known}"))
            })
        });
        each.collect()
    };
    Ok(Detail { include: sections("include")?, exclude: sections("exclude")?, ..Detail::from(level) })
}

/// Makes a monitor of the context.
pub(crate) fn monitor(call: &Call) -> Result<Value, Failure> {
    let methods: Arc<dyn ailang::Methods> = Arc::new(ContextMonitor(Arc::clone(&call.program)));
    Ok(call.run.object("ContextMonitor", Object::new(), &methods, &call.invocation))
}

struct ContextMonitor(Arc<Program>);

impl ailang::Methods for ContextMonitor {
    fn call(&self, _: &str, _: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        ready(Ok(used(&self.0).into())).boxed()
    }
}

/// Returns the tokens of all loaded documents, out of the room that is left for them.
fn used(program: &Program) -> Json {
    let Budget { max, used, .. } = room(program);
    let (mut levels, mut sizes) = (Map::new(), Map::new());
    for loader in program.loaders() {
        for (path, level, size) in loader.lock().loaded() {
            levels.insert(path.clone(), view::level_name(level).into());
            sizes.insert(path, size.into());
        }
    }
    let percentage = if max == 0 { 0.0 } else { (used as f64 / max as f64 * 1_000.0).round() / 10.0 };
    json!({"used": used, "max": max, "percentage": percentage, "loadedSkills": levels, "sizeBySkill": sizes})
}
