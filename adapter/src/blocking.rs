//! Blocking work on threads of its own, awaited from async code.

use std::future::{Future, pending};
use std::panic::resume_unwind;

/// Starts blocking work at once and returns a future of its result. The work runs to its end even if the
/// future is dropped.
///
/// # Panics
/// The future panics when the work does, so that a bug fails its request instead of returning nothing.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = T> + Send {
    let running = tokio::task::spawn_blocking(work);
    async move {
        match running.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(result) => result,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime shuts down, and drops this future too.
            Err(Err(_cancelled)) => pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_of_the_work_reaches_who_awaits_it() {
        assert_eq!(spawn(|| 7).await, 7);
        let awaiting = tokio::spawn(spawn(|| -> u8 { panic!("a bug") }));
        let error = awaiting.await.expect_err("the work panicked");
        let panic = error.into_panic();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a bug"));
    }
}
