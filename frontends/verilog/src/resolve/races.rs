//! Registers that are assigned by `=` at an edge at which another process reads them, or their own process through a wire.
//!
//! The order of processes is not defined (IEEE 1364-2005 §11.4.2 and §11.5), and wires are processes, too: so a read gives the value before
//! the edge or the value after it. Simulators take one of them, synthesis always the first. Only the original is searched for reads: an
//! exchange of `<=` and `=` does not change the reads of other processes.

use std::collections::{BTreeMap, BTreeSet};

use hyperkill_core::term::{Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::result::{Register, Resolved};
use crate::design::{Design, Drive, Leaf, WordId};
use crate::words::Words;

/// The readers of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Readers {
    /// The registers of this process only.
    One(usize),
    Several,
}

/// The races of a design.
pub(super) struct Races {
    /// Words with a race in the original.
    pub(super) original: BTreeSet<WordId>,
    /// Mutants with a race by an exchange, with the reason for leaving them out.
    pub(super) mutants: BTreeMap<usize, String>,
}

/// Returns the races of a design: words that `=` assigns at an edge at which another process reads them. A mutant also has a race by such
/// an assignment to a register in `making`, which generates a clock. A read of a wire after such an assignment is a race of a mutant, too.
/// Mutants in `rejected` are left out.
pub(super) fn races(
    design: &Design,
    resolved: &Resolved,
    rejected: &BTreeMap<usize, String>,
    making: &BTreeSet<WordId>,
) -> Races {
    let read = match design.at_once.is_empty() {
        true => BTreeSet::new(),
        false => read_elsewhere(design, resolved),
    };
    let (mut original, mut mutants) = (BTreeSet::new(), BTreeMap::new());
    for &(mutant, word, process) in &design.at_once {
        match mutant {
            _ if !read.contains(&(word, process)) => {}
            None => {
                original.insert(word);
            }
            Some(mutant) if rejected.contains_key(&mutant) => {}
            Some(mutant) => {
                let name = design.word_name(word);
                let reason = format!(
                    "`{name}` gets its value by `=` at an edge at which another block reads it: simulators may take either value"
                );
                mutants.entry(mutant).or_insert(reason);
            }
        }
    }
    for &(mutant, word, _) in &design.at_once {
        if let Some(mutant) = mutant.filter(|_| making.contains(&word)) {
            let name = design.word_name(word);
            let reason = format!(
                "`{name}` makes a clock and gets its value by `=`: simulators may take either value of what that clock reads"
            );
            mutants.entry(mutant).or_insert(reason);
        }
    }
    mutants.retain(|mutant, _| !rejected.contains_key(mutant));
    for (mutant, early, read) in read_after(design) {
        if rejected.contains_key(&mutant) {
            continue;
        }
        let (early, read) = (design.word_name(early), design.word_name(read));
        let reason = format!(
            "`{read}` is read after `{early}`, on which it depends, gets its value by `=` at the same edge: \
            simulators may take either value"
        );
        mutants.entry(mutant).or_insert(reason);
    }
    Races { original, mutants }
}

/// Returns triples of a mutant, a register that it assigns by `=`, and a wire that depends on the register and is read afterwards.
fn read_after(design: &Design) -> BTreeSet<(usize, WordId, WordId)> {
    let mut behind: FxHashMap<WordId, BTreeSet<WordId>> = FxHashMap::default();
    let mut found = BTreeSet::new();
    for (early, read) in &design.read_after {
        let registers = behind
            .entry(*read)
            .or_insert_with(|| through_wires(design, *read));
        for &register in &*registers {
            let mutants = early.mutants(register);
            found.extend(mutants.map(|mutant| (mutant, register, *read)));
        }
    }
    found
}

/// Returns the registers that a wire depends on at once; none if the word is no wire.
fn through_wires(design: &Design, wire: WordId) -> BTreeSet<WordId> {
    let (mut registers, mut seen) = (BTreeSet::new(), BTreeSet::from([wire]));
    let mut words = vec![wire];
    while let Some(word) = words.pop() {
        for driver in design.drivers.get(&word).into_iter().flatten() {
            if driver.drive != Drive::Wire {
                if word != wire {
                    registers.insert(word);
                }
                continue;
            }
            let (mut terms, mut visited) = (vec![driver.value], FxHashSet::default());
            while let Some(term) = terms.pop() {
                if !visited.insert(term) {
                    continue;
                }
                if let Term::Input(leaf) = *design.words.pool.term(term) {
                    match &design.leaves[leaf as usize].0 {
                        Leaf::Word(read) if seen.insert(*read) => words.push(*read),
                        Leaf::Final(number) => terms.push(design.finals[*number]),
                        _ => {}
                    }
                }
                original_operands(&design.words, term, |operand| terms.push(operand));
            }
        }
    }
    registers
}

/// Visits the operands of a term without any mutant.
fn original_operands(words: &Words, term: TermId, mut visit: impl FnMut(TermId)) {
    match *words.pool.term(term) {
        Term::Ite(c, _, original) if words.is_choice_of_mutants(c) => visit(original),
        Term::Ite(c, a, b) => [c, a, b].into_iter().for_each(visit),
        Term::Binary(_, a, b) | Term::Concat(a, b) => [a, b].into_iter().for_each(visit),
        Term::Unary(_, a)
        | Term::Cast(a)
        | Term::InDomain(a, _)
        | Term::Slice(a, _)
        | Term::Number(a) => visit(a),
        Term::Constant(_) | Term::Input(_) | Term::State(_) | Term::Selector(_) => {}
    }
}

/// Returns the words that registers of another process read, through wires or directly, each with the process at whose edge the word
/// changes.
fn read_elsewhere(design: &Design, resolved: &Resolved) -> BTreeSet<(WordId, usize)> {
    let mut readers: FxHashMap<TermId, Readers> = FxHashMap::default();
    let mut found = BTreeSet::new();
    for (register, state) in resolved.registers.iter().zip(resolved.register_states()) {
        let Some(process) = process(design, *register) else {
            continue;
        };
        let mut stack = vec![(state.next, Readers::One(process))];
        while let Some((term, who)) = stack.pop() {
            let known = readers.get(&term).copied();
            let all = match known {
                Some(before) if before == who || before == Readers::Several => continue,
                Some(_) => Readers::Several,
                None => who,
            };
            readers.insert(term, all);
            if let Term::State(index) = *resolved.words.pool.term(term)
                && let Some(index) = (index as usize).checked_sub(resolved.of_clocks)
            {
                let read = resolved.registers[index];
                let own = self::process(design, read);
                let elsewhere = own.filter(|own| all != Readers::One(*own));
                found.extend(elsewhere.map(|own| (read.word, own)));
            }
            original_operands(&resolved.words, term, |operand| stack.push((operand, all)));
        }
    }
    found
}

/// Returns the process that changes a register; `None` if it is a latch or has no driver.
fn process(design: &Design, register: Register) -> Option<usize> {
    let mut drivers = design.drivers.get(&register.word)?.iter();
    let driver = drivers.find(|driver| driver.low == register.low)?;
    (driver.drive != Drive::Wire).then_some(driver.process)
}
