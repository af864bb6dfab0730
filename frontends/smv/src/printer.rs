//! Prints a syntax tree with parentheses only where the grammar needs them. The text is read back as the same tree.

use std::fmt::Write;

use crate::ast::{
    Declaration, EnumValue, ExprId, ExprKind, Exprs, Level, Module, Name, Program, Section,
    SpecificationBody, TemporalForm, TemporalOp, TypeKind, UnaryOp,
};

/// Returns the text of an expression, on one line.
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
        ExprKind::Word(word) => out.push_str(&word.text),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::SelfInstance => out.push_str("self"),
        ExprKind::Member(a, name) => {
            print(exprs, *a, Level::POSTFIX, out);
            out.push('.');
            out.push_str(name);
        }
        ExprKind::Index(a, index) => {
            print(exprs, *a, Level::POSTFIX, out);
            out.push('[');
            print(exprs, *index, Level::IMPLIES, out);
            out.push(']');
        }
        ExprKind::Bits(a, high, low) => {
            print(exprs, *a, Level::POSTFIX, out);
            out.push('[');
            print(exprs, *high, Level::IMPLIES, out);
            out.push_str(" : ");
            print(exprs, *low, Level::IMPLIES, out);
            out.push(']');
        }
        ExprKind::Call(function, arguments) => {
            out.push_str(function.name());
            list(exprs, ["(", ")"], arguments, out);
        }
        ExprKind::Array(elements) => list(exprs, ["[", "]"], elements, out),
        ExprKind::Element {
            index, elements, ..
        } => {
            // An element has no syntax of its own: the elements are printed, then the index.
            list(exprs, ["[", "]"], elements, out);
            list(exprs, ["[", "]"], &[*index], out);
        }
        ExprKind::Temporal(op, operands) => temporal(exprs, *op, operands, out),
        ExprKind::Unary(UnaryOp::Not, a) => {
            out.push('!');
            print(exprs, *a, Level::PRIMARY, out);
        }
        ExprKind::Unary(UnaryOp::Neg, a) => {
            // `--` would start a comment.
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
        ExprKind::Set(elements) => list(exprs, ["{", "}"], elements, out),
        ExprKind::Range(low, high) => push(out, format_args!("{low}..{high}")),
        ExprKind::Next(a) => {
            out.push_str("next(");
            print(exprs, *a, Level::IMPLIES, out);
            out.push(')');
        }
    }
}

fn list(exprs: &Exprs, [open, close]: [&str; 2], all: &[ExprId], out: &mut String) {
    out.push_str(open);
    for (i, element) in all.iter().enumerate() {
        out.push_str(if i == 0 { "" } else { ", " });
        print(exprs, *element, Level::IMPLIES, out);
    }
    out.push_str(close);
}

fn temporal(exprs: &Exprs, op: TemporalOp, operands: &[ExprId], out: &mut String) {
    let word = op.word;
    match (op.form, operands) {
        (TemporalForm::Infix, [a, b]) => {
            print(exprs, *a, Level::UNTIL, out);
            push(out, format_args!(" {word} "));
            print(exprs, *b, Level::UNTIL.tighter(), out);
        }
        (TemporalForm::Quantified(until), [a, b]) => {
            push(out, format_args!("{word} ["));
            print(exprs, *a, Level::IMPLIES, out);
            push(out, format_args!(" {until} "));
            if let Some((low, high)) = op.bounds {
                push(out, format_args!("{low}..{high} "));
            }
            print(exprs, *b, Level::IMPLIES, out);
            out.push(']');
        }
        (TemporalForm::Measure, _) => {
            push(out, format_args!("{word} "));
            list(exprs, ["[", "]"], operands, out);
        }
        (form, _) => {
            push(out, format_args!("{word} "));
            match (form, op.bounds) {
                (TemporalForm::BoundedPrefix, Some((low, high))) => {
                    push(out, format_args!("{low}..{high} "));
                }
                (_, Some((low, high))) => push(out, format_args!("[{low}, {high}] ")),
                _ => {}
            }
            for operand in operands {
                // `F [1, 3]` would be read as bounds.
                match exprs.kind(*operand) {
                    ExprKind::Array(_) => {
                        push(out, format_args!("({})", expression(exprs, *operand)))
                    }
                    _ => print(exprs, *operand, Level::TEMPORAL, out),
                }
            }
        }
    }
}

