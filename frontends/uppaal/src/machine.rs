//! Evaluates expressions on data.

use std::rc::Rc;

use hyperkill_frontend::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::priorities;
use crate::syntax::{
    Base, Binary, Declaration, Dimension, Expr, Function, Node, Quantifier, Real, TypeText, Unary,
    Variable,
};
use crate::typing::LIMITS;
use crate::values::{INT, Type, Value};

/// The number of steps of the evaluation of one model, at most. An evaluation that needs more steps does not end, or the model is too large
/// to unfold.
const MOST_STEPS: usize = 5_000_000;
/// The number of elements of all data, at most.
const LARGEST: usize = 1 << 20;
/// The number of operators and statements that are evaluated inside one another, in all functions together, at most.
const DEEPEST: usize = 600;

pub(crate) type Eval<T> = Result<T, Diagnostic>;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    /// A value that does not change.
    Constant(Value, Type),
    /// A variable in the store, with its type.
    Place(Place, Type),
    /// A clock or an array of clocks, with the number of its first clock.
    Clock(usize, Type),
    /// A channel or an array of channels, with its name.
    Channel(String, Type),
    /// A name for a type.
    Type(Type),
    /// A function, and the number of levels of names that it sees.
    Function(Rc<Function>, usize),
}

/// A variable in the store or a part of one: its slot, and the indices of the part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) slot: usize,
    pub(crate) path: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) levels: Vec<FxHashMap<String, Binding>>,
    pub(crate) store: Vec<Value>,
    /// The names of the clocks.
    pub(crate) clocks: Vec<String>,
    /// Names of the variables in the store that are no constants.
    pub(crate) variables: Vec<String>,
    /// The clocks that the updates of an edge have set, with their values.
    pub(crate) resets: Vec<(usize, i64)>,
    steps: usize,
    /// The factor of the limit on evaluation steps, relative to the limit of one process.
    pub(crate) patience: usize,
    /// The differences of clocks that are compared: the numbers of minuend and subtrahend.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The priorities of channels.
    pub(crate) priorities: priorities::Levels,
    pub(crate) calls: usize,
    pub(crate) depth: usize,
}

pub(crate) fn error<T>(span: Span, message: impl Into<String>) -> Eval<T> {
    Err(Diagnostic::error(span, message))
}

impl Machine {
    pub(crate) fn enter(&mut self) {
        self.levels.push(FxHashMap::default());
    }

    pub(crate) fn leave(&mut self) {
        self.levels.pop();
    }

