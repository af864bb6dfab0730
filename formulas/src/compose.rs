//! Self-composition: translates a formula of the killing shape to one product of circuit copies and two kinds of literals.
//!
//! [`crate::shape`] decomposes the body. The shape, with prefix ∃*∀* (either part may be missing), is:
//!
//! ```text
//! □A ∧ ◇C          (∃* only has this one)
//! □A ∧ (□B → ◇C)
//! ```
//!
//! A, B and C are instantaneous, and A is over existential traces only. A fixes the variants and shared inputs of existential traces, and B
//! those of universal ones; these become the copies' specifications. The rest becomes literals, the rest of B in the goal, since □B → ◇C is
//! ◇(¬B ∨ C). Substituting equals for equals is exact: an existential trace must satisfy A, and a universal one that does not satisfy B
//! fulfils the formula anyway.
//!
//! The module builds the question and does not answer it. Other shapes need a monitor and are refused with the subformula that does not
//! fit. A formula that begins with ∀ is decided through its negation.

use hyperkill_core::aig::Signal;
use hyperkill_core::product::{CopySpec, Product, Variant};
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

use crate::ast::{Atom, Formula, Ltl, Quantifier, TraceVar};
pub use crate::error::ComposeError;
use crate::fragment::Fragment;
use crate::lower::{Lowering, reads};
use crate::shape::{Shape, Signed};

/// The parts that copies of a product share besides the inputs that the formula equates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Sharing {
    /// Nothing: every trace has choices of its own, as in the semantics.
    #[default]
    Independent,
    /// All choices (`nd` inputs and free initial values), as if they were test inputs: controllable non-determinism (semantics.md §5).
    /// Answers then prove nothing about the formula itself.
    ControllableChoices,
}

/// A formula over a conditional mutant, as one circuit.
///
/// Let V be the conjunction of the [`valid`](hyperkill_core::product::Copy::valid) literals of a set of copies. The formula holds iff some
/// runs of the existential copies meet two conditions. First, □(V of the existential copies ∧ `always`) holds. Second, for all runs of the
/// universal copies, □(V of the universal copies) implies ◇`goal`. Without universal copies the question is reachability: `goal` holds at
/// some step, and all V and `always` hold up to and including that step.
///
/// `always` does *not* contain the `valid` literals, since the copies of a strategy have other obligations.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The copies, one per trace variable in prefix order.
    pub product: Product,
    /// The trace variable of each copy.
    pub traces: Vec<TraceVar>,
    /// The quantifier of each copy. Existential copies come first.
    pub quantifiers: Vec<Quantifier>,
    /// Literals over existential copies that must hold at every step, beyond the copies' specifications.
    pub always: Vec<Lit>,
    /// The literal that must hold at some step.
    pub goal: Lit,
}

impl Composition {
    /// Returns the indices of the existential copies.
    pub fn existential(&self) -> impl Iterator<Item = usize> + '_ {
        self.quantified(Quantifier::Exists)
    }

    /// Returns the indices of the universal copies.
    pub fn universal(&self) -> impl Iterator<Item = usize> + '_ {
        self.quantified(Quantifier::Forall)
    }

    /// Whether there are no universal copies, so that the question is plain reachability.
    #[must_use]
    pub fn is_reachability(&self) -> bool {
        self.universal().next().is_none()
    }

    /// Returns the index of the copy of a trace variable; `None` if there is none.
    #[must_use]
    pub fn copy_of(&self, trace: &TraceVar) -> Option<usize> {
        self.traces.iter().position(|t| t == trace)
    }

    fn quantified(&self, wanted: Quantifier) -> impl Iterator<Item = usize> + '_ {
        (0..self.quantifiers.len()).filter(move |&i| self.quantifiers[i] == wanted)
    }
}

