//! The meaning of an SMV text, computed directly from its tree with sets of values and sets of states, without terms or circuit.
//!
//! It shares only the parser with the front end. It is slow and only for tiny models, since it enumerates complete state spaces.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_smv::ast::{
    Assignment, BinaryOp, Declaration, Define, EnumValue, ExprId, ExprKind, Program, Section,
    Target, TypeKind, UnaryOp, VarKind,
};
use hyperkill_smv::{parser, printer};

/// A value in the spelling of the model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    Symbol(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Bool(true) => f.write_str("TRUE"),
            Value::Bool(false) => f.write_str("FALSE"),
            Value::Int(n) => n.fmt(f),
            Value::Symbol(s) => s.fmt(f),
        }
    }
}

/// A valuation: values of variables by name.
pub(crate) type Valuation = BTreeMap<String, Value>;

type Values = BTreeSet<Value>;

/// The kind of a variable, by the source of its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Driver {
    /// The environment gives the values.
    Input,
    /// `init` and `next`, free where they are missing.
    State,
    /// A plain assignment, free if it is missing.
    Wire,
}

/// A model whose variables may have drivers from another model: the original of the mutant.
pub(crate) struct Interpreter {
    text: Text,
    pub(crate) drivers: BTreeMap<String, Driver>,
}

/// A parsed program of one module.
struct Text(Program);

impl Text {
    fn new(text: &str) -> Text {
        Text(parser::parse(text).unwrap().program)
    }

    fn sections(&self) -> impl Iterator<Item = &Section> {
        self.0.modules[0].sections.iter()
    }

    fn declarations(&self) -> impl Iterator<Item = (VarKind, &Declaration)> {
        self.sections().flat_map(|section| match section {
            Section::Variables(kind, all) => all.iter().map(|d| (*kind, d)).collect(),
            _ => Vec::new(),
        })
    }

    fn defines(&self) -> impl Iterator<Item = &Define> {
        self.0.modules[0].defines()
    }

    /// Returns all assignments with the names of their variables.
    fn assignments(&self) -> impl Iterator<Item = (String, &Assignment)> {
        let all = self.sections().flat_map(|section| match section {
            Section::Assigns(all) => all.as_slice(),
            _ => &[],
        });
        all.map(|a| (printer::expression(&self.0.exprs, a.place), a))
    }
}

/// Returns the driver of each variable in a text.
pub(crate) fn drivers(text: &str) -> BTreeMap<String, Driver> {
    let text = Text::new(text);
    let driver = |(kind, declaration): (VarKind, &Declaration)| {
        let name = &declaration.name.text;
        let mut own = text.assignments().filter(|(assigned, _)| assigned == name);
        let driver = match own.next() {
            _ if kind == VarKind::Frozen => Driver::State,
            None => Driver::Input,
            Some((_, a)) if a.target == Target::Current => Driver::Wire,
            Some(_) => Driver::State,
        };
        (name.clone(), driver)
    };
    text.declarations().map(driver).collect()
}

impl Interpreter {
    pub(crate) fn new(text: &str, drivers: BTreeMap<String, Driver>) -> Interpreter {
        Interpreter {
            text: Text::new(text),
            drivers,
        }
    }

    fn assignment(&self, name: &str, target: Target) -> Option<&Assignment> {
        let mut all = self.text.assignments();
        let (_, found) = all.find(|(n, a)| n == name && a.target == target)?;
        Some(found)
    }

    fn define(&self, name: &str) -> Option<ExprId> {
        let mut all = self.text.defines();
        all.find(|d| d.name.text == name).map(|d| d.body)
    }

    /// Returns all values of a variable.
    pub(crate) fn domain(&self, name: &str) -> Values {
        let mut all = self.text.declarations();
        let (_, declaration) = all.find(|(_, d)| d.name.text == name).unwrap();
        match &declaration.kind {
            TypeKind::Boolean => [false, true].map(Value::Bool).into(),
            TypeKind::Enumeration(values) => values
                .iter()
                .map(|(value, _)| match value {
                    EnumValue::Symbol(s) => Value::Symbol(s.clone()),
                    EnumValue::Number(n) => Value::Int(*n),
                })
                .collect(),
            TypeKind::Range(low, high) => {
                let empty = Valuation::new();
                let bound = |id| match self.eval(id, &empty, None).unwrap().first().unwrap() {
                    Value::Int(n) => *n,
                    other => panic!("{other} is no bound"),
                };
                (bound(*low)..=bound(*high)).map(Value::Int).collect()
            }
            other => panic!("no variable here has the type {other:?}"),
        }
    }

    /// Returns the names of all variables with this driver, in the order of declaration.
    pub(crate) fn names(&self, driver: Driver) -> Vec<String> {
        let all = self.text.declarations().map(|(_, d)| d.name.text.clone());
        all.filter(|name| self.drivers[name] == driver).collect()
    }

