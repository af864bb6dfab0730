//! Simulation relations, checked by one step of induction: the strategy starts in the relation and keeps to it.
//!
//! By induction over the length of a test every run of the mutant has a run of the model beside it that shows the same, with related
//! states; where both sides are to agree, every input sequence has such a pair of runs. No diagrams are needed: the relation and the
//! strategy are circuits.

use hyperkill_core::aig::Reset;
use hyperkill_core::budget::Budget;
use hyperkill_core::{ConditionalMutant, Lit};
use hyperkill_evidence::closed_set::Relation;
use hyperkill_evidence::fault;
use hyperkill_evidence::question::{Family, Question};
use hyperkill_evidence::simulation::{Look, Simulation, Source};
use hyperkill_sat::{Answer, Lit as SatLit, Solver};

use super::CertifyError;
use super::naive::{Naive, Start};

/// The copies of the naive product.
const MODEL: usize = 0;
const MUTANT: usize = 1;

/// Checks that a simulation relation proves what it says: no test kills these mutants potentially ([`Relation::Matched`]) or definitely
/// ([`Relation::Agreeing`]), however long.
///
/// # Errors
/// [`CertifyError::Simulation`] says what is wrong.
pub fn certify_simulation(
    model: &ConditionalMutant,
    simulation: &Simulation,
    budget: &Budget,
) -> Result<(), CertifyError> {
    if fault::evidence_is_believed() {
        return Ok(());
    }
    let check = Check { model, simulation };
    check.form()?;
    let family = Family::phi1(simulation.members.clone(), false);
    let question = Question::Family(family);
    check.starts(&question, budget)?;
    check.step(&question, budget)
}

struct Check<'a> {
    model: &'a ConditionalMutant,
    simulation: &'a Simulation,
}

fn unsound<T>(what: &'static str) -> Result<T, CertifyError> {
    Err(CertifyError::Simulation(what))
}

