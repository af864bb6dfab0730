//! The roles of variables: controlled by the tester or not, and seen or not (semantics.md §1).
//!
//! **Inputs.** A variable that no assignment drives (an IVAR, or a VAR without assignments) is a test input. A comment `-- @input`
//! or `-- @nd` (also `-- @choice`) sets another role. It stands on the line of the declaration, or on the lines right above it. Options
//! override comments. A VAR with an initial but no next value is state whose next values are choices. A FROZENVAR without an initial value
//! has a free one.
//!
//! In relational models a VAR that an `INIT`, `INVAR` or `TRANS` reads and no assignment drives is a choice: the constraints restrict its
//! values, and the tester does not set it. The running process is a choice, too. If `next(x)` is read and `x` is such a variable, or a wire
//! with a value from a set, then `x` is state whose next value is guessed by an input, `next.x`. For a test input the first value is one
//! more input, `init.x`. In a circuit both are one input, `x`, of the step that has the value ([`hyperkill_core::paths`]).
//!
//! A VAR that a `TRANS` reads only beside next values, to describe the successor, and whose own next value is unconstrained, steers the
//! model: it is a test input like an IVAR.
//!
//! **Outputs.** Variables named by an option are outputs; without them variables marked `-- @output`; without them the guess of `observed`
//! among the assigned variables, those driven by constraints, and DEFINEs. If it finds none, all assigned variables are outputs; if there
//! are none, all variables. `-- @ignore` excludes a variable or DEFINE from all but the first two.

use hyperkill_core::system::InputRole;
use hyperkill_frontend::roles::{self, Undriven};
use hyperkill_frontend::{Diagnostic, FrontendOptions, LineIndex, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{BinaryOp, ExprId, ExprKind, Name, VarKind};
use crate::flat::PROCESS_SELECTOR;
use crate::lexer::{Comment, Commented};
use crate::observed;
use crate::order::{Time, Unit};
use crate::resolve::{Entity, Model, Variable};
use crate::types::Types;

/// The role of a variable in the transition system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Chosen by the tester at every step.
    TestInput,
    /// A choice at every step, outside the tester's control.
    Choice,
    /// Hidden state.
    State,
    /// Computed from the current step.
    Wire,
    /// State with an input as its next value, so that it can be read one step ahead.
    Ahead(InputRole),
}

/// The roles of everything in a model.
#[derive(Clone, Debug)]
pub struct Roles {
    /// The role of each variable.
    pub variables: Vec<Role>,
    /// Variables and DEFINEs that the tester sees: variables in order of declaration, then DEFINEs.
    pub outputs: Vec<Entity>,
    /// One line for each decision that the source does not spell out.
    pub notes: Vec<String>,
}

/// The annotations of one line.
#[derive(Clone, Copy, Default)]
struct Marks {
    input: Option<Span>,
    choice: Option<Span>,
    output: Option<Span>,
    ignore: Option<Span>,
}

/// The effect of constraints on a variable that no assignment drives.
#[derive(Clone, Copy)]
enum Constraints {
    /// A TRANS reads it and says by it what other variables become.
    Read,
    /// Constraints restrict the variable's values.
    Drive,
    /// No constraint mentions the variable.
    Ignore,
}

/// Assigns all roles.
///
/// # Errors
/// Annotations that contradict each other or the assignments, outputs that have no value, nothing to observe.
pub fn assign(
    model: &Model<'_>,
    types: &Types,
    units: &[Unit],
    read: Commented<'_>,
    options: &FrontendOptions,
) -> Result<Roles, Vec<Diagnostic>> {
    let text = &read.source.text;
    let lines = LineIndex::new(text);
    let mut notes = Vec::new();
    let marks = read_marks(&lines, text, read.comments, &mut notes);
    let marks_of = |name: &Name| {
        if name.span == Span::default() {
            return Marks::default();
        }
        let line = lines.line(name.span.start);
        marks.get(&line).copied().unwrap_or_default()
    };
    let mut errors = Vec::new();
    let mut variables = Vec::new();
    let constrained = constrained(model);
    let steering = steering(model);
    for (v, variable) in model.variables.iter().enumerate() {
        let marks = marks_of(variable.name);
        let how = match (steering.contains(&v), constrained.contains(&v)) {
            (true, _) => Constraints::Read,
            (false, true) => Constraints::Drive,
            (false, false) => Constraints::Ignore,
        };
        let role = role(variable, how, marks, options, &mut notes);
        variables.push(role.unwrap_or_else(|error| {
            errors.push(error);
            Role::State
        }));
    }
    for (entity, time) in units {
        if let (Entity::Variable(v), Time::Next) = (entity, time) {
            let taken = |value| types.of(value).set;
            variables[*v] = match (variables[*v], model.variables[*v].current) {
                (Role::TestInput, _) => Role::Ahead(InputRole::Test),
                (Role::Choice, _) => Role::Ahead(InputRole::Choice),
                (Role::Wire, Some(a)) if taken(a.value) => Role::Ahead(InputRole::Choice),
                (role, _) => role,
            };
        }
    }
    let outputs = Observation {
        model,
        types,
        options,
        variables: &variables,
        marks: &marks_of,
    }
    .outputs(&mut notes)
    .unwrap_or_else(|error| {
        errors.push(error);
        Vec::new()
    });
    match errors.is_empty() {
        true => Ok(Roles {
            variables,
            outputs,
            notes,
        }),
        false => Err(errors),
    }
}

