//! The schedule of a user's ∃\*∀\* formula.
//!
//! A body of the killing shape is first tried by expansion, and by universal traces that copy existential ones. Without alternation, a
//! search for an infinite run of the traces with a monitor is complete. With alternation, existential traces are steered against responses
//! of universal ones. Small systems are listed, which is complete for them. All methods continue in turns of growing effort.

use hyperkill_formulas::Traces;

use super::efforts::{self, Effort};
use super::formula_efforts::{self, Game, Listing, TURNS_OF_KILLING_SHAPE};
use super::reachability::Options as Reachability;
use super::{Engines, fairness};

/// The parameters of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bound, turns and engines of the reachability questions.
    pub reachability: Reachability,
}

/// The properties of a formula on which its schedule depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Whether traces are finite or infinite.
    pub traces: Traces,
    /// Whether some traces are universal.
    pub alternates: bool,
    /// Whether the body has the shape □A ∧ (□B → ◇C).
    pub has_killing_shape: bool,
}

/// A step of the schedule of a user's formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuestionStep {
    /// A first short search for existential traces that no universal traces refute.
    Look(Effort),
    /// Asks for each way to copy existential traces whether universal traces that copy in this way refute the formula.
    Copy(Reachability),
    /// Searches existential traces that no universal traces refute, by expansion.
    Expand(Effort),
    /// Searches all existential traces up to the bound, without a monitor. The formula has no universal traces.
    Bounded(Effort),
    /// Searches an infinite run of the existential traces with a monitor.
    Monitor(fairness::FairnessStep),
    /// Searches existential traces against responses of universal ones: copies, a strategy that follows, and the traces found so far.
    Steer(Steering),
    /// Lists the states of existential traces beside the states of the automaton of their refutations.
    List(Listing),
    /// Decides whether that automaton accepts all listed existential traces. For a trace that it does not accept, asks whether any
    /// universal traces refute it.
    Include(Game, Reachability),
}

/// Limits of a search for existential traces that no collected response refutes. A response is a rule for the universal traces that refutes
/// some existential traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steering {
    /// Total number of responses that may be collected.
    pub responses: usize,
    /// Options of each question about infinite runs.
    pub reachability: Reachability,
}

impl Options {
    /// Returns the steps of a turn, counted from 0, for a formula of this kind.
    #[must_use]
    pub fn steps(&self, kind: Kind, turn: u32) -> Vec<QuestionStep> {
        let mut steps = Vec::new();
        self.bounded(kind, turn, &mut steps);
        if kind.has_killing_shape && turn == 0 {
            self.at_first(kind, &mut steps);
        }
        self.any_body(kind, turn, &mut steps);
        if kind.has_killing_shape && turn > 0 {
            let turn = turn + self.first_turns() - 1;
            self.copy(turn, &mut steps);
            self.expand(turn, &mut steps);
        }
        steps
    }

    /// Adds the search of all traces up to the bound, if there is one.
    fn bounded(&self, kind: Kind, turn: u32, steps: &mut Vec<QuestionStep>) {
        let Reachability { bound, engines, .. } = self.reachability;
        if let (Some(bound), true, false) = (bound, engines.bmc, kind.alternates) {
            steps.push(QuestionStep::Bounded(Effort {
                steps: bound,
                ..efforts::expansion_of_formula(turn)
            }));
        }
    }

    /// Adds the steps of a turn for formulas of arbitrary body.
    fn any_body(&self, kind: Kind, turn: u32, steps: &mut Vec<QuestionStep>) {
        let engines = self.reachability.engines;
        if kind.has_killing_shape && kind.traces == Traces::Finite && !engines.pdr {
            // Expansion finds all finite traces of this shape. Other methods could only prove that there are none.
            if kind.alternates {
                self.listed(turn, steps);
            }
        } else if kind.alternates {
            self.alternating(kind, turn, steps);
        } else {
            let options = fairness::Options {
                reachability: self.of_monitor(),
                has_conditions: true,
            };
            steps.extend(options.steps(turn).into_iter().map(QuestionStep::Monitor));
        }
    }

    /// Returns the options of the reachability questions that a question about infinite runs asks.
    #[must_use]
    pub fn of_runs(&self) -> Reachability {
        Reachability {
            bound: self.reachability.bound,
            turns: self.reachability.turns,
            engines: self.reachability.engines,
            merging: &[],
            ..Reachability::SAFETY
        }
    }

