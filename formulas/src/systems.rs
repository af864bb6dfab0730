//! Traces of two systems in one formula: a circuit that holds both behind a selector, and the formula said of it.
//!
//! Ports of the same name, kind and sort are one port; all other names of the second system get a mark. The first system is the original
//! of the circuit and the second its one mutant, so that whatever decides, shows and checks formulas about mutants does it for these.

use hyperkill_core::aig::{Images, Leaf, Reset, Signal as Wire};
use hyperkill_core::conditional::{Port, SelectorLatch};
use hyperkill_core::mutant::MutantId;
use hyperkill_core::{Aig, ConditionalMutant, Lit};

use crate::ast::{Atom, Formula, Ltl, Operand, Quantifier, SignalOf, TraceVar};
use crate::signals::{resolve, split_index};

/// Kinds of ports, in the order in which names are looked up.
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

/// The port that a name stands for, and which of its bits, if it is one.
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

/// Two systems as one circuit.
#[derive(Clone, Debug)]
pub struct Systems {
    /// The circuit: the first system is its original, the second its mutant.
    pub model: ConditionalMutant,
    /// The systems by themselves.
    systems: [ConditionalMutant; 2],
    /// What is behind names that only the second system has.
    mark: String,
    /// How many latches the first system has; they come after the selector.
    latches_of_first: usize,
    /// The ports of each system, by kind, as ports of the circuit.
    places: Places,
}

/// Why a formula cannot be said of two systems.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SystemsError {
    /// A system is a circuit with mutants.
    #[error("{0} holds mutants, and traces of several systems are of models by themselves")]
    Mutants(String),
    /// No signal of this name.
    #[error("{model}, whose trace {trace} is, has no signal `{name}`")]
    UnknownSignal {
        /// The system.
        model: String,
        /// The trace.
        trace: TraceVar,
        /// The name.
        name: String,
        /// The number of the system.
        system: usize,
    },
    /// A name stands for one thing in one system and for something else in the other, in a way that no name of the whole can say.
    #[error("`{0}` is another kind of signal in each of the systems: rename one of them")]
    Ambiguous(String),
    /// Test inputs or outputs are compared that are not the same.
    #[error("{what} are compared, but `{name}` is one of one system only")]
    OneSided {
        /// Inputs or outputs.
        what: &'static str,
        /// What one system does not have.
        name: String,
    },
    /// What has no meaning where there are several systems.
    #[error("`{0}` says nothing of several systems")]
    Meaningless(&'static str),
}

impl Systems {
    /// Puts two systems behind a selector.
    ///
    /// # Errors
    /// If one holds mutants.
    pub fn join(systems: [ConditionalMutant; 2]) -> Result<Systems, SystemsError> {
        if let Some(with) = systems.iter().find(|model| !model.selectors.is_empty()) {
            return Err(SystemsError::Mutants(with.name.clone()));
        }
        let mark = unused_mark(&systems);
        let (model, places) = joined(&systems, &mark);
        Ok(Systems {
            latches_of_first: systems[0].aig.latches().len(),
            model,
            systems,
            mark,
            places,
        })
    }

    /// The formula, said of the circuit. `of` is the system of each trace.
    ///
    /// # Errors
    /// If it speaks of what a system does not have.
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
            let fixed = prefix[first..].iter().map(|(_, trace)| match of(trace) {
                0 => Ltl::selector(trace).not(),
                _ => Ltl::selector(trace),
            });
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

    /// Inputs, choices and outputs of a system, under its own names, as ports of the circuit.
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

    /// What a system calls a latch of the circuit with this name; nothing if it is one of the other.
    #[must_use]
    pub fn own_latch(&self, system: usize, latch: usize, name: &str) -> Option<String> {
        let of_first = latch <= self.latches_of_first;
        match (system, of_first) {
            (0, true) => Some(name.to_owned()),
            (1, false) => Some(name.strip_suffix(&self.mark).unwrap_or(name).to_owned()),
            _ => None,
        }
    }

    /// The names of the systems.
    #[must_use]
    pub fn names(&self) -> [&str; 2] {
        self.systems.each_ref().map(|model| model.name.as_str())
    }

