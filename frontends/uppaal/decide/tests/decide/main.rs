//! Deciding Uppaal models: the tables of \[0\], and random models.

mod circuits;
mod data;
mod ecdar;
mod guidelines;
mod net_oracle;
mod nets;
mod networks;
mod pairs;
mod random_models;
#[allow(dead_code)]
#[path = "../../../../timed/tests/timed/regions.rs"]
mod regions;
mod second_order;
mod studies;
mod tables;
mod testers;
mod totalise;
