//! Calls as other languages have them, and what they are here.

use std::fmt;
use std::sync::Arc;

use crate::name::fold;

/// A call as other languages have it, which is refused with what to write instead.
///
/// It is asked about calls that no callable fits.
#[derive(Clone)]
pub struct Habit {
    /// What is called: `slice`, `Object.entries`. A method's receiver is its first argument.
    pub name: String,
    /// The program to write instead, unless the call is another one than this habit knows.
    pub instead: Instead,
}

/// The program to write instead of a call with those arguments.
pub type Instead = Arc<dyn Fn(&Written<'_>) -> Option<String> + Send + Sync>;

/// The arguments of a call as they stand in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written<'source> {
    /// Those without a name, a method's receiver first.
    pub positional: Vec<&'source str>,
    /// Those with one.
    pub named: Vec<(&'source str, &'source str)>,
}

impl Habit {
    /// `slice($xs, $from)` is `drop($xs, $from)`, and `sorted($xs, key=$f)` is `sortBy($xs, $f)`.
    ///
    /// # Panics
    /// When the call is not of that form.
    pub fn new(call: &str, instead: &'static str) -> Self {
        let (name, arguments) = call.strip_suffix(')').and_then(|it| it.split_once('(')).expect("a call");
        let arguments = arguments.split(", ").filter(|it| !it.is_empty()).map(str::to_owned);
        let (named, positional): (Vec<_>, Vec<_>) = arguments.partition(|it| it.contains('='));
        let named = named.iter().filter_map(|it| it.split_once('='));
        let named: Vec<_> = named.map(|(name, hole)| (name.to_owned(), hole.to_owned())).collect();
        Self::of(name, move |written| {
            if written.positional.len() != positional.len() || written.named.len() != named.len() {
                return None;
            }
            let mut filled = instead.to_owned();
            for (hole, text) in positional.iter().zip(&written.positional) {
                filled = filled.replace(hole, text);
            }
            for (name, hole) in &named {
                filled = filled.replace(hole, written.named(name)?);
            }
            Some(filled)
        })
    }

    /// A habit that looks at its arguments.
    pub fn of(name: &str, instead: impl Fn(&Written<'_>) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { name: name.to_owned(), instead: Arc::new(instead) }
    }
}

impl<'source> Written<'source> {
    /// The argument of that name.
    pub fn named(&self, name: &str) -> Option<&'source str> {
        self.named.iter().find(|(given, _)| fold(given) == fold(name)).map(|(_, text)| *text)
    }
}

impl fmt::Debug for Habit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Habit").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fill_the_holes() {
        let habit = Habit::new("sorted($xs, key=$f)", "sortBy($xs, $f)");
        let written = Written { positional: vec!["xs"], named: vec![("key", "x => x.n")] };
        assert_eq!((habit.instead)(&written).as_deref(), Some("sortBy(xs, x => x.n)"));
        assert_eq!((habit.instead)(&Written { named: Vec::new(), ..written.clone() }), None);
        let other = Written { named: vec![("reverse", "true")], ..written };
        assert_eq!((habit.instead)(&other), None);
    }
}
