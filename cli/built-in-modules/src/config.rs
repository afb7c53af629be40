//! The settings of runtimes and loaders, as programs write them.

use std::path::Path;
use std::time::Duration;

use ailang::{Budget, CapabilityMode, ErrorStrategy, EvictionOrder, Level, RuntimeSettings, ValidationMode};
use packages::LoaderConfig;
use packages::loader::{CacheConfig, CacheStrategy, ContextPolicy, Invalidation};
use serde_json::{Value as Json, json};

use crate::program::{RESERVED, ROOM};

/// The name of a cache on disk where nothing else is said.
const CACHE: &str = "./.ailang/cache";

/// The settings of a loader.
#[derive(Debug)]
pub(crate) struct Loading {
    pub(crate) config: LoaderConfig,
    /// The level of documents that are loaded without one; `None` for the highest that fits.
    pub(crate) level: Option<Level>,
}

/// Reads the settings of a loader. `cache` is the folder for caches on disk; without one, memory is the only cache.
pub(crate) fn loading(given: &Json, cache: Option<&Path>) -> Loading {
    let context = &given["contextManagement"];
    let is_on = context["enabled"] != false;
    let max = number(&context["maxTokens"]).unwrap_or(ROOM);
    // A small context keeps the same part of it free as a large one.
    let reserved = number(&context["reservedTokens"]).unwrap_or(RESERVED.min(max / 4));
    let config = LoaderConfig {
        cache: caching(given, cache),
        budget: is_on.then_some(Budget { max, used: 0, reserved }),
        policy: policy(context),
        eviction: eviction(context),
    };
    Loading { config, level: (context["autoOptimize"] == false).then_some(Level::Standard) }
}

fn policy(context: &Json) -> ContextPolicy {
    match context["strategy"].as_str() {
        Some("off") => ContextPolicy::Off,
        Some("adaptive") => ContextPolicy::Adaptive,
        Some(_) => ContextPolicy::Downgrade,
        None if context["autoAdjustLevels"] == true => ContextPolicy::Adaptive,
        None if context["autoDowngrade"] == false => ContextPolicy::Off,
        None => ContextPolicy::Downgrade,
    }
}

fn eviction(context: &Json) -> Vec<EvictionOrder> {
    let order = |it: &Json| match it.as_str() {
        Some("least-frequently-used") => EvictionOrder::LeastFrequentlyUsed,
        _ => EvictionOrder::LeastRecentlyUsed,
    };
    match context["downgradePriority"].as_array() {
        Some(orders) => orders.iter().map(order).collect(),
        None => vec![EvictionOrder::LeastRecentlyUsed, EvictionOrder::LeastFrequentlyUsed],
    }
}

fn caching(given: &Json, folder: Option<&Path>) -> CacheConfig {
    let cache = &given["cache"];
    let strategy = match cache["strategy"].as_str() {
        _ if given["enableCaching"] == false => CacheStrategy::None,
        Some("none") => CacheStrategy::None,
        Some("disk") => CacheStrategy::Disk,
        Some("hybrid") => CacheStrategy::Hybrid,
        _ => CacheStrategy::Memory,
    };
    let invalidation = match cache["invalidation"].as_str() {
        Some("ttl") => Invalidation::Ttl,
        Some("manual") => Invalidation::Manual,
        _ => Invalidation::Lru,
    };
    let default = CacheConfig::default();
    let seconds = cache["ttl"].as_f64().and_then(|it| Duration::try_from_secs_f64(it).ok());
    CacheConfig {
        strategy,
        ttl: seconds.unwrap_or(default.ttl),
        max_size: cache["maxSize"].as_u64().unwrap_or(default.max_size),
        invalidation,
        folder: folder.map(Path::to_path_buf),
    }
}

fn number(it: &Json) -> Option<usize> {
    it.as_u64().and_then(|it| usize::try_from(it).ok())
}

