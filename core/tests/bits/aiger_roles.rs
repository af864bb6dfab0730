//! Roles and types in AIGER files: names, overrides, the comment; stimulus and witness files.

use crate::random::{self, Size};
use hyperkill_core::ConditionalMutant;
use hyperkill_core::aig::{Aig, Reset};
use hyperkill_core::aiger::stimulus::{
    Property, Witness, ground, read_stimulus, read_witnesses, write_stimulus, write_witness,
};
use hyperkill_core::aiger::{
    NamesDecide, RoleError, RoleGlobs, annotate, conditional_mutant, read, write_ascii,
    write_binary,
};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::{Mutant, MutantId, Place};
use hyperkill_core::sort::Sort;
use hyperkill_core::system::InputRole;
use hyperkill_core::trace::Stimulus;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two inputs (one a choice), a selector, a state bit and an output.
const SMALL: &str =
    "aag 5 2 2 1 1\n2\n4\n6 6 6\n8 10\n10\n10 2 7\ni0 go\ni1 nd:coin\nl0 mut:m1\nl1 q\no0 light\n";

fn model(text: &str) -> Result<ConditionalMutant, RoleError> {
    conditional_mutant(read(text.as_bytes()).unwrap(), &NamesDecide)
}

fn names(ports: &[Port]) -> Vec<&str> {
    ports.iter().map(|port| port.name.as_str()).collect()
}

#[test]
fn names_decide_roles_in_files_of_other_tools() {
    let model = model(SMALL).unwrap();
    assert_eq!(names(&model.inputs), ["go"]);
    assert_eq!(names(&model.choices), ["coin"]);
    assert_eq!(model.choices[0].bits, [1]);
    assert_eq!(names(&model.outputs), ["light"]);
    let id = MutantId("m1".to_owned());
    assert_eq!(model.selectors, [SelectorLatch { id, latch: 0 }]);
}

#[test]
fn the_latch_called_mut_selects_the_mutant_mut() {
    let model = model(&SMALL.replace("mut:m1", "mut")).unwrap();
    assert_eq!(model.selectors[0].id.0, "mut");
}

#[test]
fn unnamed_things_are_named_by_section_and_index_without_clashes() {
    let aig = read(b"aag 4 4 0 2 0\n2\n4\n6\n8\n2\n4\ni1 in0\ni2 x\ni3 x\no1 o\n").unwrap();
    let model = conditional_mutant(aig, &NamesDecide).unwrap();
    assert_eq!(names(&model.inputs), ["in0_", "in0", "x#2", "x#3"]);
    assert_eq!(names(&model.outputs), ["out0", "o"]);
}

#[test]
fn a_selector_that_is_not_free_and_constant_is_refused_with_its_latch() {
    let message = |text: &str| model(text).unwrap_err().to_string();
    assert_eq!(
        message(&SMALL.replace("6 6 6", "6 7 6")),
        "latch 0 (`mut:m1`) is a mutant selector, but its next value is not itself"
    );
    assert_eq!(
        message(&SMALL.replace("6 6 6", "6 6 1")),
        "latch 0 (`mut:m1`) is a mutant selector, but it is initialised"
    );
    assert_eq!(
        message(
            &SMALL
                .replace("8 10\n", "8 8 8\n")
                .replace("l1 q", "l1 mut:m1")
        ),
        "latch 1 (`mut:m1`) is a second selector of mutant `m1`"
    );
}

/// The overrides of `--nd go --mut q --outputs none`.
struct Overrides;

impl RoleGlobs for Overrides {
    fn input(&self, name: &str) -> Option<InputRole> {
        match name {
            "go" => Some(InputRole::Choice),
            "nd:coin" => Some(InputRole::Test),
            _ => None,
        }
    }

    fn is_selector(&self, latch: &str) -> Option<bool> {
        Some(latch == "q")
    }

    fn is_observable(&self, output: &str) -> bool {
        output != "light"
    }
}

#[test]
fn overrides_win_against_names_and_survive_writing() {
    let text = SMALL
        .replace("8 10\n10\n", "8 8 8\n10\n10\n")
        .replace("2 1 1\n", "2 2 1\n");
    let text = format!("{text}o1 sound\n");
    let model = conditional_mutant(read(text.as_bytes()).unwrap(), &Overrides).unwrap();
    assert_eq!(names(&model.inputs), ["nd:coin"]);
    assert_eq!(names(&model.choices), ["go"]);
    assert_eq!(model.selectors[0].id.0, "q");
    assert_eq!(names(&model.outputs), ["sound"]);
    assert_eq!(
        (model.aig.outputs.len(), &model.outputs[0].bits[..]),
        (1, &[0][..])
    );

    let file = write_ascii(&annotate(&model));
    let again = conditional_mutant(read(&file).unwrap(), &NamesDecide).unwrap();
    assert_same(&again, &model);
}

