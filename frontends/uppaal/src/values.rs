//! Values of data, and types with everything computed.

use std::rc::Rc;

use crate::syntax::Real;

/// A value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Value {
    /// A number, truth value or scalar.
    Int(i64),
    /// A number with a point.
    Real(Real),
    /// The elements of an array or fields of a structure.
    Many(Vec<Value>),
}

impl Value {
    pub(crate) fn truth(value: bool) -> Value {
        Value::Int(value.into())
    }

    /// Returns the text of the value for names of locations.
    pub(crate) fn text(&self) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::Real(Real(value)) => value.to_string(),
            Value::Many(parts) => {
                let parts: Vec<String> = parts.iter().map(Value::text).collect();
                format!("{{{}}}", parts.join(","))
            }
        }
    }
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    /// The integers from the first to the last.
    Int(i64, i64),
    /// 0 and 1.
    Bool,
    /// Numbers with a point.
    Double,
    /// A clock.
    Clock,
    /// A channel, and whether it is urgent.
    Channel(bool),
    /// A structure with these fields.
    Struct(Rc<Vec<(String, Type)>>),
    /// An array: the type of its elements, the index of the first one, and their number.
    Array(Rc<Type>, i64, usize),
    /// No value: the type of a function without a result.
    Void,
}

/// The type `int`, with its range.
pub(crate) const INT: Type = Type::Int(-32768, 32767);

impl Type {
    /// Returns the initial value of a variable of this type without an initialiser.
    pub(crate) fn least(&self) -> Value {
        match self {
            Type::Int(from, to) => Value::Int(0.clamp(*from, (*to).max(*from))),
            Type::Struct(fields) => Value::Many(fields.iter().map(|(_, t)| t.least()).collect()),
            Type::Array(element, _, count) => Value::Many(vec![element.least(); *count]),
            Type::Double => Value::Real(Real(0.0)),
            Type::Bool | Type::Clock | Type::Channel(_) | Type::Void => Value::Int(0),
        }
    }

    /// Returns the first and the last number of a range or of `bool`; `None` for other types.
    pub(crate) fn range(&self) -> Option<(i64, i64)> {
        match self {
            Type::Int(from, to) => Some((*from, *to)),
            Type::Bool => Some((0, 1)),
            _ => None,
        }
    }

    /// Whether this is the type of clocks, or of an array of clocks.
    pub(crate) fn is_clock(&self) -> bool {
        match self {
            Type::Clock => true,
            Type::Array(element, ..) => element.is_clock(),
            _ => false,
        }
    }

    pub(crate) fn is_channel(&self) -> bool {
        match self {
            Type::Channel(_) => true,
            Type::Array(element, ..) => element.is_channel(),
            _ => false,
        }
    }

    /// Whether this is the type of urgent channels, or of an array of them.
    pub(crate) fn is_urgent(&self) -> bool {
        match self {
            Type::Channel(is_urgent) => *is_urgent,
            Type::Array(element, ..) => element.is_urgent(),
            _ => false,
        }
    }

    /// Returns the number of single clocks or values in a variable of this type.
    pub(crate) fn size(&self) -> usize {
        match self {
            Type::Array(element, _, count) => element.size().saturating_mul(*count),
            Type::Struct(fields) => {
                let sizes = fields.iter().map(|(_, field)| field.size());
                sizes.fold(0, usize::saturating_add)
            }
            _ => 1,
        }
    }
}
