//! Kills as bit strings: runs and strategies.

use hyperkill_core::ConditionalMutant;
use hyperkill_core::trace::Stimulus;
use hyperkill_evidence::strategy_tree::{Next, Node, StrategyTree};
use hyperkill_evidence::verdict::{Kill, Strength, Stronger};

use super::run_form::RunForm;
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
