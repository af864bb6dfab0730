//! The requirements on every front end, checked on netlists in all their languages.

use hyperkill_core::mutant::Operator;
use hyperkill_core::system::Translation;
use hyperkill_frontend::conformance::{Subject, check};
use hyperkill_frontend::{Diagnostic, Frontend, FrontendOptions, ModelOption, SourceFile, Span};
use hyperkill_netlist::NetlistFrontend;

use crate::models::{BENCH, BLIF, JSON};

#[test]
fn netlists_hold_what_every_front_end_must() {
    let languages: [(&dyn Frontend, &str); 3] = [
        (&NetlistFrontend::Blif, BLIF),
        (&NetlistFrontend::Bench, BENCH),
        (&NetlistFrontend::Yosys, JSON),
    ];
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

/// A fault of a front end that the checks must find.
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

    fn options(&self) -> &'static [ModelOption] {
        NetlistFrontend::Blif.options()
    }

    fn operators(&self) -> Vec<Operator> {
        let mut operators = NetlistFrontend::Blif.operators();
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
        let found = NetlistFrontend::Blif.translate(sources, &options);
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
