//! Copies circuits into one graph, for self-composition (semantics.md §6.2).
//!
//! A product has one copy of a conditional mutant per trace variable. Copies share inputs, and every node that no copy-specific value can
//! reach: the copier traverses the original once per copy, and structural hashing merges nodes with equal operands. Latches merge if their
//! complete sequential cone is free of selectors, unshared inputs and free resets. `formulas` determines the copies of a formula and their
//! constraints.

use crate::aig::{Cone, Leaf, Node, Reset, Signal};
use crate::{Aig, ConditionalMutant, Lit, SelectorId, Var};

/// The variant of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variant {
    /// The model itself: all selectors are 0.
    Original,
    /// Exactly this selector is 1.
    Mutant(SelectorId),
}

impl Variant {
    /// Returns the variant of the system with this number, in a circuit of several systems: 0 is the original, each other number a mutant.
    #[must_use]
    pub fn of_system(number: usize) -> Variant {
        match number.checked_sub(1) {
            None => Variant::Original,
            Some(selector) => Variant::Mutant(SelectorId(selector)),
        }
    }

    /// Returns the number of this variant in a circuit of several systems: 0 for the original, the selector's number plus 1 for a mutant.
    #[must_use]
    pub fn system(self) -> usize {
        match self {
            Variant::Original => 0,
            Variant::Mutant(selector) => selector.0 + 1,
        }
    }
}

/// The specification of one copy, and of the parts that it shares with earlier copies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopySpec {
    /// The variant: the original or a mutant.
    pub variant: Variant,
    /// The earlier copy whose test inputs it shares.
    pub inputs_of: Option<usize>,
    /// The earlier copy whose choices (choice inputs and free initial values) it shares: controllable non-determinism.
    pub choices_of: Option<usize>,
}

impl CopySpec {
    /// Returns a copy that shares nothing.
    #[must_use]
    pub fn alone(variant: Variant) -> CopySpec {
        CopySpec {
            variant,
            inputs_of: None,
            choices_of: None,
        }
    }
}

/// The parts of one copy in the product.
#[derive(Clone, Debug)]
pub struct Copy {
    /// The specification of the copy.
    pub spec: CopySpec,
    /// The literal of each node of the original circuit, by variable; `None` outside the copied cone.
    pub nodes: Vec<Option<Lit>>,
    /// The literal of each circuit input; `None` outside the copied cone.
    pub inputs: Vec<Option<Lit>>,
    /// The index of the product latch for each circuit latch; `None` for constant selectors and for latches outside the cone.
    pub latches: Vec<Option<usize>>,
    /// The literal of each circuit output.
    pub outputs: Vec<Lit>,
    /// The conjunction of the copy's constraints.
    pub valid: Lit,
    /// The literal of each selector, which is a constant except in the copy of a [family](Product::family). Empty for copies that this
    /// module did not build.
    pub selectors: Vec<Lit>,
}

impl Copy {
    /// Returns the product's literal for a literal of the original circuit; `None` if it was not copied.
    #[must_use]
    pub fn lit(&self, lit: Lit) -> Option<Lit> {
        Some(self.nodes[lit.var().index()]? ^ lit.is_negated())
    }
}

/// Several copies of a conditional mutant in one graph.
#[derive(Clone, Debug)]
pub struct Product {
    /// The graph. It has no outputs, bad states or constraints of its own; the question adds them.
    pub aig: Aig,
    /// The copies in the order of their specifications.
    pub copies: Vec<Copy>,
    /// Pairs of latch indices that share one free initial value (later copy first): [`CopySpec::choices_of`] shares it without sharing the
    /// latch.
    pub initially_equal: Vec<(usize, usize)>,
    /// The condition that exactly one mutant of a family is on; true in other products. The literal is rigid, so it holds at every step if
    /// it does at one.
    pub one_member: Lit,
}

impl Product {
    /// Copies the cone of outputs and constraints once per specification.
    ///
    /// `inputs_of` and `choices_of` must name earlier copies.
    #[must_use]
    pub fn new(model: &ConditionalMutant, specs: &[CopySpec]) -> Product {
        let mut copier = Copier::new(model);
        for spec in specs {
            let variant = |s: SelectorId| Lit::constant(spec.variant == Variant::Mutant(s));
            let selectors = model.selector_ids().map(variant).collect();
            copier.copy(spec, selectors);
        }
        copier.product
    }

