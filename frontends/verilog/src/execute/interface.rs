//! Ports that stand for instances of interfaces: the port's name is another name of the instance (IEEE 1800-2017 §25.3).
//!
//! Each such port of the top module gets its own instance, with the default parameters of the interface, or those that an option gives
//! (`-P port.parameter=value`). The view of the port determines which signals are inputs and outputs of the design.

use std::collections::BTreeMap;

use hyperkill_frontend::Span;

use super::declare::flatten;
use crate::ast::{
    Connection, ExprId, ExprKind, Instance, Interface, InterfacePort, ItemKind, Module, Name,
};
use crate::design::{Entity, Run, ScopeId, Stop};
use crate::state::Elaborator;

/// Returns the ports of a module that stand for instances of interfaces.
fn interface_ports(module: &Module) -> Vec<&InterfacePort> {
    let items = flatten(&module.items).into_iter();
    let ports = items.filter_map(|item| match &item.kind {
        ItemKind::InterfacePort(port) => Some(port),
        _ => None,
    });
    ports.collect()
}

/// Whether an interface has signals, not only types and constants.
fn has_signals(body: &Module) -> bool {
    let items = flatten(&body.items).into_iter();
    let mut kinds = items.map(|item| &item.kind);
    kinds.any(|kind| {
        !matches!(
            kind,
            ItemKind::Parameters(_)
                | ItemKind::TypeParameter { .. }
                | ItemKind::Typedef(..)
                | ItemKind::Import(_)
                | ItemKind::InterfacePort(_)
                | ItemKind::Routine(_)
                | ItemKind::Ignored
        )
    })
}

impl<'a> Elaborator<'a> {
    /// Binds each interface port of a module to the instance that it is connected to, before the module is elaborated in `inner`.
    ///
    /// # Errors
    /// If a connection is no interface.
    pub(crate) fn connect_interfaces(
        &mut self,
        module: &Module,
        instance: &Instance,
        inner: ScopeId,
        scope: ScopeId,
        place: Span,
    ) -> Run<()> {
        let by_name = instance.rest || instance.connections.iter().any(|c| c.port.is_some());
        for port in interface_ports(module) {
            let name = &port.declarator.name;
            let at = module.ports.iter().position(|(outside, _)| outside == name);
            let named = |c: &&Connection| c.port.as_ref() == Some(name);
            let connection = match by_name {
                true => instance.connections.iter().find(named),
                false => at.and_then(|at| instance.connections.get(at)),
            };
            let found = match connection.and_then(|connection| connection.value) {
                Some(value) => self.within(scope, |this| this.interface_of_expr(value))?,
                None if instance.rest && connection.is_none() => {
                    self.within(scope, |this| Ok(this.lookup(name)))?
                }
                None => None,
            };
            match found {
                Some(entity @ (Entity::Scope(_) | Entity::Scopes(_))) => {
                    self.bindings.insert((inner, name.clone()), entity);
                }
                _ => {
                    let message =
                        format!("`{name}` must be connected to an instance of an interface");
                    let place = connection.map_or(place, |c| c.extent.span(&self.source.tokens));
                    return Err(Stop::at(place, message));
                }
            }
        }
        Ok(())
    }

