"""The documents of hyperkill as typed objects: a class for each object of the JSON Schemas.

This file is written by `python/generate.py`. A value with one of several forms is a class with a field for each form; one field is set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Type, Union

from ._reading import Document


# The aim of a strategy.
AimWord = str

# The basis of an estimate.
Basis = str

# `NAME[:unobserved]`: a module whose outputs are choices.
BlackBox = str

# The claim of a certificate.
ClaimWord = str

# `NAME[:PERIOD]`: a clock that ticks.
ClockPeriod = str

# Whether a suite is complete for a fault domain.
CompleteWord = str

# Whether a definite kill exists where a weaker one is given.
DefiniteWord = str

# `NAME=VALUE`, or `NAME` alone.
Definition = str

# The verdict of a test, or of one run of it, on a system.
ExecVerdict = str

# `NAME=LOW..HIGH`: a range for an integer.
IntegerRange = str

# The state of a run.
LockState = str

# The severity of a message.
LogLevel = str

# Kinds of artefacts derived from models, mostly by other programs.
MadeWord = str

# A question about two copies.
PairWord = str

# The preference of a strategy among the choices that keep outputs equal.
PreferenceWord = str

# Whether a formula is about infinite or finite traces.
ReadingWord = str

# The relation between runs of model and mutant at a position.
RelationWord = str

# `NAME[=0|1][:STEPS]`: a reset.
Reset = str

# Whether a mutant is detected.
ScoreResult = str

# The state of a shard.
ShardState = str

# Model or mutant.
SideWord = str

# Validity of a mutant.
StatusWord = str

# The guarantee of a kill.
StrengthWord = str

# Whether a formula holds.
TruthWord = str

# Value of each variable, in declaration order: a number, or a symbol in the model's spelling.
Valuation = Dict[str, Union[int, str]]

# A verdict.
VerdictWord = str


@dataclass(frozen=True, repr=False)
class AcceptedRelationsEvidence(Document):
    """Relations in which one side answers every step of the other by a step on the same input, with any outputs."""

    # The mutant answers the steps of the model. In this relation the word `model` stands for the mutant, and `mutant` for the model.
    mutant: SimulationEvidence
    # The model answers the steps of the mutant. Missing if the model refuses inputs that the mutant accepts.
    model: Optional[SimulationEvidence] = None


@dataclass(frozen=True, repr=False)
class AcceptedSetsEvidence(Document):
    """The sets of states that input sequences lead to, in model and mutant."""

    # Pairs of sets of states, the set of the model first.
    pairs: List[List[List[int]]]
    # The states. Pairs give their indices.
    states: List[str]


@dataclass(frozen=True, repr=False)
class AnswerCertificate(Document):
    """`certificates/*.json` in that folder: an answer and its evidence."""

    # The formula that the evidence is about: the formula itself, or its negation if the formula begins with `forall`.
    asked: str
    # SHA-256 of the circuit of the model as a binary AIGER file, without comments.
    circuit: str
    # The evidence for the answer.
    evidence: AnswerEvidence
    # The formula.
    formula: str
    # `hyperkill.answer/1`.
    schema: str
    # Whether the formula is about infinite or finite traces.
    traces: ReadingWord
    # `holds` or `fails`.
    verdict: TruthWord
    # The mutant that `mut` stands for.
    mutant: Optional[str] = None


@dataclass(frozen=True, repr=False)
class AnswerEvidence(Document):
    """The evidence for an answer."""

    # Witness traces for the leading quantifiers.
    traces: Optional[TracesEvidence] = None
    # An inductive proof that universal traces which copy inputs or choices of leading traces refute all leading traces.
    proof: Optional[StatementEvidence] = None
    # A bound: no traces of this many steps satisfy the matrix of the formula.
    end: Optional[int] = None
    # An invariant that excludes all infinite traces that satisfy the formula.
    excluded: Optional[ExclusionEvidence] = None
    # Infinite witness traces for the leading quantifiers, and an invariant that no universal traces refute them.
    withstood: Optional[WithstoodEvidence] = None
    # A closed set of positions that shows that every choice of leading traces is refuted.
    inclusion: Optional[InclusionEvidence] = None
    # Responses of the universal traces, and an invariant that every choice of leading traces is refuted by one of them.
    refuted: Optional[RefutedEvidence] = None


@dataclass(frozen=True, repr=False)
class AnsweredSystem(Document):
    """A model that a formula is about."""

    # The model.
    model: ModelDescription
    # The options with which the model was read.
    reading: Reading
    # The trace variables that range over this model. Empty if all of them do.
    traces: Optional[List[str]] = None


@dataclass(frozen=True, repr=False)
class Answers(Document):
    """`answers.json`: the answers to a formula about models."""

    # The formula, in hyperkill's own language.
    formula: str
    # One answer per mutant if the formula contains `mut`; otherwise one answer.
    results: List[FormulaResult]
    # `hyperkill.answers/1`.
    schema: str
    # The models that the formula is about.
    systems: List[AnsweredSystem]
    # Whether the formula is about infinite or finite traces.
    traces: ReadingWord


@dataclass(frozen=True, repr=False)
class ArchivedFile(Document):
    """A line of `archive.jsonl`: a small file of a run. Runs of very many mutants store such files together."""

    # The name of the file in the folder of the run.
    file: str
    # The text of the file.
    text: str


@dataclass(frozen=True, repr=False)
class Asked(Document):
    """`asked.json`: the question of a run, which is everything besides the model that the results depend on."""

    # SHA-256 over all of this and the mutants of this run.
    hash: str
    # The number of mutants before `--shard` selected a part of them.
    mutants: int
    # All options about mutants, engines and output, defaults included. Options about the model are in `mutants.json`.
    options: List[str]
    # `hyperkill.asked/1`.
    schema: str
    # The version of hyperkill that the run was made with.
    version: str
    # SHA-256 over the model, the options without `--shard`, and the mutants before `--shard` selected a part of them. All shards of one run
    # have this hash in common, and no other run has it.
    whole: str


@dataclass(frozen=True, repr=False)
class BeginningEvidence(Document):
    """A first step."""

    # Inputs of the step, choices included.
    inputs: str
    # First values of the latches, selectors left out.
    latches: str
    # The mutants with this first step.
    mutants: List[str]
    # Whether it is a first step of the model.
    original: bool


@dataclass(frozen=True, repr=False)
class BeyondEvidence(Document):
    """The continuation of traces after their last step."""

    # A lasso: the steps from this one on are repeated for ever.
    loop: Optional[int] = None


@dataclass(frozen=True, repr=False)
class BreachEvidence(Document):
    """Values under which a condition is false, and the mutants for which it is the first false condition."""

    # Values of its inputs.
    inputs: str
    # Values of the latches of the circuit of conditions, selectors left out.
    latches: str
    # The mutants.
    mutants: List[str]
    # Number of the condition in the translation.
    obligation: int


@dataclass(frozen=True, repr=False)
class Certificate(Document):
    """A certificate: one claim about mutants of one circuit, and its evidence."""

    # SHA-256 of the conditional mutant as a binary AIGER file, without comments. For a language with a decision procedure of its own it is
    # the hash of the model.
    circuit: str
    # The claim about each of the mutants.
    claim: ClaimWord
    # The evidence.
    evidence: Shown
    # The mutants, in the order of the circuit's selectors. There are several if one proof is about a family, and none if the claim is about
    # the model.
    mutants: List[str]
    # `hyperkill.certificate/2`.
    schema: str


@dataclass(frozen=True, repr=False)
class CertifyReport(Document):
    """The report on the evidence of a run."""

    # The numbers of claims that were checked without a fault.
    checked: List[Checked]
    # The faults that were found.
    faults: List[Fault]
    # Claims that could not be checked within the limits.
    open: List[Fault]
    # `hyperkill.certify/1`.
    schema: str
    # With `--hwmcc`: the number of proofs that were written as circuits.
    circuits: Optional[Circuits] = None
    # The model. Missing if its file cannot be read.
    model: Optional[ModelDescription] = None
    # Claims without stored evidence, which were not checked.
    not_covered: Optional[List[str]] = None


@dataclass(frozen=True, repr=False)
class ChangeDescription(Document):
    """One of several changes of a source."""

    # One past the last byte.
    end: int
    # Source text at the place.
    original: str
    # Text of the mutant at the place; empty for a deletion.
    replacement: str
    # First byte of the place.
    start: int


@dataclass(frozen=True, repr=False)
class CheckReport(Document):
    """`check --format json`."""

    # The name of the file, `-` for standard input.
    model: str
    # One result per mutant, in the order of the file.
    results: List[MutantResult]
    # `hyperkill.check/1`.
    schema: str
    # The seed of all random decisions.
    seed: int
    # Counts over all results.
    summary: Summary
    # The determinism of the original: deterministic, non-deterministic or unsettled.
    original: Optional[str] = None


@dataclass(frozen=True, repr=False)
class Checked(Document):
    """The number of correct claims of a kind."""

    # The number of claims.
    count: int
    # The method of the check.
    how: str
    # The kind of claim.
    what: str


@dataclass(frozen=True, repr=False)
class Choices(Document):
    """The choices of a run."""

    # The first values, by latch.
    initial: Valuation
    # The choices, step by step.
    steps: List[Valuation]


@dataclass(frozen=True, repr=False)
class Circuits(Document):
    """Numbers of proofs, by whether they were written as safety problems with witness circuits."""

    # The number of proofs without such a form: proofs by induction of more than one step, about strategies, or by sets of positions.
    other: int
    # The number of proofs that were written.
    written: int


@dataclass(frozen=True, repr=False)
class ClauseEvidence(Document):
    """A literal of a clause."""

    # The copy.
    copy: int
    # The value of the latch or literal.
    is_: bool = field(metadata={"name": "is"})
    # Or a literal of the file, one step before.
    before: Optional[Place] = None
    # A latch, by index.
    latch: Optional[Place] = None


@dataclass(frozen=True, repr=False)
class ClosedSetEvidence(Document):
    """A closed set of positions."""

    # The positions.
    positions: List[PositionEvidence]
    # The relation between model and mutant at a position.
    relation: RelationWord
    # The states. Positions give their indices.
    states: List[str]


@dataclass(frozen=True, repr=False)
class CompletenessReport(Document):
    """`verify --suite … --format json`."""

    # The domain, and whether the suite is complete for it.
    domain: DomainResult
    # The model.
    model: ModelDescription
    # `hyperkill.completeness/1`.
    schema: str
    # The number of tests.
    tests: int
    # A mutant that passes all tests although it can be killed, if one was found.
    survivor: Optional[SurvivorResult] = None


@dataclass(frozen=True, repr=False)
class CopyEvidence(Document):
    """The source of a trace in a proof."""

    # Whether it is a trace of the model or of the mutant.
    of: SideWord
    # The trace with the same choices.
    choices_of: Optional[int] = None
    # The trace with the same test inputs.
    inputs_of: Optional[int] = None


@dataclass(frozen=True, repr=False)
class Digests(Document):
    """`digests.json`: the digests of all files of a finished run, by which changes are detected."""

    # The files, by name.
    files: List[FileDigest]
    # `hyperkill.digests/1`.
    schema: str


@dataclass(frozen=True, repr=False)
class DomainResult(Document):
    """A fault domain, and whether the suite is complete for it."""

    # Whether the suite kills every mutant of the domain that a test can kill.
    complete: CompleteWord
    # The number of mutants with any number of faults at once, as digits, since it may exceed the range of JSON numbers.
    mutants: str
    # The number of places at which a mutant has a choice.
    places: int
    # The number of transitions that the domain adds to the specification.
    transitions: int
    # The certificate of completeness.
    certificate: Optional[str] = None
    # The number of classes of mutants found that no test distinguishes from the specification.
    classes: Optional[int] = None
    # The reason if this is unknown.
    reason: Optional[str] = None


@dataclass(frozen=True, repr=False)
class DoneShard(Document):
    """`shard-K/done.json`: a shard that was decided."""

    # The folder of the attempt that decided it, beside this file.
    attempt: str
    # The hash of the plan.
    plan: str
    # `hyperkill.shard/1`.
    schema: str
    # The number of the shard.
    shard: int


@dataclass(frozen=True, repr=False)
class EarlierSuite(Document):
    """`earlier.json`: the tests that a run of an edited model takes from the run before the edit."""

    # The hash of the question of that run.
    run: str
    # `hyperkill.earlier/1`.
    schema: str
    # Its tests, on the inputs of the edited model. They are tried on every mutant that is decided anew.
    tests: List[RunEvidence]


@dataclass(frozen=True, repr=False)
class EngineDescription(Document):
    """An engine, or another program."""

    # Whether it can be used on this machine.
    available: bool
    # The name of the engine or program.
    name: str
    # A sentence about its function.
    summary: str
    # The path of the program, if it is an external one.
    program: Optional[str] = None


@dataclass(frozen=True, repr=False)
class EnginesReport(Document):
    """`engines --format json`."""

    # The engines that decide mutants.
    engines: List[EngineDescription]
    # `hyperkill.engines/1`.
    schema: str
    # Programs that decide no mutants, but are needed for some models or exports.
    tools: List[EngineDescription]


@dataclass(frozen=True, repr=False)
class Estimate(Document):
    """An estimate of the time that undecided mutants take."""

    # The basis of the estimate.
    by: Basis
    # Time of one thread for all undecided mutants, in seconds.
    seconds: float
    # The median error of the estimate for mutants with a known time, as a part of that time. Missing without an earlier run.
    error: Optional[float] = None


@dataclass(frozen=True, repr=False)
class EstimatesEvidence(Document):
    """Numbered state estimates of the model beside runs of mutants, with functions that choose a run of the model backwards.
    Multiplexers and literals are those of a simulation relation. Two more conditions are `model-next` (the value that a latch of the
    model is to have after the step) and `estimate` (a bit of the number of the estimate, lowest first)."""

    # A state of the model and choices that lead to the wanted next state, in the same form.
    before: List[str]
    # The literal that is true if the estimate may occur beside the state of the mutant.
    beside: int
    # The literal that is true if the estimate contains the state of the model.
    contains: int
    # A state of the model, and choices with which it gives the outputs of the mutant, in this order, each `KIND INDEX LITERAL`.
    last: List[str]
    # The multiplexers, each `KIND INDEX HIGH LOW`: the condition, the literal if the condition is true, and the literal if it is false.
    multiplexers: List[str]
    # The bits of the number of the next estimate, lowest first.
    next: List[int]
    # The variable order for decision diagrams in which the estimates were found, topmost first, each `KIND INDEX`. It is a hint for the
    # check and names each variable that the check reads once. Without it the check uses a SAT solver.
    order: Optional[List[str]] = None


@dataclass(frozen=True, repr=False)
class Event(Document):
    """An event."""

    # Value of the port for this event.
    label: str
    # Parameters in their order; missing if there are none.
    parameters: Optional[List[EventParameter]] = None


@dataclass(frozen=True, repr=False)
class EventParameter(Document):
    """A parameter of an event: either a port or a constant value."""

    # Port that holds the value.
    port: Optional[str] = None
    # Constant value, a number or a symbol.
    value: Optional[Any] = None


@dataclass(frozen=True, repr=False)
class EventPort(Document):
    """A port whose value is the label of an event."""

    # The events, one for each value of the port.
    events: List[Event]
    # Name of the port. If there is only one event, no port of this name need exist.
    port: str
    # Side of this port and of all parameters: `inputs` or `outputs`.
    side: str


@dataclass(frozen=True, repr=False)
class Evidence(Document):
    """A proof."""

    # `k-induction`, `invariant` (clauses that are inductive together with equalities), `closed-set` or `simulation`. For a formula also
    # `end` (no traces have `k` steps, so no infinite traces exist), `no-lasso` (an invariant: no state of the traces and their monitor
    # recurs), `k-liveness` (an invariant: the fairness condition is met at most `k` times) and `inclusion` (a closed set of positions of
    # the automaton of refuting traces, with transition profiles for loops).
    kind: str
    # The statement that was proved. For k-induction and invariants it is the question whose difference is unreachable: `phi1`,
    # `phi1-controllable` (with common choices), `identity` (the model copies the mutant's choices), `tracked-PREFERENCE` (the model follows
    # the mutant's outputs) or `agreeing-PREFERENCE` (both choose so that outputs agree). PREFERENCE is the order among equally good
    # choices. For closed sets and simulation relations: `matched` (some run of the model gives the mutant's outputs) or `agreeing` (some
    # run of each gives the same outputs).
    of: str
    # The number of further clauses of the invariant, or of transition profiles of an inclusion.
    clauses: Optional[int] = None
    # The number of inductive equalities that strengthen the proof.
    facts: Optional[int] = None
    # The depth of the induction, the number of steps of `end`, or the bound of `k-liveness`.
    k: Optional[int] = None
    # The number of positions of the closed set. For a formula: the number of responses of universal traces of which one always refutes.
    positions: Optional[int] = None
    # Whether the induction assumes that the states of a path are pairwise different.
    simple_path: Optional[bool] = None


@dataclass(frozen=True, repr=False)
class ExclusionEvidence(Document):
    """An invariant of a circuit that is built from the formula and the rest of the evidence. It shows that no infinite run of the
    circuit meets the fairness conditions infinitely often."""

    # SHA-256 of the circuit with this safety problem, as a binary AIGER file with one bad state.
    circuit: str
    # The clauses of the invariant. A literal is the index of a latch of that circuit, preceded by `!` if it is negated.
    clauses: List[str]
    # The bound of k-liveness: the conditions are met at most this many times. Missing if no state recurs with all conditions met.
    k: Optional[int] = None


@dataclass(frozen=True, repr=False)
class ExecCounts(Document):
    """The number of tests or runs with each verdict."""

    # The program did not follow the protocol.
    error: int
    # The system gave an output that the test does not allow.
    fail: int
    # The test ended without a verdict.
    inconclusive: int
    # No output contradicts the model.
    pass_: int = field(metadata={"name": "pass"})


@dataclass(frozen=True, repr=False)
class ExecReport(Document):
    """The verdicts of a suite on a system."""

    # The program that connects to the system, with its arguments.
    command: List[str]
    # Whether the user stopped the command. Runs that are missing were not started.
    interrupted: bool
    # The model that the system is compared with.
    model: ModelDescription
    # The number of runs of each test.
    repeat: int
    # The tests that were run, in the order of the suite.
    results: List[ExecutedTest]
    # The number of runs by verdict.
    runs: ExecCounts
    # `hyperkill.exec/1`.
    schema: str
    # The number of tests by verdict.
    tests: ExecCounts
    # Tests that cannot be run.
    left_out: Optional[List[LeftOut]] = None


@dataclass(frozen=True, repr=False)
class ExecutedRun(Document):
    """One run of a test."""

    # The reason in a sentence.
    message: str
    # The reason of the verdict: `as-expected`, `allowed`, `told-apart`, `not-expected`, `not-allowed`, `other-allowed`, `refused`, `open`;
    # for tests with times also `late`, `moment`, `lost`; for an error `not-started`, `time-out`, `ended`, `malformed`.
    reason: str
    # Its number, from 0.
    run: int
    # The step that decided the run, from 0.
    step: int
    # The verdict of the run.
    verdict: ExecVerdict
    # For a fail: the outputs that the test expects or allows in place of the last answer, as far as the test lists them.
    instead: Optional[List[Valuation]] = None
    # The inputs that were set and the outputs that were seen. Empty if the run passed.
    seen: Optional[List[SeenStep]] = None


@dataclass(frozen=True, repr=False)
class ExecutedTest(Document):
    """A test with its runs."""

    # `linear`, `local`, `global`, `tree` or `timed`.
    kind: str
    # The runs, in order.
    runs: List[ExecutedRun]
    # The id of the test.
    test: str
    # Fail if any run fails; otherwise error if any run ends in an error; otherwise pass if any run passes.
    verdict: ExecVerdict


@dataclass(frozen=True, repr=False)
class FactEvidence(Document):
    """A fact that holds in all steps."""

    # A node has the same value in two copies.
    same: Optional[Dict[str, Any]] = None
    # Two literals have the same value, each in its copy. A constant may stand in either copy.
    equal: Optional[List[LiteralEvidence]] = None
    # A node has the same value in two copies, unless a literal is true in copy 0.
    same_unless: Optional[Dict[str, Any]] = field(default=None, metadata={"name": "same-unless"})
    # A disjunction. If a strategy resolves choices, it is claimed for all steps but the first.
    clause: Optional[List[ClauseEvidence]] = None


@dataclass(frozen=True, repr=False)
class Fault(Document):
    """A claim that is wrong, or that could not be checked."""

    # The file of the folder, the mutant or the test.
    place: str
    # The fault, in a sentence.
    what: str


@dataclass(frozen=True, repr=False)
class FileDigest(Document):
    """The digest of a file."""

    # SHA-256 of its bytes.
    digest: str
    # Name in the folder, with `/` between its parts.
    file: str


@dataclass(frozen=True, repr=False)
class FormulaReport(Document):
    """`verify --formula … --format json`."""

    # The formula.
    formula: str
    # Name of the file, `-` for standard input.
    model: str
    # One answer per mutant if the formula contains `mut`; otherwise one answer.
    results: List[FormulaResult]
    # `hyperkill.check/1`.
    schema: str
    # The seed of all random decisions.
    seed: int
    # Whether the formula is about infinite or finite traces.
    reading: Optional[ReadingWord] = None


@dataclass(frozen=True, repr=False)
class FormulaResult(Document):
    """Whether the formula holds."""

    # `formula`.
    property: str
    # The answer.
    verdict: TruthWord
    # The engine that found the answer.
    engine: Optional[str] = None
    # A checked proof that there are no such traces.
    evidence: Optional[Evidence] = None
    # If the answer is unknown: no traces of at most this many steps decide it.
    known_to: Optional[int] = None
    # The mutant that `mut` stands for, if the formula contains it.
    mutant: Optional[str] = None
    # The reason if the answer is unknown: bound, time, memory, interrupted or engines (the selected engines can do no more).
    reason: Optional[str] = None
    # The seconds spent on it, with `--timings`.
    seconds: Optional[float] = None
    # With traces: the number of steps after which they decide the formula, whatever the other traces are.
    steps: Optional[int] = None
    # Checked traces for the leading quantifiers: a witness of an existential formula, or a counterexample to a universal one.
    traces: Optional[List[FormulaTrace]] = None


@dataclass(frozen=True, repr=False)
class FormulaStep(Document):
    """A step of a trace."""

    # Test inputs.
    inputs: Valuation
    # Outputs.
    outputs: Valuation
    # Choices.
    choices: Optional[Valuation] = None


@dataclass(frozen=True, repr=False)
class FormulaTrace(Document):
    """A trace, finite or infinite as the formula is read."""

    # `original` or `mutant`.
    of: str
    # The steps. For an infinite trace: up to the end of the first iteration of the loop.
    steps: List[FormulaStep]
    # The trace variable.
    trace: str
    # First values of latches that start freely, by name.
    initial: Optional[Valuation] = None
    # The step that follows the last one. Missing if the trace is finite, or if any continuation will do in which all traces have the same
    # inputs.
    loop_from: Optional[int] = None


@dataclass(frozen=True, repr=False)
class Hidden(Document):
    """The choices of the run of the model and of the run of the mutant."""

    # The choices of the model.
    model: Choices
    # The choices of the mutant.
    mutant: Choices


@dataclass(frozen=True, repr=False)
class InclusionEvidence(Document):
    """A closed set of positions of an automaton that accepts every choice of leading traces."""

    # States of the leading traces, as values of their latches.
    outer: List[str]
    # Positions of the automaton, each `BITS CONDITION`: the values of its latches, and the acceptance condition that is awaited.
    positions: List[str]
    # Sets of positions after a finite prefix, each `STATE: POSITION …`.
    sets: List[str]
    # Transition profiles (Ramsey), each `STATE STATE: FROM TO …`: the positions that are linked along outer paths between two states. A `!`
    # after a pair marks a path that meets all acceptance conditions.
    ways: List[str]


@dataclass(frozen=True, repr=False)
class Interval(Document):
    """A score as an interval, since undecided mutants may be killable."""

    # The score if undecided mutants count as killed.
    high: float
    # The score if undecided mutants count as not killed.
    low: float


@dataclass(frozen=True, repr=False)
class JournalEntry(Document):
    """A line of `journal.jsonl`: one decided mutant."""

    # The result.
    result: MutantResult
    # The seconds spent on the mutant.
    seconds: float
    # Whether a stop had been requested by then. The result may be incomplete, and `hyperkill resume` decides the mutant again.
    hurried: Optional[bool] = None
    # The round in which it was decided, counted from 1.
    round: Optional[int] = None
    # For a kill: the two runs as bit strings.
    runs: Optional[TestRuns] = None


@dataclass(frozen=True, repr=False)
class KillEvidence(Document):
    """A kill as bit strings."""

    # The runs of model and mutant.
    runs: TestRuns
    # Whether the mutant has only this output sequence on these inputs.
    sole_run: bool
    # The guarantee of the test.
    strength: StrengthWord
    # The run of the model that the test prescribes, with the same test inputs.
    test: RunEvidence


@dataclass(frozen=True, repr=False)
class LanguageOperators(Document):
    """The mutation operators of a language."""

    # The name of the language.
    language: str
    # The operators, in catalogue order.
    operators: List[OperatorDescription]


@dataclass(frozen=True, repr=False)
class LeftOut(Document):
    """A test that cannot be run."""

    # The reason.
    reason: str
    # The id of the test.
    test: str


@dataclass(frozen=True, repr=False)
class LiteralEvidence(Document):
    """A literal in a copy."""

    # The copy.
    copy: int
    # The literal in the file.
    literal: Place


@dataclass(frozen=True, repr=False)
class LogLine(Document):
    """A line of standard error."""

    # The severity.
    level: LogLevel
    # The message, as in the text format.
    message: str
    # `hyperkill.log/1`.
    schema: str
    # The seconds since the command started.
    seconds: float
    # For an error: the exit status of the command.
    exit_status: Optional[int] = None
    # A suggestion for the user.
    help: Optional[str] = None
    # A place in a source file.
    place: Optional[LogPlace] = None
    # The progress of the run.
    progress: Optional[Progress] = None


@dataclass(frozen=True, repr=False)
class LogPlace(Document):
    """A place in a source."""

    # Column, from 1, in characters.
    column: int
    # File name.
    file: str
    # Line, from 1.
    line: int


@dataclass(frozen=True, repr=False)
class Machine(Document):
    """A strategy as an acyclic state machine with initial state 0."""

    # The states. Each branch leads to a higher number.
    states: List[MachineState]


@dataclass(frozen=True, repr=False)
class MachineBranch(Document):
    """A branch of a state."""

    # The outputs.
    outputs: Valuation
    # The next state. Missing if the test ends with a pass, because the mutant cannot give these outputs.
    next: Optional[int] = None


@dataclass(frozen=True, repr=False)
class MachineState(Document):
    """A state of the tester."""

    # The allowed outputs of the model. Other outputs are a fail.
    branches: List[MachineBranch]
    # The inputs that the tester sets.
    inputs: Valuation


@dataclass(frozen=True, repr=False)
class MadeDigest(Document):
    """An artefact derived from a model before its mutants are decided."""

    # Place of the artefact in the run folder.
    copy: str
    # SHA-256 of the bytes of the artefact.
    digest: str
    # Kind of the artefact.
    what: MadeWord


@dataclass(frozen=True, repr=False)
class ModelDescription(Document):
    """The model of a document."""

    # SHA-256 of names and contents of all files, and of the options of reading them.
    hash: str
    # Language of the model; `aiger` for circuits.
    language: str
    # Name of the first file, `-` for standard input.
    name: str


@dataclass(frozen=True, repr=False)
class MutantDescription(Document):
    """A mutant before it is decided."""

    # Id of the mutant.
    id: str
    # Whether the mutant is a valid model.
    status: StatusWord
    # Changes of the file in ascending order, if there are several. The text between them is unchanged.
    changes: Optional[List[ChangeDescription]] = None
    # Source difference, with `list --diff`.
    diff: Optional[str] = None
    # Mutation operator, if known.
    operator: Optional[str] = None
    # Source text at the place. For several changes: their source texts, separated by ` … `.
    original: Optional[str] = None
    # Structural path of the place, independent of unrelated edits.
    path: Optional[str] = None
    # Place in the source.
    place: Optional[PlaceDescription] = None
    # Reason why the mutant is invalid.
    reason: Optional[str] = None
    # Text of the mutant at the place; empty for a deletion. For several changes: their replacements, separated by ` … `.
    replacement: Optional[str] = None


@dataclass(frozen=True, repr=False)
class MutantResult(Document):
    """The result for a mutant."""

    # The id of the mutant.
    mutant: str
    # The verdict.
    verdict: VerdictWord
    # The file with the proof that the mutant accepts all inputs of the model and, if both accept the same inputs, the reverse. Missing if
    # the circuit has no constraints.
    acceptance_certificate: Optional[str] = None
    # Whether the verdict comes from a run of the model before an edit that cannot affect it. Its evidence was checked again.
    carried_over: Optional[bool] = None
    # The file in the folder of the run with the evidence, which `hyperkill certify` checks again.
    certificate: Optional[str] = None
    # For a kill that is not definite: whether a definite one exists, if the run decides that.
    definite: Optional[DefiniteWord] = None
    # The file with the proof that no definite kill exists.
    definite_certificate: Optional[str] = None
    # If the existence of a definite kill is unsettled: no test of at most this many steps kills definitely.
    definite_known_to: Optional[int] = None
    # The reason if the existence of a definite kill is unsettled: bound, time, memory, interrupted, engines (the selected engines can do no
    # more), precondition.
    definite_reason: Optional[str] = None
    # The engine that found the verdict.
    engine: Optional[str] = None
    # For an equivalent or not definitely killable mutant: the checked proof. For a kill that is not definite: the proof that no test kills
    # the mutant definitely, if there is one.
    evidence: Optional[Evidence] = None
    # Whether model and mutant accept the same inputs. Null if this is unsettled.
    input_enabled: Optional[bool] = None
    # For a mutant that is equivalent in the environment of other processes: the guarantee of a test that kills it in an open environment.
    killed_when_open: Optional[StrengthWord] = None
    # For an undecided mutant: no test of at most this many steps exists.
    known_to: Optional[int] = None
    # Remarks on the meaning of the verdict.
    notes: Optional[List[str]] = None
    # For a duplicate: the id of the mutant with the same circuit.
    of: Optional[str] = None
    # For a mutant that is not definitely killable: the result on potential kills.
    potential: Optional[PotentialResult] = None
    # The killing formula. Missing if no engine was given the mutant.
    property: Optional[str] = None
    # The reason if the mutant is undecided: bound, time, memory, interrupted, engines, precondition or acceptance (no output kills it, and
    # its acceptance of inputs is open). For an invalid mutant: a sentence.
    reason: Optional[str] = None
    # If model and mutant accept different inputs: inputs whose last step one accepts and the other refuses.
    refusal: Optional[Refusal] = None
    # For a kill: whether the test was replayed on model and mutant.
    replayed: Optional[bool] = None
    # The seconds spent on it, with `--timings`.
    seconds: Optional[float] = None
    # For a kill: whether a proof excludes shorter tests.
    shortest: Optional[bool] = None
    # For a kill: the number of steps of the test.
    steps: Optional[int] = None
    # For a kill: the guarantee of the test.
    strength: Optional[StrengthWord] = None
    # The killing test.
    test: Optional[Test] = None


@dataclass(frozen=True, repr=False)
class MutantTable(Document):
    """`mutants.json`."""

    # The model.
    model: ModelDescription
    # The selected mutants, in catalogue order.
    mutants: List[MutantDescription]
    # Name and version of the schema: `hyperkill.mutants/2`.
    schema: str
    # Inputs, choices and outputs of the model.
    signature: Signature
    # Names of the choices that only mutants have.
    choices_of_mutants: Optional[List[str]] = None
    # Files and options that are needed to read the model again. Missing in lists without a run.
    reading: Optional[Reading] = None
    # Reasons for the roles of signals that an option or a heuristic assigned.
    roles: Optional[List[str]] = None


@dataclass(frozen=True, repr=False)
class MutantTime(Document):
    """The time spent on a mutant."""

    # The id of the mutant.
    mutant: str
    # The seconds spent on it. Work on several mutants at once is divided among them.
    seconds: float
    # The parts of this time, without the time of earlier processes of the run.
    parts: Optional[List[PartTime]] = None


@dataclass(frozen=True, repr=False)
class OperatorDescription(Document):
    """A mutation operator."""

    # A source text and the text of its mutant.
    example: str
    # The name of the operator.
    name: str
    # A sentence about the change that the operator makes.
    summary: str


@dataclass(frozen=True, repr=False)
class OperatorResult(Document):
    """The mutants of one operator."""

    # The number of violating mutants that are subsumed or inconsistent.
    detected: int
    # The number of invalid mutants: they are not models, or have no initial state in which they are consistent.
    inconsistent: int
    # The number of mutants.
    mutants: int
    # The number of killed mutants: they do not refine the model.
    non_subsumed: int
    # The operator. Mutants with several changes have the names of all, as in `TMI+CXL`.
    operator: str
    # The number of equivalent mutants: they refine the model.
    subsumed: int
    # The number of undecided mutants.
    unknown: int
    # The number of mutants that violate a guideline. By their change alone, they need no test.
    violating: int
    # `detected` in percent of all subsumed and inconsistent mutants, to a tenth. Missing if there are none.
    ratio: Optional[float] = None


@dataclass(frozen=True, repr=False)
class OperatorsReport(Document):
    """`operators --format json`."""

    # All languages, or the selected one.
    languages: List[LanguageOperators]
    # `hyperkill.operators/1`.
    schema: str


@dataclass(frozen=True, repr=False)
class OptionsEvidence(Document):
    """The choices of a copy that a strategy resolves."""

    # All other inputs that are chosen.
    early: List[Place]
    # Latches with a free first value.
    initial: List[Place]
    # Inputs that are chosen one step later.
    late: List[Place]


@dataclass(frozen=True, repr=False)
class OwnKillEvidence(Document):
    """A kill with names and values. Both runs have the same inputs at the same times."""

    # The run of the model.
    model: List[TestStep]
    # The run of the mutant.
    mutant: List[TestStep]
    # Whether the mutant has only this output sequence on these inputs.
    sole_run: bool
    # The guarantee of the test.
    strength: StrengthWord


@dataclass(frozen=True, repr=False)
class PartTime(Document):
    """The time and the counted work of a round, an engine and a phase."""

    # `read`, `find`, `certify`, `write` or `wait`.
    phase: str
    # The clock time in seconds.
    seconds: float
    # The engine.
    engine: Optional[str] = None
    # The round, counted from 1.
    round: Optional[int] = None
    # The counted work, which is equal on all machines.
    work: Optional[WorkDone] = None


@dataclass(frozen=True, repr=False)
class Place(Document):
    """A latch or input of the circuit by index, or a node or literal by its number in the file."""

    # Index or number.
    at: int
    # Its name in the symbol table, if it has one.
    name: Optional[str] = None


@dataclass(frozen=True, repr=False)
class PlaceDescription(Document):
    """A place in a source."""

    # Column of the start, from 1, in characters.
    column: int
    # One past the last byte of the place.
    end: int
    # File name as the user gave it; an absolute name is reduced to its last component.
    file: str
    # Line of the start, from 1.
    line: int
    # First byte of the place.
    start: int


@dataclass(frozen=True, repr=False)
class Plan(Document):
    """`plan.json`: the shards of a run, written when everything that they need is there."""

    # The number of mutants that the plan has decided. Invalid mutants count as decided.
    decided: int
    # The estimated time for the mutants of all shards.
    estimate: Estimate
    # SHA-256 over all this.
    hash: str
    # The model.
    model: ModelDescription
    # The number of selected mutants.
    mutants: int
    # The options of the run, as in `asked.json`.
    options: List[str]
    # `hyperkill.plan/1`.
    schema: str
    # The shards, by their numbers. Each mutant without a verdict is in one of them.
    shards: List[PlannedShard]
    # The version of hyperkill that made the plan. Shards are decided by the same version.
    version: str
    # The hash of the question of the run: `whole` in `asked.json`.
    whole: str


@dataclass(frozen=True, repr=False)
class PlanStatus(Document):
    """`status --format json` of a plan."""

    # The number of mutants that the plan or a shard has decided so far.
    decided: int
    # The name of the model.
    model: str
    # The number of selected mutants.
    mutants: int
    # `hyperkill.plan-status/1`.
    schema: str
    # Estimated seconds of one thread for the mutants without a verdict.
    seconds_left: float
    # The shards, by their numbers.
    shards: List[ShardStatus]


@dataclass(frozen=True, repr=False)
class PlannedShard(Document):
    """A shard of a plan."""

    # SHA-256 of the file.
    digest: str
    # Its file in the folder of the plan: a circuit with its mutants, or a list of them.
    file: str
    # The number of its mutants.
    mutants: int
    # The estimated time of one thread, in seconds.
    seconds: float
    # SHA-256 of the circuit without comments, if the file is a circuit: the circuit of its certificates.
    circuit: Optional[str] = None


@dataclass(frozen=True, repr=False)
class PortDescription(Document):
    """A variable."""

    # Values of the type, as text.
    domain: str
    # Name of the variable.
    name: str
    # Type of the variable: bit, boolean, enum, range, word.
    type: str
    # Number of bits of the encoding.
    width: int


@dataclass(frozen=True, repr=False)
class PositionEvidence(Document):
    """A position: the possible states after some inputs and outputs."""

    # Pairs of states of mutant and model that can have given the same outputs.
    pairs: List[List[int]]
    # States of the model after the same inputs and any outputs. Empty if not needed.
    model: Optional[List[int]] = None
    # States of the mutant after the same inputs and any outputs. Empty if not needed.
    mutant: Optional[List[int]] = None


@dataclass(frozen=True, repr=False)
class PotentialResult(Document):
    """The result on potential kills of a mutant that no test kills definitely. The mutant counts in the mutation score with this
    verdict."""

    # `killed` or `unknown`.
    verdict: VerdictWord
    # The file with the evidence.
    certificate: Optional[str] = None
    # If the verdict is unknown: no test of at most this many steps exists.
    known_to: Optional[int] = None
    # The reason if the verdict is unknown.
    reason: Optional[str] = None
    # For a kill: whether a proof excludes shorter tests.
    shortest: Optional[bool] = None
    # For a kill: the number of steps of the test.
    steps: Optional[int] = None
    # The test, which was replayed.
    test: Optional[Test] = None


@dataclass(frozen=True, repr=False)
class Progress(Document):
    """The progress of a run."""

    # The number of decided mutants.
    decided: int
    # The number of mutants to decide, including the decided ones.
    mutants: int
    # The mutants decided per second since the run began or was resumed.
    per_second: float
    # The number of decided mutants by verdict.
    verdicts: Dict[str, int]
    # The method that is running. Missing between methods.
    method: Optional[str] = None
    # The number of mutants that the method works on.
    open: Optional[int] = None
    # The estimated seconds until the end at this rate. Missing while there is no estimate.
    seconds_left: Optional[float] = None


@dataclass(frozen=True, repr=False)
class ProofEvidence(Document):
    """A proof by induction that a question's goal is unreachable."""

    # The facts that are inductive together.
    facts: List[FactEvidence]
    # Depth of the induction.
    k: int
    # The question.
    question: Union[QuestionEvidence, str]
    # Whether the induction assumes that the states of a path are pairwise different.
    simple_path: bool
    # The depth of the induction of the facts: the number of steps in which the facts are assumed in order to prove them for the next step.
    # 1 if missing.
    facts_depth: Optional[int] = None


