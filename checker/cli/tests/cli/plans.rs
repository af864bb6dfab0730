//! `plan`, `run --plan`, `merge`, `status` and `submit`: a run that is divided into shards equals the undivided run.

use std::fs;
use std::path::Path;

use hyperkill::ExitCode;
use hyperkill::files::Disk;
use serde_json::Value;

use crate::formats::conforms;
use crate::support::{DRINKS, LOCK, Place, Ran, SLOW, TOGGLE, hyperkill, hyperkill_on, verdicts};

/// A model of two timed processes. One of them is tested.
fn lamp() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/models/uppaal/lamp/model.xml"
    );
    fs::read_to_string(path).unwrap()
}

fn verilog(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/verilog");
    fs::read_to_string(path.join(name).join("model.v")).unwrap()
}

/// Plans a run of the model in the folder `plan`.
fn plan(place: &Place, name: &str, shards: usize, options: &[&str]) -> Ran {
    let (model, out, shards) = (place.arg(name), place.arg("plan"), shards.to_string());
    let plan = ["plan", &model, "-o", &out, "--shards", &shards];
    hyperkill(plan.iter().chain(options))
}

fn shards(place: &Place) -> usize {
    place.json("plan/plan.json")["shards"]
        .as_array()
        .unwrap()
        .len()
}

fn run(place: &Place, shard: usize, options: &[&str]) -> Ran {
    let (dir, shard) = (place.arg("plan"), shard.to_string());
    let run = ["run", "--plan", &dir, "--shard", &shard];
    hyperkill(run.iter().chain(options))
}

fn run_all(place: &Place) {
    for shard in 0..shards(place) {
        run(place, shard, &[]).expect(ExitCode::Success);
    }
}

fn merge(place: &Place, options: &[&str]) -> Ran {
    let (dir, out) = (place.arg("plan"), place.arg("merged"));
    let merge = ["merge", &dir, "-o", &out];
    hyperkill(merge.iter().chain(options))
}

/// Verdict and strength of every decided result of a document.
fn settled(document: &Value) -> Vec<String> {
    let results = document["results"].as_array().unwrap().iter();
    let settled = results.filter(|result| result["verdict"] != "unknown");
    settled
        .map(|result| {
            format!(
                "{} {} {}",
                result["mutant"], result["verdict"], result["strength"]
            )
        })
        .collect()
}

#[test]
fn the_shards_of_a_plan_are_one_run_whose_verdicts_are_those_of_an_undivided_one() {
    let models: [(&str, String, usize, &[&str]); 7] = [
        (
            "lock.smv",
            LOCK.to_owned(),
            2,
            &["--engine", "induction,bmc"],
        ),
        ("drinks.smv", DRINKS.to_owned(), 4, &["--tests", "tree"]),
        (
            "drinks.smv",
            DRINKS.to_owned(),
            3,
            &["--sample", "20", "--seed", "3"],
        ),
        (
            "toggle.aag",
            TOGGLE.to_owned(),
            2,
            &["--engine", "bmc,induction"],
        ),
        (
            "model.v",
            verilog("traffic-light"),
            3,
            &["--engine", "pdr,bmc"],
        ),
        ("model.v", verilog("fifo"), 3, &["--sample", "40"]),
        ("model.xml", lamp(), 3, &[]),
    ];
    let mut divided = 0;
    for (name, text, count, options) in models {
        let place = Place::with(name, text);
        let (model, whole) = (place.arg(name), place.arg("whole"));
        let words = ["run", &model, "-o", &whole, "--accept", "unknown"];
        hyperkill(words.iter().chain(options)).expect(ExitCode::Success);
        let options = [options, &["--accept", "unknown"]].concat();
        plan(&place, name, count, &options).expect(ExitCode::Success);
        divided += shards(&place);
        // In another place, without the model.
        fs::remove_file(place.path(name)).unwrap();
        fs::rename(place.path("plan"), place.path("elsewhere")).unwrap();
        fs::rename(place.path("elsewhere"), place.path("plan")).unwrap();
        run_all(&place);
        merge(&place, &[]).expect(ExitCode::Success);
        hyperkill(["certify", &place.arg("merged")]).expect(ExitCode::Success);
        let expected = settled(&place.json("whole/outcomes.json"));
        assert_eq!(
            settled(&place.json("merged/outcomes.json")),
            expected,
            "{name} {options:?}"
        );
        let [one, other] = ["merged/mutants.json", "whole/mutants.json"];
        assert_eq!(place.json(one), place.json(other), "{name}");
        let [one, other] = ["merged/asked.json", "whole/asked.json"];
        assert_eq!(place.json(one), place.json(other), "{name}");
        // The merged run supports the commands of a run.
        for command in ["status", "show", "resume"] {
            let ran = hyperkill([command, &place.arg("merged")]);
            assert_eq!(ran.code, ExitCode::Success, "{command}: {ran:?}");
        }
        // The run of each shard does, too.
        for shard in 0..shards(&place) {
            let shard = shard.to_string();
            hyperkill(["certify", &place.arg("plan"), "--shard", &shard]).expect(ExitCode::Success);
        }
        let ran = hyperkill(["certify", &place.arg("plan")]).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("--shard K"), "{ran:?}");
    }
    assert!(divided >= 12, "{divided} shards");
}

