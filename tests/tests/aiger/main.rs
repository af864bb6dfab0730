//! AIGER files and netlists, those that other people wrote and those that other tools read: nothing gets lost on the way.

mod corpus;
mod netlists;
mod peers;
mod trip;
