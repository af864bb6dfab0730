//! Traces of several systems in one formula: a circuit with all systems behind selectors, and the formula translated to it.
//!
//! Ports with the same name, kind and sort are merged; all other names of later systems get a mark. The first system is the circuit's
//! original, and each other one is a mutant of it. So all methods for formulas about mutants apply.

use hyperkill_core::aig::{Images, Leaf, Reset, Signal as Wire};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Sort;
use hyperkill_core::{Aig, ConditionalMutant, Lit};

use crate::ast::{Atom, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar};
use crate::signals::{resolve, split_index};

/// The kinds of ports, in the order in which names are resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Output,
    Input,
    Choice,
}

const KINDS: [Kind; 3] = [Kind::Output, Kind::Input, Kind::Choice];

fn ports(model: &ConditionalMutant, kind: Kind) -> &[Port] {
    match kind {
        Kind::Output => &model.outputs,
        Kind::Input => &model.inputs,
        Kind::Choice => &model.choices,
    }
}

/// Returns the port that a name denotes, by kind and index among the ports of that kind, and the bit if the name denotes one bit. `None` if
/// it denotes no port.
fn port_of(model: &ConditionalMutant, name: &str) -> Option<(Kind, usize, Option<usize>)> {
    let find = |name: &str| {
        KINDS.into_iter().find_map(|kind| {
            let mut ports = ports(model, kind).iter();
            Some((kind, ports.position(|port| port.name == name)?))
        })
    };
    let whole = find(name).map(|(kind, port)| (kind, port, None));
    whole.or_else(|| {
        let (port, bit) = split_index(name)?;
        let (kind, port) = find(port)?;
        (bit < ports(model, kind)[port].bits.len()).then_some((kind, port, Some(bit)))
    })
}

/// Returns the port and the bit, as [`port_of`] does, whose wire has this name in the symbol table; `None` if none has. Merged ports lose
/// the names of their wires.
fn port_of_symbol(model: &ConditionalMutant, name: &str) -> Option<(Kind, usize, Option<usize>)> {
    let of = |kind: Kind, wire: usize| {
        let mut ports = ports(model, kind).iter().enumerate();
        ports.find_map(|(port, own)| {
            let bit = own.bits.iter().position(|&bit| bit == wire)?;
            Some((kind, port, Some(bit)))
        })
    };
    let is_it = |symbol: &Option<String>| symbol.as_deref() == Some(name);
    let mut outputs = model.aig.outputs.iter();
    if let Some(output) = outputs.position(|wire| is_it(&wire.name)) {
        return of(Kind::Output, output);
    }
    let mut inputs = model.aig.inputs().iter();
    let input = inputs.position(|input| is_it(&input.name))?;
    of(Kind::Input, input).or_else(|| of(Kind::Choice, input))
}

/// Several systems as one circuit.
#[derive(Clone, Debug)]
pub struct Systems {
    /// The circuit: the first system is its original, the others its mutants.
    pub model: ConditionalMutant,
    /// The systems by themselves.
    systems: Vec<ConditionalMutant>,
    /// For each system the suffix that marks its own names; empty for the first system.
    marks: Vec<String>,
    /// For each system and kind, the index among the circuit's ports for each of the system's ports.
    places: Places,
}

/// The reason why a formula cannot be translated to several systems.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SystemsError {
    /// A system is a circuit with mutants.
    #[error("{0} holds mutants, and traces of several systems are of models by themselves")]
    Mutants(String),
    /// A system has no signal of this name.
    #[error("{model}, the model of trace {trace}, has no signal `{name}`")]
    UnknownSignal {
        /// The name of the system.
        model: String,
        /// The trace.
        trace: TraceVar,
        /// The name.
        name: String,
        /// The number of the system, from 0.
        system: usize,
    },
    /// A name denotes signals of different kinds in two systems, and no name in the joint circuit can express that.
    #[error("`{0}` is another kind of signal in another of the systems: rename one of them")]
    Ambiguous(String),
    /// Test inputs or outputs are compared that differ between the systems.
    #[error("{what} are compared, but only one of the systems has `{name}`")]
    OneSided {
        /// Inputs or outputs.
        what: &'static str,
        /// The port that one system lacks.
        name: String,
    },
    /// The atom has no meaning for several systems.
    #[error("`{0}` says nothing of several systems")]
    Meaningless(&'static str),
}

