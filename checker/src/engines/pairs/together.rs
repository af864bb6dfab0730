//! Models with choices whose outputs determine the state: original and mutant are in the same state until they part.
//!
//! The original is listed once for all mutants ([`Common`]). If a mutant adds no step in any joint state, the original matches it step by
//! step, and the states are the proof. If outputs determine the state ([`shows_state`]), a step of the mutant that the original does not
//! have is a kill: at once if its outputs differ, else one step later. The search is breadth-first, so the first kill is a shortest one.

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::words::{is_set, lanes_of, range};
use hyperkill_core::sim::{Lanes, Simulator};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::closed_set::{ClosedSet, Position, Relation};
use hyperkill_evidence::fault::{self, Fault};
use rustc_hash::FxHashSet;

use super::alphabet::{WORDS, Word};
use super::joint::{Block, Common, Outcome};
use super::listing::{State, alive, evaluate, outputs};
use super::{CHOICE_BITS, GATE_STEPS, LEAST, STEPS};
use crate::engines::explicit::Witness;

/// The result of visiting the joint states of a mutant and the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Together {
    /// A shortest potential kill.
    Killed(Witness),
    /// The mutant adds no step to the original: no test kills it.
    Never(ClosedSet),
    /// Neither was shown: the effort was spent, or the method does not apply.
    Open,
}

/// Whether the outputs of a run determine its states: each of these latches, by index, is an output before or after the step.
pub(super) fn shows_state(model: &ConditionalMutant, latches: &[usize]) -> bool {
    let outputs = model.aig.outputs.iter().map(|output| output.lit.var());
    let outputs: FxHashSet<_> = outputs.collect();
    latches.iter().all(|&latch| {
        let latch = &model.aig.latches()[latch];
        let shown = |lit: Lit| outputs.contains(&lit.var());
        // A value that is visible only after the step must be known at the start.
        shown(latch.var.lit()) || (shown(latch.next) && latch.reset != Reset::Free)
    })
}

/// How the mutant's steps under one choice compare with the original's in the lanes of a block.
struct Compared {
    /// Choices of the original, each with the lanes in which its step is the mutant's and that of no earlier choice is.
    same: Vec<(usize, Word)>,
    /// Lanes in which the mutant has a step that the original does not have.
    parted: Word,
    /// Lanes among these in which the original has another step with the same outputs.
    silent: Word,
}

/// A state in which both sides are, and the step by which it was reached.
#[derive(Clone, Copy)]
struct Node {
    state: State,
    /// The step by which it was reached; `None` for an initial state.
    from: Option<PairStep>,
}

/// A step that both sides take from a joint state (node).
#[derive(Clone, Copy)]
struct PairStep {
    node: usize,
    valuation: usize,
    /// The number of the mutant's choice.
    choice: usize,
    /// The number of the original's choice.
    original: usize,
}

struct Walk<'l, 'a> {
    common: &'l Common<'a>,
    lanes: Lanes<'l, WORDS>,
    /// The circuit inputs, by index, that are choices of the mutant.
    choices: Vec<usize>,
    /// For each latch of the listing, whether the mutant reads it.
    read: Vec<bool>,
    /// For each block, and in it for each choice of the mutant, the comparison; `None` before the block is compared.
    compared: Vec<Option<Vec<Compared>>>,
    nodes: Vec<Node>,
    reached: Vec<bool>,
    left: usize,
}

/// The error that the search cannot decide the mutant, so that other engines must.
struct Unclear;

