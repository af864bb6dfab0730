//! The examples that \[3\] argues with: Example 3 with its three mutants, and the car alarm whose timing is hidden (§6.2).

use hyperkill_core::ConditionalMutant;
use hyperkill_tests::models::conditional;
use hyperkill_tests::oracle::explicit;
use hyperkill_tests::oracle::subsets::{BLINDLY, definite_kill, potential_kill};

/// Lengths of the shortest potential and definite kill of the only mutant, where there are any.
fn oracle(model: &ConditionalMutant) -> [Option<usize>; 2] {
    [potential_kill, definite_kill].map(|ask| ask(model, 0, BLINDLY).expect("a small model"))
}

#[test]
fn the_oracle_says_of_the_examples_what_the_paper_says() {
    // 2c+1 inputs for capacity c, and a step to see the last answer.
    assert_eq!(oracle(&conditional("fills-one")), [Some(6), Some(6)]);
    assert_eq!(oracle(&conditional("fills-one-or-two")), [Some(6), None]);
    assert_eq!(oracle(&conditional("only-coffee")), [None, None]);
    // lock, close, 20 steps of one tick each, and a step to see it.
    let late = conditional("arms-late");
    assert_eq!(oracle(&late), [Some(23), None]);
    // With common timing one long step is enough.
    let controlled = explicit::shortest_kill(&late, 0, true, 1 << 20);
    assert_eq!(controlled, explicit::Verdict::Killed(4));
}
