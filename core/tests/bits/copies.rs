//! Compares copies and evaluations of random graphs with a plain evaluation of their nodes.

use hyperkill_core::aig::{Cone, Images, Leaf, Node};
use hyperkill_core::{Aig, Lit, Reset, Var};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use crate::random::{self, Size};

/// Number of assignments on which graphs are compared.
const ASSIGNMENTS: usize = 8;

fn bits(rng: &mut ChaCha8Rng, count: usize) -> Vec<bool> {
    (0..count).map(|_| rng.random()).collect()
}

fn random_graph(seed: u64) -> (ChaCha8Rng, Aig) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let size = Size {
        inputs: rng.random_range(0..5),
        latches: rng.random_range(0..5),
        gates: rng.random_range(0..60),
    };
    let aig = random::circuit(&mut rng, &size);
    (rng, aig)
}

/// Returns a literal of a random node of the graph.
fn any(rng: &mut ChaCha8Rng, aig: &Aig) -> Lit {
    Var::new(rng.random_range(0..aig.len())).lit() ^ rng.random::<bool>()
}

#[test]
fn a_copy_over_fresh_inputs_and_latches_has_the_values_of_what_was_copied() {
    for seed in 0..400 {
        let (mut rng, source) = random_graph(seed);
        let root = any(&mut rng, &source);
        let cone = Cone::combinational(&source, [root]);
        let only_the_cone = rng.random::<bool>();
        // Nodes that exist in the target must neither be lost nor disturb the copy.
        let (_, mut target) = random_graph(seed + 1_000_000);
        let before = (target.inputs().len(), target.latches().len(), target.len());
        let images = target.copy(
            &source,
            |var| !only_the_cone || cone.contains(var),
            |aig, _, leaf| match leaf {
                Leaf::Input(_) => aig.add_input(None),
                Leaf::Latch(_) => aig.add_latch(Reset::Free, None),
            },
        );
        let copied = |var: Var| !only_the_cone || cone.contains(var);
        let gates = target.gate_count() + before.0 + before.1 + 1 - before.2;
        assert!(
            gates <= source.gate_count(),
            "seed {seed}: a copy has no more gates"
        );
        for _ in 0..ASSIGNMENTS {
            let inputs = bits(&mut rng, source.inputs().len());
            let latches = bits(&mut rng, source.latches().len());
            // The copied inputs and latches come after the target's own, in the order of the source.
            let place = |copied: Vec<bool>, own: usize, rng: &mut ChaCha8Rng| {
                let mut all = bits(rng, own);
                all.extend(copied);
                all
            };
            let of_inputs = source.inputs().iter().zip(&inputs);
            let of_inputs = of_inputs.filter(|(input, _)| copied(input.var));
            let of_latches = source.latches().iter().zip(&latches);
            let of_latches = of_latches.filter(|(latch, _)| copied(latch.var));
            let all_inputs = place(of_inputs.map(|(_, v)| *v).collect(), before.0, &mut rng);
            let all_latches = place(of_latches.map(|(_, v)| *v).collect(), before.1, &mut rng);
            let expected = random::node_values(&source, &inputs, &latches);
            let found = random::node_values(&target, &all_inputs, &all_latches);
            for (var, _) in source.nodes() {
                let value = random::value(&found, images.of(var.lit()));
                let wanted = copied(var) && expected[var.index()];
                assert_eq!(value, wanted, "seed {seed}, {var:?}");
                assert_eq!(images.of(!var.lit()), !images.of(var.lit()));
            }
        }
    }
}

