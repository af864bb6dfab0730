//! Processes to drivers: the bits that each process drives, and the edge at which it does.

use hyperkill_core::term::{BinaryOp as Core, Term, TermId};
use hyperkill_frontend::Span;
use rustc_hash::FxHashSet;

use super::target::Target;
use crate::ast::{ExprId, ExprKind, Name, Source, StmtId, StmtKind};
use crate::cells::CLOCK_GATE;
use crate::design::{
    Claim, Clock, ClockGate, Drive, Driver, Entity, Leaf, Process, Run, ScopeId, Stop, VarId,
    WordId,
};
use crate::state::{Alternative, Block, Elaborator, Env, Mode, Sampling};

impl Elaborator<'_> {
    /// Executes a process in the current world.
    pub(super) fn execute_once(&mut self, process: &Process, place: Span) -> Run<()> {
        self.env = Env::default();
        self.path = None;
        self.assigned = [FxHashSet::default(), FxHashSet::default()];
        self.finals.clear();
        self.written.clear();
        self.mode = Mode::Continuous;
        self.block = Block::default();
        self.sampling = None;
        self.at = place;
        match process {
            Process::Assign(scope, target, value) => {
                self.scope = *scope;
                self.assign_net(*target, *value, place)?;
                self.warn_of_deafness();
                Ok(())
            }
            Process::Drive(var, scope, value) => {
                self.scope = *scope;
                self.drive_declared(*var, *value, place)?;
                self.warn_of_deafness();
                Ok(())
            }
            Process::Link(from, to) => self.link(*from, *to, place),
            Process::Element(from, from_element, to, to_element) => {
                let value = self.read(self.word_of(*from, *from_element))?;
                self.drive_word(self.word_of(*to, *to_element), value, place)
            }
            Process::Part(var, scope, value, low) => {
                self.scope = *scope;
                let width = self.design.var(*var).width;
                let (value, _) = self.value(*value)?;
                let value = self.design.words.slice(value, *low, width)?;
                self.drive_var(*var, value, place)
            }
            Process::Export(scope, target, var, part) => {
                self.scope = *scope;
                self.export(*target, *var, *part, place)
            }
            Process::Gate(scope, gate, output, inputs, count) => {
                self.scope = *scope;
                self.drive_by_gate(gate, *output, inputs, *count, place)
            }
            Process::Combinational(scope, waits, body) => {
                self.scope = *scope;
                self.design.blocks.insert(self.process, *body);
                self.begin_block(waits);
                self.mode = Mode::Combinational;
                self.find_assigned(*body)?;
                self.run_statement(*body)?;
                self.at_rest()?;
                self.warn_of_deafness();
                let latch = self.latch(waits, *body);
                let values = self.final_values(latch);
                self.drive(&Drive::Wire, place)?;
                self.note_latch(latch, &values, place)
            }
            Process::Edges(scope, edges, body) => {
                self.scope = *scope;
                self.mode = Mode::Edge;
                self.find_assigned(*body)?;
                self.edges(edges, *body, place)
            }
            Process::Initial(scope, body) => {
                self.scope = *scope;
                self.mode = Mode::Initial;
                self.run_statement(*body)?;
                let values = std::mem::take(&mut self.env.blocking);
                for (word, value) in values {
                    if !self.design.var(self.design.elements[word.0].0).local {
                        self.made.initial.insert(word, value);
                    }
                }
                Ok(())
            }
            Process::InitialValue(var, scope, value) => {
                self.scope = *scope;
                self.mode = Mode::Initial;
                self.start_declared(*var, *value)
            }
            Process::Property(scope, condition, edge, assumed) => {
                self.scope = *scope;
                self.sampling = edge.map(|(rising, signal)| Sampling::Edge(rising, signal));
                let term = self.truth(*condition)?;
                let clock = match edge {
                    Some((rising, signal)) => {
                        let (clock, _) = self.muted(|this| this.value(*signal))?;
                        Some((self.design.words.slice(clock, 0, 1)?, *rising))
                    }
                    None => None,
                };
                self.made.claims.push(Claim {
                    term,
                    clock,
                    place,
                    assumed: *assumed,
                });
                Ok(())
            }
            Process::Sample(var, scope, from, clock) => {
                let drive = self.take_sample(*var, *scope, *from, *clock)?;
                self.drive(&drive, place)
            }
        }
    }

    /// Executes a continuous assignment.
    fn assign_net(&mut self, target: ExprId, value: ExprId, place: Span) -> Run<()> {
        if let Some(array) = self.stretch(target)? {
            self.assign_array(&array, value, true)?;
            return self.drive(&Drive::Wire, place);
        }
        if let Some((targets, bits)) = self.unpacked(target, value)? {
            for target in &targets {
                self.record_driving_of(target.var(), value);
            }
            self.assign_continuous(&targets, bits)?;
            return self.drive(&Drive::Wire, place);
        }
        let layout = self.target_layout(target, value)?;
        let targets = self.targets(target)?;
        self.record_driving(&targets, value)?;
        let width = targets.iter().map(|target| target.width).sum();
        if self.floats(value) {
            let shape = self.shape(value)?;
            let found = self.floating(value, shape.width.max(width), shape.signed)?;
            let found = self.cut(found, width)?;
            return self.drive_at_times(&targets, found, place);
        }
        let value = match layout {
            Some(layout) => self.fitted(value, &layout)?,
            None => self.converted(value, width)?,
        };
        self.assign_continuous(&targets, value)?;
        self.drive(&Drive::Wire, place)
    }

    /// Drives a net by the value in its declaration.
    fn drive_declared(&mut self, var: VarId, value: ExprId, place: Span) -> Run<()> {
        if let Some(array) = self.whole_array(var) {
            self.record_driving_of(var, value);
            self.assign_array(&array, value, true)?;
            return self.drive(&Drive::Wire, place);
        }
        let layout = self.layout_of_var(var);
        self.record_driving(&[Target::whole(var, layout.width() as u32)], value)?;
        if self.floats(value) {
            let (shape, width) = (self.shape(value)?, layout.width() as u32);
            let found = self.floating(value, shape.width.max(width), shape.signed)?;
            let found = self.cut(found, width)?;
            let target = Target::whole(var, width);
            return self.drive_at_times(&[target], found, place);
        }
        let value = self.fitted(value, &layout)?;
        self.drive_var(var, value, place)
    }

    /// Drives the variable `to` by the variable `from` of the same shape.
    fn link(&mut self, from: VarId, to: VarId, place: Span) -> Run<()> {
        let (Some(from_all), Some(to_all)) = (self.whole_array(from), self.whole_array(to)) else {
            let value = self.read(self.word_of(from, 0))?;
            return self.drive_var(to, value, place);
        };
        let mut values = Vec::new();
        for word in self.words_of(&from_all) {
            values.push(self.read(word)?);
        }
        self.store_array(&to_all, &values, true)?;
        self.drive(&Drive::Wire, place)
    }

    /// Drives the expression `target`, to which the output `var` of an instance is connected. In an array of instances, `part` has the
    /// first bit and the number of bits of the target for this instance.
    fn export(
        &mut self,
        target: ExprId,
        var: VarId,
        part: Option<(u32, u32)>,
        place: Span,
    ) -> Run<()> {
        if let Some(array) = self.whole_array(var) {
            return self.export_array(&array, target, place);
        }
        // The target is no logic: it has no mutants.
        let mut targets = self.muted(|this| this.targets(target))?;
        if let Some((low, width)) = part {
            targets = self.part_of(&targets, low, width, place)?;
        }
        let width = targets.iter().map(|target| target.width).sum();
        let signed = self.design.var(var).signed;
        let value = self.read(self.word_of(var, 0))?;
        let value = self.design.words.resize(value, width, signed)?;
        self.assign_continuous(&targets, value)?;
        self.drive(&Drive::Wire, place)
    }

    /// Drives the output of a gate, or of an array of `count` gates.
    fn drive_by_gate(
        &mut self,
        gate: &Name,
        output: ExprId,
        inputs: &[ExprId],
        count: u32,
        place: Span,
    ) -> Run<()> {
        if &**gate == CLOCK_GATE {
            return self.drive_by_clock_gate(output, inputs, count, place);
        }
        let targets = self.muted(|this| this.targets(output))?;
        let width = targets.iter().map(|target| target.width).sum();
        if let Some((value, driven)) = self.gate_at_times(gate, inputs)? {
            if count > 1 {
                return Err(Stop::at(place, "an array of such gates is not supported"));
            }
            let value = self.design.words.resize(value, width, false)?;
            let driven = self.design.words.resize(driven, width, false)?;
            return self.drive_at_times(&targets, (value, driven), place);
        }
        let value = self.all_gates(gate, inputs, count, place)?;
        let value = self.design.words.resize(value, width, false)?;
        self.assign_continuous(&targets, value)?;
        self.drive(&Drive::Wire, place)
    }

    /// Drives the output of a clock gate. As a value it is the conjunction of clock and enable. Registers that it clocks change at an edge
    /// only if the enable was 1 right before the edge.
    fn drive_by_clock_gate(
        &mut self,
        output: ExprId,
        inputs: &[ExprId],
        count: u32,
        place: Span,
    ) -> Run<()> {
        let &[clock, enable] = inputs else {
            let message = format!("a {CLOCK_GATE} has an output, a clock and an enable");
            return Err(Stop::at(place, message));
        };
        if count > 1 {
            return Err(Stop::at(place, "an array of such gates is not supported"));
        }
        let gate = ClockGate {
            clock: self.net(clock)?.1,
            enable: self.net(enable)?.1,
        };
        let (word, _) = self.net(output)?;
        self.design.clock_gates.insert(word, gate);
        let value = self.gate(&Name::from("and"), &[gate.clock, gate.enable])?;
        let targets = self.muted(|this| this.targets(output))?;
        self.assign_continuous(&targets, value)?;
        self.drive(&Drive::Wire, place)
    }

    /// Returns a net of one bit, and its value.
    fn net(&mut self, expr: ExprId) -> Run<(WordId, TermId)> {
        let (term, _) = self.muted(|this| this.value(expr))?;
        if let Term::Input(leaf) = *self.design.words.pool.term(term)
            && let (Leaf::Word(word), 1) = self.design.leaves[leaf as usize]
        {
            return Ok((word, term));
        }
        let message = format!("a {CLOCK_GATE} connects nets of one bit");
        Err(Stop::at(self.span(expr), message))
    }

    /// Sets a variable to the value in its declaration.
    fn start_declared(&mut self, var: VarId, value: ExprId) -> Run<()> {
        let layout = self.layout_of_var(var);
        if let Some(array) = self.whole_array(var) {
            let values = self.array_value(value, &array.dimensions, &layout)?;
            let words = self.words_of(&array);
            self.made.initial.extend(words.into_iter().zip(values));
            return Ok(());
        }
        let value = self.fitted(value, &layout)?;
        let word = self.word_of(var, 0);
        self.made.initial.insert(word, value);
        Ok(())
    }

    /// Returns the value that an assignment gives to a target of this width.
    pub(super) fn converted(&mut self, value: ExprId, width: u32) -> Run<TermId> {
        let shape = self.shape(value)?;
        if let Some(stream) = self.stream(value)? {
            return self.at_the_left(stream, width, value);
        }
        let value = self.eval(value, shape.width.max(width), shape.signed)?;
        Ok(self.design.words.slice(value, 0, width)?)
    }

    fn assign_continuous(&mut self, targets: &[super::target::Target], value: TermId) -> Run<()> {
        self.assign_all(targets, value, true)
    }

    fn drive_var(&mut self, var: VarId, value: TermId, place: Span) -> Run<()> {
        self.drive_word(self.word_of(var, 0), value, place)
    }

    fn drive_word(&mut self, word: WordId, value: TermId, place: Span) -> Run<()> {
        let width = self.design.words.width(value);
        self.env.blocking.insert(word, value);
        self.written.insert(word, vec![(0, width)]);
        self.drive(&Drive::Wire, place)
    }

    /// Cuts a value and its mask to this width.
    fn cut(&mut self, (value, driven): (TermId, TermId), width: u32) -> Run<(TermId, TermId)> {
        let words = &mut self.design.words;
        Ok((
            words.slice(value, 0, width)?,
            words.slice(driven, 0, width)?,
        ))
    }

    /// Drives the array that `target` names by an output port that is an array.
    ///
    /// # Errors
    /// If the target is no array of the same shape.
    fn export_array(
        &mut self,
        array: &super::array::Stretch,
        target: ExprId,
        place: Span,
    ) -> Run<()> {
        let Some(to) = self.stretch(target)? else {
            return Err(Stop::at(
                place,
                "an array port must be connected to an array",
            ));
        };
        let kind = |this: &Self, all: &super::array::Stretch| {
            let sizes = all.dimensions.iter().map(|(a, b)| a.abs_diff(*b));
            (sizes.collect::<Vec<u64>>(), this.design.var(all.var).width)
        };
        if kind(self, array) != kind(self, &to) {
            return Err(Stop::at(
                place,
                "an array port is connected to an array of another shape",
            ));
        }
        let mut values = Vec::new();
        for word in self.words_of(array) {
            values.push(self.read(word)?);
        }
        self.store_array(&to, &values, true)?;
        self.drive(&Drive::Wire, place)
    }

    /// Returns the `width` bits of a target from `low` up, which one instance of an array drives.
    ///
    /// # Errors
    /// If the target is a concatenation, or has a computed position.
    fn part_of(
        &mut self,
        targets: &[super::target::Target],
        low: u32,
        width: u32,
        place: Span,
    ) -> Run<Vec<super::target::Target>> {
        match targets {
            [target] => match target.part(low, width) {
                Some(part) => Ok(vec![part]),
                None => Err(Stop::at(
                    place,
                    "the target of an array of instances must be a plain vector",
                )),
            },
            _ => Err(Stop::at(
                place,
                "the target of an array of instances must be a plain vector",
            )),
        }
    }

    /// Returns the outputs of an array of `count` gates. An input as wide as the array gives each gate one bit; an input of one bit is the
    /// same for all gates.
    ///
    /// # Errors
    /// If an input of an array has another width.
    fn all_gates(
        &mut self,
        gate: &Name,
        inputs: &[ExprId],
        count: u32,
        place: Span,
    ) -> Run<TermId> {
        let mut terms = Vec::new();
        for input in inputs {
            let (term, shape) = self.value(*input)?;
            if count > 1 && ![1, count].contains(&shape.width) {
                let message = "the width fits neither one gate nor all";
                return Err(Stop::at(self.span(*input), message));
            }
            terms.push((term, shape.width));
        }
        let mut all = Vec::new();
        for at in 0..count {
            let mut bits = Vec::new();
            for (term, width) in &terms {
                let low = if *width == count { at } else { 0 };
                bits.push(self.design.words.slice(*term, low, 1)?);
            }
            all.push(self.gate(gate, &bits)?);
        }
        let whole = self.design.words.join(&all);
        Ok(whole.ok_or_else(|| Stop::at(place, "no gates"))??)
    }

    fn gate(&mut self, gate: &Name, inputs: &[TermId]) -> Run<TermId> {
        let mut value: Option<TermId> = None;
        let core = match &**gate {
            "and" | "nand" => Core::And,
            "or" | "nor" => Core::Or,
            _ => Core::Xor,
        };
        for input in inputs {
            let truth = self.design.words.truth(*input)?;
            value = Some(match value {
                None => truth,
                Some(value) => self.design.words.pool.binary(core, value, truth)?,
            });
        }
        let mut value = value.unwrap_or_else(|| self.design.words.pool.bool(false));
        if matches!(&**gate, "nand" | "nor" | "xnor" | "not") {
            value = self.design.words.pool.not(value)?;
        }
        Ok(self.design.words.of_truth(value)?)
    }

    /// Turns all assignments of the current process into drivers.
    pub(super) fn drive(&mut self, drive: &Drive, place: Span) -> Run<()> {
        let env = std::mem::take(&mut self.env);
        self.settle(&env)?;
        for (word, ranges) in std::mem::take(&mut self.written) {
            if self.design.var(self.design.elements[word.0].0).local {
                continue;
            }
            let value = match (env.waiting.get(&word), env.blocking.get(&word)) {
                (Some(value), _) | (None, Some(value)) => *value,
                (None, None) => continue,
            };
            for (low, width) in joined(ranges) {
                let value = self.design.words.slice(value, low, width)?;
                let drive = drive.clone();
                self.made.drivers.entry(word).or_default().push(Driver {
                    low,
                    width,
                    drive,
                    value,
                    place,
                    process: self.process,
                });
            }
        }
        Ok(())
    }

    /// Sets the final values of words after all blocking assignments; non-blocking assignments start from these.
    pub(super) fn settle(&mut self, env: &Env) -> Run<()> {
        for (word, (index, leaf)) in std::mem::take(&mut self.finals) {
            let value = match env.blocking.get(&word) {
                Some(value) => *value,
                None => self.read(word)?,
            };
            if value != leaf {
                self.design.finals[index] = value;
            }
        }
        Ok(())
    }

    pub(super) fn clock(&mut self, signal: TermId, rising: bool, place: Span) -> usize {
        let clocks = &mut self.design.clocks;
        let known = clocks
            .iter()
            .position(|clock| clock.signal == signal && clock.rising == rising);
        known.unwrap_or_else(|| {
            clocks.push(Clock {
                signal,
                rising,
                place,
            });
            clocks.len() - 1
        })
    }

    /// Records in `assigned` the variables that a statement assigns, in mutants and tasks too.
    fn find_assigned(&mut self, body: StmtId) -> Run<()> {
        let source = self.source;
        let mut stack = vec![(self.scope, body)];
        let mut seen = FxHashSet::default();
        while let Some((scope, id)) = stack.pop() {
            let id = match self.only_stmt(id) {
                Some((Alternative::Replace(with), _)) => with,
                Some((Alternative::Delete, _)) => continue,
                None => id,
            };
            if !seen.insert((scope, id)) {
                continue;
            }
            let here = std::mem::replace(&mut self.scope, scope);
            let inner = self.find_in(source, id);
            self.scope = here;
            let (inner, statements) = inner?;
            stack.extend(statements.into_iter().map(|statement| (inner, statement)));
            for choice in self.alternatives_of(id) {
                if let Alternative::Replace(with) = choice.with {
                    stack.push((scope, with));
                }
            }
        }
        Ok(())
    }

    /// Records the targets of one statement. Returns the statements inside it, after the scope in which they are executed.
    fn find_in(&mut self, source: &Source, id: StmtId) -> Run<(ScopeId, Vec<StmtId>)> {
        let mut scope = self.scope;
        let inner = match &source.stmt(id).kind {
            StmtKind::Assign {
                blocking, target, ..
            } => {
                self.find_targets(*target, *blocking);
                Vec::new()
            }
            StmtKind::Block(label, declarations, statements) => {
                if !declarations.is_empty() {
                    scope = self.block_of(id, label.as_ref(), declarations)?;
                }
                statements.clone()
            }
            StmtKind::If(_, then, other) => std::iter::once(*then).chain(*other).collect(),
            StmtKind::Case { items, .. } => items.iter().map(|item| item.body).collect(),
            StmtKind::For {
                declares,
                init,
                step,
                body,
                ..
            } => {
                if let Some(item) = declares {
                    scope = self.block_of(id, None, std::slice::from_ref(item))?;
                }
                vec![*init, *step, *body]
            }
            StmtKind::While(_, body)
            | StmtKind::DoWhile(body, _)
            | StmtKind::RepeatTimes(_, body) => vec![*body],
            StmtKind::Foreach { declares, body, .. } => {
                scope = self.block_of(id, None, std::slice::from_ref(declares))?;
                vec![*body]
            }
            StmtKind::Task(path, arguments) => {
                for argument in arguments {
                    self.find_targets(*argument, true);
                }
                // A missing routine is an error only if the call is executed.
                match self.routine(path, source.stmt_span(id)) {
                    Ok((routine, frame)) => {
                        scope = frame.scope;
                        vec![routine.body]
                    }
                    Err(_) => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        Ok((scope, inner))
    }

    fn find_targets(&mut self, target: ExprId, blocking: bool) {
        let source = self.source;
        match &source.expr(target).kind {
            ExprKind::Concat(parts) | ExprKind::Stream(_, _, parts) => {
                for part in parts {
                    self.find_targets(*part, blocking);
                }
            }
            ExprKind::Argument(_, base)
            | ExprKind::Index(base, _)
            | ExprKind::Part(base, ..)
            | ExprKind::Indexed { base, .. } => {
                self.find_targets(*base, blocking);
            }
            ExprKind::Name(path) => {
                // The steps after a variable's name are its parts.
                if let Some(step) = path.first()
                    && let Some(Entity::Var(var)) = self.lookup(&step.name)
                {
                    self.assigned[usize::from(!blocking)].insert(var);
                }
            }
            _ => {}
        }
    }
}

/// Merges adjacent ranges of bits.
pub(super) fn joined(mut ranges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    ranges.sort_unstable();
    let mut all: Vec<(u32, u32)> = Vec::new();
    for (low, width) in ranges {
        match all.last_mut() {
            Some((start, length)) if low <= *start + *length => {
                *length = (*length).max(low + width - *start);
            }
            _ => all.push((low, width)),
        }
    }
    all
}
