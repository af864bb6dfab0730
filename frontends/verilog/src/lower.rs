//! A design to a transition system: clocks become steps, resets become initial states, ports become inputs and outputs.
//!
//! One step is one edge of the clock. With several clocks, some of them tick in each step ([`crate::resolve`]). A design without registers
//! has no clock.
//!
//! **Reset.** Asynchronous reset inputs (`always @(posedge clk or negedge rst_n)`, unless `--reset none`) and the inputs named by `--reset`
//! are active for some edges before the first step. All other inputs are 0 meanwhile ([`crate::reset`]). From then on resets are inputs
//! like the others; a register with an asynchronous reset shows its reset value while the reset is active.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::mutant::MutantId;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{
    Constraint, Init, InputRole, Invariant, Output, Place, Selector, StateVar, TransitionSystem,
    Warning, When,
};
use hyperkill_core::term::{BinaryOp as Core, Term, TermId};
use hyperkill_frontend::clocked::{ROUND, power_up};
use hyperkill_frontend::roles::{self, Undriven};
use hyperkill_frontend::{Diagnostic, FrontendOptions, LineIndex, SourceFile, Span};

use crate::ast::Direction;
use crate::clocks::{Edge, Pins, enables};
use crate::design::{Claim, Design, Run, Stop, Var, VarId, WordId};
use crate::reset::{Family, Ternary, simulate};
use crate::resolve::{Register, Resolved, Root, STARTED, Setting, resolve};
use crate::words::Words;

/// The result of lowering.
pub struct Lowered {
    /// The system.
    pub system: TransitionSystem,
    /// Mutations left out, with reasons.
    pub rejected: BTreeMap<usize, String>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// Warnings about constructs that simulators may read differently.
    pub warnings: Vec<Warning>,
    /// Warnings about undriven bits; in a design with mutants, also about those of mutants.
    pub undriven: Vec<Warning>,
    /// Words whose latches are read, with the processes.
    pub kept: BTreeSet<(WordId, usize)>,
    /// Places of inputs and registers in the sources, by name.
    pub places: BTreeMap<String, Place>,
    /// The observed outputs.
    pub observed: Vec<VarId>,
    /// The registers, in the order of the system's states.
    pub registers: Vec<Register>,
    /// Number of state variables of clocks; they come before the registers.
    pub of_clocks: usize,
    /// The start of each register.
    pub starts: Vec<Start>,
    /// Terms and pieces of words that were looked for.
    pub work: usize,
}

/// The start of a register, bit by bit.
#[derive(Clone, Debug)]
pub struct Start {
    /// Whether the source itself gives it an initial value.
    pub written: Vec<bool>,
    /// Its value in the first step of a run.
    pub first: Vec<Family>,
}

/// Lowers a design. `ids` are the mutants, by number of their mutation; `rejected` are mutations to leave out, with the reasons; `marked`
/// are lines (file, line) with declarations of choices.
///
/// # Errors
/// If clocks, resets or nets are not supported, with their places. If there is nothing to observe.
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
    notes.extend(pins.timing.notes.iter().cloned());
    let setting = Setting {
        pins,
        choices: choices(design, sources, marked, options, &mut notes),
        rejected,
    };
    if let Some(clock) = setting
        .choices
        .iter()
        .find(|id| pins.timing.is_chosen(**id))
    {
        let name = &design.var(*clock).name;
        let message =
            format!("--nd {name}: a clock that ticks as the model chooses is not supported");
        return Err(Stop::Model(Box::new(Diagnostic::option(message, None))));
    }
    let outputs = outputs(design, options, &mut notes)?;
    let mut roots: Vec<Root> = outputs.iter().map(|(_, word)| Root::Word(*word)).collect();
    roots.extend(design.claims.iter().map(|claim| Root::Term(claim.term)));
    for claim in &design.claims {
        roots.extend(conditions_of(design, pins, claim)?);
    }
    let resolved = resolve(design, &setting, &roots, ids.len())?;
    let starts = starts(design, &resolved, pins, options, ids)?;
    notes.extend(resolved.notes.iter().cloned());
    let rejected = resolved.rejected.clone();
    let registers = resolved.registers.clone();
    let (of_clocks, work) = (resolved.of_clocks, resolved.work);
    let warnings = warnings(design, &resolved.raced);
    let undriven = undriven(design, &resolved.undriven);
    let kept = resolved.kept.clone();
    let system = assemble(design, pins, resolved, &starts, &outputs, sources, ids)?;
    let places = places(design, &registers, &system, of_clocks);
    notes.sort();
    notes.dedup();
    Ok(Lowered {
        system,
        rejected,
        notes,
        warnings,
        undriven,
        kept,
        places,
        observed: outputs.iter().map(|(var, _)| *var).collect(),
        registers,
        of_clocks,
        starts,
        work,
    })
}