#[test]
fn a_copy_over_other_literals_has_the_values_under_what_those_are() {
    for seed in 0..400 {
        let (mut rng, source) = random_graph(seed);
        let (_, mut target) = random_graph(seed + 1_000_000);
        let mut literals =
            |count: usize| -> Vec<Lit> { (0..count).map(|_| any(&mut rng, &target)).collect() };
        let of_inputs = literals(source.inputs().len());
        let of_latches = literals(source.latches().len());
        let leaf = |leaf: Leaf| match leaf {
            Leaf::Input(i) => of_inputs[i],
            Leaf::Latch(i) => of_latches[i],
        };
        let images = target.copy(&source, |_| true, |_, _, which| leaf(which));
        // The same copy gate by gate, with images of inputs and latches given.
        let mut gates = Images::none(&source);
        for (i, input) in source.inputs().iter().enumerate() {
            gates.set(input.var, of_inputs[i]);
        }
        for (i, latch) in source.latches().iter().enumerate() {
            gates.set(latch.var, of_latches[i]);
        }
        target.copy_gates(&source, &mut gates, |_| true, |_, _, _, own| own);
        assert_eq!(images, gates, "seed {seed}");
        for _ in 0..ASSIGNMENTS {
            let inputs = bits(&mut rng, target.inputs().len());
            let latches = bits(&mut rng, target.latches().len());
            let found = random::node_values(&target, &inputs, &latches);
            let under = |lits: &[Lit]| -> Vec<bool> {
                lits.iter().map(|&lit| random::value(&found, lit)).collect()
            };
            let expected = random::node_values(&source, &under(&of_inputs), &under(&of_latches));
            for (var, _) in source.nodes() {
                let value = random::value(&found, images.of(var.lit()));
                assert_eq!(value, expected[var.index()], "seed {seed}, {var:?}");
            }
        }
    }
}

#[test]
fn what_stands_for_a_gate_is_read_by_all_that_is_built_on_it() {
    let mut replaced = 0;
    for seed in 0..400 {
        let (mut rng, source) = random_graph(seed);
        let gates: Vec<Var> = (source.nodes())
            .filter(|(_, node)| matches!(node, Node::And(..)))
            .map(|(var, _)| var)
            .collect();
        if gates.is_empty() {
            continue;
        }
        let gone = gates[rng.random_range(0..gates.len())];
        let constant = Lit::constant(rng.random());
        let mut target = Aig::new();
        let mut images = Images::none(&source);
        for input in source.inputs() {
            images.set(input.var, target.add_input(None));
        }
        for latch in source.latches() {
            images.set(latch.var, target.add_latch(latch.reset, None));
        }
        let replace = |var: Var, own: Lit| if var == gone { constant } else { own };
        target.copy_gates(
            &source,
            &mut images,
            |_| true,
            |_, _, var, own| replace(var, own),
        );
        replaced += 1;
        for _ in 0..ASSIGNMENTS {
            let inputs = bits(&mut rng, source.inputs().len());
            let latches = bits(&mut rng, source.latches().len());
            let found = random::node_values(&target, &inputs, &latches);
            // Plain evaluation with the gate's value forced.
            let mut expected: Vec<bool> = Vec::new();
            for (var, node) in source.nodes() {
                let of = |lit: Lit| random::value(&expected, lit);
                let value = match node {
                    _ if var == gone => constant == Lit::TRUE,
                    Node::False => false,
                    Node::Input(i) => inputs[i as usize],
                    Node::Latch(i) => latches[i as usize],
                    Node::And(a, b) => of(a) && of(b),
                };
                expected.push(value);
            }
            for (var, _) in source.nodes() {
                let value = random::value(&found, images.of(var.lit()));
                assert_eq!(value, expected[var.index()], "seed {seed}, {var:?}");
            }
        }
    }
    assert!(replaced > 300, "{replaced}");
}

