//! The kinds of expressions, without their values.

use std::rc::Rc;

use rustc_hash::FxHashMap;

/// The kind of an expression or variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A whole number.
    Int,
    /// A truth value, which is a whole number too wherever a number is expected.
    Bool,
    /// A number with a point.
    Double,
    /// A clock.
    Clock,
    /// The difference of two clocks.
    Difference,
    /// A condition on clocks.
    Condition,
    /// The rate of a clock.
    Rate,
    /// A channel.
    Channel,
    /// A scalar, which can only be compared; the number distinguishes types by their declarations.
    Scalar(usize),
    /// A structure with these fields.
    Struct(Rc<Vec<(String, Kind)>>),
    /// An array of elements of this kind.
    Array(Rc<Kind>),
    /// Values in braces. The initialised variable determines their type.
    List,
    /// No value: the kind of a call without a result.
    Void,
    /// An expression with a reported error.
    Unknown,
}

impl Kind {
    pub(crate) fn is_data(&self) -> bool {
        matches!(self, Kind::Int | Kind::Bool | Kind::Unknown)
    }

    /// Whether this is the kind of floating-point numbers, or of an array or structure with some.
    pub(crate) fn has_points(&self) -> bool {
        match self {
            Kind::Double => true,
            Kind::Array(element) => element.has_points(),
            Kind::Struct(fields) => fields.iter().any(|(_, field)| field.has_points()),
            _ => false,
        }
    }

    pub(crate) fn is_clock(&self) -> bool {
        matches!(self, Kind::Clock | Kind::Difference)
    }

    /// Whether a value of this kind can be assigned to a variable of the kind `variable`.
    pub(crate) fn fits(&self, variable: &Kind) -> bool {
        match (self, variable) {
            (Kind::Unknown, _) | (_, Kind::Unknown) => true,
            (Kind::Int | Kind::Bool, Kind::Int | Kind::Bool | Kind::Clock | Kind::Double) => true,
            (Kind::List, Kind::Array(_) | Kind::Struct(_)) => true,
            (Kind::Array(own), Kind::Array(other)) => own.fits(other),
            (Kind::Struct(own), Kind::Struct(other)) => {
                let kinds = own.iter().zip(other.iter());
                own.len() == other.len() && kinds.into_iter().all(|(a, b)| a.1.fits(&b.1))
            }
            (own, other) => own == other && !matches!(own, Kind::Clock),
        }
    }

    /// Whether a variable of this kind can be the argument for a reference parameter of the kind `parameter`.
    pub(crate) fn is_same(&self, parameter: &Kind) -> bool {
        match (self, parameter) {
            (Kind::Clock, Kind::Clock) => true,
            (Kind::Array(own), Kind::Array(other)) => own.is_same(other),
            (own, other) => own.fits(other) && !matches!(other, Kind::Clock),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Int => "a number",
            Kind::Bool => "a truth value",
            Kind::Double => "a number with a point",
            Kind::Clock => "a clock",
            Kind::Difference => "a difference of clocks",
            Kind::Condition => "a condition on clocks",
            Kind::Rate => "the rate of a clock",
            Kind::Channel => "a channel",
            Kind::Scalar(_) => "a scalar",
            Kind::Struct(_) => "a structure",
            Kind::Array(_) => "an array",
            Kind::List => "a list",
            Kind::Void => "nothing",
            Kind::Unknown => "unknown",
        }
    }
}

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A variable, and whether it can be written.
    Variable(Kind, bool),
    /// A type, and whether it is a range that can be iterated over.
    Type(Kind, bool),
    /// A function: the kinds of its parameters, each with whether it is a reference, and the kind of its result.
    Function(Rc<Vec<(Kind, bool)>>, Kind),
    /// A template or instance with its parameters: the kind, whether it is a reference, and whether the parameter can be left open.
    Process(Rc<Vec<(Kind, bool, bool)>>),
}

/// The names that are declared, by level; inner levels are last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    levels: Vec<FxHashMap<String, Symbol>>,
}

impl Names {
    pub(crate) fn enter(&mut self) {
        self.levels.push(FxHashMap::default());
    }

    pub(crate) fn leave(&mut self) {
        self.levels.pop();
    }

    /// Declares a name on the innermost level. Returns whether the name is new there; an earlier meaning is replaced.
    pub(crate) fn declare(&mut self, name: &str, symbol: Symbol) -> bool {
        let Some(level) = self.levels.last_mut() else {
            return true;
        };
        level.insert(name.to_owned(), symbol).is_none()
    }

    /// Returns the level of a name's declaration, and its meaning. `None` if it is not declared.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, &Symbol)> {
        let levels = self.levels.iter().enumerate().rev();
        levels
            .into_iter()
            .find_map(|(number, level)| Some((number, level.get(name)?)))
    }
}
