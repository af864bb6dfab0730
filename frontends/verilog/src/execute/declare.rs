//! Parameters, nets, variables and ports.

use hyperkill_core::sort::MAX_WORD;
use hyperkill_frontend::Span;

use std::sync::Arc;

use crate::ast::{
    Class, Declaration, Declarator, Direction, ExprId, ExprKind, Item, ItemKind, Module, Name,
    Parameter, Range,
};
use crate::design::{Entity, Leaf, Net, Process, Run, ScopeId, Stop, Var, VarId, WordId};
use crate::layout::Layout;
use crate::number::{Digit, Literal};
use crate::state::Elaborator;

/// What a parameter is set to from outside.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// A value.
    Value(Literal),
    /// A type.
    Type(Arc<Layout>),
}

/// Most bits of one array, and of all words of a design.
const MAX_ARRAY: u64 = 1 << 20;
/// Most words of a design.
const MAX_WORDS: usize = 1 << 18;

/// What a parameter is set to by its name, or else by its place.
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
    /// Left and right bound.
    pub(crate) fn bounds(&mut self, range: Range) -> Run<(i64, i64)> {
        let (left, right) = (self.integer(range.0)?, self.integer(range.1)?);
        let width = left.abs_diff(right).saturating_add(1);
        if width > u64::from(MAX_WORD) {
            let place = self.span(range.0).to(self.span(range.1));
            let message = format!("a vector of {width} bits: there are no more than {MAX_WORD}");
            return Err(Stop::at(place, message));
        }
        Ok((left, right))
    }

    /// All parameters that stand in a list of items, with those set from outside.
    fn parameters(
        &mut self,
        items: &[&Item],
        scope: ScopeId,
        overrides: &[(Option<Name>, Given)],
        place: Span,
    ) -> Run<()> {
        let mut settable: Vec<Name> = Vec::new();
        for item in items {
            match &item.kind {
                ItemKind::Parameters(all) => {
                    for parameter in all {
                        let mut given = None;
                        if !parameter.local {
                            given = self.value_from_outside(
                                parameter,
                                scope,
                                overrides,
                                settable.len(),
                            )?;
                            settable.push(parameter.name.clone());
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
                // In the order of the text, since each may need the other.
                _ => self.types(item, scope)?,
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
        Ok(())
    }

    /// What a parameter is set to, by a path, by its name or by its place.
    fn value_from_outside(
        &mut self,
        parameter: &Parameter,
        scope: ScopeId,
        overrides: &[(Option<Name>, Given)],
        place: usize,
    ) -> Run<Option<Literal>> {
        let path = self.path_of(scope, &parameter.name);
        if let Some(by_path) = self.defparams.get(&path) {
            return Ok(Some(by_path.clone()));
        }
        match from_outside(&parameter.name, overrides, place) {
            None => Ok(None),
            Some(Given::Value(value)) => Ok(Some(value.clone())),
            Some(Given::Type(_)) => {
                let message = format!("`{}` is a value, and is set to a type", parameter.name);
                Err(Stop::at(
                    parameter.extent.span(&self.source.tokens),
                    message,
                ))
            }
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
            (Some(Given::Value(_)), _) => {
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

    /// What an instance sets a parameter to: a value, or the name of a type.
    pub(crate) fn given(&mut self, expr: ExprId) -> Run<Given> {
        if let ExprKind::Name(path) = &self.source.expr(expr).kind
            && let [step] = path.as_slice()
            && let Some(Entity::Type(layout)) = self.find(&step.name, self.span(expr))?
        {
            return Ok(Given::Type(layout));
        }
        self.constant(expr).map(Given::Value)
    }

    /// What a list of items declares, whatever the order of the text.
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
                    Entity::Routine(routine.clone()),
                    place,
                )?;
            }
        }
        self.parameters(all, scope, overrides, place)?;
        for item in all {
            if let ItemKind::Defparam(path, value) = &item.kind {
                let value = self.constant(*value)?;
                let mut full = self.design.scopes[scope.0].path.clone();
                for (i, step) in path.iter().enumerate() {
                    full.push_str(if i > 0 { "." } else { "" });
                    full.push_str(&step.name);
                    if let Some(index) = step.index {
                        full.push_str(&format!("[{}]", self.integer(index)?));
                    }
                }
                self.defparams.insert(full, value);
            }
        }
        self.declarations(all, scope, false)
    }

    /// The parameters of a function, task or block.
    pub(crate) fn local_parameters(&mut self, items: &[&Item], scope: ScopeId) -> Run<()> {
        self.parameters(items, scope, &[], Span::default())
    }

    fn parameter(
        &mut self,
        parameter: &Parameter,
        scope: ScopeId,
        given: Option<Literal>,
    ) -> Run<()> {
        let bounds = match parameter.range {
            Some(range) => Some(self.bounds(range)?),
            None => None,
        };
        let width = match bounds {
            Some((left, right)) => left.abs_diff(right) as u32 + 1,
            None if parameter.integer => 32,
            None => 1,
        };
        let mut value = match given {
            Some(value) => value,
            None => self.constant_at(parameter.value, width)?,
        };
        let signed = value.signed;
        if bounds.is_some() {
            let width = width as usize;
            value = Literal {
                digits: value.at_width(width, signed),
                signed: parameter.signed,
                sized: true,
                fill: false,
            };
        } else if parameter.integer {
            value = Literal {
                digits: value.at_width(32, signed),
                signed: true,
                sized: false,
                fill: false,
            };
        } else if parameter.signed {
            value.signed = true;
        }
        self.enter(
            scope,
            &parameter.name,
            Entity::Constant(value),
            parameter.extent.span(&self.source.tokens),
        )
    }

    /// Gives a name its meaning.
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

    /// All nets and variables that stand in a list of items. What drives them is a process.
    pub(crate) fn declarations(&mut self, items: &[&Item], scope: ScopeId, local: bool) -> Run<()> {
        for item in items {
            if let ItemKind::Declaration(declaration) = &item.kind {
                for declarator in &declaration.names {
                    self.declare(declaration, declarator, scope, local)?;
                }
            }
        }
        Ok(())
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
            // Loops of `generate` declare what they count with.
            Some(Class::Genvar) => return Ok(()),
            Some(Class::Other(what)) => {
                return Err(Stop::at(place, format!("{what} is not supported")));
            }
            _ => {}
        }
        let layout = self.layout(declaration, place)?;
        let signed = layout.signed;
        let (range, layout) = match (layout.bounds.as_slice(), &layout.parts) {
            ([], None) => (None, None),
            ([range], None) => (Some(*range), None),
            _ => (Some((layout.width() as i64 - 1, 0)), Some(Arc::new(layout))),
        };
        let known = self.design.scopes[scope.0]
            .names
            .get(&declarator.name)
            .cloned();
        let id = match known {
            Some(Entity::Var(id)) if self.mergeable(id, declaration) => {
                self.merge(id, declaration, declarator, range, (signed, layout))?;
                id
            }
            _ => {
                let named = (declarator, self.path_of(scope, &declarator.name));
                let id = self.new_variable(declaration, named, local, range, (signed, layout))?;
                self.enter(scope, &declarator.name, Entity::Var(id), place)?;
                id
            }
        };
        // Local variables get their values where their block begins.
        if let Some(value) = declarator.value.filter(|_| !local) {
            let process = match self.design.var(id).variable {
                true => Process::InitialValue(id, scope, value),
                false => Process::Drive(id, scope, value),
            };
            self.processes.push((process, place));
        }
        Ok(())
    }

    /// Says more about a variable that is declared already: `output [3:0] q;` and `reg [3:0] q;` are one variable.
    fn merge(
        &mut self,
        id: VarId,
        declaration: &Declaration,
        declarator: &Declarator,
        range: Option<(i64, i64)>,
        (signed, layout): (bool, Option<Arc<Layout>>),
    ) -> Run<()> {
        let place = declarator.extent.span(&self.source.tokens);
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
                // Nobody has read it yet: its one word is made anew.
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
        var.variable |= matches!(declaration.class, Some(Class::Reg | Class::Integer));
        var.port = var.port.or(declaration.direction);
        Ok(())
    }

    fn new_variable(
        &mut self,
        declaration: &Declaration,
        (declarator, name): (&Declarator, String),
        local: bool,
        range: Option<(i64, i64)>,
        (signed, layout): (bool, Option<Arc<Layout>>),
    ) -> Run<VarId> {
        let place = declarator.extent.span(&self.source.tokens);
        let mut dimensions = Vec::new();
        for (from, to) in &declarator.dimensions {
            dimensions.push(match to {
                Some(to) => (self.integer(*from)?, self.integer(*to)?),
                None => (0, self.integer(*from)?.saturating_sub(1)),
            });
        }
        let (left, right) = range.unwrap_or((0, 0));
        self.variable(
            Var {
                name,
                width: left.abs_diff(right) as u32 + 1,
                left,
                right,
                signed,
                local,
                variable: matches!(declaration.class, Some(Class::Reg | Class::Integer)) || local,
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

    /// Whether a declaration says more about a variable that is declared already.
    fn mergeable(&self, id: VarId, declaration: &Declaration) -> bool {
        let var = self.design.var(id);
        var.dimensions.is_empty() && (var.port.is_some() != declaration.direction.is_some())
    }

    /// A new variable with its words.
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

    /// A wire of one bit that nobody declares, as the standard has it for connections.
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

    /// The ports of the top module.
    pub(crate) fn top_ports(&mut self, module: &Module, scope: ScopeId) -> Run<()> {
        for (_, inside) in &module.ports {
            let Some(Entity::Var(id)) = self.design.scopes[scope.0].names.get(inside) else {
                let place = module.extent.span(&self.source.tokens);
                return Err(Stop::at(
                    place,
                    format!("the port `{inside}` is not declared"),
                ));
            };
            self.design.ports.push(*id);
        }
        // Only ports of the top are ports from here on.
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
                Some(_) if is_port && !var.dimensions.is_empty() => {
                    let message =
                        format!("`{}`: a port of the top module that is an array", var.name);
                    return Err(Stop::at(var.place, message + " is not supported"));
                }
                _ if !is_port => var.port = None,
                _ => {}
            }
        }
        Ok(())
    }

    /// A literal from the bits of a constant.
    pub(crate) fn literal_of(bits: &[bool], signed: bool) -> Literal {
        Literal {
            digits: bits.iter().map(|&bit| Digit::of(bit)).collect(),
            signed,
            sized: true,
            fill: false,
        }
    }
}

/// The items with those of regions without a name.
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
