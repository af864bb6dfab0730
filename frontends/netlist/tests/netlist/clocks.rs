//! Clocks that reach registers by buffers and inverters.

use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_netlist::NetlistFrontend;

fn model(gates: &str, latch: &str) -> Vec<SourceFile> {
    let text = format!(
        ".model m\n.inputs clk a\n.outputs y\n{gates}.latch d y {latch} 0\n.names a y d\n10 1\n01 1\n.end\n"
    );
    vec![SourceFile::new("m.blif", text)]
}

const INVERTER: &str = ".names clk far\n0 1\n.names far near\n1 1\n";

#[test]
fn an_inverted_clock_is_the_other_edge_and_its_way_has_no_mutants() {
    let options = FrontendOptions::default();
    let (inverted, plain) = (model(INVERTER, "re near"), model("", "fe clk"));
    let clocks = |sources: &[SourceFile]| {
        let hardware = NetlistFrontend::Blif
            .hardware(sources, &options)
            .expect("a netlist");
        hardware.expect("hardware").clocks
    };
    assert_eq!(clocks(&inverted), clocks(&plain));
    let translated = |sources: &[SourceFile]| {
        let found = NetlistFrontend::Blif.translate(sources, &options);
        found.expect("a netlist")
    };
    let (inverted, plain) = (translated(&inverted), translated(&plain));
    let paths = |found: &hyperkill_core::system::Translation| -> Vec<String> {
        let mutants = found.catalogue.iter();
        mutants.map(|(mutant, _)| mutant.path.clone()).collect()
    };
    assert_eq!(paths(&inverted), paths(&plain));
    assert!(!paths(&plain).is_empty());
    assert_eq!(inverted.system.inputs.len(), 1);
}

#[test]
fn a_clock_whose_inverse_is_read_as_a_value_is_refused() {
    let gates = format!("{INVERTER}.names far a q\n11 1\n");
    let sources = model(&gates, "re near");
    let errors = NetlistFrontend::Blif.translate(&sources, &FrontendOptions::default());
    let error = errors.expect_err("read as a value").remove(0);
    assert_eq!(error.message, "the clock `clk` is read as a value");
    let place = error.span.expect("a place").of(&sources[0].text);
    assert!(place.starts_with(".names far a q"), "{place}");
}
