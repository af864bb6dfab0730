//! Types that are more than bits, and the packages and items outside modules that declare them.

use std::sync::Arc;

use hyperkill_core::sort::MAX_WORD;
use hyperkill_frontend::Span;

use super::declare::flatten;
use crate::ast::{Class, DataType, Declaration, Item, ItemKind, Name};
use crate::design::{Entity, Run, ScopeId, Stop};
use crate::layout::{Layout, Part};
use crate::number::Literal;
use crate::state::Elaborator;

impl<'a> Elaborator<'a> {
    /// Returns the layout of the words of a declaration.
    pub(crate) fn layout(&mut self, declaration: &Declaration, place: Span) -> Run<Layout> {
        let mut layout = match declaration.of.as_deref() {
            Some(of) => self.data_type(of, place)?,
            None => Layout {
                bounds: Vec::new(),
                parts: None,
                signed: declaration.class == Some(Class::Integer) && !declaration.unsigned,
                signed_element: None,
                array: Vec::new(),
            },
        };
        if declaration.of.is_none() {
            layout.signed |= declaration.signed;
        }
        let mut bounds = Vec::new();
        for range in declaration.range.iter().chain(&declaration.inner) {
            bounds.push(self.bounds(*range)?);
        }
        if declaration.of.is_none() && declaration.class == Some(Class::Integer) {
            bounds = vec![(31, 0)];
        }
        if declaration.of.is_some() && !bounds.is_empty() {
            if !layout.array.is_empty() {
                return Err(Stop::at(place, "a vector of arrays"));
            }
            if layout.signed {
                layout.signed_element = Some(layout.bounds.len());
            }
            layout.signed = declaration.signed;
        }
        bounds.append(&mut layout.bounds);
        layout.bounds = bounds;
        let width = layout.width();
        if width > u64::from(MAX_WORD) {
            let message = format!("a vector of {width} bits: there are no more than {MAX_WORD}");
            return Err(Stop::at(place, message));
        }
        Ok(layout)
    }

    fn data_type(&mut self, of: &DataType, place: Span) -> Run<Layout> {
        match of {
            DataType::Named(name) => match self.find(name, place)? {
                Some(Entity::Type(layout)) => Ok((*layout).clone()),
                _ => Err(Stop::at(place, format!("`{name}` is no type"))),
            },
            DataType::Enum(base, _) => match base {
                Some(base) => self.layout(base, place),
                None => Ok(Layout::vector(31, 0, true)),
            },
            DataType::Struct(declarations, signed) | DataType::Union(declarations, signed) => {
                let union = matches!(of, DataType::Union(..));
                let mut parts = Vec::new();
                for declaration in declarations {
                    let layout = self.layout(declaration, place)?;
                    for declarator in &declaration.names {
                        let place = declarator.extent.span(&self.source.tokens);
                        if declarator.value.is_some() {
                            return Err(Stop::at(place, "a first value in a `struct`"));
                        }
                        let mut layout = layout.clone();
                        // Only the elements of an array in a structure are accessed: it is read as a vector.
                        let mut bounds = self.dimensions(&declarator.dimensions)?;
                        bounds.append(&mut layout.array);
                        if !bounds.is_empty() {
                            if layout.signed {
                                layout.signed_element = Some(layout.bounds.len());
                            }
                            layout.signed = false;
                            bounds.append(&mut layout.bounds);
                            layout.bounds = bounds;
                        }
                        parts.push(Part {
                            name: declarator.name.clone(),
                            low: 0,
                            layout,
                        });
                    }
                }
                if let (true, [first, ..]) = (union, parts.as_slice()) {
                    let width = first.layout.width();
                    if parts.iter().any(|part| part.layout.width() != width) {
                        return Err(Stop::at(place, "a `union` of parts of several widths"));
                    }
                }
                let mut low = 0u64;
                for part in parts.iter_mut().rev() {
                    part.low = u32::try_from(low)
                        .ok()
                        .filter(|low| *low <= MAX_WORD)
                        .ok_or_else(|| Stop::at(place, "a `struct` of too many bits"))?;
                    low += if union { 0 } else { part.layout.width() };
                }
                Ok(Layout {
                    bounds: Vec::new(),
                    parts: Some(Arc::new(parts)),
                    signed: *signed,
                    signed_element: None,
                    array: Vec::new(),
                })
            }
        }
    }

    /// Declares the names of an `enum` in `scope` with their values. Does nothing for other types.
    fn members(&mut self, of: &DataType, scope: ScopeId, place: Span) -> Run<()> {
        let DataType::Enum(_, members) = of else {
            return Ok(());
        };
        let layout = self.data_type(of, place)?;
        let width = layout.width() as u32;
        let mut next = 0i64;
        for member in members {
            let place = member.extent.span(&self.source.tokens);
            let mut literal = match member.value {
                Some(value) => self.constant_at(value, width)?,
                None => Literal::integer(next),
            };
            let signed = literal.signed;
            literal = Literal {
                digits: literal.at_width(width as usize, signed),
                signed: layout.signed,
                sized: true,
                fill: false,
            };
            if !literal.has_unknown() {
                let bits: Vec<bool> = (literal.digits.iter())
                    .map(|digit| *digit == crate::number::Digit::One)
                    .collect();
                let term = self.design.words.bits(&bits);
                next = self.design.words.value(term, layout.signed).unwrap_or(0) + 1;
            }
            self.enter(scope, &member.name, Entity::Constant(literal), place)?;
        }
        Ok(())
    }

