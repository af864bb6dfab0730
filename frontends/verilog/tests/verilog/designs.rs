//! The front end on the designs of `tests/models/verilog`, on unsupported designs, and on texts that are not Verilog.

use std::path::PathBuf;

use hyperkill_core::mutant::Mutant;
use hyperkill_core::system::Translation;
use hyperkill_frontend::{
    Diagnostic, Frontend, FrontendOptions, HardwareOptions, LineIndex, SourceFile,
};
use hyperkill_verilog::VerilogFrontend;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn models() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/models/verilog");
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the models are there")
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(path.join("model.v")).expect("a model");
            (name, text)
        })
        .collect();
    found.sort();
    found
}

fn options() -> FrontendOptions {
    FrontendOptions {
        hardware: HardwareOptions {
            zero_init: true,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    }
}

fn translate(text: &str) -> Result<Translation, Vec<Diagnostic>> {
    VerilogFrontend.translate(&[SourceFile::new("m.v", text)], &options())
}

/// Returns the message and the line of the first error.
fn refusal(text: &str) -> (String, usize) {
    let errors = translate(text).expect_err(text);
    let span = errors[0]
        .span
        .map_or(0, |span| LineIndex::new(text).line(span.start));
    (errors[0].message.clone(), span)
}

#[test]
fn all_designs_load_and_most_mutants_are_systems() {
    let models = models();
    assert!(models.len() >= 25);
    for (name, text) in models {
        let found = translate(&text).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let invalid = found
            .catalogue
            .iter()
            .filter(|(_, reason)| reason.is_some())
            .count();
        assert!(!found.catalogue.is_empty(), "{name}");
        assert!(
            invalid * 2 < found.catalogue.len(),
            "{name}: {invalid} invalid"
        );
        let mut ids: Vec<_> = found
            .catalogue
            .iter()
            .map(|(mutant, _)| mutant.id.clone())
            .collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), found.catalogue.len(), "{name}: ids are unique");
    }
}

#[test]
fn what_is_not_supported_is_refused_with_its_line() {
    let cases: &[(&str, &str, usize)] = &[
        (
            "module m(input a, output reg y);\nalways @* if (a) y = 1; else y = 1'bz;\nendmodule",
            "tri-state",
            2,
        ),
        (
            "module m(inout a, output y);\nassign y = a;\nendmodule",
            "tri-state",
            1,
        ),
        (
            "module m(input a, b, output reg y);\nalways_comb\n if (a) y = b;\nendmodule",
            "latch",
            2,
        ),
        (
            "module m(input c, d, output reg p, q);\nalways @(posedge c) p <= d;\nalways @(posedge d) q <= p;\nendmodule",
            "the clock `d` is read as a value",
            1,
        ),
        (
            "module m(input a, output [3:0] y);\nwire [1000000000:0] w;\nassign y = w;\nendmodule",
            "more than 65536",
            2,
        ),
        (
            "module m(input a, output y);\nreg [31:0] w [0:1000000000];\nassign y = w[0];\nendmodule",
            "an array of",
            2,
        ),
        (
            "module m(input [3:0] a, output y);\nassign y = {1000000{a}};\nendmodule",
            "more than 65536",
            2,
        ),
        (
            "module m(input a, output y);\nassign y = a;\nassign y = ~a;\nendmodule",
            "driven twice",
            3,
        ),
        (
            "module m(input a, output y);\nwire w = y & a;\nassign y = w;\nendmodule",
            "depends on itself",
            3,
        ),
        (
            "module m(input a, output reg y);\ninteger i;\nalways @* begin y = 0;\nfor (i = 0; i < 1; i = i - 1) y = a; end\nendmodule",
            "more than 65536 iterations",
            4,
        ),
        (
            "module m(input a, output reg y);\nalways @* begin\n #3 y = a; end\nendmodule",
            "a delay",
            3,
        ),
        (
            "module m(input a, output y);\nn u (a, y);\nendmodule",
            "no module `n`",
            2,
        ),
        (
            "module m(input a, output y);\nm u (a, y);\nendmodule\nmodule t(input a, output y); m u(a, y); endmodule",
            "nested more than",
            2,
        ),
        (
            "module m(input a, output y);\nassign y = b;\nendmodule",
            "`b` is not declared",
            2,
        ),
        (
            "module m(input a, output y);\nassign y = `W;\nendmodule",
            "`W` is not defined",
            2,
        ),
        (
            "module m(input a, output y);\n`ifdef X\nassign y = a;\nendmodule",
            "no `endif`",
            2,
        ),
        (
            "module m(input a, output y);\nassign y = a +;\nendmodule",
            "expected an expression",
            2,
        ),
        (
            "module m(input a, output y);\ninitial $readmemh(\"x\", y);\nassign y = a;\nendmodule",
            "`$readmemh`: the file `x` is not found",
            2,
        ),
        (
            "module m(input a, output reg y);\nalways @* begin y = a; disable x; end\nendmodule",
            "no block or task of this name",
            2,
        ),
        (
            "module m(input a, output reg y);\nalways @* begin y = a;\nbreak; end\nendmodule",
            "no loop around this",
            3,
        ),
        (
            "module m(input a, output y);\nevent w;\nassign y = a;\nendmodule",
            "`event` is not supported",
            2,
        ),
        (
            "module m(input a, output y);\nunion { logic b; } s;\nassign y = a;\nendmodule",
            "not `packed`",
            2,
        ),
        (
            "module m(input a, output y);\nlogic [1:0][3:0] v;\nassign y = v[0][2][1];\nendmodule",
            "a bit or part select of a selected bit or part is not supported",
            3,
        ),
        (
            "module m(input a, output y);\nassign y = p::A;\nendmodule",
            "no package `p`",
            2,
        ),
    ];
    for (text, message, line) in cases {
        let (found, place) = refusal(text);
        assert!(found.contains(message), "{found}\n{text}");
        assert_eq!(place, *line, "{found}\n{text}");
    }
}

