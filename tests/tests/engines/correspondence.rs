//! Signal correspondence, checked by enumerating the states of random products and circuits: every fact holds in every reachable step,
//! and the reduced question has the same answer.

use hyperkill_certify::certify_proof;
use hyperkill_checker::engines::correspondence::{Correspondence, Scope};
use hyperkill_checker::question::{Pose, Reachability};
use hyperkill_checker::safety::Problem;
use hyperkill_checker::schedule::reachability::Options;
use hyperkill_checker::solve::{Solved, corresponds, solve};
use hyperkill_core::aiger::{NamesDecide, conditional_mutant};
use hyperkill_core::budget::Budget;
use hyperkill_core::product::Variant;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_evidence::proof::{Fact, Proof, Site};
use hyperkill_evidence::question::{Family, Question};
use hyperkill_tests::ascii::aag;
use hyperkill_tests::generate::of_any_kind;
use hyperkill_tests::reach::{first_unequal, shortest_run};
use hyperkill_tests::safety::safety_problem;

fn questions(model: &ConditionalMutant) -> Vec<Question> {
    let mut asked = Vec::new();
    for mutant in model.selector_ids() {
        asked.extend([
            Question::phi1(mutant, false),
            Question::phi1(mutant, true),
            Question::identity(mutant),
            Question::refusal(mutant, 0),
            Question::refusal(mutant, 1),
            Question::nondeterminism(Variant::Mutant(mutant)),
        ]);
    }
    let all: Vec<SelectorId> = model.selector_ids().collect();
    if all.len() > 1 {
        asked.push(Question::Family(Family::phi1(all.clone(), false)));
        asked.push(Question::Family(Family::identity(all)));
    }
    asked
}

/// Returns the two literals of the product that a fact equates.
fn pair(question: &Reachability, fact: &Fact) -> [Lit; 2] {
    let Fact::Equal(sites) = fact else {
        panic!("{fact:?} is no equality");
    };
    sites.map(|Site { copy, lit }| {
        let known = question.product.copies[copy].lit(lit);
        lit.as_constant()
            .map_or_else(|| known.expect("a node of the copy"), Lit::constant)
    })
}

const SEARCHES: [(Scope, usize); 4] = [
    (Scope::Latches, 1),
    (Scope::Nodes, 1),
    (Scope::Latches, 3),
    (Scope::Nodes, 4),
];

/// The numbers of examined questions and of findings.
#[derive(Default, Debug)]
struct Seen {
    questions: usize,
    facts: usize,
    constants: usize,
    complements: usize,
    within_a_copy: usize,
    /// The number of questions for which a deeper search finds more facts than one step.
    deeper: usize,
    gates_before: usize,
    gates_after: usize,
}

impl Seen {
    /// Checks the results of all searches for a question. `what` describes it.
    fn examine_all(&mut self, question: &Reachability, what: &str) {
        let found = SEARCHES.map(|(scope, depth)| self.examine(question, scope, depth, what));
        let [_, shallow, _, deep] = found;
        self.deeper += usize::from(deep > shallow);
    }

    /// Checks the facts of a search for a question with few states. Returns their number.
    fn examine(
        &mut self,
        question: &Reachability,
        scope: Scope,
        depth: usize,
        what: &str,
    ) -> usize {
        let Some(shortest) = shortest_run(question) else {
            return 0;
        };
        let Some(found) = Correspondence::find(question, scope, depth, &Budget::unlimited()) else {
            return 0;
        };
        let pairs: Vec<[Lit; 2]> = found
            .facts
            .iter()
            .map(|fact| pair(question, fact))
            .collect();
        let wrong = first_unequal(question, &pairs).expect("few states");
        assert_eq!(
            wrong.map(|i| &found.facts[i]),
            None,
            "{what}, {scope:?} {depth}"
        );
        assert_eq!(
            shortest_run(&found.question).expect("few states"),
            shortest,
            "{what}, {scope:?} {depth}"
        );
        let known: Vec<[Lit; 2]> = found.known.iter().map(|&lit| [lit, Lit::TRUE]).collect();
        let wrong = first_unequal(&found.question, &known).expect("few states");
        assert_eq!(wrong, None, "{what}, {scope:?} {depth}");
        self.questions += 1;
        self.facts += found.facts.len();
        for fact in &found.facts {
            let Fact::Equal([a, b]) = fact else { continue };
            self.constants += usize::from(a.lit.is_constant());
            let proper = !a.lit.is_constant();
            self.complements += usize::from(proper && a.lit.is_negated() != b.lit.is_negated());
            self.within_a_copy += usize::from(proper && a.copy == b.copy);
        }
        self.gates_before += question.product.aig.gate_count();
        self.gates_after += found.question.product.aig.gate_count();
        found.facts.len()
    }
}

