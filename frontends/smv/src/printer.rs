//! Syntax tree to text: parentheses only where the grammar needs them. Reading the text gives the tree again.

use std::fmt::Write;

use crate::ast::{EnumValue, ExprId, ExprKind, Exprs, Level, Module, Section, TypeKind, UnaryOp};

/// The text of an expression, on one line.
#[must_use]
pub fn expression(exprs: &Exprs, id: ExprId) -> String {
    let mut text = String::new();
    print(exprs, id, Level::IMPLIES, &mut text);
    text
}

fn print(exprs: &Exprs, id: ExprId, needed: Level, out: &mut String) {
    let kind = exprs.kind(id);
    if kind.level() < needed {
        out.push('(');
        print_bare(exprs, kind, out);
        out.push(')');
    } else {
        print_bare(exprs, kind, out);
    }
}

fn print_bare(exprs: &Exprs, kind: &ExprKind, out: &mut String) {
    match kind {
        ExprKind::Number(n) => push(out, n),
        ExprKind::Truth(value) => out.push_str(if *value { "TRUE" } else { "FALSE" }),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Unary(UnaryOp::Not, a) => {
            out.push('!');
            print(exprs, *a, Level::PRIMARY, out);
        }
        ExprKind::Unary(UnaryOp::Neg, a) => {
            // `--` would begin a comment.
            let doubled = matches!(exprs.kind(*a), ExprKind::Unary(UnaryOp::Neg, _));
            out.push_str(if doubled { "- " } else { "-" });
            print(exprs, *a, Level::PRIMARY, out);
        }
        ExprKind::Binary(op, a, b) => {
            let (left, right) = op.operand_levels();
            print(exprs, *a, left, out);
            push(out, format_args!(" {} ", op.sign()));
            print(exprs, *b, right, out);
        }
        ExprKind::Conditional(c, a, b) => {
            print(exprs, *c, Level::OR, out);
            out.push_str(" ? ");
            print(exprs, *a, Level::IMPLIES, out);
            out.push_str(" : ");
            print(exprs, *b, Level::CONDITIONAL, out);
        }
        ExprKind::Case(branches) => {
            out.push_str("case ");
            for branch in branches {
                print(exprs, branch.condition, Level::IMPLIES, out);
                out.push_str(" : ");
                print(exprs, branch.value, Level::IMPLIES, out);
                out.push_str("; ");
            }
            out.push_str("esac");
        }
        ExprKind::Set(elements) => {
            for (i, element) in elements.iter().enumerate() {
                out.push_str(if i == 0 { "{" } else { ", " });
                print(exprs, *element, Level::IMPLIES, out);
            }
            out.push('}');
        }
        ExprKind::Range(low, high) => push(out, format_args!("{low}..{high}")),
        ExprKind::Next(a) => {
            out.push_str("next(");
            print(exprs, *a, Level::IMPLIES, out);
            out.push(')');
        }
    }
}

/// The text of a module.
#[must_use]
pub fn module(module: &Module) -> String {
    let exprs = &module.exprs;
    let mut out = "MODULE main\n".to_owned();
    for section in &module.sections {
        match section {
            Section::Variables(kind, all) => {
                push(&mut out, format_args!("{}\n", kind.keyword()));
                for declaration in all {
                    push(&mut out, format_args!("  {} : ", declaration.name.text));
                    print_type(exprs, &declaration.kind, &mut out);
                    out.push_str(";\n");
                }
            }
            Section::Defines(all) => {
                out.push_str("DEFINE\n");
                for define in all {
                    push(&mut out, format_args!("  {} := ", define.name.text));
                    print(exprs, define.body, Level::IMPLIES, &mut out);
                    out.push_str(";\n");
                }
            }
            Section::Assigns(all) => {
                out.push_str("ASSIGN\n");
                for assignment in all {
                    push(&mut out, format_args!("  {} := ", assignment.left()));
                    print(exprs, assignment.value, Level::IMPLIES, &mut out);
                    out.push_str(";\n");
                }
            }
            Section::Property { text, .. } => push(&mut out, format_args!("{text}\n")),
        }
    }
    out
}

fn print_type(exprs: &Exprs, kind: &TypeKind, out: &mut String) {
    match kind {
        TypeKind::Boolean => out.push_str("boolean"),
        TypeKind::Enumeration(values) => {
            for (i, (value, _)) in values.iter().enumerate() {
                out.push_str(if i == 0 { "{" } else { ", " });
                match value {
                    EnumValue::Symbol(symbol) => out.push_str(symbol),
                    EnumValue::Number(n) => push(out, n),
                }
            }
            out.push('}');
        }
        TypeKind::Range(low, high) => {
            print(exprs, *low, Level::ADDITIVE, out);
            out.push_str("..");
            print(exprs, *high, Level::ADDITIVE, out);
        }
    }
}

fn push(out: &mut String, what: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{what}");
}
