//! Runs with many mutants: small files are lines of one archive, from which every command reads them.

use std::collections::BTreeMap;
use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::resume::assert_alike;
use crate::support::{Place, contents, hyperkill, hyperkill_on, verdicts};

const HOTEL: &str = include_str!("../../../../tests/models/uppaal/hotel/model.xml");
/// The maximum number of files of a run with an archive: the documents, and copies of the model's files.
const FILES: usize = 20;

const OPTIONS: [&str; 6] = ["--semantics", "verifytga", "--order", "2", "-q", "-q"];

/// A run of 1,525 mutants.
fn ran() -> Place {
    let place = Place::with("model.xml", HOTEL);
    let (model, out) = (place.arg("model.xml"), place.arg("out"));
    let run = ["run", &model, "-o", &out];
    hyperkill(run.iter().chain(&OPTIONS)).expect(ExitCode::Success);
    place
}

/// The files in the archive: their texts by name. Names are unique.
fn archived(place: &Place, out: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(place.path(&format!("{out}/archive.jsonl"))).unwrap();
    let mut files = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let [file, text] = ["file", "text"].map(|field| line[field].as_str().unwrap().to_owned());
        assert!(files.insert(file.clone(), text).is_none(), "{file}");
    }
    files
}

#[test]
fn a_run_of_very_many_mutants_is_few_files_that_check_and_are_shown() {
    let place = ran();
    let files = contents(&place.path("out"));
    assert!(files.len() < FILES, "{:?}", files.keys());
    let archived = archived(&place, "out");
    let outcomes = place.json("out/outcomes.json");
    let results = outcomes["results"].as_array().unwrap();
    assert_eq!(results.len(), 1_525);
    let mut differences = 0;
    for result in results {
        let id = result["mutant"].as_str().unwrap();
        let certificate = result["certificate"].as_str().unwrap();
        let held: Value = serde_json::from_str(&archived[certificate]).unwrap();
        assert_eq!(held["mutants"][0], id);
        differences += usize::from(archived[&format!("diffs/{id}.diff")].contains("@@"));
    }
    // Two changes may cancel each other.
    assert!((1_400..1_525).contains(&differences), "{differences}");
    let tests = place.json("out/suite.json")["tests"]
        .as_array()
        .unwrap()
        .len();
    let texts = archived.keys().filter(|name| name.starts_with("tests/"));
    assert_eq!(texts.count(), tests);
    let out = place.arg("out");
    let certified = hyperkill(["certify", &out, "--format", "json"]).expect(ExitCode::Success);
    let checked = certified.json()["checked"].clone();
    let count = |what: &str| {
        let mut rows = checked.as_array().unwrap().iter();
        rows.find(|row| row["what"] == what)
            .map(|row| row["count"].as_u64().unwrap())
    };
    assert_eq!(count("equivalent"), Some(1_159), "{checked:#}");
    assert_eq!(count("test"), Some(tests as u64), "{checked:#}");
    // Every mutant has one line in the archive of its difference, which `show` prints.
    let id = results[0]["mutant"].as_str().unwrap();
    let shown = hyperkill(["show", id, &out])
        .expect(ExitCode::Success)
        .text();
    let diff = &archived[&format!("diffs/{id}.diff")];
    assert!(diff.lines().all(|line| shown.contains(line)), "{shown}");
    // The suite belongs to the model. CSV is refused for another reason: it cannot express outputs during a wait.
    let tables = place.arg("tables");
    let refused = hyperkill(["export", &out, "--to", "csv", "-o", &tables]).expect(ExitCode::Usage);
    assert!(
        refused.stderr.contains("this form does not"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_run_of_some_of_these_mutants_writes_its_files_one_by_one() {
    let place = Place::with("model.xml", HOTEL);
    let (model, out) = (place.arg("model.xml"), place.arg("out"));
    let run = ["run", &model, "-o", &out, "--sample", "1000"];
    hyperkill(run.iter().chain(&OPTIONS)).expect(ExitCode::Success);
    assert!(!place.path("out/archive.jsonl").exists());
    assert_eq!(contents(&place.path("out/diffs")).len(), 1_000);
    assert_eq!(contents(&place.path("out/certificates")).len(), 1_000);
}

#[test]
fn an_archive_that_was_changed_does_not_check() {
    let place = ran();
    let (out, path) = (place.arg("out"), place.path("out/archive.jsonl"));
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let certificates: Vec<usize> = (0..lines.len())
        .filter(|&number| lines[number].contains("timed-refinement"))
        .collect();
    let [one, other] = [certificates[3], certificates[700]];
    let joined = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    // A wrong proof, a missing proof, and a truncated line.
    let name = |number: usize| lines[number].split('"').nth(3).unwrap();
    let swapped = lines[one].replace(name(one), name(other));
    let mut without = lines.clone();
    without.remove(one);
    let cut = &text[..text.len() - 2];
    for (what, changed) in [
        ("swapped", format!("{text}{swapped}\n")),
        ("without", joined(&without)),
        ("cut", cut.to_owned()),
    ] {
        fs::write(&path, changed).unwrap();
        let certified = hyperkill(["certify", &out])
            .expect(ExitCode::Evidence)
            .text();
        let said = "archive.jsonl: the file has changed since the run wrote it";
        assert!(certified.contains(said), "{what}: {certified}");
    }
    fs::write(&path, &text).unwrap();
    hyperkill(["certify", &out]).expect(ExitCode::Success);
}

#[test]
fn a_run_whose_archive_was_cut_off_anywhere_goes_on_to_the_same_end() {
    let place = ran();
    let whole = place.path("out");
    let path = place.path("stopped/archive.jsonl");
    let archive = fs::read(whole.join("archive.jsonl")).unwrap();
    let journal = fs::read_to_string(whole.join("journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.lines().collect();
    // A killed process leaves no final documents, and only a prefix of the archive and of the journal.
    for (kept, left) in [(0, 0), (40, 100), (90, 60)] {
        let _ = fs::remove_dir_all(place.path("stopped"));
        for (name, bytes) in contents(&whole) {
            let to = place.path("stopped").join(&name);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            let late = [
                "digests.json",
                "outcomes.json",
                "suite.json",
                "report.html",
                "timings.json",
            ];
            if !late.iter().any(|late| name.ends_with(late)) {
                fs::write(to, bytes).unwrap();
            }
        }
        fs::write(&path, &archive[..archive.len() * kept / 100]).unwrap();
        let entries = &lines[..lines.len() * left / 100];
        let entries = entries.iter().map(|line| format!("{line}\n"));
        fs::write(
            place.path("stopped/journal.jsonl"),
            entries.collect::<String>(),
        )
        .unwrap();
        let mut lock = place.json("out/lock.json");
        lock["state"] = "running".into();
        fs::write(place.path("stopped/lock.json"), lock.to_string()).unwrap();
        let stopped = place.arg("stopped");
        hyperkill(["certify", &stopped]).expect(ExitCode::Usage);
        hyperkill(["resume", &stopped, "-q", "-q"]).expect(ExitCode::Success);
        assert_eq!(
            archived(&place, "stopped"),
            archived(&place, "out"),
            "{kept} {left}"
        );
        hyperkill(["certify", &stopped]).expect(ExitCode::Success);
        // Lines are in the order of their arrival.
        for file in ["archive.jsonl", "digests.json"] {
            fs::copy(whole.join(file), place.path("stopped").join(file)).unwrap();
        }
        assert_alike(&whole, &place.path("stopped"), "stopped");
    }
}

#[test]
fn a_disk_that_gets_full_costs_no_line_of_the_archive() {
    use hyperkill::files::Disk;
    let place = Place::with("model.xml", HOTEL);
    let (model, out) = (place.arg("model.xml"), place.arg("out"));
    let run = ["run", &model, "-o", &out];
    // Differences are written first, then certificates and the journal.
    for room in [900, 2_500] {
        let disk = Disk::with_room_for(room);
        let failed = hyperkill_on(disk, run.iter().chain(&OPTIONS), "");
        assert_ne!(failed.code, ExitCode::Success);
        let archive = fs::read_to_string(place.path("out/archive.jsonl")).unwrap();
        assert!(
            archive.ends_with('\n') && archive.lines().count() > room / 2,
            "{room}"
        );
        for line in archive.lines() {
            serde_json::from_str::<Value>(line).unwrap();
        }
    }
    hyperkill(["resume", &out, "-q", "-q"]).expect(ExitCode::Success);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    assert_eq!(archived(&place, "out").len(), archived(&ran(), "out").len());
}

#[test]
fn parts_with_archives_and_without_are_one_run() {
    let place = ran();
    let model = place.arg("model.xml");
    let mut merge = vec!["merge".to_owned(), "-o".to_owned(), place.arg("merged")];
    for index in 0..2 {
        let (out, shard) = (place.arg(&format!("part{index}")), format!("{index}/2"));
        let run = ["run", &model, "-o", &out, "--shard", &shard];
        hyperkill(run.iter().chain(&OPTIONS)).expect(ExitCode::Success);
        merge.push(out);
    }
    hyperkill(merge).expect(ExitCode::Success);
    assert!(!place.path("part0/archive.jsonl").exists());
    hyperkill(["certify", &place.arg("merged")]).expect(ExitCode::Success);
    let said = |out: &str| verdicts(&place.json(&format!("{out}/outcomes.json")));
    assert_eq!(said("merged"), said("out"));
    let names = |out: &str| archived(&place, out).into_keys().collect::<Vec<_>>();
    assert_eq!(names("merged"), names("out"));
}
