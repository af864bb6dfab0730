//! A design to a transition system: the clock goes, resets become initial states, ports become inputs and outputs.
//!
//! One step is one edge of the one clock; a design without registers has no clock. **Reset.** Inputs that registers are
//! reset by at once (`always @(posedge clk or negedge rst_n)`, unless `--reset none`), and those that `--reset` names, are
//! active for some edges before the first step, all other inputs 0 meanwhile ([`crate::reset`]). From then on they are
//! inputs like the others; a register that is reset at once shows its reset value as long as its reset is active.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{
    Constraint, Init, InputRole, Invariant, Output, Selector, StateVar, TransitionSystem, Warning,
    When,
};
use hyperkill_core::term::{BinaryOp as Core, Term, TermId, UnaryOp};
use hyperkill_frontend::roles::{self, Undriven};
use hyperkill_frontend::{Diagnostic, FrontendOptions, LineIndex, SourceFile, Span, did_you_mean};

use crate::ast::Direction;
use crate::design::{Design, Drive, Leaf, Run, Stop, VarId, WordId};
use crate::reset::{Family, Ternary, simulate};
use crate::resolve::{Register, Resolved, Root, Setting, resolve};
use crate::words::Words;

/// What lowering gives.
pub struct Lowered {
    /// The system.
    pub system: TransitionSystem,
    /// Mutations left out, with reasons.
    pub rejected: BTreeMap<usize, String>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// What is read in another way than simulators may do.
    pub warnings: Vec<Warning>,
    /// The same about what nothing drives: in a design with mutants, theirs too.
    pub undriven: Vec<Warning>,
    /// What is observed.
    pub observed: Vec<VarId>,
    /// The registers, in the order of the system's states.
    pub registers: Vec<Register>,
    /// Their first values.
    pub starts: Vec<Start>,
}

/// How a register starts, bit by bit.
#[derive(Clone, Debug)]
pub struct Start {
    /// Whether the source itself gives it an initial value.
    pub written: Vec<bool>,
    /// Its value in the first step of a run.
    pub first: Vec<Family>,
}

/// Clock and resets of a design. They are those of the original: no mutant changes what the clock is.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// Inputs that are clocks.
    pub clocks: BTreeSet<VarId>,
    /// At which of their edges registers change: one edge of one clock, unless several are taken for one.
    pub edges: BTreeSet<(VarId, bool)>,
    /// A clock that logic makes, and that is taken for the others.
    pub made: Option<Span>,
    /// Inputs that are resets: the value that they are active at, and for how many edges.
    pub resets: BTreeMap<VarId, (bool, usize)>,
    /// Variables between the clock and the registers, the clock included.
    pub ways: BTreeSet<VarId>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

/// Finds clock and resets.
///
/// # Errors
/// Clocks and resets that are not supported, with their places.
pub fn pins(design: &Design, options: &FrontendOptions) -> Run<Pins> {
    let mut pins = Pins::default();
    clocks(design, options, &mut pins)?;
    pins.resets = resets(design, &pins.clocks, options, &mut pins.notes)?;
    Ok(pins)
}

/// Lowers a design. `ids` are the mutants, by number of their mutation; `marked` are lines (file, line) whose
/// declarations are choices.
///
/// # Errors
/// Clocks, resets and nets that are not supported, with their places.
pub fn lower(
    design: &Design,
    pins: &Pins,
    ids: &[MutantId],
    rejected: BTreeMap<usize, String>,
    sources: &[SourceFile],
    marked: &[(usize, usize)],
    options: &FrontendOptions,
) -> Run<Lowered> {
    let mut notes = design.notes.clone();
    notes.extend(pins.notes.iter().cloned());
    let resets = &pins.resets;
    let setting = Setting {
        clocks: pins.clocks.clone(),
        choices: choices(design, sources, marked, options, &mut notes),
        rejected,
        one_by_one: false,
    };
    let outputs = outputs(design, options, &mut notes)?;
    let mut roots: Vec<Root> = outputs.iter().map(|(_, word)| Root::Word(*word)).collect();
    roots.extend(design.claims.iter().map(|claim| Root::Term(claim.term)));
    let resolved = resolve(design, &setting, &roots, ids.len())?;
    let starts = starts(design, &resolved, resets, options, ids)?;
    notes.extend(resolved.notes.iter().cloned());
    let rejected = resolved.rejected.clone();
    let registers = resolved.registers.clone();
    let warnings = warnings(design, &resolved.raced);
    let undriven = undriven(design, &resolved.undriven);
    let system = assemble(design, resolved, &starts, &outputs, sources, ids)?;
    notes.sort();
    notes.dedup();
    Ok(Lowered {
        system,
        rejected,
        notes,
        warnings,
        undriven,
        observed: outputs.iter().map(|(var, _)| *var).collect(),
        registers,
        starts,
    })
}

