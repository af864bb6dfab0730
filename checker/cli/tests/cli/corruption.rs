//! Every change in a run folder is detected: by digests, and with forged digests by the evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hyperkill::ExitCode;
use hyperkill::documents::{Digests, FileDigest, to_text};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::certify::{CONSTRAINED, model, run};
use crate::support::{LOCK, Place, contents, hyperkill};

/// The files that `certify` checks: all but the lock and the log.
pub(crate) fn evidence(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = contents(&place.path("out"));
    files.retain(|name, _| {
        !["lock.json", "log.txt"]
            .iter()
            .any(|other| name == Path::new(other))
    });
    files
}

/// Writes a file, and its new digest into the digests.
pub(crate) fn forge(place: &Place, name: &Path, bytes: &[u8]) {
    fs::write(place.path("out").join(name), bytes).unwrap();
    let path = place.path("out/digests.json");
    let mut digests: Digests = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let digits = Sha256::digest(bytes);
    let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    for listed in &mut digests.files {
        if Path::new(&listed.file) == name {
            listed.digest = format!("sha256:{digits}");
        }
    }
    fs::write(&path, to_text(&digests).unwrap()).unwrap();
}

/// Returns the bytes with one random change: of a bit, a digit, a letter or a bit of a bit string, or without a piece.
fn changed(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let kind = rng.random_range(0..5);
    let wanted = |byte: u8| match kind {
        1 => byte.is_ascii_digit(),
        2 => byte.is_ascii_alphabetic(),
        3 => byte == b'0' || byte == b'1',
        _ => true,
    };
    let places: Vec<usize> = (0..bytes.len()).filter(|&i| wanted(bytes[i])).collect();
    let Some(&at) = places.get(rng.random_range(0..places.len().max(1))) else {
        return changed;
    };
    match kind {
        1 => changed[at] = b'0' + (bytes[at] - b'0' + rng.random_range(1..10u8)) % 10,
        2 => changed[at] = b'a' + (bytes[at].to_ascii_lowercase() - b'a' + 1) % 26,
        3 => changed[at] ^= 1,
        4 => {
            changed.remove(at);
        }
        _ => changed[at] ^= 1 << rng.random_range(0..8),
    }
    changed
}

/// The runs to corrupt. They have kills, closed sets and trees; proofs; constraints.
fn runs() -> Vec<(Place, Vec<String>)> {
    let beverage = Place::with("nothing", "");
    let lock = Place::with("lock.smv", LOCK);
    let constrained = Place::with("x.aag", CONSTRAINED);
    let args = [
        run(&beverage, &model("beverage"), &["--tests", "tree"]),
        run(&lock, &lock.path("lock.smv"), &["--tests", "local"]),
        run(
            &constrained,
            &constrained.path("x.aag"),
            &["--tests", "local"],
        ),
    ];
    [beverage, lock, constrained]
        .into_iter()
        .zip(args)
        .collect()
}

#[test]
fn every_change_of_any_file_is_caught() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut tried = 0;
    for (place, args) in runs() {
        hyperkill(&args).expect(ExitCode::Success);
        let files = evidence(&place);
        let all: Vec<(&PathBuf, &Vec<u8>)> = files.iter().collect();
        for turn in 0..200 {
            // Files are drawn independently of their size. Every fourth turn changes an important document.
            let (name, bytes) = match turn % 4 {
                0 => {
                    let names = [
                        "outcomes.json",
                        "suite.json",
                        "mutants.json",
                        "digests.json",
                    ];
                    let name = Path::new(names[turn / 4 % 4]);
                    files.get_key_value(name).unwrap()
                }
                _ => all[rng.random_range(0..all.len())],
            };
            let spoilt = changed(bytes, &mut rng);
            if spoilt == *bytes {
                continue;
            }
            let path = place.path("out").join(name);
            fs::write(&path, &spoilt).unwrap();
            let ran = hyperkill(&args);
            assert_eq!(ran.code, ExitCode::Evidence, "{}: {ran:?}", name.display());
            fs::write(&path, bytes).unwrap();
            tried += 1;
        }
        for (name, bytes) in files.iter().step_by(5) {
            let path = place.path("out").join(name);
            fs::remove_file(&path).unwrap();
            hyperkill(&args).expect(ExitCode::Evidence);
            fs::write(&path, bytes).unwrap();
        }
        hyperkill(&args).expect(ExitCode::Success);
    }
    println!("{tried} changes, all caught");
    assert!(tried > 500);
}

