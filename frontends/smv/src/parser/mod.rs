//! Parses tokens to a syntax tree: sections, declarations, assignments. `expression.rs` parses expressions.
//!
//! A section with a syntax error is skipped up to the next section keyword, so that one mistake gives one error and every section is read.
//! Names are not resolved.

mod declarations;
mod expression;
mod foreign;
mod temporal;
pub(crate) mod word;

use hyperkill_frontend::{Diagnostic, Span};

use crate::ast::{
    Constraint, ConstraintKind, ExprId, Exprs, Fairness, Level, Module, Name, Program, Section,
    Specification, SpecificationBody, VarKind,
};
use crate::lexer::{Comment, Token, TokenKind, Tokens, lex};

/// The nesting depth of expressions, at most: this pass and others recurse to it.
pub const MAX_NESTING: usize = 200;

/// The length of chains like `a & b & …`, and the height of trees, at most: mutants quote them.
pub const MAX_DEPTH: u32 = 1_000;

/// The number of branches of a `case`, at most. A `case` is a chain of this height.
pub const MAX_BRANCHES: usize = 1_000;

/// The number of elements of a set or an enumeration, at most.
pub const MAX_ELEMENTS: usize = 10_000;

/// The largest number (62 bits with sign).
pub const MAX_NUMBER: i64 = 1 << 61;

/// A text's modules and comments.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree of the text.
    pub program: Program,
    /// All comments of the text, in order.
    pub comments: Vec<Comment>,
}

/// Parses a complete source text.
///
/// # Errors
/// All errors found, in order.
pub fn parse(text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    if let Some(error) = foreign::other_input(text) {
        return Err(vec![error]);
    }
    let found = lex(text);
    if !found.errors.is_empty() {
        return Err(found.errors);
    }
    let mut parser = Parser::new(text, found.tokens);
    let program = parser.program();
    match parser.errors.is_empty() {
        true => Ok(Parsed {
            program,
            comments: found.comments,
        }),
        false => Err(parser.errors),
    }
}

/// Checks that a text is one expression.
///
/// # Errors
/// The first error. Its span is valid only in this text.
pub fn check_expression(text: &str) -> Result<(), Diagnostic> {
    let found = lex(text);
    if let Some(error) = found.errors.into_iter().next() {
        return Err(error);
    }
    let mut parser = Parser::new(text, found.tokens);
    parser.expression(Level::IMPLIES)?;
    match parser.tokens.kind(0) {
        TokenKind::End => Ok(()),
        _ => Err(parser.tokens.unexpected("the end of the expression")),
    }
}

/// Parses a text that is one expression into an arena, with `span` as the place of all its parts.
///
/// # Errors
/// The first error. Its span is valid only in this text.
pub fn parse_expression(text: &str, exprs: &mut Exprs, span: Span) -> Result<ExprId, Diagnostic> {
    let found = lex(text);
    if let Some(error) = found.errors.into_iter().next() {
        return Err(error);
    }
    let mut parser = Parser::new(text, found.tokens);
    let before = exprs.len();
    parser.exprs = std::mem::take(exprs);
    let parsed = parser.expression(Level::IMPLIES);
    let at_end = parser.tokens.kind(0) == TokenKind::End;
    let unexpected = parser.tokens.unexpected("the end of the expression");
    *exprs = parser.exprs;
    exprs.place(before, span);
    match at_end {
        true => parsed,
        false => parsed.and(Err(unexpected)),
    }
}

/// Returns the precedence of the top operator of an expression. `None` if the text does not begin with an expression.
pub(crate) fn level_of(text: &str) -> Option<Level> {
    let found = lex(text);
    let mut parser = Parser::new(text, found.tokens);
    let id = parser.expression(Level::IMPLIES).ok()?;
    match parser.exprs[id].is_parenthesised() {
        true => Some(Level::POSTFIX),
        false => Some(parser.exprs.kind(id).level()),
    }
}