/// Composes `formula` over `model`, where `mut` means this mutant. `sharing` determines the choices that the copies have in common.
///
/// In a model without selectors all traces belong to the original, without `!mut[p]`.
///
/// # Errors
/// If the formula does not have the shape above, or mentions names that the model does not have.
pub fn self_compose(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    sharing: Sharing,
) -> Result<Composition, ComposeError> {
    self_compose_observing(model, mutant, formula, sharing, &[])
}

/// Composes like [`self_compose`], with copies that also contain these wires of the model for the caller.
///
/// # Errors
/// If [`self_compose`] fails.
pub fn self_compose_observing(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    sharing: Sharing,
    wires: &[Lit],
) -> Result<Composition, ComposeError> {
    let choices = |trace| match sharing {
        Sharing::ControllableChoices if trace > 0 => Some(0),
        _ => None,
    };
    compose(model, mutant, formula, &choices, wires)
}

/// Composes like [`self_compose`], with universal traces that copy choices. `whose` gives for each trace, in prefix order, the earlier
/// trace whose choices it shares. A copying trace is one trace and not all, so a result only holds for this choice of the trace.
///
/// # Errors
/// If [`self_compose`] fails.
pub fn compose_following(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    whose: &[Option<usize>],
) -> Result<Composition, ComposeError> {
    let choices = |trace| {
        let of: Option<usize> = whose.get(trace).copied().flatten();
        of.filter(|&of| of < trace)
    };
    compose(model, mutant, formula, &choices, &[])
}

/// Returns the specification of each trace of a formula of any shape: its variant (original or mutant), and the earlier trace whose inputs
/// it shares, if the formula requires that at every step.
///
/// Assertions under G fix both for existential traces. Premises fix both for universal traces: a trace that violates the premise satisfies
/// the formula anyway. Blocks of quantifiers are analysed from the outside in, as long as a single conjunct or disjunct is left for the
/// inner ones.
///
/// # Errors
/// If the variant of a trace is not fixed.
pub(crate) fn specifications(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
) -> Result<Vec<CopySpec>, ComposeError> {
    let mut roles = Roles::new(formula, mutant);
    let body = Signed {
        formula: &formula.body,
        positive: true,
    };
    let mut left = Some(body);
    for block in 0..=roles.block.last().copied().unwrap_or(0) {
        let Some(said) = left.take() else { break };
        let mut rest = Vec::new();
        if block % 2 == EXISTS {
            for conjunct in said.conjuncts() {
                let mut is_asserted = conjunct.invariant().is_some();
                for part in conjunct.invariant().iter().flat_map(|i| i.conjuncts()) {
                    // An assertion about a later trace does not fix its variant, but must be shown for all such traces.
                    is_asserted &= roles.absorb(part, block).is_ok();
                }
                if !is_asserted {
                    rest.push(conjunct);
                }
            }
        } else {
            for disjunct in said.disjuncts() {
                let mut is_premise = disjunct.eventuality().is_some();
                for part in disjunct.eventuality().iter().flat_map(|e| e.disjuncts()) {
                    is_premise &= roles.absorb(part.negated(), block)?;
                }
                if !is_premise {
                    rest.push(disjunct);
                }
            }
        }
        if let [alone] = rest[..] {
            left = Some(alone);
        }
    }
    roles.specs(model, &|_| None)
}

/// A function that returns the earlier trace whose choices a trace shares, both by position in the prefix; `None` if it shares none.
type Choices<'a> = dyn Fn(usize) -> Option<usize> + 'a;

