//! Finds resets at clock steps, which look like other logic, by simulation: holding a reset makes registers known.
//!
//! A circuit in which all registers have initial values needs no reset. Otherwise each input of one bit is held at each level for some
//! clock steps in three-valued simulation. All other inputs are 0. Choices and registers without initial values are unknown.

use std::cmp::Ordering;
use std::ops::Range;

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::system::{Init, InputRole, TransitionSystem};
use hyperkill_core::term::{Term, TermId};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Var};

use crate::hardware::Ticks;
use crate::options::FrontendOptions;

use super::facts::Facts;
use super::several;
use super::timing::{ResetInput, Ticking, Timing};

/// The number of clock steps for which an input is held.
pub const MOST_STEPS: usize = 8;

/// Parts of names of resets, in lower case.
const NAMES: [&str; 3] = ["rst", "reset", "clr"];

/// The state of a model that counts the steps of a period ([`crate::hardware::Ticks::Round`]), 0 in the first one.
pub const ROUND: &str = "@round";

/// An input that is held at a level.
struct Held {
    /// The index of the input among those of the facts.
    place: usize,
    active: bool,
    says_reset: bool,
    /// The number of known bits after each step, from the first.
    known: Vec<usize>,
}

impl Held {
    fn most(&self) -> usize {
        self.known.iter().copied().max().unwrap_or(0)
    }

    /// Returns the smallest number of steps after which as many bits are known as ever.
    fn steps(&self) -> usize {
        let most = self.most();
        let first = self.known.iter().position(|known| *known == most);
        first.map_or(MOST_STEPS, |steps| steps + 1)
    }
}

/// Whether a synchronous reset is searched for. It is not if there is an asynchronous reset, if an option names a reset, or with
/// `--reset none`.
pub fn is_looked_for<Id>(options: &FrontendOptions, timing: &Timing<Id>) -> bool {
    !options.hardware.infer_no_resets
        && options.hardware.resets.is_empty()
        && timing.resets.is_empty()
}

/// Searches for a synchronous reset, if it [is looked for](is_looked_for), and records it in `timing`. Returns whether there is one.
/// `system` is the circuit without mutants and without that reset.
pub fn infer_synchronous<Id: Copy + PartialEq>(
    system: &TransitionSystem,
    facts: &Facts<Id>,
    options: &FrontendOptions,
    timing: &mut Timing<Id>,
) -> bool {
    let all_begin = || {
        system
            .states
            .iter()
            .all(|state| begins(system, &state.init))
    };
    if !is_looked_for(options, timing) || all_begin() {
        return false;
    }
    let Ok(blasted) = bit_blast(system) else {
        // The error of this circuit is reported elsewhere.
        return false;
    };
    let mut circuit = Circuit::new(system, &blasted.model);
    circuit.tick_all(facts, timing);
    let all = circuit.seen.len();
    if circuit.known_at_once() == all {
        return false;
    }
    let held = candidates(system, facts, timing, &circuit);
    let Some(best) = best(held, all) else {
        return false;
    };
    let input = &facts.inputs[best.place];
    let (name, level, steps) = (&input.name, u8::from(best.active), best.steps());
    let edges = if steps == 1 { "edge" } else { "edges" };
    timing.notes.push(format!(
        "`{name}` is a reset: {level} for {steps} {edges} before the first step, all other inputs 0"
    ));
    let most = best.most();
    timing.notes.push(format!(
        "`{name}` was found to be a reset: it makes known {most} of {all} bits of registers that outputs depend on \
        (--reset none: no reset)"
    ));
    timing.resets.push(ResetInput {
        input: input.id,
        active: best.active,
        steps,
    });
    several::note_resets(facts, timing);
    true
}

/// Whether a register's initial value `init` is a constant; a free value and a value computed from inputs are none.
fn begins(system: &TransitionSystem, init: &Init) -> bool {
    match init {
        Init::Free => false,
        Init::Term(term) => is_constant(system, *term),
    }
}

fn is_constant(system: &TransitionSystem, term: TermId) -> bool {
    match system.terms.term(term) {
        Term::Constant(_) => true,
        Term::Cast(inner) => is_constant(system, *inner),
        _ => false,
    }
}

