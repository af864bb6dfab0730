//! Circuits of multiplexers in the naive product of the model and its mutants, from evidence by decision diagrams.

use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_evidence::multiplexers::{Look, Multiplexer, Source};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};

use super::CertifyError;
use super::naive::Naive;

/// Indices of the copies in the naive product.
pub(super) const MODEL: usize = 0;
pub(super) const MUTANT: usize = 1;

/// The condition that evidence fails to meet, in words.
type Wrong = &'static str;

/// The circuit of multiplexers of some evidence about this model.
pub(super) struct Circuit<'a> {
    pub(super) model: &'a ConditionalMutant,
    pub(super) multiplexers: &'a [Multiplexer],
}

/// The time at which a strategy learns or chooses a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// The value is given before the choices.
    Before,
    /// The strategy chooses the value.
    Now,
    /// The value is determined after all choices.
    Never,
}

impl Circuit<'_> {
    /// Checks that all values that multiplexers read exist, and that the circuit has no cycle.
    pub(super) fn form(&self) -> Result<(), Wrong> {
        for (number, multiplexer) in self.multiplexers.iter().enumerate() {
            let is_earlier = |source: Source| source.multiplexer <= number;
            if !is_earlier(multiplexer.low) || !is_earlier(multiplexer.high) {
                return Err("a multiplexer reads a later one");
            }
            if !self.exists(multiplexer.on) {
                return Err("a multiplexer reads a value that is not in the circuit");
            }
        }
        Ok(())
    }

    /// Whether a value that a multiplexer reads exists in the model's circuit.
    pub(super) fn exists(&self, look: Look) -> bool {
        let aig = &self.model.aig;
        match look {
            Look::Input(input) => self.model.input_bits().any(|bit| bit == input),
            Look::Chosen(input) | Look::MutantChosen(input) => {
                self.model.choice_bits().any(|bit| bit == input)
            }
            Look::Model(latch)
            | Look::Mutant(latch)
            | Look::Next(latch)
            | Look::ModelNext(latch) => latch < aig.latches().len(),
            Look::Shown(output) => output < aig.outputs.len(),
            // The evidence determines the number of bits.
            Look::Estimate(_) => true,
        }
    }

    /// Returns the numbers of all multiplexers that a source depends on, ascending.
    fn under(&self, source: Source) -> Result<Vec<usize>, Wrong> {
        self.used(&[source])
    }

    /// Returns the numbers of all multiplexers that these sources depend on, ascending; an error if one is not listed.
    pub(super) fn used(&self, sources: &[Source]) -> Result<Vec<usize>, Wrong> {
        let mut seen = vec![false; self.multiplexers.len() + 1];
        let mut open: Vec<usize> = sources.iter().map(|source| source.multiplexer).collect();
        while let Some(number) = open.pop() {
            match seen.get_mut(number) {
                None => return Err("a function names a multiplexer that is not listed"),
                Some(seen) if *seen => continue,
                Some(seen) => *seen = true,
            }
            if let Some(multiplexer) = self.multiplexer(number) {
                open.extend([multiplexer.low.multiplexer, multiplexer.high.multiplexer]);
            }
        }
        let seen = seen.into_iter().enumerate().skip(1);
        Ok(seen.filter(|(_, seen)| *seen).map(|(i, _)| i).collect())
    }

    /// Returns the multiplexer with this number, from 1.
    pub(super) fn multiplexer(&self, number: usize) -> Option<&Multiplexer> {
        self.multiplexers.get(number.checked_sub(1)?)
    }

    pub(super) fn looks_only_at(
        &self,
        source: Source,
        may: impl Fn(Look) -> bool,
    ) -> Result<(), Wrong> {
        let under = self.under(source)?.into_iter();
        let mut looks = under.filter_map(|number| self.multiplexer(number).map(|m| m.on));
        match looks.all(may) {
            true => Ok(()),
            false => Err("a function reads a value that is decided later"),
        }
    }

    /// Checks that each choice is one that the strategy may make, is made once, and depends only on values known before it. `made` says
    /// when a value is known.
    pub(super) fn ordered(
        &self,
        choices: &[(Look, Source)],
        made: impl Fn(Look) -> Made,
    ) -> Result<(), Wrong> {
        let mut before = Vec::new();
        for &(choice, source) in choices {
            if !self.exists(choice) || made(choice) != Made::Now || before.contains(&choice) {
                return Err("a value is set twice, or is not one that the strategy may set");
            }
            self.looks_only_at(source, |look| match made(look) {
                Made::Before => true,
                Made::Now => before.contains(&look),
                Made::Never => false,
            })?;
            before.push(choice);
        }
        Ok(())
    }

    /// Returns a literal that is equivalent to a source's function. `seen` maps the values that multiplexers read to literals.
    pub(super) fn value(
        &self,
        naive: &mut Naive<'_>,
        source: Source,
        mut seen: impl FnMut(&mut Naive<'_>, Look) -> SatLit,
    ) -> Result<SatLit, Wrong> {
        let under = self.under(source)?;
        let mut values = vec![naive.truth; self.multiplexers.len() + 1];
        for number in under {
            let Some(multiplexer) = self.multiplexer(number) else {
                continue;
            };
            let on = seen(naive, multiplexer.on);
            let of = |source: Source| signed(values[source.multiplexer], source.complemented);
            let (low, high) = (of(multiplexer.low), of(multiplexer.high));
            let value = naive.solver.new_lit();
            for (value, low, high) in [(value, low, high), (!value, !low, !high)] {
                naive.solver.add_clause(&[!on, !high, value]);
                naive.solver.add_clause(&[on, !low, value]);
                naive.solver.add_clause(&[!low, !high, value]);
            }
            values[number] = value;
        }
        Ok(signed(values[source.multiplexer], source.complemented))
    }
}

/// Returns the literal of a value that a multiplexer reads at a step of the product; false for bits of estimates, which the product lacks.
pub(super) fn seen(naive: &mut Naive<'_>, look: Look, step: usize) -> SatLit {
    let aig = &naive.model.aig;
    let latch = |latch: usize| -> Lit { aig.latches()[latch].var.lit() };
    let input = |input: usize| -> Lit { aig.inputs()[input].var.lit() };
    let (step, copy, lit) = match look {
        Look::Input(of) | Look::Chosen(of) => (step, MODEL, input(of)),
        Look::MutantChosen(of) => (step, MUTANT, input(of)),
        Look::Model(of) => (step, MODEL, latch(of)),
        Look::Mutant(of) => (step, MUTANT, latch(of)),
        Look::Next(of) => (step + 1, MUTANT, latch(of)),
        Look::ModelNext(of) => (step + 1, MODEL, latch(of)),
        Look::Shown(of) => (step, MUTANT, aig.outputs[of].lit),
        Look::Estimate(_) => return !naive.truth,
    };
    naive.lit(step, copy, lit)
}

/// Checks that the product implies a literal, and asserts it from then on; the error `wrong` if it does not.
pub(super) fn obliged(
    naive: &mut Naive<'_>,
    lit: SatLit,
    wrong: CertifyError,
    budget: &Budget,
) -> Result<(), CertifyError> {
    match naive.solve(&[!lit], budget) {
        Answer::Impossible => {
            naive.solver.add_clause(&[lit]);
            Ok(())
        }
        Answer::Possible => Err(wrong),
        Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
    }
}

fn signed(lit: SatLit, complemented: bool) -> SatLit {
    if complemented { !lit } else { lit }
}
