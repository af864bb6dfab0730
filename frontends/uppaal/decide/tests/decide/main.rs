//! Deciding Uppaal models: the tables of [0].

mod tables;
