//! The position in the tokens, and the parts that all rules of the grammar share: words, punctuation, names and attributes.

use std::sync::Arc;

use hyperkill_frontend::Diagnostic;
use rustc_hash::FxHashSet;

use crate::ast::{Expr, ExprId, ExprKind, Extent, Modport, Name, Source, Stmt, StmtId, StmtKind};
use crate::lexer::{Kind, Token};

/// Deepest nesting of expressions and statements.
pub(super) const MAX_DEPTH: usize = 1500;

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

/// The tokens of a source, a position in them, and the syntax tree so far.
pub(crate) struct Parser {
    pub(crate) source: Source,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Names of types declared by `typedef`.
    pub(super) types: FxHashSet<Name>,
    /// Names of interfaces.
    pub(super) interfaces: FxHashSet<Name>,
    /// Names of covergroups so far.
    pub(super) covergroups: FxHashSet<Name>,
    /// The views of the interface that is being read.
    pub(super) modports: Vec<Modport>,
    /// Number of generate constructs so far in the scope that is being read.
    pub(super) constructs: usize,
    /// The number of the conditional construct that begins here, if it stands alone in a branch of another one.
    pub(super) nested: Option<usize>,
}

/// The attributes that matter here.
#[derive(Clone, Copy, Default)]
pub(crate) struct Attributes {
    pub(super) off: bool,
    pub(super) full: bool,
    pub(super) choice: Option<&'static str>,
}

/// A parsed part, or the first error.
pub(super) type Parsed<T> = Result<T, Diagnostic>;

impl Parser {
    /// Returns a parser of these tokens. `types` and `interfaces` are the names that the tokens declare.
    pub(super) fn new(
        tokens: Vec<Token>,
        types: FxHashSet<Name>,
        interfaces: FxHashSet<Name>,
    ) -> Parser {
        let source = Source {
            tokens,
            ..Source::default()
        };
        Parser {
            types,
            interfaces,
            ..Parser::at(source, 0)
        }
    }

    /// Returns a parser that continues in a source at the token with this index.
    pub(super) fn at(source: Source, index: usize) -> Parser {
        Parser {
            source,
            at: index,
            depth: 0,
            types: FxHashSet::default(),
            interfaces: FxHashSet::default(),
            covergroups: FxHashSet::default(),
            modports: Vec::new(),
            constructs: 0,
            nested: None,
        }
    }

    pub(super) fn token(&self) -> &Token {
        // The last token is the end; the parser never passes it.
        let last = self.source.tokens.len() - 1;
        &self.source.tokens[self.at.min(last)]
    }

    pub(super) fn ahead(&self, by: usize) -> &Token {
        let last = self.source.tokens.len() - 1;
        &self.source.tokens[(self.at + by).min(last)]
    }

    pub(super) fn at_end(&self) -> bool {
        self.token().kind == Kind::End
    }

    pub(super) fn here(&self) -> Extent {
        let at = self.at as u32;
        Extent {
            first: at,
            last: at,
        }
    }

    /// Returns the extent from a token to the one before the current one.
    pub(super) fn since(&self, first: usize) -> Extent {
        Extent {
            first: first as u32,
            last: self.at.saturating_sub(1).max(first) as u32,
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.token().span, message)
    }

    pub(super) fn found(&self) -> String {
        match self.token().kind {
            Kind::End => "the end of the text".to_owned(),
            Kind::Text => "a string".to_owned(),
            _ => format!("`{}`", self.token().text),
        }
    }

    pub(super) fn is(&self, punct: &str) -> bool {
        self.token().is(punct)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.token().is_word(word)
    }

    pub(super) fn advance(&mut self) -> usize {
        let at = self.at;
        if !self.at_end() {
            self.at += 1;
        }
        at
    }

    pub(super) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, punct: &str) -> Parsed<()> {
        match self.eat(punct) {
            true => Ok(()),
            false => Err(self.error(format!("expected `{punct}`, found {}", self.found()))),
        }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => Err(self.error(format!("expected `{word}`, found {}", self.found()))),
        }
    }

    pub(super) fn is_name(&self) -> bool {
        let token = self.token();
        match token.kind {
            Kind::Escaped => true,
            Kind::Word => !KEYWORDS.contains(&&*token.text),
            _ => false,
        }
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        if !self.is_name() {
            return Err(self.error(format!("expected a name, found {}", self.found())));
        }
        let name = self.token().text.clone();
        self.advance();
        Ok(name)
    }

    /// Whether the next token is a soft keyword in front of a declared name.
    pub(super) fn is_soft(&self, word: &str) -> bool {
        if !self.is_word(word) || !SOFT_KEYWORDS.contains(&word) {
            return false;
        }
        let next = self.ahead(1);
        next.is("[") || matches!(next.kind, Kind::Word | Kind::Escaped)
    }

    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(format!("nested more than {MAX_DEPTH} deep")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Excludes the tokens from this one on from mutation, if attributes say so.
    pub(super) fn exclude(&mut self, attributes: Attributes, first: usize) {
        if attributes.off {
            let extent = self.since(first);
            self.source.off.push(extent);
        }
    }

    pub(super) fn add(&mut self, kind: ExprKind, extent: Extent, operator: usize) -> ExprId {
        self.source.add_expr(Expr {
            kind,
            extent,
            operator: operator as u32,
        })
    }

    pub(super) fn add_stmt(&mut self, kind: StmtKind, first: usize) -> StmtId {
        let extent = self.since(first);
        self.source.add_stmt(Stmt { kind, extent })
    }

    pub(super) fn extent(&self, id: ExprId) -> Extent {
        self.source.expr(id).extent
    }

    /// Reads all `(* … *)` that follow.
    pub(super) fn attributes(&mut self) -> Parsed<Attributes> {
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

    /// Skips to the token after the next `word`.
    pub(super) fn skip_past(&mut self, word: &str) -> Parsed<()> {
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
    pub(super) fn skip_statement(&mut self) -> Parsed<()> {
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
