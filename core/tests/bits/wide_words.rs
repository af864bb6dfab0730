//! Compares words too wide for numbers with 128-bit integers: constants, slices, arithmetic and comparisons.

use hyperkill_core::Lit;
use hyperkill_core::bit_blast::bit_blast;
use hyperkill_core::conditional::Port;
use hyperkill_core::sim::Simulator;
use hyperkill_core::sort::Sort;
use hyperkill_core::system::{InputRole, InputVar, Output, TransitionSystem};
use hyperkill_core::term::{BinaryOp, TermError, TermId, TermPool};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const WIDTH: u32 = 100;
const MASK: u128 = (1 << WIDTH) - 1;

fn sort(width: u32) -> Sort {
    Sort::Word {
        width,
        signed: false,
    }
}

fn bits(value: u128, width: u32) -> Vec<bool> {
    (0..width).map(|i| value >> i & 1 == 1).collect()
}

fn number(bits: impl DoubleEndedIterator<Item = bool>) -> u128 {
    bits.rev()
        .fold(0, |value, bit| value << 1 | u128::from(bit))
}

/// Returns the values of terms over two inputs, computed by the circuit.
fn values(terms: &TermPool, roots: &[TermId], inputs: [u128; 2]) -> Vec<Vec<bool>> {
    let input = |name: &str| InputVar {
        name: name.to_owned(),
        sort: sort(WIDTH),
        role: InputRole::Test,
    };
    let output = |(i, &term): (usize, &TermId)| Output {
        name: format!("o{i}"),
        term,
    };
    let system = TransitionSystem {
        terms: terms.clone(),
        inputs: vec![input("a"), input("b")],
        outputs: roots.iter().enumerate().map(output).collect(),
        ..TransitionSystem::default()
    };
    let model = bit_blast(&system).expect("fits").model;
    let given = inputs.iter().flat_map(|&value| bits(value, WIDTH));
    let given: Vec<bool> = given.collect();
    let lits: Vec<Lit> = model.aig.outputs.iter().map(|output| output.lit).collect();
    let simulator = Simulator::compile(&model.aig, lits.iter().copied());
    let mut lanes = simulator.lanes::<1>();
    for (i, bit) in given.into_iter().enumerate() {
        lanes.set_input_everywhere(i, bit);
    }
    lanes.eval();
    let port = |port: &Port| {
        let bits = port.bits.iter();
        bits.map(|&bit| lanes.value(lits[bit])[0] & 1 == 1)
            .collect()
    };
    model.outputs.iter().map(port).collect()
}

#[test]
fn wide_words_calculate_modulo_their_width() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut pool = TermPool::new();
    let (a, b) = (pool.input(0, sort(WIDTH)), pool.input(1, sort(WIDTH)));
    let ops = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Lt,
        BinaryOp::Xor,
    ];
    let roots: Vec<TermId> = ops
        .iter()
        .map(|&op| pool.binary(op, a, b).unwrap())
        .collect();
    for _ in 0..20 {
        let mut draw = || {
            let wide = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
            (wide & MASK) >> rng.random_range(0..90)
        };
        let (x, y) = (draw(), draw().max(1));
        let found = values(&pool, &roots, [x, y]);
        let expected = [
            x.wrapping_add(y) & MASK,
            x.wrapping_sub(y) & MASK,
            x.wrapping_mul(y) & MASK,
            x / y,
            x % y,
            u128::from(x < y),
            x ^ y,
        ];
        for ((op, found), expected) in ops.iter().zip(found).zip(expected) {
            assert_eq!(
                number(found.into_iter()),
                expected,
                "{x} {} {y}",
                op.symbol()
            );
        }
    }
}

#[test]
fn wide_constants_keep_their_bits_through_slices_and_signs() {
    let value = 0x9_8765_4321_0fed_cba9_8765_4321_u128;
    for signed in [false, true] {
        let mut pool = TermPool::new();
        let word = pool.word(&bits(value, WIDTH), signed);
        assert_eq!(
            *pool.sort(word),
            Sort::Word {
                width: WIDTH,
                signed
            }
        );
        assert_eq!(pool.constant_bits(word), Some(bits(value, WIDTH)));
        let middle = pool.slice(word, 30, 70, false).unwrap();
        assert_eq!(pool.constant_bits(middle), Some(bits(value >> 30, 70)));
        let few = pool.slice(word, 60, 8, false).unwrap();
        assert_eq!(pool.constant_bits(few), Some(bits(value >> 60, 8)));
        let found = values(&pool, &[word, middle], [0, 0]);
        assert_eq!(number(found[0].iter().copied()), value);
        assert_eq!(number(found[1].iter().copied()), value >> 30);
    }
}

#[test]
fn products_of_very_wide_words_are_refused_unless_a_factor_is_constant() {
    let mut pool = TermPool::new();
    let (a, b) = (pool.input(0, sort(512)), pool.input(1, sort(512)));
    for op in [BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem] {
        assert!(matches!(
            pool.binary(op, a, b),
            Err(TermError::TooWide { width: 512, .. })
        ));
    }
    let ten = pool.constant(sort(512), 10);
    assert!(pool.binary(BinaryOp::Mul, a, ten).is_ok());
    assert!(pool.binary(BinaryOp::Add, a, b).is_ok());
    assert!(matches!(pool.concat(a, b), Ok(ab) if pool.sort(ab).width() == 1024));
}
