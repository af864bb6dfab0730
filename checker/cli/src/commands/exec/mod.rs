//! `hyperkill exec`: the tests of a suite on a real system, behind an adapter.

mod adapter;
mod following;
mod junit;
mod outcome;
mod runs;
mod scripts;
mod systems;
mod timed;
mod waiting;

use hyperkill_checker::testgen::running::{Play, Reference};
use hyperkill_core::specialise::keep_mutants;
use hyperkill_export::scripts::script;

use super::subject::{Source, subject_of, suite_and_model};
use crate::args::ExecArgs;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::languages;
use crate::session::Session;
use outcome::{finish, report, work};
use runs::{Judge, carry_out};
use scripts::scripts;

/// Carries it out.
pub(super) fn exec(session: &mut Session<'_>, args: &ExecArgs) -> Result<ExitCode, Failure> {
    session.limit(args.total_timeout.0);
    let source = Source {
        of: &args.of,
        suite: args.suite.as_deref(),
        moved: &args.model,
    };
    let (suite, recorded) = suite_and_model(&source)?;
    let language = recorded.spec.language.as_deref();
    if language.is_some_and(|name| languages::own(name).is_some()) {
        return timed::exec(session, args, &suite, &recorded);
    }
    let options = [
        ("--time-scale", args.time_scale.is_some()),
        ("--tolerance", args.tolerance.is_some()),
        ("--virtual-time", args.virtual_time),
    ];
    if let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) {
        let message = format!("{option} is for tests with times, and these have none");
        return Err(Failure::usage(message));
    }
    let subject = subject_of(session, suite, recorded)?;
    let model = keep_mutants(subject.model(), &[]);
    let (scripts, left_out) = scripts(session, &subject.suite, &args.test, script)?;
    let reference = Reference::new(&model);
    for (id, script) in &scripts {
        let fits = Play::new(&reference, script);
        fits.map_err(|misfit| Failure::usage(format!("{id} is no test of this model: {misfit}")))?;
    }
    let judge = Judge::Model(&reference);
    let work = work(session, args, (judge, &scripts), &model.outputs);
    let done = carry_out(&work);
    let report = report(session, args, &subject.suite, &scripts, done, left_out);
    finish(session, args, &report, &subject.suite.signature.events)
}
