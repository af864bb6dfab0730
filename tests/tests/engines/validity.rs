//! Well-formedness of many mutants at once, compared with an enumeration of all values for each mutant.

use hyperkill_checker::validity::{Validity, Work, breaches_and_work, validity};
use hyperkill_core::aig::Node;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::budget::Budget;
use hyperkill_core::conditional::SelectorLatch;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::{Aig, ConditionalMutant, Lit, Reset};
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_smv::SmvFrontend;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALUES: usize = 5;

/// The numbers of gates of a circuit that is passed to a solver as a whole (`SMALL`), and of one that is passed in parts (`LARGE`).
const SMALL: usize = 60;
const LARGE: usize = 1500;

/// Returns a circuit with this many mutants and some conditions that nearly always hold.
fn random(rng: &mut ChaCha8Rng, mutants: usize, gates: usize) -> (ConditionalMutant, Vec<Lit>) {
    let mut aig = Aig::new();
    let mut known: Vec<Lit> = (0..VALUES).map(|_| aig.add_input(None)).collect();
    let mut selectors = Vec::new();
    let mut latches = Vec::new();
    for index in 0..mutants {
        latches.push(aig.add_latch(Reset::Free, None));
        selectors.push(SelectorLatch {
            id: MutantId(format!("m{index}")),
            latch: index,
        });
    }
    known.extend(&latches);
    for _ in 0..gates {
        let (i, j) = (
            rng.random_range(0..known.len()),
            rng.random_range(0..known.len()),
        );
        let (a, b) = (known[i] ^ rng.random(), known[j] ^ rng.random());
        // Exclusive ors keep the gates of a large circuit relevant.
        let made = match gates > SMALL && rng.random_range(0..3) > 0 {
            true => aig.xor(a, b),
            false => aig.and(a, b),
        };
        known.push(made);
    }
    let mut obligations = Vec::new();
    for _ in 0..6 {
        let mut condition = known[rng.random_range(0..known.len())] ^ rng.random();
        for _ in 0..rng.random_range(0..5) {
            condition = aig.or(
                condition,
                known[rng.random_range(0..known.len())] ^ rng.random(),
            );
        }
        obligations.push(condition);
    }
    let model = ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: "m".to_owned(),
        aig,
        inputs: Vec::new(),
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors,
        mutants: Vec::new(),
    };
    (model, obligations)
}

fn can_fail(model: &ConditionalMutant, obligation: Lit, on: Option<usize>) -> bool {
    (0..1u32 << VALUES).any(|code| {
        let mut values: Vec<bool> = Vec::new();
        for (_, node) in model.aig.nodes() {
            let of = |lit: Lit| values[lit.var().index()] ^ lit.is_negated();
            let value = match node {
                Node::False => false,
                Node::Input(i) => code >> i & 1 == 1,
                Node::Latch(i) => on == Some(i as usize),
                Node::And(a, b) => of(a) && of(b),
            };
            values.push(value);
        }
        !(values[obligation.var().index()] ^ obligation.is_negated())
    })
}

#[test]
fn each_mutant_is_held_to_what_it_breaks_alone() {
    let rng = &mut ChaCha8Rng::seed_from_u64(4);
    let (mut broken, mut well) = (0, 0);
    for round in 0..200 {
        let mutants = if round % 20 == 0 {
            130
        } else {
            rng.random_range(0..20)
        };
        let gates = if round % 10 == 5 { LARGE } else { SMALL };
        let (model, obligations) = random(rng, mutants, gates);
        let all = 0..obligations.len();
        let fails = |number: usize, on| can_fail(&model, obligations[number], on);
        let original: Vec<usize> = all.clone().filter(|n| fails(*n, None)).collect();
        let first = |mutant| {
            let mut own = all.clone().filter(|n| !original.contains(n));
            own.find(|n| fails(*n, Some(mutant)))
        };
        let mutants: Vec<Option<usize>> = (0..mutants).map(first).collect();
        broken += mutants.iter().flatten().count();
        well += mutants.iter().filter(|found| found.is_none()).count();
        let expected = Validity { original, mutants };
        let found = validity(&model, &obligations, &Budget::unlimited());
        assert_eq!(found, Ok(expected), "round {round}");
    }
    assert!(broken > 100 && well > 100, "{broken} {well}");
}

/// Returns a model of a robot on `cells` cells: it may turn in each cell without an obstacle.
fn robot(cells: usize) -> String {
    let last = cells - 1;
    let mut text = format!(
        "MODULE main\nVAR free : boolean; at : 0..{last}; way : 0..2; score : 0..{last};\nASSIGN\n\
        init(at) := 0; init(way) := 0; init(score) := 0;\nnext(way) := case\n"
    );
    for cell in 0..cells {
        text += &format!("  free & at = {cell} : {};\n", (cell * 7 + 1) % 3);
    }
    text + &format!(
        "  TRUE : way;\nesac;\n\
        next(at) := case next(way) = 1 & at < {last} : at + 1; next(way) = 2 & at > 0 : at - 1; TRUE : at; esac;\n\
        next(score) := case next(at) > score & score < {last} : score + 1; TRUE : score; esac;\n"
    )
}

#[test]
fn the_work_grows_as_the_circuit_does() {
    let work = |cells: usize| -> (Work, usize) {
        let source = SourceFile::new("robot.smv", robot(cells));
        let translated = SmvFrontend.translate(&[source], &FrontendOptions::default());
        let checks = bit_blast(&translated.expect("a model").checks).expect("a circuit");
        let (model, conditions) = (&checks.model, &checks.obligations);
        let found = breaches_and_work(model, conditions, &Budget::unlimited());
        let (original, _, work) = found.expect("no limit");
        assert!(original.is_empty(), "{original:?}");
        (work, model.aig.len())
    };
    let ((once, small), (twice, large)) = (work(40), work(80));
    let limit = |count: usize| count * large / small * 3 / 2;
    assert!(twice.gates <= limit(once.gates), "{once:?} {twice:?}");
    assert!(twice.tried <= limit(once.tried), "{once:?} {twice:?}");
    assert!(twice.calls <= once.calls * 3 / 2 + 10, "{once:?} {twice:?}");
}
