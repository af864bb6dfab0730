//! Kills as bit strings: runs and strategies.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::Reset;
use hyperkill_core::first_values::FirstValues;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::strategy_tree::{Next, Node, StrategyTree};
use hyperkill_evidence::verdict::{Kill, Strength, Stronger};

use super::{Circuit, Unreadable, from_bits};
use crate::documents::bits::spelled;
use crate::documents::{
    KillEvidence, RunEvidence, StrengthWord, TestRuns, TreeState, TreeStep, build,
};

/// Returns the evidence of a kill as a document. `test` is the run of the model that its test prescribes.
#[must_use]
pub fn written_kill(model: &ConditionalMutant, kill: &Kill, test: RunEvidence) -> KillEvidence {
    KillEvidence {
        strength: build::strength(kill.strength),
        sole_run: kill.sole_run,
        runs: build::runs(model, kill),
        test,
    }
}

/// Returns the run that bit strings describe: the initial state without selectors, and the inputs of each step.
///
/// # Errors
/// If it does not fit the circuit.
pub fn read_run(
    model: &ConditionalMutant,
    initial: &str,
    steps: &[String],
) -> Result<Stimulus, Unreadable> {
    RunForm::of(model).read(initial, steps)
}

/// The form of the runs of a circuit as bit strings.
#[derive(Debug)]
pub(super) struct RunForm {
    latches: usize,
    inputs: usize,
    /// The latches that are no selectors, ascending, with the reset of each.
    hidden: Vec<(usize, Reset)>,
}

impl RunForm {
    /// Returns the form of the runs of a circuit.
    pub(super) fn of(model: &ConditionalMutant) -> RunForm {
        let latches = model.aig.latches();
        let hidden = model.hidden_latches().into_iter();
        RunForm {
            latches: latches.len(),
            inputs: model.aig.inputs().len(),
            hidden: hidden.map(|at| (at, latches[at].reset)).collect(),
        }
    }

    /// Returns the run that bit strings describe ([`read_run`]).
    ///
    /// # Errors
    /// If it does not fit the circuit.
    pub(super) fn read(&self, initial: &str, steps: &[String]) -> Result<Stimulus, Unreadable> {
        let values = from_bits(initial, self.hidden.len(), "latches")?;
        let mut first = FirstValues::zeros(self.latches);
        for (&(latch, reset), value) in self.hidden.iter().zip(values) {
            if reset.as_constant().is_some_and(|reset| reset != value) {
                return Err(Unreadable::Malformed(
                    "a run gives a latch another initial value than its reset",
                ));
            }
            first.set(latch, value);
        }
        let steps = steps.iter();
        let steps = steps.map(|step| from_bits(step, self.inputs, "inputs"));
        Ok(Stimulus {
            initial: first,
            steps: steps.collect::<Result<_, _>>()?,
        })
    }
}

/// Returns the adaptive test with these states; `None` if there are no states.
///
/// # Errors
/// If it does not fit the circuit.
pub fn read_tree(
    model: &ConditionalMutant,
    states: &[TreeState],
) -> Result<Option<StrategyTree>, Unreadable> {
    let node = |state: &TreeState| {
        let branch = |branch: &TreeStep| {
            let outputs = from_bits(&branch.outputs, model.aig.outputs.len(), "outputs")?;
            Ok((outputs, branch.next.map_or(Next::Pass, Next::Node)))
        };
        let input = from_bits(&state.inputs, model.aig.inputs().len(), "inputs")?;
        if spelled(model, &input) != input {
            return Err(Unreadable::Malformed(
                "a strategy sets choices, or has an input that is not in its normal form",
            ));
        }
        Ok(Node {
            input,
            branches: state
                .branches
                .iter()
                .map(branch)
                .collect::<Result<_, _>>()?,
        })
    };
    let nodes: Vec<Node> = states.iter().map(node).collect::<Result<_, _>>()?;
    Ok((!nodes.is_empty()).then_some(StrategyTree { nodes }))
}

/// Returns the kill that a document describes, without the claim that it is shortest or strongest.
///
/// # Errors
/// If it does not fit the circuit.
pub fn read_kill(circuit: &Circuit<'_>, kill: &KillEvidence) -> Result<Kill, Unreadable> {
    let TestRuns {
        model_initial,
        model_steps,
        mutant_initial,
        mutant_steps,
    } = &kill.runs;
    let model = circuit.model;
    let strength = match kill.strength {
        StrengthWord::Controllable => Strength::Controllable,
        StrengthWord::Potential => Strength::Potential,
        StrengthWord::Adaptive => Strength::Adaptive,
        StrengthWord::Definite => Strength::Definite,
    };
    let tree = read_tree(model, &kill.test.tree)?;
    Ok(Kill {
        strength,
        model_run: circuit.read_run(model_initial, model_steps)?,
        mutant_run: circuit.read_run(mutant_initial, mutant_steps)?,
        shortest: false,
        sole_run: kill.sole_run,
        stronger: Stronger::NotAsked,
        tree,
    })
}
