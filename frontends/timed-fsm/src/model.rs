//! Models: the contents of texts, with the mutants and the fault domain.

use std::collections::BTreeSet;

use hyperkill_core::sort::Sort;
use hyperkill_frontend::decision::{Contents, Variable};
use hyperkill_frontend::domain::DomainSize;
use hyperkill_frontend::{Diagnostic, FrontendOptions, Severity, SourceFile, Span};

use crate::choices::{MutationMachine, TooMany};
use crate::domain::Written;
use crate::group::MAX_TRANSITIONS;
use crate::guard::LONGEST;
use crate::lexer::TokenKind;
use crate::machine::{Change, Machine, State};
use crate::mutate::Mutation;
use crate::pieces::Whole;
use crate::resolve::Resolved;
use crate::syntax::MachineText;
use crate::{domain, lexer, mutate, parser, pieces, resolve, syntax};

/// The name of the only input in steps of tests.
pub const INPUT: &str = "input";

/// The name of the only output in steps of tests.
pub const OUTPUT: &str = "output";

/// A specification with its mutants.
#[derive(Clone, Debug)]
pub struct Model {
    /// The machine of the specification.
    pub machine: Machine,
    /// The mutants in catalogue order, each with its change.
    pub mutations: Vec<Mutation>,
    /// Remarks on probable mistakes of the author.
    pub warnings: Vec<Diagnostic>,
    /// The number of parts of a unit in machine and domain: 2 if inputs at a bound of a guard differ from those after it.
    pub scale: u32,
}

impl Model {
    /// Returns the facts that need no decision.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let variable = |name: &str, values: &[String]| Variable {
            name: name.to_owned(),
            sort: Sort::enumeration(values.iter().cloned()),
        };
        let mutants = self.mutations.iter();
        Contents {
            question: "conformance".to_owned(),
            inputs: vec![variable(INPUT, &self.machine.inputs)],
            outputs: vec![variable(OUTPUT, &self.machine.outputs)],
            deterministic: Some(true),
            catalogue: mutants.map(|m| (m.mutant.clone(), None)).collect(),
            needless: BTreeSet::new(),
            role_notes: Vec::new(),
            warnings: self.warnings.clone(),
        }
    }
}

/// A specification as it was read, and the faults of its implementations.
struct Read {
    text: MachineText,
    resolved: Resolved,
    faults: Faults,
    scale: u32,
}

/// The source of the fault domain.
enum Faults {
    /// The domain is written in the model.
    Written(Written),
    /// The chaos domain with a number of states, and timeouts up to a length.
    Chaos { states: usize, longest: u32 },
    /// The default domain of faults.
    Usual,
}

impl Read {
    fn new(sources: &[SourceFile], options: &FrontendOptions) -> Result<Read, Vec<Diagnostic>> {
        let (text, second) = texts(sources)?;
        let document = parser::parse(text).map_err(|error| vec![error])?;
        let second = second.map(parser::parse_faults).transpose();
        let second = second.map_err(|error| vec![error])?;
        let resolved = resolve::resolve(&document.machine)?;
        if options.machines.everything_defined {
            defined(&document.machine, &resolved.machine)?;
        }
        let faults = match (&options.machines.domain, second.or(document.faults)) {
            (Some(said), _) => chaos(&resolved.machine, said).map_err(|error| vec![error])?,
            (None, Some(faults)) => Faults::Written(domain::written(&resolved, &faults)?),
            (None, None) => Faults::Usual,
        };
        let mut read = Read {
            text: document.machine,
            resolved,
            faults,
            scale: 1,
        };
        read.scale = read.parts_of_a_unit(options);
        read.short_enough()?;
        Ok(read)
    }

    fn parts_of_a_unit(&self, options: &FrontendOptions) -> u32 {
        let machine = &self.resolved.machine;
        match &self.faults {
            Faults::Written(written) => pieces::scale(machine, written.changes.keys().copied()),
            Faults::Usual if machine.has_guards() => {
                let changes = domain::usual(machine, mutate::asks_for_more(options));
                pieces::scale(machine, changes)
            }
            Faults::Chaos { .. } | Faults::Usual => pieces::scale(machine, std::iter::empty()),
        }
    }

    /// Checks that timeouts in parts of a unit are in the range of numbers.
    fn short_enough(&self) -> Result<(), Vec<Diagnostic>> {
        let written = match &self.faults {
            Faults::Written(written) => Some(written.changes.keys()),
            Faults::Chaos { .. } | Faults::Usual => None,
        };
        let changed = written.into_iter().flatten();
        let changed = changed.filter_map(|change| match change {
            Change::Timeout { state, timeout } => Some((*state, (*timeout)?.after)),
            Change::Answer { .. } | Change::Guard { .. } => None,
        });
        let own = self.resolved.machine.states.iter().enumerate();
        let own = own.filter_map(|(index, state)| Some((index, state.timeout?.after)));
        let mut all = own.chain(changed);
        let long = all.find(|(_, after)| self.scale > 1 && *after > LONGEST);
        let Some((state, _)) = long else {
            return Ok(());
        };
        let message = format!("where guards end with a moment timeouts are at most {LONGEST}");
        Err(vec![match self.text.states.get(state) {
            Some(state) => Diagnostic::error(state.name.span, message),
            None => Diagnostic::unlocated(message),
        }])
    }

