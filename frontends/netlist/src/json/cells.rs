//! Maps types of cells to their functions. Widths of pins are those of their connections.
//!
//! The functions follow the manual and the simulation models of the cell library of yosys.

use hyperkill_frontend::{Diagnostic, Span};

use super::parameters::Parameters;
use super::pins::{Pins, plain};
use super::registers::register;
use crate::function::{Function, Operation};
use crate::netlist::{Bit, Cell, Instance, Kind, Pin};

/// The result of reading a cell.
pub(super) enum Read {
    Cell(Box<Cell>),
    Instance(Instance),
    /// A cell without effect on the circuit.
    Nothing,
}

/// The approximate number of gates of a cell, at most: a product of 4096 bits.
const MOST_GATES: usize = 1 << 24;

/// The pins of a function, and whether they determine each other's widths.
enum Shape {
    /// A and B are numbers, which are extended and truncated.
    Words(Operation),
    /// A alone.
    Word(Operation),
    /// Pins with these names and one output Y, which are not extended.
    Exact(Operation, &'static [&'static str]),
}

/// Reads a cell of the type `kind`, without its name. `init` returns the initial value of a net, if it has one.
///
/// # Errors
/// If its type is not supported, or it is malformed.
pub(super) fn cell(
    kind: &str,
    pins: Vec<Pin>,
    parameters: &Parameters<'_, '_>,
    init: impl Fn(Bit) -> Option<bool>,
) -> Result<Read, Diagnostic> {
    let mut pins = Pins::new(kind, pins, parameters.span);
    if let Some(shape) = shape(kind, parameters)? {
        return function(shape, &mut pins, parameters).map(boxed);
    }
    let effect = |kind, pins: &mut Pins, names: [&str; 2]| {
        let inputs = names.map(|name| pins.take(name));
        let [a, b] = inputs;
        Ok(boxed(plain(kind, vec![a?, b?], Vec::new(), pins.span())))
    };
    match kind {
        "$assume" => effect(Kind::Assume, &mut pins, ["A", "EN"]),
        "$assert" => effect(Kind::Assert, &mut pins, ["A", "EN"]),
        "$cover" | "$live" | "$fair" | "$scopeinfo" | "$print" => Ok(Read::Nothing),
        "$check" if !parameters.flag("TRG_ENABLE")? => {
            match parameters.word("FLAVOR").as_deref().map(str::trim) {
                Some("assume") => effect(Kind::Assume, &mut pins, ["A", "EN"]),
                Some("assert") => effect(Kind::Assert, &mut pins, ["A", "EN"]),
                _ => Ok(Read::Nothing),
            }
        }
        "$anyseq" | "$anyconst" => {
            let kind = match kind {
                "$anyseq" => Kind::AnySequence,
                _ => Kind::AnyConstant,
            };
            let y = pins.take("Y")?;
            Ok(boxed(plain(kind, Vec::new(), vec![y], pins.span())))
        }
        _ => match register(kind, &mut pins, parameters, &init)? {
            Some(cell) => Ok(boxed(cell)),
            None => Err(refused(kind, parameters.span)),
        },
    }
}

fn boxed(cell: Cell) -> Read {
    Read::Cell(Box::new(cell))
}