    /// Returns the options of the reachability questions of [`QuestionStep::Monitor`]. With a bound they only prove:
    /// [`QuestionStep::Bounded`] searches, since it counts the steps of traces alone.
    #[must_use]
    pub fn of_monitor(&self) -> Reachability {
        let runs = self.of_runs();
        match runs.bound {
            None => runs,
            Some(_) => Reachability {
                bound: None,
                engines: Engines {
                    bmc: false,
                    ..runs.engines
                },
                ..runs
            },
        }
    }

    /// Returns the number of turns of copying and expansion within the first turn.
    fn first_turns(&self) -> u32 {
        let most = self.reachability.turns.unwrap_or(u32::MAX);
        TURNS_OF_KILLING_SHAPE.min(most).max(1)
    }

    /// Adds the first steps for the killing shape, which decide most formulas of it.
    fn at_first(&self, kind: Kind, steps: &mut Vec<QuestionStep>) {
        self.copy(0, steps);
        if kind.traces == Traces::Infinite {
            if self.expands() {
                steps.push(QuestionStep::Look(self.within(efforts::FIRST_LOOK)));
            }
            if kind.alternates {
                // Listing the states of a small model may cost less than another turn.
                self.listed(0, steps);
            }
        }
        self.expand(0, steps);
        for turn in 1..self.first_turns() {
            self.copy(turn, steps);
            self.expand(turn, steps);
        }
    }

    fn copy(&self, turn: u32, steps: &mut Vec<QuestionStep>) {
        let engines = self.reachability.engines;
        if engines.induction || engines.pdr {
            // If a run ends a question, some existential trace is not refuted by the copies, within the bound or beyond.
            let copies = Engines {
                bmc: true,
                ..engines
            };
            steps.push(QuestionStep::Copy(Reachability {
                bound: None,
                turns: Some(turn + 1),
                others: false,
                ..self.reachability.with(copies)
            }));
        }
    }

    fn expands(&self) -> bool {
        self.reachability.engines.bmc || self.reachability.engines.exists_forall
    }

    fn expand(&self, turn: u32, steps: &mut Vec<QuestionStep>) {
        if self.expands() {
            let effort = efforts::expansion_of_formula(turn);
            steps.push(QuestionStep::Expand(self.within(effort)));
        }
    }

    /// Returns the effort, with the length of runs limited to the bound.
    fn within(&self, effort: Effort) -> Effort {
        let bound = self.reachability.bound.unwrap_or(usize::MAX);
        Effort {
            steps: effort.steps.min(bound),
            ..effort
        }
    }

    /// Adds the steps for alternating formulas. Few responses decide most formulas of any model; listing decides all formulas of small
    /// models.
    fn alternating(&self, kind: Kind, turn: u32, steps: &mut Vec<QuestionStep>) {
        let engines = self.reachability.engines;
        if engines.bmc || engines.pdr {
            steps.push(QuestionStep::Steer(Steering {
                responses: formula_efforts::responses(turn),
                reachability: self.of_responses(turn),
            }));
        }
        // For the killing shape, the first turn has already listed the states.
        if turn > 0 || !kind.has_killing_shape || kind.traces == Traces::Finite {
            self.listed(turn, steps);
        }
    }

    fn listed(&self, turn: u32, steps: &mut Vec<QuestionStep>) {
        if self.reachability.engines.explicit && turn < formula_efforts::LEVELS_OF_LISTING {
            steps.push(QuestionStep::List(formula_efforts::listing(turn)));
            steps.push(QuestionStep::Include(
                formula_efforts::game(turn),
                self.of_responses(turn),
            ));
        }
    }

    /// Returns the options of the reachability questions about infinite runs that [`QuestionStep::Steer`] and [`QuestionStep::Include`]
    /// ask. Their number of turns is limited by the turn of the schedule.
    fn of_responses(&self, turn: u32) -> Reachability {
        let most = self.reachability.turns.unwrap_or(u32::MAX);
        Reachability {
            turns: Some(most.min(turn + formula_efforts::TURNS_OF_RESPONSES)),
            ..self.of_runs()
        }
    }
}
