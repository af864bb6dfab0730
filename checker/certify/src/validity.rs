//! Checks the list of mutants that are models: each other mutant breaks an obligation or has no first step, and the models and the original
//! break none and have one.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::budget::Budget;
use hyperkill_core::paths::CARRIED;
use hyperkill_core::product::Variant;
use hyperkill_core::trace::{Stimulus, replay};
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::validity::{Breach, Validity};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};
use hyperkill_sat_batsat::Batsat;

use super::CertifyError;
use super::naive::signed;

/// Conditions that must hold for all values: literals of a circuit of their own, with the selectors of the model.
#[derive(Clone, Copy, Debug)]
pub struct Obligations<'a> {
    /// The circuit. Its latches are free like inputs; its selectors are none where nothing is asked.
    pub circuit: &'a ConditionalMutant,
    /// Literals of the circuit that must be true under all values.
    pub conditions: &'a [Lit],
}

/// Checks the list of valid mutants of `model`, the circuit with all of them. Without obligations, as for circuits from other tools, only
/// first steps are checked.
///
/// # Errors
/// If the evidence does not show it.
pub fn certify_validity(
    model: &ConditionalMutant,
    obligations: Option<&Obligations<'_>>,
    shown: &Validity,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mutants = model.selectors.len();
    let sets = shown.breaches.iter().map(|breach| &breach.mutants);
    let sets = sets.chain(shown.beginnings.iter().map(|beginning| &beginning.mutants));
    for set in sets.chain([&shown.without]) {
        let ascending = set.is_sorted_by(|a, b| a < b);
        if !ascending || set.last().is_some_and(|&last| last.0 >= mutants) {
            return unsound("a list of mutants is not in order, or names none of the circuit");
        }
    }
    let is_other = |circuit: &ConditionalMutant| {
        let mut selectors = circuit.selectors.iter().zip(&model.selectors);
        circuit.selectors.len() > mutants || selectors.any(|(a, b)| a.id != b.id)
    };
    if obligations.is_some_and(|obligations| is_other(obligations.circuit)) {
        return unsound("the obligations are about other mutants");
    }
    let broken = match obligations {
        Some(obligations) => obeyed(obligations, &shown.breaches, mutants, budget)?,
        None if shown.breaches.is_empty() => vec![None; mutants],
        None => {
            return unsound("the mutants have no obligations, but the evidence lists invalid ones");
        }
    };
    begun(model, obligations.is_some(), shown, &broken, budget)
}

fn unsound<T>(what: &'static str) -> Result<T, CertifyError> {
    Err(CertifyError::Validity(what))
}

/// Checks the breaches, and returns for each mutant the first obligation that it breaks. Each breach must break its obligation for its
/// mutants, and no earlier obligation. No other mutant may break any.
fn obeyed(
    obligations: &Obligations<'_>,
    breaches: &[Breach],
    mutants: usize,
    budget: &Budget,
) -> Result<Vec<Option<usize>>, CertifyError> {
    let Obligations {
        circuit,
        conditions,
    } = *obligations;
    let mut broken = vec![None; mutants];
    for breach in breaches {
        let Some(&condition) = conditions.get(breach.obligation) else {
            return unsound("a listed obligation does not exist");
        };
        if breach.latches.len() != circuit.aig.latches().len()
            || breach.inputs.len() != circuit.aig.inputs().len()
        {
            return unsound("the values of a breach do not fit the circuit");
        }
        for &mutant in &breach.mutants {
            if broken[mutant.0].is_some() || mutant.0 >= circuit.selectors.len() {
                return unsound(
                    "a mutant breaks two obligations, or is not in the circuit of obligations",
                );
            }
            if holds(circuit, mutant, breach, condition) {
                return unsound("a listed breach does not break its obligation");
            }
            broken[mutant.0] = Some(breach.obligation);
        }
    }
    let alone: Vec<SelectorId> = circuit.selector_ids().collect();
    for (number, &condition) in conditions.iter().enumerate() {
        if condition == Lit::TRUE {
            continue;
        }
        let held = |&mutant: &SelectorId| {
            let own = broken.get(mutant.0).copied().flatten();
            own.is_none_or(|own| own > number)
        };
        let held: Vec<SelectorId> = alone.iter().copied().filter(held).collect();
        let mut values = Values::new(&circuit.aig);
        values.require(!condition);
        values.at_most_one(circuit, &held);
        values.refute(
            "a mutant without a listed breach can break an obligation",
            budget,
        )?;
    }
    Ok(broken)
}

