//! Schedules as text, for `--explain` and for snapshot tests.

use std::fmt;

use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::question::Preference;

use super::efforts::{Among, Effort, Listing};
use super::mutants::{MutantStep, Purpose};
use super::reachability::{self, Method, Scope};
use super::rounds::Round;
use super::{efforts, fairness, formulas, mutants, rounds};

/// A part of an explanation: the lines of a whole schedule, or of one turn of it. A turn is a pass through the steps with one effort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The subject of the steps, such as the question and the turn.
    pub title: String,
    /// The steps in order, each as a line of text.
    pub steps: Vec<String>,
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        for (number, step) in (1..).zip(&self.steps) {
            writeln!(f, "{number:4}  {step}")?;
        }
        Ok(())
    }
}

/// Returns the schedules of all mutants, of each mutant alone, and of the reachability questions about pairs of runs and strategies that
/// they ask, as texts.
#[must_use]
pub fn explain(rounds: &rounds::Options, mutants: &mutants::Options) -> Vec<Section> {
    let each = mutants.steps();
    let mut sections: Vec<Section> = (0..=efforts::LEVELS)
        .map(|turn| Section {
            title: format!("All mutants, turn {}", turn + 1),
            steps: rounds.steps(turn).iter().map(Round::to_string).collect(),
        })
        .filter(|section| !section.steps.is_empty())
        .collect();
    sections.extend([
        Section {
            title: "Each mutant without a verdict, or with a kill of open strength; needless steps are skipped".to_owned(),
            steps: repeated(&each),
        },
    ]);
    let uses = |options: &reachability::Options| each.iter().any(|step| step.asks(options));
    if uses(&mutants.reachability) {
        sections.extend(turns("A pair of runs", &mutants.reachability));
    }
    let strategy = mutants.strategy(mutants.turns_of_strategies() - 1);
    if uses(&strategy) {
        sections.extend(turns("A strategy", &strategy));
    }
    sections
}

/// Returns the schedules of a user's formula, and of the question whether universal traces can refute it by copying.
#[must_use]
pub fn explain_formula(options: &formulas::Options, kind: formulas::Kind) -> Vec<Section> {
    let most = options.reachability.turns;
    let last = shown_of(most) - 1;
    let mut sections = turns_of("The formula", most, |turn| options.steps(kind, turn));
    let steps = options.steps(kind, last);
    let copies = steps.iter().find_map(|step| match step {
        formulas::QuestionStep::Copy(copies) => Some(*copies),
        _ => None,
    });
    if let Some(copies) = copies {
        let copies = reachability::Options {
            turns: most,
            ..copies
        };
        sections.extend(turns("A way to copy", &copies));
    }
    let asks_about_runs = |step: &formulas::QuestionStep| {
        use formulas::QuestionStep;
        matches!(
            step,
            QuestionStep::Monitor(_) | QuestionStep::Steer(_) | QuestionStep::Include(..)
        )
    };
    if steps.iter().any(asks_about_runs) {
        match kind.alternates {
            true => sections.extend(explain_strategy(options)),
            false => sections.extend(explain_safety(&options.of_monitor())),
        }
    }
    sections
}

/// Returns the first turns of each question about infinite runs of a formula with an alternation, and of the questions about bad states
/// that it asks.
#[must_use]
pub fn explain_strategy(options: &formulas::Options) -> Vec<Section> {
    let runs = options.of_runs();
    let asked = fairness::Options {
        reachability: runs,
        has_conditions: true,
    };
    let mut sections = turns_of("An infinite run", runs.turns, |turn| asked.steps(turn));
    sections.extend(explain_safety(&runs));
    sections
}

/// Returns the schedule of each bad state of a circuit.
#[must_use]
pub fn explain_safety(options: &reachability::Options) -> Vec<Section> {
    turns("A bad state", options)
}

/// Returns the first turns of a reachability question as sections titled `what`; at most three turns, from which later ones can be
/// inferred.
fn turns(what: &str, options: &reachability::Options) -> Vec<Section> {
    turns_of(what, options.turns, |turn| options.steps(turn))
}

