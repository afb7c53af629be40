//! Who answers an operation: a pure choice.

use ide_protocol::{Operation, Support};

/// Where a request for an operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// To the editor, which has it.
    PassThrough,
    /// To the language servers.
    Fallback,
}

/// The route of one operation, by what the editor has.
pub(crate) fn route(editor: &Support, operation: Operation) -> Route {
    if editor.has(operation) { Route::PassThrough } else { Route::Fallback }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_goes_its_own_way() {
        let mut editor: Support = [Operation::Definitions, Operation::Lines].into_iter().collect();
        let routes = |editor: &Support| Operation::ALL.map(|it| route(editor, it));
        use Route::{Fallback, PassThrough};
        assert_eq!(routes(&editor), [PassThrough, Fallback, Fallback, PassThrough]);
        editor.remove(Operation::Lines);
        assert_eq!(routes(&editor), [PassThrough, Fallback, Fallback, Fallback]);
        assert_eq!(routes(&Support::full()), [PassThrough; 4]);
        assert_eq!(routes(&Support::none()), [Fallback; 4]);
    }
}
