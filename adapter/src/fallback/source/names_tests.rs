use super::*;
use crate::fallback::source::languages::LANGUAGES;

fn parsed(written: &str) -> String {
    Name::parse(written, &LANGUAGES[0])
        .map_or("none".into(), |it| format!("{}|{}", it.path.join("/"), it.last))
}

#[test]
fn names_as_people_write_them() {
    for (written, expected) in [
        ("User", "|User"),
        (" `User` ", "|User"),
        ("crate::auth::User", "auth|User"),
        ("User::hello()", "User|hello"),
        ("user.hello(1, x.y)", "user|hello"),
        ("Vec<T>::push", "Vec|push"),
        ("Vec::<u8>::push", "Vec|push"),
        ("<User as Display>::fmt", "User|fmt"),
        ("self.total", "|total"),
        ("User#hello", "User|hello"),
        ("User->hello", "User|hello"),
        ("(*User).Hello", "User|Hello"),
        (r"\App\Models\User", "App/Models|User"),
        ("pub async fn hello<T>(x: T) -> u32", "|hello"),
        ("struct User", "|User"),
        ("println!", "|println"),
        ("r#type::r#match", "type|match"),
        ("src/auth.rs:User", "src/auth|User"),
        ("auth.rs", "|auth"),
        ("src/Auth.rs", "src|Auth"),
        ("rs", "|rs"),
        ("Stamp::rs", "Stamp|rs"),
        ("User.#count", "User|count"),
        ("Größe", "|Größe"),
        ("", "none"),
        ("fn", "none"),
        ("+", "none"),
    ] {
        assert_eq!(parsed(written), expected, "{written}");
    }
}

#[test]
fn a_mark_may_belong_to_a_name() {
    let typescript = LANGUAGES.iter().find(|it| it.id == "typescript").unwrap();
    for (written, path, last) in [
        ("#count", "", "#count"),
        ("Timer.#count", "Timer", "#count"),
        ("Timer#count", "Timer", "count"),
        ("this.#count", "", "#count"),
        ("Stamp.ts", "Stamp", "ts"),
    ] {
        let name = Name::parse(written, typescript).unwrap();
        assert_eq!((name.path.join("/").as_str(), name.last.as_str()), (path, last), "{written}");
    }
}

#[test]
fn qualified_names_fit_by_what_is_around() {
    let fit = |written: &str, file: &str| {
        Name::parse(written, &LANGUAGES[0]).unwrap().fits(Path::new(file), &[], None)
    };
    for file in ["app/src/auth.rs", "app/src/auth/mod.rs"] {
        assert_eq!(fit("auth::User", file), Fit::Exact, "{file}");
    }
    assert_eq!(fit("auth::User", "app/src/auth/user.rs"), Fit::Loose);
    assert_eq!(fit("my_app::User", "my-app/src/lib.rs"), Fit::Exact);
    assert_eq!(fit("billing::User", "app/src/auth.rs"), Fit::None);
    assert_eq!(fit("app::auth::User", "app/src/auth.rs"), Fit::Exact);
    assert_eq!(fit("auth::app::User", "app/src/auth.rs"), Fit::None);
}

#[test]
fn operators_are_names_in_cpp() {
    let cpp = LANGUAGES.iter().find(|it| it.id == "c").unwrap();
    for (written, expected) in [
        ("operator+", "|operator+"),
        ("Vec::operator ==", "Vec|operator=="),
        ("bool geo::Vec::operator==(const Vec &)", "geo/Vec|operator=="),
        ("geo::Vec::operator[]", "geo/Vec|operator[]"),
        ("Call::operator()(int)", "Call|operator()"),
        ("It::operator->", "It|operator->"),
        ("Vec::operator bool", "Vec|operator bool"),
        ("Text::operator const char*() const", "Text|operator const char *"),
        ("Text::operator char **", "Text|operator char **"),
        ("~Shape", "|~Shape"),
        ("geo::Shape::~Shape()", "geo/Shape|~Shape"),
        ("operators", "|operators"),
    ] {
        let name = Name::parse(written, cpp).unwrap();
        assert_eq!(format!("{}|{}", name.path.join("/"), name.last), expected, "{written}");
    }
}