#[test]
fn excluded_code_has_no_mutants() {
    let text = "module m(input a, b, output x, y, z, (* hyperkill = \"off\" *) output w);\n\
        assign x = a & b; // hyperkill: off\n\
        assign y = a | b;\n\
        // hyperkill: off\n\
        assign z = a ^ b;\n\
        // hyperkill: on\n\
        (* hyperkill = \"off\" *) assign w = a && b;\n\
        endmodule\n";
    let found = translate(text).expect("a design");
    assert_eq!(mutated_lines(&found, "m.v"), [3]);
}

/// Returns the lines of all mutants in a file.
fn mutated_lines(found: &Translation, file: &str) -> Vec<usize> {
    let mutants = found.catalogue.iter().map(|(mutant, _)| &mutant.place);
    let mut lines: Vec<usize> = mutants
        .filter(|place| place.file == file)
        .map(|place| place.line)
        .collect();
    lines.dedup();
    lines
}

/// Returns the numbers of lines with the mark `// mutants`.
fn marked_lines(text: &str) -> Vec<usize> {
    let lines = text.lines().enumerate();
    let marked = lines.filter(|(_, line)| line.ends_with("// mutants"));
    marked.map(|(i, _)| i + 1).collect()
}

const EXCLUDED_BY_ATTRIBUTES: &str = r#"
(* hyperkill = "off" *) package p; function [3:0] f(input [3:0] x); f = x + 1; endfunction endpackage
(* hyperkill = "off" *) module whole(input a, b, output y); assign y = a & b; endmodule
module m(input clk, input [3:0] a, b, input s, output [3:0] v, w, x, output y, z, output reg [3:0] k, l, n, o, c,
    output [3:0] g, h);
  (* hyperkill = "off" *) whole i(.a(a[0]), .b(b[0] & s), .y(y));
  whole j((* hyperkill = "off" *) .a(a[0] & b[0]),
    .b(b[0] & s), .y(z)); // mutants
  assign v = a + (* hyperkill = "off" *) b;
  assign w = s ? (* hyperkill = "off" *) a : b;
  assign x = - (* hyperkill = "off" *) p::f(a);
  always @* begin
    (* hyperkill = "off" *) k = a;
    if (s) (* hyperkill = "off" *) begin k = b; end // mutants
    (* other *) k[0] = s; // mutants
  end
  always @(posedge clk) (* hyperkill = "off" *) if (s) l <= a; else l <= b;
  (* hyperkill = "off" *) always @(posedge clk) n <= n + a;
  (* hyperkill = "off", keep *) function f(input x);
    f = !x;
  endfunction
  always @* o = f(s); // mutants
  always @* case (a[1:0])
    0: c = 1; // mutants
    1: (* hyperkill = "off" *) c = 2;
    default: c = 3; // mutants
  endcase
  genvar t;
  generate for (t = 0; t < 4; t = t + 1) begin : lane
    (* hyperkill = "off" *) assign g[t] = a[t] & b[t];
    assign h[t] = a[t] | b[t]; // mutants
  end endgenerate
endmodule
"#;

#[test]
fn attributes_exclude_what_they_stand_before_wherever_that_is() {
    let text = EXCLUDED_BY_ATTRIBUTES;
    let found = translate(text).expect("a design");
    assert_eq!(mutated_lines(&found, "m.v"), marked_lines(text));
    // The exclusion of a branch covers mutants of the statement around it that change the branch.
    let changed = |(mutant, _): &(Mutant, Option<String>)| mutant.original.contains("off");
    assert!(!found.catalogue.iter().any(changed));
}

const EXCLUDED_BY_COMMENTS: &str = r#"
module n(input a, b, output y);
  assign y = a & b; // mutants