impl Systems {
    /// Joins systems into one circuit, in which selectors determine the system of a run.
    ///
    /// # Errors
    /// If one contains mutants.
    pub fn join(systems: Vec<ConditionalMutant>) -> Result<Systems, SystemsError> {
        if let Some(with) = systems.iter().find(|model| !model.selectors.is_empty()) {
            return Err(SystemsError::Mutants(with.name.clone()));
        }
        let marks = unused_marks(&systems);
        let (model, places) = joined(&systems, &marks);
        Ok(Systems {
            model,
            systems,
            marks,
            places,
        })
    }

    /// Translates a formula about traces of the systems to one about traces of the joint circuit. `of` gives the number of the system of
    /// each trace.
    ///
    /// # Errors
    /// If it mentions a name that a system does not have.
    pub fn said(
        &self,
        formula: &Formula,
        of: &dyn Fn(&TraceVar) -> usize,
    ) -> Result<Formula, SystemsError> {
        let mut body = self.body(&formula.body, of)?;
        let mut prefix = &formula.prefix[..];
        // From the innermost block of equal quantifiers outwards.
        while let Some((quantifier, _)) = prefix.last() {
            let block = prefix.iter().rev().take_while(|(q, _)| q == quantifier);
            let first = prefix.len() - block.count();
            let fixed = prefix[first..].iter();
            let fixed = fixed.map(|(_, trace)| self.is_of(trace, of(trace)));
            let fixed = Ltl::and(fixed).globally();
            body = match quantifier {
                Quantifier::Exists => Ltl::and([fixed, body]),
                Quantifier::Forall => fixed.implies(body),
            };
            prefix = &prefix[..first];
        }
        Ok(Formula {
            prefix: formula.prefix.clone(),
            body,
        })
    }

    /// Returns the formula that a trace belongs to a system.
    fn is_of(&self, trace: &TraceVar, system: usize) -> Ltl {
        match (self.systems.len(), system) {
            (3.., _) => Ltl::system(trace, system),
            (_, 0) => Ltl::selector(trace).not(),
            _ => Ltl::selector(trace),
        }
    }

    /// Returns the ports of the joint circuit that a system has, under the system's own names: inputs, choices and outputs.
    #[must_use]
    pub fn ports_of(&self, system: usize) -> [Vec<Port>; 3] {
        [Kind::Input, Kind::Choice, Kind::Output].map(|kind| {
            let own = ports(&self.systems[system], kind).iter();
            let places = own.zip(&self.places[system][kind as usize]);
            let named = places.map(|(own, &place)| Port {
                name: own.name.clone(),
                ..ports(&self.model, kind)[place].clone()
            });
            named.collect()
        })
    }

    /// Returns a system's own name of a latch of the circuit with this name; `None` if it belongs to another system.
    #[must_use]
    pub fn own_latch(&self, system: usize, latch: usize, name: &str) -> Option<String> {
        // The latches of the systems are consecutive, after the selectors.
        let before = self.systems[..system].iter();
        let before: usize = before.map(|own| own.aig.latches().len()).sum();
        let place = latch.checked_sub(self.model.selectors.len() + before)?;
        let own = place < self.systems[system].aig.latches().len();
        own.then(|| unmarked(name, &self.marks[system]).to_owned())
    }

