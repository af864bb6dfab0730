//! Lists of constraints check the results: sound evidence is accepted, that of planted faults is not.

use hyperkill_core::budget::Budget;
use hyperkill_core::time::Time;
use hyperkill_core::timed::{Automaton, Rules};
use hyperkill_timed::dbm::Zone;
use hyperkill_timed::fault;
use hyperkill_timed::game;
use hyperkill_timed::rational::Rational;
use hyperkill_timed::refine::{Ending, Found, Related, Side, refine};
use hyperkill_timed::replay::{Kills, Trace, kills};
use hyperkill_timed_certify::constraint::{Constraint, List};
use hyperkill_timed_certify::good::{Lost, Side as Checked, inconsistent};
use hyperkill_timed_certify::relation::{Pair, check};
use hyperkill_timed_certify::replay;

use crate::random::cases;
use crate::refinement::{draw, draw_small, rules};

fn list(zone: &Zone) -> List {
    let size = zone.clocks() + 1;
    let places = (0..size).flat_map(|i| (0..size).map(move |j| (i, j)));
    let constraints = places.filter_map(|(left, right)| {
        let bound = zone.bound(left, right);
        Some(Constraint {
            left,
            right,
            most: bound.constant().filter(|_| left != right)?,
            is_strict: bound.is_strict(),
        })
    });
    List(constraints.collect())
}

fn time(at: Rational) -> Time {
    let (numerator, denominator) = at.parts();
    let [numerator, denominator] =
        [numerator, denominator].map(|n| u64::try_from(n).expect("not negative"));
    Time::fraction(numerator, denominator).expect("a time")
}

fn same(trace: &Trace) -> replay::Trace {
    let events = trace
        .events
        .iter()
        .map(|event| (time(event.at), event.action.clone()));
    replay::Trace {
        events: events.collect(),
        at: time(trace.at),
        ending: match &trace.ending {
            Ending::Silence => replay::Ending::Silence,
            Ending::Refused(name) => replay::Ending::Refused(name.clone()),
            Ending::Accepted(name) => replay::Ending::Accepted(name.clone()),
            Ending::Output(name) => replay::Ending::Output(name.clone()),
        },
    }
}

pub(crate) fn pairs(related: &[Related]) -> Vec<Pair> {
    let pairs = related.iter().map(|related| Pair {
        mutant: related.mutant,
        model: related.model,
        values: list(&related.zone),
    });
    pairs.collect()
}

/// Returns the bad states of an automaton in the form of the check.
fn lost(side: &Side) -> Vec<Lost> {
    lost_of(&side.lost)
}

pub(crate) fn lost_of(lost: &[game::Lost]) -> Vec<Lost> {
    let lost = lost.iter().map(|lost| Lost {
        location: lost.location,
        states: lost.states.zones().iter().map(list).collect(),
    });
    lost.collect()
}

/// Whether the independent check accepts the ranks of bad states, and agrees whether the initial state is good.
fn ranks_show(side: &Side, is_pruned: bool) -> bool {
    let budget = Budget::unlimited();
    let (automaton, lost) = (&side.automaton, lost(side));
    match side.is_consistent() {
        true => Checked::shown(automaton.clone(), is_pruned, &lost, &budget)
            .is_ok_and(|shown| shown.is_consistent()),
        false => inconsistent(automaton, is_pruned, &lost, &budget).is_ok(),
    }
}

#[test]
fn ranks_of_bad_states_show_that_they_are_bad_and_that_the_others_are_good() {
    let (mut consistent, mut without, mut refused) = (0, 0, 0);
    for seed in 0..cases(800) {
        let (automaton, _) = draw(seed);
        let budget = Budget::unlimited();
        let side = Side::new(automaton.clone(), true, &budget).expect("no limit");
        assert!(ranks_show(&side, true), "seed {seed}\n{automaton:#?}");
        let all = lost(&side);
        match side.is_consistent() {
            true => {
                consistent += 1;
                let claimed = inconsistent(&automaton, true, &all, &budget);
                assert!(claimed.is_err(), "seed {seed}");
            }
            false => without += 1,
        }
        let is_shown = |ranks: &[Lost]| {
            let shown = Checked::shown(automaton.clone(), true, ranks, &budget);
            shown.is_ok() || inconsistent(&automaton, true, ranks, &budget).is_ok()
        };
        // There is one form: nothing is left out, there twice, or in another place.
        for at in 0..all.len() {
            let (mut fewer, mut doubled) = (all.clone(), all.clone());
            fewer.remove(at);
            doubled.insert(at, all[at].clone());
            let mut others = vec![fewer, doubled];
            if at > 0 {
                let mut swapped = all.clone();
                swapped.swap(at - 1, at);
                others.push(swapped);
            }
            for ranks in others {
                assert!(
                    !is_shown(&ranks),
                    "seed {seed}: {ranks:#?}\n{all:#?}\n{automaton:#?}"
                );
                refused += 1;
            }
        }
    }
    println!("{consistent} consistent, {without} not; {refused} refused");
    assert!(consistent > 100 && without > 50 && refused > 300);
}

struct Sides {
    found: [Side; 2],
    checked: [Checked; 2],
    free: [Side; 2],
    free_checked: Checked,
    rules: Rules,
}