/// Returns the variables that constraints read, through DEFINEs too.
fn constrained(model: &Model<'_>) -> FxHashSet<usize> {
    let mut roots: Vec<_> = model.flat.constraints.iter().map(|c| c.body).collect();
    let (mut variables, mut defines) = (FxHashSet::default(), FxHashSet::default());
    while let Some(root) = roots.pop() {
        for part in model.exprs().subtree(root) {
            match model.entity(part) {
                Some(Entity::Variable(v)) => {
                    variables.insert(v);
                }
                Some(Entity::Define(d)) if defines.insert(d) => roots.push(model.defines[d].body),
                _ => {}
            }
        }
    }
    variables
}

/// Returns the variables that a conjunct of a constraint reads together with next values of other variables. A variable is left out if a
/// conjunct reads its own next value, or reads it without next values.
fn steering(model: &Model<'_>) -> FxHashSet<usize> {
    let (mut steering, mut others) = (FxHashSet::default(), FxHashSet::default());
    for constraint in &model.flat.constraints {
        let mut conjuncts = vec![constraint.body];
        while let Some(conjunct) = conjuncts.pop() {
            if let ExprKind::Binary(BinaryOp::And, a, b) = model.exprs().kind(conjunct) {
                conjuncts.extend([*a, *b]);
                continue;
            }
            let (now, coming) = variables_read(model, conjunct);
            match coming.is_empty() {
                true => others.extend(now),
                false => steering.extend(now),
            }
            others.extend(coming);
        }
    }
    steering.retain(|v| !others.contains(v));
    steering
}

/// Returns the variables that an expression reads at the current step, and those that it reads at the next step, through DEFINEs too.
fn variables_read(model: &Model<'_>, root: ExprId) -> (FxHashSet<usize>, FxHashSet<usize>) {
    let mut read = (FxHashSet::default(), FxHashSet::default());
    let mut seen = FxHashSet::default();
    let mut open = vec![(root, false)];
    while let Some((at, is_coming)) = open.pop() {
        match (model.entity(at), model.exprs().kind(at)) {
            (Some(Entity::Variable(v)), _) if is_coming => drop(read.1.insert(v)),
            (Some(Entity::Variable(v)), _) => drop(read.0.insert(v)),
            (Some(Entity::Define(d)), _) if seen.insert((d, is_coming)) => {
                open.push((model.defines[d].body, is_coming));
            }
            (_, ExprKind::Next(inner)) => open.push((*inner, true)),
            (_, kind) => kind.for_each_operand(|operand| open.push((operand, is_coming))),
        }
    }
    read
}

