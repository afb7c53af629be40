//! `ModuleLoader`: documents at levels of detail, in a room that they share.

use std::sync::Arc;

use ailang::{ActiveRun, Level, Methods, Monitor};
use dialect::{Failure, Interrupt, Invocation, Object, Value};
use futures::FutureExt;
use futures::future::BoxFuture;
use packages::loader::{Approval, CacheStats, RuleContext};
use packages::{LoadError, LoadedDocument, ModuleLoader};
use serde_json::{Map, Value as Json, json};

use crate::call::{Call, level, none, result, variant};
use crate::config::{Loading, loading};
use crate::program::{Loader, Program};
use crate::view;

/// Returns the error of a loader as a value.
pub(crate) fn error_value(run: &ActiveRun, error: &LoadError) -> Value {
    let parse = |path: &str, reason: &str| run.error("ParseError", json!({"path": path, "reason": reason}));
    match error {
        LoadError::ModuleNotFound { module, .. } => {
            run.error("ModuleNotFoundError", json!({ "path": module }))
        }
        LoadError::OutsidePackage { module, .. } => parse(module, "it leads out of the package"),
        LoadError::CircularDependency { path } => {
            run.error("CircularDependencyError", json!({ "cycle": path }))
        }
        LoadError::Parse { path, problem } => parse(path, problem),
        LoadError::ContextBudgetExceeded { required, available, .. } => {
            run.error("ContextBudgetExceededError", json!({"required": required, "available": available}))
        }
        LoadError::NotApproved { path } => run.error("DocumentNotApprovedError", json!({ "path": path })),
        LoadError::WrongDirection { path, current, wanted, .. } => {
            let [current, wanted] = [*current, *wanted].map(view::level_name);
            run.error("WrongDirectionError", json!({"path": path, "current": current, "wanted": wanted}))
        }
    }
}

/// Loads something, and asks the user about each document in it that loads manually.
pub(crate) async fn approved<T>(
    run: &ActiveRun,
    loader: &Loader,
    mut load: impl FnMut(&mut ModuleLoader) -> Result<T, LoadError>,
) -> Result<Result<T, LoadError>, Interrupt> {
    loop {
        let loaded = load(&mut loader.lock());
        let Err(LoadError::NotApproved { path }) = loaded else { return Ok(loaded) };
        if !is_approved(run, loader, &path).await? {
            return Ok(Err(LoadError::NotApproved { path }));
        }
    }
}

/// Asks the user about a document that loads manually.
async fn is_approved(run: &ActiveRun, loader: &Loader, path: &str) -> Result<bool, Interrupt> {
    const ALLOW: &str = "Allow";
    let approval = loader.lock().approval(path);
    let Ok(Approval { path, title, summary }) = approval else { return Ok(false) };
    let question = format!("Load the document \"{title}\" ({path})? {summary}");
    let answer = run.ask(question.trim(), &[ALLOW, "Deny"]).await?;
    Ok(answer.as_text() == Some(ALLOW) && loader.lock().approve(&path).is_ok())
}

/// Makes a loader.
pub(crate) fn make(call: &Call) -> Result<Value, Failure> {
    let given = call.invocation.arguments.get("config").map(Value::to_json).unwrap_or_default();
    let Loading { config, level } = loading(&given, call.program.cache(&given).as_deref());
    let loader = call.program.loader(config)?;
    Ok(value(&call.run, &call.program, &loader, level).into_value(&call.invocation))
}

/// Returns a loader with the run that made it.
pub(crate) fn value(
    run: &ActiveRun,
    program: &Arc<Program>,
    loader: &Loader,
    default: Option<Level>,
) -> LoaderValue {
    let (run, program, loader) = (run.clone(), Arc::clone(program), loader.clone());
    LoaderValue { run, program, loader, default, monitor: None }
}