/// Returns the places of inputs and registers of the system by their names. Its first `of_clocks` states belong to clocks.
fn places(
    design: &Design,
    registers: &[Register],
    system: &TransitionSystem,
    of_clocks: usize,
) -> BTreeMap<String, Place> {
    let place = |span: Span| Place {
        file: span.file,
        bytes: (span.start, span.end),
    };
    let chosen = design.chosen.iter().map(|(name, at)| (name.as_str(), *at));
    let vars = design.vars.iter().map(|var| (var.name.as_str(), var.place));
    let known: BTreeMap<&str, Span> = chosen.chain(vars).collect();
    let mut places = BTreeMap::new();
    for input in &system.inputs {
        // Elements and bits have the place of their variable.
        let name = input.name.split('[').next().unwrap_or_default();
        let found = known.get(input.name.as_str()).or_else(|| known.get(name));
        if let Some(span) = found {
            places.insert(input.name.clone(), place(*span));
        }
    }
    for (register, state) in registers.iter().zip(&system.states[of_clocks..]) {
        let (var, ..) = design.elements[register.word.0];
        let at = place(design.var(var).place);
        places.insert(format!("{}@reset", state.name), at);
        places.insert(state.name.clone(), at);
    }
    places
}

/// Returns one warning for each variable and place where `=` assigns a word in `raced` at an edge at which another process reads it.
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

/// Returns one warning for each variable with undriven bits that the design outputs or reads.
fn undriven(design: &Design, words: &BTreeSet<WordId>) -> Vec<Warning> {
    let vars: BTreeSet<VarId> = words.iter().map(|word| design.elements[word.0].0).collect();
    let warning = |id: &VarId| {
        let var = design.var(*id);
        let what = match var.port {
            Some(Direction::Output) => "the output ",
            _ => "",
        };
        let Span { file, start, end } = var.place;
        let name = &var.name;
        Warning {
            message: match var.keeps() {
                true => format!(
                    "nothing assigns {what}`{name}`, or some bits of it: it keeps its value at the start, which may be any"
                ),
                false => format!(
                    "nothing drives {what}`{name}`, or some bits of it: its value is a choice, new at every step"
                ),
            },
            file,
            bytes: (start, end),
        }
    };
    vars.iter().map(warning).collect()
}

/// Returns the inputs that are choices, by `marked` lines or options. Adds remarks on them to `notes`.
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

