//! Joint traces: the conditions on runs of a model's copies under which a formula with existential traces holds.
//!
//! The copies are a product ([`hyperkill_core::product`]); the formula is translated to monitors ([`crate::monitor`]) in the same circuit.
//! The formula holds on infinite traces iff the circuit has an infinite run that keeps all constraints and meets all conditions infinitely
//! often. [`hyperkill_core::liveness`] reduces that to reachability.
//!
//! Facts that hold at every step (the variant of a trace, and shared inputs) are built into the copies, as for the killing shape
//! ([`crate::compose`]).

use std::collections::{BTreeSet, HashMap, HashSet};

use hyperkill_core::aig::{Cone, Images, Leaf, Node, Reset, Signal};
use hyperkill_core::liveness::FairRuns;
use hyperkill_core::product::{CopySpec, Product};
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};

use crate::ast::{Atom, Formula, Ltl, TraceVar};
use crate::compose::specifications;
use crate::driven::{Driven, among, counter};
use crate::error::ComposeError;
use crate::fragment::Fragment;
use crate::lower::{Lowering, reads};
use crate::monitor::{Builder, Demands, Temporal};
use crate::strategy::Strategy;

/// Existential traces of a formula as copies of the model, with monitors, and the conditions on their runs.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The copies, one per trace variable. The latches and inputs of monitors come after theirs.
    pub product: Product,
    /// The variable of each copy.
    pub traces: Vec<TraceVar>,
    /// The specification of each copy.
    pub specs: Vec<CopySpec>,
    /// The conditions on runs, including constraints of the copies.
    pub demands: Demands,
    /// The number of latches of the copies; the latches of monitors come after them.
    pub latches_of_copies: usize,
    /// For finite traces: the index of the input that lets them continue.
    go_on: Option<usize>,
}

/// The size of the monitors in a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// The number of latches of the monitors.
    pub latches: usize,
    /// The number of inputs of the monitors; without inputs they are deterministic.
    pub choices: usize,
    /// The number of justice conditions of the monitors; without them the formula is a safety property of these traces.
    pub justice: usize,
}

impl Joint {
    /// Composes a formula whose traces are all existential; `mut` in it means this mutant.
    ///
    /// # Errors
    /// If some trace is universal, or the formula mentions names that the model does not have.
    pub fn new(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
    ) -> Result<Joint, ComposeError> {
        let mut question = Joint::existential(model, mutant, formula)?;
        let body = question.temporal(&formula.body, true)?;
        let valid: Vec<Lit> = (question.product.copies.iter())
            .map(|copy| copy.valid)
            .collect();
        question.always(&valid);
        question.require(&body);
        Ok(question.finish())
    }

