//! Items of modules.

use std::sync::Arc;

use super::cursor::{Parsed, Parser};
use crate::ast::{ExprKind, Item, ItemKind, Name, Routine, Sensitivity, StmtKind};
use crate::cells::CLOCK_GATE;
use crate::lexer::{Kind, Token};

/// Gates whose port directions are known.
const GATES: &[&str] = &[
    "and", "nand", "or", "nor", "xor", "xnor", "not", "buf", "bufif0", "bufif1", "notif0",
    "notif1", CLOCK_GATE,
];
/// Switches and weak drivers.
const OTHER_GATES: &[&str] = &[
    "nmos", "pmos", "cmos", "rnmos", "rpmos", "rcmos", "tran", "rtran", "tranif0", "tranif1",
    "rtranif0", "rtranif1", "pullup", "pulldown",
];

impl Parser {
    /// Reads an item of a module.
    pub(super) fn item(&mut self) -> Parsed<Item> {
        self.nested(|parser| {
            let attributes = parser.attributes()?;
            let first = parser.at;
            let mut kind = parser.item_kind()?;
            if let ItemKind::Declaration(declaration) = &mut kind {
                declaration.choice = attributes.choice;
            }
            parser.exclude(attributes, first);
            Ok(Item {
                kind,
                extent: parser.since(first),
            })
        })
    }

    pub(super) fn item_kind(&mut self) -> Parsed<ItemKind> {
        let token = self.token().clone();
        if self.eat(";") {
            return Ok(ItemKind::Ignored);
        }
        if token.kind == Kind::System {
            return self.elaboration_task();
        }
        if token.kind != Kind::Word {
            return self.instances();
        }
        match &*token.text {
            "parameter" | "localparam" => {
                self.advance();
                let local = &*token.text == "localparam";
                let kind = self.parameter_kind()?;
                self.list(|parser| parser.parameters(local, &kind))
            }
            "defparam" => {
                self.advance();
                self.list(Self::defparam)
            }
            "assign" => self.assign_item(),
            "always" | "always_ff" | "always_comb" | "always_latch" => {
                self.advance();
                let sensitivity = match &*token.text {
                    "always_comb" => Sensitivity::Inputs,
                    "always_latch" => Sensitivity::Latch,
                    _ => self.sensitivity()?,
                };
                Ok(ItemKind::Always(sensitivity, self.statement()?))
            }
            "initial" => {
                self.advance();
                Ok(ItemKind::Initial(self.statement()?))
            }
            "final" => {
                self.advance();
                self.statement()?;
                Ok(ItemKind::Ignored)
            }
            "function" | "task" => self.routine(),
            "generate" => self.generate_region(),
            "for" => self.generate_for(),
            "if" => self.generate_if(),
            "case" => self.generate_case(),
            "begin" => {
                let number = self.construct();
                Ok(self.generate_block(number)?.kind)
            }
            "specify" => {
                self.skip_past("endspecify")?;
                Ok(ItemKind::Ignored)
            }
            "specparam" | "timeunit" | "timeprecision" => {
                self.skip_statement()?;
                Ok(ItemKind::Ignored)
            }
            // A property matters only if it is asserted.
            "property" | "sequence" | "covergroup" | "clocking"
                if self.ahead(1).kind == Kind::Word =>
            {
                self.skip_named(&token.text)
            }
            // A default clock determines when properties are checked: here in every step.
            "default" if self.ahead(1).is_word("clocking") && self.ahead(3).is(";") => {
                self.skip_statement()?;
                Ok(ItemKind::Ignored)
            }
            "default" if self.ahead(1).is_word("clocking") => {
                self.skip_past("endclocking")?;
                Ok(ItemKind::Ignored)
            }
            "alias" | "let" if self.ahead(1).kind == Kind::Word => {
                Err(self.error(format!("`{}` is not supported", token.text)))
            }
            "assert" | "assume" | "cover" => self.property(&token.text),
            "typedef" if self.typedef_follows() => self.typedef(),
            "import" if self.ahead(2).is("::") => self.import(),
            "modport" if self.ahead(1).kind == Kind::Word => self.modport(),
            "bind" if self.ahead(1).kind == Kind::Word => Err(self.bind()),
            "import" if self.ahead(1).kind == Kind::Text => {
                Err(self.error("a function or task in C (`import \"DPI-C\"`) is not supported"))
            }
            "export" if self.ahead(1).kind == Kind::Text => {
                self.skip_statement()?;
                Ok(ItemKind::Ignored)
            }
            "global" if self.ahead(1).is_word("clocking") => {
                self.advance();
                self.skip_named("clocking")
            }
            "program" | "class" | "virtual" | "checker"
                if self.unit_follows() && self.foreign()? =>
            {
                Ok(ItemKind::Ignored)
            }
            word if GATES.contains(&word) => self.gates(),
            word if OTHER_GATES.contains(&word) => {
                self.skip_statement()?;
                Ok(ItemKind::Unsupported("a switch or a weak driver"))
            }
            "const" if self.ahead(1).kind == Kind::Word => self.declaration_item(),
            _ if self.declaration_follows() => self.declaration_item(),
            _ => {
                // `name : assert property (…)`
                if self.is_name() && self.ahead(1).is(":") {
                    self.advance();
                    self.advance();
                    return self.item_kind();
                }
                self.instances()
            }
        }
    }