    /// Returns the names of the systems.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let systems = self.systems.iter();
        systems.map(|model| model.name.as_str()).collect()
    }

    /// Returns the circuit of one system, by its number from 0.
    #[must_use]
    pub fn system(&self, number: usize) -> &ConditionalMutant {
        &self.systems[number]
    }

    fn body(&self, body: &Ltl, of: &dyn Fn(&TraceVar) -> usize) -> Result<Ltl, SystemsError> {
        let all = |operands: &[Ltl]| -> Result<Vec<Ltl>, SystemsError> {
            operands.iter().map(|o| self.body(o, of)).collect()
        };
        Ok(match body {
            Ltl::Constant(value) => Ltl::Constant(*value),
            Ltl::Atom(atom) => self.atom(atom, of)?,
            Ltl::Unary(op, a) => Ltl::unary(*op, self.body(a, of)?),
            Ltl::Binary(op, a, b) => Ltl::binary(*op, self.body(a, of)?, self.body(b, of)?),
            Ltl::And(operands) => Ltl::And(all(operands)?),
            Ltl::Or(operands) => Ltl::Or(all(operands)?),
        })
    }

    fn atom(&self, atom: &Atom, of: &dyn Fn(&TraceVar) -> usize) -> Result<Ltl, SystemsError> {
        let signal = |signal: &SignalOf| self.signal(signal, of(&signal.trace));
        Ok(match atom {
            Atom::Selector(_) | Atom::System(..) => return Err(SystemsError::Meaningless("mut")),
            Atom::StatesEqual(..) => return Err(SystemsError::Meaningless("latches")),
            Atom::Signal(one) => Ltl::Atom(Atom::Signal(signal(one)?)),
            Atom::Equal(left, Operand::Value(value)) => {
                Ltl::Atom(Atom::Equal(signal(left)?, Operand::Value(value.clone())))
            }
            Atom::Equal(left, Operand::Signal(right)) => {
                Ltl::Atom(Atom::Equal(signal(left)?, Operand::Signal(signal(right)?)))
            }
            Atom::InputsEqual(p, q) => match self.are_shared(Kind::Input) {
                true => Ltl::inputs_equal(p, q),
                false => self.ports_equal(Kind::Input, &[], (p, q), of)?,
            },
            Atom::InputsEqualExcept(p, q, names) => {
                self.have_inputs(names, p, [of(p), of(q)])?;
                self.ports_equal(Kind::Input, names, (p, q), of)?
            }
            Atom::OutputsEqual(p, q) => match self.are_shared(Kind::Output) {
                true => Ltl::outputs_equal(p, q),
                false => self.ports_equal(Kind::Output, &[], (p, q), of)?,
            },
        })
    }

    /// Checks that each name is a test input of one of these two systems, or a bit of one.
    ///
    /// # Errors
    /// If one is not.
    fn have_inputs(
        &self,
        names: &[String],
        trace: &TraceVar,
        systems: [usize; 2],
    ) -> Result<(), SystemsError> {
        let inputs = systems.map(|system| &self.systems[system].inputs);
        let is_input = |name: &String| {
            inputs.into_iter().flatten().any(|port| {
                let mut bits = 0..port.bits.len();
                let has_bits = port.bits.len() > 1;
                port.name == *name || has_bits && bits.any(|bit| port.bit_name(bit) == *name)
            })
        };
        match names.iter().find(|name| !is_input(name)) {
            None => Ok(()),
            Some(name) => Err(SystemsError::UnknownSignal {
                model: self.systems[systems[0]].name.clone(),
                trace: trace.clone(),
                name: name.clone(),
                system: systems[0],
            }),
        }
    }

    /// Whether every system has all ports of this kind in the joint circuit.
    fn are_shared(&self, kind: Kind) -> bool {
        let all = ports(&self.model, kind).len();
        let mut places = self.places.iter().map(|places| &places[kind as usize]);
        places.all(|places| (0..all).all(|port| places.contains(&port)))
    }

    /// Returns a signal of a system under its name in the circuit.
    fn signal(&self, signal: &SignalOf, system: usize) -> Result<SignalOf, SystemsError> {
        let SignalOf { name, trace } = signal;
        let own = &self.systems[system];
        if resolve(own, name).is_none() {
            return Err(SystemsError::UnknownSignal {
                model: own.name.clone(),
                trace: trace.clone(),
                name: name.clone(),
                system,
            });
        }
        let found = port_of(own, name).or_else(|| port_of_symbol(own, name));
        let Some((kind, port, bit)) = found else {
            // Names in the symbol table of later systems are marked.
            return Ok(SignalOf::new(
                format!("{name}{}", self.marks[system]),
                trace,
            ));
        };
        let place = self.places[system][kind as usize][port];
        let whole = &ports(&self.model, kind)[place].name;
        let said = match bit {
            Some(bit) => format!("{whole}[{bit}]"),
            None => whole.clone(),
        };
        match port_of(&self.model, &said) == Some((kind, place, bit)) {
            true => Ok(SignalOf::new(said, trace)),
            false => Err(SystemsError::Ambiguous(name.clone())),
        }
    }

    /// Returns the formula that the ports of this kind are equal in two traces, except the ports and bits named in `except`. `of` returns
    /// the system of a trace.
    ///
    /// # Errors
    /// If only one of the two systems has one of the ports.
    fn ports_equal(
        &self,
        kind: Kind,
        except: &[String],
        (p, q): (&TraceVar, &TraceVar),
        of: &dyn Fn(&TraceVar) -> usize,
    ) -> Result<Ltl, SystemsError> {
        let mut equal = Vec::new();
        for (number, port) in ports(&self.model, kind).iter().enumerate() {
            let has = |trace| {
                let places = &self.places[of(trace)][kind as usize];
                places.contains(&number)
            };
            if !has(p) && !has(q) {
                continue;
            }
            let systems = self.places.iter().zip(&self.marks);
            let first = systems.filter(|(places, _)| places[kind as usize].contains(&number));
            let mark = first.map(|(_, mark)| mark).next();
            let name = unmarked(&port.name, mark.map_or("", String::as_str));
            let bits = 0..port.bits.len();
            let left_out =
                |bit: &usize| port.bits.len() > 1 && except.contains(&port.bit_name(*bit));
            if except.iter().any(|except| except == name) {
                continue;
            }
            if !has(p) || !has(q) {
                let what = if kind == Kind::Output {
                    "outputs"
                } else {
                    "test inputs"
                };
                let name = name.to_owned();
                return Err(SystemsError::OneSided { what, name });
            }
            let said = |name: &str| {
                let of = |trace| SignalOf::new(name, trace);
                Ltl::Atom(Atom::Equal(of(p), Operand::Signal(of(q))))
            };
            match bits.clone().any(|bit| left_out(&bit)) {
                false => equal.push(said(&port.name)),
                true => {
                    let kept = bits.filter(|bit| !left_out(bit));
                    equal.extend(kept.map(|bit| said(&port.bit_name(bit))));
                }
            }
        }
        Ok(Ltl::and(equal))
    }
}

