#![no_main]

#[path = "../../tests/suite/hostile/targets.rs"]
mod targets;
#[path = "../../tests/spec/world.rs"]
mod world;

use std::sync::LazyLock;

use dialect::Registry;

static REGISTRY: LazyLock<Registry> = LazyLock::new(world::registry);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::target("evaluate")(&REGISTRY, bytes));