/// Whether a condition holds in a mutant under the values of a breach, evaluated gate by gate.
fn holds(circuit: &ConditionalMutant, mutant: SelectorId, breach: &Breach, condition: Lit) -> bool {
    let selectors = circuit.selector_of_latch();
    let mut values = Vec::with_capacity(circuit.aig.len());
    let of = |values: &[bool], lit: Lit| values[lit.var().index()] ^ lit.is_negated();
    for (_, node) in circuit.aig.nodes() {
        values.push(match node {
            Node::False => false,
            Node::Input(input) => breach.inputs[input as usize],
            Node::Latch(latch) => match selectors[latch as usize] {
                Some(selector) => selector == mutant,
                None => breach.latches[latch as usize],
            },
            Node::And(a, b) => of(&values, a) && of(&values, b),
        });
    }
    of(&values, condition)
}

/// Checks that the original has a first step (a run of one step). Each mutant that is not invalid for another reason has one, or is
/// correctly listed as having none.
fn begun(
    model: &ConditionalMutant,
    of_mutants: bool,
    shown: &Validity,
    broken: &[Option<usize>],
    budget: &Budget,
) -> Result<(), CertifyError> {
    let mut begins = vec![false; broken.len()];
    let mut original = false;
    // The constraint that a step carries its outputs is not a condition on states.
    let mut states = model.clone();
    let constraints = &mut states.aig.constraints;
    constraints.retain(|constraint| constraint.name.as_deref() != Some(CARRIED));
    for beginning in &shown.beginnings {
        if beginning.original {
            original = true;
            is_a_first_step(model, Variant::Original, &beginning.run)?;
        }
        for &mutant in &beginning.mutants {
            begins[mutant.0] = true;
            is_a_first_step(&states, Variant::Mutant(mutant), &beginning.run)?;
        }
    }
    if model.is_unconstrained() {
        return match shown.without.is_empty() {
            true => Ok(()),
            false => unsound("the model has no constraints, so every mutant has a first step"),
        };
    }
    if !original {
        return unsound("the evidence has no first step of the model");
    }
    if !of_mutants {
        return match shown.without.is_empty() {
            true => Ok(()),
            false => {
                unsound("the mutants have no obligations, but the evidence lists invalid ones")
            }
        };
    }
    for (mutant, broken) in model.selector_ids().zip(broken) {
        let without = shown.without.binary_search(&mutant).is_ok();
        match (broken.is_some(), without) {
            (true, false) => {}
            (true, true) => {
                return unsound(
                    "a mutant is listed both with a breach and as without a first step",
                );
            }
            (false, true) => never_begins(&states, mutant, budget)?,
            (false, false) if begins[mutant.0] => {}
            (false, false) => return unsound("the evidence has no first step of a valid mutant"),
        }
    }
    Ok(())
}

/// Checks that a run is a first step of a variant: it has one step, in which all constraints hold.
fn is_a_first_step(
    model: &ConditionalMutant,
    variant: Variant,
    run: &Stimulus,
) -> Result<(), CertifyError> {
    let trace = replay(model, variant, run).map_err(super::ReplayError::from)?;
    match (trace.broken_at, run.steps.len()) {
        (None, 1) => Ok(()),
        _ => unsound("a listed first step breaks a constraint, or has not one step"),
    }
}