/// Returns the mark of each system: empty for the first, and for others a text that no name contains.
fn unused_marks(systems: &[ConditionalMutant]) -> Vec<String> {
    let mut at = "@".to_owned();
    let is_used = |mark: &str| {
        systems.iter().any(|model| {
            let named = KINDS.into_iter().flat_map(|kind| ports(model, kind));
            let latches = model.aig.latches().iter();
            let symbols = latches.filter_map(|latch| latch.name.as_ref());
            let mut names = named.map(|port| &port.name).chain(symbols);
            names.any(|name| name.contains(mark))
        })
    };
    let mark = |at: &str, number: usize| format!("{at}{}", number + 1);
    while (1..systems.len()).any(|number| is_used(&mark(&at, number))) {
        at.push('@');
    }
    let later = (1..systems.len()).map(|number| mark(&at, number));
    std::iter::once(String::new()).chain(later).collect()
}

/// Returns a name without its mark.
fn unmarked<'n>(name: &'n str, mark: &str) -> &'n str {
    name.strip_suffix(mark).unwrap_or(name)
}

/// For each system and kind, the index among the joint circuit's ports for each of the system's ports.
type Places = Vec<[Vec<usize>; 3]>;

/// The ports of the joint circuit, by kind: the name and the sort in the systems that have the port.
type Known<'s> = [Vec<(&'s str, &'s Sort)>; 3];

/// Returns the circuit that joins the systems, and the indices of their ports in it.
fn joined(systems: &[ConditionalMutant], marks: &[String]) -> (ConditionalMutant, Places) {
    let names: Vec<&str> = systems.iter().map(|model| model.name.as_str()).collect();
    let mut model = ConditionalMutant {
        accepts: None,
        events: Vec::new(),
        name: names.join(" and "),
        aig: Aig::new(),
        inputs: Vec::new(),
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors: Vec::new(),
        mutants: Vec::new(),
    };
    for number in 1..systems.len() {
        let id = match number {
            1 => "second".to_owned(),
            2 => "third".to_owned(),
            _ => format!("system-{}", number + 1),
        };
        let latch = model.aig.latches().len();
        let selector = (model.aig).add_latch(Reset::Free, Some(format!("mut:{id}")));
        model.aig.set_next(latch, selector);
        model.selectors.push(SelectorLatch {
            id: MutantId(id),
            latch,
        });
    }
    let mut places: Places = vec![Default::default(); systems.len()];
    let mut known = Known::default();
    let inputs = join_inputs(systems, marks, &mut model, (&mut places, &mut known));
    let copies = systems.iter().zip(marks).zip(&inputs);
    let images: Vec<Images> = copies
        .map(|((own, mark), inputs)| {
            copied(&mut model.aig, own, inputs, &|name| marked(name, mark))
        })
        .collect();
    for (number, own) in systems.iter().enumerate() {
        join_outputs(
            (number, own, &marks[number]),
            &images[number],
            &mut model,
            (&mut places[number], &mut known),
        );
    }
    (model, places)
}

