//! The schedule of one mutant: does a test kill it potentially, does a test kill it definitely, does an adaptive test? (semantics.md §2)
//!
//! If runs with the same inputs and different outputs are kills, a pair of runs is searched. Otherwise the model may answer by any
//! strategy. Identity and other simple strategies come first, as they are cheap and prove most. Sets of explicit states follow, which are
//! complete for small models. Expansion and larger sets come last, in turns of growing effort.

use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::question::Preference;

use super::Engines;
use super::efforts::{self, Among, Effort, Listing};
use super::reachability::Options as Reachability;

/// The parameters of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether only definite kills count, by tests on which no run of the mutant agrees with a run of the model.
    pub definite_only: bool,
    /// Whether a definite kill is searched even if a potential one answers the question.
    pub strengthens: bool,
    /// Whether adaptive tests, whose inputs depend on the outputs seen, are wanted.
    pub adaptive: bool,
    /// Whether two runs with the same inputs and different outputs are a kill: the model is deterministic, or choices are controllable.
    pub pairs_are_kills: bool,
    /// Whether choices are controllable, so that kills are controllable ones.
    pub arranges_choices: bool,
    /// Whether outputs determine the model's state.
    pub observable: bool,
    /// Whether a shorter test is searched after a first one is known.
    pub shortest: bool,
    /// Options of the question about pairs; its bound, turns and engines hold for all questions.
    pub reachability: Reachability,
}

/// The purpose of a step of a mutant's schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To find a first test, or a proof that none exists.
    Find,
    /// To find a shorter test than the known one.
    Shorten,
}

/// A step of the schedule of a mutant. Its relation names the question: [`Relation::Matched`] is about potential kills,
/// [`Relation::Agreeing`] about definite ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MutantStep {
    /// Checks with little work whether candidate runs, found by other engines, kill.
    Glance,
    /// Shortens a candidate pair of runs by bounded search.
    ShortenPair(Effort),
    /// Decides whether, and how strongly, candidate runs kill.
    Judge,
    /// Searches a proof that no pair of runs exists, where a walk through the states has already shown it.
    ProveUnreachable(Reachability, Listing),
    /// Searches a pair of runs of model and mutant with the same inputs and different outputs, or a proof that there is none.
    Pairs(Reachability),
    /// Lists sets of explicit states, to find a kill or a proof that there is none.
    List(Relation, Purpose, Listing),
    /// Tries the identity strategy: the model answers by the mutant's own choices.
    Identity(Reachability),
    /// Tries a strategy by which the choices of one side keep its outputs equal to the other's; the preference says which choices it takes.
    Steer(Relation, Preference, Reachability),
    /// Tries random inputs that may kill definitely.
    Simulate,
    /// Searches a kill by counterexample-guided expansion of the universal runs.
    Expand(Relation, Purpose, Effort),
    /// Searches, with decision diagrams, a simulation relation that contains only such pairs of states.
    Relate(Relation, Among),
    /// Searches an adaptive test that kills definitely, as a game on sets of explicit states.
    Play(Listing),
    /// Compares the inputs that both sides accept.
    Accept,
}

impl MutantStep {
    /// Returns the name of the engine that takes the step. Questions about runs name their engines themselves.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match self {
            MutantStep::Glance | MutantStep::Judge => "judge",
            MutantStep::ShortenPair(_) => "bmc",
            MutantStep::ProveUnreachable(..)
            | MutantStep::Pairs(_)
            | MutantStep::Identity(_)
            | MutantStep::Steer(..) => "reachability",
            MutantStep::List(..) => "sets of states",
            MutantStep::Simulate => "simulation",
            MutantStep::Expand(..) => "expansion",
            MutantStep::Relate(..) => "diagrams",
            MutantStep::Play(_) => "game",
            MutantStep::Accept => "acceptance",
        }
    }

    /// Whether a second step of this kind starts from the beginning and reads no facts of other steps. After a fruitless one it is not
    /// taken again.
    #[must_use]
    pub fn repeats_itself(&self) -> bool {
        match self {
            MutantStep::ProveUnreachable(..)
            | MutantStep::List(..)
            | MutantStep::Identity(_)
            | MutantStep::Steer(..)
            | MutantStep::Simulate
            | MutantStep::Relate(..) => true,
            // Other steps find shorter kills and runs, and expansion resumes where it ended.
            MutantStep::Glance
            | MutantStep::ShortenPair(_)
            | MutantStep::Judge
            | MutantStep::Pairs(_)
            | MutantStep::Expand(..)
            | MutantStep::Play(_)
            | MutantStep::Accept => false,
        }
    }
}

