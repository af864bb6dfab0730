//! The rest of a completeness proof as clauses in DIMACS and a proof in LRAT, checked by an independent checker that uses unit propagation
//! alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::domains::{Checked, Decided};
use hyperkill_core::budget::Budget;
use hyperkill_core::suite::Step;
use hyperkill_frontend::decision::{Decision, Recheck};
use hyperkill_frontend::domain::{Aim, Completeness};
use hyperkill_frontend::{FrontendOptions, MachineOptions, SourceFile};
use hyperkill_timed_fsm_decide::TimedDecision;
use hyperkill_timed_fsm_recheck::TimedRecheck;

use crate::families::{RUNNING, Where, tftp};
use crate::machines::cases;
use crate::suites::{random_domain, small_domain};

/// Reads clauses in DIMACS; they are numbered from 1.
fn clauses(dimacs: &str) -> BTreeMap<usize, Vec<i32>> {
    let lines = dimacs.lines().filter(|line| !line.starts_with('c'));
    let mut lines = lines.map(|line| line.split(' ').collect::<Vec<&str>>());
    let head = lines.next().expect("a head");
    assert_eq!(head[..2], ["p", "cnf"]);
    let all: BTreeMap<usize, Vec<i32>> = lines
        .enumerate()
        .map(|(index, words)| {
            let numbers = words.iter().map(|word| word.parse().expect("a literal"));
            let mut numbers: Vec<i32> = numbers.collect();
            assert_eq!(numbers.pop(), Some(0));
            let most: i32 = head[2].parse().expect("a number");
            assert!(numbers.iter().all(|lit| *lit != 0 && lit.abs() <= most));
            (index + 1, numbers)
        })
        .collect();
    assert_eq!(all.len().to_string(), head[3]);
    all
}

/// Whether a proof shows that clauses cannot be satisfied: each step follows from the clauses that it names, in their order, by unit
/// propagation, and the last one is empty.
fn shows(dimacs: &str, lrat: &str) -> bool {
    let mut known = clauses(dimacs);
    for line in lrat.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.get(1) == Some(&"d") {
            for word in &words[2..words.len() - 1] {
                known.remove(&word.parse().expect("a number"));
            }
            continue;
        }
        let numbers: Result<Vec<i64>, _> = words.iter().map(|word| word.parse::<i64>()).collect();
        let Ok(numbers) = numbers else { return false };
        let parts: Vec<&[i64]> = numbers.split(|number| *number == 0).collect();
        let [first, hints, rest] = parts[..] else {
            return false;
        };
        if !rest.is_empty() {
            return false;
        }
        let clause: Vec<i32> = first[1..].iter().map(|lit| *lit as i32).collect();
        if !follows(&known, &clause, hints) {
            return false;
        }
        if clause.is_empty() {
            return true;
        }
        known.insert(first[0] as usize, clause);
    }
    false
}

fn follows(known: &BTreeMap<usize, Vec<i32>>, clause: &[i32], hints: &[i64]) -> bool {
    let mut set: BTreeSet<i32> = clause.iter().map(|lit| -lit).collect();
    for hint in hints {
        let Some(used) = usize::try_from(*hint).ok().and_then(|id| known.get(&id)) else {
            return false;
        };
        let mut open = used.iter().filter(|lit| !set.contains(&-**lit));
        match (open.next(), open.next()) {
            (None, _) => return true,
            (Some(unit), None) => {
                set.insert(*unit);
            }
            _ => return false,
        }
    }
    false
}

/// The clauses of the last query about a suite, and their refutation if they are unsatisfiable.
struct Asked {
    dimacs: String,
    lrat: Option<String>,
}

