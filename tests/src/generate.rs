//! Seeded random conditional mutants, small enough for the oracle and varied enough to exercise the engines.
//!
//! In plain random circuits, a mutant is killed in one step or not at all. So every circuit contains a small machine with deep states and
//! unreachable states, and mutations may be guarded by either. Kills then need several steps, and equivalence has reasons that an engine
//! must find. The same seed gives the same circuit on every platform. The tests measure the resulting mix; nothing here assumes it.

use hyperkill_core::{ConditionalMutant, Lit, Reset};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::circuit::Circuit;
use crate::lock::combination_lock;

/// Sources of non-determinism.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// There are no choices at all.
    Deterministic,
    /// Only mutations read choices: the model is deterministic, the mutants need not be.
    MutantChooses,
    /// Choice inputs and free initial values anywhere.
    Choices,
    /// As `Choices`, in smaller systems whose sets of states can all be listed: 2–4 hidden latches with at most two free initial values,
    /// 1–2 inputs, up to 3 choices, 1–2 outputs, 1–2 selectors, sometimes a constraint. In some the model announces a choice, and only a
    /// tester who reacts to it sees the mutation.
    Small,
}

impl Kind {
    /// Whether the model itself may make choices.
    fn chooses(self) -> bool {
        matches!(self, Kind::Choices | Kind::Small)
    }
}

/// Returns a system of each kind in turn; every fifth is a combination lock, so that some mutants differ late only.
#[must_use]
pub fn of_any_kind(seed: u64) -> ConditionalMutant {
    match seed % 5 {
        0 => conditional_mutant(seed, Kind::Deterministic),
        1 => conditional_mutant(seed, Kind::MutantChooses),
        2 => conditional_mutant(seed, Kind::Choices),
        3 => conditional_mutant(seed, Kind::Small),
        _ => combination_lock(seed),
    }
}

/// Returns the conditional mutant with this seed. Unless the kind is [`Kind::Small`], it has 2–6 hidden latches, 1–3 inputs, up to 3
/// choices, 1–3 outputs, 1–3 selectors, and sometimes constraints.
#[must_use]
pub fn conditional_mutant(seed: u64, kind: Kind) -> ConditionalMutant {
    let mut draft = Draft::new(seed, kind);
    let skeleton = draft.skeleton();
    draft.announce();
    draft.gates();
    draft.connect(skeleton);
    draft.constraints();
    draft.outputs();
    draft.circuit.finish(&format!("random-{seed}"))
}

/// A mutation without a place yet.
struct Mutation {
    selector: Lit,
    /// The index of the mutated place in the circuit, see [`Draft::place`].
    place: usize,
}

/// The next-state functions of the latches in the inner machine.
struct Skeleton {
    next: Vec<(Lit, Lit)>,
    /// Latches outside the inner machine.
    others: Vec<Lit>,
}

struct Draft {
    rng: ChaCha8Rng,
    circuit: Circuit,
    kind: Kind,
    inputs: Vec<Lit>,
    choices: Vec<Lit>,
    latches: Vec<Lit>,
    gates: usize,
    outputs: usize,
    /// Signals to build from, in order of increasing complexity.
    pool: Vec<Lit>,
    /// Signals that are true in a state several steps from the initial ones.
    deep: Vec<Lit>,
    /// Signals that are true in no reachable state, as long as the skeleton itself is not mutated.
    never: Vec<Lit>,
    /// Whether the model announces a choice.
    announces: bool,
    /// The announced choice, one step after an output has shown it.
    announced: Option<Lit>,
    mutations: Vec<Mutation>,
    places: usize,
}

