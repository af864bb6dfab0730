//! Black boxes: modules without their bodies (`--blackbox`, `--function`). Their outputs are choices, or an unknown function of their
//! inputs.
//!
//! If a file defines such a module, its head gives the directions of its ports, and its body is left out. Otherwise a port is an output if
//! it is connected to bits without another driver, else an input; this is known when all processes have been executed.

use std::collections::BTreeMap;

use hyperkill_core::term::TermId;
use hyperkill_frontend::boxes::BoxKind;
use hyperkill_frontend::{Diagnostic, Span, did_you_mean, roles};

use crate::ast::{Direction, ExprId, Instance, Module, Name};
use crate::clocks::clocks_from;
use crate::design::{
    Drive, Driver, Entity, Leaf, Net, Process, Run, ScopeId, Stop, Table, Var, VarId, WordId,
};
use crate::state::{Elaborator, Given, Mode, OpenBox};

/// Most bits of the table of an unknown function. Each bit is a register in both copies, so a larger table would dominate the design.
const MAX_TABLE: u64 = 4096;

impl Elaborator<'_> {
    /// Makes a module with a known head, in `scope`, a black box: drops its processes, which are those from the index `first` on, and
    /// closes its ports. Boxes with the same `overrides` of parameters share an unknown function.
    ///
    /// # Errors
    /// If a port is an interface.
    pub(super) fn close_known_box(
        &mut self,
        module: &Module,
        kind: BoxKind,
        (scope, first): (ScopeId, usize),
        overrides: &[(Option<Name>, Given)],
    ) -> Run<()> {
        let place = module.extent.span(&self.source.tokens);
        self.processes.truncate(first);
        self.boxed.insert(module.name.clone());
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (_, inside) in &module.ports {
            let Some(Entity::Var(var)) = self.design.scopes[scope.0].names.get(inside) else {
                let message = format!(
                    "the port `{inside}` of the black box `{}` is an interface: this is not supported",
                    module.name
                );
                return Err(Stop::at(place, message));
            };
            match self.design.var(*var).port {
                Some(Direction::Input) => inputs.push(*var),
                Some(Direction::Output) => outputs.push(*var),
                _ => {}
            }
        }
        let parameters = self.within(scope, |this| Ok(this.parameters_said(overrides)))?;
        let key = format!("{} {parameters}", module.name);
        self.close_box(&module.name, kind, &key, (&inputs, &outputs), place)
    }

    /// Records an instance of a module that no file defines, in `scope`. The directions of its ports are determined later.
    ///
    /// # Errors
    /// If it is an array of instances, or is connected by `.*`.
    pub(super) fn open_box(
        &mut self,
        module: &Name,
        kind: BoxKind,
        parameters: &[(Option<Name>, ExprId)],
        instance: &Instance,
        scope: ScopeId,
    ) -> Run<()> {
        let place = instance.extent.span(&self.source.tokens);
        self.boxed.insert(module.clone());
        if instance.range.is_some() || instance.rest {
            let what = match instance.rest {
                true => "is connected by `.*`",
                false => "has an array of instances",
            };
            let message = format!("the black box `{module}` {what}, and no file says its ports");
            return Err(needs_head(module, place, message));
        }
        let name = instance.name.clone().unwrap_or_else(|| module.clone());
        let inner = self.new_scope(None, self.path_of(scope, &name) + ".");
        self.enter(scope, &name, Entity::Scope(inner), place)?;
        let mut connections = Vec::new();
        for (i, connection) in instance.connections.iter().enumerate() {
            let Some(value) = connection.value else {
                continue;
            };
            self.declare_implicit(value, scope)?;
            let port = match &connection.port {
                Some(port) => port.to_string(),
                None => format!("port{i}"),
            };
            connections.push((port, value));
        }
        let mut overrides = Vec::new();
        for (name, value) in parameters {
            overrides.push((name.clone(), self.given(*value)?));
        }
        let said = self.within(scope, |this| Ok(this.parameters_said(&overrides)))?;
        self.open_boxes.push(OpenBox {
            module: module.clone(),
            kind,
            key: format!("{module} {said}"),
            scope,
            inner,
            connections,
            place,
        });
        Ok(())
    }

    /// Returns the parameters of an instance as text: instances with the same text compute the same function. If a value is no plain
    /// constant, the instance has a text of its own.
    fn parameters_said(&mut self, overrides: &[(Option<Name>, Given)]) -> String {
        let mut said = String::new();
        for (name, value) in overrides {
            let value = match value {
                Given::Expr(scope, value) => {
                    let value = self.within(*scope, |this| this.muted(|this| this.integer(*value)));
                    value.ok().map(|value| value.to_string())
                }
                Given::Value(value) => Some(format!("{value:?}")),
                Given::Type(_) => None,
            };
            let own = || format!("{:?}", self.scope);
            said.push_str(&format!("{name:?}={} ", value.unwrap_or_else(own)));
        }
        said
    }

    /// Decides which ports of boxes without a head are outputs. Returns whether there were such boxes.
    pub(super) fn close_boxes(&mut self) -> Run<bool> {
        let open = std::mem::take(&mut self.open_boxes);
        let mut driving = Vec::new();
        let mut claims: BTreeMap<(WordId, u32), Vec<(usize, usize)>> = BTreeMap::new();
        for (number, one) in open.iter().enumerate() {
            self.scope = one.scope;
            for (port, (_, value)) in one.connections.iter().enumerate() {
                let bits = self.undriven_bits(*value, one)?;
                for bit in bits.iter().flatten() {
                    claims.entry(*bit).or_default().push((number, port));
                }
                driving.push(bits);
            }
        }
        let mut driving = driving.into_iter();
        for one in &open {
            self.scope = one.scope;
            let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
            for (port, value) in &one.connections {
                let name = format!("{}{port}", self.design.scopes[one.inner.0].path);
                let place = self.span(*value);
                let Some(bits) = driving.next().flatten() else {
                    let (_, shape) = self.muted(|this| this.value(*value))?;
                    let var = self.port_of_box(name, shape.width, place)?;
                    inputs.push(var);
                    self.add_process(Process::Drive(var, one.scope, *value), place);
                    continue;
                };
                if bits.iter().any(|bit| claims[bit].len() > 1) {
                    self.between_boxes(&bits, &claims, &open, place)?;
                    continue;
                }
                let var = self.port_of_box(name, bits.len() as u32, place)?;
                outputs.push(var);
                self.add_process(Process::Export(one.scope, *value, var, None), place);
            }
            self.close_box(
                &one.module,
                one.kind,
                &one.key,
                (&inputs, &outputs),
                one.place,
            )?;
        }
        Ok(!open.is_empty())
    }

    /// Makes a net a choice if several ports of boxes are connected to it and it has no driver: one of the ports drives it. So no mutant
    /// changes the values that the other ports receive. If one of the ports belongs to an unknown function, the net is an error.
    fn between_boxes(
        &mut self,
        bits: &[(WordId, u32)],
        claims: &BTreeMap<(WordId, u32), Vec<(usize, usize)>>,
        open: &[OpenBox],
        place: Span,
    ) -> Run<()> {
        for bit in bits {
            let ports = &claims[bit];
            if let Some((number, _)) = (ports.iter())
                .find(|(number, _)| open[*number].kind == BoxKind::Function && ports.len() > 1)
            {
                let names = ports.iter().map(|(number, port)| {
                    let path = &self.design.scopes[open[*number].inner.0].path;
                    format!("`{path}{}`", open[*number].connections[*port].0)
                });
                let names: Vec<String> = names.collect();
                let message = format!(
                    "`{}` is connected to {} of modules that are not there, and nothing says which of them drives it",
                    self.design.word_name(bit.0),
                    names.join(" and ")
                );
                return Err(needs_head(&open[*number].module, place, message));
            }
            let (var, ..) = self.design.elements[bit.0.0];
            self.design.vars[var.0].choice = Some("blackbox");
            let module = open[ports[0].0].module.clone();
            self.design.from_boxes.insert(var, module);
        }
        Ok(())
    }

    /// Returns the bits that the connection `value` could drive. `None` if it is no target at a constant position, or all its bits have
    /// drivers.
    ///
    /// # Errors
    /// If only some of its bits have drivers.
    fn undriven_bits(&mut self, value: ExprId, one: &OpenBox) -> Run<Option<Vec<(WordId, u32)>>> {
        self.mode = Mode::Continuous;
        let Ok(targets) = self.muted(|this| this.targets(value)) else {
            return Ok(None);
        };
        let mut bits = Vec::new();
        let mut driven = 0;
        for target in &targets {
            let Some((word, low, width)) = self.place_of(target) else {
                return Ok(None);
            };
            for bit in low..low + width {
                driven += usize::from(self.is_driven(word, bit));
                bits.push((word, bit));
            }
        }
        match driven {
            0 => Ok(Some(bits)),
            all if all == bits.len() => Ok(None),
            _ => {
                let message = format!(
                    "a port of the black box `{}` is connected to a net with driven and undriven bits",
                    one.module
                );
                Err(needs_head(&one.module, self.span(value), message))
            }
        }
    }

    fn is_driven(&self, word: WordId, bit: u32) -> bool {
        let var = self.design.var(self.design.elements[word.0].0);
        let inside = |low: u32, width: u32| low <= bit && bit < low + width;
        let drivers = self.design.drivers.get(&word).into_iter().flatten();
        let partial = self.design.partial.get(&word).into_iter().flatten();
        var.port == Some(Direction::Input)
            || var.supply.is_some()
            || self.design.initial.contains_key(&word)
            || drivers
                .into_iter()
                .any(|driver| inside(driver.low, driver.width))
            || partial
                .into_iter()
                .any(|driver| inside(driver.low, driver.width))
    }

    fn port_of_box(&mut self, name: String, width: u32, place: Span) -> Run<VarId> {
        let var = Var {
            name,
            width,
            left: i64::from(width) - 1,
            right: 0,
            signed: false,
            local: false,
            variable: false,
            integer: false,
            supply: None,
            net: Net::Plain,
            choice: None,
            layout: None,
            dimensions: Vec::new(),
            first: 0,
            count: 0,
            port: None,
            place,
        };
        self.variable(var, place)
    }

    /// Makes the outputs of a black box choices and its inputs observed, if `kind` says so. For an unknown function, drives the outputs by
    /// a table that instances with the same `key` share.
    fn close_box(
        &mut self,
        module: &Name,
        kind: BoxKind,
        key: &str,
        (inputs, outputs): (&[VarId], &[VarId]),
        place: Span,
    ) -> Run<()> {
        let observed = match kind {
            BoxKind::Function => return self.box_function(module, key, (inputs, outputs), place),
            BoxKind::Choices { observed } => observed,
        };
        for output in outputs {
            self.design.vars[output.0].choice = Some("blackbox");
            self.design.from_boxes.insert(*output, module.clone());
        }
        for input in inputs.iter().filter(|_| observed) {
            let why = format!("it is an input of the black box `{module}`");
            let note = roles::is("observed", &self.design.var(*input).name, &why);
            self.design.notes.push(note);
            self.design.into_boxes.push(*input);
        }
        Ok(())
    }

    /// Makes outputs of boxes that are clocks inputs of the design. The other outputs are choices.
    pub(super) fn clocks_of_boxes(&mut self) {
        let among = self.design.from_boxes.keys().copied().collect();
        let clocks = clocks_from(&self.design, &among);
        for (var, module) in &self.design.from_boxes {
            let what = match clocks.contains(var) {
                true => "a clock",
                false => "a choice",
            };
            let why = format!("it is an output of the black box `{module}`");
            let note = roles::is(what, &self.design.var(*var).name, &why);
            self.design.notes.push(note);
        }
        for clock in clocks {
            let var = &mut self.design.vars[clock.0];
            var.port = Some(Direction::Input);
            var.choice = None;
            self.design.ports.push(clock);
        }
    }

    /// Drives outputs by an entry of a table that a test chooses; instances with the same `key` share it. The inputs are the index of the
    /// entry, the first input in the highest bits.
    fn box_function(
        &mut self,
        module: &Name,
        key: &str,
        (inputs, outputs): (&[VarId], &[VarId]),
        place: Span,
    ) -> Run<()> {
        let words = |this: &Self, vars: &[VarId]| -> Vec<WordId> {
            let ranges = vars.iter().map(|var| this.design.var(*var));
            let ranges = ranges.map(|var| var.first..var.first + var.count as usize);
            ranges.flatten().map(WordId).collect()
        };
        let width = |this: &Self, word: &WordId| {
            u64::from(this.design.var(this.design.elements[word.0].0).width)
        };
        let (inputs, outputs) = (words(self, inputs), words(self, outputs));
        let from: u64 = inputs.iter().map(|word| width(self, word)).sum();
        let to: u64 = outputs.iter().map(|word| width(self, word)).sum();
        if to == 0 {
            return Ok(());
        }
        if from >= 32 || to << from > MAX_TABLE {
            let message = format!(
                "--function {module}: an unknown function of {from} bits with values of {to} bits has more than {MAX_TABLE} of them"
            );
            let help =
                "use --blackbox, which is coarser, or define the module in a file for --stub";
            let error = Diagnostic::error(place, message).with_help(help);
            return Err(Stop::Model(Box::new(error)));
        }
        let key = format!("{key} {from} {to}");
        let mut value = self.table(module, key, (to << from) as u32);
        // The lowest bits of the index come first.
        let all: Vec<TermId> = inputs.iter().map(|word| self.design.word(*word)).collect();
        let index = self
            .design
            .words
            .join(&all.into_iter().rev().collect::<Vec<_>>());
        if let Some(index) = index {
            let index = index?;
            for bit in (0..from as u32).rev() {
                let words = &mut self.design.words;
                let half = (to << bit) as u32;
                let chosen = words.slice(index, bit, 1)?;
                let chosen = words.truth(chosen)?;
                let (high, low) = (
                    words.slice(value, half, half)?,
                    words.slice(value, 0, half)?,
                );
                value = words.ite(chosen, high, low)?;
            }
        }
        let mut at = to as u32;
        for word in outputs {
            let width = width(self, &word) as u32;
            at -= width;
            let value = self.design.words.slice(value, at, width)?;
            let driver = Driver {
                low: 0,
                width,
                drive: Drive::Wire,
                value,
                place,
                // The driver belongs to no process.
                process: usize::MAX,
            };
            self.design.drivers.insert(word, vec![driver]);
        }
        Ok(())
    }

    /// Returns the table of a function with `width` bits, which instances with the same key share. For a new key, adds a test input for it
    /// and a remark.
    fn table(&mut self, module: &Name, key: String, width: u32) -> TermId {
        if let Some(term) = self.functions.get(&key) {
            return *term;
        }
        let name = format!("{module}@function");
        let note = format!(
            "`{name}` is a test input: its value in the first step is the table of the unknown function `{module}`, with the value for \
             inputs 0 in the lowest bits"
        );
        self.design.notes.push(note);
        self.design.tables.push(Table { name, width });
        let term = (self.design).leaf(Leaf::Table(self.design.tables.len() - 1), width);
        self.functions.insert(key, term);
        term
    }

    /// Refuses an option that names the top module.
    pub(super) fn top_is_no_box(&self, top: &str) -> Run<()> {
        let named = self.source.boxes.kind(top);
        named.map_or(Ok(()), |kind| {
            let message = format!("{} {top}: this is the top module", flag(kind));
            Err(Stop::Model(Box::new(Diagnostic::option(message, None))))
        })
    }

    /// Refuses options that name modules without instances.
    pub(super) fn boxes_are_used(&self) -> Run<()> {
        let mut all = self.source.boxes.modules.iter();
        let Some(named) = all.find(|named| !self.boxed.contains(named.name.as_str())) else {
            return Ok(());
        };
        let message = format!(
            "{} {}: the design has no instance of this module",
            flag(named.kind),
            named.name
        );
        let modules = self.source.modules.iter().map(|module| &*module.name);
        let near = did_you_mean(&named.name, modules);
        Err(Stop::Model(Box::new(Diagnostic::option(message, near))))
    }
}

/// Returns the option that makes a module a box of this kind.
fn flag(kind: BoxKind) -> &'static str {
    match kind {
        BoxKind::Function => "--function",
        BoxKind::Choices { .. } => "--blackbox",
    }
}

/// Returns an error that the head of a module would avoid.
fn needs_head(module: &Name, place: Span, message: String) -> Stop {
    let help = format!(
        "give a file with the head of `{module}`, by --stub: it says which ports are inputs and outputs"
    );
    Stop::Model(Box::new(Diagnostic::error(place, message).with_help(help)))
}
