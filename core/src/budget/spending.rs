//! Spans: pieces of work that are charged in the ledger of a budget.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Budget;
use super::ledger::{Heading, Ledger, Phase};
use crate::SelectorId;

/// A piece of work that is charged while this value lives and no other span is open on the same thread.
#[must_use]
#[derive(Debug)]
pub struct Span {
    ledger: Option<Arc<Ledger>>,
    /// Ensures that the span ends on the thread on which it began.
    of_thread: PhantomData<*const ()>,
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(ledger) = &self.ledger {
            ledger.close();
        }
    }
}

impl Budget {
    /// Returns the budget with this ledger.
    #[must_use]
    pub fn with_ledger(&self, ledger: Arc<Ledger>) -> Budget {
        Budget {
            ledger: Some(ledger),
            ..self.clone()
        }
    }

    /// Returns the ledger, if one is kept.
    #[must_use]
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_deref()
    }

    /// Opens a span: an engine searches for results on these mutants.
    pub fn finds(&self, engine: &'static str, mutants: &[SelectorId]) -> Span {
        self.open(|_| Heading {
            engine,
            phase: Phase::Find,
            mutants: mutants.into(),
        })
    }

    /// Opens a span: an engine searches for results on the mutants of the enclosing span.
    pub fn finds_by(&self, engine: &'static str) -> Span {
        self.open(|around| Heading {
            engine,
            phase: Phase::Find,
            mutants: around.map_or_else(|| Arc::from([]), |around| Arc::clone(&around.mutants)),
        })
    }

    /// Opens a span: results of the enclosing span's engine are checked.
    pub fn certifies(&self) -> Span {
        self.inside(Phase::Certify)
    }

    /// Opens a span: the thread waits for work given to other threads.
    pub fn waits(&self) -> Span {
        self.open(|around| Heading {
            mutants: Arc::from([]),
            ..of(around, Phase::Wait)
        })
    }

    /// Opens a span: results on these mutants are written.
    pub fn writes(&self, mutants: &[SelectorId]) -> Span {
        self.open(|_| Heading {
            mutants: mutants.into(),
            ..Heading::of_nobody(Phase::Write)
        })
    }

    /// Returns the heading of the thread's open span, for threads that help it; `None` if no ledger is kept or no span is open.
    #[must_use]
    pub fn heading(&self) -> Option<Heading> {
        self.ledger.as_ref()?.heading()
    }

    /// Opens a span: this thread does a part of another thread's work.
    pub fn helps(&self, heading: Option<&Heading>) -> Span {
        match heading {
            Some(heading) => self.open(|_| heading.clone()),
            None => Span {
                ledger: None,
                of_thread: PhantomData,
            },
        }
    }

    fn inside(&self, phase: Phase) -> Span {
        self.open(|around| of(around, phase))
    }

    fn open(&self, heading: impl FnOnce(Option<&Heading>) -> Heading) -> Span {
        if let Some(ledger) = &self.ledger {
            ledger.open(heading);
        }
        Span {
            ledger: self.ledger.clone(),
            of_thread: PhantomData,
        }
    }
}

fn of(around: Option<&Heading>, phase: Phase) -> Heading {
    match around {
        Some(around) => Heading {
            phase,
            ..around.clone()
        },
        None => Heading::of_nobody(phase),
    }
}
