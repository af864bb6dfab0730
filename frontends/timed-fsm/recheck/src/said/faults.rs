//! The meaning of the lines of a fault domain.

use hyperkill_frontend::FrontendOptions;
use hyperkill_timed_fsm::guard::{Interval, LONGEST};
use hyperkill_timed_fsm::machine::{Answer, Guarded, Machine, Timeout};
use hyperkill_timed_fsm::syntax::{
    Fault, FaultsText, GuardText, Instead, Kind, Limit, Pattern, Subject,
};

use super::content::{MAX_KEPT_TRANSITIONS, Otherwise, Said, Unread};
use super::guards::{UNIT, are_alike, as_it_is, in_a_row, moved, replaced};
use super::machine::number;

/// The names of operators that select faults; the last one makes none unless it is selected.
const TRANSFER: &str = "transfer";
const OUTPUT: &str = "output";
const TIMEOUT: &str = "timeout";
const GUARD: &str = "guard";
const ANY: &str = "any";

const MOVES: [Kind; 3] = [Kind::Narrowed, Kind::Widened, Kind::Shifted];

/// Returns the names of the additional states of `chaos:STATES:MAXTIMEOUT`.
///
/// # Errors
/// If the domain has another form.
pub(super) fn more_states(machine: &Machine, domain: &str) -> Result<Vec<String>, Unread> {
    let (states, _) = chaos(domain)?;
    let own = machine.states.len();
    if states > MAX_KEPT_TRANSITIONS {
        return Err(Unread::TooMany);
    }
    let is_taken = |name: &String| machine.states.iter().any(|state| state.name == *name);
    let names = (1_usize..).map(|number| format!("extra{number}"));
    let names = names.filter(|name| !is_taken(name));
    Ok(names.take(states.saturating_sub(own)).collect())
}

fn chaos(domain: &str) -> Result<(usize, u32), Unread> {
    let numbers = domain
        .strip_prefix("chaos:")
        .and_then(|rest| rest.split_once(':'));
    let numbers =
        numbers.and_then(|(states, longest)| Some((states.parse().ok()?, longest.parse().ok()?)));
    numbers.ok_or_else(|| Unread::Wrong(format!("`{domain}` is not a domain of faults")))
}

/// The options that select faults by the names of their operators.
struct Asked<'a> {
    options: &'a FrontendOptions,
    /// Whether the domain is written in the model, which selects all of its faults.
    is_written: bool,
}

impl Asked<'_> {
    /// Whether faults of all operators are selected.
    fn is_everything(&self) -> bool {
        self.is_written && self.options.operators.is_none()
    }

    fn holds(&self, operators: &[&str]) -> bool {
        operators.iter().any(|name| match &self.options.operators {
            Some(chosen) => chosen.holds(name),
            None => self.is_written || *name != ANY,
        })
    }
}

/// Returns the name of the operator that changes one answer to the other.
fn operator(own: Answer, other: Answer) -> &'static str {
    match (own.output == other.output, own.target == other.target) {
        (true, _) => TRANSFER,
        (false, true) => OUTPUT,
        (false, false) => ANY,
    }
}

fn one(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::One(_))
}

fn all_of(pattern: &Pattern, names: &[String], every: usize) -> Result<Vec<usize>, Unread> {
    match pattern {
        Pattern::Every => Ok((0..every).collect()),
        Pattern::One(name) => Ok(vec![number(names, name)?]),
    }
}

impl Said {
    /// Adds the faults of a chaos domain: every answer in every state, and every timeout up to a length.
    pub(super) fn everything(&mut self, domain: &str) -> Result<(), Unread> {
        let (_, longest) = chaos(domain)?;
        let states = self.states.len();
        let places = states.saturating_mul(self.machine.inputs.len());
        let answers = self.machine.outputs.len().saturating_mul(states);
        let timeouts = (longest as usize + 1).saturating_mul(states.saturating_mul(states));
        if places.saturating_mul(answers).saturating_add(timeouts) > MAX_KEPT_TRANSITIONS {
            return Err(Unread::TooMany);
        }
        for state in 0..states {
            for input in 0..self.machine.inputs.len() {
                for answer in self.answers(None, None) {
                    self.always(state, input, answer)?;
                }
            }
            for after in 1..=longest {
                for target in 0..states {
                    self.timeout(state, Some(Timeout { after, target }), 1)?;
                }
            }
            self.timeout(state, None, states as u64)?;
        }
        Ok(())
    }

