//! Random relational models: `TRANS` with and without `next`, `INVAR`, `INIT`, `IVAR`s and assignments side by side, in most cases with
//! states without a successor.

use std::fmt::Write;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A text and the names of its inputs.
#[derive(Clone, Debug)]
pub struct Relational {
    /// The text of the model.
    pub text: String,
    /// The names of the test inputs, in order of declaration.
    pub inputs: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The variable is determined by constraints only.
    Driven,
    /// The variable is determined by constraints, except for an assigned initial value.
    Begun,
    /// The variable is assigned by `init` and `next`.
    Assigned,
    /// The variable is assigned by `x := …`.
    Wire,
    /// The variable is set by the tester.
    Input,
    /// The variable is a choice without memory.
    Choice,
    /// The variable is an `IVAR` that the tester sets.
    StepInput,
    /// The variable is an `IVAR` that is a choice.
    StepChoice,
    /// The variable is a `FROZENVAR`.
    Frozen,
}

#[derive(Clone, Debug)]
struct Var {
    name: &'static str,
    form: Form,
    /// `None` for truth values, otherwise the largest number of a range from 0.
    high: Option<i64>,
}

struct Writer {
    rng: ChaCha8Rng,
    vars: Vec<Var>,
}

/// Returns the random model with this seed.
#[must_use]
pub fn relational(seed: u64) -> Relational {
    let mut writer = Writer {
        rng: ChaCha8Rng::seed_from_u64(seed),
        vars: Vec::new(),
    };
    writer.declare();
    writer.model()
}

impl Writer {
    fn chance(&mut self, of: u32) -> bool {
        self.rng.random_range(0..of) == 0
    }