fn assert_same(a: &ConditionalMutant, b: &ConditionalMutant) {
    assert_eq!(a.name, b.name);
    assert_eq!(a.inputs, b.inputs);
    assert_eq!(a.choices, b.choices);
    assert_eq!(a.outputs, b.outputs);
    assert_eq!(a.selectors, b.selectors);
    assert_eq!(a.mutants, b.mutants);
}

fn random_sort(rng: &mut ChaCha8Rng) -> Sort {
    match rng.random_range(0..6) {
        0 => Sort::Bit,
        1 => Sort::Bool,
        2 => Sort::enumeration(["only \"one\""]),
        3 => Sort::enumeration(["coin", "req", "none"]),
        4 => Sort::Range { low: -3, high: 9 },
        _ => Sort::Word {
            width: 5,
            signed: rng.random(),
        },
    }
}

/// Returns a typed model over a random circuit.
fn random_model(rng: &mut ChaCha8Rng) -> ConditionalMutant {
    let size = Size {
        inputs: 0,
        latches: 3,
        gates: 0,
    };
    let mut aig: Aig = random::circuit(rng, &size);
    aig.outputs.clear();
    let mut ports = |rng: &mut ChaCha8Rng, prefix: &str, is_output: bool| -> Vec<Port> {
        (0..rng.random_range(0..4))
            .map(|i| {
                let sort = random_sort(rng);
                let bits = (0..sort.width()).map(|_| {
                    if is_output {
                        let latch = aig.latches()[rng.random_range(0..3)].var.lit();
                        aig.add_output(latch, None);
                        aig.outputs.len() - 1
                    } else {
                        aig.add_input(None);
                        aig.inputs().len() - 1
                    }
                });
                let mut bits: Vec<usize> = bits.collect();
                bits.reverse();
                let name = format!("{prefix} {i}→");
                Port { name, sort, bits }
            })
            .collect()
    };
    let inputs = ports(rng, "in", false);
    let choices = ports(rng, "nd:choice", false);
    let outputs = ports(rng, "out", true);
    for latch in 0..3 {
        aig.set_latch_name(latch, Some("mut:fake".to_owned()));
    }
    let mut selectors = Vec::new();
    for i in 0..rng.random_range(0..3) {
        let id = MutantId(format!("m-{i}"));
        aig.add_latch(Reset::Free, None);
        let latch = aig.latches().len() - 1;
        selectors.push(SelectorLatch { id, latch });
    }
    let mutants = selectors.iter().map(|selector| Mutant {
        id: selector.id.clone(),
        operator: "constant±1".to_owned(),
        path: "assign/next(x)/0".to_owned(),
        place: Place {
            file: "a\\b \"c\".smv".to_owned(),
            start: 3,
            end: 4,
            line: 1,
            column: 4,
        },
        original: "1\n".to_owned(),
        replacement: "2".to_owned(),
        changes: Vec::new(),
    });
    ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: "model\nof \"two\" lines".to_owned(),
        mutants: mutants.collect(),
        aig,
        inputs,
        choices,
        outputs,
        selectors,
    }
}

#[test]
fn annotated_models_are_restored_with_types_selectors_and_mutants() {
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let model = random_model(&mut rng);
        let annotated = annotate(&model);
        for file in [write_ascii(&annotated), write_binary(&annotated)] {
            let again = conditional_mutant(read(&file).unwrap(), &NamesDecide)
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_same(&again, &model);
            assert_eq!(again.aig.comments, model.aig.comments);
            assert_eq!(write_ascii(&annotate(&again)), write_ascii(&annotated));
        }
    }
}

#[test]
fn wires_of_one_name_are_told_apart_in_the_symbol_table_and_ports_keep_their_names() {
    let mut aig = Aig::new();
    let input = aig.add_input(Some("a".to_owned()));
    let hidden = aig.add_latch(Reset::Zero, Some("a".to_owned()));
    let shown = aig.add_latch(Reset::Zero, Some("b".to_owned()));
    let negated = aig.add_latch(Reset::Zero, Some("c".to_owned()));
    let gate = aig.and(input, hidden);
    for (name, lit) in [("a", gate), ("b", shown), ("c", !negated)] {
        aig.add_output(lit, Some(name.to_owned()));
    }
    let model = conditional_mutant(aig, &NamesDecide).unwrap();
    let annotated = annotate(&model);
    let latches: Vec<_> = annotated.latches().iter().map(|l| l.name.clone()).collect();
    let outputs: Vec<_> = annotated.outputs.iter().map(|o| o.name.clone()).collect();
    let name = |name: &str| Some(name.to_owned());
    assert_eq!(latches, [name("state:a"), name("b"), name("state:c")]);
    assert_eq!(outputs, [name("out:a"), name("b"), name("c")]);
    let back = conditional_mutant(read(&write_binary(&annotated)).unwrap(), &NamesDecide).unwrap();
    assert_eq!(names(&back.outputs), ["a", "b", "c"]);
    assert_eq!(names(&back.inputs), ["a"]);
    // Renamed wires keep their names.
    assert_eq!(write_binary(&annotate(&back)), write_binary(&annotated));
}

