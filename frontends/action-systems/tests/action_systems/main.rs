//! Tests of the reader of action systems, and of the lowered systems.

mod conformance;
mod diagnostics;
mod differential;
mod mutants;
mod printing;
mod prolog;
mod random;
mod sizes;
mod support;
