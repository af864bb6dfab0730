//! Kills: runs and strategies, bit by bit.

use hyperkill_checker::strategy_tree::{Next, Node, StrategyTree};
use hyperkill_checker::verdict::{Kill, Strength, Stronger};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::trace::Stimulus;

use super::{Circuit, Unreadable, from_bits, state, to_bits};
use crate::documents::{
    KillEvidence, RunEvidence, StrengthWord, TestRuns, TreeState, TreeStep, build,
};

pub(super) fn run(run: &Stimulus, tree: Option<&StrategyTree>) -> RunEvidence {
    let branch = |(outputs, next): &(Vec<bool>, Next)| TreeStep {
        outputs: to_bits(outputs),
        next: match next {
            Next::Node(next) => Some(*next),
            Next::Pass => None,
        },
    };
    let states = tree.iter().flat_map(|tree| &tree.nodes);
    let states = states.map(|node| TreeState {
        inputs: to_bits(&node.input),
        branches: node.branches.iter().map(branch).collect(),
    });
    RunEvidence {
        initial: to_bits(&run.initial),
        steps: run.steps.iter().map(|step| to_bits(step)).collect(),
        tree: states.collect(),
    }
}

pub(super) fn kill(kill: &Kill, test: RunEvidence) -> KillEvidence {
    KillEvidence {
        strength: build::strength(kill.strength),
        sole_run: kill.sole_run,
        runs: build::runs(kill),
        test,
    }
}

/// The run.
///
/// # Errors
/// If it does not fit the circuit.
pub(crate) fn read_run(
    model: &ConditionalMutant,
    initial: &str,
    steps: &[String],
) -> Result<Stimulus, Unreadable> {
    let inputs = model.aig.inputs().len();
    let steps = steps.iter().map(|step| from_bits(step, inputs, "inputs"));
    Ok(Stimulus {
        initial: state(model, initial)?,
        steps: steps.collect::<Result<_, _>>()?,
    })
}

/// The strategy, if there is one.
///
/// # Errors
/// If it does not fit the circuit.
pub(crate) fn read_tree(
    model: &ConditionalMutant,
    states: &[TreeState],
) -> Result<Option<StrategyTree>, Unreadable> {
    let node = |state: &TreeState| {
        let branch = |branch: &TreeStep| {
            let outputs = from_bits(&branch.outputs, model.aig.outputs.len(), "outputs")?;
            Ok((outputs, branch.next.map_or(Next::Pass, Next::Node)))
        };
        Ok(Node {
            input: from_bits(&state.inputs, model.aig.inputs().len(), "inputs")?,
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

/// The kill. Whether it is the shortest or the strongest is not part of it.
///
/// # Errors
/// If it does not fit the circuit.
pub(crate) fn read_kill(circuit: &Circuit<'_>, kill: &KillEvidence) -> Result<Kill, Unreadable> {
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
        model_run: read_run(model, model_initial, model_steps)?,
        mutant_run: read_run(model, mutant_initial, mutant_steps)?,
        shortest: false,
        sole_run: kill.sole_run,
        stronger: Stronger::NotAsked,
        tree,
    })
}