#[test]
fn a_shard_is_decided_once_and_nothing_foreign_is_merged() {
    let place = Place::with("lock.smv", LOCK);
    plan(&place, "lock.smv", 3, &["--engine", "bmc,induction"]).expect(ExitCode::Success);
    let refused = |ran: Ran, code: ExitCode, texts: &[&str]| {
        let ran = ran.expect(code);
        for text in texts {
            assert!(ran.stderr.contains(text), "{text}: {ran:?}");
        }
    };
    let usage = ExitCode::Usage;
    assert_eq!(shards(&place), 3);
    refused(
        plan(&place, "lock.smv", 3, &[]),
        usage,
        &["has a plan already"],
    );
    refused(
        merge(&place, &[]),
        usage,
        &["shards 0, 1, 2 are not decided", "--shard 0"],
    );
    refused(run(&place, 3, &[]), usage, &["from 0 to 2"]);
    refused(
        run(&place, 0, &["--bound", "7"]),
        usage,
        &["--bound=7", "options of its plan"],
    );
    refused(
        run(&place, 0, &["-D", "last=2"]),
        usage,
        &["read as its plan was"],
    );
    refused(
        hyperkill(["run", &place.arg("lock.smv"), "--shard", "1"]),
        usage,
        &["plan or the number of parts", "--shard 1/N"],
    );
    // A part with the number of parts is a shard, too.
    let dir = place.arg("plan");
    hyperkill(["run", "--plan", &dir, "--shard", "0/3"]).expect(ExitCode::Success);
    refused(
        hyperkill(["run", "--plan", &dir, "--shard", "0/4"]),
        usage,
        &["3 shards"],
    );
    let attempts = || fs::read_dir(place.path("plan/shard-0")).unwrap().count();
    let before = attempts();
    let again = run(&place, 0, &[]).expect(ExitCode::Success);
    assert!(
        again.stderr.contains("shard 0") && again.stderr.contains("is done"),
        "{again:?}"
    );
    assert_eq!(attempts(), before, "a finished shard was decided again");
    refused(merge(&place, &[]), usage, &["shards 1, 2 are not decided"]);
    run_all(&place);
    // The document belongs to another plan.
    let done = place.path("plan/shard-1/done.json");
    let text = fs::read_to_string(&done).unwrap();
    let hash = place.json("plan/plan.json")["hash"]
        .as_str()
        .unwrap()
        .to_owned();
    fs::write(&done, text.replace(&hash, &hash.replace('1', "2"))).unwrap();
    refused(merge(&place, &[]), usage, &["of another plan"]);
    // The attempt belongs to another shard.
    let other = fs::read_to_string(place.path("plan/shard-2/done.json")).unwrap();
    let attempt = serde_json::from_str::<Value>(&other).unwrap()["attempt"].clone();
    let attempt = attempt.as_str().unwrap();
    let mine = serde_json::from_str::<Value>(&text).unwrap()["attempt"].clone();
    fs::write(&done, text.replace(mine.as_str().unwrap(), attempt)).unwrap();
    let from = place.path("plan/shard-2").join(attempt);
    let to = place.path("plan/shard-1").join(attempt);
    fs::rename(&from, &to).unwrap();
    fs::create_dir(&from).unwrap();
    refused(merge(&place, &[]), usage, &[]);
    fs::remove_dir(&from).unwrap();
    fs::rename(&to, &from).unwrap();
    fs::write(&done, &text).unwrap();
    // A changed certificate, a changed shard file, and a changed plan.
    let shard = place.path("plan/shards/1.aig");
    let bytes = fs::read(&shard).unwrap();
    fs::write(&shard, [&bytes[..], b"\n"].concat()).unwrap();
    refused(
        merge(&place, &[]),
        ExitCode::Evidence,
        &["1.aig is not as the plan wrote it"],
    );
    fs::write(&shard, bytes).unwrap();
    let document = place.path("plan/plan.json");
    let written = fs::read_to_string(&document).unwrap();
    fs::write(&document, written.replace("\"mutants\"", " \"mutants\"")).unwrap();
    merge(&place, &[]).expect(ExitCode::Success);
    let changed = written.replacen("\"seconds\": ", "\"seconds\": 1", 1);
    assert_ne!(changed, written);
    fs::write(&document, changed).unwrap();
    refused(
        merge(&place, &[]),
        usage,
        &["is not as `hyperkill plan` wrote it"],
    );
    let version = env!("CARGO_PKG_VERSION");
    fs::write(
        &document,
        written.replace(
            &format!("\"version\": \"{version}\""),
            "\"version\": \"9.9.9\"",
        ),
    )
    .unwrap();
    refused(merge(&place, &[]), usage, &["made by hyperkill 9.9.9"]);
    fs::write(&document, written).unwrap();
    merge(&place, &[]).expect(ExitCode::Success);
}

