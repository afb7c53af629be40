//! Random expressions, most of which have a value.

use ailang::document_rows;
use dialect::{Parameter, Signature, Type};
use fastrand::Rng;

/// The nested expressions of one.
const DEPTH: usize = 3;

/// The kinds of values that an expression is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

const KINDS: [Kind; 6] = [Kind::Null, Kind::Bool, Kind::Number, Kind::Text, Kind::List, Kind::Object];

/// A maker of expressions.
pub(super) struct Maker {
    random: Rng,
    /// The signatures of shared methods, under each of their names.
    shared: Vec<(String, Signature)>,
    /// The signatures of methods that only documents have, under their names.
    own: Vec<(String, Signature)>,
    /// The names of parameters of lambdas around.
    bound: usize,
}

impl Maker {
    pub(super) fn new(seed: u64) -> Self {
        let (mut shared, mut own) = (Vec::new(), Vec::new());
        for row in core_library::library().functions {
            let signature = Signature::parse(&row.signature).expect("the row is registered");
            let names = [signature.name.clone()].into_iter().chain(row.aliases).chain(row.foreign);
            let names = names.filter(|name| name.chars().all(char::is_alphanumeric));
            shared.extend(names.map(|name| (name, signature.clone())));
        }
        for (row, _) in document_rows().filter(|(row, _)| row.starts_with(|it: char| it.is_uppercase())) {
            let signature = Signature::parse(row).expect("the row is registered");
            let name = signature.name.rsplit('.').next().unwrap_or_default().to_owned();
            own.push((name, signature));
        }
        Self { random: Rng::with_seed(seed), shared, own, bound: 0 }
    }

    /// Makes an expression, in brackets where a brace at the start would open something else.
    pub(super) fn expression(&mut self) -> String {
        let kind = self.kind();
        let made = self.of(kind, DEPTH);
        if made.starts_with('{') { format!("({made})") } else { made }
    }

    fn kind(&mut self) -> Kind {
        KINDS[self.random.usize(..KINDS.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.usize(..100) < percent
    }

    fn choice<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.usize(..of.len())]
    }

    /// Makes an expression, most often of that kind.
    fn of(&mut self, kind: Kind, depth: usize) -> String {
        let kind = if self.chance(3) { self.kind() } else { kind };
        if depth == 0 || self.chance(25) {
            return self.literal(kind, depth);
        }
        match self.random.usize(..12) {
            0..6 => self.method(kind, depth),
            6 => {
                let condition = self.of(Kind::Bool, depth - 1);
                let (then, otherwise) = (self.of(kind, depth - 1), self.of(kind, depth - 1));
                format!("({condition} ? {then} : {otherwise})")
            }
            7 => self.member(kind, depth),
            8 => self.element(kind, depth),
            9 => format!("({} ?? {})", self.of(kind, depth - 1), self.of(kind, depth - 1)),
            _ => self.operation(kind, depth),
        }
    }