fn compose(
    model: &ConditionalMutant,
    mutant: SelectorId,
    formula: &Formula,
    choices: &Choices<'_>,
    wires: &[Lit],
) -> Result<Composition, ComposeError> {
    match Fragment::of(formula) {
        Fragment::Exists | Fragment::Forall | Fragment::ExistsForall => {}
        other => return Err(ComposeError::UnsupportedPrefix(other)),
    }
    let is_system = |atom: &&Atom| matches!(atom, Atom::System(..));
    if let Some(atom) = formula.body.atoms().into_iter().find(is_system) {
        return Err(ComposeError::UnsupportedShape {
            subformula: Box::new(Ltl::Atom(atom.clone())),
            reason: "one of more than two systems",
        });
    }
    let shape = Shape::of(&formula.body)?;
    let mut roles = Roles::new(formula, mutant);
    let mut always = Vec::new();
    for conjunct in shape.asserted {
        if !roles.absorb(conjunct, EXISTS)? {
            always.push(conjunct);
        }
    }
    let mut goal = Vec::new();
    for part in shape.eventual.iter().flatten() {
        // ◇¬b ∨ ◇c is □b → ◇c: the roles of universal traces are among the premises.
        if !roles.absorb(part.negated(), FORALL)? {
            goal.push(*part);
        }
    }
    let specs = roles.specs(model, choices)?;

    let mut read = wires.to_vec();
    for signed in always.iter().chain(&goal) {
        for atom in signed.formula.atoms() {
            read.extend(reads(model, atom)?);
        }
    }
    let mut product = product_reading(model, &specs, &read);
    let traces: Vec<TraceVar> = formula.prefix.iter().map(|(_, t)| t.clone()).collect();
    let mut lowering = Lowering {
        model,
        traces: &traces,
        product: &mut product,
    };
    let mut literals = |parts: &[Signed<'_>]| -> Result<Vec<Lit>, ComposeError> {
        let parts = parts.iter();
        parts
            .map(|part| Ok(lowering.literal(part.formula)? ^ !part.positive))
            .collect()
    };
    let always = literals(&always)?;
    let goals = literals(&goal)?;
    let goal = match shape.eventual {
        Some(_) => product.aig.or_all(&goals),
        None => Lit::TRUE,
    };
    Ok(Composition {
        product,
        traces,
        quantifiers: formula.prefix.iter().map(|(q, _)| *q).collect(),
        always,
        goal,
    })
}

/// Returns the product of copies with these specifications. The copies contain the literals in `read` besides outputs and constraints.
fn product_reading(model: &ConditionalMutant, specs: &[CopySpec], read: &[Lit]) -> Product {
    if read.is_empty() {
        return Product::new(model, specs);
    }
    // The copier keeps the cone of the outputs, so the wires read are added as outputs.
    let mut observed = model.clone();
    let outputs = model.aig.outputs.len();
    let extra = read.iter().map(|&lit| Signal { lit, name: None });
    observed.aig.outputs.extend(extra);
    let mut product = Product::new(&observed, specs);
    for copy in &mut product.copies {
        copy.outputs.truncate(outputs);
    }
    product
}

/// The numbers of the first two blocks of equal quantifiers in a prefix that begins with ∃; even-numbered blocks are existential.
const EXISTS: usize = 0;
const FORALL: usize = 1;

/// The roles of the traces: their variants, and the traces with which they share inputs.
struct Roles<'f> {
    formula: &'f Formula,
    mutant: SelectorId,
    /// The block of equal quantifiers of each trace. The block of an outermost ∀ has number 1, after an empty one.
    block: Vec<usize>,
    variants: Vec<Option<Variant>>,
    /// The first trace in each trace's class of equal inputs.
    class: Vec<usize>,
}