impl Draft {
    /// Draws the sizes and declares all wires in random order, so that roles do not depend on positions.
    fn new(seed: u64, kind: Kind) -> Draft {
        #[derive(Clone, Copy)]
        enum Wire {
            Input,
            Choice,
            Latch,
            Selector,
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let choices = match kind {
            Kind::Deterministic => 0,
            Kind::MutantChooses => rng.random_range(1..=2),
            Kind::Choices | Kind::Small => rng.random_range(0..=3),
        };
        let small = kind == Kind::Small;
        let announces = small && rng.random_bool(0.6);
        let most = |small_most, most| if small { small_most } else { most };
        let mut wires = vec![Wire::Input; rng.random_range(1..=most(2, 3))];
        wires.extend(vec![Wire::Choice; choices]);
        wires.extend(vec![Wire::Latch; rng.random_range(2..=most(4, 6))]);
        wires.extend(vec![Wire::Selector; rng.random_range(1..=most(2, 3))]);
        wires.shuffle(&mut rng);

        let mut draft = Draft {
            kind,
            circuit: Circuit::new(),
            inputs: Vec::new(),
            choices: Vec::new(),
            latches: Vec::new(),
            gates: rng.random_range(3..=most(6, 9)),
            // An announcement is an output as well, but no place for a mutation.
            outputs: if announces {
                1
            } else {
                rng.random_range(1..=most(2, 3))
            },
            pool: Vec::new(),
            deep: Vec::new(),
            never: Vec::new(),
            announces,
            announced: None,
            mutations: Vec::new(),
            places: 0,
            rng,
        };
        for wire in wires {
            match wire {
                Wire::Input => {
                    let name = format!("i{}", draft.inputs.len());
                    draft.inputs.push(draft.circuit.input(&name));
                }
                Wire::Choice => {
                    let name = format!("n{}", draft.choices.len());
                    draft.choices.push(draft.circuit.choice(&name));
                }
                Wire::Latch => {
                    let name = format!("x{}", draft.latches.len());
                    let reset = draft.reset();
                    draft.latches.push(draft.circuit.latch(&name, reset));
                }
                Wire::Selector => {
                    let name = format!("m{}", draft.mutations.len());
                    let selector = draft.circuit.selector(&name);
                    draft.mutations.push(Mutation { selector, place: 0 });
                }
            }
        }
        let gates = draft.gates;
        let latches = gates + draft.latches.len();
        let outputs = latches + draft.outputs;
        for mutation in &mut draft.mutations {
            // Many gates have no readers, so gates receive fewer mutations than their number suggests.
            mutation.place = match draft.rng.random_range(0..4) {
                0 if !small => draft.rng.random_range(0..gates),
                1 | 2 => draft.rng.random_range(gates..latches),
                _ => draft.rng.random_range(latches..outputs),
            };
        }
        draft.pool.extend(&draft.inputs);
        draft.pool.extend(&draft.latches);
        if kind.chooses() {
            draft.pool.extend(&draft.choices);
        }
        draft
    }

    fn reset(&mut self) -> Reset {
        match self.rng.random_range(0..8) {
            0 if self.kind.chooses() => Reset::Free,
            0..=2 => Reset::One,
            _ => Reset::Zero,
        }
    }

    fn any(&mut self, from: &[Lit]) -> Lit {
        let lit = from.choose(&mut self.rng).copied().unwrap_or(Lit::FALSE);
        lit ^ self.rng.random_bool(0.5)
    }

    fn any_input(&mut self) -> Lit {
        let inputs = self.inputs.clone();
        self.any(&inputs)
    }

    /// Returns a literal of the pool; late ones are preferred.
    fn any_signal(&mut self) -> Lit {
        let (a, b) = (
            self.rng.random_range(0..self.pool.len()),
            self.rng.random_range(0..self.pool.len()),
        );
        self.pool[a.max(b)] ^ self.rng.random_bool(0.5)
    }

    /// Builds the inner machine: a shift register, a counter with or without a wrap at three, or a token ring. In its initial state all its
    /// latches are 0 or, for the token ring, all but the first.
    fn skeleton(&mut self) -> Skeleton {
        let mut latches = self.latches.clone();
        latches.shuffle(&mut self.rng);
        let size = latches.len().min(self.rng.random_range(2..=3));
        let others = latches.split_off(size);
        for &latch in &latches {
            self.set_reset(latch, Reset::Zero);
        }
        let advance = match self.rng.random_range(0..4) {
            0 => Lit::TRUE,
            1 => {
                let (a, b) = (self.any_input(), self.any_input());
                self.circuit.aig.and(a, b)
            }
            _ => self.any_input(),
        };
        let next = match self.rng.random_range(0..4) {
            0 => self.shift_register(&latches, advance),
            1 => self.token_ring(&latches, advance),
            wrap => self.counter(&latches[..2], advance, wrap == 2),
        };
        let used: Vec<Lit> = next.iter().map(|&(latch, _)| latch).collect();
        let spare = latches.iter().filter(|latch| !used.contains(latch));
        Skeleton {
            others: others.iter().chain(spare).copied().collect(),
            next,
        }
    }

    /// Builds a shift register that records how often in a row `advance` held. It is full only after as many steps as it has latches.
    /// Returns each latch with its next value.
    fn shift_register(&mut self, latches: &[Lit], advance: Lit) -> Vec<(Lit, Lit)> {
        let full = self.circuit.aig.and_all(latches);
        self.deep.push(full);
        let mut before = advance;
        let mut next = Vec::new();
        for &latch in latches {
            let filled = self.circuit.aig.and(advance, before);
            next.push((latch, filled));
            before = latch;
        }
        // The register fills from the first latch on: the last is never 1 while the first is 0.
        let hole = self
            .circuit
            .aig
            .and(!latches[0], latches[latches.len() - 1]);
        self.never.push(hole);
        next
    }

    /// Builds a token ring: exactly one latch is 1, and the token moves on when `advance` holds. Returns each latch with its next value.
    fn token_ring(&mut self, latches: &[Lit], advance: Lit) -> Vec<(Lit, Lit)> {
        self.set_reset(latches[0], Reset::One);
        let last = latches[latches.len() - 1];
        self.deep.push(last);
        let two = self.circuit.aig.and(latches[0], last);
        let none = self
            .circuit
            .aig
            .and_all(&latches.iter().map(|&l| !l).collect::<Vec<_>>());
        self.never.extend([two, none]);
        (0..latches.len())
            .map(|k| {
                let previous = latches[(k + latches.len() - 1) % latches.len()];
                (
                    latches[k],
                    self.circuit.aig.ite(advance, previous, latches[k]),
                )
            })
            .collect()
    }

    /// Builds a counter of the steps in which `advance` held, modulo 4 or, with `wrap`, modulo 3. `bits` has the lower bit first. Returns
    /// each latch with its next value.
    fn counter(&mut self, bits: &[Lit], advance: Lit, wrap: bool) -> Vec<(Lit, Lit)> {
        let aig = &mut self.circuit.aig;
        let (low, high) = (bits[0], bits[1]);
        let two = aig.and(high, !low);
        let three = aig.and(high, low);
        let (next_low, next_high) = if wrap {
            self.deep.push(two);
            self.never.push(three);
            (aig.and(!low, !high), low)
        } else {
            self.deep.extend([two, three]);
            (!low, aig.xor(low, high))
        };
        vec![
            (low, aig.ite(advance, next_low, low)),
            (high, aig.ite(advance, next_high, high)),
        ]
    }

    /// In some systems, adds a choice that an output shows one step before it has an effect: a new choice in every step, or one initial
    /// value.
    fn announce(&mut self) {
        if !self.announces {
            return;
        }
        let choice = self.choices.choose(&mut self.rng).copied();
        let (shown, remembered) = match choice.filter(|_| self.rng.random_bool(0.8)) {
            Some(choice) => {
                let latch = self.circuit.latch("a", Reset::Zero);
                self.circuit.set_next(latch, choice);
                (choice, latch)
            }
            None => {
                let latch = self.circuit.latch("a", Reset::Free);
                (latch, latch)
            }
        };
        if self.rng.random_bool(0.15) {
            // Here the choice is not shown.
            self.latches.push(remembered);
            self.pool.push(remembered);
        } else {
            self.circuit.output("a", shown);
        }
        self.announced = Some(remembered);
    }

    fn set_reset(&mut self, latch: Lit, reset: Reset) {
        let aig = &mut self.circuit.aig;
        if let Some(index) = aig.latches().iter().position(|l| l.var.lit() == latch) {
            aig.set_reset(index, reset);
        }
    }

    /// Adds random logic over all signals declared so far.
    fn gates(&mut self) {
        for _ in 0..self.gates {
            let gate = self.random_gate();
            let gate = self.place(gate);
            self.pool.push(gate);
        }
    }

    fn random_gate(&mut self) -> Lit {
        let (a, b) = (self.any_signal(), self.any_signal());
        match self.rng.random_range(0..6) {
            0 => self.circuit.aig.xor(a, b),
            1 => {
                let c = self.any_signal();
                self.circuit.aig.ite(a, b, c)
            }
            _ => self.circuit.aig.and(a, b),
        }
    }

    /// Sets the next-state functions of all latches.
    fn connect(&mut self, skeleton: Skeleton) {
        let mut next = skeleton.next;
        for latch in skeleton.others {
            let value = match self.rng.random_range(0..3) {
                // A register with an enable.
                0 => {
                    let (enable, value) = (self.any_input(), self.any_signal());
                    self.circuit.aig.ite(enable, value, latch)
                }
                // A delay.
                1 => {
                    let latches = self.latches.clone();
                    self.any(&latches)
                }
                _ => self.any_signal(),
            };
            next.push((latch, value));
        }
        for (latch, value) in next {
            let value = self.place(value);
            self.circuit.set_next(latch, value);
        }
    }

    /// In some systems, adds a clause as a constraint, weak enough that most runs live. In some of these, only the model or only a mutant
    /// must satisfy it.
    fn constraints(&mut self) {
        let small = self.kind == Kind::Small;
        if self.rng.random_bool(if small { 0.5 } else { 0.7 }) {
            return;
        }
        let mut clause = vec![self.any_signal(), self.any_signal()];
        let choices = self.choices.clone();
        if small && !choices.is_empty() && self.rng.random_bool(0.5) {
            clause[0] = self.any(&choices);
        } else if self.rng.random_bool(if small { 0.2 } else { 0.5 }) {
            clause.push(self.any_signal());
        }
        if let (true, Some(mutation)) = (
            self.rng.random_bool(0.4),
            self.mutations.choose(&mut self.rng),
        ) {
            clause.push(mutation.selector ^ self.rng.random_bool(0.5));
        }
        let clause = self.circuit.aig.or_all(&clause);
        self.circuit.constrain(clause);
    }

    /// Adds the outputs: Moore (latches only) or Mealy.
    fn outputs(&mut self) {
        for k in 0..self.outputs {
            let value = if self.rng.random_bool(0.5) {
                let latches = self.latches.clone();
                let (a, b) = (self.any(&latches), self.any(&latches));
                self.circuit.aig.xor(a, b)
            } else {
                self.any_signal()
            };
            let value = self.hide(value);
            let value = self.place(value);
            self.circuit.output(&format!("o{k}"), value);
        }
    }

    /// Returns `value` or, in some small systems, a literal that depends on a choice, too: in small systems few signals do.
    fn hide(&mut self, value: Lit) -> Lit {
        let choice = self.choices.choose(&mut self.rng).copied();
        let (Kind::Small, Some(choice)) = (self.kind, choice) else {
            return value;
        };
        let when = self.any_signal();
        let aig = &mut self.circuit.aig;
        match self.rng.random_range(0..4) {
            0 => aig.and(value, choice),
            1 => aig.ite(when, choice, value),
            _ => value,
        }
    }

    /// Returns the literal for the next place of the circuit: `original`, with the mutations of this place applied.
    fn place(&mut self, original: Lit) -> Lit {
        let here = self.places;
        self.places += 1;
        let selectors: Vec<Lit> = self
            .mutations
            .iter()
            .filter(|mutation| mutation.place == here)
            .map(|mutation| mutation.selector)
            .collect();
        let mut value = original;
        for selector in selectors {
            let mutated = self.mutate(original);
            let guard = self.guard();
            let active = self.circuit.aig.and(selector, guard);
            value = self.circuit.aig.ite(active, mutated, value);
        }
        value
    }

    /// Returns the condition under which a mutation has an effect.
    fn guard(&mut self) -> Lit {
        if let Some(announced) = self.announced.filter(|_| self.rng.random_bool(0.85)) {
            let input = self.any_input();
            let heeded = self.circuit.aig.iff(input, announced);
            let deep = self.deep.clone();
            let deep = deep.choose(&mut self.rng).copied();
            let when = deep.filter(|_| self.rng.random_bool(0.5));
            return self.circuit.aig.and(heeded, when.unwrap_or(Lit::TRUE));
        }
        let (deep, never) = (self.deep.clone(), self.never.clone());
        match self.rng.random_range(0..10) {
            0..=2 => Lit::TRUE,
            3..=6 => deep.choose(&mut self.rng).copied().unwrap_or(Lit::TRUE),
            7 => never.choose(&mut self.rng).copied().unwrap_or(Lit::FALSE),
            8 => {
                // Deep states, under one input only.
                let deep = deep.choose(&mut self.rng).copied().unwrap_or(Lit::TRUE);
                let input = self.any_input();
                self.circuit.aig.and(deep, input)
            }
            _ => self.any_signal(),
        }
    }

    /// Returns the replacement for `original`: another function, or the same function in other gates.
    fn mutate(&mut self, original: Lit) -> Lit {
        if self.announced.is_some() && self.rng.random_bool(0.75) {
            return !original;
        }
        let choices = self.choices.clone();
        let signal = self.any_signal();
        // Small systems have enough equivalent mutants without the last form.
        let most = if self.kind == Kind::Small { 7 } else { 8 };
        match self.rng.random_range(0..most) {
            0 | 1 => !original,
            2 => Lit::constant(signal.is_negated()),
            3 if !choices.is_empty() => self.any(&choices),
            3 | 4 => signal,
            5 => self.circuit.aig.and(original, signal),
            // Absorption and distribution, deeper than the graph's own minimisation: equal to the original.
            6 => {
                let other = self.any_signal();
                let aig = &mut self.circuit.aig;
                let with = aig.and(original, signal);
                let both = aig.and(with, other);
                aig.or(both, original)
            }
            _ => {
                let other = self.any_signal();
                let aig = &mut self.circuit.aig;
                let with = aig.and(original, signal);
                let with_other = aig.and(original, other);
                let neither = aig.and(!signal, !other);
                let without = aig.and(original, neither);
                let some = aig.or(with, with_other);
                aig.or(some, without)
            }
        }
    }
}
