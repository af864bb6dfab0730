//! Options of every command.

use clap::{ArgAction, Args};

use super::values::{ColorChoice, Format, Jobs, LogFormat};

/// Options of every command.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Common options")]
pub struct Global {
    /// How results are written
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// How messages and progress are written on standard error
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Only errors on standard error; twice: not even the summary
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
    /// More on standard error; may be repeated
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Threads to use, at most 1024 [default: all cores]; results do not depend on it
    #[arg(short, long, global = true, value_name = "N")]
    pub jobs: Option<Jobs>,
    /// Seed of everything random
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// When to colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    /// Lets a model and the `hyperkill.toml` beside it name files anywhere, not only in the folders of the model and of -I
    #[arg(long, global = true)]
    pub allow_outside: bool,
}

/// As if nothing was said.
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
