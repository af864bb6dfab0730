//! The meaning of a relational SMV text, by its tree: states, and steps from state to state, enumerated with the semantics of NuSMV.
//!
//! Shares only the parser with the front end. Values are numbers, with truth values 0 and 1. Only for tiny models.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_smv::ast::{
    BinaryOp, ConstraintKind, Declaration, ExprId, ExprKind, Program, Section, Target, TypeKind,
    UnaryOp, VarKind,
};
use hyperkill_smv::{parser, printer};

/// The values of variables, in the order of their declaration.
pub type Values = Vec<i64>;

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The name of the variable.
    pub name: String,
    /// The section that declares the variable.
    pub kind: VarKind,
    /// All values of the variable's type.
    pub domain: Vec<i64>,
}

/// A text without a meaning here: an expression has no value, or is of a kind that random models do not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meaningless;

/// A text of one module.
pub struct Text {
    program: Program,
    /// All variables of the text.
    pub variables: Vec<Variable>,
    /// The indices of the state variables.
    pub of_state: Vec<usize>,
    /// The indices of the `IVAR`s.
    pub of_step: Vec<usize>,
    defines: BTreeMap<String, ExprId>,
    assignments: BTreeMap<(usize, u8), ExprId>,
    constraints: Vec<(ConstraintKind, ExprId)>,
}

fn slot(target: Target) -> u8 {
    match target {
        Target::Init => 0,
        Target::Next => 1,
        Target::Current => 2,
    }
}

/// The values that an expression reads.
#[derive(Clone, Copy)]
struct Scene<'a> {
    now: &'a [i64],
    next: Option<&'a [i64]>,
}

impl Text {
    /// Reads the text of a model.
    ///
    /// # Errors
    /// If the text has types or expressions that random models do not have.
    ///
    /// # Panics
    /// If the text does not parse.
    pub fn new(text: &str) -> Result<Text, Meaningless> {
        let program = parser::parse(text).expect("an SMV text").program;
        let mut read = Text {
            program,
            variables: Vec::new(),
            of_state: Vec::new(),
            of_step: Vec::new(),
            defines: BTreeMap::new(),
            assignments: BTreeMap::new(),
            constraints: Vec::new(),
        };
        let sections = read.program.modules[0].sections.clone();
        for section in &sections {
            match section {
                Section::Variables(kind, all) => {
                    for declaration in all {
                        let domain = read.domain(declaration)?;
                        read.variables.push(Variable {
                            name: declaration.name.text.clone(),
                            kind: *kind,
                            domain,
                        });
                    }
                }
                Section::Defines(all) => {
                    let all = all.iter().map(|d| (d.name.text.clone(), d.body));
                    read.defines.extend(all);
                }
                Section::Constraint(constraint) => {
                    let constraint = (constraint.kind, constraint.body);
                    read.constraints.push(constraint);
                }
                _ => {}
            }
        }
        let assigned = sections.iter().flat_map(|section| match section {
            Section::Assigns(all) => all.as_slice(),
            _ => &[],
        });
        for assignment in assigned {
            let name = printer::expression(&read.program.exprs, assignment.place);
            let variable = read.index(&name).ok_or(Meaningless)?;
            let key = (variable, slot(assignment.target));
            read.assignments.insert(key, assignment.value);
        }
        let all = || read.variables.iter().enumerate();
        let of = |is_input: bool| {
            let fit = all().filter(|(_, v)| (v.kind == VarKind::Input) == is_input);
            fit.map(|(index, _)| index).collect()
        };
        (read.of_state, read.of_step) = (of(false), of(true));
        Ok(read)
    }

    fn domain(&self, declaration: &Declaration) -> Result<Vec<i64>, Meaningless> {
        let bound = |id| {
            self.one(
                id,
                Scene {
                    now: &[],
                    next: None,
                },
            )
        };
        match &declaration.kind {
            TypeKind::Boolean => Ok(vec![0, 1]),
            TypeKind::Range(low, high) => Ok((bound(*low)?..=bound(*high)?).collect()),
            _ => Err(Meaningless),
        }
    }