    /// Returns the alternatives of implementations, each with the number of its transitions, as an iterator since they may exceed memory. A
    /// chaos domain is not listed.
    fn changes<'a>(
        &'a self,
        options: &'a FrontendOptions,
    ) -> Box<dyn Iterator<Item = (Change, u64)> + 'a> {
        let machine = &self.resolved.machine;
        match &self.faults {
            Faults::Written(written) => {
                let is_asked_for = mutate::asked_for(machine, options, true);
                let changes = written.changes.iter();
                let changes = changes.map(|(change, ways)| (*change, *ways));
                Box::new(changes.filter(move |(change, _)| is_asked_for(change)))
            }
            Faults::Usual => {
                let is_asked_for = mutate::asked_for(machine, options, false);
                let changes = domain::usual(machine, mutate::asks_for_more(options));
                Box::new(changes.filter(is_asked_for).map(|change| (change, 1)))
            }
            Faults::Chaos { .. } => Box::new(std::iter::empty()),
        }
    }

    /// Whether answers depend on delays, in the machine or in an implementation.
    fn has_guards(&self) -> bool {
        let is_guard = |change: &Change| matches!(change, Change::Guard { .. });
        let is_written = match &self.faults {
            Faults::Written(written) => written.changes.keys().any(is_guard),
            Faults::Chaos { .. } | Faults::Usual => false,
        };
        is_written || self.resolved.machine.has_guards()
    }

    fn extra(&self) -> &[String] {
        match &self.faults {
            Faults::Written(written) => &written.extra,
            Faults::Chaos { .. } | Faults::Usual => &[],
        }
    }

    /// Returns specification and implementations, in pieces if answers depend on delays.
    fn domain(&self, options: &FrontendOptions) -> Result<(Machine, MutationMachine), TooMany> {
        let machine = &self.resolved.machine;
        if let Faults::Chaos { states, longest } = self.faults {
            let chaos = MutationMachine::chaos(machine, states, longest)?;
            return Ok((machine.clone(), chaos));
        }
        let changes = self.changes(options);
        if self.has_guards() {
            let changes: Vec<(Change, u64)> = changes.take(MAX_TRANSITIONS as usize + 1).collect();
            let whole = Whole::new(machine, self.extra(), &changes)?;
            // Timeouts were checked before.
            return whole.cut(machine, self.scale).map_err(|_| TooMany);
        }
        let mutation = MutationMachine::new(machine, self.extra(), changes)?;
        Ok((machine.clone(), mutation))
    }
}

/// Checks that every input has a transition in every state.
pub(crate) fn defined(text: &MachineText, machine: &Machine) -> Result<(), Vec<Diagnostic>> {
    let states = text.states.iter().zip(&machine.states);
    let missing = states.flat_map(|(text, state)| {
        let inputs = machine.inputs.iter().enumerate();
        let missing = inputs.filter(|(input, _)| !always_answers(state, *input));
        missing.map(|(input, name)| {
            let when = match state.guarded.contains_key(&input) {
                true => " at some delays",
                false => "",
            };
            let message = format!("state `{}` has no answer to `{name}`{when}", state.name);
            Diagnostic::error(text.name.span, message)
        })
    });
    let missing: Vec<Diagnostic> = missing.collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(missing),
    }
}

/// Whether an input has a transition at every delay that the state allows.
fn always_answers(state: &State, input: usize) -> bool {
    let mut answered = 0;
    for guarded in state.on(input) {
        if guarded.during.from > answered {
            return false;
        }
        let Some(until) = guarded.during.until else {
            return true;
        };
        answered = until;
    }
    let timeout = state.timeout.map(|timeout| timeout.after.saturating_mul(2));
    timeout.is_some_and(|timeout| answered >= timeout)
}

impl Read {
    /// Warns of timeouts of the specification that exceed the limit of the chaos domain, which then lacks the specification.
    fn outside(&self) -> Vec<Diagnostic> {
        let Faults::Chaos { longest, .. } = self.faults else {
            return Vec::new();
        };
        let timeouts = self.text.states.iter().flat_map(|state| &state.timeouts);
        let longer = timeouts.filter(
            |timeout| matches!(timeout.limit.limit, syntax::Limit::After(after) if after > longest),
        );
        let warnings = longer.map(|timeout| {
            let message =
                "the domain has no timeouts as long as this one: it is added to the domain";
            Diagnostic {
                severity: Severity::Warning,
                ..Diagnostic::error(timeout.limit.span, message)
            }
        });
        warnings.collect()
    }
}