fn shape(kind: &str, parameters: &Parameters<'_, '_>) -> Result<Option<Shape>, Diagnostic> {
    use Operation as O;
    use Shape::{Exact, Word, Words};
    const AB: &[&str] = &["A", "B"];
    const ABS: &[&str] = &["A", "B", "S"];
    Ok(Some(match kind {
        "$pos" => Word(O::Buffer),
        "$not" => Word(O::Not),
        "$neg" => Word(O::Negate),
        "$reduce_and" => Word(O::ReduceAnd),
        "$reduce_or" | "$reduce_bool" => Word(O::ReduceOr),
        "$reduce_xor" => Word(O::ReduceXor),
        "$reduce_xnor" => Word(O::ReduceXnor),
        "$logic_not" => Word(O::LogicNot),
        "$logic_and" => Words(O::LogicAnd),
        "$logic_or" => Words(O::LogicOr),
        "$and" => Words(O::And),
        "$or" => Words(O::Or),
        "$xor" => Words(O::Xor),
        "$xnor" => Words(O::Xnor),
        "$eq" | "$eqx" => Words(O::Equal),
        "$ne" | "$nex" => Words(O::Unequal),
        "$lt" => Words(O::Less),
        "$le" => Words(O::LessOrEqual),
        "$ge" => Words(O::GreaterOrEqual),
        "$gt" => Words(O::Greater),
        "$add" => Words(O::Add),
        "$sub" => Words(O::Subtract),
        "$mul" => Words(O::Multiply),
        "$div" => Words(O::Divide),
        "$mod" => Words(O::Remainder),
        "$divfloor" => Words(O::DivideFloor),
        "$modfloor" => Words(O::RemainderFloor),
        "$shl" | "$sshl" => Words(O::ShiftLeft),
        "$shr" => Words(O::ShiftRight),
        "$sshr" => Words(O::ShiftRightSigned),
        "$shift" | "$shiftx" => Words(O::Shift),
        "$mux" | "$_MUX_" => Exact(O::Mux, ABS),
        "$_NMUX_" => Exact(O::NotMux, ABS),
        "$pmux" => Exact(O::ParallelMux, ABS),
        "$bmux" => Exact(O::IndexedMux, &["A", "S"]),
        "$demux" => Exact(O::Demux, &["A", "S"]),
        "$_BUF_" => Exact(O::Buffer, &["A"]),
        "$_NOT_" => Exact(O::Not, &["A"]),
        "$_AND_" => Exact(O::And, AB),
        "$_OR_" => Exact(O::Or, AB),
        "$_XOR_" => Exact(O::Xor, AB),
        "$_XNOR_" => Exact(O::Xnor, AB),
        "$_NAND_" => Exact(O::Nand, AB),
        "$_NOR_" => Exact(O::Nor, AB),
        "$_ANDNOT_" => Exact(O::AndNot, AB),
        "$_ORNOT_" => Exact(O::OrNot, AB),
        "$_AOI3_" => Exact(O::AndOrInvert3, &["A", "B", "C"]),
        "$_OAI3_" => Exact(O::OrAndInvert3, &["A", "B", "C"]),
        "$_AOI4_" => Exact(O::AndOrInvert4, &["A", "B", "C", "D"]),
        "$_OAI4_" => Exact(O::OrAndInvert4, &["A", "B", "C", "D"]),
        "$concat" => Exact(O::Concat, AB),
        "$slice" => Exact(O::Slice(parameters.number("OFFSET")?), &["A"]),
        "$lut" => {
            let table = parameters.bits("LUT")?;
            let table = table.into_iter().collect::<Option<Vec<bool>>>();
            let unknown = || Diagnostic::error(parameters.span, "a table with x in it");
            Exact(O::Table(table.ok_or_else(unknown)?), &["A"])
        }
        _ => return Ok(None),
    }))
}

fn function(
    shape: Shape,
    pins: &mut Pins,
    parameters: &Parameters<'_, '_>,
) -> Result<Cell, Diagnostic> {
    let (operation, names, a_signed, b_signed) = match shape {
        Shape::Exact(operation, names) => (operation, names, false, false),
        Shape::Word(operation) => (
            operation,
            ["A"].as_slice(),
            parameters.flag("A_SIGNED")?,
            false,
        ),
        Shape::Words(operation) => {
            let signs = (parameters.flag("A_SIGNED")?, parameters.flag("B_SIGNED")?);
            (operation, ["A", "B"].as_slice(), signs.0, signs.1)
        }
    };
    let inputs = names.iter().map(|name| pins.take(name));
    let inputs = inputs.collect::<Result<Vec<Pin>, _>>()?;
    let y = pins.take("Y")?;
    let function = Function {
        operation,
        a_signed,
        b_signed,
    };
    check(&function, &inputs, &y, pins)?;
    let kind = Kind::Function(function);
    Ok(plain(kind, inputs, vec![y], pins.span()))
}

