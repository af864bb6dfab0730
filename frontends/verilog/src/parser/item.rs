//! Modules and their parts.

use std::sync::Arc;

use super::{Parsed, Parser};
use crate::ast::{
    BinaryOp, Class, Declaration, Declarator, Direction, ExprId, ExprKind, Item, ItemKind, Module,
    Name, Parameter, Range, Routine, Sensitivity, StmtKind, UnaryOp,
};
use crate::lexer::Kind;
use crate::number::Literal;

/// Gates with their kinds of ports known.
const GATES: &[&str] = &[
    "and", "nand", "or", "nor", "xor", "xnor", "not", "buf", "bufif0", "bufif1", "notif0", "notif1",
];
/// Switches, and what drives weakly.
const OTHER_GATES: &[&str] = &[
    "nmos", "pmos", "cmos", "rnmos", "rpmos", "rcmos", "tran", "rtran", "tranif0", "tranif1",
    "rtranif0", "rtranif1", "pullup", "pulldown",
];

/// What stands between `parameter` and the names.
#[derive(Clone, Default)]
struct ParameterKind {
    signed: bool,
    range: Option<Range>,
    integer: bool,
    /// The same as a declaration of nets.
    layout: Option<Declaration>,
    /// Whether it has elements that are no bits.
    many: bool,
}

impl Parser {
    /// A module, or something else at the top of a file.
    pub(super) fn description(&mut self) -> Parsed<()> {
        let attributes = self.attributes()?;
        if self.is_word("module") || self.is_word("macromodule") {
            let mut module = self.module()?;
            module.off = attributes.off;
            if let Some(known) = self.source.module(&module.name) {
                let there = known.extent.span(&self.source.tokens);
                let here = module.extent.span(&self.source.tokens);
                let message = format!("the module `{}` is defined twice", module.name);
                return Err(hyperkill_frontend::Diagnostic::error(here, message)
                    .with_label(there, "first here"));
            }
            self.source.modules.push(module);
            return Ok(());
        }
        if self.foreign()? {
            return Ok(());
        }
        if self.is_word("package") {
            return self.package();
        }
        let outside = [
            "typedef",
            "import",
            "parameter",
            "localparam",
            "function",
            "task",
        ];
        if outside.iter().any(|word| self.is_word(word)) {
            let item = self.item()?;
            self.source.outside.push(item);
            return Ok(());
        }
        if self.eat(";") {
            return Ok(());
        }
        Err(self.error(format!("expected `module`, found {}", self.found())))
    }

    /// Reads past what is no module and not supported. It is refused where the design uses it.
    fn foreign(&mut self) -> Parsed<bool> {
        for (word, end) in [
            ("primitive", "endprimitive"),
            ("config", "endconfig"),
            ("interface", "endinterface"),
            ("program", "endprogram"),
            ("class", "endclass"),
            ("checker", "endchecker"),
        ] {
            if self.is_word(word) && self.ahead(1).kind == Kind::Word {
                let first = self.at;
                self.advance();
                let _ = self.eat_word("automatic") || self.eat_word("class");
                let name = self.name()?;
                let extent = self.since(first);
                self.skip_past(end)?;
                if self.eat(":") {
                    self.name()?;
                }
                self.source.foreign.push((name, word, extent));
                return Ok(true);
            }
        }
        if self.is_word("bind") {
            return Err(self.error("`bind` is not supported"));
        }
        if self.is_word("timeunit") || self.is_word("timeprecision") {
            self.skip_statement()?;
            return Ok(true);
        }
        Ok(false)
    }

    fn module(&mut self) -> Parsed<Module> {
        let first = self.at;
        self.advance();
        self.eat_word("automatic");
        let name = self.name()?;
        let extent = self.since(first);
        let mut items = Vec::new();
        while self.is_word("import") {
            items.push(self.item()?);
        }
        if self.eat("#") {
            self.expect("(")?;
            self.head_parameters(&mut items)?;
            self.expect(")")?;
        }
        let mut ports = Vec::new();
        if self.eat("(") {
            if !self.is(")") {
                self.ports(&mut ports, &mut items, false)?;
            }
            self.expect(")")?;
        }
        self.expect(";")?;
        while !self.eat_word("endmodule") {
            if self.at_end() {
                return Err(self.error(format!("the module `{name}` has no `endmodule`")));
            }
            items.push(self.item()?);
        }
        if self.eat(":") {
            self.name()?;
        }
        Ok(Module {
            name,
            ports,
            items,
            extent,
            off: false,
        })
    }

