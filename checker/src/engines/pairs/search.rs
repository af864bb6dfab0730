//! Compares one mutant with the listed original.

use rustc_hash::FxHashMap;

use hyperkill_core::SelectorId;
use hyperkill_core::budget::Budget;
use hyperkill_core::budget::memory::Charge;
use hyperkill_core::product::Variant;
use hyperkill_core::sim::words::{is_set, lanes_of, set_state, state_of};
use hyperkill_core::sim::{Lanes, Simulator};

use super::alphabet::{LANES, WORDS, Word};
use super::listing::{
    Block, Listing, NOWHERE, State, Symbol, affordable, alive, evaluate, outputs,
};
use super::{APART, CHOICE_BITS, LEAST};
use crate::engines::explicit::VectorTable;
use crate::question::Found;

/// The result of the walk through the pairs of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Walked {
    /// A shortest pair of runs whose outputs differ at the last step.
    Found(Found),
    /// No pair of runs has different outputs.
    Nothing,
    /// No pair of runs has different outputs, because the mutant agrees with the original in all its reachable states.
    Alike,
    /// No pair of runs of at most this many steps has different outputs; longer ones were not searched.
    Open(usize),
}

/// Number of nodes of a level that are visited between two checks of the budget.
const AT_ONCE: usize = 1 << 10;

/// Marks, in place of an index, that there is no node.
const NONE: u32 = u32::MAX;

/// A pair of states that a walk has reached, and the step by which it was reached.
#[derive(Clone, Copy)]
struct Node {
    original: State,
    /// The number of the mutant's state: a state of the original has its number there, others from the length of the original's
    /// [`VectorTable`] on.
    mutant: State,
    /// The index of the previous node; [`NONE`] for an initial one.
    parent: u32,
    /// The inputs of the step from the previous node.
    symbol: Symbol,
}

/// How the mutant's steps under one choice differ from the listed steps in the lanes of a block.
struct Differences {
    /// Lanes in which both sides have a step.
    alive: Word,
    /// Lanes among these with different outputs.
    outputs: Word,
    /// The mutant's next state in the lanes where it differs from the original's.
    exits: FxHashMap<u32, State>,
}

/// The error for spent effort or an ended budget.
struct Spent;

struct Walk<'l, 'a> {
    listing: &'l Listing<'a>,
    lanes: Lanes<'l, WORDS>,
    /// The circuit inputs, by index, that only the mutant reads: its choices.
    choices: Vec<usize>,
    /// The latches of the listing, by position, that the mutant does not read. In its states they have the original's values.
    unread: Vec<usize>,
    /// The states of the mutant that are no states of the original; their numbers follow the original's.
    own: VectorTable,
    nodes: Vec<Node>,
    /// For each state of the original the node in which both sides are in it; [`NONE`] if it has not been reached.
    together: Vec<u32>,
    apart: FxHashMap<(State, State), u32>,
    /// For each block, and in it for each choice of the mutant, the differences; `None` before the block is compared.
    differences: Vec<Option<Vec<Differences>>>,
    /// Number of steps from pairs of different states that may still be evaluated.
    left: usize,
    /// Whether the walk reached a state of the original whose steps are not listed.
    beyond: bool,
    charge: Charge,
}

impl Listing<'_> {
    /// Searches for runs of original and mutant on the same inputs with different outputs: visits the pairs of states that they reach,
    /// breadth-first, until outputs differ, to a depth of `bound` steps.
    pub(super) fn walk(&self, mutant: SelectorId, bound: Option<usize>, budget: &Budget) -> Walked {
        let simulator = Simulator::for_variant(self.model, Variant::Mutant(mutant));
        let latches = self.latches.iter().enumerate();
        let unread = latches
            .filter(|&(_, &latch)| !simulator.contains(self.model.aig.latches()[latch].var.lit()));
        let choices = self.own_choices(&simulator);
        if choices.len() > CHOICE_BITS {
            return Walked::Open(0);
        }
        let mut walk = Walk {
            choices,
            unread: unread.map(|(k, _)| k).collect(),
            listing: self,
            lanes: self.alphabet.lanes(&simulator),
            own: VectorTable::new(self.latches.len()),
            nodes: Vec::new(),
            together: vec![NONE; self.states.len()],
            apart: FxHashMap::default(),
            differences: self.blocks.iter().map(|_| None).collect(),
            left: APART.min(affordable(&self.alphabet, &simulator)),
            beyond: false,
            charge: Charge::default(),
        };
        walk.run(bound, budget)
    }
}

