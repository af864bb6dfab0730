//! Reads declarations, functions, parameters, instances and the system line.

use hyperkill_frontend::Diagnostic;

use crate::lexer::Kind;
use crate::parser::{Parser, Read};
use crate::syntax::{
    Base, Declaration, Dimension, Function, Instance, Statement, System, TypeText, Variable,
};

impl Parser {
    fn refuse<T>(&self, message: &str) -> Read<T> {
        Err(Diagnostic::error(self.span(), message))
    }

    /// Whether a type begins here; a name alone is one if another name follows.
    pub(crate) fn is_type(&self) -> bool {
        match self.peek() {
            Kind::Word(word) => match word.as_str() {
                "int" | "bool" | "clock" | "chan" | "void" | "scalar" | "struct" | "const"
                | "meta" | "urgent" | "broadcast" | "hybrid" | "double" | "string" => true,
                _ => matches!(self.ahead(1), Kind::Word(_)),
            },
            _ => false,
        }
    }

    pub(crate) fn type_text(&mut self) -> Read<TypeText> {
        self.nested(|parser| {
            let start = parser.span();
            let mut read = TypeText {
                is_const: false,
                is_urgent: false,
                is_broadcast: false,
                base: Base::Void,
                span: start,
            };
            loop {
                if parser.takes_word("const") {
                    read.is_const = true;
                } else if parser.takes_word("urgent") {
                    read.is_urgent = true;
                } else if parser.takes_word("broadcast") {
                    read.is_broadcast = true;
                } else if parser.is_word("hybrid") {
                    return parser.refuse("hybrid clocks are not read");
                } else if !parser.takes_word("meta") {
                    break;
                }
            }
            let Kind::Word(word) = parser.peek().clone() else {
                return Err(parser.unexpected("a type"));
            };
            if word == "string" {
                return parser.refuse(&format!("variables of type `{word}` are not read"));
            }
            parser.next();
            read.base = match word.as_str() {
                "int" if parser.takes("[") => {
                    let from = parser.expression()?;
                    parser.expect(",")?;
                    let to = parser.expression()?;
                    parser.expect("]")?;
                    Base::Int(Some((from, to).into()))
                }
                "int" => Base::Int(None),
                "bool" => Base::Bool,
                "double" => Base::Double,
                "clock" => Base::Clock,
                "chan" => Base::Channel,
                "void" => Base::Void,
                "scalar" => {
                    parser.expect("[")?;
                    let size = parser.expression()?;
                    parser.expect("]")?;
                    Base::Scalar(size.into())
                }
                "struct" => Base::Struct(parser.fields()?),
                _ => Base::Named(word),
            };
            read.span = start.to(parser.behind());
            Ok(read)
        })
    }

