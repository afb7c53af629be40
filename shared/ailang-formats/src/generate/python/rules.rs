//! Refinements as validators.

use dialect::{PatternSyntax, Refinement};

use super::file::quoted;
use crate::generate::model::Kind;
use crate::generate::rule::{KINDS, Rule, demand, rules};

/// Returns the validator of a refinement.
pub(super) fn validator(refinement: &Refinement, kind: Kind) -> String {
    format!(
        "AfterValidator(_rule(lambda value: {}, {}))",
        condition(refinement, kind),
        quoted(&demand(refinement))
    )
}

/// Returns the condition of a refinement. Values of several kinds are told apart.
fn condition(refinement: &Refinement, kind: Kind) -> String {
    let all = |kind: Kind| {
        let each: Vec<String> = rules(refinement, kind).iter().map(rule).collect();
        each.join(" and ")
    };
    if kind != Kind::Mixed {
        return all(kind);
    }
    let guarded = KINDS.iter().filter(|kind| !rules(refinement, **kind).is_empty()).map(|kind| {
        let of = match kind {
            Kind::Number => "isinstance(value, (int, float)) and not isinstance(value, bool)",
            Kind::Text => "isinstance(value, str)",
            Kind::List => "isinstance(value, list)",
            _ => "isinstance(value, dict)",
        };
        format!("(not ({of}) or ({}))", all(*kind))
    });
    guarded.collect::<Vec<_>>().join(" and ")
}

fn rule(rule: &Rule) -> String {
    match rule {
        Rule::Min(least) => format!("value >= {least}"),
        Rule::Max(most) => format!("value <= {most}"),
        Rule::Positive => "value > 0".to_owned(),
        Rule::Negative => "value < 0".to_owned(),
        Rule::Integer => "_is_integer(value)".to_owned(),
        Rule::MultipleOf(step) => format!("_is_multiple(value, {step})"),
        Rule::MinLength(least) | Rule::MinCount(least) => format!("len(value) >= {least}"),
        Rule::MaxLength(most) | Rule::MaxCount(most) => format!("len(value) <= {most}"),
        Rule::StartsWith(start) => format!("value.startswith({})", quoted(start)),
        Rule::EndsWith(end) => format!("value.endswith({})", quoted(end)),
        Rule::Matches(pattern) => format!("re.search({}, value, re.ASCII) is not None", written(pattern)),
        Rule::Lacks(pattern) => format!("re.search({}, value, re.ASCII) is None", written(pattern)),
        Rule::Unique => "_all_differ(value)".to_owned(),
    }
}

/// Returns a pattern as a literal. Python keeps the patterns that were used last compiled.
fn written(pattern: &dialect::Pattern) -> String {
    quoted(&pattern.written_out(PatternSyntax::Python))
}

/// The helpers by name; each uses only those before it.
pub(super) const HELPERS: &[(&str, &str)] = &[
    (
        "_Struct",
        "class _Struct(BaseModel):\n    model_config = ConfigDict(extra=\"forbid\", protected_namespaces=())\n",
    ),
    ("_unchecked", "_unchecked = GetPydanticSchema(lambda _, handler: handler(Any))\n"),
    (
        "_rule",
        "\
def _rule(holds: Callable[[Any], bool], demand: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError(f\"expected {demand}\")
        return value

    return check
",
    ),
    (
        "_present",
        "\
def _present(value: Any) -> Any:
    if value is None:
        raise ValueError(\"expected a value, or none at all\")
    return value
",
    ),
    (
        "_one_of",
        "\
def _one_of(*literals: Any) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        for literal in literals:
            if isinstance(value, bool) == isinstance(literal, bool) and value == literal:
                return literal
        raise ValueError(f\"expected one of {literals}\")

    return check
",
    ),
    (
        "_is_integer",
        "\
def _is_integer(value: Any) -> bool:
    return bool((isinstance(value, int) or value.is_integer()) and abs(value) < 2**53)
",
    ),
    (
        "_integer",
        "\
def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_integer(value):
        raise ValueError(\"expected a whole number\")
    return int(value)
",
    ),
    (
        "_is_multiple",
        "\
def _is_multiple(value: float, step: float) -> bool:
    return step != 0 and (Fraction(str(value)) / Fraction(str(step))).denominator == 1
",
    ),
    (
        "_canonical",
        "\
def _canonical(value: Any) -> str:
    if isinstance(value, BaseModel):
        value = value.model_dump(mode=\"json\", by_alias=True, exclude_unset=True)
    if isinstance(value, list):
        return \"[\" + \",\".join(map(_canonical, value)) + \"]\"
    if isinstance(value, dict):
        return \"{\" + \",\".join(sorted(json.dumps(key) + \":\" + _canonical(it) for key, it in value.items())) + \"}\"
    return json.dumps(int(value) if isinstance(value, float) and value.is_integer() else value)
",
    ),
    (
        "_all_differ",
        "\
def _all_differ(items: list[Any]) -> bool:
    return len({_canonical(item) for item in items}) == len(items)
",
    ),
    (
        "_find",
        "\
def _find(params: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = params
    for name in path:
        if isinstance(value, BaseModel):
            value = value.model_dump(mode=\"json\", by_alias=True, exclude_unset=True)
        if name == \"length\" and isinstance(value, (str, list)):
            value = len(value)
        else:
            value = value.get(name) if isinstance(value, Mapping) else None
    return value.model_dump(mode=\"json\", by_alias=True) if isinstance(value, BaseModel) else value
",
    ),
    (
        "_fill",
        "\
def _fill(value: Any, spelled: str) -> str:
    if value is None:
        return \"${\" + spelled + \"}\"
    return str(value.value if isinstance(value, Enum) else value) if isinstance(value, str) else json.dumps(value, default=str)
",
    ),
    (
        "_time",
        "\
def _time(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) else None
",
    ),
    (
        "_computed",
        "\
def _computed(of: Callable[[Any, Any], Any], left: Any, right: Any) -> float | None:
    if not all(isinstance(it, (int, float)) and not isinstance(it, bool) for it in (left, right)):
        return None
    try:
        result = float(of(left, right))
    except (ArithmeticError, ValueError):
        return None
    if not math.isfinite(result):
        return None
    return int(result) if result.is_integer() else result
",
    ),
];
