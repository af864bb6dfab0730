//! The input of a rule and its proposals.

use hyperkill_frontend::Span;
use hyperkill_frontend::mutation::{self, apart};

use crate::lexer::Lexicon;
use crate::model::{Model, Reference};
use crate::operators::{Level, Operators};
use crate::tree::{BinaryOp, Domain, ExprId, StmtId};

/// The change that a mutant makes at its site.
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
    /// The command has no effect.
    Skip,
    /// The branch of a choice with this index is removed.
    Drop(usize),
    /// The expression becomes its negation.
    Not,
    /// This number is added to the expression.
    Plus(i64),
    /// The expression becomes its operand with this index.
    Operand(u8),
    /// The parentheses around this operand of the chain are removed.
    Shift(ExprId),
    /// The transition is disabled.
    Never,
    /// The transition leads to the location with this number.
    Target(usize),
    /// The output with this index is made.
    Output(usize),
}

/// The site of a mutant's change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    /// The site is an expression.
    Expr(ExprId),
    /// The site is a command.
    Stmt(StmtId),
}

/// A mutant with its meaning.
pub type Mutation = mutation::Mutation<Meaning>;

/// The effect of a mutant on a system.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The site of the change in the system.
    pub site: Site,
    /// The change that the mutant makes at the site.
    pub change: Change,
    /// The reason why the mutant is no system, if it is none.
    pub rejected: Option<String>,
}

/// A place that rules read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Point<'m> {
    /// The guard of an action or a command.
    Guard(ExprId),
    /// An expression in its context.
    Expr {
        id: ExprId,
        /// The precedence that the context requires.
        needed: Level,
        /// The values of the assigned or compared name, if it is a name.
        domain: Option<&'m Domain>,
        /// The index of the action that contains the expression.
        action: usize,
        /// The complete expression that contains it.
        formula: ExprId,
    },
    /// Operators of one precedence in sequence.
    Chain(ExprId),
    /// The command of a transition.
    Transition(StmtId),
    /// The command that moves a machine to a location.
    Move(StmtId),
    /// The command that makes an output.
    Emit(StmtId),
    /// The command that assigns a variable.
    Assignment(StmtId),
    /// A branch of a choice.
    Branch { choice: StmtId, index: usize },
}

/// The facts about a system that rules may read.
pub(super) struct Scene<'m> {
    pub(super) model: &'m Model<'m>,
    pub(super) text: &'m str,
    pub(super) language: &'m Language,
}

/// The syntax of a language.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// The operators of the language.
    pub operators: Operators,
    /// The tokens of the language.
    pub lexicon: Lexicon,
    /// Whether its systems are machines, with the operators of \[4\] instead of those of \[2\].
    pub is_of_machines: bool,
    /// Operators that do not apply to its texts.
    pub without: &'static [&'static str],
}

/// A replacement that a rule proposes.
pub(super) struct Edit {
    pub(super) site: Site,
    pub(super) change: Change,
    pub(super) span: Span,
    pub(super) replacement: String,
}

/// A mutation operator.
pub(super) type Rule = mutation::Rule<Edits>;

/// The edits that a rule proposes at a place.
pub(super) type Edits = fn(&Scene<'_>, Point<'_>) -> Vec<Edit>;

impl Scene<'_> {
    /// Returns the replacement of the text at `span`, with spaces where it would merge with its context.
    pub(super) fn fit(&self, span: Span, replacement: &str) -> String {
        let (before, after) = (self.text.get(..span.start), self.text.get(span.end..));
        apart(before, replacement, after, |left, right| {
            self.grow_together(left, right)
        })
    }

    /// Whether two adjacent texts would be read as something else.
    pub(super) fn grow_together(&self, left: &str, right: &str) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let words = is_word(left.chars().next_back()) && is_word(right.chars().next());
        let (Some(last), Some(first)) = (left.bytes().next_back(), right.bytes().next()) else {
            return false;
        };
        let grows = |sign: &&str| {
            // Both texts meet inside of the sign.
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
