//! Lowers variables and assignments: inputs, state, wires, outputs.

use hyperkill_core::system::{Constraint, Init, InputRole, Output, StateVar, When};
use hyperkill_core::term::{BinaryOp as Core, TermError, TermId};
use hyperkill_frontend::Diagnostic;

use super::errors::{Errors, Stop};
use super::lowering::{Lowering, NEXT, Value};
use crate::ast::{Target, VarKind};
use crate::flat::FlatAssignment;
use crate::mutate::BEFORE;
use crate::order::{self, Time};
use crate::resolve::Entity;
use crate::roles::Role;

impl Lowering<'_> {
    /// Lowers all assignments. Returns all errors found.
    pub(super) fn assignments(&mut self) -> Vec<Diagnostic> {
        let mut errors = Errors::default();
        errors.keep(self.declare());
        let outputs = self.roles.outputs.iter();
        let defines = outputs.filter_map(|output| match output {
            Entity::Define(d) => Some(*d),
            _ => None,
        });
        match order::values(self.model, defines) {
            Ok(units) => {
                let ahead = units.iter().filter_map(|unit| match unit {
                    (Entity::Variable(v), Time::Next) => Some(*v),
                    _ => None,
                });
                self.ahead = ahead.collect();
                for unit in units {
                    errors.keep(self.unit(unit));
                }
            }
            Err(error) => errors.keep(Err(error.into())),
        }
        for v in 0..self.model.variables.len() {
            errors.keep(self.finish(v));
        }
        for index in 0..self.model.flat.constraints.len() {
            errors.keep(self.constraint(index));
        }
        for index in 0..self.model.flat.invariants.len() {
            errors.keep(self.invariant(index));
        }
        for output in self.roles.outputs.clone() {
            errors.keep(self.output(output));
        }
        self.keep_values();
        errors.sorted()
    }

    pub(super) fn raw_to_value(&mut self, v: usize, raw: TermId) -> Result<Value, TermError> {
        let domain = &self.model.variables[v].domain;
        let term = domain.read(&mut self.system.terms, raw)?;
        Ok(Value { raw, term })
    }

    /// Declares inputs and state variables, in the order of declaration.
    fn declare(&mut self) -> Result<(), Stop> {
        for (v, variable) in self.model.variables.iter().enumerate() {
            let name = variable.name.text.clone();
            let raw = match self.roles.variables[v] {
                Role::Wire => continue,
                Role::TestInput | Role::Choice => {
                    let role = match self.roles.variables[v] {
                        Role::TestInput => InputRole::Test,
                        _ => InputRole::Choice,
                    };
                    let input = self.variable_input(name, &variable.domain, role);
                    if variable.kind == VarKind::Input {
                        self.mark_leaving(input);
                    }
                    input
                }
                Role::State => {
                    let sort = variable.domain.sort().clone();
                    let index = self.system.states.len();
                    let raw = self.system.terms.state(index, sort.clone());
                    self.states.insert(v, index);
                    self.system.states.push(StateVar {
                        name,
                        sort,
                        init: Init::Free,
                        next: raw,
                    });
                    raw
                }
                Role::Ahead(role) => self.guessed(v, role)?,
            };
            let value = self.raw_to_value(v, raw)?;
            self.values.insert((v, Time::Now), value);
            if variable.kind == VarKind::Frozen {
                self.values.insert((v, Time::Next), value);
            }
        }
        Ok(())
    }

    /// Declares a state variable whose next value is an input of this step, so that it can be read ahead.
    fn guessed(&mut self, v: usize, role: InputRole) -> Result<TermId, Stop> {
        let variable = &self.model.variables[v];
        let name = &variable.name.text;
        let sort = variable.domain.sort().clone();
        let init = match role {
            InputRole::Choice => Init::Free,
            InputRole::Test => {
                let first = format!("init.{name}");
                Init::Term(self.variable_input(first, &variable.domain, role))
            }
        };
        let next = self.variable_input(format!("{NEXT}{name}"), &variable.domain, role);
        self.mark_leaving(next);
        let index = self.system.states.len();
        self.system.guessed.push(index);
        let raw = self.system.terms.state(index, sort.clone());
        self.system.states.push(StateVar {
            name: name.clone(),
            sort,
            init,
            next,
        });
        let coming = self.raw_to_value(v, next)?;
        self.values.insert((v, Time::Next), coming);
        Ok(raw)
    }

    /// Adds a constraint that a value guessed ahead equals the assigned one.
    fn check_guess(&mut self, v: usize) -> Result<(), Stop> {
        let variable = &self.model.variables[v];
        let (Some(assignment), Some(guess)) =
            (variable.current, self.values.get(&(v, Time::Now)).copied())
        else {
            return Ok(());
        };
        let raw = self.assigned(v, assignment)?;
        let term = self.system.terms.binary(Core::Eq, guess.raw, raw)?;
        self.system.constraints.push(Constraint {
            name: Some(format!("now.{}", variable.name.text)),
            term,
            when: When::Always,
            span: Some((assignment.span.start, assignment.span.end)),
        });
        Ok(())
    }

    /// Computes the term of a variable or DEFINE at a step, and stores it for the expressions that read it. The values that it reads are
    /// already lowered.
    fn unit(&mut self, (entity, time): order::Unit) -> Result<(), Stop> {
        // At step 0 all values except state are those of any present step.
        let initial = time == Time::Zero;
        let time = if initial { Time::Now } else { time };
        let v = match entity {
            Entity::Variable(v) if !initial || self.roles.variables[v] == Role::Wire => v,
            Entity::Define(d) => {
                let body = self.model.defines[d].body;
                // DEFINEs of sets are lowered at each use.
                return match self.types.of(body).set {
                    true => Ok(()),
                    false => self.lower(body, time).map(|_| ()),
                };
            }
            _ => return Ok(()),
        };
        if matches!(self.roles.variables[v], Role::Ahead(_)) {
            return match time {
                Time::Now => self.check_guess(v),
                _ => Ok(()),
            };
        }
        if self.values.contains_key(&(v, time)) {
            return Ok(());
        }
        let variable = &self.model.variables[v];
        let raw = match (self.roles.variables[v], time) {
            (Role::Wire, Time::Now) => match variable.current {
                Some(assignment) => self.assigned(v, assignment)?,
                None => return Ok(()),
            },
            (Role::Wire, _) => match variable.current {
                Some(assignment) => self.coming_wire(v, assignment)?,
                None => return Ok(()),
            },
            (Role::State, Time::Next) => match variable.next {
                Some(assignment) => self.assigned(v, assignment)?,
                None => {
                    let name = format!("{NEXT}{}", variable.name.text);
                    let next = self.variable_input(name, &variable.domain, InputRole::Choice);
                    self.mark_leaving(next);
                    self.system.guessed.extend(self.states.get(&v));
                    next
                }
            },
            _ => return Ok(()),
        };
        let value = self.raw_to_value(v, raw)?;
        self.values.insert((v, time), value);
        Ok(())
    }

    /// Returns the next value of a wire: its assignment read one step later.
    fn coming_wire(&mut self, v: usize, assignment: &FlatAssignment) -> Result<TermId, Stop> {
        let value = self.value(assignment.value, Time::Next)?;
        let domain = &self.model.variables[v].domain;
        // The wire itself has the obligation that its value is in the domain, at every step.
        let (raw, _) = domain.write(&mut self.system.terms, value.term)?;
        match self.deletions.get(&(v, assignment.target)).copied() {
            Some(selector) => {
                let [_, coming] = self.loose(v);
                Ok(self.system.terms.ite(selector, coming, raw)?)
            }
            None => Ok(raw),
        }
    }

    /// Returns the present and the next value of a wire that is read ahead and has lost its assignment: any value, which is guessed a step
    /// before.
    fn loose(&mut self, v: usize) -> [TermId; 2] {
        if let Some(values) = self.loose.get(&v) {
            return *values;
        }
        let variable = &self.model.variables[v];
        let name = format!("any.{}", variable.name.text);
        let sort = variable.domain.sort().clone();
        let next = format!("{NEXT}{name}");
        let next = self.variable_input(next, &variable.domain, InputRole::Choice);
        self.mark_leaving(next);
        self.system.guessed.push(self.system.states.len());
        let raw = (self.system.terms).state(self.system.states.len(), sort.clone());
        self.system.states.push(StateVar {
            name,
            sort,
            init: Init::Free,
            next,
        });
        self.loose.insert(v, [raw, next]);
        [raw, next]
    }

    /// Returns the value of an assignment, in the variable's sort.
    fn assigned(&mut self, v: usize, assignment: &FlatAssignment) -> Result<TermId, Stop> {
        let scope = scope(assignment);
        self.scope = (scope.clone(), 0);
        let value = self.value(assignment.value, Time::Now)?;
        let domain = &self.model.variables[v].domain;
        let (raw, _) = domain.write(&mut self.system.terms, value.term)?;
        let Some(selector) = self.deletions.get(&(v, assignment.target)).copied() else {
            return Ok(raw);
        };
        let is_wire = self.roles.variables[v] == Role::Wire;
        let free = match is_wire && self.ahead.contains(&v) {
            true => self.loose(v)[0],
            false => {
                let any = self.variable_input(format!("any.{scope}"), domain, InputRole::Choice);
                if assignment.target == Target::Next {
                    self.mark_leaving(any);
                }
                any
            }
        };
        Ok(self.system.terms.ite(selector, free, raw)?)
    }

    /// Sets the initial and the next value of a state variable.
    fn finish(&mut self, v: usize) -> Result<(), Stop> {
        if self.roles.variables[v] != Role::State {
            return Ok(());
        }
        // Creates the choice for a variable without a next value.
        self.unit((Entity::Variable(v), Time::Next))?;
        let init = match self.model.variables[v].init {
            Some(assignment) => Init::Term(self.assigned(v, assignment)?),
            None => Init::Free,
        };
        let next = self.values.get(&(v, Time::Next)).map(|value| value.raw);
        let state = self.states.get(&v);
        let state = state.and_then(|state| self.system.states.get_mut(*state));
        if let (Some(state), Some(next)) = (state, next) {
            state.init = init;
            state.next = next;
        }
        Ok(())
    }

    /// Returns the value that a variable had at the step before. At step 0 it is the present value, or the first value of an IVAR's type.
    pub(super) fn value_before(&mut self, v: usize) -> Result<TermId, TermError> {
        let variable = &self.model.variables[v];
        let sort = variable.domain.sort().clone();
        let known = self.before.iter().find(|(of, _)| *of == v);
        let index = match known {
            Some((_, index)) => *index,
            None => {
                let index = self.system.states.len();
                let raw = self.system.terms.state(index, sort.clone());
                self.before.push((v, index));
                self.system.states.push(StateVar {
                    name: format!("{BEFORE}.{}", variable.name.text),
                    sort: sort.clone(),
                    init: Init::Free,
                    next: raw,
                });
                index
            }
        };
        let raw = self.system.terms.state(index, sort);
        Ok(self.raw_to_value(v, raw)?.term)
    }

    /// Sets the next and initial values of the state variables that store values of the step before.
    fn keep_values(&mut self) {
        for (v, index) in std::mem::take(&mut self.before) {
            let Some(value) = self.values.get(&(v, Time::Now)) else {
                continue;
            };
            let state = &mut self.system.states[index];
            state.next = value.raw;
            state.init = Init::Term(match self.model.variables[v].kind {
                VarKind::Input => self.system.terms.constant(state.sort.clone(), 0),
                VarKind::State | VarKind::Frozen => value.raw,
            });
        }
    }

    fn output(&mut self, entity: Entity) -> Result<(), Stop> {
        let (name, term) = match entity {
            Entity::Symbol => return Ok(()),
            Entity::Variable(v) => match self.values.get(&(v, Time::Now)) {
                Some(value) => (&self.model.variables[v].name.text, value.term),
                None => return Ok(()),
            },
            Entity::Define(d) => {
                let define = self.model.defines[d];
                let name = &define.name.text;
                (name, self.lower(define.body, Time::Now)?.term)
            }
        };
        self.system.outputs.push(Output {
            name: name.clone(),
            term,
        });
        Ok(())
    }
}

/// Returns the prefix of names of choices in an assignment: `init.`, `next.` or `now.`, and the name of the variable.
pub(super) fn scope(assignment: &FlatAssignment) -> String {
    let name = &assignment.name.text;
    match assignment.target {
        Target::Init => format!("init.{name}"),
        Target::Next => format!("{NEXT}{name}"),
        Target::Current => format!("now.{name}"),
    }
}
