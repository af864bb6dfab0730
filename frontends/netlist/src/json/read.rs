//! Reads JSON texts to modules.

use hyperkill_frontend::{Diagnostic, SourceFile, Span};
use rustc_hash::FxHashMap;

use super::cells::{Read, cell};
use hyperkill_text::json::{Members, Raw, Text};

use super::document::{CellText, Document, ModuleText, NetText, PortText, text};
use super::parameters::{Parameters, vector};
use crate::netlist::{Bit, Cell, Direction, Instance, Library, Module, Pin, Port};

/// Reads all files as one library.
///
/// # Errors
/// All errors, in the order of the files.
pub fn read(sources: &[SourceFile]) -> Result<Library, Vec<Diagnostic>> {
    let mut library = Library::default();
    let mut errors = Vec::new();
    for (file, source) in sources.iter().enumerate() {
        let text = text(file, &source.text);
        let document = match text.document::<Document<'_>>() {
            Ok(document) => document,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        for (name, raw) in document.modules.0 {
            let module = text.shaped::<ModuleText<'_>>(raw);
            match module.and_then(|shape| Modules::read(text, &name, raw, &shape, &mut errors)) {
                Ok(Some(module)) => library.modules.push(module),
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() && library.modules.is_empty() {
        errors.push(Diagnostic::unlocated("there is no module"));
    }
    if errors.is_empty() {
        Ok(library)
    } else {
        Err(errors)
    }
}

/// A module under construction.
struct Modules<'a> {
    text: Text<'a>,
    /// Nets by their numbers in the file.
    nets: FxHashMap<u64, usize>,
    names: Vec<String>,
    /// The initial values of nets.
    init: FxHashMap<usize, bool>,
}

impl<'a> Modules<'a> {
    /// Reads the module `name`. `None` for a library cell (`blackbox`, `whitebox`) with known ports only. Errors of single cells go to
    /// `errors`.
    fn read(
        text: Text<'a>,
        name: &str,
        raw: Raw<'a>,
        shape: &ModuleText<'a>,
        errors: &mut Vec<Diagnostic>,
    ) -> Result<Option<Module>, Diagnostic> {
        let span = text.span(raw);
        let attribute = |name: &str| attribute(&shape.attributes, name);
        if attribute("blackbox").is_some() || attribute("whitebox").is_some() {
            return Ok(None);
        }
        if attribute("has_processes").is_some() {
            return Err(Diagnostic::error(
                span.shorten(),
                format!("module `{name}` holds processes"),
            )
            .with_help("run `proc` before `write_json`"));
        }
        let mut reading = Modules {
            text,
            nets: FxHashMap::default(),
            names: Vec::new(),
            init: FxHashMap::default(),
        };
        reading.name_nets(&shape.netnames)?;
        let mut module = Module {
            name: name.to_owned(),
            span: span.shorten(),
            is_top: attribute("top").is_some(),
            ports: Vec::new(),
            cells: Vec::new(),
            instances: Vec::new(),
            nets: Vec::new(),
        };
        for (name, raw) in &shape.ports.0 {
            module.ports.push(reading.port(name, raw)?);
        }
        for (name, raw) in &shape.cells.0 {
            match reading.cell(name, raw) {
                Ok(Read::Cell(cell)) => module.cells.push(*cell),
                Ok(Read::Instance(instance)) => module.instances.push(instance),
                Ok(Read::Nothing) => {}
                Err(error) => errors.push(error),
            }
        }
        module.nets = reading.names;
        Ok(Some(module))
    }

    /// Names nets: public names come first, then generated ones.
    fn name_nets(&mut self, names: &Members<Raw<'a>>) -> Result<(), Diagnostic> {
        let mut nets = Vec::new();
        for (name, raw) in &names.0 {
            let net: NetText<'_> = self.text.shaped(raw)?;
            let is_hidden = net.hide_name != 0;
            nets.push((is_hidden, name, net));
        }
        nets.sort_by_key(|(is_hidden, ..)| *is_hidden);
        for (_, name, net) in nets {
            let init = net.attributes.0.iter().find(|(name, _)| name == "init");
            let init = init.and_then(|(_, raw)| vector(&self.text.string(raw)?));
            let width = net.bits.len();
            for (bit, raw) in net.bits.iter().enumerate() {
                let Bit::Net(net) = self.bit(raw, || match width {
                    1 => name.clone(),
                    _ => format!("{name}[{}]", net.place(bit)),
                })?
                else {
                    continue;
                };
                if let Some(Some(value)) = init.as_ref().and_then(|init| init.get(bit)) {
                    self.init.insert(net, *value);
                }
            }
        }
        Ok(())
    }

    /// Returns a bit; `name` gives the name of its net if it is new.
    fn bit(&mut self, raw: Raw<'a>, name: impl FnOnce() -> String) -> Result<Bit, Diagnostic> {
        match raw.get() {
            "\"0\"" => return Ok(Bit::Constant(false)),
            "\"1\"" => return Ok(Bit::Constant(true)),
            "\"x\"" | "\"z\"" => return Ok(Bit::Unknown),
            _ => {}
        }
        let Ok(number) = raw.get().parse::<u64>() else {
            let message = "a bit is a number, \"0\", \"1\", \"x\" or \"z\"";
            return Err(Diagnostic::error(self.text.span(raw), message));
        };
        let net = match self.nets.get(&number) {
            Some(&net) => net,
            None => {
                let net = self.names.len();
                self.names.push(name());
                self.nets.insert(number, net);
                net
            }
        };
        Ok(Bit::Net(net))
    }

    fn port(&mut self, name: &str, raw: Raw<'a>) -> Result<Port, Diagnostic> {
        let port: PortText<'_> = self.text.shaped(raw)?;
        let span = self.text.span(raw);
        let direction = match port.direction.as_str() {
            "input" => Direction::Input,
            "output" => Direction::Output,
            direction => {
                let message =
                    format!("`{name}` is an {direction} port, which may be driven from both sides");
                return Err(Diagnostic::error(span, message));
            }
        };
        let width = port.bits.len();
        let bits = port.bits.iter().enumerate().map(|(bit, raw)| {
            self.bit(raw, || match width {
                1 => name.to_owned(),
                _ => format!("{name}[{bit}]"),
            })
        });
        Ok(Port {
            name: name.to_owned(),
            direction,
            bits: bits.collect::<Result<_, _>>()?,
            span,
        })
    }

    fn cell(&mut self, name: &str, raw: Raw<'a>) -> Result<Read, Diagnostic> {
        let shape: CellText<'_> = self.text.shaped(raw)?;
        let span = self.text.span(raw);
        let mut pins = Vec::new();
        for (pin, bits) in &shape.connections.0 {
            let width = bits.len();
            let all = bits.iter().enumerate().map(|(bit, raw)| {
                self.bit(raw, || match width {
                    1 => format!("{name}.{pin}"),
                    _ => format!("{name}.{pin}[{bit}]"),
                })
            });
            pins.push(Pin {
                name: pin.clone(),
                bits: all.collect::<Result<_, _>>()?,
                spans: bits.iter().map(|raw| self.text.span(raw)).collect(),
            });
        }
        if !shape.kind.starts_with('$') {
            return Ok(Read::Instance(Instance {
                name: name.to_owned(),
                module: shape.kind,
                pins,
                span,
            }));
        }
        let parameters = Parameters {
            text: self.text,
            members: &shape.parameters,
            span,
        };
        let init = &self.init;
        let init = |bit: Bit| match bit {
            Bit::Net(net) => init.get(&net).copied(),
            Bit::Constant(_) | Bit::Unknown => None,
        };
        let place = attribute(&shape.attributes, "src");
        let read = cell(&shape.kind, pins, &parameters, init).map_err(|mut error| {
            if let Some(place) = place {
                error.message = format!("{place}: {}", error.message);
            }
            error
        })?;
        let off = attribute(&shape.attributes, "hyperkill");
        Ok(match read {
            Read::Cell(found) => Read::Cell(Box::new(Cell {
                name: name.to_owned(),
                span,
                mutable: found.mutable && off.as_deref() != Some("off"),
                ..*found
            })),
            other => other,
        })
    }
}

/// Returns the text of an attribute; `None` if it is missing, empty, or has only the digit 0.
fn attribute(attributes: &Members<Raw<'_>>, name: &str) -> Option<String> {
    let (_, raw) = attributes.0.iter().find(|(member, _)| member == name)?;
    let value = serde_json::from_str::<String>(raw.get()).unwrap_or_else(|_| raw.get().to_owned());
    (!value.bytes().all(|byte| byte == b'0')).then_some(value)
}

/// Shortens places of large parts.
trait Shorten {
    /// Returns the first character of a place, since messages print its beginning only.
    fn shorten(self) -> Self;
}

impl Shorten for Span {
    fn shorten(self) -> Span {
        Span {
            end: self.start + 1,
            ..self
        }
    }
}
