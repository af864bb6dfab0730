//! The life of a run in every language, with each procedure: a model is run, explained, stopped, killed, resumed, planned, divided,
//! merged, scored and edited. Its evidence is checked each time.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use hyperkill::ExitCode;
use hyperkill::files::Disk;
use serde_json::Value;

use crate::resume::{assert_alike, is_too_early};
use crate::support::{DRINKS, LOCK, Place, TOGGLE, contents, hyperkill, hyperkill_on, verdicts};
use crate::timed::DOOR;

/// A model, with the abilities of its language.
struct Life {
    file: &'static str,
    text: &'static str,
    options: &'static [&'static str],
    /// An edit that keeps the meaning: a text and its replacement.
    edit: [&'static str; 2],
    /// Whether suites are scored, which needs a circuit.
    is_scored: bool,
    /// Whether a plan cuts a run into shards, which a suite for a whole domain of faults does not allow.
    is_planned: bool,
}

const LIVES: [Life; 8] = [
    Life {
        file: "lock.smv",
        text: LOCK,
        options: &[],
        edit: ["ASSIGN", "-- edited\nASSIGN"],
        is_scored: true,
        is_planned: true,
    },
    Life {
        file: "drinks.smv",
        text: DRINKS,
        options: &["--tests", "local"],
        edit: ["ASSIGN", "-- edited\nASSIGN"],
        is_scored: true,
        is_planned: true,
    },
    Life {
        file: "toggle.aag",
        text: TOGGLE,
        options: &["--nd", "mood"],
        edit: ["o1 never\n", "o1 never\nc\nedited\n"],
        is_scored: true,
        is_planned: true,
    },
    Life {
        file: "lock.v",
        text: include_str!("../../../../tests/models/verilog/handshake/model.v"),
        options: &[],
        edit: ["endmodule", "// edited\nendmodule"],
        is_scored: true,
        is_planned: true,
    },
    Life {
        file: "figure.efsm",
        text: include_str!("../../../../tests/models/efsm/figure-1a.efsm"),
        options: &[],
        edit: ["location", "// edited\nlocation"],
        is_scored: true,
        is_planned: true,
    },
    Life {
        file: "till.as",
        text: include_str!("../../../../tests/models/action-system/token-ring/model.as"),
        options: &[],
        edit: ["type(", "% edited\ntype("],
        is_scored: true,
        is_planned: true,
    },
    Life {
        file: "door.tfsm",
        text: DOOR,
        options: &[],
        edit: ["machine", "// edited\nmachine"],
        is_scored: false,
        is_planned: false,
    },
    Life {
        file: "lamp.xml",
        text: include_str!("../../../../tests/models/uppaal/lamp/model.xml"),
        options: &[],
        edit: ["</nta>", "<!-- edited --></nta>"],
        is_scored: false,
        is_planned: true,
    },
];

impl Life {
    /// Runs the model into a folder.
    fn run(&self, place: &Place, out: &str, more: &[&str]) {
        hyperkill(self.words(place, out, more)).expect(ExitCode::Success);
    }

    fn words(&self, place: &Place, out: &str, more: &[&str]) -> Vec<String> {
        let (model, out) = (place.arg(self.file), place.arg(out));
        let run = ["run", &model, "-o", &out, "--accept", "unknown"];
        let words = run.iter().chain(self.options).chain(more);
        words.map(|&word| word.to_owned()).collect()
    }

    /// Returns the number of stopped runs whose tests can be exported.
    fn stopped_and_resumed(&self, place: &Place) -> usize {
        let (mut stopped, mut exported) = (0, 0);
        for room in [24, 60, 150] {
            let run = self.words(place, "out", &["--force"]);
            let ran = hyperkill_on(Disk::with_room_for(room), run, "");
            if ran.code == ExitCode::Success {
                break;
            }
            stopped += 1;
            exported += usize::from(self.exports_what_it_has(place));
            hyperkill(["resume", &place.arg("out")]).expect(ExitCode::Success);
            let what = format!("{} after {room} writes", self.file);
            assert_alike(&place.path("whole"), &place.path("out"), &what);
        }
        assert!(stopped > 0, "{}", self.file);
        exported
    }

    /// Whether the tests of a stopped run can be exported. The export changes no file of its folder.
    fn exports_what_it_has(&self, place: &Place) -> bool {
        let before = contents(&place.path("out"));
        let tests = place.arg("so-far");
        let ran = hyperkill(["export", &place.arg("out"), "--to", "csv", "-o", &tests]);
        assert_eq!(contents(&place.path("out")), before, "{}", self.file);
        if ran.code == ExitCode::Success {
            assert!(ran.stderr.contains("has no suite"), "{ran:?}");
        }
        ran.code == ExitCode::Success
    }

