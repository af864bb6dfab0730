//! Netlists compared with yosys and ABC: our circuit and their circuit of the same text are proved equal, and mutants behind selectors
//! equal the mutated texts.
//!
//! The tools are searched on the path; without them the tests pass with a printed notice.

use hyperkill_core::aiger::read;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::specialise::keep_mutants;
use hyperkill_core::{Aig, ConditionalMutant, Reset, SelectorId};
use hyperkill_frontend::{Frontend, FrontendOptions, HardwareOptions, SourceFile, apply};
use hyperkill_netlist::NetlistFrontend;
use hyperkill_tests::bench::random_bench;
use hyperkill_tests::blif::random_blif;
use hyperkill_tests::miter::proved_equal;
use hyperkill_tests::peers::{Abc, Yosys};

/// Translates a text, to be run from power-up. Registers without an initial value start at 0. Without `mutants`, there are none.
fn translated(frontend: &dyn Frontend, text: &str, mutants: bool) -> ConditionalMutant {
    let mut options = FrontendOptions {
        hardware: HardwareOptions {
            zero_init: true,
            infer_no_resets: true,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    if !mutants {
        options.operators = Some(hyperkill_frontend::NamePredicate::new(|_| false));
    }
    let translation = frontend
        .translate(&[SourceFile::new("netlist", text)], &options)
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let mut model = bit_blast(&translation.system).expect("a circuit").model;
    model.mutants = translation
        .catalogue
        .into_iter()
        .map(|(mutant, _)| mutant)
        .collect();
    model
}

/// Returns the circuit of the mutant behind this selector, without selectors.
fn mutant(model: &ConditionalMutant, selector: SelectorId) -> Aig {
    let mut one = keep_mutants(model, &[selector]).aig;
    let latches = one.latches();
    let at = latches.iter().position(|latch| {
        latch
            .name
            .as_deref()
            .is_some_and(|name| name.starts_with("mut:"))
    });
    if let Some(at) = at {
        one.set_reset(at, Reset::One);
    }
    one
}

#[test]
fn random_blifs_are_proved_equal_to_what_yosys_reads() {
    const COUNT: u64 = 300;
    let Some(yosys) = Yosys::find("BLIF beside yosys") else {
        return;
    };
    let texts: Vec<String> = (0..COUNT).map(random_blif).collect();
    let mut script = String::new();
    let mut files = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        files.push((format!("{i}.blif"), text.clone().into_bytes()));
        script += &format!(
            "read_blif {i}.blif; hierarchy -check -top top; flatten; opt_clean; setundef -init -zero; simplemap; aigmap; \
            zinit -all; setundef -zero; opt_clean; write_aiger -symbols {i}.aig; design -reset; "
        );
    }
    let results: Vec<String> = (0..texts.len()).map(|i| format!("{i}.aig")).collect();
    let circuits = yosys
        .make(&files, &script, &results)
        .unwrap_or_else(|e| panic!("{e}"));
    for (text, bytes) in texts.iter().zip(circuits) {
        let theirs = read(&bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let ours = translated(&NetlistFrontend::Blif, text, false).aig;
        proved_equal(&ours, &theirs).unwrap_or_else(|what| panic!("{what}\n{text}"));
    }
}

#[test]
fn random_netlists_of_iscas_are_proved_equal_to_what_abc_reads() {
    const COUNT: u64 = 300;
    let Some(abc) = Abc::find("netlists of ISCAS beside abc") else {
        return;
    };
    let texts: Vec<String> = (0..COUNT).map(random_bench).collect();
    let circuits = abc.read_bench(&texts).unwrap_or_else(|e| panic!("{e}"));
    for (text, bytes) in texts.iter().zip(circuits) {
        let theirs = read(&bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let ours = translated(&NetlistFrontend::Bench, text, false).aig;
        proved_equal(&ours, &theirs).unwrap_or_else(|what| panic!("{what}\n{text}"));
    }
}

#[test]
fn mutants_of_netlists_behind_selectors_are_the_mutated_texts() {
    for seed in 1000..1030 {
        mutants_are_the_mutated_texts(&NetlistFrontend::Blif, &random_blif(seed));
        mutants_are_the_mutated_texts(&NetlistFrontend::Bench, &random_bench(seed));
    }
}

fn mutants_are_the_mutated_texts(frontend: &dyn Frontend, text: &str) {
    let model = translated(frontend, text, true);
    assert_eq!(model.mutants.len(), model.selectors.len());
    for (selector, found) in model.mutants.iter().enumerate() {
        let mutated = apply(text, found).expect("it is there");
        let alone = translated(frontend, &mutated, false).aig;
        let behind = mutant(&model, SelectorId(selector));
        proved_equal(&alone, &behind)
            .unwrap_or_else(|what| panic!("{what}: {found:?}\n{text}\n{mutated}"));
    }
}

/// The types of cells for which yosys generates random examples, as far as they are supported.
const CELLS: [&str; 37] = [
    "add",
    "and",
    "bmux",
    "demux",
    "div",
    "divfloor",
    "eq",
    "ge",
    "gt",
    "le",
    "logic_and",
    "logic_not",
    "logic_or",
    "lt",
    "lut",
    "mod",
    "modfloor",
    "mul",
    "mux",
    "ne",
    "neg",
    "not",
    "or",
    "pos",
    "reduce_and",
    "reduce_bool",
    "reduce_or",
    "reduce_xnor",
    "reduce_xor",
    "shift",
    "shiftx",
    "shl",
    "shr",
    "sshl",
    "sshr",
    "sub",
    "xor",
];

#[test]
fn cells_are_proved_equal_to_what_yosys_maps_them_to() {
    const EACH: usize = 4;
    let Some(yosys) = Yosys::find("cells beside yosys") else {
        return;
    };
    let mut script = format!("test_cell -n {EACH} -s 7 -w cell all; ");
    let mut results = Vec::new();
    for kind in CELLS {
        for number in 0..EACH {
            let name = format!("cell_{kind}_{number:05}");
            // Bits beyond the end of a word are x. yosys maps x to any value, hyperkill to 0.
            script += &format!(
                "read_rtlil {name}.il; write_json {name}.json; chtype -set $shift t:$shiftx; techmap; simplemap; aigmap; \
                setundef -zero; opt_clean; write_aiger -symbols {name}.aig; design -reset; "
            );
            results.extend([format!("{name}.json"), format!("{name}.aig")]);
        }
    }
    let made = yosys
        .make(&[], &script, &results)
        .unwrap_or_else(|e| panic!("{e}"));
    let mut wrong = Vec::new();
    for (pair, names) in made.chunks(2).zip(results.chunks(2)) {
        let text = String::from_utf8(pair[0].clone()).expect("UTF-8");
        let theirs = read(&pair[1]).expect("a circuit");
        let ours = translated(&NetlistFrontend::Yosys, &text, false).aig;
        if let Err(what) = proved_equal(&ours, &theirs) {
            wrong.push(format!("{}: {what}", names[0]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Verilog designs, with yosys passes that make netlists and circuits of them.
#[test]
fn designs_and_their_mutants_are_proved_equal_to_what_yosys_makes_of_them() {
    const DESIGNS: [&str; 6] = ["counter", "fifo", "alu", "serial", "gray", "arbiter"];
    const STRIDE: usize = 11;
    let Some(yosys) = Yosys::find("netlists of designs") else {
        return;
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models/verilog-netlists");
    let mut script = String::new();
    let mut results = Vec::new();
    for name in DESIGNS {
        script += &format!(
            "read_verilog {folder}/{name}.v; prep -flatten -auto-top; memory_map; techmap -map +/pmux2mux.v; opt \
            -mux_undef; write_json {name}.json; setundef -init -zero; async2sync; dffunmap; techmap; dfflegalize -cell \
            $_DFF_P_ 01 -cell $_DFF_N_ 01; opt_clean; zinit -all; aigmap; setundef -zero; opt_clean; write_aiger -symbols \
            {name}.aig; design -reset; "
        );
        results.extend([format!("{name}.json"), format!("{name}.aig")]);
    }
    let made = yosys
        .make(&[], &script, &results)
        .unwrap_or_else(|e| panic!("{e}"));
    for (pair, name) in made.chunks(2).zip(DESIGNS) {
        let text = String::from_utf8(pair[0].clone()).expect("UTF-8");
        let theirs = read(&pair[1]).expect("a circuit");
        let ours = translated(&NetlistFrontend::Yosys, &text, false).aig;
        proved_equal(&ours, &theirs).unwrap_or_else(|what| panic!("{name}: {what}"));
        let model = translated(&NetlistFrontend::Yosys, &text, true);
        for (selector, found) in model.mutants.iter().enumerate().step_by(STRIDE) {
            let mutated = apply(&text, found).expect("it is there");
            let alone = translated(&NetlistFrontend::Yosys, &mutated, false).aig;
            let behind = mutant(&model, SelectorId(selector));
            proved_equal(&alone, &behind)
                .unwrap_or_else(|what| panic!("{name}: {what}: {found:?}"));
        }
    }
}