    /// Returns copies for the traces of a formula whose quantifiers are all existential, without conditions on their runs yet.
    ///
    /// # Errors
    /// If a quantifier is universal, or the formula mentions names that the model does not have.
    pub(crate) fn existential<'a>(
        model: &'a ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
    ) -> Result<Question<'a>, ComposeError> {
        match Fragment::of(formula) {
            Fragment::Exists | Fragment::Empty => {}
            other => return Err(ComposeError::UnsupportedPrefix(other)),
        }
        let specs = Joint::specifications(model, mutant, formula)?;
        let traces: Vec<TraceVar> = formula.prefix.iter().map(|(_, t)| t.clone()).collect();
        Question::new(model, specs, traces, &formula.body)
    }

    /// Composes a formula over finite traces of one length, all existential. They continue until an input ends them all; later steps do not
    /// belong to them.
    ///
    /// # Errors
    /// If [`Joint::new`] fails.
    pub fn finite(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
    ) -> Result<Joint, ComposeError> {
        let mut question = Joint::existential(model, mutant, formula)?;
        question.end_by_input();
        let body = question.temporal(&formula.body, true)?;
        let valid: Vec<Lit> = (question.product.copies.iter())
            .map(|copy| copy.valid)
            .collect();
        question.always(&valid);
        question.require(&body);
        question.require_end();
        Ok(question.finish())
    }

    /// Returns the length of finite traces in a run of the circuit. `None` if the traces are infinite, or the run does not end them.
    #[must_use]
    pub fn length_of(&self, run: &Stimulus) -> Option<usize> {
        let go_on = self.go_on?;
        let end = run.steps.iter().position(|step| !step[go_on])?;
        Some(end + 1)
    }

    /// Returns the specification of each trace of a formula ∃\*∀\*: its variant, and the trace whose inputs it shares, if the
    /// formula fixes one at every step.
    ///
    /// # Errors
    /// If the variant of a trace is not fixed.
    pub fn specifications(
        model: &ConditionalMutant,
        mutant: SelectorId,
        formula: &Formula,
    ) -> Result<Vec<CopySpec>, ComposeError> {
        specifications(model, mutant, formula)
    }

    /// Returns the size of all monitors together.
    #[must_use]
    pub fn size(&self) -> Size {
        Size {
            latches: self.product.aig.latches().len() - self.latches_of_copies,
            choices: self.demands.choices.len(),
            justice: self.demands.justice.len(),
        }
    }

    /// Returns the circuit with its constraints and its justice conditions.
    #[must_use]
    pub fn fair_runs(&self) -> FairRuns {
        let mut aig = self.product.aig.clone();
        let always = self.demands.always.iter();
        aig.constraints = always
            .filter(|&&lit| lit != Lit::TRUE)
            .map(|&lit| Signal { lit, name: None })
            .collect();
        FairRuns {
            aig,
            justice: self.demands.justice.clone(),
        }
    }

    /// Returns the run of one copy in a run of the circuit: its free initial values and its inputs, in the model's own order.
    #[must_use]
    pub fn run_of(&self, copy: usize, run: &Stimulus) -> Stimulus {
        let aig = &self.product.aig;
        let parts = &self.product.copies[copy];
        let value = |lit: Lit, step: &[bool]| match aig.node(lit.var()) {
            Node::Input(input) => {
                step.get(input as usize).copied().unwrap_or(false) ^ lit.is_negated()
            }
            _ => lit == Lit::TRUE,
        };
        let initial = parts.latches.iter().map(|latch| match latch {
            Some(latch) => match aig.latches()[*latch].reset {
                Reset::Free => run.initial.get(*latch).unwrap_or(false),
                Reset::One => true,
                Reset::Zero => false,
            },
            None => false,
        });
        let steps = run.steps.iter().map(|step| {
            let inputs = parts.inputs.iter();
            inputs
                .map(|input| input.is_some_and(|lit| value(lit, step)))
                .collect()
        });
        Stimulus {
            initial: initial.collect(),
            steps: steps.collect(),
        }
    }
}

/// Copies of a model, and monitors of formulas about them under construction.
pub struct Question<'m> {
    model: &'m ConditionalMutant,
    /// The copies so far.
    pub product: Product,
    specs: Vec<CopySpec>,
    traces: Vec<TraceVar>,
    latches_of_copies: usize,
    state: State,
}

/// The requirements on copies so far, and the literals that formulas about them share.
#[derive(Default)]
struct State {
    pending: Vec<Temporal>,
    always: Vec<Lit>,
    past: Vec<(Ltl, Lit)>,
    /// For finite traces: whether the current step exists, and whether the next one does.
    alive: Option<Lit>,
    goes_on: Option<Lit>,
    /// The input that lets finite traces continue, if their length is not given.
    go_on: Option<usize>,
    /// First values of latches of the product.
    initial: Vec<(usize, bool)>,
}

