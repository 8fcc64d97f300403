"""The frames that travel through the program: every column's dtype, its index base and what null means.

One polars frame of cases goes from the import to the screen and to the file; step rewards join it many-to-one on `key`.
Indices of steps are 0-based and -1 is "no error" in every one of these columns; a benchmark with another base is
converted where it is read and nowhere else.

What a model of ours computes depends on nothing but the text and belongs to a content (`key`); what someone's file says
of a case belongs to that case (`case`), though another case has the same text. `scoring.workspace.cache` joins both.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from scoring.data.errors import FrameError

Row = Mapping[str, Any]
"""One row of a frame: its values by column."""
RowDict = dict[str, Any]
"""One row while it is made."""
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

STEP_INDEX = pl.Int32()
"""dtype of everything that names a step: 0-based, -1 = no error (Int32)."""

METADATA: dict[str, pl.DataType] = {
    # Identity, `benchmark/id`: what a person selects, triages and exports. Unique. Never null.
    "case": pl.String(),
    # Content, hex of `content_key`: what a model of ours computes is joined on it. Two cases may share it. Never null.
    "key": pl.String(),
    "benchmark": pl.String(),
    # The id as the benchmark gives it, without the benchmark's name.
    "id": pl.String(),
    # The benchmark's own partition (gsm8k). Null where it has none.
    "subset": pl.String(),
    # The model that wrote the solution. Null = not said.
    "generator": pl.String(),
    "n_steps": pl.Int32(),
    # 0-based index of the first wrong step, -1 = no step is wrong, null = the labels name no step of the solution.
    # May be >= n_steps where a label names a step that is not there: kept, and no verdict can equal it.
    "earliest_error": STEP_INDEX,
    # The earliest error as the file gives it (0-based), where that lies beyond the last step and `earliest_error` is
    # the last step in its place (GR-Ben). Null = `earliest_error` is as given, or the workspace is of version 0.1.
    "earliest_error_as_given": STEP_INDEX,
    # Every wrong step, 0-based and ascending; [] = none is wrong. Null = only the earliest error was labelled.
    "error_steps": pl.List(STEP_INDEX),
    # Every step that is neither right nor wrong (exploring, without effect), 0-based and ascending: figures of right
    # and wrong steps leave it out. Null = the benchmark has no such label.
    "neutral_steps": pl.List(STEP_INDEX),
    # Wrong steps, 0-based and ascending, where annotators went no further than the last of them: those after it carry
    # no label, and `error_steps` is null. Null = they went to the end, or listed no step.
    "errors_so_far": pl.List(STEP_INDEX),
    # Of a trajectory, the 0-based place of each step among all its messages, ascending; the others are `context`.
    # Null = the solution is no trajectory.
    "step_messages": pl.List(STEP_INDEX),
    # The benchmark's own class of the error, its group, the kind shared across patterns, and the kind of reasoning of
    # the step that carries it, all by full name. Null = the benchmark does not say (clean cases included).
    "error_type": pl.String(),
    "error_category": pl.String(),
    "error_kind": pl.String(),
    "pattern": pl.String(),
    # The error type as the file spells it. Null = it is spelt as in `error_type`, or the workspace is of version 0.1.
    "error_type_as_given": pl.String(),
    # Whether the solution ends in the right answer. Null = not said.
    "final_answer_correct": pl.Boolean(),
    # The benchmark's own group of its subsets (GR-Ben: science or logic). Null = it has none.
    "subset_group": pl.String(),
    # The collection the problem was taken from, and its language as an ISO 639-1 code. Null = not said.
    "origin": pl.String(),
    "language": pl.String(),
    # What several solutions of one problem have in common. Null = each problem has one solution.
    "problem_id": pl.String(),
    # Share of the annotators who gave this label, in [0, 1]. Null = not said.
    "agreement": pl.Float64(),
    # How many of the benchmark's sub-steps each step joins, where its gold labels are coarser than its steps: a scorer
    # that judges sub-steps is grouped by these. Null = steps are not grouped.
    "sub_steps": pl.List(pl.Int32()),
    # The `case` whose unharmed original this is. Such twins are scored, and neither listed nor counted. Null = no twin.
    "twin_of": pl.String(),
    # Where the row was read: file (or hf: name) and 1-based line or row. Null = not from a file.
    "source": pl.String(),
    "line": pl.Int64(),
}
"""Columns of the cases frame that are small: always in memory."""

NO_SUBSET = "(no subset)"
"""What cases without a subset are called beside those that have one."""
WHOLE = ("all", "average")
"""What figures call all cases together, and the mean over subsets; an import renames a subset of such a name."""

TEXTS: dict[str, pl.DataType] = {
    "problem": pl.String(),
    "steps": pl.List(pl.String()),
    # Why the gold labels are as they are, in the benchmark's words. Null = not said.
    "reason": pl.String(),
    # The problem and the steps before the error was put in. Null = not said.
    "original_problem": pl.String(),
    "original_steps": pl.List(pl.String()),
    # Steps that differ from the original, 0-based. Null = not said.
    "modified_steps": pl.List(STEP_INDEX),
    # The problem as the benchmark found it, where what is scored is another wording. Null = not said.
    "question": pl.String(),
    "reference_answer": pl.String(),
    # The kind of reasoning of each step. Null = the steps carry no tags.
    "step_patterns": pl.List(pl.String()),
    # The messages of a trajectory that are no steps, in order: role (system, user, tool), name of the tool, and text.
    # Null = the solution is no trajectory.
    "context": pl.List(pl.Struct({"role": pl.String(), "name": pl.String(), "text": pl.String()})),
    # The functions that the agent of a trajectory could call, in order: name, description, and the whole definition as
    # JSON. They are part of its context. Null = none are given.
    "tools": pl.List(pl.Struct({"name": pl.String(), "about": pl.String(), "definition": pl.String()})),
}
"""Columns of the cases frame that are large: stored apart, row by row beside the metadata, and read on demand."""

LATER_TEXTS = ("context", "tools")
"""Those of TEXTS that files of earlier versions lack, where they are null."""

CASES: dict[str, pl.DataType] = {**METADATA, **TEXTS}

READABLE = frozenset({"context", "original_problem", "question", "reason", "reference_answer"})
"""Texts of a case that a scorer may read beside problem and steps, by column."""

REWARDS: dict[str, pl.DataType] = {
    # Joins cases on content.
    "key": pl.String(),
    # The one case of this content that the row belongs to, where a file named it; it goes before a row by content. Null
    # = every case of this content. Parts of version 0.1 have no such column: null.
    "case": pl.String(),
    # Which of several sampled answers this is; 0 for a PRM and for a greedy critic.
    "vote": pl.Int32(),
    # One number a step, in step order. PRMs give their own range, critics that rate steps give [-1, 1] with
    # "positive" iff > 0. Null = refused, and `reason` says why. With a reason: those of the first steps of a case that
    # was truncated, which is refused all the same.
    "rewards": pl.List(pl.Float64()),
    # A second number a step, for scorers that judge redundancy beside validity. Null = the scorer has none.
    "redundancy": pl.List(pl.Float64()),
    # For each step whether it is judged right (or redundant), where that is given and no threshold on the rewards says
    # it. Null = the rewards decide.
    "labels": pl.List(pl.Boolean()),
    "redundancy_labels": pl.List(pl.Boolean()),
    # One number for the whole solution, from scorers that give none a step. Null = there is none.
    "solution": pl.Float64(),
    # Why there is none of these, or not for all steps. Null = there is.
    "reason": pl.String(),
    # Tokens that were run for it, tokens that were generated for it (none by a PRM), and its share of the seconds that
    # the engine took for the cases it ran together, by tokens. Null = not said, or not run.
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    "seconds": pl.Float64(),
    # What ran: engine and version. Not part of what identifies a scorer.
    "engine": pl.String(),
}
"""Step rewards of one scorer. Row identity is (key, case, vote)."""

VOTES: dict[str, pl.DataType] = {
    # As in REWARDS: the content, and the one case of it that the row belongs to, or null.
    "key": pl.String(),
    "case": pl.String(),
    # One of several sampled answers that are combined into one verdict, and one of several independent repetitions.
    "vote": pl.Int32(),
    "run": pl.Int32(),
    # The answer as it came, and the reasoning before it. Null answer = refused, and `reason` says why.
    "answer": pl.String(),
    "reasoning": pl.String(),
    "finish_reason": pl.String(),
    # Of several answers to one call, the first has the prompt's tokens and the others 0. Null = not told; beside 0
    # tokens in: told for the whole call, and the first has the sum.
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    # From when it was asked until the answer was there, waiting and repeated calls included; the sum over all calls of
    # a vote that takes several. Of several answers to one call, the first has it and the others 0. Null = not measured.
    "seconds": pl.Float64(),
    # What its tokens cost by the prices that were given then, in a currency's own word. Null = no prices, or no tokens.
    "cost": pl.Float64(),
    "currency": pl.String(),
    "seed": pl.Int64(),
    # Hex blake2b of the prompt that was sent.
    "prompt": pl.String(),
    # JSON, where asked for: [token, log-probability, [[token, log-probability], ...]] for each generated token.
    "logprobs": pl.String(),
    # What the answer was read as: the words it votes with, and the earliest error these name (-2 = a number that names
    # no step); or, of a critic that rates every step, one number a step and a second one for redundancy, as in REWARDS.
    # Neither a ballot nor a verdict nor rewards = unparsed, and `reason` says why. Rewards with a reason are what was
    # said, too many or too few or out of range: no rewards of the steps, but signs that official figures count.
    "ballot": pl.String(),
    "verdict": STEP_INDEX,
    "rewards": pl.List(pl.Float64()),
    "redundancy": pl.List(pl.Float64()),
    "reason": pl.String(),
    # Its reader, and the version of that (`scoring.models.critics.answer_parsers`). Null = it was read where it was
    # imported from.
    "reader": pl.String(),
    "engine": pl.String(),
}
"""Answers of one critic. Row identity is (key, case, vote, run)."""

NEVER_NULL = frozenset({"key", "benchmark", "id", "n_steps", "problem", "steps", "vote", "run"})
"""Columns, of whichever frame, that every row has; so have cases their `case`."""


def content_key(problem: str, steps: Sequence[str], *also: str) -> str:
    """Compute the hex blake2b (16 bytes) over the length-prefixed UTF-8 of the problem, the steps and whatever else is
    read.

    Two cases have equal keys iff a scorer that reads these texts cannot tell them apart: the length prefixes keep
    `["a", "b"]` and `["ab"]` apart, the count of steps keeps steps and further texts apart.

    Raises:
        UnicodeEncodeError: for a lone surrogate; importers replace those first.
    """
    digest = blake2b(digest_size=16)
    for text in (problem, str(len(steps)), *steps, *also):
        raw = text.encode()
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()


def conform(frame: pl.DataFrame, schema: Mapping[str, pl.DataType], what: str) -> pl.DataFrame:
    """Return the frame with exactly the schema's columns, in its order; a missing nullable column comes as nulls.

    Dtypes must already be right, except that an all-null column takes the schema's. `what` names the frame in errors.

    Raises:
        FrameError: a column has another dtype, or one of `NEVER_NULL` is missing or holds a null; and which.
    """
    dtypes = frame.schema
    check_dtypes(dtypes, schema, what)
    for name in _required(schema):
        if frame[name].null_count():
            raise FrameError(what, name, str(schema[name]), "null in some rows")
    columns = []
    for name, dtype in schema.items():
        column = pl.col(name) if name in dtypes else pl.lit(None).alias(name)
        columns.append(column if dtypes.get(name) == dtype else column.cast(dtype))
    return frame if list(dtypes.items()) == list(schema.items()) else frame.select(columns)


def check_dtypes(dtypes: Mapping[str, pl.DataType], schema: Mapping[str, pl.DataType], what: str) -> None:
    """Check columns against a schema before anything of them is read; `what` names them in errors.

    Raises:
        FrameError: a column has another dtype, or one of `NEVER_NULL` is missing; and which.
    """
    required = _required(schema)
    for name, dtype in schema.items():
        own_dtype = dtypes.get(name)
        if own_dtype is None and name in required:
            raise FrameError(what, name, str(dtype), "missing")
        if own_dtype not in (None, dtype, pl.Null()):
            raise FrameError(what, name, str(dtype), str(own_dtype))


def _required(schema: Mapping[str, pl.DataType]) -> list[str]:
    """What every row of it must have: what scorers gave may leave the case open; a frame without votes is of cases."""
    required = NEVER_NULL if "vote" in schema else NEVER_NULL | {"case"}
    return [name for name in schema if name in required]
