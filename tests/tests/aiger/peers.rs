//! Other AIGER tools read files of hyperkill, and another model checker decides φ1.
//!
//! Missing tools are skipped with a printed notice. The counts of each tool are compared with the circuit. For abc, which writes back the
//! circuit it read, the steps of every state are compared, too.

use hyperkill_checker::question::Reachability;
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::solve::{Solved, solve};
use hyperkill_core::aig::{Cone, Node, Signal};
use hyperkill_core::aiger::{
    NamesDecide, annotate, conditional_mutant as with_roles, read, write_ascii, write_binary,
};
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_formulas::compose::Sharing;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::manifest::{Expected, Manifest, Verdict};
use hyperkill_tests::models::{Model, smv_models};
use hyperkill_tests::oracle::Machine;
use hyperkill_tests::peers::{Abc, Counts, Decision, Yosys};

const KINDS: [Kind; 3] = [Kind::Deterministic, Kind::MutantChooses, Kind::Choices];

/// Returns random circuits and the bit-blasted models, by name.
fn circuits() -> Vec<(String, ConditionalMutant)> {
    let random = (0..50).map(|seed| {
        let model = conditional_mutant(seed, KINDS[seed as usize % 3]);
        (format!("seed {seed}"), model)
    });
    let models = smv_models().into_iter().map(|m| (m.name, m.system));
    random.chain(models).collect()
}

/// Returns the counts expected from abc, which treats properties as outputs and drops unread gates.
fn expected_of_abc(aig: &Aig) -> Counts {
    let next = aig.latches().iter().map(|latch| latch.next);
    Counts {
        inputs: aig.inputs().len(),
        outputs: aig.outputs.len() + aig.bad.len() + aig.constraints.len(),
        constraints: aig.constraints.len(),
        latches: aig.latches().len(),
        gates: gates_in(aig, &Cone::combinational(aig, aig.roots().chain(next))),
    }
}

/// Returns the counts expected from yosys, which keeps the cone of influence of the outputs.
fn expected_of_yosys(aig: &Aig) -> Counts {
    // yosys turns bad states into outputs.
    let outputs = aig.outputs.iter().chain(&aig.bad);
    let cone = Cone::sequential(aig, outputs.map(|output| output.lit));
    let latches = aig.latches().iter();
    Counts {
        inputs: aig.inputs().len(),
        outputs: aig.outputs.len() + aig.bad.len(),
        constraints: 0,
        latches: latches.filter(|latch| cone.contains(latch.var)).count(),
        gates: gates_in(aig, &cone),
    }
}

fn gates_in(aig: &Aig, cone: &Cone) -> usize {
    aig.nodes()
        .filter(|(var, node)| matches!(node, Node::And(..)) && cone.contains(*var))
        .count()
}

#[test]
fn abc_reads_binary_files_and_writes_back_the_same_system() {
    let Some(abc) = Abc::find("reading binary AIGER files with abc") else {
        return;
    };
    let circuits = circuits();
    let files: Vec<Vec<u8>> = circuits
        .iter()
        .map(|(_, model)| write_binary(&annotate(model)))
        .collect();
    let answers = abc.read(&files).expect("abc reads what we write");
    for ((name, model), (counts, back)) in circuits.iter().zip(answers) {
        assert_eq!(counts, expected_of_abc(&model.aig), "{name}");
        assert_same_steps(name, model, &back);
    }
}

/// The largest number of bits of state, input and choice for which step tables are compared.
const TABLE_BITS: usize = 12;

/// Asserts that the file written by abc has the same roles and, if the table is small enough, the same steps.
fn assert_same_steps(name: &str, model: &ConditionalMutant, back: &[u8]) {
    let mut aig = read(back).expect("abc writes AIGER");
    // abc takes outputs for bad states if the file has constraints.
    let bad = std::mem::take(&mut aig.bad);
    aig.outputs.extend(bad);
    let after = with_roles(aig, &NamesDecide).expect("a conditional mutant");
    let ids = |model: &ConditionalMutant| -> Vec<String> {
        let selectors = model.selectors.iter();
        selectors.map(|selector| selector.id.to_string()).collect()
    };
    assert_eq!(ids(&after), ids(model), "{name}");
    if after.aig.inputs().len() + after.aig.latches().len() > TABLE_BITS + after.selectors.len() {
        return;
    }
    for selector in model.selector_ids().map(Some).chain([None]) {
        let tables = [model, &after].map(|m| Machine::new(m, selector).expect("a small circuit"));
        assert_eq!(tables[0], tables[1], "{name}, selector {selector:?}");
    }
}

