//! Signatures with type variables, by which the types of results are inferred before a program runs.

use dialect::Function;

/// A signature for each function whose result has the types of its arguments. The parameters are those of the
/// interface document.
const SIGNATURES: &[&str] = &[
    "map(list: List<T>, f: (item: T) -> U) -> List<U>",
    "filter(list: List<T>, f: (item: T) -> boolean) -> List<T>",
    "find(list: List<T>, f: (item: T) -> boolean) -> T?",
    "any(list: List<T>, f?: (item: T) -> boolean) -> boolean",
    "all(list: List<T>, f?: (item: T) -> boolean) -> boolean",
    "reduce(list: List<T>, f: (sofar: any, item: T) -> any, start?: any) -> any",
    "count(list: List<T>, f?: (item: T) -> boolean) -> int.min(0)",
    "take(list: T, count: int) -> T",
    "drop(list: T, count: int) -> T",
    "first(list: List<T>) -> T",
    "last(list: List<T>) -> T",
    "reverse(list: List<T>) -> List<T>",
    "flatten(list: List<List<T>>) -> List<T>",
    "sort(list: List<T>, descending: boolean = false) -> List<T>",
    "sortBy(list: List<T>, f: (item: T) -> any, descending: boolean = false) -> List<T>",
    "min(list: List<T>, f?: (item: T) -> any) -> T",
    "max(list: List<T>, f?: (item: T) -> any) -> T",
    "groupBy(list: List<T>, f: (item: T) -> any) -> Map<string, List<T>>",
    "unique(list: List<T>, f?: (item: T) -> any) -> List<T>",
    "values(object: Map<string, T>) -> List<T>",
];

/// Adds the signature with type variables to a row.
pub(crate) fn with_generic(row: Function) -> Function {
    let name = |signature: &str| signature.split('(').next().map(str::to_owned);
    match SIGNATURES.iter().find(|it| name(it) == name(&row.signature)) {
        Some(generic) => row.generic(*generic),
        None => row,
    }
}

#[cfg(test)]
mod tests {
    use dialect::Signature;

    use super::*;

    /// Checks that each has a function, with the same parameters.
    #[test]
    fn each_is_a_function_of_the_interface() {
        for generic in SIGNATURES {
            let generic = Signature::parse(generic).expect("it is a signature");
            let rows = crate::library().functions;
            let mut rows = rows.iter().map(|it| Signature::parse(&it.signature).expect("it is a signature"));
            let declared = rows.find(|it| it.name == generic.name).expect("there is that function");
            let parameters = |signature: &Signature| -> Vec<_> {
                signature.parameters.iter().map(|it| (it.name.clone(), it.optional)).collect()
            };
            assert_eq!(parameters(&generic), parameters(&declared), "{generic}");
        }
    }
}
