//! The oracle's adaptive tests and allowed outputs: examples judged by hand, and enumeration on random systems.

use std::collections::BTreeSet;

use hyperkill_core::{ConditionalMutant, Lit, Reset, SelectorId};
use hyperkill_tests::circuit::Circuit;
use hyperkill_tests::generate::{Kind, conditional_mutant};
use hyperkill_tests::oracle::{Branch, Machine, Oracle, Taken, Tree, TreeDefect, Word};

fn oracle(model: &ConditionalMutant) -> Oracle {
    Oracle::new(model, SelectorId(0)).expect("a tiny circuit")
}

fn length(found: Result<Option<Vec<Word>>, hyperkill_tests::oracle::TooLarge>) -> Option<usize> {
    found.expect("a tiny search").map(|inputs| inputs.len())
}

/// Returns a tree with one input; each listed output leads to a branch.
fn tree(input: Word, branches: impl IntoIterator<Item = (Word, Branch)>) -> Tree {
    Tree {
        input,
        branches: branches.into_iter().collect(),
    }
}

/// Returns a circuit that shows a bit of the model's choice, in every step or only once. From the second step on the mutant also sets
/// output bit 1 if the input equals the bit shown before.
fn announces(once: bool) -> ConditionalMutant {
    let mut c = Circuit::new();
    let i = c.input("i");
    let m = c.selector("m");
    let later = c.latch("later", Reset::Zero);
    c.set_next(later, Lit::TRUE);
    let (shown, remembered) = if once {
        let bit = c.latch("bit", Reset::Free);
        (bit, bit)
    } else {
        let bit = c.choice("n");
        let latch = c.latch("bit", Reset::Zero);
        c.set_next(latch, bit);
        (bit, latch)
    };
    let guessed = c.aig.iff(i, remembered);
    let seen = c.aig.and_all(&[m, later, guessed]);
    c.output("bit", shown);
    c.output("seen", seen);
    c.finish("announces")
}

#[test]
fn a_tester_who_heeds_outputs_kills_where_no_fixed_inputs_do() {
    let oracle = oracle(&announces(false));
    assert_eq!(length(oracle.potential_kill()), Some(2));
    // For all inputs, the mutant may announce the other bit.
    assert_eq!(length(oracle.definite_kill()), None);
    assert_eq!(oracle.adaptive_kill(), Ok(Some(2)));

    // The input repeats the shown bit: the model shows only a new bit, and the mutant also sets output bit 1.
    let give = |bit| {
        let leaf = [(0, Branch::Pass), (1, Branch::Pass)];
        Branch::Then(tree(bit, leaf))
    };
    let heeds = tree(0, [(0, give(0)), (1, give(1))]);
    assert_eq!(heeds.depth(), 2);
    assert_eq!(oracle.validate_tree(&heeds), Ok(()));
    let stubborn = tree(0, [(0, give(0)), (1, give(0))]);
    assert_eq!(
        oracle.validate_tree(&stubborn),
        Err(TreeDefect::PassesTheMutant(vec![1, 0]))
    );
    let hasty = tree(0, [(0, give(0)), (1, Branch::Pass)]);
    assert_eq!(
        oracle.validate_tree(&hasty),
        Err(TreeDefect::PassesTheMutant(vec![1]))
    );
    let harsh = tree(0, [(0, give(0))]);
    assert_eq!(
        oracle.validate_tree(&harsh),
        Err(TreeDefect::FailsTheModel(vec![1]))
    );
    let lenient = tree(0, [(0, give(0)), (1, give(1)), (2, Branch::Pass)]);
    assert_eq!(
        oracle.validate_tree(&lenient),
        Err(TreeDefect::NotOfTheModel(vec![2]))
    );
    let impossible = tree(2, []);
    assert_eq!(
        oracle.validate_tree(&impossible),
        Err(TreeDefect::NoSuchInput(vec![]))
    );
}

