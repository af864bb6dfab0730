//! Visits every place of a model with every rule.

use hyperkill_frontend::mutation::{self, Catalogue};
use hyperkill_frontend::{Diagnostic, Span};

use super::rule::{Change, Edit, Meaning, Point, Position, Rule, Scene, Site, Statement};
use super::text;
use crate::ast::{BinaryOp, ExprId, ExprKind, Function, Level, Target, UnaryOp};
use crate::flat::ItemKind;
use crate::parser;
use crate::resolve::{Entity, Model};

/// Returns the section and place of the assignment or DEFINE in an item. `None` if no text may precede it, or if it describes step 0.
pub(super) fn statement(model: &Model<'_>, kind: &ItemKind) -> Option<Statement> {
    let (section, start, value) = match kind {
        ItemKind::Define { name, body } => match model.lookup(name)? {
            Entity::Define(d) => ("DEFINE", model.defines[d].name.span.start, *body),
            _ => return None,
        },
        ItemKind::Assignment {
            target: Target::Init,
            ..
        }
        | ItemKind::Constraint(_) => return None,
        ItemKind::Assignment { value, span, .. } => ("ASSIGN", span.start, *value),
    };
    let end = model.exprs()[value].outer.end;
    (start < end).then_some(Statement {
        section,
        span: Span::new(start, end),
    })
}

/// Whether the text of a statement is an assignment or a DEFINE. The name of a parameter stands in the head of its module, and its value in
/// an instance.
pub(super) fn is_whole(text: &str, statement: &Statement) -> bool {
    let text = text.get(statement.span.start..statement.span.end);
    let head = text.and_then(|text| text.split_once(":="));
    head.is_some_and(|(head, _)| {
        !head.contains([';', ':', ',']) && head.matches('(').count() == head.matches(')').count()
    })
}

pub(super) struct Walk<'a> {
    pub(super) scene: Scene<'a>,
    pub(super) rules: Vec<&'static Rule>,
    pub(super) path: String,
    pub(super) rejected: Option<String>,
    /// The places that comments exclude from mutation.
    pub(super) off: Vec<Span>,
    pub(super) catalogue: Catalogue<'a, Meaning>,
    /// The reason why no more mutants are taken.
    pub(super) refused: Option<Diagnostic>,
}