    /// Adds the faults of the default domain, as far as options select them.
    pub(super) fn usual(&mut self, options: &FrontendOptions) -> Result<(), Unread> {
        let asked = Asked {
            options,
            is_written: false,
        };
        let has_any = options
            .operators
            .as_ref()
            .is_some_and(|chosen| chosen.holds(ANY));
        let answers: &[Kind] = match has_any {
            true => &[Kind::Any],
            false => &[Kind::Transfer, Kind::Output],
        };
        for state in 0..self.machine.states.len() {
            for input in 0..self.machine.inputs.len() {
                let has_guards = self.machine.states[state].guarded.contains_key(&input);
                let moves = MOVES.iter().filter(|_| has_guards);
                for kind in answers.iter().chain(moves) {
                    self.group((state, input), None, *kind, (false, &asked))?;
                }
            }
            self.usual_timeouts(state, &asked)?;
        }
        Ok(())
    }

    fn usual_timeouts(&mut self, state: usize, asked: &Asked<'_>) -> Result<(), Unread> {
        let Some(own) = self.machine.states[state].timeout else {
            return Ok(());
        };
        let lengths = [
            Some(own.after / 2),
            own.after.checked_sub(1),
            own.after.checked_add(1),
            own.after.checked_mul(2),
        ];
        let lengths = lengths.into_iter().flatten().filter(|after| *after > 0);
        let lengths = lengths.map(|after| Timeout { after, ..own });
        let targets = (0..self.machine.states.len()).map(|target| Timeout { target, ..own });
        // With guards a unit may have two parts, and the number of parts has the same limit as other numbers.
        let is_short = |timeout: &Timeout| !self.has_guards || timeout.after <= LONGEST;
        let others: Vec<Timeout> = lengths.chain(targets).filter(is_short).collect();
        for timeout in others.into_iter().map(Some).chain([None]) {
            if asked.holds(&[self.operator_of(state, timeout)]) {
                self.timeout(state, timeout, 1)?;
            }
        }
        Ok(())
    }

    /// Adds the faults that the text lists, as far as options select them.
    pub(super) fn written(
        &mut self,
        faults: &FaultsText,
        options: &FrontendOptions,
    ) -> Result<(), Unread> {
        let asked = Asked {
            options,
            is_written: true,
        };
        faults
            .faults
            .iter()
            .try_for_each(|fault| self.line(fault, &asked))
    }

