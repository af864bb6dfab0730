//! Zones and decisions by zones, compared with points and with regions.

mod evidence;
mod families;
mod following;
mod identity;
mod played;
mod random;
mod refinement;
mod regions;
mod zones;