/// Returns test inputs of one bit, each at the level that makes more bits known, if the level matters.
fn candidates<Id: Copy + PartialEq>(
    system: &TransitionSystem,
    facts: &Facts<Id>,
    timing: &Timing<Id>,
    circuit: &Circuit<'_>,
) -> Vec<Held> {
    let mut found = Vec::new();
    for (place, input) in facts.inputs.iter().enumerate() {
        let is_test = |name: &str| {
            let mut all = system.inputs.iter();
            all.any(|other| other.name == name && other.role == InputRole::Test)
        };
        if input.width != 1 || timing.is_clock(input.id) || !is_test(&input.name) {
            continue;
        }
        let small = input.name.to_lowercase();
        let says_reset = NAMES.iter().any(|part| small.contains(part));
        let [low, high] = [false, true].map(|active| Held {
            place,
            active,
            says_reset,
            known: circuit.known_after(&input.name, active),
        });
        // The level that makes more bits known, or the same number earlier.
        let rank = |held: &Held| (held.most(), std::cmp::Reverse(held.steps()));
        let makes_all = high.most() == circuit.seen.len();
        let is_read = || circuit.reads(&input.name);
        let chosen = match low.most().cmp(&high.most()) {
            Ordering::Less => Some(high),
            Ordering::Greater => Some(low),
            // Shifting zeros through a register also makes all bits known. An input with the name of a reset is one nevertheless.
            Ordering::Equal if !(makes_all && says_reset && is_read()) => None,
            Ordering::Equal => match rank(&low).cmp(&rank(&high)) {
                Ordering::Less => Some(high),
                Ordering::Greater => Some(low),
                Ordering::Equal if small.starts_with('n') || small.ends_with('n') => Some(low),
                Ordering::Equal => Some(high),
            },
        };
        found.extend(chosen);
    }
    found
}

/// Returns the reset among the candidates. The best one makes all bits known, has the name of a reset, is active at 1, and needs the fewest
/// steps. If none makes all bits known, the best one has the name of a reset and makes the most bits known. `None` if no candidate makes
/// all bits known or has the name of a reset. `all` is the number of bits.
fn best(held: Vec<Held>, all: usize) -> Option<Held> {
    let wanted = held
        .into_iter()
        .filter(|held| held.says_reset || held.most() == all);
    wanted.min_by_key(|held| {
        let short = all - held.most();
        (
            short > 0,
            !held.says_reset,
            short,
            !held.active,
            held.steps(),
            held.place,
        )
    })
}

/// A circuit for three-valued simulation.
struct Circuit<'a> {
    model: &'a ConditionalMutant,
    /// For each latch whether it has a value at power-up.
    start: Vec<Ternary>,
    /// The latches of registers that outputs and constraints depend on.
    seen: Vec<usize>,
    /// The inputs that outputs and constraints depend on.
    read: Vec<usize>,
    /// Test inputs that make clocks tick; they are 1 at every step.
    ticking: Vec<String>,
    /// The number of ticks of all clocks in a step.
    ticks: usize,
    /// The latches of the state that counts the steps of a period; all clocks tick in its first step.
    round: Range<usize>,
}

/// 0, 1 or unknown.
type Ternary = Option<bool>;