impl Options {
    /// Returns the steps of the schedule, which has one turn: first those about potential kills, then about definite ones. The executor
    /// skips steps that are no longer needed.
    #[must_use]
    pub fn steps(&self) -> Vec<MutantStep> {
        let mut steps = vec![MutantStep::Glance];
        if self.pairs_are_kills {
            self.pairs(&mut steps);
        } else {
            self.strategies(&mut steps);
        }
        if !self.arranges_choices && (self.definite_only || self.strengthens) {
            self.definite(&mut steps);
            if self.adaptive && self.reachability.engines.explicit {
                steps.push(MutantStep::Play(Listing::default()));
            }
        }
        steps.push(MutantStep::Accept);
        steps
    }

    /// Returns the steps that may answer the question, without steps that only improve a known kill.
    #[must_use]
    pub fn answering(&self) -> Vec<MutantStep> {
        let mut steps = self.steps();
        let asked = |relation: &Relation| *relation == Relation::Matched || self.definite_only;
        steps.retain(|step| match step {
            MutantStep::Glance
            | MutantStep::Judge
            | MutantStep::ProveUnreachable(..)
            | MutantStep::Pairs(_)
            | MutantStep::Identity(_) => true,
            MutantStep::Steer(relation, ..) | MutantStep::Relate(relation, _) => asked(relation),
            MutantStep::List(relation, purpose, _) | MutantStep::Expand(relation, purpose, _) => {
                asked(relation) && *purpose == Purpose::Find
            }
            MutantStep::Simulate => self.definite_only,
            MutantStep::ShortenPair(_) | MutantStep::Play(_) | MutantStep::Accept => false,
        });
        steps
    }

    /// Returns the options of the question whether the model keeps up with the mutant by a strategy, for this turn. Each turn starts anew,
    /// so the next one comes only after lists of states. If outputs determine the state, a failing strategy is a kill, and `turn` sets no
    /// limit.
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

    /// Returns the number of turns in which strategies are tried.
    #[must_use]
    pub fn turns_of_strategies(&self) -> u32 {
        if self.observable {
            1
        } else {
            efforts::MODEST_TURNS
        }
    }

    fn pairs(&self, steps: &mut Vec<MutantStep>) {
        if self.shortest {
            steps.push(MutantStep::ShortenPair(efforts::SHORTER_BY_SEARCH));
        }
        steps.push(MutantStep::Judge);
        let easy = Reachability {
            turns: Some(efforts::EASY_TURNS),
            others: false,
            ..self.reachability
        };
        let easy = easy.with(Engines {
            bmc: false,
            ..easy.engines
        });
        steps.push(MutantStep::ProveUnreachable(easy, efforts::listing(0)));
        steps.push(MutantStep::Pairs(self.reachability));
    }

    fn strategies(&self, steps: &mut Vec<MutantStep>) {
        let Engines {
            explicit,
            exists_forall,
            ..
        } = self.reachability.engines;
        steps.push(MutantStep::Judge);
        self.search_short(efforts::SHORT_RUNS, steps);
        self.list_first(Relation::Matched, steps);
        self.search_short(efforts::LONGER_RUNS, steps);
        if self.shortest && exists_forall {
            steps.push(MutantStep::Expand(
                Relation::Matched,
                Purpose::Shorten,
                efforts::SHORTER_BY_EXPANSION,
            ));
        }
        self.relate(Relation::Matched, steps);
        self.keep_up(0, steps);
        self.in_turns(Relation::Matched, explicit, efforts::LAST_TURN, steps);
    }

