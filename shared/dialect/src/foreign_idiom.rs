//! Calls that other languages have, and their equivalents here.

use std::fmt;
use std::sync::Arc;

use crate::lex::is_name_part;
use crate::name::is_same_name;

/// A call that another language has, which is refused with its equivalent here.
///
/// It is tried on calls that no callable fits, unless it precedes them.
#[derive(Clone)]
pub struct ForeignIdiom {
    /// The name that is called: `slice`, `Object.entries`. A method's receiver is its first argument.
    pub name: String,
    /// Writes the equivalent; returns `None` for a call that it does not know.
    pub rewrite: Rewrite,
    /// `true` if it is tried on calls that a callable fits, too: they would mean something else here.
    pub precedes: bool,
}

/// A function that writes the equivalent of a call with those arguments.
pub type Rewrite = Arc<dyn Fn(&WrittenArguments<'_>) -> Option<String> + Send + Sync>;

/// The arguments of a call, as the program spells them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenArguments<'source> {
    /// The positional arguments, a method's receiver first.
    pub positional: Vec<&'source str>,
    /// The named arguments, with their names.
    pub named: Vec<(&'source str, &'source str)>,
}

impl ForeignIdiom {
    /// Makes an idiom of templates: `slice($xs, $from)` is `drop($xs, $from)`, and `sorted($xs, key=$f)` is
    /// `sortBy($xs, $f)`.
    ///
    /// # Panics
    /// If `call` is not of that form.
    pub fn new(call: &str, instead: &'static str) -> Self {
        let (name, arguments) = call.strip_suffix(')').and_then(|it| it.split_once('(')).expect("a call");
        let arguments = arguments.split(", ").filter(|it| !it.is_empty()).map(str::to_owned);
        let (named, positional): (Vec<_>, Vec<_>) = arguments.partition(|it| it.contains('='));
        let named = named.iter().filter_map(|it| it.split_once('='));
        let named: Vec<_> = named.map(|(name, hole)| (name.to_owned(), hole.to_owned())).collect();
        Self::from_fn(name, move |written| {
            if written.positional.len() != positional.len() || written.named.len() != named.len() {
                return None;
            }
            let texts = written.positional.iter().chain(written.named.iter().map(|(_, text)| text));
            if { texts }.any(|text| captures(instead, text)) {
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

    /// Makes an idiom of a function that looks at the arguments.
    pub fn from_fn(
        name: &str,
        rewrite: impl Fn(&WrittenArguments<'_>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.to_owned(), rewrite: Arc::new(rewrite), precedes: false }
    }

    /// Makes it precede a callable that fits.
    #[must_use]
    pub fn preceding(mut self) -> Self {
        self.precedes = true;
        self
    }
}

/// Returns `true` if a function of the template has a parameter with a name that the argument uses.
fn captures(template: &str, argument: &str) -> bool {
    let words = |text: &'_ str| text.split(|it| !is_name_part(it)).map(str::to_owned).collect::<Vec<_>>();
    let heads = template.match_indices("=>").map(|(at, _)| {
        let head = template[..at].trim_end();
        let start = if head.ends_with(')') { head.rfind('(') } else { head.rfind(|it| !is_name_part(it)) };
        &head[start.map_or(0, |it| it + 1)..]
    });
    let used = words(argument);
    heads.flat_map(words).any(|parameter| !parameter.is_empty() && used.contains(&parameter))
}

impl<'source> WrittenArguments<'source> {
    /// Returns the argument of that name, ignoring case and underscores.
    pub fn named(&self, name: &str) -> Option<&'source str> {
        self.named.iter().find(|(given, _)| is_same_name(given, name)).map(|(_, text)| *text)
    }
}

impl fmt::Debug for ForeignIdiom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ForeignIdiom").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fill_the_holes() {
        let idiom = ForeignIdiom::new("sorted($xs, key=$f)", "sortBy($xs, $f)");
        let written = WrittenArguments { positional: vec!["xs"], named: vec![("key", "x => x.n")] };
        assert_eq!((idiom.rewrite)(&written).as_deref(), Some("sortBy(xs, x => x.n)"));
        assert_eq!((idiom.rewrite)(&WrittenArguments { named: Vec::new(), ..written.clone() }), None);
        let other = WrittenArguments { named: vec![("reverse", "true")], ..written };
        assert_eq!((idiom.rewrite)(&other), None);
    }
}
