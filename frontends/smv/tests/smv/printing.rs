//! What is printed is read back as the same tree.

use hyperkill_frontend::Span;
use hyperkill_smv::ast::{Define, ExprId, ExprKind, Exprs, Module, Name, Section};
use hyperkill_smv::{parser, printer};

use crate::random;

/// The tree with all its parentheses.
fn shape(exprs: &Exprs, id: ExprId) -> String {
    let kind = exprs.kind(id);
    let mut operands = Vec::new();
    kind.for_each_operand(|operand| operands.push(shape(exprs, operand)));
    let top = match kind {
        ExprKind::Number(n) => n.to_string(),
        ExprKind::Truth(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Unary(op, _) => format!("{op:?}"),
        ExprKind::Binary(op, _, _) => op.sign().to_owned(),
        ExprKind::Conditional(..) => "?".to_owned(),
        ExprKind::Case(_) => "case".to_owned(),
        ExprKind::Set(_) => "set".to_owned(),
        ExprKind::Range(low, high) => format!("{low}..{high}"),
        ExprKind::Next(_) => "next".to_owned(),
    };
    format!("({top} {})", operands.join(" "))
}

#[test]
fn a_random_tree_survives_printing_and_reading() {
    for seed in 0..2_000 {
        let rng = &mut random::generator(seed);
        let mut exprs = Exprs::default();
        let body = random::expression(rng, &mut exprs, 6);
        let expected = shape(&exprs, body);
        let name = Name {
            text: "d".to_owned(),
            span: Span::default(),
        };
        let module = Module {
            sections: vec![Section::Defines(vec![Define { name, body }])],
            exprs,
        };
        let text = printer::module(&module);
        let parsed = parser::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        let again = parsed.module.defines().next().unwrap().body;
        let found = shape(&parsed.module.exprs, again);
        assert_eq!(found, expected, "seed {seed}\n{text}");
    }
}