@dataclass(frozen=True, repr=False)
class QueryReport(Document):
    """`verify --format json` of a model of timed processes."""

    # The model.
    model: ModelDescription
    # The answers, in the order of the queries.
    results: List[QueryResult]
    # `hyperkill.queries/1`.
    schema: str


@dataclass(frozen=True, repr=False)
class QueryResult(Document):
    """The answer to a query about processes, with checked evidence."""

    # The query.
    query: str
    # Whether the query holds.
    truth: TruthWord
    # The reason if the query fails or is unknown.
    reason: Optional[str] = None
    # For a failed refinement: a trace of both sides whose last step only the left side can make.
    test: Optional[List[TestStep]] = None


@dataclass(frozen=True, repr=False)
class QuestionEvidence(Document):
    """A question about copies of the circuit, the original first."""

    # Copy 1 is the mutant.
    pair: Optional[PairWord] = None
    # Copy 1 is any of the mutants.
    family: Optional[PairWord] = None
    # Copy 1 is the mutant and makes the choices of copy 0. The question is whether the given side can refuse an input that the other
    # accepts.
    refusal: Optional[SideWord] = None
    # A strategy resolves the choices.
    steered: Optional[SteeredEvidence] = None


@dataclass(frozen=True, repr=False)
class Reading(Document):
    """Files and options of a model."""

    # Names of the files as the user gave them; an absolute name is reduced to its last component.
    files: List[str]
    # Conditions that are assumed in all steps.
    assume: Optional[List[str]] = None
    # Modules whose outputs are choices, as `NAME[:unobserved]`.
    blackbox: Optional[List[BlackBox]] = None
    # The clocks that tick, as `NAME[:PERIOD]`. Empty: all clocks tick.
    clock: Optional[List[ClockPeriod]] = None
    # Whether inputs without a step are ignored.
    complete: Optional[bool] = None
    # Named constants that were set, as `NAME=VALUE`.
    define: Optional[List[Definition]] = None
    # The name of the fault domain. Missing if the domain is a file, which is listed among the files.
    domain: Optional[str] = None
    # The environment of the process under test, if selected.
    environment: Optional[str] = None
    # Modules whose outputs are an unknown function of their inputs.
    function: Optional[List[str]] = None
    # Folders with files to include.
    include: Optional[List[str]] = None
    # Test inputs.
    inputs: Optional[List[str]] = None
    # Artefacts derived from the files: results of other programs, which are read in place of the files, and lists of mutants.
    made: Optional[List[MadeDigest]] = None
    # Choices.
    nd: Optional[List[str]] = None
    # The observed part of a model with events. Missing: the default of its language.
    observe: Optional[str] = None
    # Whether all clocks are taken for one.
    one_clock: Optional[bool] = None
    # Mutation operators.
    operators: Optional[List[str]] = None
    # The number of changes of a mutant. Missing: one change.
    order: Optional[int] = None
    # The number of mutants of that order that were sampled. Missing: all.
    order_sample: Optional[int] = None
    # Outputs.
    outputs: Optional[List[str]] = None
    # Parameters of the top module that were set, as `NAME=VALUE`.
    parameters: Optional[List[Definition]] = None
    # Places of the files relative to the run folder, for files with absolute names.
    places: Optional[List[str]] = None
    # Ranges of integers without a range in the model, as `NAME=LOW..HIGH`.
    ranges: Optional[List[IntegerRange]] = None
    # Resets, as `NAME[=0|1][:STEPS]`.
    reset: Optional[List[Reset]] = None
    # Selectors.
    selectors: Optional[List[str]] = None
    # The conformance relation between mutant and model, if selected.
    semantics: Optional[str] = None
    # Digests of the files above in their order, followed by the files that they include. Files that another program read are missing.
    sources: Optional[List[SourceDigest]] = None
    # Files with modules that stand in for missing ones. They are the last ones of the files, too.
    stub: Optional[List[str]] = None
    # The process under test, if selected.
    sut: Optional[str] = None
    # The top module, if selected.
    top: Optional[str] = None
    # The target of inputs that the process leaves open, if selected.
    totalise: Optional[str] = None
    # The program that translates the files before a front end reads them.
    via: Optional[str] = None
    # Whether registers without an initial value start at 0.
    zero_init: Optional[bool] = None


