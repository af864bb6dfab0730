//! Options for reading a model: each language accepts its own, and refuses all others with the reason.

use std::fs;

use hyperkill::ExitCode;
use hyperkill::languages;

use crate::support::{LOCK, Place, TOGGLE, hyperkill};
use crate::timed::DOOR;

/// The options, with a value if they take one.
const OPTIONS: [(&str, &str); 24] = [
    ("-D", "N=3"),
    ("--domain", "chaos:9:5"),
    ("--undefined", "error"),
    ("--top", "none"),
    ("--reset", "none"),
    ("--zero-init", ""),
    ("-P", "N=3"),
    ("--one-clock", ""),
    ("--clock", "a"),
    ("--assume", "x"),
    ("--blackbox", "m"),
    ("--function", "m"),
    ("--sut", "P"),
    ("--environment", "open"),
    ("--semantics", "strict"),
    ("--totalise", "sink"),
    ("--complete", ""),
    ("--observe", "outputs"),
    ("--range", "n=0..9"),
    ("--inputs", "*"),
    ("--outputs", "*"),
    ("--nd", "*"),
    ("--mut", "*"),
    ("--via", "yosys"),
];

/// A model in each language, with the name of the language.
const MODELS: [(&str, &str, &str); 12] = [
    ("smv", "m.smv", LOCK),
    (
        "blif",
        "m.blif",
        ".model m\n.inputs a\n.outputs b\n.names a b\n1 1\n.end\n",
    ),
    ("bench", "m.bench", "INPUT(a)\nOUTPUT(b)\nb = NOT(a)\n"),
    ("yosys-json", "n.json", "{\"modules\": {}}"),
    (
        "verilog",
        "m.v",
        "module m(input a, output b); assign b = !a; endmodule\n",
    ),
    (
        "action-system",
        "m.as",
        include_str!("../../../../tests/models/action-system/till/model.as"),
    ),
    (
        "efsm",
        "m.efsm",
        include_str!("../../../../tests/models/efsm/figure-1a.efsm"),
    ),
    (
        "graphwalker",
        "m.json",
        include_str!("../../../../tests/models/graphwalker/shop/model.json"),
    ),
    (
        "efsm-tools",
        "m.gv",
        "digraph m { s -> t [label=\"e\"]; }\n",
    ),
    ("timed-fsm", "m.tfsm", DOOR),
    (
        "uppaal",
        "m.xml",
        include_str!("../../../../tests/models/uppaal/lamp/model.xml"),
    ),
    ("ecdar", "p.json", "{}"),
];

#[test]
fn every_language_refuses_the_options_of_others_with_the_reason_and_its_own_ones() {
    let place = Place::with("m.aag", TOGGLE);
    let all = languages::all();
    for frontend in &all {
        let name = frontend.name();
        let found = MODELS.iter().find(|(language, ..)| *language == name);
        let (_, file, text) = found.unwrap_or_else(|| panic!("no model in {name}"));
        fs::write(place.path(file), text).unwrap();
        let own: Vec<&str> = frontend
            .options()
            .iter()
            .map(|option| option.flag())
            .collect();
        for (option, value) in OPTIONS {
            if own.contains(&option) || option == "--via" {
                continue;
            }
            let model = place.arg(file);
            let mut args = vec!["list", &model, "--language", name, option];
            if !value.is_empty() {
                args.push(value);
            }
            let refused = hyperkill(args).expect(ExitCode::Usage).stderr;
            let said = format!("{option} {value}");
            let said = format!("{} means nothing for models in {name}: ", said.trim_end());
            assert!(refused.contains(&said), "{name} {option}: {refused}");
            for own in &own {
                assert!(refused.contains(own), "{name} {option}, {own}: {refused}");
            }
        }
    }
    let refused = hyperkill(["list", &place.arg("m.aag"), "--complete"]);
    let refused = refused.expect(ExitCode::Usage).stderr;
    assert!(refused.contains("models in other languages"), "{refused}");
}

#[test]
fn the_table_has_every_option_that_a_language_declares() {
    for frontend in languages::all() {
        for option in frontend.options() {
            let known = OPTIONS.iter().any(|(flag, _)| *flag == option.flag());
            let elsewhere = ["-I", "--ticks", "--stub"].contains(&option.flag());
            assert!(known || elsewhere, "{}", option.flag());
        }
    }
}
