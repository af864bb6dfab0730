//! User-defined primitives (IEEE 1364-2005 §8): a primitive without memory becomes a module with one `casez`.
//!
//! Inputs without a row have an unknown output. Rows for unknown inputs have no effect, since no value is ever unknown. Primitives with
//! memory are refused where they are used.

use super::cursor::{Parsed, Parser};
use crate::ast::{
    CaseItem, CaseKind, Class, Declaration, Declarator, Direction, ExprId, ExprKind, Extent, Item,
    ItemKind, Module, Name, NamePart, Sensitivity, StmtId, StmtKind,
};
use crate::lexer::Kind;
use crate::number::{Digit, Literal};

/// Most inputs of a table that is checked to be complete.
const MAX_COMPLETE: usize = 10;

/// A row: the inputs in order, and the output.
struct Row {
    inputs: Vec<Digit>,
    output: Digit,
}

impl Parser {
    /// Reads `primitive name (output, inputs); … table … endtable endprimitive`.
    pub(super) fn primitive(&mut self) -> Parsed<()> {
        let first = self.at;
        self.advance();
        let name = self.name()?;
        let extent = self.since(first);
        self.expect("(")?;
        let mut ports: Vec<Name> = Vec::new();
        let mut memory = false;
        while !self.eat(")") {
            let _ = self.eat_word("output") || self.eat_word("input");
            memory |= self.eat_word("reg");
            ports.push(self.name()?);
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        while !self.is_word("table") {
            if self.at_end() {
                return Err(self.error("expected `table`"));
            }
            memory |= self.is_word("reg");
            self.advance();
        }
        self.advance();
        let mut rows = Some(Vec::new());
        while !self.eat_word("endtable") {
            let row = self.row()?;
            let fits = |row: &Row| row.inputs.len() + 1 == ports.len();
            match (row, &mut rows) {
                (Some(row), Some(rows)) if fits(&row) => rows.push(row),
                // An edge, a state, or a symbol that no table allows.
                _ => rows = None,
            }
        }
        self.expect_word("endprimitive")?;
        if self.eat(":") {
            self.name()?;
        }
        match rows {
            Some(rows) if !memory && ports.len() > 1 => self.table(name, &ports, &rows, extent),
            _ => {
                let what = format!("`primitive {name}` is not supported");
                let place = extent.span(&self.source.tokens);
                self.source.foreign.push((name, what, place));
            }
        }
        Ok(())
    }

    /// Reads a row up to its semicolon; `None` if it contains edges or states.
    fn row(&mut self) -> Parsed<Option<Row>> {
        let mut text = String::new();
        while !self.is(";") {
            if self.at_end() || self.token().kind == Kind::Directive {
                return Err(self.error("expected `;` after a row of the table"));
            }
            text.push_str(&self.token().text);
            self.advance();
        }
        self.advance();
        let digit = |c: char| match c {
            '0' => Some(Digit::Zero),
            '1' => Some(Digit::One),
            '?' | 'b' | 'B' => Some(Digit::Z),
            'x' | 'X' => Some(Digit::X),
            _ => None,
        };
        let Some((inputs, output)) = text.split_once(':') else {
            return Ok(None);
        };
        let inputs: Option<Vec<Digit>> = inputs.chars().map(digit).collect();
        let mut output = output.chars();
        let only = output.next().and_then(digit).filter(|d| *d != Digit::Z);
        Ok(match (inputs, only, output.next()) {
            (Some(inputs), Some(output), None) => Some(Row { inputs, output }),
            _ => None,
        })
    }

    fn table(&mut self, name: Name, ports: &[Name], rows: &[Row], extent: Extent) {
        let rows: Vec<&Row> = rows
            .iter()
            .filter(|row| !row.inputs.contains(&Digit::X))
            .collect();
        let inputs: Vec<ExprId> = ports[1..].iter().map(|p| self.named(p, extent)).collect();
        let subject = self.made(ExprKind::Concat(inputs), extent);
        let mut items = Vec::new();
        for row in &rows {
            // The first input is the most significant bit.
            let label = self.digits(row.inputs.iter().rev().copied().collect(), extent);
            let body = self.gives(&ports[0], row.output, extent);
            items.push(CaseItem {
                labels: vec![label],
                body,
                extent,
            });
        }
        match items.last_mut() {
            // No input is left for a default.
            Some(last) if complete(&rows, ports.len() - 1) => last.labels.clear(),
            _ => items.push(CaseItem {
                labels: Vec::new(),
                body: self.gives(&ports[0], Digit::X, extent),
                extent,
            }),
        }
        let kind = StmtKind::Case {
            kind: CaseKind::Z,
            subject,
            items,
            full: false,
        };
        let body = self.made_stmt(kind, extent);
        let mut parts: Vec<ItemKind> = Vec::new();
        for (i, port) in ports.iter().enumerate() {
            let (direction, class) = match i {
                0 => (Direction::Output, Class::Reg),
                _ => (Direction::Input, Class::Wire),
            };
            parts.push(ItemKind::Declaration(Declaration {
                direction: Some(direction),
                class: Some(class),
                names: vec![Declarator {
                    name: port.clone(),
                    dimensions: Vec::new(),
                    value: None,
                    extent,
                }],
                ..Declaration::default()
            }));
        }
        parts.push(ItemKind::Always(Sensitivity::Any, body));
        let items = parts.into_iter().map(|kind| Item { kind, extent });
        // Its rows are no expressions.
        self.source.off.push(extent);
        self.source.modules.push(Module {
            name,
            ports: ports.iter().map(|p| (p.clone(), p.clone())).collect(),
            items: items.collect(),
            extent,
            primitive: true,
        });
    }

    fn made(&mut self, kind: ExprKind, extent: Extent) -> ExprId {
        self.add(kind, extent, extent.first as usize)
    }

    fn made_stmt(&mut self, kind: StmtKind, extent: Extent) -> StmtId {
        self.source.add_stmt(crate::ast::Stmt { kind, extent })
    }

    fn named(&mut self, name: &Name, extent: Extent) -> ExprId {
        let step = NamePart {
            name: name.clone(),
            indices: Vec::new(),
        };
        self.made(ExprKind::Name(vec![step]), extent)
    }

    fn digits(&mut self, digits: Vec<Digit>, extent: Extent) -> ExprId {
        let literal = Literal {
            digits,
            signed: false,
            sized: true,
            fill: false,
        };
        self.made(ExprKind::Number(literal), extent)
    }

    fn gives(&mut self, output: &Name, digit: Digit, extent: Extent) -> StmtId {
        let target = self.named(output, extent);
        let value = self.digits(vec![digit], extent);
        let kind = StmtKind::Assign {
            blocking: true,
            target,
            value,
            operator: extent.first,
        };
        self.made_stmt(kind, extent)
    }
}

/// Whether rows cover all values of so many inputs. False if there are too many inputs to check.
fn complete(rows: &[&Row], inputs: usize) -> bool {
    let matches = |row: &Row, value: usize| {
        row.inputs.iter().enumerate().all(|(i, digit)| {
            let bit = value >> i & 1 == 1;
            *digit == Digit::Z || *digit == Digit::of(bit)
        })
    };
    let said = |value| rows.iter().any(|row| matches(row, value));
    inputs <= MAX_COMPLETE && (0..1 << inputs).all(said)
}