    /// Returns a copy of the original, and a copy of all these mutants at once: their selectors are latches of the product, initially free,
    /// constant along a run, outermost (semantics.md §6.4). Runs count only if [`one_member`](Product::one_member) holds. The specification
    /// of the second copy names the first member.
    ///
    /// The copies share their inputs, and their choices if `shared_choices`. There must be at least one member.
    #[must_use]
    pub fn family(
        model: &ConditionalMutant,
        members: &[SelectorId],
        shared_choices: bool,
    ) -> Product {
        let mut copier = Copier::new(model);
        let none = vec![Lit::FALSE; model.selectors.len()];
        copier.copy(&CopySpec::alone(Variant::Original), none.clone());
        let aig = &mut copier.product.aig;
        let mut selectors = none;
        for &member in members {
            // A single member is always on.
            selectors[member.0] = Lit::TRUE;
            if members.len() > 1 {
                selectors[member.0] = aig.add_latch(Reset::Free, None);
                aig.set_next(aig.latches().len() - 1, selectors[member.0]);
            }
        }
        let (mut one, mut none_yet) = (Lit::FALSE, Lit::TRUE);
        for &member in members {
            let selector = selectors[member.0];
            one = aig.ite(selector, none_yet, one);
            none_yet = aig.and(none_yet, !selector);
        }
        let spec = CopySpec {
            variant: Variant::Mutant(members.first().copied().unwrap_or(SelectorId(0))),
            inputs_of: Some(0),
            choices_of: shared_choices.then_some(0),
        };
        copier.copy(&spec, selectors);
        copier.product.one_member = one;
        copier.product
    }

    /// Copies first values between latches that share one ([`Product::initially_equal`]). `state` has the value of each latch of the
    /// product, and false for each of which `is_known` is false.
    pub fn share_first_values(&self, state: &mut [bool], is_known: impl Fn(usize) -> bool) {
        for &(later, earlier) in self.initially_equal.iter().rev() {
            if !is_known(earlier) {
                state[earlier] |= state[later];
            }
        }
        for &(later, earlier) in &self.initially_equal {
            state[later] = state[earlier];
        }
    }
}

/// Copies one circuit repeatedly.
struct Copier<'a> {
    source: &'a Aig,
    cone: Cone,
    selector_of: Vec<Option<SelectorId>>,
    is_choice: Vec<bool>,
    product: Product,
}

