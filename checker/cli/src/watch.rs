//! Ends the process where nothing listens to Ctrl-C or the clock: while a model is read, and in commands that only print.
//!
//! Front ends know neither, and need not: nothing of what they do is on disk, so that the process may be left at any moment. Such
//! a stage says what it is ([`Watch::stage`]), and a thread ends the process where the stage outlives an interruption, or its
//! deadline, by a moment in which work that does listen can end by itself, with more to say. While no stage is open nobody is
//! ended: engines listen, and what they decide is written.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::exit_code::ExitCode;

/// Time that work in a stage has to end by itself when it is interrupted, and after its deadline.
const MOMENT: Duration = Duration::from_millis(500);
const LATE: Duration = Duration::from_millis(250);

/// What is going on, for the thread that watches.
#[derive(Debug)]
pub(crate) struct Watch {
    state: Mutex<State>,
    changed: Condvar,
    start: Instant,
}

/// Times are since the start of the watch.
#[derive(Clone, Copy, Default, Debug)]
struct State {
    stage: Option<Stage>,
    interrupted: Option<Duration>,
}

/// Work that may be left at any moment.
#[derive(Clone, Copy, Debug)]
struct Stage {
    what: &'static str,
    deadline: Option<Duration>,
}

/// Why a process is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why {
    Interrupted,
    Late,
}

impl State {
    /// When the process is to be ended if nothing changes, and why.
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

/// A stage is open as long as this lives.
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
    /// Opens a stage that must be over in `remaining`, if that is said. A stage inside another one takes its place for a while, but
    /// not with more time.
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

    /// Work that must not be left, since it cleans up behind itself, and listens.
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

    /// Somebody wants to stop.
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
                    // The lock is kept, so that the stage cannot end, and what follows it not begin.
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
    // Not through the session's stream, which whoever is late may hold.
    let _ = writeln!(std::io::stderr(), "error: {text}");
    std::process::exit(i32::from(code.status()));
}

/// The message of work that was interrupted.
#[must_use]
pub(crate) fn interrupted(what: &str) -> String {
    format!("interrupted while {what}")
}

/// The message of work that took too long.
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