/// Returns the number of turns to show: all of `turns` (unlimited if `None`), but at most three.
fn shown_of(turns: Option<u32>) -> u32 {
    turns.unwrap_or(3).clamp(1, 3)
}

fn turns_of<S: fmt::Display>(
    what: &str,
    turns: Option<u32>,
    steps: impl Fn(u32) -> Vec<S>,
) -> Vec<Section> {
    let shown = shown_of(turns);
    let goes_on = |turn: u32| turn + 1 == shown && turns.is_none_or(|turns| turn + 1 < turns);
    let title = |turn: u32| {
        let and_so_on = if goes_on(turn) { ", and so on" } else { "" };
        format!("{what}, turn {}{and_so_on}", turn + 1)
    };
    let section = |turn| Section {
        title: title(turn),
        steps: steps(turn).iter().map(ToString::to_string).collect(),
    };
    (0..shown).map(section).collect()
}

/// Returns the steps as lines of text. In a sequence of steps that differ only in effort, the first two and the last are listed.
fn repeated(steps: &[MutantStep]) -> Vec<String> {
    let grows = |step: &MutantStep| matches!(step, MutantStep::Expand(_, Purpose::Find, _));
    let mut lines: Vec<String> = Vec::new();
    let mut run = 0;
    for (place, step) in steps.iter().enumerate() {
        run = if grows(step) { run + 1 } else { 0 };
        let more = steps.get(place + 1).is_some_and(grows);
        match (run, more) {
            (3.., true) if lines.last().is_some_and(|line| line == "…") => {}
            (3.., true) => lines.push("…".to_owned()),
            _ => lines.push(step.to_string()),
        }
    }
    lines
}

impl MutantStep {
    fn asks(&self, options: &reachability::Options) -> bool {
        match self {
            MutantStep::Pairs(asked) | MutantStep::Identity(asked) => asked == options,
            MutantStep::Steer(_, _, asked) => asked == options,
            _ => false,
        }
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Round::Structure => {
                f.write_str("structure: mutants that are the original or each other")
            }
            Round::Pairs(Some(steps)) => {
                write!(
                    f,
                    "pairs of states that both reach in {steps} steps, if they can be listed"
                )
            }
            Round::Pairs(None) => {
                f.write_str("pairs of states that both reach, if they can be listed")
            }
            Round::Faults(_, steps) => write!(
                f,
                "fault simulation: random inputs of {steps} steps, all else unknown, against all mutants at once"
            ),
            Round::Simulation(_, runs) => {
                let rests = if runs.rests {
                    ", in which some inputs rest"
                } else {
                    ""
                };
                let steps = runs.steps;
                write!(f, "simulation: random runs of {steps} steps{rests}")
            }
            Round::Correspondence(pass, level) => write!(
                f,
                "correspondence: proofs that a mutant's signals equal the original's, at most {} for an attempt",
                Slice(efforts::slice_of_correspondence(*pass, *level))
            ),
            Round::Together => f.write_str(
                "pairs: states that original and mutant reach together, if they can be listed; tests, and proofs that there are none",
            ),
            Round::Listing => f.write_str(
                "sets of states, if they can be listed, each mutant alone; tests, and proofs that there are none",
            ),
            Round::Diagrams(level) => write!(
                f,
                "diagrams: sets of states, {} mutants together for {}; tests, and proofs that there are none",
                efforts::TOGETHER,
                Slice(efforts::slice_together(*level))
            ),
            Round::Shallow => f.write_str("family: one search for the shallow kills of all"),
            Round::Families => f.write_str("family: mutants that behave alike, together"),
            Round::Slices(level) => write!(
                f,
                "slices: each mutant without a verdict alone for {}; its test is run on all others",
                Slice(efforts::slice(*level))
            ),
            Round::Improving => {
                f.write_str("improving: the strength of kills at hand, and shorter tests")
            }
            Round::Solving => write!(
                f,
                "solving: {} mutants, each alone and to its end; then their tests are run on all others; again, until none is left",
                efforts::CHUNK
            ),
        }
    }
}

