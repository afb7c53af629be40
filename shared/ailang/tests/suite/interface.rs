//! Interfaces: documents combined with code.

use ailang::{Capability, Document, Documents, GrantScope, Implementation, Interface, synthesize};
use dialect::{
    Effect, Invocation, Limits, Outcome, Program, Registry, Requirement, Value, explain, help, run,
};
use futures::executor::block_on;
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    literate::trials![
        what_documents_say_holds_for_programs,
        help_tells_as_much_as_a_level_says,
        help_tells_what_documents_say,
        what_a_program_needs_is_known_before_it_runs,
        capabilities_say_what_the_user_is_asked,
        documents_and_code_have_to_agree,
        names_alone_make_a_document,
        names_that_are_none_are_told,
        deep_and_wide_types_have_an_end,
        values_are_held_to_the_types_of_documents,
        what_a_capability_does_is_what_tools_do_with_it
    ]
}

const GREETINGS: &str = "---
id: greetings
title: Greetings
summary: Greets people.
---

<define>
// A person.
type Person = { name: string.nonEmpty(), age?: int.min(0) }
capability Post { ask = \"Allow posting\", office?: string, scope = choice(\"once\" | \"session\") }
// What is sent.
type Card = {
  to: Person,
  // At most a line.
  text?: string.maxLength(80),
}
// The post office is closed.
error Closed(opensAt: Timestamp, office?: string) {
  message = \"${office} is closed\"
  recovery = \"Wait until ${opensAt}.\"
  userMessage = \"The post office opens in ${opensAt - now()} s\"
  retryable = true
  retryAfter = opensAt + 1
  maxRetries = 3
}
error Refused(why: string) { message = \"Refused: ${why}\", recovery = \"Ask politely.\" }

// Says hello.
// @pure
tool greet(
  person: Person,
  // How often.
  times: int.min(1).max(3).default(1)
) -> string throws Refused

// Sends a card.
// @since 0.2
tool post(card: Card) -> bool requires Post(office = \"main\") throws Closed

// Somebody of that name.
// @conversion
// @pure
tool nameToPerson(name: string) -> Person throws Refused
</define>

<example tool=\"greet\">
greet({name: \"Ada\"})
</example>
";

const LEVELS: [&str; 5] = ["minimal", "compact", "standard", "detailed", "complete"];

fn interface(text: &str) -> Interface {
    let mut documents = Documents::new();
    documents.insert("main.md", Document::parse(text));
    Interface::load(&documents).unwrap_or_else(|rejected| panic!("{rejected}"))
}

async fn greet(invocation: Invocation) -> Result<Value, dialect::Interrupt> {
    let Some(Value::Record(person)) = invocation.arguments.get("person") else { panic!("it was promised") };
    let name = person.fields.get("name").and_then(Value::as_text).expect("it was promised");
    let times: usize = invocation.arguments.read("times")?;
    Ok(format!("{}{name}", "hello ".repeat(times)).into())
}

async fn yes(_: Invocation) -> Result<Value, dialect::Interrupt> {
    Ok(true.into())
}

fn code() -> Vec<(String, Implementation)> {
    let unchecked = |name: &str| (name.to_owned(), Implementation::new(yes));
    vec![Implementation::of("greet(person, times?)", greet), unchecked("post"), unchecked("nameToPerson")]
}

fn registry() -> Registry {
    let library = interface(GREETINGS).library("greetings", code()).expect("they agree");
    let registry = Registry::new([library]).expect("the rows fit");
    registry.with(help(&registry)).expect("nothing else is called help")
}

fn reported(program: &str) -> String {
    explain(&block_on(run(&registry(), program, &Limits::default())), program).text
}

fn what_documents_say_holds_for_programs() {
    assert_eq!(reported("greet({name: `Ada`})"), r#""hello Ada""#);
    assert_eq!(reported("greet(person(`Ada`), times=2)"), r#""hello hello Ada""#);
    assert!(reported("greet({name: `Ada`}, 9)").contains("times"), "{}", reported("greet({name: `Ada`}, 9)"));
    assert!(!reported("greet({name: ``})").contains("hello"), "{}", reported("greet({name: ``})"));
}

fn help_tells_as_much_as_a_level_says() {
    let registry = registry();
    let reported = |program: &str| {
        let outcome = block_on(run(&registry, program, &Limits::default()));
        let Outcome::Success(success) = outcome else { panic!("{outcome:?}") };
        success.value.as_text().expect("help is a text").to_owned()
    };
    let each =
        |name| LEVELS.map(|level| format!("-- {level}\n{}", reported(&format!("help(`{name}`, `{level}`)"))));
    expect_test::expect![[r#"
        -- minimal
        post // Sends a card.
        -- compact
        post(card) // Sends a card.
        -- standard
        post(card: Card) -> boolean
        Sends a card.
        It writes.
        Needs the user's permission for greetings/Post (office: main).
        Fails with Closed.
        Card(to: Person, text?: string.maxLength(80))
        Person(name: string.nonEmpty(), age?: int.min(0))
        -- detailed
        post(card: Card) -> boolean
        Sends a card.
        It writes.
        Needs the user's permission for greetings/Post (office: main).
        - `Post`: Allow posting (once, session)
        Fails with Closed: The post office is closed. Wait until <opensAt>. The same call may succeed later, after a time that it says. Try at most 3 times.
        Card(to: Person, text?: string.maxLength(80)) // What is sent.
        Person(name: string.nonEmpty(), age?: int.min(0)) // A person.
        -- complete
        post(card: Card) -> boolean
        Sends a card.
        It writes.
        Needs the user's permission for greetings/Post (office: main).
        - `Post`: Allow posting (once, session)
        Fails with Closed(opensAt: int, office?: string): The post office is closed. It says "<office> is closed". Wait until <opensAt>. The same call may succeed later, after a time that it says. Try at most 3 times. The user may be told "The post office opens in <opensAt - now()> s".
        Card(to: Person, text?: string.maxLength(80)) // What is sent.
        - `text`: At most a line.
        Person(name: string.nonEmpty(), age?: int.min(0)) // A person.
        Since 0.2.
    "#]].assert_eq(&each("post").concat());
    expect_test::expect![[r#"
        -- minimal
        card // What is sent.
        -- compact
        card(to, text) // What is sent.
        -- standard
        card(to: Person, text?: string.maxLength(80)) -> Card
        What is sent.
        Person(name: string.nonEmpty(), age?: int.min(0))
        -- detailed
        card(to: Person, text?: string.maxLength(80)) -> Card
        What is sent.
        - `text`: At most a line.
        Person(name: string.nonEmpty(), age?: int.min(0)) // A person.
        -- complete
        card(to: Person, text?: string.maxLength(80)) -> Card
        What is sent.
        - `text`: At most a line.
        Person(name: string.nonEmpty(), age?: int.min(0)) // A person.
    "#]]
    .assert_eq(&each("Card").concat());
    expect_test::expect![[r#"
        -- minimal
        nameToPerson // Somebody of that name.
        -- compact
        nameToPerson(name) // Somebody of that name.
        -- standard
        nameToPerson(name: string) -> Person
        Somebody of that name.
        A conversion: applied where Person is needed.
        Fails with Refused.
        -- detailed
        nameToPerson(name: string) -> Person
        Somebody of that name.
        A conversion: applied where Person is needed.
        Fails with Refused: "Refused: <why>" Ask politely.
        -- complete
        nameToPerson(name: string) -> Person
        Somebody of that name.
        A conversion: applied where Person is needed.
        Fails with Refused(why: string): "Refused: <why>" Ask politely.
    "#]]
    .assert_eq(&each("nameToPerson").concat());
}

fn help_tells_what_documents_say() {
    let outcome = block_on(run(&registry(), "help(`greet`)", &Limits::default()));
    let Outcome::Success(success) = outcome else { panic!("it is there") };
    expect_test::expect![[r#"
        greet(person: Person, times: int.min(1).max(3) = 1) -> string
        Says hello.
        - `times`: How often.
        Fails with Refused: "Refused: <why>" Ask politely.
        Person(name: string.nonEmpty(), age?: int.min(0)) // A person.
        E.g. greet({name: "Ada"})
    "#]]
    .assert_eq(success.value.as_text().expect("help is a text"));
}

fn what_a_program_needs_is_known_before_it_runs() {
    let registry = registry();
    let read = |program| Program::parse(&registry, program, &Limits::default()).expect("it is a program");
    assert_eq!(read("greet({name: `Ada`})").effect(), Effect::Pure);
    let posting = read("post({to: {name: `Ada`}})");
    assert_eq!(posting.effect(), Effect::Writes);
    assert_eq!(
        posting.needs()[0].requirement,
        Requirement::new("greetings/Post").restricted("office", ["main"])
    );
}

fn capabilities_say_what_the_user_is_asked() {
    let found = interface(GREETINGS);
    let [post] = found.capabilities() else { panic!("there is one") };
    assert_eq!((post.id.as_str(), post.ask.as_str()), ("greetings/Post", "Allow posting"));
    assert_eq!(post.scopes, [GrantScope::Once, GrantScope::Session].into());
    let prelude = Capability::prelude();
    let confirmation = prelude.iter().find(|it| it.id == "prelude/UserConfirmation").expect("it is there");
    assert_eq!(confirmation.scopes, [GrantScope::Once].into());
}

fn documents_and_code_have_to_agree() {
    let takes_other = Implementation::of("post(to, stamp?)", yes);
    let code = [takes_other, ("wave".to_owned(), Implementation::new(yes))];
    let mismatch = interface(GREETINGS).library("greetings", code).expect_err("they do not");
    expect_test::expect![[r#"
        the documents of `greetings` and its code differ
        `wave` is implemented, and no document declares it
        `greet` is declared, and nothing implements it
        `nameToPerson` is declared, and nothing implements it
        `post(card: Card) -> boolean` is declared, and the implementation takes `(to, stamp?)`"#]]
    .assert_eq(&mismatch.to_string());
}

fn names_alone_make_a_document() {
    let takes = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
    let text = synthesize("text-tools", [("shout", takes(&["text", "times?"])), ("clear", takes(&[]))]);
    let code = [("shout", Implementation::new(yes)), ("clear", Implementation::new(yes))];
    let library = interface(&text).library("text", code).expect("they agree");
    let rows: Vec<_> = library.functions.iter().map(|it| (it.signature.as_str(), it.effect)).collect();
    let shout = "shout(text: any, times?: any) -> any";
    assert_eq!(rows, [(shout, Effect::Writes), ("clear() -> any", Effect::Writes)]);
    for row in &library.functions {
        assert_eq!(row.requires, [Requirement::new("prelude/ToolExecution")]);
    }
    Registry::new([library]).expect("the rows fit");
}

fn names_that_are_none_are_told() {
    let mut documents = Documents::new();
    documents.insert("x.md", Document::parse(synthesize("x", [("no name", Vec::new())])));
    assert!(Interface::load(&documents).is_err());
}

fn deep_and_wide_types_have_an_end() {
    let mut text =
        "---\nid: wide\ntitle: W\nsummary: W.\n---\n<define>\ntype T0 = Leaf(number) | Nothing\n".to_owned();
    for level in 1..40 {
        let below = level - 1;
        text.push_str(&format!("type T{level} = Pair(left: T{below}, right: T{below}) | Leaf(T{below})\n"));
    }
    text.push_str("// Walks.\n// @pure\ntool walk(tree: T39) -> any\n</define>\n");
    let found = interface(&text);
    assert!(found.functions()[0].signature.len() < 100_000);
    assert!(found.warnings().any(|it| it.contains("too large")), "it is told");
}

fn values_are_held_to_the_types_of_documents() {
    let values = interface(GREETINGS).values();
    let person = dialect::Type::parse("Person").expect("it is a type");
    assert_eq!(values.check(&person, &serde_json::json!({"name": "Ada", "age": 36.0})), Ok(()));
    let problems = values.check(&person, &serde_json::json!({"name": "", "age": -1})).unwrap_err();
    let reported: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        reported,
        [r#"/name: expected string.nonEmpty(), got """#, "/age: expected number.min(0), got -1",]
    );
}

fn what_a_capability_does_is_what_tools_do_with_it() {
    let interface = interface(
        "---
id: files
title: Files
summary: Files and the like.
---
<define>
capability Look { ask = \"Allow looking\" }
capability Change { ask = \"Allow changing\" }
capability Clean { ask = \"Allow cleaning\" }
capability Send { ask = \"Allow sending\" }
capability Unused { ask = \"Allow nothing\" }
capability All = Send & NetworkAccess
// @readOnly
tool look() -> any requires Look
// @readOnly
tool lookAgain() -> any requires Change
tool change() -> any requires Change
// @destructive
tool clean() -> any requires Clean
tool send() -> any requires All
</define>
",
    );
    let kind = |name: &str| {
        let all = interface.capabilities().iter();
        all.filter(|it| it.id == format!("files/{name}")).map(|it| it.kind.name()).collect::<String>()
    };
    let kinds = ["Look", "Change", "Clean", "Send", "Unused"].map(kind);
    assert_eq!(kinds, ["read", "edit", "delete", "edit", "other"]);
    let prelude = |name: &str| {
        Capability::prelude()
            .into_iter()
            .find(|it| it.id == format!("prelude/{name}"))
            .map(|it| it.kind.name())
    };
    let kinds = ["FileSystemRead", "FileSystemWrite", "ProcessExecution", "NetworkAccess", "ToolExecution"];
    assert_eq!(kinds.map(|it| prelude(it).expect(it)), ["read", "edit", "execute", "fetch", "other"]);
}
