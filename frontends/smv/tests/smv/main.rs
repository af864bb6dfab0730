//! Tests of the SMV front end as a whole. One module per subject.

// Marked as test modules, so that the lints for tests apply to all their functions.
#[cfg(test)]
mod beverage;
#[cfg(test)]
mod conformance;
#[cfg(test)]
mod differential;
#[cfg(test)]
mod interpreter;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod linear;
#[cfg(test)]
mod machines;
#[cfg(test)]
mod models;
#[cfg(test)]
mod modular;
#[cfg(test)]
mod mutants;
#[cfg(test)]
mod obligations;
#[cfg(test)]
mod printing;
#[cfg(test)]
mod random;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod roles;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod support;
mod words;