    pub(crate) fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(level) = self.levels.last_mut() {
            level.insert(name.to_owned(), binding);
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Binding> {
        self.levels.iter().rev().find_map(|level| level.get(name))
    }

    pub(crate) fn step(&mut self, span: Span) -> Eval<()> {
        self.steps += 1;
        let most = MOST_STEPS * self.patience.max(1);
        match self.steps > most {
            true => error(span, format!("evaluating takes more than {most} steps")),
            false => Ok(()),
        }
    }

    /// Returns a type with all of its bounds and sizes evaluated.
    pub(crate) fn of_type(&mut self, written: &TypeText) -> Eval<Type> {
        Ok(match &written.base {
            Base::Int(None) => INT,
            Base::Int(Some(range)) => {
                let (from, to) = (self.number(&range.0)?, self.number(&range.1)?);
                if from > to {
                    return error(
                        written.span,
                        format!("there is no number from {from} to {to}"),
                    );
                }
                Type::Int(from, to)
            }
            Base::Bool => Type::Bool,
            Base::Double => Type::Double,
            Base::Clock => Type::Clock,
            Base::Channel => Type::Channel(written.is_urgent),
            Base::Void => Type::Void,
            Base::Scalar(size) => {
                let count = self.number(size)?;
                match count > 0 {
                    true => Type::Int(0, count - 1),
                    false => return error(size.span, "a scalar has at least one value"),
                }
            }
            Base::Struct(fields) => {
                let mut all = Vec::new();
                for field in fields {
                    all.push((field.name.text.clone(), self.variable_type(field)?));
                }
                Type::Struct(all.into())
            }
            Base::Named(name) => match self.find(name) {
                Some(Binding::Type(of)) => of.clone(),
                _ => return error(written.span, format!("there is no type `{name}`")),
            },
        })
    }

    pub(crate) fn variable_type(&mut self, variable: &Variable) -> Eval<Type> {
        let mut of = self.of_type(&variable.base)?;
        for dimension in variable.dimensions.iter().rev() {
            let (from, count, span) = match dimension {
                Dimension::Each(each) => {
                    let each_of = self.of_type(each)?;
                    let Some((from, to)) = each_of.range() else {
                        return error(each.span, "an array needs a range");
                    };
                    (from, to - from + 1, each.span)
                }
                Dimension::Count(size) => {
                    let named = match &size.node {
                        Node::Name(name) => match self.find(name) {
                            Some(Binding::Type(of)) => of.range(),
                            _ => None,
                        },
                        _ => None,
                    };
                    match named {
                        Some((from, to)) => (from, to - from + 1, size.span),
                        None => (0, self.number(size)?, size.span),
                    }
                }
            };
            let count = usize::try_from(count).unwrap_or(0);
            of = Type::Array(of.into(), from, count);
            if count == 0 || of.size() > LARGEST {
                return error(span, format!("an array has 1 to {LARGEST} elements"));
            }
        }
        Ok(of)
    }

    /// Binds the name of a declaration, and allocates the variables that it declares in the store.
    pub(crate) fn declare(&mut self, declaration: &Declaration) -> Eval<()> {
        match declaration {
            Declaration::Type(named) => {
                let of = self.variable_type(named)?;
                self.bind(&named.name.text, Binding::Type(of));
            }
            Declaration::Function(function) => {
                let levels = self.levels.len();
                let binding = Binding::Function(Rc::new(function.clone()), levels);
                self.bind(&function.name.text, binding);
            }
            Declaration::Variable(variable) => self.variable(variable)?,
            Declaration::Priorities(said, _) => {
                for (level, channel) in said
                    .iter()
                    .enumerate()
                    .flat_map(|(level, said)| said.iter().map(move |channel| (level, channel)))
                {
                    match channel {
                        Some(channel) => {
                            let (name, _) = self.channel(channel)?;
                            self.priorities.set(name, level);
                        }
                        None => self.priorities.set_otherwise(level),
                    }
                }
            }
        }
        Ok(())
    }

    fn variable(&mut self, variable: &Variable) -> Eval<()> {
        let mut of = self.variable_type(variable)?;
        if variable.base.is_const && of == INT {
            of = Type::Int(i32::MIN.into(), i32::MAX.into());
        }
        let name = &variable.name.text;
        if of.is_clock() {
            let first = self.clocks.len();
            if first + of.size() > LARGEST {
                return error(variable.name.span, "there are too many clocks");
            }
            let size = of.size();
            let names = (0..size).map(|index| match of {
                Type::Clock => name.clone(),
                _ => format!("{name}[{index}]"),
            });
            self.clocks.extend(names);
            self.bind(name, Binding::Clock(first, of));
        } else if of.is_channel() {
            self.bind(name, Binding::Channel(name.clone(), of));
        } else {
            let value = match &variable.initial {
                Some(initial) => self.initial(initial, &of)?,
                None => of.least(),
            };
            if variable.base.is_const {
                self.bind(name, Binding::Constant(value, of));
            } else {
                let slot = self.store.len();
                self.store.push(value);
                self.variables.push(name.clone());
                let place = Place {
                    slot,
                    path: Vec::new(),
                };
                self.bind(name, Binding::Place(place, of));
            }
        }
        Ok(())
    }

    /// Returns the value of an initialiser for a variable of the type `of`, which determines the shape of lists.
    pub(crate) fn initial(&mut self, expr: &Expr, of: &Type) -> Eval<Value> {
        let Node::List(items) = &expr.node else {
            let value = self.value(expr)?;
            return self.fitted(value, of, expr.span);
        };
        let mut parts = Vec::new();
        match of {
            Type::Array(element, _, count) if items.len() == *count => {
                for (_, item) in items {
                    parts.push(self.initial(item, element)?);
                }
            }
            Type::Struct(fields) if items.len() == fields.len() => {
                for (index, (name, field)) in fields.iter().enumerate() {
                    let mut named = items.iter().filter(|(own, _)| own.as_ref() == Some(name));
                    let item = named.next().unwrap_or(&items[index]);
                    parts.push(self.initial(&item.1, field)?);
                }
            }
            _ => {
                return error(
                    expr.span,
                    "the number of values in the list is not the size of the array or struct",
                );
            }
        }
        Ok(Value::Many(parts))
    }

    /// Returns the value as one of the type `of`.
    ///
    /// # Errors
    /// If the type is a range that does not have the value.
    fn fitted(&self, value: Value, of: &Type, span: Span) -> Eval<Value> {
        if let (Value::Int(number), Type::Double) = (&value, of) {
            // Numbers of 32 bits are exact.
            return Ok(Value::Real(Real(*number as f64)));
        }
        match (&value, of.range()) {
            (Value::Int(number), Some((from, to))) if *of != Type::Bool => {
                match (from..=to).contains(number) {
                    true => Ok(value),
                    false => error(span, format!("{number} is not from {from} to {to}")),
                }
            }
            (Value::Int(number), Some(_)) => Ok(Value::truth(*number != 0)),
            _ => Ok(value),
        }
    }

    /// Returns the value of an expression that must be an integer.
    pub(crate) fn number(&mut self, expr: &Expr) -> Eval<i64> {
        match self.value(expr)? {
            Value::Int(number) => Ok(number),
            Value::Real(_) | Value::Many(_) => error(expr.span, "this is no number"),
        }
    }

    pub(crate) fn truth(&mut self, expr: &Expr) -> Eval<bool> {
        Ok(self.number(expr)? != 0)
    }

    /// Returns the value of an expression, and executes its assignments.
    pub(crate) fn value(&mut self, expr: &Expr) -> Eval<Value> {
        self.step(expr.span)?;
        self.deeper(expr.span)?;
        let value = self.value_inside(expr);
        self.depth -= 1;
        value
    }

    pub(crate) fn deeper(&mut self, span: Span) -> Eval<()> {
        if self.depth >= DEEPEST {
            return error(
                span,
                format!("the expression nests more than {DEEPEST} operators"),
            );
        }
        self.depth += 1;
        Ok(())
    }

    fn value_inside(&mut self, expr: &Expr) -> Eval<Value> {
        match &expr.node {
            Node::Number(number) => Ok(Value::Int(*number)),
            Node::Fraction(value) => Ok(Value::Real(*value)),
            Node::Truth(truth) => Ok(Value::truth(*truth)),
            Node::Name(name) => self.named(name, expr.span),
            Node::Index(..) | Node::Field(..) => self.part(expr),
            Node::Unary(operator, operand) => {
                let number = match (self.value(operand)?, operator) {
                    (Value::Int(number), _) => number,
                    (Value::Real(Real(value)), Unary::Minus) => {
                        return Ok(Value::Real(Real(-value)));
                    }
                    (value @ Value::Real(_), Unary::Plus) => return Ok(value),
                    _ => return error(operand.span, "this is no number"),
                };
                Ok(match operator {
                    Unary::Minus => Value::Int(-number),
                    Unary::Plus => Value::Int(number),
                    Unary::Not => Value::truth(number == 0),
                })
            }
            Node::Binary(operator, left, right) => self.binary(*operator, left, right, expr.span),
            Node::Choice(condition, then, otherwise) => match self.truth(condition)? {
                true => self.value(then),
                false => self.value(otherwise),
            },
            Node::Assign(operator, target, value) => self.assign(*operator, target, value),
            Node::Step(by, is_before, target) => {
                let old = self.number(target)?;
                let place = self.place(target)?;
                self.write(&place, Value::Int(old + by), target.span)?;
                Ok(Value::Int(if *is_before { old } else { old + by }))
            }
            Node::Call(function, arguments) => self.call(function, arguments, expr.span),
            Node::Quantified(quantifier, name, of, body) => {
                let of = self.of_type(of)?;
                self.quantified(*quantifier, &name.text, &of, body)
            }
            Node::List(_) => error(
                expr.span,
                "a list is allowed only as the value of a variable",
            ),
            Node::Rate(_) | Node::Quoted => error(expr.span, "this expression has no value"),
        }
    }

    fn named(&mut self, name: &str, span: Span) -> Eval<Value> {
        match self.find(name) {
            Some(Binding::Constant(value, _)) => Ok(value.clone()),
            Some(Binding::Place(place, _)) => self.read(&place.clone(), span),
            Some(_) => error(span, format!("`{name}` has no value")),
            None => {
                let mut limits = LIMITS.iter().chain(&[("INT32_MIN", i32::MIN as i64)]);
                match limits.find(|(limit, _)| *limit == name) {
                    Some((_, value)) => Ok(Value::Int(*value)),
                    None => error(span, format!("`{name}` is not declared")),
                }
            }
        }
    }

    fn read(&self, place: &Place, span: Span) -> Eval<Value> {
        let mut value = self.store.get(place.slot);
        for index in &place.path {
            value = match value {
                Some(Value::Many(parts)) => parts.get(*index),
                _ => None,
            };
        }
        value
            .cloned()
            .map_or_else(|| error(span, "there is no such element"), Ok)
    }

    fn write(&mut self, (place, of): &(Place, Type), value: Value, span: Span) -> Eval<Value> {
        let value = self.fitted(value, of, span)?;
        let mut there = self.store.get_mut(place.slot);
        for index in &place.path {
            there = match there {
                Some(Value::Many(parts)) => parts.get_mut(*index),
                _ => None,
            };
        }
        match there {
            Some(there) => {
                *there = value.clone();
                Ok(value)
            }
            None => error(span, "there is no such element"),
        }
    }

    /// Returns the value of an element of an array or of a field of a struct, which may be a constant.
    fn part(&mut self, expr: &Expr) -> Eval<Value> {
        let (whole, of) = match &expr.node {
            Node::Index(whole, _) | Node::Field(whole, _) => {
                (self.value(whole)?, self.type_of(whole)?)
            }
            _ => return self.value(expr),
        };
        let index = match &expr.node {
            Node::Index(_, index) => self.element(&of, index)?.0,
            Node::Field(_, field) => field_of(&of, field, expr.span)?.0,
            _ => 0,
        };
        match whole {
            Value::Many(mut parts) if index < parts.len() => Ok(parts.swap_remove(index)),
            _ => error(expr.span, "there is no such element"),
        }
    }

    /// Returns the index from 0 of an array element, and its type.
    fn element(&mut self, of: &Type, index: &Expr) -> Eval<(usize, Type)> {
        let number = self.number(index)?;
        let Type::Array(element, from, count) = of else {
            return error(index.span, "this is no array");
        };
        let place = usize::try_from(number - from).ok();
        match place.filter(|place| place < count) {
            Some(place) => Ok((place, element.as_ref().clone())),
            None => {
                let last = from + i64::try_from(*count).unwrap_or(0) - 1;
                error(
                    index.span,
                    format!("the index {number} is not from {from} to {last}"),
                )
            }
        }
    }

    fn type_of(&mut self, expr: &Expr) -> Eval<Type> {
        match &expr.node {
            Node::Name(name) => match self.find(name) {
                Some(
                    Binding::Constant(_, of)
                    | Binding::Place(_, of)
                    | Binding::Clock(_, of)
                    | Binding::Channel(_, of),
                ) => Ok(of.clone()),
                _ => error(expr.span, "this is no variable"),
            },
            Node::Index(whole, _) => match self.type_of(whole)? {
                Type::Array(element, ..) => Ok(element.as_ref().clone()),
                _ => error(expr.span, "this is no array"),
            },
            Node::Field(whole, field) => Ok(field_of(&self.type_of(whole)?, field, expr.span)?.1),
            _ => Ok(INT),
        }
    }

    /// Returns the place in the store of a variable or a part of one, and its type.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn place(&mut self, target: &Expr) -> Eval<(Place, Type)> {
        match &target.node {
            Node::Name(name) => match self.find(name) {
                Some(Binding::Place(place, of)) => Ok((place.clone(), of.clone())),
                _ => error(target.span, format!("`{name}` cannot be written")),
            },
            Node::Index(whole, index) => {
                let (mut place, of) = self.place(whole)?;
                let (at, element) = self.element(&of, index)?;
                place.path.push(at);
                Ok((place, element))
            }
            Node::Field(whole, field) => {
                let (mut place, of) = self.place(whole)?;
                let (at, kind) = field_of(&of, field, target.span)?;
                place.path.push(at);
                Ok((place, kind))
            }
            _ => error(target.span, "this cannot be written"),
        }
    }

