//! Blocking work on threads of its own, awaited from async code.

use std::future::{Future, pending};
use std::panic::resume_unwind;

use tokio::runtime::{Handle, RuntimeFlavor};

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

/// Runs blocking work that mostly takes microseconds, such as reading the stamps of files. On a runtime with several threads
/// it runs in place, which saves two switches to another thread, while another thread takes over the tasks of this one.
///
/// # Panics
/// As for [`spawn`].
pub(crate) async fn in_place<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        _ => spawn(work).await,
    }
}

/// The number of files whose stamps are read in less time than [`in_place`] takes to hand over the tasks of a thread.
pub(crate) const FEW: usize = 32;

/// Runs blocking work that reads the stamps of so many files. For a few, nothing is handed over, as where a path is resolved.
///
/// # Panics
/// As for [`spawn`].
pub(crate) async fn in_place_for<T: Send + 'static>(
    files: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if files <= FEW { work() } else { in_place(work).await }
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

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn what_runs_in_place_lets_other_tasks_run() {
        let (tell, told) = std::sync::mpsc::channel();
        let waiting = tokio::spawn(in_place(move || told.recv()));
        let telling = tokio::spawn(async move { tell.send(7) });
        assert_eq!(waiting.await.expect("it has not panicked"), Ok(7));
        telling.await.expect("it has not panicked").expect("it is waited for");
    }

    #[tokio::test]
    async fn on_one_thread_there_is_another_for_it() {
        assert_eq!(in_place(|| 7).await, 7);
    }
}
