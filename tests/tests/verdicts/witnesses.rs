//! Proofs as witness circuits: each is written, read again, and checked by the conditions of Certifaiger, with a solver and with
//! berkeley-abc.

use std::collections::BTreeMap;

use hyperkill_certify::certify_proof;
use hyperkill_checker::engines::encode::Encoder;
use hyperkill_checker::question::Pose;
use hyperkill_checker::schedule::Engines;
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::solve::{Solved, solve};
use hyperkill_checker::witness::{Witnessed, witness_circuit};
use hyperkill_core::aiger::{read, write_binary};
use hyperkill_core::budget::Budget;
use hyperkill_core::{Aig, ConditionalMutant, Lit, SelectorId};
use hyperkill_evidence::proof::{Fact, Proof};
use hyperkill_evidence::question::{Family, Question};
use hyperkill_sat::Answer;
use hyperkill_sat_cadical::Cadical;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::peers::Abc;
use hyperkill_tests::witness::conditions;

/// Whether the only output of a combinational circuit can be true.
fn is_possible(aig: &Aig) -> bool {
    let output = aig.outputs[0].lit;
    if let Some(value) = output.as_constant() {
        return value;
    }
    let mut encoder = Encoder::new(Cadical::new());
    let output = encoder.lit(aig, output);
    match encoder.solve(&[output], None, &Budget::unlimited()) {
        Answer::Possible => true,
        Answer::Impossible => false,
        Answer::Undecided(stop) => panic!("{stop:?}"),
    }
}

/// Returns the names of the violated conditions, on the circuits as other tools read them.
fn broken(witnessed: &Witnessed) -> Vec<&'static str> {
    let [problem, witness] = [&witnessed.problem, &witnessed.witness]
        .map(|aig| read(&write_binary(aig)).expect("a circuit"));
    let conditions = conditions(&problem, &witness).into_iter();
    let broken = conditions.filter(|(_, refuting)| is_possible(refuting));
    broken.map(|(name, _)| name).collect()
}

/// Returns questions about the mutants of a model that proofs may answer, each with a name.
fn questions(model: &ConditionalMutant, kind: Kind) -> Vec<(&'static str, Question)> {
    let mutants = model.selector_ids();
    let members: Vec<SelectorId> = mutants.clone().collect();
    let mut questions = Vec::new();
    for mutant in mutants {
        questions.push(("identity", Question::identity(mutant)));
        if kind != Kind::Choices {
            questions.push(("phi1", Question::phi1(mutant, false)));
        }
    }
    if members.len() > 1 {
        questions.push((
            "family",
            Question::Family(Family::identity(members.clone())),
        ));
        questions.push(("family", Question::Family(Family::phi1(members, false))));
    }
    questions
}

/// Calls `each` for proofs of one step about random mutants, with the seed, the name of the question, the model, the question and the
/// proof.
fn proofs(
    seeds: std::ops::Range<u64>,
    mut each: impl FnMut(u64, &'static str, &ConditionalMutant, &Question, Proof),
) {
    let budget = Budget::unlimited();
    for seed in seeds {
        let kind = [Kind::Deterministic, Kind::MutantChooses, Kind::Choices][seed as usize % 3];
        let model = conditional_mutant(seed, kind);
        for (name, question) in questions(&model, kind) {
            let options = Options {
                turns: Some(2),
                ..Options::UNLIMITED
            };
            // Half of the cases use invariants; the other half uses induction where it suffices.
            let options = options.with(Engines {
                induction: seed % 2 == 0,
                ..Engines::ALL
            });
            if let Solved::Unreachable(proof) = solve(&question.pose(&model), &options, &budget) {
                certify_proof(&model, &question, &proof, &budget).expect("a proof");
                each(seed, name, &model, &question, proof);
            }
        }
    }
}

#[test]
fn witness_circuits_fulfil_all_five_conditions() {
    let abc = Abc::find("witness circuits by abc");
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    proofs(0..900, |seed, name, model, question, proof| {
        let Some(witnessed) = witness_circuit(model, question, &proof) else {
            assert!(
                proof.k > 1 || proof.facts_depth > 1 || proof.simple_path,
                "seed {seed}: {question} does not fit"
            );
            *seen.entry("does not fit").or_default() += 1;
            return;
        };
        let broken = broken(&witnessed);
        assert_eq!(broken, [""; 0], "seed {seed}: {question}");
        *seen.entry(name).or_default() += 1;
        if !witnessed.problem.constraints.is_empty() {
            *seen.entry("with constraints").or_default() += 1;
        }
        if proof.clauses() > 0 {
            *seen.entry("with clauses").or_default() += 1;
        }
        if let (Some(abc), true) = (&abc, seed % 30 == 0) {
            let mut all = Aig::new();
            let mut any = Vec::new();
            for (_, refuting) in conditions(&witnessed.problem, &witnessed.witness) {
                any.push(copied(&mut all, &refuting));
            }
            let any = all.or_all(&any);
            all.add_output(any, None);
            assert!(
                abc.is_never_true(&all).expect("abc answers"),
                "seed {seed}: {question}"
            );
            *seen.entry("by abc").or_default() += 1;
        }
    });
    println!("{seen:?}");
    let of = |what: &str| seen.get(what).copied().unwrap_or(0);
    for what in [
        "identity",
        "phi1",
        "family",
        "with constraints",
        "with clauses",
    ] {
        assert!(of(what) >= 50, "{what}: {seen:?}");
    }
    assert!(abc.is_none() || of("by abc") >= 10, "{seen:?}");
}

/// Copies a combinational circuit into another graph, with inputs of its own. Returns the literal of its only output.
fn copied(into: &mut Aig, source: &Aig) -> Lit {
    let images = into.copy(source, |_| true, |into, _, _| into.add_input(None));
    images.of(source.outputs[0].lit)
}

#[test]
fn witness_circuits_of_spoilt_proofs_break_a_condition() {
    let (mut broken_ones, mut all) = (0, 0);
    proofs(0..600, |_, _, model, question, mut proof| {
        let clause = |fact: &Fact| matches!(fact, Fact::Clause(lits) if !lits.is_empty());
        let Some(at) = proof.facts.iter().position(clause) else {
            return;
        };
        if let Fact::Clause(lits) = &mut proof.facts[at] {
            lits[0].1 ^= true;
        }
        let Some(witnessed) = witness_circuit(model, question, &proof) else {
            return;
        };
        all += 1;
        let valid = certify_proof(model, question, &proof, &Budget::unlimited()).is_ok();
        let broken = broken(&witnessed);
        // A clause may be valid by accident; then both checks accept it.
        assert!(!valid || broken.is_empty(), "{question}: {broken:?}");
        broken_ones += usize::from(!broken.is_empty());
    });
    println!("{broken_ones} of {all}");
    assert!(broken_ones >= 50, "{broken_ones} of {all}");
}