/// A loader, with the run that made it.
#[derive(Clone)]
pub(crate) struct LoaderValue {
    pub(crate) run: ActiveRun,
    pub(crate) program: Arc<Program>,
    pub(crate) loader: Loader,
    /// The level of documents that are loaded without one; `None` for the highest that fits.
    pub(crate) default: Option<Level>,
    /// The monitor that counts look-ups in the cache.
    pub(crate) monitor: Option<Monitor>,
}

impl Methods for LoaderValue {
    fn call(&self, method: &str, invocation: Invocation) -> BoxFuture<'static, Result<Value, Interrupt>> {
        let (this, method) = (self.clone(), method.to_owned());
        async move {
            let before = this.lookups();
            let result = this.called(&method, &invocation).await;
            this.count(before);
            result
        }
        .boxed()
    }
}

impl LoaderValue {
    /// Returns the loader as a value of the program.
    pub(crate) fn into_value(self, invocation: &Invocation) -> Value {
        let run = self.run.clone();
        let methods: Arc<dyn Methods> = Arc::new(self);
        run.object("ModuleLoader", Object::new(), &methods, invocation)
    }

    /// Returns the hits and the misses of the cache so far.
    pub(crate) fn lookups(&self) -> (u64, u64) {
        let stats = self.loader.lock().cache_stats();
        stats.values().fold((0, 0), |(hits, misses), it| (hits + it.hits, misses + it.misses))
    }

    /// Counts the look-ups since then.
    pub(crate) fn count(&self, (hits, misses): (u64, u64)) {
        let Some(monitor) = &self.monitor else { return };
        let (all_hits, all_misses) = self.lookups();
        (hits..all_hits).for_each(|_| monitor.cache_lookup(true));
        (misses..all_misses).for_each(|_| monitor.cache_lookup(false));
    }

    async fn called(&self, method: &str, invocation: &Invocation) -> Result<Value, Interrupt> {
        let path = || invocation.arguments.text("path");
        Ok(match method {
            "load" => self.load(path()?, level(invocation, "level")).await?.into_value(self),
            "loadWithStrategy" => self.by_strategy(path()?, invocation).await?,
            "start" => self.start(invocation),
            "resolveDependencies" => self.dependencies(invocation).await?,
            "getFromCache" => {
                let found = self.loader.lock().get_from_cache(path()?, level(invocation, "level"));
                found.map_or_else(none, |it| variant("Some", self.document(&it)))
            }
            "upgradeDetail" => {
                let (path, level) = (path()?, level(invocation, "newLevel").unwrap_or(Level::Standard));
                let loaded = approved(&self.run, &self.loader, |it| it.upgrade_detail(path, level)).await?;
                loaded.into_value(self)
            }
            "downgradeDetail" => {
                let level = level(invocation, "newLevel").unwrap_or(Level::Minimal);
                let loaded = self.loader.lock().downgrade_detail(path()?, level);
                loaded.into_value(self)
            }
            "clearCache" => {
                self.loader.lock().clear_cache();
                Value::Null
            }
            "getCacheStats" => self.stats(),
            "getCurrentLevels" => self.levels(),
            _ => {
                return Err(Failure::raised("InternalError", format!("nothing implements `{method}`")).into());
            }
        })
    }

    /// Loads a document, and asks the user about it if it loads manually.
    pub(crate) async fn load(
        &self,
        path: &str,
        level: Option<Level>,
    ) -> Result<Result<LoadedDocument, LoadError>, Interrupt> {
        let level = level.or(self.default);
        approved(&self.run, &self.loader, |loader| loader.load(path, level)).await
    }

    async fn by_strategy(&self, path: &str, invocation: &Invocation) -> Result<Value, Interrupt> {
        let strategy = ailang::Loading::parse(invocation.arguments.text("strategy")?).unwrap_or_default();
        let (level, rules) = (level(invocation, "level"), rules(invocation));
        let load = |it: &mut ModuleLoader| it.load_with_strategy(path, strategy, level, &rules);
        let loaded = approved(&self.run, &self.loader, load).await?;
        Ok(match loaded {
            Ok(None) => variant("Ok", Value::Null),
            Ok(Some(loaded)) => Ok(loaded).into_value(self),
            Err(error) => Err(error).into_value(self),
        })
    }