    /// Returns the clock, or the first clock of an array, that an expression names, and its type. `None` if it names none.
    ///
    /// # Errors
    /// If an index has no value or is outside its array.
    pub(crate) fn clock(&mut self, expr: &Expr) -> Eval<Option<(usize, Type)>> {
        match &expr.node {
            Node::Name(name) => Ok(match self.find(name) {
                Some(Binding::Clock(first, of)) => Some((*first, of.clone())),
                _ => None,
            }),
            Node::Index(whole, index) => {
                let Some((first, of)) = self.clock(whole)? else {
                    return Ok(None);
                };
                let (at, element) = self.element(&of, index)?;
                Ok(Some((first + at * element.size(), element)))
            }
            _ => Ok(None),
        }
    }

    /// Returns the channel that an expression names, and its type.
    ///
    /// # Errors
    /// If it is no channel.
    pub(crate) fn channel(&mut self, expr: &Expr) -> Eval<(String, Type)> {
        match &expr.node {
            Node::Name(name) => match self.find(name) {
                Some(Binding::Channel(own, of)) => Ok((own.clone(), of.clone())),
                _ => error(expr.span, format!("`{name}` is no channel")),
            },
            Node::Index(whole, index) => {
                let (name, of) = self.channel(whole)?;
                let (at, element) = self.element(&of, index)?;
                let from = match of {
                    Type::Array(_, from, _) => from,
                    _ => 0,
                };
                let number = from + i64::try_from(at).unwrap_or(0);
                Ok((format!("{name}[{number}]"), element))
            }
            _ => error(expr.span, "this is no channel"),
        }
    }