fn asked(text: &str, domain: Option<&str>, without: Option<usize>) -> Option<Asked> {
    let sources = [SourceFile::new("m.tfsm", text)];
    let options = FrontendOptions {
        machines: MachineOptions {
            domain: domain.map(str::to_owned),
            ..MachineOptions::default()
        },
        ..FrontendOptions::default()
    };
    let budget = Budget::unlimited();
    let decider = TimedDecision::default()
        .read(&sources, &options)
        .expect("a model");
    let rechecker = TimedRecheck.read(&sources, &options).expect("a model");
    let found = decider.complete(Aim::default(), &[], &budget)?;
    let Completeness::Complete { proof, .. } = found.completeness else {
        panic!("{:?}", found.completeness);
    };
    let mut tests: Vec<Vec<Step>> = found.tests;
    if let Some(without) = without {
        if tests.len() <= without {
            return None;
        }
        tests.remove(without);
    }
    let dimacs = rechecker
        .question(&tests, &proof, &budget)
        .expect("a proof");
    let lrat = decider.refutation(&dimacs, &budget);
    Some(Asked {
        lrat: lrat.map(|lrat| lrat.expect("no limits")),
        dimacs,
    })
}

#[test]
fn refutations_of_the_machines_of_the_paper_check() {
    for (text, domain) in [
        (RUNNING.to_owned(), None),
        (tftp(3, Some(Where::A)), None),
        (tftp(3, Some(Where::B)), None),
        (tftp(3, None), Some("chaos:4:5")),
    ] {
        let asked = asked(&text, domain, None).expect("a domain");
        let lrat = asked.lrat.expect("a refutation");
        println!(
            "{} clauses, {} steps",
            clauses(&asked.dimacs).len(),
            lrat.lines().count()
        );
        assert!(
            asked.dimacs.starts_with("c 1 is "),
            "variables have meanings"
        );
        assert!(shows(&asked.dimacs, &lrat), "{text}");
    }
}

#[test]
fn suites_have_a_refutation_as_long_as_they_are_complete() {
    let (mut complete, mut less) = (0, 0);
    for seed in (0..cases(100)).filter(|seed| small_domain(*seed).is_some()) {
        let text = random_domain(seed);
        let Some(whole) = asked(&text, None, None) else {
            continue;
        };
        let lrat = whole.lrat.expect("a refutation");
        assert!(shows(&whole.dimacs, &lrat), "seed {seed}\n{text}");
        complete += 1;
        // No suite of ours has a test too many.
        if let Some(fewer) = asked(&text, None, Some(0)) {
            assert_eq!(fewer.lrat, None, "seed {seed}\n{text}");
            less += 1;
        }
    }
    println!("{complete} complete, {less} not");
    assert!(complete > 30 && less > 20);
}

#[test]
fn refutations_in_which_something_was_spoiled_are_noticed() {
    let asked = asked(RUNNING, None, None).expect("a domain");
    let lrat = asked.lrat.expect("a refutation");
    let lines: Vec<&str> = lrat.lines().collect();
    let steps = lines.iter().filter(|line| !line.contains(" d "));
    assert!(steps.count() > 3, "{lrat}");
    // Without its end nothing is shown.
    let cut = lines[..lines.len() - 1].join("\n");
    assert!(!shows(&asked.dimacs, &cut));
    // Without one hint: the last step has only necessary ones.
    let last = lines[lines.len() - 1];
    let hints: Vec<&str> = last.split(' ').collect();
    let missing = [&hints[..hints.len() - 2], &["0"]].concat().join(" ");
    assert!(!shows(&asked.dimacs, &format!("{cut}\n{missing}")));
    // A clause of the problem turned round.
    let noticed = (0..clauses(&asked.dimacs).len()).filter(|index| {
        let mut seen = 0;
        let spoiled = asked.dimacs.lines().map(|line| {
            if line.starts_with(['c', 'p']) {
                return line.to_owned();
            }
            seen += 1;
            let numbers = line
                .split(' ')
                .map(|word| word.parse::<i32>().expect("a number"));
            let turned = numbers.map(|lit| if seen == index + 1 { -lit } else { lit });
            turned
                .map(|lit| lit.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        });
        let spoiled = spoiled.collect::<Vec<String>>().join("\n");
        !shows(&spoiled, &lrat)
    });
    assert!(noticed.count() > 10);
}
