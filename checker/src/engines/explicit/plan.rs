//! Plans: the classes of inputs and choices that are enumerated in a state because they can matter there.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::engines::valuations::{Group, bits_for};

/// The number of an input valuation: the classes of the test inputs at one step, as far as either side reads them.
pub(super) type Valuation = usize;

/// The inputs and choices of a variant that are enumerated, in groups, each with the classes of its values.
#[derive(Debug)]
pub(super) struct Enumerated {
    /// The groups: choices first, then those of input valuations, lowest first.
    groups: Vec<Group>,
    /// The number of groups that are choices; they are the first ones.
    choices: usize,
    /// For each group the index of its first input in `inputs`.
    offsets: Vec<usize>,
    /// For each group of input valuations, the lowest bit of its class in the number of a valuation.
    shifts: Vec<usize>,
    /// The circuit inputs, by index, of all groups, one group after the other.
    inputs: Vec<usize>,
}

/// The classes of a group's values, merged where they differ only in inputs that do not matter in a state.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Members {
    /// The least class of the group in each merged class.
    least: Vec<usize>,
    /// For each class of the group the number of its merged class.
    of: Vec<usize>,
}

/// A group in a plan: a field of bits of an assignment that numbers the group's merged classes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Digit {
    group: usize,
    /// The lowest bit of the field in assignments.
    first: usize,
    bits: usize,
    members: Rc<Members>,
}

impl Digit {
    /// Returns the number in the digit's bits of an assignment.
    fn code(&self, assignment: usize) -> usize {
        assignment >> self.first & ((1 << self.bits) - 1)
    }

    /// Returns the group's class that an assignment gives; the first class if the number has none.
    fn class(&self, assignment: usize) -> usize {
        let code = self.code(assignment);
        self.members.least.get(code).copied().unwrap_or(0)
    }

    /// Returns the mask of the digit's bits in assignments.
    fn places(&self) -> u64 {
        ((1u64 << self.bits) - 1) << self.first
    }
}

/// The choices and inputs that matter in a state, as fields of bits of a number, the assignment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Plan {
    digits: Vec<Digit>,
    /// The number of digits that are choices.
    choices: usize,
    /// The number of bits of choices in an assignment; they are the lowest bits.
    choice_bits: usize,
    bits: usize,
}

impl Plan {
    /// Largest number of bits of an assignment for which bits can be chosen one after the other.
    pub(super) const MOST_CHOSEN: usize = usize::BITS as usize - 1;

    /// Returns the number of bits of an assignment of this plan.
    pub(super) fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the number of assignments, that is, of steps from each state, existing or not; `None` if it overflows.
    pub(super) fn steps_per_state(&self) -> Option<usize> {
        1usize.checked_shl(u32::try_from(self.bits).ok()?)
    }

    /// Whether the assignment duplicates one with fewer 1 bits, because a group has fewer classes than codes. Further 1 bits do not change
    /// that.
    pub(super) fn repeats(&self, assignment: usize) -> bool {
        let mut digits = self.digits.iter();
        digits.any(|digit| digit.code(assignment) >= digit.members.least.len())
    }

    /// Returns the range of the bits of input valuations in an assignment.
    pub(super) fn valuation_places(&self) -> std::ops::Range<usize> {
        self.choice_bits..self.bits
    }
}

impl Enumerated {
    pub(super) fn new(choices: Vec<Group>, valuations: &[Group]) -> Enumerated {
        let count = choices.len();
        let mut groups = choices;
        groups.extend_from_slice(valuations);
        let mut offsets = Vec::with_capacity(groups.len());
        let mut inputs = Vec::new();
        for group in &groups {
            offsets.push(inputs.len());
            inputs.extend(&group.inputs);
        }
        Enumerated {
            shifts: shifts(valuations),
            groups,
            choices: count,
            offsets,
            inputs,
        }
    }

    /// Returns the enumerated groups: choices first, then test inputs.
    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the circuit inputs, by index, of all groups, one group after the other.
    pub(super) fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// Returns the number of bits of the number of an input valuation.
    pub(super) fn valuation_bits(&self) -> usize {
        self.groups[self.choices..].iter().map(Group::bits).sum()
    }

    /// Returns the plan for a state, made of the inputs for which `matters` is true, by index among the inputs of all groups. `known` is a
    /// cache.
    pub(super) fn plan(&self, matters: impl Fn(usize) -> bool, known: &mut KnownMembers) -> Plan {
        let mut plan = Plan {
            digits: Vec::new(),
            choices: 0,
            choice_bits: 0,
            bits: 0,
        };
        for (number, (group, &offset)) in self.groups.iter().zip(&self.offsets).enumerate() {
            let inputs = offset..offset + group.inputs.len();
            let here: Vec<bool> = inputs.map(&matters).collect();
            if !here.contains(&true) {
                continue;
            }
            let key = (number, here);
            let members = match known.0.get(&key) {
                Some(members) => Rc::clone(members),
                None => {
                    let members = Rc::new(Members::of(group, &key.1));
                    known.0.insert(key, Rc::clone(&members));
                    members
                }
            };
            let bits = bits_for(members.least.len());
            plan.digits.push(Digit {
                group: number,
                first: plan.bits,
                bits,
                members,
            });
            plan.bits += bits;
            if number < self.choices {
                plan.choices += 1;
                plan.choice_bits += bits;
            }
        }
        plan
    }