/// One warning for each variable and place.
fn warnings(design: &Design, raced: &BTreeSet<WordId>) -> Vec<Warning> {
    let mut found: BTreeMap<(usize, usize, usize, String), Warning> = BTreeMap::new();
    for word in raced {
        let Some(driver) = design.drivers.get(word).and_then(|all| all.first()) else {
            continue;
        };
        let name = &design.var(design.elements[word.0].0).name;
        let name = name.rsplit('.').next().unwrap_or(name);
        let message = format!(
            "`{name}` gets its value by `=` at an edge at which another block reads it; that reads the value before the \
            edge, as in synthesis, where simulators may take either"
        );
        let Span { file, start, end } = driver.place;
        let warning = Warning {
            message,
            file,
            bytes: (start, end),
        };
        found.insert((file, start, end, name.to_owned()), warning);
    }
    found.into_values().collect()
}

/// One warning for each variable that the design shows or reads, and that has bits which nothing drives.
fn undriven(design: &Design, words: &BTreeSet<WordId>) -> Vec<Warning> {
    let vars: BTreeSet<VarId> = words.iter().map(|word| design.elements[word.0].0).collect();
    let warning = |id: &VarId| {
        let var = design.var(*id);
        let what = match var.port {
            Some(Direction::Output) => "the output ",
            _ => "",
        };
        let Span { file, start, end } = var.place;
        Warning {
            message: format!(
                "nothing drives {what}`{}`, or some bits of it: its value is a choice, new at every step",
                var.name
            ),
            file,
            bytes: (start, end),
        }
    };
    vars.iter().map(warning).collect()
}

