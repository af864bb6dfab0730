//! What a run is asked to do, as it writes it down: to go on later, and to know the parts of one run from those of others.

use std::path::Path;

use clap::{ArgAction, ArgMatches, Args, Command, Parser};
use hyperkill_run::asked::{VERSION, sealed};

use crate::args::{Cli, ModelArgs, RunArgs};
use crate::documents::{self, Asked, MutantTable, Run};
use crate::failure::Failure;
use crate::model::Listing;
use crate::run_folder::{ASKED, kept, read_versioned};

/// What results do not depend on, or what is written down in another way: the question by the name of its formula, and how the model
/// is read with the model.
const LEFT_OUT: [&str; 26] = [
    "out",
    "from",
    "force",
    "format",
    "log_format",
    "quiet",
    "verbose",
    "jobs",
    "color",
    "allow_outside",
    "help",
    "version",
    "timings",
    "explain",
    "property",
    "formula",
    "formula_file",
    "file",
    "specs",
    "totality",
    "traces",
    "witness",
    "plan",
    "shards",
    "per_shard",
    "costs",
];
/// The options of a command line that results depend on, with the values of those that nobody gave.
pub(crate) fn options(cli: &Command, matches: &ArgMatches) -> Vec<String> {
    let Some((name, given)) = matches.subcommand() else {
        return Vec::new();
    };
    let Some(command) = cli.find_subcommand(name) else {
        return Vec::new();
    };
    let of_model = ModelArgs::augment_args(Command::new("model"));
    let of_model: Vec<_> = of_model.get_arguments().map(|arg| arg.get_id()).collect();
    let mut options = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id();
        let Some(long) = arg.get_long() else { continue };
        if LEFT_OUT.contains(&id.as_str()) || of_model.contains(&id) {
            continue;
        }
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            if given.get_flag(id.as_str()) {
                options.push(format!("--{long}"));
            }
            continue;
        }
        for value in given.get_raw(id.as_str()).into_iter().flatten() {
            options.push(format!("--{long}={}", value.to_string_lossy()));
        }
    }
    options.sort_unstable();
    options
}

/// What options of a run mean.
pub(crate) struct Again {
    /// The options, with a model that means nothing.
    pub run: RunArgs,
    /// The seed of everything random.
    pub seed: u64,
}

/// The options that a run wrote down.
///
/// # Errors
/// If they are none of this version.
pub(crate) fn arguments(asked: &Asked) -> Result<Again, Failure> {
    let options = asked.options.iter().map(String::as_str);
    let words = ["hyperkill", "run"].into_iter().chain(options);
    let unknown = || Failure::usage("what the run was asked is not understood");
    let cli = Cli::try_parse_from(words.chain(["--", "-"]))
        .map_err(|error| unknown().with_help(error.kind().to_string()))?;
    match cli.command {
        crate::args::Command::Run(run) => Ok(Again {
            run,
            seed: cli.global.seed,
        }),
        _ => Err(unknown()),
    }
}

/// What was asked of the run in a folder, by a program of this version.
///
/// # Errors
/// If the folder does not say it, or the version is another one.
pub(crate) fn of(dir: &Path) -> Result<Asked, Failure> {
    let path = dir.join(ASKED);
    if !path.is_file() {
        let dir = dir.display();
        return Err(Failure::usage(format!(
            "the run in {dir} does not say what was asked of it: it was stopped before it had written that, or an earlier release made it"
        ))
        .with_help("`hyperkill run MODEL` begins again"));
    }
    let asked: Asked = read_versioned(&path, Asked::SCHEMA)?;
    if asked.version == VERSION {
        return Ok(asked);
    }
    Err(Failure::usage(format!(
        "the run in {} was made by hyperkill {}, and this is {}: what is left would not be decided alike",
        dir.display(),
        asked.version,
        VERSION
    ))
    .with_help("go on with that version, or run again"))
}

/// Whether what a folder says that was asked is so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Said {
    /// It is, or the folder does not say it.
    So,
    /// It is not.
    Otherwise,
    /// It is in words of another version.
    Unknown,
}

/// Looks whether what a folder says that was asked is so.
///
/// # Errors
/// If nothing can be hashed, which the types exclude.
pub(crate) fn is_so(
    dir: &Path,
    listing: &Listing,
    table: &MutantTable,
    run: &Run,
) -> Result<Said, Failure> {
    if !dir.join(ASKED).is_file() {
        return Ok(Said::So);
    }
    let read = kept(dir, ASKED).ok();
    let read = read.and_then(|(bytes, _)| {
        let asked = serde_json::from_slice::<Asked>(&bytes).ok()?;
        Some((bytes, asked))
    });
    let (Some((bytes, asked)), Some(reading)) = (read, &table.reading) else {
        return Ok(Said::Otherwise);
    };
    let Ok(again) = arguments(&asked) else {
        return Ok(match asked.version == VERSION {
            true => Said::Otherwise,
            false => Said::Unknown,
        });
    };
    let selection = again.run.selection.selection(again.seed);
    let Ok(selected) = selection.of(listing) else {
        return Ok(Said::Otherwise);
    };
    let whole = selection.unsharded(listing)?;
    let model = (&listing.description, reading);
    let places = [whole.as_slice(), selected.as_slice()];
    let expected = sealed(asked.version, asked.options, model, listing, places)?;
    let is_so = documents::to_text(&expected)?.as_bytes() == bytes && again.seed == run.seed;
    Ok(match is_so {
        true => Said::So,
        false => Said::Otherwise,
    })
}