/// Returns the marks in comments, by the lines that they refer to. Adds unknown annotations to `notes`.
fn read_marks(
    lines: &LineIndex<'_>,
    text: &str,
    comments: &[Comment],
    notes: &mut Vec<String>,
) -> FxHashMap<usize, Marks> {
    let mut marks: FxHashMap<usize, Marks> = FxHashMap::default();
    // Comments on lines of their own are about the line after the block they form: known from the last one up.
    let mut about: FxHashMap<usize, usize> = FxHashMap::default();
    for comment in comments.iter().rev() {
        let first = lines.line(comment.text.start);
        let line = if comment.own_line {
            let after = lines.line(comment.text.end) + 1;
            let line = about.get(&after).copied().unwrap_or(after);
            about.insert(first, line);
            line
        } else {
            first
        };
        let words = comment.text.of(text).split_whitespace();
        for word in words.take_while(|w| w.starts_with('@')) {
            let marks = marks.entry(line).or_default();
            let slot = match word {
                "@input" => &mut marks.input,
                "@nd" | "@choice" => &mut marks.choice,
                "@output" => &mut marks.output,
                "@ignore" => &mut marks.ignore,
                _ => {
                    notes.push(format!(
                        "line {first}: the annotation `{word}` means nothing"
                    ));
                    continue;
                }
            };
            *slot = Some(comment.text);
        }
    }
    notes.reverse();
    marks
}

fn role(
    variable: &Variable<'_>,
    constraints: Constraints,
    marks: Marks,
    options: &FrontendOptions,
    notes: &mut Vec<String>,
) -> Result<Role, Diagnostic> {
    let name = &variable.name.text;
    if let (Some(input), Some(choice)) = (marks.input, marks.choice) {
        let message = format!("`{name}` is marked both @input and @nd");
        return Err(Diagnostic::error(input, message).with_label(choice, "here too"));
    }
    let driven = if variable.kind == VarKind::Frozen {
        Some((Role::State, "a FROZENVAR".to_owned(), variable.name.span))
    } else if let Some(a) = variable.current {
        Some((Role::Wire, "assigned".to_owned(), a.span))
    } else {
        let assignment = variable.init.or(variable.next);
        assignment.map(|a| (Role::State, "assigned".to_owned(), a.span))
    };
    if let Some((role, why, span)) = driven {
        return match marks.input.or(marks.choice) {
            None => Ok(role),
            Some(mark) => Err(Diagnostic::error(
                mark,
                format!("`{name}` is {why}, so nothing is left to choose"),
            )
            .with_label(span, "driven here")),
        };
    }
    let marked = match (marks.choice, marks.input) {
        (Some(_), _) => Some(InputRole::Choice),
        (None, Some(_)) => Some(InputRole::Test),
        (None, None) => None,
    };
    let nothing = (InputRole::Test, "nothing assigns it");
    let (otherwise, why) = match variable.kind {
        _ if name == PROCESS_SELECTOR => (InputRole::Choice, "it says which process runs"),
        VarKind::State => match constraints {
            Constraints::Read => (InputRole::Test, "a TRANS reads it to say what comes next"),
            Constraints::Drive => (InputRole::Choice, "constraints drive it"),
            Constraints::Ignore => nothing,
        },
        _ => nothing,
    };
    let decided = roles::undriven(
        &Undriven {
            name,
            marked,
            otherwise,
            why: Some(why),
            inputs_are_all: true,
        },
        options,
    );
    notes.extend(decided.note);
    Ok(match decided.role {
        InputRole::Test => Role::TestInput,
        InputRole::Choice => Role::Choice,
    })
}

/// The facts that determine the outputs.
struct Observation<'a> {
    model: &'a Model<'a>,
    types: &'a Types,
    options: &'a FrontendOptions,
    variables: &'a [Role],
    marks: &'a dyn Fn(&Name) -> Marks,
}

