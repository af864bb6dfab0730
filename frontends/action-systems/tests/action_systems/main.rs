//! Tests of the reader of action systems, and of what becomes of what it reads.

mod conformance;
mod diagnostics;
mod differential;
mod mutants;
mod printing;
mod prolog;
mod random;
mod sizes;
mod support;