    fn line(&mut self, fault: &Fault, asked: &Asked<'_>) -> Result<(), Unread> {
        // States that only implementations have must be named.
        let states = all_of(&fault.state, &self.states, self.machine.states.len())?;
        match (&fault.subject, &fault.instead) {
            (Subject::Input(input, guard), Instead::Kinds(kinds)) => {
                let is_one = one(&fault.state) && one(input);
                let inputs = self.inputs(input)?;
                for &state in &states {
                    for &input in &inputs {
                        for (kind, _) in kinds {
                            self.group((state, input), *guard, *kind, (is_one, asked))?;
                        }
                    }
                }
                Ok(())
            }
            (Subject::Input(input, guard), Instead::Transition { output, target }) => {
                let is_one = one(&fault.state) && one(input);
                let inputs = self.inputs(input)?;
                let outputs = self.machine.outputs.len();
                let outputs = all_of(output, &self.machine.outputs, outputs)?;
                let targets = all_of(target, &self.states, self.states.len())?;
                for &state in &states {
                    for &input in &inputs {
                        let place = (state, input);
                        if is_one || self.is_extra(state) || !self.row(place).is_empty() {
                            for answer in self.answers(Some(&outputs), Some(&targets)) {
                                self.transition(place, *guard, answer, asked)?;
                            }
                        }
                    }
                }
                Ok(())
            }
            (_, Instead::Timeouts { limits, target }) => {
                let target = target.as_ref();
                let targets = target.map(|to| all_of(to, &self.states, self.states.len()));
                let targets = targets.transpose()?;
                for &state in &states {
                    for limit in limits {
                        self.limit(state, limit.limit, targets.as_deref(), asked)?;
                    }
                }
                Ok(())
            }
            (Subject::Timeout, _) => {
                for &state in &states {
                    let own = self.machine.states.get(state).and_then(|own| own.timeout);
                    let Some(own) = own.filter(|_| asked.holds(&[TRANSFER])) else {
                        continue;
                    };
                    for target in (0..self.states.len()).filter(|target| *target != own.target) {
                        self.timeout(state, Some(Timeout { target, ..own }), 1)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn inputs(&self, pattern: &Pattern) -> Result<Vec<usize>, Unread> {
        all_of(pattern, &self.machine.inputs, self.machine.inputs.len())
    }

    fn is_extra(&self, state: usize) -> bool {
        state >= self.machine.states.len()
    }

    /// Returns the transitions of the machine for a state and an input, in the order of delays.
    fn row(&self, (state, input): (usize, usize)) -> Vec<Guarded> {
        let own = self.machine.states.get(state);
        own.map_or_else(Vec::new, |own| in_a_row(own, input))
    }

    /// Returns all answers with one of these outputs and one of these targets; `None` stands for all outputs or all targets.
    fn answers(&self, outputs: Option<&[usize]>, targets: Option<&[usize]>) -> Vec<Answer> {
        let all = |of: Option<&[usize]>, count: usize| -> Vec<usize> {
            of.map_or_else(|| (0..count).collect(), <[usize]>::to_vec)
        };
        let outputs = all(outputs, self.machine.outputs.len());
        let targets = all(targets, self.states.len());
        let outputs = outputs.into_iter();
        let found = outputs.flat_map(|output| {
            let targets = targets.iter();
            targets.map(move |&target| Answer { output, target })
        });
        found.collect()
    }

    /// Returns the answers that a kind of faults puts in the place of `own`.
    fn others(&self, own: Answer, kind: Kind) -> Vec<Answer> {
        let all = match kind {
            Kind::Transfer => self.answers(Some(&[own.output]), None),
            Kind::Output => self.answers(None, Some(&[own.target])),
            _ => self.answers(None, None),
        };
        all.into_iter().filter(|other| *other != own).collect()
    }

    /// Adds the faults of a kind at a place (a state and an input), or only at one of its guards. `is_one`: the line names this place
    /// alone.
    fn group(
        &mut self,
        place: (usize, usize),
        guard: Option<GuardText>,
        kind: Kind,
        (is_one, asked): (bool, &Asked<'_>),
    ) -> Result<(), Unread> {
        let row = self.row(place);
        if row.is_empty() && !is_one {
            return Ok(());
        }
        let is_plain = row.iter().all(|own| own.during == Interval::ALWAYS);
        let Some(guard) = guard else {
            if is_plain {
                return self.plain_group(place, row.first(), kind, asked);
            }
            let mut all = 0..row.len();
            return all.try_for_each(|at| self.at_guard(place, &row, (at, kind), asked));
        };
        let meant = |at: &usize| row[*at].during == guard.during;
        let meant: Vec<usize> = (0..row.len()).filter(meant).collect();
        if !meant.is_empty() {
            let mut all = meant.into_iter();
            return all.try_for_each(|at| self.at_guard(place, &row, (at, kind), asked));
        }
        // These delays are no guard of the machine.
        let does: Vec<Option<Answer>> = match kind {
            Kind::Any => self.answers(None, None).into_iter().map(Some).collect(),
            Kind::Never => vec![None],
            _ => Vec::new(),
        };
        let mut all = does.into_iter();
        all.try_for_each(|does| self.guarded(place, replaced(&row, guard.during, does), asked))
    }

    /// Adds the faults of a kind at a place (a state and an input) without guards.
    fn plain_group(
        &mut self,
        (state, input): (usize, usize),
        own: Option<&Guarded>,
        kind: Kind,
        asked: &Asked<'_>,
    ) -> Result<(), Unread> {
        let others = match (own, kind) {
            (Some(own), Kind::Transfer | Kind::Output | Kind::Any) => self.others(own.answer, kind),
            (None, Kind::Any) => self.answers(None, None),
            _ => Vec::new(),
        };
        let by = |other: Answer| own.map_or(ANY, |own| operator(own.answer, other));
        for other in others {
            if self.is_extra(state) || asked.holds(&[by(other)]) {
                self.always(state, input, other)?;
            }
        }
        Ok(())
    }

    /// Adds the faults of a kind at the guard with the index `at` in the row of transitions.
    fn at_guard(
        &mut self,
        place: (usize, usize),
        row: &[Guarded],
        (at, kind): (usize, Kind),
        asked: &Asked<'_>,
    ) -> Result<(), Unread> {
        let own = row[at];
        let faults: Vec<Otherwise> = match kind {
            Kind::Narrowed | Kind::Widened | Kind::Shifted => moved(row, at, kind),
            Kind::Never => vec![replaced(row, own.during, None)],
            Kind::Transfer | Kind::Output | Kind::Any => {
                let others = self.others(own.answer, kind).into_iter();
                let others = others.map(|other| replaced(row, own.during, Some(other)));
                others.collect()
            }
        };
        let mut faults = faults.into_iter();
        faults.try_for_each(|fault| self.guarded(place, fault, asked))
    }

    /// Adds an answer that the text writes as a fault at a place (a state and an input), if options select it.
    fn transition(
        &mut self,
        place: (usize, usize),
        guard: Option<GuardText>,
        answer: Answer,
        asked: &Asked<'_>,
    ) -> Result<(), Unread> {
        if let Some(guard) = guard {
            let fault = replaced(&self.row(place), guard.during, Some(answer));
            return self.guarded(place, fault, asked);
        }
        let own = self.machine.states.get(place.0);
        let own = own.and_then(|own| own.answers.get(&place.1));
        let by = own.map_or(ANY, |own| operator(*own, answer));
        match own == Some(&answer) || !(self.is_extra(place.0) || asked.holds(&[by])) {
            true => Ok(()),
            false => self.always(place.0, place.1, answer),
        }
    }

    /// Adds a fault at some delays, if options select it and it changes the machine.
    fn guarded(
        &mut self,
        place: (usize, usize),
        fault: Otherwise,
        asked: &Asked<'_>,
    ) -> Result<(), Unread> {
        let row = self.row(place);
        let is_extra = self.is_extra(place.0);
        if !is_extra && are_alike(&as_it_is(&row), &fault) {
            return Ok(());
        }
        self.has_guards = true;
        if fault.bounds.iter().any(|bound| bound % 2 == 1) {
            self.scale = 2;
        }
        if is_extra || asked.is_everything() || asked.holds(&operators(&row, &fault)) {
            self.keep()?;
            self.places.entry(place).or_default().faults.push(fault);
        }
        Ok(())
    }

    fn always(&mut self, state: usize, input: usize, answer: Answer) -> Result<(), Unread> {
        self.keep()?;
        let place = self.places.entry((state, input)).or_default();
        place.always.insert(answer);
        Ok(())
    }

    fn keep(&mut self) -> Result<(), Unread> {
        self.kept += 1;
        match self.kept > MAX_KEPT_TRANSITIONS {
            true => Err(Unread::TooMany),
            false => Ok(()),
        }
    }

    fn operator_of(&self, state: usize, timeout: Option<Timeout>) -> &'static str {
        let after = |timeout: Option<Timeout>| timeout.map(|timeout| timeout.after);
        let own = self.machine.states.get(state).and_then(|own| own.timeout);
        match after(own) == after(timeout) {
            true => TRANSFER,
            false => TIMEOUT,
        }
    }

    fn limit(
        &mut self,
        state: usize,
        limit: Limit,
        targets: Option<&[usize]>,
        asked: &Asked<'_>,
    ) -> Result<(), Unread> {
        let own = self.machine.states.get(state).and_then(|own| own.timeout);
        let (timeouts, ways) = match limit {
            Limit::Never => (vec![None], targets.map_or(1, <[usize]>::len) as u64),
            Limit::After(after) => {
                let same = own.map(|own| vec![own.target]).unwrap_or_default();
                let targets = targets.map_or(same, <[usize]>::to_vec).into_iter();
                let timeouts = targets.map(|target| Some(Timeout { after, target }));
                (timeouts.collect(), 1)
            }
        };
        for timeout in timeouts {
            if self.is_extra(state) || asked.holds(&[self.operator_of(state, timeout)]) {
                self.timeout(state, timeout, ways)?;
            }
        }
        Ok(())
    }

    fn timeout(&mut self, state: usize, timeout: Option<Timeout>, ways: u64) -> Result<(), Unread> {
        self.keep()?;
        let known = self.timeouts[state].entry(timeout).or_insert(1);
        *known = ways.max(*known);
        Ok(())
    }
}

/// Returns the names of the operators that make a fault at some delays. If a guard grows over its complete neighbour, the neighbour has
/// another answer, so that the operator for other answers is listed too.
fn operators(row: &[Guarded], fault: &Otherwise) -> Vec<&'static str> {
    let answered = row.iter().find_map(|own| {
        let does = fault.at(own.during.from)?;
        let other = replaced(row, own.during, Some(does));
        are_alike(&other, fault).then_some((own.during, operator(own.answer, does)))
    });
    let Some((during, answered)) = answered else {
        return vec![GUARD];
    };
    // A guard that is widened grows by at most one unit.
    let is_short = during
        .until
        .is_some_and(|until| until - during.from <= UNIT);
    if !is_short {
        return vec![answered];
    }
    let mut moves = MOVES.iter().flat_map(|kind| {
        let all = 0..row.len();
        all.flat_map(|at| moved(row, at, *kind))
    });
    let is_moved = moves.any(|other| are_alike(&other, fault));
    std::iter::once(answered)
        .chain(is_moved.then_some(GUARD))
        .collect()
}
