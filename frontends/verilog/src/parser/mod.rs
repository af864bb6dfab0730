//! Tokens to the syntax tree: the synthesizable part of Verilog-2005, and the common part of SystemVerilog.
//!
//! Known constructs without support are kept as such, and refused only if the design uses them: test benches beside a design do no harm.
//! Parsing stops at the first error.

mod declaration;
mod expression;
mod generate;
mod instance;
mod interface;
mod item;
mod loops;
mod module;
mod primitive;
mod property;
mod statement;
mod types;

use std::sync::Arc;

use hyperkill_frontend::Diagnostic;
use rustc_hash::FxHashSet;

use crate::ast::{Expr, ExprId, ExprKind, Extent, Modport, Name, Source, Stmt, StmtId, StmtKind};
use crate::lexer::{Kind, Token};

/// Deepest nesting of expressions and statements.
const MAX_DEPTH: usize = 1500;

/// Keywords, which are never names.
const KEYWORDS: &[&str] = &[
    "always",
    "always_comb",
    "always_ff",
    "always_latch",
    "and",
    "assign",
    "assert",
    "assume",
    "automatic",
    "begin",
    "buf",
    "bufif0",
    "bufif1",
    "case",
    "casex",
    "casez",
    "cmos",
    "deassign",
    "default",
    "defparam",
    "disable",
    "edge",
    "else",
    "end",
    "endcase",
    "endfunction",
    "endgenerate",
    "endmodule",
    "endprimitive",
    "endspecify",
    "endtable",
    "endtask",
    "event",
    "for",
    "force",
    "forever",
    "fork",
    "function",
    "generate",
    "genvar",
    "if",
    "initial",
    "inout",
    "input",
    "integer",
    "join",
    "localparam",
    "module",
    "nand",
    "negedge",
    "nmos",
    "nor",
    "not",
    "notif0",
    "notif1",
    "or",
    "output",
    "parameter",
    "pmos",
    "posedge",
    "primitive",
    "pulldown",
    "pullup",
    "real",
    "realtime",
    "reg",
    "release",
    "repeat",
    "signed",
    "specify",
    "specparam",
    "supply0",
    "supply1",
    "table",
    "task",
    "time",
    "tri",
    "tri0",
    "tri1",
    "triand",
    "trior",
    "trireg",
    "unsigned",
    "wait",
    "wand",
    "while",
    "wire",
    "wor",
    "xnor",
    "xor",
];

/// Words of SystemVerilog that are keywords where they start a declaration, and names elsewhere.
const SOFT_KEYWORDS: &[&str] = &[
    "logic",
    "bit",
    "byte",
    "int",
    "shortint",
    "longint",
    "typedef",
    "enum",
    "struct",
    "interface",
    "package",
    "import",
];

pub(crate) struct Parser {
    pub(crate) source: Source,
    at: usize,
    depth: usize,
    /// Names of types declared by `typedef`.
    types: FxHashSet<Name>,
    /// Names of interfaces.
    interfaces: FxHashSet<Name>,
    /// The views of the interface that is being read.
    modports: Vec<Modport>,
}

/// The attributes that matter here.
#[derive(Clone, Copy, Default)]
pub(crate) struct Attributes {
    off: bool,
    full: bool,
    choice: Option<&'static str>,
}

type Parsed<T> = Result<T, Diagnostic>;

/// Reads all modules.
///
/// # Errors
/// If the tokens are no Verilog: the first such place.
pub fn parse(tokens: Vec<Token>) -> Result<Source, Diagnostic> {
    let mut parser = Parser::new(tokens);
    while !parser.at_end() {
        parser.description()?;
    }
    Ok(parser.source)
}

/// Reads one more expression into a source, e.g. the text of an option.
///
/// # Errors
/// If the tokens are no expression.
pub fn parse_expression(source: &mut Source, mut tokens: Vec<Token>) -> Result<ExprId, Diagnostic> {
    let first = source.tokens.len();
    source.tokens.append(&mut tokens);
    let mut parser = Parser {
        source: std::mem::take(source),
        at: first,
        depth: 0,
        types: FxHashSet::default(),
        interfaces: FxHashSet::default(),
        modports: Vec::new(),
    };
    let expression = parser.expression();
    let rest = parser.at_end();
    let here = parser.error("something follows the expression");
    *source = parser.source;
    match rest {
        true => expression,
        false => expression.and(Err(here)),
    }
}

impl Parser {
    fn new(tokens: Vec<Token>) -> Parser {
        let types = types::named_types(&tokens);
        let interfaces = interface::named_interfaces(&tokens);
        Parser {
            source: Source {
                tokens,
                ..Source::default()
            },
            at: 0,
            depth: 0,
            types,
            interfaces,
            modports: Vec::new(),
        }
    }

