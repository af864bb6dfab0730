//! Builds the product for a question about a strategy: the step's circuit is instantiated once for every valuation of the choices.

use std::collections::BTreeMap;

use hyperkill_core::product::{Copy, CopySpec, Product};
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset};
use hyperkill_evidence::fault::{self, Fault};
use hyperkill_evidence::question::{Aim, Assignment, Options, Preference, Steered, When};

use super::retiming::{Instance, Retimed, image};
use super::{Reachability, StateBit};

/// Returns the question about a strategy as a reachability question over a product of the model.
pub(super) fn pose(question: &Steered, model: &ConditionalMutant) -> Reachability {
    Posing::new(question, model).finish()
}

/// The product of a question about a strategy, under construction.
struct Posing<'a> {
    question: &'a Steered,
    model: &'a ConditionalMutant,
    aig: Aig,
    /// Copies that make their own choices: copy 1 unless the strategy chooses for it, then the witnesses that inputs are accepted.
    plain: Vec<Copy>,
    steered: Vec<Retimed<'a>>,
    /// The literal that is true in the first step only; `None` if the first step needs no distinction.
    first: Option<Lit>,
    /// The literals of copy 1's late choices of the previous step.
    remembered: Vec<Lit>,
    /// Product latches (by index) that belong to no copy, each with the value of a copy that it stores.
    remembers: Vec<(usize, StateBit)>,
}

/// The strategy's choices, as literals, in the first step or in later ones.
struct Plan {
    /// For each copy that the strategy chooses for, the chosen bits.
    own: Vec<Vec<Lit>>,
    /// The literal that is true if no choice keeps the outputs equal.
    stuck: Lit,
}