/// Returns the text of all modules.
#[must_use]
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for module in &program.modules {
        print_module(&program.exprs, module, &mut out);
    }
    out
}

fn print_module(exprs: &Exprs, module: &Module, out: &mut String) {
    push(out, format_args!("MODULE {}", module.name.text));
    for (i, parameter) in module.parameters.iter().enumerate() {
        push(
            out,
            format_args!("{}{}", if i == 0 { "(" } else { ", " }, parameter.text),
        );
    }
    out.push_str(if module.parameters.is_empty() {
        "\n"
    } else {
        ")\n"
    });
    for section in &module.sections {
        print_section(exprs, section, out);
    }
}

fn print_section(exprs: &Exprs, section: &Section, out: &mut String) {
    match section {
        Section::Variables(kind, all) => {
            push(out, format_args!("{}\n", kind.keyword()));
            for Declaration { name, kind, .. } in all {
                push(out, format_args!("  {} : ", name.text));
                print_type(exprs, kind, out);
                out.push_str(";\n");
            }
        }
        Section::Defines(all) => {
            out.push_str("DEFINE\n");
            for define in all {
                out.push_str("  ");
                if let Some(owner) = define.owner {
                    print(exprs, owner, Level::POSTFIX, out);
                    out.push('.');
                }
                push(out, format_args!("{} := ", define.name.text));
                print(exprs, define.body, Level::IMPLIES, out);
                out.push_str(";\n");
            }
        }
        Section::Constants(all) if all.is_empty() => {}
        Section::Constants(all) => {
            let names: Vec<&str> = all.iter().map(|Name { text, .. }| text.as_str()).collect();
            push(out, format_args!("CONSTANTS\n  {};\n", names.join(", ")));
        }
        Section::Assigns(all) => {
            out.push_str("ASSIGN\n");
            for assignment in all {
                let place = expression(exprs, assignment.place);
                push(out, format_args!("  {} := ", assignment.target.of(&place)));
                print(exprs, assignment.value, Level::IMPLIES, out);
                out.push_str(";\n");
            }
        }
        Section::Constraint(constraint) => {
            push(out, format_args!("{} ", constraint.kind.keyword()));
            print(exprs, constraint.body, Level::IMPLIES, out);
            out.push_str(";\n");
        }
        Section::Fairness(fairness) => {
            push(out, format_args!("{} ", fairness.keyword));
            match fairness.conditions.as_slice() {
                [condition] => print(exprs, *condition, Level::IMPLIES, out),
                all => list(exprs, ["(", ")"], all, out),
            }
            out.push_str(";\n");
        }
        Section::Specification(spec) => {
            push(out, format_args!("{} ", spec.keyword));
            if let Some(name) = &spec.name {
                push(out, format_args!("NAME {name} := "));
            }
            match &spec.body {
                SpecificationBody::Formula(body) => {
                    print(exprs, *body, Level::IMPLIES, out);
                    out.push_str(";\n");
                }
                SpecificationBody::Psl(text) => push(out, format_args!("{text}\n")),
            }
        }
        Section::Isa(module) => push(out, format_args!("ISA {}\n", module.text)),
    }
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
        TypeKind::Range(low, high) => bounds(exprs, *low, *high, out),
        TypeKind::Word { signed, width } => {
            let sign = if *signed { "signed" } else { "unsigned" };
            push(out, format_args!("{sign} word["));
            print(exprs, *width, Level::SHIFT, out);
            out.push(']');
        }
        TypeKind::Array { low, high, element } => {
            out.push_str("array ");
            bounds(exprs, *low, *high, out);
            out.push_str(" of ");
            print_type(exprs, element, out);
        }
        TypeKind::Instance {
            process,
            module,
            arguments,
        } => {
            out.push_str(if *process { "process " } else { "" });
            out.push_str(&module.text);
            if !arguments.is_empty() {
                list(exprs, ["(", ")"], arguments, out);
            }
        }
    }
}

fn bounds(exprs: &Exprs, low: ExprId, high: ExprId, out: &mut String) {
    print(exprs, low, Level::SHIFT, out);
    out.push_str("..");
    print(exprs, high, Level::SHIFT, out);
}

fn push(out: &mut String, what: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{what}");
}