    /// Ends the process of a run when the first mutants are decided, as `kill -9` does, and goes on with the run. Returns whether the
    /// process had not come to its end.
    fn killed_and_resumed(&self, place: &Place) -> bool {
        let run = self.words(place, "out", &["--force", "--jobs", "1"]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_hyperkill"));
        command.args(run).stdin(Stdio::null()).stdout(Stdio::null());
        let mut process = command.stderr(Stdio::null()).spawn().unwrap();
        let journal = place.path("out/journal.jsonl");
        let has_begun = || fs::read(&journal).is_ok_and(|lines| lines.contains(&b'\n'));
        while !has_begun() && process.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // It may have ended by now.
        let _ = process.kill();
        let was_killed = !process.wait().unwrap().success();
        hyperkill(["resume", &place.arg("out")]).expect(ExitCode::Success);
        let what = format!("{} after kill -9", self.file);
        assert_alike(&place.path("whole"), &place.path("out"), &what);
        was_killed
    }

    /// A plan makes shards, each shard is a run of its own, and these become one run.
    fn planned(&self, place: &Place) {
        let (model, plan) = (place.arg(self.file), place.arg("plan"));
        let words = [
            "plan", &model, "-o", &plan, "--shards", "2", "--accept", "unknown",
        ];
        let ran = hyperkill(words.iter().chain(self.options));
        if !self.is_planned {
            ran.expect(ExitCode::Usage);
            return;
        }
        ran.expect(ExitCode::Success);
        let shards = place.json("plan/plan.json")["shards"].clone();
        for shard in 0..shards.as_array().unwrap().len() {
            let shard = shard.to_string();
            hyperkill(["run", "--plan", &plan, "--shard", &shard]).expect(ExitCode::Success);
        }
        let joined = place.arg("joined");
        hyperkill(["merge", &plan, "-o", &joined]).expect(ExitCode::Success);
        hyperkill(["certify", &joined]).expect(ExitCode::Success);
        let [whole, joined] = ["whole", "joined"]
            .map(|folder| verdicts(&place.json(&format!("{folder}/outcomes.json"))));
        assert_eq!(joined, whole, "{}", self.file);
    }

    fn divided_and_merged(&self, place: &Place) {
        self.run(place, "even", &["--shard", "0/2"]);
        self.run(place, "odd", &["--shard", "1/2"]);
        let [even, odd, merged] = ["even", "odd", "merged"].map(|name| place.arg(name));
        hyperkill(["merge", &odd, &even, "-o", &merged]).expect(ExitCode::Success);
        hyperkill(["certify", &merged]).expect(ExitCode::Success);
        let [whole, merged] = ["whole", "merged"]
            .map(|folder| verdicts(&place.json(&format!("{folder}/outcomes.json"))));
        assert_eq!(merged, whole, "{}", self.file);
    }

    fn edited(&self, place: &Place) {
        let [from, to] = self.edit;
        assert!(self.text.contains(from), "{}", self.file);
        let text = self.text.replacen(from, to, 1);
        fs::write(place.path(self.file), text).unwrap();
        let from = place.arg("whole");
        self.run(place, "edited", &["--from", &from]);
        let outcomes = place.json("edited/outcomes.json");
        let results = outcomes["results"].as_array().unwrap();
        let carried = results
            .iter()
            .filter(|result| result["carried_over"] == true);
        assert!(carried.count() > results.len() / 4, "{}", self.file);
        hyperkill(["certify", &place.arg("edited")]).expect(ExitCode::Success);
        for room in [30, 80] {
            let run = self.words(place, "again", &["--from", &from]);
            let ran = hyperkill_on(Disk::with_room_for(room), run, "");
            if ran.code != ExitCode::Success {
                let resumed = hyperkill(["resume", &place.arg("again")]);
                // A run that stops before all verdicts are carried over cannot be resumed.
                if is_too_early(&resumed) {
                    self.run(place, "again", &["--from", &from]);
                }
            }
            let what = format!("{} edited, after {room} writes", self.file);
            assert_alike(&place.path("edited"), &place.path("again"), &what);
        }
        assert_eq!(
            verdicts(&outcomes),
            verdicts(&place.json("whole/outcomes.json")),
            "{}",
            self.file
        );
    }

    fn scored(&self, place: &Place) {
        let suite = place.arg("whole/suite.json");
        let score = [
            "--format",
            "json",
            "score",
            &place.arg("whole"),
            "--suite",
            &suite,
        ];
        if !self.is_scored {
            let ran = hyperkill(score).expect(ExitCode::Usage);
            assert!(ran.stderr.contains("have times"), "{ran:?}");
            return;
        }
        let ran = hyperkill(score);
        let score: Value = serde_json::from_slice(&ran.stdout).unwrap();
        assert!(score["schema"].is_string(), "{}", self.file);
    }
}

#[test]
fn a_run_lives_alike_in_every_language() {
    let (mut exported, mut killed) = (0, 0);
    for life in LIVES {
        let place = Place::with(life.file, life.text);
        life.run(&place, "whole", &[]);
        hyperkill(["certify", &place.arg("whole")]).expect(ExitCode::Success);
        let log = fs::read_to_string(place.path("whole/log.txt")).unwrap();
        let says_why = log.contains("the model is not deterministic: ");
        let original = place.json("whole/outcomes.json")["original"].clone();
        assert_eq!(says_why, original == "non-deterministic", "{}", life.file);
        let explained = hyperkill(life.words(&place, "out", &["--explain"]));
        let explained = explained.expect(ExitCode::Success);
        assert!(
            explained.text().starts_with("The model is "),
            "{explained:?}"
        );
        assert!(!place.path("out").exists(), "{}", life.file);
        exported += life.stopped_and_resumed(&place);
        killed += usize::from(life.killed_and_resumed(&place));
        life.planned(&place);
        life.divided_and_merged(&place);
        life.scored(&place);
        life.edited(&place);
    }
    // Some runs stop before they have written the question.
    assert!(exported > LIVES.len() / 2, "{exported}");
    println!("{killed} of {} were killed before their end", LIVES.len());
}
