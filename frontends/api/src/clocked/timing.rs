//! The inferred clocks and resets.

use crate::diagnostic::Diagnostic;
use crate::hardware::{Clock, Reset, Ticks};
use crate::source::Span;

use super::facts::Facts;

/// The times at which registers change, and the resets before the first step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timing<Id> {
    /// The edges at which registers change, in the order of the inputs; empty if there are no registers.
    pub clocks: Vec<ClockEdge<Id>>,
    /// The schedule of each clock, in the order of the inputs; empty if all edges of `clocks` are one step.
    pub ticking: Vec<Ticking<Id>>,
    /// The place of a register whose clock no bench can drive, since it is no input or is read as a value. Only if several clocks are taken
    /// for one.
    pub made: Option<Span>,
    /// Inputs that are active before the first step, in the order of the inputs.
    pub resets: Vec<ResetInput<Id>>,
    /// Remarks on the decisions, for users.
    pub notes: Vec<String>,
}

/// An edge of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockEdge<Id> {
    /// The id of the input.
    pub input: Id,
    /// Whether registers change when it rises.
    pub rising: bool,
}

/// The schedule of a clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ticking<Id> {
    /// The id of the clock's input.
    pub input: Id,
    /// Whether registers change at both edges. Then a tick is one edge, alternately rising and falling.
    pub both_edges: bool,
    /// The steps in which the clock ticks.
    pub ticks: Ticks,
}

/// An input that is active before the first step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResetInput<Id> {
    /// The id of the input.
    pub input: Id,
    /// The level at which the input is active.
    pub active: bool,
    /// The number of clock steps right before the first step; at least one.
    pub steps: usize,
}

impl<Id: Copy + PartialEq> Timing<Id> {
    /// Whether an input is a clock, and therefore no input of the model.
    #[must_use]
    pub fn is_clock(&self, input: Id) -> bool {
        self.clocks.iter().any(|clock| clock.input == input)
    }

    /// Returns the schedule of a clock, unless every edge is one step.
    #[must_use]
    pub fn ticking(&self, input: Id) -> Option<&Ticking<Id>> {
        self.ticking.iter().find(|clock| clock.input == input)
    }

    /// Whether a test input with its name determines the steps of this clock.
    #[must_use]
    pub fn is_chosen(&self, input: Id) -> bool {
        let ticking = self.ticking(input);
        ticking.is_some_and(|clock| clock.ticks == Ticks::Chosen)
    }

    /// Returns the number of ticks of all active clocks in each clock step before the first step. It is two if one of them has both edges,
    /// so that this clock is 0 in the first step.
    #[must_use]
    pub fn ticks_of_a_reset(&self) -> usize {
        let both = |clock: &Ticking<Id>| clock.both_edges && clock.ticks != Ticks::Never;
        1 + usize::from(self.ticking.iter().any(both))
    }

    /// Returns the number of clock steps before the first step.
    #[must_use]
    pub fn reset_steps(&self) -> usize {
        let steps = self.resets.iter().map(|reset| reset.steps);
        steps.max().unwrap_or(0)
    }

    /// Returns the value of an input in one of the clock steps before the first step, counted from 0. All resets end together, and other
    /// inputs are 0.
    #[must_use]
    pub fn level(&self, input: Id, step: usize) -> bool {
        let reset = self.resets.iter().find(|reset| reset.input == input);
        reset.is_some_and(|reset| {
            let begun = step + reset.steps >= self.reset_steps();
            reset.active == begun
        })
    }

    /// Returns the clocks as a bench drives them.
    ///
    /// # Errors
    /// If a bench cannot drive them.
    pub fn bench_clocks(&self, facts: &Facts<Id>) -> Result<Vec<Clock>, Diagnostic> {
        if let Some(place) = self.made {
            let message = "a bench cannot tick the clock of this register, which is no input or is read as a value";
            return Err(Diagnostic::error(place, message));
        }
        let mut clocks: Vec<Clock> = Vec::new();
        for clock in &self.clocks {
            let port = facts.name(clock.input).to_owned();
            if let Some(ticking) = self.ticking(clock.input) {
                if clocks.iter().all(|other| other.port != port) {
                    clocks.push(Clock {
                        port,
                        rising: clock.rising || ticking.both_edges,
                        both_edges: ticking.both_edges,
                        ticks: ticking.ticks.clone(),
                    });
                }
                continue;
            }
            if clocks.iter().any(|other| other.port == port) {
                let message =
                    format!("a bench cannot make both edges of the clock `{port}` one step");
                return Err(Diagnostic::unlocated(message));
            }
            clocks.push(Clock::of_every_step(port, clock.rising));
        }
        Ok(clocks)
    }

    /// Returns the resets as a bench drives them.
    #[must_use]
    pub fn bench_resets(&self, facts: &Facts<Id>) -> Vec<Reset> {
        let resets = self.resets.iter().map(|reset| Reset {
            port: facts.name(reset.input).to_owned(),
            active: reset.active,
            steps: reset.steps,
        });
        resets.collect()
    }
}

impl<Id: Copy + PartialEq> Facts<Id> {
    /// Returns the name of the input with this id.
    pub(super) fn name(&self, id: Id) -> &str {
        let found = self.inputs.iter().find(|input| input.id == id);
        found.map_or("", |input| &input.name)
    }
}
