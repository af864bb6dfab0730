//! A table of facts and the clocks and resets that are inferred from them.

use super::*;
use crate::hardware::Ticks;
use crate::options::{ClockOption, HardwareOptions, ResetOption};
use crate::source::Span;

/// Inputs `clk`, `tick`, `rst`, `clear` of one bit and `wide` of two.
const NAMES: [&str; 5] = ["clk", "tick", "rst", "clear", "wide"];
const CLK: Origin<usize> = plain(0);
const RST: Origin<usize> = plain(2);

const fn plain(id: usize) -> Origin<usize> {
    Origin::Input {
        id,
        inverted: false,
    }
}

const fn inverse(id: usize) -> Origin<usize> {
    Origin::Input { id, inverted: true }
}

fn facts(clocks: &[(Origin<usize>, bool)], resets: &[(Origin<usize>, bool)]) -> Facts<usize> {
    let place = |at: usize| Span::new(at, at + 1);
    let inputs = NAMES.iter().enumerate().map(|(id, name)| Input {
        id,
        name: (*name).to_owned(),
        width: if *name == "wide" { 2 } else { 1 },
        read: None,
    });
    let clocks = clocks
        .iter()
        .enumerate()
        .map(|(at, (origin, rising))| ClockUse {
            origin: *origin,
            name: None,
            rising: *rising,
            place: place(at),
        });
    let resets = resets
        .iter()
        .enumerate()
        .map(|(at, (origin, active))| ResetUse {
            origin: *origin,
            active: *active,
            place: place(100 + at),
        });
    Facts {
        inputs: inputs.collect(),
        clocks: clocks.collect(),
        resets: resets.collect(),
    }
}

/// Returns options with these values of `--reset` and `--one-clock`.
fn options(resets: &[(&str, Option<bool>, Option<usize>)], one_clock: bool) -> FrontendOptions {
    let named = resets.iter().filter(|(name, ..)| *name != "none");
    FrontendOptions {
        hardware: HardwareOptions {
            infer_no_resets: resets.iter().any(|(name, ..)| *name == "none"),
            resets: (named.map(|(name, active, steps)| ResetOption {
                name: (*name).to_owned(),
                active: *active,
                steps: *steps,
            }))
            .collect(),
            one_clock,
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    }
}

/// Returns the inferred clocks and resets in short form, such as `+clk` and `rst=1:2` (active level and steps), or the error.
fn inferred(facts: &Facts<usize>, options: &FrontendOptions) -> Result<String, String> {
    let timing = infer(facts, options).map_err(|error| error.message)?;
    let clocks = timing.clocks.iter().map(|clock| {
        let sign = if clock.rising { "+" } else { "-" };
        format!("{sign}{}", NAMES[clock.input])
    });
    let resets = timing.resets.iter().map(|reset| {
        let active = u8::from(reset.active);
        format!("{}={active}:{}", NAMES[reset.input], reset.steps)
    });
    let made = timing.made.map(|_| "made".to_owned());
    let all: Vec<String> = clocks.chain(made).chain(resets).collect();
    Ok(all.join(" "))
}

type Case<'a> = (&'a [(Origin<usize>, bool)], bool, Result<&'a str, &'a str>);

#[test]
fn one_edge_of_one_input_is_the_clock_unless_all_are_to_be_one() {
    let made = "this clock is no input of the top module, but made by logic or a register";
    let bit = "this clock is one bit of the wider input `wide`";
    let cases: [Case<'_>; 13] = [
        (&[], false, Ok("")),
        (&[(CLK, true), (CLK, true)], false, Ok("+clk")),
        (&[(CLK, false)], false, Ok("-clk")),
        (&[(inverse(0), true), (CLK, false)], false, Ok("-clk")),
        (
            &[(CLK, true), (CLK, false)],
            false,
            Err("both edges of the clock `clk` are used"),
        ),
        (
            &[(CLK, true), (inverse(0), true)],
            false,
            Err("both edges of the clock `clk` are used"),
        ),
        (&[(CLK, true), (CLK, false)], true, Ok("+clk -clk")),
        (
            &[(plain(1), true), (CLK, true)],
            false,
            Err("several clocks: `tick` and `clk`"),
        ),
        (&[(plain(1), true), (CLK, true)], true, Ok("+clk +tick")),
        (&[(CLK, true), (Origin::Made, true)], false, Err(made)),
        (&[(CLK, true), (Origin::Made, true)], true, Ok("+clk made")),
        (
            &[(Origin::Constant, true)],
            false,
            Err("this clock never changes"),
        ),
        (&[(Origin::Bit(4), true)], false, Err(bit)),
    ];
    for (clocks, one_clock, expected) in cases {
        let found = inferred(&facts(clocks, &[]), &options(&[], one_clock));
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(found, expected, "{clocks:?}");
    }
}