/// Returns the observed variables and words: the outputs of the top module and the observed inputs of black boxes, unless an option names
/// others. Without outputs, they are the variables of the top module.
///
/// # Errors
/// If there is nothing to observe.
fn outputs(
    design: &Design,
    options: &FrontendOptions,
    notes: &mut Vec<String>,
) -> Run<Vec<(VarId, WordId)>> {
    let mut found = Vec::new();
    if let Some(chosen) = &options.roles.outputs {
        for (i, var) in design.vars.iter().enumerate() {
            if !var.local && var.dimensions.is_empty() && chosen.holds(&var.name) {
                found.push(VarId(i));
            }
        }
    } else {
        let ports = design.ports.iter().copied();
        found.extend(ports.filter(|var| design.var(*var).port == Some(Direction::Output)));
        if found.is_empty() && design.into_boxes.is_empty() {
            // Without outputs the variables of the top module are observed.
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
    let mut found: Vec<(VarId, WordId)> = (found.into_iter())
        .map(|var| (var, WordId(design.var(var).first)))
        .collect();
    for var in design
        .into_boxes
        .iter()
        .filter(|_| options.roles.outputs.is_none())
    {
        let Var { first, count, .. } = *design.var(*var);
        found.extend((first..first + count as usize).map(|word| (*var, WordId(word))));
    }
    if found.is_empty() {
        let message = "there is nothing to observe: the top module has no outputs";
        return Err(Stop::Model(Box::new(Diagnostic::unlocated(message))));
    }
    Ok(found)
}

/// Returns the first values of all registers: bits in the original and the mutants.
fn starts(
    design: &Design,
    resolved: &Resolved,
    pins: &Pins,
    options: &FrontendOptions,
    ids: &[MutantId],
) -> Run<Vec<Start>> {
    let unknown = power_up(options).map_or(Ternary::Unknown, Ternary::of);
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
    after_resets(resolved, pins, ids, &mut start)?;
    Ok(start)
}

/// Advances the first values of registers from those at power-up to those after the resets. Does nothing without resets.
fn after_resets(
    resolved: &Resolved,
    pins: &Pins,
    ids: &[MutantId],
    start: &mut [Start],
) -> Run<()> {
    let steps = pins.timing.reset_steps();
    if steps == 0 {
        return Ok(());
    }
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
    // State variables of clocks start at 0 and come first. All clocks tick in each step of a reset, as in the first step of a round.
    let known = resolved.states[..resolved.of_clocks].iter();
    let known: usize = known.map(|state| state.sort.width()).sum();
    let zeros = std::iter::repeat_n(Family::plain(Ternary::Zero), known);
    let first = start.iter().flat_map(|start| start.first.iter().cloned());
    let mut state: Vec<Family> = zeros.chain(first).collect();
    let round = match resolved.states.first() {
        Some(first) if resolved.of_clocks > 0 && first.name == ROUND => 0..first.sort.width(),
        _ => 0..0,
    };
    let ticks = pins.timing.ticks_of_a_reset();
    let mut before = 0;
    let started = resolved.states[..resolved.of_clocks]
        .iter()
        .find_map(|state| {
            let from = before;
            before += state.sort.width();
            (state.name == STARTED).then_some(from..from + 1)
        });
    for tick in 0..steps * ticks {
        let step = tick / ticks;
        let mut inputs = vec![Ternary::Unknown; model.aig.inputs().len()];
        for port in &model.inputs {
            let input = pins
                .facts
                .inputs
                .iter()
                .find(|input| input.name == port.name);
            // Unknown functions stay unknown.
            if resolved.functions.contains(&port.name) {
                continue;
            }
            let value = input.is_some_and(|input| {
                pins.timing.is_chosen(input.id) || pins.timing.level(input.id, step)
            });
            for &bit in &port.bits {
                inputs[bit] = Ternary::of(value);
            }
        }
        state = simulate(&model.aig, &selectors, &inputs, &state);
        for zeros in [Some(&round), started.as_ref()].into_iter().flatten() {
            state[zeros.clone()].fill(Family::plain(Ternary::Zero));
        }
    }
    let mut after = state.into_iter().skip(known);
    for start in start {
        start.first = after.by_ref().take(start.first.len()).collect();
    }
    Ok(())
}

/// Returns the bits of the value that an `initial` block assigns: numbers, perhaps others in mutants. Other values are unknown.
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
    pins: &Pins,
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
        of_clocks,
        ..
    } = resolved;
    for (state, start) in states[of_clocks..].iter_mut().zip(starts) {
        state.init = first_value(&mut words, &mut inputs, state, &start.first)?;
    }
    let mut system = TransitionSystem::default();
    for ((var, word), value) in outputs.iter().zip(&roots) {
        let var = design.var(*var);
        let mut term = *value;
        if var.signed {
            term = as_sort(&mut words, term, true)?;
        }
        system.outputs.push(Output {
            name: design.word_name(*word),
            term,
        });
    }
    let (claimed, conditions) = roots[outputs.len()..].split_at(design.claims.len());
    let mut conditions = conditions.iter();
    for (claim, term) in design.claims.iter().zip(claimed) {
        // The claim is not checked in steps in which its clock does not tick or a gate stops the edge.
        let mut term = *term;
        let own = conditions_of(design, pins, claim)?.len();
        for condition in conditions.by_ref().take(own) {
            let condition = words.truth(*condition)?;
            let elsewhere = words.pool.not(condition)?;
            term = words.pool.binary(Core::Or, elsewhere, term)?;
        }
        let name = sources.get(claim.place.file).map(|source| {
            let line = LineIndex::new(&source.text).line(claim.place.start);
            // The directory of the file is no part of the circuit.
            let path = Path::new(&source.name);
            let base = path.file_name().filter(|_| path.is_absolute());
            let name = base.map_or(source.name.as_str().into(), |base| base.to_string_lossy());
            format!("{name}:{line}")
        });
        if claim.assumed {
            system.constraints.push(Constraint {
                name,
                term,
                when: When::Always,
                span: None,
            });
        } else {
            system.invariants.push(Invariant {
                name: name.unwrap_or_default(),
                term,
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

/// Returns the conditions of a step in which a claim is checked: its clock ticks, and all gates of the clock are open. Empty for a claim
/// without a clock.
///
/// # Errors
/// If a register makes the clock of the claim. If there are several clocks, and no register changes at the edge of the claim.
fn conditions_of(design: &Design, pins: &Pins, claim: &Claim) -> Run<Vec<Root>> {
    let Some((signal, rising)) = claim.clock else {
        return Ok(Vec::new());
    };
    let gates = enables(design, signal).into_iter().map(Root::Term);
    let mut conditions: Vec<Root> = gates.collect();
    match pins.edge(design, signal, rising) {
        Some(Edge::Every) => {}
        Some(Edge::Derived(_)) => {
            let message =
                "a property at the edges of a clock that a register makes is not supported";
            return Err(Stop::at(claim.place, message));
        }
        Some(edge) => conditions.push(Root::Ticks(edge)),
        None if pins.timing.ticking.is_empty() => {}
        None => {
            let message = "a property at an edge at which no register changes is not supported";
            return Err(Stop::at(claim.place, message));
        }
    }
    Ok(conditions)
}

fn as_sort(words: &mut Words, term: TermId, signed: bool) -> Run<TermId> {
    let width = words.width(term);
    Ok(match words.constant(term) {
        Some(bits) => words.pool.word(&bits, signed),
        None => words.pool.slice(term, 0, width, signed)?,
    })
}

/// Returns the initial value of a register: its known bits, and choices for the bits that are unknown in the original or a mutant. Adds an
/// input for the choices.
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
