//! Questions about copies whose choices a strategy makes, step by step (semantics.md §3, §6.8).
//!
//! Can the strategy be brought to a step in which no choice keeps the copies' outputs equal? If not, it matches for
//! ever, and that proves equivalence or that no test kills definitely. If it can, nothing is proved: another strategy
//! might have chosen better before.
//!
//! The choice is eliminated by expansion: each way to choose is an instance of the step's circuit. Late choices
//! ([`Options::late`]) are made with the next step; that is no prophecy, since for every length the run up to there
//! exists.

use std::fmt;

use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit};

use super::options::{Options, readers, selected};
use super::{Reachability, posing};
use crate::relevance::Relevance;

/// What the strategy is to achieve.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aim {
    /// The model follows every run of the mutant: if it can for ever, the mutant is equivalent (φ2).
    Track,
    /// Model and mutant agree on every input sequence that both accept: if they can for ever, no test kills
    /// definitely (φ3, φ4).
    Agree,
}

/// How the strategy chooses among the choices that match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Preference {
    /// In no way: whatever matching choice is taken, another must be possible in the next step. Proves least; what it
    /// leaves open is killed if the model is observable (semantics.md §6.8).
    Any,
    /// What the other copy chooses, where that matches; else as [`Preference::Lowest`].
    Copy,
    /// What keeps the states of the two copies equal as far as choices shape them, where that matches; else as
    /// [`Preference::Copy`].
    State,
    /// The first in the order of binary numbers.
    Lowest,
    /// The last.
    Highest,
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Preference::Any => "any",
            Preference::Copy => "copy",
            Preference::State => "state",
            Preference::Lowest => "lowest",
            Preference::Highest => "highest",
        })
    }
}

/// A choice among more than this many bits is not expanded: a strategy then has only what the other copy chooses, all
/// bits 0 and all bits 1.
const MAX_BITS: usize = 10;
/// Gates that all instances of a step may have together, before folding.
const MAX_GATES: usize = 1 << 20;

/// A choice that is too large to be eliminated by expansion.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a strategy would have to choose among 2^{bits} choices in a circuit of {gates} gates")]
pub struct TooManyChoices {
    /// Bits to choose at once.
    pub bits: usize,
    /// Gates of the copies that the strategy chooses for.
    pub gates: usize,
}

/// A question about copies that a strategy steers: copy 0 is the model, copy 1 the mutant; witnesses follow, whose
/// choices are arbitrary. All have common test inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steered {
    /// Selector index of the mutant.
    pub mutant: usize,
    /// What the strategy is to achieve.
    pub aim: Aim,
    /// How it chooses.
    pub preference: Preference,
    /// What it may choose: for copy 0 and, if it is to agree, for copy 1. What is not listed is 0.
    pub options: Vec<Options>,
    /// Copies that show that the inputs are accepted.
    pub witnesses: Vec<Variant>,
    /// What [`Preference::State`] compares.
    pub shaped: Shaped,
}

/// Latches by whose values the states of two copies are compared.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shaped {
    /// Those whose present values a choice of the first step decides.
    pub first: Vec<usize>,
    /// Those whose present values a choice of a later step decides.
    pub later: Vec<usize>,
    /// Those whose next values a choice decides.
    pub next: Vec<usize>,
}

impl Shaped {
    fn of(model: &ConditionalMutant, variants: &[Variant], options: &[Options]) -> Shaped {
        let aig = &model.aig;
        let mut shaped = Shaped::default();
        let mut reads_late = vec![false; aig.len()];
        let mut reads_early = vec![false; aig.len()];
        for (&variant, options) in variants.iter().zip(options) {
            shaped.first.extend(&options.initial);
            let selected = selected(model, variant);
            let late = readers(aig, &selected, &options.late);
            let early = readers(aig, &selected, &options.early);
            for var in 0..aig.len() {
                reads_late[var] |= late[var];
                reads_early[var] |= early[var];
            }
        }
        shaped.first.sort_unstable();
        shaped.first.dedup();
        let relevance = Relevance::to(model, &[Variant::Original]);
        for (i, latch) in aig.latches().iter().enumerate() {
            let next = latch.next.var().index();
            if relevance.of_latch(i) && reads_late[next] {
                shaped.later.push(i);
            } else if relevance.of_latch(i) && reads_early[next] {
                shaped.next.push(i);
            }
        }
        shaped
    }

