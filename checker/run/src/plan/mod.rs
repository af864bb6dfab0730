//! A run cut into shards, for schedulers that run each of them somewhere ([`begun`], [`cut`]), and one run again of all shards ([`join`]).
//!
//! A plan decides mutants by the methods that try something on all mutants together. Each other mutant belongs to one shard. The file of a
//! shard is all that its process reads: of a circuit the part with the mutants of the shard, of other languages a list of mutants. A shard
//! is decided as a run of its own, in attempts: an attempt goes on from the journal of the attempt before.

pub mod attempt;
pub mod begun;
pub mod costs;
pub mod cut;
pub mod folder;
pub mod join;
pub mod layout;
pub mod state;
