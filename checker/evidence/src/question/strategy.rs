//! Questions about copies whose choices a strategy makes, step by step (semantics.md §3, §6.8).
//!
//! Can the strategy be brought to a step in which no choice keeps the copies' outputs equal? If not, it matches for
//! ever, and that proves equivalence or that no test kills definitely. If it can, nothing is proved: another strategy
//! might have chosen better before.
//!
//! The choice is eliminated by expansion: each way to choose is an instance of the step's circuit. Late choices
//! ([`Options::late`]) are made with the next step; that is no prophecy, since for every length the run up to there
//! exists.

use std::fmt;

use hyperkill_core::SelectorId;
use hyperkill_core::product::Variant;

/// What the strategy is to achieve.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Aim {
    /// The model follows every run of the mutant: if it can for ever, the mutant is equivalent (φ2).
    Track,
    /// Model and mutant agree on every input sequence that both accept: if they can for ever, no test kills
    /// definitely (φ3, φ4).
    Agree,
}

/// How the strategy chooses among the choices that match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Preference {
    /// In no way: whatever matching choice is taken, another must be possible in the next step. Proves least; what it
    /// leaves open is killed if the model is observable (semantics.md §6.8).
    Any,
    /// What the other copy chooses, where that matches; else as [`Preference::Lowest`].
    Copy,
    /// What keeps the states of the two copies equal as far as choices shape them, where that matches; else as
    /// [`Preference::Copy`].
    State,
    /// The first in the order of binary numbers.
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

/// A choice among more than this many bits is not expanded: a strategy then has only what the other copy chooses, all
/// bits 0 and all bits 1.
pub const MAX_BITS: usize = 10;
/// A question about copies that a strategy steers: copy 0 is the model, copy 1 the mutant; witnesses follow, whose
/// choices are arbitrary. All have common test inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Steered {
    /// Selector index of the mutant.
    pub mutant: SelectorId,
    /// What the strategy is to achieve.
    pub aim: Aim,
    /// Which of several matching choices the strategy takes.
    pub preference: Preference,
    /// What it may choose: for copy 0 and, if it is to agree, for copy 1. What is not listed is 0.
    pub options: Vec<Options>,
    /// Copies that show that the inputs are accepted.
    pub witnesses: Vec<Variant>,
    /// The latches that [`Preference::State`] compares.
    pub shaped: Shaped,
}

/// Latches by whose values the states of two copies are compared.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Shaped {
    /// Those whose present values a choice of the first step decides.
    pub first: Vec<usize>,
    /// Those whose present values a choice of a later step decides.
    pub later: Vec<usize>,
    /// Those whose next values a choice decides.
    pub next: Vec<usize>,
}

impl Shaped {
    /// Those whose present values are compared.
    #[must_use]
    pub fn now(&self, when: When) -> &[usize] {
        match when {
            When::First => &self.first,
            When::Later => &self.later,
        }
    }
}

/// The choices that can matter to a variant. Others are left at 0.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Options {
    /// Latches with a free initial value, by index.
    pub initial: Vec<usize>,
    /// Choice inputs, by index among the circuit's inputs, that are decided one step later.
    pub late: Vec<usize>,
    /// All other choice inputs.
    pub early: Vec<usize>,
}

impl Options {
    /// How many bits there are to choose in the first step.
    #[must_use]
    pub fn at_first(&self) -> usize {
        self.initial.len() + self.early.len()
    }

    /// How many bits there are to choose in every later step.
    #[must_use]
    pub fn later(&self) -> usize {
        self.late.len() + self.early.len()
    }

    /// Whether the first step is different from later ones: the state of a copy must be told apart then.
    #[must_use]
    pub fn first_is_special(&self) -> bool {
        !self.initial.is_empty() || !self.late.is_empty()
    }
}

/// A way to choose, for all steered copies together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assignment {
    /// These values: of copy 0's initial or late choices, its early ones, then the same of copy 1.
    Constant(Vec<bool>),
    /// What copy 1 chooses, for copy 0.
    Copied,
}

/// One of the ways to choose that a strategy tries in turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    /// The choices that are made in this way.
    pub choice: Assignment,
    /// Whether it is taken only if it keeps the copies' states equal, as [`Shaped`] says.
    pub alike: bool,
}

/// Whether a step is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Initial values are chosen, and early choices.
    First,
    /// The late choices of the step before are made, and early choices.
    Later,
}

impl Steered {
    /// What copies 0 and 1 are.
    #[must_use]
    pub fn variants(&self) -> [Variant; 2] {
        [Variant::Original, Variant::Mutant(self.mutant)]
    }

    /// How many bits the strategy chooses for each steered copy.
    #[must_use]
    pub fn bits(&self, when: When) -> Vec<usize> {
        let bits = self.options.iter().map(|options| match when {
            When::First => options.at_first(),
            When::Later => options.later(),
        });
        bits.collect()
    }

    /// The ways to choose, the preferred ones first.
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

    /// Positions of the same choice of copies 0 and 1.
    fn common_bits(&self, when: When) -> Vec<(usize, usize)> {
        // Whether it is an initial value, and which; in the order of an assignment.
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

    /// Whether the late choices of copy 1 must be remembered for a step.
    #[must_use]
    pub fn remembers_choices(&self) -> bool {
        self.aim == Aim::Track && matches!(self.preference, Preference::Copy | Preference::State)
    }

    /// Copies whose nodes are likely to be equal.
    pub fn related(&self) -> Vec<[usize; 2]> {
        let mut related = vec![[0, 1]];
        for (i, witness) in self.witnesses.iter().enumerate() {
            related.push([usize::from(*witness != Variant::Original), i + 2]);
        }
        related
    }
}
