//! Questions about copies whose choices a strategy resolves, step by step (semantics.md §3, §6.8).
//!
//! The goal is a step in which no choice keeps the outputs of the copies equal. If the goal is unreachable, the strategy matches for ever,
//! which proves equivalence or that no test kills definitely. If it is reachable, nothing is proved, since another strategy may choose
//! better.
//!
//! The choice is eliminated by expansion: each choice is an instance of the step's circuit. Late choices ([`Options::late`]) are made with
//! the next step. This needs no prophecy, since the run up to that step exists for every length.

use std::fmt;

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;

/// The aim of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aim {
    /// The model follows every run of the mutant. If it can do so for ever, the mutant is equivalent (φ2).
    Track,
    /// Model and mutant agree on every input sequence that both accept. If they can do so for ever, no test kills definitely (φ3, φ4).
    Agree,
}

/// The preference of a strategy among the choices that match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Preference {
    /// No preference: every matching choice must allow another one in the next step. This proves least. If it fails and the model is
    /// observable, the mutant is killed (semantics.md §6.8).
    Any,
    /// The choice of the other copy if it matches; otherwise as [`Preference::Lowest`].
    Copy,
    /// A choice that keeps the states of the two copies equal, as far as choices affect them, if it matches; otherwise as
    /// [`Preference::Copy`].
    State,
    /// The matching choice with the lowest number, whose binary digits are the bits.
    Lowest,
    /// The matching choice with the highest number.
    Highest,
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Preference::Any => "any",
            Preference::Copy => "copy",
            Preference::State => "state",
            Preference::Lowest => "lowest",
            Preference::Highest => "highest",
        })
    }
}

/// The largest number of choice bits for which a strategy tries every valuation; the circuit of a step is copied for each of them. For more
/// bits it tries only the choice of the other copy, all bits 0 and all bits 1.
pub const MAX_BITS: usize = 10;
/// A question about copies that a strategy steers: copy 0 is the model, copy 1 the mutant. Witnesses with arbitrary choices follow. All
/// copies have common test inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steered {
    /// The selector of the mutant.
    pub mutant: SelectorId,
    /// The aim of the strategy.
    pub aim: Aim,
    /// The preference among several matching choices.
    pub preference: Preference,
    /// The choices that the strategy resolves: for copy 0 and, if the copies are to agree, for copy 1. Other choices are 0.
    pub options: Vec<Options>,
    /// Further copies, which show that the inputs are accepted.
    pub witnesses: Vec<Variant>,
    /// The latches that [`Preference::State`] compares.
    pub shaped: Shaped,
}

/// The latches that choices affect, by index. The states of two copies count as equal if these latches are equal in both.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shaped {
    /// Latches whose present values depend on a choice of the first step.
    pub first: Vec<usize>,
    /// Latches whose present values depend on a choice of a later step.
    pub later: Vec<usize>,
    /// Latches whose next values depend on a choice. Their next values are compared.
    pub next: Vec<usize>,
}

impl Shaped {
    /// Returns the latches whose present values are compared in the first step, or in a later one.
    #[must_use]
    pub fn now(&self, when: When) -> &[usize] {
        match when {
            When::First => &self.first,
            When::Later => &self.later,
        }
    }
}

/// The choices that a strategy resolves for one copy, because its variant depends on them. Other choices are 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Latches with a free initial value, by index.
    pub initial: Vec<usize>,
    /// Choice inputs, by index among the circuit's inputs, that are decided together with the next step.
    pub late: Vec<usize>,
    /// All other choice inputs that the strategy resolves: they are decided with their own step.
    pub early: Vec<usize>,
}

impl Options {
    /// Returns the number of bits to choose in the first step.
    #[must_use]
    pub fn at_first(&self) -> usize {
        self.initial.len() + self.early.len()
    }

    /// Returns the number of bits to choose in every later step.
    #[must_use]
    pub fn later(&self) -> usize {
        self.late.len() + self.early.len()
    }

    /// Whether the first step has other choices than later ones (initial values or late choices), so that the state must record which one
    /// it is.
    #[must_use]
    pub fn first_is_special(&self) -> bool {
        !self.initial.is_empty() || !self.late.is_empty()
    }
}

