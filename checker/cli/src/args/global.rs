//! Options of every command.

use clap::{ArgAction, Args};

use super::values::{ColorChoice, Format, Jobs, LogFormat};

/// Options of every command.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Common options")]
pub struct Global {
    /// Format of results
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Format of messages and progress on standard error
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Print only errors on standard error; given twice, omit the summary too
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
    /// Print more on standard error; may be repeated
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Number of threads, at most 1024; results do not depend on it [default: all cores]
    #[arg(short, long, global = true, value_name = "N")]
    pub jobs: Option<Jobs>,
    /// Seed of all random choices
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Use of colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    /// Allow a model to name files outside of its own folder and the folders of -I
    ///
    /// The same holds for the `hyperkill.toml` beside the model.
    #[arg(long, global = true)]
    pub allow_outside: bool,
}

/// Values of the options without a command line.
impl Default for Global {
    fn default() -> Global {
        Global {
            format: Format::Human,
            log_format: LogFormat::Text,
            quiet: 0,
            verbose: 0,
            jobs: None,
            seed: 0,
            color: ColorChoice::Auto,
            allow_outside: false,
        }
    }
}
