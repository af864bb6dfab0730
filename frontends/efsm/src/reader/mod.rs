//! Reads texts to trees.

mod assembly;
mod commands;
mod declarations;
mod offers;
mod transitions;

use hyperkill_frontend::mutation::Comment;
use hyperkill_frontend::{Diagnostic, SourceFile, Span};
use hyperkill_guarded::expression;
use hyperkill_guarded::lexer::{Kind, Tokens, lex};
use hyperkill_guarded::tree::{
    Block, Domain, ExprId, Exprs, Leaving, Name, Output, Refusal, StmtId, Stmts, System, Variable,
};

use crate::spelling::LANGUAGE;

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Read {
    /// The tree of the system.
    pub system: System,
    /// The comments in the text.
    pub comments: Vec<Comment>,
}

/// Reads a machine.
///
/// # Errors
/// The first error of the text, or all errors of names that transitions use; never empty.
pub fn read(source: &SourceFile) -> Result<Read, Vec<Diagnostic>> {
    let lexed = lex(&source.text, 0, &LANGUAGE.lexicon).map_err(|error| vec![error])?;
    let mut reader = Reader {
        tokens: lexed.tokens,
        exprs: Exprs::default(),
        stmts: Stmts::default(),
        variables: Vec::new(),
        events: Vec::new(),
        outputs: Vec::new(),
        locations: Vec::new(),
        refusal: None,
        waits: None,
        leaving: Leaving::Disables,
        offers: None,
        transitions: Vec::new(),
        emitted: Vec::new(),
    };
    reader.declarations().map_err(|error| vec![error])?;
    let system = reader.assembled()?;
    Ok(Read {
        system,
        comments: lexed.comments,
    })
}

/// An event with its parameters.
#[derive(Clone, Debug)]
struct Event {
    name: Name,
    parameters: Vec<(Name, Domain)>,
}

/// A transition in the text.
#[derive(Clone, Debug)]
struct Written {
    /// The source locations; empty for all.
    from: Vec<Name>,
    event: Name,
    /// The names of the event's parameters, if they are written.
    parameters: Option<Vec<Name>>,
    /// Whether it is taken only if no other one is enabled.
    is_else: bool,
    /// The command of the transition, with its guard.
    body: StmtId,
    /// The edit that disables it, if it has no guard.
    never: Option<(Span, String)>,
    /// The place of the complete transition.
    span: Span,
}

/// A reader of a text.
struct Reader<'a> {
    tokens: Tokens<'a>,
    exprs: Exprs,
    stmts: Stmts,
    variables: Vec<Variable>,
    events: Vec<Event>,
    outputs: Vec<Output>,
    locations: Vec<Name>,
    refusal: Option<(Refusal, Span)>,
    /// The place at which the text allows the tester to wait.
    waits: Option<Span>,
    /// The treatment of values outside of ranges.
    leaving: Leaving,
    offers: Option<Block>,
    transitions: Vec<Written>,
    /// The places at which outputs are made.
    emitted: Vec<Span>,
}

impl Reader<'_> {
    fn declarations(&mut self) -> Result<(), Diagnostic> {
        while self.tokens.kind(0) != Kind::End {
            let token = self.tokens.peek();
            let word = match token.kind {
                Kind::Name => token.text,
                _ => "",
            };
            match word {
                "var" => self.declared_variable()?,
                "event" => self.declared_event()?,
                "output" => self.declared_output()?,
                "location" => self.declared_locations()?,
                "refuse" | "ignore" | "may" => self.declared_refusal()?,
                "wait" => self.declared_wait()?,
                "bounded" => {
                    self.tokens.bump();
                    self.tokens.expect(";")?;
                    self.leaving = Leaving::EndsRuns;
                }
                "offer" => self.declared_offers()?,
                "from" | "on" => self.transition()?,
                _ => {
                    let wanted = "`var`, `event`, `output`, `location`, `refuse`, `from` or `on`";
                    return Err(self.tokens.unexpected(wanted));
                }
            }
        }
        Ok(())
    }

    /// Parses a name, possibly in quotation marks.
    fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        expression::name(&mut self.tokens, what)
    }

    /// Reads a list with commas, with at least one item.
    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut items = vec![item(self)?];
        while self.tokens.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn expression(&mut self) -> Result<ExprId, Diagnostic> {
        expression::read(&mut self.tokens, &mut self.exprs, &LANGUAGE.operators)
    }
}
