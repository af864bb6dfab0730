//! Checks the suite: each test prescribes a run of the model and kills the mutants that it lists, and every kill has a test.

use std::collections::BTreeSet;

use hyperkill_certify::{LISTING, certify_tests, certify_tree};
use hyperkill_core::product::Variant;
use hyperkill_core::relevance::Relevance;
use hyperkill_core::trace::Stimulus;
use hyperkill_core::{ConditionalMutant, SelectorId};
use hyperkill_evidence::strategy_tree::StrategyTree;
use hyperkill_evidence::verdict::Strength;

use super::certificates::{Certificates, Held, test_run};
use super::findings::{Findings, Kind, Limits, Trouble, same};
use super::folder::Folder;
use super::index::RunIndex;
use super::pieces::Placed;
use super::results::{add_free, prescribed, spelled};
use crate::certificates::Circuit;
use crate::documents::bits::stimulus;
use crate::documents::{
    self, ClaimWord, Machine, MutantResult, StrengthWord, SuiteKill, SuiteTest, Test, VerdictWord,
    build,
};
use crate::names::{self, file_name};

/// Checks that a test is in the normal form and kills the mutants that it lists. Returns the findings.
pub(super) fn check(
    index: &RunIndex<'_>,
    certificates: &Certificates,
    test: &SuiteTest,
    limits: &Limits,
) -> Findings {
    let mut findings = Findings::default();
    let read = |circuit: &Circuit<'_>| {
        let bytes = index.folder.bytes(&file(test, "run.json"))?;
        test_run(circuit.model, &bytes)
    };
    let (run, tree) = match read(index.pieces.whole()) {
        Ok(bits) => bits,
        Err(trouble) => {
            findings.take(Kind::Test, &file(test, "run.json"), Err(trouble));
            return findings;
        }
    };
    let as_it_should = is_as_it_should(index, test, &run, tree.as_ref(), limits);
    findings.take(Kind::Test, &test.id, as_it_should);
    let mut asked: Vec<(&str, Strength)> = Vec::new();
    let place = |mutant: &str| format!("{} on {mutant}", test.id);
    for kill in &test.kills {
        match kills(index, certificates, kill, &run, tree.as_ref(), limits) {
            Ok(Kills::Shown) => findings.take(Kind::Kills, &place(&kill.mutant), Ok(())),
            Ok(Kills::Asked(strength)) => asked.push((&kill.mutant, strength)),
            Err(trouble) => findings.take(Kind::Kills, &place(&kill.mutant), Err(trouble)),
        }
    }
    for (circuit, kills) in index.pieces.divided(asked) {
        let certified = match read(circuit) {
            Ok((run, _)) => certified(circuit.model, &kills, &run, limits),
            Err(trouble) => {
                findings.take(Kind::Test, &file(test, "run.json"), Err(trouble));
                continue;
            }
        };
        for (kill, certified) in kills.iter().zip(certified) {
            findings.take(Kind::Kills, &place(kill.id), certified);
        }
    }
    findings
}