    fn literal(&mut self, kind: Kind, depth: usize) -> String {
        let inner = depth.saturating_sub(1);
        if self.bound > 0 && self.chance(40) {
            return format!("x{}", self.random.usize(..self.bound));
        }
        match kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool => self.choice(&["true", "false"]).to_owned(),
            Kind::Number => self.choice(&["0", "1", "2", "3", "-1", "2.5", "7", "100000"]).to_owned(),
            Kind::Text => {
                let texts = ["\"\"", "\"a\"", "\"a,b\"", "\" abc \"", "\"aÄöa\"", "\"3\"", "\"a b\""];
                self.choice(&texts).to_owned()
            }
            Kind::List => {
                let of = self.kind();
                self.list_of(of, 0, inner)
            }
            Kind::Object => {
                let of = self.kind();
                self.object_of(of, 0, inner)
            }
        }
    }

    /// Makes a list of elements of one kind, at least so many.
    fn list_of(&mut self, kind: Kind, least: usize, depth: usize) -> String {
        let count = self.random.usize(least..4);
        let mut items: Vec<String> = (0..count).map(|_| self.of(kind, depth)).collect();
        if self.chance(10) {
            items.push(format!("...[{}]", self.of(kind, depth)));
        }
        format!("[{}]", items.join(", "))
    }

    /// Makes an object with fields of one kind.
    fn object_of(&mut self, kind: Kind, least: usize, depth: usize) -> String {
        let names = ["a", "b", "\"c d\""];
        let count = self.random.usize(least..=names.len());
        let fields = names[..count].iter().map(|name| format!("{name}: {}", self.of(kind, depth)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    fn operation(&mut self, kind: Kind, depth: usize) -> String {
        let operand = |this: &mut Self, kind| this.of(kind, depth - 1);
        match kind {
            Kind::Number if self.chance(20) => format!("-({})", operand(self, Kind::Number)),
            Kind::Number => {
                let operator = self.choice(&["+", "-", "*", "/", "%"]);
                format!("({} {operator} {})", operand(self, Kind::Number), operand(self, Kind::Number))
            }
            Kind::Text => format!("({} + {})", operand(self, Kind::Text), operand(self, kind)),
            _ => match self.random.usize(..4) {
                0 => format!("!({})", operand(self, Kind::Bool)),
                1 => {
                    let operator = self.choice(&["&&", "||"]);
                    format!("({} {operator} {})", operand(self, Kind::Bool), operand(self, Kind::Bool))
                }
                2 => {
                    let (operator, of) = (self.choice(&["==", "!="]), self.kind());
                    format!("({} {operator} {})", operand(self, of), operand(self, of))
                }
                _ => {
                    let operator = self.choice(&["<", "<=", ">", ">="]);
                    let of = if self.chance(50) { Kind::Number } else { Kind::Text };
                    format!("({} {operator} {})", operand(self, of), operand(self, of))
                }
            },
        }
    }

    fn member(&mut self, kind: Kind, depth: usize) -> String {
        let dot = if self.chance(40) { "?." } else { "." };
        if kind == Kind::Number && self.chance(60) {
            let of = if self.chance(50) { Kind::List } else { Kind::Text };
            return format!("{}{dot}length", self.of(of, depth - 1));
        }
        let name = self.choice(&["a", "a", "b"]);
        let of = if self.chance(85) {
            self.object_of(kind, 2, depth - 1)
        } else {
            self.of(Kind::Object, depth - 1)
        };
        format!("{of}{dot}{name}")
    }

    fn element(&mut self, kind: Kind, depth: usize) -> String {
        if self.chance(30) {
            let key = self.choice(&["\"a\"", "\"a\"", "\"c d\""]);
            return format!("{}[{key}]", self.object_of(kind, 1, depth - 1));
        }
        let index = self.choice(&["0", "0", "0", "-1", "1", "5"]);
        format!("{}[{index}]", self.list_of(kind, 1, depth - 1))
    }

    /// Makes a call of a method. Most have the arguments that its signature says.
    fn method(&mut self, kind: Kind, depth: usize) -> String {
        let is_own = self.chance(12);
        let methods = if is_own { &self.own } else { &self.shared };
        // A method that may return what is wanted is preferred.
        let tries = (0..20).map(|_| &methods[self.random.usize(..methods.len())]).collect::<Vec<_>>();
        let fits = |(_, it): &&(String, Signature)| kind_of(&it.returns).is_none_or(|it| it == kind);
        let (name, signature) = tries.iter().copied().find(fits).unwrap_or(tries[0]).clone();
        let Some((receiver, parameters)) = signature.named_parameters().split_first() else {
            return self.literal(kind, depth);
        };
        let receiver = match kind_of(&receiver.ty) {
            // What returns anything returns elements.
            None | Some(Kind::List) if kind_of(&signature.returns).is_none() => {
                self.list_of(kind, 1, depth - 1)
            }
            Some(kind) => self.of(kind, depth - 1),
            None => {
                let kind = if self.chance(50) { Kind::List } else { Kind::Text };
                self.of(kind, depth - 1)
            }
        };
        let arguments: Vec<String> = match self.chance(8) {
            true => (0..self.random.usize(..=3)).map(|_| self.any_argument(depth)).collect(),
            false => {
                let required = parameters.iter().filter(|it| !it.optional).count();
                let count = self.random.usize(required..=parameters.len());
                parameters[..count].iter().map(|it| self.argument(it, depth)).collect()
            }
        };
        // Documents know tools alone by their bare names.
        format!("{receiver}.{name}({})", arguments.join(", "))
    }

    fn argument(&mut self, parameter: &Parameter, depth: usize) -> String {
        if self.chance(3) {
            return self.any_argument(depth);
        }
        if let Type::Function { parameters, returns } = &parameter.ty {
            let kind = kind_of(returns).unwrap_or_else(|| self.kind());
            let count = parameters.len() + usize::from(self.chance(10));
            return self.lambda(count, kind, depth);
        }
        let kind = kind_of(&parameter.ty).unwrap_or_else(|| self.kind());
        self.of(kind, depth - 1)
    }

    fn any_argument(&mut self, depth: usize) -> String {
        if self.chance(20) {
            let (count, kind) = (self.random.usize(..3), self.kind());
            return self.lambda(count, kind, depth);
        }
        let kind = self.kind();
        self.of(kind, depth - 1)
    }

    fn lambda(&mut self, count: usize, kind: Kind, depth: usize) -> String {
        let names: Vec<String> = (self.bound..self.bound + count).map(|it| format!("x{it}")).collect();
        self.bound += count;
        let body = self.of(kind, depth - 1);
        self.bound -= count;
        let body = if body.starts_with('{') { format!("({body})") } else { body };
        format!("({}) => {body}", names.join(", "))
    }
}

/// Returns the kind of values of a type, if there is one.
fn kind_of(ty: &Type) -> Option<Kind> {
    match ty {
        Type::Null => Some(Kind::Null),
        Type::Bool => Some(Kind::Bool),
        Type::Number => Some(Kind::Number),
        Type::Text => Some(Kind::Text),
        Type::List(_) => Some(Kind::List),
        Type::Object | Type::Map(_) | Type::Fields(_) => Some(Kind::Object),
        Type::Refined(inner, _) => kind_of(inner),
        _ => None,
    }
}