    fn fields(&mut self) -> Read<Vec<Variable>> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.takes("}") {
            let base = self.type_text()?;
            fields.extend(self.declarators(&base)?);
            self.expect(";")?;
        }
        Ok(fields)
    }

    fn dimensions(&mut self) -> Read<Vec<Dimension>> {
        let mut dimensions = Vec::new();
        while self.takes("[") {
            let is_type = self.is_word("int") || self.is_word("scalar") || self.is_word("bool");
            dimensions.push(match is_type {
                true => Dimension::Each(self.type_text()?),
                false => Dimension::Count(self.expression()?),
            });
            self.expect("]")?;
        }
        Ok(dimensions)
    }

    fn declarators(&mut self, base: &TypeText) -> Read<Vec<Variable>> {
        let mut variables = Vec::new();
        loop {
            let is_reference = self.takes("&");
            let name = self.name()?;
            let dimensions = self.dimensions()?;
            let is_old = base.is_const && matches!(self.peek(), Kind::Number(_) | Kind::Sign("-"));
            let initial = match self.takes("=") || self.takes(":=") || is_old {
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
            if !self.takes(",") {
                return Ok(variables);
            }
        }
    }

    /// Declarations up to something else.
    pub(crate) fn declarations(&mut self, system: Option<&mut System>) -> Read<Vec<Declaration>> {
        let mut declarations = Vec::new();
        let mut ignored = Vec::new();
        loop {
            let Kind::Word(word) = self.peek().clone() else {
                if self.takes(";") {
                    continue;
                }
                break;
            };
            match word.as_str() {
                "chan" if matches!(self.ahead(1), Kind::Word(word) if word == "priority") => {
                    declarations.push(self.priorities()?);
                }
                "import" => return self.refuse("foreign functions are not read"),
                "dynamic" => return self.refuse("templates that are spawned are not read"),
                "before_update" | "after_update" => {
                    return self.refuse("what happens around every update is not read");
                }
                "gantt" | "progress" => {
                    ignored.push((word.clone(), self.span()));
                    self.next();
                    self.skip_braces()?;
                }
                "typedef" => {
                    self.next();
                    let base = self.type_text()?;
                    let named = self.declarators(&base)?;
                    declarations.extend(named.into_iter().map(Declaration::Type));
                    self.expect(";")?;
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
                    self.expect(";")?;
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

    /// `chan priority a, b < default < c;`
    fn priorities(&mut self) -> Read<Declaration> {
        let start = self.span();
        self.next();
        self.next();
        let mut levels = vec![Vec::new()];
        loop {
            let channel = match self.takes_word("default") {
                true => None,
                false => Some(self.channel()?),
            };
            if let Some(level) = levels.last_mut() {
                level.push(channel);
            }
            if self.takes("<") {
                levels.push(Vec::new());
            } else if !self.takes(",") {
                self.expect(";")?;
                return Ok(Declaration::Priorities(levels, start.to(self.behind())));
            }
        }
    }

    fn is_old_constant(&self) -> bool {
        let next = |by: usize| self.ahead(by);
        matches!(next(1), Kind::Word(word) if word != "int" && word != "bool")
            && matches!(
                next(2),
                Kind::Number(_) | Kind::Sign("-" | "=" | ":=" | "[" | "," | ")")
            )
    }

    fn old_constant(&mut self) -> TypeText {
        let span = self.next().span;
        TypeText {
            is_const: true,
            is_urgent: false,
            is_broadcast: false,
            base: Base::Int(None),
            span,
        }
    }

    /// Braces with anything inside.
    fn skip_braces(&mut self) -> Read<()> {
        self.expect("{")?;
        let mut depth = 1;
        while depth > 0 {
            match self.peek() {
                Kind::Sign("{") => depth += 1,
                Kind::Sign("}") => depth -= 1,
                Kind::End => return Err(self.unexpected("`}`")),
                _ => {}
            }
            self.next();
        }
        Ok(())
    }

    fn declaration(&mut self) -> Read<Vec<Declaration>> {
        let base = self.type_text()?;
        let is_function = matches!(
            (self.peek(), self.ahead(1)),
            (Kind::Word(_), Kind::Sign("("))
        );
        if is_function {
            let name = self.name()?;
            self.expect("(")?;
            let parameters = self.parameters()?;
            self.expect(")")?;
            let body = self.block()?;
            return Ok(vec![Declaration::Function(Function {
                returns: base,
                name,
                parameters,
                body,
            })]);
        }
        let variables = self.declarators(&base)?;
        self.expect(";")?;
        Ok(variables.into_iter().map(Declaration::Variable).collect())
    }

    /// Parameters up to a bracket or the end. The old way separates them by `;`, and lets a type hold for several names.
    pub(crate) fn parameters(&mut self) -> Read<Vec<Variable>> {
        let mut parameters: Vec<Variable> = Vec::new();
        loop {
            if self.is_over() || self.is(")") {
                return Ok(parameters);
            }
            let base = if self.is_word("const") && self.is_old_constant() || self.is_last_old() {
                self.old_constant()
            } else if self.is_type() || matches!(self.ahead(1), Kind::Sign("&")) {
                self.type_text()?
            } else {
                let last = parameters.last().map(|last| last.base.clone());
                last.ok_or_else(|| self.unexpected("a type"))?
            };
            let is_reference = self.takes("&");
            let name = self.name()?;
            let dimensions = self.dimensions()?;
            parameters.push(Variable {
                base,
                name,
                is_reference,
                dimensions,
                initial: None,
            });
            if !self.takes(",") && !self.takes(";") {
                return Ok(parameters);
            }
        }
    }

    /// Whether an old constant is the last parameter.
    fn is_last_old(&self) -> bool {
        self.is_word("const")
            && matches!(self.ahead(1), Kind::Word(_))
            && matches!(self.ahead(2), Kind::End | Kind::Sign(";" | "," | ")"))
    }

    fn block(&mut self) -> Read<Vec<Statement>> {
        self.expect("{")?;
        let mut statements = Vec::new();
        while !self.takes("}") {
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
        if self.is("{") {
            let block = self.block()?;
            statements.push(Statement::Block(block));
            return Ok(());
        }
        if self.takes(";") {
            statements.push(Statement::Empty);
            return Ok(());
        }
        let word = match self.peek() {
            Kind::Word(word) => word.clone(),
            _ => String::new(),
        };
        let read = match word.as_str() {
            "if" => {
                self.next();
                let condition = self.bracketed()?;
                let then = self.one_statement()?;
                let otherwise = match self.takes_word("else") {
                    true => Some(self.one_statement()?),
                    false => None,
                };
                Statement::If(condition, then, otherwise)
            }
            "while" => {
                self.next();
                let condition = self.bracketed()?;
                Statement::While(condition, self.one_statement()?)
            }
            "do" => {
                self.next();
                let body = self.one_statement()?;
                if !self.takes_word("while") {
                    return Err(self.unexpected("`while`"));
                }
                let condition = self.bracketed()?;
                self.expect(";")?;
                Statement::DoWhile(body, condition)
            }
            "for" => self.loop_over()?,
            "return" => {
                let span = self.next().span;
                let value = match self.is(";") {
                    true => None,
                    false => Some(self.expression()?),
                };
                self.expect(";")?;
                Statement::Return(value, span)
            }
            "assert" if matches!(self.ahead(1), Kind::Sign("(")) => {
                self.next();
                let condition = self.expression()?;
                self.expect(";")?;
                Statement::Do(condition)
            }
            _ if word == "typedef" || self.is_type() => {
                let declared = match word.as_str() {
                    "typedef" => self.declarations(None)?,
                    _ => self.declaration()?,
                };
                statements.extend(declared.into_iter().map(Statement::Declare));
                return Ok(());
            }
            _ => {
                let value = self.expression()?;
                // The old way lets expressions stand side by side.
                while self.takes(",") {
                    statements.push(Statement::Do(self.expression()?));
                }
                self.expect(";")?;
                Statement::Do(value)
            }
        };
        statements.push(read);
        Ok(())
    }

    fn bracketed(&mut self) -> Read<crate::syntax::Expr> {
        self.expect("(")?;
        let inner = self.expression()?;
        self.expect(")")?;
        Ok(inner)
    }

    fn loop_over(&mut self) -> Read<Statement> {
        self.next();
        self.expect("(")?;
        let is_each = matches!(
            (self.peek(), self.ahead(1)),
            (Kind::Word(_), Kind::Sign(":"))
        );
        if is_each {
            let name = self.name()?;
            self.expect(":")?;
            let of = self.type_text()?;
            self.expect(")")?;
            return Ok(Statement::Each(name, of, self.one_statement()?));
        }
        let mut parts = Vec::new();
        for end in [";", ";", ")"] {
            let mut part = Vec::new();
            while !self.is(end) {
                part.push(self.expression()?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect(end)?;
            parts.push(part);
        }
        let body = self.one_statement()?;
        let step = parts.pop().unwrap_or_default();
        let condition = parts.pop().and_then(|mut part| part.pop());
        let first = parts.pop().unwrap_or_default();
        Ok(Statement::For(first, condition, step, body))
    }

    /// Instances and the system line.
    pub(crate) fn system(&mut self) -> Read<System> {
        let mut system = System::default();
        loop {
            let declared = self.declarations(Some(&mut system))?;
            system.declarations.extend(declared);
            if self.is_over() {
                return Ok(system);
            }
            if self.takes_word("system") {
                self.processes(&mut system)?;
            } else if self.takes_word("IO") {
                self.io(&mut system)?;
            } else {
                let instance = self.instance()?;
                system.instances.push(instance);
            }
        }
    }

    fn processes(&mut self, system: &mut System) -> Read<()> {
        if self.takes(";") {
            return Ok(());
        }
        let mut level = 0;
        loop {
            system.processes.push(self.name()?);
            system.levels.push(level);
            if self.takes("<") {
                level += 1;
            } else if !self.takes(",") {
                self.expect(";")?;
                return Ok(());
            }
        }
    }

    /// `IO P { a?, b! }`
    fn io(&mut self, system: &mut System) -> Read<()> {
        let process = self.name()?;
        self.expect("{")?;
        let mut actions = Vec::new();
        while !self.takes("}") {
            let name = self.name()?;
            let is_input = self.takes("?");
            if !is_input {
                self.expect("!")?;
            }
            actions.push((name, is_input));
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        system.io.push((process, actions));
        Ok(())
    }

    fn instance(&mut self) -> Read<Instance> {
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.takes("(") {
            parameters = self.parameters()?;
            self.expect(")")?;
        }
        if !self.takes("=") && !self.takes(":=") {
            return Err(self.unexpected("`=`"));
        }
        let of = self.name()?;
        let arguments = match self.takes("(") {
            true => self.arguments()?,
            false => Vec::new(),
        };
        self.expect(";")?;
        Ok(Instance {
            name,
            parameters,
            of,
            arguments,
        })
    }
}
