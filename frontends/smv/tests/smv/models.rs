//! Random well-typed models, small enough to enumerate.

use hyperkill_frontend::Span;
use hyperkill_smv::ast::{
    Assignment, BinaryOp, Branch, Declaration, Define, EnumValue, ExprId, ExprKind, Exprs, Module,
    Name, Program, Section, Target, TypeKind, UnaryOp, VarKind,
};
use hyperkill_smv::printer;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::random::{generator, pick};

/// The types that variables have here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Bool,
    Letters,
    Colours,
    Small,
    Signed,
    Gaps,
}

impl Shape {
    const ALL: &[Shape] = &[
        Shape::Bool,
        Shape::Letters,
        Shape::Colours,
        Shape::Small,
        Shape::Signed,
        Shape::Gaps,
    ];

    fn symbols(self) -> &'static [&'static str] {
        match self {
            Shape::Letters => &["a", "b", "c"],
            // Shares a symbol with the letters.
            Shape::Colours => &["red", "a"],
            _ => &[],
        }
    }

    fn numbers(self) -> &'static [i64] {
        match self {
            Shape::Small => &[0, 1, 2],
            Shape::Signed => &[-2, -1, 0, 1],
            Shape::Gaps => &[0, 2, 5],
            _ => &[],
        }
    }

    fn is_number(self) -> bool {
        !self.numbers().is_empty()
    }
}

/// The names that an expression may read, with their shapes.
#[derive(Clone, Default)]
struct Scope {
    names: Vec<(String, Shape)>,
    /// Variables that may stand under `next`.
    coming: Vec<(String, Shape)>,
    /// DEFINEs of sets of small numbers.
    sets: Vec<String>,
}

struct Builder {
    rng: ChaCha8Rng,
    exprs: Exprs,
}

/// Returns the text of the random model of a seed.
pub(crate) fn text(seed: u64) -> String {
    let builder = Builder {
        rng: generator(seed),
        exprs: Exprs::default(),
    };
    printer::program(&builder.program())
}

fn name(text: &str) -> Name {
    Name {
        text: text.to_owned(),
        span: Span::default(),
    }
}

impl Builder {
    fn add(&mut self, kind: ExprKind) -> ExprId {
        self.exprs.add(kind, Span::default())
    }

    fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    fn one_in(&mut self, n: u32) -> u32 {
        self.rng.random_range(0..n)
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.add(ExprKind::Binary(op, a, b))
    }

    fn program(mut self) -> Program {
        let mut scope = Scope::default();
        let mut declarations = Vec::new();
        let count = 2 + self.one_in(2);
        let states: Vec<(String, Shape)> = (0..count)
            .map(|i| (format!("s{i}"), pick(&mut self.rng, Shape::ALL)))
            .collect();
        let inputs: Vec<(String, Shape)> = (0..1 + self.one_in(2))
            .map(|i| (format!("i{i}"), pick(&mut self.rng, Shape::ALL)))
            .collect();
        let wires: Vec<(String, Shape)> = (0..self.one_in(2))
            .map(|i| (format!("w{i}"), pick(&mut self.rng, Shape::ALL)))
            .collect();
        for (variable, shape) in inputs.iter().chain(&states).chain(&wires) {
            let declaration = self.declaration(variable, *shape);
            declarations.push(declaration);
        }
        scope.names.extend(inputs.iter().chain(&states).cloned());
        let defines = self.defines(&mut scope);
        let mut assignments = Vec::new();
        for (wire, shape) in &wires {
            let value = self.value(&scope, *shape, 3);
            assignments.push(self.assignment(Target::Current, wire, value));
            scope.names.push((wire.clone(), *shape));
        }
        let mut early = Scope {
            names: inputs.clone(),
            ..Scope::default()
        };
        for (state, shape) in &states {
            let next = self.chance(0.9);
            if next {
                let value = self.value(&scope, *shape, 3);
                assignments.push(self.assignment(Target::Next, state, value));
            }
            if !next || self.chance(0.8) {
                let value = self.value(&early, *shape, 2);
                assignments.push(self.assignment(Target::Init, state, value));
            }
            scope.coming.push((state.clone(), *shape));
            early.names.push((state.clone(), *shape));
        }
        let main = Module {
            name: name("main"),
            parameters: Vec::new(),
            sections: vec![
                Section::Variables(VarKind::State, declarations),
                Section::Defines(defines),
                Section::Assigns(assignments),
            ],
        };
        Program {
            modules: vec![main],
            exprs: self.exprs,
        }
    }

