//! Programs: packages, an interface, submodules, and a module with blocks of all kinds.

use std::fmt::Write as _;

use super::draft::{Draft, Place};
use super::types::Type;
use crate::random_verilog::{Module, Name};

/// Returns a random program. Its top module has the clock `clk` and the inputs `a` and `b`; each of its outputs shows a variable.
#[must_use]
pub fn program(seed: u64) -> Module {
    let mut draft = Draft::new(seed);
    let mut text = String::new();
    for package in ["p", "q"] {
        let name = format!("{package}{seed}");
        draft.package(&name, &mut text);
        draft.functions(&name, &mut text);
    }
    draft.submodules(&mut text);
    let mut body = String::new();
    draft.readable = vec![place("a", 8, false), place("b", 7, true)];
    draft.registers(&mut body);
    draft.combinational(&mut body);
    draft.instances(&mut body);
    draft.latch(&mut body);
    draft.generated(&mut body);
    let shown = draft.readable.split_off(2);
    let mut outputs = Vec::new();
    for (i, place) in shown.iter().enumerate() {
        let width = place.of.width();
        outputs.push(Name {
            name: format!("o{i}"),
            left: width as i64 - 1,
            right: 0,
            signed: false,
        });
        writeln!(body, "assign o{i} = {};", place.text).expect("memory");
    }
    let ports: Vec<String> = (outputs.iter())
        .map(|output| format!("output logic [{}:0] {}", output.left, output.name))
        .collect();
    writeln!(
        text,
        "module t{seed}(input logic clk, input logic [7:0] a, input logic signed [6:0] b, {});\n{body}endmodule",
        ports.join(", ")
    )
    .expect("memory");
    let input = |name: &str, left, signed| Name {
        name: name.to_owned(),
        left,
        right: 0,
        signed,
    };
    Module {
        name: format!("t{seed}"),
        text,
        inputs: vec![input("a", 7, false), input("b", 6, true)],
        outputs,
        clocked: true,
    }
}

fn place(text: &str, width: usize, signed: bool) -> Place {
    Place {
        text: text.to_owned(),
        of: Type::vector(width, signed),
    }
}

impl Draft {
    fn variable(&mut self, name: &str) -> Place {
        let of = match self.below(3) {
            0 => Type::vector(self.one(&[3, 8, 13]), self.chance(0.5)),
            _ => self.one(&self.types.clone()),
        };
        let of = match of.width() < 12 && !of.is_enum() && self.chance(0.3) {
            true => Type::Array {
                count: self.one(&[2, 4]),
                of: Box::new(of),
            },
            false => of,
        };
        Place {
            text: name.to_owned(),
            of,
        }
    }

    /// Returns an initial value for a variable of this type.
    fn first(&mut self, of: &Type) -> String {
        match of.is_enum() {
            true => {
                let Type::Named { name, .. } = of else {
                    return "0".to_owned();
                };
                format!("{}E1", name.trim_end_matches("e_t"))
            }
            false => format!("{}'d{}", of.width(), self.rng_value(of.width().min(16))),
        }
    }

    /// Writes two clocked blocks that read each other's registers.
    fn registers(&mut self, body: &mut String) {
        let own: Vec<Place> = (0..4).map(|i| self.variable(&format!("r{i}"))).collect();
        for place in &own {
            let first = self.first(&place.of);
            writeln!(body, "{} {} = {first};", place.of.written(), place.text).expect("memory");
        }
        self.readable.extend(own.iter().cloned());
        self.operator = "<=";
        for half in own.chunks(2) {
            self.writable = half.to_vec();
            let rest = self.statements(4, 2);
            writeln!(body, "always_ff @(posedge clk) begin\n{rest}end").expect("memory");
        }
        self.operator = "=";
    }

    fn combinational(&mut self, body: &mut String) {
        for i in 0..2 {
            let own: Vec<Place> = (0..2).map(|k| self.variable(&format!("c{i}{k}"))).collect();
            let mut first = String::new();
            for place in &own {
                writeln!(body, "{} {};", place.of.written(), place.text).expect("memory");
                let value = self.first(&place.of);
                writeln!(first, "{} = {value};", place.text).expect("memory");
            }
            let before = self.readable.clone();
            self.readable.extend(own.iter().cloned());
            self.writable = own.clone();
            let rest = self.statements(4, 3);
            writeln!(body, "always_comb begin\n{first}{rest}end").expect("memory");
            self.readable = before;
            self.readable.extend(own);
        }
    }

