//! Statements of `always`, `initial`, functions and tasks.

use super::cursor::{Parsed, Parser};
use crate::ast::{
    BinaryOp, CaseItem, CaseKind, ExprId, ExprKind, Item, Name, Sensitivity, StmtId, StmtKind,
};
use crate::lexer::Kind;
use crate::number::Literal;

/// Operators of `a += b` and similar assignments.
const COMPOUND: &[(&str, BinaryOp)] = &[
    ("+=", BinaryOp::Add),
    ("-=", BinaryOp::Sub),
    ("*=", BinaryOp::Mul),
    ("/=", BinaryOp::Div),
    ("%=", BinaryOp::Mod),
    ("&=", BinaryOp::And),
    ("|=", BinaryOp::Or),
    ("^=", BinaryOp::Xor),
    ("<<=", BinaryOp::ShiftLeft),
    (">>=", BinaryOp::ShiftRight),
    ("<<<=", BinaryOp::ShiftLeft),
    (">>>=", BinaryOp::ShiftRightSigned),
];

impl Parser {
    /// Reads a statement.
    pub(super) fn statement(&mut self) -> Parsed<StmtId> {
        self.nested(|parser| {
            let attributes = parser.attributes()?;
            let first = parser.at;
            let id = parser.statement_after(attributes.full)?;
            parser.exclude(attributes, first);
            Ok(id)
        })
    }

    pub(super) fn statement_after(&mut self, full: bool) -> Parsed<StmtId> {
        let first = self.at;
        let token = self.token().clone();
        if token.kind == Kind::Word
            && let Some(statement) = self.statement_by_word(&token.text, full)?
        {
            return Ok(statement);
        }
        if self.eat(";") {
            return Ok(self.add_stmt(StmtKind::Null, first));
        }
        if self.is("#") || self.is("@") || self.is("->") {
            return self.timed(&token.text);
        }
        if token.kind == Kind::System {
            return self.system_task(token.text);
        }
        let assignment = self.assignment(true)?;
        self.expect(";")?;
        self.source.stmts[assignment.0 as usize].extent = self.since(first);
        Ok(assignment)
    }

    /// Reads a statement that begins with this word; `None` if the word is a name. With `full`, a `case` covers all values.
    fn statement_by_word(&mut self, word: &str, full: bool) -> Parsed<Option<StmtId>> {
        let first = self.at;
        let statement = match word {
            "begin" => self.block()?,
            "if" => self.conditional()?,
            "unique" | "unique0" | "priority" if self.decision_follows() => {
                self.advance();
                self.statement_after(full)?
            }
            "case" => self.case(CaseKind::Plain, full)?,
            "casez" => self.case(CaseKind::Z, full)?,
            "casex" => self.case(CaseKind::X, full)?,
            "for" => self.for_loop()?,
            "while" => {
                self.advance();
                let condition = self.parenthesised()?;
                let body = self.statement()?;
                self.add_stmt(StmtKind::While(condition, body), first)
            }
            "do" if self.ahead(1).kind == Kind::Word => self.do_while()?,
            "foreach" if self.ahead(1).is("(") => self.foreach()?,
            "void" if self.ahead(1).is("'") => self.void_call()?,
            "repeat" => {
                self.advance();
                let count = self.parenthesised()?;
                let body = self.statement()?;
                self.add_stmt(StmtKind::RepeatTimes(count, body), first)
            }
            "assert" | "assume" | "cover" => self.assertion(word)?,
            "forever" => {
                self.advance();
                self.statement()?;
                self.add_stmt(StmtKind::Unsupported("`forever`"), first)
            }
            "wait" => {
                self.advance();
                self.parenthesised()?;
                self.statement()?;
                self.add_stmt(StmtKind::Unsupported("`wait`"), first)
            }
            "fork" => {
                self.skip_past("join")?;
                self.add_stmt(StmtKind::Unsupported("`fork`"), first)
            }
            "return" | "break" | "continue" if self.is_named_so(word) => return Ok(None),
            "disable" | "return" | "break" | "continue" => self.jump(word)?,
            "force" | "release" | "deassign" | "assign" => {
                self.skip_statement()?;
                let what = "a procedural continuous assignment";
                self.add_stmt(StmtKind::Unsupported(what), first)
            }
            _ => return Ok(None),
        };
        Ok(Some(statement))
    }

