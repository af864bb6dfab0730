//! Inputs from waveforms (VCD, IEEE 1364-2001 §18), of a simulation or from `export --to vcd`.
//!
//! A step is an edge of the clock, with the input values right before it. Inputs set after the last edge make one more step, since
//! outputs may show them before the next edge. Steps before the end of the resets are left out. Without a clock, each time of a change is
//! a step.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::ConditionalMutant;
use hyperkill_core::conditional::Port;
use hyperkill_core::sort::Value;
use hyperkill_frontend::{Hardware, Inputs};
use hyperkill_run::unfit::Unfit;
use vcd::{Command, IdCode, Parser};

use super::inputs::value;

/// Mark of files written by `export`: they begin with the first step after the resets.
const OURS: &str = "by hyperkill";

/// Value of a variable in a waveform file.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Shown {
    /// Bits, the highest first.
    Bits(Vec<vcd::Value>),
    /// A text, as for enumerations.
    Text(String),
}

/// A scope that contains all inputs of a model.
struct Scope<'n> {
    name: String,
    codes: BTreeMap<&'n str, IdCode>,
}

/// An edge of a clock.
#[derive(Clone, Copy)]
struct Edge {
    clock: IdCode,
    is_rising: bool,
}

/// Codes of the variables of a waveform file, by scope and name.
type Scopes = BTreeMap<String, BTreeMap<String, IdCode>>;

/// Returns the inputs of each step of a waveform file, as one test. With hardware, steps are the edges of its clock after the resets;
/// otherwise steps are the times of the file. `scope` names the scope with the inputs, if the user gives one.
///
/// # Errors
/// If the file is malformed, the inputs are in no scope or in several, or a value is unknown. Also if the design has several clocks, or a
/// reset is not active at the beginning.
pub fn of_vcd(
    file: &str,
    bytes: &[u8],
    model: &ConditionalMutant,
    hardware: Option<&Hardware>,
    scope: Option<&str>,
) -> Result<Vec<Inputs>, Unfit> {
    let waves = Waves::read(file, bytes)?;
    let mut names: Vec<&str> = model.inputs.iter().map(|port| port.name.as_str()).collect();
    if hardware.is_some_and(|hardware| !hardware.ticks_as_one()) {
        let message = format!("{file}: steps of several clocks are not read from waveforms");
        return Err(Unfit::new(message).with_help("score tests that are written as csv"));
    }
    let clock = hardware.and_then(|hardware| hardware.clocks.first());
    let scope = waves.scope(file, &names, scope)?;
    let rows = match clock {
        None => waves.at_each_time(),
        Some(clock) => {
            names.push(&clock.port);
            let code = waves
                .beside(&scope.name, &clock.port)
                .ok_or_else(|| Unfit::new(format!("{} has no clock `{}`", file, clock.port)))?;
            let of_clocks = hardware.iter().flat_map(|hardware| &hardware.clocks);
            let clocks: Vec<&str> = of_clocks.map(|clock| clock.port.as_str()).collect();
            let inputs = scope.codes.iter();
            let inputs = inputs.filter(|(name, _)| !clocks.contains(*name));
            let inputs: Vec<IdCode> = inputs.map(|(_, code)| *code).collect();
            let edge = Edge {
                clock: code,
                is_rising: clock.rising,
            };
            waves.at_edges(edge, &inputs)
        }
    };
    let codes = scope.codes;
    let mut first = 0;
    if let Some(hardware) = hardware.filter(|_| !waves.is_ours) {
        first = after_resets(file, hardware, &codes, &rows)?;
    }
    let steps = rows[first..].iter().enumerate().map(|(number, row)| {
        let inputs = model.inputs.iter().map(|port| {
            let shown = codes.get(port.name.as_str()).and_then(|code| row.get(code));
            let value = shown.and_then(|shown| read(shown, port));
            let value = value.ok_or_else(|| {
                let shown = shown.map_or_else(|| "nothing".to_owned(), text);
                Unfit::new(format!(
                    "{}: step {number}: `{}` is {shown}, and a step needs a value of {}",
                    file, port.name, port.sort
                ))
            })?;
            Ok((port.name.clone(), value))
        });
        inputs.collect::<Result<Inputs, Unfit>>()
    });
    steps.collect()
}