struct Parser<'a> {
    tokens: Tokens<'a>,
    /// Whether the operands of `A [p U q]` are being parsed.
    quantified: bool,
    exprs: Exprs,
    errors: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: Vec<Token<'a>>) -> Parser<'a> {
        Parser {
            tokens: Tokens::new(text, tokens),
            quantified: false,
            exprs: Exprs::default(),
            errors: Vec::new(),
        }
    }

    fn expect_sign(&mut self, sign: &str) -> Result<Span, Diagnostic> {
        if self.tokens.is(sign) {
            return Ok(self.tokens.bump().span);
        }
        let error = self.tokens.unexpected(&format!("`{sign}`"));
        // A missing sign is reported on the line that lacks it, not on the next one.
        let end = self.tokens.end();
        Err(match self.tokens.is_on_new_line() {
            true => {
                let last = Span::new(end - 1, end);
                error.with_label(last, format!("`{sign}` may be missing after this"))
            }
            false => error,
        })
    }

    fn unsupported(&self, span: Span, what: &str) -> Diagnostic {
        Diagnostic::error(span, format!("not supported yet: {what}"))
    }

    fn program(&mut self) -> Program {
        let mut modules: Vec<Module> = Vec::new();
        while self.tokens.kind(0) != TokenKind::End || modules.is_empty() {
            let before = self.tokens.passed();
            match self.module_head() {
                Ok(module) => modules.push(module),
                Err(error) => {
                    self.errors.push(error);
                    if self.tokens.kind(0) == TokenKind::End {
                        break;
                    }
                    // Sections without a readable head: their errors are reported too.
                    if self.tokens.passed() == before && self.tokens.is_word("MODULE") {
                        self.tokens.bump();
                    }
                    self.skip_section();
                    let name = Name {
                        text: String::new(),
                        span: Span::default(),
                    };
                    modules.push(Module {
                        name,
                        parameters: Vec::new(),
                        sections: Vec::new(),
                    });
                }
            }
            let sections = self.sections();
            if let Some(module) = modules.last_mut() {
                module.sections = sections;
            }
        }
        Program {
            modules,
            exprs: std::mem::take(&mut self.exprs),
        }
    }

    /// Parses sections up to the next module.
    fn sections(&mut self) -> Vec<Section> {
        let mut sections = Vec::new();
        while self.tokens.kind(0) != TokenKind::End && !self.tokens.is_word("MODULE") {
            self.quantified = false;
            match self.section() {
                Ok(section) => sections.push(section),
                Err(error) => {
                    self.errors.push(error);
                    self.skip_section();
                }
            }
        }
        sections
    }

    fn module_head(&mut self) -> Result<Module, Diagnostic> {
        if !self.tokens.is_word("MODULE") {
            return Err(self.tokens.unexpected("`MODULE main`"));
        }
        self.tokens.bump();
        let name = self.name("a module name")?;
        let mut parameters = Vec::new();
        if self.tokens.eat("(") && !self.tokens.eat(")") {
            loop {
                parameters.push(self.name("the name of a parameter")?);
                if !self.tokens.eat(",") {
                    self.expect_sign(")")?;
                    break;
                }
            }
        }
        Ok(Module {
            name,
            parameters,
            sections: Vec::new(),
        })
    }

    /// Skips to the next section keyword. The keyword of a section that failed at once is skipped too.
    fn skip_section(&mut self) {
        while self.tokens.kind(0) != TokenKind::End && !self.at_section() {
            self.tokens.bump();
        }
    }

    fn at_section(&self) -> bool {
        match self.tokens.kind(0) {
            TokenKind::Keyword(k) => is_section(k),
            _ => false,
        }
    }

    fn section(&mut self) -> Result<Section, Diagnostic> {
        let head = self.tokens.peek();
        let TokenKind::Keyword(keyword) = head.kind else {
            return Err(self
                .tokens
                .unexpected("a section such as `VAR` or `ASSIGN`"));
        };
        match keyword {
            "VAR" => self.variables(VarKind::State),
            "IVAR" => self.variables(VarKind::Input),
            "FROZENVAR" => self.variables(VarKind::Frozen),
            "DEFINE" => self.defines(),
            "CONSTANTS" => self.constants(),
            "ASSIGN" => self.assignments(),
            "INIT" => self.constraint(ConstraintKind::Init),
            "INVAR" => self.constraint(ConstraintKind::Invar),
            "TRANS" => self.constraint(ConstraintKind::Trans),
            "SPEC" | "CTLSPEC" | "LTLSPEC" | "INVARSPEC" | "PSLSPEC" | "COMPUTE" => {
                self.specification(keyword)
            }
            "FAIRNESS" | "JUSTICE" | "COMPASSION" => self.fairness(keyword),
            "ISA" => {
                self.tokens.bump();
                let module = self.name("a module name")?;
                self.tokens.eat(";");
                Ok(Section::Isa(module))
            }
            _ if is_section(keyword) => {
                self.tokens.bump();
                Err(self.unsupported(head.span, &format!("`{keyword}` sections")))
            }
            _ => Err(self
                .tokens
                .unexpected("a section such as `VAR` or `ASSIGN`")),
        }
    }

    fn constraint(&mut self, kind: ConstraintKind) -> Result<Section, Diagnostic> {
        let start = self.tokens.bump().span;
        let body = self.expression(Level::IMPLIES)?;
        self.tokens.eat(";");
        self.end_section()?;
        let span = self.tokens.since(start);
        Ok(Section::Constraint(Constraint { kind, body, span }))
    }

    fn fairness(&mut self, keyword: &'static str) -> Result<Section, Diagnostic> {
        let start = self.tokens.bump().span;
        let conditions = match keyword {
            "COMPASSION" => {
                self.expect_sign("(")?;
                let first = self.expression(Level::IMPLIES)?;
                self.expect_sign(",")?;
                let second = self.expression(Level::IMPLIES)?;
                self.expect_sign(")")?;
                vec![first, second]
            }
            _ => vec![self.expression(Level::IMPLIES)?],
        };
        self.tokens.eat(";");
        self.end_section()?;
        let span = self.tokens.since(start);
        Ok(Section::Fairness(Fairness {
            keyword,
            conditions,
            span,
        }))
    }

    fn specification(&mut self, keyword: &'static str) -> Result<Section, Diagnostic> {
        let start = self.tokens.bump().span;
        let mut name = None;
        if self.tokens.is_word("NAME") {
            self.tokens.bump();
            name = Some(self.name("the name of a specification")?.text);
            self.expect_sign(":=")?;
        }
        let body = match keyword {
            "PSLSPEC" => {
                let first = self.tokens.peek().span;
                self.skip_section();
                let text = self.tokens.since(first).of(self.tokens.text);
                if !text.ends_with(';') {
                    return Err(self.tokens.unexpected("`;`"));
                }
                SpecificationBody::Psl(text.to_owned())
            }
            _ => {
                let body = self.expression(Level::IMPLIES)?;
                self.tokens.eat(";");
                self.end_section()?;
                SpecificationBody::Formula(body)
            }
        };
        let span = self.tokens.since(start);
        Ok(Section::Specification(Specification {
            keyword,
            name,
            body,
            span,
        }))
    }

    fn end_section(&mut self) -> Result<(), Diagnostic> {
        match self.end_of_section() {
            true => Ok(()),
            false => Err(self.tokens.unexpected("the next section")),
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        let token = self.tokens.peek();
        let text = token.text;
        match token.kind {
            TokenKind::Name => {
                self.tokens.bump();
                Ok(Name {
                    text: text.to_owned(),
                    span: token.span,
                })
            }
            TokenKind::Keyword(_) => Err(self
                .tokens
                .unexpected(what)
                .with_help(format!("`{text}` is a reserved word of NuSMV"))),
            _ => Err(self.tokens.unexpected(what)),
        }
    }

    fn end_of_section(&self) -> bool {
        self.tokens.kind(0) == TokenKind::End || self.at_section()
    }

    /// Parses an expression whose top operator binds at least as tightly as `level`.
    fn expression(&mut self, level: Level) -> Result<ExprId, Diagnostic> {
        self.nested(|parser| parser.operators(level))
    }

    /// Parses a nested construct, up to the limit on nesting.
    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let result = match self.tokens.nesting.deepen(MAX_NESTING) {
            true => read(self),
            false => Err(too_deep(self.tokens.peek().span)),
        };
        self.tokens.nesting.leave();
        result
    }
}

/// Returns the error that there are too many parts, at the first one beyond the limit.
fn too_many(span: Span, what: &str, most: usize, parts: &str) -> Diagnostic {
    Diagnostic::error(span, format!("{what} has more than {most} {parts}"))
}

fn too_deep(span: Span) -> Diagnostic {
    let message = format!("this expression nests more than {MAX_NESTING} levels deep");
    Diagnostic::error(span, message).with_help("give parts of it names in a DEFINE section")
}

fn is_section(keyword: &str) -> bool {
    matches!(
        keyword,
        "MODULE"
            | "DEFINE"
            | "MDEFINE"
            | "VAR"
            | "FROZENVAR"
            | "IVAR"
            | "INIT"
            | "TRANS"
            | "INVAR"
            | "SPEC"
            | "CTLSPEC"
            | "LTLSPEC"
            | "PSLSPEC"
            | "COMPUTE"
            | "INVARSPEC"
            | "CONSTANTS"
            | "FAIRNESS"
            | "JUSTICE"
            | "COMPASSION"
            | "ISA"
            | "ASSIGN"
            | "PRED"
            | "MIRROR"
    )
}