impl<'m> Question<'m> {
    /// Returns copies with these specifications, which contain everything that formulas over these traces read.
    ///
    /// # Errors
    /// If `said` reads names that the model does not have.
    pub fn new(
        model: &'m ConditionalMutant,
        specs: Vec<CopySpec>,
        traces: Vec<TraceVar>,
        said: &Ltl,
    ) -> Result<Question<'m>, ComposeError> {
        let product = product_of(model, &specs, said)?;
        Ok(Question {
            model,
            latches_of_copies: product.aig.latches().len(),
            product,
            specs,
            traces,
            state: State::default(),
        })
    }

    /// Makes copies follow given traces, which repeat from step `back` on. `runs` has the trace of each copy in `copies`. Must be called
    /// before any formula about the copies is added.
    ///
    /// The copies' own inputs and free first values become functions of a counter. Latches and shared inputs do so only if
    /// [`Driven::drives_all`].
    pub fn drive(&mut self, copies: &[usize], runs: &[Driven], back: usize) {
        let length = runs.first().map_or(0, |run| run.inputs.len());
        if length == 0 {
            return;
        }
        // Answering copies share inputs of other copies; driving these would restrict the others.
        let own: HashSet<usize> = self.own_inputs(copies).into_iter().collect();
        let source = std::mem::take(&mut self.product.aig);
        let mut aig = Aig::new();
        aig.reserve(source.gate_count());
        let at = counter(&mut aig, length, back.min(length - 1));
        // For each driven input and latch of the source, its value at each step of the loop.
        let mut inputs: HashMap<usize, Vec<bool>> = HashMap::new();
        let mut latches: HashMap<usize, Vec<bool>> = HashMap::new();
        for (&copy, run) in copies.iter().zip(runs) {
            let parts = &self.product.copies[copy];
            for (index, lit) in parts.inputs.iter().enumerate() {
                let Some(Node::Input(input)) = lit.map(|lit| source.node(lit.var())) else {
                    continue;
                };
                if run.drives_all || own.contains(&(input as usize)) {
                    let values = run.inputs.iter().map(|step| step[index]).collect();
                    inputs.entry(input as usize).or_insert(values);
                }
            }
            for (index, latch) in parts.latches.iter().enumerate() {
                if let (Some(latch), true) = (latch, run.drives_all) {
                    let values = run.states.iter().map(|state| state[index]).collect();
                    latches.entry(*latch).or_insert(values);
                } else if let Some(latch) =
                    latch.filter(|&latch| source.latches()[latch].reset == Reset::Free)
                {
                    self.state.initial.push((latch, run.states[0][index]));
                }
            }
        }
        self.rebuild(&source, aig, |aig, leaf| match leaf {
            Leaf::Input(input) => Some(among(aig, &at, inputs.get(&input)?)),
            Leaf::Latch(latch) => Some(among(aig, &at, latches.get(&latch)?)),
        });
    }

    /// Returns the inputs of the product that these copies have and no other copy shares, by index, ascending.
    #[must_use]
    pub fn own_inputs(&self, copies: &[usize]) -> Vec<usize> {
        let of = |copy: usize| {
            let inputs = self.product.copies[copy].inputs.iter().flatten();
            inputs.filter_map(|lit| match self.product.aig.node(lit.var()) {
                Node::Input(input) => Some(input as usize),
                _ => None,
            })
        };
        let others = (0..self.product.copies.len()).filter(|copy| !copies.contains(copy));
        let others: HashSet<usize> = others.flat_map(of).collect();
        let own: BTreeSet<usize> = copies.iter().flat_map(|&copy| of(copy)).collect();
        own.into_iter()
            .filter(|input| !others.contains(input))
            .collect()
    }

    /// Sets inputs to the first values that make `wish` true in the current step, and in the next one if possible. Without such values the
    /// inputs are 0. The result is a run of the copies for any wish. Must be called before any formula about the copies is added.
    pub fn choose(&mut self, chosen: &[usize], wish: Lit) {
        let source = std::mem::take(&mut self.product.aig);
        let mut aig = Aig::new();
        aig.reserve(source.gate_count());
        let inputs: Vec<Lit> = (0..source.inputs().len())
            .map(|input| match chosen.contains(&input) {
                true => Lit::FALSE,
                false => aig.add_input(source.inputs()[input].name.clone()),
            })
            .collect();
        let latches: Vec<Lit> = (source.latches().iter())
            .map(|latch| aig.add_latch(latch.reset, latch.name.clone()))
            .collect();
        let cone = Cone::sequential(&source, [wish]);
        let with = |aig: &mut Aig, values: usize, state: &[Lit]| {
            let images = aig.copy(
                &source,
                |var| cone.contains(var),
                |_, _, leaf| match leaf {
                    Leaf::Input(input) => match chosen.iter().position(|&c| c == input) {
                        Some(bit) => Lit::constant(values >> bit & 1 == 1),
                        None => inputs[input],
                    },
                    Leaf::Latch(latch) => state[latch],
                },
            );
            let next = source.latches().iter();
            let next: Vec<Lit> = next
                .map(|latch| match cone.contains(latch.var) {
                    true => images.of(latch.next),
                    false => Lit::FALSE,
                })
                .collect();
            (images.of(wish), next)
        };
        // Values that also allow the wish at the next step come before values that only make it true now.
        let all = 0..1_usize << chosen.len();
        let mut preferred = Vec::new();
        let mut others = Vec::new();
        for values in all.clone() {
            let (now, next) = with(&mut aig, values, &latches);
            let later: Vec<Lit> = all
                .clone()
                .map(|later| with(&mut aig, later, &next).0)
                .collect();
            let later = aig.or_all(&later);
            preferred.push((aig.and(now, later), values));
            others.push((now, values));
        }
        let mut bits = vec![Lit::FALSE; chosen.len()];
        for (good, values) in preferred.into_iter().chain(others).rev() {
            for (bit, lit) in bits.iter_mut().enumerate() {
                *lit = aig.ite(good, Lit::constant(values >> bit & 1 == 1), *lit);
            }
        }
        // The functions are kept, and the circuit is copied beside them.
        let mut kept = Vec::new();
        let images = aig.copy(
            &source,
            |_| true,
            |_, _, leaf| match leaf {
                Leaf::Input(input) => match chosen.iter().position(|&c| c == input) {
                    Some(bit) => bits[bit],
                    None => inputs[input],
                },
                Leaf::Latch(latch) => latches[latch],
            },
        );
        for (latch, parts) in source.latches().iter().enumerate() {
            aig.set_next(latch, images.of(parts.next));
            kept.push((latch, latch));
        }
        self.replace(aig, &images, &kept);
    }

    /// Lets a strategy choose inputs of copies. The first `given` copies are the given traces, in order; the chosen traces begin with copy
    /// `first`.
    /// Inputs shared with other copies are unchanged. Must be called before any formula about the copies is added.
    pub fn steer(&mut self, strategy: &Strategy, given: usize, first: usize) {
        let copy_of = |trace: usize| match trace.checked_sub(given) {
            Some(offset) => first + offset,
            None => trace,
        };
        let copies: Vec<usize> = (strategy.chooses.iter())
            .map(|&(trace, _)| copy_of(trace))
            .collect();
        let own: HashSet<usize> = self.own_inputs(&copies).into_iter().collect();
        let source = std::mem::take(&mut self.product.aig);
        // For each chosen input of the source the strategy's output for it.
        let mut chosen: HashMap<usize, usize> = HashMap::new();
        for (output, &(trace, input)) in strategy.chooses.iter().enumerate() {
            let lit = self.product.copies[copy_of(trace)].inputs[input];
            if let Some(Node::Input(place)) = lit.map(|lit| source.node(lit.var()))
                && own.contains(&(place as usize))
            {
                chosen.insert(place as usize, output);
            }
        }
        let mut aig = Aig::new();
        aig.reserve(source.gate_count());
        let inputs: Vec<Lit> = (0..source.inputs().len())
            .map(|input| match chosen.contains_key(&input) {
                true => Lit::FALSE,
                false => aig.add_input(source.inputs()[input].name.clone()),
            })
            .collect();
        let latches: Vec<Lit> = (source.latches().iter())
            .map(|latch| aig.add_latch(latch.reset, latch.name.clone()))
            .collect();
        // The given traces do not depend on chosen inputs.
        let before = aig.copy(
            &source,
            |_| true,
            |_, _, leaf| match leaf {
                Leaf::Input(input) => inputs[input],
                Leaf::Latch(latch) => latches[latch],
            },
        );
        let known = self.known_to(strategy, &before, &mut aig);
        let from = aig.latches().len();
        let own_latches: Vec<Lit> = (strategy.aig.latches().iter())
            .map(|latch| aig.add_latch(latch.reset, None))
            .collect();
        let steered = aig.copy(
            &strategy.aig,
            |_| true,
            |_, _, leaf| match leaf {
                Leaf::Input(input) => known[input],
                Leaf::Latch(latch) => own_latches[latch],
            },
        );
        for (place, latch) in strategy.aig.latches().iter().enumerate() {
            aig.set_next(from + place, steered.of(latch.next));
        }
        let images = aig.copy(
            &source,
            |_| true,
            |_, _, leaf| match leaf {
                Leaf::Input(input) => match chosen.get(&input) {
                    Some(&output) => steered.of(strategy.aig.outputs[output].lit),
                    None => inputs[input],
                },
                Leaf::Latch(latch) => latches[latch],
            },
        );
        let mut kept = Vec::new();
        for (latch, parts) in source.latches().iter().enumerate() {
            aig.set_next(latch, images.of(parts.next));
            kept.push((latch, latch));
        }
        self.replace(aig, &images, &kept);
    }

    /// Returns the literals that a strategy reads, as literals of `aig`. `before` gives the images of the copies' circuit in `aig`.
    fn known_to(&self, strategy: &Strategy, before: &Images<Lit>, aig: &mut Aig) -> Vec<Lit> {
        let reads = strategy.reads.iter().map(|&(trace, lit)| {
            let parts = &self.product.copies[trace];
            let node = match self.model.aig.node(lit.var()) {
                Node::Input(input) => parts.inputs[input as usize],
                _ => parts.nodes[lit.var().index()],
            };
            match node {
                Some(node) => before.of(node) ^ lit.is_negated(),
                // A literal outside the copied cone is irrelevant to all formulas, and may have any value.
                None => aig.add_input(None),
            }
        });
        reads.collect()
    }

    /// Rebuilds the product's circuit from `source` in `aig`. `instead` returns the literal that replaces an input or latch; `None` keeps
    /// it.
    fn rebuild(
        &mut self,
        source: &Aig,
        mut aig: Aig,
        mut instead: impl FnMut(&mut Aig, Leaf) -> Option<Lit>,
    ) {
        let mut kept = Vec::new();
        let images = aig.copy(
            source,
            |_| true,
            |aig, _, leaf| match (instead(aig, leaf), leaf) {
                (Some(lit), _) => lit,
                (None, Leaf::Input(input)) => aig.add_input(source.inputs()[input].name.clone()),
                (None, Leaf::Latch(latch)) => {
                    let parts = &source.latches()[latch];
                    kept.push((aig.latches().len(), latch));
                    aig.add_latch(parts.reset, parts.name.clone())
                }
            },
        );
        for &(new, old) in &kept {
            aig.set_next(new, images.of(source.latches()[old].next));
        }
        self.replace(aig, &images, &kept);
    }

    /// Replaces the product's circuit by `aig`, and translates all stored literals and latches. `images` are the images of the old nodes,
    /// `kept` the pairs of new and old latch indices.
    fn replace(&mut self, aig: Aig, images: &Images<Lit>, kept: &[(usize, usize)]) {
        let place: HashMap<usize, usize> = kept.iter().map(|&(new, old)| (old, new)).collect();
        for copy in &mut self.product.copies {
            let literals = copy.nodes.iter_mut().chain(&mut copy.inputs);
            for lit in literals.flatten() {
                *lit = images.of(*lit);
            }
            for lit in copy.outputs.iter_mut().chain(&mut copy.selectors) {
                *lit = images.of(*lit);
            }
            copy.valid = images.of(copy.valid);
            for latch in &mut copy.latches {
                *latch = latch.and_then(|latch| place.get(&latch).copied());
            }
        }
        let pairs = std::mem::take(&mut self.product.initially_equal);
        self.product.initially_equal = pairs
            .into_iter()
            .filter_map(|(a, b)| Some((*place.get(&a)?, *place.get(&b)?)))
            .collect();
        let initial = std::mem::take(&mut self.state.initial);
        self.state.initial = initial
            .into_iter()
            .filter_map(|(latch, value)| Some((*place.get(&latch)?, value)))
            .collect();
        // Literals of earlier formulas belong to the old circuit.
        self.state.past.clear();
        self.latches_of_copies = aig.latches().len();
        self.product.aig = aig;
    }

    /// Returns a formula over the traces, or its negation unless `positive`, with literals for its instantaneous subformulas.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub fn temporal(&mut self, formula: &Ltl, positive: bool) -> Result<Temporal, ComposeError> {
        // The builder adds circuits for past operators; the lowering adds literals for instantaneous formulas.
        let Question {
            model,
            product,
            traces,
            state,
            ..
        } = self;
        let alive = state.alive;
        let mut leaf = |formula: &Ltl| past(model, product, traces, &mut state.past, formula);
        Temporal::until_the_end(formula, positive, alive, &mut leaf)
    }

    /// Returns a formula over the traces, with literals for its instantaneous subformulas only: no circuit watches the past.
    ///
    /// # Errors
    /// If the formula mentions names that the model does not have.
    pub(crate) fn unwatched(&mut self, formula: &Ltl) -> Result<Temporal, ComposeError> {
        let Question {
            model,
            product,
            traces,
            state,
            ..
        } = self;
        let mut leaf = |formula: &Ltl| {
            let is_instantaneous = formula.past_depth() == 0 && !is_about_the_future(formula);
            let mut lowering = Lowering {
                model,
                traces,
                product,
            };
            is_instantaneous
                .then(|| lowering.literal(formula))
                .transpose()
        };
        Temporal::until_the_end(formula, true, state.alive, &mut leaf)
    }

    /// Returns the literal that the present step belongs to the traces; `None` for infinite traces.
    pub(crate) fn alive(&self) -> Option<Lit> {
        self.state.alive
    }

    /// Requires that these literals hold at every step of the traces.
    pub fn always(&mut self, lits: &[Lit]) {
        let lits = self.while_alive(lits);
        self.state.always.extend(lits);
    }

    /// Returns for each literal the literal "it holds, or the traces have ended".
    pub fn while_alive(&mut self, lits: &[Lit]) -> Vec<Lit> {
        let aig = &mut self.product.aig;
        match self.state.alive {
            Some(alive) => lits.iter().map(|&lit| aig.implies(alive, lit)).collect(),
            None => lits.to_vec(),
        }
    }

    /// Returns the formula "the literal is false at some step of the traces".
    pub fn broken(&mut self, lit: Lit) -> Temporal {
        let there = self.state.alive.unwrap_or(Lit::TRUE);
        Temporal::Now(self.product.aig.and(there, !lit)).finally()
    }

    /// Makes the traces finite, of one length: they continue while a new input is true. Returns the indices of this input and of the latch
    /// that is true before the end. Must be called before any formula about the copies is added.
    pub fn end_by_input(&mut self) -> (usize, usize) {
        let aig = &mut self.product.aig;
        let input = aig.inputs().len();
        let goes_on = aig.add_input(Some("hyperkill:go-on".to_owned()));
        self.state.go_on = Some(input);
        (input, self.end_unless(goes_on))
    }

    /// Makes the traces finite, with exactly `steps` steps. Must be called before other constraints on the copies.
    pub fn end_after(&mut self, steps: usize) {
        let last = steps.saturating_sub(1);
        let at = counter(&mut self.product.aig, last + 1, last);
        self.end_unless(!at[last]);
    }

    fn end_unless(&mut self, goes_on: Lit) -> usize {
        let aig = &mut self.product.aig;
        let latch = aig.latches().len();
        let alive = aig.add_latch(Reset::One, Some("hyperkill:alive".to_owned()));
        let next = aig.and(alive, goes_on);
        aig.set_next(latch, next);
        self.state.alive = Some(alive);
        self.state.goes_on = Some(next);
        latch
    }

    /// Resets the latches of the copies after the end of the traces, since later steps do not belong to them.
    pub fn rest_at_the_end(&mut self) {
        let aig = &mut self.product.aig;
        for latch in 0..self.latches_of_copies {
            let next = aig.latches()[latch].next;
            let next = aig.and(next, self.state.goes_on.unwrap_or(Lit::TRUE));
            aig.set_next(latch, next);
        }
    }

    /// Requires that finite traces end.
    pub fn require_end(&mut self) {
        if let Some(alive) = self.state.alive {
            self.require(&Temporal::Now(!alive).finally());
        }
    }

    /// Requires that the formula holds at the first step.
    pub fn require(&mut self, formula: &Temporal) {
        self.state.pending.push(formula.clone());
    }

    /// Builds the monitors of all requirements, and returns them with the copies.
    #[must_use]
    pub fn finish(mut self) -> Joint {
        let equal = std::mem::take(&mut self.product.initially_equal);
        let mut builder = Builder::new(&mut self.product.aig);
        for (one, other) in equal {
            let latch = |aig: &Aig, index: usize| aig.latches()[index].var.lit();
            let (one, other) = (latch(builder.aig, one), latch(builder.aig, other));
            let same = builder.aig.iff(one, other);
            builder.require(&Temporal::Now(same));
        }
        for (latch, value) in self.state.initial {
            let lit = builder.aig.latches()[latch].var.lit();
            builder.require(&Temporal::Now(lit ^ !value));
        }
        // A requirement of several formulas is added once.
        let parts = Temporal::and(self.state.pending);
        match parts {
            Temporal::And(parts) => {
                let mut seen = HashSet::new();
                for part in parts.iter().filter(|part| seen.insert(*part)) {
                    builder.require(part);
                }
            }
            one => builder.require(&one),
        }
        let mut demands = builder.demands;
        demands.always.extend(self.state.always);
        demands.always.sort_unstable();
        demands.always.dedup();
        Joint {
            product: self.product,
            traces: self.traces,
            specs: self.specs,
            demands,
            latches_of_copies: self.latches_of_copies,
            go_on: self.state.go_on,
        }
    }
}