    fn binary(&mut self, operator: Binary, left: &Expr, right: &Expr, span: Span) -> Eval<Value> {
        let lazy = match operator {
            Binary::And => Some(false),
            Binary::Or | Binary::Imply => Some(true),
            _ => None,
        };
        if let Some(decided) = lazy {
            let own = self.truth(left)? != (operator == Binary::Imply);
            return match own == decided {
                true => Ok(Value::truth(decided)),
                false => Ok(Value::truth(self.truth(right)?)),
            };
        }
        let (own, other) = (self.value(left)?, self.value(right)?);
        let (a, b) = match (&own, &other) {
            (Value::Int(a), Value::Int(b)) => (*a, *b),
            (Value::Real(Real(a)), Value::Real(Real(b))) => {
                return compute_real(operator, *a, *b, span);
            }
            (Value::Int(a), Value::Real(Real(b))) => {
                return compute_real(operator, *a as f64, *b, span);
            }
            (Value::Real(Real(a)), Value::Int(b)) => {
                return compute_real(operator, *a, *b as f64, span);
            }
            _ => {
                return match operator {
                    Binary::Equal => Ok(Value::truth(own == other)),
                    Binary::Unequal => Ok(Value::truth(own != other)),
                    _ => error(span, "this is no number"),
                };
            }
        };
        compute(operator, a, b, span)
    }

