//! Divides a run into shards for schedulers ([`begun`], [`cut`]), and joins the shards to one run ([`join`]).
//!
//! A plan first decides mutants by the methods that try tests or proofs on all mutants together. Each other mutant belongs to one shard.
//! The file of a shard contains everything that its process reads. For a circuit it is the part with the shard's mutants, for other
//! languages a list of mutants. A shard is a run of its own, in attempts: an attempt resumes from the journal of the attempt before.

pub mod attempt;
pub mod begun;
pub mod costs;
pub mod cut;
pub mod folder;
pub mod join;
pub mod layout;
pub mod state;