impl Observation<'_> {
    fn name(&self, entity: Entity) -> Option<&Name> {
        match entity {
            Entity::Variable(v) => Some(self.model.variables[v].name),
            Entity::Define(d) => Some(&self.model.defines[d].name),
            Entity::Symbol => None,
        }
    }

    /// Returns the variables, then the DEFINEs, with their names and marks.
    fn candidates(&self) -> Vec<(Entity, &Name, Marks)> {
        let variables = (0..self.model.variables.len()).map(Entity::Variable);
        let defines = (0..self.model.defines.len()).map(Entity::Define);
        variables
            .chain(defines)
            .filter_map(|entity| {
                let name = self.name(entity)?;
                Some((entity, name, (self.marks)(name)))
            })
            .collect()
    }

    fn outputs(&self, notes: &mut Vec<String>) -> Result<Vec<Entity>, Diagnostic> {
        let all = self.candidates();
        for (_, name, marks) in &all {
            if let (Some(output), Some(ignore)) = (marks.output, marks.ignore) {
                let message = format!("`{}` is marked both @output and @ignore", name.text);
                return Err(Diagnostic::error(output, message).with_label(ignore, "here too"));
            }
        }
        if let Some(chosen) = &self.options.roles.outputs {
            let fit = all.iter().filter(|(_, name, _)| chosen.holds(&name.text));
            let mut refused = Vec::new();
            let mut outputs = Vec::new();
            // A pattern may fit more than can be seen.
            for (entity, name, _) in fit {
                match self.value(*entity, name) {
                    Ok(_) => outputs.push(*entity),
                    Err(error) => refused.push(error),
                }
            }
            if outputs.is_empty() {
                let none = "the option for outputs fits no variable and no DEFINE";
                return Err(
                    (refused.into_iter().next()).unwrap_or_else(|| Diagnostic::unlocated(none))
                );
            }
            notes.extend(refused.into_iter().map(|error| error.message));
            return Ok(outputs);
        }
        let marked = self.marked(&all)?;
        if !marked.is_empty() {
            return Ok(marked);
        }
        let driven = self.driven();
        let assigned = |entity| match entity {
            Entity::Variable(v) => self.model.variables[v].is_assigned() || driven.contains(&v),
            _ => false,
        };
        let free: Vec<_> = all
            .iter()
            .filter(|(_, _, marks)| marks.ignore.is_none())
            .collect();
        let is_driven = |v: usize| assigned(Entity::Variable(v));
        let left_out: FxHashSet<Entity> = (all.iter())
            .filter(|(_, _, marks)| marks.ignore.is_some())
            .map(|(entity, ..)| *entity)
            .collect();
        let is_left_out = |entity: Entity| left_out.contains(&entity);
        let mut chosen: Vec<(Entity, &str)> =
            observed::guess(self.model, self.types, &is_driven, &is_left_out)
                .into_iter()
                .map(|seen| (seen.entity, seen.why))
                .collect();
        if chosen.is_empty() {
            let why = "it is assigned, and nothing that changes is unread";
            let assigned = free.iter().filter(|(entity, _, _)| assigned(*entity));
            chosen = assigned.map(|(entity, ..)| (*entity, why)).collect();
        }
        if chosen.is_empty() {
            let why = "no variable is assigned, so all of them are";
            let is_variable = |entity: &Entity| match entity {
                Entity::Variable(v) => self.model.variables[*v].kind != VarKind::Input,
                _ => false,
            };
            let variables = free.iter().filter(|(entity, _, _)| is_variable(entity));
            chosen = variables.map(|(entity, ..)| (*entity, why)).collect();
        }
        if chosen.is_empty() {
            return Err(Diagnostic::unlocated("the model has nothing to observe")
                .with_help("mark the observed variables with `-- @output`"));
        }
        notes.extend(chosen.iter().filter_map(|(entity, why)| {
            let name = &self.name(*entity)?.text;
            Some(roles::is("an output", name, why))
        }));
        Ok(chosen.into_iter().map(|(entity, _)| entity).collect())
    }

    /// Returns the variables that constraints drive: in a relational model, choices under constraints are the behaviour.
    fn driven(&self) -> FxHashSet<usize> {
        let chosen = |v: &usize| {
            matches!(
                self.variables[*v],
                Role::Choice | Role::Ahead(InputRole::Choice)
            )
        };
        let all = constrained(self.model).into_iter();
        all.filter(|v| chosen(v) && self.model.variables[*v].kind == VarKind::State)
            .collect()
    }

    fn marked(&self, all: &[(Entity, &Name, Marks)]) -> Result<Vec<Entity>, Diagnostic> {
        let marked = all.iter().filter(|(_, _, marks)| marks.output.is_some());
        marked
            .map(|(entity, name, _)| self.value(*entity, name).map(|_| *entity))
            .collect()
    }

    /// Returns whether an output is a DEFINE.
    ///
    /// # Errors
    /// If it is a DEFINE that has no single value at a step.
    fn value(&self, entity: Entity, name: &Name) -> Result<bool, Diagnostic> {
        let Entity::Define(d) = entity else {
            return Ok(false);
        };
        let body = self.model.defines[d].body;
        let why = if self.types.of(body).set {
            "it is a set"
        } else if self.types.reads_next(body) {
            "it reads coming values"
        } else {
            return Ok(true);
        };
        let message = format!("`{}` cannot be an output: {why}", name.text);
        Err(Diagnostic::error(name.span, message))
    }
}
