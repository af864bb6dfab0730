//! Waveforms: `score` reads tests and simulations, and `show` writes kills.

use std::collections::BTreeMap;
use std::fs;

use hyperkill::ExitCode;
use serde_json::Value;
use vcd::{Command, Parser};

use crate::support::{DRINKS, LOCK, Place, hyperkill};

/// A counter with a synchronous reset and a word input.
const COUNTER: &str = "\
module counter(input clk, input rst, input [1:0] by, output reg [2:0] n, output top);
  always @(posedge clk) if (rst) n <= 0; else if (by != 3) n <= n + by;
  assign top = n == 7;
endmodule
";

/// For each mutant the tests of a file that kill it.
fn kills(out: &str, file: &str) -> BTreeMap<String, Vec<String>> {
    let ran = hyperkill(["score", out, "--suite", file, "--format", "json"]);
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let report = ran.json();
    let mutants = report["mutants"]
        .as_array()
        .unwrap_or_else(|| panic!("{ran:?}"));
    let killed_by = |mutant: &Value| {
        let tests = mutant["killed_by"].as_array();
        tests.into_iter().flatten().map(word).collect()
    };
    let pairs = mutants
        .iter()
        .map(|mutant| (word(&mutant["mutant"]), killed_by(mutant)));
    pairs.collect()
}

#[test]
fn a_test_kills_the_same_mutants_when_it_is_read_from_its_waveforms() {
    for (file, text) in [("counter.v", COUNTER), ("lock.smv", LOCK)] {
        let place = Place::with(file, text);
        let (model, out, waves) = (place.arg(file), place.arg("out"), place.arg("waves"));
        hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
        hyperkill(["export", &out, "--to", "vcd", "-o", &waves]).expect(ExitCode::Success);
        let expected = kills(&out, &place.arg("out/suite.json"));
        let tests = place.json("out/suite.json")["tests"]
            .as_array()
            .unwrap()
            .len();
        assert!(tests > 1);
        for number in 1..=tests {
            let id = format!("t-{number:03}");
            let found = kills(&out, &place.arg(&format!("waves/{id}.vcd")));
            for (mutant, tests) in &expected {
                let killed = tests.contains(&id);
                assert_eq!(
                    found[mutant].len(),
                    usize::from(killed),
                    "{file} {id} {mutant}"
                );
            }
        }
    }
}

#[test]
fn waveforms_of_a_simulation_are_read_in_the_scope_that_is_named() {
    let place = Place::with("counter.v", COUNTER);
    let (model, out) = (place.arg("counter.v"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let mut dump = String::from("$scope module tb $end\n");
    for (scope, codes) in [("one", "abc"), ("two", "abd")] {
        dump += &format!("$scope module {scope} $end\n");
        for ((name, width), code) in [("clk", 1), ("rst", 1), ("by", 2)]
            .iter()
            .zip(codes.chars())
        {
            dump += &format!("$var wire {width} {code} {name} $end\n");
        }
        dump += "$upscope $end\n";
    }
    dump +=
        "$upscope $end\n$enddefinitions $end\n#0\n0a\n1b\nb0 c\nb0 d\n#5\n1a\n#10\n0a\n0b\nb1 c\n";
    for step in 0..9 {
        dump += &format!("#{}\n1a\n#{}\n0a\n", 15 + 10 * step, 20 + 10 * step);
    }
    fs::write(place.path("dump.vcd"), dump).unwrap();
    let file = place.arg("dump.vcd");
    let score = |scope: &[&str]| {
        let command = ["score", out.as_str(), "--format", "json", "--suite", &file];
        hyperkill(command.iter().chain(scope))
    };
    let several = score(&[]).expect(ExitCode::Usage);
    assert!(several.stderr.contains("tb.one, tb.two"), "{several:?}");
    // A counting run kills more than a constant one.
    let killed = |scope: &str| {
        score(&["--scope", scope]).json()["counts"]["killed"]
            .as_u64()
            .unwrap()
    };
    assert!(killed("tb.one") > killed("tb.two"));
    let suite = place.arg("out/suite.json");
    let ran =
        hyperkill(["score", &out, "--suite", &suite, "--scope", "tb"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--scope is about VCD files"), "{ran:?}");
}

/// The values of each variable of a file at each step, by path.
fn waves(bytes: &[u8]) -> BTreeMap<String, Vec<String>> {
    let (mut path, mut names) = (Vec::new(), BTreeMap::new());
    let mut shown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut now: BTreeMap<String, String> = BTreeMap::new();
    let mut has_begun = false;
    for command in Parser::new(bytes) {
        match command.unwrap() {
            Command::ScopeDef(_, name) => path.push(name),
            Command::Upscope => drop(path.pop()),
            Command::VarDef(_, _, code, name, _) => {
                names.insert(code, format!("{}.{name}", path.join(".")));
            }
            Command::Timestamp(_) => {
                for (name, value) in now.iter().filter(|_| has_begun) {
                    shown.entry(name.clone()).or_default().push(value.clone());
                }
                has_begun = true;
            }
            Command::ChangeScalar(code, value) => {
                now.insert(names[&code].clone(), value.to_string());
            }
            Command::ChangeVector(code, value) => {
                now.insert(names[&code].clone(), value.to_string());
            }
            Command::ChangeString(code, text) => {
                now.insert(names[&code].clone(), text);
            }
            _ => {}
        }
    }
    shown
}

#[test]
fn a_kill_is_shown_with_model_and_mutant_side_by_side_and_with_what_they_hold_if_asked() {
    let place = Place::with("drinks.smv", DRINKS);
    let (model, out, file) = (
        place.arg("drinks.smv"),
        place.arg("out"),
        place.arg("kill.vcd"),
    );
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let outcomes = place.json("out/outcomes.json");
    let mut killed = 0;
    for result in outcomes["results"].as_array().unwrap() {
        let id = result["mutant"].as_str().unwrap();
        let show = ["show", id, &out, "--vcd", &file];
        if result["verdict"] != "killed" {
            let ran = hyperkill(show).expect(ExitCode::Usage);
            assert!(ran.stderr.contains("--vcd: no runs are kept"), "{ran:?}");
            continue;
        }
        killed += 1;
        hyperkill(show).expect(ExitCode::Success);
        let plain = waves(&fs::read(place.path("kill.vcd")).unwrap());
        let names: Vec<&str> = plain.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            ["kill.inputs.in1", "kill.model.out", "kill.mutant.out"]
        );
        hyperkill(show.iter().chain(&["--hidden"])).expect(ExitCode::Success);
        let all = waves(&fs::read(place.path("kill.vcd")).unwrap());
        assert!(
            plain.iter().all(|(name, values)| all[name] == *values),
            "{all:?}"
        );
        assert!(
            all.keys().any(|name| name.starts_with("kill.model.wtr")),
            "{all:?}"
        );
        // Inputs are equal. Outputs differ at a step, or one run ends.
        let steps = result["test"]["steps"].as_array().unwrap();
        let inputs = &plain["kill.inputs.in1"];
        for (step, set) in steps.iter().zip(inputs) {
            assert_eq!(step["inputs"]["in1"], set.as_str(), "{id}");
        }
        assert_ne!(plain["kill.model.out"], plain["kill.mutant.out"], "{id}");
    }
    assert!(killed > 10);
    let ran = hyperkill(["show", &out, "--vcd", &file]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("--vcd is about one mutant"), "{ran:?}");
}