impl<'f> Roles<'f> {
    fn new(formula: &'f Formula, mutant: SelectorId) -> Roles<'f> {
        let traces = formula.prefix.len();
        let mut last = (Quantifier::Exists, EXISTS);
        let block = formula.prefix.iter().map(|&(quantifier, _)| {
            if quantifier != last.0 {
                last = (quantifier, last.1 + 1);
            }
            last.1
        });
        Roles {
            formula,
            mutant,
            block: block.collect(),
            variants: vec![None; traces],
            class: (0..traces).collect(),
        }
    }

    fn position(&self, trace: &TraceVar) -> Result<usize, ComposeError> {
        let position = self.formula.position(trace);
        position.ok_or_else(|| ComposeError::Unbound(trace.clone()))
    }

    /// Absorbs an assertion about existential traces, or a premise about universal ones, which belongs to `block`; even blocks are
    /// existential.
    /// The conjunct must hold at every step, and may also mention traces of earlier blocks.
    ///
    /// Returns whether the roles now express the conjunct completely; otherwise the caller must keep it as a literal.
    ///
    /// # Errors
    /// If an assertion about existential traces mentions a later trace, or a trace is not in the prefix.
    fn absorb(&mut self, conjunct: Signed<'_>, block: usize) -> Result<bool, ComposeError> {
        let mut latest = EXISTS;
        for atom in conjunct.formula.atoms() {
            for trace in atom.traces() {
                latest = latest.max(self.block[self.position(trace)?]);
            }
        }
        if block % 2 == EXISTS && latest > block {
            return Err(ComposeError::UnsupportedShape {
                subformula: Box::new(conjunct.formula.clone()),
                reason: "asserted of a universal trace",
            });
        }
        // The conjunct mentions no trace of this block, or a trace of a later one.
        if latest != block {
            return Ok(false);
        }
        let (variant, trace) = match (conjunct.formula, conjunct.positive) {
            (Ltl::Atom(Atom::InputsEqual(p, q)), true) => {
                let (p, q) = (self.position(p)?, self.position(q)?);
                return Ok(self.unite(p, q, block));
            }
            (Ltl::Atom(Atom::Selector(trace)), true) => (Variant::Mutant(self.mutant), trace),
            (Ltl::Atom(Atom::Selector(trace)), false) => (Variant::Original, trace),
            (Ltl::Atom(Atom::System(trace, number)), true) => (Variant::of_system(*number), trace),
            _ => return Ok(false),
        };
        let trace = self.position(trace)?;
        // A contradiction is kept as a literal, which will be false.
        Ok(*self.variants[trace].get_or_insert(variant) == variant)
    }

    /// Merges the classes of two traces of `block` or earlier blocks. Returns `false`, and merges nothing, if that would restrict traces of
    /// earlier blocks.
    fn unite(&mut self, p: usize, q: usize, block: usize) -> bool {
        let (first, second) = (
            self.class[p].min(self.class[q]),
            self.class[p].max(self.class[q]),
        );
        // Earlier blocks come first. So a class has a trace of an earlier block iff its first member is in an earlier block.
        if first != second && self.block[second] != block {
            return false;
        }
        for class in &mut self.class {
            if *class == second {
                *class = first;
            }
        }
        true
    }

    fn specs(
        &self,
        model: &ConditionalMutant,
        choices: &Choices<'_>,
    ) -> Result<Vec<CopySpec>, ComposeError> {
        let selectors = model.selectors.len();
        let mut specs: Vec<CopySpec> = Vec::new();
        for (trace, variant) in self.variants.iter().enumerate() {
            let variant = match variant {
                Some(Variant::Mutant(index)) if index.0 >= selectors => {
                    return Err(ComposeError::NoSuchSelector {
                        selectors,
                        index: *index,
                    });
                }
                Some(variant) => *variant,
                None if selectors == 0 => Variant::Original,
                None => {
                    let (_, trace) = &self.formula.prefix[trace];
                    return Err(ComposeError::VariantNotFixed(trace.clone()));
                }
            };
            let classmates = || (0..trace).filter(|&t| self.class[t] == self.class[trace]);
            // A copy shares most with a copy of its own variant.
            let inputs_of = classmates()
                .find(|&t| specs[t].variant == variant)
                .or_else(|| classmates().next());
            let choices_of = choices(trace);
            specs.push(CopySpec {
                variant,
                // A trace that copies another one's choices, and whose inputs are not fixed, shares its inputs too.
                inputs_of: inputs_of.or(choices_of),
                choices_of,
            });
        }
        Ok(specs)
    }
}