/// Leaves a shard in the state of a killed process: with this number of journal lines, and half of a further one.
fn killed_after(place: &Place, shard: usize, lines: usize) {
    let folder = place.path(&format!("plan/shard-{shard}"));
    let done = place.json(&format!("plan/shard-{shard}/done.json"));
    fs::remove_file(folder.join("done.json")).unwrap();
    let attempt = folder.join(done["attempt"].as_str().unwrap());
    for written in [
        "outcomes.json",
        "suite.json",
        "timings.json",
        "report.html",
        "digests.json",
    ] {
        fs::remove_file(attempt.join(written)).unwrap();
    }
    let journal = fs::read_to_string(attempt.join("journal.jsonl")).unwrap();
    let kept: String = journal.split_inclusive('\n').take(lines).collect();
    fs::write(attempt.join("journal.jsonl"), kept + "{\"result\":{\"mut").unwrap();
    let lock = fs::read_to_string(attempt.join("lock.json")).unwrap();
    fs::write(
        attempt.join("lock.json"),
        lock.replace("finished", "running"),
    )
    .unwrap();
}

#[test]
fn an_attempt_goes_on_where_the_one_before_was_killed() {
    let engines: &[&str] = &["--engine", "bmc,induction"];
    let models = [
        ("lock.smv", LOCK.to_owned(), engines),
        ("model.xml", lamp(), &[]),
    ];
    for (name, text, options) in models {
        let place = Place::with(name, text);
        plan(&place, name, 2, options).expect(ExitCode::Success);
        run_all(&place);
        merge(&place, &[]).expect(ExitCode::Success);
        let whole = settled(&place.json("merged/outcomes.json"));
        killed_after(&place, 0, 2);
        let status = hyperkill(["status", &place.arg("plan"), "--format", "json"]).json();
        assert_eq!(status["shards"][0]["state"], "stopped", "{status:#}");
        assert_eq!(status["shards"][0]["decided"], 2, "{status:#}");
        assert_eq!(status["shards"][1]["state"], "done", "{status:#}");
        // Two machines may take the same shard.
        let attempts = std::thread::scope(|scope| {
            let attempts = [(); 2].map(|()| scope.spawn(|| run(&place, 0, &[])));
            attempts.map(|attempt| attempt.join().unwrap())
        });
        let goes_on = |ran: &Ran| ran.stderr.contains("2 mutants decided before");
        assert!(attempts.iter().any(goes_on), "{attempts:?}");
        assert!(
            attempts.iter().all(|ran| ran.code == ExitCode::Success),
            "{attempts:?}"
        );
        merge(&place, &[]).expect(ExitCode::Success);
        hyperkill(["certify", &place.arg("merged")]).expect(ExitCode::Success);
        assert_eq!(settled(&place.json("merged/outcomes.json")), whole);
    }
}

