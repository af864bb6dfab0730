//! Icarus Verilog, which runs exported test benches. hyperkill only looks for it.

use std::path::PathBuf;

use super::path::on_path;

/// Returns the path of `iverilog`, if it is installed.
pub(crate) fn iverilog() -> Option<PathBuf> {
    on_path(&["iverilog"])
}