@dataclass(frozen=True, repr=False)
class Refusal(Document):
    """Inputs that only one of model and mutant accepts."""

    # The side that refuses the last step: `model` or `mutant`.
    by: str
    # The inputs, step by step.
    inputs: List[Valuation]
    # The file with the run of the other side.
    certificate: Optional[str] = None
    # The outputs of the other side, step by step.
    outputs: Optional[List[Valuation]] = None


@dataclass(frozen=True, repr=False)
class RefutedEvidence(Document):
    """Responses of universal traces, of which at least one refutes each choice of leading traces."""

    # The evidence that no leading traces withstand all responses.
    exclusion: ExclusionEvidence
    # The responses. Each choice of leading traces is refuted by at least one of them.
    responses: List[Union[ResponseEvidence, str]]


@dataclass(frozen=True, repr=False)
class ResponseEvidence(Document):
    """A response: a rule for the traces of the inner quantifiers."""

    # Each inner trace makes the choices of a leading trace, which is given by its place in the prefix.
    copies: Optional[List[int]] = None
    # A strategy as the text of an AIGER file. Its inputs and outputs are named `NAME_k`, with k the place of a trace in the prefix.
    circuit: Optional[str] = None
    # Fixed traces.
    traces: Optional[Dict[str, Any]] = None