#[test]
fn a_full_disk_in_one_shard_loses_nothing() {
    let place = Place::with("lock.smv", LOCK);
    plan(&place, "lock.smv", 2, &["--engine", "bmc,induction"]).expect(ExitCode::Success);
    let dir = place.arg("plan");
    let mut failed = 0;
    for room in (1..200).step_by(7) {
        let args = ["run", "--plan", &dir, "--shard", "0"];
        let ran = hyperkill_on(Disk::with_room_for(room), args, "");
        if ran.code == ExitCode::Success {
            break;
        }
        failed += 1;
        assert!(
            !place.path("plan/shard-0/done.json").exists(),
            "{room} {ran:?}"
        );
    }
    assert!(failed > 3, "{failed}");
    run_all(&place);
    merge(&place, &[]).expect(ExitCode::Success);
    hyperkill(["certify", &place.arg("merged")]).expect(ExitCode::Success);
}

#[test]
fn a_shard_whose_time_is_over_is_not_done_and_a_partial_merge_says_so() {
    let place = Place::with("slow.smv", SLOW);
    plan(&place, "slow.smv", 1, &[]).expect(ExitCode::Success);
    assert_eq!(shards(&place), 1);
    for time in ["1ms", "500ms"] {
        let ran = run(&place, 0, &["--total-timeout", time]).expect(ExitCode::Interrupted);
        assert!(!place.path("plan/shard-0/done.json").exists(), "{ran:?}");
    }
    let whole = merge(&place, &[]).expect(ExitCode::Usage);
    assert!(whole.stderr.contains("--partial"), "{whole:?}");
    merge(&place, &["--partial"]).expect(ExitCode::Undecided);
    let outcomes = place.json("merged/outcomes.json");
    let results = outcomes["results"].as_array().unwrap();
    let missing = results
        .iter()
        .filter(|result| result["reason"] == "missing");
    let decided = place.json("plan/plan.json")["decided"].as_u64().unwrap();
    let left = results.len() as u64 - decided;
    assert!(missing.count() as u64 <= left && left > 0, "{outcomes:#}");
    let open = results
        .iter()
        .filter(|result| result["verdict"] == "unknown");
    assert!(open.count() > 0, "{outcomes:#}");
    hyperkill(["certify", &place.arg("merged")]).expect(ExitCode::Success);
    assert_eq!(verdicts(&outcomes).len(), results.len());
}

#[test]
fn a_plan_that_was_stopped_is_gone_on_with_by_the_same_command() {
    let place = Place::with("lock.smv", LOCK);
    plan(
        &place,
        "lock.smv",
        2,
        &["--engine", "simulation,bmc,induction"],
    )
    .expect(ExitCode::Success);
    let whole = place.json("plan/plan.json");
    fs::remove_file(place.path("plan/plan.json")).unwrap();
    let base = place.path("plan/base");
    for written in [
        "outcomes.json",
        "suite.json",
        "timings.json",
        "report.html",
        "digests.json",
    ] {
        fs::remove_file(base.join(written)).unwrap();
    }
    let journal = fs::read_to_string(base.join("journal.jsonl")).unwrap();
    let lines = journal.lines().count();
    let kept: String = journal.split_inclusive('\n').take(lines / 2).collect();
    fs::write(base.join("journal.jsonl"), kept).unwrap();
    let other = plan(&place, "lock.smv", 2, &["--bound", "9"]).expect(ExitCode::Usage);
    assert!(other.stderr.contains("other options"), "{other:?}");
    let again = plan(
        &place,
        "lock.smv",
        2,
        &["--engine", "simulation,bmc,induction"],
    );
    let again = again.expect(ExitCode::Success);
    assert!(again.stderr.contains("decided before"), "{again:?}");
    assert_eq!(place.json("plan/plan.json"), whole);
}