/// Checks that a mutant has no first step: no initial values and inputs satisfy the constraints.
fn never_begins(
    model: &ConditionalMutant,
    mutant: SelectorId,
    budget: &Budget,
) -> Result<(), CertifyError> {
    let aig = &model.aig;
    let selectors = model.selector_of_latch();
    let mut values = Values::new(aig);
    for (latch, selector) in aig.latches().iter().zip(selectors) {
        let lit = latch.var.lit();
        match (selector, latch.reset) {
            (Some(selector), _) => values.require(lit ^ (selector != mutant)),
            (None, Reset::Zero) => values.require(!lit),
            (None, Reset::One) => values.require(lit),
            (None, Reset::Free) => {}
        }
    }
    for constraint in &aig.constraints {
        values.require(constraint.lit);
    }
    values.refute("a mutant listed as without a first step has one", budget)
}

/// The nodes of a circuit in a solver, with one variable for each node that is read.
struct Values<'a> {
    aig: &'a Aig,
    solver: Batsat,
    nodes: Vec<Option<SatLit>>,
}

impl<'a> Values<'a> {
    fn new(aig: &'a Aig) -> Values<'a> {
        Values {
            aig,
            solver: Batsat::new(),
            nodes: vec![None; aig.len()],
        }
    }

    /// Asserts that at most one selector is on, and none outside `held` (ascending). Selectors that no node reads are left out.
    fn at_most_one(&mut self, circuit: &ConditionalMutant, held: &[SelectorId]) {
        // A running disjunction, so that there are as many clauses as selectors.
        let mut earlier: Option<SatLit> = None;
        for (id, selector) in circuit.selector_ids().zip(&circuit.selectors) {
            let own = circuit.aig.latches()[selector.latch].var.lit();
            let Some(own) = self.known(own) else {
                continue;
            };
            if held.binary_search(&id).is_err() {
                self.solver.add_clause(&[!own]);
                continue;
            }
            let any = self.solver.new_lit();
            self.solver.add_clause(&[!own, any]);
            if let Some(earlier) = earlier {
                self.solver.add_clause(&[!earlier, any]);
                self.solver.add_clause(&[!earlier, !own]);
            }
            earlier = Some(any);
        }
    }

    fn require(&mut self, lit: Lit) {
        let lit = self.lit(lit);
        self.solver.add_clause(&[lit]);
    }

    /// Returns the solver literal of a circuit literal, and encodes all nodes that it depends on.
    fn lit(&mut self, wanted: Lit) -> SatLit {
        let mut due = vec![wanted.var()];
        while let Some(&var) = due.last() {
            if self.nodes[var.index()].is_some() {
                due.pop();
                continue;
            }
            let operands = match self.aig.node(var) {
                Node::And(a, b) => Some([a, b]),
                Node::False | Node::Input(_) | Node::Latch(_) => None,
            };
            let before = due.len();
            let unknown = operands.iter().flatten().map(|lit| lit.var());
            due.extend(unknown.filter(|var| self.nodes[var.index()].is_none()));
            if due.len() > before {
                continue;
            }
            let out = self.solver.new_lit();
            if let Some(operands) = operands {
                self.tie(out, operands);
            } else if self.aig.node(var) == Node::False {
                self.solver.add_clause(&[!out]);
            }
            self.nodes[var.index()] = Some(out);
            due.pop();
        }
        self.known(wanted).unwrap_or_else(|| self.solver.new_lit())
    }

    fn known(&self, lit: Lit) -> Option<SatLit> {
        Some(signed(self.nodes[lit.var().index()]?, lit))
    }

    fn tie(&mut self, out: SatLit, operands: [Lit; 2]) {
        if let [Some(a), Some(b)] = operands.map(|lit| self.known(lit)) {
            self.solver.add_clause(&[!out, a]);
            self.solver.add_clause(&[!out, b]);
            self.solver.add_clause(&[out, !a, !b]);
        }
    }

    fn refute(mut self, otherwise: &'static str, budget: &Budget) -> Result<(), CertifyError> {
        match self.solver.solve(&[], None, budget) {
            Answer::Impossible => Ok(()),
            Answer::Possible => unsound(otherwise),
            Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
        }
    }
}