impl Walk<'_, '_> {
    fn run(&mut self, bound: Option<usize>, budget: &Budget) -> Walked {
        for state in 0..self.listing.initial as State {
            self.reach(state, state, NONE, Symbol::default());
        }
        match self.is_never_apart(budget) {
            Ok(true) => return Walked::Alike,
            Ok(false) => {}
            Err(Spent) => return Walked::Open(0),
        }
        let mut level = 0;
        let mut refuted = 0;
        while level < self.nodes.len() {
            if bound.is_some_and(|bound| refuted >= bound) {
                return Walked::Open(refuted);
            }
            let bytes = 2 * size_of::<Node>() * self.nodes.len() + self.own.bytes();
            if self.charge.hold(budget, bytes).is_some() {
                return Walked::Open(refuted);
            }
            let end = self.nodes.len();
            match self.level(level, end, budget) {
                Ok(Some((node, symbol))) => return Walked::Found(self.found(node, symbol)),
                Ok(None) if self.beyond => return Walked::Open(refuted),
                Ok(None) => {}
                Err(Spent) => return Walked::Open(refuted),
            }
            refuted += 1;
            level = end;
        }
        Walked::Nothing
    }

    /// Whether the mutant agrees with the original in all its reachable states. The comparison ends at the first difference, so it does no
    /// work that the walk would not do.
    fn is_never_apart(&mut self, budget: &Budget) -> Result<bool, Spent> {
        for block in 0..self.listing.blocks.len() {
            self.compare(block, budget)?;
            let same = |differences: &Differences| {
                differences.exits.is_empty() && differences.outputs == [0; WORDS]
            };
            let differences = self.differences[block].as_ref();
            if !differences.is_some_and(|differences| differences.iter().all(same)) {
                return Ok(false);
            }
        }
        Ok(self.listing.is_complete())
    }

    /// Takes all steps from the nodes with indices from `first` up to `end`, and adds nodes. Returns a node and the inputs of a step there
    /// after which outputs differ; `None` if there is none.
    fn level(
        &mut self,
        first: usize,
        end: usize,
        budget: &Budget,
    ) -> Result<Option<(u32, Symbol)>, Spent> {
        let mut apart = Vec::new();
        for index in first..end {
            if (index - first).is_multiple_of(AT_ONCE) && budget.stopped().is_some() {
                return Err(Spent);
            }
            let node = self.nodes[index];
            if node.original != node.mutant {
                apart.push(index as u32);
            } else if let Some(symbol) = self.step_together(index as u32, node.original, budget)? {
                return Ok(Some((index as u32, symbol)));
            }
        }
        for nodes in apart.chunks(LANES / self.listing.valuations()) {
            if let Some(kill) = self.step_apart(nodes, budget)? {
                return Ok(Some(kill));
            }
        }
        Ok(None)
    }

    /// Takes the steps of a node in which both sides are in `state`, and adds nodes. Returns inputs under which the outputs differ; `None`
    /// if there are none.
    fn step_together(
        &mut self,
        node: u32,
        state: State,
        budget: &Budget,
    ) -> Result<Option<Symbol>, Spent> {
        let Some((block, first)) = self.listing.place(state) else {
            self.beyond = true;
            return Ok(None);
        };
        self.compare(block, budget)?;
        let differences = self.differences[block].take();
        let Some(differences) = differences else {
            return Ok(None);
        };
        let kill = self.step_choosing(node, state, first, &differences);
        self.differences[block] = Some(differences);
        Ok(kill)
    }

