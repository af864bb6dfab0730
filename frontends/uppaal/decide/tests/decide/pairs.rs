//! Mutants of mutants, made one after the other, and their results if decided together.

use hyperkill_core::budget::Budget;
use hyperkill_core::timed::Automaton;
use hyperkill_frontend::{Frontend, FrontendOptions, ProcessOptions, SourceFile, apply};
use hyperkill_timed::family::{Answer, settle};
use hyperkill_timed::refine::{Found, Side, refine};
use hyperkill_uppaal::rules::Preset;
use hyperkill_uppaal::{UppaalFrontend, read, read_automaton};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) mutants: usize,
    pub(crate) killed: usize,
    pub(crate) needless: usize,
    pub(crate) detected: usize,
}

impl Counts {
    pub(crate) fn and(self, other: Counts) -> Counts {
        Counts {
            mutants: self.mutants + other.mutants,
            killed: self.killed + other.killed,
            needless: self.needless + other.needless,
            detected: self.detected + other.detected,
        }
    }

    pub(crate) fn percent(self) -> f64 {
        100.0 * self.detected as f64 / self.needless as f64
    }
}

pub(crate) fn options() -> FrontendOptions {
    FrontendOptions {
        processes: ProcessOptions {
            semantics: Some(Preset::VerifyTga.name().to_owned()),
            ..ProcessOptions::default()
        },
        ..FrontendOptions::default()
    }
}

fn prepared(text: String) -> Vec<SourceFile> {
    let sources = vec![SourceFile::new("model.xml", text)];
    UppaalFrontend
        .prepare(sources, &options())
        .expect("options fit")
}

fn is_deterministic(automaton: &Automaton) -> bool {
    let side = Side::new(automaton.clone(), false, &Budget::unlimited());
    side.expect("no limit").ambiguity().is_none()
}

/// The second-order mutants with the same first change, and for each whether both of its changes violate a guideline.
pub(crate) struct Family {
    pub(crate) automata: Vec<Automaton>,
    pub(crate) violates: Vec<bool>,
}

/// Returns the model, and the texts of its mutants of first order with whether they violate a guideline.
pub(crate) fn firsts(xml: &str) -> (Side, Vec<(String, bool)>) {
    let sources = prepared(xml.to_owned());
    let model = read(&sources, &options()).expect("a model");
    let firsts = model.mutations.iter().map(|first| {
        let text = apply(&sources[0].text, &first.mutant).expect("its place is there");
        (text, first.meaning.is_some())
    });
    let firsts = firsts.collect();
    let side = Side::new(model.automaton, true, &Budget::unlimited());
    (side.expect("no limit"), firsts)
}

/// Returns the mutants that all operators make of a mutant of first order.
pub(crate) fn family((text, violates): &(String, bool)) -> Family {
    let automaton = read_automaton(text, &options()).expect("a model");
    let violates = *violates && is_deterministic(&automaton);
    let again = prepared(text.clone());
    let mut family = Family {
        automata: Vec::new(),
        violates: Vec::new(),
    };
    for second in read(&again, &options()).expect("a model").mutations {
        let text = apply(&again[0].text, &second.mutant).expect("its place is there");
        let automaton = read_automaton(&text, &options()).expect("a model");
        let both = violates && second.meaning.is_some() && is_deterministic(&automaton);
        family.violates.push(both);
        family.automata.push(automaton);
    }
    family
}

/// Returns the counts of a family that is decided together.
pub(crate) fn counted(family: &Family, model: &Side) -> Counts {
    let rules = Preset::VerifyTga.rules();
    let budget = Budget::unlimited();
    let settled = settle(&family.automata, model, rules, &budget).expect("no limit");
    let mut counts = Counts::default();
    for (number, violates) in family.violates.iter().enumerate() {
        let is_killed = match settled.answers[number] {
            Answer::Fails(_) => true,
            Answer::Refines | Answer::Inconsistent => false,
            Answer::Alone | Answer::Alphabets => alone(&family.automata[number], model),
        };
        assert!(!(*violates && is_killed), "{:?}", family.automata[number]);
        counts.mutants += 1;
        counts.killed += usize::from(is_killed);
        counts.needless += usize::from(!is_killed);
        counts.detected += usize::from(*violates);
    }
    counts
}

/// Whether a mutant that is decided alone is killed.
pub(crate) fn alone(mutant: &Automaton, model: &Side) -> bool {
    let budget = Budget::unlimited();
    let side = Side::new(mutant.clone(), true, &budget).expect("no limit");
    let rules = Preset::VerifyTga.rules();
    side.is_consistent()
        && match refine(&side, model, rules, None, &budget) {
            Found::Fails(_) => true,
            Found::Refines(_) => false,
            other => panic!("{other:?}"),
        }
}
