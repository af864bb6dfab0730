//! Inputs of a test that decide nothing: whatever they are, the model answers the same, and the mutants answer otherwise.
//!
//! Values are traced back from what the model shows, from one difference that each mutant shows, and from the constraints, to the inputs
//! that they follow from: of the operands of a gate that is 0 one that is 0 is enough. Inputs that nothing is traced back to are free, all
//! at once. Where something follows from what the model or a mutant chooses, none are said to be.

use hyperkill_core::aig::{Node, Reset};
use hyperkill_core::product::Variant;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, Lit, SelectorId};

/// Gates times steps, of all runs of a test together.
const MOST: usize = 1 << 25;

/// For each step the names of the inputs that decide nothing in a test that kills these mutants for certain.
pub(super) fn free(
    model: &ConditionalMutant,
    run: &Stimulus,
    mutants: &[SelectorId],
) -> Vec<Vec<String>> {
    let none = vec![Vec::new(); run.steps.len()];
    let work = model.aig.len().saturating_mul(run.steps.len());
    if mutants.is_empty() || work.saturating_mul(mutants.len() + 1) > MOST {
        return none;
    }
    let Some(needed) = needed(model, run, mutants) else {
        return none;
    };
    let steps = needed.iter().map(|needed| {
        let free = model.inputs.iter();
        let free = free.filter(|port| port.bits.iter().all(|&bit| !needed[bit]));
        free.map(|port| port.name.clone()).collect()
    });
    steps.collect()
}

/// Per step which inputs are needed; `None` if a choice is.
fn needed(
    model: &ConditionalMutant,
    run: &Stimulus,
    mutants: &[SelectorId],
) -> Option<Vec<Vec<bool>>> {
    let original = Values::of(model, Variant::Original, run);
    let outputs: Vec<Lit> = model.aig.outputs.iter().map(|output| output.lit).collect();
    let mut tracing = Tracing {
        model,
        selectors: model
            .selector_of_latch()
            .iter()
            .map(Option::is_some)
            .collect(),
        is_choice: vec![false; model.aig.inputs().len()],
        inputs: vec![vec![false; model.aig.inputs().len()]; run.steps.len()],
    };
    for bit in model.choice_bits() {
        tracing.is_choice[bit] = true;
    }
    let constraints = model.aig.constraints.iter();
    let constraints: Vec<Lit> = constraints.map(|constraint| constraint.lit).collect();
    let all = |_: usize| -> Vec<Lit> { outputs.iter().chain(&constraints).copied().collect() };
    tracing.trace(&original, all)?;
    for &mutant in mutants {
        let mutated = Values::of(model, Variant::Mutant(mutant), run);
        let (step, output) = (0..run.steps.len()).find_map(|step| {
            let differs = |&&lit: &&Lit| original.at(step, lit) != mutated.at(step, lit);
            Some((step, *outputs.iter().find(differs)?))
        })?;
        let shown = |at: usize| {
            let output = (at == step).then_some(output);
            constraints.iter().copied().chain(output).collect()
        };
        tracing.trace(&mutated, shown)?;
    }
    Some(tracing.inputs)
}

/// What each node is at each step of a run.
struct Values {
    steps: Vec<Vec<bool>>,
}

impl Values {
    fn of(model: &ConditionalMutant, variant: Variant, run: &Stimulus) -> Values {
        let aig = &model.aig;
        let selectors = model.selector_of_latch();
        let mut state: Vec<bool> = (aig.latches().iter().enumerate())
            .map(|(at, latch)| match (selectors[at], latch.reset) {
                (Some(selector), _) => variant == Variant::Mutant(selector),
                (None, Reset::Zero) => false,
                (None, Reset::One) => true,
                (None, Reset::Free) => run.initial[at],
            })
            .collect();
        let mut steps = Vec::with_capacity(run.steps.len());
        for inputs in &run.steps {
            let mut values = vec![false; aig.len()];
            let of = |values: &[bool], lit: Lit| values[lit.var().index()] ^ lit.is_negated();
            for (var, node) in aig.nodes() {
                values[var.index()] = match node {
                    Node::False => false,
                    Node::Input(i) => inputs[i as usize],
                    Node::Latch(i) => state[i as usize],
                    Node::And(a, b) => of(&values, a) && of(&values, b),
                };
            }
            for (at, latch) in aig.latches().iter().enumerate() {
                if selectors[at].is_none() {
                    state[at] = of(&values, latch.next);
                }
            }
            steps.push(values);
        }
        Values { steps }
    }

    fn at(&self, step: usize, lit: Lit) -> bool {
        self.steps[step][lit.var().index()] ^ lit.is_negated()
    }
}

/// Goes back from values to inputs.
struct Tracing<'a> {
    model: &'a ConditionalMutant,
    /// Which latches are selectors.
    selectors: Vec<bool>,
    is_choice: Vec<bool>,
    /// Per step which inputs are needed.
    inputs: Vec<Vec<bool>>,
}

impl Tracing<'_> {
    /// Marks the inputs that these values follow from, per step; `None` if they follow from a choice.
    fn trace(&mut self, values: &Values, of: impl Fn(usize) -> Vec<Lit>) -> Option<()> {
        let aig = &self.model.aig;
        let mut later: Vec<Lit> = Vec::new();
        for step in (0..values.steps.len()).rev() {
            let mut marked = vec![false; aig.len()];
            for lit in of(step).into_iter().chain(later.drain(..)) {
                marked[lit.var().index()] = true;
            }
            for index in (0..aig.len()).rev() {
                if !marked[index] {
                    continue;
                }
                match aig.node(hyperkill_core::Var::new(index)) {
                    Node::False => {}
                    Node::Input(i) if self.is_choice[i as usize] => return None,
                    Node::Input(i) => self.inputs[step][i as usize] = true,
                    Node::Latch(i) => {
                        let latch = &aig.latches()[i as usize];
                        match (self.selectors[i as usize], step) {
                            (true, _) => {}
                            (false, 0) if latch.reset == Reset::Free => return None,
                            (false, 0) => {}
                            (false, _) => later.push(latch.next),
                        }
                    }
                    Node::And(a, b) => match (values.at(step, a), values.at(step, b)) {
                        (true, true) => {
                            marked[a.var().index()] = true;
                            marked[b.var().index()] = true;
                        }
                        // One that is needed anyway costs nothing.
                        (false, false) if marked[a.var().index()] => {}
                        (_, false) => marked[b.var().index()] = true,
                        (false, true) => marked[a.var().index()] = true,
                    },
                }
            }
        }
        Some(())
    }
}