#[test]
fn fixed_inputs_must_try_both_bits_where_an_adaptive_test_knows() {
    let oracle = oracle(&announces(true));
    assert_eq!(length(oracle.potential_kill()), Some(2));
    assert_eq!(length(oracle.definite_kill()), Some(3));
    assert_eq!(oracle.adaptive_kill(), Ok(Some(2)));
    let fixed = Tree::of_inputs(&oracle, &[0, 0, 1]).expect("some inputs");
    assert_eq!(oracle.validate_tree(&fixed), Ok(()));
    let shorter = Tree::of_inputs(&oracle, &[0, 0]).expect("some inputs");
    assert_eq!(
        oracle.validate_tree(&shorter),
        Err(TreeDefect::PassesTheMutant(vec![1, 1]))
    );
}

#[test]
fn a_run_that_gets_stuck_is_no_play() {
    // Both show a bit of their choice. A mutant that showed 1 is stuck; a mutant that showed 0 sets output bit 1 next.
    let mut c = Circuit::new();
    let n = c.choice("n");
    let m = c.selector("m");
    let later = c.latch("later", Reset::Zero);
    c.set_next(later, Lit::TRUE);
    let one = c.latch("one", Reset::Zero);
    c.set_next(one, n);
    let stuck = c.aig.and_all(&[m, later, one]);
    c.constrain(!stuck);
    let seen = c.aig.and(m, later);
    c.output("bit", n);
    c.output("seen", seen);
    let oracle = oracle(&c.finish("stuck"));
    assert_eq!(length(oracle.definite_kill()), Some(2));
    assert_eq!(oracle.adaptive_kill(), Ok(Some(2)));
    let leaf = || Branch::Then(tree(0, [(0, Branch::Pass), (1, Branch::Pass)]));
    assert_eq!(
        oracle.validate_tree(&tree(0, [(0, leaf()), (1, leaf())])),
        Ok(())
    );
    // Showing 1 once is a complete play if the test ends there.
    assert_eq!(
        oracle.validate_tree(&tree(0, [(0, leaf()), (1, Branch::Pass)])),
        Err(TreeDefect::PassesTheMutant(vec![1]))
    );
    // A mutant that is always stuck is not killed.
    let mut c = Circuit::new();
    let m = c.selector("m");
    c.constrain(!m);
    c.output("o", Lit::FALSE);
    let oracle = Oracle::new(&c.finish("never"), SelectorId(0)).expect("a tiny circuit");
    assert_eq!(oracle.adaptive_kill(), Ok(None));
    assert_eq!(
        oracle.validate_tree(&tree(0, [(0, Branch::Pass)])),
        Err(TreeDefect::NoPlayOfTheMutant)
    );
}

#[test]
fn an_input_that_the_model_refuses_is_no_test_adaptive_or_not() {
    // The first step distinguishes 0 and 1, the model's choice. After 0 the model accepts only input 0, under which nothing differs;
    // after 1 only the model continues. The mutant that showed 0 accepts input 1.
    let mut c = Circuit::new();
    let i = c.input("i");
    let n = c.choice("n");
    let m = c.selector("m");
    let later = c.latch("later", Reset::Zero);
    c.set_next(later, Lit::TRUE);
    let bit = c.latch("bit", Reset::Zero);
    c.set_next(bit, n);
    let never_again = c.aig.or(!later, !i);
    let refused = c.aig.and(!m, !never_again);
    let stuck = c.aig.and_all(&[m, later, bit]);
    c.constrain(!refused);
    c.constrain(!stuck);
    c.output("o", n);
    let oracle = oracle(&c.finish("refused"));
    assert_eq!(length(oracle.potential_kill()), None);
    assert_eq!(oracle.adaptive_kill(), Ok(None));
    // Except for the refusal, every play of the mutant would end in a failure, and the model would have plays.
    let refused = Branch::Then(tree(1, []));
    let goes_on = Branch::Then(tree(0, [(0, Branch::Pass), (1, Branch::Pass)]));
    assert_eq!(
        oracle.validate_tree(&tree(0, [(0, refused), (1, goes_on)])),
        Err(TreeDefect::Refused(vec![0]))
    );
}