/// An assignment of all choices of one step, for all steered copies together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assignment {
    /// Constants: for copy 0 the initial or late choices, then the early ones; then the same for copy 1.
    Constant(Vec<bool>),
    /// Copy 0 takes the choice of copy 1.
    Copied,
}

/// One of the assignments that a strategy tries in a step, in the order of its preference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// The choices of all steered copies.
    pub choice: Assignment,
    /// Whether it is taken only if it keeps the copies' states equal, as defined by [`Shaped`].
    pub alike: bool,
}

/// Whether a step is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// The first step: initial values and early choices are chosen.
    First,
    /// A later step: the late choices of the step before and the early choices are chosen.
    Later,
}

impl Steered {
    /// Returns the variants of copies 0 and 1: the original and the mutant.
    #[must_use]
    pub fn variants(&self) -> [Variant; 2] {
        [Variant::Original, Variant::Mutant(self.mutant)]
    }

    /// Returns for each steered copy the number of bits that the strategy chooses in the first step or in a later one, according to `when`.
    #[must_use]
    pub fn bits(&self, when: When) -> Vec<usize> {
        let bits = self.options.iter().map(|options| match when {
            When::First => options.at_first(),
            When::Later => options.later(),
        });
        bits.collect()
    }

    /// Returns the assignments that the strategy tries in the first step or in a later one, according to `when`; preferred ones come first.
    #[must_use]
    pub fn ways(&self, when: When) -> Vec<Way> {
        let bits: usize = self.bits(when).iter().sum();
        let mut constants: Vec<Vec<bool>> = if bits > MAX_BITS {
            vec![vec![false; bits], vec![true; bits]]
        } else {
            let numbers = 0..1usize << bits;
            numbers
                .map(|number| (0..bits).map(|bit| number >> bit & 1 == 1).collect())
                .collect()
        };
        let mut choices = Vec::new();
        match (self.preference, self.aim) {
            (Preference::Any | Preference::Lowest, _) => {}
            (Preference::Highest, _) => constants.reverse(),
            (Preference::Copy | Preference::State, Aim::Track) => choices.push(Assignment::Copied),
            (Preference::Copy | Preference::State, Aim::Agree) => {
                let common = self.common_bits(when);
                let differing = |values: &Vec<bool>| {
                    let pairs = common.iter();
                    pairs.filter(|&&(a, b)| values[a] != values[b]).count()
                };
                constants.sort_by_key(differing);
            }
        }
        choices.extend(constants.into_iter().map(Assignment::Constant));
        let kinds: &[bool] = match self.preference {
            Preference::State => &[true, false],
            _ => &[false],
        };
        let ways = kinds.iter().flat_map(|&alike| {
            let choices = choices.iter().cloned();
            choices.map(move |choice| Way { choice, alike })
        });
        ways.collect()
    }

    /// Returns pairs of positions in a constant assignment that hold the same choice, once of copy 0 and once of copy 1.
    fn common_bits(&self, when: When) -> Vec<(usize, usize)> {
        // Each entry is an index, and whether it is of an initial value; in the order of an assignment.
        let listed = |options: &Options| -> Vec<(bool, usize)> {
            let (kind, before) = match when {
                When::First => (true, &options.initial),
                When::Later => (false, &options.late),
            };
            let before = before.iter().map(|&i| (kind, i));
            before
                .chain(options.early.iter().map(|&i| (false, i)))
                .collect()
        };
        let all: Vec<(bool, usize)> = self.options.iter().flat_map(listed).collect();
        let mut common = Vec::new();
        for (a, choice) in all.iter().enumerate() {
            let again = all.iter().skip(a + 1).position(|other| other == choice);
            common.extend(again.map(|distance| (a, a + 1 + distance)));
        }
        common
    }

    /// Whether the product must store the choices of copy 1 until the next step, so that copy 0 can copy them late.
    #[must_use]
    pub fn remembers_choices(&self) -> bool {
        self.aim == Aim::Track && matches!(self.preference, Preference::Copy | Preference::State)
    }

    /// Returns pairs of copies, by index, whose nodes are likely to be equal: copies 0 and 1, and each witness with the copy of its kind.
    pub fn related(&self) -> Vec<[usize; 2]> {
        let mut related = vec![[0, 1]];
        for (i, witness) in self.witnesses.iter().enumerate() {
            related.push([usize::from(*witness != Variant::Original), i + 2]);
        }
        related
    }
}