/// Values of variables at one time, by the code of the variable.
type Row = BTreeMap<IdCode, Shown>;

/// A parsed waveform file.
struct Waves {
    scopes: Scopes,
    /// For each time of the file, the variables that change and their new values.
    times: Vec<Row>,
    is_ours: bool,
}

impl Waves {
    fn read(file: &str, bytes: &[u8]) -> Result<Waves, Unfit> {
        let mut waves = Waves {
            scopes: Scopes::new(),
            times: Vec::new(),
            is_ours: false,
        };
        let mut path: Vec<String> = Vec::new();
        let mut changes = Row::new();
        let mut has_begun = false;
        for command in Parser::new(bytes) {
            let command =
                command.map_err(|error| Unfit::new(format!("{} is no VCD file: {error}", file)))?;
            match command {
                Command::Comment(text) => waves.is_ours |= text.contains(OURS),
                Command::ScopeDef(_, name) => path.push(name),
                Command::Upscope => drop(path.pop()),
                Command::VarDef(_, _, code, name, _) => {
                    let scope = waves.scopes.entry(path.join(".")).or_default();
                    scope.insert(name, code);
                }
                Command::Timestamp(_) => {
                    if has_begun {
                        waves.times.push(std::mem::take(&mut changes));
                    }
                    has_begun = true;
                }
                Command::ChangeScalar(code, value) => {
                    changes.insert(code, Shown::Bits(vec![value]));
                }
                Command::ChangeVector(code, vector) => {
                    changes.insert(code, Shown::Bits(vector.iter().collect()));
                }
                Command::ChangeString(code, text) => {
                    changes.insert(code, Shown::Text(text));
                }
                _ => {}
            }
        }
        if !changes.is_empty() {
            waves.times.push(changes);
        }
        Ok(waves)
    }

    /// Returns the scope that contains all these variables; `wanted` is its name, if the user has chosen one.
    ///
    /// # Errors
    /// If there is no such scope, or scopes with different variables fit.
    fn scope<'n>(
        &self,
        file: &str,
        names: &[&'n str],
        wanted: Option<&str>,
    ) -> Result<Scope<'n>, Unfit> {
        let found = self.scopes.iter().filter_map(|(scope, variables)| {
            let codes = names
                .iter()
                .map(|name| Some((*name, *variables.get(*name)?)));
            let codes: Option<BTreeMap<&str, IdCode>> = codes.collect();
            let fits = wanted.is_none_or(|wanted| wanted == scope);
            Some(Scope {
                name: scope.clone(),
                codes: codes.filter(|_| fits)?,
            })
        });
        let mut found: Vec<Scope<'n>> = found.collect();
        let different: BTreeSet<Vec<IdCode>> = (found.iter())
            .map(|scope| scope.codes.values().copied().collect())
            .collect();
        match (different.len(), found.pop()) {
            (1, Some(scope)) => Ok(scope),
            (0, _) | (_, None) => {
                let whose = wanted.map_or_else(String::new, |scope| format!(" in {scope}"));
                let named = names.join("`, `");
                Err(Unfit::new(format!(
                    "{file} has no scope with all of `{named}`{whose}"
                )))
            }
            (_, Some(last)) => {
                let scopes = found.into_iter().chain([last]).map(|scope| scope.name);
                let scopes: Vec<String> = scopes.collect();
                Err(
                    Unfit::new(format!("the inputs are in several scopes of {file}"))
                        .with_help(format!("--scope names one of {}", scopes.join(", "))),
                )
            }
        }
    }

    /// Returns the code of a variable in a scope or else in the nearest enclosing one; `None` if none has a variable of this name.
    fn beside(&self, scope: &str, name: &str) -> Option<IdCode> {
        let mut scope = Some(scope);
        while let Some(here) = scope {
            if let Some(code) = self.scopes.get(here).and_then(|scope| scope.get(name)) {
                return Some(*code);
            }
            scope = here.rsplit_once('.').map(|(around, _)| around);
        }
        None
    }

    /// Returns the values of all variables at each time of a change, one row for each.
    fn at_each_time(&self) -> Vec<Row> {
        let mut now = Row::new();
        let rows = self.times.iter().map(|changes| {
            now.extend(changes.clone());
            now.clone()
        });
        rows.collect()
    }

    /// Returns one row for each edge of a clock: the values of all variables right before it. Adds the last values if `inputs` change after
    /// the last edge.
    fn at_edges(&self, edge: Edge, inputs: &[IdCode]) -> Vec<Row> {
        let (from, to) = match edge.is_rising {
            true => (vcd::Value::V0, vcd::Value::V1),
            false => (vcd::Value::V1, vcd::Value::V0),
        };
        let is =
            |row: &Row, level: vcd::Value| row.get(&edge.clock) == Some(&Shown::Bits(vec![level]));
        let mut now = Row::new();
        let mut rows = Vec::new();
        for changes in &self.times {
            if is(&now, from) && is(changes, to) {
                rows.push(now.clone());
            }
            now.extend(changes.clone());
        }
        let is_known = |code: &IdCode| match now.get(code) {
            Some(Shown::Bits(bits)) => bits
                .iter()
                .all(|bit| matches!(bit, vcd::Value::V0 | vcd::Value::V1)),
            Some(Shown::Text(_)) => true,
            None => false,
        };
        let is_new = |last: &Row| inputs.iter().any(|code| last.get(code) != now.get(code));
        if rows.last().is_some_and(is_new) && inputs.iter().all(is_known) {
            rows.push(now);
        }
        rows
    }
}