/// Returns all trees up to this depth whose branches are outputs of the model, found by following runs.
fn trees(oracle: &Oracle, depth: usize, inputs: &[Word], outputs: &[Word]) -> Vec<Tree> {
    let mut all = Vec::new();
    if depth == 0 {
        return all;
    }
    for input in oracle.original.alphabet() {
        let inputs = [inputs, &[input]].concat();
        let shown = oracle.original.responses(&inputs);
        let histories: Vec<_> = shown.iter().filter(|o| o.starts_with(outputs)).collect();
        let mut here = vec![tree(input, [])];
        for history in histories {
            let mut branches = vec![Branch::Pass];
            branches.extend(
                trees(oracle, depth - 1, &inputs, history)
                    .into_iter()
                    .map(Branch::Then),
            );
            let last = history[outputs.len()];
            here = here
                .iter()
                .flat_map(|tree| {
                    branches.iter().map(move |branch| {
                        let mut tree = tree.clone();
                        tree.branches.insert(last, branch.clone());
                        tree
                    })
                })
                .collect();
        }
        all.extend(here);
    }
    all
}

#[test]
fn the_smallest_adaptive_kill_agrees_with_trying_every_tree() {
    let (mut found, mut only_adaptive) = (0, 0);
    for seed in 0..800 {
        let model = conditional_mutant(seed, Kind::Small);
        let oracle = oracle(&model);
        let smallest = oracle.adaptive_kill().expect("a tiny search");
        let definite = length(oracle.definite_kill());
        let bound = 2;
        let tried = (1..=bound).find(|&depth| {
            let all = trees(&oracle, depth, &[], &[]);
            all.iter().any(|tree| oracle.validate_tree(tree).is_ok())
        });
        assert_eq!(
            smallest.filter(|&depth| depth <= bound),
            tried,
            "seed {seed}"
        );
        found += usize::from(tried.is_some());
        only_adaptive += usize::from(tried.is_some_and(|d| definite.is_none_or(|fixed| d < fixed)));
    }
    println!("{found} within two steps, {only_adaptive} of them only by heeding outputs");
    assert!(found >= 40 && only_adaptive >= 5);
}

#[test]
fn fixed_inputs_that_kill_definitely_are_an_adaptive_test_that_kills() {
    let (mut definite, mut refused) = (0, 0);
    for seed in 0..400 {
        let model = conditional_mutant(seed, Kind::Small);
        let oracle = oracle(&model);
        let adaptive = oracle.adaptive_kill().expect("a tiny search");
        if adaptive.is_some() {
            let potential = length(oracle.potential_kill()).expect("adaptive ⇒ potential");
            assert!(adaptive >= Some(potential), "seed {seed}");
        }
        let Some(inputs) = oracle.definite_kill().expect("a tiny search") else {
            continue;
        };
        definite += 1;
        // After common outputs the model may have to refuse the input, which is then not given.
        let Some(tree) = Tree::of_inputs(&oracle, &inputs) else {
            assert!(!model.aig.constraints.is_empty(), "seed {seed}");
            refused += 1;
            continue;
        };
        assert_eq!(oracle.validate_tree(&tree), Ok(()), "seed {seed}");
        assert!(tree.depth() <= inputs.len(), "seed {seed}");
        let adaptive = adaptive.expect("definite ⇒ adaptive");
        assert!(adaptive <= tree.depth(), "seed {seed}");
    }
    assert!(
        definite >= 80 && refused * 10 < definite,
        "{refused} of {definite}"
    );
}

#[test]
fn a_locally_adaptive_test_allows_the_other_drink_at_every_step() {
    // Moore: the output shows the choice of the step before; input 1 requests a drink.
    let mut c = Circuit::new();
    let i = c.input("i");
    let pick = c.choice("pick");
    c.selector("m");
    let served = c.latch("served", Reset::Zero);
    c.set_next(served, i);
    let tea = c.latch("tea", Reset::Zero);
    c.set_next(tea, pick);
    let serves_tea = c.aig.and(served, tea);
    c.output("served", served);
    c.output("tea", serves_tea);
    let machine = Machine::new(&c.finish("drinks"), None).expect("a tiny circuit");
    let run = machine
        .trail(0, &[(1, 0), (1, 1), (0, 0), (0, 0)])
        .expect("nothing is constrained");
    let shown: Vec<Word> = run.iter().map(|taken| taken.outputs).collect();
    assert_eq!(shown, [0, 1, 3, 0]);
    let drinks = BTreeSet::from([1, 3]);
    let nothing = BTreeSet::from([0]);
    let expected = vec![nothing.clone(), drinks.clone(), drinks, nothing];
    assert_eq!(machine.locally_allowed(&run), expected);
    assert_eq!(machine.globally_allowed(&run), expected);
}