/// Fields without evidence, or with several equally valid values.
fn is_free(file: &Path, before: &Value, after: &Value) -> bool {
    if before == after {
        return true;
    }
    let name = file.to_string_lossy();
    let free: &[&str] = match &*name {
        "outcomes.json" => &["/seed", "/interrupted"],
        // Here the command line gives the paths of the models.
        "mutants.json" => &["/reading/places"],
        // Another run with the same inputs and outputs is equally valid.
        run if run.ends_with(".run.json") => return true,
        _ => &[],
    };
    let mut masked = [before.clone(), after.clone()];
    for document in &mut masked {
        for pointer in free {
            if let Some(value) = document.pointer_mut(pointer) {
                *value = Value::Null;
            }
        }
        if name == "suite.json" {
            for test in document["tests"].as_array_mut().into_iter().flatten() {
                test["found_by"] = Value::Null;
            }
        }
        // Another proof may be equally valid, for example with one fact more, a deeper induction, or a smaller set.
        if name.starts_with("certificates") {
            document["evidence"] = Value::Null;
        }
    }
    masked[0] == masked[1]
}

#[test]
fn a_change_is_caught_even_if_the_digests_are_forged_unless_the_evidence_still_is_evidence() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let (mut tried, mut harmless) = (0, 0);
    for (place, args) in runs() {
        let files = evidence(&place);
        let digests = &files[Path::new("digests.json")];
        let names: Vec<&PathBuf> = files
            .keys()
            .filter(|name| {
                let name = name.to_string_lossy();
                // Times are not evidence, and no command relies on them.
                name.ends_with(".json") && name != "digests.json" && name != "timings.json"
            })
            .collect();
        // New digests alone change no result.
        for (name, bytes) in files.iter().step_by(20) {
            forge(&place, name, bytes);
        }
        hyperkill(&args).expect(ExitCode::Success);
        for turn in 0..300 {
            let name = match turn % 3 {
                0 => Path::new(["outcomes.json", "suite.json"][turn / 3 % 2]),
                _ => names[rng.random_range(0..names.len())],
            };
            let bytes = &files[name];
            let spoilt = changed(bytes, &mut rng);
            forge(&place, name, &spoilt);
            let ran = hyperkill(&args);
            tried += 1;
            if ran.code == ExitCode::Success {
                let name_shown = name.display();
                let [before, after] = [bytes, &spoilt].map(|bytes| {
                    let value = serde_json::from_slice::<Value>(bytes);
                    value.unwrap_or_else(|error| panic!("{name_shown}: {error}"))
                });
                assert!(
                    is_free(name, &before, &after),
                    "{name_shown} was changed and nobody noticed:\n{}",
                    String::from_utf8_lossy(&spoilt)
                );
                harmless += 1;
            } else {
                // A certificate may demand more work than the time allows, or name an invalid model.
                assert!(
                    matches!(ran.code, ExitCode::Evidence | ExitCode::Undecided),
                    "{}: {ran:?}",
                    name.display()
                );
            }
            fs::write(place.path("out").join(name), bytes).unwrap();
            fs::write(place.path("out/digests.json"), digests).unwrap();
        }
        hyperkill(&args).expect(ExitCode::Success);
    }
    println!("{tried} changes with forged digests, {harmless} of them harmless");
    assert!(tried > 800 && harmless > 0 && harmless < tried / 4);
}

/// Changes a mutant's result in all documents that contain it.
fn forge_result(place: &Place, id: &str, change: impl Fn(&mut Value)) {
    let mut outcomes = place.json("out/outcomes.json");
    for result in outcomes["results"].as_array_mut().unwrap() {
        if result["mutant"] == id {
            change(result);
        }
    }
    let journal = fs::read_to_string(place.path("out/journal.jsonl")).unwrap();
    let lines = journal.lines().map(|line| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        if entry["result"]["mutant"] == id {
            change(&mut entry["result"]);
        }
        format!("{entry}\n")
    });
    let lines: String = lines.collect();
    forge(
        place,
        Path::new("outcomes.json"),
        outcomes.to_string().as_bytes(),
    );
    forge(place, Path::new("journal.jsonl"), lines.as_bytes());
}

