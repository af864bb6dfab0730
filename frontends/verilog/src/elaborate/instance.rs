//! Modules, instances and `generate`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hyperkill_frontend::{Diagnostic, Span, counted};

use crate::ast::{
    Direction, ExprId, ExprKind, Instance, Item, ItemKind, Module, Name, Sensitivity,
};
use crate::design::{Entity, Process, Run, ScopeId, Stop, Var, VarId};
use crate::execute::flatten;
use crate::number::Literal;
use crate::state::{Elaborator, Given};

/// Most instances and generated blocks.
const MAX_INSTANCES: usize = 50_000;
/// Most turns of one `generate` loop.
const MAX_TURNS: usize = 1 << 16;

impl Elaborator<'_> {
    /// Elaborates a module in its own scope. `overrides` are values of parameters by name or by place.
    ///
    /// # Errors
    /// If there are too many instances, or an item has no meaning or is not supported.
    pub(crate) fn module(
        &mut self,
        module: &Module,
        scope: ScopeId,
        overrides: &[(Option<Name>, Given)],
    ) -> Run<()> {
        let place = module.extent.span(&self.source.tokens);
        self.instances += 1;
        if self.instances > MAX_INSTANCES {
            return Err(Stop::at(
                place,
                format!("more than {MAX_INSTANCES} instances"),
            ));
        }
        let around = self.imported(&module.items, Some(self.outside), place)?;
        self.design.scopes[scope.0].parent = Some(around);
        let first = self.processes.len();
        self.within(scope, |this| {
            let Some(kind) = this.source.boxes.kind(&module.name) else {
                return this.items(&module.items, scope, overrides, place);
            };
            let all = flatten(&module.items);
            this.declared(&all, scope, overrides, place)?;
            this.close_known_box(module, kind, (scope, first), overrides)
        })
    }

    /// Elaborates the items of a module or block, declarations first, since the order of the text does not matter.
    pub(super) fn items(
        &mut self,
        items: &[Item],
        scope: ScopeId,
        overrides: &[(Option<Name>, Given)],
        place: Span,
    ) -> Run<()> {
        let mut all = flatten(items);
        self.declared(&all, scope, overrides, place)?;
        // Instances of interfaces come first, since modules are connected to them from anywhere in the text.
        all.sort_by_key(|item| !self.is_interface(item));
        for item in all {
            let place = item.extent.span(&self.source.tokens);
            self.item(item, scope, place)?;
        }
        Ok(())
    }

    /// Whether an item is an instance of an interface.
    fn is_interface(&self, item: &Item) -> bool {
        let ItemKind::Instances { module, .. } = &item.kind else {
            return false;
        };
        self.source.interface(module).is_some()
    }

    /// Elaborates the items of packages that are not declarations.
    pub(super) fn rest_of_packages(&mut self) -> Run<()> {
        for (scope, item) in std::mem::take(&mut self.of_packages) {
            let place = item.extent.span(&self.source.tokens);
            self.within(scope, |this| this.item(item, scope, place))?;
        }
        Ok(())
    }

    fn item(&mut self, item: &Item, scope: ScopeId, place: Span) -> Run<()> {
        let process = match &item.kind {
            ItemKind::Assign(all) => {
                for (target, value) in all {
                    self.declare_implicit(*target, scope)?;
                    let process = Process::Assign(scope, *target, *value);
                    let place = self.span(*target).to(self.span(*value));
                    self.processes.push((process, place));
                }
                return Ok(());
            }
            ItemKind::Always(Sensitivity::Edges(edges), body) => {
                Process::Edges(scope, edges.clone(), *body)
            }
            ItemKind::Always(Sensitivity::Unsupported(what), _) | ItemKind::Unsupported(what) => {
                return Err(Stop::at(place, format!("{what} is not supported")));
            }
            ItemKind::Failure(task, text) => {
                let mut message = format!("the design refuses its parameters by `{task}`");
                if !text.is_empty() {
                    message.push_str(&format!(": {text}"));
                }
                let help = "-P sets parameters of the top module";
                let diagnostic = Diagnostic::error(place, message).with_help(help);
                return Err(Stop::Model(Box::new(diagnostic)));
            }
            ItemKind::Always(waits, body) => Process::Combinational(scope, waits.clone(), *body),
            ItemKind::Initial(body) => Process::Initial(scope, *body),
            ItemKind::Assert(condition, edge) => Process::Property(scope, *condition, *edge, false),
            ItemKind::Assume(condition, edge) => Process::Property(scope, *condition, *edge, true),
            ItemKind::Gates(gate, instances) => return self.gates(gate, instances, scope),
            ItemKind::Instances {
                module,
                parameters,
                instances,
            } => return self.instances(module, parameters, instances, scope, place),
            ItemKind::GenerateIf(condition, then, other) => {
                let value = self.holds(*condition)?;
                return match (value, other) {
                    (true, _) => self.generated(then, scope, place),
                    (false, Some(other)) => self.generated(other, scope, place),
                    (false, None) => Ok(()),
                };
            }
            ItemKind::GenerateCase(subject, branches) => {
                let subject = self.integer(*subject)?;
                let mut default = None;
                for (labels, block) in branches {
                    if labels.is_empty() {
                        default = Some(block);
                    }
                    for label in labels {
                        if self.integer(*label)? == subject {
                            return self.generated(block, scope, place);
                        }
                    }
                }
                return default.map_or(Ok(()), |block| self.generated(block, scope, place));
            }
            ItemKind::GenerateFor {
                variable,
                init,
                condition,
                step,
                label,
                items,
            } => {
                return self.generate_for(
                    (variable, *init, *condition, *step),
                    label.as_ref(),
                    items,
                    scope,
                    place,
                );
            }
            ItemKind::Block(..) => return self.generated(item, scope, place),
            ItemKind::Declaration(_)
            | ItemKind::Parameters(_)
            | ItemKind::TypeParameter { .. }
            | ItemKind::Defparam(..)
            | ItemKind::Routine(_)
            | ItemKind::Typedef(..)
            | ItemKind::Import(_)
            | ItemKind::InterfacePort(_)
            | ItemKind::Ignored => return Ok(()),
        };
        self.processes.push((process, place));
        Ok(())
    }

    /// Elaborates the chosen block of a `generate`.
    fn generated(&mut self, item: &Item, scope: ScopeId, place: Span) -> Run<()> {
        match &item.kind {
            ItemKind::Block(Some(label), items) => {
                let label = &self.free_label(scope, label);
                let inner = self.block_scope(scope, label, None)?;
                // The branches of an `if` may share one name.
                self.design.scopes[scope.0]
                    .names
                    .insert(label.clone(), Entity::Scope(inner));
                self.within(inner, |this| this.items(items, inner, &[], place))
            }
            ItemKind::Block(None, items) => self.items(items, scope, &[], place),
            _ => self.items(std::slice::from_ref(item), scope, &[], place),
        }
    }

    /// Returns the name of a generate block. A block without a name is `genblk1`, or `genblk01` and so on if something else in the scope is
    /// called so (IEEE 1800-2017 §27.6).
    fn free_label(&self, scope: ScopeId, label: &Name) -> Name {
        let Some(number) = label.strip_prefix("genblk") else {
            return label.clone();
        };
        let names = &self.design.scopes[scope.0].names;
        let is_taken = |name: &str| !matches!(names.get(name), None | Some(Entity::Scope(_)));
        let mut label = label.clone();
        let mut zeros = String::new();
        while is_taken(&label) {
            zeros.push('0');
            label = Arc::from(format!("genblk{zeros}{number}").as_str());
        }
        label
    }

    fn block_scope(&mut self, scope: ScopeId, label: &Name, index: Option<i64>) -> Run<ScopeId> {
        self.instances += 1;
        if self.instances > MAX_INSTANCES {
            let message = format!("more than {MAX_INSTANCES} generated blocks");
            return Err(Stop::at(Span::default(), message));
        }
        let mut path = self.path_of(scope, label);
        if let Some(index) = index {
            path.push_str(&format!("[{index}]"));
        }
        path.push('.');
        Ok(self.new_scope(Some(scope), path))
    }

    fn generate_for(
        &mut self,
        (variable, init, condition, step): (&Name, ExprId, ExprId, ExprId),
        label: Option<&Name>,
        items: &[Item],
        scope: ScopeId,
        place: Span,
    ) -> Run<()> {
        let unnamed: Name =
            Arc::from(format!("for_{}", self.source.expr(init).extent.first).as_str());
        let label = &self.free_label(scope, label.unwrap_or(&unnamed));
        let mut value = self.integer(init)?;
        let mut turns = BTreeMap::new();
        loop {
            let inner = self.block_scope(scope, label, Some(value))?;
            let constant = Literal::integer(value);
            self.enter(inner, variable, Entity::Constant(constant), place)?;
            let go_on = self.within(inner, |this| this.integer(condition))?;
            if go_on == 0 {
                break;
            }
            if turns.len() >= MAX_TURNS || turns.insert(value, inner).is_some() {
                return Err(Stop::at(place, "this loop does not end"));
            }
            self.within(inner, |this| this.items(items, inner, &[], place))?;
            value = self.within(inner, |this| this.integer(step))?;
        }
        self.design.scopes[scope.0]
            .names
            .insert(label.clone(), Entity::Scopes(turns));
        Ok(())
    }

    /// Declares the names on the left of an assignment that have no declaration.
    pub(super) fn declare_implicit(&mut self, expr: ExprId, scope: ScopeId) -> Run<()> {
        match self.source.expr(expr).kind.clone() {
            ExprKind::Name(path) if path.len() == 1 => {
                let known = self.within(scope, |this| Ok(this.lookup(&path[0].name).is_some()))?;
                if !known {
                    self.implicit(scope, &path[0].name, expr)?;
                }
            }
            ExprKind::Concat(parts) | ExprKind::Stream(_, _, parts) => {
                for part in parts {
                    self.declare_implicit(part, scope)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn gates(&mut self, gate: &Name, instances: &[Instance], scope: ScopeId) -> Run<()> {
        for instance in instances {
            let place = instance.extent.span(&self.source.tokens);
            let part = match instance.range {
                Some(range) => {
                    let (left, right) = self.bounds(range)?;
                    left.abs_diff(right) as u32 + 1
                }
                None => 1,
            };
            let mut terminals = Vec::new();
            for connection in &instance.connections {
                match (&connection.port, connection.value) {
                    (None, Some(value)) => terminals.push(value),
                    _ => return Err(Stop::at(place, "a gate has terminals by place only")),
                }
            }
            for terminal in &terminals {
                self.declare_implicit(*terminal, scope)?;
            }
            let many_outputs = matches!(&**gate, "not" | "buf");
            if terminals.len() < 2 {
                return Err(Stop::at(place, "a gate has an output and inputs"));
            }
            let (outputs, inputs) = match many_outputs {
                true => terminals.split_at(terminals.len() - 1),
                false => terminals.split_at(1),
            };
            for output in outputs {
                let process = Process::Gate(scope, gate.clone(), *output, inputs.to_vec(), part);
                self.processes.push((process, place));
            }
        }
        Ok(())
    }

    fn instances(
        &mut self,
        module: &Name,
        parameters: &[(Option<Name>, ExprId)],
        instances: &[Instance],
        scope: ScopeId,
        place: Span,
    ) -> Run<()> {
        let source = self.source;
        if let Some((_, what, there)) = source.foreign.iter().find(|(name, ..)| name == module) {
            let diagnostic = Diagnostic::error(place, what.clone());
            let diagnostic = diagnostic.with_label(*there, "it is here");
            return Err(Stop::Model(Box::new(diagnostic)));
        }
        let interface = source.interface(module).map(|interface| &interface.body);
        let Some(definition) = source.module(module).or(interface) else {
            if let Some(kind) = source.boxes.kind(module) {
                let mut instances = instances.iter();
                return instances
                    .try_for_each(|one| self.open_box(module, kind, parameters, one, scope));
            }
            let message = format!("there is no module `{module}`");
            let help = format!(
                "give the file that defines it, or --stub with a file that models it; --blackbox {module} makes its outputs free, \
                 --function {module} makes them an unknown function of its inputs"
            );
            let diagnostic = Diagnostic::error(place, message).with_help(help);
            return Err(Stop::Model(Box::new(diagnostic)));
        };
        let mut overrides = Vec::new();
        // The parameters of a primitive are delays.
        for (name, value) in parameters.iter().filter(|_| !definition.primitive) {
            overrides.push((name.clone(), self.given(*value)?));
        }
        for instance in instances {
            let place = instance.extent.span(&source.tokens);
            let name = instance.name.clone().unwrap_or_else(|| module.clone());
            match instance.range {
                None => {
                    let inner = self.new_scope(None, self.path_of(scope, &name) + ".");
                    self.enter(scope, &name, Entity::Scope(inner), place)?;
                    self.check_depth(inner, place)?;
                    if interface.is_some() {
                        self.interface_of.insert(inner, module.clone());
                    }
                    self.connect_interfaces(definition, instance, inner, scope, place)?;
                    self.module(definition, inner, &overrides)?;
                    self.connect(definition, instance, inner, scope, None, place)?;
                }
                Some(range) => {
                    let (left, right) = self.bounds(range)?;
                    let count = left.abs_diff(right) as u32 + 1;
                    let mut all = BTreeMap::new();
                    for i in 0..count {
                        // The last instance gets the lowest bits.
                        let index = if left >= right {
                            right + i64::from(i)
                        } else {
                            right - i64::from(i)
                        };
                        let path = format!("{}[{index}].", self.path_of(scope, &name));
                        let inner = self.new_scope(None, path);
                        all.insert(index, inner);
                        self.check_depth(inner, place)?;
                        if interface.is_some() {
                            self.interface_of.insert(inner, module.clone());
                        }
                        if left > right {
                            self.descending.insert(inner);
                        }
                        self.connect_interfaces(definition, instance, inner, scope, place)?;
                        self.module(definition, inner, &overrides)?;
                        self.connect(definition, instance, inner, scope, Some((i, count)), place)?;
                    }
                    self.enter(scope, &name, Entity::Scopes(all), place)?;
                }
            }
        }
        Ok(())
    }

    fn check_depth(&self, scope: ScopeId, place: Span) -> Run<()> {
        let depth = self.design.scopes[scope.0].path.matches('.').count();
        match depth > 200 {
            true => Err(Stop::at(
                place,
                "modules are nested more than 200 deep; does one contain itself?",
            )),
            false => Ok(()),
        }
    }

    /// Connects the ports of an instance in `scope` to the variables of the module in `inner`. In an array of instances, `which` is the
    /// number of the instance and the count.
    ///
    /// # Errors
    /// If there are too many connections, a port does not exist, or a connection does not fit.
    fn connect(
        &mut self,
        module: &Module,
        instance: &Instance,
        inner: ScopeId,
        scope: ScopeId,
        which: Option<(u32, u32)>,
        place: Span,
    ) -> Run<()> {
        let by_name = instance.rest || instance.connections.iter().any(|c| c.port.is_some());
        if !by_name && instance.connections.len() > module.ports.len() {
            let ports = counted(module.ports.len(), "port");
            let given = counted(instance.connections.len(), "connection");
            let message = format!("`{}` has {ports} and is given {given}", module.name);
            return Err(Stop::at(place, message));
        }
        for connection in &instance.connections {
            if let Some(port) = &connection.port
                && !module.ports.iter().any(|(outside, _)| outside == port)
            {
                let place = connection.extent.span(&self.source.tokens);
                return Err(Stop::at(
                    place,
                    format!("`{}` has no port `{port}`", module.name),
                ));
            }
        }
        for (i, (outside, inside)) in module.ports.iter().enumerate() {
            let var = match self.design.scopes[inner.0].names.get(inside) {
                Some(Entity::Var(var)) => *var,
                Some(Entity::Scope(_) | Entity::Scopes(_)) => continue,
                _ => {
                    return Err(Stop::at(
                        place,
                        format!("the port `{inside}` is not declared"),
                    ));
                }
            };
            let direction = self.design.var(var).port;
            let connection = match by_name {
                true => instance
                    .connections
                    .iter()
                    .find(|c| c.port.as_ref() == Some(outside)),
                false => instance.connections.get(i),
            };
            if connection.is_none() && instance.rest {
                self.connect_by_name(var, direction, inside, scope, place)?;
                continue;
            }
            if connection.is_none()
                && let Some((home, value)) = self.port_defaults.get(&var).copied()
            {
                self.processes
                    .push((Process::Drive(var, home, value), place));
                continue;
            }
            let value = connection.and_then(|connection| connection.value);
            self.connect_port(var, direction, value, scope, which, place)?;
        }
        Ok(())
    }

    /// Connects the port `var` by `.*` to the net or variable called `name` in `scope`.
    ///
    /// # Errors
    /// If there is none, or its width or dimensions differ. If the port is neither an input nor an output.
    fn connect_by_name(
        &mut self,
        var: VarId,
        direction: Option<Direction>,
        name: &Name,
        scope: ScopeId,
        place: Span,
    ) -> Run<()> {
        let found = self.within(scope, |this| Ok(this.lookup(name)))?;
        let Some(Entity::Var(other)) = found else {
            let message = format!("`.*`: there is no `{name}` to connect a port to");
            return Err(Stop::at(place, message));
        };
        let (a, b) = (self.design.var(var), self.design.var(other));
        let sizes = |var: &Var| -> Vec<u64> {
            let bounds = var.dimensions.iter();
            bounds.map(|(left, right)| left.abs_diff(*right)).collect()
        };
        if a.width != b.width || sizes(a) != sizes(b) {
            let message = format!("`.*`: `{name}` is not as wide as the port");
            return Err(Stop::at(place, message));
        }
        let process = match direction {
            Some(Direction::Input) => Process::Link(other, var),
            Some(Direction::Output) => Process::Link(var, other),
            _ => {
                let message = format!("`.*`: the port `{name}` is no input and no output");
                return Err(Stop::at(place, message));
            }
        };
        self.processes.push((process, place));
        Ok(())
    }

    fn connect_port(
        &mut self,
        var: VarId,
        direction: Option<Direction>,
        value: Option<ExprId>,
        scope: ScopeId,
        which: Option<(u32, u32)>,
        place: Span,
    ) -> Run<()> {
        let Some(value) = value else {
            return Ok(());
        };
        self.declare_implicit(value, scope)?;
        let value_place = self.span(value);
        // Each instance of an array gets its part of the value, or all get the same value.
        let width = self.design.var(var).width;
        let part = match which {
            Some((i, count)) => {
                let whole = self.within(scope, |this| this.shape(value))?.width;
                match whole {
                    _ if whole == width => None,
                    _ if whole == width * count => Some((i * width, width)),
                    _ => {
                        return Err(Stop::at(
                            value_place,
                            "the width fits neither one instance nor all",
                        ));
                    }
                }
            }
            None => None,
        };
        let process = match (direction, part) {
            (Some(Direction::Input), None) => Process::Drive(var, scope, value),
            (Some(Direction::Input), Some((low, _))) => Process::Part(var, scope, value, low),
            (Some(Direction::Output), part) => Process::Export(scope, value, var, part),
            (Some(Direction::Inout), _) => {
                return Err(Stop::at(
                    value_place,
                    "an `inout` port: tri-state is not supported",
                ));
            }
            (None, _) => return Err(Stop::at(place, "a port of this module has no direction")),
        };
        self.processes.push((process, value_place));
        Ok(())
    }
}