#[test]
fn a_comment_that_does_not_fit_its_circuit_is_refused() {
    let mut model = model(SMALL).unwrap();
    model.inputs[0].sort = Sort::enumeration(["a", "b"]);
    let text = String::from_utf8(write_ascii(&annotate(&model))).unwrap();
    let cases = [
        (
            "model/1",
            "model/2",
            "only schema `hyperkill.model/1` is known",
        ),
        (
            r#""bits":[1]"#,
            r#""bits":[0]"#,
            "input 0 belongs to `go` and to `coin`",
        ),
        (
            r#""bits":[1]"#,
            r#""bits":[7]"#,
            "`coin` has bit 7, but the circuit has 2 inputs",
        ),
        (
            r#"["a","b"]"#,
            r#"["a","b","c"]"#,
            "`go` of sort `{a, b, c}` needs 2 bits but has 1",
        ),
        (
            r#"["a","b"]"#,
            r#"["a"]"#,
            "`go` of sort `{a}` needs 0 bits but has 1",
        ),
        (
            r#"["a","b"]"#,
            r#"["a","a"]"#,
            "`go` has the unusable sort `{a, a}`",
        ),
        (r#"["a","b"]"#, "[]", "`go` has the unusable sort `{}`"),
        (
            r#""outputs":[{"#,
            r#""outputs":[7,{"#,
            "malformed model description: ",
        ),
    ];
    for (old, new, message) in cases {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        let error = conditional_mutant(read(changed.as_bytes()).unwrap(), &NamesDecide);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(error.starts_with("comment line 1: "), "{error}");
    }
    let (at, start) = (text.rfind("{\"schema").unwrap(), text.len());
    let twice = format!("{text}{}", &text[at..start]);
    let error = conditional_mutant(read(twice.as_bytes()).unwrap(), &NamesDecide);
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("second model description")
    );
}

#[test]
fn stimuli_are_written_and_read_back() {
    let steps = vec![
        vec![Some(true), None, Some(false)],
        vec![Some(false), Some(false), Some(true)],
    ];
    let text = write_stimulus(&steps);
    assert_eq!(text, "1x0\n001\n.\n");
    assert_eq!(read_stimulus(text.as_bytes(), 3).unwrap(), steps);
    let commented = "c by hand\n1x0\nu\n001\r\n";
    assert_eq!(read_stimulus(commented.as_bytes(), 3).unwrap(), steps);
    assert_eq!(read_stimulus(b"\n\n.\n", 0).unwrap(), vec![vec![], vec![]]);
}

#[test]
fn witnesses_are_written_and_read_back() {
    let stimulus = Stimulus {
        initial: vec![true, false].into(),
        steps: vec![vec![true], vec![false]],
    };
    let mut aig = Aig::new();
    for _ in 0..2 {
        aig.add_latch(Reset::Free, None);
    }
    let happened = vec![Property::Bad(0), Property::Output(12)];
    let possible = Witness::of_run(happened, &aig, &stimulus);
    let impossible = Witness::Impossible {
        properties: vec![Property::Justice(3)],
    };
    let unknown = Witness::Unknown {
        properties: vec![Property::Bad(1)],
    };
    let all = [possible, impossible, unknown];
    let text: String = all.iter().map(write_witness).collect();
    assert_eq!(text, "1\nb0o12\n10\n1\n0\n.\n0\nj3\n.\n2\nb1\n.\n");
    assert_eq!(read_witnesses(text.as_bytes(), 2, 1).unwrap(), all);
    let [Witness::Possible { initial, steps, .. }, ..] = &all else {
        panic!("the first is possible");
    };
    assert_eq!(ground(initial, steps), stimulus);
}

#[test]
fn malformed_stimuli_and_witnesses_are_refused_with_their_place() {
    let stimulus = |text: &str| read_stimulus(text.as_bytes(), 2).unwrap_err().to_string();
    assert_eq!(
        stimulus("01\n2\n"),
        "line 2, column 1: expected 0, 1 or x, found `2`"
    );
    assert_eq!(
        stimulus("01\n011\n"),
        "line 2, column 3: expected 2 values in the line, not 3, found `1`"
    );
    assert_eq!(
        stimulus("c\n0\n"),
        "line 2, column 2: expected 2 values in the line, not 1, found end of line"
    );
    let witness = |text: &str| {
        read_witnesses(text.as_bytes(), 1, 2)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        witness("sat\n"),
        "line 1, column 1: expected status 0, 1 or 2, found `s`"
    );
    assert_eq!(
        witness("1\nb\n"),
        "line 2, column 2: expected a property: b, j or o and its index, found end of line"
    );
    assert_eq!(
        witness("1\nb0\n"),
        "line 3, column 1: expected 1 values, found end of file"
    );
    assert_eq!(
        witness("0\nb0\n1\n"),
        "line 3, column 1: expected `.`, found `1`"
    );
}
