//! The mutants of a run, a line for each.

use std::path::PathBuf;

use hyperkill_frontend::counted;

use crate::args::{Format, ShowArgs, VerdictChoice};
use crate::documents::{
    self, MutantDescription, MutantResult, ShownList, ShownMutant, StrengthWord, VerdictWord,
};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::run_folder;
use crate::session::Session;
use hyperkill_report::text::results;
use hyperkill_run::patterns::Globs;
use hyperkill_run::selection::Lines;
use hyperkill_run::stored_run::results_so_far;

/// Prints the mutants of a run with their results, as far as the options of `show` select them.
pub(super) fn list(
    session: &mut Session<'_>,
    args: &ShowArgs,
    dir: PathBuf,
) -> Result<ExitCode, Failure> {
    let table = run_folder::run_in(&dir).mutants()?;
    let (decided, state) = run_folder::run_in(&dir).so_far()?;
    let results = results_so_far(&table, decided, state);
    let filter = Filter::of(args)?;
    let of = table.mutants.len();
    let all = table.mutants.into_iter().zip(results);
    let chosen: Vec<(MutantDescription, MutantResult)> = all
        .filter(|(mutant, result)| filter.takes(mutant, result))
        .collect();
    filter.must_have_matched()?;
    let text = match session.format {
        Format::Json => {
            let mutants = chosen.into_iter();
            documents::to_text(&ShownList {
                schema: ShownList::SCHEMA.to_owned(),
                model: table.model.name,
                state,
                of,
                mutants: mutants
                    .map(|(mutant, result)| ShownMutant { mutant, result })
                    .collect(),
            })?
        }
        Format::Human => {
            let (mutants, results): (Vec<_>, Vec<_>) = chosen.into_iter().unzip();
            let table = results::table(&results, &mutants, session.style);
            let count = results.len();
            match session.wants_summary() {
                true => format!("{table}\n{count} of {}\n", counted(of, "mutant")),
                false => table.to_string(),
            }
        }
    };
    session.print(text)?;
    Ok(ExitCode::Success)
}

/// A filter of mutants. Values of one option are alternatives; a mutant must match every option.
struct Filter<'a> {
    verdicts: &'a [VerdictChoice],
    operators: Option<Globs>,
    lines: &'a [Lines],
}

impl<'a> Filter<'a> {
    fn of(args: &'a ShowArgs) -> Result<Filter<'a>, Failure> {
        Ok(Filter {
            verdicts: &args.verdict,
            operators: Globs::compile("--operator", &args.operator)?,
            lines: &args.file,
        })
    }

    fn takes(&self, mutant: &MutantDescription, result: &MutantResult) -> bool {
        // Evaluated for every mutant, so that every glob with a match is marked as used.
        let operator = mutant.operator.as_deref().unwrap_or("");
        let operators = self.operators.as_ref();
        let is_of_operator = operators.is_none_or(|globs| globs.matches(operator));
        let has_verdict =
            self.verdicts.is_empty() || self.verdicts.iter().any(|&choice| has(result, choice));
        let is_there = self.lines.is_empty() || self.lines.iter().any(|lines| is_in(mutant, lines));
        is_of_operator && has_verdict && is_there
    }

    fn must_have_matched(&self) -> Result<(), Failure> {
        let operators = self.operators.as_ref();
        match operators {
            Some(globs) => Ok(globs.must_have_matched("mutant of the run")?),
            None => Ok(()),
        }
    }
}

fn has(result: &MutantResult, choice: VerdictChoice) -> bool {
    let strength = |word| result.verdict == VerdictWord::Killed && result.strength == Some(word);
    match choice {
        VerdictChoice::Killed => result.verdict == VerdictWord::Killed,
        VerdictChoice::Definite => strength(StrengthWord::Definite),
        VerdictChoice::Adaptive => strength(StrengthWord::Adaptive),
        VerdictChoice::Potential => strength(StrengthWord::Potential),
        VerdictChoice::Controllable => strength(StrengthWord::Controllable),
        VerdictChoice::Equivalent => result.verdict == VerdictWord::Equivalent,
        VerdictChoice::NotDefinitelyKillable => {
            result.verdict == VerdictWord::NotDefinitelyKillable
        }
        VerdictChoice::RefusesInput => result.verdict == VerdictWord::RefusesInput,
        VerdictChoice::Invalid => result.verdict == VerdictWord::Invalid,
        VerdictChoice::DuplicateOf => result.verdict == VerdictWord::DuplicateOf,
        VerdictChoice::Unknown => result.verdict == VerdictWord::Unknown,
        VerdictChoice::Survived => result.is_open(),
    }
}

fn is_in(mutant: &MutantDescription, lines: &Lines) -> bool {
    let place = mutant.place.as_ref();
    place.is_some_and(|place| lines.have(&place.file, place.line))
}
