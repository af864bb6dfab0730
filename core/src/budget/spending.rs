//! Pieces of work, which are charged in the ledger of a budget.

use std::marker::PhantomData;
use std::sync::Arc;

use super::Budget;
use super::ledger::{Heading, Ledger, Phase};
use crate::SelectorId;

/// A piece of work that is charged as long as this value lives and no other span is opened on the same thread.
#[must_use]
#[derive(Debug)]
pub struct Span {
    ledger: Option<Arc<Ledger>>,
    /// It ends on the thread that it began on.
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
    /// The same, with what is spent written into this ledger.
    #[must_use]
    pub fn with_ledger(&self, ledger: Arc<Ledger>) -> Budget {
        Budget {
            ledger: Some(ledger),
            ..self.clone()
        }
    }

    /// The ledger, if one is kept.
    #[must_use]
    pub fn ledger(&self) -> Option<&Ledger> {
        self.ledger.as_deref()
    }

    /// An engine looks for something about these mutants.
    pub fn finds(&self, engine: &'static str, mutants: &[SelectorId]) -> Span {
        self.open(|_| Heading {
            engine,
            phase: Phase::Find,
            mutants: mutants.into(),
        })
    }

    /// An engine looks for something about the mutants of the work around.
    pub fn finds_by(&self, engine: &'static str) -> Span {
        self.open(|around| Heading {
            engine,
            phase: Phase::Find,
            mutants: around.map_or_else(|| Arc::from([]), |around| Arc::clone(&around.mutants)),
        })
    }

    /// What the engine around has found is checked.
    pub fn certifies(&self) -> Span {
        self.inside(Phase::Certify)
    }

    /// The thread waits for what it has given to others.
    pub fn waits(&self) -> Span {
        self.open(|around| Heading {
            mutants: Arc::from([]),
            ..of(around, Phase::Wait)
        })
    }

    /// Results on these mutants are written.
    pub fn writes(&self, mutants: &[SelectorId]) -> Span {
        self.open(|_| Heading {
            mutants: mutants.into(),
            ..Heading::of_nobody(Phase::Write)
        })
    }

    /// What this thread does, for threads that it gives parts of that to; `None` if no ledger is kept.
    #[must_use]
    pub fn heading(&self) -> Option<Heading> {
        self.ledger.as_ref()?.heading()
    }

    /// A part of what another thread does.
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
