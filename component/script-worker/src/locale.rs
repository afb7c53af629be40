//! The order of texts in languages, for the prelude.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::preferences::{CollationCaseFirst, CollationNumericOrdering, CollationType};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::Locale;
use icu_locale_core::extensions::unicode::Value;
use rquickjs::function::Opt;
use rquickjs::prelude::Func;
use rquickjs::{Object, Result};

/// Gives the prelude three functions. `locale(tag)` returns what is wrong with a tag. `collator(…)` returns
/// the number of an order, if there is one. `compare(number, a, b)` compares by that order.
pub(crate) fn install(host: &Object<'_>) -> Result<()> {
    let locale = |tag: String| Locale::try_from_str(&tag).err().map_or_else(String::new, |it| it.to_string());
    host.set("locale", Func::from(locale))?;
    let orders: Rc<RefCell<Vec<CollatorBorrowed<'static>>>> = Rc::default();
    let made = Rc::clone(&orders);
    let collator = move |tag: String,
                         sensitivity: String,
                         ignores_punctuation: Opt<Option<bool>>,
                         collation: Opt<Option<String>>,
                         numeric: Opt<Option<bool>>,
                         case_first: Opt<Option<String>>| {
        let wanted = Wanted {
            sensitivity,
            ignores_punctuation: ignores_punctuation.0.flatten(),
            collation: collation.0.flatten(),
            numeric: numeric.0.flatten(),
            case_first: case_first.0.flatten(),
        };
        let order = wanted.order(&tag)?;
        let mut all = made.borrow_mut();
        all.push(order);
        u32::try_from(all.len() - 1).ok()
    };
    host.set("collator", Func::from(collator))?;
    let compare = move |number: usize, a: String, b: String| {
        let ordering = orders.borrow().get(number).map_or(Ordering::Equal, |it| it.compare(&a, &b));
        ordering as i32
    };
    host.set("compare", Func::from(compare))
}

/// The options of `Intl.Collator`.
struct Wanted {
    sensitivity: String,
    ignores_punctuation: Option<bool>,
    collation: Option<String>,
    numeric: Option<bool>,
    case_first: Option<String>,
}

impl Wanted {
    fn order(&self, tag: &str) -> Option<CollatorBorrowed<'static>> {
        let locale = Locale::try_from_str(tag).ok()?;
        let mut preferences = CollatorPreferences::from(&locale);
        if let Some(numeric) = self.numeric {
            preferences.numeric_ordering =
                Some(if numeric { CollationNumericOrdering::True } else { CollationNumericOrdering::False });
        }
        preferences.case_first = match self.case_first.as_deref() {
            None => preferences.case_first,
            Some("upper") => Some(CollationCaseFirst::Upper),
            Some("lower") => Some(CollationCaseFirst::Lower),
            Some(_) => Some(CollationCaseFirst::False),
        };
        if let Some(collation) = &self.collation {
            let collation = CollationType::try_from(&Value::try_from_str(collation).ok()?).ok()?;
            preferences.collation_type = Some(collation);
        }
        let mut options = CollatorOptions::default();
        (options.strength, options.case_level) = match self.sensitivity.as_str() {
            "base" => (Some(Strength::Primary), None),
            "accent" => (Some(Strength::Secondary), None),
            "case" => (Some(Strength::Primary), Some(CaseLevel::On)),
            _ => (Some(Strength::Tertiary), None),
        };
        options.alternate_handling = self.ignores_punctuation.map(|it| match it {
            true => AlternateHandling::Shifted,
            false => AlternateHandling::NonIgnorable,
        });
        Collator::try_new(preferences, options).ok()
    }
}
