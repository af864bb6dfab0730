//! The types of expressions.

use hyperkill_frontend::{Diagnostic, Span, counted};
use std::rc::Rc;

use crate::check::Checker;
use crate::kinds::{Kind, Symbol};
use crate::syntax::{Binary, Expr, Node, Quantifier, Unary};

/// The names of functions with floating-point results, which are not supported.
const OF_FRACTIONS: [&str; 9] = [
    "random",
    "sin",
    "cos",
    "sqrt",
    "pow",
    "exp",
    "ln",
    "log",
    "random_normal",
];

/// Named constants of the language.
pub(crate) const LIMITS: [(&str, i64); 5] = [
    ("INT8_MIN", i8::MIN as i64),
    ("INT8_MAX", i8::MAX as i64),
    ("INT16_MIN", i16::MIN as i64),
    ("INT16_MAX", i16::MAX as i64),
    ("INT32_MAX", i32::MAX as i64),
];

impl Checker {
    /// Returns the kind of an expression, and reports its errors.
    pub(crate) fn kind(&mut self, expr: &Expr) -> Kind {
        match &expr.node {
            Node::Number(_) => Kind::Int,
            Node::Truth(_) => Kind::Bool,
            Node::Fraction(_) => Kind::Double,
            Node::Quoted => self.wrong(expr.span, "texts are not read"),
            Node::Name(name) => self.named(name, expr.span),
            Node::Unary(operator, operand) => self.unary(*operator, operand),
            Node::Binary(operator, left, right) => self.binary(*operator, left, right),
            Node::Choice(condition, then, otherwise) => self.choice(condition, then, otherwise),
            Node::Assign(operator, left, right) => self.assign(*operator, left, right),
            Node::Step(_, _, operand) => {
                let kind = self.written(operand);
                self.data(&kind, operand.span);
                Kind::Int
            }
            Node::Index(array, index) => self.index(array, index),
            Node::Field(whole, field) => self.field(whole, field, expr.span),
            Node::Call(function, arguments) => self.call(function, arguments),
            Node::Rate(clock) => {
                let kind = self.kind(clock);
                match kind {
                    Kind::Clock | Kind::Unknown => Kind::Rate,
                    other => self.wrong(clock.span, &format!("{} has no rate", other.name())),
                }
            }
            Node::Quantified(quantifier, name, of, body) => {
                let (kind, _) = self.of_type(of);
                self.names.enter();
                self.names
                    .declare(&name.text, Symbol::Variable(kind, false));
                let kind = self.kind(body);
                self.names.leave();
                match (quantifier, kind) {
                    (Quantifier::Forall, Kind::Condition) => Kind::Condition,
                    (Quantifier::Sum, kind) if kind.is_data() => Kind::Int,
                    (_, kind) if kind.is_data() => Kind::Bool,
                    (_, other) => self.wrong(
                        body.span,
                        &format!("this is {}, where a number is expected", other.name()),
                    ),
                }
            }
            Node::List(items) => {
                for (_, item) in items {
                    self.kind(item);
                }
                Kind::List
            }
        }
    }

    fn rate_refused(&mut self, span: Span) -> Kind {
        let refused = Diagnostic::error(span, "rates other than 1 are not read");
        self.errors.push(refused.with_help(
            "leave the rate out, and the clock goes at rate 1; exponential rates of locations and weights of branches need no change: \
             they are read, and mean nothing",
        ));
        Kind::Unknown
    }

    fn wrong(&mut self, span: Span, message: &str) -> Kind {
        self.errors.push(Diagnostic::error(span, message));
        Kind::Unknown
    }