    fn decision_follows(&self) -> bool {
        let next = self.ahead(1);
        let words = ["if", "case", "casez", "casex"];
        words.iter().any(|word| next.is_word(word))
    }

    /// Whether a SystemVerilog keyword is a name here.
    fn is_named_so(&self, word: &str) -> bool {
        let next = self.ahead(1);
        !next.is(";") && (word != "return" || next.is("=") || next.is("<="))
    }

    fn do_while(&mut self) -> Parsed<StmtId> {
        let first = self.at;
        self.advance();
        let body = self.statement()?;
        self.expect_word("while")?;
        let condition = self.parenthesised()?;
        self.expect(";")?;
        Ok(self.add_stmt(StmtKind::DoWhile(body, condition), first))
    }

    /// Reads `void'(call);`
    fn void_call(&mut self) -> Parsed<StmtId> {
        let first = self.at;
        self.advance();
        self.expect("'")?;
        let call = self.parenthesised()?;
        self.expect(";")?;
        let kind = match self.source.expr(call).kind.clone() {
            ExprKind::Call(path, arguments) => StmtKind::Task(path, arguments),
            ExprKind::SystemCall(name, arguments) => StmtKind::SystemTask(name, arguments),
            _ => return Err(self.error("`void'` is for calls")),
        };
        Ok(self.add_stmt(kind, first))
    }

    /// Reads a statement that waits, or wakes other processes.
    fn timed(&mut self, word: &str) -> Parsed<StmtId> {
        let first = self.at;
        let what = match word {
            "#" => "a delay",
            "@" => "waiting for an event inside a block",
            _ => "an event",
        };
        if self.is("->") {
            self.skip_statement()?;
        } else {
            self.timing()?;
            self.statement()?;
        }
        Ok(self.add_stmt(StmtKind::Unsupported(what), first))
    }

    fn system_task(&mut self, name: Name) -> Parsed<StmtId> {
        let first = self.at;
        self.advance();
        let mut arguments = Vec::new();
        if self.eat("(") {
            while !self.eat(")") {
                // `$display` may omit arguments.
                if !self.eat(",") {
                    arguments.push(self.expression()?);
                }
            }
        }
        self.expect(";")?;
        Ok(self.add_stmt(StmtKind::SystemTask(name, arguments), first))
    }

    /// Reads a jump.
    pub(super) fn jump(&mut self, word: &str) -> Parsed<StmtId> {
        let first = self.at;
        self.advance();
        let kind = match word {
            "break" => StmtKind::Break,
            "continue" => StmtKind::Continue,
            "return" if self.is(";") => StmtKind::Return(None),
            "return" => StmtKind::Return(Some(self.expression()?)),
            _ if self.is_word("fork") => {
                self.advance();
                StmtKind::Unsupported("`disable fork`")
            }
            _ => {
                let name = self.name()?;
                match self.is(".") {
                    true => {
                        self.skip_statement()?;
                        let kind = StmtKind::Unsupported("`disable` of a hierarchical name");
                        return Ok(self.add_stmt(kind, first));
                    }
                    false => StmtKind::Disable(name),
                }
            }
        };
        self.expect(";")?;
        Ok(self.add_stmt(kind, first))
    }

    /// Skips `#3`, `#(a, b)` or `@(…)`.
    pub(super) fn timing(&mut self) -> Parsed<()> {
        if self.eat("#") {
            if self.is("(") {
                return self.brackets();
            }
            let kind = self.token().kind;
            self.advance();
            // A number with a base, or with a unit that touches it.
            let touches = |parser: &Self| {
                parser.token().kind == Kind::Word
                    && parser.at.checked_sub(1).is_some_and(|before| {
                        parser.source.tokens[before].span.end == parser.token().span.start
                    })
            };
            if kind == Kind::Number && (self.token().kind == Kind::Based || touches(self)) {
                self.advance();
            }
            return Ok(());
        }
        self.expect("@")?;
        if self.is("(") {
            return self.brackets();
        }
        self.advance();
        Ok(())
    }