    /// Returns the input valuation that an assignment of the plan's bits gives: the least of its class.
    pub(super) fn valuation(&self, plan: &Plan, assignment: usize) -> Valuation {
        let digits = plan.digits[plan.choices..].iter();
        digits.fold(0, |valuation, digit| {
            valuation | digit.class(assignment) << self.shifts[digit.group - self.choices]
        })
    }

    /// Returns the assignment of the plan's bits with this input valuation and all choices 0.
    pub(super) fn assigned(&self, plan: &Plan, valuation: Valuation) -> usize {
        let digits = plan.digits[plan.choices..].iter();
        digits.fold(0, |assignment, digit| {
            let bits = self.groups[digit.group].bits();
            let class = valuation >> self.shifts[digit.group - self.choices] & ((1 << bits) - 1);
            let member = digit.members.of.get(class).copied().unwrap_or(0);
            assignment | member << digit.first
        })
    }

    /// Returns for each input valuation the least valuation that has the same steps under a plan.
    pub(super) fn alike(&self, plan: &Plan) -> Vec<Valuation> {
        let mut alike = vec![0];
        // Groups are combined from the lowest.
        for (number, group) in self.groups.iter().enumerate().skip(self.choices) {
            let shift = self.shifts[number - self.choices];
            let digit = plan.digits.iter().find(|digit| digit.group == number);
            let below = alike.len();
            for class in 1..1usize << group.bits() {
                let least = digit.map_or(0, |digit| {
                    let member = digit.members.of.get(class).copied().unwrap_or(0);
                    digit.members.least[member]
                });
                for place in 0..below {
                    alike.push(least << shift | alike[place]);
                }
            }
        }
        alike
    }

    /// Returns the circuit inputs of a plan, each with the mask of the assignment's bits that determine its value.
    pub(super) fn inputs_of(&self, plan: &Plan) -> Vec<(usize, u64)> {
        let digits = plan.digits.iter().flat_map(|digit| {
            let places = digit.places();
            let inputs = self.groups[digit.group].inputs.iter();
            inputs.map(move |&input| (input, places))
        });
        digits.collect()
    }

    /// Returns the circuit inputs, by index, that are 1 in the choices of an assignment.
    pub(super) fn chosen(&self, plan: &Plan, assignment: usize) -> Vec<usize> {
        let digits = plan.digits[..plan.choices].iter();
        let ones = digits.flat_map(|digit| {
            let group = &self.groups[digit.group];
            let values = group
                .inputs
                .iter()
                .zip(group.class(digit.class(assignment)));
            values.filter(|(_, one)| **one).map(|(&input, _)| input)
        });
        ones.collect()
    }

    /// Calls `set` with the index (among those of all groups) and value of each input that an assignment determines if only the bits in the
    /// mask `chosen` are known.
    pub(super) fn each_known(
        &self,
        plan: &Plan,
        assignment: usize,
        chosen: u64,
        mut set: impl FnMut(usize, bool),
    ) {
        for digit in &plan.digits {
            if digit.places() & !chosen == 0 {
                let class = self.groups[digit.group].class(digit.class(assignment));
                for (k, &one) in class.iter().enumerate() {
                    set(self.offsets[digit.group] + k, one);
                }
            }
        }
    }

    /// Returns the mask of the assignment's bits of choices none of whose inputs matters.
    pub(super) fn idle(&self, plan: &Plan, matters: impl Fn(usize) -> bool) -> u64 {
        let choices = plan.digits[..plan.choices].iter();
        let idle = choices.filter(|digit| {
            let offset = self.offsets[digit.group];
            let inputs = self.groups[digit.group].inputs.len();
            !(offset..offset + inputs).any(&matters)
        });
        idle.fold(0, |all, digit| all | digit.places())
    }

    /// Calls `set` with each number of each digit for which some input of the group is 1, and with the values of the group's inputs.
    pub(super) fn each_code(&self, plan: &Plan, mut set: impl FnMut(Code, &[bool])) {
        for digit in &plan.digits {
            let group = &self.groups[digit.group];
            for number in 0..1usize << digit.bits {
                let class = group.class(digit.class(number << digit.first));
                if class.contains(&true) {
                    let code = Code {
                        first: digit.first,
                        bits: digit.bits,
                        number,
                        inputs: self.offsets[digit.group],
                    };
                    set(code, class);
                }
            }
        }
    }
}

/// A value of some adjacent bits of an assignment, one digit of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    pub(super) first: usize,
    pub(super) bits: usize,
    pub(super) number: usize,
    /// The index of the first input of these bits among those of all groups.
    pub(super) inputs: usize,
}

/// Returns for each group of input valuations its lowest bit in the number of a valuation.
pub(super) fn shifts(valuations: &[Group]) -> Vec<usize> {
    let mut next = 0;
    let shifts = valuations.iter().map(|group| {
        next += group.bits();
        next - group.bits()
    });
    shifts.collect()
}

/// A cache of merged classes, by the number of the group and the inputs that matter.
#[derive(Default)]
pub(super) struct KnownMembers(FxHashMap<(usize, Vec<bool>), Rc<Members>>);

impl Members {
    /// Returns the classes of a group, merged where they differ only in inputs for which `matters` is false.
    fn of(group: &Group, matters: &[bool]) -> Members {
        let mut numbers: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        let mut least = Vec::new();
        let classes = group.classes.iter().enumerate();
        let of = classes.map(|(number, class)| {
            let seen = class.iter().zip(matters).map(|(&bit, &here)| bit && here);
            *numbers.entry(seen.collect()).or_insert_with(|| {
                least.push(number);
                least.len() - 1
            })
        });
        Members {
            of: of.collect(),
            least,
        }
    }
}