    /// A system by itself.
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
            Atom::Selector(_) => return Err(SystemsError::Meaningless("mut")),
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
                self.ports_equal(Kind::Input, names, (p, q), of)?
            }
            Atom::OutputsEqual(p, q) => match self.are_shared(Kind::Output) {
                true => Ltl::outputs_equal(p, q),
                false => self.ports_equal(Kind::Output, &[], (p, q), of)?,
            },
        })
    }

    /// Whether all ports of a kind are of both systems.
    fn are_shared(&self, kind: Kind) -> bool {
        let all = 0..ports(&self.model, kind).len();
        all.into_iter()
            .all(|port| (0..2).all(|system| self.places[system][kind as usize].contains(&port)))
    }

    /// A signal of a system under the name that it has in the circuit.
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
        let Some((kind, port, bit)) = port_of(own, name) else {
            // Of names in the symbol table those of the second system are marked.
            let name = match system {
                0 => name.clone(),
                _ => format!("{name}{}", self.mark),
            };
            return Ok(SignalOf::new(name, trace));
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

    /// That ports of two traces are equal, one by one.
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
            let name = port.name.strip_suffix(&self.mark).unwrap_or(&port.name);
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

/// What no name of either system contains.
fn unused_mark(systems: &[ConditionalMutant; 2]) -> String {
    let mut mark = "@2".to_owned();
    let is_used = |mark: &str| {
        systems.iter().any(|model| {
            let named = KINDS.into_iter().flat_map(|kind| ports(model, kind));
            let latches = model.aig.latches().iter();
            let symbols = latches.filter_map(|latch| latch.name.as_ref());
            let mut names = named.map(|port| &port.name).chain(symbols);
            names.any(|name| name.contains(mark))
        })
    };
    while is_used(&mark) {
        mark.insert(0, '@');
    }
    mark
}

/// The ports of each system, by kind, as ports of the circuit of both.
type Places = [[Vec<usize>; 3]; 2];

/// The circuit of both systems, and where their ports are in it.
fn joined(systems: &[ConditionalMutant; 2], mark: &str) -> (ConditionalMutant, Places) {
    let mut model = ConditionalMutant {
        name: format!("{} and {}", systems[0].name, systems[1].name),
        aig: Aig::new(),
        inputs: Vec::new(),
        choices: Vec::new(),
        outputs: Vec::new(),
        selectors: vec![SelectorLatch {
            id: MutantId("second".to_owned()),
            latch: 0,
        }],
        mutants: Vec::new(),
    };
    let selector = (model.aig).add_latch(Reset::Free, Some("mut:second".to_owned()));
    model.aig.set_next(0, selector);
    let mut places = Places::default();
    let inputs = join_inputs(systems, mark, &mut model, &mut places);
    let marked = |name: &Option<String>, number: usize| marked(name, number, mark);
    let aig = &mut model.aig;
    let images: Vec<Images> = (systems.iter().enumerate())
        .map(|(number, own)| copied(aig, own, &inputs[number], &|name| marked(name, number)))
        .collect();
    for (number, own) in systems.iter().enumerate() {
        for port in &own.outputs {
            let kind = Kind::Output;
            let wires = port.bits.iter().map(|&bit| &own.aig.outputs[bit]);
            let wires: Vec<(Lit, Option<String>)> = wires
                .map(|wire| (images[number].of(wire.lit), marked(&wire.name, number)))
                .collect();
            if let (1, Some(place)) = (number, shared(&systems[0], kind, port)) {
                places[1][kind as usize].push(place);
                for (&bit, (lit, _)) in model.outputs[place].bits.iter().zip(wires) {
                    aig.outputs[bit].lit = aig.ite(selector, lit, aig.outputs[bit].lit);
                }
                continue;
            }
            places[number][kind as usize].push(model.outputs.len());
            let from = aig.outputs.len();
            for (lit, name) in wires {
                aig.add_output(lit, name);
            }
            model.outputs.push(Port {
                name: marked(&Some(port.name.clone()), number).unwrap_or_default(),
                sort: port.sort.clone(),
                bits: (from..aig.outputs.len()).collect(),
            });
        }
        for constraint in &own.aig.constraints {
            let lit = aig.implies(selector ^ (number == 0), images[number].of(constraint.lit));
            let name = marked(&constraint.name, number);
            aig.constraints.push(Wire { lit, name });
        }
    }
    (model, places)
}

/// The port of the first system that one of the second is, too.
fn shared(first: &ConditionalMutant, kind: Kind, port: &Port) -> Option<usize> {
    let mut same = ports(first, kind).iter();
    same.position(|other| (&other.name, &other.sort) == (&port.name, &port.sort))
}

/// What a name of a system is called in the circuit of both, unless it is shared.
fn marked(name: &Option<String>, number: usize, mark: &str) -> Option<String> {
    match (name, number) {
        (Some(name), 1) => Some(format!("{name}{mark}")),
        (name, _) => name.clone(),
    }
}

/// Adds the inputs of both systems. What stands for those of each.
fn join_inputs(
    systems: &[ConditionalMutant; 2],
    mark: &str,
    model: &mut ConditionalMutant,
    places: &mut Places,
) -> [Vec<Lit>; 2] {
    let mut inputs = (systems.each_ref()).map(|own| vec![Lit::FALSE; own.aig.inputs().len()]);
    let aig = &mut model.aig;
    for (number, own) in systems.iter().enumerate() {
        for kind in [Kind::Input, Kind::Choice] {
            let list = match kind {
                Kind::Choice => &mut model.choices,
                _ => &mut model.inputs,
            };
            for port in ports(own, kind) {
                if let (1, Some(place)) = (number, shared(&systems[0], kind, port)) {
                    places[1][kind as usize].push(place);
                    for (&own, &bit) in port.bits.iter().zip(&list[place].bits) {
                        inputs[1][own] = aig.inputs()[bit].var.lit();
                    }
                    continue;
                }
                places[number][kind as usize].push(list.len());
                let bits = port.bits.iter().map(|&bit| {
                    let name = marked(&own.aig.inputs()[bit].name, number, mark);
                    inputs[number][bit] = aig.add_input(name);
                    aig.inputs().len() - 1
                });
                let bits = bits.collect();
                list.push(Port {
                    name: marked(&Some(port.name.clone()), number, mark).unwrap_or_default(),
                    sort: port.sort.clone(),
                    bits,
                });
            }
        }
    }
    inputs
}

/// The gates and latches of a system in another circuit.
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
