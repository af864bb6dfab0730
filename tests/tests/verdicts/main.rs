//! Complete runs and their evidence compared with the oracle: all engines together, with limits and with planted faults.

mod allowed;
mod cut_off;
mod differential;
mod edited;
mod free_inputs;
mod going_on;
mod kill_certificates;
mod limits;
mod memory;
mod mix;
mod model_evidence;
mod nondeterminism;
mod plain_formulas;
mod plans;
mod planted_faults;
mod refused_inputs;
mod running;
mod suite_certificates;
mod witnesses;