impl Common<'_> {
    /// Visits the joint states of the original and a mutant, for tests of at most `bound` steps. `shown` says whether outputs determine
    /// states.
    pub(super) fn together(
        &self,
        mutant: SelectorId,
        shown: bool,
        bound: Option<usize>,
        budget: &Budget,
    ) -> Together {
        let simulator = Simulator::for_variant(self.model, Variant::Mutant(mutant));
        let inputs = self.model.aig.inputs();
        let choices = self.model.choice_bits();
        let choices: Vec<usize> = choices
            .filter(|&bit| simulator.contains(inputs[bit].var.lit()))
            .collect();
        if choices.len() > CHOICE_BITS {
            return Together::Open;
        }
        let is_read = |latch: usize| simulator.contains(self.model.aig.latches()[latch].var.lit());
        let mut walk = Walk {
            common: self,
            lanes: self.alphabet.lanes(&simulator),
            choices,
            read: self.latches.iter().map(|&latch| is_read(latch)).collect(),
            compared: self.blocks.iter().map(|_| None).collect(),
            nodes: Vec::new(),
            reached: vec![false; self.states.len()],
            left: STEPS.min(GATE_STEPS / simulator.gate_count().max(1)),
        };
        match walk.run(shown, bound, budget) {
            Ok(Some(witness)) => Together::Killed(witness),
            Ok(None) => Together::Never(walk.closed_set(mutant, is_read)),
            Err(Unclear) => Together::Open,
        }
    }
}

impl Walk<'_, '_> {
    /// Searches a shortest kill, level by level. `None` if the mutant adds no step in any joint state, so that no test kills it.
    fn run(
        &mut self,
        shown: bool,
        bound: Option<usize>,
        budget: &Budget,
    ) -> Result<Option<Witness>, Unclear> {
        for state in 0..self.common.initial as State {
            self.reach(state, None);
        }
        let (mut level, mut depth) = (0, 0);
        let mut proved = true;
        while level < self.nodes.len() {
            if bound.is_some_and(|bound| depth >= bound) || budget.stopped().is_some() {
                return Err(Unclear);
            }
            let end = self.nodes.len();
            let mut silent = Vec::new();
            let mut unclear = false;
            for node in level..end {
                match self.visit(node, shown, &mut silent)? {
                    Visited::Kills(witness) => return Ok(Some(witness)),
                    Visited::Refused => unclear = true,
                    Visited::Matched => {}
                }
            }
            if unclear {
                return Err(Unclear);
            }
            for step in silent {
                if bound.is_some_and(|bound| depth + 1 >= bound) {
                    return Err(Unclear);
                }
                match self.one_step_later(step)? {
                    Later::Kills(witness) => return Ok(Some(witness)),
                    // The mutant's additional step is its last, so no test observes it.
                    Later::Ends => proved = false,
                    Later::GoesOn => unclear = true,
                }
            }
            if unclear {
                return Err(Unclear);
            }
            level = end;
            depth += 1;
        }
        if proved { Ok(None) } else { Err(Unclear) }
    }

    /// Takes all steps from a node, by index. Steps that only the mutant has, with outputs that the original can give, are added to
    /// `silent`, for [`Walk::one_step_later`].
    fn visit(
        &mut self,
        node: usize,
        shown: bool,
        silent: &mut Vec<PairStep>,
    ) -> Result<Visited, Unclear> {
        let state = self.nodes[node].state;
        let (block, first) = self.common.place(state).ok_or(Unclear)?;
        self.compare(block)?;
        let compared = self.compared[block].take().ok_or(Unclear)?;
        let visited = self.steps(node, block, first, &compared, shown, silent);
        self.compared[block] = Some(compared);
        visited
    }

    fn steps(
        &mut self,
        node: usize,
        block: usize,
        first: usize,
        compared: &[Compared],
        shown: bool,
        silent: &mut Vec<PairStep>,
    ) -> Result<Visited, Unclear> {
        let common = self.common;
        let mut refused = false;
        for valuation in 0..common.alphabet.len() {
            let lane = first + valuation;
            for (choice, compared) in compared.iter().enumerate() {
                let step = |original| PairStep {
                    node,
                    valuation,
                    choice,
                    original,
                };
                if is_set(&compared.parted, lane) {
                    if !shown {
                        return Err(Unclear);
                    }
                    match common.choice(block, lane, |_| true) {
                        None => refused = true,
                        Some(_) if is_set(&compared.silent, lane) => silent.push(step(0)),
                        Some(original) => {
                            return Ok(Visited::Kills(self.witness(&[step(original)])));
                        }
                    }
                    continue;
                }
                let same = compared.same.iter().find(|(_, lanes)| is_set(lanes, lane));
                if let Some(&(original, _)) = same {
                    let next = common.blocks[block].by_choice[original].next[lane];
                    self.reach(next, Some(step(original)));
                }
            }
        }
        Ok(if refused {
            Visited::Refused
        } else {
            Visited::Matched
        })
    }

