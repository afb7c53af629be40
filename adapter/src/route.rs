//! Who answers an operation: a pure choice.

use ide_protocol::{Operation, Support};

/// Where a request for an operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// To the editor, which has it.
    PassThrough,
    /// To the language servers.
    Fallback,
    /// Nowhere: only an editor knows that, and this one does not say.
    Absent,
}

/// The route of one operation, by what the editor has.
pub(crate) fn route(editor: &Support, operation: Operation) -> Route {
    match operation {
        // Only who gives an edit can make it.
        _ if operation.is_about_changes() && !editor.has(Operation::Apply) => Route::Fallback,
        _ if editor.has(operation) => Route::PassThrough,
        Operation::Selection => Route::Absent,
        _ => Route::Fallback,
    }
}

/// What is answered downstream, by the editor or here.
pub(crate) fn offered(editor: &Support) -> Support {
    Operation::ALL.into_iter().filter(|it| route(editor, *it) != Route::Absent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_goes_its_own_way() {
        let mut editor: Support = [Operation::Definitions, Operation::Lines].into_iter().collect();
        let routes = |editor: &Support| {
            use Operation::{Definitions, Implementations, Lines, Selection};
            [Definitions, Implementations, Lines, Selection].map(|it| route(editor, it))
        };
        use Route::{Absent, Fallback, PassThrough};
        assert_eq!(routes(&editor), [PassThrough, Fallback, PassThrough, Absent]);
        editor.remove(Operation::Lines);
        assert_eq!(routes(&editor), [PassThrough, Fallback, Fallback, Absent]);
        assert!(Operation::ALL.iter().all(|it| route(&Support::full(), *it) == PassThrough));
        assert_eq!(routes(&Support::none()), [Fallback, Fallback, Fallback, Absent]);
    }

    #[test]
    fn who_gives_edits_makes_them() {
        let routes = |has: &[Operation]| {
            let editor: Support = has.iter().copied().collect();
            [Operation::Rename, Operation::Apply].map(|it| route(&editor, it))
        };
        use Operation::{Apply, Rename};
        use Route::{Fallback, PassThrough};
        assert_eq!(routes(&[Rename]), [Fallback, Fallback]);
        assert_eq!(routes(&[Apply]), [Fallback, PassThrough]);
        assert_eq!(routes(&[Rename, Apply]), [PassThrough, PassThrough]);
    }

    #[test]
    fn what_nobody_answers_is_not_offered() {
        assert_eq!(offered(&Support::full()), Support::full());
        let selection: Support = [Operation::Selection].into_iter().collect();
        assert_eq!(offered(&selection), Support::full());
        assert!(!offered(&Support::none()).has(Operation::Selection));
        assert!(offered(&Support::none()).has(Operation::Lines));
    }
}