    /// Reports an error at `span` unless the kind is a number.
    pub(crate) fn data(&mut self, kind: &Kind, span: Span) {
        if !kind.is_data() {
            let wanted = match kind {
                Kind::Double => "a whole number",
                _ => "a number",
            };
            let message = format!("this is {}, where {wanted} is expected", kind.name());
            self.wrong(span, &message);
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Kind {
        match self.names.find(name) {
            Some((_, Symbol::Variable(kind, _))) => kind.clone(),
            Some((_, Symbol::Function(..))) => self.wrong(span, &format!("`{name}` is a function")),
            Some((_, Symbol::Type(..))) => self.wrong(span, &format!("`{name}` is a type")),
            Some((_, Symbol::Process(_))) => self.wrong(span, &format!("`{name}` is a template")),
            None if LIMITS.iter().any(|(limit, _)| *limit == name) => Kind::Int,
            None if name == "INT32_MIN" => Kind::Int,
            None => self.wrong(span, &format!("`{name}` is not declared")),
        }
    }

    fn unary(&mut self, operator: Unary, operand: &Expr) -> Kind {
        let kind = self.kind(operand);
        if kind == Kind::Condition {
            return self.wrong(operand.span, "a condition on clocks cannot be negated");
        }
        if kind == Kind::Double && operator != Unary::Not {
            return kind;
        }
        self.data(&kind, operand.span);
        match operator {
            Unary::Not => Kind::Bool,
            Unary::Minus | Unary::Plus => Kind::Int,
        }
    }

    fn binary(&mut self, operator: Binary, left: &Expr, right: &Expr) -> Kind {
        if operator == Binary::Equal {
            for (rate, value) in [(left, right), (right, left)] {
                if matches!(rate.node, Node::Rate(_)) {
                    self.kind(rate);
                    return match value.node {
                        Node::Number(1) => Kind::Condition,
                        _ => self.rate_refused(value.span),
                    };
                }
            }
        }
        let (own, other) = (self.kind(left), self.kind(right));
        if own == Kind::Unknown || other == Kind::Unknown {
            return match operator {
                Binary::And | Binary::Or | Binary::Imply => Kind::Unknown,
                _ if own.is_clock() || other.is_clock() => Kind::Unknown,
                _ => Kind::Unknown,
            };
        }
        match operator {
            Binary::And | Binary::Or | Binary::Imply => {
                self.connected(operator, (own, other), left, right)
            }
            Binary::Less | Binary::AtMost | Binary::AtLeast | Binary::Greater | Binary::Equal => {
                self.compared(operator, (own, other), left, right)
            }
            Binary::Unequal => match own.is_clock() || other.is_clock() {
                true => self.wrong(left.span.to(right.span), "clocks are not compared by `!=`"),
                false => self.compared(operator, (own, other), left, right),
            },
            Binary::Subtract if own == Kind::Clock && other == Kind::Clock => Kind::Difference,
            Binary::Add
            | Binary::Subtract
            | Binary::Multiply
            | Binary::Divide
            | Binary::Minimum
            | Binary::Maximum
                if is_real(&own, &other) =>
            {
                Kind::Double
            }
            _ => {
                self.data(&own, left.span);
                self.data(&other, right.span);
                Kind::Int
            }
        }
    }

    /// Returns the kind of `and`, `or` or `imply` with operands of the kinds `own` and `other`. Reports an error for a premise about
    /// clocks, and for operands that are no numbers.
    fn connected(
        &mut self,
        operator: Binary,
        (own, other): (Kind, Kind),
        left: &Expr,
        right: &Expr,
    ) -> Kind {
        let mut is_about_clocks = [false, false];
        for ((kind, side), about) in [(&own, left), (&other, right)]
            .into_iter()
            .zip(&mut is_about_clocks)
        {
            match kind {
                Kind::Condition => *about = true,
                kind => self.data(kind, side.span),
            }
        }
        match (operator, is_about_clocks) {
            (_, [false, false]) => Kind::Bool,
            (Binary::Imply, [true, _]) => {
                self.wrong(left.span, "a condition on clocks cannot be a premise")
            }
            _ => Kind::Condition,
        }
    }

    fn compared(
        &mut self,
        operator: Binary,
        (own, other): (Kind, Kind),
        left: &Expr,
        right: &Expr,
    ) -> Kind {
        if is_real(&own, &other) {
            return Kind::Bool;
        }
        if own.is_clock() || other.is_clock() {
            for (kind, side) in [(&own, left), (&other, right)] {
                if !kind.is_clock() {
                    self.data(kind, side.span);
                }
            }
            return Kind::Condition;
        }
        if matches!(operator, Binary::Equal | Binary::Unequal) && !own.is_data() {
            if !own.fits(&other) || matches!(own, Kind::Condition | Kind::Rate | Kind::Void) {
                let (own, other) = (own.name(), other.name());
                let message = format!("{own} cannot be compared with {other}");
                return self.wrong(left.span.to(right.span), &message);
            }
            return Kind::Bool;
        }
        self.data(&own, left.span);
        self.data(&other, right.span);
        Kind::Bool
    }

    fn choice(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Kind {
        let kind = self.kind(condition);
        self.data(&kind, condition.span);
        let (own, other) = (self.kind(then), self.kind(otherwise));
        match own.is_same(&other) {
            true => own,
            false => {
                let (own, other) = (own.name(), other.name());
                self.wrong(
                    then.span.to(otherwise.span),
                    &format!("this is {own} or {other}"),
                )
            }
        }
    }

    fn assign(&mut self, operator: Option<Binary>, left: &Expr, right: &Expr) -> Kind {
        let variable = self.written(left);
        let value = self.kind(right);
        if operator.is_some() {
            self.data(&variable, left.span);
            self.data(&value, right.span);
        } else if !value.fits(&variable) {
            let (value, variable) = (value.name(), variable.name());
            self.wrong(
                right.span,
                &format!("{value} cannot be given to {variable}"),
            );
        }
        variable
    }

    /// Returns the kind of an expression that is assigned. Reports an error if it cannot be written.
    pub(crate) fn written(&mut self, target: &Expr) -> Kind {
        let kind = self.kind(target);
        if kind == Kind::Unknown {
            return kind;
        }
        match root(target) {
            None => self.wrong(target.span, "this cannot be written"),
            Some(name) => match self.names.find(name) {
                Some((level, Symbol::Variable(_, true))) => {
                    if level == 0 {
                        self.writes.insert(name.to_owned());
                    }
                    kind
                }
                _ => self.wrong(target.span, &format!("`{name}` is constant")),
            },
        }
    }

    fn index(&mut self, array: &Expr, index: &Expr) -> Kind {
        let number = self.kind(index);
        if !matches!(number, Kind::Scalar(_)) {
            self.data(&number, index.span);
        }
        match self.kind(array) {
            Kind::Array(element) => element.as_ref().clone(),
            Kind::Unknown => Kind::Unknown,
            other => self.wrong(array.span, &format!("{} has no elements", other.name())),
        }
    }

    fn field(&mut self, whole: &Expr, field: &str, span: Span) -> Kind {
        match self.kind(whole) {
            Kind::Struct(fields) => match fields.iter().find(|(name, _)| name == field) {
                Some((_, kind)) => kind.clone(),
                None => self.wrong(span, &format!("there is no field `{field}`")),
            },
            Kind::Unknown => Kind::Unknown,
            other => self.wrong(whole.span, &format!("{} has no fields", other.name())),
        }
    }

    fn call(&mut self, function: &Expr, arguments: &[Expr]) -> Kind {
        let Node::Name(name) = &function.node else {
            return self.wrong(function.span, "this is no function");
        };
        let found = match self.names.find(name) {
            Some((_, Symbol::Function(parameters, returns))) => {
                Some((Rc::clone(parameters), returns.clone()))
            }
            Some(_) => return self.wrong(function.span, &format!("`{name}` is no function")),
            None => None,
        };
        let Some((parameters, returns)) = found else {
            if name == "abs" && arguments.len() == 1 {
                let kind = self.kind(&arguments[0]);
                self.data(&kind, arguments[0].span);
                return Kind::Int;
            }
            let message = match self.inside.as_deref() {
                Some(own) if own == name => format!("function `{name}` calls itself"),
                _ if OF_FRACTIONS.contains(&name.as_str()) => {
                    format!("function `{name}` is about fractions, which are not read")
                }
                _ => format!("function `{name}` is not declared"),
            };
            return self.wrong(function.span, &message);
        };
        let writes = self.written_by.get(name).cloned().unwrap_or_default();
        self.writes.extend(writes);
        if parameters.len() != arguments.len() {
            let message = format!(
                "function `{name}` has {} and is given {}",
                counted(parameters.len(), "parameter"),
                counted(arguments.len(), "value")
            );
            return self.wrong(function.span, &message);
        }
        for ((kind, is_reference), argument) in parameters.iter().zip(arguments) {
            self.argument(kind, *is_reference, argument);
        }
        returns
    }

    pub(crate) fn argument(&mut self, kind: &Kind, is_reference: bool, argument: &Expr) {
        let given = match is_reference && !matches!(kind, Kind::Channel | Kind::Array(_)) {
            true => self.referred(argument),
            false => self.kind(argument),
        };
        let fits = match is_reference {
            true => given.is_same(kind),
            false => given.fits(kind) || given.is_same(kind),
        };
        if !fits {
            let message = format!(
                "this is {}, where {} is expected",
                given.name(),
                kind.name()
            );
            self.wrong(argument.span, &message);
        }
    }

    /// Returns the kind of a variable that a reference stands for. Constants are accepted, since an assignment to the reference is reported
    /// elsewhere.
    fn referred(&mut self, target: &Expr) -> Kind {
        let kind = self.kind(target);
        let Some(name) = root(target) else {
            return self.wrong(target.span, "a reference needs a variable");
        };
        if let Some((0, Symbol::Variable(_, true))) = self.names.find(name) {
            self.writes.insert(name.to_owned());
        }
        kind
    }
}

/// Whether both kinds are numbers, and one of them is floating-point.
fn is_real(own: &Kind, other: &Kind) -> bool {
    let is_number = |kind: &Kind| kind.is_data() || *kind == Kind::Double;
    is_number(own) && is_number(other) && [own, other].contains(&&Kind::Double)
}

/// Returns the name of the variable that an expression is a part of; `None` if the expression is no variable.
pub(crate) fn root(expr: &Expr) -> Option<&str> {
    match &expr.node {
        Node::Name(name) => Some(name),
        Node::Index(inner, _) | Node::Field(inner, _) => root(inner),
        _ => None,
    }
}