    /// Returns whether the step after `step` kills. `step` is a silent parting: only the mutant can make it, but its outputs can be the
    /// original's.
    fn one_step_later(&mut self, step: PairStep) -> Result<Later, Unclear> {
        let common = self.common;
        self.charge(common.alphabet.len())?;
        let state = self.nodes[step.node].state;
        let (block, first) = common.place(state).ok_or(Unclear)?;
        let lane = first + step.valuation;
        // The mutant's next state.
        self.set_choice(step.choice);
        self.evaluate(&common.blocks[block].before);
        let shown = outputs(common.model, &self.lanes);
        let there: Vec<Word> = (common.after(&self.lanes).iter())
            .map(|after| [u64::from(is_set(after, lane)).wrapping_neg(); WORDS])
            .collect();
        // The original's possible states after the same outputs.
        let outcomes = common.blocks[block].by_choice.iter().enumerate();
        let shows = |outcome: &[Word]| {
            let mut pairs = outcome.iter().zip(&shown);
            pairs.all(|(a, b)| is_set(a, lane) == is_set(b, lane))
        };
        let beside: Vec<(usize, State)> = outcomes
            .filter(|(_, outcome)| is_set(&outcome.alive, lane) && shows(&outcome.outputs))
            .map(|(choice, outcome)| (choice, outcome.next[lane]))
            .collect();
        let mut goes_on = false;
        for choice in 0..1usize << self.choices.len() {
            self.set_choice(choice);
            self.evaluate(&there);
            let lanes = range(0..common.alphabet.len());
            let alive = alive(common.model, &self.lanes, lanes);
            for valuation in lanes_of(&alive) {
                goes_on = true;
                for &(original, next) in &beside {
                    let (block, first) = common.place(next).ok_or(Unclear)?;
                    let Some(last) = common.choice(block, first + valuation, |_| true) else {
                        continue;
                    };
                    let parting = PairStep { original, ..step };
                    let last = PairStep {
                        node: step.node,
                        valuation,
                        choice,
                        original: last,
                    };
                    return Ok(Later::Kills(self.witness(&[parting, last])));
                }
            }
        }
        Ok(if goes_on { Later::GoesOn } else { Later::Ends })
    }

    /// Subtracts from the effort an evaluation of so many lanes for each choice of the mutant.
    fn charge(&mut self, lanes: usize) -> Result<(), Unclear> {
        let steps = lanes.max(LEAST) << self.choices.len();
        self.left = self.left.checked_sub(steps).ok_or(Unclear)?;
        Ok(())
    }

    fn evaluate(&mut self, before: &[Word]) {
        for (&latch, &value) in self.common.latches.iter().zip(before) {
            self.lanes.set_latch(latch, value);
        }
        evaluate(&mut self.lanes);
    }

    fn set_choice(&mut self, choice: usize) {
        for (bit, &input) in self.choices.iter().enumerate() {
            self.lanes
                .set_input_everywhere(input, choice >> bit & 1 == 1);
        }
    }

    /// Compares the steps of the mutant in a block, by index, with those of the original, unless they are compared already.
    fn compare(&mut self, block: usize) -> Result<(), Unclear> {
        if self.compared[block].is_some() {
            return Ok(());
        }
        let listed = &self.common.blocks[block];
        self.charge(lanes_of(&listed.used).count())?;
        let choices = 0..1usize << self.choices.len();
        let compared = choices.map(|choice| {
            self.set_choice(choice);
            self.evaluate(&listed.before);
            self.compare_choosing(listed)
        });
        self.compared[block] = Some(compared.collect());
        Ok(())
    }

