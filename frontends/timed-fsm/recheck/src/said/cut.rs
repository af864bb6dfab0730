//! Cuts machines and domains into pieces: each state is cut at all bounds of its guards, and a piece leads to the next one by a timeout.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_timed_fsm::machine::{Answer, Machine, State, Timeout};

use super::content::{Place, Said, Unread};
use super::guards::{as_it_is, in_a_row};

/// All implementations: for each state and event the alternatives; an implementation has exactly one. `None` is no transition.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    /// Names of states, those of the specification first; of pieces, where answers depend on delays.
    pub(crate) states: Vec<String>,
    /// The answers by state and input.
    pub(crate) answers: Vec<Vec<Vec<Option<Answer>>>>,
    /// The timeouts by state.
    pub(crate) timeouts: Vec<Vec<Option<Timeout>>>,
    /// The pieces of states, if states are cut.
    pub(crate) pieces: Option<Pieces>,
}

/// The pieces of states.
#[derive(Clone, Debug)]
pub(crate) struct Pieces {
    /// The number of parts of a unit. Timeouts of pieces are in parts.
    pub(crate) scale: u32,
    /// For each piece and input, the first piece of its class of delays.
    places: Vec<Vec<usize>>,
}

impl Domain {
    /// Returns the state whose choice determines the answer to an input.
    pub(crate) fn place(&self, state: usize, input: usize) -> usize {
        let pieces = self.pieces.as_ref();
        pieces.map_or(state, |pieces| pieces.places[state][input])
    }

    /// Returns the number of parts of a unit.
    pub(crate) fn scale(&self) -> u32 {
        self.pieces.as_ref().map_or(1, |pieces| pieces.scale)
    }
}

/// Returns a machine in pieces, if it has guards or a unit has several parts.
///
/// # Errors
/// If its guards need more parts, or its timeouts are too long in parts.
pub(crate) fn alone(machine: &Machine, scale: u32) -> Result<Machine, Unread> {
    let mut said = Said::alone(machine.clone(), Vec::new());
    if !said.has_guards && scale == 1 {
        return Ok(machine.clone());
    }
    if said.scale > scale {
        return Unread::wrong("a guard has a bound between two parts of a unit");
    }
    (said.scale, said.has_guards) = (scale, true);
    Ok(said.domain()?.0)
}

/// A class of delays: its first moment, and the alternative answers from then on.
type Class = (u32, BTreeSet<Option<Answer>>);

impl Said {
    /// Returns the alternatives for an input in a state, by class of delays.
    pub(super) fn classes(&self, state: usize, input: usize) -> Vec<Class> {
        let own = self.machine.states.get(state);
        let row = own.map_or_else(Vec::new, |own| in_a_row(own, input));
        let nothing = Place::default();
        let place = self.places.get(&(state, input)).unwrap_or(&nothing);
        let bounds = row.iter().flat_map(|guarded| guarded.during.bounds());
        let others = place.faults.iter().flat_map(|fault| &fault.bounds);
        let all = bounds.chain(others.copied()).chain([0]);
        let all: BTreeSet<u32> = all.collect();
        let row = as_it_is(&row);
        let classes = all.into_iter().map(|from| {
            let always = place.always.iter().map(|answer| Some(*answer));
            let mut does: BTreeSet<Option<Answer>> = always.collect();
            does.extend(own.map(|_| row.at(from)));
            for fault in &place.faults {
                // For a state of implementations only, the fault determines the behaviour within its delays.
                if own.is_some() || fault.stretches[0].0.holds(from) {
                    does.insert(fault.at(from));
                }
            }
            if does.is_empty() {
                does.insert(None);
            }
            (from, does)
        });
        classes.collect()
    }

    /// Returns all timeouts of a state, each with its multiplicity; no timeout, once, if the text has none.
    pub(super) fn timeouts(&self, state: usize) -> BTreeMap<Option<Timeout>, u64> {
        match self.timeouts[state].is_empty() {
            true => BTreeMap::from([(None, 1)]),
            false => self.timeouts[state].clone(),
        }
    }

