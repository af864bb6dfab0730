//! Events: ports that are shown as calls. `after(20)` replaces a label and a value for each parameter of each event.
//!
//! A language whose steps are events declares them as [`EventPort`]s of its system. Documents contain the value of every port; tables,
//! exports and messages show calls ([`Calls`]). In a step, only the ports of the event that happens are meaningful.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::sort::{Sort, Value};

/// The side of ports: set by the tester, or observed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Test inputs.
    Inputs,
    /// Outputs.
    Outputs,
}

/// A port whose value is the label of the event that happens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EventPort {
    /// The name of the port. If there is one event only, a port of this name need not exist.
    pub port: String,
    /// The side of this port and of all parameters.
    pub side: Side,
    /// The events, one for each value of the port.
    pub events: Vec<Event>,
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The port's value for this event.
    pub label: String,
    /// Its parameters, in the order of the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
}

/// A parameter of an event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Parameter {
    /// The port with the parameter's value.
    Port(String),
    /// The parameter's only value.
    Value(Value),
}

impl EventPort {
    /// Returns the names of the ports of parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let parameters = self.events.iter().flat_map(|event| &event.parameters);
        parameters.filter_map(|parameter| match parameter {
            Parameter::Port(port) => Some(port.as_str()),
            Parameter::Value(_) => None,
        })
    }

    /// Checks that the ports of this side, given by names and types, match this declaration.
    ///
    /// # Errors
    /// If they do not match; the error is the predicate of a sentence.
    pub fn fits(&self, ports: &[(&str, &Sort)]) -> Result<(), String> {
        let of_name: FxHashMap<&str, &Sort> = ports.iter().copied().collect();
        let mut labels: Vec<&str> = self.events.iter().map(|event| &*event.label).collect();
        labels.sort_unstable();
        match of_name.get(self.port.as_str()) {
            Some(Sort::Enum { values }) => {
                let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
                values.sort_unstable();
                if values != labels {
                    return Err(format!(
                        "has other labels than the values of `{}`",
                        self.port
                    ));
                }
            }
            Some(_) => return Err(format!("is about `{}`, which has no labels", self.port)),
            None if labels.len() == 1 => {}
            None => return Err(format!("is about `{}`, which does not exist", self.port)),
        }
        let mut used = rustc_hash::FxHashSet::from_iter([self.port.as_str()]);
        for name in self.parameters() {
            if !of_name.contains_key(name) {
                return Err(format!("has the parameter `{name}`, which does not exist"));
            }
            if !used.insert(name) {
                return Err(format!("has `{name}` more than once"));
            }
        }
        Ok(())
    }
}

/// Returns the declarations whose ports exist with fitting sorts. A declaration that shares a port with an earlier one is dropped.
#[must_use]
pub fn fitting(
    events: &[EventPort],
    inputs: &[(&str, &Sort)],
    outputs: &[(&str, &Sort)],
) -> Vec<EventPort> {
    let mut taken = rustc_hash::FxHashSet::default();
    let fits = |of: &&EventPort| {
        let ports = match of.side {
            Side::Inputs => inputs,
            Side::Outputs => outputs,
        };
        let names: Vec<&str> = of.parameters().chain([of.port.as_str()]).collect();
        of.fits(ports).is_ok()
            && names
                .into_iter()
                .all(|name| taken.insert((of.side, name.to_owned())))
    };
    events.iter().filter(fits).cloned().collect()
}

/// An argument of a call: a value, or an interval of numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Argument {
    /// A value.
    Value(Value),
    /// An interval of numbers; the first is less than the last.
    Interval(i64, i64),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Value(value) => value.fmt(f),
            Argument::Interval(low, high) => write!(f, "{low}..{high}"),
        }
    }
}

/// The display of some ports at a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shown {
    /// The value of a port.
    Value(Value),
    /// An event.
    Call {
        /// Its label.
        label: String,
        /// Its parameters.
        arguments: Vec<Argument>,
    },
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Value(value) => value.fmt(f),
            Shown::Call { label, arguments } if arguments.is_empty() => f.write_str(label),
            Shown::Call { label, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(Argument::to_string).collect();
                write!(f, "{label}({})", arguments.join(", "))
            }
        }
    }
}

