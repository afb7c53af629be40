//! Decides who answers an operation: a pure function.

use ide_protocol::{Operation, Support};

/// The destination of a request for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The editor, which has the operation.
    PassThrough,
    /// The language servers.
    Fallback,
    /// Nobody: only an editor could answer, and this one cannot.
    Absent,
}

/// Returns the route of one operation for an editor's capabilities.
pub(crate) fn route(editor: &Support, operation: Operation) -> Route {
    match operation {
        // Only the side that created an edit can apply it.
        _ if operation.is_about_changes() && !editor.has(Operation::Apply) => Route::Fallback,
        // Only the side that offered an action can execute it.
        Operation::CodeActions if !editor.has(Operation::TakeAction) => Route::Fallback,
        Operation::TakeAction if !editor.has(Operation::CodeActions) => Route::Fallback,
        // Who is asked about those texts afterwards knows them.
        Operation::RecentChanges if !editor.takes_unsaved_texts() => Route::Fallback,
        _ if editor.has(operation) => Route::PassThrough,
        Operation::Selection => Route::Absent,
        _ => Route::Fallback,
    }
}

/// Returns the operations that are advertised toward the agent. Where an editor answers, it decides on short paths.
pub(crate) fn offered(editor: &Support) -> Support {
    let all: Support = Operation::ALL.into_iter().filter(|it| route(editor, *it) != Route::Absent).collect();
    let is_ours = editor.is_empty() || editor.takes_short_paths();
    // Questions about texts that an editor does not take are answered here.
    let all = all.with_unsaved_texts();
    if is_ours { all.with_short_paths() } else { all }
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
        let full = Support::full().with_unsaved_texts();
        assert!(Operation::ALL.iter().all(|it| route(&full, *it) == PassThrough));
        assert_eq!(route(&Support::full(), Operation::RecentChanges), Fallback);
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
    fn who_offers_an_action_takes_it() {
        use Operation::{Apply, CodeActions, TakeAction};
        let routes = |has: &[Operation]| {
            let editor: Support = has.iter().copied().collect();
            [CodeActions, TakeAction].map(|it| route(&editor, it))
        };
        assert_eq!(routes(&[CodeActions, Apply]), [Route::Fallback; 2]);
        assert_eq!(routes(&[TakeAction, Apply]), [Route::Fallback; 2]);
        assert_eq!(routes(&[CodeActions, TakeAction]), [Route::Fallback; 2]);
        assert_eq!(routes(&[CodeActions, TakeAction, Apply]), [Route::PassThrough; 2]);
    }

    #[test]
    fn what_nobody_answers_is_not_offered() {
        assert_eq!(offered(&Support::full()), Support::full().with_unsaved_texts());
        let selection: Support = [Operation::Selection].into_iter().collect();
        assert_eq!(offered(&selection), Support::full().with_unsaved_texts());
        assert!(!offered(&Support::none()).has(Operation::Selection));
        assert!(offered(&Support::none()).has(Operation::Lines));
        assert!(offered(&Support::none()).takes_short_paths() && !offered(&selection).takes_short_paths());
        assert!(offered(&selection.with_short_paths()).takes_short_paths());
    }
}