    fn step_choosing(
        &mut self,
        node: u32,
        state: State,
        first: usize,
        differences: &[Differences],
    ) -> Option<Symbol> {
        for (choice, differences) in differences.iter().enumerate() {
            for (valuation, &next) in self.listing.successors(state).iter().enumerate() {
                let lane = first + valuation;
                if !is_set(&differences.alive, lane) {
                    continue;
                }
                let symbol = Symbol {
                    valuation: valuation as u16,
                    choice: choice as u16,
                };
                if is_set(&differences.outputs, lane) {
                    return Some(symbol);
                }
                let mutant = differences.exits.get(&(lane as u32)).copied();
                self.reach(next, mutant.unwrap_or(next), node, symbol);
            }
        }
        None
    }

    /// Sets the inputs that only the mutant reads to the bits of `choice`, in all lanes.
    fn choose(&mut self, choice: usize) {
        for (bit, &input) in self.choices.iter().enumerate() {
            self.lanes
                .set_input_everywhere(input, choice >> bit & 1 == 1);
        }
    }

    /// Computes the differences between mutant and original in a block, by index, unless they are computed already.
    fn compare(&mut self, block: usize, budget: &Budget) -> Result<(), Spent> {
        if self.differences[block].is_some() {
            return Ok(());
        }
        if budget.stopped().is_some() {
            return Err(Spent);
        }
        let listing = self.listing;
        let listed = &listing.blocks[block];
        for (&latch, &value) in listing.latches.iter().zip(&listed.before) {
            self.lanes.set_latch(latch, value);
        }
        let choices = 0..1 << self.choices.len();
        self.differences[block] = Some(
            choices
                .map(|choice| self.compare_choosing(choice, listed))
                .collect(),
        );
        Ok(())
    }

    fn compare_choosing(&mut self, choice: usize, listed: &Block) -> Differences {
        let listing = self.listing;
        self.choose(choice);
        evaluate(&mut self.lanes);
        let alive = alive(listing.model, &self.lanes, listed.alive);
        let differ = |a: &[Word], b: &[Word]| -> Word {
            let mut differ = [0; WORDS];
            for (a, b) in a.iter().zip(b) {
                for w in 0..WORDS {
                    differ[w] |= (a[w] ^ b[w]) & alive[w];
                }
            }
            differ
        };
        let mut after = listing.after(&self.lanes);
        for &latch in &self.unread {
            after[latch] = listed.after[latch];
        }
        let apart = differ(&after, &listed.after);
        let outputs = differ(&outputs(listing.model, &self.lanes), &listed.outputs);
        let mut exits = FxHashMap::default();
        let mut state = vec![0; listing.latches.len().div_ceil(64)];
        for lane in lanes_of(&apart) {
            state_of(&after, lane, &mut state);
            exits.insert(lane as u32, self.number(&state));
        }
        Differences {
            alive,
            outputs,
            exits,
        }
    }

    /// Takes the steps of nodes in which the sides are in different states, and adds nodes; all nodes fit into one evaluation. Returns a
    /// node and inputs under which the outputs differ; `None` if there is none.
    fn step_apart(
        &mut self,
        nodes: &[u32],
        budget: &Budget,
    ) -> Result<Option<(u32, Symbol)>, Spent> {
        if budget.stopped().is_some() {
            return Err(Spent);
        }
        let valuations = self.listing.valuations();
        self.left = self
            .left
            .checked_sub((nodes.len() * valuations).max(LEAST) << self.choices.len())
            .ok_or(Spent)?;
        let listing = self.listing;
        let shared = listing.states.len() as State;
        let mut before = vec![[0; WORDS]; listing.latches.len()];
        let mut possible: Word = [0; WORDS];
        let mut expected = vec![[0; WORDS]; listing.model.aig.outputs.len()];
        let mut unread = vec![[0; WORDS]; self.unread.len()];
        for (slot, &node) in nodes.iter().enumerate() {
            let Node {
                original, mutant, ..
            } = self.nodes[node as usize];
            let Some((block, first)) = listing.place(original) else {
                self.beyond = true;
                continue;
            };
            let at = slot * valuations;
            let state = match mutant.checked_sub(shared) {
                Some(own) => self.own.words(own),
                None => listing.states.words(mutant),
            };
            set_state(&mut before, state, at..at + valuations);
            let listed = &listing.blocks[block];
            copy_lanes(&listed.alive, first, &mut possible, at, valuations);
            for (output, expected) in listed.outputs.iter().zip(&mut expected) {
                copy_lanes(output, first, expected, at, valuations);
            }
            for (&latch, unread) in self.unread.iter().zip(&mut unread) {
                copy_lanes(&listed.after[latch], first, unread, at, valuations);
            }
        }
        for (&latch, &value) in listing.latches.iter().zip(&before) {
            self.lanes.set_latch(latch, value);
        }
        for choice in 0..1 << self.choices.len() {
            let kill = self.step_apart_choosing(choice, nodes, possible, &expected, &unread);
            if kill.is_some() {
                return Ok(kill);
            }
        }
        Ok(None)
    }