/// Shows values of ports as events. Without events, every port is shown with its value.
#[derive(Clone, Debug)]
pub struct Calls<'a> {
    events: &'a [EventPort],
    /// For each port, the index in `events` of the declaration that it belongs to.
    owners: FxHashMap<(Side, &'a str), usize>,
}

impl<'a> Calls<'a> {
    /// Returns the translation of values to calls of these events.
    #[must_use]
    pub fn new(events: &'a [EventPort]) -> Calls<'a> {
        let mut owners = FxHashMap::default();
        for (index, of) in events.iter().enumerate() {
            let ports = of.parameters().chain([of.port.as_str()]);
            owners.extend(ports.map(|port| ((of.side, port), index)));
        }
        Calls { events, owners }
    }

    /// Returns the columns that are shown for ports with these names, in their order. A call has the name of its event port, and the
    /// position of the first of its ports.
    #[must_use]
    pub fn columns<'n>(&'n self, side: Side, ports: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
        let mut begun = vec![false; self.events.len()];
        let shown = ports.filter_map(|port| match self.owners.get(&(side, port)) {
            None => Some(port),
            Some(&owner) if begun[owner] => None,
            Some(&owner) => {
                begun[owner] = true;
                Some(self.events[owner].port.as_str())
            }
        });
        let shown: Vec<&str> = shown.collect();
        // A single event without parameters has no port at all.
        let missing = self.events.iter().zip(begun);
        let missing = missing.filter(|(of, begun)| of.side == side && !begun);
        let missing = missing.map(|(of, _)| of.port.as_str());
        missing.chain(shown).collect()
    }

    /// Returns the display of some values, with the names of [`Calls::columns`]. If the label is missing or unknown, the ports are shown
    /// one by one.
    #[must_use]
    pub fn read(&self, side: Side, values: &[(String, Value)]) -> Vec<(String, Shown)> {
        let mut calls: Vec<Option<Shown>> = self
            .events
            .iter()
            .map(|of| of_values(of, side, values))
            .collect();
        let is_call: Vec<bool> = calls.iter().map(Option::is_some).collect();
        let mut shown = Vec::with_capacity(values.len());
        // A single event without parameters has no port at all.
        for (of, call) in self.events.iter().zip(&mut calls) {
            let mut ports = values
                .iter()
                .map(|(name, _)| self.owners.get(&(side, name.as_str())));
            if !ports.any(|owner| owner.is_some_and(|owner| std::ptr::eq(&self.events[*owner], of)))
            {
                shown.extend(call.take().map(|call| (of.port.clone(), call)));
            }
        }
        for (name, value) in values {
            match self.owners.get(&(side, name.as_str())) {
                Some(&owner) if is_call[owner] => {
                    let call = calls[owner].take();
                    shown.extend(call.map(|call| (self.events[owner].port.clone(), call)));
                }
                _ => shown.push((name.clone(), Shown::Value(value.clone()))),
            }
        }
        shown
    }

    /// Returns the display of some values as a line: calls alone, other values with their names.
    #[must_use]
    pub fn line(&self, side: Side, values: &[(String, Value)]) -> String {
        line(&self.read(side, values))
    }

    /// Returns a row of values and calls for each of these alternatives. Alternatives that differ in one number of a call only are merged
    /// if their numbers are consecutive.
    #[must_use]
    pub fn alternatives<'v>(
        &self,
        side: Side,
        all: impl Iterator<Item = &'v [(String, Value)]>,
    ) -> Vec<Vec<(String, Shown)>> {
        merged(all.map(|values| self.read(side, values)).collect())
    }

    /// Returns the values of all ports of an event that is written as a call; ports of other events of its declaration get their least
    /// value.
    ///
    /// `ports` are the ports of the side; `value` reads the value of a port. Returns `None` if the port has no such event, or an argument
    /// is no value of its port.
    pub fn spelled(
        &self,
        side: Side,
        port: &str,
        call: &str,
        ports: &[(&str, &Sort)],
        value: impl Fn(&str, &Sort) -> Option<Value>,
    ) -> Option<Vec<(String, Value)>> {
        let of = self
            .events
            .iter()
            .find(|of| of.side == side && of.port == port)?;
        let found = of
            .events
            .iter()
            .find_map(|event| Some((event, arguments(event, call)?)));
        let (event, arguments) = found?;
        let mut given: BTreeMap<&str, &str> = BTreeMap::from([(port, event.label.as_str())]);
        for (parameter, argument) in event.parameters.iter().zip(arguments) {
            match parameter {
                Parameter::Port(name) => drop(given.insert(name, argument)),
                Parameter::Value(value) if value.to_string() == argument => {}
                Parameter::Value(_) => return None,
            }
        }
        let is_own = |name: &str| of.port == name || of.parameters().any(|own| own == name);
        let own = ports.iter().filter(|(name, _)| is_own(name));
        let values = own.map(|(name, sort)| {
            let value = match given.get(name) {
                Some(spelled) => value(spelled, sort)?,
                None => sort.value_of_code(0),
            };
            Some(((*name).to_owned(), value))
        });
        values.collect()
    }
}