impl<'a> Copier<'a> {
    fn new(model: &'a ConditionalMutant) -> Copier<'a> {
        let source = &model.aig;
        let roots = source.outputs.iter().chain(&source.constraints);
        let mut is_choice = vec![false; source.inputs().len()];
        for bit in model.choice_bits() {
            is_choice[bit] = true;
        }
        Copier {
            source,
            cone: Cone::sequential(source, roots.map(|signal| signal.lit)),
            selector_of: model.selector_of_latch(),
            is_choice,
            product: Product {
                aig: Aig::new(),
                copies: Vec::new(),
                initially_equal: Vec::new(),
                one_member: Lit::TRUE,
            },
        }
    }

    /// Returns for each latch the earlier copy's latch that has the same value at every step, if there is one.
    /// The computation is a greatest fixpoint: it starts from all pairs with equal literals and drops a pair whose next-state function
    /// reads a difference.
    fn shared_latches(&self, spec: &CopySpec, selectors: &[Lit]) -> Vec<Option<usize>> {
        let source = self.source;
        let none = vec![None; source.latches().len()];
        let Some(with) = spec.inputs_of.or(spec.choices_of).or({
            // Without sharing in the specification, autonomous parts may still be common with the first copy.
            (!self.product.copies.is_empty()).then_some(0)
        }) else {
            return none;
        };
        let other = &self.product.copies[with];
        let mut same_latch: Vec<bool> = source
            .latches()
            .iter()
            .enumerate()
            .map(|(i, latch)| {
                self.cone.contains(latch.var)
                    && self.selector_of[i].is_none()
                    && (latch.reset != Reset::Free || spec.choices_of == Some(with))
            })
            .collect();
        loop {
            let mut same = vec![false; source.len()];
            for (var, node) in source.nodes() {
                same[var.index()] = match node {
                    Node::False => true,
                    Node::Input(i) => {
                        let owner = if self.is_choice[i as usize] {
                            spec.choices_of
                        } else {
                            spec.inputs_of
                        };
                        owner == Some(with)
                    }
                    Node::Latch(i) => match self.selector_of[i as usize] {
                        Some(s) => selectors[s.0] == other.selectors[s.0],
                        None => same_latch[i as usize],
                    },
                    Node::And(a, b) => same[a.var().index()] && same[b.var().index()],
                };
            }
            let mut changed = false;
            for (i, latch) in source.latches().iter().enumerate() {
                if same_latch[i] && !same[latch.next.var().index()] {
                    same_latch[i] = false;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        same_latch
            .iter()
            .enumerate()
            .map(|(i, &same)| if same { other.latches[i] } else { None })
            .collect()
    }

    /// Adds a copy with these literals for the selectors.
    fn copy(&mut self, spec: &CopySpec, selectors: Vec<Lit>) {
        let shared = self.shared_latches(spec, &selectors);
        let Copier {
            source,
            cone,
            selector_of,
            is_choice,
            product,
        } = self;
        let mut inputs = vec![None; source.inputs().len()];
        let mut latches = vec![None; source.latches().len()];
        let Product {
            aig,
            copies,
            initially_equal,
            ..
        } = product;
        let number = copies.len();
        let numbered = |name: &Option<String>| name.as_ref().map(|n| format!("{n}@{number}"));
        let images = aig.copy(
            source,
            |var| cone.contains(var),
            |aig, _, leaf| match leaf {
                Leaf::Input(i) => {
                    let owner = if is_choice[i] {
                        spec.choices_of
                    } else {
                        spec.inputs_of
                    };
                    let common = owner.and_then(|with| copies[with].inputs[i]);
                    let name = || numbered(&source.inputs()[i].name);
                    let lit = common.unwrap_or_else(|| aig.add_input(name()));
                    inputs[i] = Some(lit);
                    lit
                }
                Leaf::Latch(i) => match (selector_of[i], shared[i]) {
                    (Some(s), _) => {
                        latches[i] = latch_of(aig, selectors[s.0]);
                        selectors[s.0]
                    }
                    (None, Some(common)) => {
                        latches[i] = Some(common);
                        aig.latches()[common].var.lit()
                    }
                    (None, None) => {
                        latches[i] = Some(aig.latches().len());
                        let latch = &source.latches()[i];
                        aig.add_latch(latch.reset, numbered(&latch.name))
                    }
                },
            },
        );
        for (i, latch) in source.latches().iter().enumerate() {
            if let (Some(index), None, None) = (latches[i], shared[i], selector_of[i]) {
                aig.set_next(index, images.of(latch.next));
                let with = spec.choices_of.and_then(|with| copies[with].latches[i]);
                if let (Reset::Free, Some(earlier)) = (latch.reset, with) {
                    initially_equal.push((index, earlier));
                }
            }
        }
        let of = |signals: &[Signal]| -> Vec<Lit> {
            let lits = signals.iter().map(|signal| images.of(signal.lit));
            lits.collect()
        };
        let outputs = of(&source.outputs);
        let valid = aig.and_all(&of(&source.constraints));
        let copied = |(var, _): (Var, Node)| cone.contains(var).then(|| images.of(var.lit()));
        copies.push(Copy {
            spec: *spec,
            nodes: source.nodes().map(copied).collect(),
            inputs,
            latches,
            outputs,
            valid,
            selectors,
        });
    }
}

/// Returns the index of the latch of a literal, which may be negated; `None` if it is no latch.
fn latch_of(aig: &Aig, lit: Lit) -> Option<usize> {
    match aig.node(lit.var()) {
        Node::Latch(i) => Some(i as usize),
        _ => None,
    }
}