impl<'a> Circuit<'a> {
    fn new(system: &TransitionSystem, model: &'a ConditionalMutant) -> Circuit<'a> {
        let aig = &model.aig;
        let mut start: Vec<Ternary> = aig.latches().iter().map(of_reset).collect();
        // Registers come first; the system determines their initial values.
        let (mut latch, mut round) = (0, 0..0);
        for state in &system.states {
            let width = state.sort.width();
            if state.name == ROUND {
                round = latch..latch + width;
            }
            if !begins(system, &state.init) {
                start[latch..latch + width].fill(None);
            }
            latch += width;
        }
        let registers = latch;
        let (seen, read) = latches_and_inputs_seen(aig);
        Circuit {
            model,
            start,
            seen: seen
                .into_iter()
                .filter(|latch| *latch < registers)
                .collect(),
            read,
            ticking: Vec::new(),
            ticks: 1,
            round,
        }
    }

    /// Sets the inputs and states of the circuit so that all clocks tick at every step that [`Circuit::known_after`] evaluates.
    fn tick_all<Id: Copy + PartialEq>(&mut self, facts: &Facts<Id>, timing: &Timing<Id>) {
        let inputs = facts.inputs.iter();
        let chosen = inputs.filter(|input| timing.is_chosen(input.id));
        self.ticking = chosen.map(|input| input.name.clone()).collect();
        self.ticks = timing.ticks_of_a_reset();
        let in_rounds = |clock: &Ticking<Id>| matches!(clock.ticks, Ticks::Round(_));
        if !timing.ticking.iter().any(in_rounds) {
            self.round = 0..0;
        }
    }

    /// Whether outputs or constraints depend on the input `name`.
    fn reads(&self, name: &str) -> bool {
        let mut ports = self.model.inputs.iter().filter(|port| port.name == name);
        ports.any(|port| port.bits.iter().any(|bit| self.read.contains(bit)))
    }

    fn known_at_once(&self) -> usize {
        let known = self
            .seen
            .iter()
            .filter(|latch| self.start[**latch].is_some());
        known.count()
    }

    /// Returns the number of known visible bits after each step in which the input `name` is held at `active`. Inputs that make clocks tick
    /// are 1, and all others are 0. The list may end early when the state no longer changes.
    fn known_after(&self, name: &str, active: bool) -> Vec<usize> {
        let aig = &self.model.aig;
        let mut inputs = vec![None; aig.inputs().len()];
        for port in &self.model.inputs {
            let held = active && port.name == name && port.sort.width() == 1;
            let value = held || self.ticking.contains(&port.name);
            for &bit in &port.bits {
                inputs[bit] = Some(value);
            }
        }
        let (mut state, mut values) = (self.start.clone(), Vec::with_capacity(aig.len()));
        let mut known = Vec::with_capacity(MOST_STEPS);
        for tick in 1..=MOST_STEPS * self.ticks {
            values.clear();
            for (_, node) in aig.nodes() {
                let value = match node {
                    Node::False => Some(false),
                    Node::Input(input) => inputs[input as usize],
                    Node::Latch(latch) => state[latch as usize],
                    Node::And(a, b) => match (value_of(&values, a), value_of(&values, b)) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (Some(true), Some(true)) => Some(true),
                        _ => None,
                    },
                };
                values.push(value);
            }
            let latches = aig.latches().iter();
            let next = latches.map(|latch| value_of(&values, latch.next)).collect();
            let before = std::mem::replace(&mut state, next);
            state[self.round.clone()].fill(Some(false));
            if tick % self.ticks != 0 {
                continue;
            }
            let bits = self.seen.iter().filter(|latch| state[**latch].is_some());
            known.push(bits.count());
            if before == state && self.ticks == 1 {
                break;
            }
        }
        known
    }
}

fn of_reset(latch: &hyperkill_core::aig::Latch) -> Ternary {
    match latch.reset {
        Reset::Zero => Some(false),
        Reset::One => Some(true),
        Reset::Free => None,
    }
}

fn value_of(values: &[Ternary], lit: Lit) -> Ternary {
    values[lit.var().index()].map(|value| value ^ lit.is_negated())
}

/// Returns the latches and inputs that outputs and constraints depend on, at any step.
fn latches_and_inputs_seen(aig: &Aig) -> (Vec<usize>, Vec<usize>) {
    let roots = aig.outputs.iter().chain(&aig.constraints);
    let mut open: Vec<Var> = roots.map(|signal| signal.lit.var()).collect();
    let mut seen = vec![false; aig.len()];
    let (mut found, mut inputs) = (Vec::new(), Vec::new());
    while let Some(var) = open.pop() {
        if std::mem::replace(&mut seen[var.index()], true) {
            continue;
        }
        match aig.node(var) {
            Node::And(a, b) => open.extend([a.var(), b.var()]),
            Node::Latch(latch) => {
                found.push(latch as usize);
                open.push(aig.latches()[latch as usize].next.var());
            }
            Node::Input(input) => inputs.push(input as usize),
            Node::False => {}
        }
    }
    found.sort_unstable();
    (found, inputs)
}