/// Returns values as a line: calls alone, other values with their names.
#[must_use]
pub fn line(shown: &[(String, Shown)]) -> String {
    let shown = shown.iter().map(|(name, shown)| match shown {
        Shown::Value(value) => format!("{name}={value}"),
        Shown::Call { .. } => shown.to_string(),
    });
    shown.collect::<Vec<String>>().join(" ")
}

/// Returns the event that values of ports denote. `None` if the declaration is about the other side, no event has this label, or an
/// argument is missing.
fn of_values(of: &EventPort, side: Side, values: &[(String, Value)]) -> Option<Shown> {
    if of.side != side {
        return None;
    }
    let value = |port: &str| {
        values
            .iter()
            .find(|(name, _)| name == port)
            .map(|(_, value)| value)
    };
    let event = match (value(&of.port), of.events.as_slice()) {
        (Some(Value::Symbol(label)), events) => {
            events.iter().find(|event| event.label == *label)?
        }
        (None, [only]) => only,
        _ => return None,
    };
    let arguments = event.parameters.iter().map(|parameter| {
        let value = match parameter {
            Parameter::Port(port) => value(port)?.clone(),
            Parameter::Value(value) => value.clone(),
        };
        Some(Argument::Value(value))
    });
    Some(Shown::Call {
        label: event.label.clone(),
        arguments: arguments.collect::<Option<_>>()?,
    })
}

/// Returns the arguments of a call; `None` if it is no call of this event.
fn arguments<'c>(event: &Event, call: &'c str) -> Option<Vec<&'c str>> {
    let rest = call.strip_prefix(event.label.as_str())?;
    if event.parameters.is_empty() {
        return rest.is_empty().then(Vec::new);
    }
    let inside = rest.strip_prefix('(')?.strip_suffix(')')?;
    let arguments: Vec<&str> = inside.split(',').map(str::trim).collect();
    (arguments.len() == event.parameters.len()).then_some(arguments)
}

/// A row of values and calls, by name.
type Row = Vec<(String, Shown)>;

/// Merges rows that differ only in one number of a call if their numbers are consecutive, for one argument position after the other.
fn merged(mut all: Vec<Row>) -> Vec<Row> {
    let count = |row: &Row| -> usize {
        let arguments = row.iter().map(|(_, shown)| match shown {
            Shown::Value(_) => 0,
            Shown::Call { arguments, .. } => arguments.len(),
        });
        arguments.sum()
    };
    let most = all.iter().map(count).max().unwrap_or(0);
    for place in (0..most).rev() {
        // Groups by everything except the argument at this place: the position of the first member, and the numbers.
        let mut alike: FxHashMap<String, usize> = FxHashMap::default();
        let mut groups: Vec<(Row, Vec<(i64, i64)>)> = Vec::new();
        for mut row in all {
            let Some((low, high)) = take(&mut row, place) else {
                groups.push((row, Vec::new()));
                continue;
            };
            let next = groups.len();
            let group = *alike.entry(format!("{row:?}")).or_insert(next);
            if group == next {
                groups.push((row, Vec::new()));
            }
            groups[group].1.push((low, high));
        }
        all = Vec::new();
        for (row, mut numbers) in groups {
            if numbers.is_empty() {
                all.push(row);
                continue;
            }
            numbers.sort_unstable();
            let mut joined: Vec<(i64, i64)> = Vec::new();
            for (low, high) in numbers {
                match joined.last_mut() {
                    Some((_, last)) if low <= last.saturating_add(1) => *last = high.max(*last),
                    _ => joined.push((low, high)),
                }
            }
            for numbers in joined {
                let mut row = row.clone();
                put(&mut row, place, numbers);
                all.push(row);
            }
        }
    }
    all
}