    /// Returns all valuations of these variables.
    pub(crate) fn all_valuations(&self, names: &[String]) -> Vec<Valuation> {
        let mut all = vec![Valuation::new()];
        for name in names {
            let domain = self.domain(name);
            all = (all.iter())
                .flat_map(|v| domain.iter().map(move |x| extended(v, name, x)))
                .collect();
        }
        all
    }

    /// Returns all extensions of a valuation that give the named variables one of their values each, one after the other. `values` returns
    /// the possible values of a variable. `None` if it returns none, or one outside the domain.
    fn assigned(
        &self,
        start: Valuation,
        names: &[String],
        values: impl Fn(&str, &Valuation) -> Option<Values>,
    ) -> Option<Vec<Valuation>> {
        let mut all = vec![start];
        for name in names {
            let domain = self.domain(name);
            let mut longer = Vec::new();
            for valuation in &all {
                let values = values(name, valuation)?;
                if !values.is_subset(&domain) {
                    return None;
                }
                longer.extend(values.iter().map(|x| extended(valuation, name, x)));
            }
            all = longer;
        }
        Some(all)
    }

    /// Returns the valuations of a step with these states and inputs: with values of all wires added. `None` if some value does not exist.
    pub(crate) fn step(&self, states_and_inputs: Valuation) -> Option<Vec<Valuation>> {
        let wires = self.names(Driver::Wire);
        self.assigned(states_and_inputs, &wires, |name, now| {
            match self.assignment(name, Target::Current) {
                None => Some(self.domain(name)),
                Some(a) => self.eval(a.value, now, None),
            }
        })
    }

    /// Returns all states that can follow a step. `None` if some next value does not exist.
    pub(crate) fn successors(&self, now: &Valuation) -> Option<Vec<Valuation>> {
        let states = self.names(Driver::State);
        self.assigned(Valuation::new(), &states, |name, next| {
            let mut all = self.text.declarations();
            let (kind, _) = all.find(|(_, d)| d.name.text == name).unwrap();
            match self.assignment(name, Target::Next) {
                _ if kind == VarKind::Frozen => Some([now[name].clone()].into()),
                None => Some(self.domain(name)),
                Some(a) => self.eval(a.value, now, Some(next)),
            }
        })
    }

    fn initial_values(&self, name: &str, now: &Valuation) -> Option<Values> {
        match self.assignment(name, Target::Init) {
            None => Some(self.domain(name)),
            Some(a) => self.eval(a.value, now, None),
        }
    }

    /// Returns all initial states with these inputs. `None` if some initial value does not exist.
    pub(crate) fn initial(&self, inputs: &Valuation) -> Option<Vec<Valuation>> {
        let states = self.names(Driver::State);
        self.assigned(inputs.clone(), &states, |name, now| {
            self.initial_values(name, now)
        })
    }

    /// Whether every assigned value and the value of each of these DEFINEs exists and is in the domain of its variable. Each is checked for
    /// all present and next values of the variables that it reads.
    pub(crate) fn is_well_formed(&self, outputs: &[String]) -> bool {
        let assignments = (self.text.assignments()).map(|(name, a)| (a.value, Some(name)));
        let defines = outputs.iter().filter_map(|name| self.define(name));
        let mut all = assignments.chain(defines.map(|body| (body, None)));
        all.all(|(value, assigned)| {
            let domain = assigned.map(|name| self.domain(&name));
            let [now, next] = self.reads(value);
            let next = self.all_valuations(&next);
            self.all_valuations(&now).iter().all(|now| {
                next.iter().all(|next| {
                    let next = self.with_frozen(next, now);
                    let values = self.eval(value, now, Some(&next));
                    let fits =
                        |values: Values| domain.as_ref().is_none_or(|all| values.is_subset(all));
                    values.is_some_and(fits)
                })
            })
        })
    }

    /// Returns the variables that an expression reads, through DEFINEs: all whose present values it may read, and all whose next values it
    /// may read.
    fn reads(&self, id: ExprId) -> [Vec<String>; 2] {
        let mut found = [BTreeSet::new(), BTreeSet::new()];
        let mut rest = vec![(id, 0)];
        while let Some((root, time)) = rest.pop() {
            for part in self.text.0.exprs.subtree(root) {
                match self.text.0.exprs.kind(part) {
                    ExprKind::Name(name) if self.drivers.contains_key(name) => {
                        found[if self.is_frozen(name) { 0 } else { time }].insert(name.clone());
                    }
                    ExprKind::Name(name) => rest.extend(self.define(name).map(|body| (body, time))),
                    ExprKind::Next(a) => rest.push((*a, 1)),
                    _ => {}
                }
            }
        }
        found.map(|names| names.into_iter().collect())
    }

    fn is_frozen(&self, name: &str) -> bool {
        let mut all = self.text.declarations();
        all.any(|(kind, d)| kind == VarKind::Frozen && d.name.text == name)
    }

    /// Returns values of the next step with the frozen variables, which keep their current values.
    fn with_frozen(&self, next: &Valuation, now: &Valuation) -> Valuation {
        let frozen = now.iter().filter(|(name, _)| self.is_frozen(name));
        let frozen = frozen.map(|(name, value)| (name.clone(), value.clone()));
        next.clone().into_iter().chain(frozen).collect()
    }

