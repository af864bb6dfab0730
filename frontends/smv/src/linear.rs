//! Translates `LTLSPEC`s and fairness constraints: each part without temporal operators becomes a DEFINE, which is written after its
//! section.

use std::collections::BTreeSet;

use hyperkill_frontend::temporal::{LinearSpecification, Stated, Temporal};
use hyperkill_frontend::{SourceFile, Span, Specification};

use crate::ast::{
    BinaryOp, ExprId, ExprKind, Program, Section, SpecificationBody, TemporalForm, TemporalOp,
    UnaryOp,
};

/// The last step in bounds of operators, at most. Bounded operators are expanded.
const LAST: i64 = 64;

/// Returns the specifications of the modules that `main` uses. A specification outside linear logic, or with too many bounded steps, is
/// left out.
pub(crate) fn stated(source: &SourceFile, program: &Program) -> Stated {
    let mut mark = "stated_".to_owned();
    while source.text.contains(&mark) {
        mark.push('_');
    }
    let mut writer = Writer {
        program,
        text: &source.text,
        mark: &mark,
        defines: Vec::new(),
        written: Vec::new(),
        count: 0,
    };
    let (mut justice, mut compassion, mut specifications) = (Vec::new(), Vec::new(), Vec::new());
    for section in sections(program) {
        match section {
            Section::Fairness(fairness) => {
                let conditions = fairness.conditions.iter();
                let names: Vec<String> = conditions.map(|&id| writer.define(id)).collect();
                match <[String; 2]>::try_from(names) {
                    Ok(pair) => compassion.push(pair),
                    Err(names) => justice.extend(names),
                }
                writer.write_behind(fairness.span);
            }
            Section::Specification(spec) if spec.keyword == "LTLSPEC" => {
                let SpecificationBody::Formula(body) = &spec.body else {
                    continue;
                };
                let formula = writer.formula(*body);
                if let Some(formula) = formula {
                    writer.write_behind(spec.span);
                    specifications.push(LinearSpecification {
                        specification: Specification {
                            kind: spec.keyword.to_owned(),
                            name: spec.name.clone(),
                            span: spec.span,
                        },
                        formula,
                    });
                }
                writer.defines.clear();
            }
            _ => {}
        }
    }
    specifications.sort_by_key(|spec| spec.specification.span);
    Stated {
        source: SourceFile {
            text: writer.text(),
            ..source.clone()
        },
        justice,
        compassion,
        specifications,
        mark,
    }
}

/// Returns the sections of all modules that `main` uses.
fn sections(program: &Program) -> Vec<&Section> {
    let mut open = vec!["main"];
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(module) = open.pop() {
        if !seen.insert(module) {
            continue;
        }
        for section in program.module(module).into_iter().flat_map(|m| &m.sections) {
            found.push(section);
            if let Section::Variables(_, declarations) = section {
                let kinds = declarations.iter().map(|declaration| &declaration.kind);
                open.extend(kinds.filter_map(crate::ast::TypeKind::module));
            }
        }
    }
    found
}

struct Writer<'a> {
    program: &'a Program,
    text: &'a str,
    mark: &'a str,
    /// The definitions for the current section.
    defines: Vec<String>,
    /// The texts to insert, each with its place.
    written: Vec<(usize, String)>,
    count: usize,
}

impl Writer<'_> {
    /// Adds a DEFINE for an expression without temporal operators, and returns its name.
    fn define(&mut self, id: ExprId) -> String {
        let name = format!("{}{}", self.mark, self.count);
        self.count += 1;
        let text = self.program.exprs[id].outer.of(self.text);
        // A comment would hide the text after it on the line.
        let text = match text.contains("--") {
            true => text.to_owned(),
            false => text.split_whitespace().collect::<Vec<&str>>().join(" "),
        };
        self.defines.push(format!("{name} := ({text});"));
        name
    }

    /// Writes the definitions of a section after it, on the same line, so that all later lines keep their numbers.
    fn write_behind(&mut self, section: Span) {
        let defines = std::mem::take(&mut self.defines);
        if !defines.is_empty() {
            let text = format!(" DEFINE {}", defines.join(" "));
            self.written.push((section.end, text));
        }
    }

    fn text(mut self) -> String {
        self.written.sort_by_key(|&(at, _)| at);
        let (mut text, mut last) = (String::new(), 0);
        for (at, written) in &self.written {
            text.push_str(self.text.get(last..*at).unwrap_or_default());
            text.push_str(written);
            last = *at;
        }
        text.push_str(self.text.get(last..).unwrap_or_default());
        text
    }

    fn is_temporal(&self, id: ExprId) -> bool {
        let mut subtree = self.program.exprs.subtree(id);
        subtree.any(|id| matches!(self.program.exprs.kind(id), ExprKind::Temporal(..)))
    }

    /// Translates an expression to a formula of linear temporal logic; `None` if it is outside this logic.
    fn formula(&mut self, id: ExprId) -> Option<Temporal> {
        if !self.is_temporal(id) {
            return Some(Temporal::Defined(self.define(id)));
        }
        let program = self.program;
        match program.exprs.kind(id) {
            ExprKind::Temporal(op, operands) => self.temporal(*op, operands),
            ExprKind::Unary(UnaryOp::Not, a) => Some(Temporal::prefix("!", self.formula(*a)?)),
            ExprKind::Binary(op, a, b) => {
                let word = match op {
                    BinaryOp::Implies => "->",
                    BinaryOp::Iff | BinaryOp::Xnor => "<->",
                    BinaryOp::Xor => "xor",
                    BinaryOp::Or => "|",
                    BinaryOp::And => "&",
                    _ => return None,
                };
                let (a, b) = (self.formula(*a)?, self.formula(*b)?);
                Some(Temporal::infix(word, a, b))
            }
            _ => None,
        }
    }

    fn temporal(&mut self, op: TemporalOp, operands: &[ExprId]) -> Option<Temporal> {
        let operands: Option<Vec<Temporal>> = operands.iter().map(|&o| self.formula(o)).collect();
        match (op.form, <[Temporal; 1]>::try_from(operands?)) {
            (TemporalForm::Prefix, Ok([operand])) => match op.bounds {
                None => {
                    let words = ["X", "F", "G", "Y", "Z", "O", "H"];
                    let word = words.into_iter().find(|word| *word == op.word)?;
                    Some(Temporal::prefix(word, operand))
                }
                Some(bounds) => bounded(op.word, bounds, operand),
            },
            (TemporalForm::Infix, Err(operands)) => {
                let word = match op.word {
                    "U" => "U",
                    "V" => "R",
                    "S" => "S",
                    "T" => "T",
                    _ => return None,
                };
                let [left, right] = <[Temporal; 2]>::try_from(operands).ok()?;
                Some(Temporal::infix(word, left, right))
            }
            _ => None,
        }
    }
}

/// Expands `F [low, high] p` and similar operators with the operand `p`. `None` for other words, and for bounds that are negative,
/// exchanged or too large.
fn bounded(word: &str, (low, high): (i64, i64), operand: Temporal) -> Option<Temporal> {
    let (step, also) = match word {
        "F" => ("X", "|"),
        "G" => ("X", "&"),
        "O" => ("Y", "|"),
        "H" => ("Z", "&"),
        _ => return None,
    };
    if !(0..=high).contains(&low) || high > LAST {
        return None;
    }
    let mut formula = operand.clone();
    for _ in low..high {
        formula = Temporal::infix(also, operand.clone(), Temporal::prefix(step, formula));
    }
    for _ in 0..low {
        formula = Temporal::prefix(step, formula);
    }
    Some(formula)
}
