//! Adaptive strategies, checked: every history that the model or the mutant can produce is followed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault;
use hyperkill_evidence::strategy_tree::{Next, StrategyTree};

use super::CertifyError;
use super::steps::{Bits, Step, Steps, pack};

type States = BTreeSet<Bits>;

/// What can be the case after some inputs and outputs.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Situation {
    node: usize,
    /// States of the mutant, given the outputs.
    mutant: States,
    /// States of the model, given the outputs.
    model: States,
}

/// Checks that a strategy kills a mutant (see [`StrategyTree`]): no output of the model is called a fail, no complete run of the mutant
/// passes, of the model's runs that have shown what was seen some accepts the next input, and both have complete runs.
///
/// # Errors
/// [`CertifyError::Tree`] says what is wrong.
pub fn certify_tree(
    model: &ConditionalMutant,
    mutant: SelectorId,
    tree: &StrategyTree,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    if mutant.0 >= model.selectors.len() {
        return Err(CertifyError::Tree("there is no such mutant"));
    }
    let variants = [Variant::Original, Variant::Mutant(mutant)];
    let letters = Steps::letters(model, variants);
    let [original, mutated] = variants.map(|v| Machine::new(Steps::new(model, v, &letters)));
    let (mut original, mut mutated) = (original?, mutated?);
    let start = Situation {
        node: 0,
        mutant: mutated.initial(budget)?,
        model: original.initial(budget)?,
    };
    let mut seen = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    let (mut model_completes, mut mutant_completes) = (false, false);
    while let Some(situation) = todo.pop() {
        if let Some(stop) = budget.stopped() {
            return Err(CertifyError::Stopped(stop));
        }
        let Some(node) = tree.nodes.get(situation.node) else {
            return Err(CertifyError::Tree("a node is missing"));
        };
        if node.input.len() != model.aig.inputs().len() {
            return Err(CertifyError::Tree("an input is none of the circuit"));
        }
        let bits = letters.iter().enumerate();
        let letter = bits.fold(0, |all, (k, &bit)| all | usize::from(node.input[bit]) << k);
        let expected = original.after(&situation.model, letter)?;
        let shown = mutated.after(&situation.mutant, letter)?;
        if expected.is_empty() {
            return Err(CertifyError::Tree("the model refuses an input"));
        }
        let outputs = model.aig.outputs.len();
        if node.branches.iter().any(|branch| branch.0.len() != outputs) {
            return Err(CertifyError::Tree("an output is none of the circuit"));
        }
        let branches = node.branches.iter();
        let branches: BTreeMap<Bits, Next> = branches
            .map(|(outputs, next)| (pack(outputs), *next))
            .collect();
        if branches.len() != node.branches.len() {
            return Err(CertifyError::Tree("an output has two branches"));
        }
        if !branches.keys().eq(expected.keys()) {
            return Err(CertifyError::Tree(
                "the branches are not the model's outputs",
            ));
        }
        mutant_completes |= shown.keys().any(|outputs| !branches.contains_key(outputs));
        for (outputs, model) in &expected {
            let mutant = shown.get(outputs);
            match branches[outputs] {
                Next::Pass if mutant.is_some() => {
                    return Err(CertifyError::Tree("the mutant can pass"));
                }
                Next::Pass => model_completes = true,
                Next::Node(child) if child <= situation.node => {
                    return Err(CertifyError::Tree("a branch leads back"));
                }
                Next::Node(child) => {
                    let next = Situation {
                        node: child,
                        mutant: mutant.cloned().unwrap_or_default(),
                        model: model.clone(),
                    };
                    if seen.insert(next.clone()) {
                        todo.push(next);
                    }
                }
            }
        }
    }
    if !model_completes {
        return Err(CertifyError::Tree("the model never completes it"));
    }
    if !mutant_completes {
        return Err(CertifyError::Tree("the mutant never fails"));
    }
    Ok(())
}

/// The steps of one variant, remembered.
struct Machine<'a> {
    steps: Steps<'a>,
    /// By state and letter.
    known: HashMap<Bits, Vec<Vec<Step>>>,
}

impl<'a> Machine<'a> {
    fn new(steps: Option<Steps<'a>>) -> Result<Machine<'a>, CertifyError> {
        Ok(Machine {
            steps: steps.ok_or(CertifyError::Tree("there are too many inputs to check"))?,
            known: HashMap::new(),
        })
    }

    fn initial(&self, budget: &Budget) -> Result<States, CertifyError> {
        let initial = self.steps.initial(budget)?;
        let initial = initial.ok_or(CertifyError::Tree("there are too many states to check"))?;
        Ok(initial.into_iter().collect())
    }

    /// The states after one more step, by what it shows.
    fn after(
        &mut self,
        states: &States,
        letter: usize,
    ) -> Result<BTreeMap<Bits, States>, CertifyError> {
        let mut after: BTreeMap<Bits, States> = BTreeMap::new();
        for state in states {
            if !self.known.contains_key(state) {
                let table = self.steps.from(state);
                let table = table.ok_or(CertifyError::Tree("there are too many steps to check"))?;
                self.known.insert(state.clone(), table);
            }
            let table = &self.known[state];
            for (outputs, next) in &table[letter] {
                after
                    .entry(outputs.clone())
                    .or_default()
                    .insert(next.clone());
            }
        }
        Ok(after)
    }
}