/// Reads the value `chaos:STATES:MAXTIMEOUT` of `--domain`.
fn chaos(machine: &Machine, said: &str) -> Result<Faults, Diagnostic> {
    let refused = |message: String| {
        let help = "write `chaos:STATES:MAXTIMEOUT`, or name a file with `faults { … }`";
        Diagnostic::option(message, Some(help.to_owned()))
    };
    let numbers = said
        .strip_prefix("chaos:")
        .and_then(|rest| rest.split_once(':'));
    let read = numbers.and_then(|(states, longest)| {
        Some((states.parse::<usize>().ok()?, longest.parse::<u32>().ok()?))
    });
    let Some((states, longest)) = read else {
        return Err(refused(format!(
            "--domain {said}: this is not a domain of faults"
        )));
    };
    let own = machine.states.len();
    if machine.has_guards() {
        let message = format!("--domain {said}: `chaos` does not support machines with guards");
        return Err(refused(message));
    }
    if states < own {
        let message = format!("--domain {said}: the machine alone has {own} states");
        return Err(refused(message));
    }
    Ok(Faults::Chaos { states, longest })
}

/// Reads a specification and its mutants.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read(sources: &[SourceFile], options: &FrontendOptions) -> Result<Model, Vec<Diagnostic>> {
    let read = Read::new(sources, options)?;
    let machine = (&read.text, &read.resolved.machine);
    let mutations = match &read.faults {
        Faults::Written(written) => {
            let changes = written.single(machine.1);
            mutate::mutations(sources, machine, (changes, true), options)
        }
        Faults::Chaos { states, longest } => {
            let mutation = MutationMachine::chaos(machine.1, *states, *longest);
            let mutation = mutation.map_err(|_| vec![too_many()])?;
            let changes = mutation.single_changes(machine.1);
            mutate::mutations(sources, machine, (changes, true), options)
        }
        Faults::Usual => {
            let changes = domain::usual(machine.1, mutate::asks_for_more(options));
            mutate::mutations(sources, machine, (changes, false), options)
        }
    };
    let outside = read.outside();
    Ok(Model {
        mutations: mutations.map_err(|error| vec![error])?,
        machine: read.resolved.machine,
        scale: read.scale,
        warnings: read.resolved.warnings.into_iter().chain(outside).collect(),
    })
}

/// Reads all implementations of the fault domain, with their specification. Both are cut into pieces if answers depend on delays.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read_domain(
    sources: &[SourceFile],
    options: &FrontendOptions,
) -> Result<(Machine, MutationMachine), Vec<Diagnostic>> {
    let read = Read::new(sources, options)?;
    read.domain(options).map_err(|TooMany| vec![too_many()])
}

/// Returns the size of a domain.
#[must_use]
pub fn domain_size(domain: &MutationMachine) -> DomainSize {
    let mutants = domain.mutants();
    DomainSize {
        mutants: mutants.to_string(),
        rounded: mutants.short(),
        transitions: domain.mutated(),
        places: domain.groups(),
    }
}

fn too_many() -> Diagnostic {
    Diagnostic::unlocated("the domain of faults has more transitions than can be kept")
}

/// Reads the machine only, and ignores the faults that follow it.
///
/// # Errors
/// All errors found, in the order of their places.
pub fn read_machine(text: &str) -> Result<Machine, Vec<Diagnostic>> {
    let document = parser::parse(text).map_err(|error| vec![error])?;
    Ok(resolve::resolve(&document.machine)?.machine)
}

/// Returns the text up to the faults, if there are any. Mutants change this part only.
#[must_use]
pub fn without_faults(text: &str) -> &str {
    let Ok(mut tokens) = lexer::tokens(text, 0) else {
        return text;
    };
    let mut depth = 0_usize;
    while !tokens.is_over() {
        let token = tokens.bump();
        match (token.kind, token.text) {
            (TokenKind::Sign("{"), _) => depth += 1,
            (TokenKind::Sign("}"), _) => depth = depth.saturating_sub(1),
            (TokenKind::Word, "faults") if depth == 0 => return &text[..token.span.start],
            _ => {}
        }
    }
    text
}

/// Returns the text of the machine, and the text of faults if they have a file of their own.
pub(crate) fn texts(sources: &[SourceFile]) -> Result<(&str, Option<&str>), Vec<Diagnostic>> {
    match sources {
        [source] => Ok((&source.text, None)),
        [source, faults] => Ok((&source.text, Some(&faults.text))),
        [] => Err(vec![Diagnostic::unlocated("there is no timed machine")]),
        [_, _, _, ..] => {
            let third = Span {
                file: 2,
                ..Span::default()
            };
            let message = "a timed machine is one file, and its faults may be in a second one";
            Err(vec![Diagnostic::error(third, message)])
        }
    }
}