    fn assignment(&mut self, target: Target, variable: &str, value: ExprId) -> Assignment {
        Assignment {
            target,
            place: self.add(ExprKind::Name(variable.to_owned())),
            value,
            span: Span::default(),
        }
    }

    fn declaration(&mut self, variable: &str, shape: Shape) -> Declaration {
        let kind = match shape {
            Shape::Bool => TypeKind::Boolean,
            Shape::Letters | Shape::Colours => {
                let symbols = shape.symbols().iter();
                let value = |s: &&str| (EnumValue::Symbol((*s).to_owned()), Span::default());
                TypeKind::Enumeration(symbols.map(value).collect())
            }
            Shape::Gaps => {
                let value = |n: &i64| (EnumValue::Number(*n), Span::default());
                TypeKind::Enumeration(shape.numbers().iter().map(value).collect())
            }
            Shape::Small | Shape::Signed => {
                let numbers = shape.numbers();
                let low = self.number(numbers[0]);
                let high = self.number(numbers[numbers.len() - 1]);
                TypeKind::Range(low, high)
            }
        };
        Declaration {
            name: name(variable),
            kind,
            kind_span: Span::default(),
        }
    }

    fn defines(&mut self, scope: &mut Scope) -> Vec<Define> {
        let mut defines = Vec::new();
        if self.chance(0.6) {
            let body = self.truth(scope, 2);
            defines.push(("d0", body));
            scope.names.push(("d0".to_owned(), Shape::Bool));
        }
        if self.chance(0.4) {
            let body = self.integer(scope, 2);
            defines.push(("d1", body));
            scope.names.push(("d1".to_owned(), Shape::Small));
        }
        if self.chance(0.4) {
            let n = self.one_in(3);
            let body = self.number(i64::from(n));
            defines.push(("k", body));
            scope.names.push(("k".to_owned(), Shape::Small));
        }
        if self.chance(0.4) {
            let elements = vec![
                self.value(scope, Shape::Small, 0),
                self.value(scope, Shape::Small, 1),
            ];
            let body = self.add(ExprKind::Set(elements));
            defines.push(("set", body));
            scope.sets.push("set".to_owned());
        }
        let define = |(text, body)| Define {
            owner: None,
            name: name(text),
            body,
        };
        defines.into_iter().map(define).collect()
    }

    fn number(&mut self, n: i64) -> ExprId {
        let id = self.add(ExprKind::Number(n.abs()));
        match n {
            0.. => id,
            _ => self.add(ExprKind::Unary(UnaryOp::Neg, id)),
        }
    }

    fn named(&mut self, text: &str) -> ExprId {
        self.add(ExprKind::Name(text.to_owned()))
    }

    fn constant(&mut self, shape: Shape) -> ExprId {
        if shape == Shape::Bool {
            let value = self.chance(0.5);
            return self.add(ExprKind::Truth(value));
        }
        if shape.is_number() {
            let n = pick(&mut self.rng, shape.numbers());
            return self.number(n);
        }
        let symbol = pick(&mut self.rng, shape.symbols());
        self.named(symbol)
    }

