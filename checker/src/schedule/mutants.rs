//! One mutant: does some test kill it potentially, does some test kill it definitely, does an adaptive one? (semantics.md §2)
//!
//! Where runs with the same inputs and different outputs are kills, a pair of runs is searched for. Elsewhere the model may answer by any
//! strategy: identity and other simple ones come first, as they are cheap and prove most; then sets of explicit states, which are complete
//! for small models; then expansion and larger sets in turns of growing effort.

use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::question::Preference;

use super::Engines;
use super::efforts::{self, Among, Effort, Listing};
use super::reachability::Options as Reachability;

/// What a schedule depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether kills have to be definite.
    pub definite_only: bool,
    /// Whether a definite kill is looked for where a potential one answers the question.
    pub strengthens: bool,
    /// Whether adaptive tests are wanted.
    pub adaptive: bool,
    /// Whether two runs with the same inputs and different outputs are a kill: the model is deterministic, or choices are arranged.
    pub pairs_are_kills: bool,
    /// Whether choices are arranged, so that kills are controllable ones.
    pub arranges_choices: bool,
    /// Whether outputs tell the model's state.
    pub observable: bool,
    /// Whether a shorter test is looked for than the one at hand.
    pub shortest: bool,
    /// How far to go with the question about pairs; bound, turns and engines are those of all questions.
    pub reachability: Reachability,
}

/// What a step of the schedule is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A first test, or a proof that there is none.
    Find,
    /// A shorter test than the one at hand.
    Shorten,
}

/// A step. Relations say which question: [`Relation::Matched`] is about potential kills, [`Relation::Agreeing`] about definite ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Runs at hand: whether next to no work shows that they kill.
    Glance,
    /// Runs at hand: a shorter pair, by bounded search.
    ShortenPair(Effort),
    /// Runs at hand: whether, and how strongly, they kill.
    Judge,
    /// No pair is to be found, as is known: a proof.
    ProveUnreachable(Reachability, Listing),
    /// A pair of runs, or a proof that there is none.
    Pairs(Reachability),
    /// Sets of explicit states.
    List(Relation, Purpose, Listing),
    /// The model answers by the mutant's own choices.
    Identity(Reachability),
    /// One side follows what the other does.
    Steer(Relation, Preference, Reachability),
    /// Random inputs that may kill definitely.
    Simulate,
    /// Expansion of universal runs.
    Expand(Relation, Purpose, Effort),
    /// A simulation relation among such pairs of states, as decision diagrams.
    Relate(Relation, Among),
    /// A game on sets of explicit states.
    Play(Listing),
    /// Whether both accept the same inputs.
    Accept,
}

impl Step {
    /// The name of the engine that takes it. Questions about runs name their engines themselves.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match self {
            Step::Glance | Step::Judge => "judge",
            Step::ShortenPair(_) => "bmc",
            Step::ProveUnreachable(..) | Step::Pairs(_) | Step::Identity(_) | Step::Steer(..) => {
                "reachability"
            }
            Step::List(..) => "sets of states",
            Step::Simulate => "simulation",
            Step::Expand(..) => "expansion",
            Step::Relate(..) => "diagrams",
            Step::Play(_) => "game",
            Step::Accept => "acceptance",
        }
    }

    /// Whether the step starts anew each time and reads no facts of other steps. If it has found no answer once, it finds none later.
    #[must_use]
    pub fn repeats_itself(&self) -> bool {
        match self {
            Step::ProveUnreachable(..)
            | Step::List(..)
            | Step::Identity(_)
            | Step::Steer(..)
            | Step::Simulate
            | Step::Relate(..) => true,
            // Shorter kills and runs are found by others, and expansion goes on where it ended.
            Step::Glance
            | Step::ShortenPair(_)
            | Step::Judge
            | Step::Pairs(_)
            | Step::Expand(..)
            | Step::Play(_)
            | Step::Accept => false,
        }
    }
}