@dataclass(frozen=True, repr=False)
class Run(Document):
    """`outcomes.json`, and the output of `run --format json`."""

    # Whether the run was interrupted. Mutants that it left open have the reason `interrupted`.
    interrupted: bool
    # The model.
    model: ModelDescription
    # The determinism of the original: deterministic, non-deterministic or unsettled.
    original: str
    # The killing formula of the run.
    property: str
    # One result per selected mutant, in catalogue order.
    results: List[MutantResult]
    # `hyperkill.outcomes/1`.
    schema: str
    # The seed of all random decisions.
    seed: int
    # Counts over all results.
    summary: Summary
    # Counts by operator, in catalogue order, for a language with guidelines that recognise needless mutants by their change alone.
    by_operator: Optional[List[OperatorResult]] = None
    # The result for mutants with any number of faults, for a language with fault domains if all mutants were selected.
    domain: Optional[DomainResult] = None
    # The certificate of the determinism, if it is settled and the run has a folder.
    original_certificate: Optional[str] = None
    # The certificate of the list of mutants that are models. Missing if the translation makes this evident.
    validity_certificate: Optional[str] = None


@dataclass(frozen=True, repr=False)
class RunEvidence(Document):
    """A run, and the strategy if the run is a play of one."""

    # First values of the latches.
    initial: str
    # Inputs per step, choices included.
    steps: List[str]
    # For a tree: the states of the tester, with the initial state first.
    tree: Optional[List[TreeState]] = None


