//! The exchange of `<=` and `=`: always made at clock edges, and only on request in combinational blocks.

use hyperkill_frontend::{Frontend, FrontendOptions, NamePredicate, SourceFile};
use hyperkill_verilog::VerilogFrontend;

/// A task that is called at clock edges and in combinational blocks.
const TEXT: &str = "module m(input clk, input [1:0] d, output reg [1:0] q, output reg [1:0] y, output reg [1:0] z);
task low(input [1:0] v, output [1:0] w); w = v & 1; endtask
task high(input [1:0] v, output [1:0] w); w = v & 2; endtask
reg [1:0] r;
always @(posedge clk) begin q <= d; r = q; low(r, z); end
always @* begin y = d; if (q[0]) high(q, y); end
endmodule
";

/// Returns the operators and lines of the exchanges.
fn exchanges(operators: Option<NamePredicate>) -> Vec<(String, usize)> {
    let options = FrontendOptions {
        operators,
        ..FrontendOptions::default()
    };
    let found = VerilogFrontend.translate(&[SourceFile::new("m.v", TEXT)], &options);
    let mutants = found.expect("a design").catalogue.into_iter();
    let exchanges =
        mutants.filter(|(mutant, _)| ["BNB", "BNC"].contains(&mutant.operator.as_str()));
    exchanges
        .map(|(mutant, _)| (mutant.operator, mutant.place.line))
        .collect()
}

fn named(operator: &str, lines: &[usize]) -> Vec<(String, usize)> {
    lines
        .iter()
        .map(|line| (operator.to_owned(), *line))
        .collect()
}

#[test]
fn exchanges_are_made_at_edges_and_elsewhere_only_if_asked_for() {
    assert_eq!(exchanges(None), named("BNB", &[2, 5, 5]));
    let elsewhere = NamePredicate::names(["BNC"]);
    assert_eq!(exchanges(Some(elsewhere)), named("BNC", &[3, 6]));
    let all = exchanges(Some(NamePredicate::new(|_| true)));
    assert_eq!(all.len(), 5);
}

#[test]
fn the_catalogue_says_what_must_be_asked_for() {
    let operators = VerilogFrontend.operators();
    let on_demand = operators
        .iter()
        .filter(|o| o.summary.ends_with("(only if asked for)"));
    let names: Vec<&str> = on_demand.map(|operator| operator.name.as_str()).collect();
    assert_eq!(names, ["BNC"]);
}
