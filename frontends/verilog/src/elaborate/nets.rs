//! Nets with several drivers, or with none at times (IEEE 1364-2005 §4.6).
//!
//! The value of `wand` and `wor` joins the values of all drivers. Other nets have the value of the one driver that drives them. If no
//! driver does, or several do and differ, the net is a choice.

use std::collections::BTreeSet;

use hyperkill_core::term::{BinaryOp as Core, TermId};

use crate::design::{Drive, Driver, Net, Partial, Run, WordId};
use crate::state::Elaborator;

impl Elaborator<'_> {
    /// Joins all drivers of a net that drive some bits at times, or that the net resolves, to one driver.
    pub(super) fn join_drivers(&mut self) -> Run<()> {
        let mut words: BTreeSet<WordId> = self.design.partial.keys().copied().collect();
        for word in self.design.drivers.keys() {
            let (var, ..) = self.design.elements[word.0];
            if self.design.var(var).net != Net::Plain {
                words.insert(*word);
            }
        }
        for word in words {
            self.join_word(word)?;
        }
        Ok(())
    }

    fn join_word(&mut self, word: WordId) -> Run<()> {
        let (var, ..) = self.design.elements[word.0];
        let net = self.design.var(var).net;
        let mut all = self.design.partial.remove(&word).unwrap_or_default();
        let always = self.design.drivers.remove(&word).unwrap_or_default();
        let (wires, rest): (Vec<Driver>, Vec<Driver>) = always
            .into_iter()
            .partition(|driver| matches!(driver.drive, Drive::Wire));
        for driver in wires {
            let driven = self.design.words.ones(driver.width);
            all.push(Partial {
                low: driver.low,
                width: driver.width,
                value: driver.value,
                driven,
                place: driver.place,
            });
        }
        let bounds: BTreeSet<u32> = all.iter().flat_map(|p| [p.low, p.low + p.width]).collect();
        let bounds: Vec<u32> = bounds.into_iter().collect();
        let mut drivers = rest;
        for pair in bounds.windows(2) {
            let (low, width) = (pair[0], pair[1] - pair[0]);
            let inside = |p: &&Partial| p.low <= low && low + width <= p.low + p.width;
            let here: Vec<Partial> = all.iter().filter(inside).cloned().collect();
            let mut sources = Vec::new();
            for partial in &here {
                let words = &mut self.design.words;
                let value = words.slice(partial.value, low - partial.low, width)?;
                let driven = words.slice(partial.driven, low - partial.low, width)?;
                sources.push((value, driven));
            }
            let Some(first) = here.first() else {
                continue;
            };
            let ones = self.design.words.ones(width);
            let always = sources.iter().filter(|(_, driven)| *driven == ones).count();
            // Two permanent drivers of a plain net are an error, which is found where the net is read.
            if net == Net::Plain && always > 1 {
                for (partial, (value, _)) in here.iter().zip(&sources) {
                    drivers.push(self.wire(low, width, *value, partial));
                }
                continue;
            }
            let value = match net {
                Net::And | Net::Or => self.wired(&sources, width, net == Net::And)?,
                Net::Plain => self.alone(&sources, width, None)?,
                Net::Pulled(to) => self.alone(&sources, width, Some(to))?,
            };
            drivers.push(self.wire(low, width, value, first));
        }
        self.design.drivers.insert(word, drivers);
        Ok(())
    }

    fn wire(&mut self, low: u32, width: u32, value: TermId, from: &Partial) -> Driver {
        self.process += 1;
        Driver {
            low,
            width,
            drive: Drive::Wire,
            value,
            place: from.place,
            process: self.process,
        }
    }

    /// Returns the conjunction (`and`) or disjunction of the sources that drive a bit. Each source is a value with the mask of its driven
    /// bits. A bit that no source drives may have any value.
    fn wired(&mut self, sources: &[(TermId, TermId)], width: u32, and: bool) -> Run<TermId> {
        let words = &mut self.design.words;
        let (mut value, mut driven) = (words.number(0, width), words.number(0, width));
        if and {
            value = words.ones(width);
        }
        for (own, enabled) in sources {
            value = match and {
                true => {
                    let idle = words.not(*enabled)?;
                    let own = words.bitwise(Core::Or, *own, idle)?;
                    words.bitwise(Core::And, value, own)?
                }
                false => {
                    let own = words.bitwise(Core::And, *own, *enabled)?;
                    words.bitwise(Core::Or, value, own)?
                }
            };
            driven = words.bitwise(Core::Or, driven, *enabled)?;
        }
        self.known_or_anything(value, driven)
    }

    /// Returns the value of the source that drives a bit, or the value that the net is pulled to if none does. Each source is a value with
    /// the mask of its driven bits. A bit without either, or with different values, may have any value.
    fn alone(
        &mut self,
        sources: &[(TermId, TermId)],
        width: u32,
        pulled: Option<bool>,
    ) -> Run<TermId> {
        let words = &mut self.design.words;
        let zero = words.number(0, width);
        let (mut value, mut driven, mut clash) = (zero, zero, zero);
        for (own, enabled) in sources {
            let both = words.bitwise(Core::And, driven, *enabled)?;
            let differ = words.bitwise(Core::Xor, *own, value)?;
            let both = words.bitwise(Core::And, both, differ)?;
            clash = words.bitwise(Core::Or, clash, both)?;
            let own = words.bitwise(Core::And, *own, *enabled)?;
            value = words.bitwise(Core::Or, value, own)?;
            driven = words.bitwise(Core::Or, driven, *enabled)?;
        }
        let mut known = words.not(clash)?;
        match pulled {
            None => known = words.bitwise(Core::And, known, driven)?,
            Some(false) => {}
            Some(true) => {
                let idle = words.not(driven)?;
                value = words.bitwise(Core::Or, value, idle)?;
            }
        }
        self.known_or_anything(value, known)
    }

    /// Returns a value on its known bits, and a choice elsewhere.
    fn known_or_anything(&mut self, value: TermId, known: TermId) -> Run<TermId> {
        let width = self.design.words.width(value);
        if known == self.design.words.ones(width) {
            return Ok(value);
        }
        let anything = self.unknown(width);
        let words = &mut self.design.words;
        let value = words.bitwise(Core::And, value, known)?;
        let open = words.not(known)?;
        let anything = words.bitwise(Core::And, anything, open)?;
        Ok(words.bitwise(Core::Or, value, anything)?)
    }
}