@dataclass(frozen=True, repr=False)
class SafetyReport(Document):
    """`verify --format json` without a formula."""

    # Name of the file, `-` for standard input.
    model: str
    # One answer per property, in the order of the file.
    results: List[SafetyResult]
    # `hyperkill.check/1`.
    schema: str
    # The seed of all random decisions.
    seed: int


@dataclass(frozen=True, repr=False)
class SafetyResult(Document):
    """Whether a bad state can be reached."""

    # The property: `b0`, `b1`, … for bad states; `j0`, `j1`, … for justice properties, which hold if no fair run meets them; `o0`, `o1`, …
    # if a file of the old format has outputs for bad states; `deadlock-free` and `input-enabled` with `--totality`; a keyword such as
    # `LTLSPEC` for a specification that `--specs` does not check.
    property: str
    # The answer. The property holds if the bad state is unreachable.
    verdict: TruthWord
    # If the property holds: the number of clauses of the invariant, which was checked.
    clauses: Optional[int] = None
    # The file with the witness or the certificate, with `--witness`.
    evidence: Optional[str] = None
    # If the answer is unknown: no run of at most this many steps reaches the bad state.
    known_to: Optional[int] = None
    # The name in the symbol table of the file. For a specification: its name or its text.
    name: Optional[str] = None
    # Remarks on the answers of other programs and their checks.
    notes: Optional[List[str]] = None
    # The reason if the answer is unknown: bound, time, memory, interrupted, engines (the selected engines can do no more); `not-checked`
    # for specifications that are no invariants.
    reason: Optional[str] = None
    # With `--totality`: the inputs that the last state of the run refuses. Missing if it refuses all.
    refused: Optional[Valuation] = None
    # With `--totality`, if the property fails: the variables by name at each step of the run. The last state has no successor, so it has no
    # inputs and choices.
    run: Optional[List[Valuation]] = None
    # The seconds spent on it, with `--timings`.
    seconds: Optional[float] = None
    # If the property fails: the number of steps of the run, which was replayed.
    steps: Optional[int] = None
    # With `--specs`, if the property fails: the run. Its outputs include all variables that are no inputs.
    traces: Optional[List[FormulaTrace]] = None


