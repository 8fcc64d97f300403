"""The card beside the checkpoints: prose that is true of every training, and the figures of this one."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiny_prm.arithmetic import SIGNS

Document = Mapping[str, Any]
"""What `measured.json` holds."""

WORDINGS = ("training wordings", "held-out wordings")
HAND_MADE = "demo, by hand"

ABOUT = """\
# Two tiny PRMs

Process reward models of about half a million and one million weights, to try `prm-inspect` with: small enough to ship,
quick on any processor, and wrong often enough to be worth inspecting. They are Qwen2 bodies with the two-layer head of
Qwen's PRMs (`Qwen2ForProcessRewardModel`: `score.0`, ReLU, `score.2`; class 1 is a right step), read at the `<extra_0>`
after every step. Weights are float16; all figures here come from those weights, computed with in float32.

**Do not use them to judge anything real.** They know the register below and nothing else.
"""

REGISTER = """\
## The register they work in

Problems and solutions of `assets/generator`: seven families (word problems about things that come and go, expressions,
linear equations, units, percentages, orders, rules), three voices, small whole numbers, a few hundred
wordings. Training saw every case once, from one seed of that generator, mixed with drills (isolated equations, right
or wrong), and nothing else. No text of a benchmark or of a language model is in it.

* *Training wordings* are new cases in the wordings of the training.
* *Held-out wordings* are new cases in wordings that training never used, for problem and steps alike. Families, names
  and things are the same.
* The demo's generated cases come from the same templates by another seed and a schedule of their own, so they are like
  the training wordings, with rare error types more frequent. That a model does well there says little.
* The demo's cases written by hand are out of the register. Nothing like them was in the training.

The threshold was chosen once, for the best F1 on 2,000 further cases in the training wordings, and moved into the
head's bias, so that the threshold is 0.5. Error types come as often as in the stream; F1 is ProcessBench's.
"""

LIMITS = """\
## What they do not learn

* **That an unfamiliar wording is no error.** Held-out wordings alone make right steps look wrong, most of all in
  expressions, equations and units. correct_acc falls from known to held-out wordings
  ({falls}); step AUC falls less.
* **Anything outside the register.** On the cases written by hand wrong steps are told from right ones about as well as
  by a coin, for which step AUC is 0.5 ({chances}).
  They were measured on no other benchmark; expect nothing there.
* **Reading the problem closely.** A number that is misread from the problem, or carried over wrongly from an earlier
  step, is seldom named as the error: the equation around it holds.
* **Orders.** Solutions of the order family in known wordings are mostly called right, whatever they say.
* **All of arithmetic.** Isolated products and percentages are told best, sums, differences and divisions only in part.
* **What comes after an error.** Those steps had no label in the training, so their rewards mean nothing.

In known wordings they are sure of forms: checks and corrections that go wrong, plans that miss a part, repeated steps
and wrong units. Each size was trained once, with one seed, and the larger one also for longer; a few points of F1
between two models like these can be chance.
"""

REPEAT = """\
## Making them again

`python assets/make_tiny_prm.py s m` trains both from nothing: fixed seeds, a fixed number of steps, one thread, about
ten and twenty-five minutes of processor time. With the same processor and the same torch every step's loss repeats to
the last bit (checked on short runs); elsewhere sums may be rounded otherwise, and another model of about the same
quality comes out. Continuous integration trains nothing; it scores the demo again with these weights.
"""


def text(documents: Sequence[Document]) -> str:
    """The card of some checkpoints."""
    sections = [ABOUT, _files(documents), REGISTER, _figures(documents), _types(documents), _limits(documents), REPEAT]
    return "\n".join(sections)


def write(path: Path, documents: Sequence[Document]) -> None:
    """Write the card."""
    path.write_text(text(documents), encoding="utf-8", newline="\n")


def _files(documents: Sequence[Document]) -> str:
    rows = [
        (
            f"`{each['recipe']['name']}`",
            f"{each['weights']:,}",
            f"{each['bytes']:,}",
            " / ".join(str(each["recipe"][name]) for name in ("hidden", "layers", "heads", "intermediate")),
            f"{each['recipe']['steps']:,} of {each['recipe']['batch']}",
            f"`{each['sha256']['model.safetensors']}`",
        )
        for each in documents
    ]
    heads = ("model", "weights", "bytes", "width / layers / heads / inner", "training steps", "SHA-256 of the weights")
    return _table(heads, rows)


def _figures(documents: Sequence[Document]) -> str:
    rows = []
    for each in documents:
        for name, found in each["sets"].items():
            seen = f"{found['problems_in_training']} / {found['cases_in_training']}"
            values = (found[key] for key in ("cases", "f1", "error_acc", "correct_acc", "step_auc"))
            rows.append((each["recipe"]["name"], name, *map(_shown, values), _outcomes(found["outcomes"]), seen))
    heads = (
        *("model", "cases", "number", "F1", "error_acc", "correct_acc", "step AUC"),
        *("exact, early, late, missed", "problems / whole cases also in training"),
    )
    note = (
        "Step AUC: the chance that the earliest wrong step of a case has a lower reward than a right step of any case"
        " in the set.\n"
    )
    return f"## Figures\n\n{_table(heads, rows)}\n{note}"


def _outcomes(outcomes: Mapping[str, int]) -> str:
    return ", ".join(str(outcomes.get(name, 0)) for name in ("exact", "early", "late", "missed"))


def _types(documents: Sequence[Document]) -> str:
    names = [(each["recipe"]["name"], wording) for each in documents for wording in WORDINGS]
    tables = [each["sets"][wording] for each in documents for wording in WORDINGS]
    errors = sorted({error for table in tables for error in table["by_error"]})
    families = sorted({part for table in tables for part in table["by_part"]})
    by_error = [(error, *(_cell(table["by_error"].get(error)) for table in tables)) for error in errors]
    operations = [(sign, *(_shown(each["arithmetic"][sign]["auc"]) for each in documents)) for sign in SIGNS]
    by_part = [(part, *(_both(table["by_part"].get(part)) for table in tables)) for part in families]
    heads = [f"{model}, {wording}" for model, wording in names]
    return (
        "Share of the erroneous cases whose verdict is exactly the wrong step, in percent (step AUC; number):\n\n"
        + _table(("error type", *heads), by_error)
        + "\nBy family, error_acc / correct_acc:\n\n"
        + _table(("family", *heads), by_part)
        + "\nIsolated equations, AUC of wrong against right ones:\n\n"
        + _table(("operation", *(each["recipe"]["name"] for each in documents)), operations)
    )


def _limits(documents: Sequence[Document]) -> str:
    falls = "; ".join(
        f"{each['recipe']['name']}: {known['correct_acc']} to {new['correct_acc']}"
        for each in documents
        for known, new in [[each["sets"][wording] for wording in WORDINGS]]
    )
    chances = "; ".join(f"{each['recipe']['name']}: {each['sets'][HAND_MADE]['step_auc']}" for each in documents)
    return LIMITS.format(falls=falls, chances=chances)


def _cell(found: Mapping[str, Any] | None) -> str:
    return f"{found['error_acc']:.0f} ({_shown(found['step_auc'])}; {found['cases']})" if found else ""


def _both(found: Mapping[str, Any] | None) -> str:
    return f"{_shown(found['error_acc'])} / {_shown(found['correct_acc'])}" if found else ""


def _shown(value: float | None) -> str:
    return "" if value is None else str(value)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
