"""The table of a case as a page of Markdown or LaTeX, with the problem above and the reason of its gold label beneath.

Steps judged wrong are bold; the verdict, the first error in a scorer's eyes, has an arrow or is underlined. CSV and
JSON hold the same case as plain rows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from inspector.case_table import CaseTable, Judgement, case_table
from inspector.label_set import changed_words
from inspector.mathtext import unicode_math
from inspector.notes import first_run_notes
from inspector.provenance import provenance
from inspector.selection import Selection
from inspector.sentences import TRUNCATED, outcome_sentence, votes_words
from inspector.tex_formulas import PACKAGES, latex_prose
from scoring.export import Document, latex_footer, markdown_footer
from scoring.markup import latex_text, markdown_text

ABOVE, BENEATH = "problem", "reason_of_gold"
"""Where provenance has the texts that stand around the table."""
LAST = ("verdict", "step accuracy")
"""The last lines of the table."""
NAMED, LETTERS = 3, 36
"""Up to so many scorers, with as many letters, have their names above their columns in LaTeX; else these have numbers,
told beneath."""
DIFFERING = ("question", "original_problem")
"""Other wordings of the problem, told where they are another."""
SMALL = 5
"""Up to so many, the table is set in small letters; with more in tiny ones: ten come near the width of an article."""


@dataclass(frozen=True, eq=False)
class CaseDocument(Document):
    """A case as a document: a page in Markdown and LaTeX, plain rows in all other forms."""

    table: CaseTable | None = None

    def render(self, form: str) -> str:
        """The document in one of the forms of `scoring.export`."""
        if self.table is None or form not in PAGES:
            return super().render(form)
        return "\n".join([*PAGES[form](self.table, self.provenance), ""])


def case_document(selection: Selection, row: int, form: str = "") -> CaseDocument:
    """One case as a table: a row a step with its text, its gold label, and the reward and judgement of each scorer.

    In Markdown and LaTeX it is a page with one column a scorer.

    `gold` is `error` for the earliest error, `error step` for the others, `right` before the first and, where every
    error step is labelled, after it; else null. A scorer that judges redundancy has a further column for its numbers,
    and one for which the case was truncated a column that marks the steps that have any.
    """
    case = selection.cases.row(row, named=True)
    texts = selection.texts.row(row)
    n_steps = case["n_steps"]
    none = [None] * n_steps
    columns: dict[str, Any] = {
        "step": list(range(n_steps)),
        "text": texts["steps"],
        "gold": [gold_word(case, step) for step in range(n_steps)],
    }
    for one in selection.chosen_evaluations:
        first = one.rewards.first_of(row) or []
        rewards, wrong = one.rewards.of(row) or first, one.judged_wrong(row)
        columns[f"{one.scorer.name}.reward"] = pl.Series([*rewards, *none[len(rewards) :]], dtype=pl.Float64)
        columns[f"{one.scorer.name}.wrong"] = pl.Series(wrong or [None] * n_steps, dtype=pl.Boolean)
        if second := one.rewards.redundancies_of(row):
            columns[f"{one.scorer.name}.redundancy"] = pl.Series([*second, *none[len(second) :]], dtype=pl.Float64)
        if first:
            columns[f"{one.scorer.name}.truncated"] = [step < len(first) for step in range(n_steps)]
    command = selection.request.command("show", case["case"], form=form)
    described = {name: case[name] for name in ("case", "subset", "generator", "earliest_error", "error_steps")}
    said = {name: case[name] for name in ("error_type", "error_kind", "pattern", "final_answer_correct")}
    said["read_from"] = f"{case['source']}:{case['line']}" if case["source"] else None
    outcome = {one.scorer.name: outcome_sentence(one, row) for one in selection.chosen_evaluations}
    made = provenance(selection, command, tuple(first_run_notes(selection)))
    facts = {**made, "coverage": None, "filter": None, "averaging": None}
    if changed := changed_words(selection.adjudicated, case["case"]):
        described["label"] = changed
    extra = {"problem": texts["problem"], "reason_of_gold": texts["reason"], "outcome": outcome}
    extra |= {name: texts[name] for name in DIFFERING if texts[name] not in (None, texts["problem"])}
    extra |= {"reference_answer": texts["reference_answer"]} if texts["reference_answer"] is not None else {}
    extra |= {"metadata": metadata} if (metadata := selection.metadata.row(row)) else {}
    votes = {one.scorer.name: votes_words(one, row) for one in selection.chosen_evaluations if votes_words(one, row)}
    extra |= {"votes": votes} if votes else {}
    rows = pl.DataFrame(columns)
    table = case_table(rows, selection.chosen_evaluations, row)
    return CaseDocument(rows, {**facts, **described, **said, **extra}, table=table)


def gold_word(case: Mapping[str, Any], step: int) -> str | None:
    """What the gold labels say of one step (0-based) of a case."""
    earliest, listed = case["earliest_error"], case["error_steps"]
    if step == earliest:
        return "error"
    if listed is not None:
        return "error step" if step in listed else "right"
    return "right" if earliest is not None and (earliest == -1 or step < earliest) else None


def _markdown_page(table: CaseTable, provenance: Mapping[str, Any]) -> Iterator[str]:
    def prose(text: str) -> str:
        return markdown_text(unicode_math(text))

    yield from [f"**Problem.** {prose(provenance[ABOVE])}", ""]
    names = [markdown_text(column.name) for column in table.columns]
    yield _markdown_row("step", "text", "gold", *names)
    yield "|---:|---|---|" + "---:|" * len(names)
    for step, (text, gold) in enumerate(zip(table.texts, table.gold, strict=True)):
        word = f"**{gold}**" if gold == "error" else gold or ""
        judged = (_markdown_cell(column.judgements[step]) for column in table.columns)
        yield _markdown_row(str(step), prose(text), word, *judged)
    if table.columns:
        yield _markdown_row("", LAST[0], "", *(column.verdict for column in table.columns))
        yield _markdown_row("", LAST[1], "", *(column.step_accuracy for column in table.columns))
        cut = f" ({TRUNCATED}): truncated." if table.truncated else ""
        yield from ["", f"Bold: judged wrong. \u2190: the verdict.{cut}"]
    if reason := provenance[BENEATH]:
        yield from ["", f"**Reason of the gold label.** {prose(reason)}"]
    yield from ["", *markdown_footer(_rest(provenance))]


def _markdown_row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(judgement: Judgement) -> str:
    text = f"**{judgement.text}**" if judgement.wrong and judgement.text else judgement.text
    text += f" ({TRUNCATED})" if judgement.truncated else ""
    return f"{text} \u2190".strip() if judgement.verdict else text


def _latex_page(table: CaseTable, provenance: Mapping[str, Any]) -> Iterator[str]:
    names = [column.name for column in table.columns]
    numbered = len(names) > NAMED or sum(map(len, names)) > LETTERS
    heads = [f"({number})" for number in range(1, len(names) + 1)] if numbered else [latex_text(name) for name in names]
    yield rf"% needs: \usepackage{{{','.join(PACKAGES)}}}"
    yield from [rf"\noindent\textbf{{Problem.}} {latex_prose(provenance[ABOVE])}", ""]
    width, style = _layout(len(names))
    yield rf"\noindent{{{style}\begin{{tabular}}{{rp{{{width:.2f}\linewidth}}l{'r' * len(names)}}}"
    yield from [r"\hline", _latex_row("step", "text", "gold", *heads), r"\hline"]
    for step, (text, gold) in enumerate(zip(table.texts, table.gold, strict=True)):
        word = rf"\textbf{{{gold}}}" if gold == "error" else gold or ""
        judged = (_latex_cell(column.judgements[step]) for column in table.columns)
        yield _latex_row(str(step), latex_prose(text), word, *judged)
    yield r"\hline"
    if table.columns:
        yield _latex_row("", LAST[0], "", *(column.verdict for column in table.columns))
        yield _latex_row("", LAST[1], "", *(latex_text(column.step_accuracy) for column in table.columns))
        yield r"\hline"
    yield from [r"\end{tabular}}", ""]
    if table.columns:
        legend = "; ".join(f"{head} {latex_text(name)}" for head, name in zip(heads, names, strict=True))
        told = f" {legend}." if numbered else ""
        cut = rf" $^{{{TRUNCATED}}}$: truncated." if table.truncated else ""
        yield from [rf"\noindent Bold: judged wrong. Underlined: the verdict.{cut}{told}", ""]
    if reason := provenance[BENEATH]:
        yield from [rf"\noindent\textbf{{Reason of the gold label.}} {latex_prose(reason)}", ""]
    yield from latex_footer(_rest(provenance))


def _layout(scorers: int) -> tuple[float, str]:
    """The width of the texts' column as a share of a line, and the size of the table, beside so many scorers."""
    if scorers <= NAMED:
        return 0.6 - 0.1 * scorers, ""
    if scorers <= SMALL:
        return 0.6 - 0.07 * scorers, r"\small\setlength{\tabcolsep}{3pt}"
    return 0.18, r"\scriptsize\setlength{\tabcolsep}{2pt}"


def _latex_row(*cells: str) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_cell(judgement: Judgement) -> str:
    text = judgement.text or ("first error" if judgement.verdict else "")
    text = rf"\textbf{{{text}}}" if judgement.wrong and text else text
    text += f"$^{{{TRUNCATED}}}$" if judgement.truncated else ""
    return rf"\underline{{{text}}}" if judgement.verdict else text


def _rest(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance without the texts that stand around the table."""
    return {name: value for name, value in provenance.items() if name not in {ABOVE, BENEATH}}


PAGES = {"markdown": _markdown_page, "latex": _latex_page}