/// Checks for each of these kills that the run kills the mutant with its strength.
fn certified(
    model: &ConditionalMutant,
    kills: &[Placed<'_, Strength>],
    run: &Stimulus,
    limits: &Limits,
) -> Vec<Result<(), Trouble>> {
    let kills = kills.iter().map(|kill| (kill.selector, kill.with));
    let kills: Vec<(SelectorId, Strength)> = kills.collect();
    let certified = certify_tests(model, &kills, run, LISTING, || limits.one());
    let certified = certified.into_iter();
    certified.map(|certified| Ok(certified?)).collect()
}

fn file(test: &SuiteTest, extension: &str) -> String {
    format!("{}/{}", names::TESTS, file_name(&test.id, extension))
}

/// Checks that a test in the suite, and its files, are those that the run `run` and the strategy `tree` determine.
fn is_as_it_should(
    index: &RunIndex<'_>,
    test: &SuiteTest,
    run: &Stimulus,
    tree: Option<&StrategyTree>,
    limits: &Limits,
) -> Result<(), Trouble> {
    let (model, folder) = (index.model(), index.folder);
    let killed: Vec<&str> = test.kills.iter().map(|kill| &*kill.mutant).collect();
    let arranged = test.controllable.then(|| {
        let whole = index.pieces.whole();
        let killed = killed.iter().filter_map(|id| whole.selector(id));
        let variants = killed.map(Variant::Mutant).chain([Variant::Original]);
        Relevance::to(model, &Vec::from_iter(variants))
    });
    let said = Test {
        kind: test.kind.clone(),
        initial: test.initial.clone(),
        steps: test.steps.clone(),
        tree: test.tree.clone(),
        machine: test.machine.clone(),
    };
    let answered = prescribed(model, run)?;
    let mut spelled = spelled(model, run, &answered, arranged.as_ref(), &said, limits)?;
    let mut kills = test.kills.iter();
    if tree.is_none() && kills.all(|kill| kill.strength == StrengthWord::Definite) {
        add_free(index, &killed, run, (&mut spelled.steps, &test.steps))?;
    }
    let machine = tree.map(|tree| build::machine(model, tree));
    if (test.kind == "tree") != machine.is_some() {
        return Err(Trouble::wrong(
            "the test has a strategy and is no tree, or is a tree without a strategy",
        ));
    }
    let expected = SuiteTest {
        id: test.id.clone(),
        kind: test.kind.clone(),
        controllable: test.controllable,
        initial: spelled.initial,
        steps: spelled.steps,
        tree: machine.as_ref().and_then(Machine::unfold),
        machine,
        kills: test.kills.clone(),
        // The engine has no evidence: it is taken from the results.
        found_by: test.found_by.clone(),
    };
    same(&expected, test)?;
    is_found_by_one_of_its_kills(folder, test)?;
    let events = &model.events;
    let text = (folder.texts.test)(events, &expected);
    folder.is_text(&file(test, "txt"), &text)?;
    match &expected.machine {
        Some(machine) => {
            let text = documents::to_text(machine).map_err(Trouble::wrong)?;
            folder.is_text(&file(test, "json"), &text)?;
            let graph = (folder.texts.graph)(events, &test.id, machine);
            folder.is_text(&file(test, "dot"), &graph)
        }
        None => folder.is_text(&file(test, "stim"), &stimulus(&run.steps)),
    }
}

/// Checks that a test names as its engine one that decided a mutant which the test kills.
fn is_found_by_one_of_its_kills(folder: &Folder, test: &SuiteTest) -> Result<(), Trouble> {
    let mut results = folder.run.results.iter();
    let found = results.any(|result| {
        let killed = test.kills.iter().any(|kill| kill.mutant == result.mutant);
        killed && result.engine.as_ref() == Some(&test.found_by)
    });
    match found {
        true => Ok(()),
        false => Err(Trouble::Wrong(format!(
            "no mutant that the test kills was decided by {}",
            test.found_by
        ))),
    }
}

/// The state of the check that a test kills a mutant.
enum Kills {
    /// The kill is shown.
    Shown,
    /// Open: it is still to be checked that the test's inputs kill the mutant with this strength.
    Asked(Strength),
}

/// Checks that a kill of a test agrees with the result of the mutant, and by its strategy or certificate if that suffices. A result of
/// [`Kills::Asked`] leaves the check of the inputs to the caller.
fn kills(
    index: &RunIndex<'_>,
    certificates: &Certificates,
    kill: &SuiteKill,
    run: &Stimulus,
    tree: Option<&StrategyTree>,
    limits: &Limits,
) -> Result<Kills, Trouble> {
    let nobody = || Trouble::wrong("there is no such mutant");
    let circuit = index.circuit(&kill.mutant);
    let mutant = circuit.selector(&kill.mutant).ok_or_else(nobody)?;
    let result = index.result(&kill.mutant).ok_or_else(nobody)?;
    let known =
        known(result).ok_or_else(|| Trouble::wrong("the verdict of the mutant is no kill"))?;
    if known.0 != kill.strength {
        return Err(Trouble::wrong(
            "the verdict of the mutant has another strength",
        ));
    }
    let strength = match kill.strength {
        StrengthWord::Controllable => Strength::Controllable,
        StrengthWord::Potential => Strength::Potential,
        StrengthWord::Adaptive => Strength::Adaptive,
        StrengthWord::Definite => Strength::Definite,
    };
    if let Some(tree) = tree {
        certify_tree(circuit.model, mutant, tree, strength, &limits.one())?;
        return Ok(Kills::Shown);
    }
    // The inputs of the kill are checked with its certificate, and a longer test remains a kill.
    if matches!(strength, Strength::Potential | Strength::Definite) {
        let held = certificates.of(known.1, ClaimWord::Killed, &kill.mutant)?;
        if let Held::Kill(own) = held
            && begins_with(circuit.model, run, &own.kill.model_run)
        {
            return Ok(Kills::Shown);
        }
    }
    Ok(Kills::Asked(strength))
}

/// Returns the strength of the kill in a result, and the file of its certificate. `None` if the result has no kill.
pub(super) fn known(result: &MutantResult) -> Option<(StrengthWord, Option<&String>)> {
    match (result.verdict, &result.potential) {
        (VerdictWord::Killed, _) => Some((result.strength?, result.certificate.as_ref())),
        (_, Some(potential)) if potential.verdict == VerdictWord::Killed => {
            Some((StrengthWord::Potential, potential.certificate.as_ref()))
        }
        _ => None,
    }
}

/// Whether the test inputs of `run` begin with all those of `other`.
fn begins_with(model: &ConditionalMutant, run: &Stimulus, other: &Stimulus) -> bool {
    let mut pairs = run.steps.iter().zip(&other.steps);
    other.steps.len() <= run.steps.len()
        && pairs.all(|(a, b)| model.input_bits().all(|bit| a[bit] == b[bit]))
}

/// Checks that a test of the suite lists each killed mutant, and that no two tests have one name.
pub(super) fn is_complete(folder: &Folder) -> Findings {
    let mut findings = Findings::default();
    let tests = &folder.suite.tests;
    let killed: BTreeSet<&String> = tests
        .iter()
        .flat_map(|test| test.kills.iter().map(|kill| &kill.mutant))
        .collect();
    for result in &folder.run.results {
        if known(result).is_some() && !killed.contains(&result.mutant) {
            findings.wrong(
                names::SUITE,
                format!("no test lists the killed mutant {}", result.mutant),
            );
        }
    }
    let ids: BTreeSet<&String> = tests.iter().map(|test| &test.id).collect();
    if ids.len() != tests.len() {
        findings.wrong(names::SUITE, "two tests have one name");
    }
    findings
}