/// Returns the adverb for a step about this relation.
fn about(relation: Relation) -> &'static str {
    match relation {
        Relation::Matched => "potential kills",
        Relation::Agreeing => "definite kills",
    }
}

fn for_what(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Find => "",
        Purpose::Shorten => ", for a shorter test than the one at hand",
    }
}

impl fmt::Display for MutantStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MutantStep::Glance => {
                f.write_str("runs at hand: do they kill without a further search?")
            }
            MutantStep::ShortenPair(effort) => write!(
                f,
                "runs at hand: bounded search for shorter ones, {} calls, {}",
                effort.calls,
                Cost(effort)
            ),
            MutantStep::Judge => f.write_str("runs at hand: how strongly do they kill?"),
            MutantStep::ProveUnreachable(_, listing) => {
                write!(
                    f,
                    "no pair is to be found: a proof, by induction or {}",
                    Count(listing)
                )
            }
            MutantStep::Pairs(_) => {
                f.write_str("a pair of runs with different outputs, or a proof that there is none")
            }
            MutantStep::List(relation, purpose, listing) => write!(
                f,
                "{}: sets of states, {}{}",
                about(*relation),
                Count(listing),
                for_what(*purpose)
            ),
            MutantStep::Identity(options) => write!(
                f,
                "potential kills: the model makes the mutant's choices (identity strategy){}",
                within(options)
            ),
            MutantStep::Steer(relation, preference, options) => write!(
                f,
                "{}: a strategy that follows the outputs and prefers {}{}",
                about(*relation),
                preferred(*preference),
                within(options)
            ),
            MutantStep::Simulate => {
                f.write_str("definite kills: random inputs, judged by a solver")
            }
            MutantStep::Expand(relation, purpose, effort) => write!(
                f,
                "{}: expansion, {}{}",
                about(*relation),
                Cost(effort),
                for_what(*purpose)
            ),
            MutantStep::Relate(relation, among) => write!(
                f,
                "{}: a simulation relation, {}",
                about(*relation),
                match among {
                    Among::Equal => "between equal states",
                    Among::Alike => "between states that differ where mutated",
                    Among::Chosen => "between states that differ where mutated or by a choice",
                    Among::All => "between any states",
                }
            ),
            MutantStep::Play(listing) => write!(
                f,
                "adaptive kills: a game on sets of states, {}",
                Count(listing)
            ),
            MutantStep::Accept => f.write_str("do both accept the same inputs?"),
        }
    }
}

/// Returns a text on the limits of a strategy: the longest test against which the strategy is tried, else the number of turns.
fn within(options: &reachability::Options) -> String {
    let proves = options.engines.induction || options.engines.pdr;
    match (options.bound, options.turns) {
        (Some(bound), _) if !proves => format!(", against tests of up to {bound} steps"),
        (_, Some(1)) => ", 1 turn".to_owned(),
        (_, Some(turns)) => format!(", {turns} turns"),
        _ => String::new(),
    }
}

fn preferred(preference: Preference) -> &'static str {
    match preference {
        Preference::Any => "nothing",
        Preference::State => "the other's state",
        Preference::Copy => "the other's choices",
        Preference::Lowest => "low choices",
        Preference::Highest => "high choices",
    }
}

