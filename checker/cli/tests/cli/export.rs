//! Tests of a suite as SMV files.

use std::process::Command;

use hyperkill::ExitCode;

use crate::support::{Place, hyperkill};

/// A lamp in a module, with a button that toggles it, and a word that counts the toggles.
const LAMP: &str = "\
MODULE main
VAR press : boolean; l : lamp(press);
MODULE lamp(press)
VAR on : boolean; n : unsigned word[2];
ASSIGN
  init(on) := FALSE; init(n) := 0ud2_0;
  next(on) := on xor press;
  next(n) := press ? n + 0ud2_1 : n;
";

#[test]
fn exported_tests_hold_of_their_model_and_a_killed_mutant_fails_one() {
    let place = Place::with("lamp.smv", LAMP);
    let (model, out) = (place.arg("lamp.smv"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let (suite, tests) = (place.arg("out/suite.json"), place.arg("tests"));
    let export = ["export", &suite, &model, "--to", "smv", "-o", &tests];
    hyperkill(export).expect(ExitCode::Success);
    let mut failing = 0;
    let mut count = 0;
    for entry in std::fs::read_dir(place.path("tests")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.to_string_lossy().into_owned();
        hyperkill(["verify", "--specs", &file]).expect(ExitCode::Success);
        count += 1;
        // The same monitor fits the source of a mutant.
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.contains("(hyperkill-step = 0 -> l.n = 0ud2_0)"),
            "{text}"
        );
        std::fs::write(&path, text.replace("on xor press", "on & press")).unwrap();
        let checked = hyperkill(["verify", "--specs", &file]);
        failing += usize::from(checked.code == ExitCode::Failed);
    }
    assert!(count > 0 && failing > 0, "{failing} of {count}");
}

#[test]
fn a_suite_of_which_nothing_can_be_exported_is_refused_and_leaves_no_files() {
    let choosing = "module m(input clk, input go, output reg [1:0] x);
        wire [1:0] any;
        always @(posedge clk) if (go) x <= x + 1; else x <= any;
        endmodule";
    let place = Place::with("m.v", choosing);
    let (model, out) = (place.arg("m.v"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out, "--controllable-nd"]).expect(ExitCode::Success);
    let tests = place.json("out/suite.json")["tests"].clone();
    let tests = tests.as_array().unwrap();
    assert!(!tests.is_empty() && tests.iter().all(|test| test["controllable"] == true));
    for to in ["verilog-testbench", "vcd"] {
        let bench = place.arg("bench");
        let ran = hyperkill(["export", &out, "--to", to, "-o", &bench]).expect(ExitCode::Usage);
        assert!(
            ran.stderr.contains("no test of this suite has such a form"),
            "{ran:?}"
        );
        assert!(!place.path("bench").exists());
    }
}

#[test]
fn a_suite_of_another_model_is_not_exported() {
    let place = Place::with("lamp.smv", LAMP);
    let (model, out) = (place.arg("lamp.smv"), place.arg("out"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    std::fs::write(place.path("lamp.smv"), LAMP.replace("xor", "|")).unwrap();
    let (suite, tests) = (place.arg("out/suite.json"), place.arg("tests"));
    for from in [&[out.as_str(), "--model", &model][..], &[&suite, &model]] {
        let export = ["export", "--to", "smv", "-o", &tests];
        let ran = hyperkill(export.iter().chain(from)).expect(ExitCode::Usage);
        assert!(ran.stderr.contains("lamp.smv has changed"), "{ran:?}");
    }
    // The model of another run has another hash.
    std::fs::write(place.path("lamp.smv"), LAMP).unwrap();
    let other = place.arg("other");
    hyperkill(["run", &model, "--outputs", "l.n", "-o", &other]).expect(ExitCode::Success);
    let export = [
        "export", &other, "--suite", &suite, "--to", "smv", "-o", &tests,
    ];
    let ran = hyperkill(export).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("without --outputs"), "{ran:?}");
    assert!(ran.stderr.contains("with `--outputs l.n`"), "{ran:?}");
}

/// A counter. Its width is a parameter, its limit is in an included file, and its direction is a macro.
const COUNTER: &str = "\
`include \"limit.vh\"
module counter #(parameter W = 2) (input clk, input rst, input go, output reg [W-1:0] n, output full);
  always @(posedge clk)
    if (rst) n <= 0;
    else if (go)
`ifdef DOWN
      n <= n - 1;
`else
      n <= n + 1;
`endif
  assign full = n == `LIMIT;
endmodule
";

/// A run of the counter with options that change its meaning.
fn counter() -> Place {
    let place = Place::with("counter.v", COUNTER);
    std::fs::write(place.path("limit.vh"), "`define LIMIT 3\n").unwrap();
    let (model, out) = (place.arg("counter.v"), place.arg("out"));
    let run = ["run", &model, "-o", &out, "-P", "W=3", "-D", "DOWN"];
    hyperkill(run.iter().chain(&["--reset", "rst=1:2"])).expect(ExitCode::Success);
    place
}

/// The test bench that a command writes.
fn bench(place: &Place, from: &[&str]) -> String {
    let bench = place.arg("bench");
    let export = ["export", "--to", "verilog-testbench", "-o", &bench];
    hyperkill(export.iter().chain(from)).expect(ExitCode::Success);
    std::fs::read_to_string(place.path("bench/testbench.v")).unwrap()
}

#[test]
fn an_export_reads_the_model_as_the_run_did_and_refuses_to_read_it_otherwise() {
    let place = counter();
    let (model, out) = (place.arg("counter.v"), place.arg("out"));
    let suite = place.arg("out/suite.json");
    let expected = bench(&place, &[&out]);
    assert!(expected.contains("#(.\\W (3))"), "{expected}");
    let forms: [&[&str]; 5] = [
        &[&out, "-P", "W=3"],
        &[&suite],
        &[&suite, &model],
        &[&suite, &model, "--reset", "rst=1:2"],
        &[&out, "--suite", &suite, "--model", &model],
    ];
    for form in forms {
        assert_eq!(bench(&place, form), expected, "{form:?}");
    }
    let otherwise: [(&[&str], &str, &str); 5] = [
        (&["-P", "W=4"], "with `-P W=3`", "with `-P W=4`"),
        (&["-D", "UP"], "with `-D DOWN`", "with `-D UP`"),
        (
            &["--zero-init"],
            "without --zero-init",
            "with `--zero-init`",
        ),
        (
            &["--reset", "rst"],
            "with `--reset rst=1:2`",
            "with `--reset rst`",
        ),
        (&["--nd", "go"], "without --nd", "with `--nd go`"),
    ];
    for (options, had, said) in otherwise {
        for from in [&[out.as_str()][..], &[&suite, &model]] {
            let bench = place.arg("other");
            let export = ["export", "--to", "verilog-testbench", "-o", &bench];
            let export = export.iter().chain(from).chain(options);
            let ran = hyperkill(export).expect(ExitCode::Usage);
            let both = ran.stderr.contains(had) && ran.stderr.contains(said);
            assert!(both, "{options:?}: {ran:?}");
            assert!(!place.path("other").exists());
        }
    }
}

#[test]
fn a_file_that_is_named_and_has_changed_is_named_be_it_included_or_not() {
    let place = counter();
    let (model, out) = (place.arg("counter.v"), place.arg("out"));
    for file in ["counter.v", "limit.vh"] {
        let before = std::fs::read(place.path(file)).unwrap();
        // The model files no longer contain a model.
        std::fs::write(place.path(file), "nonsense").unwrap();
        for command in [
            &["export", &out, "--to", "vcd", "-o", &out, "--model", &model][..],
            &["certify", &out, "--model", &model],
        ] {
            let ran = hyperkill(command).expect(ExitCode::Usage);
            assert!(
                ran.stderr.contains(&format!("{file} has changed")),
                "{ran:?}"
            );
        }
        std::fs::write(place.path(file), before).unwrap();
    }
    hyperkill(["certify", &out, "--model", &model]).expect(ExitCode::Success);
}

#[test]
fn a_run_without_a_suite_exports_tests_for_its_kills() {
    let place = counter();
    let out = place.arg("out");
    std::fs::remove_file(place.path("out/suite.json")).unwrap();
    let tests = place.arg("tests");
    let export = ["export", &out, "--to", "csv", "-o", &tests];
    let ran = hyperkill(export).expect(ExitCode::Success);
    assert!(ran.stderr.contains("has no suite"), "{ran:?}");
    assert!(place.path("tests").read_dir().unwrap().next().is_some());
    std::fs::remove_file(place.path("out/asked.json")).unwrap();
    let ran = hyperkill(export).expect(ExitCode::Usage);
    assert!(
        ran.stderr.contains("does not record its options"),
        "{ran:?}"
    );
}

#[test]
fn a_bench_of_tests_that_are_too_much_to_follow_is_refused_and_what_to_do_instead_is_said() {
    let choosing = "module m(input clk, input rst, input go, output [12:0] y);
        wire [12:0] any;
        reg stop;
        always @(posedge clk) if (rst) stop <= 0; else stop <= go;
        assign y = stop ? 13'd0 : any;
        endmodule";
    let place = Place::with("m.v", choosing);
    let (model, out, bench) = (place.arg("m.v"), place.arg("out"), place.arg("bench"));
    let run = |kind: &str| {
        let run = ["run", &model, "--reset", "rst", "-o", &out, "--tests", kind];
        hyperkill(run).expect(ExitCode::Success);
    };
    run("global");
    for to in ["verilog-testbench", "cocotb", "sva"] {
        let ran = hyperkill(["export", &out, "--to", to, "-o", &bench]).expect(ExitCode::Usage);
        let said = &ran.stderr;
        assert!(
            said.contains("too many to write into a bench") && said.contains("--tests linear"),
            "{ran:?}"
        );
        assert!(!place.path("bench").exists());
    }
    run("linear");
    hyperkill(["export", &out, "--to", "verilog-testbench", "-o", &bench])
        .expect(ExitCode::Success);
    // Assertions would fail for conforming systems that choose other outputs.
    let ran = hyperkill(["export", &out, "--to", "sva", "-o", &bench]).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("would reject the others"), "{ran:?}");
}

#[test]
fn only_the_tests_that_are_named_are_exported() {
    let place = Place::with("lamp.smv", LAMP);
    let (model, out, tests) = (place.arg("lamp.smv"), place.arg("out"), place.arg("tests"));
    hyperkill(["run", &model, "-o", &out]).expect(ExitCode::Success);
    let export = ["export", &out, "--to", "vcd", "-o", &tests, "--test"];
    let ran = hyperkill(export.iter().chain(&["t-999"])).expect(ExitCode::Usage);
    assert!(ran.stderr.contains("no test `t-999`"), "{ran:?}");
    hyperkill(export.iter().chain(&["t-001"])).expect(ExitCode::Success);
    let files = std::fs::read_dir(place.path("tests")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.collect::<Vec<String>>(), ["t-001.vcd"]);
}

/// One register without reset, and one with reset.
const UNRESET: &str = "\
module m(input clk, input rst, input en, output reg q, output reg r);
  always @(posedge clk) if (en) q <= ~q;
  always @(posedge clk) if (rst) r <= 0; else r <= q ^ en;
endmodule
";

#[test]
fn tests_for_cocotb_set_the_registers_that_a_bench_sets() {
    let place = Place::with("m.v", UNRESET);
    let (model, out) = (place.arg("m.v"), place.arg("out"));
    let forms = place.arg("forms");
    for (options, deposits) in [
        (&["--reset", "rst"][..], "DEPOSITS = []"),
        (&["--zero-init"], "DEPOSITS = [(\"q\", 0), (\"r\", 0)]"),
    ] {
        let run = ["run", &model, "-o", &out];
        hyperkill(run.iter().chain(options)).expect(ExitCode::Success);
        let export = ["export", &out, "--to", "cocotb", "-o", &forms];
        hyperkill(export).expect(ExitCode::Success);
        let text = std::fs::read_to_string(place.path("forms/hyperkill_tests.py")).unwrap();
        assert!(text.contains(deposits), "{text}");
        let sets = text.contains("registers = [(\"q\", ");
        assert_eq!(sets, options[0] == "--reset", "{text}");
        std::fs::remove_dir_all(place.path("forms")).unwrap();
    }
}

#[test]
fn a_bench_writes_waveforms_of_everything_where_that_is_asked_for() {
    let has = |program: &str| Command::new(program).arg("-V").output().is_ok();
    if !has("iverilog") || !has("vvp") {
        eprintln!("SKIPPED: waveforms of benches (iverilog is not installed)");
        return;
    }
    let place = Place::with("m.v", UNRESET);
    let (model, out, forms) = (place.arg("m.v"), place.arg("out"), place.arg("forms"));
    hyperkill(["run", &model, "-o", &out, "--zero-init"]).expect(ExitCode::Success);
    let export = ["export", &out, "--to", "verilog-testbench", "-o", &forms];
    hyperkill(export).expect(ExitCode::Success);
    let dump = place.path("hyperkill.vcd");
    for options in [&[][..], &["-DHYPERKILL_DUMP"]] {
        let start = |program: &str, args: &[&str]| {
            let mut command = Command::new(program);
            let ran = command.args(args).current_dir(place.path("")).output();
            assert!(ran.unwrap().status.success(), "{program} {args:?}");
        };
        let files = ["-g2005", "-o", "bench", "forms/testbench.v", "m.v"];
        let args: Vec<&str> = options.iter().chain(&files).copied().collect();
        start("iverilog", &args);
        start("vvp", &["-N", "bench"]);
        assert_eq!(dump.exists(), !options.is_empty());
    }
    let text = std::fs::read_to_string(dump).unwrap();
    // Also inside of the design.
    for name in [" dut ", " q ", " r ", " en "] {
        assert!(text.contains(name), "{name}: {text}");
    }
}
