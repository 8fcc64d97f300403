import csv
import io
import json
import math
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.render.documents.row_documents import FORMS, Document, footer, p_words, shown
from scoring.data.errors import UnwritableWorkspace
from thoroughness import up_to

GOLDEN = Path(__file__).parents[2] / "golden"
ENDINGS = {"csv": "csv", "json": "json", "jsonl": "jsonl", "markdown": "md", "latex": "tex"}
SOME = up_to(80, 10)

NASTY = st.sampled_from(
    [
        *(
            "",
            " ",
            "a\rb",
            "a\r\nb",
            "\n",
            "\r",
            "\t",
            "=1+1",
            "+1",
            "-1",
            "@x",
            "'=1",
            '"',
            '"a","b"',
            ",",
            "\x00",
            "\ufeff",
        ),
        *(
            "a|b",
            "[asy]",
            "*x*",
            "$x$",
            "&lt;",
            "<b>",
            "50%",
            "#1",
            "x_1^2",
            "~",
            "{",
            "题",
            "\u2028",
            "`",
            "**",
            "a  b",
        ),
        *("\x0c", "\x1b[2J", "|", "\\"),
    ]
)
TEXTS = st.lists((NASTY | st.text(max_size=8)) | st.none(), min_size=1, max_size=6)
FLOATS = st.lists(st.floats() | st.none(), min_size=1, max_size=6)


def document(raw=False, **columns):
    return Document(pl.DataFrame(columns), {"command": "prm-inspect x", "threshold": {"a": 0.5}}, raw)


def metrics():
    """A small table with everything that a metrics table may hold."""
    rows = [
        ("=blend", "demo", "a|b_1", "f1", 2 / 3, 0.1 + 0.2, 0.9, 41, None),
        ("rand-0", "demo", "", "error_acc", 0.0, 0.0, 1.0, 3, None),
        ("rand-0", "demo", "100% & more", "f1", None, None, None, 3, "both accuracies are 0"),
        ('say "ab", 题', "demo", "all", "f1", 1e-7, 0.0, 5e-324, 12_345, None),
    ]
    names = ("scorer", "benchmark", "subset", "metric", "value", "low", "high", "n", "reason")
    provenance = {
        "command": 'prm-inspect metrics --where "\\"x.outcome\\" = \'late\'" --csv',
        "version": "0.1.0",
        "threshold": {"=blend": 0.30000000000000004, "rand-0": -1.0},
        "filter": "(n_steps > 8)",
        "unparsed": "wrong",
        "seed": 0,
        "notes": ["one | note", "another_note"],
        "reason": None,
    }
    return Document(pl.DataFrame(rows, schema=names, orient="row"), provenance)


@pytest.mark.parametrize("form", list(FORMS))
def test_a_metrics_table_in_every_form(form):
    assert metrics().render(form).encode() == (GOLDEN / f"metrics.{ENDINGS[form]}").read_bytes()


