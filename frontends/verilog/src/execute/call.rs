//! Functions and tasks, executed in place of their calls.

use hyperkill_core::term::TermId;
use hyperkill_frontend::{Span, counted};

use super::array::sizes;
use super::expression::Shape;
use crate::ast::{Direction, ExprId, ExprKind, Item, ItemKind, NamePart, Routine};
use crate::design::{Entity, Run, ScopeId, Stop, Var, VarId, WordId};
use crate::state::{Elaborator, Frame, Mode, Place};

/// Most nested calls.
const MAX_DEPTH: usize = 200;

impl Elaborator<'_> {
    pub(super) fn routine(
        &mut self,
        path: &[NamePart],
        expr_place: Span,
    ) -> Run<(std::sync::Arc<Routine>, Frame)> {
        let unknown = || {
            let name = path
                .iter()
                .map(|step| &*step.name)
                .collect::<Vec<_>>()
                .join(".");
            Stop::at(expr_place, format!("there is no function or task `{name}`"))
        };
        let [first, ..] = path else {
            return Err(unknown());
        };
        // The names are looked up in the scope that declares the routine.
        let (start, name) = match path.split_last() {
            Some((last, [_, ..])) => (self.scope_of_call(path, expr_place)?, last.name.clone()),
            _ => self.start_of(&first.name, expr_place)?,
        };
        let mut at = Some(start);
        while let Some(scope) = at {
            if let Some(entity) = self.design.scopes[scope.0].names.get(&name).cloned() {
                let Entity::Routine(routine, home) = entity else {
                    // The result variable has the name of its function: look further out.
                    at = self.design.scopes[scope.0].parent;
                    continue;
                };
                let frame = match self.routines.get(&(home, name.clone())) {
                    Some(frame) => frame.clone(),
                    None => {
                        let frame = self.frame(&routine, home)?;
                        self.routines.insert((home, name), frame.clone());
                        frame
                    }
                };
                return Ok((routine, frame));
            }
            // A path says where the routine is declared.
            at = match path.len() {
                1 => self.design.scopes[scope.0].parent,
                _ => None,
            };
        }
        Err(unknown())
    }

    /// Returns the instance or block that a call by a hierarchical name refers to.
    fn scope_of_call(&mut self, path: &[NamePart], place: Span) -> Run<ScopeId> {
        let mut at = self.scope;
        for (i, step) in path[..path.len() - 1].iter().enumerate() {
            let entity = match i {
                0 => self.find(&step.name, place)?,
                _ => self.design.scopes[at.0].names.get(&step.name).cloned(),
            };
            at = match (entity, step.indices.as_slice()) {
                (Some(Entity::Scope(scope)), []) => scope,
                (Some(Entity::Scopes(all)), [index]) => {
                    let index = self.integer(*index)?;
                    let found = all.get(&index).copied();
                    found.ok_or_else(|| {
                        Stop::at(place, format!("there is no `{}[{index}]`", step.name))
                    })?
                }
                _ => return Err(Stop::at(place, format!("`{}` is not declared", step.name))),
            };
        }
        Ok(at)
    }

    /// Creates the variables of a routine in a new scope inside `scope`. Callers keep the result, so that it happens once.
    fn frame(&mut self, routine: &Routine, scope: ScopeId) -> Run<Frame> {
        let path = self.path_of(scope, &routine.name) + ".";
        let inner = self.new_scope(Some(scope), path);
        self.frames.insert(inner);
        let first = self.design.elements.len();
        let mode = std::mem::replace(&mut self.mode, Mode::Constant);
        let result = self.within(inner, |this| this.frame_in(routine, inner));
        self.mode = mode;
        let (arguments, defaults, result) = result?;
        Ok(Frame {
            scope: inner,
            arguments,
            defaults,
            result,
            words: first..self.design.elements.len(),
        })
    }

    #[allow(clippy::type_complexity)]
    fn frame_in(
        &mut self,
        routine: &Routine,
        inner: ScopeId,
    ) -> Run<(Vec<(VarId, Direction)>, Vec<Option<ExprId>>, Option<VarId>)> {
        let place = routine.extent.span(&self.source.tokens);
        let mut result = None;
        if let Some(declaration) = &routine.result {
            let layout = self.layout(declaration, place)?;
            let dimensions = layout.array.clone();
            let (left, right) = match (layout.bounds.as_slice(), &layout.parts) {
                ([], None) => (0, 0),
                ([range], None) => *range,
                _ => (layout.width() as i64 - 1, 0),
            };
            let signed = layout.signed;
            let plain = layout.parts.is_none() && layout.bounds.len() < 2;
            let var = Var {
                name: self.path_of(inner, &routine.name),
                width: left.abs_diff(right) as u32 + 1,
                left,
                right,
                signed,
                local: true,
                variable: true,
                integer: false,
                supply: None,
                net: crate::design::Net::Plain,
                choice: None,
                layout: (!plain).then(|| std::sync::Arc::new(layout)),
                dimensions,
                first: 0,
                count: 0,
                port: None,
                place,
            };
            let id = self.variable(var, place)?;
            self.enter(inner, &routine.name, Entity::Var(id), place)?;
            result = Some(id);
        }
        let declarations: Vec<&Item> = routine.declarations.iter().collect();
        self.local_declarations(&declarations, inner, true)?;
        let (mut arguments, mut defaults) = (Vec::new(), Vec::new());
        for item in &routine.declarations {
            let ItemKind::Declaration(declaration) = &item.kind else {
                continue;
            };
            let Some(direction) = declaration.direction else {
                continue;
            };
            for declarator in &declaration.names {
                if let Some(Entity::Var(var)) =
                    self.design.scopes[inner.0].names.get(&declarator.name)
                {
                    arguments.push((*var, direction));
                    defaults.push(declarator.value);
                }
            }
        }
        Ok((arguments, defaults, result))
    }

    /// Returns whether a scope belongs to a function or task, or lies inside one.
    pub(super) fn in_routine(&self, scope: ScopeId) -> bool {
        let mut at = Some(scope);
        while let Some(scope) = at {
            if self.frames.contains(&scope) {
                return true;
            }
            at = self.design.scopes[scope.0].parent;
        }
        false
    }

    /// Returns the width and sign of a function's result.
    pub(super) fn call_shape(&mut self, path: &[NamePart], expr: ExprId) -> Run<Shape> {
        let place = self.span(expr);
        let (_, frame) = self.routine(path, place)?;
        match frame.result {
            Some(result) => {
                let var = self.design.var(result);
                if !var.dimensions.is_empty() {
                    return Err(Stop::at(
                        place,
                        "an array as a whole cannot be used as a value",
                    ));
                }
                Ok(Shape {
                    width: var.width,
                    signed: var.signed,
                })
            }
            None => Err(Stop::at(place, "a task has no value")),
        }
    }

    pub(super) fn call_function(
        &mut self,
        path: &[NamePart],
        arguments: &[ExprId],
        expr: ExprId,
    ) -> Run<TermId> {
        let place = self.span(expr);
        let (routine, frame) = self.routine(path, place)?;
        let Some(result) = frame.result else {
            return Err(Stop::at(place, "a task has no value"));
        };
        let arguments = self.arranged(&routine, &frame, arguments, place)?;
        self.call(&routine, &frame, &arguments, place, |this| {
            this.read(this.word_of(result, 0))
        })
    }

    pub(super) fn call_task(
        &mut self,
        path: &[NamePart],
        arguments: &[ExprId],
        place: Span,
    ) -> Run<()> {
        let (routine, frame) = self.routine(path, place)?;
        let arguments = self.arranged(&routine, &frame, arguments, place)?;
        // The outputs are read while the variables of the task exist, and assigned to the arguments afterwards.
        let outputs = self.call(&routine, &frame, &arguments, place, |this| {
            let mut outputs = Vec::new();
            for ((var, direction), argument) in frame.arguments.iter().zip(&arguments) {
                if *direction != Direction::Input {
                    outputs.push((*argument, *var, this.values_of(*var)?));
                }
            }
            Ok(outputs)
        })?;
        for (argument, var, values) in outputs {
            if self.whole_array(var).is_some() {
                self.give_array(argument, var, &values)?;
                continue;
            }
            let signed = self.design.var(var).signed;
            let targets = self.targets(argument)?;
            let width = targets.iter().map(|target| target.width).sum();
            for value in values {
                let value = self.design.words.resize(value, width, signed)?;
                self.assign_all(&targets, value, true)?;
            }
        }
        Ok(())
    }

    /// Returns the values of all words of a variable; elements of an array from left to right.
    fn values_of(&mut self, var: VarId) -> Run<Vec<TermId>> {
        let words = match self.whole_array(var) {
            Some(array) => self.words_of(&array),
            None => vec![self.word_of(var, 0)],
        };
        words.into_iter().map(|word| self.read(word)).collect()
    }

    /// Assigns the elements `values` of the array `var`, which a task returns, to the array `target`.
    ///
    /// # Errors
    /// If the target is no array of the same shape.
    fn give_array(&mut self, target: ExprId, var: VarId, values: &[TermId]) -> Run<()> {
        let place = self.span(target);
        let (width, dimensions) = {
            let var = self.design.var(var);
            (var.width, var.dimensions.clone())
        };
        match self.stretch(target)? {
            Some(to)
                if sizes(&to.dimensions) == sizes(&dimensions)
                    && self.design.var(to.var).width == width =>
            {
                self.store_array(&to, values, true)
            }
            _ => Err(Stop::at(
                place,
                "the target of this array has other dimensions or elements of another width",
            )),
        }
    }

    /// Executes a call, and returns the elements of its result from left to right.
    ///
    /// # Errors
    /// If the result is no array of these dimensions.
    pub(super) fn call_for_array(
        &mut self,
        path: &[NamePart],
        arguments: &[ExprId],
        dimensions: &[(i64, i64)],
        expr: ExprId,
    ) -> Run<Vec<TermId>> {
        let place = self.span(expr);
        let (routine, frame) = self.routine(path, place)?;
        let result = frame.result.filter(|result| {
            let own = &self.design.var(*result).dimensions;
            sizes(own) == sizes(dimensions)
        });
        let Some(result) = result else {
            return Err(Stop::at(
                place,
                "the function does not return an array of these dimensions",
            ));
        };
        let arguments = self.arranged(&routine, &frame, arguments, place)?;
        self.call(&routine, &frame, &arguments, place, |this| {
            this.values_of(result)
        })
    }

    /// Returns the arguments of a call in the order of the declaration, with defaults for missing ones.
    ///
    /// # Errors
    /// If an argument has an unknown name, is given twice or is missing.
    fn arranged(
        &mut self,
        routine: &Routine,
        frame: &Frame,
        arguments: &[ExprId],
        place: Span,
    ) -> Run<Vec<ExprId>> {
        let mut all: Vec<Option<ExprId>> = vec![None; frame.arguments.len()];
        for (position, argument) in arguments.iter().enumerate() {
            let (position, value) = match &self.source.expr(*argument).kind {
                ExprKind::Argument(name, value) => {
                    let names = &self.design.scopes[frame.scope.0].names;
                    let own = |var: VarId| matches!(names.get(name), Some(Entity::Var(named)) if *named == var);
                    let found = frame.arguments.iter().position(|(var, _)| own(*var));
                    let found = found.ok_or_else(|| {
                        let message = format!("`{}` has no argument `{name}`", routine.name);
                        Stop::at(self.span(*argument), message)
                    })?;
                    (found, *value)
                }
                _ => (position, *argument),
            };
            match all.get_mut(position) {
                Some(slot @ None) => *slot = Some(value),
                Some(_) => {
                    let message = "this argument is given twice";
                    return Err(Stop::at(self.span(value), message));
                }
                None => return Err(wrong_number(routine, frame, arguments.len(), place)),
            }
        }
        let with_defaults = all.into_iter().zip(&frame.defaults);
        let all: Option<Vec<ExprId>> = with_defaults
            .map(|(given, default)| given.or(*default))
            .collect();
        all.ok_or_else(|| wrong_number(routine, frame, arguments.len(), place))
    }

    fn call<T>(
        &mut self,
        routine: &Routine,
        frame: &Frame,
        arguments: &[ExprId],
        place: Span,
        finish: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        if self.calls >= MAX_DEPTH {
            // Without some mutants, the end of the recursion may be constant.
            let mutants = self.path.map(|path| self.design.words.selectors(path));
            if let Some(mutants) = mutants.filter(|mutants| !mutants.is_empty()) {
                return Err(Stop::Apart(mutants));
            }
            return Err(Stop::at(
                place,
                format!("more than {MAX_DEPTH} calls inside each other"),
            ));
        }
        let mut values = Vec::new();
        for ((var, direction), argument) in frame.arguments.iter().zip(arguments) {
            if *direction == Direction::Output {
                continue;
            }
            let layout = self.layout_of_var(*var);
            if let Some(array) = self.whole_array(*var) {
                let given = self.array_value(*argument, &array.dimensions, &layout)?;
                values.extend(self.words_of(&array).into_iter().zip(given));
                continue;
            }
            let value = self.fitted(*argument, &layout)?;
            values.push((self.word_of(*var, 0), value));
        }
        // A nested call of the same routine has its own variables.
        let own = WordId(frame.words.start)..WordId(frame.words.end);
        let saved: Vec<_> = self
            .env
            .blocking
            .range(own.clone())
            .map(|(word, value)| (*word, *value))
            .collect();
        self.forget(&own);
        self.env.blocking.extend(values);
        self.calls += 1;
        self.results.push(frame.result);
        let end = Place::Routine(routine.name.clone());
        let outcome = self.in_turn(0, place, |this| {
            this.within(frame.scope, |this| {
                this.with_end(end, |this| {
                    this.begin_locals(&routine.declarations)?;
                    this.run_statement(routine.body)
                })
            })
        });
        self.results.pop();
        self.calls -= 1;
        outcome?;
        let result = finish(self)?;
        self.forget(&own);
        self.env.blocking.extend(saved);
        Ok(result)
    }

    fn forget(&mut self, own: &std::ops::Range<WordId>) {
        let words: Vec<WordId> = self
            .env
            .blocking
            .range(own.clone())
            .map(|(word, _)| *word)
            .collect();
        for word in words {
            self.env.blocking.remove(&word);
        }
    }
}

fn wrong_number(routine: &Routine, frame: &Frame, given: usize, place: Span) -> Stop {
    let has = counted(frame.arguments.len(), "parameter");
    let given = counted(given, "value");
    let message = format!("`{}` has {has} and is given {given}", routine.name);
    Stop::at(place, message)
}
