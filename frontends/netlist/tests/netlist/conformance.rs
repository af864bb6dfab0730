//! What every front end must hold, for netlists in both languages.

use hyperkill_core::mutant::Operator;
use hyperkill_core::system::Translation;
use hyperkill_frontend::conformance::{Subject, check};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, SourceFile, Span};
use hyperkill_netlist::{BlifFrontend, YosysFrontend};

const BLIF: &str = "\
.model top
.inputs clk en x[0] x[1]
.outputs q[1] q[0] c
.subckt inc a=q[0] b=q[1] e=en s0=d0 s1=d1 co=c0
.latch d0 q[0] re clk 0
.latch d1 q[1] re clk 2
.names c0 x[0] \\
 x[1] c
1-1 1
11- 1
.end
.model inc
.inputs a b e
.outputs s0 s1 co
.names a e s0
10 1
01 1
.names a e g # carry
11 1
.names b g s1
10 1
01 1
.names b g co
11 1
.end
";

const JSON: &str = r#"{ "creator": "somebody", "modules": { "top": { "attributes": { "top": "1" },
 "ports": { "clk": { "direction": "input", "bits": [ 2 ] }, "rst": { "direction": "input", "bits": [ 3 ] },
  "a": { "direction": "input", "bits": [ 4, 5 ] }, "q": { "direction": "output", "bits": [ 6, 7 ] } },
 "cells": {
  "sum": { "hide_name": 0, "type": "$add", "parameters": { "A_SIGNED": "0", "A_WIDTH": "00010",
    "B_SIGNED": "0", "B_WIDTH": "10", "Y_WIDTH": "10" },
   "attributes": { "src": "x.v:1" }, "port_directions": { "A": "input", "B": "input", "Y": "output" },
   "connections": { "A": [ 4, 5 ], "B": [ 6, "1" ], "Y": [ 8, 9 ] } },
  "state": { "type": "$adff", "parameters": { "ARST_POLARITY": "1", "ARST_VALUE": "01", "CLK_POLARITY": "1", "WIDTH": "10" },
   "attributes": { }, "connections": { "ARST": [ 3 ], "CLK": [ 2 ], "D": [ 8, 9 ], "Q": [ 6, 7 ] } } },
 "netnames": { "q": { "hide_name": 0, "bits": [ 6, 7 ], "attributes": { "init": "0x" } } } } } }"#;

#[test]
fn netlists_hold_what_every_front_end_must() {
    let languages: [(&dyn Frontend, &str); 2] = [(&BlifFrontend, BLIF), (&YosysFrontend, JSON)];
    for (frontend, text) in languages {
        let subject = Subject {
            frontend,
            sources: &[SourceFile::new("netlist", text)],
            options: &FrontendOptions::default(),
            sample: 100,
            damaged: 200,
        };
        let seen = check(&subject).unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
        println!("{}: {seen:?}", frontend.name());
        assert!(seen.alone > 20 && seen.refused > 50, "{seen:?}");
    }
}

/// What a front end may do wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    TwiceTheSameId,
    AnotherPlace,
    AnotherId,
    NoSelector,
    SelectorsInAnotherOrder,
    UnlistedOperator,
    AlwaysAllMutants,
    PlacesOutsideTheText,
    Panic,
    NoNote,
    AnotherMeaning,
}

struct Faulty(Fault);

impl Frontend for Faulty {
    fn name(&self) -> &'static str {
        "blif"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["blif"]
    }

    fn operators(&self) -> Vec<Operator> {
        let mut operators = BlifFrontend.operators();
        if self.0 == Fault::UnlistedOperator {
            operators.remove(0);
        }
        operators
    }

    fn translate(
        &self,
        sources: &[SourceFile],
        options: &FrontendOptions,
    ) -> Result<Translation, Vec<Diagnostic>> {
        let mut options = options.clone();
        if self.0 == Fault::AlwaysAllMutants {
            options.operators = None;
        }
        let found = BlifFrontend.translate(sources, &options);
        let mut found = found.map_err(|errors| match self.0 {
            Fault::Panic => panic!("refused"),
            Fault::PlacesOutsideTheText => {
                let end = sources[0].text.len() + 1;
                vec![Diagnostic::error(Span::new(end, end), "wrong")]
            }
            _ => errors,
        })?;
        if self.0 == Fault::NoNote {
            found.role_notes.clear();
        }
        let catalogue = &mut found.catalogue;
        if catalogue.len() < 4 {
            return Ok(found);
        }
        match self.0 {
            Fault::TwiceTheSameId => catalogue[1].0 = catalogue[0].0.clone(),
            Fault::AnotherPlace => catalogue[3].0.place.start += 1,
            Fault::AnotherId => catalogue[3].0.path.push('x'),
            Fault::NoSelector => drop(found.system.selectors.pop()),
            Fault::SelectorsInAnotherOrder => found.system.selectors.swap(0, 1),
            // With mutants only, so that no plain source shows it.
            Fault::AnotherMeaning => {
                let outputs = &mut found.system.outputs;
                let first = outputs[0].term;
                outputs[0].term = outputs[1].term;
                outputs[1].term = first;
            }
            _ => {}
        }
        Ok(found)
    }
}

#[test]
fn faults_of_a_front_end_are_found() {
    for (fault, says) in [
        (Fault::TwiceTheSameId, "two mutants are called"),
        (Fault::AnotherPlace, "there is no"),
        (Fault::AnotherId, "should be"),
        (Fault::NoSelector, "the selectors are not"),
        (Fault::SelectorsInAnotherOrder, "the selectors are not"),
        (Fault::UnlistedOperator, "which is not listed"),
        (Fault::AlwaysAllMutants, "there are mutants of no operator"),
        (Fault::PlacesOutsideTheText, "no place of the text"),
        (Fault::Panic, "it panics"),
        (Fault::NoNote, "no note says"),
        (Fault::AnotherMeaning, "is not its plain source"),
    ] {
        let text =
            ".model m\n.inputs a b\n.outputs y z\n.names a b y\n11 1\n.names a b z\n10 1\n.end\n";
        let subject = Subject {
            frontend: &Faulty(fault),
            sources: &[SourceFile::new("netlist", text)],
            options: &FrontendOptions::default(),
            sample: 100,
            damaged: 20,
        };
        let wrong = check(&subject).expect_err("a fault").join("\n");
        assert!(wrong.contains(says), "{fault:?}: {wrong}");
    }
}
