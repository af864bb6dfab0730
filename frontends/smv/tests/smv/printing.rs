//! Printed text is read back as the same tree.

use hyperkill_frontend::Span;
use hyperkill_smv::ast::{Define, ExprId, ExprKind, Exprs, Module, Name, Program, Section};
use hyperkill_smv::{parser, printer};

use crate::random;

/// Returns the text of a tree with all of its parentheses.
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
        ExprKind::Member(_, name) => format!(".{name}"),
        ExprKind::Call(function, _) => function.name().to_owned(),
        ExprKind::Word(word) => word.text.clone(),
        ExprKind::Temporal(op, _) => format!("{op:?}"),
        ExprKind::SelfInstance
        | ExprKind::Index(..)
        | ExprKind::Bits(..)
        | ExprKind::Array(_)
        | ExprKind::Element { .. } => format!("{:?}", std::mem::discriminant(kind)),
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
        let name = |text: &str| Name {
            text: text.to_owned(),
            span: Span::default(),
        };
        let define = Define {
            owner: None,
            name: name("d"),
            body,
        };
        let main = Module {
            name: name("main"),
            parameters: Vec::new(),
            sections: vec![Section::Defines(vec![define])],
        };
        let program = Program {
            modules: vec![main],
            exprs,
        };
        let text = printer::program(&program);
        let parsed = parser::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{text}"));
        let again = parsed.program.modules[0].defines().next().unwrap().body;
        let found = shape(&parsed.program.exprs, again);
        assert_eq!(found, expected, "seed {seed}\n{text}");
    }
}
