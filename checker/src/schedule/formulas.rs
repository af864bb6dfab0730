//! A formula of the user's, as it is asked: ∃\*∀\*.
//!
//! Bodies of the killing shape are first looked at by expansion and by universal traces that copy existential ones. Without alternation
//! an infinite run of the traces with a monitor is searched for, which is complete. With an alternation existential traces are steered
//! against responses, and small systems are listed, which is complete for them. All of it goes on in turns of growing effort.

use hyperkill_formulas::Traces;

use super::efforts::{self, Effort};
use super::formula_efforts::{self, Game, Listing, TURNS_OF_KILLING_SHAPE};
use super::reachability::Options as Reachability;
use super::{Engines, fairness};

/// What a schedule depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bound, turns and engines.
    pub reachability: Reachability,
}

/// What kind of formula is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Which traces it is about.
    pub traces: Traces,
    /// Whether some of its traces are universal.
    pub alternates: bool,
    /// Whether its body has the shape □A ∧ (□B → ◇C).
    pub has_killing_shape: bool,
}

/// A step of the schedule of a user's formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// A first short look for existential traces that withstand all universal ones.
    Look(Effort),
    /// Universal traces copy existential ones: whether that refutes everything, for each way to copy.
    Copy(Reachability),
    /// Existential traces that withstand all universal ones, by expansion.
    Expand(Effort),
    /// An infinite run of the existential traces with a monitor.
    Monitor(fairness::Step),
    /// Existential traces against responses of universal ones: copies, a strategy that follows, and the traces found so far.
    Steer(Steering),
    /// The states of existential traces, and beside them those of the automaton of their refutations.
    List(Listing),
    /// Whether that automaton accepts all existential traces, which are listed. Of traces that it does not accept it is asked whether any
    /// others refute them.
    Include(Game, Reachability),
}

/// How far to go with responses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steering {
    /// Responses that may be collected, in all.
    pub responses: usize,
    /// How each question about infinite runs is asked.
    pub reachability: Reachability,
}

impl Options {
    /// The steps of a turn.
    #[must_use]
    pub fn steps(&self, kind: Kind, turn: u32) -> Vec<Step> {
        let mut steps = Vec::new();
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

    /// The steps of a turn for formulas of any body.
    fn any_body(&self, kind: Kind, turn: u32, steps: &mut Vec<Step>) {
        let engines = self.reachability.engines;
        if kind.has_killing_shape && !(engines.bmc && engines.pdr) {
            // A question for some engines by name is one for what they do about this shape.
            if kind.alternates && (turn > 0 || kind.traces == Traces::Finite) {
                self.listed(turn, steps);
            }
        } else if kind.alternates {
            self.alternating(kind, turn, steps);
        } else {
            let options = fairness::Options {
                reachability: self.of_runs(),
                has_conditions: true,
            };
            steps.extend(options.steps(turn).into_iter().map(Step::Monitor));
        }
    }

    /// Returns the options of the reachability questions about infinite runs.
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

    /// Turns of copying and expansion within the first turn.
    fn first_turns(&self) -> u32 {
        let most = self.reachability.turns.unwrap_or(u32::MAX);
        TURNS_OF_KILLING_SHAPE.min(most).max(1)
    }

    /// The first steps for the killing shape, which decide most formulas of it.
    fn at_first(&self, kind: Kind, steps: &mut Vec<Step>) {
        self.copy(0, steps);
        if kind.traces == Traces::Infinite {
            if self.expands() {
                steps.push(Step::Look(self.within(efforts::FIRST_LOOK)));
            }
            if kind.alternates {
                // The states of a small model may cost less than more of the same.
                self.listed(0, steps);
            }
        }
        self.expand(0, steps);
        for turn in 1..self.first_turns() {
            self.copy(turn, steps);
            self.expand(turn, steps);
        }
    }

    fn copy(&self, turn: u32, steps: &mut Vec<Step>) {
        let engines = self.reachability.engines;
        if engines.induction || engines.pdr {
            // Where a run ends a question, somebody withstands the copies, within the bound or not.
            let copies = Engines {
                bmc: true,
                ..engines
            };
            steps.push(Step::Copy(Reachability {
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

    fn expand(&self, turn: u32, steps: &mut Vec<Step>) {
        if self.expands() {
            let effort = efforts::expansion_of_formula(turn);
            steps.push(Step::Expand(self.within(effort)));
        }
    }

    /// The same effort up to the bound.
    fn within(&self, effort: Effort) -> Effort {
        let bound = self.reachability.bound.unwrap_or(usize::MAX);
        Effort {
            steps: effort.steps.min(bound),
            ..effort
        }
    }

    /// Few responses decide most formulas, of any model; listing decides all of small ones.
    fn alternating(&self, kind: Kind, turn: u32, steps: &mut Vec<Step>) {
        let engines = self.reachability.engines;
        if engines.bmc || engines.pdr {
            steps.push(Step::Steer(Steering {
                responses: formula_efforts::responses(turn),
                reachability: self.of_responses(turn),
            }));
        }
        // After a first look at the killing shape they have been listed.
        if turn > 0 || !kind.has_killing_shape || kind.traces == Traces::Finite {
            self.listed(turn, steps);
        }
    }

    fn listed(&self, turn: u32, steps: &mut Vec<Step>) {
        if self.reachability.engines.explicit && turn < formula_efforts::LEVELS_OF_LISTING {
            steps.push(Step::List(formula_efforts::listing(turn)));
            steps.push(Step::Include(
                formula_efforts::game(turn),
                self.of_responses(turn),
            ));
        }
    }

    /// How the questions about infinite runs between traces and responses are asked.
    fn of_responses(&self, turn: u32) -> Reachability {
        let most = self.reachability.turns.unwrap_or(u32::MAX);
        Reachability {
            turns: Some(most.min(turn + formula_efforts::TURNS_OF_RESPONSES)),
            ..self.of_runs()
        }
    }
}
