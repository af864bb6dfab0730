//! Checks adaptive strategies: follows every history that the model or the mutant can produce.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::fault;
use hyperkill_evidence::strategy_tree::{Next, Node, StrategyTree};
use hyperkill_evidence::verdict::Strength;

use super::CertifyError;
use super::steps::{Bits, StepBits, Steps, pack};

type States = BTreeSet<Bits>;

/// A node of the strategy, with the states in which model and mutant can be when it is reached.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Situation {
    node: usize,
    /// Possible states of the mutant, given the inputs and outputs so far.
    mutant: States,
    /// Possible states of the model, given the inputs and outputs so far.
    model: States,
}

/// Checks that a strategy kills a mutant with this strength (see [`StrategyTree`]). No output of the model is a fail. After all outputs
/// seen, some run of the model with these outputs accepts the next input. The model has complete runs, and some run of the mutant fails.
/// Unless the kill is only potential, no complete run of the mutant passes.
///
/// # Errors
/// [`CertifyError::Tree`] with the condition that fails.
pub fn certify_tree(
    model: &ConditionalMutant,
    mutant: SelectorId,
    tree: &StrategyTree,
    strength: Strength,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let may_pass = match strength {
        Strength::Definite | Strength::Adaptive => false,
        Strength::Potential => true,
        Strength::Controllable => {
            return Err(CertifyError::Tree(
                "an adaptive test cannot set choices, so it makes no controllable kill",
            ));
        }
    };
    if mutant.0 >= model.selectors.len() {
        return Err(CertifyError::Tree("there is no such mutant"));
    }
    let variants = [Variant::Original, Variant::Mutant(mutant)];
    // A strategy sets all inputs, so steps are enumerated for these inputs alone.
    let [original, mutated] = variants.map(|v| Machine::new(Steps::new(model, v, &[])));
    let mut check = Check {
        model,
        tree,
        may_pass,
        original: original?,
        mutated: mutated?,
        model_completes: false,
        mutant_completes: false,
    };
    let start = Situation {
        node: 0,
        mutant: check.mutated.initial(budget)?,
        model: check.original.initial(budget)?,
    };
    let mut seen = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some(situation) = todo.pop() {
        if let Some(stop) = budget.stopped() {
            return Err(CertifyError::Stopped(stop));
        }
        for next in check.follow(&situation)? {
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    if !check.model_completes {
        return Err(CertifyError::Tree("no run of the model passes the test"));
    }
    if !check.mutant_completes {
        return Err(CertifyError::Tree("no run of the mutant fails the test"));
    }
    Ok(())
}

/// A strategy under check, with the steps of model and mutant.
struct Check<'a> {
    model: &'a ConditionalMutant,
    tree: &'a StrategyTree,
    /// Whether the mutant may pass, so that the kill is a potential one.
    may_pass: bool,
    original: Machine<'a>,
    mutated: Machine<'a>,
    /// Whether some run of the model passes.
    model_completes: bool,
    /// Whether some run of the mutant fails.
    mutant_completes: bool,
}

impl Check<'_> {
    /// Takes the strategy's step at the node of this situation. Returns the situations in which the strategy continues; an error if the
    /// step violates a condition of the kill.
    fn follow(&mut self, situation: &Situation) -> Result<Vec<Situation>, CertifyError> {
        let Some(node) = self.tree.nodes.get(situation.node) else {
            return Err(CertifyError::Tree("a node is missing"));
        };
        if node.input.len() != self.model.aig.inputs().len() {
            return Err(CertifyError::Tree(
                "a node has another number of bits than the circuit has inputs",
            ));
        }
        let expected = self.original.after(&situation.model, &node.input, None)?;
        let outputs: Vec<Bits> = expected.keys().cloned().collect();
        // All outputs that the model cannot give are treated alike.
        let shown = (self.mutated).after(&situation.mutant, &node.input, Some(&outputs))?;
        if expected.is_empty() {
            return Err(CertifyError::Tree("the model refuses an input"));
        }
        let branches = branches(node, self.model.aig.outputs.len())?;
        if !branches.keys().eq(expected.keys()) {
            return Err(CertifyError::Tree(
                "the branches of a node are not the outputs that the model can give",
            ));
        }
        self.mutant_completes |= shown.keys().any(|outputs| !branches.contains_key(outputs));
        let mut after = Vec::new();
        for (outputs, model) in expected {
            let mutant = shown.get(&outputs);
            match branches[&outputs] {
                Next::Pass if mutant.is_some() && !self.may_pass => {
                    return Err(CertifyError::Tree("the mutant can pass the test"));
                }
                Next::Pass => self.model_completes = true,
                Next::Node(child) if child <= situation.node => {
                    return Err(CertifyError::Tree("a branch leads to an earlier node"));
                }
                Next::Node(child) => after.push(Situation {
                    node: child,
                    mutant: mutant.cloned().unwrap_or_default(),
                    model,
                }),
            }
        }
        Ok(after)
    }
}

/// Returns the continuations of a node by packed outputs. Fails if outputs do not have `outputs` bits, or are listed twice.
fn branches(node: &Node, outputs: usize) -> Result<BTreeMap<Bits, Next>, CertifyError> {
    if node.branches.iter().any(|branch| branch.0.len() != outputs) {
        return Err(CertifyError::Tree(
            "a branch has another number of bits than the circuit has outputs",
        ));
    }
    let listed = node.branches.iter();
    let branches: BTreeMap<Bits, Next> = listed
        .map(|(outputs, next)| (pack(outputs), *next))
        .collect();
    if branches.len() != node.branches.len() {
        return Err(CertifyError::Tree(
            "a node has two branches for the same outputs",
        ));
    }
    Ok(branches)
}

/// The steps of one variant, computed once for each state.
struct Machine<'a> {
    steps: Steps<'a>,
    /// For each state, by inputs and requested outputs, the steps from it.
    known: HashMap<Bits, HashMap<Vec<Bits>, Vec<StepBits>>>,
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

    /// Returns the successors of these states under inputs, by packed outputs. If `among` is given, the list of other outputs may be
    /// incomplete.
    fn after(
        &mut self,
        states: &States,
        inputs: &[bool],
        among: Option<&[Bits]>,
    ) -> Result<BTreeMap<Bits, States>, CertifyError> {
        let mut after: BTreeMap<Bits, States> = BTreeMap::new();
        let mut asked = vec![pack(inputs)];
        asked.extend(among.into_iter().flatten().cloned());
        let missing: Vec<&[u64]> = (states.iter())
            .filter(|&state| {
                let known = self.known.get(state);
                known.is_none_or(|known| !known.contains_key(&asked))
            })
            .map(Vec::as_slice)
            .collect();
        let steps = self.steps.steps_among(&missing, inputs, among);
        let steps = steps.ok_or(CertifyError::Tree("there are too many steps to check"))?;
        for (state, steps) in missing.into_iter().zip(steps) {
            let known = self.known.entry(state.to_vec()).or_default();
            known.insert(asked.clone(), steps);
        }
        for (outputs, next) in states.iter().flat_map(|state| &self.known[state][&asked]) {
            after
                .entry(outputs.clone())
                .or_default()
                .insert(next.clone());
        }
        Ok(after)
    }
}