    /// Those whose present values are compared.
    #[must_use]
    pub fn now(&self, when: When) -> &[usize] {
        match when {
            When::First => &self.first,
            When::Later => &self.later,
        }
    }
}

/// A way to choose, for all steered copies together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assignment {
    /// These values: of copy 0's initial or late choices, its early ones, then the same of copy 1.
    Constant(Vec<bool>),
    /// What copy 1 chooses, for copy 0.
    Copied,
}

/// One of the ways to choose that a strategy tries in turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// The choice.
    pub choice: Assignment,
    /// Whether it is taken only if it keeps the copies' states equal, as [`Shaped`] says.
    pub alike: bool,
}

/// Whether a step is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Initial values are chosen, and early choices.
    First,
    /// The late choices of the step before are made, and early choices.
    Later,
}

impl Steered {
    /// The question for one mutant.
    ///
    /// # Errors
    /// If there are too many choices.
    pub fn new(
        model: &ConditionalMutant,
        mutant: usize,
        aim: Aim,
        preference: Preference,
    ) -> Result<Steered, TooManyChoices> {
        let both = [Variant::Original, Variant::Mutant(mutant)];
        let (steered, accepting) = match aim {
            Aim::Track => (&both[..1], &both[..1]),
            Aim::Agree => (&both[..], &both[..]),
        };
        let alone = |&variant: &Variant| Product::new(model, &[CopySpec::alone(variant)]);
        let constrained = |variant: &&Variant| alone(variant).copies[0].valid != Lit::TRUE;
        let options: Vec<Options> = steered.iter().map(|&v| Options::of(model, v)).collect();
        let shaped = match preference {
            Preference::State => Shaped::of(model, steered, &options),
            _ => Shaped::default(),
        };
        let question = Steered {
            mutant,
            aim,
            preference,
            options,
            witnesses: accepting.iter().filter(constrained).copied().collect(),
            shaped,
        };
        let gates = steered.iter().map(|v| alone(v).aig.gate_count()).sum();
        let bits = |when| question.bits(when).iter().sum::<usize>();
        let bits = bits(When::First).max(bits(When::Later));
        let expand = !matches!(preference, Preference::Copy | Preference::State);
        if (bits > MAX_BITS && expand) || gates > MAX_GATES >> bits.min(MAX_BITS) {
            return Err(TooManyChoices { bits, gates });
        }
        Ok(question)
    }

    /// What copies 0 and 1 are.
    #[must_use]
    pub fn variants(&self) -> [Variant; 2] {
        [Variant::Original, Variant::Mutant(self.mutant)]
    }

    /// How many bits the strategy chooses for each steered copy.
    #[must_use]
    pub fn bits(&self, when: When) -> Vec<usize> {
        let bits = self.options.iter().map(|options| match when {
            When::First => options.at_first(),
            When::Later => options.later(),
        });
        bits.collect()
    }

    /// The ways to choose, the preferred ones first.
    #[must_use]
    pub fn ways(&self, when: When) -> Vec<Way> {
        let bits: usize = self.bits(when).iter().sum();
        let mut constants: Vec<Vec<bool>> = if bits > MAX_BITS {
            vec![vec![false; bits], vec![true; bits]]
        } else {
            let numbers = 0..1usize << bits;
            numbers
                .map(|number| (0..bits).map(|bit| number >> bit & 1 == 1).collect())
                .collect()
        };
        let mut choices = Vec::new();
        match (self.preference, self.aim) {
            (Preference::Any | Preference::Lowest, _) => {}
            (Preference::Highest, _) => constants.reverse(),
            (Preference::Copy | Preference::State, Aim::Track) => choices.push(Assignment::Copied),
            (Preference::Copy | Preference::State, Aim::Agree) => {
                let common = self.common_bits(when);
                let differing = |values: &Vec<bool>| {
                    let pairs = common.iter();
                    pairs.filter(|&&(a, b)| values[a] != values[b]).count()
                };
                constants.sort_by_key(differing);
            }
        }
        choices.extend(constants.into_iter().map(Assignment::Constant));
        let kinds: &[bool] = match self.preference {
            Preference::State => &[true, false],
            _ => &[false],
        };
        let ways = kinds.iter().flat_map(|&alike| {
            let choices = choices.iter().cloned();
            choices.map(move |choice| Way { choice, alike })
        });
        ways.collect()
    }