impl<'a> Posing<'a> {
    fn new(question: &'a Steered, model: &'a ConditionalMutant) -> Posing<'a> {
        let [original, mutant] = question.variants();
        let mut variants = match question.aim {
            Aim::Track => vec![mutant],
            Aim::Agree => Vec::new(),
        };
        variants.extend(&question.witnesses);
        let specs = variants.iter().enumerate().map(|(i, &variant)| CopySpec {
            variant,
            inputs_of: (i > 0).then_some(0),
            choices_of: None,
        });
        let product = Product::new(model, &specs.collect::<Vec<_>>());
        let mut posing = Posing {
            question,
            model,
            aig: product.aig,
            plain: product.copies,
            steered: Vec::new(),
            first: None,
            remembered: Vec::new(),
            remembers: Vec::new(),
        };
        let inputs = posing.test_inputs();
        for (number, (variant, options)) in [original, mutant]
            .into_iter()
            .zip(&question.options)
            .enumerate()
        {
            let inputs = inputs.clone();
            let copy = Retimed::declare(&mut posing.aig, model, variant, options, inputs, number);
            let remembered = copy.remembered().iter();
            let remembered =
                remembered.map(|&(index, lit)| (index, StateBit::Before { copy: number, lit }));
            posing.remembers.extend(remembered);
            posing.steered.push(copy);
        }
        if question.options.iter().any(Options::first_is_special) {
            posing.first = Some(posing.aig.add_latch(Reset::One, None));
            let latch = posing.aig.latches().len() - 1;
            posing.aig.set_next(latch, Lit::FALSE);
            posing.remembers.push((latch, StateBit::First));
        }
        if question.remembers_choices() {
            posing.remember_choices();
        }
        posing
    }

    /// Returns the product's literals for the test inputs: those of a plain copy, or new ones.
    fn test_inputs(&mut self) -> Vec<Option<Lit>> {
        let mut inputs = vec![None; self.model.aig.inputs().len()];
        for bit in self.model.input_bits() {
            inputs[bit] = match self.plain.first() {
                Some(copy) => copy.inputs[bit],
                None => Some(
                    self.aig
                        .add_input(self.model.aig.inputs()[bit].name.clone()),
                ),
            };
        }
        inputs
    }

    fn remember_choices(&mut self) {
        for &bit in &self.question.options[0].late {
            let chosen = self.plain[0].inputs[bit].unwrap_or(Lit::FALSE);
            let latch = self.aig.latches().len();
            let lit = self.aig.add_latch(Reset::Zero, None);
            self.aig.set_next(latch, chosen);
            self.remembered.push(lit);
            // A choice that no copy reads is not remembered.
            if self.plain[0].inputs[bit].is_some() {
                let lit = self.model.aig.inputs()[bit].var.lit();
                self.remembers
                    .push((latch, StateBit::Before { copy: 1, lit }));
            }
        }
    }

    /// Returns the choices of copy 1 as literals, for a strategy that copies them.
    fn copied(&self, when: When) -> Vec<Lit> {
        let options = &self.question.options[0];
        let other = &self.plain[0];
        let mut bits = match when {
            When::First => {
                let latches = options.initial.iter().map(|&latch| other.latches[latch]);
                let lits = latches.map(|index| index.map(|i| self.aig.latches()[i].var.lit()));
                lits.map(|lit| lit.unwrap_or(Lit::FALSE)).collect()
            }
            When::Later => self.remembered.clone(),
        };
        let early = options.early.iter().map(|&bit| other.inputs[bit]);
        bits.extend(early.map(|lit| lit.unwrap_or(Lit::FALSE)));
        bits
    }

    /// Returns the circuit of a step of a copy that the strategy chooses for, given all bits of its choices.
    fn instance(&mut self, copy: usize, when: When, bits: &[Lit]) -> Instance {
        let retimed = &self.steered[copy];
        let options = &self.question.options[copy];
        let state = match when {
            When::First => {
                let (initial, _) = bits.split_at(options.initial.len());
                retimed.first_state(initial)
            }
            When::Later => {
                let (late, _) = bits.split_at(options.late.len());
                retimed.later_state(&mut self.aig, late)
            }
        };
        let early = &bits[bits.len() - options.early.len()..];
        retimed.step(&mut self.aig, state, early)
    }

    /// Returns the literal that is true iff in these steps of the steered copies constraints hold and outputs are equal.
    fn matches(&mut self, steps: &[&Instance]) -> Lit {
        let mut holds: Vec<Lit> = steps.iter().map(|step| step.valid).collect();
        if fault::planted(Fault::UnconstrainedStrategy) {
            holds.clear();
        }
        let mut outputs = steps.iter().map(|step| &step.outputs);
        let both = outputs
            .next()
            .zip(outputs.next().or(self.plain.first().map(|q| &q.outputs)));
        for (&a, &b) in both.into_iter().flat_map(|(a, b)| a.iter().zip(b)) {
            holds.push(self.aig.iff(a, b));
        }
        self.aig.and_all(&holds)
    }

    /// Returns the literal that is true iff these steps have equal outputs and keep constraints, and, if `alike`, keep the states equal.
    fn suits(&mut self, steps: &[&Instance], when: When, alike: bool) -> Lit {
        let matches = self.matches(steps);
        if !alike {
            return matches;
        }
        let shaped = &self.question.shaped;
        let mut pairs: Vec<[Lit; 2]> = Vec::new();
        for &latch in shaped.now(when) {
            let plain = self.plain.first().and_then(|copy| copy.latches[latch]);
            let other = match (steps.get(1), plain) {
                (Some(other), _) => other.state[latch],
                (None, Some(index)) => self.aig.latches()[index].var.lit(),
                (None, None) => continue,
            };
            pairs.extend(steps.first().map(|step| [step.state[latch], other]));
        }
        for &latch in &shaped.next {
            let next = self.model.aig.latches()[latch].next;
            let nodes = steps.iter().map(|step| &step.nodes);
            let mut nodes = nodes.chain(self.plain.first().map(|copy| &copy.nodes));
            let both = nodes.next().zip(nodes.next());
            let both = both.and_then(|(a, b)| image(a, next).zip(image(b, next)));
            pairs.extend(both.map(|(a, b)| [a, b]));
        }
        let mut holds = vec![matches];
        for [a, b] in pairs {
            holds.push(self.aig.iff(a, b));
        }
        self.aig.and_all(&holds)
    }

    /// Returns the strategy's choices in the first or in later steps, by expansion over all valuations of the choices.
    fn plan(&mut self, when: When) -> Plan {
        let sizes = self.question.bits(when);
        // The instances of each copy, by its bits.
        let mut instances: BTreeMap<(usize, Vec<bool>), Instance> = BTreeMap::new();
        let mut own: Vec<Lit> = vec![Lit::FALSE; sizes.iter().sum()];
        let mut stuck = Lit::TRUE;
        for way in self.question.ways(when) {
            let (bits, holds) = match way.choice {
                Assignment::Copied => {
                    let bits = self.copied(when);
                    let instance = self.instance(0, when, &bits);
                    let holds = self.suits(&[&instance], when, way.alike);
                    (bits, holds)
                }
                Assignment::Constant(values) => {
                    let parts = split(&values, &sizes);
                    for (copy, part) in parts.iter().enumerate() {
                        instances.entry((copy, part.clone())).or_insert_with(|| {
                            let bits: Vec<Lit> = part.iter().copied().map(Lit::constant).collect();
                            self.instance(copy, when, &bits)
                        });
                    }
                    let keys = parts.into_iter().enumerate();
                    let chosen: Vec<&Instance> =
                        keys.filter_map(|key| instances.get(&key)).collect();
                    let holds = self.suits(&chosen, when, way.alike);
                    (values.into_iter().map(Lit::constant).collect(), holds)
                }
            };
            if self.question.preference != Preference::Any {
                let taken = self.aig.and(stuck, holds);
                for (own, bit) in own.iter_mut().zip(bits) {
                    let bit = self.aig.and(taken, bit);
                    *own = self.aig.or(*own, bit);
                }
            }
            stuck = self.aig.and(stuck, !holds);
        }
        if self.question.preference == Preference::Any {
            own.fill_with(|| self.aig.add_input(None));
        }
        Plan {
            own: split(&own, &sizes),
            stuck,
        }
    }

    fn finish(mut self) -> Reachability {
        let later = self.plan(When::Later);
        let first = self.first.map(|first| (first, self.plan(When::First)));
        let goal = match &first {
            Some((is_first, plan)) => self.aig.ite(*is_first, plan.stuck, later.stuck),
            None => later.stuck,
        };
        let mut own = Vec::new();
        let mut chosen = Vec::new();
        for (copy, options) in self.question.options.iter().enumerate() {
            let mut bits = later.own[copy].clone();
            let late = options.late.len();
            let mut state = self.steered[copy].later_state(&mut self.aig, &bits[..late]);
            let mut early = bits.split_off(late);
            if let Some((is_first, plan)) = &first {
                let bits = &plan.own[copy];
                let (initial, at_first) = bits.split_at(options.initial.len());
                let started = self.steered[copy].first_state(initial);
                mix(&mut self.aig, *is_first, &started, &mut state);
                mix(&mut self.aig, *is_first, at_first, &mut early);
            }
            own.push(self.steered[copy].step(&mut self.aig, state, &early));
            chosen.push(early);
        }
        let before = if self.question.preference == Preference::Any {
            self.matches(&own.iter().collect::<Vec<_>>())
        } else {
            !goal
        };
        let mut always: Vec<Lit> = self.plain.iter().map(|copy| copy.valid).collect();
        if let Some(first) = self.first {
            // True in all runs; it keeps induction from starting in a first step with wrong initial values.
            for holds in self.resets() {
                always.push(self.aig.implies(first, holds));
            }
        }
        let mut copies = Vec::new();
        for ((retimed, own), early) in self.steered.iter().zip(own).zip(&chosen) {
            copies.push(retimed.finish(&mut self.aig, own, early));
        }
        copies.append(&mut self.plain);
        for copy in copies.iter_mut().skip(1) {
            copy.spec.inputs_of = Some(0);
        }
        Reachability {
            product: Product {
                aig: self.aig,
                copies,
                initially_equal: Vec::new(),
                one_member: Lit::TRUE,
            },
            always,
            before: vec![before],
            goal,
            related: self.question.related(),
            remembers: self.remembers,
        }
    }

    /// Returns for each copy a literal that is true iff its latches have their initial values: first those that the strategy chooses for.
    fn resets(&mut self) -> Vec<Lit> {
        let mut holds: Vec<Lit> = Vec::new();
        for retimed in &self.steered {
            holds.push(retimed.at_reset(&mut self.aig));
        }
        for copy in &self.plain {
            let mut reset = Vec::new();
            for index in copy.latches.iter().flatten() {
                let latch = &self.aig.latches()[*index];
                let value = latch.reset.as_constant();
                reset.extend(value.map(|value| latch.var.lit() ^ !value));
            }
            holds.push(self.aig.and_all(&reset));
        }
        holds
    }
}

/// Replaces each literal of `b` by `if condition then a else b`.
pub(super) fn mix(aig: &mut Aig, condition: Lit, a: &[Lit], b: &mut [Lit]) {
    for (b, &a) in b.iter_mut().zip(a) {
        *b = aig.ite(condition, a, *b);
    }
}

/// Splits `all` into consecutive lists with these sizes.
fn split<T: Clone>(all: &[T], sizes: &[usize]) -> Vec<Vec<T>> {
    let mut rest = all.iter().cloned();
    let parts = sizes.iter().map(|&size| rest.by_ref().take(size).collect());
    parts.collect()
}