#[test]
fn yosys_reads_ascii_and_binary_files() {
    let Some(yosys) = Yosys::find("reading AIGER files with yosys") else {
        return;
    };
    let circuits = circuits();
    let mut files = Vec::new();
    let mut expected = Vec::new();
    for (name, model) in &circuits {
        let aig = annotate(model);
        let counts = expected_of_yosys(&aig);
        files.push(write_binary(&aig));
        expected.push((format!("{name}, binary"), counts));
        // The ascii reader of yosys 0.23 fails after a section of constraints.
        if aig.constraints.is_empty() {
            files.push(write_ascii(&aig));
            expected.push((format!("{name}, ascii"), counts));
        }
    }
    let answers = yosys.read(&files).expect("yosys reads what we write");
    for ((name, expected), counts) in expected.into_iter().zip(answers) {
        assert_eq!(counts, expected, "{name}");
    }
}

/// Returns the φ1 product as a file with the goal as its only bad state.
fn product_file(question: &Reachability) -> Aig {
    let mut aig = question.product.aig.clone();
    let signal = |lit: Lit| Signal { lit, name: None };
    aig.bad = vec![signal(question.goal)];
    aig.constraints = question.always.iter().copied().map(signal).collect();
    aig
}

#[test]
fn abc_decides_phi1_as_we_do_and_finds_runs_of_the_same_length() {
    let Some(abc) = Abc::find("deciding φ1 with abc") else {
        return;
    };
    let mut seen = [0; 2];
    for seed in 5000..5060 {
        let model = conditional_mutant(seed, KINDS[seed as usize % 3]);
        for selector in model.selector_ids() {
            let question = Reachability::phi1(&model, selector, Sharing::Independent)
                .expect("φ1 can be composed");
            let peer = abc.decide(&product_file(&question), 10).expect("an answer");
            let ours = match solve(&question, &Options::UNLIMITED, &Budget::unlimited()) {
                Solved::Reached { found, .. } => Decision::Reached(found.steps),
                Solved::Unreachable(_) => Decision::Unreachable,
                Solved::Open { .. } => Decision::Undecided,
            };
            assert_eq!(peer, ours, "seed {seed}, selector {selector}");
            seen[usize::from(ours == Decision::Unreachable)] += 1;
        }
    }
    println!("{} reached, {} unreachable", seen[0], seen[1]);
    assert!(
        seen[0] + seen[1] >= 100 && seen.iter().all(|&n| n >= 20),
        "{seen:?}"
    );
}

#[test]
fn abc_agrees_with_the_manifests_on_a_sample_of_mutants() {
    let Some(abc) = Abc::find("holding manifests against abc") else {
        return;
    };
    let mut asked = 0;
    let mut gave_up = 0;
    for model in smv_models() {
        let manifest = Manifest::read(&model).expect("a manifest");
        let sharing = match manifest.options.controllable_nd {
            true => Sharing::ControllableChoices,
            false => Sharing::Independent,
        };
        for (selector, expected) in sampled(&model, &manifest) {
            let question = Reachability::phi1(&model.system, SelectorId(selector), sharing)
                .expect("φ1 can be composed");
            // AIGER cannot express that two latches share one free initial value.
            if !question.product.initially_equal.is_empty() {
                continue;
            }
            let Ok(peer) = abc.decide(&product_file(&question), 20) else {
                // On a busy machine, abc may exceed its time limit on long tests.
                gave_up += 1;
                continue;
            };
            let expected_of_peer = match expected.steps {
                Some(steps) => Decision::Reached(steps),
                None => Decision::Unreachable,
            };
            assert_eq!(peer, expected_of_peer, "{}: {expected:?}", model.name);
            asked += 1;
        }
    }
    println!("{asked} mutants; abc gave up on {gave_up}");
    assert!(asked >= 70, "only {asked} mutants");
    assert!(gave_up <= 5, "abc gave up on {gave_up}");
}

/// Returns a sample of the valid mutants, each with the index of its selector. It is small, since abc takes long for long tests.
fn sampled<'a>(model: &Model, manifest: &'a Manifest) -> Vec<(usize, &'a Expected)> {
    let valid = manifest
        .mutants
        .iter()
        .filter(|m| m.verdict != Verdict::Invalid);
    let stride = if manifest.mutants.iter().any(|m| m.steps > Some(100)) {
        61
    } else {
        17
    };
    valid
        .step_by(stride)
        .map(|expected| {
            let mut selectors = model.system.selectors.iter();
            let selector = selectors.position(|s| s.id.0 == expected.id);
            (
                selector.expect("valid mutants are in the circuit"),
                expected,
            )
        })
        .collect()
}