#[test]
fn every_fact_about_a_random_product_holds_in_all_its_steps() {
    let mut seen = Seen::default();
    for seed in 0..150 {
        let model = of_any_kind(seed);
        for question in questions(&model) {
            let posed = question.pose(&model);
            let what = format!("seed {seed}, {question}\n{}", aag(&model.aig));
            seen.examine_all(&posed, &what);
        }
    }
    println!("{seen:?}");
    assert!(seen.questions >= 1_000 && seen.facts >= 5_000, "{seen:?}");
    assert!(seen.constants >= 500 && seen.complements >= 50 && seen.within_a_copy >= 500);
}

#[test]
fn every_fact_about_a_random_circuit_holds_in_all_its_steps() {
    let mut seen = Seen::default();
    for seed in 0..1_500 {
        let model = safety_problem(seed);
        let bad = model.bad[0].lit;
        let question = Problem { model: &model, bad }.reachability();
        let what = format!("seed {seed}\n{}", aag(&model));
        seen.examine_all(&question, &what);
    }
    println!("{seen:?}");
    assert!(seen.questions >= 500 && seen.facts >= 1_000, "{seen:?}");
    assert!(seen.deeper >= 50, "{seen:?}");
}

/// Returns the same proof with one fact negated.
fn spoilt(proof: &Proof, index: usize) -> Proof {
    let mut spoilt = proof.clone();
    if let Fact::Equal([a, _]) = &mut spoilt.facts[index] {
        a.lit = !a.lit;
    }
    spoilt
}

#[test]
fn proofs_that_rely_on_correspondence_are_certified_and_spoilt_ones_are_not() {
    let budget = Budget::unlimited();
    let (mut proofs, mut refused, mut deep) = (0, 0, 0);
    for seed in 0..150 {
        let model = of_any_kind(seed);
        for question in questions(&model) {
            let posed = question.pose(&model);
            let Solved::Unreachable(proof) = solve(&posed, &Options::MODEST, &budget) else {
                continue;
            };
            let checked = certify_proof(&model, &question, &proof, &budget);
            assert_eq!(checked, Ok(()), "seed {seed}, {question}: {proof:?}");
            deep += usize::from(proof.facts_depth > 1);
            // If no step exists, every fact holds.
            if posed.always.iter().any(|&lit| lit != Lit::TRUE) {
                continue;
            }
            proofs += 1;
            for index in 0..proof.facts.len() {
                if matches!(proof.facts[index], Fact::Equal(_)) {
                    let wrong = spoilt(&proof, index);
                    let checked = certify_proof(&model, &question, &wrong, &budget);
                    assert!(checked.is_err(), "seed {seed}, {question}: {wrong:?}");
                    refused += 1;
                }
            }
        }
    }
    println!("{proofs} proofs, {deep} by facts about several steps, {refused} spoilt ones refused");
    assert!(
        proofs >= 50 && refused >= 200 && deep > 0,
        "{proofs}, {refused}, {deep}"
    );
}

/// Returns a circuit that multiplies two numbers of `bits` bits and truncates the product. The mutant computes a bit of the first factor in
/// another form.
fn multiplier(bits: usize) -> ConditionalMutant {
    let mut aig = Aig::new();
    let mut number = |name: &str| -> Vec<Lit> {
        let inputs = (0..bits).map(|bit| aig.add_input(Some(format!("{name}[{bit}]"))));
        inputs.collect()
    };
    let (mut a, b) = (number("a"), number("b"));
    let mutated = aig.add_latch(Reset::Free, Some("mut:roundabout".into()));
    aig.set_next(0, mutated);
    let away = aig.xor(a[0], b[1]);
    let back = aig.xor(away, b[1]);
    a[0] = aig.ite(mutated, back, a[0]);
    let mut sum = vec![Lit::FALSE; bits];
    for (shift, &digit) in b.iter().enumerate() {
        let mut carry = Lit::FALSE;
        for bit in shift..bits {
            let term = aig.and(a[bit - shift], digit);
            let half = aig.xor(sum[bit], term);
            let both = aig.and(sum[bit], term);
            let passed = aig.and(half, carry);
            sum[bit] = aig.xor(half, carry);
            carry = aig.or(both, passed);
        }
    }
    for (bit, lit) in sum.into_iter().enumerate() {
        aig.add_output(lit, Some(format!("out[{bit}]")));
    }
    conditional_mutant(aig, &NamesDecide).expect("a model")
}

#[test]
fn what_merging_proves_needs_no_search_for_runs_of_the_unmerged_circuits() {
    let model = multiplier(16);
    let budget = Budget::unlimited();
    for mutant in model.selector_ids() {
        let question = Question::phi1(mutant, false);
        let proof = corresponds(&question.pose(&model), &budget).expect("a proof");
        let checked = certify_proof(&model, &question, &proof, &budget);
        assert_eq!(checked, Ok(()));
    }
    assert_eq!(model.selector_ids().count(), 1);
}
