//! Visits every place in the text that rules may apply to, with its path.
//!
//! A path consists of names and texts around a place, not of numbers, so that other edits do not change it.

use hyperkill_frontend::SourceFile;
use rustc_hash::FxHashSet;

use super::enums::Enums;
use super::rule::{Point, Position};
use crate::ast::{
    BinaryOp, Class, ExprId, ExprKind, Extent, Item, ItemKind, Name, Sensitivity, Source, StmtId,
    StmtKind, UnaryOp,
};

struct Walk<'a, 'v> {
    source: &'a Source,
    files: &'a [SourceFile],
    visit: &'v mut dyn FnMut(&str, Point),
    path: String,
    /// Whether in an `initial` block, where only numbers are mutated.
    initial: bool,
    /// Whether in a function.
    function: bool,
    /// Variables of an `enum` of the module and of all packages.
    enums: FxHashSet<Name>,
}

/// Visits all places of all modules, and of the items outside modules.
pub(super) fn walk(source: &Source, files: &[SourceFile], visit: &mut dyn FnMut(&str, Point)) {
    let mut walk = Walk {
        source,
        files,
        visit,
        path: String::new(),
        initial: false,
        function: false,
        enums: FxHashSet::default(),
    };
    let types = Enums::new(source);
    for (name, items) in &source.packages {
        walk.path = name.to_string();
        walk.enums = types.variables(items);
        walk.items(items);
    }
    walk.path = String::new();
    walk.enums = types.variables(&source.outside);
    walk.items(&source.outside);
    let interfaces = source.interfaces.iter().map(|interface| &interface.body);
    for module in source.modules.iter().chain(interfaces) {
        walk.path = module.name.to_string();
        walk.enums = types.variables(&module.items);
        walk.items(&module.items);
    }
}

impl Walk<'_, '_> {
    fn step(&mut self, step: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        // One line only, not the full text of long expressions.
        let words = step.split_whitespace();
        for word in words {
            self.path.push_str(word);
        }
        let end = self
            .path
            .char_indices()
            .nth(self.path[..length].chars().count() + 60);
        if let Some((end, _)) = end {
            self.path.truncate(end);
        }
        inside(self);
        self.path.truncate(length);
    }

