//! Mutants of the tree: the operators, the places that they look at, and the texts that make them.
//!
//! All languages of guarded commands have these rules; what stands in a mutant is spelled by the table of the language. Rules look at one
//! place at a time and change nothing: [`crate::lower`] reads the [`Change`]s beside the tree.

mod commands;
mod constants;
mod decisions;
mod exchange;
mod guards;
mod machines;
mod names;
mod stuck;
mod text;
mod walk;

use hyperkill_core::mutant::Operator;
use hyperkill_frontend::mutation::{self, Catalogue, Rules, apart};
use hyperkill_frontend::{Diagnostic, FrontendOptions, SourceFile, Span};

use crate::lexer::Lexicon;
use crate::model::{Model, Reference};
use crate::operators::{Level, Operators};
use crate::tree::{BinaryOp, Domain, ExprId, StmtId};

/// What a mutant changes at its site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The expression becomes a truth value.
    Truth(bool),
    /// The operator of a binary expression.
    Operator(BinaryOp),
    /// The expression becomes a number.
    Number(i64),
    /// The expression becomes another name.
    Name(Reference),
    /// The command does nothing.
    Skip,
    /// The branch of a choice with this index goes.
    Drop(usize),
    /// The expression becomes its negation.
    Not,
    /// This is added to the expression.
    Plus(i64),
    /// The expression becomes its operand with this index.
    Operand(u8),
    /// The parentheses around this operand of the chain go.
    Shift(ExprId),
    /// The transition never happens.
    Never,
    /// The transition leads to the location with this number.
    Target(usize),
    /// The output with this index is made.
    Output(usize),
}

/// What a mutant changes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    /// An expression.
    Expr(ExprId),
    /// A command.
    Stmt(StmtId),
}

/// A mutant with its meaning.
pub type Mutation = mutation::Mutation<Meaning>;

/// What a mutant does to a system.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// What it changes.
    pub site: Site,
    /// How.
    pub change: Change,
    /// Why it is no system of its own, if it is none.
    pub rejected: Option<String>,
}

/// A place that rules look at.
#[derive(Clone, Copy, Debug)]
enum Point<'m> {
    /// The guard of an action or a command.
    Guard(ExprId),
    /// An expression.
    Expr {
        id: ExprId,
        /// How tightly it has to bind where it stands.
        needed: Level,
        /// The values of what it is assigned to or compared with, if that is a name.
        domain: Option<&'m Domain>,
        /// The action that it is part of.
        action: usize,
        /// The expression that it is part of, whole.
        formula: ExprId,
    },
    /// Operators of one level one after the other.
    Chain(ExprId),
    /// A transition.
    Transition(StmtId),
    /// Going to a location.
    Move(StmtId),
    /// An output.
    Emit(StmtId),
    /// An assignment.
    Assignment(StmtId),
    /// A branch of a choice.
    Branch { choice: StmtId, index: usize },
}

/// What rules may look at.
struct Scene<'m> {
    model: &'m Model<'m>,
    text: &'m str,
    language: &'m Language,
}

/// What a language says of its texts.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// How it spells operators.
    pub operators: Operators,
    /// What its tokens are.
    pub lexicon: Lexicon,
    /// Whether its systems are machines, with the operators of \[4\] in the place of those of \[2\].
    pub is_of_machines: bool,
    /// Operators that its texts have no place for.
    pub without: &'static [&'static str],
}

/// A replacement that a rule proposes.
struct Edit {
    site: Site,
    change: Change,
    span: Span,
    replacement: String,
}

/// A mutation operator.
type Rule = mutation::Rule<Edits>;

type Edits = fn(&Scene<'_>, Point<'_>) -> Vec<Edit>;

const RULES: Rules<Edits> = Rules {
    usual: &[guards::TRUE, exchange::EQUALITY, constants::GREATER],
    on_demand: &[
        guards::FALSE,
        constants::LESS,
        exchange::RELATIONAL,
        exchange::ARITHMETIC,
        exchange::LOGICAL,
        names::VARIABLE,
        commands::ASSIGNMENT,
        commands::BRANCH,
    ],
};