/// Returns the argument at a position, counted from 0 over the arguments of all calls in the row; `None` if there are fewer arguments.
fn at(row: &mut [(String, Shown)], mut place: usize) -> Option<&mut Argument> {
    for (_, shown) in row {
        if let Shown::Call { arguments, .. } = shown {
            if place < arguments.len() {
                return arguments.get_mut(place);
            }
            place -= arguments.len();
        }
    }
    None
}

/// Returns the first and the last number of the argument at a position ([`at`]), and replaces the argument by 0. `None` if it is no number.
fn take(row: &mut [(String, Shown)], place: usize) -> Option<(i64, i64)> {
    let argument = at(row, place)?;
    let numbers = match *argument {
        Argument::Value(Value::Int(number)) => (number, number),
        Argument::Interval(low, high) => (low, high),
        Argument::Value(Value::Symbol(_)) => return None,
    };
    *argument = Argument::Value(Value::Int(0));
    Some(numbers)
}

fn put(row: &mut [(String, Shown)], place: usize, (low, high): (i64, i64)) {
    if let Some(argument) = at(row, place) {
        *argument = match low == high {
            true => Argument::Value(Value::Int(low)),
            false => Argument::Interval(low, high),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Port = (&'static str, Sort);

    fn port(name: &'static str, sort: Sort) -> Port {
        (name, sort)
    }

    fn sorts(ports: &[Port]) -> Vec<(&str, &Sort)> {
        ports.iter().map(|(name, sort)| (*name, sort)).collect()
    }

    fn ports() -> Vec<Port> {
        vec![
            port("mode", Sort::Bool),
            port("event", Sort::enumeration(["wait", "after", "put"])),
            port("after.t", Sort::Range { low: 5, high: 90 }),
            port("put.x", Sort::Range { low: -3, high: 9 }),
            port("put.y", Sort::Range { low: 0, high: 9 }),
        ]
    }

    fn events() -> Vec<EventPort> {
        let event = |label: &str, parameters: &[&str]| Event {
            label: label.to_owned(),
            parameters: parameters
                .iter()
                .map(|p| Parameter::Port((*p).to_owned()))
                .collect(),
        };
        let mut put = event("put", &["put.x", "put.y"]);
        put.parameters.insert(1, Parameter::Value(Value::Int(7)));
        vec![EventPort {
            port: "event".to_owned(),
            side: Side::Inputs,
            events: vec![event("wait", &[]), event("after", &["after.t"]), put],
        }]
    }

    fn values(label: &str, numbers: [i64; 3]) -> Vec<(String, Value)> {
        let mut values = vec![
            ("mode".to_owned(), Value::bool(true)),
            ("event".to_owned(), Value::Symbol(label.to_owned())),
        ];
        let names = ["after.t", "put.x", "put.y"];
        let numbers = names.into_iter().zip(numbers);
        values.extend(numbers.map(|(name, number)| (name.to_owned(), Value::Int(number))));
        values
    }

    #[test]
    fn a_step_reads_as_a_call_with_the_parameters_of_its_event_alone() {
        let events = events();
        let calls = Calls::new(&events);
        let line = |label| calls.line(Side::Inputs, &values(label, [20, -1, 4]));
        assert_eq!(line("wait"), "mode=TRUE wait");
        assert_eq!(line("after"), "mode=TRUE after(20)");
        assert_eq!(line("put"), "mode=TRUE put(-1, 7, 4)");
        // Unknown labels, and the other side.
        assert_eq!(line("go"), "mode=TRUE event=go after.t=20 put.x=-1 put.y=4");
        let other = calls.line(Side::Outputs, &values("wait", [5, 0, 0]));
        assert_eq!(other, "mode=TRUE event=wait after.t=5 put.x=0 put.y=0");
        let names = ports();
        let names = names.iter().map(|port| port.0);
        assert_eq!(calls.columns(Side::Inputs, names), ["mode", "event"]);
    }

    #[test]
    fn an_event_without_ports_is_shown_all_the_same() {
        let only = EventPort {
            port: "event".to_owned(),
            side: Side::Inputs,
            events: vec![Event {
                label: "tick".to_owned(),
                parameters: vec![Parameter::Value(Value::Int(1))],
            }],
        };
        assert_eq!(only.fits(&sorts(&ports()[..1])), Ok(()));
        let events = [only];
        let calls = Calls::new(&events);
        assert_eq!(
            calls.line(Side::Inputs, &values("x", [0; 3])[..1]),
            "tick(1) mode=TRUE"
        );
        assert_eq!(
            calls.columns(Side::Inputs, ["mode"].into_iter()),
            ["event", "mode"]
        );
        assert_eq!(calls.line(Side::Outputs, &[]), "");
    }

    #[test]
    fn calls_are_read_back() {
        let events = events();
        let calls = Calls::new(&events);
        let ports = ports();
        let number = |text: &str, sort: &Sort| {
            let value = match text.parse() {
                Ok(number) => Value::Int(number),
                Err(_) => Value::Symbol(text.to_owned()),
            };
            sort.encode(&value).map(|_| value)
        };
        let spelled = |call| calls.spelled(Side::Inputs, "event", call, &sorts(&ports), number);
        assert_eq!(
            spelled("after(20)"),
            Some(values("after", [20, -3, 0])[1..].to_vec())
        );
        assert_eq!(
            spelled("put(-1, 7,4)"),
            Some(values("put", [5, -1, 4])[1..].to_vec())
        );
        assert_eq!(
            spelled("wait"),
            Some(values("wait", [5, -3, 0])[1..].to_vec())
        );
        for wrong in [
            "after",
            "after(4)",
            "after(20",
            "after(20, 1)",
            "put(-1, 8, 4)",
            "wait()",
            "",
            "after(x)",
        ] {
            assert_eq!(spelled(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_that_follow_each_other_are_intervals() {
        let events = events();
        let calls = Calls::new(&events);
        let mut all = Vec::new();
        for x in -2..3 {
            for y in 4..7 {
                all.push(values("put", [5, x, y]));
            }
        }
        all.push(values("wait", [5, 0, 0]));
        all.extend([9, 7, 8, 11].map(|t| values("after", [t, 0, 0])));
        let shown = calls.alternatives(Side::Inputs, all.iter().map(Vec::as_slice));
        let shown: Vec<String> = shown.iter().map(|shown| line(shown)).collect();
        let expected = ["put(-2..2, 7, 4..6)", "wait", "after(7..9)", "after(11)"];
        assert_eq!(shown, expected.map(|call| format!("mode=TRUE {call}")));
        // Values that are no parameters of a call are unchanged.
        let none = Calls::new(&[]);
        let plain: Vec<Vec<(String, Value)>> = (0..3)
            .map(|n| vec![("n".to_owned(), Value::Int(n))])
            .collect();
        let shown = none.alternatives(Side::Outputs, plain.iter().map(Vec::as_slice));
        assert_eq!(shown.len(), 3);
    }

    #[test]
    fn events_that_do_not_fit_their_ports_are_left_out() {
        let [of] = &events()[..] else { unreachable!() };
        assert_eq!(of.fits(&sorts(&ports())), Ok(()));
        assert_eq!(fitting(&events(), &sorts(&ports()), &[]).len(), 1);
        let twice = [of.clone(), of.clone()];
        assert_eq!(fitting(&twice, &sorts(&ports()), &[]).len(), 1);
        let changes: [fn(&mut Vec<Port>, &mut EventPort); 6] = [
            |ports, _| drop(ports.remove(1)),
            |ports, _| drop(ports.pop()),
            |ports, _| ports[1].1 = Sort::Bool,
            |_, of| drop(of.events.pop()),
            |_, of| {
                of.events[1]
                    .parameters
                    .push(Parameter::Port("put.x".to_owned()))
            },
            |_, of| of.side = Side::Outputs,
        ];
        for change in changes {
            let (mut ports, mut of) = (ports(), of.clone());
            change(&mut ports, &mut of);
            assert!(fitting(&[of], &sorts(&ports), &[]).is_empty());
        }
    }
}