impl Walk<'_> {
    pub(super) fn step(&mut self, step: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(step);
        inside(self);
        self.path.truncate(length);
    }

    pub(super) fn apply_rules(&mut self, point: &Point<'_>) {
        for i in 0..self.rules.len() {
            let rule = self.rules[i];
            for mut edit in (rule.edits)(&self.scene, point) {
                if let (Site::Expr(id), Change::Replace) = (edit.site, &edit.change) {
                    let open = match point {
                        Point::Expr { position, .. } => position.is_open(),
                        _ => true,
                    };
                    edit.replacement = self.fenced(id, open, edit.replacement);
                }
                self.record(rule.name, edit);
            }
        }
    }

    /// Returns a replacement of `id`, in parentheses if its context would split it. With `open`, the context accepts every expression.
    pub(super) fn fenced(&self, id: ExprId, open: bool, replacement: String) -> String {
        let expr = &self.scene.model.exprs()[id];
        let binds = parser::level_of(&replacement).is_some_and(|level| level >= expr.kind.level());
        match open || binds || expr.is_parenthesised() {
            true => replacement,
            false => format!("({replacement})"),
        }
    }

    /// Visits the conjuncts of a constraint, and the complete constraint.
    pub(super) fn conjuncts(&mut self, id: ExprId) {
        self.apply_rules(&Point::Conjunct(id));
        if let ExprKind::Binary(BinaryOp::And, a, b) = *self.scene.model.exprs().kind(id) {
            self.step("and[0]", |walk| walk.conjuncts(a));
            self.step("and[1]", |walk| walk.conjuncts(b));
        }
    }

    pub(super) fn record(&mut self, operator: &str, edit: Edit) {
        if self.refused.is_some() || self.off.iter().any(|off| off.overlaps(edit.span)) {
            return;
        }
        let meaning = Meaning {
            site: edit.site,
            change: edit.change,
            rejected: self.rejected.clone(),
        };
        let edit = mutation::Edit {
            span: edit.span,
            replacement: text::fit(self.scene.text, edit.span, &edit.replacement),
        };
        // Both operands of `a & a` are removed by the same change.
        let again = |_: &mut Meaning, _| ();
        let added = (self.catalogue).add(operator, &self.path, edit, meaning, again);
        self.refused = added.err();
    }

    pub(super) fn expr(&mut self, id: ExprId, position: Position) {
        self.apply_rules(&Point::Expr { id, position });
        match self.scene.model.exprs().kind(id) {
            // Items contain no paths and temporal formulas.
            ExprKind::Number(_)
            | ExprKind::Truth(_)
            | ExprKind::Word(_)
            | ExprKind::Name(_)
            | ExprKind::Range(..)
            | ExprKind::SelfInstance
            | ExprKind::Member(..)
            | ExprKind::Index(..)
            | ExprKind::Array(_)
            | ExprKind::Temporal(..) => {}
            ExprKind::Element { index, .. } => {
                self.step("index", |walk| walk.expr(*index, Position::Open));
            }
            ExprKind::Bits(word, ..) => {
                self.step("bits", |walk| walk.expr(*word, Position::Operand));
            }
            ExprKind::Call(function, arguments) => {
                // Constants that determine the type are not changed.
                let values = match function {
                    Function::Swconst | Function::Uwconst => 0,
                    Function::Extend | Function::Resize => 1,
                    _ => arguments.len(),
                };
                for (i, argument) in arguments.iter().enumerate().take(values) {
                    let step = format!("{}[{i}]", function.name());
                    self.step(&step, |walk| walk.expr(*argument, Position::Open));
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                self.step("not", |walk| walk.expr(*a, Position::Negated));
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                self.step("minus", |walk| walk.expr(*a, Position::Operand));
            }
            ExprKind::Next(a) => {
                let outside = std::mem::replace(&mut self.scene.ahead, true);
                self.step("next", |walk| walk.expr(*a, Position::Open));
                self.scene.ahead = outside;
            }
            ExprKind::Binary(..) => self.chain(id),
            ExprKind::Conditional(c, a, b) => {
                self.step("if/condition", |walk| walk.expr(*c, Position::Operand));
                self.step("if/then", |walk| walk.expr(*a, Position::Open));
                self.step("if/else", |walk| walk.expr(*b, Position::Operand));
            }
            ExprKind::Case(branches) => {
                for (index, branch) in branches.iter().enumerate() {
                    let case = id;
                    let point = Point::Branch {
                        case,
                        index,
                        branches,
                    };
                    self.step(&format!("case[{index}]"), |walk| {
                        walk.apply_rules(&point);
                        let (condition, value) = (branch.condition, branch.value);
                        walk.step("condition", |walk| walk.expr(condition, Position::Guard));
                        walk.step("value", |walk| walk.expr(value, Position::Open));
                    });
                }
            }
            ExprKind::Set(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    let step = format!("set[{i}]");
                    self.step(&step, |walk| walk.expr(*element, Position::Open));
                }
            }
        }
    }

    /// Visits `a & b & c`, or another chain of operators of one level, as one chain, so that paths count operands instead of nesting.
    pub(super) fn chain(&mut self, top: ExprId) {
        let exprs = self.scene.model.exprs();
        let level = exprs.kind(top).level();
        let (mut spine, mut operands) = (Vec::new(), Vec::new());
        let mut at = top;
        while let ExprKind::Binary(_, a, b) = exprs.kind(at) {
            let inside = at == top || !exprs[at].is_parenthesised();
            if !inside || exprs.kind(at).level() != level {
                break;
            }
            spine.push(at);
            operands.push(*b);
            at = *a;
            if level == Level::IMPLIES {
                break;
            }
        }
        operands.push(at);
        operands.reverse();
        spine.reverse();
        spine.pop();
        for (i, id) in spine.into_iter().enumerate() {
            let position = Position::ChainStart;
            self.step(&format!("operator[{i}]"), |walk| {
                walk.apply_rules(&Point::Expr { id, position });
            });
        }
        for (i, operand) in operands.into_iter().enumerate() {
            let step = format!("operand[{i}]");
            self.step(&step, |walk| walk.expr(operand, Position::Operand));
        }
    }
}
