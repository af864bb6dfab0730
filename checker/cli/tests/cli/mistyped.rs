//! Options without effect are usage errors, exit status 1, and the message suggests a similar name.

use hyperkill::ExitCode;

use crate::support::{Place, hyperkill, hyperkill_with};

const COUNTER: &str = "\
module part(input a, output b);
  assign b = ~a;
endmodule
module counter #(parameter WIDTH = 2) (input clk, input reset, input enable, output reg [WIDTH-1:0] count);
  wire stop;
  part p(.a(enable), .b(stop));
  always @(posedge clk)
    if (reset) count <= 0;
`ifdef FAST
    else if (!stop) count <= count + 2;
`else
    else if (!stop) count <= count + 1;
`endif
endmodule
";

const LEVEL: &str = "\
MODULE main
DEFINE capacity := 3;
VAR fill : boolean; level : 0..3;
ASSIGN
  init(level) := 0;
  next(level) := case fill & level < capacity : level + 1; TRUE : level; esac;
";

const NETLIST: &str = "\
.model toggle
.inputs clk enable reset
.outputs light
.latch next light re clk 0
.names light enable next
10 1
01 1
.end
";

const CIRCUIT: &str =
    "aag 3 2 1 1 0\n2\n4\n6 6 6\n2\ni0 enable\ni1 nd:mood\nl0 mut:one\no0 light\n";

/// Runs a command, and checks that it is a usage error with the suggestion `near`.
fn offers(args: &[&str], near: &str) {
    let ran = hyperkill(args);
    assert_eq!(ran.code, ExitCode::Usage, "{args:?}: {ran:?}");
    let help = format!("did you mean `{near}`?");
    assert!(ran.stderr.contains(&help), "{args:?}: {ran:?}");
}

#[test]
fn an_option_that_fits_nothing_is_the_users_mistake_and_near_names_are_said() {
    let verilog = Place::with("counter.v", COUNTER);
    let verilog = verilog.arg("counter.v");
    let smv = Place::with("level.smv", LEVEL);
    let smv = smv.arg("level.smv");
    let netlist = Place::with("toggle.blif", NETLIST);
    let netlist = netlist.arg("toggle.blif");
    let circuit = Place::with("x.aag", CIRCUIT);
    let circuit = circuit.arg("x.aag");
    let all: [(&str, &str, &[&str], &str); 20] = [
        ("list", &verilog, &["--top", "conter"], "counter"),
        ("list", &verilog, &["--reset", "rset"], "reset"),
        ("list", &verilog, &["-P", "WDTH=3"], "WIDTH"),
        ("list", &verilog, &["-P", "WIDTH=WIDHT"], "WIDTH"),
        ("list", &verilog, &["--assume", "enble != 0"], "enable"),
        ("list", &verilog, &["--inputs", "enabel"], "enable"),
        ("list", &verilog, &["--nd", "enabel"], "enable"),
        ("list", &verilog, &["--outputs", "cuont"], "count"),
        ("list", &smv, &["--inputs", "fil"], "fill"),
        ("list", &smv, &["--nd", "fil"], "fill"),
        ("list", &smv, &["--outputs", "levl"], "level"),
        ("list", &smv, &["-D", "capcity=2"], "capacity"),
        ("translate", &smv, &["-D", "Capacity=2"], "capacity"),
        ("list", &netlist, &["--top", "togle"], "toggle"),
        ("list", &netlist, &["--reset", "rset"], "reset"),
        ("list", &netlist, &["--inputs", "enabel"], "enable"),
        ("list", &netlist, &["--nd", "enabel"], "enable"),
        ("check", &circuit, &["--nd", "enabel"], "enable"),
        ("check", &circuit, &["--inputs", "moood"], "nd:mood"),
        ("check", &circuit, &["--outputs", "ligt"], "light"),
    ];
    for (command, model, options, near) in all {
        // Choices of circuits have the prefix `nd:`.
        let near = if near == "nd:mood" { "mood" } else { near };
        let args: Vec<&str> = [command, model].iter().chain(options).copied().collect();
        offers(&args, near);
    }
}

/// Build scripts define macros that some designs do not use.
#[test]
fn a_macro_that_no_source_asks_for_is_a_warning_and_near_names_are_said() {
    let place = Place::with("counter.v", COUNTER);
    let model = place.arg("counter.v");
    for defined in ["FSAT", "FASST=1"] {
        let ran = hyperkill(["list", &model, "-D", defined]).expect(ExitCode::Success);
        let near = "did you mean `FAST`?";
        assert!(ran.stderr.contains("warning"), "{}", ran.stderr);
        assert!(ran.stderr.contains(near), "{}", ran.stderr);
    }
}

#[test]
fn yosys_does_not_find_what_an_option_names() {
    let place = Place::with("counter.v", COUNTER);
    let model = place.arg("counter.v");
    let all: [&[&str]; 3] = [
        &["--top", "conter"],
        &["--top", "counter", "-P", "WDTH=3"],
        &["--top", "counter", "--reset", "rset"],
    ];
    for options in all {
        let args = ["list", &model, "--via", "yosys"];
        let ran = hyperkill(args.iter().chain(options));
        if ran.stderr.contains("`yosys` is not on the path") {
            eprintln!("SKIPPED: options via yosys (yosys is not installed)");
            return;
        }
        assert_eq!(ran.code, ExitCode::Usage, "{options:?}: {ran:?}");
    }
    // A macro that the design uses causes no warning.
    let args = [
        "list", &model, "--via", "yosys", "--top", "counter", "-D", "FAST",
    ];
    hyperkill(args).expect(ExitCode::Success);
}

#[test]
fn an_empty_file_says_so() {
    for name in ["e.v", "e.smv", "e.blif", "e.json", "e.aag", "e.aig"] {
        for text in ["", " \n\n"] {
            let place = Place::with(name, text);
            let ran = hyperkill(["list", &place.arg(name)]).expect(ExitCode::InvalidModel);
            assert!(ran.stderr.contains(&format!("{name} is empty")), "{ran:?}");
        }
    }
    let ran = hyperkill_with(["list", "--language", "smv", "-"], "");
    let ran = ran.expect(ExitCode::InvalidModel);
    assert!(ran.stderr.contains("standard input is empty"), "{ran:?}");
    let ran = hyperkill_with(["check", "-"], "").expect(ExitCode::InvalidModel);
    assert!(ran.stderr.contains("standard input is empty"), "{ran:?}");
    // One of several files may be empty.
    let place = Place::with("counter.v", COUNTER);
    std::fs::write(place.path("e.v"), "").unwrap();
    hyperkill(["list", &place.arg("e.v"), &place.arg("counter.v")]).expect(ExitCode::Success);
}
