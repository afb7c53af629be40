//! A program that has been read and checked, and can be run.

use std::sync::Arc;

use crate::Form;
use crate::fix::corrected;
use crate::node::Node;
use crate::resolve::{Resolved, resolve};
use crate::{Effect, Failure, Failures, Limits, Registry};

/// A program whose names are found and whose calls fit their signatures.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) source: Arc<str>,
    pub(crate) root: Arc<Node>,
    pub(crate) form: Form,
    effect: Effect,
}

impl Program {
    /// Reads and checks a program.
    ///
    /// # Errors
    /// Everything that is wrong with it that can be known before it runs.
    pub fn parse(registry: &Registry, source: &str, limits: &Limits) -> Result<Self, Failures> {
        read(registry, source, limits).map_err(|all| {
            let read = |program: &str| read(registry, program, limits).map(|_| ());
            let corrected = corrected(source, &all, read);
            Failures { all, corrected }
        })
    }

    /// What running it may do to the world at most: the gravest of its calls and of the conversions that
    /// their arguments may need.
    pub fn effect(&self) -> Effect {
        self.effect
    }
}

fn read(registry: &Registry, source: &str, limits: &Limits) -> Result<Program, Vec<Failure>> {
    let (expression, mut failures) = crate::parse::parse(source, limits);
    let Some(expression) = expression else { return Err(failures) };
    let Resolved { root, form, effect, failures: found } = resolve(registry, source, expression);
    failures.extend(found);
    if failures.is_empty() {
        Ok(Program { source: source.into(), root: Arc::new(root), form, effect })
    } else {
        Err(failures)
    }
}