/// The input that a signal of one bit is, and whether it is its negation.
fn origin(design: &Design, signal: TermId, ways: &mut BTreeSet<VarId>) -> Option<(VarId, bool)> {
    let pool = &design.words.pool;
    let (mut at, mut negated) = (signal, false);
    for _ in 0..1000 {
        match *pool.term(at) {
            Term::Input(leaf) => {
                let (Leaf::Word(word), 1) = &design.leaves[leaf as usize] else {
                    return None;
                };
                let (var, ..) = design.elements[word.0];
                ways.insert(var);
                if design.var(var).port == Some(Direction::Input) {
                    return Some((var, negated));
                }
                let [driver] = design.drivers.get(word)?.as_slice() else {
                    return None;
                };
                let Drive::Wire = driver.drive else {
                    return None;
                };
                at = driver.value;
            }
            Term::Unary(UnaryOp::Not, a) => (at, negated) = (a, !negated),
            Term::Binary(Core::Eq, a, b) => {
                // `a = 1` is `a`.
                let one = design
                    .words
                    .constant(b)
                    .or_else(|| design.words.constant(a))?;
                let other = if design.words.constant(b).is_some() {
                    a
                } else {
                    b
                };
                if one.len() != 1 {
                    return None;
                }
                (at, negated) = (other, negated == one[0]);
            }
            Term::Ite(c, a, b) => {
                let (a, b) = (design.words.constant(a)?, design.words.constant(b)?);
                match (a.as_slice(), b.as_slice()) {
                    ([true], [false]) => at = c,
                    ([false], [true]) => (at, negated) = (c, !negated),
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
    None
}

/// The inputs that are clocks: one, unless all are to be one.
fn clocks(design: &Design, options: &FrontendOptions, pins: &mut Pins) -> Run<()> {
    let mut found: Vec<(VarId, bool, Span)> = Vec::new();
    for clock in &design.clocks {
        match origin(design, clock.signal, &mut pins.ways) {
            Some((var, negated)) => found.push((var, negated != clock.rising, clock.place)),
            None if options.one_clock => pins.made = Some(clock.place),
            None => {
                let message =
                    "this clock is no input of the top module, but made by logic or a register";
                return Err(one_clock(Diagnostic::error(clock.place, message)));
            }
        }
    }
    if let Some((var, rising, place)) = found.first().copied()
        && !options.one_clock
    {
        for (other, edge, there) in &found {
            if (*other, *edge) != (var, rising) {
                let message = match *other == var {
                    true => format!(
                        "both edges of the clock `{}` are used",
                        design.var(var).name
                    ),
                    false => format!(
                        "several clocks: `{}` and `{}`",
                        design.var(var).name,
                        design.var(*other).name
                    ),
                };
                let diagnostic =
                    Diagnostic::error(*there, message).with_label(place, "the first one");
                return Err(one_clock(diagnostic));
            }
        }
    }
    pins.clocks = found.iter().map(|(var, ..)| *var).collect();
    pins.edges = found
        .into_iter()
        .map(|(var, rising, _)| (var, rising))
        .collect();
    for clock in &pins.clocks {
        pins.notes.push(format!(
            "`{}` is the clock: one step is one edge",
            design.var(*clock).name
        ));
    }
    Ok(())
}

fn one_clock(diagnostic: Diagnostic) -> Stop {
    let help = "with --one-clock every block at an edge runs at every step";
    Stop::Model(Box::new(diagnostic.with_help(help)))
}

/// Inputs that are resets: the value they are active at, and for how many edges.
fn resets(
    design: &Design,
    clocks: &BTreeSet<VarId>,
    options: &FrontendOptions,
    notes: &mut Vec<String>,
) -> Run<BTreeMap<VarId, (bool, usize)>> {
    let mut inferred: BTreeMap<VarId, (bool, Span)> = BTreeMap::new();
    for asynchronous in &design.asynchronous {
        let Some((var, negated)) = origin(design, asynchronous.signal, &mut BTreeSet::new()) else {
            continue;
        };
        let active = asynchronous.active != negated;
        let name = &design.var(var).name;
        let mut named = options.resets.iter();
        let named = named.find(|reset| reset.name == *name);
        let is_said = named.map_or(options.infer_no_resets, |reset| reset.active.is_some());
        if let Some((before, place)) = inferred.insert(var, (active, asynchronous.place))
            && before != active
            && !is_said
        {
            let message =
                format!("`{name}` resets some registers when it is 0 and others when it is 1");
            let help = format!("--reset {name}=0 or --reset {name}=1 says at which a run begins");
            let diagnostic = Diagnostic::error(asynchronous.place, message)
                .with_label(place, "the other way round")
                .with_help(help);
            return Err(Stop::Model(Box::new(diagnostic)));
        }
    }
    let mut resets = BTreeMap::new();
    if !options.infer_no_resets {
        resets.extend(
            inferred
                .iter()
                .map(|(var, (active, _))| (*var, (*active, 1))),
        );
    }
    for reset in &options.resets {
        let found = design
            .ports
            .iter()
            .find(|var| design.var(**var).name == reset.name);
        let Some(var) = found.filter(|var| design.var(**var).port == Some(Direction::Input)) else {
            let message = format!("--reset: the top module has no input `{}`", reset.name);
            let inputs = design.ports.iter().map(|var| design.var(*var));
            let inputs = inputs.filter(|var| var.port == Some(Direction::Input));
            let near = did_you_mean(&reset.name, inputs.map(|var| var.name.as_str()));
            return Err(Stop::Model(Box::new(Diagnostic::option(message, near))));
        };
        if design.var(*var).width != 1 || clocks.contains(var) {
            let message = format!("--reset: `{}` must be one bit, and no clock", reset.name);
            return Err(Stop::Model(Box::new(Diagnostic::option(message, None))));
        }
        let by_use = inferred.get(var).map(|(active, _)| *active);
        let active = reset.active.or(by_use).unwrap_or(true);
        resets.insert(*var, (active, reset.steps.unwrap_or(1).max(1)));
    }
    for (var, (active, steps)) in &resets {
        let name = &design.var(*var).name;
        notes.push(format!(
            "`{name}` is a reset: {} for {steps} {} before the first step, all other inputs 0",
            u8::from(*active),
            if *steps == 1 { "edge" } else { "edges" },
        ));
    }
    Ok(resets)
}

/// Inputs that are choices.
fn choices(
    design: &Design,
    sources: &[SourceFile],
    marked: &[(usize, usize)],
    options: &FrontendOptions,
    notes: &mut Vec<String>,
) -> BTreeSet<VarId> {
    let indices: Vec<LineIndex<'_>> = sources
        .iter()
        .map(|source| LineIndex::new(&source.text))
        .collect();
    let mut found = BTreeSet::new();
    for id in &design.ports {
        let var = design.var(*id);
        if var.port != Some(Direction::Input) {
            continue;
        }
        let line = indices
            .get(var.place.file)
            .map(|index| index.line(var.place.start));
        let by_mark = line.is_some_and(|line| marked.contains(&(var.place.file, line)));
        let decided = roles::undriven(
            &Undriven {
                name: &var.name,
                marked: by_mark.then_some(InputRole::Choice),
                otherwise: InputRole::Test,
                why: None,
                inputs_are_all: false,
            },
            options,
        );
        notes.extend(decided.note);
        if decided.role == InputRole::Choice {
            found.insert(*id);
        }
    }
    found
}

/// What is observed: the outputs of the top module, unless an option names others.
fn outputs(
    design: &Design,
    options: &FrontendOptions,
    notes: &mut Vec<String>,
) -> Run<Vec<(VarId, WordId)>> {
    let mut found = Vec::new();
    if let Some(chosen) = &options.outputs {
        for (i, var) in design.vars.iter().enumerate() {
            if !var.local && var.dimensions.is_empty() && chosen.holds(&var.name) {
                found.push(VarId(i));
            }
        }
    } else {
        let ports = design.ports.iter().copied();
        found.extend(ports.filter(|var| design.var(*var).port == Some(Direction::Output)));
        if found.is_empty() {
            // Nothing is said to be seen: all that the top module remembers is.
            let top = |var: &VarId| {
                let var = design.var(*var);
                var.variable && !var.local && !var.name.contains('.') && var.dimensions.is_empty()
            };
            found = (0..design.vars.len()).map(VarId).filter(top).collect();
            if !found.is_empty() {
                notes.push("the top module has no outputs: its variables are observed".to_owned());
            }
        }
    }
    if found.is_empty() {
        let message = "there is nothing to observe: the top module has no outputs";
        return Err(Stop::Model(Box::new(Diagnostic::unlocated(message))));
    }
    Ok(found
        .into_iter()
        .map(|var| (var, WordId(design.var(var).first)))
        .collect())
}

/// The first values of all registers: bits in the original and the mutants.
fn starts(
    design: &Design,
    resolved: &Resolved,
    resets: &BTreeMap<VarId, (bool, usize)>,
    options: &FrontendOptions,
    ids: &[MutantId],
) -> Run<Vec<Start>> {
    let unknown = match options.zero_init {
        true => Ternary::Zero,
        false => Ternary::Unknown,
    };
    let numbers: BTreeMap<usize, usize> = (resolved.selectors.iter().enumerate())
        .map(|(new, old)| (*old, new))
        .collect();
    let start = resolved.registers.iter().map(|register| {
        let bits = register.low..register.low + register.width;
        let written = design.initial.get(&register.word);
        let mut written =
            written.map_or(Vec::new(), |value| written_bits(design, &numbers, *value));
        let whole = design.var(design.elements[register.word.0].0).width;
        written.resize(whole as usize, Family::plain(Ternary::Unknown));
        let given: Vec<bool> = written
            .iter()
            .map(|family| family.original != Ternary::Unknown)
            .collect();
        for family in &mut written {
            if family.original == Ternary::Unknown {
                family.original = unknown;
            }
            let mutants = family.mutants.take().map(|all| {
                let known = |value| {
                    if value == Ternary::Unknown {
                        unknown
                    } else {
                        value
                    }
                };
                let all = all.iter().map(|(mutant, value)| (*mutant, known(*value)));
                all.collect::<Vec<_>>()
            });
            family.mutants = mutants.map(std::rc::Rc::new);
        }
        let bits = bits.map(|bit| bit as usize);
        Start {
            written: bits.clone().map(|bit| given[bit]).collect(),
            first: bits.map(|bit| written[bit].clone()).collect(),
        }
    });
    let mut start: Vec<Start> = start.collect();
    let Some(steps) = resets.values().map(|(_, steps)| *steps).max() else {
        return Ok(start);
    };
    let selectors = resolved.selectors.iter().map(|mutation| Selector {
        id: ids[*mutation].clone(),
    });
    let system = TransitionSystem {
        terms: resolved.words.pool.clone(),
        inputs: resolved.inputs.clone(),
        states: resolved.states.clone(),
        selectors: selectors.collect(),
        ..TransitionSystem::default()
    };
    let blasted = bit_blast(&system)
        .map_err(|error| Stop::Model(Box::new(Diagnostic::unlocated(error.to_string()))))?;
    let model = &blasted.model;
    let selectors: Vec<usize> = model
        .selectors
        .iter()
        .map(|selector| selector.latch)
        .collect();
    let mut state: Vec<Family> = start
        .iter()
        .flat_map(|start| start.first.iter().cloned())
        .collect();
    for step in 0..steps {
        let mut inputs = vec![Ternary::Unknown; model.aig.inputs().len()];
        for port in &model.inputs {
            let reset = resets
                .iter()
                .find(|(var, _)| design.var(**var).name == port.name);
            // The shorter ones end together with the longest.
            let value = reset.is_some_and(|(_, (active, own))| *active == (step + own >= steps));
            for &bit in &port.bits {
                inputs[bit] = Ternary::of(value);
            }
        }
        state = simulate(&model.aig, &selectors, &inputs, &state);
    }
    let mut after = state.into_iter();
    for start in &mut start {
        start.first = after.by_ref().take(start.first.len()).collect();
    }
    Ok(start)
}

/// What an `initial` block writes: numbers, perhaps others in mutants. Anything else is unknown.
fn written_bits(design: &Design, numbers: &BTreeMap<usize, usize>, value: TermId) -> Vec<Family> {
    let width = design.words.width(value) as usize;
    if let Some(bits) = design.words.constant(value) {
        let bits = bits.into_iter().map(|bit| Family::plain(Ternary::of(bit)));
        return bits.collect();
    }
    let pool = &design.words.pool;
    match *pool.term(value) {
        Term::Slice(a, low) => {
            let all = written_bits(design, numbers, a);
            all.into_iter().skip(low as usize).take(width).collect()
        }
        Term::Concat(high, low) => {
            let mut all = written_bits(design, numbers, low);
            all.extend(written_bits(design, numbers, high));
            all
        }
        Term::Ite(condition, then, other) => {
            let Term::Selector(mutation) = *pool.term(condition) else {
                return vec![Family::plain(Ternary::Unknown); width];
            };
            let mut all = written_bits(design, numbers, other);
            let Some(&mutant) = numbers.get(&(mutation as usize)) else {
                return all;
            };
            for (family, with) in all.iter_mut().zip(written_bits(design, numbers, then)) {
                if with.original != family.original {
                    let mut mutants = family.mutants.as_deref().cloned().unwrap_or_default();
                    mutants.push((mutant, with.original));
                    mutants.sort_by_key(|(mutant, _)| *mutant);
                    family.mutants = Some(std::rc::Rc::new(mutants));
                }
            }
            all
        }
        _ => vec![Family::plain(Ternary::Unknown); width],
    }
}

fn assemble(
    design: &Design,
    resolved: Resolved,
    starts: &[Start],
    outputs: &[(VarId, WordId)],
    sources: &[SourceFile],
    ids: &[MutantId],
) -> Run<TransitionSystem> {
    let Resolved {
        mut words,
        mut inputs,
        mut states,
        roots,
        selectors,
        ..
    } = resolved;
    for (state, start) in states.iter_mut().zip(starts) {
        state.init = first_value(&mut words, &mut inputs, state, &start.first)?;
    }
    let mut system = TransitionSystem::default();
    for ((var, _), value) in outputs.iter().zip(&roots) {
        let var = design.var(*var);
        let mut term = *value;
        if var.signed {
            term = as_sort(&mut words, term, true)?;
        }
        system.outputs.push(Output {
            name: var.name.clone(),
            term,
        });
    }
    for (claim, term) in design.claims.iter().zip(&roots[outputs.len()..]) {
        let name = sources.get(claim.place.file).map(|source| {
            let line = LineIndex::new(&source.text).line(claim.place.start);
            format!("{}:{line}", source.name)
        });
        if claim.assumed {
            system.constraints.push(Constraint {
                name,
                term: *term,
                when: When::Always,
                span: None,
            });
        } else {
            system.invariants.push(Invariant {
                name: name.unwrap_or_default(),
                term: *term,
            });
        }
    }
    let selectors = selectors.into_iter().map(|mutation| Selector {
        id: ids[mutation].clone(),
    });
    system.selectors = selectors.collect();
    system.terms = words.pool;
    system.inputs = inputs;
    system.states = states;
    Ok(system)
}

fn as_sort(words: &mut Words, term: TermId, signed: bool) -> Run<TermId> {
    let width = words.width(term);
    Ok(match words.constant(term) {
        Some(bits) => words.pool.word(&bits, signed),
        None => words.pool.slice(term, 0, width, signed)?,
    })
}

/// The initial value of a register: its known bits, and choices for those that are unknown in the original or a mutant.
fn first_value(
    words: &mut Words,
    inputs: &mut Vec<hyperkill_core::system::InputVar>,
    state: &StateVar,
    first: &[Family],
) -> Run<Init> {
    let free = |family: &Family| family.original == Ternary::Unknown && family.mutants.is_none();
    if first.iter().all(free) {
        return Ok(Init::Free);
    }
    let unknown = |family: &Family| {
        let mut mutants = family.mutants.iter().flat_map(|all| all.iter());
        family.original == Ternary::Unknown || mutants.any(|(_, value)| *value == Ternary::Unknown)
    };
    let width = state.sort.width() as u32;
    let mut anything = None;
    if first.iter().any(unknown) {
        let sort = crate::words::word_sort(width);
        anything = Some(words.pool.input(inputs.len(), sort.clone()));
        inputs.push(hyperkill_core::system::InputVar {
            name: format!("{}@reset", state.name),
            sort,
            role: InputRole::Choice,
        });
    }
    let mut value_of = |of: &dyn Fn(&Family) -> Ternary| -> Run<TermId> {
        let ones: Vec<bool> = first.iter().map(|f| of(f) == Ternary::One).collect();
        let unknown: Vec<bool> = first.iter().map(|f| of(f) == Ternary::Unknown).collect();
        let value = words.bits(&ones);
        let (Some(anything), true) = (anything, unknown.contains(&true)) else {
            return Ok(value);
        };
        let mask = words.bits(&unknown);
        let chosen = words.bitwise(Core::And, anything, mask)?;
        Ok(words.bitwise(Core::Or, value, chosen)?)
    };
    let mut value = value_of(&|family| family.original)?;
    let mut mutants: BTreeSet<usize> = BTreeSet::new();
    for family in first {
        mutants.extend(
            family
                .mutants
                .iter()
                .flat_map(|all| all.iter())
                .map(|(mutant, _)| *mutant),
        );
    }
    let mut alternatives = Vec::new();
    for mutant in mutants {
        let of = |family: &Family| {
            let own = family
                .mutants
                .as_ref()
                .and_then(|all| all.iter().find(|(m, _)| *m == mutant));
            own.map_or(family.original, |(_, value)| *value)
        };
        alternatives.push((mutant, value_of(&of)?));
    }
    for (mutant, with) in alternatives {
        let selector = words.pool.selector(mutant);
        value = words.ite(selector, with, value)?;
    }
    let signed = matches!(state.sort, Sort::Word { signed: true, .. });
    Ok(Init::Term(if signed {
        as_sort(words, value, true)?
    } else {
        value
    }))
}
