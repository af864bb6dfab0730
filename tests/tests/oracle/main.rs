//! The oracle compared with enumeration and with examples judged by hand.

mod adaptive;
mod cross_check;
mod examples;
mod subsets;