/// Returns the index of the first row after all resets were active for their steps and have become inactive. `codes` are the variables by
/// name.
///
/// # Errors
/// If a reset is not active, or not for long enough.
fn after_resets(
    file: &str,
    hardware: &Hardware,
    codes: &BTreeMap<&str, IdCode>,
    rows: &[Row],
) -> Result<usize, Unfit> {
    let mut first = 0;
    for reset in &hardware.resets {
        let level = match reset.active {
            true => vcd::Value::V1,
            false => vcd::Value::V0,
        };
        let is_active = |row: &Row| {
            let shown = codes
                .get(reset.port.as_str())
                .and_then(|code| row.get(code));
            shown == Some(&Shown::Bits(vec![level]))
        };
        let begins = rows.iter().position(is_active);
        let lasts = begins.map(|begins| {
            rows[begins..]
                .iter()
                .take_while(|row| is_active(row))
                .count()
        });
        match (begins, lasts) {
            (Some(begins), Some(lasts)) if lasts >= reset.steps => {
                first = first.max(begins + lasts)
            }
            _ => {
                return Err(Unfit::new(format!(
                    "{}: the reset `{}` is not active for {} edges of the clock at the beginning",
                    file, reset.port, reset.steps
                )));
            }
        }
    }
    Ok(first)
}

/// Returns a variable's value as a value of an input; `None` if a bit is unknown, or the type has no such value.
fn read(shown: &Shown, port: &Port) -> Option<Value> {
    let bits = match shown {
        Shown::Text(text) => return value(text, &port.sort),
        Shown::Bits(bits) => bits,
    };
    let mut code = Vec::with_capacity(port.bits.len());
    for bit in bits.iter().rev() {
        match bit {
            vcd::Value::V0 => code.push(false),
            vcd::Value::V1 => code.push(true),
            vcd::Value::X | vcd::Value::Z => return None,
        }
    }
    // VCD files omit leading zeros.
    code.resize(port.bits.len().max(code.len()), false);
    (code.len() == port.bits.len()).then(|| port.sort.decode(&code))
}