/// Checks that the pins have the widths that the function requires.
fn check(function: &Function, inputs: &[Pin], y: &Pin, pins: &Pins) -> Result<(), Diagnostic> {
    use Operation as O;
    let width = |pin: usize| inputs.get(pin).map_or(0, |pin| pin.bits.len());
    let (a, b, y) = (width(0), width(1), y.bits.len());
    let wrong = |what: &str| {
        Err(Diagnostic::error(
            pins.span(),
            format!("`{}`: {what}", pins.kind()),
        ))
    };
    let selected = |parts: usize, width: usize| parts.checked_mul(width);
    let shifts = matches!(
        function.operation,
        O::ShiftLeft | O::ShiftRight | O::ShiftRightSigned | O::Shift
    );
    let compares = matches!(function.operation, O::LogicAnd | O::LogicOr);
    if inputs.len() == 2 && function.a_signed != function.b_signed && !shifts && !compares {
        return wrong("one operand has a sign and the other has none");
    }
    let unknown = inputs.iter().any(|pin| pin.bits.contains(&Bit::Unknown));
    if unknown && matches!(pins.kind(), "$eqx" | "$nex") {
        return wrong("compares with x, which no circuit can");
    }
    let gates = match function.operation {
        O::Multiply | O::Divide | O::Remainder | O::DivideFloor | O::RemainderFloor => {
            let width = a.max(b).max(y);
            width.checked_mul(width)
        }
        _ if shifts => a.max(y).checked_mul(b),
        _ => Some(0),
    };
    if gates.is_none_or(|gates| gates > MOST_GATES) {
        return wrong("it would take too many gates");
    }
    let fits = match function.operation {
        O::Mux | O::NotMux => a == b && b == y && width(2) == 1,
        O::ParallelMux => a == y && selected(width(2), a) == Some(b),
        O::IndexedMux => b < 24 && selected(1 << b, y) == Some(a),
        O::Demux => b < 24 && selected(1 << b, a) == Some(y),
        O::Concat => Some(y) == a.checked_add(b),
        O::Slice(offset) => offset.checked_add(y).is_some_and(|end| end <= a),
        O::Table(ref table) => y == 1 && a < 24 && table.len() >= 1 << a,
        O::AndOrInvert3 | O::OrAndInvert3 | O::AndOrInvert4 | O::OrAndInvert4 => {
            y == 1 && inputs.iter().all(|pin| pin.bits.len() == 1)
        }
        _ if pins.kind().starts_with("$_") => {
            y == 1 && inputs.iter().all(|pin| pin.bits.len() == 1)
        }
        _ => true,
    };
    if fits {
        Ok(())
    } else {
        wrong("its pins have wrong widths")
    }
}

/// Returns the error for an unsupported cell, with a suggestion.
fn refused(kind: &str, span: Span) -> Diagnostic {
    let error = Diagnostic::error(span, format!("cells of type `{kind}` are not supported"));
    let pass = match kind {
        _ if kind.starts_with("$mem") => "run `memory_map`, which makes registers of memories",
        _ if kind.starts_with("$dlatch")
            || kind.starts_with("$adlatch")
            || kind.starts_with("$_DLATCH")
            || kind.starts_with("$sr")
            || kind.starts_with("$_SR_") =>
        {
            "a latch: only registers that change on the edge of a clock are supported"
        }
        "$tribuf" | "$_TBUF_" => "a tri-state buffer: `tribuf -logic` makes logic of some",
        "$alu" | "$lcu" | "$macc" | "$fa" | "$pow" => "`techmap` makes gates of it",
        _ if kind.contains("dffsr") || kind.contains("aldff") || kind.starts_with("$_DFFSR") => {
            "`dfflegalize` may make registers with a reset of it"
        }
        "$fsm" => "run `fsm_map`",
        _ => return error,
    };
    error.with_help(pass)
}