    /// Takes the steps of nodes in which the sides are in different states, under one choice of the mutant; see [`Walk::step_apart`].
    /// `possible` has the lanes in which the original has a step, `expected` its outputs there, and `unread` the next values of latches
    /// that the mutant does not read.
    fn step_apart_choosing(
        &mut self,
        choice: usize,
        nodes: &[u32],
        possible: Word,
        expected: &[Word],
        unread: &[Word],
    ) -> Option<(u32, Symbol)> {
        let listing = self.listing;
        let valuations = listing.valuations();
        let symbol = |lane: usize| Symbol {
            valuation: (lane % valuations) as u16,
            choice: choice as u16,
        };
        self.choose(choice);
        evaluate(&mut self.lanes);
        let alive = alive(listing.model, &self.lanes, possible);
        let mut differ = [0; WORDS];
        for (seen, expected) in outputs(listing.model, &self.lanes).iter().zip(expected) {
            for w in 0..WORDS {
                differ[w] |= (seen[w] ^ expected[w]) & alive[w];
            }
        }
        if let Some(lane) = lanes_of(&differ).next() {
            return Some((nodes[lane / valuations], symbol(lane)));
        }
        let mut after = listing.after(&self.lanes);
        for (&latch, &unread) in self.unread.iter().zip(unread) {
            after[latch] = unread;
        }
        let mut state = vec![0; listing.latches.len().div_ceil(64)];
        for lane in lanes_of(&alive) {
            let node = nodes[lane / valuations];
            let original = self.nodes[node as usize].original;
            state_of(&after, lane, &mut state);
            let mutant = self.number(&state);
            let original = listing.successors(original)[lane % valuations];
            self.reach(original, mutant, node, symbol(lane));
        }
        None
    }

    /// Returns the number of a state of the mutant; a new state gets the next number.
    fn number(&mut self, state: &[u64]) -> State {
        match self.listing.states.find(state) {
            Some(number) => number,
            None => self.listing.states.len() as State + self.own.number(state),
        }
    }

    /// Adds a node for a pair of states, unless it has been reached before.
    fn reach(&mut self, original: State, mutant: State, parent: u32, symbol: Symbol) {
        debug_assert_ne!(original, NOWHERE);
        let node = self.nodes.len() as u32;
        let known = if original == mutant {
            &mut self.together[original as usize]
        } else {
            self.apart.entry((original, mutant)).or_insert(NONE)
        };
        if *known == NONE {
            *known = node;
            self.nodes.push(Node {
                original,
                mutant,
                parent,
                symbol,
            });
        }
    }

    /// Returns the runs that lead to a node and take a step with these inputs there.
    fn found(&self, node: u32, symbol: Symbol) -> Found {
        let mut symbols = vec![symbol];
        let mut at = self.nodes[node as usize];
        while at.parent != NONE {
            symbols.push(at.symbol);
            at = self.nodes[at.parent as usize];
        }
        symbols.reverse();
        let run = self.listing.stimulus(at.original, &symbols, &self.choices);
        Found {
            steps: symbols.len(),
            runs: vec![run.clone(), run],
        }
    }
}

/// Copies `count` lanes, a power of two, from lane `first` to lane `at`, both multiples of `count`; the target lanes must be 0.
fn copy_lanes(from: &Word, first: usize, to: &mut Word, at: usize, count: usize) {
    if count >= 64 {
        let words = count / 64;
        to[at / 64..at / 64 + words].copy_from_slice(&from[first / 64..first / 64 + words]);
    } else {
        let lanes = from[first / 64] >> (first % 64) & ((1 << count) - 1);
        to[at / 64] |= lanes << (at % 64);
    }
}