endmodule
module m(input clk, input [3:0] a, b, input s, output p, output [3:0] g, h, e, output reg [3:0] c);
  n i(
    .a(a[0] & s), // mutants
    .b(b[0] & s), // hyperkill: off
    .y(p));
  genvar v;
  generate for (v = 0; v < 4; v = v + 1) begin : x
    // hyperkill: off
    assign g[v] = a[v] & b[v];
    // hyperkill: on
    assign h[v] = a[v] ^ b[v]; // mutants
  end endgenerate
  function f(input x);
    f = !x; // hyperkill: off
  endfunction
  always @* case (a[1:0])
    0: c = 1; // mutants
    1:
      c = 2; // hyperkill: off
    default: c = f(s); // mutants
  endcase
  // hyperkill: off
  `include "off.vh"
  // hyperkill: on
  `include "part.vh"
  assign e = off(a) ^ part(b); // mutants
  // hyperkill: off
  always @(posedge clk) if (s && a == b) $display("%d", a + b);
endmodule
module o(input a, b, output y); assign y = a & b; endmodule
"#;

#[test]
fn comments_exclude_lines_stretches_and_files_that_are_included_there() {
    let text = EXCLUDED_BY_COMMENTS;
    let included = |name: &str, text: &str| SourceFile {
        included: Some(name.to_owned()),
        ..SourceFile::new(name, text)
    };
    let sources = [
        SourceFile::new("m.v", text),
        included(
            "off.vh",
            "function [3:0] off(input [3:0] x); off = x + 1; endfunction\n",
        ),
        // An excluded range ends at the end of its file at the latest.
        included(
            "part.vh",
            "function [3:0] part(input [3:0] x);\npart = x + 1;\n// hyperkill: off\nif (x[0]) part = x - 1;\nendfunction\n",
        ),
    ];
    let options = FrontendOptions {
        hardware: HardwareOptions {
            top: Some("m".to_owned()),
            ..options().hardware
        },
        ..options()
    };
    let found = VerilogFrontend.translate(&sources, &options);
    let found = found.unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(mutated_lines(&found, "m.v"), marked_lines(text));
    assert!(mutated_lines(&found, "off.vh").is_empty());
    assert_eq!(mutated_lines(&found, "part.vh"), [2]);
}

#[test]
fn mutants_in_macros_replace_whole_usages() {
    let text = "`define SUM a +\n`define TWO 2'd2\nmodule m(input [1:0] a, b, output [1:0] y, z);\n\
        assign y = `SUM b;\nassign z = a + `TWO;\nendmodule\n";
    let found = translate(text).expect("a design");
    let places: Vec<(usize, &str)> = found
        .catalogue
        .iter()
        .map(|(mutant, _)| (mutant.place.line, mutant.original.as_str()))
        .collect();
    assert!(places.contains(&(5, "`TWO")), "{places:?}");
    // The operator on line 4 is inside a macro. A mutant cannot replace a part of a macro usage.
    assert!(
        !places
            .iter()
            .any(|(line, original)| *line == 4 && *original == "+"),
        "{places:?}"
    );
    assert!(places.iter().all(|(line, _)| *line >= 4), "{places:?}");
}

#[test]
fn mangled_texts_neither_panic_nor_hang() {
    let models = models();
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let pieces = [
        "(",
        ")",
        "[1000000000:0]",
        "begin",
        "end",
        "`",
        "`define",
        "'h",
        "*",
        "posedge",
        "{",
        "}",
        ";",
        "\\",
        "\"",
        "/*",
        "generate",
        "999999999",
        "x",
        "é",
    ];
    for round in 0..400 {
        let (_, text) = &models[round % models.len()];
        let mut bytes = text.clone().into_bytes();
        for _ in 0..rng.random_range(1..6) {
            let at = rng.random_range(0..bytes.len());
            match rng.random_range(0..4) {
                0 => {
                    let end = (at + rng.random_range(1..40)).min(bytes.len());
                    bytes.drain(at..end);
                }
                1 => bytes[at] = b' ' + rng.random_range(0..95),
                2 => {
                    let piece = pieces[rng.random_range(0..pieces.len())];
                    bytes.splice(at..at, piece.bytes());
                }
                _ => {
                    let end = (at + rng.random_range(1..60)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Err(errors) = translate(&text) {
            assert!(!errors.is_empty());
            assert!(
                errors
                    .iter()
                    .all(|error| error.message != "the translation failed"),
                "{text}"
            );
        }
    }
}

/// No standard allows this, but the front end must not silently drop the contents of such a package.
#[test]
fn what_a_package_has_besides_declarations_is_part_of_the_design_however_it_is_named_first() {
    let package = "package p; wire [1:0] loose; assign loose = 2'd2; endpackage\n";
    let bodies = [
        "assign o = p::loose;",
        "reg [1:0] r; always @* r = p::loose; assign o = r;",
    ];
    for body in bodies {
        let text = format!("{package}module m(output [1:0] o); {body} endmodule");
        let found = translate(&text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let undriven = found.system.inputs;
        assert!(undriven.is_empty(), "{text}: {undriven:?}");
    }
    let weak =
        "package p; tran t(a, b); endpackage\nmodule m(output o); assign o = p::x; endmodule";
    assert_eq!(
        refusal(weak),
        ("a switch or a weak driver is not supported".to_owned(), 1)
    );
}
