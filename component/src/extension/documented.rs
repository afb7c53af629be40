//! Extensions from interface documents: a document and a table of code become a library with its capabilities.

use std::time::{SystemTime, UNIX_EPOCH};

use ailang::{Document, Documents, Implementation, Interface, synthesize};

use crate::extension::{Extension, ExtensionError};

impl Extension {
    /// Builds an extension from a document and the code of its functions. The library has the document's id as its
    /// name.
    ///
    /// The tool's description, `help`, the checks of arguments, permission questions and advice on failures come
    /// from the document, as they do for built-in functions.
    ///
    /// # Errors
    /// The document is not valid, or its declarations and the code do not match.
    pub fn documented(
        document: &str,
        code: impl IntoIterator<Item = (String, Implementation)>,
    ) -> Result<Self, ExtensionError> {
        let document = Document::parse(document);
        let name = document.front_matter.id.as_ref().map_or_else(String::new, |id| id.value.clone());
        let mut documents = Documents::new();
        documents.insert(format!("{name}.md"), document);
        let interface = Interface::load(&documents)?.with_clock(now);
        Ok(Self {
            library: interface.library(name, code)?,
            origin: None,
            capabilities: interface.capabilities().to_vec(),
        })
    }

    /// Builds an extension without a document, from the names and parameters of its callables. A `?` after a
    /// parameter makes it optional. All callables count as writing, and the user is asked before they run.
    ///
    /// # Errors
    /// A name is not valid, or a callable has no code.
    pub fn named<'name>(
        library: &str,
        callables: impl IntoIterator<Item = (&'name str, Vec<String>)>,
        code: impl IntoIterator<Item = (String, Implementation)>,
    ) -> Result<Self, ExtensionError> {
        Self::documented(&synthesize(library, callables), code)
    }
}

/// Returns the time in seconds since the start of 1970.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |it| it.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ailang::GrantScope as Scope;
    use dialect::{
        Effect, Failure, Handler, Interrupt, Invocation, Limits, Program, Registry, Requirement, Value,
        explain, run,
    };
    use futures::executor::block_on;

    use super::*;
    use crate::extension::Extensions;
    use crate::no_host::NoHost;
    use crate::permission::CallPermit;
    use crate::tool::description::{all, description};

    const WEATHER: &str = "---
id: weather
title: Weather
summary: What the sky does.
---