    /// Writes a latch. Its condition and value depend on inputs and registers only, so that no simulator sees a glitch.
    fn latch(&mut self, body: &mut String) {
        let all = self.readable.clone();
        self.readable.truncate(6);
        let value = self.expression(1);
        let at = self.below(8);
        self.readable = all;
        writeln!(
            body,
            "logic [8:0] l = 9'd5; always_latch if (a[{at}]) l = {value};"
        )
        .expect("memory");
        self.readable.push(place("l", 9, false));
    }

    /// Writes modules with parameters, one of them a type, and an interface with a module on either side.
    fn submodules(&mut self, text: &mut String) {
        let seed = self.seed;
        writeln!(
            text,
            "module n{seed} #(parameter int N = 3, parameter logic signed [3:0] S = -1) (input logic [7:0] x, output logic [8:0] y);
               import p{seed}::*;
               localparam logic [11:0] M = K0 + N;
               assign y = (x ^ M) + S;
             endmodule"
        )
        .expect("memory");
        writeln!(
            text,
            "module w{seed} #(parameter type T = logic [3:0], parameter T D = '1) (input T x, output T y, output logic [5:0] w);
               assign y = x + D; assign w = $bits(T);
             endmodule
             interface i{seed} #(parameter W = 4) (input logic c);
               logic [W-1:0] d; logic v;
               modport from (input c, output d, v); modport to (input d, v);
               function automatic logic [W-1:0] twice(); return d + d; endfunction
             endinterface
             module g{seed} (i{seed}.from p, input logic [7:0] x); assign p.d = x + p.c; assign p.v = ^x; endmodule
             module h{seed} (i{seed}.to p, output logic [7:0] y); assign y = p.v ? p.d : ~p.d; endmodule"
        )
        .expect("memory");
    }

    fn instances(&mut self, body: &mut String) {
        let seed = self.seed;
        for i in 0..2 {
            let value = self.expression(1);
            let set = self.one(&["", "#(.N(7))", "#(.S(5))", "#(9, -3)"]);
            writeln!(
                body,
                "logic [8:0] n{i}; n{seed} {set} un{i} (.x({value}), .y(n{i}));"
            )
            .expect("memory");
            self.readable.push(place(&format!("n{i}"), 9, false));
        }
        let structs: Vec<Type> = self
            .types
            .iter()
            .filter(|of| !of.is_enum())
            .cloned()
            .collect();
        let of = match structs.is_empty() {
            true => Type::vector(6, true),
            false => self.one(&structs),
        };
        let (written, width, value) = (of.written(), of.width(), self.expression(1));
        let set = self.one(&[String::new(), format!(", .D({width}'d3)")]);
        writeln!(
            body,
            "{written} wx, wy; logic [5:0] ww; assign wx = {value}; w{seed} #(.T({written}){set}) uw (.x(wx), .y(wy), .w(ww));"
        )
        .expect("memory");
        self.readable.push(Place {
            text: "wy".to_owned(),
            of,
        });
        self.readable.push(place("ww", 6, false));
        let width = self.one(&[4, 6, 9]);
        writeln!(
            body,
            "i{seed} #(.W({width})) bus (.c(b[0])); logic [7:0] hy, tw; g{seed} ug (.p(bus), .x(a)); h{seed} uh (.p(bus), .y(hy));
             assign tw = bus.twice();"
        )
        .expect("memory");
        self.readable.push(place("hy", 8, false));
        self.readable.push(place("tw", 8, false));
    }

    fn generated(&mut self, body: &mut String) {
        let (count, other) = (self.one(&[3, 5, 8]), self.below(4));
        let value = self.expression(1);
        let constant = self.constants[0].clone();
        writeln!(
            body,
            "logic [{}:0] gv; logic [3:0] gc;
             for (genvar j = 0; j < {count}; j++) begin : gen
               localparam int J = j * {other} + 1;
               if (j % 2 == 0) begin : even assign gv[j] = ({value}) > J; end else begin : odd assign gv[j] = a[j] ^ J[0]; end
             end
             case ({constant} % 3) 0: begin : c0 assign gc = b[3:0]; end 1: begin : c1 assign gc = ~b[3:0]; end
               default: begin : c2 assign gc = a[7:4] + 4'd{other}; end endcase",
            count - 1
        )
        .expect("memory");
        self.readable.push(place("gv", count, false));
        self.readable.push(place("gc", 4, false));
    }
}