    /// Returns the value of a DEFINE that has a single one at a step; `None` if the value does not exist.
    pub(crate) fn define_value(&self, name: &str, now: &Valuation) -> Option<Value> {
        let body = self.define(name).unwrap();
        self.eval(body, now, None)?.pop_first()
    }

    /// Returns all values of an expression at the step `now`; `next` has the next values of variables. `None` if it has none.
    fn eval(&self, id: ExprId, now: &Valuation, next: Option<&Valuation>) -> Option<Values> {
        let eval = |id| self.eval(id, now, next);
        let bool = |id| Some(eval(id)?.first() == Some(&Value::Bool(true)));
        let int = |id| match eval(id)?.pop_first() {
            Some(Value::Int(n)) => Some(n),
            _ => None,
        };
        let one = |value| Some(Values::from([value]));
        match self.text.0.exprs.kind(id) {
            ExprKind::Number(n) => one(Value::Int(*n)),
            ExprKind::Truth(value) => one(Value::Bool(*value)),
            ExprKind::Range(low, high) => Some((*low..=*high).map(Value::Int).collect()),
            ExprKind::Name(name) => {
                if let Some(value) = now.get(name) {
                    return one(value.clone());
                }
                if let Some(body) = self.define(name) {
                    return eval(body);
                }
                // A wire at the next step, or a symbol.
                match self.assignment(name, Target::Current) {
                    Some(a) => eval(a.value),
                    None => one(Value::Symbol(name.clone())),
                }
            }
            ExprKind::Unary(UnaryOp::Not, a) => one(Value::Bool(!bool(*a)?)),
            ExprKind::Unary(UnaryOp::Neg, a) => one(Value::Int(-int(*a)?)),
            ExprKind::Next(a) => self.eval(*a, next.unwrap(), None),
            ExprKind::Conditional(c, a, b) => eval(if bool(*c)? { *a } else { *b }),
            ExprKind::Case(branches) => {
                for branch in branches {
                    if bool(branch.condition)? {
                        return eval(branch.value);
                    }
                }
                None
            }
            ExprKind::Set(elements) => {
                let mut all = Values::new();
                for element in elements {
                    all.append(&mut eval(*element)?);
                }
                Some(all)
            }
            ExprKind::Binary(op, a, b) => {
                let both = || Some((eval(*a)?, eval(*b)?));
                let value = match op {
                    BinaryOp::Union => {
                        let (mut a, mut b) = both()?;
                        a.append(&mut b);
                        return Some(a);
                    }
                    BinaryOp::In => Value::Bool(both().map(|(a, b)| a.is_subset(&b))?),
                    BinaryOp::Eq => Value::Bool(both().map(|(a, b)| a == b)?),
                    BinaryOp::Ne => Value::Bool(both().map(|(a, b)| a != b)?),
                    // One operand alone may determine the result.
                    BinaryOp::And => Value::Bool(match (bool(*a), bool(*b)) {
                        (Some(false), _) | (_, Some(false)) => false,
                        (a, b) => a? && b?,
                    }),
                    BinaryOp::Or => Value::Bool(match (bool(*a), bool(*b)) {
                        (Some(true), _) | (_, Some(true)) => true,
                        (a, b) => a? || b?,
                    }),
                    BinaryOp::Implies => Value::Bool(match (bool(*a), bool(*b)) {
                        (Some(false), _) | (_, Some(true)) => true,
                        (a, b) => !a? || b?,
                    }),
                    BinaryOp::Xor => Value::Bool(bool(*a)? != bool(*b)?),
                    BinaryOp::Xnor | BinaryOp::Iff => Value::Bool(bool(*a)? == bool(*b)?),
                    BinaryOp::Lt => Value::Bool(int(*a)? < int(*b)?),
                    BinaryOp::Le => Value::Bool(int(*a)? <= int(*b)?),
                    BinaryOp::Gt => Value::Bool(int(*a)? > int(*b)?),
                    BinaryOp::Ge => Value::Bool(int(*a)? >= int(*b)?),
                    BinaryOp::Add => Value::Int(int(*a)? + int(*b)?),
                    BinaryOp::Sub => Value::Int(int(*a)? - int(*b)?),
                    BinaryOp::Mul => Value::Int(int(*a)? * int(*b)?),
                    BinaryOp::Div => Value::Int(int(*a)?.checked_div(int(*b)?)?),
                    BinaryOp::Mod => Value::Int(int(*a)?.checked_rem(int(*b)?)?),
                    BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Concat => panic!("a word"),
                };
                one(value)
            }
            other => panic!("no text here has {other:?}"),
        }
    }
}

fn extended(valuation: &Valuation, name: &str, value: &Value) -> Valuation {
    let mut longer = valuation.clone();
    longer.insert(name.to_owned(), value.clone());
    longer
}
