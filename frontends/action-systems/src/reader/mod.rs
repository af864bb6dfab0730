//! Reads texts to trees.

mod actions;
mod declarations;
mod declared;
mod offers;

use hyperkill_frontend::mutation::Comment;
use hyperkill_frontend::{Diagnostic, SourceFile};
use hyperkill_guarded::expression;
use hyperkill_guarded::lexer::{Kind, Tokens, lex};
use hyperkill_guarded::tree::{Action, Block, Exprs, Leaving, Name, Refusal, Stmts, System};

use crate::spelling::LANGUAGE;
use declared::{Declarations, Declared};

/// The result of reading a text.
#[derive(Clone, Debug)]
pub struct Read {
    /// The tree of the system.
    pub system: System,
    /// The comments in the text.
    pub comments: Vec<Comment>,
}

/// Reads a system.
///
/// # Errors
/// The first error of the text, or all errors of its declarations; never empty.
pub fn read(source: &SourceFile) -> Result<Read, Vec<Diagnostic>> {
    let lexed = lex(&source.text, 0, &LANGUAGE.lexicon).map_err(|error| vec![error])?;
    let mut reader = Reader {
        tokens: lexed.tokens,
        exprs: Exprs::default(),
        stmts: Stmts::default(),
        declarations: Declarations::default(),
        actions: Vec::new(),
        block: None,
    };
    reader.clauses().map_err(|error| vec![error])?;
    let end = reader.tokens.peek().span;
    let Reader {
        exprs,
        stmts,
        declarations,
        actions,
        block,
        ..
    } = reader;
    let Some(block) = block else {
        let error = Diagnostic::error(end, "the action system itself is missing");
        return Err(vec![
            error.with_help("write `as :- actions (…), dood (…).`"),
        ]);
    };
    let Declared { variables, inputs } = declarations.finished(end)?;
    Ok(Read {
        system: System {
            exprs,
            stmts,
            variables,
            actions,
            block,
            inputs,
            outputs: Vec::new(),
            location: None,
            refusal: Refusal::AtWill,
            leaving: Leaving::Disables,
        },
        comments: lexed.comments,
    })
}

/// A reader of a text.
struct Reader<'a> {
    tokens: Tokens<'a>,
    exprs: Exprs,
    stmts: Stmts,
    declarations: Declarations,
    actions: Vec<Action>,
    block: Option<Block>,
}

impl Reader<'_> {
    fn clauses(&mut self) -> Result<(), Diagnostic> {
        while self.tokens.kind(0) != Kind::End {
            let token = self.tokens.peek();
            let word = match token.kind {
                Kind::Name => token.text,
                _ => "",
            };
            match word {
                "type" => self.declared_type()?,
                "var" => self.declared_variables()?,
                "state_def" => self.declared_state()?,
                "init" => self.declared_values()?,
                "input" => self.declared_inputs()?,
                "as" if self.block.is_some() => {
                    return Err(Diagnostic::error(token.span, "a second action system"));
                }
                "as" => self.action_system()?,
                _ => {
                    let wanted = "`type`, `var`, `state_def`, `init`, `input` or `as`";
                    return Err(self.tokens.unexpected(wanted));
                }
            }
            self.tokens.expect(".")?;
        }
        Ok(())
    }

    /// Parses a name, possibly in quotation marks.
    fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        expression::name(&mut self.tokens, what)
    }

    /// Parses a list `[a, b]` of items.
    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut items = Vec::new();
        if self.tokens.eat("[]") {
            return Ok(items);
        }
        self.tokens.expect("[")?;
        loop {
            items.push(item(self)?);
            if !self.tokens.eat(",") {
                self.tokens.expect("]")?;
                return Ok(items);
            }
        }
    }

    /// Passes the tokens `, dood (`, which stand before the loop.
    fn until_the_loop(&mut self) -> Result<(), Diagnostic> {
        self.tokens.expect(",")?;
        self.tokens.expect_word("dood")?;
        self.tokens.expect("(").map(drop)
    }

    fn action_system(&mut self) -> Result<(), Diagnostic> {
        self.tokens.expect_word("as")?;
        self.tokens.expect(":-")?;
        self.tokens.expect_word("actions")?;
        self.tokens.expect("(")?;
        loop {
            let action = self.action()?;
            self.actions.push(action);
            if !self.tokens.eat(",") {
                break;
            }
        }
        self.tokens.expect(")")?;
        self.until_the_loop().map_err(|error| {
            error.with_help(
                "after `actions (…)` comes `, dood (…).`: it says which actions are offered",
            )
        })?;
        self.block = Some(self.block()?);
        self.tokens.expect(")")?;
        Ok(())
    }
}