@dataclass(frozen=True, repr=False)
class Score(Document):
    """Killed mutants in percent of all mutants that are not equivalent, invalid or duplicate."""

    # Definite and adaptive kills.
    certain: Interval
    # All kills, controllable ones included.
    with_controllable: Interval
    # Definite, adaptive and potential kills. Flaky tests may reach the additional part.
    with_potential: Interval


@dataclass(frozen=True, repr=False)
class ScoreCounts(Document):
    """The number of mutants in each category."""

    # Mutants left out because another one has the same circuit.
    duplicate: int
    # Mutants left out because they are proved equivalent.
    equivalent: int
    # Mutants left out because they are not models.
    invalid: int
    # Mutants that the run killed, or that refuse inputs of the model.
    killable: int
    # Mutants that an answer detected.
    killed: int
    # Mutants that were not tried.
    open: int
    # Mutants that were not detected.
    survived: int
    # Survivors that the run left undecided. They may be equivalent.
    survived_undecided: int
    # Mutants stopped by a time limit before they were detected.
    time_out: int
    # Mutants that the run left undecided.
    undecided: int
    # Mutants detected because the command did not end in time.
    not_ended: Optional[int] = None


@dataclass(frozen=True, repr=False)
class ScoreReport(Document):
    """The mutants of a run that a bench, another suite or properties detect."""

    # Counts over all mutants.
    counts: ScoreCounts
    # Whether the user stopped the command.
    interrupted: bool
    # The model.
    model: ModelDescription
    # The killable and the undecided mutants, in catalogue order.
    mutants: List[ScoredMutant]
    # The scored object. The score of the run's own suite is in `outcomes.json` and independent of this one.
    of: Scored
    # `hyperkill.score/1`.
    schema: str
    # The columns of the kill matrix: `command`, the tests, or the properties.
    tests: List[str]
    # Detected mutants in percent of the killable ones. Missing if there are none. It is an interval if a time limit left mutants open, or
    # if undecided mutants are not detected.
    score: Optional[Interval] = None


@dataclass(frozen=True, repr=False)
class Scored(Document):
    """The scored object: exactly one of the fields is set."""

    # A command that is run on the source of each mutant, with its arguments.
    command: Optional[List[str]] = None
    # Whether the properties stated in the model are scored.
    specs: Optional[bool] = None
    # The file of the tests.
    suite: Optional[str] = None


@dataclass(frozen=True, repr=False)
class ScoredMutant(Document):
    """A mutant."""

    # The columns that detect the mutant.
    killed_by: List[str]
    # The id of the mutant.
    mutant: str
    # Whether the mutant was detected.
    result: ScoreResult
    # The verdict of the run.
    verdict: VerdictWord
    # The exit of the command, in words.
    ended: Optional[str] = None
    # The mutation operator, if known.
    operator: Optional[str] = None
    # The source text at this place.
    original: Optional[str] = None
    # The place in the source.
    place: Optional[PlaceDescription] = None
    # The text of the mutant at this place.
    replacement: Optional[str] = None
    # For a kill: the guarantee of the run's test.
    strength: Optional[StrengthWord] = None
    # For a survivor: the test of the run's own suite that kills it.
    would_kill: Optional[str] = None


@dataclass(frozen=True, repr=False)
class SeenStep(Document):
    """A step of a run."""

    # The inputs that were set.
    inputs: Valuation
    # For a timed test: the time of the step since the start, in units of time.
    at: Optional[Union[int, str]] = None
    # The outputs of the system. Missing if it gave no valid answer.
    outputs: Optional[Valuation] = None


@dataclass(frozen=True, repr=False)
class ShardStatus(Document):
    """The state of a shard."""

    # The number of attempts.
    attempts: int
    # The number of mutants that its farthest attempt has decided.
    decided: int
    # The number of its mutants.
    mutants: int
    # Estimated seconds of one thread.
    seconds: float
    # Seconds spent on the mutants that are decided.
    spent: float
    # Its state.
    state: ShardState
    # The last failure, if an attempt failed.
    failure: Optional[str] = None


@dataclass(frozen=True, repr=False)
class Shown(Document):
    """The evidence for a claim."""

    # A run of the model and a run of the mutant.
    kill: Optional[KillEvidence] = None
    # A run of one side on inputs that the other side refuses.
    accepted: Optional[RunEvidence] = None
    # A proof that no run reaches a difference.
    proof: Optional[ProofEvidence] = None
    # Two proofs: the mutant never refuses an input that the model accepts, and the reverse.
    both_proofs: Optional[List[ProofEvidence]] = field(default=None, metadata={"name": "both-proofs"})
    # A closed set of positions, none of them a kill.
    closed_set: Optional[ClosedSetEvidence] = field(default=None, metadata={"name": "closed-set"})
    # A simulation relation between states, and a strategy that preserves it.
    simulation: Optional[SimulationEvidence] = None
    # State estimates: sets of states of the model that can have given the same outputs.
    estimates: Optional[EstimatesEvidence] = None
    # All pairs of sets of states that input sequences lead to.
    accepted_sets: Optional[AcceptedSetsEvidence] = field(default=None, metadata={"name": "accepted-sets"})
    # Relations in which one side answers every step of the other, with any outputs.
    accepted_relations: Optional[AcceptedRelationsEvidence] = field(default=None, metadata={"name": "accepted-relations"})
    # For a model without test inputs: a run of the mutant and a run of the model that are lassos.
    endless: Optional[List[RunEvidence]] = None
    # Two runs of the model with the same test inputs.
    differing: Optional[List[RunEvidence]] = None
    # Latches that depend only on test inputs, outputs and each other.
    unchosen: Optional[List[Place]] = None
    # Values and first steps that show which mutants are models.
    validity: Optional[ValidityEvidence] = None
    # A test with names and values, for a language with a decision procedure of its own.
    own_kill: Optional[OwnKillEvidence] = field(default=None, metadata={"name": "own-kill"})
    # A proof in the form of a language with a decision procedure of its own.
    own: Optional[Any] = None