def read_csv(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def guarded(text):
    return "'" + text if text and text[0] in "=+-@\t\r" else text


@SOME
@given(name=(NASTY | st.text(min_size=1, max_size=4)).filter(lambda name: name != "n"), cells=TEXTS, raw=st.booleans())
def test_csv_cells_come_back_guarded_unless_raw(name, cells, raw):
    guard = str if raw else guarded
    header, *rows = read_csv(
        document(raw, **{name: pl.Series(cells, dtype=pl.String), "n": [-1] * len(cells)}).render("csv")
    )
    assert header == [guard(name), "n"]
    assert rows == [["" if cell is None else guard(cell), "-1"] for cell in cells]


@SOME
@given(cells=FLOATS)
def test_csv_numbers_come_back_exactly_and_are_never_guarded(cells):
    _, *rows = read_csv(document(x=pl.Series(cells, dtype=pl.Float64), t=["."] * len(cells)).render("csv"))
    for cell, (text, _) in zip(cells, rows, strict=True):
        assert text == "" if cell is None else float(text) == cell or (math.isnan(cell) and math.isnan(float(text)))


def test_csv_holds_lists_as_json_and_booleans_as_words():
    found = document(s=[[1, 2], None], t=[["=1", 'a"b'], []], b=[True, None]).render("csv")
    assert read_csv(found) == [["s", "t", "b"], ["[1, 2]", '["=1", "a\\"b"]', "true"], ["", "[]", ""]]


def test_csv_of_no_rows_is_its_header():
    assert Document(metrics().rows.clear(), {}).render("csv").count("\n") == 1


def strict(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@SOME
@given(texts=TEXTS, numbers=FLOATS)
def test_json_holds_every_value_and_no_number_that_is_none(texts, numbers):
    length = min(len(texts), len(numbers))
    lists = [[number, None] for number in numbers[:length]]
    made = document(t=texts[:length], x=numbers[:length], s=pl.Series(lists, dtype=pl.List(pl.Float64)))
    rows = [
        {"t": text, "x": x, "s": [x, None]}
        for text, number in zip(texts, numbers, strict=False)
        for x in [number if number is not None and math.isfinite(number) else None]
    ]
    assert strict(made.render("json")) == {
        "rows": rows,
        "provenance": {"command": "prm-inspect x", "threshold": {"a": 0.5}},
    }
    assert [strict(line) for line in made.render("jsonl").split("\n")[:-1]] == rows


@pytest.mark.parametrize("form", list(FORMS))
def test_no_rows(form):
    made = Document(pl.DataFrame(schema={"a": pl.String(), "x": pl.Float64()}), {"command": "c"})
    assert strict(made.render(form))["rows"] == [] if form == "json" else made.render(form) is not None


def test_provenance_that_is_not_finite_is_null():
    made = Document(pl.DataFrame({"a": [1]}), {"threshold": {"a": float("inf"), "b": float("nan")}})
    assert strict(made.render("json"))["provenance"] == {"threshold": {"a": None, "b": None}}


def markdown_cells(line):
    """The cells of a row: only a bar without a backslash parts them, and a backslash takes away a mark's meaning."""
    return [re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell) for cell in re.findall(r" ((?:\\.|[^|\\])*) \|", line)]


@SOME
@given(cells=TEXTS)
def test_markdown_keeps_its_columns_and_its_texts(cells):
    found = document(**{"a|b": pl.Series(cells, dtype=pl.String), "x": [0.5] * len(cells)}).render("markdown")
    header, rule, *rest = found.split("\n")
    assert markdown_cells(header) == ["a|b", "x"]
    assert rule == "|---|---:|"
    assert rest[len(cells)] == ""
    for cell, line in zip(cells, rest, strict=False):
        assert markdown_cells(line) == [re.sub(r"\r\n|\r|\n", "<br>", cell or ""), "0.5000"]


@pytest.mark.parametrize(
    ("command", "span"),
    [
        ('x --where "\\"a.b\\" = \'|\'"', '`x --where "\\"a.b\\" = \'|\'"`'),
        ("x 'a`b'", "``x 'a`b'``"),
        ("x `", "`` x ` ``"),
        ("x 'a\nb'", "`x 'a b'`"),
    ],
)
def test_markdown_gives_the_command_as_it_is_typed(command, span):
    made = Document(pl.DataFrame({"a": [1]}), {"version": "1", "command": command})
    assert made.render("markdown").split("\n")[4:] == [f"> command: {span}  ", "> version: 1  ", ""]


def test_markdown_leaves_nothing_that_would_be_read_as_markup():
    found = document(t=["<script> **a** [b](c) `d` &lt; $e$ ~~f~~ #g"]).render("markdown").split("\n")[2]
    assert re.findall(r"(?<!\\)[<>*\[\]`&$~#]", found) == []


@SOME
@given(cells=TEXTS)
def test_latex_has_a_row_a_line_and_no_special_character_of_the_data(cells):
    found = document(t=pl.Series(cells, dtype=pl.String), x=[0.5] * len(cells)).render("latex")
    head, _, body = found.partition("\\hline\nt & x \\\\\n\\hline\n")
    assert head == "\\begin{tabular}{lr}\n"
    rows, _, _ = body.partition("\\hline\n\\end{tabular}\n")
    assert rows.count("\n") == len(cells)
    for line in rows.split("\n")[:-1]:
        left, end = line[: -len(r" & 0.5000 \\")], line[-len(r" & 0.5000 \\") :]
        assert end == r" & 0.5000 \\"
        named = r"\\text(backslash|asciitilde|asciicircum|less|greater|bar)\{\}"
        plain = re.sub(named + r"|\\[{}$&%#_]|\{[\[*]\}|-\{\}", "", left)
        assert re.findall(r"[\\{}$&%#_~^\[*<>|\x00-\x1f]|--", plain) == []


def test_latex_comments_stay_on_their_lines():
    made = Document(pl.DataFrame({"a": [1]}), {"problem": "one\r\n\\input{x}\rthree"})
    assert made.render("latex").splitlines()[-1] == "% problem: one \\input{x} three"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (1, "1"),
        (2 / 3, "0.6667"),
        ([1, 3], "1, 3"),
        ([], ""),
        ("a", "a"),
        (-math.inf, "-inf"),
        (-0.0, "0.0000"),
    ],
)
def test_values_for_people(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, None), (0.0, "< 0.0001"), (9.99e-5, "< 0.0001"), (1e-4, "0.0001"), (0.25, "0.2500"), (1.0, "1.0000")],
)
def test_no_p_value_is_shown_as_zero(p, text):
    assert p_words(p) == text
    made = document(p=[p], p_holm=[p], value=[0.00001])
    for form in ("markdown", "latex"):
        shown_row = made.render(form)
        assert shown_row.count("0.0001") == (2 if text and text.endswith("0.0001") else 0)
        assert shown_row.count("0.0000") == 1
    assert json.loads(made.render("json"))["rows"] == [{"p": p, "p_holm": p, "value": 0.00001}]


def test_the_footer_leaves_out_what_is_empty_and_keeps_zeros():
    lines = footer(
        {"a_b": "x", "none": None, "no": [], "seed": 0, "where": ["p", "q"], "map": {"k": 0.5, "l": False}, "e": ""}
    )
    assert lines == ["a b: x", "seed: 0", "where: p; q", "map: k: 0.5; l: False"]


@pytest.mark.parametrize("form", list(FORMS))
def test_a_file_holds_what_is_printed(tmp_path, form):
    path = tmp_path / "new" / "out.x"
    metrics().write(path, form)
    assert path.read_bytes() == metrics().render(form).encode()
    beside = tmp_path / "new" / "out.provenance.json"
    assert beside.exists() == (form in {"csv", "jsonl"})
    if beside.exists():
        assert strict(beside.read_text()) == dict(metrics().provenance)
    assert {file.name for file in (tmp_path / "new").iterdir()} <= {"out.x", "out.provenance.json"}


def test_a_sidecar_takes_any_provenance(tmp_path):
    made = Document(pl.DataFrame({"a": ["x"]}), {"command": "w \udc80", "threshold": {"a": float("inf")}})
    made.write(tmp_path / "a.b.csv", "csv")
    assert strict((tmp_path / "a.b.provenance.json").read_text()) == {"command": "w ?", "threshold": {"a": None}}


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UnwritableWorkspace, match="the disk is full"):
        metrics().write(path, "csv")
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]