impl Check<'_> {
    /// Everything that is named exists, nothing is defined by itself, and strategies look at what is decided before them only.
    fn form(&self) -> Result<(), CertifyError> {
        let simulation = self.simulation;
        let members = &simulation.members;
        let ascend = members.is_sorted_by(|a, b| a < b);
        let exist = members.iter().all(|m| m.0 < self.model.selectors.len());
        if members.is_empty() || !ascend || !exist {
            return unsound("there are no such mutants");
        }
        for (number, multiplexer) in simulation.multiplexers.iter().enumerate() {
            let is_earlier = |source: Source| source.multiplexer <= number;
            if !is_earlier(multiplexer.low) || !is_earlier(multiplexer.high) {
                return unsound("a multiplexer reads a later one");
            }
            if !self.exists(multiplexer.on) {
                return unsound("it looks at what does not exist");
            }
        }
        self.looks_only_at(simulation.related, |look| {
            matches!(look, Look::Model(_) | Look::Mutant(_))
        })?;
        let is_free = |latch: usize| {
            let is_selector = self.model.selectors.iter().any(|s| s.latch == latch);
            self.model.aig.latches()[latch].reset == Reset::Free && !is_selector
        };
        let agrees = simulation.relation == Relation::Agreeing;
        self.ordered(&simulation.initial, |look| match look {
            Look::Model(latch) if is_free(latch) => Made::Now,
            Look::Mutant(latch) if agrees && is_free(latch) => Made::Now,
            Look::Model(_) | Look::Mutant(_) => Made::Before,
            _ => Made::Never,
        })?;
        self.ordered(&simulation.choices, |look| match look {
            Look::Chosen(_) => Made::Now,
            Look::MutantChosen(_) if agrees => Made::Now,
            Look::Next(_) | Look::Shown(_) if agrees => Made::Never,
            Look::MutantChosen(_) => Made::Never,
            _ => Made::Before,
        })
    }

    fn exists(&self, look: Look) -> bool {
        let aig = &self.model.aig;
        match look {
            Look::Input(input) => self.model.input_bits().any(|bit| bit == input),
            Look::Chosen(input) | Look::MutantChosen(input) => {
                self.model.choice_bits().any(|bit| bit == input)
            }
            Look::Model(latch) | Look::Mutant(latch) | Look::Next(latch) => {
                latch < aig.latches().len()
            }
            Look::Shown(output) => output < aig.outputs.len(),
        }
    }

    /// All multiplexers under a source.
    fn under(&self, source: Source) -> Result<Vec<usize>, CertifyError> {
        let mut seen = vec![false; self.simulation.multiplexers.len() + 1];
        let mut open = vec![source.multiplexer];
        while let Some(number) = open.pop() {
            match seen.get_mut(number) {
                None => return unsound("there is no such multiplexer"),
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

    fn multiplexer(&self, number: usize) -> Option<&hyperkill_evidence::simulation::Multiplexer> {
        self.simulation.multiplexers.get(number.checked_sub(1)?)
    }

    fn looks_only_at(
        &self,
        source: Source,
        may: impl Fn(Look) -> bool,
    ) -> Result<(), CertifyError> {
        let under = self.under(source)?.into_iter();
        let mut looks = under.filter_map(|number| self.multiplexer(number).map(|m| m.on));
        match looks.all(may) {
            true => Ok(()),
            false => unsound("it looks at what is not decided yet"),
        }
    }

    /// Each is chosen once, and by what is known before.
    fn ordered(
        &self,
        choices: &[(Look, Source)],
        made: impl Fn(Look) -> Made,
    ) -> Result<(), CertifyError> {
        let mut before = Vec::new();
        for &(choice, source) in choices {
            if !self.exists(choice) || made(choice) != Made::Now || before.contains(&choice) {
                return unsound("a choice is none that the strategy may make");
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

    /// The starts that the strategy chooses are related.
    fn starts(&self, question: &Question, budget: &Budget) -> Result<(), CertifyError> {
        let mut naive = Naive::new(self.model, question, Start::First);
        naive.push_step();
        for &(choice, source) in &self.simulation.initial {
            self.choose(&mut naive, choice, source)?;
        }
        let related = self.value(&mut naive, self.simulation.related, 0)?;
        holds(&mut naive, related, budget, "a start is not related")
    }

    /// From related states the strategy leads to related states, by a step that exists and shows the same.
    fn step(&self, question: &Question, budget: &Budget) -> Result<(), CertifyError> {
        let mut naive = Naive::new(self.model, question, Start::Later);
        naive.push_step();
        naive.push_step();
        let related = self.value(&mut naive, self.simulation.related, 0)?;
        naive.solver.add_clause(&[related]);
        let constraints = |naive: &mut Naive<'_>, copy: usize| -> Vec<SatLit> {
            let constraints = self.model.aig.constraints.iter();
            constraints.map(|c| naive.lit(0, copy, c.lit)).collect()
        };
        let mut owed = constraints(&mut naive, MODEL);
        let of_mutant = constraints(&mut naive, MUTANT);
        match self.simulation.relation {
            Relation::Matched => {
                for constraint in of_mutant {
                    naive.solver.add_clause(&[constraint]);
                }
            }
            Relation::Agreeing => owed.extend(of_mutant),
        }
        for &(choice, source) in &self.simulation.choices {
            self.choose(&mut naive, choice, source)?;
        }
        for constraint in owed {
            holds(&mut naive, constraint, budget, "an answer does not exist")?;
        }
        for output in &self.model.aig.outputs {
            let [a, b] = [MODEL, MUTANT].map(|copy| naive.lit(0, copy, output.lit));
            let same = naive.same(a, b);
            holds(&mut naive, same, budget, "an answer shows something else")?;
        }
        let related = self.value(&mut naive, self.simulation.related, 1)?;
        holds(&mut naive, related, budget, "an answer leads out of it")
    }

    /// What is chosen has the value that the strategy gives it.
    fn choose(
        &self,
        naive: &mut Naive<'_>,
        choice: Look,
        source: Source,
    ) -> Result<(), CertifyError> {
        let chosen = self.seen(naive, choice, 0);
        let value = self.value(naive, source, 0)?;
        naive.solver.add_clause(&[!chosen, value]);
        naive.solver.add_clause(&[chosen, !value]);
        Ok(())
    }

    /// What is looked at, at a step.
    fn seen(&self, naive: &mut Naive<'_>, look: Look, step: usize) -> SatLit {
        let aig = &self.model.aig;
        let latch = |latch: usize| -> Lit { aig.latches()[latch].var.lit() };
        let input = |input: usize| -> Lit { aig.inputs()[input].var.lit() };
        match look {
            Look::Input(of) | Look::Chosen(of) => naive.lit(step, MODEL, input(of)),
            Look::MutantChosen(of) => naive.lit(step, MUTANT, input(of)),
            Look::Model(of) => naive.lit(step, MODEL, latch(of)),
            Look::Mutant(of) => naive.lit(step, MUTANT, latch(of)),
            Look::Next(of) => naive.lit(step + 1, MUTANT, latch(of)),
            Look::Shown(of) => naive.lit(step, MUTANT, aig.outputs[of].lit),
        }
    }

    /// A literal equivalent to a source at a step.
    fn value(
        &self,
        naive: &mut Naive<'_>,
        source: Source,
        step: usize,
    ) -> Result<SatLit, CertifyError> {
        let under = self.under(source)?;
        let mut values = vec![naive.truth; self.simulation.multiplexers.len() + 1];
        for number in under {
            let Some(multiplexer) = self.multiplexer(number) else {
                continue;
            };
            let on = self.seen(naive, multiplexer.on, step);
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

/// When a strategy decides something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// It is given.
    Before,
    /// It is for the strategy to choose.
    Now,
    /// Later than any choice.
    Never,
}

fn signed(lit: SatLit, complemented: bool) -> SatLit {
    if complemented { !lit } else { lit }
}

fn holds(
    naive: &mut Naive<'_>,
    lit: SatLit,
    budget: &Budget,
    wrong: &'static str,
) -> Result<(), CertifyError> {
    match naive.solve(&[!lit], budget) {
        Answer::Impossible => {
            naive.solver.add_clause(&[lit]);
            Ok(())
        }
        Answer::Possible => unsound(wrong),
        Answer::Undecided(stop) => Err(CertifyError::Stopped(stop)),
    }
}