impl Options {
    /// The steps of the one turn that there is, those about potential kills first. Whoever takes them leaves out what does not matter any
    /// more.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = vec![Step::Glance];
        if self.pairs_are_kills {
            self.pairs(&mut steps);
        } else {
            self.strategies(&mut steps);
        }
        if !self.arranges_choices && (self.definite_only || self.strengthens) {
            self.definite(&mut steps);
            if self.adaptive && self.reachability.engines.explicit {
                steps.push(Step::Play(Listing::default()));
            }
        }
        steps.push(Step::Accept);
        steps
    }

    /// Those of the steps that may answer the question, without what only makes a kill at hand better.
    #[must_use]
    pub fn answering(&self) -> Vec<Step> {
        let mut steps = self.steps();
        let asked = |relation: &Relation| *relation == Relation::Matched || self.definite_only;
        steps.retain(|step| match step {
            Step::Glance
            | Step::Judge
            | Step::ProveUnreachable(..)
            | Step::Pairs(_)
            | Step::Identity(_) => true,
            Step::Steer(relation, ..) | Step::Relate(relation, _) => asked(relation),
            Step::List(relation, purpose, _) | Step::Expand(relation, purpose, _) => {
                asked(relation) && *purpose == Purpose::Find
            }
            Step::Simulate => self.definite_only,
            Step::ShortenPair(_) | Step::Play(_) | Step::Accept => false,
        });
        steps
    }

    /// How far to go in a turn with the question whether a strategy of the model keeps up. Each turn begins anew, so the next one is taken
    /// only after lists of states. Where outputs tell the state, a strategy that fails is a kill, and there is one turn without limits.
    #[must_use]
    pub fn strategy(&self, turn: u32) -> Reachability {
        let modest = self.reachability.modest();
        if self.observable {
            return modest;
        }
        Reachability {
            turns: Some(turn + 1),
            pace: efforts::Pace::STRATEGY,
            ..modest
        }
    }

    /// In how many turns strategies are tried.
    #[must_use]
    pub fn turns_of_strategies(&self) -> u32 {
        if self.observable {
            1
        } else {
            efforts::MODEST_TURNS
        }
    }

    fn pairs(&self, steps: &mut Vec<Step>) {
        if self.shortest {
            steps.push(Step::ShortenPair(efforts::SHORTER_BY_SEARCH));
        }
        steps.push(Step::Judge);
        let easy = Reachability {
            turns: Some(efforts::EASY_TURNS),
            others: false,
            ..self.reachability
        };
        let easy = easy.with(Engines {
            bmc: false,
            ..easy.engines
        });
        steps.push(Step::ProveUnreachable(easy, efforts::listing(0)));
        steps.push(Step::Pairs(self.reachability));
    }

    fn strategies(&self, steps: &mut Vec<Step>) {
        let Engines {
            explicit,
            exists_forall,
            ..
        } = self.reachability.engines;
        steps.push(Step::Judge);
        self.search_short(efforts::SHORT_RUNS, steps);
        self.list_first(Relation::Matched, steps);
        self.search_short(efforts::LONGER_RUNS, steps);
        if self.shortest && exists_forall {
            steps.push(Step::Expand(
                Relation::Matched,
                Purpose::Shorten,
                efforts::SHORTER_BY_EXPANSION,
            ));
        }
        self.relate(Relation::Matched, steps);
        self.keep_up(0, steps);
        self.in_turns(Relation::Matched, explicit, efforts::LAST_TURN, steps);
    }

    fn definite(&self, steps: &mut Vec<Step>) {
        let engines = self.reachability.engines;
        self.list_first(Relation::Agreeing, steps);
        self.relate(Relation::Agreeing, steps);
        if engines.simulation {
            steps.push(Step::Simulate);
        }
        if self.shortest && engines.exists_forall {
            steps.push(Step::Expand(
                Relation::Agreeing,
                Purpose::Shorten,
                efforts::SHORTER_BY_EXPANSION,
            ));
        }
        self.steer(Relation::Agreeing, self.turns_of_strategies() - 1, steps);
        // What strengthens a verdict may cost less than what makes one.
        let (lists, last) = if self.definite_only {
            (engines.explicit, efforts::LAST_TURN)
        } else {
            (false, 0)
        };
        self.in_turns(Relation::Agreeing, lists, last, steps);
    }

    /// Runs of up to `most` steps that kill: where outputs tell the state, a strategy that fails is a kill, and few steps cost less than
    /// lists.
    fn search_short(&self, most: usize, steps: &mut Vec<Step>) {
        let asked = &self.reachability;
        if !self.observable || !asked.engines.bmc {
            return;
        }
        let none = Engines {
            induction: false,
            pdr: false,
            ..asked.engines
        };
        let bound = asked.bound.unwrap_or(usize::MAX);
        let short = Reachability {
            bound: Some(bound.min(most)),
            turns: Some(1),
            others: false,
            ..asked.with(none)
        };
        steps.push(Step::Steer(Relation::Matched, Preference::Any, short));
    }

    fn list_first(&self, relation: Relation, steps: &mut Vec<Step>) {
        if self.reachability.engines.explicit {
            let purposes = [
                (Purpose::Find, efforts::FIRST_LISTING),
                (Purpose::Shorten, efforts::GLANCE),
            ];
            let wanted = purposes
                .into_iter()
                .filter(|(purpose, _)| self.shortest || *purpose == Purpose::Find);
            steps.extend(wanted.map(|(purpose, listing)| Step::List(relation, purpose, listing)));
        }
    }

    fn relate(&self, relation: Relation, steps: &mut Vec<Step>) {
        if self.reachability.engines.diagrams {
            let among = [Among::Equal, Among::Alike, Among::All];
            steps.extend(among.map(|among| Step::Relate(relation, among)));
        }
    }

    /// Strategies with which the model may keep up, within the effort of a turn.
    fn keep_up(&self, turn: u32, steps: &mut Vec<Step>) {
        if turn < self.turns_of_strategies() {
            steps.push(Step::Identity(self.strategy(turn)));
            self.steer(Relation::Matched, turn, steps);
        }
    }

    fn steer(&self, relation: Relation, turn: u32, steps: &mut Vec<Step>) {
        let Engines { induction, pdr, .. } = self.reachability.engines;
        if !induction && !pdr {
            return;
        }
        // Where outputs tell the state there is nothing to prefer.
        let preferences: &[Preference] = if relation == Relation::Matched && self.observable {
            &[Preference::Any, Preference::State]
        } else {
            &[
                Preference::State,
                Preference::Copy,
                Preference::Any,
                Preference::Lowest,
                Preference::Highest,
            ]
        };
        let asked = Reachability {
            others: false,
            ..self.strategy(turn)
        };
        let steer = |&preference| Step::Steer(relation, preference, asked);
        steps.extend(preferences.iter().map(steer));
    }

    /// Sets of states, strategies and expansion, with more of everything in each turn. A search within a bound is soon over, so it comes
    /// first.
    fn in_turns(&self, relation: Relation, lists: bool, last: u32, steps: &mut Vec<Step>) {
        let expands = self.reachability.engines.exists_forall;
        let bound = self.reachability.bound;
        let expand = |turn: u32| {
            let effort = efforts::expansion(turn);
            let steps = effort.steps.min(bound.unwrap_or(usize::MAX));
            Step::Expand(relation, Purpose::Find, Effort { steps, ..effort })
        };
        if expands && bound.is_some() {
            steps.push(expand(0));
        }
        let turns = self.reachability.turns.unwrap_or(u32::MAX).max(1);
        for turn in 0..=last.min(turns - 1) {
            // With the same effort as the turn before it would end as it did then.
            let grows = turn == 0 || efforts::listing(turn) != efforts::listing(turn - 1);
            if lists && grows {
                steps.push(Step::List(relation, Purpose::Find, efforts::listing(turn)));
            }
            if relation == Relation::Matched {
                self.keep_up(turn + 1, steps);
            }
            if expands {
                steps.push(expand(turn));
            }
        }
    }
}
