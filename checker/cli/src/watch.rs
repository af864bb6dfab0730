//! Ends the process while work ignores Ctrl-C and the deadline: while a model is read, and in commands that only print.
//!
//! Front ends check neither. They write no files, so the process may end at any moment. Such work opens a stage ([`Watch::stage`]). A
//! thread ends the process if a stage outlives an interrupt or its deadline by a short time. In that time, work that checks its budget ends
//! by itself with a better message. Without an open stage the thread ends nothing: engines check their budget, and their decisions must be
//! written.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::exit_code::ExitCode;

/// The time for work in a stage to end by itself after an interrupt.
const MOMENT: Duration = Duration::from_millis(500);
/// The time for work in a stage to end by itself after a deadline.
const LATE: Duration = Duration::from_millis(250);

/// The current stage of the process, for the thread that ends the process ([`Watch::keep`]).
#[derive(Debug)]
pub(crate) struct Watch {
    state: Mutex<State>,
    changed: Condvar,
    start: Instant,
}

/// The state. Times are relative to the start of the watch.
#[derive(Clone, Copy, Default, Debug)]
struct State {
    stage: Option<Stage>,
    interrupted: Option<Duration>,
}

/// Work that may be ended at any moment. `what` is for the message.
#[derive(Clone, Copy, Debug)]
struct Stage {
    what: &'static str,
    deadline: Option<Duration>,
}

/// The reason why the process is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    Interrupted,
    Late,
}

impl State {
    /// Returns the time at which the process is ended unless the stage changes, and the reason; `None` if it may go on.
    fn due(&self) -> Option<(Duration, Why)> {
        let stage = self.stage?;
        let interrupted = self.interrupted.map(|at| (at + MOMENT, Why::Interrupted));
        let late = stage.deadline.map(|at| (at + LATE, Why::Late));
        interrupted
            .into_iter()
            .chain(late)
            .min_by_key(|(at, _)| *at)
    }
}

/// An open stage, closed when this value is dropped.
#[derive(Debug)]
pub(crate) struct Open {
    watch: Arc<Watch>,
    before: Option<Stage>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.watch.lock().stage = self.before;
        self.watch.changed.notify_all();
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch {
            state: Mutex::default(),
            changed: Condvar::new(),
            start: Instant::now(),
        }
    }
}

impl Watch {
    /// Opens a stage with a deadline after `remaining`, if given. It replaces an outer stage until it is closed. Its deadline is never
    /// later than the outer one.
    #[must_use]
    pub(crate) fn stage(
        self: &Arc<Watch>,
        what: &'static str,
        remaining: Option<Duration>,
    ) -> Open {
        let deadline = remaining.map(|left| self.start.elapsed().saturating_add(left));
        self.change(|before| {
            let outer = before.and_then(|stage| stage.deadline);
            let deadlines = deadline.into_iter().chain(outer);
            Some(Stage {
                what,
                deadline: deadlines.min(),
            })
        })
    }

    /// Suspends the current stage until the value is dropped, for work that deletes its own files and checks its budget.
    #[must_use]
    pub(crate) fn no_stage(self: &Arc<Watch>) -> Open {
        self.change(|_| None)
    }

    fn change(self: &Arc<Watch>, change: impl FnOnce(Option<Stage>) -> Option<Stage>) -> Open {
        let mut state = self.lock();
        let before = state.stage;
        state.stage = change(before);
        self.changed.notify_all();
        Open {
            watch: Arc::clone(self),
            before,
        }
    }

    /// Records an interrupt by the user.
    pub(crate) fn interrupt(&self) {
        let now = self.start.elapsed();
        self.lock().interrupted.get_or_insert(now);
        self.changed.notify_all();
    }

    /// Watches until the process ends.
    pub(crate) fn keep(&self) {
        let mut state = self.lock();
        loop {
            let now = self.start.elapsed();
            state = match state.due() {
                None => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some((at, why)) if at <= now => {
                    let what = state.stage.map_or("", |stage| stage.what);
                    // The lock is held, so that the stage cannot close and later work cannot begin.
                    end(why, what);
                }
                Some((at, _)) => {
                    let waited = self.changed.wait_timeout(state, at - now);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn end(why: Why, what: &str) -> ! {
    crate::children::end_all();
    let (text, code) = match why {
        Why::Interrupted => (interrupted(what), ExitCode::Interrupted),
        Why::Late => (late(what), ExitCode::Undecided),
    };
    // Written directly, since the blocked work may hold the session's stream.
    let _ = writeln!(std::io::stderr(), "error: {text}");
    std::process::exit(i32::from(code.status()));
}

/// Returns the message for interrupted work.
#[must_use]
pub(crate) fn interrupted(what: &str) -> String {
    format!("interrupted while {what}")
}

/// Returns the message for a passed deadline.
#[must_use]
pub(crate) fn late(what: &str) -> String {
    format!("the time of --total-timeout is over while {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn open(deadline: Option<Duration>) -> State {
        State {
            stage: Some(Stage {
                what: "testing",
                deadline,
            }),
            interrupted: None,
        }
    }

    #[test]
    fn only_a_stage_is_ended_and_only_a_moment_after_its_time() {
        assert_eq!(open(None).due(), None);
        let late = (SECOND + LATE, Why::Late);
        assert_eq!(open(Some(SECOND)).due(), Some(late));
        let interrupted = State {
            interrupted: Some(SECOND / 2),
            ..open(Some(SECOND))
        };
        let at_once = (SECOND / 2 + MOMENT, Why::Interrupted);
        assert_eq!(interrupted.due(), Some(at_once));
        let elsewhere = State {
            stage: None,
            ..interrupted
        };
        assert_eq!(elsewhere.due(), None);
    }

    #[test]
    fn a_stage_inside_another_gives_way_to_it_and_has_no_more_time() {
        let watch = Arc::new(Watch::default());
        let outer = watch.stage("outside", Some(SECOND));
        let limit = watch.lock().stage.and_then(|stage| stage.deadline);
        let inner = watch.stage("inside", Some(1000 * SECOND));
        let stage = watch.lock().stage.unwrap();
        assert_eq!((stage.what, stage.deadline), ("inside", limit));
        let aside = watch.no_stage();
        assert!(watch.lock().stage.is_none());
        drop(aside);
        drop(inner);
        assert_eq!(watch.lock().stage.unwrap().what, "outside");
        drop(outer);
        assert!(watch.lock().stage.is_none());
    }
}