    /// Returns the specification, and all implementations.
    ///
    /// # Errors
    /// If timeouts are too long in parts of a unit.
    pub(crate) fn domain(&self) -> Result<(Machine, Domain), Unread> {
        if self.has_guards {
            return Cut::new(self)?.made();
        }
        let states = 0..self.states.len();
        let answers = states.clone().map(|state| {
            let inputs = 0..self.machine.inputs.len();
            let groups = inputs.map(|input| {
                let classes = self.classes(state, input).into_iter();
                classes.flat_map(|(_, does)| does).collect()
            });
            groups.collect()
        });
        let timeouts = states.map(|state| self.timeouts(state).into_keys().collect());
        let domain = Domain {
            states: self.states.clone(),
            answers: answers.collect(),
            timeouts: timeouts.collect(),
            pieces: None,
        };
        Ok((self.machine.clone(), domain))
    }
}

/// A piece of a state: the state between two bounds of its guards.
#[derive(Clone, Copy)]
struct Piece {
    state: usize,
    /// The beginning, in parts of a unit since the state was entered.
    begins: u32,
    /// The end; `None` for the last piece.
    ends: Option<u32>,
}

/// The work of cutting a domain into pieces.
struct Cut<'a> {
    said: &'a Said,
    /// The classes by state and input.
    classes: Vec<Vec<Vec<Class>>>,
    /// The timeouts by state, in parts of a unit.
    timeouts: Vec<Vec<Option<Timeout>>>,
    pieces: Vec<Piece>,
    /// The first piece of each state.
    first: Vec<usize>,
}