    fn assign(&mut self, operator: Option<Binary>, target: &Expr, value: &Expr) -> Eval<Value> {
        if let Some((clock, of)) = self.clock(target)? {
            let number = self.number(value)?;
            if of != Type::Clock || operator.is_some() {
                return error(target.span, "a clock is set by `=`, one at a time");
            }
            if number < 0 {
                return error(value.span, "a clock is not set to a negative value");
            }
            self.resets.retain(|(known, _)| *known != clock);
            self.resets.push((clock, number));
            return Ok(Value::Int(number));
        }
        let new = match (operator, &value.node) {
            (None, Node::List(_)) => {
                let of = self.type_of(target)?;
                self.initial(value, &of)?
            }
            (None, _) => self.value(value)?,
            (Some(operator), _) => {
                let (old, by) = (self.number(target)?, self.number(value)?);
                compute(operator, old, by, target.span)?
            }
        };
        let place = self.place(target)?;
        self.write(&place, new, value.span)
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        name: &str,
        of: &Type,
        body: &Expr,
    ) -> Eval<Value> {
        let Some((from, to)) = of.range() else {
            return error(body.span, "a loop or quantifier needs a range");
        };
        let mut sum = 0_i64;
        let (mut all, mut any) = (true, false);
        for number in from..=to {
            self.enter();
            self.bind(name, Binding::Constant(Value::Int(number), of.clone()));
            let value = self.number(body);
            self.leave();
            let value = value?;
            sum += value;
            all &= value != 0;
            any |= value != 0;
        }
        Ok(match quantifier {
            Quantifier::Forall => Value::truth(all),
            Quantifier::Exists => Value::truth(any),
            Quantifier::Sum => Value::Int(sum),
        })
    }
}

