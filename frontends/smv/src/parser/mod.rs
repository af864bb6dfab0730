//! Tokens to syntax tree: sections, declarations, assignments. Expressions are in `expression.rs`.
//!
//! A section with a syntax error is skipped up to the next section keyword, so that one mistake gives one error
//! and every section is read. Resolves no names.

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
use crate::lexer::{Comment, Token, TokenKind, lex};

/// Expressions nested more deeply are refused: this pass and others recurse along them.
pub const MAX_NESTING: u32 = 200;

/// Chains like `a & b & …` may be this long, and trees this high: mutants quote them.
pub const MAX_DEPTH: u32 = 1_000;

/// A `case` has at most so many branches: it is a chain as high as it is long.
pub const MAX_BRANCHES: usize = 1_000;

/// Sets and enumerations have at most so many elements.
pub const MAX_ELEMENTS: usize = 10_000;

/// Numbers up to here (62 bits with sign) are accepted.
pub const MAX_NUMBER: i64 = 1 << 61;

/// A text's modules and comments.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree.
    pub program: Program,
    /// All comments in order.
    pub comments: Vec<Comment>,
}

/// Reads a whole source text.
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
    let mut parser = Parser::new(text, &found.tokens);
    let program = parser.program();
    match parser.errors.is_empty() {
        true => Ok(Parsed {
            program,
            comments: found.comments,
        }),
        false => Err(parser.errors),
    }
}

/// Reads a text that is one expression; only the verdict matters.
///
/// # Errors
/// The first error; its span is meaningless in any other text.
pub fn check_expression(text: &str) -> Result<(), Diagnostic> {
    let found = lex(text);
    if let Some(error) = found.errors.into_iter().next() {
        return Err(error);
    }
    let mut parser = Parser::new(text, &found.tokens);
    parser.expression(Level::IMPLIES)?;
    match parser.peek().kind {
        TokenKind::End => Ok(()),
        _ => Err(parser.unexpected("the end of the expression")),
    }
}

/// Reads a text that is one expression into an arena, in which all of it stands at `span`.
///
/// # Errors
/// The first error; its span is meaningless in any other text.
pub fn parse_expression(text: &str, exprs: &mut Exprs, span: Span) -> Result<ExprId, Diagnostic> {
    let found = lex(text);
    if let Some(error) = found.errors.into_iter().next() {
        return Err(error);
    }
    let mut parser = Parser::new(text, &found.tokens);
    let before = exprs.len();
    parser.exprs = std::mem::take(exprs);
    let parsed = parser.expression(Level::IMPLIES);
    let at_end = parser.peek().kind == TokenKind::End;
    let unexpected = parser.unexpected("the end of the expression");
    *exprs = parser.exprs;
    exprs.place(before, span);
    match at_end {
        true => parsed,
        false => parsed.and(Err(unexpected)),
    }
}