    fn token(&self) -> &Token {
        // The last token is the end; the parser never passes it.
        let last = self.source.tokens.len() - 1;
        &self.source.tokens[self.at.min(last)]
    }

    fn ahead(&self, by: usize) -> &Token {
        let last = self.source.tokens.len() - 1;
        &self.source.tokens[(self.at + by).min(last)]
    }

    fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    fn here(&self) -> Extent {
        let at = self.at as u32;
        Extent {
            first: at,
            last: at,
        }
    }

    /// Returns the extent from a token to the one before the current one.
    fn since(&self, first: usize) -> Extent {
        Extent {
            first: first as u32,
            last: self.at.saturating_sub(1).max(first) as u32,
        }
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.token().span, message)
    }

    fn found(&self) -> String {
        match self.token().kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Text => "a string".to_owned(),
            _ => format!("`{}`", self.token().text),
        }
    }

    fn is(&self, punct: &str) -> bool {
        self.token().is(punct)
    }

    fn is_word(&self, word: &str) -> bool {
        self.token().is_word(word)
    }

    fn advance(&mut self) -> usize {
        let at = self.at;
        if !self.at_end() {
            self.at += 1;
        }
        at
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punct: &str) -> Parsed<()> {
        match self.eat(punct) {
            true => Ok(()),
            false => Err(self.error(format!("expected `{punct}`, found {}", self.found()))),
        }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => Err(self.error(format!("expected `{word}`, found {}", self.found()))),
        }
    }

    fn is_name(&self) -> bool {
        let token = self.token();
        match token.kind {
            Kind::Escaped => true,
            Kind::Word => !KEYWORDS.contains(&&*token.text),
            _ => false,
        }
    }

    fn name(&mut self) -> Parsed<Name> {
        if !self.is_name() {
            return Err(self.error(format!("expected a name, found {}", self.found())));
        }
        let name = self.token().text.clone();
        self.advance();
        Ok(name)
    }

    /// Whether the next token is a soft keyword in front of a declared name.
    fn is_soft(&self, word: &str) -> bool {
        if !self.is_word(word) || !SOFT_KEYWORDS.contains(&word) {
            return false;
        }
        let next = self.ahead(1);
        next.is("[") || matches!(next.kind, Kind::Word | Kind::Escaped)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(format!("nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Excludes the tokens from this one on from mutation, if attributes say so.
    fn exclude(&mut self, attributes: Attributes, first: usize) {
        if attributes.off {
            let extent = self.since(first);
            self.source.off.push(extent);
        }
    }

    fn add(&mut self, kind: ExprKind, extent: Extent, operator: usize) -> ExprId {
        self.source.add_expr(Expr {
            kind,
            extent,
            operator: operator as u32,
        })
    }

    fn add_stmt(&mut self, kind: StmtKind, first: usize) -> StmtId {
        let extent = self.since(first);
        self.source.add_stmt(Stmt { kind, extent })
    }

    fn extent(&self, id: ExprId) -> Extent {
        self.source.expr(id).extent
    }

    /// Reads all `(* … *)` that follow.
    fn attributes(&mut self) -> Parsed<Attributes> {
        let mut found = Attributes::default();
        while self.eat("(*") {
            while !self.eat("*)") {
                if self.at_end() {
                    return Err(self.error("these attributes do not end"));
                }
                let token = self.token().clone();
                self.advance();
                let mut value = Arc::from("");
                if self.eat("=") {
                    value = self.token().text.clone();
                }
                match &*token.text {
                    "hyperkill" if &*value == "off" => found.off = true,
                    "full_case" => found.full = true,
                    "anyseq" => found.choice = Some("anyseq"),
                    "anyconst" => found.choice = Some("anyconst"),
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Skips to the token after the word that ends an unread part.
    fn skip_past(&mut self, word: &str) -> Parsed<()> {
        while !self.is_word(word) {
            if self.at_end() {
                return Err(self.error(format!("expected `{word}`")));
            }
            self.advance();
        }
        self.advance();
        Ok(())
    }

    /// Skips to the token after the next semicolon outside brackets.
    fn skip_statement(&mut self) -> Parsed<()> {
        let mut depth = 0i64;
        loop {
            if self.at_end() {
                return Err(self.error("expected `;`"));
            }
            if depth <= 0 && self.eat(";") {
                return Ok(());
            }
            depth += ["(", "[", "{"].iter().filter(|p| self.is(p)).count() as i64;
            depth -= [")", "]", "}"].iter().filter(|p| self.is(p)).count() as i64;
            self.advance();
        }
    }
}