    /// Positions of the same choice of copies 0 and 1.
    fn common_bits(&self, when: When) -> Vec<(usize, usize)> {
        // Whether it is an initial value, and which; in the order of an assignment.
        let listed = |options: &Options| -> Vec<(bool, usize)> {
            let (kind, before) = match when {
                When::First => (true, &options.initial),
                When::Later => (false, &options.late),
            };
            let before = before.iter().map(|&i| (kind, i));
            before
                .chain(options.early.iter().map(|&i| (false, i)))
                .collect()
        };
        let all: Vec<(bool, usize)> = self.options.iter().flat_map(listed).collect();
        let mut common = Vec::new();
        for (a, choice) in all.iter().enumerate() {
            let again = all.iter().skip(a + 1).position(|other| other == choice);
            common.extend(again.map(|distance| (a, a + 1 + distance)));
        }
        common
    }

    /// Whether the late choices of copy 1 must be remembered for a step.
    #[must_use]
    pub fn remembers_choices(&self) -> bool {
        self.aim == Aim::Track && matches!(self.preference, Preference::Copy | Preference::State)
    }

    /// Copies whose nodes are likely to be equal.
    pub(super) fn related(&self) -> Vec<[usize; 2]> {
        let mut related = vec![[0, 1]];
        for (i, witness) in self.witnesses.iter().enumerate() {
            related.push([usize::from(*witness != Variant::Original), i + 2]);
        }
        related
    }

    /// The question over a product of the model.
    #[must_use]
    pub fn pose(&self, model: &ConditionalMutant) -> Reachability {
        posing::pose(self, model)
    }
}
<<<<<<< HEAD
=======

/// A steered question on its way into a product.
struct Posing<'a> {
    question: &'a Steered,
    model: &'a ConditionalMutant,
    aig: Aig,
    /// Copy 1 if it is not steered, then the witnesses.
    plain: Vec<Copy>,
    /// The steered copies.
    steered: Vec<Retimed<'a>>,
    /// True in the first step, if that is different at all.
    first: Option<Lit>,
    /// Copy 1's late choices of the step before.
    remembered: Vec<Lit>,
    /// What latches are that are no latch of a copy.
    remembers: Vec<(usize, StateBit)>,
}

/// What a strategy does in the first step or in later ones.
struct Plan {
    /// Per steered copy, the bits chosen.
    own: Vec<Vec<Lit>>,
    /// No choice matches.
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

    /// The product's literals for the test inputs: those of a plain copy, or new ones.
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

    /// Copy 1's choices in place of copy 0's.
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

    /// A step of a steered copy with these choices.
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

    /// Whether the steered copies' constraints hold and outputs are equal.
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

    /// Whether this way of choosing matches, and keeps the copies alike if it must.
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

    /// What the strategy does, by expansion over the ways to choose.
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
                        let key = (copy, part.clone());
                        instances.entry(key).or_insert_with(|| {
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
        let first = self.first;
        let first = first.map(|first| (first, self.plan(When::First)));
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
            // Says nothing of runs; keeps induction away from first steps that are none.
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

    /// For each copy, that its latches have their initial values.
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

/// `if condition then a else b`, into `b`.
pub(super) fn mix(aig: &mut Aig, condition: Lit, a: &[Lit], b: &mut [Lit]) {
    for (b, &a) in b.iter_mut().zip(a) {
        *b = aig.ite(condition, a, *b);
    }
}

/// Consecutive parts of these sizes.
fn split<T: Clone>(all: &[T], sizes: &[usize]) -> Vec<Vec<T>> {
    let mut rest = all.iter().cloned();
    let parts = sizes.iter().map(|&size| rest.by_ref().take(size).collect());
    parts.collect()
}
>>>>>>> ac4d171 (Ask about many mutants at once)
