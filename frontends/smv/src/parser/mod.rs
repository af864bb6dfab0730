//! Tokens to syntax tree: sections, declarations, assignments. Expressions are in `expression.rs`.
//!
//! A section with a syntax error is skipped up to the next section keyword, so that one mistake gives one error
//! and every section is read. Resolves no names.

mod expression;

use hyperkill_frontend::{Diagnostic, Span};

use crate::ast::{
    Assignment, Declaration, Define, EnumValue, ExprId, Exprs, Level, Module, Name, Section,
    Target, TypeKind, VarKind,
};
use crate::lexer::{Comment, Token, TokenKind, lex};

/// Expressions nested more deeply are refused: this pass and others recurse along them.
pub const MAX_NESTING: u32 = 200;

/// Chains like `a & b & …` may be this long, and trees this high: mutants quote them.
pub const MAX_DEPTH: u32 = 1_000;

/// Numbers up to here (62 bits with sign) are accepted.
pub const MAX_NUMBER: i64 = 1 << 61;

/// A module and the comments in its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree.
    pub module: Module,
    /// All comments in order.
    pub comments: Vec<Comment>,
}

/// Reads a whole source text.
///
/// # Errors
/// All errors found, in order.
pub fn parse(text: &str) -> Result<Parsed, Vec<Diagnostic>> {
    let found = lex(text);
    if !found.errors.is_empty() {
        return Err(found.errors);
    }
    let mut parser = Parser::new(text, &found.tokens);
    let module = parser.module();
    match parser.errors.is_empty() {
        true => Ok(Parsed {
            module,
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

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    next: usize,
    nesting: u32,
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

    fn module(&mut self) -> Module {
        let mut sections = Vec::new();
        if let Err(error) = self.module_head() {
            self.errors.push(error);
            self.skip_section();
        }
        while self.peek().kind != TokenKind::End {
            match self.section() {
                Ok(section) => sections.push(section),
                Err(error) => {
                    self.errors.push(error);
                    self.skip_section();
                }
            }
        }
        Module {
            sections,
            exprs: std::mem::take(&mut self.exprs),
        }
    }

    fn module_head(&mut self) -> Result<(), Diagnostic> {
        if !self.at_keyword("MODULE") {
            return Err(self.unexpected("`MODULE main`"));
        }
        self.advance();
        let name = self.name("a module name")?;
        if name.text != "main" {
            return Err(self
                .unsupported(name.span, "modules besides `main`")
                .with_help("write the module's variables into `main`"));
        }
        if self.take_sign("(") {
            self.expect_sign(")")?;
        }
        Ok(())
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
            "ASSIGN" => self.assignments(),
            "SPEC" | "CTLSPEC" | "LTLSPEC" | "INVARSPEC" | "PSLSPEC" | "COMPUTE" | "FAIRNESS"
            | "JUSTICE" | "COMPASSION" => Ok(self.property(keyword)),
            "MODULE" => {
                self.advance();
                Err(self
                    .unsupported(head.span, "more than one module")
                    .with_help("write the module's variables into `main`"))
            }
            _ if is_section(keyword) => {
                self.advance();
                Err(self.unsupported(head.span, &format!("`{keyword}` sections")))
            }
            _ => Err(self.unexpected("a section such as `VAR` or `ASSIGN`")),
        }
    }

    fn property(&mut self, keyword: &'static str) -> Section {
        let start = self.advance().span.start;
        self.skip_section();
        let span = Span::new(start, self.last_end());
        Section::Property {
            keyword,
            span,
            text: span.of(self.text).to_owned(),
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

    fn variables(&mut self, kind: VarKind) -> Result<Section, Diagnostic> {
        self.advance();
        let mut all = Vec::new();
        while !self.end_of_section() {
            let name = self.name("a variable name")?;
            self.reject_paths()?;
            self.expect_sign(":")?;
            let start = self.peek().span;
            let kind = self.kind()?;
            let kind_span = start.to(Span::new(self.last_end(), self.last_end()));
            self.expect_sign(";")?;
            all.push(Declaration {
                name,
                kind,
                kind_span,
            });
        }
        Ok(Section::Variables(kind, all))
    }

    fn reject_paths(&self) -> Result<(), Diagnostic> {
        if self.at_sign(".") || self.at_sign("[") {
            return Err(self.unsupported(self.peek().span, "arrays and parts of modules"));
        }
        Ok(())
    }

    fn kind(&mut self) -> Result<TypeKind, Diagnostic> {
        let token = self.peek();
        match token.kind {
            TokenKind::Keyword("boolean") => {
                self.advance();
                Ok(TypeKind::Boolean)
            }
            TokenKind::Keyword(k @ ("array" | "process" | "word" | "Word" | "signed")) => {
                Err(self.unsupported(token.span, &format!("`{k}` types")))
            }
            TokenKind::Keyword(
                k @ ("unsigned" | "integer" | "Integer" | "real" | "Real" | "word1"),
            ) => Err(self.unsupported(token.span, &format!("`{k}` types"))),
            TokenKind::Sign("{") => {
                self.advance();
                self.enumeration()
            }
            TokenKind::Name if self.ends_a_module_type() => {
                Err(self.unsupported(token.span, "variables that are module instances"))
            }
            _ => {
                let low = self.expression(Level::ADDITIVE)?;
                self.expect_sign("..")?;
                let high = self.expression(Level::ADDITIVE)?;
                Ok(TypeKind::Range(low, high))
            }
        }
    }

    fn ends_a_module_type(&self) -> bool {
        matches!(self.ahead(1).kind, TokenKind::Sign(";" | "("))
    }

    fn enumeration(&mut self) -> Result<TypeKind, Diagnostic> {
        let mut values = Vec::new();
        loop {
            let token = self.peek();
            let value = match token.kind {
                TokenKind::Name => EnumValue::Symbol(self.name("a value")?.text),
                TokenKind::Number | TokenKind::Sign("+" | "-") => {
                    EnumValue::Number(self.signed_number()?)
                }
                _ => {
                    let error = self.unexpected("a symbol or a number");
                    let text = token.span.of(self.text);
                    return Err(match token.kind {
                        TokenKind::Keyword(_) => {
                            error.with_help(format!("`{text}` is a reserved word of NuSMV"))
                        }
                        _ => error,
                    });
                }
            };
            values.push((value, Span::new(token.span.start, self.last_end())));
            if !self.take_sign(",") {
                self.expect_sign("}")?;
                return Ok(TypeKind::Enumeration(values));
            }
        }
    }

    fn defines(&mut self) -> Result<Section, Diagnostic> {
        self.advance();
        let mut all = Vec::new();
        while !self.end_of_section() {
            let name = self.name("a name to define")?;
            self.reject_paths()?;
            self.expect_sign(":=")?;
            let body = self.expression(Level::IMPLIES)?;
            self.expect_sign(";")?;
            all.push(Define { name, body });
        }
        Ok(Section::Defines(all))
    }

    fn assignments(&mut self) -> Result<Section, Diagnostic> {
        self.advance();
        let mut all = Vec::new();
        while !self.end_of_section() {
            let start = self.peek().span;
            let target = match start_of_target(self.peek().kind) {
                Some(target) => {
                    self.advance();
                    self.expect_sign("(")?;
                    target
                }
                None => Target::Current,
            };
            let name = self.name("`init(…)`, `next(…)` or a variable name")?;
            self.reject_paths()?;
            if target != Target::Current {
                self.expect_sign(")")?;
            }
            self.expect_sign(":=")?;
            let value = self.expression(Level::IMPLIES)?;
            let end = self.expect_sign(";")?;
            all.push(Assignment {
                target,
                name,
                value,
                span: start.to(end),
            });
        }
        Ok(Section::Assigns(all))
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

fn start_of_target(kind: TokenKind) -> Option<Target> {
    match kind {
        TokenKind::Keyword("init") => Some(Target::Init),
        TokenKind::Keyword("next") => Some(Target::Next),
        _ => None,
    }
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