/// The names of a setting's values in a program.
type Names<T> = [(&'static str, T); 3];

const CAPABILITIES: Names<CapabilityMode> = [
    ("strict", CapabilityMode::Strict),
    ("permissive", CapabilityMode::Permissive),
    ("audit", CapabilityMode::Audit),
];

const VALIDATIONS: Names<ValidationMode> = [
    ("strict", ValidationMode::Strict),
    ("runtime", ValidationMode::Runtime),
    ("none", ValidationMode::None),
];

const ERRORS: Names<ErrorStrategy> =
    [("throw", ErrorStrategy::Throw), ("return", ErrorStrategy::Return), ("log", ErrorStrategy::Log)];

fn named<T: Copy>(names: &Names<T>, given: &Json) -> Option<T> {
    names.iter().find(|(name, _)| given == name).map(|(_, value)| *value)
}

fn name_of<T: Copy + PartialEq>(names: &Names<T>, value: T) -> Option<&'static str> {
    names.iter().find(|(_, it)| *it == value).map(|(name, _)| *name)
}

/// Reads the settings of a runtime: those of its preset, with what single fields change.
pub(crate) fn settings(given: &Json) -> RuntimeSettings {
    let production = RuntimeSettings::production();
    let mut settings = match given["preset"].as_str() {
        Some("development") => RuntimeSettings::development(),
        Some("production") => production,
        Some("testing") => RuntimeSettings::testing(),
        _ => RuntimeSettings { monitoring: false, ..production },
    };
    settings.capabilities = named(&CAPABILITIES, &given["capabilityMode"]).unwrap_or(settings.capabilities);
    settings.validation = named(&VALIDATIONS, &given["validationMode"]).unwrap_or(settings.validation);
    settings.errors = named(&ERRORS, &given["errorStrategy"]).unwrap_or(settings.errors);
    settings.monitoring = given["enableMonitoring"].as_bool().unwrap_or(settings.monitoring);
    settings
}

/// Returns the settings of a runtime with everything that was left out.
pub(crate) fn shown(settings: &RuntimeSettings, given: &Json) -> Json {
    let mut fields = json!({
        "capabilityMode": name_of(&CAPABILITIES, settings.capabilities),
        "validationMode": name_of(&VALIDATIONS, settings.validation),
        "errorStrategy": name_of(&ERRORS, settings.errors),
        "enableMonitoring": settings.monitoring,
    });
    fields["cacheDir"] = CACHE.into();
    for name in ["preset", "cacheDir", "contextManagement", "cache"] {
        if !given[name].is_null() {
            fields[name] = given[name].clone();
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_those_of_the_runtime_and_fields_change_them() {
        let of = |given: Json| settings(&given);
        assert_eq!(of(json!({"preset": "development"})), RuntimeSettings::development());
        assert_eq!(of(json!({"preset": "production"})), RuntimeSettings::production());
        assert_eq!(of(json!({"preset": "testing"})), RuntimeSettings::testing());
        let changed = of(json!({"preset": "testing", "errorStrategy": "throw", "enableMonitoring": true}));
        assert_eq!((changed.errors, changed.monitoring), (ErrorStrategy::Throw, true));
        let default = of(json!({}));
        assert_eq!((default.errors, default.capabilities), (ErrorStrategy::Return, CapabilityMode::Strict));
        assert!(!default.monitoring);
    }

    #[test]
    fn a_small_context_reserves_a_quarter() {
        let budget = |given: Json| loading(&given, None).config.budget;
        let of = |max, reserved| Some(Budget { max, used: 0, reserved });
        assert_eq!(budget(json!({})), of(200_000, 50_000));
        assert_eq!(budget(json!({"contextManagement": {"maxTokens": 1000}})), of(1_000, 250));
        assert_eq!(
            budget(json!({"contextManagement": {"maxTokens": 1000, "reservedTokens": 0}})),
            of(1_000, 0)
        );
        assert_eq!(budget(json!({"contextManagement": {"enabled": false}})), None);
    }
}