impl fmt::Display for formulas::QuestionStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            formulas::QuestionStep::Look(effort) => write!(
                f,
                "existential traces: a first look by expansion, {}",
                Cost(effort)
            ),
            formulas::QuestionStep::Copy(options) => write!(
                f,
                "a proof that no existential traces satisfy it, where universal ones copy them{}",
                in_turns(options)
            ),
            formulas::QuestionStep::Expand(effort) => {
                write!(f, "existential traces: expansion, {}", Cost(effort))
            }
            formulas::QuestionStep::Bounded(effort) => {
                write!(
                    f,
                    "all existential traces up to the bound, {}",
                    Cost(effort)
                )
            }
            formulas::QuestionStep::Monitor(step) => {
                write!(f, "existential traces with a monitor: {step}")
            }
            formulas::QuestionStep::Steer(steering) => write!(
                f,
                "existential traces against responses of universal ones, up to {} of them{}",
                steering.responses,
                in_turns(&steering.reachability)
            ),
            formulas::QuestionStep::List(listing) => write!(
                f,
                "states of existential traces, if {} can be listed, beside an automaton of their refutations, {} pairs",
                listing.states, listing.pairs
            ),
            formulas::QuestionStep::Include(game, _) => write!(
                f,
                "inclusion of listed traces: {} sets, {} transition profiles",
                game.sets, game.rounds
            ),
        }
    }
}

impl fmt::Display for fairness::FairnessStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            fairness::FairnessStep::Count(options) => write!(
                f,
                "a bound k on how often fairness conditions are met, for growing k{}",
                in_turns(options)
            ),
            fairness::FairnessStep::Close(options) => write!(
                f,
                "a lasso that meets all fairness conditions{}",
                in_turns(options)
            ),
        }
    }
}

/// Returns a text on the number of turns of a question; empty if unlimited.
fn in_turns(options: &reachability::Options) -> String {
    match options.turns {
        None => String::new(),
        Some(1) => ", 1 turn".to_owned(),
        Some(turns) => format!(", {turns} turns"),
    }
}

impl fmt::Display for reachability::ReachabilityStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effort = &self.effort;
        match self.method {
            Method::Bmc => write!(f, "bounded search, {}", Cost(effort)),
            Method::Correspondence { scope, assumed } => {
                let scope = match scope {
                    Scope::Latches => "latches",
                    Scope::Nodes => "all signals",
                };
                let over = match assumed {
                    1 => String::new(),
                    steps => format!(" over {steps} steps"),
                };
                write!(f, "signal correspondence of {scope}{over}")
            }
            Method::Facts { conditional } => write!(
                f,
                "facts that steps keep{}, {} calls, {} conflicts each",
                if conditional {
                    ", under conditions too"
                } else {
                    ""
                },
                effort.calls,
                effort.conflicts
            ),
            Method::Induction => write!(f, "induction, {}", Cost(effort)),
            Method::Pdr => write!(
                f,
                "property-directed reachability, {} calls and conflicts",
                effort.calls
            ),
            Method::Others => f.write_str("other programs"),
        }
    }
}

/// An amount of counted work in microseconds, to be shown.
struct Slice(u64);

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms of counted work", self.0 / 1_000)
    }
}

struct Cost<'a>(&'a Effort);

impl fmt::Display for Cost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Effort {
            steps,
            gates,
            conflicts,
            conflicts_in_all,
            ..
        } = *self.0;
        if steps < usize::MAX {
            write!(f, "{steps} steps, ")?;
        }
        write!(f, "{gates} gates, {conflicts} conflicts a call")?;
        if let Some(most) = conflicts_in_all {
            write!(f, ", {most} in all")?;
        }
        Ok(())
    }
}

struct Count<'a>(&'a Listing);