/// How tightly the top of an expression binds, if the text is one.
pub(crate) fn level_of(text: &str) -> Option<Level> {
    let found = lex(text);
    let mut parser = Parser::new(text, &found.tokens);
    let id = parser.expression(Level::IMPLIES).ok()?;
    match parser.exprs[id].is_parenthesised() {
        true => Some(Level::POSTFIX),
        false => Some(parser.exprs.kind(id).level()),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    nesting: u32,
    /// Whether the operands of `A [p U q]` are being read.
    quantified: bool,
    exprs: Exprs,
    errors: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: &'a [Token]) -> Parser<'a> {
        Parser {
            text,
            tokens,
            next: 0,
            nesting: 0,
            quantified: false,
            exprs: Exprs::default(),
            errors: Vec::new(),
        }
    }

    /// The token `ahead` places on; the last token is `End` for ever.
    fn ahead(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.next + ahead).min(last)]
    }

    fn peek(&self) -> Token {
        self.ahead(0)
    }

    fn advance(&mut self) -> Token {
        let token = self.peek();
        self.next += 1;
        token
    }

    /// The end of the token before the next one.
    fn last_end(&self) -> usize {
        match self.next.min(self.tokens.len()).checked_sub(1) {
            Some(last) => self.tokens[last].span.end,
            None => 0,
        }
    }

    fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Sign(s) if s == sign)
    }

    fn at_keyword(&self, keyword: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Keyword(k) if k == keyword)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let there = self.at_sign(sign);
        self.next += usize::from(there);
        there
    }

    fn expect_sign(&mut self, sign: &str) -> Result<Span, Diagnostic> {
        if self.at_sign(sign) {
            return Ok(self.advance().span);
        }
        let error = self.unexpected(&format!("`{sign}`"));
        // A forgotten sign belongs to the line that lacks it, not to the next one.
        let (end, start) = (self.last_end(), self.peek().span.start);
        Err(match self.text.get(end..start) {
            Some(gap) if gap.contains('\n') && end > 0 => {
                let last = Span::new(end - 1, end);
                error.with_label(last, format!("`{sign}` may be missing after this"))
            }
            _ => error,
        })
    }

    /// The error that something else stands here.
    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let token = self.peek();
        let there = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", token.span.of(self.text)),
        };
        Diagnostic::error(token.span, format!("expected {wanted}, found {there}"))
    }

    fn unsupported(&self, span: Span, what: &str) -> Diagnostic {
        Diagnostic::error(span, format!("not supported yet: {what}"))
    }

    /// Where the token before the next one stands.
    fn previous_token(&self) -> Span {
        match self.next.min(self.tokens.len()).checked_sub(1) {
            Some(last) => self.tokens[last].span,
            None => Span::default(),
        }
    }

    fn program(&mut self) -> Program {
        let mut modules: Vec<Module> = Vec::new();
        while self.peek().kind != TokenKind::End || modules.is_empty() {
            let before = self.next;
            match self.module_head() {
                Ok(module) => modules.push(module),
                Err(error) => {
                    self.errors.push(error);
                    if self.peek().kind == TokenKind::End {
                        break;
                    }
                    // Sections without a head that can be read: their errors show all the same.
                    self.next = self
                        .next
                        .max(before + usize::from(self.at_keyword("MODULE")));
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

    /// Sections up to the next module.
    fn sections(&mut self) -> Vec<Section> {
        let mut sections = Vec::new();
        while self.peek().kind != TokenKind::End && !self.at_keyword("MODULE") {
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
        if !self.at_keyword("MODULE") {
            return Err(self.unexpected("`MODULE main`"));
        }
        self.advance();
        let name = self.name("a module name")?;
        let mut parameters = Vec::new();
        if self.take_sign("(") && !self.take_sign(")") {
            loop {
                parameters.push(self.name("the name of a parameter")?);
                if !self.take_sign(",") {
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

    /// Skips to the next section keyword; always past at least the keyword of a section that failed at once.
    fn skip_section(&mut self) {
        while self.peek().kind != TokenKind::End && !self.at_section() {
            self.advance();
        }
    }

    fn at_section(&self) -> bool {
        match self.peek().kind {
            TokenKind::Keyword(k) => is_section(k),
            _ => false,
        }
    }

    fn section(&mut self) -> Result<Section, Diagnostic> {
        let head = self.peek();
        let TokenKind::Keyword(keyword) = head.kind else {
            return Err(self.unexpected("a section such as `VAR` or `ASSIGN`"));
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
                self.advance();
                let module = self.name("a module name")?;
                self.take_sign(";");
                Ok(Section::Isa(module))
            }
            _ if is_section(keyword) => {
                self.advance();
                Err(self.unsupported(head.span, &format!("`{keyword}` sections")))
            }
            _ => Err(self.unexpected("a section such as `VAR` or `ASSIGN`")),
        }
    }

    /// From a token to the one before the next.
    fn since(&self, start: Span) -> Span {
        start.to(self.previous())
    }

    fn constraint(&mut self, kind: ConstraintKind) -> Result<Section, Diagnostic> {
        let start = self.advance().span;
        let body = self.expression(Level::IMPLIES)?;
        self.take_sign(";");
        self.end_section()?;
        let span = self.since(start);
        Ok(Section::Constraint(Constraint { kind, body, span }))
    }

    fn fairness(&mut self, keyword: &'static str) -> Result<Section, Diagnostic> {
        let start = self.advance().span;
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
        self.take_sign(";");
        self.end_section()?;
        let span = self.since(start);
        Ok(Section::Fairness(Fairness {
            keyword,
            conditions,
            span,
        }))
    }

    fn specification(&mut self, keyword: &'static str) -> Result<Section, Diagnostic> {
        let start = self.advance().span;
        let mut name = None;
        if self.at_keyword("NAME") {
            self.advance();
            name = Some(self.name("the name of a specification")?.text);
            self.expect_sign(":=")?;
        }
        let body = match keyword {
            "PSLSPEC" => {
                let first = self.peek().span.start;
                self.skip_section();
                let text = Span::new(first, self.last_end()).of(self.text);
                if !text.ends_with(';') {
                    return Err(self.unexpected("`;`"));
                }
                SpecificationBody::Psl(text.to_owned())
            }
            _ => {
                let body = self.expression(Level::IMPLIES)?;
                self.take_sign(";");
                self.end_section()?;
                SpecificationBody::Formula(body)
            }
        };
        let span = self.since(start);
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
            false => Err(self.unexpected("the next section")),
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        let token = self.peek();
        let text = token.span.of(self.text);
        match token.kind {
            TokenKind::Name => {
                self.advance();
                Ok(Name {
                    text: text.to_owned(),
                    span: token.span,
                })
            }
            TokenKind::Keyword(_) => Err(self
                .unexpected(what)
                .with_help(format!("`{text}` is a reserved word of NuSMV"))),
            _ => Err(self.unexpected(what)),
        }
    }

    fn end_of_section(&self) -> bool {
        self.peek().kind == TokenKind::End || self.at_section()
    }

    /// An expression whose top may not bind more loosely than `level`.
    fn expression(&mut self, level: Level) -> Result<ExprId, Diagnostic> {
        self.nesting += 1;
        let result = if self.nesting > MAX_NESTING {
            Err(too_deep(self.peek().span))
        } else {
            self.operators(level)
        };
        self.nesting -= 1;
        result
    }
}

/// The error that something has too many parts, at the first that is too many.
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