    /// Whether a class, program or checker is next, and no instance of a module with such a name: its end is in this module or package.
    fn unit_follows(&self) -> bool {
        const ENDS: [&str; 3] = ["endclass", "endprogram", "endchecker"];
        const OUTER: [&str; 3] = ["endmodule", "endpackage", "endinterface"];
        let rest = &self.source.tokens[self.at.min(self.source.tokens.len())..];
        let is_one_of =
            |token: &&Token, words: &[&str]| words.iter().any(|word| token.is_word(word));
        let end = rest
            .iter()
            .find(|token| is_one_of(token, &ENDS) || is_one_of(token, &OUTER));
        end.is_some_and(|token| is_one_of(&token, &ENDS))
    }

    /// Reads one of `defparam a.b = 1, c.d = 2;`
    fn defparam(&mut self) -> Parsed<ItemKind> {
        let target = self.reference()?;
        let ExprKind::Name(path) = self.source.expr(target).kind.clone() else {
            return Err(self.error("`defparam` needs the path of a parameter"));
        };
        self.expect("=")?;
        Ok(ItemKind::Defparam(path, self.expression()?))
    }

    /// Reads `generate … endgenerate`.
    fn generate_region(&mut self) -> Parsed<ItemKind> {
        self.advance();
        let mut items = Vec::new();
        while !self.eat_word("endgenerate") {
            if self.at_end() {
                return Err(self.error("expected `endgenerate`"));
            }
            items.push(self.item()?);
        }
        Ok(ItemKind::Block(None, items))
    }

    fn generate_if(&mut self) -> Parsed<ItemKind> {
        self.advance();
        self.expect("(")?;
        let number = self.construct();
        let condition = self.expression()?;
        self.expect(")")?;
        let then = Box::new(self.generate_branch(number)?);
        let other = match self.eat_word("else") {
            true => Some(Box::new(self.generate_branch(number)?)),
            false => None,
        };
        Ok(ItemKind::GenerateIf(condition, then, other))
    }

    /// Reads past a part that begins with this word, and whose end may repeat its name.
    fn skip_named(&mut self, word: &str) -> Parsed<ItemKind> {
        let end = match word {
            "covergroup" => "endgroup".to_owned(),
            word => format!("end{word}"),
        };
        if word == "covergroup" {
            self.covergroups.insert(self.ahead(1).text.clone());
        }
        self.skip_past(&end)?;
        if self.eat(":") {
            self.name()?;
        }
        Ok(ItemKind::Ignored)
    }

    /// Reads a list between commas up to a semicolon, as one item.
    pub(super) fn list(
        &mut self,
        mut one: impl FnMut(&mut Self) -> Parsed<ItemKind>,
    ) -> Parsed<ItemKind> {
        let mut all = Vec::new();
        loop {
            let first = self.at;
            let kind = one(self)?;
            all.push(Item {
                kind,
                extent: self.since(first),
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(ItemKind::Block(None, all))
    }

    /// Reads `$error("…");` outside blocks: the design rejects its own parameters.
    pub(super) fn elaboration_task(&mut self) -> Parsed<ItemKind> {
        let first = self.at;
        let name = self.token().text.clone();
        self.skip_statement()?;
        let said = self.source.tokens[first..self.at].iter();
        let mut texts = said.filter(|token| token.kind == Kind::Text);
        let text = texts
            .next()
            .map_or(Name::from(""), |token| token.text.clone());
        Ok(match &*name {
            "$fatal" | "$error" => ItemKind::Failure(name, text),
            _ => ItemKind::Ignored,
        })
    }

    pub(super) fn assign_item(&mut self) -> Parsed<ItemKind> {
        self.advance();
        if self.is("(") {
            // A drive strength.
            while !self.eat(")") {
                if self.at_end() {
                    return Err(self.error("expected `)`"));
                }
                self.advance();
            }
        }
        if self.is("#") {
            self.timing()?;
        }
        let mut all = Vec::new();
        loop {
            let target = self.target()?;
            self.expect("=")?;
            all.push((target, self.expression()?));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(ItemKind::Assign(all))
    }

    pub(super) fn routine(&mut self) -> Parsed<ItemKind> {
        let first = self.at;
        let function = self.is_word("function");
        self.advance();
        self.eat_word("automatic");
        let mut result = None;
        if function {
            // A void function returns no value.
            match self.is_word("void") && self.ahead(1).kind == Kind::Word {
                true => {
                    self.advance();
                }
                false => result = Some(self.class_and_range()?),
            }
        }
        let name = self.name()?;
        let extent = self.since(first);
        let mut declarations = Vec::new();
        if self.eat("(") {
            if !self.is(")") {
                let mut ports = Vec::new();
                self.ports(&mut ports, &mut declarations, true)?;
            }
            self.expect(")")?;
        }
        self.expect(";")?;
        let end = if function { "endfunction" } else { "endtask" };
        while let Some(item) = self.local_declaration()? {
            declarations.push(item);
        }
        let body_start = self.at;
        let mut statements = Vec::new();
        while !self.eat_word(end) {
            if self.at_end() {
                return Err(self.error(format!("expected `{end}`")));
            }
            statements.push(self.statement()?);
        }
        if self.eat(":") {
            self.name()?;
        }
        let body = self.add_stmt(StmtKind::Block(None, Vec::new(), statements), body_start);
        Ok(ItemKind::Routine(Arc::new(Routine {
            name,
            result,
            declarations,
            body,
            extent,
        })))
    }
}