    /// `parameter A = 1, parameter [3:0] B = 2` in the head.
    fn head_parameters(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.is(")") {
            return Ok(());
        }
        let mut local = false;
        let mut kind = ParameterKind::default();
        loop {
            let first = self.at;
            self.attributes()?;
            let said = self.is_word("parameter") || self.is_word("localparam");
            if said {
                local = self.is_word("localparam");
                self.advance();
            }
            if said || !(self.is_name() && self.ahead(1).is("=")) {
                kind = self.parameter_kind()?;
            }
            let kind = self.parameters(local, &kind)?;
            items.push(Item {
                kind,
                extent: self.since(first),
                off: false,
            });
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    /// Sign, bounds, and whether it is an integer.
    fn parameter_kind(&mut self) -> Parsed<ParameterKind> {
        let mut kind = ParameterKind::default();
        if self.is_word("type") && self.ahead(1).kind == Kind::Word {
            return Err(self.error("a parameter that is a type is not supported"));
        }
        // Its value says what it is.
        if self.is_word("string") && self.ahead(1).kind == Kind::Word {
            self.advance();
            return Ok(kind);
        }
        if self.type_follows() {
            let mut layout = Declaration {
                of: Some(Arc::new(self.data_type()?)),
                ..Declaration::default()
            };
            while self.is("[") {
                kind.many = true;
                layout.inner.push(self.range()?);
            }
            kind.layout = Some(layout);
            return Ok(kind);
        }
        let mut signed = None;
        kind.integer = self.eat_word("integer") || self.eat_soft("int") || self.eat_word("time");
        if self.is_word("real") || self.is_word("realtime") {
            return Err(self.error("real numbers are not supported"));
        }
        if self.eat_soft("logic") || self.eat_soft("bit") || self.eat_word("reg") {
            signed = Some(false);
        }
        if self.eat_word("signed") {
            signed = Some(true);
        } else if self.eat_word("unsigned") {
            signed = Some(false);
        }
        kind.signed = signed.unwrap_or(false);
        if self.is("[") {
            kind.range = Some(self.range()?);
        }
        let mut inner = Vec::new();
        while self.is("[") {
            inner.push(self.range()?);
        }
        kind.many = !inner.is_empty();
        kind.layout = Some(Declaration {
            class: Some(match kind.integer {
                true => Class::Integer,
                false => Class::Wire,
            }),
            signed: kind.signed,
            range: kind.range,
            inner,
            ..Declaration::default()
        });
        Ok(kind)
    }

    /// One parameter. What has parts or elements is a net that is always the same.
    fn parameters(&mut self, local: bool, kind: &ParameterKind) -> Parsed<ItemKind> {
        let first = self.at;
        let array = self.ahead(1).is("[");
        let pattern = self.ahead(1).is("=") && self.ahead(2).is("'") && self.ahead(3).is("{");
        if array || kind.many || pattern {
            if !local {
                let message = "a parameter with elements or parts that can be set is not supported";
                return Err(self.error(message));
            }
            let mut declaration = kind.layout.clone().unwrap_or_default();
            declaration.class = Some(Class::Wire);
            if kind.integer {
                declaration = Declaration {
                    class: Some(Class::Wire),
                    ..self.word_type("int")
                };
            }
            declaration.names.push(self.declarator()?);
            return Ok(ItemKind::Declaration(declaration));
        }
        let name = self.name()?;
        self.expect("=")?;
        let value = self.expression()?;
        Ok(ItemKind::Parameters(vec![Parameter {
            name,
            local,
            signed: kind.signed,
            range: kind.range,
            integer: kind.integer,
            value,
            extent: self.since(first),
        }]))
    }

    /// What a word of the language for a type of whole numbers declares.
    pub(super) fn word_type(&mut self, word: &str) -> Declaration {
        let (class, bits, signed) = match word {
            "int" | "integer" => (Class::Integer, None, true),
            "byte" => (Class::Reg, Some(8), true),
            "shortint" => (Class::Reg, Some(16), true),
            "longint" => (Class::Reg, Some(64), true),
            _ => (Class::Reg, None, false),
        };
        let range = bits.map(|bits: i64| {
            let (extent, at) = (self.here(), self.at);
            let high = self.add(ExprKind::Number(Literal::integer(bits - 1)), extent, at);
            let low = self.add(ExprKind::Number(Literal::integer(0)), extent, at);
            (high, low)
        });
        Declaration {
            class: Some(class),
            signed,
            range,
            ..Declaration::default()
        }
    }

    /// The ports in the head, with declarations if it declares them. Arguments of functions are inputs if nothing else is said.
    fn ports(
        &mut self,
        ports: &mut Vec<(Name, Name)>,
        items: &mut Vec<Item>,
        arguments: bool,
    ) -> Parsed<()> {
        let mut last: Option<Declaration> = None;
        loop {
            let first = self.at;
            let attributes = self.attributes()?;
            let direction = self.direction();
            let typed = direction.is_some() || self.class_follows();
            if typed || (arguments && last.is_none()) {
                let mut declaration = self.class_and_range()?;
                let input = arguments.then_some(Direction::Input);
                let before = last.as_ref().and_then(|last| last.direction);
                declaration.direction = direction.or(before).or(input);
                declaration.choice = attributes.choice;
                last = Some(declaration);
            }
            if let Some(declaration) = &last {
                let declarator = self.declarator()?;
                ports.push((declarator.name.clone(), declarator.name.clone()));
                let mut declaration = declaration.clone();
                declaration.names = vec![declarator];
                items.push(Item {
                    kind: ItemKind::Declaration(declaration),
                    extent: self.since(first),
                    off: attributes.off,
                });
            } else if self.eat(".") {
                let outside = self.name()?;
                self.expect("(")?;
                let inside = self.name()?;
                self.expect(")")?;
                ports.push((outside, inside));
            } else {
                let name = self.name()?;
                ports.push((name.clone(), name));
            }
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    fn direction(&mut self) -> Option<Direction> {
        let directions = [
            ("input", Direction::Input),
            ("output", Direction::Output),
            ("inout", Direction::Inout),
        ];
        let found = directions.iter().find(|(word, _)| self.is_word(word));
        found.map(|(_, direction)| {
            self.advance();
            *direction
        })
    }

    fn class_follows(&self) -> bool {
        let words = [
            "wire", "reg", "tri", "integer", "signed", "wand", "wor", "time",
        ];
        words.iter().any(|word| self.is_word(word))
            || ["logic", "bit", "int", "byte"]
                .iter()
                .any(|word| self.is_soft(word))
            || self.is("[")
            || self.type_follows()
    }

    /// What comes before the names of a declaration.
    pub(super) fn class_and_range(&mut self) -> Parsed<Declaration> {
        if self.is_word("const") && self.ahead(1).kind == Kind::Word {
            self.advance();
        }
        let automatic = self.eat_word("automatic");
        if !automatic && self.is_word("static") && !self.ahead(1).is("=") {
            self.advance();
        }
        let mut signed = false;
        let mut class = None;
        let mut fixed = None;
        let mut of = None;
        if self.eat_word("var") {
            class = Some(Class::Reg);
        }
        if self.type_follows() {
            of = Some(Arc::new(self.data_type()?));
            class = Some(Class::Reg);
        } else if self.token().kind == Kind::Word {
            let word = self.token().text.clone();
            let (found, width) = match &*word {
                "wire" | "tri" => (Some(Class::Wire), None),
                "reg" => (Some(Class::Reg), None),
                "integer" => (Some(Class::Integer), None),
                "time" => (Some(Class::Reg), Some((64, false))),
                "genvar" => (Some(Class::Genvar), None),
                "supply0" => (Some(Class::Supply(false)), None),
                "supply1" => (Some(Class::Supply(true)), None),
                "wand" | "triand" => (Some(Class::Wired(true)), None),
                "wor" | "trior" => (Some(Class::Wired(false)), None),
                "tri0" => (Some(Class::Pulled(false)), None),
                "tri1" => (Some(Class::Pulled(true)), None),
                "trireg" => (Some(Class::Other("a net that keeps its charge")), None),
                "real" | "realtime" => (Some(Class::Other("`real`")), None),
                "event" => (Some(Class::Other("`event`")), None),
                "logic" | "bit" if self.is_soft(&word) => (Some(Class::Reg), None),
                "int" if self.is_soft(&word) => (Some(Class::Integer), None),
                "byte" if self.is_soft(&word) => (Some(Class::Reg), Some((8, true))),
                "shortint" if self.is_soft(&word) => (Some(Class::Reg), Some((16, true))),
                "longint" if self.is_soft(&word) => (Some(Class::Reg), Some((64, true))),
                _ => (None, None),
            };
            if found.is_some() {
                self.advance();
                class = found;
                fixed = width;
            }
            // `wire logic`, `output var logic`.
            if (self.is_soft("logic") || self.is_word("reg")) && class == Some(Class::Wire) {
                self.advance();
            }
        }
        if self.eat_word("signed") {
            signed = true;
        } else {
            self.eat_word("unsigned");
        }
        // A drive strength, which changes nothing without tri-state.
        if self.is("(")
            && [
                "strong0", "strong1", "supply0", "supply1", "pull0", "pull1", "weak0", "weak1",
            ]
            .iter()
            .any(|word| self.ahead(1).is_word(word))
        {
            while !self.eat(")") {
                self.advance();
            }
        }
        let mut range = None;
        if let Some((width, sign)) = fixed {
            signed |= sign;
            let extent = self.here();
            let at = self.at;
            let high = self.add(ExprKind::Number(Literal::integer(width - 1)), extent, at);
            let low = self.add(ExprKind::Number(Literal::integer(0)), extent, at);
            range = Some((high, low));
        }
        for word in ["scalared", "vectored"] {
            self.eat_word(word);
        }
        if self.is("[") {
            range = Some(self.range()?);
        }
        let mut inner = Vec::new();
        while self.is("[") {
            inner.push(self.range()?);
        }
        if self.is("#") {
            self.timing()?;
        }
        Ok(Declaration {
            direction: None,
            class,
            signed,
            range,
            inner,
            of,
            names: Vec::new(),
            choice: None,
            automatic,
        })
    }

    pub(super) fn range(&mut self) -> Parsed<Range> {
        self.expect("[")?;
        let high = self.expression()?;
        self.expect(":")?;
        let low = self.expression()?;
        self.expect("]")?;
        Ok((high, low))
    }

    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        let first = self.at;
        let name = self.name()?;
        let mut dimensions = Vec::new();
        while self.eat("[") {
            let from = self.expression()?;
            let to = match self.eat(":") {
                true => Some(self.expression()?),
                false => None,
            };
            self.expect("]")?;
            dimensions.push((from, to));
        }
        let value = match self.eat("=") {
            true => Some(self.expression()?),
            false => None,
        };
        Ok(Declarator {
            name,
            dimensions,
            value,
            extent: self.since(first),
        })
    }

    /// A part of a module.
    pub(super) fn item(&mut self) -> Parsed<Item> {
        self.nested(|parser| {
            let attributes = parser.attributes()?;
            let first = parser.at;
            let mut kind = parser.item_kind()?;
            if let ItemKind::Declaration(declaration) = &mut kind {
                declaration.choice = attributes.choice;
            }
            Ok(Item {
                kind,
                extent: parser.since(first),
                off: attributes.off,
            })
        })
    }

    fn item_kind(&mut self) -> Parsed<ItemKind> {
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
                self.list(|parser| {
                    let target = parser.reference()?;
                    let ExprKind::Name(path) = parser.source.expr(target).kind.clone() else {
                        return Err(parser.error("`defparam` needs the path of a parameter"));
                    };
                    parser.expect("=")?;
                    Ok(ItemKind::Defparam(path, parser.expression()?))
                })
            }
            "assign" => self.assign_item(),
            "always" | "always_ff" | "always_comb" | "always_latch" => {
                self.advance();
                let sensitivity = match &*token.text {
                    "always_comb" => Sensitivity::Any,
                    "always_latch" => Sensitivity::Unsupported("a latch (`always_latch`)"),
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
            "generate" => {
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
            "for" => self.generate_for(),
            "if" => {
                self.advance();
                self.expect("(")?;
                let condition = self.expression()?;
                self.expect(")")?;
                let then = Box::new(self.generate_block()?);
                let other = match self.eat_word("else") {
                    true => Some(Box::new(self.generate_block()?)),
                    false => None,
                };
                Ok(ItemKind::GenerateIf(condition, then, other))
            }
            "case" => self.generate_case(),
            "begin" => Ok(self.generate_block()?.kind),
            "specify" => {
                self.skip_past("endspecify")?;
                Ok(ItemKind::Ignored)
            }
            "specparam" | "timeunit" | "timeprecision" => {
                self.skip_statement()?;
                Ok(ItemKind::Ignored)
            }
            // What a property says matters only if it is asserted.
            "property" | "sequence" | "covergroup" | "clocking"
                if self.ahead(1).kind == Kind::Word =>
            {
                let end = match &*token.text {
                    "covergroup" => "endgroup".to_owned(),
                    word => format!("end{word}"),
                };
                self.skip_past(&end)?;
                if self.eat(":") {
                    self.name()?;
                }
                Ok(ItemKind::Ignored)
            }
            "alias" | "let" if self.ahead(1).kind == Kind::Word => {
                Err(self.error(format!("`{}` is not supported", token.text)))
            }
            "assert" | "assume" | "cover" => self.property(&token.text),
            "typedef" if self.typedef_follows() => self.typedef(),
            "import" if self.ahead(2).is("::") => self.import(),
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

    /// What stands between commas up to a semicolon, as one part.
    fn list(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<ItemKind>) -> Parsed<ItemKind> {
        let mut all = Vec::new();
        loop {
            let first = self.at;
            let kind = one(self)?;
            all.push(Item {
                kind,
                extent: self.since(first),
                off: false,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(ItemKind::Block(None, all))
    }

    fn declaration_item(&mut self) -> Parsed<ItemKind> {
        let direction = self.direction();
        let mut declaration = self.class_and_range()?;
        declaration.direction = direction;
        declaration.names.push(self.declarator()?);
        while self.eat(",") {
            declaration.names.push(self.declarator()?);
        }
        self.expect(";")?;
        Ok(ItemKind::Declaration(declaration))
    }

    fn declaration_follows(&self) -> bool {
        let words = [
            "input",
            "output",
            "inout",
            "wire",
            "reg",
            "integer",
            "time",
            "genvar",
            "supply0",
            "supply1",
            "tri",
            "tri0",
            "tri1",
            "trireg",
            "wand",
            "wor",
            "triand",
            "trior",
            "real",
            "realtime",
            "event",
            "automatic",
        ];
        words.iter().any(|word| self.is_word(word))
            || ["logic", "bit", "int", "byte", "shortint", "longint"]
                .iter()
                .any(|word| self.is_soft(word))
            || (self.is_word("var") && self.ahead(1).kind == Kind::Word)
            || self.type_follows()
    }

    /// `$error("…");` outside blocks: the design itself says that it must not be like this.
    fn elaboration_task(&mut self) -> Parsed<ItemKind> {
        let name = self.token().text.clone();
        self.skip_statement()?;
        Ok(match &*name {
            "$fatal" | "$error" => ItemKind::Unsupported("what the design itself calls an error"),
            _ => ItemKind::Ignored,
        })
    }

    fn assign_item(&mut self) -> Parsed<ItemKind> {
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

    fn routine(&mut self) -> Parsed<ItemKind> {
        let first = self.at;
        let function = self.is_word("function");
        self.advance();
        self.eat_word("automatic");
        let mut result = None;
        if function {
            // Nothing comes back.
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

    fn generate_for(&mut self) -> Parsed<ItemKind> {
        self.advance();
        self.expect("(")?;
        self.eat_word("genvar");
        let variable = self.name()?;
        self.expect("=")?;
        let init = self.expression()?;
        self.expect(";")?;
        let condition = self.expression()?;
        self.expect(";")?;
        let first = self.at;
        let counted = self.reference()?;
        let step = match &self.source.expr(counted).kind {
            ExprKind::Name(path) if path.len() == 1 && path[0].name == variable => {
                let up = self.is("++") || self.is("+=");
                let down = self.is("--") || self.is("-=");
                let by_one = self.is("++") || self.is("--");
                self.advance();
                if up || down {
                    let by = match by_one {
                        true => {
                            let extent = self.since(first);
                            self.add(ExprKind::Number(Literal::integer(1)), extent, first)
                        }
                        false => self.expression()?,
                    };
                    let op = if up {
                        crate::ast::BinaryOp::Add
                    } else {
                        crate::ast::BinaryOp::Sub
                    };
                    let extent = self.since(first);
                    self.add(ExprKind::Binary(op, counted, by), extent, first)
                } else {
                    self.expression()?
                }
            }
            _ => return Err(self.error(format!("this loop must count with `{variable}`"))),
        };
        self.expect(")")?;
        let block = self.generate_block()?;
        let (label, items) = match block.kind {
            ItemKind::Block(label, items) => (label, items),
            _ => (None, vec![block]),
        };
        Ok(ItemKind::GenerateFor {
            variable,
            init,
            condition,
            step,
            label,
            items,
        })
    }

    /// `begin : name … end`, or one item.
    fn generate_block(&mut self) -> Parsed<Item> {
        let first = self.at;
        if !self.eat_word("begin") {
            return self.item();
        }
        let label = match self.eat(":") {
            true => Some(self.name()?),
            false => None,
        };
        let mut items = Vec::new();
        while !self.eat_word("end") {
            if self.at_end() {
                return Err(self.error("expected `end`"));
            }
            items.push(self.item()?);
        }
        if self.eat(":") {
            self.name()?;
        }
        // A block without a name has a scope all the same.
        let label = label.or_else(|| Some(Arc::from(format!("genblk{first}").as_str())));
        Ok(Item {
            kind: ItemKind::Block(label, items),
            extent: self.since(first),
            off: false,
        })
    }

    fn generate_case(&mut self) -> Parsed<ItemKind> {
        self.advance();
        self.expect("(")?;
        let subject = self.expression()?;
        self.expect(")")?;
        let mut branches = Vec::new();
        while !self.eat_word("endcase") {
            let labels = self.case_labels()?;
            branches.push((labels, self.generate_block()?));
        }
        Ok(ItemKind::GenerateCase(subject, branches))
    }

    /// `assert property (@(posedge clk) disable iff (r) c);`
    fn property(&mut self, word: &str) -> Parsed<ItemKind> {
        self.advance();
        let _ = self.eat_word("property") || self.eat_word("final");
        if self.is("#") {
            self.timing()?;
        }
        self.expect("(")?;
        let condition = self.property_expression()?;
        self.expect(")")?;
        if self.eat_word("else") {
            self.statement()?;
        } else {
            self.expect(";")?;
        }
        Ok(match word {
            "assert" => ItemKind::Assert(condition),
            "assume" => ItemKind::Assume(condition),
            _ => ItemKind::Ignored,
        })
    }

    /// `@(posedge clk) disable iff (r) a |-> b`: what holds in every step.
    pub(super) fn property_expression(&mut self) -> Parsed<ExprId> {
        if self.is("@") {
            self.timing()?;
        }
        let first = self.at;
        let mut excused = None;
        if self.eat_word("disable") {
            self.expect_word("iff")?;
            self.expect("(")?;
            excused = Some(self.expression()?);
            self.expect(")")?;
        }
        let mut condition = self.expression()?;
        if self.eat("|->") {
            let extent = self.since(first);
            let other = self.add(ExprKind::Unary(UnaryOp::Not, condition), extent, first);
            let then = self.expression()?;
            condition = self.either(first, other, then);
        }
        if self.is("|->") || self.is("|=>") || self.is("##") {
            return Err(self.error("sequences in properties are not supported"));
        }
        Ok(match excused {
            Some(excused) => self.either(first, excused, condition),
            None => condition,
        })
    }

    fn either(&mut self, first: usize, a: ExprId, b: ExprId) -> ExprId {
        let extent = self.since(first);
        self.add(ExprKind::Binary(BinaryOp::LogicOr, a, b), extent, first)
    }
}
