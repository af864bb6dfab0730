//! Mutants of a syntax tree: where they are, what they change, and the text that makes them.
//!
//! Each operator has a rule in a file of this folder. Rules see one place at a time and change nothing; the
//! tree is never edited, [`crate::lower`] reads the [`Change`]s beside it. A rule that only says which text comes
//! ([`Change::Replace`]) has the text read and lowered like the model's own.
//!
//! The rules up to BCR are what mutants are made by if nothing is asked for; the others are there for who names them.

mod association;
mod branches;
mod conditions;
mod constants;
mod delay;
mod deletion;
mod negation;
mod operators;
mod references;
mod sets;
mod text;
mod values;

pub(crate) use constants::{FEW_OTHERS, MAX_OTHERS};
pub use delay::BEFORE;

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Rules};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};
use rustc_hash::FxHashSet;

use crate::ast::{BinaryOp, Branch, ExprId, ExprKind, Function, Level, Program, Target, UnaryOp};
use crate::context::Context;
use crate::flat::{Item, ItemKind, Replacement};
use crate::lexer::Comment;
use crate::parser;
use crate::resolve::{Entity, Model};
use crate::types::Types;

/// What a mutant changes at its site.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// The operator of a binary expression.
    Operator(BinaryOp),
    /// The truth value, to its opposite.
    Negate,
    /// `!` goes.
    DropNot,
    /// An integer, by this much.
    Offset(i64),
    /// A symbol.
    Symbol(String),
    /// `TRUE` or `FALSE`.
    Truth(bool),
    /// The branch of a `case` with this index goes.
    DropBranch(usize),
    /// The assignment goes.
    DropAssignment,
    /// The expression becomes what the replacement text says.
    Replace,
    /// A variable's value is that of the step before: one more variable keeps it.
    Delay,
}

/// What a mutant changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    /// An expression, with all copies of it.
    Expr(ExprId),
    /// The assignment that stands there in the source.
    Assignment(Span),
}

/// A mutant with its meaning.
pub type Mutation = mutation::Mutation<Meaning>;

/// What a mutant does to a model.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// What it changes.
    pub site: Site,
    /// How.
    pub change: Change,
    /// Why it is no system of its own, if it is none.
    pub rejected: Option<String>,
}

/// A place that a rule looks at.
enum Point<'a> {
    Expr {
        id: ExprId,
        position: Position,
    },
    Branch {
        case: ExprId,
        index: usize,
        branches: &'a [Branch],
    },
    Assignment {
        /// The variable's full name.
        name: &'a str,
        target: Target,
        value: ExprId,
        span: Span,
    },
    /// A part of a constraint that must hold by itself.
    Conjunct(ExprId),
}

/// How an expression stands in what surrounds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Position {
    /// The condition of a branch.
    Guard,
    /// The operand of `!`.
    Negated,
    /// The first operands of a longer chain: `a & b` in `a & b & c`.
    ChainStart,
    /// Where any expression may stand without parentheses: a whole value, an element of a set.
    Open,
    /// The operand of an operator.
    Operand,
}

impl Position {
    /// Whether any expression may stand there without parentheses.
    fn is_open(self) -> bool {
        matches!(self, Position::Guard | Position::Open)
    }
}

/// A replacement that a rule proposes.
struct Edit {
    site: Site,
    change: Change,
    span: Span,
    replacement: String,
}

/// What rules may look at.
struct Scene<'a> {
    model: &'a Model<'a>,
    types: &'a Types,
    context: &'a Context,
    text: &'a str,
    /// In front of the names of the instance that is looked at.
    prefix: &'a str,
    /// Expressions of the source that initial values are made of, in some instance.
    initial: &'a FxHashSet<ExprId>,
    /// The assignment or DEFINE that is looked at.
    statement: Option<Statement>,
    /// Whether coming values are read: inside a `next(…)`.
    ahead: bool,
}

