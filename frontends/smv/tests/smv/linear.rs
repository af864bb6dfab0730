//! Specifications in linear temporal logic as formulas over definitions.

use hyperkill_frontend::temporal::Stated;
use hyperkill_frontend::{Frontend, FrontendOptions, SourceFile};
use hyperkill_smv::SmvFrontend;

fn stated(text: &str) -> Stated {
    let source = SourceFile {
        name: "model.smv".to_owned(),
        text: text.to_owned(),
        included: None,
    };
    let stated = SmvFrontend.linear_specifications(&[source]);
    stated
        .expect("a model")
        .expect("a language that states properties")
}

/// Returns the formulas as texts, with each name replaced by the body of its definition.
fn formulas(stated: &Stated) -> Vec<String> {
    let meaning = |name: &str| {
        let define = format!("{name} := ");
        let (_, body) = stated
            .source
            .text
            .split_once(&define)
            .expect("a definition");
        body.split_once(';').expect("an end").0.to_owned()
    };
    let all = stated.specifications.iter();
    all.map(|spec| spec.formula.to_text(&meaning)).collect()
}

#[test]
fn parts_without_temporal_operators_are_defined_where_they_stand() {
    let text = "MODULE main\nVAR n : 0..3; b : boolean;\nLTLSPEC\n  G (n = 1 & b ->\n F n\n   > 2)\nLTLSPEC n = 0 V b;\n";
    let stated = stated(text);
    let expected = ["G (((n = 1 & b) -> F ((n > 2))))", "((n = 0) R (b))"];
    assert_eq!(formulas(&stated), expected);
    // Places in the rest of the text keep their lines.
    assert_eq!(stated.source.text.lines().count(), text.lines().count());
    let translated = SmvFrontend.translate(&[stated.source], &FrontendOptions::default());
    assert!(translated.is_ok(), "{:?}", translated.err());
}

#[test]
fn bounds_are_written_out_and_branching_time_is_left_out() {
    let specs =
        "LTLSPEC F [1,2] b; LTLSPEC H [0,1] b; SPEC AG b; LTLSPEC AG b; LTLSPEC G [0,65] b;";
    let stated = stated(&format!("MODULE main\nVAR b : boolean;\n{specs}\n"));
    assert_eq!(
        formulas(&stated),
        ["X (((b) | X ((b))))", "((b) & Z ((b)))"]
    );
}

#[test]
fn fairness_of_all_modules_that_are_used_counts_and_names_are_new() {
    let stated = stated(
        "MODULE main\nVAR stated_ : boolean; p : part;\nJUSTICE stated_;\nCOMPASSION (p.c, stated_)\nLTLSPEC F p.c\n\
         MODULE part\nVAR c : boolean;\nFAIRNESS c -- always\nMODULE unused\nFAIRNESS FALSE\n",
    );
    assert_eq!((stated.justice.len(), stated.compassion.len()), (2, 1));
    assert!(
        stated
            .justice
            .iter()
            .all(|name| name.starts_with("stated__"))
    );
    assert!(!stated.source.text.contains(":= (FALSE)"));
}