    /// Returns the instance of an interface, or the array of instances, that an expression names, perhaps with a modport. `None` if it
    /// names none.
    fn interface_of_expr(&mut self, value: ExprId) -> Run<Option<Entity>> {
        let source = self.source;
        match &source.expr(value).kind {
            ExprKind::Name(path) => {
                if let [.., last] = path.as_slice()
                    && path.len() > 1
                    && let Ok((Entity::Scope(scope), _)) =
                        self.resolve(&path[..path.len() - 1], value)
                    && let Some(interface) = self.interface_at(scope)
                    && interface
                        .modports
                        .iter()
                        .any(|modport| modport.name == last.name)
                {
                    return Ok(Some(Entity::Scope(scope)));
                }
                Ok(Some(self.resolve(path, value)?.0))
            }
            ExprKind::Index(base, index) => match self.interface_of_expr(*base)? {
                Some(Entity::Scopes(all)) => {
                    let index = self.integer(*index)?;
                    Ok(all.get(&index).map(|scope| Entity::Scope(*scope)))
                }
                _ => Ok(None),
            },
            ExprKind::Part(base, left, right) => match self.interface_of_expr(*base)? {
                Some(Entity::Scopes(mut all)) => {
                    let (left, right) = (self.integer(*left)?, self.integer(*right)?);
                    let (low, high) = (left.min(right), left.max(right));
                    let descends = |scope: &ScopeId| self.descending.contains(scope);
                    let turned =
                        left != right && all.values().any(|s| descends(s) != (left > right));
                    all.retain(|index, _| (low..=high).contains(index));
                    let whole = all.len() as u64 == left.abs_diff(right) + 1;
                    Ok((whole && !turned).then_some(Entity::Scopes(all)))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns the interface that a scope is an instance of; `None` for other scopes.
    fn interface_at(&self, scope: ScopeId) -> Option<&'a Interface> {
        self.interface_of
            .get(&scope)
            .and_then(|name| self.source.interface(name))
    }

    /// Binds a port to its instance, once the parameters before it are known.
    pub(super) fn bind_interface(&mut self, port: &InterfacePort, scope: ScopeId) -> Run<()> {
        let name = &port.declarator.name;
        let place = port.declarator.extent.span(&self.source.tokens);
        let dimensions = self.dimensions(&port.declarator.dimensions)?;
        let given = self.bindings.remove(&(scope, name.clone()));
        let entity = match (given, dimensions.as_slice()) {
            (None, _) => self.instance_for_the_top(port, &dimensions, scope, place)?,
            (Some(Entity::Scope(one)), []) => Entity::Scope(one),
            (Some(Entity::Scopes(all)), [(left, right)]) => {
                if all.len() as u64 != left.abs_diff(*right) + 1 {
                    let message = format!("`{name}` and its connection differ in size");
                    return Err(Stop::at(place, message));
                }
                let descends = |one: &ScopeId| self.descending.contains(one);
                if left != right && all.values().any(|one| descends(one) != (left > right)) {
                    let message = format!("the bounds of `{name}` go the other way round");
                    return Err(Stop::at(place, message + " than what it is connected to"));
                }
                let lowest = *left.min(right);
                Entity::Scopes((lowest..).zip(all.into_values()).collect())
            }
            _ => {
                let message = format!("`{name}` and its connection differ in dimensions");
                return Err(Stop::at(place, message));
            }
        };
        let all: Vec<ScopeId> = match &entity {
            Entity::Scope(one) => vec![*one],
            Entity::Scopes(all) => all.values().copied().collect(),
            _ => Vec::new(),
        };
        for one in all {
            let found = self.interface_at(one).map(|interface| &interface.body.name);
            let fits = match (&port.interface, found) {
                (Some(wanted), Some(found)) => wanted == found,
                (None, found) => found.is_some(),
                (_, None) => false,
            };
            if !fits {
                let message = format!("`{name}` is not connected to an instance of its interface");
                return Err(Stop::at(place, message));
            }
            if let (Some(view), Some(interface)) = (&port.modport, self.interface_at(one))
                && !interface
                    .modports
                    .iter()
                    .any(|modport| modport.name == *view)
            {
                let message = format!("`{}` has no modport `{view}`", interface.body.name);
                return Err(Stop::at(place, message));
            }
        }
        self.enter(scope, name, entity, place)
    }

    /// Creates and returns the instance, or the array of instances, of an interface for a port of the top module. `scope` is the scope of
    /// the port.
    ///
    /// # Errors
    /// If the port belongs to another module, except for interfaces of types and constants inside interfaces of the top module. If the port
    /// may be any interface, its interface is unknown, or it has several dimensions.
    fn instance_for_the_top(
        &mut self,
        port: &InterfacePort,
        dimensions: &[(i64, i64)],
        scope: ScopeId,
        place: Span,
    ) -> Run<Entity> {
        let name = &port.declarator.name;
        let is_top = self.design.scopes[scope.0].path.is_empty();
        let wanted_signals = port.interface.as_ref();
        let wanted_signals = wanted_signals.and_then(|name| self.source.interface(name));
        // An interface of types and constants is the same in all instances.
        let only_types = wanted_signals.is_some_and(|interface| !has_signals(&interface.body));
        let nested = only_types && self.of_the_top.contains(&scope);
        if !is_top && !nested {
            let message = format!("`{name}` is connected to no instance of an interface");
            return Err(Stop::at(place, message));
        }
        let Some(wanted) = &port.interface else {
            let message = format!("`{name}` of the top module may be any interface");
            return Err(Stop::at(place, message));
        };
        let source = self.source;
        let Some(interface) = source.interface(wanted) else {
            return Err(self.unknown_interface(wanted, place));
        };
        let path = self.design.scopes[scope.0].path.clone();
        let make = |this: &mut Self, index: Option<i64>| -> Run<ScopeId> {
            let index = index.map_or(String::new(), |index| format!("[{index}]"));
            let inner = this.new_scope(None, format!("{path}{name}{index}."));
            this.interface_of.insert(inner, wanted.clone());
            this.of_the_top.insert(inner);
            let given = match is_top {
                true => this.of_ports.get(name).cloned().unwrap_or_default(),
                false => Vec::new(),
            };
            this.module(&interface.body, inner, &given)?;
            Ok(inner)
        };
        match dimensions {
            [] => Ok(Entity::Scope(make(self, None)?)),
            [(left, right)] => {
                let mut all = BTreeMap::new();
                let (low, high) = (*left.min(right), *left.max(right));
                for index in low..=high {
                    let one = make(self, Some(index))?;
                    if left > right {
                        self.descending.insert(one);
                    }
                    all.insert(index, one);
                }
                Ok(Entity::Scopes(all))
            }
            _ => Err(Stop::at(
                place,
                "an array of interfaces of several dimensions",
            )),
        }
    }

    /// Returns the error that an interface does not exist, or that a part of it is not supported.
    fn unknown_interface(&self, name: &Name, place: Span) -> Stop {
        match self.source.foreign.iter().find(|(known, ..)| known == name) {
            Some((_, what, there)) => Stop::at(*there, what.clone()),
            None => Stop::at(place, format!("there is no interface `{name}`")),
        }
    }

    /// Makes signals of an interface ports of the design, as the view of the top module's port says.
    pub(super) fn top_interface(
        &mut self,
        module: &Module,
        name: &Name,
        entity: Option<Entity>,
    ) -> Run<()> {
        let ports = interface_ports(module).into_iter();
        let Some(port) = ports.into_iter().find(|port| port.declarator.name == *name) else {
            return Ok(());
        };
        let place = port.declarator.extent.span(&self.source.tokens);
        let all: Vec<ScopeId> = match entity {
            Some(Entity::Scope(one)) => vec![one],
            Some(Entity::Scopes(all)) => all.into_values().collect(),
            _ => Vec::new(),
        };
        for scope in all {
            let Some(interface) = self.interface_at(scope) else {
                continue;
            };
            let view = interface.modports.iter();
            let view = view.filter(|modport| port.modport.as_ref() == Some(&modport.name));
            let signals: Vec<_> = view.flat_map(|modport| &modport.signals).collect();
            if port.modport.is_none() && has_signals(&interface.body) {
                let message = format!(
                    "`{name}` of the top module has no modport: which signals are its inputs is not known"
                );
                return Err(Stop::at(place, message));
            }
            for (_, inside) in &interface.body.ports {
                if let Some(Entity::Var(id)) = self.design.scopes[scope.0].names.get(inside) {
                    self.design.ports.push(*id);
                }
            }
            for (direction, signal) in signals {
                match self.design.scopes[scope.0].names.get(signal) {
                    Some(Entity::Var(id)) => {
                        let id = *id;
                        self.design.vars[id.0].port = Some(*direction);
                        if !self.design.ports.contains(&id) {
                            self.design.ports.push(id);
                        }
                    }
                    _ => {
                        let message = format!("`{signal}` of a modport is no signal");
                        return Err(Stop::at(place, message));
                    }
                }
            }
        }
        Ok(())
    }
}
