//! Icarus Verilog, which runs exported test benches. Only looked for, never run.

use std::path::PathBuf;

use super::path::on_path;

/// Where `iverilog` is, if it is installed.
pub(crate) fn iverilog() -> Option<PathBuf> {
    on_path(&["iverilog"])
}