#[test]
fn members_without_a_word_have_names_too() {
    for (language, written, expected) in [
        ("csharp", "Order.operator ==", "Order|operator=="),
        ("csharp", "implicit operator int", "|operator int"),
        ("csharp", "Shop.Order.this[]", "Shop/Order|this[]"),
        ("csharp", "this[]", "|this[]"),
        ("ruby", "Shop::Stack#<<", "Shop/Stack|<<"),
        ("ruby", "Stack.[]=", "Stack|[]="),
        ("ruby", "def <=>(other)", "|<=>"),
        ("ruby", "!", "|!"),
        ("ruby", "run!", "|run!"),
    ] {
        let language = LANGUAGES.iter().find(|it| it.id == language).unwrap();
        let name = Name::parse(written, language).unwrap();
        assert_eq!(format!("{}|{}", name.path.join("/"), name.last), expected, "{written}");
    }
}

#[test]
fn names_are_alike_in_degrees() {
    for (asked, name, expected) in [
        ("User", "User", Some(Likeness::Same)),
        ("validateToken", "validate_token", Some(Likeness::SameFolded)),
        ("use", "UserSession", Some(Likeness::Start)),
        ("session", "UserSession", Some(Likeness::Part)),
        ("usn", "UserSession", Some(Likeness::Letters)),
        ("nsu", "UserSession", None),
    ] {
        assert_eq!(likeness(asked, name), expected, "{asked} {name}");
        assert_eq!(NameQuery::new(asked).likeness(name), expected, "{asked} {name}");
    }
}

#[test]
fn marks_end_names_in_ruby() {
    let ruby = LANGUAGES.iter().find(|it| it.id == "ruby").unwrap();
    for (written, path, last) in [
        ("run!", "", "run!"),
        ("Stack#empty?", "Stack", "empty?"),
        ("def size=(size)", "", "size="),
        ("Stack.run", "Stack", "run"),
    ] {
        let name = Name::parse(written, ruby).unwrap();
        assert_eq!((name.path.join("/").as_str(), name.last.as_str()), (path, last), "{written}");
    }
    let words: Vec<_> = ruby.words("x.ok?(a!=b) ? !run! : c.d=1").into_iter().map(|(it, _)| it).collect();
    assert_eq!(words, ["x", "ok?", "a", "b", "run!", "c", "d", "1"]);
}

#[test]
fn words_and_their_columns() {
    let rust = &LANGUAGES[0];
    assert_eq!(rust.word_at("let é😀 = x_1;", 9), Some(("x_1".into(), 9..12)));
    assert_eq!(rust.word_at("let é😀 = x_1;", 12), Some(("x_1".into(), 9..12)));
    assert_eq!(rust.word_at("let é😀 = x_1;", 4), Some(("é".into(), 4..5)));
    assert_eq!(rust.word_at("a + b", 2), None);
    assert_eq!(
        rust.words("r#fn(r, x.r#in)"),
        [("fn", 0..4), ("r", 5..6), ("x", 8..9), ("in", 10..14)]
            .map(|(it, columns)| (it.to_owned(), columns))
    );
}

#[test]
fn keywords_that_are_names() {
    let typescript = LANGUAGES.iter().find(|it| it.id == "typescript").unwrap();
    let last = |written, language| Name::parse(written, language).map(|it| it.last);
    assert_eq!(last("Store.delete", typescript).as_deref(), Some("delete"));
    assert_eq!(last("catch", typescript).as_deref(), Some("catch"));
    assert_eq!(last("export class Store", typescript).as_deref(), Some("Store"));
    assert_eq!(last("User::r#type", &LANGUAGES[0]).as_deref(), Some("type"));
    assert_eq!(last("User::type", &LANGUAGES[0]), None);
    assert_eq!(last("_", typescript), None);
    let place = |line: &str, word: &str| {
        let found = typescript.words(line).into_iter().find(|(it, _)| it == word);
        typescript.is_name_in(line, word, &found.unwrap().1)
    };
    assert!(place("store.delete(x)", "delete") && !place("delete store.x", "delete"));
}
