//! Relations without a search: they agree with a search, and their check rejects those of planted faults.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_timed::fault;
use hyperkill_timed::identity::identity;
use hyperkill_timed::refine::{Found, Related, Side, refine};
use hyperkill_timed_certify::good::Side as Checked;
use hyperkill_timed_certify::relation::check;

use crate::evidence::{lost_of, pairs};
use crate::families::side;
use crate::random::cases;
use crate::refinement::{draw, draw_small, rules};

/// Returns the sides of a mutant and a model; `None` if one is inconsistent or the model is ambiguous.
fn sides(mutant: &Automaton, model: &Automaton, rules: Rules) -> Option<(Side, Side)> {
    let (own, model) = (side(mutant, rules.is_pruned), side(model, rules.is_pruned));
    let may = own.is_consistent() && model.is_consistent() && model.ambiguity().is_none();
    may.then_some((own, model))
}

fn made(own: &Side, model: &Side, rules: Rules) -> Option<Vec<Related>> {
    identity(own, model, rules, &Budget::unlimited()).expect("no limit")
}

/// Whether a check without zones accepts a relation.
fn is_accepted((own, model): (&Side, &Side), rules: Rules, related: &[Related]) -> bool {
    let budget = Budget::unlimited();
    let (automaton, lost) = (own.automaton.clone(), lost_of(&own.lost));
    let own = Checked::shown(automaton, rules.is_pruned, &lost, &budget);
    let model = Checked::new(model.automaton.clone(), rules.is_pruned, &budget);
    let (own, model) = (own.expect("good states agree"), model.expect("no limit"));
    check(&own, &model, rules, &pairs(related), &budget).is_ok()
}

#[test]
fn a_relation_that_is_made_without_a_search_shows_what_a_search_shows() {
    let (mut shown, mut searched) = (0, 0);
    for seed in 0..cases(1500) {
        let (mutant, model) = draw(seed);
        let rules = rules(seed);
        let Some((own, model)) = sides(&mutant, &model, rules) else {
            continue;
        };
        let found = refine(&own, &model, rules, None, &Budget::unlimited());
        let refines = matches!(found, Found::Refines(_));
        match made(&own, &model, rules) {
            None => searched += usize::from(refines),
            Some(related) => {
                shown += 1;
                assert!(refines, "seed {seed}: {mutant:#?}");
                assert!(is_accepted((&own, &model), rules, &related), "seed {seed}");
            }
        }
    }
    println!("{shown} shown without a search, {searched} with one");
    assert!(shown > 100 && searched > 20);
}

#[test]
fn relations_of_planted_faults_are_refused() {
    for planted in fault::OF_IDENTITY {
        let is_refused = |seed: &u64| {
            let (mutant, model, rules) = draw_small(*seed);
            let sides = sides(&mutant, &model, rules);
            sides.is_some_and(|(own, model)| {
                let related = fault::with(Some(planted), || made(&own, &model, rules));
                related.is_some_and(|related| !is_accepted((&own, &model), rules, &related))
            })
        };
        let noticed = (0..40_000).find(is_refused);
        println!("{planted:?}: seed {noticed:?}");
        assert!(
            noticed.is_some(),
            "the evidence of {planted:?} is never refused"
        );
    }
}
