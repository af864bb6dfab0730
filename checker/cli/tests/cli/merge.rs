//! `merge`: joins the parts of a run, which were decided separately.

use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{DRINKS, LOCK, Place, Ran, contents, hyperkill, verdicts};
use crate::timed::DOOR;

/// Runs all parts of a model into `part0`, `part1` and so on.
fn parts(place: &Place, name: &str, count: usize, options: &[&str]) -> Vec<String> {
    let model = place.arg(name);
    let parts = (0..count).map(|index| {
        let (out, shard) = (
            place.arg(&format!("part{index}")),
            format!("{index}/{count}"),
        );
        let run = [
            "run", &model, "-o", &out, "--shard", &shard, "--accept", "unknown",
        ];
        hyperkill(run.iter().chain(options)).expect(ExitCode::Success);
        out
    });
    parts.collect()
}

fn merged(place: &Place, parts: &[String]) -> Ran {
    let out = place.arg("merged");
    let merge = ["merge", "-o", &out].map(str::to_owned);
    hyperkill(merge.iter().chain(parts))
}

#[test]
fn the_parts_of_a_run_are_one_run_whose_evidence_checks() {
    let kinds: [(&str, &str, usize, &[&str]); 4] = [
        ("lock.smv", LOCK, 3, &["--tests", "local"]),
        ("drinks.smv", DRINKS, 4, &["--tests", "tree"]),
        (
            "drinks.smv",
            DRINKS,
            2,
            &["--sample", "20", "--seed", "3", "--no-minimise"],
        ),
        ("door.tfsm", DOOR, 2, &[]),
    ];
    for (name, text, count, options) in kinds {
        let place = Place::with(name, text);
        let (model, whole) = (place.arg(name), place.arg("whole"));
        let run = ["run", &model, "-o", &whole, "--accept", "unknown"];
        hyperkill(run.iter().chain(options)).expect(ExitCode::Success);
        let mut parts = parts(&place, name, count, options);
        // In any order, and without the model.
        parts.reverse();
        fs::remove_file(place.path(name)).unwrap();
        merged(&place, &parts).expect(ExitCode::Success);
        hyperkill(["certify", &place.arg("merged")]).expect(ExitCode::Success);
        let expected = verdicts(&place.json("whole/outcomes.json"));
        let found = verdicts(&place.json("merged/outcomes.json"));
        assert_eq!(found, expected, "{name}");
        assert_eq!(
            place.json("merged/mutants.json"),
            place.json("whole/mutants.json")
        );
        assert_eq!(
            place.json("merged/asked.json"),
            place.json("whole/asked.json")
        );
        // A second merge over the result gives the same.
        let before = contents(&place.path("merged"));
        merged(&place, &parts).expect(ExitCode::Success);
        let after = contents(&place.path("merged"));
        assert!(before.keys().eq(after.keys()));
        for document in ["outcomes.json", "suite.json"] {
            let document = std::path::Path::new(document);
            assert!(before[document] == after[document]);
        }
        hyperkill(["resume", &place.arg("merged")]).expect(ExitCode::Success);
    }
}

#[test]
fn parts_that_overlap_or_are_missing_or_of_another_run_are_refused_and_nothing_is_written() {
    let place = Place::with("lock.smv", LOCK);
    let model = place.arg("lock.smv");
    let parts = parts(&place, "lock.smv", 3, &[]);
    let other = |name: &str, options: &[&str]| {
        let out = place.arg(name);
        let run = ["run", &model, "-o", &out, "--accept", "unknown"];
        hyperkill(run.iter().chain(options)).expect(ExitCode::Success);
        out
    };
    let again = other("again", &["--shard", "1/3"]);
    let half = other("half", &["--shard", "1/2"]);
    let bounded = other("bounded", &["--shard", "1/3", "--bound", "9"]);
    let defined = other("defined", &["--shard", "1/3", "-D", "last=2"]);
    let sampled = other("sampled", &["--shard", "1/3", "--exclude", "LCR"]);
    let whole = other("whole", &[]);
    let refused = |parts: &[&String], said: &[&str], code: ExitCode| {
        let parts: Vec<String> = parts.iter().map(|&part| part.clone()).collect();
        let ran = merged(&place, &parts).expect(code);
        for text in said {
            assert!(ran.stderr.contains(text), "{text}: {ran:?}");
        }
        assert!(!place.path("merged").exists());
    };
    let [zero, one, two] = [&parts[0], &parts[1], &parts[2]];
    let usage = ExitCode::Usage;
    refused(&[zero, two], &["missing: --shard 1/3"], usage);
    refused(&[one], &["missing: --shard 0/3, 2/3"], usage);
    refused(&[zero, one, two, &again], &["are the same part"], usage);
    refused(&[zero, one, one, two], &["are the same part"], usage);
    refused(&[zero, &half, two], &["overlap"], usage);
    let foreign = "are no parts of one run";
    refused(&[zero, &bounded, two], &[foreign, "their options"], usage);
    refused(&[zero, &defined, two], &[foreign, "their models"], usage);
    refused(&[zero, &sampled, two], &[foreign, "their options"], usage);
    refused(&[&whole], &["made without --shard"], usage);
    refused(&[&place.arg("nowhere")], &["is not a run folder"], usage);
    // A part is not allowed as the output.
    let merge = ["merge", zero, one, two, "-o", two];
    let ran = hyperkill(merge).expect(usage);
    assert!(ran.stderr.contains("is one of the parts"), "{ran:?}");
    // A part is not finished.
    let lock = fs::read_to_string(place.path("part2/lock.json")).unwrap();
    fs::write(
        place.path("part2/lock.json"),
        lock.replace("finished", "interrupted"),
    )
    .unwrap();
    refused(
        &[zero, one, two],
        &["is not finished", "hyperkill resume"],
        usage,
    );
    fs::write(place.path("part2/lock.json"), lock).unwrap();
    // A part was changed.
    for name in ["journal.jsonl", "mutants.json", "asked.json"] {
        let path = place.path("part2").join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, [&bytes[..], b"\n"].concat()).unwrap();
        refused(&[zero, one, two], &[name], ExitCode::Evidence);
        fs::write(&path, bytes).unwrap();
    }
    let certificates = contents(&place.path("part2/certificates"));
    let (name, bytes) = certificates.iter().next().unwrap();
    let path = place.path("part2/certificates").join(name);
    fs::write(&path, b"{}").unwrap();
    refused(&[zero, one, two], &["certificates"], ExitCode::Evidence);
    fs::write(&path, bytes).unwrap();
    merged(&place, &parts).expect(ExitCode::Success);
    let document: Value = place.json("merged/asked.json");
    let options = document["options"].to_string();
    assert!(!options.contains("--shard"), "{options}");
}