fn field_of(of: &Type, field: &str, span: Span) -> Eval<(usize, Type)> {
    let fields = match of {
        Type::Struct(fields) => fields.iter().enumerate(),
        _ => return error(span, "this has no fields"),
    };
    let mut found = fields.filter(|(_, (name, _))| name == field);
    match found.next() {
        Some((index, (_, of))) => Ok((index, of.clone())),
        None => error(span, format!("there is no field `{field}`")),
    }
}

/// Returns the value of an operator on floating-point numbers.
///
/// # Errors
/// If the operator is for integers only.
fn compute_real(operator: Binary, a: f64, b: f64, span: Span) -> Eval<Value> {
    Ok(match operator {
        Binary::Add => Value::Real(Real(a + b)),
        Binary::Subtract => Value::Real(Real(a - b)),
        Binary::Multiply => Value::Real(Real(a * b)),
        Binary::Divide => Value::Real(Real(a / b)),
        Binary::Minimum => Value::Real(Real(a.min(b))),
        Binary::Maximum => Value::Real(Real(a.max(b))),
        Binary::Less => Value::truth(a < b),
        Binary::AtMost => Value::truth(a <= b),
        Binary::Equal => Value::truth(a == b),
        Binary::Unequal => Value::truth(a != b),
        Binary::AtLeast => Value::truth(a >= b),
        Binary::Greater => Value::truth(a > b),
        _ => return error(span, "this is no whole number"),
    })
}

fn compute(operator: Binary, a: i64, b: i64, span: Span) -> Eval<Value> {
    let number = match operator {
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide | Binary::Remainder if b == 0 => {
            return error(span, "this is a division by zero");
        }
        Binary::Divide => a.checked_div(b),
        Binary::Remainder => a.checked_rem(b),
        Binary::Minimum => Some(a.min(b)),
        Binary::Maximum => Some(a.max(b)),
        Binary::Left => u32::try_from(b).ok().filter(|b| *b < 32).map(|b| a << b),
        Binary::Right => u32::try_from(b).ok().filter(|b| *b < 32).map(|b| a >> b),
        Binary::BitAnd => Some(a & b),
        Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::Less => Some((a < b).into()),
        Binary::AtMost => Some((a <= b).into()),
        Binary::Equal => Some((a == b).into()),
        Binary::Unequal => Some((a != b).into()),
        Binary::AtLeast => Some((a >= b).into()),
        Binary::Greater => Some((a > b).into()),
        Binary::And => Some((a != 0 && b != 0).into()),
        Binary::Or => Some((a != 0 || b != 0).into()),
        Binary::Imply => Some((a == 0 || b != 0).into()),
    };
    match number.filter(|number| i32::try_from(*number).is_ok()) {
        Some(number) => Ok(Value::Int(number)),
        None => error(span, "this does not fit 32 bits"),
    }
}