impl fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Listing { steps, positions } = self.0;
        write!(f, "{positions} positions and {steps} steps")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Engines;
    use crate::schedule::reachability::Options as Reachability;
    use hyperkill_formulas::Traces;

    /// Returns the options that `auto` chooses with all engines.
    fn automatic() -> (rounds::Options, mutants::Options) {
        let rounds = rounds::Options {
            engines: Engines::ALL,
            pairs_are_kills: true,
            kills_for_certain: true,
            definite_only: false,
            bound: None,
            others: false,
        };
        let mutants = mutants::Options {
            definite_only: false,
            strengthens: true,
            adaptive: false,
            pairs_are_kills: true,
            arranges_choices: false,
            observable: false,
            shortest: true,
            reachability: Reachability::UNLIMITED,
        };
        (rounds, mutants)
    }

    fn text(rounds: &rounds::Options, mutants: &mutants::Options) -> String {
        listed(&explain(rounds, mutants))
    }

    #[test]
    fn deterministic_model() {
        let (rounds, mutants) = automatic();
        insta::assert_snapshot!(text(&rounds, &mutants));
    }

    #[test]
    fn model_with_choices() {
        let (rounds, mutants) = automatic();
        let rounds = rounds::Options {
            pairs_are_kills: false,
            ..rounds
        };
        let mutants = mutants::Options {
            pairs_are_kills: false,
            adaptive: true,
            ..mutants
        };
        insta::assert_snapshot!(text(&rounds, &mutants));
    }

    #[test]
    fn definite_kills_only_of_an_observable_model_within_a_bound() {
        let (rounds, mutants) = automatic();
        let bound = Some(12);
        let rounds = rounds::Options {
            pairs_are_kills: false,
            definite_only: true,
            bound,
            ..rounds
        };
        let mutants = mutants::Options {
            pairs_are_kills: false,
            definite_only: true,
            strengthens: false,
            observable: true,
            reachability: Reachability {
                bound,
                turns: Some(3),
                ..Reachability::UNLIMITED
            },
            ..mutants
        };
        insta::assert_snapshot!(text(&rounds, &mutants));
    }

    #[test]
    fn controlled_choices_with_other_programs() {
        let (rounds, mutants) = automatic();
        let rounds = rounds::Options {
            kills_for_certain: false,
            others: true,
            ..rounds
        };
        let mutants = mutants::Options {
            arranges_choices: true,
            reachability: Reachability {
                others: true,
                ..Reachability::UNLIMITED
            },
            ..mutants
        };
        insta::assert_snapshot!(text(&rounds, &mutants));
    }

    #[test]
    fn bounded_search_alone() {
        let (rounds, mutants) = automatic();
        let engines = Engines {
            bmc: true,
            ..Engines::NONE
        };
        let rounds = rounds::Options { engines, ..rounds };
        let mutants = mutants::Options {
            reachability: Reachability {
                bound: Some(20),
                ..Reachability::UNLIMITED
            }
            .with(engines),
            ..mutants
        };
        insta::assert_snapshot!(text(&rounds, &mutants));
    }

    fn listed(sections: &[Section]) -> String {
        sections.iter().map(|s| format!("{s}\n")).collect()
    }

    #[test]
    fn bad_states_of_a_circuit() {
        insta::assert_snapshot!(listed(&explain_safety(&Reachability::SAFETY)));
    }

    fn of_kind(alternates: bool, has_killing_shape: bool, traces: Traces) -> String {
        let options = formulas::Options {
            reachability: Reachability::UNLIMITED,
        };
        let kind = formulas::Kind {
            traces,
            alternates,
            has_killing_shape,
        };
        listed(&explain_formula(&options, kind))
    }

    #[test]
    fn formula_of_the_user() {
        insta::assert_snapshot!(of_kind(true, true, Traces::Infinite));
    }

    #[test]
    fn formula_of_any_body_without_alternation() {
        insta::assert_snapshot!(of_kind(false, false, Traces::Infinite));
    }

    #[test]
    fn formula_of_any_body_over_finite_traces() {
        insta::assert_snapshot!(of_kind(true, false, Traces::Finite));
    }

    #[test]
    fn formula_of_the_user_by_bounded_search_alone() {
        let engines = Engines {
            bmc: true,
            ..Engines::NONE
        };
        let options = formulas::Options {
            reachability: Reachability {
                bound: Some(5),
                turns: Some(2),
                ..Reachability::UNLIMITED
            }
            .with(engines),
        };
        let kind = formulas::Kind {
            traces: Traces::Infinite,
            alternates: true,
            has_killing_shape: true,
        };
        insta::assert_snapshot!(listed(&explain_formula(&options, kind)));
    }
}
