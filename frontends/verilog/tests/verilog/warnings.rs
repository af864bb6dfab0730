//! Deviations from simulators are reported once each, at their place.

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_verilog::VerilogFrontend;

/// Returns the warnings on a text, each with the text at its place.
fn warnings(text: &str) -> Vec<(String, String)> {
    let sources = [SourceFile::new("m.v", text)];
    let found = VerilogFrontend.translate(&sources, &FrontendOptions::default());
    let found = found.unwrap_or_else(|errors| panic!("{errors:?}"));
    let warnings = found.warnings.into_iter();
    warnings
        .map(|warning| {
            let (start, end) = warning.bytes;
            (warning.message, text[start..end].to_owned())
        })
        .collect()
}

#[test]
fn a_block_that_does_not_wait_for_what_it_reads_is_warned_of_at_the_first_such_place() {
    let found = warnings(
        "module m (input a, b, c, output reg y);
           always @(a) y = a & b | c;
         endmodule",
    );
    let [(message, place)] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(message.starts_with("this block reads `b`, `c` without waiting for it"));
    assert_eq!(place, "b");
}

#[test]
fn what_a_called_function_reads_of_the_module_is_read_by_the_block() {
    let found = warnings(
        "module m (input a, b, output reg y);
           function f(input x); f = x & b; endfunction
           always @(a) y = f(a);
         endmodule",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn instances_of_one_module_are_warned_of_once() {
    let found = warnings(
        "module n (input a, b, output reg y); always @(a) y = a & b; endmodule
         module m (input a, b, output y, z);
           n one (a, b, y);
           n two (b, a, z);
         endmodule",
    );
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn blocks_that_wait_for_all_that_they_read_are_not_warned_of() {
    let found = warnings(
        "module m (input clk, a, b, input [3:0] v, output reg x, y, z, w, q);
           reg t;
           integer i;
           localparam P = 1'b1;
           always @(a or b) begin t = a; x = t & b & P; end
           always @* y = a & b;
           always_comb z = a | b;
           always @(v) begin w = 0; for (i = 0; i < 4; i = i + 1) w = w ^ v[i]; end
           always @(posedge clk) q <= a & b;
         endmodule",
    );
    assert_eq!(found, []);
}

#[test]
fn a_promise_that_a_case_is_full_is_warned_of_where_it_can_be_broken() {
    let text = |labels: &str| {
        format!(
            "module m (input [1:0] s, input a, b, output reg y);
               always @* (* full_case *) case (s) {labels} endcase
             endmodule"
        )
    };
    let found = warnings(&text("0: y = a; 1: y = b;"));
    let [(message, place)] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(message.starts_with("`full_case` promises"));
    assert_eq!(place, "s");
    assert_eq!(warnings(&text("0, 1: y = a; 2, 3: y = b;")), []);
    assert_eq!(warnings(&text("0: y = a; default: y = b;")), []);
}

#[test]
fn a_value_by_blocking_assignment_that_another_block_reads_at_the_edge_is_warned_of() {
    let text = |early: &str, late: &str| {
        format!(
            "module m (input clk, a, output reg x, y, output z);
               reg r, s;
               wire w = !r;
               assign z = s;
               always @(posedge clk) begin r {early} a; s = a; y <= s; end
               always @(posedge clk) x {late} w;
             endmodule"
        )
    };
    for (late, early) in [("<=", "="), ("=", "=")] {
        let found = warnings(&text(early, late));
        let [(message, _)] = &found[..] else {
            panic!("{found:?}");
        };
        assert!(
            message.starts_with("`r` gets its value by `=`"),
            "{message}"
        );
    }
    assert_eq!(warnings(&text("<=", "=")), []);

    let sources = [SourceFile::new("m.v", text("<=", "<="))];
    let found = VerilogFrontend.translate(&sources, &FrontendOptions::default());
    let found = found.expect("a design");
    let exchanges = found.catalogue.iter();
    let exchanges = exchanges.filter(|(mutant, _)| mutant.operator == "BNB");
    let raced = |reason: &Option<String>| {
        let reason = reason.as_ref();
        reason.is_some_and(|reason| reason.contains("simulators may take either"))
    };
    let raced: Vec<(String, bool)> = exchanges
        .map(|(mutant, reason)| (mutant.replacement.clone(), raced(reason)))
        .collect();
    let (races, others): (Vec<_>, Vec<_>) = raced.into_iter().partition(|(_, raced)| *raced);
    assert_eq!((races.len(), others.len()), (1, 3));
}

#[test]
fn what_only_a_called_task_reads_is_warned_of_unless_the_block_is_always_comb() {
    let text = |block: &str| {
        format!(
            "module m (input a, b, output reg y);
               task t(input x, output z); z = x & b; endtask
               {block} t(a, y);
             endmodule"
        )
    };
    let found = warnings(&text("always @*"));
    let [(message, place)] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(
        message.starts_with("a function of this block reads `b`"),
        "{message}"
    );
    assert_eq!(place, "b");
    assert_eq!(warnings(&text("always_comb")), []);
    assert_eq!(warnings(&text("always @(a or b)")), []);
}