@dataclass(frozen=True, repr=False)
class ShownInFull(Document):
    """`show ID --format json`."""

    # The mutant, with a diff of its source.
    mutant: MutantDescription
    # `hyperkill.show/1`.
    schema: str
    # With `--hidden`: the choices of the two runs behind its kill.
    hidden: Optional[Hidden] = None
    # The result for the mutant, if it is decided.
    result: Optional[MutantResult] = None


@dataclass(frozen=True, repr=False)
class ShownList(Document):
    """`show --format json`: mutants of a run."""

    # The model.
    model: str
    # The selected mutants, in catalogue order.
    mutants: List[ShownMutant]
    # The number of mutants of the run.
    of: int
    # `hyperkill.show-list/1`.
    schema: str
    # The state of the run.
    state: LockState


@dataclass(frozen=True, repr=False)
class ShownMutant(Document):
    """A mutant of a run, with its result so far."""

    # The mutant.
    mutant: MutantDescription
    # The result.
    result: MutantResult


@dataclass(frozen=True, repr=False)
class Signature(Document):
    """Controlled and observed variables of a model."""

    # Nondeterministic choices.
    choices: List[PortDescription]
    # Test inputs.
    inputs: List[PortDescription]
    # Observed outputs.
    outputs: List[PortDescription]
    # Ports that are read as events, for languages whose steps are events.
    events: Optional[List[EventPort]] = None


@dataclass(frozen=True, repr=False)
class SimulationEvidence(Document):
    """A simulation relation between states of the mutants and of the model, and a strategy that preserves it, as a circuit of
    multiplexers.
    The conditions of multiplexers are `input`, `chosen` (a choice of the model) and `mutant-chosen`, each with an index among the
    inputs; `model`, `mutant` (latches) and `next` (the mutant's latches after the step), each with an index among the latches; and
    `shown` (the mutant's outputs), with an index among the outputs. The literals 0 and 1 are the constants. The literal of
    multiplexer `n`, counted from 1, is `2n`, and `2n + 1` is its complement."""

    # The multiplexers, each `KIND INDEX HIGH LOW`: the condition, the literal if the condition is true, and the literal if it is false.
    multiplexers: List[str]
    # The literal that is true if the states are related.
    related: int
    # The relation between runs of model and mutant.
    relation: RelationWord
    # The choices of the strategy in a step, in the same form.
    choices: Optional[List[str]] = None
    # The first values that the strategy chooses, in this order, each `KIND INDEX LITERAL`.
    initial: Optional[List[str]] = None
    # The variable order for decision diagrams in which the relation was found, topmost first, each `KIND INDEX`. It is a hint for the check
    # and names each variable that the check reads once. Without it the check uses a SAT solver.
    order: Optional[List[str]] = None


@dataclass(frozen=True, repr=False)
class SourceDigest(Document):
    """The content of a file of a model."""

    # SHA-256 of the bytes of the file.
    digest: str
    # Name of the file as the user gave it; an absolute name is reduced to its last component.
    file: str
    # For a file that others include or read: the name under which they include it.
    asked_as: Optional[str] = None
    # Copy of the file in the run folder, which later commands read.
    copy: Optional[str] = None
    # Place of the file relative to the run folder, if its name was absolute.
    place: Optional[str] = None


@dataclass(frozen=True, repr=False)
class StatementEvidence(Document):
    """A proof by induction about traces, some of which copy the inputs or choices of others."""

    # The source of each trace, in the order of the prefix.
    copies: List[CopyEvidence]
    # The facts that are inductive together.
    facts: List[FactEvidence]
    # The depth of the induction of the facts: the number of steps in which the facts are assumed in order to prove them for the next step.
    facts_depth: int
    # Depth of the induction.
    k: int
    # Whether the induction assumes that the states of a path are pairwise different.
    simple_path: bool


@dataclass(frozen=True, repr=False)
class Status(Document):
    """`status --format json`."""

    # The number of decided mutants.
    decided: int
    # The model.
    model: str
    # The number of mutants of the run.
    mutants: int
    # `hyperkill.status/1`.
    schema: str
    # The state of the run.
    state: LockState
    # Counts over all mutants.
    summary: Summary
    # The error that stopped the run.
    failure: Optional[str] = None
    # The time spent on parts of the run, with `--work`.
    work: Optional[Timings] = None


@dataclass(frozen=True, repr=False)
class SteeredEvidence(Document):
    """A strategy. It takes the first choice, in the order of `preference`, that keeps the outputs equal."""

    # The aim of the strategy.
    aim: AimWord
    # The choices that the strategy resolves: those of the model and, if both sides are to agree, those of the mutant.
    options: List[OptionsEvidence]
    # The order in which choices are tried.
    preference: PreferenceWord
    # Further copies, which show that the inputs are accepted.
    witnesses: List[SideWord]
    # Latches whose first values are compared between the copies.
    compared_first: Optional[List[Place]] = None
    # Latches whose later values are compared between the copies.
    compared_later: Optional[List[Place]] = None
    # Latches whose next values are compared between the copies.
    compared_next: Optional[List[Place]] = None


@dataclass(frozen=True, repr=False)
class Suite(Document):
    """`suite.json`."""

    # The model whose behaviour the tests prescribe.
    model: SuiteModel
    # `hyperkill.suite/1`.
    schema: str
    # Inputs and outputs.
    signature: Signature
    # The tests.
    tests: List[SuiteTest]


@dataclass(frozen=True, repr=False)
class SuiteKill(Document):
    """A mutant that a test kills."""

    # The id of the mutant.
    mutant: str
    # The guarantee of the kill.
    strength: StrengthWord


@dataclass(frozen=True, repr=False)
class SuiteModel(Document):
    """The model of a suite."""

    # SHA-256 of names and contents of all files, and of the options of reading them.
    hash: str
    # Language of the model; `aiger` for circuits.
    language: str
    # Name of the first file, `-` for standard input.
    name: str
    # The options with which the model was read, as in `mutants.json`. Other options give another model.
    reading: Optional[Reading] = None


@dataclass(frozen=True, repr=False)
class SuiteTest(Document):
    """A test of a suite."""

    # The engine that found it.
    found_by: str
    # Its name in the suite.
    id: str
    # The mutants that the test kills.
    kills: List[SuiteKill]
    # `linear`, `local`, `global` or `tree`.
    kind: str
    # The steps. For a tree they are those of one play that ends in a fail.
    steps: List[TestStep]
    # Whether choices are part of the inputs, as `nd:NAME`.
    controllable: Optional[bool] = None
    # For a controllable test: the initial values to arrange, by latch.
    initial: Optional[Valuation] = None
    # For a tree: the complete strategy as a state machine.
    machine: Optional[Machine] = None
    # For a tree: the strategy as a tree, up to a limit on its size.
    tree: Optional[Tree] = None


@dataclass(frozen=True, repr=False)
class Summary(Document):
    """The number of mutants with each verdict."""

    # Mutants with the same circuit as another one.
    duplicate: int
    # Mutants proved equivalent.
    equivalent: int
    # Stillborn mutants.
    invalid: int
    # Mutants with an adaptive kill.
    killed_adaptive: int
    # Mutants with a controllable kill.
    killed_controllable: int
    # Mutants with a definite kill.
    killed_definite: int
    # Mutants with a potential kill.
    killed_potential: int
    # All selected mutants.
    mutants: int
    # Mutants proved not definitely killable.
    not_definitely_killable: int
    # Mutants that no output kills, but that refuse inputs of the model.
    refuses_input: int
    # Undecided mutants.
    unknown: int
    # Mutants whose verdict comes from a run of the model before an edit.
    carried_over: Optional[int] = None
    # Equivalent mutants that a test kills in an open environment, where other processes are the environment.
    killed_when_open: Optional[int] = None
    # Mutants that are not definitely killable and have a potential kill. The others are open in this respect.
    not_definitely_killable_killed: Optional[int] = None
    # The mutation score. Missing if no mutant counts.
    score: Optional[Score] = None


@dataclass(frozen=True, repr=False)
class SurvivorResult(Document):
    """A mutant of a fault domain that passes all tests of a suite."""

    # The differences between the mutant and the specification, one line per transition.
    choices: List[str]
    # A shortest test that the mutant fails, with the mutant's outputs.
    test: List[TestStep]