/// An assignment or a DEFINE, in the source.
#[derive(Clone, Copy)]
struct Statement {
    /// The section it belongs to.
    section: &'static str,
    /// From its left side to the end of its value.
    span: Span,
}

impl Scene<'_> {
    /// An edit that puts a text in the place of an expression.
    fn replace(&self, id: ExprId, replacement: String) -> Edit {
        Edit {
            site: Site::Expr(id),
            change: Change::Replace,
            span: self.model.exprs()[id].span,
            replacement,
        }
    }

    /// The text of an expression without parentheses around it.
    fn text_of(&self, id: ExprId) -> &str {
        self.model.exprs()[id].span.of(self.text)
    }
}

/// A mutation operator.
type Rule = mutation::Rule<fn(&Scene<'_>, &Point<'_>) -> Vec<Edit>>;

const RULES: Rules<fn(&Scene<'_>, &Point<'_>) -> Vec<Edit>> = Rules {
    usual: &[
        deletion::MISSING_ASSIGNMENT,
        deletion::CASE_BRANCH,
        operators::RELATIONAL,
        operators::ARITHMETIC,
        operators::LOGICAL,
        negation::INSERTION,
        negation::REMOVAL,
        constants::INTEGER,
        constants::ENUM,
        constants::TRUTH,
    ],
    on_demand: &[
        references::VARIABLE,
        references::COMING,
        delay::STEP,
        values::NEGATION,
        values::INITIAL,
        association::SHIFT,
        conditions::OPERAND,
        conditions::CONJUNCT,
        conditions::STUCK,
        branches::SWAP,
        branches::COPY,
        sets::REMOVAL,
        sets::ADDITION,
        sets::BOUND,
    ],
};

/// The catalogue of operators.
#[must_use]
pub fn operators() -> Vec<Operator> {
    RULES.operators()
}

/// Reads the texts that replace expressions into the program; mutants whose texts are none are rejected.
pub fn replacements(
    program: &mut Program,
    model: &Model<'_>,
    mutations: &mut [Mutation],
) -> Vec<Replacement> {
    let mut wanted = Vec::new();
    for (index, mutation) in mutations.iter_mut().enumerate() {
        let (Site::Expr(id), Change::Replace) = (mutation.meaning.site, &mutation.meaning.change)
        else {
            continue;
        };
        let Some(site) = model.flat.origin[id.index()] else {
            mutation.meaning.rejected = Some("it is no expression of the source".to_owned());
            continue;
        };
        let span = program.exprs[site].span;
        match parser::parse_expression(&mutation.mutant.replacement, &mut program.exprs, span) {
            Ok(with) => wanted.push(Replacement {
                mutation: index,
                site,
                with,
            }),
            Err(error) => mutation.meaning.rejected = Some(error.message),
        }
    }
    wanted
}

/// The expressions of the source that initial values are made of, through DEFINEs and wires, in any instance.
fn initial_parts(model: &Model<'_>) -> FxHashSet<ExprId> {
    let assignments = model.variables.iter().filter_map(|v| v.init);
    let mut roots: Vec<ExprId> = assignments.map(|a| a.value).collect();
    let mut seen: FxHashSet<ExprId> = roots.iter().copied().collect();
    let mut parts = FxHashSet::default();
    while let Some(root) = roots.pop() {
        for part in model.exprs().subtree(root) {
            parts.extend(model.flat.origin[part.index()]);
            let body = match model.entity(part) {
                Some(Entity::Define(d)) => Some(model.defines[d].body),
                Some(Entity::Variable(v)) => model.variables[v].current.map(|a| a.value),
                _ => None,
            };
            roots.extend(body.filter(|body| seen.insert(*body)));
        }
    }
    parts
}