    fn definite(&self, steps: &mut Vec<MutantStep>) {
        let engines = self.reachability.engines;
        self.list_first(Relation::Agreeing, steps);
        self.relate(Relation::Agreeing, steps);
        if engines.simulation {
            steps.push(MutantStep::Simulate);
        }
        if self.shortest && engines.exists_forall {
            steps.push(MutantStep::Expand(
                Relation::Agreeing,
                Purpose::Shorten,
                efforts::SHORTER_BY_EXPANSION,
            ));
        }
        self.steer(Relation::Agreeing, self.turns_of_strategies() - 1, steps);
        // The part that strengthens a verdict must cost less than the part that reaches one.
        let (lists, last) = if self.definite_only {
            (engines.explicit, efforts::LAST_TURN)
        } else {
            (false, 0)
        };
        self.in_turns(Relation::Agreeing, lists, last, steps);
    }

    /// Adds a search by bounded model checking for killing runs of up to `most` steps, if outputs determine the model's state. In such
    /// models a strategy fails only on a run that kills, so the search finds kills. It costs less than the explicit engine.
    fn search_short(&self, most: usize, steps: &mut Vec<MutantStep>) {
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
        steps.push(MutantStep::Steer(Relation::Matched, Preference::Any, short));
    }

    fn list_first(&self, relation: Relation, steps: &mut Vec<MutantStep>) {
        if self.reachability.engines.explicit {
            let purposes = [
                (Purpose::Find, efforts::FIRST_LISTING),
                (Purpose::Shorten, efforts::GLANCE),
            ];
            let wanted = purposes
                .into_iter()
                .filter(|(purpose, _)| self.shortest || *purpose == Purpose::Find);
            steps.extend(
                wanted.map(|(purpose, listing)| MutantStep::List(relation, purpose, listing)),
            );
        }
    }

    fn relate(&self, relation: Relation, steps: &mut Vec<MutantStep>) {
        if self.reachability.engines.diagrams {
            let among = [Among::Equal, Among::Alike, Among::All];
            steps.extend(among.map(|among| MutantStep::Relate(relation, among)));
        }
    }

    /// Adds the steps that try strategies of the model in this turn, the identity strategy first; none after the last turn of strategies.
    fn keep_up(&self, turn: u32, steps: &mut Vec<MutantStep>) {
        if turn < self.turns_of_strategies() {
            steps.push(MutantStep::Identity(self.strategy(turn)));
            self.steer(Relation::Matched, turn, steps);
        }
    }

    fn steer(&self, relation: Relation, turn: u32, steps: &mut Vec<MutantStep>) {
        let Engines { induction, pdr, .. } = self.reachability.engines;
        if !induction && !pdr {
            return;
        }
        // If outputs determine the state, the strategy has no states to choose between.
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
        let steer = |&preference| MutantStep::Steer(relation, preference, asked);
        steps.extend(preferences.iter().map(steer));
    }

    /// Adds turns 0 to `last` of listing (if `lists`), strategies and expansion, with growing effort. If the test length is bounded, an
    /// expansion also comes first, since it ends soon.
    fn in_turns(&self, relation: Relation, lists: bool, last: u32, steps: &mut Vec<MutantStep>) {
        let expands = self.reachability.engines.exists_forall;
        let bound = self.reachability.bound;
        let expand = |turn: u32| {
            let effort = efforts::expansion(turn);
            let steps = effort.steps.min(bound.unwrap_or(usize::MAX));
            MutantStep::Expand(relation, Purpose::Find, Effort { steps, ..effort })
        };
        if expands && bound.is_some() {
            steps.push(expand(0));
        }
        let turns = self.reachability.turns.unwrap_or(u32::MAX).max(1);
        for turn in 0..=last.min(turns - 1) {
            // A listing with the same effort as in the turn before would end in the same way.
            let grows = turn == 0 || efforts::listing(turn) != efforts::listing(turn - 1);
            if lists && grows {
                steps.push(MutantStep::List(
                    relation,
                    Purpose::Find,
                    efforts::listing(turn),
                ));
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