    /// Adds a reference to a random variable or DEFINE whose shape `fits`, sometimes to its next value; `None` if there is none.
    fn reference(&mut self, scope: &Scope, fits: impl Fn(Shape) -> bool) -> Option<ExprId> {
        let coming = !scope.coming.is_empty() && self.chance(0.2);
        let names = if coming { &scope.coming } else { &scope.names };
        let fitting: Vec<&(String, Shape)> = names.iter().filter(|(_, s)| fits(*s)).collect();
        if fitting.is_empty() {
            return None;
        }
        let (chosen, _) = pick(&mut self.rng, &fitting);
        let id = self.named(chosen);
        Some(match coming {
            true => self.add(ExprKind::Next(id)),
            false => id,
        })
    }

    fn integer(&mut self, scope: &Scope, depth: u32) -> ExprId {
        match if depth == 0 { 0 } else { self.one_in(7) } {
            0 | 1 => match self.reference(scope, Shape::is_number) {
                Some(id) => id,
                None => self.constant(Shape::Small),
            },
            2 => self.constant(Shape::Signed),
            3 => {
                let a = self.integer(scope, depth - 1);
                self.add(ExprKind::Unary(UnaryOp::Neg, a))
            }
            4 => {
                let c = self.truth(scope, depth - 1);
                let a = self.integer(scope, depth - 1);
                let b = self.integer(scope, depth - 1);
                self.add(ExprKind::Conditional(c, a, b))
            }
            _ => {
                let op = pick(
                    &mut self.rng,
                    &[
                        BinaryOp::Add,
                        BinaryOp::Sub,
                        BinaryOp::Mul,
                        BinaryOp::Div,
                        BinaryOp::Mod,
                    ],
                );
                let a = self.integer(scope, depth - 1);
                // Mostly divisors that are not 0.
                let b = match op {
                    BinaryOp::Div | BinaryOp::Mod if self.chance(0.8) => {
                        let n = 1 + self.one_in(3);
                        self.number(i64::from(n))
                    }
                    _ => self.integer(scope, depth - 1),
                };
                self.binary(op, a, b)
            }
        }
    }

    fn truth(&mut self, scope: &Scope, depth: u32) -> ExprId {
        match if depth == 0 { 0 } else { self.one_in(9) } {
            0 => match self.reference(scope, |s| s == Shape::Bool) {
                Some(id) => id,
                None => self.constant(Shape::Bool),
            },
            1 => {
                let a = self.truth(scope, depth - 1);
                self.add(ExprKind::Unary(UnaryOp::Not, a))
            }
            2 | 3 => {
                let op = pick(
                    &mut self.rng,
                    &[
                        BinaryOp::Eq,
                        BinaryOp::Ne,
                        BinaryOp::Lt,
                        BinaryOp::Le,
                        BinaryOp::Gt,
                        BinaryOp::Ge,
                    ],
                );
                let a = self.integer(scope, depth - 1);
                let b = self.integer(scope, depth - 1);
                self.binary(op, a, b)
            }
            4 => {
                // Only symbols that some variable has are declared.
                let symbolic = |s: Shape| !s.symbols().is_empty();
                let names = scope.names.iter();
                let shapes: Vec<Shape> = names.map(|(_, s)| *s).filter(|s| symbolic(*s)).collect();
                if shapes.is_empty() {
                    return self.constant(Shape::Bool);
                }
                let shape = pick(&mut self.rng, &shapes);
                let a = self.reference(scope, |s| s == shape);
                let a = a.unwrap_or_else(|| self.constant(shape));
                let b = self.constant(shape);
                let op = pick(&mut self.rng, &[BinaryOp::Eq, BinaryOp::Ne]);
                self.binary(op, a, b)
            }
            5 => {
                let a = match self.chance(0.7) {
                    true => self.integer(scope, depth - 1),
                    false => self.value(scope, Shape::Signed, depth - 1),
                };
                let b = match scope.sets.first() {
                    Some(set) if self.chance(0.5) => self.named(&set.clone()),
                    _ => self.value(scope, Shape::Signed, depth - 1),
                };
                self.binary(BinaryOp::In, a, b)
            }
            _ => {
                let op = pick(
                    &mut self.rng,
                    &[
                        BinaryOp::And,
                        BinaryOp::And,
                        BinaryOp::Or,
                        BinaryOp::Or,
                        BinaryOp::Xor,
                        BinaryOp::Xnor,
                        BinaryOp::Implies,
                        BinaryOp::Iff,
                    ],
                );
                let a = self.truth(scope, depth - 1);
                let b = self.truth(scope, depth - 1);
                self.binary(op, a, b)
            }
        }
    }