impl<'a> Cut<'a> {
    fn new(said: &'a Said) -> Result<Cut<'a>, Unread> {
        let mut cut = Cut {
            said,
            classes: Vec::new(),
            timeouts: Vec::new(),
            pieces: Vec::new(),
            first: Vec::new(),
        };
        for state in 0..said.states.len() {
            let inputs = 0..said.machine.inputs.len();
            let classes: Vec<Vec<Class>> = inputs.map(|input| said.classes(state, input)).collect();
            let mut timeouts = Vec::new();
            for timeout in said.timeouts(state).into_keys() {
                timeouts.push(match timeout {
                    None => None,
                    Some(own) => match own.after.checked_mul(said.scale) {
                        Some(after) => Some(Timeout { after, ..own }),
                        None => return Unread::wrong("a timeout is too long"),
                    },
                });
            }
            let begins = classes.iter().flatten().map(|(from, _)| cut.parts(*from));
            // There are no pieces after every implementation has left the state.
            let is_met = |begin: &u32| {
                let mut all = timeouts.iter();
                *begin == 0 || all.any(|own| own.is_none_or(|own| own.after > *begin))
            };
            let begins: BTreeSet<u32> = begins.filter(is_met).collect();
            let ends = begins.iter().skip(1).copied().map(Some).chain([None]);
            cut.first.push(cut.pieces.len());
            let pieces = begins.iter().zip(ends).map(|(begins, ends)| Piece {
                state,
                begins: *begins,
                ends,
            });
            cut.pieces.extend(pieces);
            cut.classes.push(classes);
            cut.timeouts.push(timeouts);
        }
        Ok(cut)
    }

    /// Converts a moment (half a unit) to parts of a unit.
    fn parts(&self, moment: u32) -> u32 {
        match self.said.scale {
            1 => moment / 2,
            _ => moment,
        }
    }

    /// Returns the class of delays for an input to which a piece belongs.
    fn class(&self, piece: Piece, input: usize) -> &Class {
        let classes = &self.classes[piece.state][input];
        let begun = |class: &&Class| self.parts(class.0) <= piece.begins;
        classes.iter().rfind(begun).unwrap_or(&classes[0])
    }

    fn answers(&self, piece: Piece, input: usize) -> Vec<Option<Answer>> {
        let (_, does) = self.class(piece, input);
        let to = |answer: Answer| Answer {
            target: self.first[answer.target],
            ..answer
        };
        does.iter().map(|does| does.map(to)).collect()
    }

    /// Returns the alternative timeouts of the piece with this number, which include the change to the next piece.
    fn timeouts(&self, number: usize) -> Vec<Option<Timeout>> {
        let piece = self.pieces[number];
        let here = |timeout: &Option<Timeout>| self.timeout(number, piece, *timeout);
        let all = self.timeouts[piece.state].iter().filter_map(here);
        let all: BTreeSet<Option<Timeout>> = all.collect();
        all.into_iter().collect()
    }

    /// Returns the timeout of a piece for a timeout of its state; `None` if the state's timeout expires before the piece.
    fn timeout(
        &self,
        number: usize,
        piece: Piece,
        timeout: Option<Timeout>,
    ) -> Option<Option<Timeout>> {
        let on = piece.ends.map(|ends| Timeout {
            after: ends - piece.begins,
            target: number + 1,
        });
        match timeout {
            None => Some(on),
            Some(own) if own.after <= piece.begins => None,
            Some(own) if piece.ends.is_some_and(|ends| own.after > ends) => Some(on),
            Some(own) => Some(Some(Timeout {
                after: own.after - piece.begins,
                target: self.first[own.target],
            })),
        }
    }

    /// Returns the number of the first piece in the class of delays of a piece, for an input. Its choice holds in all pieces of the class.
    fn place(&self, number: usize, input: usize) -> usize {
        let piece = self.pieces[number];
        let from = self.parts(self.class(piece, input).0);
        let of_class = |at: &usize| self.pieces[*at].begins >= from;
        let mut pieces = self.first[piece.state]..=number;
        pieces.find(of_class).unwrap_or(number)
    }

    fn made(self) -> Result<(Machine, Domain), Unread> {
        let machine = &self.said.machine;
        let names = self.names();
        let inputs = 0..machine.inputs.len();
        let mut domain = Domain {
            states: names,
            answers: Vec::new(),
            timeouts: Vec::new(),
            pieces: None,
        };
        let mut places = Vec::new();
        let mut states = Vec::new();
        for (number, piece) in self.pieces.iter().enumerate() {
            let answers = inputs.clone().map(|input| self.answers(*piece, input));
            domain.answers.push(answers.collect());
            domain.timeouts.push(self.timeouts(number));
            let of_piece = inputs.clone().map(|input| self.place(number, input));
            places.push(of_piece.collect());
            if let Some(own) = machine.states.get(piece.state) {
                states.push(self.own(own, number, *piece, &domain.states[number]));
            }
        }
        domain.pieces = Some(Pieces {
            scale: self.said.scale,
            places,
        });
        let specification = Machine {
            states,
            ..machine.clone()
        };
        Ok((specification, domain))
    }

    /// Returns the state `own` of the specification as it is in `piece`, which has this index. Answers are those at the piece's beginning,
    /// the timeout counts from there, and targets are pieces. If the piece ends before the timeout, the next piece follows. If the timeout
    /// expires before the piece, the first alternative timeout of the state that does not replaces it.
    fn own(&self, own: &State, number: usize, piece: Piece, name: &str) -> State {
        let moment = match self.said.scale {
            1 => 2 * piece.begins,
            _ => piece.begins,
        };
        let inputs = 0..self.said.machine.inputs.len();
        let answers = inputs.filter_map(|input| {
            let answer = as_it_is(&in_a_row(own, input)).at(moment)?;
            let target = self.first[answer.target];
            Some((input, Answer { target, ..answer }))
        });
        let timeout = own.timeout.map(|own| Timeout {
            after: own.after * self.said.scale,
            ..own
        });
        State {
            name: name.to_owned(),
            answers: answers.collect(),
            timeout: self.timeout(number, piece, timeout).unwrap_or_else(|| {
                let others = &self.timeouts[piece.state];
                let mut others = others
                    .iter()
                    .filter_map(|other| self.timeout(number, piece, *other));
                others.next().flatten()
            }),
            ..State::default()
        }
    }

    /// Returns the names of pieces: `S from 2`, or `S behind 2` if 2 is excluded. The first piece has the name of its state.
    fn names(&self) -> Vec<String> {
        let said = self.said;
        let pieces = self.pieces.iter().map(|piece| {
            let state = &said.states[piece.state];
            if piece.begins == 0 {
                return state.clone();
            }
            let (units, parts) = (piece.begins / said.scale, piece.begins % said.scale);
            let word = if parts > 0 { "behind" } else { "from" };
            let mut name = format!("{state} {word} {units}");
            while said.states.contains(&name) {
                name.push('\'');
            }
            name
        });
        pieces.collect()
    }
}