@dataclass(frozen=True, repr=False)
class Test(Document):
    """A killing test."""

    # `linear`, `local`, `global` or `tree`.
    kind: str
    # The steps. For a tree they are those of one play that ends in a fail.
    steps: List[TestStep]
    # For a controllable test: the initial values to arrange, by latch.
    initial: Optional[Valuation] = None
    # For a tree: the complete strategy as a state machine.
    machine: Optional[Machine] = None
    # For a tree: the strategy as a tree, up to a limit on its size.
    tree: Optional[Tree] = None


@dataclass(frozen=True, repr=False)
class TestRuns(Document):
    """The two runs of a kill. A bit string has one character, 0 or 1, per latch that is no selector, or per input of the circuit."""

    # First values of the latches, in the run of the model.
    model_initial: str
    # Inputs per step, in the run of the model.
    model_steps: List[str]
    # First values of the latches, in the run of the mutant.
    mutant_initial: str
    # Inputs per step, in the run of the mutant.
    mutant_steps: List[str]


@dataclass(frozen=True, repr=False)
class TestStep(Document):
    """A step of a test. It has all inputs and outputs; in a timed test, only those that occur at its time."""

    # The inputs that the tester sets. A controllable test also has choices, as `nd:NAME`.
    inputs: Valuation
    # The outputs of the model.
    outputs: Valuation
    # For a local or global test: the outputs that are no fail.
    allowed: Optional[List[Valuation]] = None
    # False if further outputs may be allowed. Missing if the list is complete.
    allowed_complete: Optional[bool] = None
    # In a timed test: the time since the start.
    at: Optional[Union[int, str]] = None
    # In a timed test: the time since the previous step, or since the start for the first step. An integer, or a fraction like `"7/2"`.
    delay: Optional[Union[int, str]] = None
    # Inputs whose values do not matter: for all values of all such inputs of the test, the model gives the same outputs and the test kills
    # the same mutants.
    free: Optional[List[str]] = None
    # The outputs of a run of the mutant. Missing in suites, where a test may kill many mutants.
    mutant_outputs: Optional[Valuation] = None
    # For a test of kind `timed`: the outputs that the model may give in the wait before this step, with their times.
    windows: Optional[List[WindowDocument]] = None


@dataclass(frozen=True, repr=False)
class ThreadTime(Document):
    """The time of a thread."""

    # The seconds by phase.
    phases: Dict[str, float]
    # The lifetime of the thread in seconds.
    seconds: float
    # The name of the thread. `journal` stands for the threads that write results, which have no idle time.
    thread: str


@dataclass(frozen=True, repr=False)
class Timings(Document):
    """`timings.json`: all data that differs between runs of the same question."""

    # The number of threads.
    jobs: int
    # The time of each mutant, in catalogue order.
    mutants: List[MutantTime]
    # `hyperkill.timings/1`.
    schema: str
    # The seconds from start to end.
    total_seconds: float
    # The time of all threads by round, engine and phase. A part without a round is outside of all rounds.
    parts: Optional[List[PartTime]] = None
    # The names of the rounds, in order, of the process that ended the run.
    rounds: Optional[List[str]] = None
    # The time of each thread. Its phases and its idle time sum to its total.
    threads: Optional[List[ThreadTime]] = None


@dataclass(frozen=True, repr=False)
class TraceEvidence(Document):
    """A trace as bit strings."""

    # First values of the latches.
    initial: str
    # Whether it is a trace of the model or of the mutant.
    of: SideWord
    # Inputs per step, choices included.
    steps: List[str]
    # The number of the system, from 0, in a circuit that holds more than two systems. Missing for the first two.
    system: Optional[int] = None


@dataclass(frozen=True, repr=False)
class TracesEvidence(Document):
    """Witness traces for the leading quantifiers, in their order."""

    # The continuation after the last step.
    beyond: Union[BeyondEvidence, str]
    # The number of steps after which no universal traces can refute the witness any more.
    decided: int
    # The traces, all of one length.
    runs: List[TraceEvidence]


@dataclass(frozen=True, repr=False)
class Tree(Document):
    """A strategy as a tree: the tester sets the inputs and reads the outputs. Outputs without a branch are a fail."""

    # The allowed outputs of the model.
    branches: List[TreeBranch]
    # The inputs that the tester sets.
    inputs: Valuation


@dataclass(frozen=True, repr=False)
class TreeBranch(Document):
    """The continuation after some outputs. If `then` is missing and `cut` is false, the test ends with a pass: the mutant cannot give
    these outputs."""

    # The outputs.
    outputs: Valuation
    # Whether the strategy goes on beyond the tree, which is limited in size. The machine has the complete strategy.
    cut: Optional[bool] = None
    # The next node.
    then: Optional[Tree] = None


@dataclass(frozen=True, repr=False)
class TreeState(Document):
    """A state of the tester in a strategy."""

    # The allowed outputs of the model, each with the next state. Other outputs are a fail.
    branches: List[TreeStep]
    # The inputs that the tester sets.
    inputs: str


@dataclass(frozen=True, repr=False)
class TreeStep(Document):
    """A branch of a strategy."""

    # The outputs of the model.
    outputs: str
    # The next state. Missing if the test ends with a pass.
    next: Optional[int] = None


@dataclass(frozen=True, repr=False)
class ValidityEvidence(Document):
    """The evidence for the list of mutants that are models."""

    # First steps of the model and of mutants.
    beginnings: List[BeginningEvidence]
    # Values under which mutants break a condition that must hold for all values.
    breaches: List[BreachEvidence]
    # Mutants that have no initial state.
    without: List[str]


@dataclass(frozen=True, repr=False)
class WindowDocument(Document):
    """An interval of time since the start in which the model may give outputs. It is closed unless `after` or `before` is true."""

    # The lower end.
    from_: Union[int, str] = field(metadata={"name": "from"})
    # The outputs.
    outputs: Valuation
    # The upper end.
    to: Union[int, str]
    # Whether the lower end is excluded.
    after: Optional[bool] = None
    # Whether the upper end is excluded.
    before: Optional[bool] = None


@dataclass(frozen=True, repr=False)
class WithstoodEvidence(Document):
    """Witness traces that no universal traces refute."""

    # The evidence that no universal traces refute them.
    exclusion: ExclusionEvidence
    # The traces.
    traces: TracesEvidence


@dataclass(frozen=True, repr=False)
class WorkDone(Document):
    """Counted work."""

    # Operations called on decision diagrams.
    calls: Optional[int] = None
    # Clauses given to SAT solvers.
    clauses: Optional[int] = None
    # Conflicts of SAT solvers.
    conflicts: Optional[int] = None
    # Gates evaluated by simulation, each in all lanes at once.
    gates: Optional[int] = None
    # Gates requested while graphs are built.
    nodes: Optional[int] = None
    # Cache lines read by searches of SAT solvers, as the solvers estimate them.
    ticks: Optional[int] = None


# The class of a document by its `schema`, if one class alone has it.
SCHEMAS: Dict[str, Type[Document]] = {
    "hyperkill.answer/1": AnswerCertificate,
    "hyperkill.answers/1": Answers,
    "hyperkill.asked/1": Asked,
    "hyperkill.certificate/2": Certificate,
    "hyperkill.certify/1": CertifyReport,
    "hyperkill.completeness/1": CompletenessReport,
    "hyperkill.digests/1": Digests,
    "hyperkill.earlier/1": EarlierSuite,
    "hyperkill.engines/1": EnginesReport,
    "hyperkill.exec/1": ExecReport,
    "hyperkill.log/1": LogLine,
    "hyperkill.mutants/2": MutantTable,
    "hyperkill.operators/1": OperatorsReport,
    "hyperkill.outcomes/1": Run,
    "hyperkill.plan-status/1": PlanStatus,
    "hyperkill.plan/1": Plan,
    "hyperkill.queries/1": QueryReport,
    "hyperkill.score/1": ScoreReport,
    "hyperkill.shard/1": DoneShard,
    "hyperkill.show-list/1": ShownList,
    "hyperkill.show/1": ShownInFull,
    "hyperkill.status/1": Status,
    "hyperkill.suite/1": Suite,
    "hyperkill.timings/1": Timings,
}

# The class of a document by its name in `hyperkill schema`.
DOCUMENTS: Dict[str, Type[Document]] = {
    "answer": AnswerCertificate,
    "answers": Answers,
    "archive": ArchivedFile,
    "asked": Asked,
    "certificate": Certificate,
    "certify": CertifyReport,
    "check": CheckReport,
    "check-formula": FormulaReport,
    "check-safety": SafetyReport,
    "completeness": CompletenessReport,
    "digests": Digests,
    "earlier": EarlierSuite,
    "engines": EnginesReport,
    "exec": ExecReport,
    "journal": JournalEntry,
    "log": LogLine,
    "mutants": MutantTable,
    "operators": OperatorsReport,
    "outcomes": Run,
    "plan": Plan,
    "plan-status": PlanStatus,
    "queries": QueryReport,
    "score": ScoreReport,
    "shard": DoneShard,
    "show": ShownInFull,
    "show-list": ShownList,
    "status": Status,
    "suite": Suite,
    "test-run": RunEvidence,
    "timings": Timings,
}