impl Sides {
    fn new(mutant: &Automaton, model: &Automaton, rules: Rules) -> Sides {
        let budget = Budget::unlimited();
        let side = |a: &Automaton, pruned| Side::new(a.clone(), pruned, &budget).expect("no limit");
        let checked =
            |a: &Automaton, pruned| Checked::new(a.clone(), pruned, &budget).expect("no limit");
        Sides {
            found: [mutant, model].map(|a| side(a, rules.is_pruned)),
            checked: fault::with(None, || {
                [mutant, model].map(|a| checked(a, rules.is_pruned))
            }),
            free: [mutant, model].map(|a| side(a, false)),
            free_checked: checked(mutant, false),
            rules,
        }
    }

    /// Whether the check accepts the bad states of both automata, and agrees on consistency and ambiguity.
    fn agree_on_states(&self) -> bool {
        let mut sides = self.found.iter().zip(&self.checked);
        let mut found = self.found.iter();
        found.all(|side| ranks_show(side, self.rules.is_pruned))
            && sides.all(|(found, checked)| found.is_consistent() == checked.is_consistent())
            && self.found[1].ambiguity().is_some() == self.checked[1].is_ambiguous()
    }

    fn may_be_compared(&self) -> bool {
        self.checked.iter().all(Checked::is_consistent) && !self.checked[1].is_ambiguous()
    }

    fn refine(&self) -> Found {
        let [mutant, model] = &self.found;
        refine(mutant, model, self.rules, None, &Budget::unlimited())
    }

    /// Whether the check accepts the result of a search; `None` if there is nothing to check.
    fn accepts(&self, found: &Found) -> Option<bool> {
        let [mutant, model] = &self.checked;
        match found {
            Found::Refines(related) => {
                let pairs = pairs(related);
                let result = check(mutant, model, self.rules, &pairs, &Budget::unlimited());
                Some(result.is_ok())
            }
            Found::Fails(trace) => {
                let trace = same(trace);
                let is_test = replay::is_test(model, &trace, self.rules);
                Some(is_test && replay::may_fail(mutant, &trace, self.rules))
            }
            Found::Alphabets | Found::Open(..) => None,
        }
    }
}

#[test]
fn whatever_zones_find_is_accepted_by_lists_of_constraints() {
    let (mut proofs, mut tests, mut sure) = (0, 0, 0);
    for seed in 0..cases(600) {
        let (mutant, model) = draw(seed);
        let sides = Sides::new(&mutant, &model, rules(seed));
        assert!(
            sides.agree_on_states(),
            "seed {seed}\n{mutant:#?}\n{model:#?}"
        );
        if !sides.may_be_compared() {
            continue;
        }
        let found = sides.refine();
        let what = format!("seed {seed}\n{mutant:#?}\n{model:#?}\n{found:#?}");
        match (&found, sides.accepts(&found)) {
            (Found::Refines(_), Some(accepted)) => {
                assert!(accepted, "{what}");
                proofs += 1;
            }
            (Found::Fails(trace), Some(accepted)) => {
                assert!(accepted, "{what}");
                tests += 1;
                let [mutant, model] = &sides.found;
                let free = &sides.free[0];
                let strength = kills(model, mutant, free, trace, sides.rules);
                let [_, checked] = &sides.checked;
                let must =
                    replay::must_fail(checked, &sides.free_checked, &same(trace), sides.rules);
                assert_eq!(strength == Some(Kills::Surely), must, "{what}");
                sure += usize::from(must);
            }
            _ => {}
        }
    }
    println!("{proofs} proofs, {tests} tests, {sure} of them sure");
    assert!(proofs > 50 && tests > 20 && sure > 5);
}

#[test]
fn a_proof_that_lacks_a_state_is_refused() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..cases(300) {
        let (mutant, model) = draw(seed);
        let sides = Sides::new(&mutant, &model, rules(seed));
        if !sides.may_be_compared() {
            continue;
        }
        let Found::Refines(related) = sides.refine() else {
            continue;
        };
        for gone in 0..related.len() {
            let mut fewer = related.clone();
            let gone = fewer.remove(gone);
            // A zone that another one covers may be missing.
            let covered = fewer.iter().any(|other| {
                (other.mutant, other.model) == (gone.mutant, gone.model)
                    && other.zone.includes(&gone.zone)
            });
            match sides.accepts(&Found::Refines(fewer)) {
                Some(false) => refused += 1,
                _ => accepted += usize::from(!covered),
            }
        }
    }
    println!("{refused} refused, {accepted} accepted without need");
    // Several zones together may cover one, but seldom do.
    assert!(refused > 100 && accepted * 10 < refused);
}

#[test]
fn every_planted_fault_is_noticed_by_the_check_of_its_evidence() {
    for planted in fault::ALL {
        let is_refused = |seed: &u64| {
            let (mutant, model, rules) = draw_small(*seed);
            let wrong = fault::with(Some(planted), || {
                let sides = Sides::new(&mutant, &model, rules);
                let may = sides.may_be_compared();
                let agree = sides.agree_on_states();
                let found = (may && agree).then(|| sides.refine());
                (agree, found)
            });
            let sides = Sides::new(&mutant, &model, rules);
            match wrong {
                (false, _) => true,
                // Either a check refuses it, or no evidence comes of it at all.
                (true, Some(found @ Found::Open(..))) => found != sides.refine(),
                (true, Some(found)) => sides.accepts(&found) == Some(false),
                (true, None) => false,
            }
        };
        let noticed = (0..40_000).find(is_refused);
        println!("{planted:?}: seed {noticed:?}");
        assert!(
            noticed.is_some(),
            "the evidence of {planted:?} is never refused"
        );
    }
}