    fn compare_choosing(&self, listed: &Block) -> Compared {
        let common = self.common;
        let alive = alive(common.model, &self.lanes, listed.used);
        let shown = outputs(common.model, &self.lanes);
        let after = common.after(&self.lanes);
        let differ = |a: &[Word], b: &[Word], read: &dyn Fn(usize) -> bool| -> Word {
            let mut differ = [0; WORDS];
            for (k, (a, b)) in a.iter().zip(b).enumerate() {
                if read(k) {
                    for w in 0..WORDS {
                        differ[w] |= a[w] ^ b[w];
                    }
                }
            }
            differ
        };
        let mut compared = Compared {
            same: Vec::new(),
            parted: alive,
            silent: [0; WORDS],
        };
        for (choice, outcome) in listed.by_choice.iter().enumerate() {
            if compared.parted == [0; WORDS] {
                break;
            }
            let other_outputs = differ(&shown, &outcome.outputs, &|_| true);
            let other_state = differ(&after, &outcome.after, &|k| self.read[k]);
            let forgotten = self.forgotten(outcome);
            let mut same = [0; WORDS];
            for w in 0..WORDS {
                let made = outcome.alive[w] & !forgotten[w];
                let both = compared.parted[w] & made & !other_outputs[w];
                let parts = if fault::planted(Fault::SilentParting) {
                    0
                } else {
                    other_state[w]
                };
                same[w] = both & !parts;
                compared.silent[w] |= both;
            }
            if same != [0; WORDS] {
                for (parted, same) in compared.parted.iter_mut().zip(same) {
                    *parted &= !same;
                }
                compared.same.push((choice, same));
            }
        }
        for w in 0..WORDS {
            compared.silent[w] &= compared.parted[w];
        }
        compared
    }

    /// Returns the lanes in which the original's step is ignored: none, unless a fault is planted.
    fn forgotten(&self, outcome: &Outcome) -> Word {
        match self.common.accepts {
            Some(accepts) if fault::planted(Fault::RefusalTakenForKill) => {
                outcome.outputs[accepts].map(|accepted| !accepted)
            }
            _ => [0; WORDS],
        }
    }

    fn reach(&mut self, state: State, from: Option<PairStep>) {
        if !std::mem::replace(&mut self.reached[state as usize], true) {
            self.nodes.push(Node { state, from });
        }
    }

    /// Returns the runs of both sides that lead to the node of the first of these steps, and then take these steps.
    fn witness(&self, last: &[PairStep]) -> Witness {
        let mut steps: Vec<PairStep> = last.iter().rev().copied().collect();
        let mut node = last.first().map_or(0, |step| step.node);
        while let Some(step) = self.nodes[node].from {
            steps.push(step);
            node = step.node;
        }
        steps.reverse();
        let common = self.common;
        let initial = common.state_bits(self.nodes[node].state, |_| true);
        let initial = FirstValues::from(initial);
        let run = |inputs: &[usize], choice: fn(&PairStep) -> usize| Stimulus {
            initial: initial.clone(),
            steps: (steps.iter())
                .map(|step| common.inputs(step.valuation, choice(step), inputs))
                .collect(),
        };
        Witness {
            model_run: run(&common.choices, |step| step.original),
            mutant_run: run(&self.choices, |step| step.choice),
        }
    }

    /// Returns the proof that no test kills the mutant: the joint states as positions.
    fn closed_set(&self, mutant: SelectorId, is_read: impl Fn(usize) -> bool) -> ClosedSet {
        let common = self.common;
        let original = Simulator::for_variant(common.model, Variant::Original);
        let latches = common.model.aig.latches();
        let of_model = |latch: usize| original.contains(latches[latch].var.lit());
        let mut states = Vec::with_capacity(2 * self.nodes.len());
        let mut positions = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            positions.push(Position {
                pairs: vec![(states.len(), states.len() + 1)],
                mutant: Vec::new(),
                model: Vec::new(),
            });
            states.push(common.state_bits(node.state, &is_read));
            states.push(common.state_bits(node.state, of_model));
        }
        ClosedSet {
            members: vec![mutant],
            relation: Relation::Matched,
            states,
            positions,
        }
    }
}

/// The result of comparing all steps of the mutant from a joint state with the original's.
enum Visited {
    /// The original has all steps of the mutant.
    Matched,
    /// The mutant has a step under an input that the original refuses there.
    Refused,
    /// A step of the mutant kills, as these runs show.
    Kills(Witness),
}

/// The result of the steps that follow a silent parting.
enum Later {
    /// The next step kills, as these runs show.
    Kills(Witness),
    /// The mutant has no next step, so no test observes the parting.
    Ends,
    /// The mutant has next steps, and none of them kills.
    GoesOn,
}