    /// Returns the index of the variable with this name.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|v| v.name == name)
    }

    /// Returns all combinations of values of some variables, given by index; all others are 0.
    #[must_use]
    pub fn valuations(&self, variables: &[usize]) -> Vec<Values> {
        let mut all = vec![vec![0; self.variables.len()]];
        for &variable in variables {
            let longer = all.iter().flat_map(|values| {
                self.variables[variable].domain.iter().map(move |value| {
                    let mut values = values.clone();
                    values[variable] = *value;
                    values
                })
            });
            all = longer.collect();
        }
        all
    }

    /// Returns all states: the valuations that assignments to current values and `INVAR` allow.
    ///
    /// # Errors
    /// If an expression has no value.
    pub fn states(&self) -> Result<Vec<Values>, Meaningless> {
        let mut states = Vec::new();
        for now in self.valuations(&self.of_state) {
            let scene = Scene {
                now: &now,
                next: None,
            };
            if self.follows(Target::Current, scene, &now)?
                && self.all_hold(ConstraintKind::Invar, scene)?
            {
                states.push(now);
            }
        }
        Ok(states)
    }

    /// Whether a state is an initial one.
    ///
    /// # Errors
    /// If an expression has no value.
    pub fn is_initial(&self, state: &[i64]) -> Result<bool, Meaningless> {
        let scene = Scene {
            now: state,
            next: None,
        };
        Ok(self.follows(Target::Init, scene, state)?
            && self.all_hold(ConstraintKind::Init, scene)?)
    }

    /// Whether a step with these values of the `IVAR`s leads from one state to the other.
    ///
    /// # Errors
    /// If an expression has no value.
    pub fn is_step(&self, from: &[i64], inputs: &[i64], to: &[i64]) -> Result<bool, Meaningless> {
        let now = self.with_inputs(from, inputs);
        let scene = Scene {
            now: &now,
            next: Some(to),
        };
        let frozen = self
            .of_state
            .iter()
            .all(|&v| self.variables[v].kind != VarKind::Frozen || from[v] == to[v]);
        Ok(frozen
            && self.follows(Target::Next, scene, to)?
            && self.all_hold(ConstraintKind::Trans, scene)?)
    }

    /// Returns the values in a state and, for the `IVAR`s, those of `inputs`.
    #[must_use]
    pub fn with_inputs(&self, state: &[i64], inputs: &[i64]) -> Values {
        let mut all = state.to_vec();
        for &input in &self.of_step {
            all[input] = inputs[input];
        }
        all
    }

    /// Returns the value of a variable or DEFINE.
    ///
    /// # Errors
    /// If it has no value.
    pub fn value(&self, name: &str, now: &[i64]) -> Result<i64, Meaningless> {
        self.named(name, Scene { now, next: None })?
            .into_iter()
            .next()
            .ok_or(Meaningless)
    }

    /// Whether a variable or DEFINE reads an `IVAR`.
    #[must_use]
    pub fn reads_inputs(&self, name: &str) -> bool {
        if let Some(variable) = self.index(name) {
            return self.variables[variable].kind == VarKind::Input;
        }
        let Some(&body) = self.defines.get(name) else {
            return false;
        };
        let exprs = &self.program.exprs;
        exprs.subtree(body).any(|part| match exprs.kind(part) {
            ExprKind::Name(name) => self.reads_inputs(name),
            _ => false,
        })
    }

    /// Whether the value of a variable or DEFINE depends on the `IVAR`s in some state.
    ///
    /// # Errors
    /// If it has no value in some state.
    pub fn depends_on_inputs(&self, name: &str) -> Result<bool, Meaningless> {
        let inputs = self.valuations(&self.of_step);
        for state in self.valuations(&self.of_state) {
            let values = inputs
                .iter()
                .map(|inputs| self.value(name, &self.with_inputs(&state, inputs)));
            if values.collect::<Result<BTreeSet<i64>, _>>()?.len() > 1 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a `next` of this variable occurs, an `init` or `next` is assigned, or the variable is frozen.
    #[must_use]
    pub fn is_remembered(&self, variable: usize) -> bool {
        let assigned = |target| self.assignments.contains_key(&(variable, slot(target)));
        assigned(Target::Init)
            || assigned(Target::Next)
            || self.variables[variable].kind == VarKind::Frozen
            || self.is_read_ahead(&self.variables[variable].name)
    }

    fn is_read_ahead(&self, name: &str) -> bool {
        let exprs = &self.program.exprs;
        let reads = |root: ExprId| {
            let mut parts = exprs.subtree(root);
            parts.any(|part| matches!(exprs.kind(part), ExprKind::Name(n) if n == name))
        };
        let through = |root: ExprId| {
            let parts = exprs.subtree(root);
            let names = parts.filter_map(|part| match exprs.kind(part) {
                ExprKind::Name(n) => self.defines.get(n).copied(),
                _ => None,
            });
            names.into_iter().any(reads)
        };
        exprs.iter().any(|(_, expr)| match expr.kind {
            ExprKind::Next(a) => reads(a) || through(a),
            _ => false,
        })
    }

    /// Whether values satisfy all assignments for one target (`init`, `next` or the current value).
    fn follows(&self, target: Target, scene: Scene<'_>, of: &[i64]) -> Result<bool, Meaningless> {
        for (&(variable, time), &value) in &self.assignments {
            if time != slot(target) {
                continue;
            }
            let values = self.eval(value, scene)?;
            if !values.contains(&of[variable]) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn all_hold(&self, kind: ConstraintKind, scene: Scene<'_>) -> Result<bool, Meaningless> {
        for (_, body) in self.constraints.iter().filter(|(k, _)| *k == kind) {
            if self.one(*body, scene)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn one(&self, id: ExprId, scene: Scene<'_>) -> Result<i64, Meaningless> {
        let values = self.eval(id, scene)?;
        values.into_iter().next().ok_or(Meaningless)
    }

    fn named(&self, name: &str, scene: Scene<'_>) -> Result<BTreeSet<i64>, Meaningless> {
        match (self.index(name), self.defines.get(name)) {
            (Some(variable), _) => Ok([scene.now[variable]].into()),
            (_, Some(body)) => self.eval(*body, scene),
            _ => Err(Meaningless),
        }
    }

    /// Returns all values that an expression can have in a scene.
    fn eval(&self, id: ExprId, scene: Scene<'_>) -> Result<BTreeSet<i64>, Meaningless> {
        let one = |id| self.one(id, scene);
        let value = match self.program.exprs.kind(id) {
            ExprKind::Number(n) => *n,
            ExprKind::Truth(value) => i64::from(*value),
            ExprKind::Name(name) => return self.named(name, scene),
            ExprKind::Range(low, high) => return Ok((*low..=*high).collect()),
            ExprKind::Unary(UnaryOp::Not, a) => 1 - one(*a)?,
            ExprKind::Unary(UnaryOp::Neg, a) => -one(*a)?,
            ExprKind::Next(a) => {
                let now = scene.next.ok_or(Meaningless)?;
                return self.eval(*a, Scene { now, next: None });
            }
            ExprKind::Conditional(c, a, b) => {
                return self.eval(if one(*c)? == 1 { *a } else { *b }, scene);
            }
            ExprKind::Case(branches) => {
                for branch in branches {
                    if one(branch.condition)? == 1 {
                        return self.eval(branch.value, scene);
                    }
                }
                return Err(Meaningless);
            }
            ExprKind::Set(elements) => {
                let mut all = BTreeSet::new();
                for element in elements {
                    all.append(&mut self.eval(*element, scene)?);
                }
                return Ok(all);
            }
            ExprKind::Binary(op, a, b) => return self.binary(*op, *a, *b, scene),
            _ => return Err(Meaningless),
        };
        Ok([value].into())
    }

    fn binary(
        &self,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        scene: Scene<'_>,
    ) -> Result<BTreeSet<i64>, Meaningless> {
        let (mut left, mut right) = (self.eval(a, scene)?, self.eval(b, scene)?);
        match op {
            BinaryOp::Union => {
                left.append(&mut right);
                return Ok(left);
            }
            BinaryOp::In => return Ok([i64::from(left.is_subset(&right))].into()),
            _ => {}
        }
        let pair = left.into_iter().next().zip(right.into_iter().next());
        let (a, b) = pair.ok_or(Meaningless)?;
        let value = match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Implies => (1 - a) | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::Xnor | BinaryOp::Iff => i64::from(a == b),
            BinaryOp::Eq => i64::from(a == b),
            BinaryOp::Ne => i64::from(a != b),
            BinaryOp::Lt => i64::from(a < b),
            BinaryOp::Le => i64::from(a <= b),
            BinaryOp::Gt => i64::from(a > b),
            BinaryOp::Ge => i64::from(a >= b),
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Mod if b != 0 => a % b,
            BinaryOp::Div if b != 0 => a / b,
            _ => return Err(Meaningless),
        };
        Ok([value].into())
    }
}