/// The operators of \[4, §2\]. Examples are spelled as in the text of machines.
const OF_MACHINES: Rules<Edits> = Rules {
    usual: &[
        Rule {
            example: "n := n + v; ⇒ n := n - v;",
            ..exchange::ARITHMETIC
        },
        Rule {
            example: "on e if n > 0 ⇒ on e if n >= 0",
            ..exchange::RELATIONAL
        },
        stuck::ZERO,
        Rule {
            example: "n := 2; ⇒ n := 3;",
            ..constants::GREATER
        },
        Rule {
            example: "n := 2; ⇒ n := 1;",
            ..constants::LESS
        },
        stuck::MORE,
        stuck::LESS,
        Rule {
            example: "n := 2; ⇒ skip;",
            ..commands::ASSIGNMENT
        },
        Rule {
            example: "on e if a & b ⇒ on e if a | b",
            ..exchange::LOGICAL
        },
        decisions::SUBFORMULA,
        decisions::CONDITION,
        decisions::ASSOCIATION,
        decisions::MISSING,
        decisions::REFERENCE,
    ],
    on_demand: &[
        Rule {
            summary: "makes a guard true",
            example: "on e if a ⇒ on e if true",
            ..guards::TRUE
        },
        Rule {
            summary: "makes a guard false, so that a transition is missing",
            example: "on e if a ⇒ on e if false",
            ..guards::FALSE
        },
        Rule {
            example: "on e if n == 0 ⇒ on e if n != 0",
            ..exchange::EQUALITY
        },
        Rule {
            example: "n := n + v; ⇒ n := n + m;",
            ..names::VARIABLE
        },
        Rule {
            example: "choose { n := 1; } or { n := 2; } ⇒ choose { n := 2; }",
            ..commands::BRANCH
        },
        machines::TARGET,
        machines::OUTPUT,
        machines::SILENCE,
    ],
};

/// The catalogue of operators of a language.
#[must_use]
pub fn operators(language: &Language) -> Vec<Operator> {
    let mut operators = language.rules().operators();
    operators.retain(|operator| !language.without.contains(&operator.name.as_str()));
    operators
}

impl Language {
    fn rules(&self) -> &'static Rules<Edits> {
        match self.is_of_machines {
            true => &OF_MACHINES,
            false => &RULES,
        }
    }
}

/// All mutants of a system in the order of their places; `off` are stretches of the source without mutants.
///
/// # Errors
/// If there are more than anybody can keep.
pub fn mutations(
    model: &Model<'_>,
    source: &SourceFile,
    language: &Language,
    off: &[Span],
    options: &FrontendOptions,
) -> Result<Vec<Mutation>, Diagnostic> {
    let mut rules = language.rules().chosen(options);
    rules.retain(|rule| !language.without.contains(&rule.name));
    let scene = Scene {
        model,
        text: &source.text,
        language,
    };
    let mut off = off.to_vec();
    off.sort_unstable();
    let mut catalogue = Catalogue::new(std::slice::from_ref(source));
    let mut refused = None;
    walk::walk(&scene, &mut |path: &str, point: Point<'_>| {
        for rule in &rules {
            for edit in (rule.edits)(&scene, point) {
                // What no text says cannot be changed.
                let is_said = edit.span.start < edit.span.end;
                if refused.is_some() || !is_said || is_off(&off, edit.span) {
                    continue;
                }
                let meaning = Meaning {
                    site: edit.site,
                    change: edit.change,
                    rejected: None,
                };
                let span = edit.span;
                let edit = mutation::Edit {
                    span,
                    replacement: scene.fit(span, &edit.replacement),
                };
                let added = catalogue.add(rule.name, path, edit, meaning, |_, _| ());
                refused = added.err();
            }
        }
    });
    match refused {
        None => Ok(catalogue.in_order_of_places()),
        Some(refused) => Err(refused),
    }
}

/// Whether something of a place is in one of these stretches, which are in their order.
fn is_off(off: &[Span], span: Span) -> bool {
    let begun = off.partition_point(|off| (off.file, off.start) < (span.file, span.end));
    off[..begun].iter().rev().any(|off| off.overlaps(span))
}

impl Scene<'_> {
    /// The replacement with spaces where it would run into its surroundings.
    fn fit(&self, span: Span, replacement: &str) -> String {
        let (before, after) = (self.text.get(..span.start), self.text.get(span.end..));
        apart(before, replacement, after, |left, right| {
            self.grow_together(left, right)
        })
    }

    /// Whether two texts side by side would be read as something else.
    fn grow_together(&self, left: &str, right: &str) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let words = is_word(left.chars().next_back()) && is_word(right.chars().next());
        let (Some(last), Some(first)) = (left.bytes().next_back(), right.bytes().next()) else {
            return false;
        };
        let grows = |sign: &&str| {
            // Both sides meet inside of the sign.
            if !(sign.as_bytes().windows(2)).any(|meeting| meeting == [last, first]) {
                return false;
            }
            let cuts = sign.char_indices().skip(1);
            let mut cuts = cuts.map(|(at, _)| sign.split_at(at));
            cuts.any(|(first, second)| left.ends_with(first) && right.starts_with(second))
        };
        words || self.language.lexicon.signs.iter().any(grows)
    }
}