    /// Skips a parenthesis with its contents.
    pub(super) fn brackets(&mut self) -> Parsed<()> {
        let mut depth = 0;
        loop {
            if self.at_end() {
                return Err(self.error("expected `)`"));
            }
            depth += i32::from(self.is("(")) - i32::from(self.is(")"));
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    pub(super) fn parenthesised(&mut self) -> Parsed<ExprId> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    /// Reads an assignment or a call of a task, without the semicolon.
    pub(super) fn assignment(&mut self, calls: bool) -> Parsed<StmtId> {
        let first = self.at;
        for (sign, op) in [("++", BinaryOp::Add), ("--", BinaryOp::Sub)] {
            if self.eat(sign) {
                let target = self.target()?;
                return Ok(self.step_by_one(first, first, target, op));
            }
        }
        let target = self.target()?;
        let operator = self.at;
        if self.eat("++") {
            return Ok(self.step_by_one(first, operator, target, BinaryOp::Add));
        }
        if self.eat("--") {
            return Ok(self.step_by_one(first, operator, target, BinaryOp::Sub));
        }
        if let Some((_, op)) = COMPOUND.iter().find(|(sign, _)| self.is(sign)) {
            self.advance();
            let value = self.expression()?;
            let extent = self.extent(target).to(self.extent(value));
            let value = self.add(ExprKind::Binary(*op, target, value), extent, operator);
            return Ok(self.assign(first, target, value, operator, true));
        }
        let blocking = self.is("=");
        if blocking || self.is("<=") {
            self.advance();
            if self.is("#") || self.is("@") {
                // A delay inside an assignment changes no value.
                let waits = self.is("@");
                self.timing()?;
                if waits {
                    self.expression()?;
                    return Ok(self.add_stmt(
                        StmtKind::Unsupported("an event inside an assignment"),
                        first,
                    ));
                }
            }
            let value = self.expression()?;
            return Ok(self.assign(first, target, value, operator, blocking));
        }
        match self.source.expr(target).kind.clone() {
            ExprKind::Call(path, arguments) if calls => {
                Ok(self.add_stmt(StmtKind::Task(path, arguments), first))
            }
            ExprKind::Name(path) if calls && self.is(";") => {
                Ok(self.add_stmt(StmtKind::Task(path, Vec::new()), first))
            }
            _ => Err(self.error(format!("expected `=` or `<=`, found {}", self.found()))),
        }
    }

    pub(super) fn assign(
        &mut self,
        first: usize,
        target: ExprId,
        value: ExprId,
        operator: usize,
        blocking: bool,
    ) -> StmtId {
        let operator = operator as u32;
        let kind = StmtKind::Assign {
            blocking,
            target,
            value,
            operator,
        };
        self.add_stmt(kind, first)
    }

    /// Reads `target++` or `target--`; `operator` is the index of the token `++` or `--`.
    pub(super) fn step_by_one(
        &mut self,
        first: usize,
        operator: usize,
        target: ExprId,
        op: BinaryOp,
    ) -> StmtId {
        let extent = self.since(first);
        let one = self.add(ExprKind::Number(Literal::integer(1)), extent, first);
        let value = self.add(ExprKind::Binary(op, target, one), extent, operator);
        self.assign(first, target, value, operator, true)
    }

    pub(super) fn block(&mut self) -> Parsed<StmtId> {
        let first = self.at;
        self.expect_word("begin")?;
        let label = match self.eat(":") {
            true => Some(self.name()?),
            false => None,
        };
        let mut declarations = Vec::new();
        let mut statements = Vec::new();
        while !self.is_word("end") {
            if self.at_end() {
                return Err(self.error("expected `end`"));
            }
            match self.local_declaration()? {
                Some(item) => declarations.push(item),
                None => statements.push(self.statement()?),
            }
        }
        self.advance();
        if self.eat(":") {
            self.name()?;
        }
        Ok(self.add_stmt(StmtKind::Block(label, declarations, statements), first))
    }

    /// Reads a declaration of variables or parameters; `None` if none follows.
    pub(super) fn local_declaration(&mut self) -> Parsed<Option<Item>> {
        let words = [
            "reg",
            "integer",
            "time",
            "localparam",
            "parameter",
            "input",
            "output",
            "inout",
            "automatic",
            "real",
            "const",
            "var",
            "static",
        ];
        let soft = ["logic", "bit", "int", "byte", "shortint", "longint"];
        let named = self.ahead(1).kind == Kind::Word;
        let found = words
            .iter()
            .any(|word| self.is_word(word) && (named || !["var", "static"].contains(word)))
            || soft.iter().any(|word| self.is_soft(word))
            || self.typedef_follows()
            || self.type_follows();
        match found {
            true => self.item().map(Some),
            false => Ok(None),
        }
    }

    pub(super) fn conditional(&mut self) -> Parsed<StmtId> {
        let first = self.at;
        self.expect_word("if")?;
        let condition = self.parenthesised()?;
        let then = self.statement()?;
        let other = match self.eat_word("else") {
            true => Some(self.statement()?),
            false => None,
        };
        Ok(self.add_stmt(StmtKind::If(condition, then, other), first))
    }

    pub(super) fn case(&mut self, kind: CaseKind, full: bool) -> Parsed<StmtId> {
        let first = self.at;
        self.advance();
        let subject = self.parenthesised()?;
        let kind = match self.eat_word("inside") {
            true => CaseKind::Inside,
            false => kind,
        };
        let mut items = Vec::new();
        while !self.eat_word("endcase") {
            let start = self.at;
            let labels = self.case_labels()?;
            let body = self.statement()?;
            items.push(CaseItem {
                labels,
                body,
                extent: self.since(start),
            });
        }
        let kind = StmtKind::Case {
            kind,
            subject,
            items,
            full,
        };
        Ok(self.add_stmt(kind, first))
    }

    /// Reads the labels of a branch of a `case`; none for the default.
    pub(super) fn case_labels(&mut self) -> Parsed<Vec<ExprId>> {
        let mut labels = Vec::new();
        if self.eat_word("default") {
            self.eat(":");
        } else {
            labels = self.members()?;
            self.expect(":")?;
        }
        Ok(labels)
    }

    /// Reads the sensitivity after `always`, up to the body.
    pub(super) fn sensitivity(&mut self) -> Parsed<Sensitivity> {
        if self.is("#") {
            self.timing()?;
            return Ok(Sensitivity::Unsupported("a delay in `always`"));
        }
        if !self.eat("@") {
            return Ok(Sensitivity::Unsupported("`always` without `@`"));
        }
        if self.eat("*") || self.eat("(*)") {
            return Ok(Sensitivity::Any);
        }
        if !self.is("(") {
            return Ok(Sensitivity::Levels(vec![self.reference()?]));
        }
        self.advance();
        if self.eat("*") {
            self.expect(")")?;
            return Ok(Sensitivity::Any);
        }
        if self.eat("*)") {
            return Ok(Sensitivity::Any);
        }
        let mut edges = Vec::new();
        let mut levels = Vec::new();
        loop {
            let rising = self.eat_word("posedge");
            if rising || self.eat_word("negedge") {
                edges.push((rising, self.expression()?));
            } else {
                levels.push(self.expression()?);
            }
            if !self.eat_word("or") && !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(match (edges.is_empty(), levels.is_empty()) {
            (true, _) => Sensitivity::Levels(levels),
            (false, true) => Sensitivity::Edges(edges),
            (false, false) => Sensitivity::Unsupported("edges and levels in one sensitivity list"),
        })
    }
}