#[test]
fn a_verdict_that_is_forged_everywhere_needs_evidence_that_nobody_has() {
    let place = Place::with("nothing", "");
    let args = run(&place, &model("beverage"), &["--tests", "linear"]);
    let files = evidence(&place);
    let outcomes = place.json("out/outcomes.json");
    let results = outcomes["results"].as_array().unwrap();
    let ids = |wanted: &dyn Fn(&Value) -> bool| -> BTreeSet<String> {
        let chosen = results.iter().filter(|result| wanted(result));
        chosen
            .map(|result| result["mutant"].as_str().unwrap().to_owned())
            .collect()
    };
    let restore = || {
        for (name, bytes) in &files {
            fs::write(place.path("out").join(name), bytes).unwrap();
        }
    };
    // A potential kill is claimed to be definite, in its certificate too.
    for id in ids(&|result| result["strength"] == "potential") {
        forge_result(&place, &id, |result| result["strength"] = json!("definite"));
        let name = format!("certificates/{id}.json");
        let mut certificate = place.json(&format!("out/{name}"));
        certificate["evidence"]["kill"]["strength"] = json!("definite");
        forge(&place, Path::new(&name), certificate.to_string().as_bytes());
        let ran = hyperkill(&args).expect(ExitCode::Evidence);
        assert!(
            ran.text().contains("can give the same outputs"),
            "{}",
            ran.text()
        );
        restore();
    }
    // An equivalence is claimed with another mutant's proof.
    let equivalent = ids(&|result| result["verdict"] == "equivalent");
    let killed = ids(&|result| result["verdict"] == "killed");
    let proof = equivalent.first().unwrap();
    for id in killed.iter().take(10) {
        let mut certificate = place.json(&format!("out/certificates/{proof}.json"));
        certificate["mutants"] = json!([id]);
        let name = format!("certificates/{id}.json");
        forge(&place, Path::new(&name), certificate.to_string().as_bytes());
        let claimed = results
            .iter()
            .find(|result| result["mutant"] == *proof)
            .unwrap();
        forge_result(&place, id, |result| {
            *result = claimed.clone();
            result["mutant"] = json!(id);
            result["certificate"] = json!(name);
        });
        let ran = hyperkill(&args).expect(ExitCode::Evidence);
        assert!(ran.text().contains(&name), "{}", ran.text());
        restore();
    }
    // An open result names a proof that belongs to no claim of it.
    for id in equivalent.iter().take(3) {
        forge_result(&place, id, |result| {
            result["verdict"] = json!("unknown");
            result["known_to"] = json!(0);
            result["reason"] = json!("time");
            result.as_object_mut().unwrap().remove("evidence");
        });
        let ran = hyperkill(&args).expect(ExitCode::Evidence);
        assert!(ran.text().contains(&format!("{id}: ")), "{}", ran.text());
        restore();
    }
    // A killed mutant is claimed to be a duplicate.
    let duplicate = ids(&|result| result["verdict"] == "duplicate-of");
    let claimed = results
        .iter()
        .find(|result| Some(&result["mutant"]) == duplicate.first().map(|id| json!(id)).as_ref());
    for id in killed.iter().take(10) {
        let mut claimed = claimed.unwrap().clone();
        claimed["mutant"] = json!(id);
        forge_result(&place, id, |result| *result = claimed.clone());
        let ran = hyperkill(&args).expect(ExitCode::Evidence);
        assert!(ran.text().contains(id.as_str()), "{}", ran.text());
        restore();
    }
    hyperkill(&args).expect(ExitCode::Success);
}

/// Adds a file to the digests of a run: its name there, and its bytes.
fn list(place: &Place, run: &str, name: &str, bytes: &[u8]) {
    let path = place.path(run).join("digests.json");
    let mut digests: Digests = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let digits = Sha256::digest(bytes);
    let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    digests.files.push(FileDigest {
        file: name.to_owned(),
        digest: format!("sha256:{digits}"),
    });
    fs::write(&path, to_text(&digests).unwrap()).unwrap();
}

#[test]
fn names_in_the_documents_of_a_run_lead_to_no_other_folder() {
    let place = Place::with("lock.smv", LOCK);
    let (model, merged) = (place.arg("lock.smv"), place.arg("inner/merged"));
    fs::create_dir(place.path("inner")).unwrap();
    for (part, out) in [("0/2", "first"), ("1/2", "second")] {
        let out = place.arg(out);
        hyperkill(["run", &model, "-o", &out, "--shard", part]).expect(ExitCode::Success);
    }
    let certificates = fs::read_dir(place.path("first/certificates")).unwrap();
    let names = certificates.map(|entry| entry.unwrap().path());
    let certificate = names.filter(|path| path.to_string_lossy().contains("/m-"));
    let bytes = fs::read(certificate.min().unwrap()).unwrap();
    // A reader of `first` would find the file in the folder above, and a writer of `inner/merged` would write it into `inner`.
    let name = "certificates/../../beside.json";
    fs::write(place.path("beside.json"), &bytes).unwrap();
    list(&place, "first", name, &bytes);
    let ran = hyperkill(["certify", &place.arg("first")]).expect(ExitCode::Evidence);
    assert!(ran.text().contains("leads out of the folder"), "{ran:?}");
    let parts = [place.arg("first"), place.arg("second")];
    let ran = hyperkill(["merge", &parts[0], &parts[1], "-o", &merged]);
    let ran = ran.expect(ExitCode::Usage);
    assert!(ran.stderr.contains("not in the folder"), "{ran:?}");
    assert!(!place.path("inner/beside.json").exists());
}
