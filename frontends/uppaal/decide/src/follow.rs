//! Follows the behaviour seen of a system in the model.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_frontend::decision::{Conforms, Follower, Moments, Takes};
use hyperkill_timed::follow::{self, Patience};

/// A process that keeps to its good states, and beside it with all that its invariants allow.
///
/// Refinement is about the first one. What really runs is not kept to good states, and a system that is just the model must not fail.
pub(crate) struct Following {
    kept: follow::Follower,
    free: follow::Follower,
    rules: Rules,
}

impl Following {
    /// Returns a follower with `parts` parts per unit of time.
    ///
    /// # Errors
    /// If constants are too large.
    pub(crate) fn new(
        automaton: &Automaton,
        rules: Rules,
        parts: i64,
    ) -> Result<Following, String> {
        let budget = Budget::unlimited();
        let side = |is_pruned| {
            let follower = follow::Follower::new(automaton, (rules, is_pruned), parts, &budget);
            let follower = follower.ok().flatten();
            follower.ok_or_else(|| "its constants are too large to be followed".to_owned())
        };
        Ok(Following {
            kept: side(rules.is_pruned)?,
            free: side(false)?,
            rules,
        })
    }

    fn conforms(&self) -> Conforms {
        match (self.kept.is_possible(), self.free.is_possible()) {
            (true, _) => Conforms::Yes,
            (false, true) => Conforms::Lost,
            (false, false) => Conforms::No,
        }
    }
}

fn moments(at: Moments) -> follow::Moments {
    follow::Moments {
        from: at.from,
        to: at.to,
    }
}

impl Follower for Following {
    fn restart(&mut self, latest: i64) {
        self.kept.restart(latest);
        self.free.restart(latest);
    }

    fn waits(&mut self, until: i64) -> Conforms {
        self.kept.waits(until);
        self.free.waits(until);
        self.conforms()
    }

    fn outputs(&mut self, output: &str, at: Moments) -> Conforms {
        self.kept.outputs(output, moments(at));
        self.free.outputs(output, moments(at));
        self.conforms()
    }

    fn asked(&self, input: &str, at: Moments) -> Takes {
        if self.rules.compares_alphabets && !self.kept.knows(input) {
            return Takes::Unknown;
        }
        match self.kept.asked(input, moments(at)) {
            follow::Takes::Always => Takes::Always,
            follow::Takes::Sometimes => Takes::Sometimes,
            follow::Takes::Never => Takes::Never,
            follow::Takes::TooLate => Takes::TooLate,
        }
    }

    fn takes(&mut self, input: &str, at: Moments) {
        self.kept.takes(input, moments(at));
        self.free.takes(input, moments(at));
    }

    fn patience(&self) -> Option<i64> {
        match self.kept.patience() {
            Patience::Endless => None,
            Patience::Until(last) => Some(last),
        }
    }

    fn possible(&self, at: Moments) -> Vec<String> {
        self.kept.possible(moments(at))
    }
}