    /// Returns a random expression for an assignment to a variable of this shape. Its values are mostly, but not always, within the domain.
    fn value(&mut self, scope: &Scope, shape: Shape, depth: u32) -> ExprId {
        match if depth == 0 {
            self.one_in(2)
        } else {
            self.one_in(9)
        } {
            0 => self.constant(shape),
            1 => match self.reference(scope, |s| s == shape) {
                Some(id) => id,
                None => self.constant(shape),
            },
            2 => {
                let count = 2 + self.one_in(2);
                let elements = (0..count)
                    .map(|_| match self.chance(0.7) {
                        true => self.constant(shape),
                        false => self.value(scope, shape, depth - 1),
                    })
                    .collect();
                self.add(ExprKind::Set(elements))
            }
            3 => {
                let a = self.value(scope, shape, depth - 1);
                let b = match (shape, scope.sets.first()) {
                    (Shape::Small, Some(set)) => self.named(&set.clone()),
                    (Shape::Small, None) => self.add(ExprKind::Range(0, 1)),
                    (Shape::Signed, _) => self.add(ExprKind::Range(-1, 1)),
                    _ => self.constant(shape),
                };
                self.binary(BinaryOp::Union, a, b)
            }
            4 => {
                let c = self.truth(scope, depth - 1);
                let a = self.value(scope, shape, depth - 1);
                let b = self.value(scope, shape, depth - 1);
                self.add(ExprKind::Conditional(c, a, b))
            }
            5 if shape == Shape::Bool => self.truth(scope, depth),
            5 if shape.is_number() && self.chance(0.2) => self.integer(scope, depth),
            _ => {
                let mut branches = Vec::new();
                for _ in 0..1 + self.one_in(2) {
                    let condition = self.truth(scope, depth - 1);
                    branches.push((condition, self.value(scope, shape, depth - 1)));
                }
                if shape.is_number() && self.chance(0.5) {
                    branches.push(self.guarded(scope, shape));
                }
                if self.chance(0.9) {
                    let always = self.add(ExprKind::Truth(true));
                    branches.push((always, self.value(scope, shape, depth - 1)));
                }
                let branch = |(condition, value)| Branch {
                    condition,
                    value,
                    span: Span::default(),
                };
                let branches = branches.into_iter().map(branch).collect();
                self.add(ExprKind::Case(branches))
            }
        }
    }

    /// Adds a branch like `x < high : x + 1`, and returns its condition and its value.
    fn guarded(&mut self, scope: &Scope, shape: Shape) -> (ExprId, ExprId) {
        let numbers = shape.numbers();
        let (low, high) = (numbers[0], numbers[numbers.len() - 1]);
        let mut fitting = scope.names.iter().filter(|(_, s)| *s == shape);
        let Some((variable, _)) = fitting.next_back().cloned() else {
            let condition = self.add(ExprKind::Truth(false));
            return (condition, self.constant(shape));
        };
        let up = self.chance(0.5);
        let (op, bound) = match up {
            true => (BinaryOp::Lt, high),
            false => (BinaryOp::Gt, low),
        };
        let (a, b) = (self.named(&variable), self.number(bound));
        let condition = self.binary(op, a, b);
        let (a, b) = (self.named(&variable), self.number(1));
        let op = if up { BinaryOp::Add } else { BinaryOp::Sub };
        (condition, self.binary(op, a, b))
    }
}