    /// Declares the type of an item, and the names of its `enum`.
    pub(crate) fn types(&mut self, item: &Item, scope: ScopeId) -> Run<()> {
        let place = item.extent.span(&self.source.tokens);
        let (declarator, declaration) = match &item.kind {
            ItemKind::Typedef(declarator, declaration) => (Some(declarator), declaration),
            ItemKind::Declaration(declaration) => (None, declaration),
            _ => return Ok(()),
        };
        if let Some(of) = &declaration.of {
            self.members(of, scope, place)?;
        }
        if let Some(declarator) = declarator {
            let mut layout = self.layout(declaration, place)?;
            let mut array = self.dimensions(&declarator.dimensions)?;
            array.append(&mut layout.array);
            layout.array = array;
            self.enter(
                scope,
                &declarator.name,
                Entity::Type(Arc::new(layout)),
                place,
            )?;
        }
        Ok(())
    }

    /// Returns the scope of a package, created once.
    fn package(&mut self, name: &Name, place: Span) -> Run<ScopeId> {
        if let Some(scope) = self.packages.get(name) {
            return Ok(*scope);
        }
        let source = self.source;
        let Some((_, items)) = source.packages.iter().find(|(known, _)| known == name) else {
            return Err(Stop::at(place, format!("there is no package `{name}`")));
        };
        let imported = self.imported(items, Some(self.outside), place)?;
        let scope = self.new_scope(Some(imported), format!("{name}."));
        self.packages.insert(name.clone(), scope);
        self.constants_of(items, scope)?;
        Ok(scope)
    }

    /// Declares the types, parameters and functions of a package, or of the items outside modules.
    fn constants_of(&mut self, items: &'a [Item], scope: ScopeId) -> Run<()> {
        let all = flatten(items);
        self.within(scope, |this| {
            this.declared(&all, scope, &[], Span::default())?;
            // Other items wait for elaboration; unsupported ones are refused at once.
            for item in all {
                if let ItemKind::Unsupported(what) = &item.kind {
                    let place = item.extent.span(&this.source.tokens);
                    return Err(Stop::at(place, format!("{what} is not supported")));
                }
                this.of_packages.push((scope, item));
            }
            Ok(())
        })
    }

    /// Declares the items outside modules.
    pub(crate) fn outside_modules(&mut self) -> Run<()> {
        let source = self.source;
        self.outside = self.new_scope(None, String::new());
        let imported = self.imported(&source.outside, None, Span::default())?;
        self.design.scopes[self.outside.0].parent = Some(imported);
        self.constants_of(&source.outside, self.outside)
    }

    /// Returns a new scope inside `parent` with the names that items import from packages.
    ///
    /// # Errors
    /// If a package or a name does not exist.
    pub(crate) fn imported(
        &mut self,
        items: &[Item],
        parent: Option<ScopeId>,
        place: Span,
    ) -> Run<ScopeId> {
        let scope = self.new_scope(parent, String::new());
        for item in items {
            let ItemKind::Import(all) = &item.kind else {
                continue;
            };
            let place = match item.extent.span(&self.source.tokens) {
                span if span == Span::default() => place,
                span => span,
            };
            for (package, name) in all {
                let from = self.package(package, place)?;
                let names = self.design.scopes[from.0].names.clone();
                match name {
                    None => self.design.scopes[scope.0].names.extend(names),
                    Some(name) => match names.get(name) {
                        Some(entity) => {
                            let names = &mut self.design.scopes[scope.0].names;
                            names.insert(name.clone(), entity.clone());
                        }
                        None => {
                            let message = format!("there is no `{name}` in `{package}`");
                            return Err(Stop::at(place, message));
                        }
                    },
                }
            }
        }
        Ok(scope)
    }

    /// Returns the meaning of a name in the current scope, a surrounding one, or the package that the name contains. `None` if it is not
    /// declared there.
    ///
    /// # Errors
    /// If the package does not exist.
    pub(crate) fn find(&mut self, name: &Name, place: Span) -> Run<Option<Entity>> {
        let (scope, name) = self.start_of(name, place)?;
        self.within(scope, |this| Ok(this.lookup(&name)))
    }

    /// Returns the scope in which to look up a name, and the name there: `package::name` is looked up in the package.
    pub(crate) fn start_of(&mut self, name: &Name, place: Span) -> Run<(ScopeId, Name)> {
        match name.split_once("::") {
            Some((package, inner)) => {
                let scope = self.package(&Arc::from(package), place)?;
                Ok((scope, Arc::from(inner)))
            }
            None if name.contains('.') => match name.split_once('.') {
                // A type of an interface.
                Some((port, inner)) => match self.lookup(&Arc::from(port)) {
                    Some(Entity::Scope(scope)) => Ok((scope, Arc::from(inner))),
                    _ => Ok((self.scope, name.clone())),
                },
                None => Ok((self.scope, name.clone())),
            },
            None => Ok((self.scope, name.clone())),
        }
    }
}
