//! Types of flip-flops: words (`$adffe`) and single ones with all features in their names (`$_DFFE_PN0P_`).

use hyperkill_frontend::Diagnostic;

use super::parameters::Parameters;
use super::pins::{Pins, plain};
use crate::netlist::{Bit, Cell, ClockPin, Kind, Register, ResetPin};

/// The pins of a type of flip-flop besides clock, D and Q.
#[derive(Clone, Copy, Default)]
struct Features {
    clock: bool,
    enable: bool,
    synchronous: bool,
    enable_first: bool,
    asynchronous: bool,
}

/// Returns the flip-flops of a cell; `None` if it has another or an unsupported type.
///
/// # Errors
/// If it is malformed.
pub(super) fn register(
    kind: &str,
    pins: &mut Pins,
    parameters: &Parameters<'_, '_>,
    init: &impl Fn(Bit) -> Option<bool>,
) -> Result<Option<Cell>, Diagnostic> {
    if let Some(features) = word(kind) {
        return of_words(features, pins, parameters, init).map(Some);
    }
    match single(kind) {
        Some(single) => of_one(&single, pins, init).map(Some),
        None => Ok(None),
    }
}

fn word(kind: &str) -> Option<Features> {
    let clocked = Features {
        clock: true,
        ..Features::default()
    };
    let asynchronous = Features {
        asynchronous: true,
        ..clocked
    };
    let synchronous = Features {
        synchronous: true,
        ..clocked
    };
    let enabled = |features| Features {
        enable: true,
        ..features
    };
    Some(match kind {
        "$ff" => Features::default(),
        "$dff" => clocked,
        "$dffe" => enabled(clocked),
        "$adff" => asynchronous,
        "$adffe" => enabled(asynchronous),
        "$sdff" => synchronous,
        "$sdffe" => enabled(synchronous),
        "$sdffce" => Features {
            enable_first: true,
            ..enabled(synchronous)
        },
        _ => return None,
    })
}

fn of_words(
    features: Features,
    pins: &mut Pins,
    parameters: &Parameters<'_, '_>,
    init: &impl Fn(Bit) -> Option<bool>,
) -> Result<Cell, Diagnostic> {
    let q = pins.take("Q")?;
    let mut inputs = vec![pins.take("D")?];
    let mut register = Register {
        enable_first: features.enable_first,
        init: q.bits.iter().map(|&bit| init(bit)).collect(),
        ..Register::default()
    };
    let span = pins.span();
    let malformed = |what: &str| Diagnostic::error(span, format!("a register {what}"));
    if features.clock {
        register.clock = Some(ClockPin {
            bit: one(pins, "CLK")?,
            rising: Some(parameters.flag("CLK_POLARITY")?),
        });
    }
    if features.enable {
        register.enable = Some((inputs.len(), parameters.flag("EN_POLARITY")?));
        inputs.push(pins.take("EN")?);
    }
    for (is_there, pin, field) in [
        (features.synchronous, "SRST", &mut register.synchronous),
        (features.asynchronous, "ARST", &mut register.asynchronous),
    ] {
        if !is_there {
            continue;
        }
        let value = parameters.bits(&format!("{pin}_VALUE"))?;
        let value: Option<Vec<bool>> = value.into_iter().take(q.bits.len()).collect();
        let value = value.ok_or_else(|| malformed("that is reset to x"))?;
        *field = Some(ResetPin {
            pin: inputs.len(),
            active: parameters.flag(&format!("{pin}_POLARITY"))?,
            value,
        });
        inputs.push(pins.take(pin)?);
    }
    let width = q.bits.len();
    let resets = [&register.synchronous, &register.asynchronous];
    let fits = inputs[0].bits.len() == width
        && inputs[1..].iter().all(|pin| pin.bits.len() == 1)
        && (resets.into_iter().flatten()).all(|reset| reset.value.len() == width);
    if !fits {
        return Err(malformed("with pins of wrong widths"));
    }
    Ok(plain(Kind::Register(register), inputs, vec![q], span))
}

/// A single flip-flop with the features of its name.
#[derive(Default)]
struct Single {
    clock: Option<bool>,
    enable: Option<bool>,
    synchronous: Option<(bool, bool)>,
    asynchronous: Option<(bool, bool)>,
    enable_first: bool,
}

fn single(kind: &str) -> Option<Single> {
    let name = kind.strip_prefix("$_")?.strip_suffix('_')?;
    let (family, letters) = name.split_once('_').unwrap_or((name, ""));
    let high = |letter: char| match letter {
        'P' | '1' => Some(true),
        'N' | '0' => Some(false),
        _ => None,
    };
    let letters = letters.chars().map(high).collect::<Option<Vec<bool>>>()?;
    let mut single = Single::default();
    match (family, letters.as_slice()) {
        ("FF", []) => {}
        ("DFF", [clock]) => single.clock = Some(*clock),
        ("DFFE", [clock, enable]) => {
            single.clock = Some(*clock);
            single.enable = Some(*enable);
        }
        ("DFF" | "SDFF", [clock, active, value]) => {
            single.clock = Some(*clock);
            match family {
                "DFF" => single.asynchronous = Some((*active, *value)),
                _ => single.synchronous = Some((*active, *value)),
            }
        }
        ("DFFE" | "SDFFE" | "SDFFCE", [clock, active, value, enable]) => {
            single.clock = Some(*clock);
            single.enable = Some(*enable);
            single.enable_first = family == "SDFFCE";
            match family {
                "DFFE" => single.asynchronous = Some((*active, *value)),
                _ => single.synchronous = Some((*active, *value)),
            }
        }
        _ => return None,
    }
    Some(single)
}

fn of_one(
    single: &Single,
    pins: &mut Pins,
    init: &impl Fn(Bit) -> Option<bool>,
) -> Result<Cell, Diagnostic> {
    let q = pins.take("Q")?;
    let mut inputs = vec![pins.take("D")?];
    let mut register = Register {
        enable_first: single.enable_first,
        init: q.bits.iter().map(|&bit| init(bit)).collect(),
        ..Register::default()
    };
    if let Some(rising) = single.clock {
        register.clock = Some(ClockPin {
            bit: one(pins, "C")?,
            rising: Some(rising),
        });
    }
    if let Some(active) = single.enable {
        register.enable = Some((inputs.len(), active));
        inputs.push(pins.take("E")?);
    }
    for (reset, field) in [
        (single.synchronous, &mut register.synchronous),
        (single.asynchronous, &mut register.asynchronous),
    ] {
        if let Some((active, value)) = reset {
            *field = Some(ResetPin {
                pin: inputs.len(),
                active,
                value: vec![value],
            });
            inputs.push(pins.take("R")?);
        }
    }
    let span = pins.span();
    if q.bits.len() != 1 || inputs.iter().any(|pin| pin.bits.len() != 1) {
        return Err(Diagnostic::error(
            span,
            "a single register has pins of one bit",
        ));
    }
    Ok(plain(Kind::Register(register), inputs, vec![q], span))
}

/// Removes a pin of one bit from `pins`, and returns its bit.
///
/// # Errors
/// If it is missing or wider.
fn one(pins: &mut Pins, name: &str) -> Result<Bit, Diagnostic> {
    let pin = pins.take(name)?;
    match pin.bits.as_slice() {
        [bit] => Ok(*bit),
        _ => Err(Diagnostic::error(
            pins.span(),
            format!("{name} has one bit"),
        )),
    }
}
