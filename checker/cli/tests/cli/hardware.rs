//! Hardware models: netlists, and tests as waveforms and test benches.

use std::collections::BTreeMap;

use hyperkill::ExitCode;
use serde_json::Value;

use crate::support::{Place, hyperkill, verdicts};

/// A counter of two bits with an enable input, and an output for its maximum.
const COUNTER: &str = "\
.model counter
.inputs clk go
.outputs n[1] n[0] full
.latch d0 n[0] re clk 0
.latch d1 n[1] re clk 0
.names n[0] go d0
10 1
01 1
.names n[0] n[1] go d1
01- 1
-10 1
101 1
.names n[0] n[1] full
11 1
.end
";

#[test]
fn mutants_of_a_netlist_are_decided_and_their_evidence_checks() {
    let place = Place::with("counter.blif", COUNTER);
    let (model, out) = (place.arg("counter.blif"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    hyperkill(["certify", &out, "--model", &model]).expect(ExitCode::Success);
    let found = verdicts(&place.json("out/outcomes.json"));
    let killed = found
        .values()
        .filter(|verdict| *verdict == "killed")
        .count();
    assert!(killed > 30, "{found:?}");
}

#[test]
fn waveforms_say_what_the_tests_say() {
    let place = Place::with("counter.blif", COUNTER);
    let (model, out) = (place.arg("counter.blif"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let (suite, waves) = (place.arg("out/suite.json"), place.arg("waves"));
    hyperkill(["export", &suite, &model, "--to", "vcd", "-o", &waves]).expect(ExitCode::Success);
    let suite = place.json("out/suite.json");
    let tests = suite["tests"].as_array().unwrap();
    assert!(!tests.is_empty());
    for test in tests {
        let name = format!("waves/{}.vcd", test["id"].as_str().unwrap());
        let bytes = std::fs::read(place.path(&name)).unwrap();
        let seen = read_back(&bytes);
        for (at, step) in test["steps"].as_array().unwrap().iter().enumerate() {
            for side in ["inputs", "outputs"] {
                for (name, _) in step[side].as_object().unwrap() {
                    let value = Value::from(seen[&(format!("{side}.{name}"), at as u64 * 10)]);
                    assert_eq!(value, step[side][name], "{name} in step {at}");
                }
            }
            assert_eq!(seen[&("clk".to_owned(), at as u64 * 10)], 0);
            assert_eq!(seen[&("clk".to_owned(), at as u64 * 10 + 5)], 1);
        }
    }
}

/// The value of every variable at every time stamp.
fn read_back(bytes: &[u8]) -> BTreeMap<(String, u64), u64> {
    let mut parser = vcd::Parser::new(bytes);
    let header = parser.parse_header().unwrap();
    let names = ["clk", "inputs.go", "outputs.n", "outputs.full"];
    let ids: BTreeMap<vcd::IdCode, &str> = names
        .iter()
        .map(|name| {
            let path: Vec<&str> = std::iter::once("test").chain(name.split('.')).collect();
            (header.find_var(&path).unwrap().code, *name)
        })
        .collect();
    let (mut now, mut values, mut seen) = (0, BTreeMap::new(), BTreeMap::new());
    let mut keep = |now: u64, values: &BTreeMap<&str, u64>| {
        for (name, value) in values {
            seen.insert(((*name).to_owned(), now), *value);
        }
    };
    for command in parser {
        let bit = |value: vcd::Value| u64::from(value == vcd::Value::V1);
        match command.unwrap() {
            vcd::Command::Timestamp(time) => {
                keep(now, &values);
                now = time;
            }
            vcd::Command::ChangeScalar(id, value) => {
                values.insert(ids[&id], bit(value));
            }
            vcd::Command::ChangeVector(id, vector) => {
                let number = vector.iter().fold(0, |sum, value| sum * 2 + bit(value));
                values.insert(ids[&id], number);
            }
            _ => {}
        }
    }
    keep(now, &values);
    seen
}

#[test]
fn a_test_bench_drives_the_clock_and_compares_words() {
    let place = Place::with("counter.blif", COUNTER);
    let (model, out) = (place.arg("counter.blif"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let (suite, bench) = (place.arg("out/suite.json"), place.arg("bench"));
    let export = ["export", "--to", "verilog-testbench", "-o", &bench];
    hyperkill(export.into_iter().chain([&*suite, &model])).expect(ExitCode::Success);
    let text = std::fs::read_to_string(place.path("bench/testbench.v")).unwrap();
    for part in [
        ".\\clk (clock)",
        "wire [1:0] out_n;",
        "out_n !== 2'h",
        "$finish",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn options_about_hardware_are_refused_where_they_mean_nothing() {
    let place = Place::with("toggle.smv", "MODULE main\nVAR x : boolean;\n");
    let model = place.arg("toggle.smv");
    let ran = hyperkill(["list", &model, "--reset", "x"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("hardware"), "{ran:?}");
}

#[test]
fn what_is_wrong_with_a_netlist_is_said_with_its_line() {
    let place = Place::with("latch.blif", COUNTER.replace("re clk", "ah clk"));
    let ran = hyperkill(["list", &place.arg("latch.blif")]).expect(ExitCode::InvalidModel);
    assert!(ran.stderr.contains("latch.blif:4"), "{ran:?}");
}

#[test]
fn several_clocks_of_a_netlist_are_refused_or_taken_for_one() {
    let counted = |text: String, clocks: &str| {
        let place = Place::with("counter.blif", text);
        let (model, out) = (place.arg("counter.blif"), place.arg("out"));
        if !clocks.is_empty() {
            let ran = hyperkill(["run", &model, "-o", &out]).expect(ExitCode::InvalidModel);
            assert!(ran.stderr.contains(clocks), "{ran:?}");
            assert!(ran.stderr.contains("--one-clock"), "{ran:?}");
        }
        hyperkill(["run", &model, "--one-clock", "-o", &out]).expect(ExitCode::Success);
        hyperkill(["certify", &out, "--model", &model]).expect(ExitCode::Success);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for verdict in verdicts(&place.json("out/outcomes.json")).into_values() {
            *counts.entry(verdict).or_default() += 1;
        }
        let (suite, bench) = (place.arg("out/suite.json"), place.arg("bench"));
        let export = ["export", "--to", "verilog-testbench", "-o", &bench];
        let bench = hyperkill(export.into_iter().chain([&*suite, &model, "--one-clock"]));
        (counts, bench, place)
    };
    let (one, ..) = counted(COUNTER.to_owned(), "");
    let two = COUNTER.replace(".inputs clk", ".inputs clk tick");
    let two = two.replace("n[1] re clk", "n[1] fe tick");
    let (both, bench, place) = counted(two, "several clocks: `clk` and `tick`");
    assert_eq!(both, one);
    bench.expect(ExitCode::Success);
    let text = std::fs::read_to_string(place.path("bench/testbench.v")).unwrap();
    assert!(
        text.contains(".\\clk (") && text.contains(".\\tick ("),
        "{text}"
    );
    let (ripple, bench, _) = counted(
        COUNTER.replace("n[1] re clk", "n[1] re n[0]"),
        "made by logic",
    );
    assert_eq!(ripple, one);
    let bench = bench.expect(ExitCode::InvalidModel);
    assert!(bench.stderr.contains("cannot tick"), "{bench:?}");
}

/// Returns a word or its negation, depending on a macro.
const INVERTER: &str = "\
module inverter #(parameter W = 2) (input clk, input [W-1:0] a, output reg [W-1:0] y);
`ifdef PLAIN
  always @(posedge clk) y <= a;
`else
  always @(posedge clk) y <= ~a;
`endif
endmodule
";

#[test]
fn a_macro_without_a_value_is_defined() {
    let place = Place::with("inverter.v", INVERTER);
    let model = place.arg("inverter.v");
    let shown = |options: &[&str]| {
        let args = ["list", "--diff", &model];
        let ran = hyperkill(args.iter().chain(options)).expect(ExitCode::Success);
        ran.text()
    };
    assert!(shown(&[]).contains("-  always @(posedge clk) y <= ~a;"));
    assert!(!shown(&["-D", "PLAIN"]).contains("-  always @(posedge clk) y <= ~a;"));
    assert!(shown(&["-D", "PLAIN"]).contains("-  always @(posedge clk) y <= a;"));
    let smv = Place::with("toggle.smv", "MODULE main\nVAR x : boolean;\n");
    let ran = hyperkill(["list", &smv.arg("toggle.smv"), "-D", "x"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("write it like `x=5`"), "{ran:?}");
    let ran = hyperkill(["list", &model, "-P", "W"]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("write it like `W=5`"), "{ran:?}");
}

#[test]
fn options_that_a_netlist_cannot_obey_are_refused() {
    let place = Place::with("inverter.v", INVERTER);
    let model = place.arg("inverter.v");
    for option in [["--assume", "a != 0"], ["-P", "W=3"]] {
        let args = ["list", &model, "--via", "yosys"];
        let ran = hyperkill(args.iter().chain(&option)).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("--via yosys"), "{ran:?}");
    }
    let place = Place::with("counter.blif", COUNTER);
    let model = place.arg("counter.blif");
    for option in [["--assume", "go"], ["-P", "W=3"]] {
        let ran = hyperkill(["list", &model].iter().chain(&option)).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("a netlist has"), "{ran:?}");
    }
}

#[test]
fn yosys_is_told_the_parameters_of_the_top_module() {
    let place = Place::with("inverter.v", INVERTER);
    let model = place.arg("inverter.v");
    let args = [
        "list",
        "--signature",
        &model,
        "--via",
        "yosys",
        "--top",
        "inverter",
        "-P",
        "W=5",
        "-D",
        "PLAIN",
        "-D",
        "SYNTHESIS",
    ];
    let ran = hyperkill(args);
    assert!(
        ran.stderr.contains("-D SYNTHESIS: the sources ask"),
        "{ran:?}"
    );
    if ran.stderr.contains("`yosys` is not on the path") {
        eprintln!("SKIPPED: parameters via yosys (yosys is not installed)");
        return;
    }
    let ran = ran.expect(ExitCode::Success);
    assert!(
        ran.text().contains("word[5]") || ran.text().contains("0..31"),
        "{ran:?}"
    );
}

#[test]
fn runs_via_yosys_are_certified() {
    let place = Place::with("inverter.v", INVERTER);
    let (model, out) = (place.arg("inverter.v"), place.arg("out"));
    let options = [
        "--via", "yosys", "--top", "inverter", "-P", "W=3", "-D", "PLAIN",
    ];
    let ran = hyperkill(["run", &model, "-o", &out].iter().chain(&options));
    if ran.stderr.contains("`yosys` is not on the path") {
        eprintln!("SKIPPED: certificates via yosys (yosys is not installed)");
        return;
    }
    ran.expect(ExitCode::Success);
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    hyperkill(["certify", &out, "--model", &model]).expect(ExitCode::Success);
    // The bench sets the parameters that Yosys got. Its user must set the macros.
    let bench = place.arg("bench");
    let export = ["export", &out, "--to", "verilog-testbench", "-o", &bench];
    let ran = hyperkill(export).expect(ExitCode::Success);
    assert!(ran.stderr.contains("-DPLAIN"), "{ran:?}");
    let text = std::fs::read_to_string(place.path("bench/testbench.v")).unwrap();
    assert!(text.contains("#(.\\W (3))"), "{text}");
    std::fs::write(place.path("inverter.v"), INVERTER.replace("~a", "a")).unwrap();
    let certify = ["certify", &out, "--model", &model];
    let ran = hyperkill(certify).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("inverter.v has changed"), "{ran:?}");
    // The run keeps the netlist of Yosys, so that neither Yosys nor the model is needed.
    std::fs::remove_file(place.path("inverter.v")).unwrap();
    hyperkill(["certify", &out]).expect(ExitCode::Success);
    std::fs::remove_file(place.path("bench/testbench.v")).unwrap();
    hyperkill(export).expect(ExitCode::Success);
    let again = std::fs::read_to_string(place.path("bench/testbench.v")).unwrap();
    assert_eq!(again, text);
}

/// Of three outputs one is driven, one is driven in part, and one is undriven. `w` is read but undriven.
const SILENT: &str = "\
module silent(input clk, input a, output reg y, output none,
  output [1:0] some);
  wire w;
  (* anyseq *) wire chosen;
  assign some[0] = a & w & chosen;
  always @(posedge clk) y <= a;
endmodule
";

#[test]
fn what_nothing_drives_is_a_choice_that_is_warned_of_with_its_place() {
    let warned = |name: &str, text: &str, options: &[&str]| {
        let place = Place::with(name, text);
        let (model, out) = (place.arg(name), place.arg("out"));
        let run = ["run", &model, "-o", &out, "--accept", "unknown"];
        let ran = hyperkill(run.iter().chain(options));
        if ran.stderr.contains("`yosys` is not on the path") {
            eprintln!("SKIPPED: outputs via yosys that nothing drives (yosys is not installed)");
            return String::new();
        }
        ran.expect(ExitCode::Success).stderr
    };
    let text = warned("silent.v", SILENT, &[]);
    assert_eq!(text.matches("nothing drives").count(), 3, "{text}");
    for part in [
        "the output `none`",
        "silent.v:1:",
        "the output `some`",
        "silent.v:2:",
        "`w`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // No warning for outputs that the run does not observe.
    let text = warned("silent.v", SILENT, &["--outputs", "y"]);
    assert!(!text.contains("nothing drives"), "{text}");
    let text = warned(
        "counter.blif",
        &COUNTER.replace("n[0] full\n.latch", "n[0] full none\n.latch"),
        &[],
    );
    assert_eq!(text.matches("nothing drives").count(), 1, "{text}");
    assert!(text.contains("counter.blif:3"), "{text}");
    let text = warned("counter.blif", COUNTER, &[]);
    assert!(!text.contains("nothing drives"), "{text}");
    let text = warned("silent.v", SILENT, &["--via", "yosys"]);
    assert!(
        text.is_empty() || text.contains("the output `none`"),
        "{text}"
    );
}

#[test]
fn a_run_says_that_its_tests_cannot_become_a_bench() {
    let said = |text: String| {
        let place = Place::with("counter.blif", text);
        let (model, out) = (place.arg("counter.blif"), place.arg("out"));
        let run = ["run", &model, "--one-clock", "-o", &out];
        let stderr = hyperkill(run).expect(ExitCode::Success).stderr;
        let bench = place.arg("bench");
        let export = ["export", &out, "--to", "verilog-testbench", "-o", &bench];
        (stderr, hyperkill(export).code)
    };
    let (stderr, code) = said(COUNTER.to_owned());
    assert!(!stderr.contains("cannot become a test bench"), "{stderr}");
    assert_eq!(code, ExitCode::Success);
    // A clock from logic, and both edges of one clock.
    for (from, to) in [
        ("n[1] re clk", "n[1] re n[0]"),
        ("n[1] re clk", "n[1] fe clk"),
    ] {
        let (stderr, code) = said(COUNTER.replace(from, to));
        assert!(stderr.contains("cannot become a test bench"), "{stderr}");
        assert_eq!(code, ExitCode::InvalidModel);
    }
    let verilog = "module m(input clk, input a, output reg y, output reg z);\n always @(posedge clk) y <= a;\n always \
        @(negedge clk) z <= y;\nendmodule\n";
    let place = Place::with("m.v", verilog);
    let (model, out) = (place.arg("m.v"), place.arg("out"));
    let ran = hyperkill(["run", &model, "--one-clock", "-o", &out]).expect(ExitCode::Success);
    assert!(ran.stderr.contains("cannot become a test bench"), "{ran:?}");
}

/// Two registers with a reset, which mutants break. A read out of bounds is a choice of the model itself.
const RESETTABLE: &str = "module m(input clk, input rst, input [1:0] a, output reg q, output p, output x);
reg r; wire [2:0] three = {q, r, a[0]};
always @(posedge clk or posedge rst) if (rst) begin q <= 0; r <= 1; end else begin q <= a[0]; r <= a[1]; end
assign p = r; assign x = three[a];
endmodule
";

#[test]
fn the_signature_tells_choices_of_the_model_from_those_that_only_mutants_have() {
    let place = Place::with("m.v", RESETTABLE);
    let model = place.arg("m.v");
    let ran = hyperkill(["list", "--signature", &model]).expect(ExitCode::Success);
    let text = ran.text();
    let (before, after) = text
        .split_once("choices that only mutants have")
        .expect("mutants break the reset");
    assert!(!before.contains("@reset"), "{text}");
    let own = before.split_once("choices").expect("the model's own").1;
    assert!(own.contains("\n  x "), "{text}");
    assert!(
        after.contains("q@reset") && after.contains("r@reset"),
        "{text}"
    );
    // Without mutants there are no such choices.
    let plain = hyperkill(["list", "--signature", &model, "--operator", "AOR"]);
    assert!(!plain.text().contains("@reset"), "{plain:?}");
    let table = hyperkill(["list", &model, "--format", "json"]).json();
    let of_mutants = table["choices_of_mutants"].as_array().expect("a list");
    let of_mutants: Vec<&str> = of_mutants.iter().filter_map(|name| name.as_str()).collect();
    assert!(of_mutants.contains(&"q@reset") && of_mutants.contains(&"r@reset"));
    assert!(!of_mutants.contains(&"x"), "{of_mutants:?}");
}

#[test]
fn emitted_mutants_of_several_files_say_which_file_they_stand_for() {
    let top = "module top(input a, input b, output y); half u(a, b, y); endmodule\n";
    let half = "module half(input a, input b, output y); assign y = a & b; endmodule\n";
    let place = Place::with("top.v", top.replace("half u(a,", "half u(~a,"));
    std::fs::write(place.path("half.v"), half).unwrap();
    let (first, second, emitted) = (
        place.arg("top.v"),
        place.arg("half.v"),
        place.arg("emitted"),
    );
    let ran = hyperkill(["list", &first, &second, "--emit", &emitted]).expect(ExitCode::Success);
    assert!(ran.stderr.contains("replaced.tsv"), "{ran:?}");
    let replaced = std::fs::read_to_string(place.path("emitted/replaced.tsv")).unwrap();
    let rows: BTreeMap<&str, &str> = replaced
        .lines()
        .filter_map(|row| row.split_once('\t'))
        .collect();
    assert_eq!(rows.len() + 1, std::fs::read_dir(&emitted).unwrap().count());
    assert!(rows.values().any(|file| file.ends_with("top.v")));
    for (name, file) in rows {
        let text = std::fs::read_to_string(place.path(&format!("emitted/{name}"))).unwrap();
        assert_eq!(
            text.contains("module half"),
            file.ends_with("half.v"),
            "{name} {file}"
        );
    }
    // A single file needs no table.
    let alone = place.arg("alone");
    hyperkill(["list", &second, "--emit", &alone]).expect(ExitCode::Success);
    assert!(!place.path("alone/replaced.tsv").exists());
}

/// The messages of a run of this design, and the determinism of the original.
fn said_of_run(text: &str, options: &[&str]) -> (String, String) {
    let place = Place::with("m.v", text);
    let (model, out) = (place.arg("m.v"), place.arg("out"));
    let command = ["run", &model, "-o", &out];
    let command = command.into_iter().chain(options.iter().copied());
    let ran = hyperkill(command).expect(ExitCode::Success);
    let original = &place.json("out/outcomes.json")["original"];
    let original = original.as_str().expect("a word").to_owned();
    (ran.stderr.clone(), original)
}

#[test]
fn a_run_says_why_a_model_is_not_deterministic_and_what_would_change_it() {
    let silent = "module m(input clk, input d, output reg q);\n\
        reg a;\nalways @(posedge clk) begin a <= a ^ d; q <= a; end\nendmodule\n";
    let (said, original) = said_of_run(silent, &[]);
    assert_eq!(original, "non-deterministic");
    assert!(
        said.contains("`q` (m.v:1) and `a` (m.v:2) start with any value (--reset NAME"),
        "{said}"
    );
    let (said, original) = said_of_run(silent, &["--zero-init"]);
    assert_eq!(original, "deterministic");
    assert!(!said.contains("not deterministic"), "{said}");
    let chosen = "module m(input d, output q, output r);\nassign q = d ? 1'bx : 1'b0;\nassign r = d;\nendmodule\n";
    let (said, _) = said_of_run(chosen, &[]);
    assert!(said.contains("(m.v:2) is chosen at every step"), "{said}");
}

#[test]
fn a_run_with_a_reset_that_was_found_is_that_with_the_reset_named() {
    let text = "module m(input clk, input clear, input d, output reg q);\n\
        always @(posedge clk) if (clear) q <= 0; else q <= q ^ d;\nendmodule\n";
    let place = Place::with("m.v", text);
    let model = place.arg("m.v");
    let outcomes = |out: &str, options: &[&str]| {
        let folder = place.arg(out);
        let command = ["run", &model, "-o", &folder];
        hyperkill(command.into_iter().chain(options.iter().copied())).expect(ExitCode::Success);
        hyperkill(["certify", &folder]).expect(ExitCode::Success);
        let suite = place.json(&format!("{out}/suite.json"));
        (
            place.json(&format!("{out}/outcomes.json")),
            suite["tests"].clone(),
        )
    };
    let (found, found_tests) = outcomes("found", &[]);
    let (named, named_tests) = outcomes("named", &["--reset", "clear=1"]);
    assert_eq!(found["results"], named["results"]);
    assert_eq!(found["original"], named["original"]);
    assert_eq!(found_tests, named_tests);
    let (without, _) = outcomes("without", &["--reset", "none"]);
    assert_eq!(without["original"], "non-deterministic");
    assert_eq!(found["original"], "deterministic");
}
