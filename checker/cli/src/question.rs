//! The question in the options of a command.

use std::path::Path;

use hyperkill_checker::rounds::Ask;
use hyperkill_evidence::verdict::Property;
use hyperkill_formulas::{Dialect, Formula};
use hyperkill_run::question::{Asked, classified, read};

use crate::args::{DecisionArgs, PropertyChoice, TracesChoice};
use crate::failure::Failure;
use crate::io::Io;
use crate::load::read_bytes;

/// Returns the question of a command that decides mutants. Tests are finite, so a formula on infinite traces is never a killing formula.
///
/// # Errors
/// If a formula is malformed, or options name a killing formula and infinite traces.
pub(crate) fn of(
    io: &mut Io,
    args: &DecisionArgs,
    traces: Option<TracesChoice>,
) -> Result<Asked, Failure> {
    let infinite = traces == Some(TracesChoice::Infinite);
    let own = Dialect::Hyperkill;
    let given = (args.formula.as_deref(), args.formula_file.as_deref());
    if let Some(formula) = formula(io, given.0, given.1, own)? {
        return Ok(match infinite {
            true => Asked::Formula(formula),
            false => classified(formula),
        });
    }
    if infinite {
        return Err(Failure::usage(
            "--traces infinite: killing formulas are about finite traces, since tests are finite",
        )
        .with_help("`hyperkill verify --formula` decides a formula over infinite traces"));
    }
    Ok(Asked::Killing(match args.property {
        PropertyChoice::Auto => Ask::Auto,
        PropertyChoice::Phi1 => Ask::Only(Property::Phi1),
        PropertyChoice::Phi2 => Ask::Only(Property::Phi2),
        PropertyChoice::Phi3 => Ask::Only(Property::Phi3),
        PropertyChoice::Phi4 => Ask::Only(Property::Phi4),
    }))
}

/// Returns the formula that options give, as text or in a file, in this language of formulas; `None` if they give none.
///
/// # Errors
/// If the file cannot be read or the formula is malformed.
pub(crate) fn formula(
    io: &mut Io,
    text: Option<&str>,
    file: Option<&Path>,
    dialect: Dialect,
) -> Result<Option<Formula>, Failure> {
    if let Some(text) = text {
        return Ok(Some(read("--formula", text, dialect)?));
    }
    let Some(file) = file else {
        return Ok(None);
    };
    let text = String::from_utf8(read_bytes(io, file)?)
        .map_err(|_| Failure::usage(format!("{} is not UTF-8", file.display())))?;
    Ok(Some(read(&file.to_string_lossy(), &text, dialect)?))
}
