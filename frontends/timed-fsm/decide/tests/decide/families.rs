//! The machines of \[1\]: its running example, and a file transfer protocol with a number of packets.

use std::fmt::Write;

/// The running example, with its five mutated transitions.
pub(crate) const RUNNING: &str = "machine running { input a, b;  output x, y;
  state s1 { a / x -> s1;  b / x -> s2;  after 4 -> s4 }
  state s2 { b / x -> s2;  a / x -> s3 }
  state s3 { a / x -> s3;  b / x -> s4;  after 5 -> s2 }
  state s4 { a / y -> s1;  b / x -> s4 } }
faults { s4.a / y -> s2;  s3.a / y -> s3;  s3.b / x -> s3;  s1.after: 3;  s3.after: 8 -> s1 }
";

/// The faulty part of the transfer protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Where {
    /// Undefined transitions, and timeouts.
    A,
    /// Defined transitions, and timeouts.
    B,
}

/// Returns the transfer protocol, optionally with a fault domain.
pub(crate) fn tftp(packets: usize, faults: Option<Where>) -> String {
    let mut faulty = String::new();
    let mut transition = |state: &str, input: &str, output: &str, target: &str| {
        let is_defined = output != "NotDefined";
        if faults.is_some_and(|faults| is_defined == (faults == Where::B)) {
            write!(faulty, "{state}.{input}: any; ").expect("a string takes all");
        }
        format!("{input} / {output} -> {target}; ")
    };
    let mut states = String::from("  state Init { ");
    states += &transition("Init", "RRQ", "DATA1", "Wait1");
    for ack in 1..=packets {
        states += &transition("Init", &format!("ACK{ack}"), "NotDefined", "Init");
    }
    states += &transition("Init", "Error", "NotDefined", "Init");
    states += "}\n";
    for wait in 1..=packets {
        let own = format!("Wait{wait}");
        write!(states, "  state {own} {{ ").expect("a string takes all");
        states += &transition(&own, "RRQ", "NotDefined", &own);
        for ack in 1..=packets {
            let input = format!("ACK{ack}");
            states += &match ack.cmp(&wait) {
                std::cmp::Ordering::Less => transition(&own, &input, "Ignore", &own),
                std::cmp::Ordering::Greater => transition(&own, &input, "ERROR", "Init"),
                std::cmp::Ordering::Equal if wait == packets => {
                    transition(&own, &input, "Empty", "Init")
                }
                std::cmp::Ordering::Equal => {
                    let (data, next) = (format!("DATA{}", wait + 1), format!("Wait{}", wait + 1));
                    transition(&own, &input, &data, &next)
                }
            };
        }
        states += &transition(&own, "Error", "Empty", "Init");
        states += "after 3 -> Init }\n";
    }
    let numbered = |name: &str| {
        let names = (1..=packets).map(|number| format!("{name}{number}"));
        names.collect::<Vec<_>>().join(", ")
    };
    let (acks, data) = (numbered("ACK"), numbered("DATA"));
    let domain = match faults {
        Some(_) => format!(
            "faults {{ {faulty}\n  {} }}\n",
            (1..=packets).fold(String::new(), |text, wait| text
                + &format!("Wait{wait}.after: 1, 5, never -> Init; "))
        ),
        None => String::new(),
    };
    format!(
        "machine tftp {{ input RRQ, {acks}, Error;  output {data}, NotDefined, Ignore, Empty, ERROR;  time s\n{states}}}\n{domain}"
    )
}