fn text(shown: &Shown) -> String {
    match shown {
        Shown::Text(text) => text.clone(),
        Shown::Bits(bits) => bits.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use hyperkill_core::Aig;
    use hyperkill_core::sort::Sort;
    use hyperkill_frontend::hardware::{Clock, Reset};

    use super::*;

    fn model() -> ConditionalMutant {
        let mut aig = Aig::new();
        for _ in 0..4 {
            aig.add_input(None);
        }
        let port = |name: &str, bits: Vec<usize>| Port {
            name: name.to_owned(),
            sort: Sort::Word {
                width: bits.len() as u32,
                signed: false,
            },
            bits,
        };
        ConditionalMutant {
            accepts: None,
            events: Vec::new(),
            name: "m".to_owned(),
            inputs: vec![port("rst", vec![0]), port("d", vec![1, 2, 3])],
            choices: Vec::new(),
            outputs: Vec::new(),
            mutants: Vec::new(),
            selectors: Vec::new(),
            aig,
        }
    }

    fn hardware() -> Hardware {
        Hardware {
            clocks: vec![Clock::of_every_step("clk", true)],
            resets: vec![Reset {
                port: "rst".to_owned(),
                active: true,
                steps: 2,
            }],
            ..Hardware::default()
        }
    }

    /// A clock of period 10 that rises at 5, with the reset active for two edges. `d` changes at edges and is read before them.
    const DUMP: &str = "$scope module tb $end $var wire 1 ! clk $end $var reg 1 r rst $end $var reg 3 d d [2:0] $end
$scope module dut $end $var wire 1 ! clk $end $var wire 1 r rst $end $var wire 3 d d [2:0] $end $upscope $end
$upscope $end $enddefinitions $end
#0 0! 1r bx d #5 1! #10 0! #15 1! #20 0! 0r b101 d #25 1! b0 d #30 0! #35 1! b11 d #40 0! #45 1! #50 0!
";

    fn read_dump(dump: &str, scope: Option<&str>) -> Result<Vec<String>, String> {
        let found = of_vcd("d.vcd", dump.as_bytes(), &model(), Some(&hardware()), scope);
        let steps = found.map_err(|failure| format!("{failure:?}"))?;
        let row = |step: &Vec<(String, Value)>| {
            let values = step.iter().map(|(name, value)| format!("{name}={value}"));
            values.collect::<Vec<String>>().join(" ")
        };
        Ok(steps.iter().map(row).collect())
    }

    #[test]
    fn steps_are_edges_after_the_resets_with_the_values_right_before_them() {
        let steps = ["rst=0 d=5", "rst=0 d=0", "rst=0 d=3"];
        assert_eq!(read_dump(DUMP, None).unwrap(), steps);
        assert_eq!(read_dump(DUMP, Some("tb.dut")).unwrap(), steps);
    }

    #[test]
    fn what_is_set_after_the_last_edge_is_a_step_too() {
        let last = DUMP.replace("#45 1! #50 0!", "#40 b110 d");
        let steps = ["rst=0 d=5", "rst=0 d=0", "rst=0 d=6"];
        assert_eq!(read_dump(&last, None).unwrap(), steps);
        // Unknown values at the end do not count as a new input.
        let unknown = DUMP.replace("#45 1! #50 0!", "#40 bx d");
        assert_eq!(read_dump(&unknown, None).unwrap(), steps[..2]);
    }

    #[test]
    fn what_is_not_known_or_not_there_is_said() {
        for (dump, scope, why) in [
            (DUMP.replace("b101 d", "b1x1 d"), None, "step 0: `d` is 1x1"),
            (DUMP.replace("#5 1!", ""), None, "not active for 2 edges"),
            (DUMP.to_owned(), Some("tb.other"), "no scope with all of"),
            (DUMP.replace("wire 1 r", "wire 1 s"), None, "several scopes"),
            (
                DUMP.replace("$var reg 1 r rst", "$nothing"),
                None,
                "no VCD file",
            ),
        ] {
            let error = read_dump(&dump, scope).unwrap_err();
            assert!(error.contains(why), "{why}: {error}");
        }
    }
}