#[test]
fn a_clock_that_is_read_as_a_value_is_refused_there() {
    let mut facts = facts(&[(CLK, true)], &[]);
    for (is_output, message) in [
        (false, "the clock `clk` is read as a value"),
        (true, "the clock `clk` is an output"),
    ] {
        let place = Span::new(50, 60);
        facts.inputs[0].read = Some(Read { place, is_output });
        let error = infer(&facts, &options(&[], false)).unwrap_err();
        assert_eq!((error.message.as_str(), error.span), (message, Some(place)));
        assert_eq!(inferred(&facts, &options(&[], true)), Ok("made".to_owned()));
    }
}

type Asked<'a> = &'a [(&'a str, Option<bool>, Option<usize>)];

/// Registers with the origins of their resets, the options, and the result that is inferred.
type AskedCase<'a> = (
    &'a [(Origin<usize>, bool)],
    Asked<'a>,
    Result<&'a str, &'a str>,
);

#[test]
fn resets_are_those_at_any_time_and_those_that_are_asked_for() {
    let low: &[(Origin<usize>, bool)] = &[(RST, false)];
    let twice: &[(Origin<usize>, bool)] = &[(RST, false), (inverse(2), true)];
    let both: &[(Origin<usize>, bool)] = &[(RST, false), (RST, true)];
    let conflict = "`rst` resets some registers when it is 0 and others when it is 1";
    let cases: [AskedCase<'_>; 19] = [
        (&[], &[], Ok("+clk")),
        (low, &[], Ok("+clk rst=0:1")),
        (twice, &[], Ok("+clk rst=0:1")),
        (low, &[("none", None, None)], Ok("+clk")),
        (low, &[("rst", None, Some(3))], Ok("+clk rst=0:3")),
        (low, &[("rst", Some(true), None)], Ok("+clk rst=1:1")),
        (
            low,
            &[("none", None, None), ("rst", None, None)],
            Ok("+clk rst=0:1"),
        ),
        (
            low,
            &[("clear", None, Some(2))],
            Ok("+clk rst=0:1 clear=1:2"),
        ),
        (&[], &[("clear", Some(false), None)], Ok("+clk clear=0:1")),
        (&[], &[("clear", None, Some(0))], Ok("+clk clear=1:1")),
        (both, &[], Err(conflict)),
        (both, &[("rst", None, None)], Err(conflict)),
        (both, &[("rst", Some(true), None)], Ok("+clk rst=1:1")),
        (both, &[("none", None, None)], Ok("+clk")),
        (
            &[(Origin::Made, true), (Origin::Bit(4), true)],
            &[],
            Ok("+clk"),
        ),
        (&[(CLK, true)], &[], Ok("+clk")),
        (
            &[],
            &[("rset", None, None)],
            Err("--reset rset: there is no such input"),
        ),
        (
            &[],
            &[("clk", None, None)],
            Err("--reset clk: it is the clock"),
        ),
        (
            &[],
            &[("wide", None, None)],
            Err("--reset wide: a reset has one bit"),
        ),
    ];
    for (resets, asked, expected) in cases {
        let found = inferred(&facts(&[(CLK, true)], resets), &options(asked, false));
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(found, expected, "{resets:?} {asked:?}");
    }
}

#[test]
fn resets_of_different_lengths_end_together() {
    let asked = [("rst", Some(false), Some(3)), ("clear", None, Some(1))];
    let facts = facts(&[(CLK, true)], &[]);
    let timing = infer(&facts, &options(&asked, false)).unwrap();
    assert_eq!(timing.reset_steps(), 3);
    let levels = |input| {
        (0..3)
            .map(|step| timing.level(input, step))
            .collect::<Vec<_>>()
    };
    assert_eq!(levels(2), [false, false, false]);
    assert_eq!(levels(3), [false, false, true]);
    assert_eq!(levels(1), [false, false, false]);
    // A reset that is active at 0 is 1 until its own steps begin.
    let asked = [("rst", Some(false), Some(1)), ("clear", None, Some(3))];
    let timing = infer(&facts, &options(&asked, false)).unwrap();
    let levels = (0..3).map(|step| timing.level(2, step)).collect::<Vec<_>>();
    assert_eq!(levels, [true, true, false]);
}

#[test]
fn a_bench_ticks_one_edge_of_each_clock_and_no_clock_that_is_made() {
    let of = |clocks: &[(Origin<usize>, bool)]| {
        let facts = facts(clocks, &[]);
        let timing = infer(&facts, &options(&[], true)).unwrap();
        timing.bench_clocks(&facts).map(|clocks| clocks.len())
    };
    assert_eq!(of(&[(CLK, true), (plain(1), false)]), Ok(2));
    assert!(of(&[(CLK, true), (CLK, false)]).is_err());
    assert!(of(&[(CLK, true), (Origin::Made, true)]).is_err());
}

#[test]
fn signals_are_followed_through_inverters_and_no_circle_is_endless() {
    let chain = |at: usize| match at {
        0 => Link::Input(7),
        odd if odd % 2 == 1 => Link::Inverse(odd - 1),
        even => Link::Same(even - 1),
    };
    assert_eq!(origin(3, chain), plain(7));
    assert_eq!(origin(1, chain), inverse(7));
    assert_eq!(origin::<usize, usize>(0, Link::Same), Origin::Made);
}

/// Returns the ticks of clocks in short form: `+` always, `?` by a test input, `-` never, otherwise one entry for each step of a period.
fn ticking(
    edges: &[(Origin<usize>, bool)],
    asked: &[(&str, Option<u32>)],
) -> Result<String, String> {
    let clocks = asked.iter().map(|&(name, period)| ClockOption {
        name: name.to_owned(),
        period,
    });
    let options = FrontendOptions {
        hardware: HardwareOptions {
            clocks: clocks.collect(),
            ..HardwareOptions::default()
        },
        ..FrontendOptions::default()
    };
    let timing = infer_several(&facts(edges, &[]), &options).map_err(|error| error.message)?;
    let clocks = timing.ticking.iter().map(|clock| {
        let both = if clock.both_edges { "2" } else { "" };
        let ticks = match &clock.ticks {
            Ticks::Always => "+".to_owned(),
            Ticks::Never => "-".to_owned(),
            Ticks::Chosen => "?".to_owned(),
            Ticks::Round(round) => round
                .iter()
                .map(|ticks| if *ticks { '1' } else { '0' })
                .collect(),
        };
        format!("{}{both}:{ticks}", NAMES[clock.input])
    });
    Ok(clocks.collect::<Vec<_>>().join(" "))
}

#[test]
fn several_clocks_tick_as_asked_for() {
    let one: &[(Origin<usize>, bool)] = &[(CLK, true)];
    let both: &[(Origin<usize>, bool)] = &[(CLK, true), (CLK, false)];
    let two: &[(Origin<usize>, bool)] = &[(plain(1), true), (CLK, true)];
    let three: &[(Origin<usize>, bool)] = &[(plain(1), true), (CLK, true), (inverse(0), true)];
    type Case<'a> = (
        &'a [(Origin<usize>, bool)],
        &'a [(&'a str, Option<u32>)],
        &'a str,
    );
    let cases: [Case<'_>; 9] = [
        (one, &[], ""),
        (one, &[("clk", Some(4))], ""),
        (both, &[], "clk2:+"),
        (two, &[], "clk:? tick:?"),
        (two, &[("tick", None), ("clk", None)], "clk:? tick:?"),
        (two, &[("tick", Some(5))], "clk:- tick:+"),
        (
            two,
            &[("clk", Some(3)), ("tick", Some(5))],
            "clk:1101101 tick:1010010",
        ),
        (
            two,
            &[("clk", Some(1)), ("tick", Some(2))],
            "clk:11 tick:10",
        ),
        (
            three,
            &[("clk", Some(2)), ("tick", Some(3))],
            "clk2:111111 tick:100100",
        ),
    ];
    for (edges, asked, expected) in cases {
        assert_eq!(
            ticking(edges, asked).as_deref(),
            Ok(expected),
            "{edges:?} {asked:?}"
        );
    }
    let refused = ticking(two, &[("tack", None)]);
    assert_eq!(
        refused,
        Err("--clock tack: there is no such clock".to_owned())
    );
}