#[test]
fn what_a_run_hides_is_fixed_locally_and_free_globally() {
    // A free bit, shown from the second step on.
    let mut c = Circuit::new();
    c.selector("m");
    let bit = c.latch("bit", Reset::Free);
    let later = c.latch("later", Reset::Zero);
    c.set_next(later, Lit::TRUE);
    let shown = c.aig.and(bit, later);
    c.output("o", shown);
    let machine = Machine::new(&c.finish("hides"), None).expect("a tiny circuit");
    let run = machine
        .trail(1, &[(0, 0), (0, 0), (0, 0)])
        .expect("nothing is constrained");
    let (zero, one, both) = (
        BTreeSet::from([0]),
        BTreeSet::from([1]),
        BTreeSet::from([0, 1]),
    );
    // The state before the second step follows from the state before the first step.
    assert_eq!(
        machine.locally_allowed(&run),
        [zero.clone(), one.clone(), one.clone()]
    );
    assert_eq!(machine.globally_allowed(&run), [zero, both, one]);
}

/// Returns all runs of this many steps on these inputs.
fn runs(machine: &Machine, inputs: &[Word]) -> Vec<Vec<Taken>> {
    let mut choices: Vec<Vec<(Word, Word)>> = vec![Vec::new()];
    for &input in inputs {
        choices = choices
            .iter()
            .flat_map(|made| {
                let more = machine.choices();
                more.map(move |choice| [made.as_slice(), &[(input, choice)]].concat())
            })
            .collect();
    }
    let starts = machine.initial().iter();
    starts
        .flat_map(|&initial| {
            choices
                .iter()
                .filter_map(move |c| machine.trail(initial, c))
        })
        .collect()
}

#[test]
fn allowed_outputs_are_those_of_some_run_as_the_definition_says() {
    let (mut differ, mut several) = (0, 0);
    for seed in 0..600 {
        let kind = [Kind::Small, Kind::Choices][seed as usize % 2];
        let model = conditional_mutant(seed, kind);
        let machine = Machine::new(&model, None).expect("a tiny circuit");
        let inputs: Vec<Word> = (0..3)
            .map(|step| (seed / 4) >> step & ((1 << machine.input_bits()) - 1))
            .collect();
        // Runs of every length: a run that ends later did give its earlier outputs.
        let by_length: Vec<_> = (1..=3).map(|n| runs(&machine, &inputs[..n])).collect();
        let Some(run) = by_length[2].get(seed as usize % by_length[2].len().max(1)) else {
            continue;
        };
        let local = machine.locally_allowed(run);
        let global = machine.globally_allowed(run);
        for j in 0..3 {
            let of = |agrees: &dyn Fn(&[Taken]) -> bool| -> BTreeSet<Word> {
                let all = by_length[j].iter().filter(|other| agrees(&other[..j]));
                all.map(|other| other[j].outputs).collect()
            };
            assert_eq!(local[j], of(&|before| before == &run[..j]), "seed {seed}");
            let same_outputs = |before: &[Taken]| {
                let mut pairs = before.iter().zip(run);
                pairs.all(|(a, b)| a.outputs == b.outputs)
            };
            assert_eq!(global[j], of(&same_outputs), "seed {seed}");
            assert!(local[j].is_subset(&global[j]), "seed {seed}");
            assert!(local[j].contains(&run[j].outputs), "seed {seed}");
            differ += usize::from(local[j] != global[j]);
            several += usize::from(local[j].len() > 1);
        }
    }
    println!(
        "{several} steps with several outputs allowed, {differ} with more globally than locally"
    );
    assert!(differ >= 5 && several >= 100, "{differ}, {several}");
}