<define>
// Where it was measured.
type Station = { name: string.nonEmpty(), height?: int.min(0) }
capability Warn { ask = \"Allow warning people\", scope = \"once\" }
// The station does not answer.
error Silent(station: string) {
  message = \"${station} is silent\"
  recovery = \"Ask another station than ${station}.\"
  retryable = true
}

// How warm it is. In the shade.
// @pure
// @alias temperature
tool warmth(
  station: Station,
  // So many hours ago.
  hours: int.min(0).max(48).default(0)
) -> number
  throws Silent

// Warns everybody.
tool warn(text: string.nonEmpty()) -> bool
  requires Warn
</define>

<example tool=\"warmth\">
warmth({name: `north`})
</example>
";

    /// Returns code that fails with an error and its fields.
    fn failing(name: &'static str, carries: &'static [(&'static str, &'static str)]) -> impl Handler {
        move |_: Invocation| {
            let failure = Failure::thrown(name, carries.iter().map(|(name, value)| (*name, (*value).into())));
            std::future::ready(Err::<Value, _>(Interrupt::from(failure)))
        }
    }

    fn nothing() -> impl Handler {
        |_: Invocation| std::future::ready(Ok::<Value, Interrupt>(Value::Null))
    }

    fn weather() -> Extension {
        let code = [
            Implementation::of("warmth(station, hours?)", failing("Silent", &[("station", "north")])),
            Implementation::of("warn(text)", nothing()),
        ];
        Extension::documented(WEATHER, code).expect("they fit")
    }

    fn with(extension: Extension) -> (Extensions, Registry) {
        let mut extensions = Extensions::built_in();
        extensions.add(extension).expect("it fits");
        let registry = all(&extensions);
        (extensions, registry)
    }

    fn outcome_text(registry: &Registry, program: &str) -> String {
        explain(&block_on(run(registry, program, &Limits::default())), program).text
    }

    #[test]
    fn a_document_that_arrives_says_everything() {
        let (extensions, registry) = with(weather());
        assert!(description(&registry, 1_500).contains("warmth"), "the description names it");
        let help = outcome_text(&registry, "help(`warmth`)");
        for part in [
            "warmth(station: Station, hours: int.min(0).max(48) = 0) -> number",
            "Also called temperature.",
            "- `hours`: So many hours ago.",
            "Silent: The station does not answer. Ask another station than <station>.",
        ] {
            assert!(help.contains(part), "{part}: {help}");
        }
        let checked = outcome_text(&registry, "warmth({name: `north`}, 49)");
        assert!(checked.contains("`hours` of `warmth` must be at most 48, got 49"), "{checked}");
        let failed = outcome_text(&registry, "temperature(station(`north`))");
        assert!(failed.contains("north is silent"), "{failed}");
        assert!(
            failed.contains("Ask another station than north. The same program may succeed later."),
            "{failed}"
        );
        let warn = Program::parse(&registry, "warn(`storm`)", &Limits::default()).expect("it reads");
        assert_eq!(warn.needs()[0].requirement, Requirement::new("weather/Warn"));
        let asked = extensions.catalogue.find("weather/Warn");
        assert_eq!((asked.ask.as_str(), asked.scopes), ("Allow warning people", [Scope::Once].into()));
    }

    #[test]
    fn what_breaks_its_word_is_noted() {
        let code = [
            Implementation::of("warmth(station, hours?)", failing("Frozen", &[])),
            Implementation::of("warn(text)", nothing()),
        ];
        let mut extensions = Extensions::built_in();
        let theirs = Extension {
            origin: Some("sky-tools".to_owned()),
            ..Extension::documented(WEATHER, code).expect("they fit")
        };
        extensions.add(theirs).expect("it fits");
        let permit = CallPermit::default();
        let registry = extensions.registry(Arc::new(NoHost), &permit);
        let failed = outcome_text(&registry, "attempt(warmth({name: `north`}))");
        assert!(failed.contains("`warmth` failed with Frozen, which it does not declare"), "{failed}");
        let [breach] = &*permit.take_undeclared() else { panic!("it failed once") };
        assert_eq!(breach.callable, "weather/warmth");
        assert!(breach.reason.contains("does not declare"), "{breach:?}");
        outcome_text(&registry, "attempt(matches(`a`, `(`))");
        assert!(permit.take_undeclared().is_empty(), "that is declared");
    }

    #[test]
    fn without_a_document_names_say_what_they_can() {
        let callables = [("shout", vec!["text".to_owned(), "times?".to_owned()])];
        let code = [Implementation::of("shout(text, times?)", nothing())];
        let (extensions, registry) = with(Extension::named("loud", callables, code).expect("they fit"));
        assert!(description(&registry, 1_500).contains("shout"));
        let help = outcome_text(&registry, "help(`shout`)");
        assert!(
            help.contains("shout(text: any, times?: any) -> any") && help.contains("It writes."),
            "{help}"
        );
        assert!(
            outcome_text(&registry, "shout()").contains("`text`"),
            "{}",
            outcome_text(&registry, "shout()")
        );
        let program = Program::parse(&registry, "shout(`x`)", &Limits::default()).expect("it reads");
        assert_eq!(program.effect(), Effect::Writes);
        assert_eq!(program.needs()[0].requirement, Requirement::new("prelude/ToolExecution"));
        assert_eq!(extensions.catalogue.find("prelude/ToolExecution").ask, "Allow running this tool");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let wrong = Extension::documented(WEATHER, [Implementation::of("warn(text)", nothing())]);
        assert!(matches!(wrong, Err(ExtensionError::Code(_))), "{wrong:?}");
        let broken = WEATHER.replace("throws Silent", "throws Loud");
        assert!(matches!(Extension::documented(&broken, []), Err(ExtensionError::Document(_))));
    }

    #[test]
    fn what_a_document_composes_is_asked_for_in_its_parts() {
        let composed = WEATHER
            .replace(
                "// The station does not",
                "capability Alarm = Warn & NetworkAccess\n// The station does not",
            )
            .replace("requires Warn", "requires Alarm");
        let code = [
            Implementation::of("warmth(station, hours?)", nothing()),
            Implementation::of("warn(text)", nothing()),
        ];
        let (extensions, registry) = with(Extension::documented(&composed, code).expect("they fit"));
        let warn = Program::parse(&registry, "warn(`storm`)", &Limits::default()).expect("it reads");
        let needed: Vec<Requirement> = warn.needs().iter().map(|it| it.requirement.clone()).collect();
        let each = extensions.catalogue.demand(&needed).into_each().map(|it| it.capability);
        assert_eq!(each.collect::<Vec<_>>(), ["prelude/NetworkAccess", "weather/Warn"]);
    }

    #[test]
    fn words_of_others_are_labelled_wherever_they_are_read() {
        let theirs = Extension { origin: Some("sky-tools".to_owned()), ..weather() };
        let (_, registry) = with(theirs);
        let unquoted = |program| {
            serde_json::from_str::<String>(&outcome_text(&registry, program)).expect("it is a text")
        };
        let help = unquoted("help(`warmth`)");
        assert!(help.contains("From \"sky-tools\": \"How warm it is.\"\n"), "{help}");
        assert!(help.contains("> In the shade.\n> - `hours`: So many hours ago."), "{help}");
        assert!(unquoted("help(`types`)").contains("From \"sky-tools\": \"Where it was measured.\""));
        let reference = dialect::reference(&registry);
        assert!(reference.contains("From \"sky-tools\": \"Warns everybody.\""), "{reference}");
    }
}