#[test]
fn a_substitution_has_the_value_that_the_literal_has_under_what_stands_for_its_inputs() {
    for seed in 0..400 {
        let (mut rng, mut aig) = random_graph(seed);
        let root = any(&mut rng, &aig);
        let mut places: FxHashMap<Var, Lit> = FxHashMap::default();
        let inputs = aig.inputs().iter().map(|input| input.var);
        let leaves: Vec<Var> = inputs.chain(aig.latches().iter().map(|l| l.var)).collect();
        for leaf in leaves {
            if rng.random::<bool>() {
                // Also literals that are younger, or that read the replaced ones.
                places.insert(leaf, any(&mut rng, &aig));
            }
        }
        let image = aig.substitute(root, &places);
        for _ in 0..ASSIGNMENTS {
            let inputs = bits(&mut rng, aig.inputs().len());
            let latches = bits(&mut rng, aig.latches().len());
            let values = random::node_values(&aig, &inputs, &latches);
            let under = |var: Var| {
                let place = places.get(&var).copied().unwrap_or(var.lit());
                random::value(&values, place)
            };
            let inputs: Vec<bool> = aig.inputs().iter().map(|i| under(i.var)).collect();
            let latches: Vec<bool> = aig.latches().iter().map(|l| under(l.var)).collect();
            let expected = random::node_values(&aig, &inputs, &latches);
            assert_eq!(
                random::value(&values, image),
                random::value(&expected, root),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn evaluation_agrees_with_plain_evaluation_in_truth_values_words_and_three_values() {
    for seed in 0..400 {
        let (mut rng, aig) = random_graph(seed);
        let inputs: Vec<u64> = aig.inputs().iter().map(|_| rng.random()).collect();
        let latches: Vec<u64> = aig.latches().iter().map(|_| rng.random()).collect();
        let words = aig.evaluate(|leaf| match leaf {
            Leaf::Input(i) => inputs[i],
            Leaf::Latch(i) => latches[i],
        });
        // Ternary evaluation: the inputs that are known.
        let known: u64 = rng.random();
        let three = |lane: usize| {
            aig.evaluate(|leaf| match leaf {
                Leaf::Input(i) => (known >> i & 1 == 1).then_some(inputs[i] >> lane & 1 == 1),
                Leaf::Latch(i) => Some(latches[i] >> lane & 1 == 1),
            })
        };
        for lane in [0, 1, 31, 63] {
            let at = |words: &[u64]| -> Vec<bool> {
                words.iter().map(|word| word >> lane & 1 == 1).collect()
            };
            let expected = random::node_values(&aig, &at(&inputs), &at(&latches));
            let truths = aig.evaluate(|leaf| match leaf {
                Leaf::Input(i) => inputs[i] >> lane & 1 == 1,
                Leaf::Latch(i) => latches[i] >> lane & 1 == 1,
            });
            let three = three(lane);
            for (var, node) in aig.nodes() {
                for lit in [var.lit(), !var.lit()] {
                    let wanted = random::value(&expected, lit);
                    assert_eq!(
                        words.of(lit) >> lane & 1 == 1,
                        wanted,
                        "seed {seed}, {lit:?}"
                    );
                    assert_eq!(truths.of(lit), wanted, "seed {seed}, {lit:?}");
                    let value = three.of(lit);
                    assert!(value.is_none_or(|value| value == wanted), "seed {seed}");
                    let is_unknown = matches!(node, Node::Input(i) if known >> i & 1 == 0);
                    assert!(!is_unknown || value.is_none(), "seed {seed}");
                }
            }
        }
    }
}

#[test]
fn three_valued_evaluation_knows_all_that_is_known_when_all_inputs_are() {
    for seed in 0..100 {
        let (mut rng, aig) = random_graph(seed);
        let inputs = bits(&mut rng, aig.inputs().len());
        let latches = bits(&mut rng, aig.latches().len());
        let values = aig.evaluate(|leaf| match leaf {
            Leaf::Input(i) => Some(inputs[i]),
            Leaf::Latch(i) => Some(latches[i]),
        });
        let expected = random::node_values(&aig, &inputs, &latches);
        let expected: Vec<Option<bool>> = expected.into_iter().map(Some).collect();
        assert_eq!(values.into_nodes(), expected, "seed {seed}");
    }
}