    fn one<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.rng.random_range(0..all.len())].clone()
    }

    fn add(&mut self, name: &'static str, form: Form) {
        let numbers = self.chance(2);
        let high = numbers.then(|| self.rng.random_range(1..4).min(2));
        self.vars.push(Var { name, form, high });
    }

    fn declare(&mut self) {
        self.add("x", Form::Driven);
        let second = self.one(&[Form::Driven, Form::Begun, Form::Assigned, Form::Assigned]);
        self.add("y", second);
        for (name, form, chance) in [
            ("z", Form::Assigned, 3),
            ("f", Form::Frozen, 8),
            ("i", Form::Input, 3),
            ("c", Form::Choice, 4),
            ("k", Form::StepInput, 2),
            ("n", Form::StepChoice, 4),
            ("w", Form::Wire, 4),
        ] {
            if self.vars.len() < 5 && self.chance(chance) {
                self.add(name, form);
            }
        }
    }

    /// Returns a random constant of this type, as text.
    fn constant(&mut self, high: Option<i64>) -> String {
        match high {
            None => self.one(&["TRUE", "FALSE"]).to_owned(),
            Some(high) => self.rng.random_range(0..=high).to_string(),
        }
    }

    /// Returns a condition on one or two of these variables; with `next`, it may read their next values.
    fn atom(&mut self, vars: &[Var], next: bool) -> String {
        let coming = next && self.chance(2);
        let pool: Vec<Var> = vars
            .iter()
            .filter(|v| !coming || can_come(v.form))
            .cloned()
            .collect();
        if pool.is_empty() {
            return "TRUE".to_owned();
        }
        let var = self.one(&pool);
        let named = |v: &Var, coming: bool| match coming {
            true => format!("next({})", v.name),
            false => v.name.to_owned(),
        };
        let left = named(&var, coming);
        let Some(high) = var.high else {
            let alike: Vec<Var> = vars.iter().filter(|v| v.high.is_none()).cloned().collect();
            return match self.rng.random_range(0..4) {
                0 => format!("!{left}"),
                1 => format!("{left} = {}", self.one(&alike).name),
                _ => left,
            };
        };
        let alike: Vec<Var> = vars.iter().filter(|v| v.high.is_some()).cloned().collect();
        match self.rng.random_range(0..6) {
            0 => format!("{left} = {}", self.one(&alike).name),
            1 => format!("{left} != {}", self.constant(Some(high))),
            2 => format!("{left} <= {}", self.one(&alike).name),
            3 => format!("{left} in {{0, {high}}}"),
            _ => format!("{left} = {}", self.constant(Some(high))),
        }
    }

    fn condition(&mut self, vars: &[Var], next: bool, depth: u32) -> String {
        if depth == 0 || self.chance(4) {
            return self.atom(vars, next);
        }
        let (a, b) = (
            self.condition(vars, next, depth - 1),
            self.condition(vars, next, depth - 1),
        );
        match self.rng.random_range(0..7) {
            0 | 1 => format!("({a} & {b})"),
            2 | 3 => format!("({a} | {b})"),
            4 => format!("({a} -> {b})"),
            5 => format!("!({a})"),
            _ => format!("({a} <-> {b})"),
        }
    }

    /// Returns a value for a variable, built from these variables; in some cases a set.
    fn value(&mut self, high: Option<i64>, vars: &[Var], next: bool) -> String {
        let alike: Vec<Var> = vars.iter().filter(|v| v.high == high).cloned().collect();
        let plain = |writer: &mut Writer| match alike.is_empty() || writer.chance(2) {
            true => writer.constant(high),
            false => {
                let var = writer.one(&alike);
                match next && can_come(var.form) && writer.chance(2) {
                    true => format!("next({})", var.name),
                    false => var.name.to_owned(),
                }
            }
        };
        let (a, b) = (plain(self), plain(self));
        match self.rng.random_range(0..6) {
            0 | 1 => format!("{{{a}, {b}}}"),
            2 if high.is_none() => self.condition(vars, next, 1),
            3 | 4 => {
                let condition = self.condition(vars, next, 1);
                format!("({condition} ? {a} : {b})")
            }
            _ => a,
        }
    }

    fn model(&mut self) -> Relational {
        let mut out = String::from("MODULE main\n");
        let vars = self.vars.clone();
        let is_of_state = |v: &&Var| !matches!(v.form, Form::StepInput | Form::StepChoice);
        let state: Vec<Var> = vars.iter().filter(is_of_state).cloned().collect();
        let (seen, shown) = self.outputs(&vars, &state);
        for var in &vars {
            let section = match var.form {
                Form::StepInput | Form::StepChoice => "IVAR",
                Form::Frozen => "FROZENVAR",
                _ => "VAR",
            };
            let role = match var.form {
                Form::Input | Form::StepInput => " @input",
                Form::Driven | Form::Choice | Form::StepChoice => " @nd",
                _ => "",
            };
            let output = if seen.contains(&var.name) {
                " @output"
            } else {
                ""
            };
            let mark = match role.len() + output.len() {
                0 => String::new(),
                _ => format!(" --{role}{output}"),
            };
            let kind = var
                .high
                .map_or("boolean".to_owned(), |high| format!("0..{high}"));
            put(
                &mut out,
                format_args!("{section} {} : {kind};{mark}", var.name),
            );
        }
        out.push_str(&shown);
        self.assign(&mut out, &vars, &state);
        if self.chance(2) {
            let condition = self.condition(&state, false, 1);
            put(&mut out, format_args!("INIT {condition}"));
        }
        // Even without `TRANS`, an `INVAR` may leave a state without a successor.
        let steps = match self.chance(5) {
            true => 0,
            false => self.rng.random_range(1..4),
        };
        if steps == 0 || self.chance(3) {
            let condition = self.condition(&state, false, 1);
            put(&mut out, format_args!("INVAR {condition}"));
        }
        for _ in 0..steps {
            let next = !self.chance(5);
            let condition = match self.chance(2) {
                true => self.condition(&vars, next, 2),
                false => self.cases(&vars),
            };
            put(&mut out, format_args!("TRANS {condition}"));
        }
        let is_input = |v: &&Var| matches!(v.form, Form::Input | Form::StepInput);
        let inputs = vars.iter().filter(is_input).map(|v| v.name.to_owned());
        Relational {
            text: out,
            inputs: inputs.collect(),
        }
    }

    /// Returns a constraint on steps by cases, as is common in such models. States outside all cases have no step.
    fn cases(&mut self, vars: &[Var]) -> String {
        let cases = (0..self.rng.random_range(1..4)).map(|_| {
            let guard = self.atom(vars, false);
            let step = self.condition(vars, true, 1);
            format!("({guard} & {step})")
        });
        let cases: Vec<String> = cases.collect();
        cases.join(" | ")
    }

    /// Returns the names of the variables that are outputs, and the text of a DEFINE that is an output, if there is one.
    fn outputs(&mut self, vars: &[Var], state: &[Var]) -> (Vec<&'static str>, String) {
        let mut shown = String::new();
        if self.chance(3) {
            let of = if self.chance(2) { vars } else { state };
            let condition = self.condition(of, false, 1);
            put(
                &mut shown,
                format_args!("DEFINE d := {condition}; -- @output"),
            );
        }
        let own = |v: &&Var| !matches!(v.form, Form::Input | Form::StepInput | Form::StepChoice);
        let own: Vec<Var> = state.iter().filter(own).cloned().collect();
        let mut seen: Vec<&'static str> = Vec::new();
        for var in &own {
            if self.chance(3) {
                seen.push(var.name);
            }
        }
        if seen.is_empty() && shown.is_empty() {
            seen.push(self.one(&own).name);
        }
        (seen, shown)
    }

    fn assign(&mut self, out: &mut String, vars: &[Var], state: &[Var]) {
        for (at, var) in vars.iter().enumerate() {
            // Within a step, a variable is computed from earlier ones only, so that there is no cycle.
            let before: Vec<Var> = vars[..at].to_vec();
            match var.form {
                Form::Begun => {
                    let init = self.constant(var.high);
                    put(out, format_args!("ASSIGN init({}) := {init};", var.name));
                }
                Form::Assigned => {
                    if !self.chance(4) {
                        let init = self.value(var.high, &[], false);
                        put(out, format_args!("ASSIGN init({}) := {init};", var.name));
                    }
                    let ahead = self.chance(2);
                    let from = if ahead { before } else { vars.to_vec() };
                    let next = self.value(var.high, &from, ahead);
                    put(out, format_args!("ASSIGN next({}) := {next};", var.name));
                }
                Form::Wire => {
                    let is_of_state = |v: &&Var| state.iter().any(|s| s.name == v.name);
                    let before: Vec<Var> = before.iter().filter(is_of_state).cloned().collect();
                    let value = self.value(var.high, &before, false);
                    put(out, format_args!("ASSIGN {} := {value};", var.name));
                }
                _ => {}
            }
        }
    }
}

/// Whether `next` of such a variable may occur in a constraint.
fn can_come(form: Form) -> bool {
    !matches!(form, Form::StepInput | Form::StepChoice | Form::Choice)
}

fn put(out: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{what}");
}
