//! Parameters, nets, variables and ports.

use hyperkill_core::sort::MAX_WORD;
use hyperkill_frontend::Span;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::ast::{
    Class, Declaration, Declarator, Direction, ExprId, ExprKind, Item, ItemKind, Module, Name,
    Parameter, Range,
};
use crate::design::{Entity, Leaf, Net, Process, Run, ScopeId, Stop, Var, VarId, WordId};
use crate::layout::Layout;
use crate::number::{Digit, Literal};
use crate::state::{Elaborator, Given};

/// Most bits of one array, and of all words of a design.
const MAX_ARRAY: u64 = 1 << 20;
/// Most words of a design.
const MAX_WORDS: usize = 1 << 18;

/// Returns the override of a parameter by its name, or else by its place among the parameters; `None` if there is neither.
fn from_outside<'a>(
    name: &Name,
    overrides: &'a [(Option<Name>, Given)],
    place: usize,
) -> Option<&'a Given> {
    let by_name = overrides.iter().find(|(by, _)| by.as_ref() == Some(name));
    let by_place = overrides.get(place).filter(|(by, _)| by.is_none());
    by_name.or(by_place).map(|(_, given)| given)
}

impl Elaborator<'_> {
    /// Returns the left and the right bound of a range.
    ///
    /// # Errors
    /// If a bound is no constant, or the vector is too wide.
    pub(crate) fn bounds(&mut self, range: Range) -> Run<(i64, i64)> {
        let (mut left, mut right) = (self.integer(range.0)?, self.integer(range.1)?);
        let mut width = left.abs_diff(right).saturating_add(1);
        // `[W-1:0]` with an unsigned `W` of 0 is `[-1:0]`: tools take bounds as numbers of type `int`.
        let as_int =
            |bound: i64| u32::try_from(bound).map_or(bound, |bound| i64::from(bound as i32));
        let (low, high) = (as_int(left), as_int(right));
        if width > u64::from(MAX_WORD) && low.abs_diff(high) < u64::from(MAX_WORD) {
            let place = self.span(range.0).to(self.span(range.1));
            let message = format!(
                "the bounds of this vector are {low} and {high}: a bound below 0 was computed without a sign"
            );
            self.warn(message, place);
            (left, right) = (low, high);
            width = left.abs_diff(right) + 1;
        }
        if width > u64::from(MAX_WORD) {
            let place = self.span(range.0).to(self.span(range.1));
            let message = format!("a vector of {width} bits: there are no more than {MAX_WORD}");
            return Err(Stop::at(place, message));
        }
        Ok((left, right))
    }

    /// Declares the parameters and types in a list of items, with overrides. Also declares the variables before items that may need their
    /// widths, and returns the first tokens of these variables. With `local`, the variables are new at each entry.
    ///
    /// # Errors
    /// If an override names no parameter, or there are more overrides than parameters; `place` is the place of the message.
    fn parameters(
        &mut self,
        items: &[&Item],
        scope: ScopeId,
        overrides: &[(Option<Name>, Given)],
        (local, place): (bool, Span),
    ) -> Run<FxHashSet<u32>> {
        let mut settable: Vec<Name> = Vec::new();
        let mut declared = FxHashSet::default();
        for item in items {
            match &item.kind {
                ItemKind::Parameters(all) => {
                    for parameter in all {
                        let name = &parameter.declarator.name;
                        let mut given = None;
                        if !parameter.local {
                            given = self.value_from_outside(
                                parameter,
                                scope,
                                overrides,
                                settable.len(),
                            )?;
                            settable.push(name.clone());
                        }
                        self.parameter(parameter, scope, given)?;
                    }
                }
                ItemKind::TypeParameter {
                    name,
                    local,
                    default,
                } => {
                    let mut given = None;
                    if !local {
                        given = from_outside(name, overrides, settable.len());
                        settable.push(name.clone());
                    }
                    let place = item.extent.span(&self.source.tokens);
                    self.type_parameter(name, default.as_ref(), scope, given, place)?;
                }
                ItemKind::InterfacePort(port) => self.bind_interface(port, scope)?,
                // In the order of the text, since each may need an earlier one.
                _ => {
                    self.types(item, scope)?;
                    if let ItemKind::Declaration(declaration) = &item.kind {
                        self.declare_early(declaration, scope, local, &mut declared)?;
                    }
                }
            }
        }
        for (name, _) in overrides.iter() {
            if let Some(name) = name
                && !settable.contains(name)
            {
                return Err(Stop::at(
                    place,
                    format!("there is no parameter `{name}` to set"),
                ));
            }
        }
        if overrides.len() > settable.len() {
            return Err(Stop::at(
                place,
                format!("there are only {} parameters to set", settable.len()),
            ));
        }
        Ok(declared)
    }

    /// Declares the variables of a declaration whose widths and dimensions are already known, and adds their first tokens to `declared`.
    /// Other variables need later parameters.
    fn declare_early(
        &mut self,
        declaration: &Declaration,
        scope: ScopeId,
        local: bool,
        declared: &mut FxHashSet<u32>,
    ) -> Run<()> {
        for declarator in &declaration.names {
            let place = declarator.extent.span(&self.source.tokens);
            let known = self.layout(declaration, place).is_ok()
                && self.dimensions(&declarator.dimensions).is_ok();
            if known {
                self.declare(declaration, declarator, scope, local)?;
                declared.insert(declarator.extent.first);
            }
        }
        Ok(())
    }

    /// Returns the override of a parameter: by a path (`defparam`), by its name or by its place. `None` if there is none.
    ///
    /// # Errors
    /// If the override is a type.
    fn value_from_outside(
        &mut self,
        parameter: &Parameter,
        scope: ScopeId,
        overrides: &[(Option<Name>, Given)],
        place: usize,
    ) -> Run<Option<Given>> {
        let Declarator { name, extent, .. } = &parameter.declarator;
        let path = self.path_of(scope, name);
        if let Some(by_path) = self.defparams.get(&path) {
            return Ok(Some(Given::Value(by_path.clone())));
        }
        match from_outside(name, overrides, place) {
            Some(Given::Type(_)) => {
                let message = format!("`{name}` is a value, and is set to a type");
                Err(Stop::at(extent.span(&self.source.tokens), message))
            }
            given => Ok(given.cloned()),
        }
    }

    fn type_parameter(
        &mut self,
        name: &Name,
        default: Option<&Declaration>,
        scope: ScopeId,
        given: Option<&Given>,
        place: Span,
    ) -> Run<()> {
        let layout = match (given, default) {
            (Some(Given::Type(layout)), _) => layout.clone(),
            (Some(Given::Value(_) | Given::Expr(..)), _) => {
                let message = format!("`{name}` is a type, and is set to a value");
                return Err(Stop::at(place, message));
            }
            (None, Some(default)) => Arc::new(self.layout(default, place)?),
            (None, None) => {
                return Err(Stop::at(place, format!("nobody sets the type `{name}`")));
            }
        };
        self.enter(scope, name, Entity::Type(layout), place)
    }

    /// Returns the override that an instance writes: a value, or the name of a type.
    pub(crate) fn given(&mut self, expr: ExprId) -> Run<Given> {
        if let ExprKind::Name(path) = &self.source.expr(expr).kind
            && let [step] = path.as_slice()
        {
            match self.find(&step.name, self.span(expr))? {
                Some(Entity::Type(layout)) => return Ok(Given::Type(layout)),
                // `bit` is a name in Verilog.
                None if &*step.name == "bit" => return Ok(Given::Type(Layout::bit().into())),
                _ => {}
            }
        }
        Ok(Given::Expr(self.scope, expr))
    }

    /// Declares the routines, parameters, types, nets and variables in a list of items, in any order of the text.
    pub(crate) fn declared(
        &mut self,
        all: &[&Item],
        scope: ScopeId,
        overrides: &[(Option<Name>, Given)],
        place: Span,
    ) -> Run<()> {
        for item in all {
            if let ItemKind::Routine(routine) = &item.kind {
                let place = routine.extent.span(&self.source.tokens);
                self.enter(
                    scope,
                    &routine.name,
                    Entity::Routine(routine.clone(), scope),
                    place,
                )?;
            }
        }
        let early = self.parameters(all, scope, overrides, (false, place))?;
        for item in all {
            if let ItemKind::Defparam(path, value) = &item.kind {
                let value = self.constant(*value)?;
                let mut full = self.design.scopes[scope.0].path.clone();
                for (i, step) in path.iter().enumerate() {
                    full.push_str(if i > 0 { "." } else { "" });
                    full.push_str(&step.name);
                    for index in &step.indices {
                        full.push_str(&format!("[{}]", self.integer(*index)?));
                    }
                }
                self.defparams.insert(full, value);
            }
        }
        self.declarations(all, scope, false, &early)
    }

    /// Declares the local names of a function, task or block; `local` if its variables are new at each entry.
    pub(crate) fn local_declarations(
        &mut self,
        items: &[&Item],
        scope: ScopeId,
        local: bool,
    ) -> Run<()> {
        let early = self.parameters(items, scope, &[], (local, Span::default()))?;
        self.declarations(items, scope, local, &early)
    }

    fn parameter(
        &mut self,
        parameter: &Parameter,
        scope: ScopeId,
        given: Option<Given>,
    ) -> Run<()> {
        let Declarator { name, value, .. } = &parameter.declarator;
        let place = parameter.declarator.extent.span(&self.source.tokens);
        let given = match (given, value) {
            (Some(given), _) => given,
            (None, Some(value)) => Given::Expr(scope, *value),
            (None, None) => {
                let message = format!("nobody sets the parameter `{name}`, which has no default");
                let help = "-P sets a parameter of the top module";
                let diagnostic = hyperkill_frontend::Diagnostic::error(place, message);
                return Err(Stop::Model(Box::new(diagnostic.with_help(help))));
            }
        };
        if parameter.of.class == Some(Class::Real) || self.is_real(&given)? {
            return self.enter(scope, name, Entity::Real, place);
        }
        let of = &parameter.of;
        let typed = of.class.is_some() || of.of.is_some() || of.range.is_some();
        let pattern = matches!(&given, Given::Expr(_, value) if self.is_pattern(*value));
        if typed || pattern || !parameter.declarator.dimensions.is_empty() {
            return self.typed_parameter(parameter, scope, given);
        }
        let mut value = match given {
            Given::Expr(from, value) => self.within(from, |this| this.constant(value))?,
            Given::Value(value) => value,
            Given::Type(_) => return Err(Stop::at(place, "this is a type and no value")),
        };
        value.signed |= of.signed;
        value.signed &= !of.unsigned;
        self.enter(scope, name, Entity::Constant(value), place)
    }

    /// Declares a parameter with a type. A vector is a number; a parameter with parts or elements is a variable that never changes.
    fn typed_parameter(&mut self, parameter: &Parameter, scope: ScopeId, given: Given) -> Run<()> {
        let Declarator { name, extent, .. } = &parameter.declarator;
        let place = extent.span(&self.source.tokens);
        let layout = self.layout(&parameter.of, place)?;
        let mut array = self.dimensions(&parameter.declarator.dimensions)?;
        array.extend(layout.array.iter().copied());
        let width = layout.width();
        let plain = match layout.bounds.as_slice() {
            [] => true,
            [(left, right)] => (*left, *right) == (width as i64 - 1, 0),
            _ => false,
        };
        if plain && layout.parts.is_none() && array.is_empty() {
            let value = match given {
                Given::Expr(from, value) => {
                    self.within(from, |this| this.constant_of(value, &layout))?
                }
                Given::Value(value) => value,
                Given::Type(_) => return Err(Stop::at(place, "this is a type and no value")),
            };
            let value = Literal {
                digits: value.at_width(width as usize, value.signed),
                signed: layout.signed,
                sized: parameter.of.class != Some(Class::Integer),
                fill: false,
            };
            return self.enter(scope, name, Entity::Constant(value), place);
        }
        let Given::Expr(from, value) = given else {
            let message =
                "a parameter with parts or elements is set to a pattern, or to another one";
            return Err(Stop::at(place, message));
        };
        let declaration = Declaration {
            class: Some(Class::Wire),
            ..Declaration::default()
        };
        let mut declarator = parameter.declarator.clone();
        declarator.dimensions = Vec::new();
        let path = self.path_of(scope, name);
        let id = self.new_variable(&declaration, (&declarator, path), false, (layout, array))?;
        self.enter(scope, name, Entity::Var(id), place)?;
        self.constants.add(id, from, value);
        self.processes
            .push((Process::Drive(id, from, value), place));
        Ok(())
    }

    /// Whether the value of a parameter is a real literal or the name of a real parameter, possibly behind unary operators.
    fn is_real(&mut self, given: &Given) -> Run<bool> {
        let Given::Expr(from, value) = given else {
            return Ok(false);
        };
        let mut value = *value;
        while let ExprKind::Unary(_, inner) = self.source.expr(value).kind {
            value = inner;
        }
        match &self.source.expr(value).kind {
            ExprKind::Real(_) => Ok(true),
            ExprKind::Name(path) if path.len() == 1 => {
                let place = self.span(value);
                let found = self.within(*from, |this| this.find(&path[0].name, place))?;
                Ok(matches!(found, Some(Entity::Real)))
            }
            _ => Ok(false),
        }
    }

    /// Enters a name with its meaning into a scope.
    pub(crate) fn enter(
        &mut self,
        scope: ScopeId,
        name: &Name,
        entity: Entity,
        place: Span,
    ) -> Run<()> {
        let names = &mut self.design.scopes[scope.0].names;
        if names.insert(name.clone(), entity).is_some() {
            return Err(Stop::at(place, format!("`{name}` is declared twice")));
        }
        Ok(())
    }

    /// Declares the nets and variables in a list of items, except those declared early. Their drivers become processes.
    fn declarations(
        &mut self,
        items: &[&Item],
        scope: ScopeId,
        local: bool,
        early: &FxHashSet<u32>,
    ) -> Run<()> {
        for item in items {
            if let ItemKind::Declaration(declaration) = &item.kind {
                for declarator in &declaration.names {
                    if !early.contains(&declarator.extent.first) {
                        self.declare(declaration, declarator, scope, local)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the bounds of the dimensions of an array. One number is a count.
    pub(crate) fn dimensions(
        &mut self,
        dimensions: &[(ExprId, Option<ExprId>)],
    ) -> Run<Vec<(i64, i64)>> {
        let mut all = Vec::new();
        for (from, to) in dimensions {
            all.push(match to {
                Some(to) => (self.integer(*from)?, self.integer(*to)?),
                None => (0, self.integer(*from)?.saturating_sub(1)),
            });
        }
        Ok(all)
    }

    fn declare(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        scope: ScopeId,
        local: bool,
    ) -> Run<()> {
        let local = local || declaration.automatic;
        let place = declarator.extent.span(&self.source.tokens);
        match declaration.class {
            // Generate loops declare their loop variables.
            Some(Class::Genvar) => return Ok(()),
            Some(Class::Other(what)) => {
                return Err(Stop::at(place, format!("{what} is not supported")));
            }
            Some(Class::Real) => return Err(Stop::at(place, "`real` is not supported")),
            _ => {}
        }
        let layout = self.layout(declaration, place)?;
        let known = self.design.scopes[scope.0]
            .names
            .get(&declarator.name)
            .cloned();
        let id = match known {
            Some(Entity::Var(id)) if self.mergeable(id, declaration) => {
                self.merge(id, declaration, declarator, layout)?;
                id
            }
            _ => {
                let named = (declarator, self.path_of(scope, &declarator.name));
                let mut array = self.dimensions(&declarator.dimensions)?;
                array.extend(layout.array.iter().copied());
                let id = self.new_variable(declaration, named, local, (layout, array))?;
                self.enter(scope, &declarator.name, Entity::Var(id), place)?;
                id
            }
        };
        // Local variables get their values at the beginning of their block.
        if let Some(value) = declarator.value.filter(|_| !local) {
            // An input has this value in instances that do not connect the port.
            if declaration.direction == Some(Direction::Input) {
                self.port_defaults.insert(id, (scope, value));
                return Ok(());
            }
            let process = match self.design.var(id).variable {
                true => Process::InitialValue(id, scope, value),
                false => Process::Drive(id, scope, value),
            };
            self.processes.push((process, place));
        }
        Ok(())
    }

    /// Merges a declaration into a variable that is already declared: `output [3:0] q;` and `reg [3:0] q;` are one variable.
    fn merge(
        &mut self,
        id: VarId,
        declaration: &Declaration,
        declarator: &Declarator,
        layout: Layout,
    ) -> Run<()> {
        let place = declarator.extent.span(&self.source.tokens);
        let signed = layout.signed;
        let (range, layout) = stored(layout);
        let var = &mut self.design.vars[id.0];
        if let Some((left, right)) = range {
            let width = left.abs_diff(right) as u32 + 1;
            if var.width != width && var.width != 1 {
                return Err(Stop::at(
                    place,
                    format!("`{}` is declared with two widths", declarator.name),
                ));
            }
            (var.left, var.right) = (left, right);
            if var.width != width {
                var.width = width;
                let first = var.first;
                // The variable has no reader yet: its one word is replaced.
                let term = self.design.leaf(Leaf::Word(WordId(first)), width);
                self.design.elements[first].2 = term;
            }
        }
        let var = &mut self.design.vars[id.0];
        var.signed |= signed;
        if let Some(Class::Wired(and)) = declaration.class {
            var.net = if and { Net::And } else { Net::Or };
        }
        var.layout = var.layout.take().or(layout);
        var.variable |= is_variable(declaration);
        var.port = var.port.or(declaration.direction);
        Ok(())
    }

    fn new_variable(
        &mut self,
        declaration: &Declaration,
        (declarator, name): (&Declarator, String),
        local: bool,
        (layout, dimensions): (Layout, Vec<(i64, i64)>),
    ) -> Run<VarId> {
        let place = declarator.extent.span(&self.source.tokens);
        let signed = layout.signed;
        let (range, layout) = stored(layout);
        let (left, right) = range.unwrap_or((0, 0));
        self.variable(
            Var {
                name,
                width: left.abs_diff(right) as u32 + 1,
                left,
                right,
                signed,
                local,
                variable: is_variable(declaration) || local,
                integer: declaration.class == Some(Class::Integer),
                supply: match declaration.class {
                    Some(Class::Supply(value)) => Some(value),
                    _ => None,
                },
                net: match declaration.class {
                    Some(Class::Wired(true)) => Net::And,
                    Some(Class::Wired(false)) => Net::Or,
                    Some(Class::Pulled(to)) => Net::Pulled(to),
                    _ => Net::Plain,
                },
                choice: declaration.choice,
                layout,
                dimensions,
                first: 0,
                count: 0,
                port: declaration.direction,
                place,
            },
            place,
        )
    }

    /// Whether a declaration adds to a variable that is already declared: one of the two is the declaration of a port.
    fn mergeable(&self, id: VarId, declaration: &Declaration) -> bool {
        let var = self.design.var(id);
        var.dimensions.is_empty() && (var.port.is_some() != declaration.direction.is_some())
    }

    /// Adds a variable with its words.
    pub(crate) fn variable(&mut self, mut var: Var, place: Span) -> Run<VarId> {
        let mut count: u64 = 1;
        for (a, b) in &var.dimensions {
            count = count.saturating_mul(a.abs_diff(*b).saturating_add(1));
        }
        let bits = count.saturating_mul(u64::from(var.width));
        if bits > MAX_ARRAY || self.design.elements.len() + count as usize > MAX_WORDS {
            let message = format!(
                "an array of {bits} bits in {count} words: there are no more than {MAX_ARRAY} bits, and {MAX_WORDS} words in all"
            );
            return Err(Stop::at(place, message));
        }
        var.first = self.design.elements.len();
        var.count = count as u32;
        let width = var.width;
        self.design.vars.push(var);
        let id = VarId(self.design.vars.len() - 1);
        for element in 0..count as u32 {
            let word = WordId(self.design.elements.len());
            let term = self.design.leaf(Leaf::Word(word), width);
            self.design.elements.push((id, element, term));
        }
        Ok(id)
    }

    /// Declares an implicit wire of one bit, as the standard has it for connections. Adds a remark on it.
    ///
    /// # Errors
    /// If `default_nettype none` is in force at `expr`.
    pub(crate) fn implicit(&mut self, scope: ScopeId, name: &Name, expr: ExprId) -> Run<VarId> {
        let (full, place) = (self.path_of(scope, name), self.span(expr));
        let at = self.source.expr(expr).extent.first;
        let said = self.source.strict_nets.iter().rev();
        if let Some((_, true)) = said.into_iter().find(|(from, _)| *from <= at) {
            let message = format!(
                "`{full}` is not declared, and `default_nettype none` says that it must be"
            );
            return Err(Stop::at(place, message));
        }
        self.design
            .notes
            .push(format!("`{full}` is not declared: a wire of one bit"));
        let var = Var {
            name: full,
            width: 1,
            left: 0,
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
        let id = self.variable(var, place)?;
        self.enter(scope, name, Entity::Var(id), place)?;
        Ok(id)
    }

    /// Declares the ports of the top module.
    pub(crate) fn top_ports(&mut self, module: &Module, scope: ScopeId) -> Run<()> {
        for (_, inside) in &module.ports {
            let found = self.design.scopes[scope.0].names.get(inside).cloned();
            if let Some(Entity::Scope(_) | Entity::Scopes(_)) = found {
                self.top_interface(module, inside, found)?;
                continue;
            }
            let Some(Entity::Var(id)) = found else {
                let place = module.extent.span(&self.source.tokens);
                return Err(Stop::at(
                    place,
                    format!("the port `{inside}` is not declared"),
                ));
            };
            self.design.ports.push(id);
        }
        self.split_array_ports()?;
        // From here on only ports of the top module count as ports.
        for (i, var) in self.design.vars.iter_mut().enumerate() {
            let is_port = self.design.ports.contains(&VarId(i));
            match var.port {
                Some(Direction::Inout) if is_port => {
                    let message = format!("`inout {}`: tri-state is not supported", var.name);
                    return Err(Stop::at(var.place, message));
                }
                None if is_port => {
                    return Err(Stop::at(
                        var.place,
                        format!("the port `{}` has no direction", var.name),
                    ));
                }
                _ if !is_port => var.port = None,
                _ => {}
            }
        }
        Ok(())
    }

    /// Splits each array that is a port of the top module into one port per element.
    fn split_array_ports(&mut self) -> Run<()> {
        for port in std::mem::take(&mut self.design.ports) {
            let var = self.design.var(port).clone();
            let Some(direction) = var.port.filter(|_| !var.dimensions.is_empty()) else {
                self.design.ports.push(port);
                continue;
            };
            for element in 0..var.count {
                let indices: String = (var.indices(element).iter())
                    .map(|index| format!("[{index}]"))
                    .collect();
                let own = Var {
                    name: format!("{}{indices}", var.name),
                    dimensions: Vec::new(),
                    variable: false,
                    ..var.clone()
                };
                let own = self.variable(own, var.place)?;
                self.design.ports.push(own);
                let process = match direction {
                    Direction::Input => Process::Element(own, 0, port, element),
                    _ => Process::Element(port, element, own, 0),
                };
                self.processes.push((process, var.place));
            }
        }
        Ok(())
    }

    /// Returns a literal from the bits of a constant.
    pub(crate) fn literal_of(bits: &[bool], signed: bool) -> Literal {
        Literal {
            digits: bits.iter().map(|&bit| Digit::of(bit)).collect(),
            signed,
            sized: true,
            fill: false,
        }
    }
}

/// Returns the bounds of a word with this layout, and the layout itself if it is more than a vector.
fn stored(layout: Layout) -> (Option<(i64, i64)>, Option<Arc<Layout>>) {
    let layout = Layout {
        array: Vec::new(),
        ..layout
    };
    match (layout.bounds.as_slice(), &layout.parts) {
        ([], None) => (None, None),
        ([range], None) => (Some(*range), None),
        _ => (Some((layout.width() as i64 - 1, 0)), Some(Arc::new(layout))),
    }
}

/// Returns the items, including the items of unnamed regions.
pub(crate) fn flatten(items: &[Item]) -> Vec<&Item> {
    let mut all = Vec::new();
    for item in items {
        match &item.kind {
            ItemKind::Block(None, inner) => all.extend(flatten(inner)),
            _ => all.push(item),
        }
    }
    all
}

/// Whether a declaration is of variables. An input of a data type is a net (IEEE 1800-2017 §23.2.2.3).
fn is_variable(declaration: &Declaration) -> bool {
    let is_data = matches!(declaration.class, Some(Class::Reg | Class::Integer));
    is_data && declaration.direction != Some(Direction::Input)
}
