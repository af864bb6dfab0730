//! Public AIGER files and netlists, and files for other tools: no information is lost in round trips.

mod corpus;
mod netlists;
mod peers;
mod trip;