/// All mutants of a model in the order of their places.
///
/// # Errors
/// If there are more than anybody can keep.
pub fn mutations(
    model: &Model<'_>,
    types: &Types,
    context: &Context,
    (source, comments): (&SourceFile, &[Comment]),
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let initial = initial_parts(model);
    let mut walk = Walk {
        scene: Scene {
            model,
            types,
            context,
            text: &source.text,
            prefix: "",
            initial: &initial,
            statement: None,
            ahead: false,
        },
        rules: RULES.chosen(options),
        path: String::new(),
        rejected: None,
        off: mutation::excluded(&source.text, comments),
        catalogue: Catalogue::new(std::slice::from_ref(source)),
        refused: None,
    };
    for item in &model.flat.items {
        let Item {
            module, step, kind, ..
        } = item;
        walk.scene.prefix = &item.prefix;
        walk.path.clone_from(module);
        walk.rejected = None;
        walk.scene.statement = statement(model, kind);
        match kind {
            ItemKind::Define { name, body } => {
                let shape = match model.lookup(name) {
                    Some(Entity::Define(d)) => model.shapes[d].as_ref(),
                    _ => None,
                };
                walk.rejected = shape.map(|name| format!("it would change the type of `{name}`"));
                walk.step(step, |walk| walk.expr(*body, Position::Open));
            }
            ItemKind::Assignment {
                name,
                target,
                value,
                span,
            } => walk.step(step, |walk| {
                walk.apply_rules(&Point::Assignment {
                    name,
                    target: *target,
                    value: *value,
                    span: *span,
                });
                walk.expr(*value, Position::Open);
            }),
            ItemKind::Constraint(body) => walk.step(step, |walk| {
                walk.conjuncts(*body);
                walk.expr(*body, Position::Open);
            }),
        }
    }
    match walk.refused {
        None => Ok(walk.catalogue.in_order_of_places()),
        Some(refused) => Err(refused),
    }
}

/// Where an item stands; `None` if nothing may be put in front of it, or it says what holds at step 0.
fn statement(model: &Model<'_>, kind: &ItemKind) -> Option<Statement> {
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

struct Walk<'a> {
    scene: Scene<'a>,
    rules: Vec<&'static Rule>,
    path: String,
    rejected: Option<String>,
    /// Where comments exclude mutants.
    off: Vec<Span>,
    catalogue: Catalogue<'a, Meaning>,
    /// Why no more mutants are taken.
    refused: Option<Diagnostic>,
}

impl Walk<'_> {
    fn step(&mut self, step: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(step);
        inside(self);
        self.path.truncate(length);
    }

    fn apply_rules(&mut self, point: &Point<'_>) {
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

    /// A replacement in parentheses, if its surroundings would take it apart.
    fn fenced(&self, id: ExprId, open: bool, replacement: String) -> String {
        let expr = &self.scene.model.exprs()[id];
        let binds = parser::level_of(&replacement).is_some_and(|level| level >= expr.kind.level());
        match open || binds || expr.is_parenthesised() {
            true => replacement,
            false => format!("({replacement})"),
        }
    }

    /// The parts of a constraint that `&` joins, and it as a whole.
    fn conjuncts(&mut self, id: ExprId) {
        self.apply_rules(&Point::Conjunct(id));
        if let ExprKind::Binary(BinaryOp::And, a, b) = *self.scene.model.exprs().kind(id) {
            self.step("and[0]", |walk| walk.conjuncts(a));
            self.step("and[1]", |walk| walk.conjuncts(b));
        }
    }

    fn record(&mut self, operator: &str, edit: Edit) {
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
        // `a & a` loses either operand by the same change.
        let again = |_: &mut Meaning, _| ();
        let added = (self.catalogue).add(operator, &self.path, edit, meaning, again);
        self.refused = added.err();
    }

    fn expr(&mut self, id: ExprId, position: Position) {
        self.apply_rules(&Point::Expr { id, position });
        match self.scene.model.exprs().kind(id) {
            // Paths and temporal formulas are in no item.
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
                // Constants that decide the type stay.
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

    /// `a & b & c` is walked as one chain, so that paths count operands instead of nesting.
    fn chain(&mut self, top: ExprId) {
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