    fn text(&self, expr: ExprId) -> String {
        let span = self.source.span(expr);
        self.files
            .get(span.file)
            .map_or(String::new(), |file| span.of(&file.text).to_owned())
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Assign(all) => {
                for (target, value) in all {
                    let name = format!("assign({})", self.text(*target));
                    let position = self.assigned_to(*target);
                    self.step(&name, |walk| walk.expr(*value, position));
                }
            }
            ItemKind::Declaration(declaration) => {
                // The value of a variable is its first value only, unless the variable is automatic.
                let variable = matches!(
                    declaration.class,
                    None | Some(Class::Reg | Class::Integer | Class::Genvar)
                );
                let initial = self.initial;
                self.initial |= variable && !declaration.automatic;
                for declarator in &declaration.names {
                    if let Some(value) = declarator.value {
                        let position = match self.enums.contains(&declarator.name) {
                            true => Position::Operand,
                            false => Position::Value,
                        };
                        self.step(&declarator.name, |walk| walk.expr(value, position));
                    }
                }
                self.initial = initial;
            }
            // Tables of constants are logic where a computed index reads them.
            ItemKind::Parameters(all) => {
                for parameter in all {
                    let declarator = &parameter.declarator;
                    if let (true, Some(value)) = (parameter.local, declarator.value) {
                        self.step(&declarator.name, |walk| walk.expr(value, Position::Value));
                    }
                }
            }
            ItemKind::Always(sensitivity, body) => {
                let name = format!("always({})", self.first_target(*body));
                let resets = self.resets(sensitivity, *body);
                self.step(&name, |walk| walk.stmt(*body, &resets));
            }
            ItemKind::Initial(body) => {
                let name = format!("initial({})", self.first_target(*body));
                self.initial = true;
                self.step(&name, |walk| walk.stmt(*body, &[]));
                self.initial = false;
            }
            ItemKind::Routine(routine) => {
                self.function = routine.result.is_some();
                self.step(&routine.name, |walk| {
                    walk.items(&routine.declarations);
                    walk.stmt(routine.body, &[]);
                });
                self.function = false;
            }
            ItemKind::Instances { instances, .. } | ItemKind::Gates(_, instances) => {
                for instance in instances {
                    let name = instance.name.clone().unwrap_or_default();
                    for (i, connection) in instance.connections.iter().enumerate() {
                        let Some(value) = connection.value else {
                            continue;
                        };
                        let port = connection
                            .port
                            .as_ref()
                            .map_or(i.to_string(), |port| port.to_string());
                        let step = format!("{name}.{port}");
                        self.step(&step, |walk| walk.expr(value, Position::Value));
                    }
                }
            }
            ItemKind::Block(label, items) | ItemKind::GenerateFor { label, items, .. } => {
                match label {
                    Some(label) => self.step(label, |walk| walk.items(items)),
                    None => self.items(items),
                }
            }
            ItemKind::GenerateIf(_, then, other) => {
                self.item(then);
                if let Some(other) = other {
                    self.item(other);
                }
            }
            ItemKind::GenerateCase(_, branches) => {
                for (_, block) in branches {
                    self.item(block);
                }
            }
            _ => {}
        }
    }

    /// Returns the text of the first target of a block, which distinguishes blocks.
    fn first_target(&self, body: StmtId) -> String {
        let mut stack = vec![body];
        while let Some(id) = stack.pop() {
            match &self.source.stmt(id).kind {
                StmtKind::Assign { target, .. } => return self.text(*target),
                StmtKind::Block(_, _, statements) => stack.extend(statements.iter().rev()),
                StmtKind::If(_, then, other) => {
                    stack.extend(other);
                    stack.push(*then);
                }
                StmtKind::Case { items, .. } => {
                    stack.extend(items.iter().rev().map(|item| item.body))
                }
                StmtKind::For { body, .. } | StmtKind::While(_, body) => stack.push(*body),
                _ => {}
            }
        }
        String::new()
    }

    /// Returns the conditions of asynchronous resets with the extents of their edges, and whether the edges rise.
    fn resets(&self, sensitivity: &Sensitivity, body: StmtId) -> Vec<(ExprId, Extent, bool)> {
        let Sensitivity::Edges(edges) = sensitivity else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut at = body;
        for _ in 1..edges.len() {
            while let StmtKind::Block(_, _, statements) = &self.source.stmt(at).kind
                && let [one] = statements.as_slice()
            {
                at = *one;
            }
            let StmtKind::If(condition, _, other) = &self.source.stmt(at).kind else {
                break;
            };
            let own = edges
                .iter()
                .find(|(_, signal)| self.asks_for(*condition, *signal));
            if let Some((rising, signal)) = own {
                let extent = self.source.expr(*signal).extent;
                // The keyword of the edge comes right before.
                let extent = Extent {
                    first: extent.first.saturating_sub(1),
                    last: extent.last,
                };
                found.push((*condition, extent, *rising));
            }
            match other {
                Some(other) => at = *other,
                None => break,
            }
        }
        found
    }

    /// Whether a condition tests the level of `signal`: the signal itself, negated, or as an operand.
    fn asks_for(&self, condition: ExprId, signal: ExprId) -> bool {
        match self.source.expr(condition).kind {
            ExprKind::Unary(_, a) => self.asks_for(a, signal),
            ExprKind::Binary(_, a, b) => self.asks_for(a, signal) || self.asks_for(b, signal),
            _ => self.source.has_same_tokens(condition, signal),
        }
    }

    /// Returns the position of an assigned value. A value of an `enum` must not be negated without a cast (IEEE 1800-2017 §6.19.3).
    fn assigned_to(&self, target: ExprId) -> Position {
        match &self.source.expr(target).kind {
            ExprKind::Name(path) if path.len() == 1 && self.enums.contains(&path[0].name) => {
                Position::Operand
            }
            _ => Position::Value,
        }
    }

    fn stmt(&mut self, id: StmtId, resets: &[(ExprId, Extent, bool)]) {
        let source = self.source;
        match &source.stmt(id).kind {
            StmtKind::Block(label, declared, statements) => {
                let label = label.clone().unwrap_or_default();
                let each = |walk: &mut Self| {
                    walk.items(declared);
                    for statement in statements {
                        walk.stmt(*statement, resets);
                    }
                };
                if label.is_empty() {
                    each(self);
                } else {
                    self.step(&label, each);
                }
            }
            StmtKind::Assign { target, value, .. } => {
                let name = self.text(*target);
                self.step(&name, |walk| {
                    if !walk.initial {
                        (walk.visit)(&walk.path, Point::Stmt(id, walk.function));
                    }
                    walk.assigned(*target, *value);
                });
            }
            StmtKind::If(condition, then, other) => {
                let reset = resets.iter().find(|(asked, ..)| asked == condition);
                let position = match reset {
                    Some((_, edge, rising)) => Position::Reset(*edge, *rising),
                    None => Position::Condition,
                };
                let name = format!("if({})", self.text(*condition));
                self.step(&name, |walk| {
                    match position {
                        Position::Reset(..) => {
                            (walk.visit)(&walk.path, Point::Expr(*condition, position))
                        }
                        _ => walk.expr(*condition, position),
                    }
                    walk.step("then", |walk| walk.stmt(*then, resets));
                });
                if let Some(other) = other {
                    // A chain of `else if` has flat paths.
                    self.stmt(*other, resets);
                }
            }
            StmtKind::Case { subject, items, .. } => {
                let name = format!("case({})", self.text(*subject));
                self.step(&name, |walk| {
                    if !walk.initial {
                        (walk.visit)(&walk.path, Point::Stmt(id, walk.function));
                    }
                    walk.expr(*subject, Position::Operand);
                    for item in items {
                        let label = item
                            .labels
                            .first()
                            .map_or("default".to_owned(), |label| walk.text(*label));
                        walk.step(&label, |walk| walk.stmt(item.body, resets));
                    }
                });
            }
            StmtKind::Return(Some(value)) => {
                self.step("return", |walk| walk.expr(*value, Position::Value));
            }
            StmtKind::For { body, .. } => self.step("for", |walk| walk.stmt(*body, resets)),
            StmtKind::While(_, body) => self.step("while", |walk| walk.stmt(*body, resets)),
            StmtKind::DoWhile(body, _) => self.step("do", |walk| walk.stmt(*body, resets)),
            StmtKind::Foreach { body, .. } => {
                self.step("foreach", |walk| walk.stmt(*body, resets));
            }
            StmtKind::RepeatTimes(_, body) => self.step("repeat", |walk| walk.stmt(*body, resets)),
            StmtKind::Task(_, arguments) => {
                self.step("task", |walk| {
                    for argument in arguments {
                        // An argument that a task may assign to has no mutants.
                        let kind = &source.expr(*argument).kind;
                        let may_change = matches!(
                            kind,
                            ExprKind::Name(_)
                                | ExprKind::Index(..)
                                | ExprKind::Part(..)
                                | ExprKind::Indexed { .. }
                                | ExprKind::Concat(_)
                        );
                        if may_change {
                            continue;
                        }
                        walk.expr(*argument, Position::Value);
                    }
                });
            }
            _ => {}
        }
    }

    fn expr(&mut self, id: ExprId, position: Position) {
        if self.initial && !matches!(self.source.expr(id).kind, ExprKind::Number(_)) {
            return;
        }
        let source = self.source;
        if !matches!(source.expr(id).kind, ExprKind::Argument(..)) {
            (self.visit)(&self.path, Point::Expr(id, position));
        }
        match &source.expr(id).kind {
            ExprKind::Number(_) | ExprKind::Real(_) | ExprKind::Text(_) | ExprKind::Name(_) => {}
            ExprKind::Cast(_, value) => {
                self.step("cast", |walk| walk.expr(*value, Position::Operand));
            }
            ExprKind::Inside(value, _) => {
                self.step("inside", |walk| walk.expr(*value, Position::Operand));
            }
            ExprKind::Range(..) => {}
            ExprKind::Pattern(members) => {
                for (i, (_, value)) in members.iter().enumerate() {
                    self.step(&format!("'{{{i}}}"), |walk| {
                        walk.expr(*value, Position::Operand)
                    });
                }
            }
            ExprKind::Index(base, index) => {
                self.expr_of_base(*base);
                self.step("index", |walk| walk.expr(*index, Position::Index));
            }
            ExprKind::Part(base, ..) => self.expr_of_base(*base),
            ExprKind::Indexed { base, start, .. } => {
                self.expr_of_base(*base);
                self.step("start", |walk| walk.expr(*start, Position::Operand));
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let inside = match position {
                    Position::Condition | Position::Logical | Position::Negated => {
                        Position::Negated
                    }
                    _ => Position::Operand,
                };
                self.step("!", |walk| walk.expr(*a, inside));
            }
            ExprKind::Unary(op, a) => {
                self.step(op.symbol(), |walk| walk.expr(*a, Position::Operand))
            }
            // The right side is a pattern, in which not every digit is a number.
            ExprKind::Binary(op @ (BinaryOp::WildEqual | BinaryOp::WildNotEqual), a, _) => {
                self.step(op.symbol(), |walk| walk.expr(*a, Position::Operand));
            }
            ExprKind::Binary(op, a, b) => {
                let inside = match op {
                    BinaryOp::LogicAnd | BinaryOp::LogicOr => Position::Logical,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => Position::Arithmetic,
                    _ => Position::Operand,
                };
                self.step(op.symbol(), |walk| {
                    walk.step("left", |walk| walk.expr(*a, inside));
                    walk.step("right", |walk| walk.expr(*b, inside));
                });
            }
            ExprKind::Conditional(c, a, b) => {
                self.step("?", |walk| {
                    walk.step("condition", |walk| walk.expr(*c, Position::Condition));
                    walk.step("then", |walk| walk.expr(*a, Position::Operand));
                    walk.step("else", |walk| walk.expr(*b, Position::Operand));
                });
            }
            ExprKind::Argument(_, value) => self.expr(*value, position),
            ExprKind::Concat(parts)
            | ExprKind::Repeat(_, parts)
            | ExprKind::Stream(_, _, parts) => {
                for (i, part) in parts.iter().enumerate() {
                    self.step(&format!("{{{i}}}"), |walk| {
                        walk.expr(*part, Position::Operand)
                    });
                }
            }
            ExprKind::Call(path, arguments) => {
                let name = path
                    .last()
                    .map_or(String::new(), |step| step.name.to_string());
                for (i, argument) in arguments.iter().enumerate() {
                    self.step(&format!("{name}({i})"), |walk| {
                        walk.expr(*argument, Position::Operand)
                    });
                }
            }
            ExprKind::SystemCall(name, arguments) => {
                for argument in arguments {
                    self.step(name, |walk| walk.expr(*argument, Position::Operand));
                }
            }
        }
    }

    /// Walks the value of an assignment. The value of `a += b` and `i++` is not in the text: only its operator and `b` are.
    fn assigned(&mut self, target: ExprId, value: ExprId) {
        let source = self.source;
        match source.expr(value).kind {
            ExprKind::Binary(_, a, b) if a == target => {
                if !self.initial {
                    (self.visit)(&self.path, Point::Expr(value, Position::Compound));
                }
                let written = source.expr(b).extent.first > source.expr(target).extent.last;
                if written && source.expr(b).extent != source.expr(value).extent {
                    self.expr(b, Position::Operand);
                }
            }
            _ => self.expr(value, self.assigned_to(target)),
        }
    }

    /// Walks the base of a selection: the base has no mutants as a value, but its indices have.
    fn expr_of_base(&mut self, base: ExprId) {
        if let ExprKind::Index(inner, index) = self.source.expr(base).kind {
            self.expr_of_base(inner);
            self.step("index", |walk| walk.expr(index, Position::Index));
        }
    }
}