#[test]
fn job_files_name_every_shard_and_shells_can_read_them() {
    let place = Place::with("lock.smv", LOCK);
    let dir = place.arg("plan");
    plan(&place, "lock.smv", 3, &["--engine", "bmc,induction"]).expect(ExitCode::Success);
    let submit = |to: &str, more: &[&str]| {
        let submit = ["submit", &dir, "--to", to, "--memory", "2G"];
        hyperkill(submit.iter().chain(more))
    };
    for (to, files) in [
        (
            "slurm",
            &["slurm.sh", "slurm-merge.sh", "slurm-start.sh"][..],
        ),
        ("hyperqueue", &["hyperqueue.sh"]),
        ("parallel", &["parallel.sh"]),
        (
            "kubernetes",
            &[
                "kubernetes.yaml",
                "kubernetes-merge.yaml",
                "kubernetes-start.sh",
            ],
        ),
    ] {
        let ran = submit(to, &["--at-once", "2", "--time", "1h"]).expect(ExitCode::Success);
        assert!(ran.text().contains("submit/"), "{ran:?}");
        for file in files {
            let path = place.path("plan/submit").join(file);
            let text = fs::read_to_string(&path).unwrap();
            assert!(
                !text.contains("{plan}") && !text.contains("{seconds}"),
                "{text}"
            );
            if file.ends_with(".sh") {
                let checked = std::process::Command::new("sh")
                    .arg("-n")
                    .arg(&path)
                    .status();
                assert!(checked.unwrap().success(), "{text}");
            }
        }
    }
    let slurm = fs::read_to_string(place.path("plan/submit/slurm.sh")).unwrap();
    for line in [
        "--array=0-2%2",
        "--time=60",
        "--mem=2048M",
        "--total-timeout 3480s",
    ] {
        assert!(slurm.contains(line), "{line}: {slurm}");
    }
    let matrix = submit("matrix", &[]).expect(ExitCode::Success).json();
    assert_eq!(matrix, serde_json::json!({ "shard": [0, 1, 2] }));
    fs::write(
        place.path("own.sh"),
        "{hyperkill} run --plan {plan} in {seconds}s {what}\n",
    )
    .unwrap();
    let own = ["--template", &place.arg("own.sh")];
    let ran = submit("parallel", &own).expect(ExitCode::Usage);
    assert!(
        ran.stderr.contains("{what}") && ran.stderr.contains("{plan}"),
        "{ran:?}"
    );
    let ran = submit("kubernetes", &["--start"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("yours"), "{ran:?}");
    let ran = submit("slurm", &["--time", "1min"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("two minutes"), "{ran:?}");
}

#[test]
fn documents_of_plans_are_as_their_schemas_say() {
    let place = Place::with("lock.smv", LOCK);
    plan(&place, "lock.smv", 2, &["--engine", "bmc,induction"]).expect(ExitCode::Success);
    run(&place, 1, &[]).expect(ExitCode::Success);
    let status = hyperkill(["status", &place.arg("plan"), "--format", "json"]).json();
    let done = place.json("plan/shard-1/done.json");
    let documents = [
        ("plan", place.json("plan/plan.json")),
        ("shard", done),
        ("plan-status", status),
    ];
    for (name, document) in documents {
        let schema = hyperkill(["schema", name]).expect(ExitCode::Success).json();
        conforms(&document, &schema, &schema, name);
    }
    let text = hyperkill(["status", &place.arg("plan")])
        .expect(ExitCode::Success)
        .text();
    assert!(
        text.contains("waiting") && text.contains("1 of 2 shards done"),
        "{text}"
    );
}

#[test]
fn an_earlier_run_says_what_mutants_cost() {
    let place = Place::with("lock.smv", LOCK);
    let (model, out) = (place.arg("lock.smv"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    plan(
        &place,
        "lock.smv",
        2,
        &["--engine", "bmc,induction", "--costs", &out],
    )
    .expect(ExitCode::Success);
    let plan = place.json("plan/plan.json");
    assert_eq!(plan["estimate"]["by"], "timings");
    assert!(plan["estimate"]["error"].is_f64(), "{plan:#}");
}

#[test]
fn a_suite_that_is_complete_for_a_domain_is_not_divided() {
    let place = Place::with("door.tfsm", crate::timed::DOOR);
    let ran = plan(&place, "door.tfsm", 2, &[]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("domain of faults"), "{ran:?}");
    assert!(!place.path("plan").exists(), "{ran:?}");
}
