//! The beverage machine of the literature passes through all steps and behaves as described there.

use crate::support::{Machine, model};
use hyperkill_core::product::Variant;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::InputRole;

#[test]
fn roles_and_domains_of_the_beverage_machine_are_those_of_its_source() {
    let machine = Machine::new(&model("beverage"));
    let system = &machine.translation.system;
    let inputs: Vec<_> = system
        .inputs
        .iter()
        .take(2)
        .map(|i| (i.name.as_str(), i.sort.clone(), i.role))
        .collect();
    assert_eq!(
        inputs,
        [
            (
                "inp",
                Sort::enumeration(["eps", "req", "fill"]),
                InputRole::Test
            ),
            (
                "next.out",
                Sort::enumeration(["coff", "tea"]),
                InputRole::Choice
            ),
        ]
    );
    let others = &system.inputs[2..];
    assert!(
        others
            .iter()
            .all(|i| i.role == InputRole::Choice && i.name.starts_with("any."))
    );
    assert_eq!(system.outputs.len(), 1);
    assert_eq!(system.outputs[0].name, "out");
}

#[test]
fn the_original_serves_what_is_chosen_while_there_is_water() {
    let machine = Machine::new(&model("beverage"));
    let steps = [
        "inp=req next.out=coff",
        "inp=req next.out=tea",
        "inp=req next.out=tea",
        "inp=fill",
        "inp=req next.out=tea",
        "inp=eps",
        "inp=req",
        "",
    ];
    let seen = machine.run(Variant::Original, &steps);
    let expected = ["eps", "coff", "tea", "eps", "eps", "tea", "eps", "coff"];
    assert_eq!(seen, expected.map(|o| format!("out={o}")));
}

#[test]
fn the_mutant_of_the_paper_refills_one_unit_only() {
    let machine = Machine::new(&model("beverage"));
    let (mutant, variant) = machine.mutant("main/next(wtr)/case[1]/value", "capacity - 1");
    assert_eq!(mutant.operator, "ICR");
    let steps = ["inp=req", "inp=req", "inp=fill", "inp=req", "inp=req", ""];
    let original = machine.run(Variant::Original, &steps);
    let mutated = machine.run(variant, &steps);
    assert_eq!(original[..5], mutated[..5]);
    assert_eq!(original[5], "out=coff");
    assert_eq!(mutated[5], "out=eps");
}
