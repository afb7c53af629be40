//! Named tests of functions, for libtest-mimic.

use std::fmt::Display;

use libtest_mimic::{Failed, Trial};

/// The outcome of a test's function: nothing, or a `Result` whose error says what is wrong.
pub trait Tested {
    /// Converts the outcome to that of a trial.
    ///
    /// # Errors
    /// When the test failed.
    fn tested(self) -> Result<(), Failed>;
}

impl Tested for () {
    fn tested(self) -> Result<(), Failed> {
        Ok(())
    }
}

impl<E: Display> Tested for Result<(), E> {
    fn tested(self) -> Result<(), Failed> {
        self.map_err(|error| Failed::from(format!("{error:#}")))
    }
}

/// Returns `true` if the long form of a kind of tests is asked for: the environment variable `DIALECT_LONG` is `all`, or
/// has the kind's name in its list with commas.
#[expect(clippy::disallowed_methods, reason = "whoever runs the tests says how long")]
pub fn is_long(kind: &str) -> bool {
    let asked = std::env::var("DIALECT_LONG").unwrap_or_default();
    asked.split(',').any(|it| [kind, "all"].contains(&it.trim()))
}

/// Makes the test of a function. Its kind is the last segment of the module's path.
pub fn function<T: Tested>(module: &str, name: &str, test: impl FnOnce() -> T + Send + 'static) -> Trial {
    let kind = module.rsplit("::").next().unwrap_or(module);
    Trial::test(name, move || test().tested()).with_kind(kind)
}

/// Lists the tests of a module: functions without parameters that return nothing or a `Result`. The compiler calls a
/// function that is missing here dead code.
#[macro_export]
macro_rules! trials {
    ($($name:ident),* $(,)?) => {
        vec![$($crate::function(module_path!(), stringify!($name), $name)),*]
    };
}
