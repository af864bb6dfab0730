//! Random systems decided by plans, compared with undivided runs: same verdicts, valid evidence, suites with the same tests.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use hyperkill::{ExitCode, Io};
use hyperkill_core::aiger::{annotate, write_binary};
use hyperkill_tests::generate::of_any_kind;
use hyperkill_tests::unstructured::cases;
use serde_json::Value;

/// The options of the runs, in turn. Most of them leave mutants to the shards; in such small systems the default engines decide all at
/// once.
const OPTIONS: [&[&str]; 5] = [
    &["--engine", "induction,bmc"],
    &["--engine", "pdr,bmc"],
    &["--engine", "bmc,induction", "--tests", "tree"],
    &[],
    &["--engine", "pdr,bmc", "--bound", "6"],
];

/// Runs a command on files of a folder, asserts that its exit status is one of `codes`, and returns it. Words that begin with `./` are such
/// files.
fn command(folder: &Path, words: &[&str], codes: &[ExitCode]) -> ExitCode {
    let (mut io, captured) = Io::captured("");
    let words = ["hyperkill", "--quiet"].iter().chain(words);
    let words = words.map(|word| match word.strip_prefix("./") {
        Some(name) => folder.join(name).into_os_string(),
        None => OsString::from(word),
    });
    let words: Vec<OsString> = words.collect();
    let code = hyperkill::main(words.clone(), &mut io);
    let said = captured.stdout.text() + &captured.stderr.text();
    assert!(codes.contains(&code), "{words:?}: {code:?}: {said}");
    code
}

fn document(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("a document")
}

/// Returns the mutant, the verdict and the strength of each result.
fn results(folder: &Path) -> Vec<[String; 3]> {
    let outcomes = document(&folder.join("outcomes.json"));
    let results = outcomes["results"].as_array().expect("results");
    let word = |result: &Value, field: &str| result[field].as_str().unwrap_or_default().to_owned();
    results
        .iter()
        .map(|result| ["mutant", "verdict", "strength"].map(|field| word(result, field)))
        .collect()
}

/// Returns descriptions of the differences between two runs, among mutants that both decided.
fn differences(whole: &[[String; 3]], merged: &[[String; 3]]) -> Vec<String> {
    assert_eq!(whole.len(), merged.len(), "mutants are missing");
    let pairs = whole.iter().zip(merged);
    pairs
        .filter(|(one, other)| {
            let decided = one[1] != "unknown" && other[1] != "unknown";
            one[0] != other[0] || (decided && one != other)
        })
        .map(|(one, other)| format!("{one:?} undivided, {other:?} merged"))
        .collect()
}

/// Counts of a test run.
#[derive(Default, Debug)]
struct Counts {
    mutants: usize,
    in_shards: u64,
    shards: usize,
    only_one_decided: usize,
}

fn compare(seed: u64, counts: &mut Counts) {
    // Failures of commands show the name of the folder.
    let named = format!("seed-{seed}-");
    let place = tempfile::Builder::new().prefix(&named).tempdir();
    let place = place.expect("a folder");
    let folder = place.path();
    let model = of_any_kind(seed);
    fs::write(folder.join("model.aig"), write_binary(&annotate(&model))).expect("a file");
    let options = OPTIONS[(seed / 5) as usize % OPTIONS.len()];
    let fine = [ExitCode::Success];
    let with = |words: &[&'static str]| [words, options, &["--accept", "unknown"]].concat();
    // Constraints may leave no run at all.
    let may = [ExitCode::Success, ExitCode::InvalidModel];
    let whole = with(&["run", "./model.aig", "-o", "./whole"]);
    let ended = command(folder, &whole, &may);
    let mut planned = with(&["plan", "./model.aig", "-o", "./plan", "--shards", "3"]);
    let only_divides = seed.is_multiple_of(4);
    if only_divides {
        planned.push("--only-divide");
    }
    command(folder, &planned, &[ended]);
    if ended == ExitCode::InvalidModel {
        return;
    }
    let plan = document(&folder.join("plan/plan.json"));
    let shards = plan["shards"].as_array().expect("shards");
    for (number, shard) in shards.iter().enumerate() {
        counts.in_shards += shard["mutants"].as_u64().expect("a number");
        let number = number.to_string();
        command(
            folder,
            &["run", "--plan", "./plan", "--shard", &number],
            &fine,
        );
    }
    counts.shards += shards.len();
    command(folder, &["merge", "./plan", "-o", "./merged"], &fine);
    command(folder, &["certify", "./merged"], &fine);
    let (mut whole, mut merged) = (
        results(&folder.join("whole")),
        results(&folder.join("merged")),
    );
    if only_divides {
        // Shards do not see that a mutant duplicates one of another shard, and decide it.
        let is_folded = |result: &[String; 3]| result[1] == "duplicate-of";
        let folded = whole.iter().zip(&merged);
        let folded: Vec<bool> = folded.map(|(a, b)| is_folded(a) || is_folded(b)).collect();
        let mut of_whole = folded.iter();
        whole.retain(|_| of_whole.next() == Some(&false));
        let mut of_merged = folded.iter();
        merged.retain(|_| of_merged.next() == Some(&false));
    }
    counts.mutants += whole.len();
    let found = differences(&whole, &merged);
    assert!(found.is_empty(), "seed {seed} with {options:?}: {found:?}");
    let pairs = whole.iter().zip(&merged);
    let only_one = pairs.filter(|(one, other)| (one[1] == "unknown") != (other[1] == "unknown"));
    counts.only_one_decided += only_one.count();
}

fn compare_all(seeds: impl Iterator<Item = u64>) -> Counts {
    let mut counts = Counts::default();
    let mut number = 0;
    for seed in seeds {
        compare(seed, &mut counts);
        number += 1;
    }
    assert!(
        counts.in_shards * 8 > number,
        "too little was left to shards: {counts:?}"
    );
    let few = counts.mutants / 50 + 1;
    assert!(
        counts.only_one_decided <= few,
        "merged runs decide other mutants: {counts:?}"
    );
    counts
}

#[test]
fn merged_shards_of_random_systems_have_the_verdicts_of_undivided_runs() {
    println!("{:?}", compare_all(0..cases(60)));
}

#[test]
#[ignore = "slow tier"]
fn merged_shards_of_many_random_systems_have_the_verdicts_of_undivided_runs() {
    println!("{:?}", compare_all(1_000..1_000 + cases(300)));
}

#[test]
fn another_verdict_of_one_mutant_is_noticed() {
    let of = |verdict: &str| ["m".to_owned(), verdict.to_owned(), String::new()];
    assert_eq!(differences(&[of("killed")], &[of("equivalent")]).len(), 1);
    assert_eq!(differences(&[of("killed")], &[of("killed")]).len(), 0);
    assert_eq!(differences(&[of("killed")], &[of("unknown")]).len(), 0);
}
