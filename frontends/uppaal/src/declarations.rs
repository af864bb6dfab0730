//! Reads declarations, functions, parameters, instances and the system line.

use hyperkill_frontend::Diagnostic;

use crate::lexer::Kind;
use crate::parser::{Parser, Read};
use crate::syntax::{
    Base, Declaration, Dimension, Function, Instance, Statement, System, TypeText, Variable,
};

impl Parser<'_> {
    fn refuse<T>(&self, message: &str) -> Read<T> {
        Err(Diagnostic::error(self.tokens.peek().span, message))
    }

    /// Whether a type begins at the next token; a name alone is one if another name follows.
    pub(crate) fn is_type(&self) -> bool {
        let token = self.tokens.peek();
        match token.kind {
            Kind::Word => match token.text {
                "int" | "bool" | "clock" | "chan" | "void" | "scalar" | "struct" | "const"
                | "meta" | "urgent" | "broadcast" | "hybrid" | "double" | "string" => true,
                _ => self.tokens.kind(1) == Kind::Word,
            },
            _ => false,
        }
    }

    pub(crate) fn type_text(&mut self) -> Read<TypeText> {
        self.nested(|parser| {
            let start = parser.tokens.peek().span;
            let mut read = TypeText {
                is_const: false,
                is_urgent: false,
                is_broadcast: false,
                base: Base::Void,
                span: start,
            };
            loop {
                if parser.tokens.eat_word("const") {
                    read.is_const = true;
                } else if parser.tokens.eat_word("urgent") {
                    read.is_urgent = true;
                } else if parser.tokens.eat_word("broadcast") {
                    read.is_broadcast = true;
                } else if parser.tokens.is_word("hybrid") {
                    return parser.refuse("hybrid clocks are not read");
                } else if !parser.tokens.eat_word("meta") {
                    break;
                }
            }
            let token = parser.tokens.peek();
            if token.kind != Kind::Word {
                return Err(parser.tokens.unexpected("a type"));
            }
            let word = token.text;
            if word == "string" {
                return parser.refuse(&format!("variables of type `{word}` are not read"));
            }
            parser.tokens.bump();
            read.base = match word {
                "int" if parser.tokens.eat("[") => {
                    let from = parser.expression()?;
                    parser.tokens.expect(",")?;
                    let to = parser.expression()?;
                    parser.tokens.expect("]")?;
                    Base::Int(Some((from, to).into()))
                }
                "int" => Base::Int(None),
                "bool" => Base::Bool,
                "double" => Base::Double,
                "clock" => Base::Clock,
                "chan" => Base::Channel,
                "void" => Base::Void,
                "scalar" => {
                    parser.tokens.expect("[")?;
                    let size = parser.expression()?;
                    parser.tokens.expect("]")?;
                    Base::Scalar(size.into())
                }
                "struct" => Base::Struct(parser.fields()?),
                _ => Base::Named(word.to_owned()),
            };
            read.span = start.to(parser.tokens.previous());
            Ok(read)
        })
    }

    fn fields(&mut self) -> Read<Vec<Variable>> {
        self.tokens.expect("{")?;
        let mut fields = Vec::new();
        while !self.tokens.eat("}") {
            let base = self.type_text()?;
            fields.extend(self.declarators(&base)?);
            self.tokens.expect(";")?;
        }
        Ok(fields)
    }

    fn dimensions(&mut self) -> Read<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        while self.tokens.eat("[") {
            let is_type = self.tokens.is_word("int")
                || self.tokens.is_word("scalar")
                || self.tokens.is_word("bool");
            dimensions.push(match is_type {
                true => Dimension::Each(self.type_text()?),
                false => Dimension::Count(self.expression()?),
            });
            self.tokens.expect("]")?;
        }
        Ok(dimensions)
    }

    fn declarators(&mut self, base: &TypeText) -> Read<Vec<Variable>> {
        let mut variables = Vec::new();
        loop {
            let is_reference = self.tokens.eat("&");
            let name = self.name()?;
            let dimensions = self.dimensions()?;
            let is_old =
                base.is_const && matches!(self.tokens.kind(0), Kind::Number(_) | Kind::Sign("-"));
            let initial = match self.tokens.eat("=") || self.tokens.eat(":=") || is_old {
                true => Some(self.expression()?),
                false => None,
            };
            variables.push(Variable {
                base: base.clone(),
                name,
                is_reference,
                dimensions,
                initial,
            });
            if !self.tokens.eat(",") {
                return Ok(variables);
            }
        }
    }

    /// Reads declarations up to another construct. With `system`, records ignored constructs there.
    pub(crate) fn declarations(&mut self, system: Option<&mut System>) -> Read<Vec<Declaration>> {
        let mut declarations = Vec::new();
        let mut ignored = Vec::new();
        loop {
            let token = self.tokens.peek();
            if token.kind != Kind::Word {
                if self.tokens.eat(";") {
                    continue;
                }
                break;
            }
            let word = token.text;
            match word {
                "chan" if self.tokens.ahead(1).text == "priority" => {
                    declarations.push(self.priorities()?);
                }
                "import" => return self.refuse("foreign functions are not read"),
                "dynamic" => return self.refuse("templates that are spawned are not read"),
                "before_update" | "after_update" => {
                    return self.refuse("`before_update` and `after_update` are not read");
                }
                "gantt" | "progress" => {
                    ignored.push((word.to_owned(), token.span));
                    self.tokens.bump();
                    self.skip_braces()?;
                }
                "typedef" => {
                    self.tokens.bump();
                    let base = self.type_text()?;
                    let named = self.declarators(&base)?;
                    declarations.extend(named.into_iter().map(Declaration::Type));
                    self.tokens.expect(";")?;
                }
                "system" | "process" | "IO" => break,
                // The old way to say `const int`.
                "const" if self.is_old_constant() => {
                    let base = TypeText {
                        is_const: true,
                        base: Base::Int(None),
                        ..self.old_constant()
                    };
                    let named = self.declarators(&base)?;
                    declarations.extend(named.into_iter().map(Declaration::Variable));
                    self.tokens.expect(";")?;
                }
                _ if self.is_type() => declarations.extend(self.declaration()?),
                _ => break,
            }
        }
        if let Some(system) = system {
            system.ignored.extend(ignored);
        }
        Ok(declarations)
    }

    /// Reads `chan priority a, b < default < c;`.
    fn priorities(&mut self) -> Read<Declaration> {
        let start = self.tokens.peek().span;
        self.tokens.bump();
        self.tokens.bump();
        let mut levels = vec![Vec::new()];
        loop {
            let channel = match self.tokens.eat_word("default") {
                true => None,
                false => Some(self.channel()?),
            };
            if let Some(level) = levels.last_mut() {
                level.push(channel);
            }
            if self.tokens.eat("<") {
                levels.push(Vec::new());
            } else if !self.tokens.eat(",") {
                self.tokens.expect(";")?;
                return Ok(Declaration::Priorities(
                    levels,
                    start.to(self.tokens.previous()),
                ));
            }
        }
    }

    fn is_old_constant(&self) -> bool {
        let next = self.tokens.ahead(1);
        next.kind == Kind::Word
            && !matches!(next.text, "int" | "bool")
            && matches!(
                self.tokens.kind(2),
                Kind::Number(_) | Kind::Sign("-" | "=" | ":=" | "[" | "," | ")")
            )
    }

    fn old_constant(&mut self) -> TypeText {
        let span = self.tokens.bump().span;
        TypeText {
            is_const: true,
            is_urgent: false,
            is_broadcast: false,
            base: Base::Int(None),
            span,
        }
    }

    /// Passes text in braces, with any text inside.
    fn skip_braces(&mut self) -> Read<()> {
        self.tokens.expect("{")?;
        let mut depth = 1;
        while depth > 0 {
            match self.tokens.kind(0) {
                Kind::Sign("{") => depth += 1,
                Kind::Sign("}") => depth -= 1,
                Kind::End => return Err(self.tokens.unexpected("`}`")),
                _ => {}
            }
            self.tokens.bump();
        }
        Ok(())
    }

    fn declaration(&mut self) -> Read<Vec<Declaration>> {
        let base = self.type_text()?;
        let is_function = matches!(
            (self.tokens.kind(0), self.tokens.kind(1)),
            (Kind::Word, Kind::Sign("("))
        );
        if is_function {
            let name = self.name()?;
            self.tokens.expect("(")?;
            let parameters = self.parameters()?;
            self.tokens.expect(")")?;
            let body = self.block()?;
            return Ok(vec![Declaration::Function(Function {
                returns: base,
                name,
                parameters,
                body,
            })]);
        }
        let variables = self.declarators(&base)?;
        self.tokens.expect(";")?;
        Ok(variables.into_iter().map(Declaration::Variable).collect())
    }

    /// Reads parameters up to a bracket or the end. The old syntax separates them by `;`, and lets a type hold for several names.
    pub(crate) fn parameters(&mut self) -> Read<Vec<Variable>> {
        let mut parameters: Vec<Variable> = Vec::new();
        loop {
            if self.tokens.is_over() || self.tokens.is(")") {
                return Ok(parameters);
            }
            let base =
                if self.tokens.is_word("const") && self.is_old_constant() || self.is_last_old() {
                    self.old_constant()
                } else if self.is_type() || self.tokens.kind(1) == Kind::Sign("&") {
                    self.type_text()?
                } else {
                    let last = parameters.last().map(|last| last.base.clone());
                    last.ok_or_else(|| self.tokens.unexpected("a type"))?
                };
            let is_reference = self.tokens.eat("&");
            let name = self.name()?;
            let dimensions = self.dimensions()?;
            parameters.push(Variable {
                base,
                name,
                is_reference,
                dimensions,
                initial: None,
            });
            if !self.tokens.eat(",") && !self.tokens.eat(";") {
                return Ok(parameters);
            }
        }
    }

    /// Whether the next tokens are an old constant `const NAME` that is the last parameter.
    fn is_last_old(&self) -> bool {
        self.tokens.is_word("const")
            && self.tokens.kind(1) == Kind::Word
            && matches!(self.tokens.kind(2), Kind::End | Kind::Sign(";" | "," | ")"))
    }

    fn block(&mut self) -> Read<Vec<Statement>> {
        self.tokens.expect("{")?;
        let mut statements = Vec::new();
        while !self.tokens.eat("}") {
            self.statement(&mut statements)?;
        }
        Ok(statements)
    }

    fn one_statement(&mut self) -> Read<Box<Statement>> {
        let mut statements = Vec::new();
        self.statement(&mut statements)?;
        Ok(match statements.pop() {
            Some(only) if statements.is_empty() => only.into(),
            last => {
                statements.extend(last);
                Statement::Block(statements).into()
            }
        })
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Read<()> {
        self.nested(|parser| parser.statement_inside(statements))
    }

    fn statement_inside(&mut self, statements: &mut Vec<Statement>) -> Read<()> {
        if self.tokens.is("{") {
            let block = self.block()?;
            statements.push(Statement::Block(block));
            return Ok(());
        }
        if self.tokens.eat(";") {
            statements.push(Statement::Empty);
            return Ok(());
        }
        let token = self.tokens.peek();
        let word = match token.kind {
            Kind::Word => token.text,
            _ => "",
        };
        let read = match word {
            "if" => {
                self.tokens.bump();
                let condition = self.bracketed()?;
                let then = self.one_statement()?;
                let otherwise = match self.tokens.eat_word("else") {
                    true => Some(self.one_statement()?),
                    false => None,
                };
                Statement::If(condition, then, otherwise)
            }
            "while" => {
                self.tokens.bump();
                let condition = self.bracketed()?;
                Statement::While(condition, self.one_statement()?)
            }
            "do" => {
                self.tokens.bump();
                let body = self.one_statement()?;
                self.tokens.expect_word("while")?;
                let condition = self.bracketed()?;
                self.tokens.expect(";")?;
                Statement::DoWhile(body, condition)
            }
            "for" => self.loop_over()?,
            "return" => {
                let span = self.tokens.bump().span;
                let value = match self.tokens.is(";") {
                    true => None,
                    false => Some(self.expression()?),
                };
                self.tokens.expect(";")?;
                Statement::Return(value, span)
            }
            "assert" if self.tokens.kind(1) == Kind::Sign("(") => {
                self.tokens.bump();
                let condition = self.expression()?;
                self.tokens.expect(";")?;
                Statement::Do(condition)
            }
            _ if word == "typedef" || self.is_type() => {
                let declared = match word {
                    "typedef" => self.declarations(None)?,
                    _ => self.declaration()?,
                };
                statements.extend(declared.into_iter().map(Statement::Declare));
                return Ok(());
            }
            _ => {
                let value = self.expression()?;
                // The old way lets expressions stand side by side.
                while self.tokens.eat(",") {
                    statements.push(Statement::Do(self.expression()?));
                }
                self.tokens.expect(";")?;
                Statement::Do(value)
            }
        };
        statements.push(read);
        Ok(())
    }

    fn bracketed(&mut self) -> Read<crate::syntax::Expr> {
        self.tokens.expect("(")?;
        let inner = self.expression()?;
        self.tokens.expect(")")?;
        Ok(inner)
    }

    fn loop_over(&mut self) -> Read<Statement> {
        self.tokens.bump();
        self.tokens.expect("(")?;
        let is_each = matches!(
            (self.tokens.kind(0), self.tokens.kind(1)),
            (Kind::Word, Kind::Sign(":"))
        );
        if is_each {
            let name = self.name()?;
            self.tokens.expect(":")?;
            let of = self.type_text()?;
            self.tokens.expect(")")?;
            return Ok(Statement::Each(name, of, self.one_statement()?));
        }
        let mut parts = Vec::new();
        for end in [";", ";", ")"] {
            let mut part = Vec::new();
            while !self.tokens.is(end) {
                part.push(self.expression()?);
                if !self.tokens.eat(",") {
                    break;
                }
            }
            self.tokens.expect(end)?;
            parts.push(part);
        }
        let body = self.one_statement()?;
        let step = parts.pop().unwrap_or_default();
        let condition = parts.pop().and_then(|mut part| part.pop());
        let first = parts.pop().unwrap_or_default();
        Ok(Statement::For(first, condition, step, body))
    }

    /// Reads declarations, instances and the system line.
    pub(crate) fn system(&mut self) -> Read<System> {
        let mut system = System::default();
        loop {
            let declared = self.declarations(Some(&mut system))?;
            system.declarations.extend(declared);
            if self.tokens.is_over() {
                return Ok(system);
            }
            if self.tokens.eat_word("system") {
                self.processes(&mut system)?;
            } else if self.tokens.eat_word("IO") {
                self.io(&mut system)?;
            } else {
                let instance = self.instance()?;
                system.instances.push(instance);
            }
        }
    }

    fn processes(&mut self, system: &mut System) -> Read<()> {
        if self.tokens.eat(";") {
            return Ok(());
        }
        let mut level = 0;
        loop {
            system.processes.push(self.name()?);
            system.levels.push(level);
            if self.tokens.eat("<") {
                level += 1;
            } else if !self.tokens.eat(",") {
                self.tokens.expect(";")?;
                return Ok(());
            }
        }
    }

    /// Reads `IO P { a?, b! }`.
    fn io(&mut self, system: &mut System) -> Read<()> {
        let process = self.name()?;
        self.tokens.expect("{")?;
        let mut actions = Vec::new();
        while !self.tokens.eat("}") {
            let name = self.name()?;
            let is_input = self.tokens.eat("?");
            if !is_input {
                self.tokens.expect("!")?;
            }
            actions.push((name, is_input));
            if !self.tokens.eat(",") {
                self.tokens.expect("}")?;
                break;
            }
        }
        system.io.push((process, actions));
        Ok(())
    }

    fn instance(&mut self) -> Read<Instance> {
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.tokens.eat("(") {
            parameters = self.parameters()?;
            self.tokens.expect(")")?;
        }
        if !self.tokens.eat("=") && !self.tokens.eat(":=") {
            return Err(self.tokens.unexpected("`=`"));
        }
        let of = self.name()?;
        let arguments = match self.tokens.eat("(") {
            true => self.arguments()?,
            false => Vec::new(),
        };
        self.tokens.expect(";")?;
        Ok(Instance {
            name,
            parameters,
            of,
            arguments,
        })
    }
}