/// Returns the literal of a formula about the present and the past; `None` if it is about the future. `known` stores the literals of
/// formulas about the past, each with one monitor.
fn past(
    model: &ConditionalMutant,
    product: &mut Product,
    traces: &[TraceVar],
    known: &mut Vec<(Ltl, Lit)>,
    formula: &Ltl,
) -> Result<Option<Lit>, ComposeError> {
    if is_about_the_future(formula) {
        return Ok(None);
    }
    if formula.past_depth() == 0 {
        let mut lowering = Lowering {
            model,
            traces,
            product,
        };
        return lowering.literal(formula).map(Some);
    }
    if let Some((_, lit)) = known.iter().find(|(said, _)| said == formula) {
        return Ok(Some(*lit));
    }
    let operands = formula.operands().into_iter();
    let operands: Result<Vec<Option<Lit>>, ComposeError> = operands
        .map(|operand| past(model, product, traces, known, operand))
        .collect();
    let operands: Option<Vec<Lit>> = operands?.into_iter().collect();
    let Some(operands) = operands else {
        return Ok(None);
    };
    let lit = Builder::new(&mut product.aig).of_past(formula, &operands);
    known.extend(lit.map(|lit| (formula.clone(), lit)));
    Ok(lit)
}

fn is_about_the_future(formula: &Ltl) -> bool {
    let own = match formula {
        Ltl::Unary(op, _) => !op.is_past() && *op != crate::ast::UnaryOp::Not,
        Ltl::Binary(op, ..) => !op.is_past() && !op.is_instantaneous(),
        _ => false,
    };
    own || formula.operands().into_iter().any(is_about_the_future)
}

/// Returns copies that contain exactly the cones of the formula and of constraints.
fn product_of(
    model: &ConditionalMutant,
    specs: &[CopySpec],
    said: &Ltl,
) -> Result<Product, ComposeError> {
    let mut read = Vec::new();
    let mut all_outputs = false;
    for atom in said.atoms() {
        all_outputs |= matches!(atom, Atom::OutputsEqual(..));
        read.extend(reads(model, atom)?);
    }
    // The copier keeps the cone of the outputs, so the outputs are replaced by the literals read.
    let mut observed = model.clone();
    let outputs = observed.aig.outputs.len();
    if !all_outputs {
        for output in &mut observed.aig.outputs {
            output.lit = Lit::FALSE;
        }
    }
    let extra = read.iter().map(|&lit| Signal { lit, name: None });
    observed.aig.outputs.extend(extra);
    let mut product = Product::new(&observed, specs);
    for copy in &mut product.copies {
        copy.outputs.truncate(outputs);
    }
    Ok(product)
}