    fn start(&self, invocation: &Invocation) -> Value {
        let paths: Vec<String> = invocation.arguments.read("paths").unwrap_or_default();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let started = self.loader.lock().start(&paths, &rules(invocation));
        let loaded: Vec<Value> = started.loaded.iter().map(|it| self.document(it)).collect();
        let failed = started.warnings.iter().map(|it| error_value(&self.run, &it.error)).collect::<Vec<_>>();
        let waiting = started.waiting.into_iter().map(Value::from).collect::<Vec<_>>();
        let fields = [("loaded", loaded), ("waiting", waiting), ("failed", failed)];
        fields.map(|(name, values)| (name.to_owned(), values.into())).into_iter().collect::<Object>().into()
    }

    async fn dependencies(&self, invocation: &Invocation) -> Result<Value, Interrupt> {
        let document = invocation.arguments.get("document").map(Value::to_json).unwrap_or_default();
        let Some(path) = document["path"].as_str() else {
            let message =
                "`document` of `resolveDependencies` takes a document that was loaded, with its `path`";
            return Err(Failure::raised("ValidationError", message).into());
        };
        let level = level(invocation, "dependencyLevel");
        let resolve = |loader: &mut ModuleLoader| {
            let document = loader.read(path, Level::Minimal)?;
            loader.resolve_dependencies(&document, level)
        };
        let mut found = resolve(&mut self.loader.lock());
        if let Ok(dependencies) = &found {
            let mut is_changed = false;
            for denied in &dependencies.denied {
                is_changed |= is_approved(&self.run, &self.loader, denied).await?;
            }
            if is_changed {
                found = resolve(&mut self.loader.lock());
            }
        }
        let found = found.map_err(|error| error_value(&self.run, &error));
        Ok(result(found.map(|it| it.loaded.iter().map(|it| self.document(it)).collect::<Vec<_>>().into())))
    }

    /// Returns a document as programs see it.
    pub(crate) fn document(&self, loaded: &LoadedDocument) -> Value {
        let (document, path) = (Arc::clone(loaded.document()), Some(loaded.path.as_str()));
        view::parsed(&self.program, document, path, &loaded.level.into()).into()
    }

    fn stats(&self) -> Value {
        let stats = self.loader.lock().cache_stats();
        let one = |(level, it): (Level, CacheStats)| {
            let CacheStats { hits, misses, size, entry_count } = it;
            let fields = json!({
                "hits": hits,
                "misses": misses,
                "hitRate": it.hit_rate(),
                "size": size,
                "entryCount": entry_count,
            });
            (view::level_name(level), fields)
        };
        Json::Object(stats.into_iter().map(one).collect()).into()
    }

    fn levels(&self) -> Value {
        let loader = self.loader.lock();
        let levels = loader.current_levels().into_iter();
        let levels: Map<String, Json> =
            levels.map(|(path, level)| (path, view::level_name(level).into())).collect();
        Json::Object(levels).into()
    }
}

/// The result of loading a document.
pub(crate) trait Loaded {
    /// Returns it as a `Result` of the program.
    fn into_value(self, loader: &LoaderValue) -> Value;
}

impl Loaded for Result<LoadedDocument, LoadError> {
    fn into_value(self, loader: &LoaderValue) -> Value {
        result(self.map(|it| loader.document(&it)).map_err(|error| error_value(&loader.run, &error)))
    }
}

/// Reads what rules are matched against.
fn rules(invocation: &Invocation) -> RuleContext {
    let given = invocation.arguments.get("context").map(Value::to_json).unwrap_or_default();
    let list = |name: &str| {
        given[name].as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
    };
    let text = given["text"].as_str().unwrap_or_default().to_owned();
    RuleContext { text, files: list("files"), languages: list("languages"), tools: list("tools") }
}