/// Adds the outputs and the constraints of a system to the joint circuit, each conditional on the system being selected where it is shared
/// or a constraint.
fn join_outputs<'s>(
    (number, own, mark): (usize, &'s ConditionalMutant, &str),
    images: &Images,
    model: &mut ConditionalMutant,
    (places, known): (&mut [Vec<usize>; 3], &mut Known<'s>),
) {
    let aig = &mut model.aig;
    let latches = model.selectors.iter();
    let selectors: Vec<Lit> = latches.map(|s| aig.latches()[s.latch].var.lit()).collect();
    let selected = match number {
        0 => !aig.or_all(&selectors),
        _ => selectors[number - 1],
    };
    let kind = Kind::Output as usize;
    let before = known[kind].len();
    for port in &own.outputs {
        let wires = port.bits.iter().map(|&bit| &own.aig.outputs[bit]);
        let wires: Vec<(Lit, Option<String>)> = wires
            .map(|wire| (images.of(wire.lit), marked(&wire.name, mark)))
            .collect();
        if let Some(place) = shared(&known[kind][..before], port) {
            places[kind].push(place);
            for (&bit, (lit, _)) in model.outputs[place].bits.iter().zip(wires) {
                aig.outputs[bit].lit = aig.ite(selected, lit, aig.outputs[bit].lit);
            }
            continue;
        }
        places[kind].push(model.outputs.len());
        known[kind].push((&port.name, &port.sort));
        let from = aig.outputs.len();
        for (lit, name) in wires {
            aig.add_output(lit, name);
        }
        model.outputs.push(Port {
            name: format!("{}{mark}", port.name),
            sort: port.sort.clone(),
            bits: (from..aig.outputs.len()).collect(),
        });
    }
    for constraint in &own.aig.constraints {
        let lit = aig.implies(selected, images.of(constraint.lit));
        let name = marked(&constraint.name, mark);
        aig.constraints.push(Wire { lit, name });
    }
}

/// Returns the index, among the `known` ports of earlier systems, of the port with the name and sort of this port. `None` if none does.
fn shared(known: &[(&str, &Sort)], port: &Port) -> Option<usize> {
    let same = |&(name, sort): &(&str, &Sort)| (name, sort) == (port.name.as_str(), &port.sort);
    known.iter().position(same)
}

/// Returns a name with the mark of its system, as the joint circuit has it.
fn marked(name: &Option<String>, mark: &str) -> Option<String> {
    name.as_ref().map(|name| format!("{name}{mark}"))
}

/// Adds the inputs of all systems to `model`; returns the literals of each system's inputs. Systems share inputs of one name and sort.
///
/// The inputs are recorded in `places` by system, and in `known` for sharing. Names of inputs get the mark of their system.
fn join_inputs<'s>(
    systems: &'s [ConditionalMutant],
    marks: &[String],
    model: &mut ConditionalMutant,
    (places, known): (&mut Places, &mut Known<'s>),
) -> Vec<Vec<Lit>> {
    let own = systems
        .iter()
        .map(|own| vec![Lit::FALSE; own.aig.inputs().len()]);
    let mut inputs: Vec<Vec<Lit>> = own.collect();
    let aig = &mut model.aig;
    for (number, own) in systems.iter().enumerate() {
        for kind in [Kind::Input, Kind::Choice] {
            let list = match kind {
                Kind::Choice => &mut model.choices,
                _ => &mut model.inputs,
            };
            let before = known[kind as usize].len();
            for port in ports(own, kind) {
                if let Some(place) = shared(&known[kind as usize][..before], port) {
                    places[number][kind as usize].push(place);
                    for (&own, &bit) in port.bits.iter().zip(&list[place].bits) {
                        inputs[number][own] = aig.inputs()[bit].var.lit();
                    }
                    continue;
                }
                places[number][kind as usize].push(list.len());
                known[kind as usize].push((&port.name, &port.sort));
                let bits = port.bits.iter().map(|&bit| {
                    let name = marked(&own.aig.inputs()[bit].name, &marks[number]);
                    inputs[number][bit] = aig.add_input(name);
                    aig.inputs().len() - 1
                });
                let bits = bits.collect();
                list.push(Port {
                    name: format!("{}{}", port.name, marks[number]),
                    sort: port.sort.clone(),
                    bits,
                });
            }
        }
    }
    inputs
}

/// Copies the gates and latches of a system into another circuit. `inputs` are the literals of its inputs there; `marked` returns the name
/// of a latch there.
fn copied(
    aig: &mut Aig,
    own: &ConditionalMutant,
    inputs: &[Lit],
    marked: &dyn Fn(&Option<String>) -> Option<String>,
) -> Images {
    let mut latches = vec![None; own.aig.latches().len()];
    let images = aig.copy(
        &own.aig,
        |_| true,
        |aig, _, leaf| match leaf {
            Leaf::Input(input) => inputs[input],
            Leaf::Latch(latch) => {
                latches[latch] = Some(aig.latches().len());
                let parts = &own.aig.latches()[latch];
                aig.add_latch(parts.reset, marked(&parts.name))
            }
        },
    );
    for (latch, place) in latches.into_iter().enumerate() {
        if let Some(place) = place {
            aig.set_next(place, images.of(own.aig.latches()[latch].next));
        }
    }
    images
}
