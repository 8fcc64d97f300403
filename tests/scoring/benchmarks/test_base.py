"""Reading in blocks gives what reading value by value gives, whatever is in a file, and reads only odd lines so."""

import json
import random

import polars as pl
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import authored
from any_json import ANY_JSON
from benchmark_rows import (
    grben,
    math_shepherd,
    mrmath,
    mrmath_redundant,
    prm800k,
    reasoneval_pair,
    rows_of,
    stepwise,
)
from modified import row as modified
from scoring.benchmarks import base, demo, prmbench, processbench, socratic
from scoring.benchmarks import grben as gr_ben
from scoring.benchmarks import stepwise as trl
from scoring.benchmarks.catalogue import benchmark_module
from scoring.errors import UnknownFormat, UnwritableWorkspace
from scoring.importing.sources import ReadOptions, read_source
from scoring.reading import typed
from scoring.reading.rows import read_rows
from thoroughness import up_to

MODULES = {
    "processbench": processbench,
    "prmbench": prmbench,
    "socratic": socratic,
    "stepwise": trl,
    "grben": gr_ben,
    "demo": demo,
}
IDS = {"prmbench": "idx", "socratic": "idx"}
SOUND = {
    "processbench": {**authored.row(3, label=1, final_answer_correct=False), "subset": "sums"},
    "prmbench": modified(3, "redundency", subject="sums", ground_truth="6"),
    "socratic": modified(3, "regather_imprecision", idx="sums#3"),
    "stepwise": {**stepwise(), "generator": "a-model", "subset": "sums", "origin": "authored"},
    "grben": grben(),
    "demo": next(
        row
        for row in demo.read().cases.select("id", *demo.FORMAT.columns, "problem", "steps").to_dicts()
        if row["pattern"] and row["earliest_error"] > 0
    ),
}
NESTED_ROWS = {
    "mrmath": mrmath(),
    "mrmath_redundant": mrmath_redundant(),
    "reasoneval_pairs": reasoneval_pair(),
    "prm800k": prm800k(),
    "math_shepherd": math_shepherd(),
}
"""Rows of formats all of whose rows are read value by value."""
TEXTS_ODD = [
    *("", " ", "\u00a0", "\u2003x ", "a-1\n", "math-7", "math-٣", "a\nb-2", "x-", "é", "日本語", "\U0001f600", "\\"),
    *('"', '\\"', 'ends in \\\\"', "\\frac{1}{2} \\b \\u0041", "tab\t\r\n", "\x00", "\x08", "\x0c", "\x1f", "\x7f"),
    *("\x80", "\x9f", "\xa0", "\u202a", "\u202e", "\u2026", "\u2066", "\u2069", "\ud800", "\udfff", "a \ud83d b"),
    *('"problem":', '{"steps": [', "\u2028", "\x85", "\ufeff", "1e5", "null", "\\u0007"),
]
TEXT = st.sampled_from(TEXTS_ODD) | st.text(st.characters(exclude_categories=()), max_size=6)
NUMBERS = [0, -1, 1, 2, 3, -2, 2**31 - 1, 2**31, -(2**31), 2**63, 10**400, 1.0, -1.0, 0.5, 1e300]
LISTS = [[], [None], [1], [True, False, True], [True], [True, None, False], [1, 0, 1], ["a", ""], ["a", " ", "b"]]
NESTED = [{}, {"problem": "p", "id": {"id": 1, "steps": []}}, [{"steps": ["s"]}], [[[]]], {"a": ['"', {"b": "\\"}]}]
ODD = st.sampled_from([None, True, False, *NUMBERS, *LISTS, *NESTED])
VALUE = TEXT | ODD | st.lists(TEXT, max_size=4) | ANY_JSON


class Pairs(list):
    """The keys and values of an object, in which a key may stand several times."""


def written(value, draw):
    """The value as JSON, in one of the ways in which it can be written."""
    if isinstance(value, dict):
        value = Pairs(value.items())
    if isinstance(value, Pairs):
        blank = draw.choice(["", "", " ", "\t"])
        pairs = [f"{written(key, draw)}{blank}:{blank}{written(one, draw)}" for key, one in value]
        return f"{{{blank}{(',' + blank).join(pairs)}{blank}}}"
    if isinstance(value, list):
        return f"[{', '.join(written(one, draw) for one in value)}]"
    return draw.choice(WAYS)(value) if isinstance(value, str) else json.dumps(value)


def _as_it_is(text):
    """Control characters that JSON wants escaped stay as they are, but line breaks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _escaped(text):
    return '"' + "".join(f"\\u{one:04X}" for one in _code_units(text)) + '"'


def _code_units(text):
    raw = text.encode("utf-16-be", errors="surrogatepass")
    return [int.from_bytes(raw[at : at + 2]) for at in range(0, len(raw), 2)]


WAYS = (json.dumps, lambda text: json.dumps(text, ensure_ascii=False), _as_it_is, _escaped)


@st.composite
def lines(draw, sound):
    """One line, with its break."""
    kind = draw(st.integers(0, 11))
    if kind == 0:
        odd = [b"", b" ", b"\t\r", "\u2003".encode(), b"[1]", b"5", b"null", b'"x"', b"{", b'{"problem": "cut', b"\xff"]
        odd += [b"\xef\xbb\xbf{}", b"\xff\xfe{}", b'{"a": 1} {"b": 2}', b'{"a":', b"1}", b"[" * 5000, b'{"x": NaN}']
        return draw(st.sampled_from(odd))
    pairs = Pairs(sound.items())
    if kind < 9:
        keys = st.sampled_from([*sound, "extra", "other", "pröblem"])
        for _ in range(draw(st.integers(1, 2))):
            key = draw(keys)
            way = draw(st.integers(0, 4))
            if way == 0:
                pairs = Pairs(pair for pair in pairs if pair[0] != key)
            elif way == 1 and key in sound:
                pairs.append((key, sound[key]))
            elif way == 2:
                pairs.insert(draw(st.integers(0, len(pairs))), (key, draw(VALUE)))
            else:
                at = next((at for at, pair in enumerate(pairs) if pair[0] == key), len(pairs))
                pairs[at : at + 1] = [(key, draw(VALUE))]
    elif kind == 9:
        pairs.append(("nested", Pairs([("a", 1), ("a", draw(ODD))])))
    else:
        pairs = Pairs(
            (key, f"sums-{draw(st.integers(0, 30))}" if key in {"id", "idx"} else value) for key, value in pairs
        )
    raw = written(pairs, random.Random(draw(st.integers(0, 5)))).encode(errors="surrogatepass")
    if draw(st.integers(0, 15)) == 0:
        at = draw(st.integers(0, len(raw) - 1))
        raw = (
            raw[:at]
            + draw(st.sampled_from([b"", b"\xff", b"\x00", b"\\", b'"', b"\xe2\x80", b"}", b" "]))
            + raw[at + 1 :]
        )
    return raw


@st.composite
def files(draw, sound):
    extra = draw(st.sampled_from([{}, {"extra": 1, "other": "x"}, {"extra": {"a": ['"'], "b": {"a": "\\"}}}]))
    raw = draw(st.lists(lines({**sound, **extra}), min_size=1, max_size=9))
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    mark = draw(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf"]))
    return mark + end.join(raw) + draw(st.sampled_from([b"", end, end + b" " + end]))


def told(findings):
    """Findings in any order within a line."""
    return sorted((one.line or 0, one.severity, one.code, one.message, one.source, one.case or "") for one in findings)


def in_blocks(path, module, folder, size):
    """The file read some bytes at a time, its texts in files where there is a folder."""
    rows = read_rows(path)
    assert rows.streamed
    rows.block_size = size
    return module.FORMAT.load(rows, folder)


def value_by_value(path, module):
    """The file read as a whole, without the decoder."""
    rows = read_rows(path)
    assert rows.rows
    assert not rows.streamed
    return module.load(rows)


def assert_same(path, module, folder, size):
    """Reading in blocks gives what reading the whole file does; what that gave."""
    whole = value_by_value(path, module)
    blocks = in_blocks(path, module, folder, size)
    cases = pl.concat([blocks.cases, blocks.spilled.texts.frame()], how="horizontal").select(whole.cases.columns)
    assert cases.schema == whole.cases.schema
    assert cases.to_dicts() == whole.cases.to_dicts()
    assert blocks.twins.to_dicts() == whole.twins.to_dicts()
    assert told(blocks.findings) == told(whole.findings)
    assert [one.line or 0 for one in blocks.findings] == [one.line or 0 for one in whole.findings]
    assert (blocks.read, blocks.label_base, blocks.source) == (whole.read, whole.label_base, whole.source)
    assert (blocks.format, blocks.benchmark) == (whole.format, whole.benchmark)
    return whole


def is_json_lines(path):
    """Whether the file is one that is read in blocks."""
    try:
        return read_rows(path).streamed
    except UnknownFormat:
        return False


@pytest.mark.parametrize("name", [*MODULES, *NESTED_ROWS])
@up_to(150, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_blocks_of_any_size_give_what_the_whole_file_gives(tmp_path_factory, name, data):
    path = tmp_path_factory.getbasetemp() / "a-file.jsonl"
    path.write_bytes(data.draw(files((SOUND | NESTED_ROWS)[name])))
    folder = tmp_path_factory.getbasetemp() / "spilled"
    if is_json_lines(path):
        assert_same(path, benchmark_module(name), folder, data.draw(st.sampled_from([1, 7, 300, 1000, 100_000])))
    for spilled in folder.glob("*"):
        spilled.unlink()


@pytest.fixture(autouse=True)
def lowered(monkeypatch):
    """Every file counts as large."""
    monkeypatch.setattr(base, "LARGE", 1)


@pytest.fixture
def asked(monkeypatch):
    """The lines that are read value by value."""
    seen, real = [], typed.fields_of
    monkeypatch.setattr(typed, "fields_of", lambda row, *rest: seen.append(row.line) or real(row, *rest))
    return seen


@pytest.mark.parametrize("name", MODULES)
def test_only_odd_lines_are_read_value_by_value(tmp_path, asked, name):
    sound = {**SOUND[name], "extra": {"a": ['"\\', "é"]}}
    odd = {
        "prmbench": {"subject": 5},
        "socratic": {"error_steps": None},
        "stepwise": {"labels": [1, 0, 1]},
        "demo": {"earliest_error": 9.0},
    }.get(name, {"label": 9.0})
    values = [{**sound, IDS.get(name, "id"): f"sums-{number}"} for number in range(60)]
    for line in (7, 30):
        values[line - 1] |= odd
    raw = authored.json_lines(values).split(b"\n")
    raw[19] = raw[19][:-1]
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(b"\n".join(raw))
    whole = assert_same(path, MODULES[name], tmp_path / "spilled", 1500)
    assert whole.cases.height == 59
    del asked[:]
    in_blocks(path, MODULES[name], None, 1500)
    assert asked == [7, 30]


@pytest.mark.parametrize("name", MODULES)
def test_control_characters_cost_only_their_rows(tmp_path, asked, name):
    problem = MODULES[name].FORMAT.layout.content[0]
    texts = ["\\frac12 \\\\ \\b \\u0007", "é \u2026 \U0001f600", "\u202e turned", "a\x7fb", "\x0c", "fine"]
    path = tmp_path / "a-file.jsonl"
    values = [{**SOUND[name], IDS.get(name, "id"): f"x-{text}", problem: text} for text in texts]
    path.write_bytes(authored.json_lines(values))
    assert_same(path, MODULES[name], tmp_path / "spilled", 10**6)
    del asked[:]
    in_blocks(path, MODULES[name], None, 10**6)
    assert asked == [3, 4, 5]


@pytest.mark.parametrize("name", MODULES)
def test_empty_steps_are_noted_in_blocks_as_well(tmp_path, name):
    steps = MODULES[name].FORMAT.layout.content[1]
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(
        authored.json_lines([SOUND[name], {**SOUND[name], IDS.get(name, "id"): "x-1", steps: ["a", "", "b", "c", "d"]}])
    )
    whole = assert_same(path, MODULES[name], tmp_path / "spilled", 10**6)
    assert [one.line for one in whole.findings if one.code == "empty-step"] == [2]


def test_the_first_of_repeated_ids_counts_across_blocks(tmp_path):
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(authored.json_lines(authored.row(number % 4, label=number % 3) for number in range(12)))
    whole = assert_same(path, processbench, tmp_path / "spilled", 500)
    assert whole.cases.height == 4
    assert [one.line for one in in_blocks(path, processbench, None, 500).findings] == list(range(5, 13))


def test_twins_are_those_of_the_first_of_repeated_ids(tmp_path):
    numbers = [0, 1, 2, 0, 1, 3]
    values = [modified(number, "redundency", question=f"Row {at}?") for at, number in enumerate(numbers)]
    values[1] |= {"original_question": None}
    values[3] |= {"original_question": "Another?"}
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(authored.json_lines(values))
    whole = assert_same(path, prmbench, tmp_path / "spilled", 300)
    assert whole.twins.select("id", "twin_of", "line").rows() == [
        (f"correct_sum_{number}", f"prmbench/redundency_sum_{number}", line)
        for number, line in [(0, 1), (2, 3), (3, 6)]
    ]
    # All rows of an array may be on one line.
    array = rows_of(())
    for value in values:
        array.add(value, 1)
    assert prmbench.load(array).twins["problem"].to_list() == whole.twins["problem"].to_list()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (authored.json_lines(authored.rows(3)), True),
        (b"\xef\xbb\xbf" + authored.json_lines(authored.rows(3)), True),
        (b"\n\n" + authored.json_lines(authored.rows(3)), True),
        (b'{"cut": \n' + authored.json_lines(authored.rows(3)), False),
        (authored.json_lines(authored.rows(3)).decode().encode("utf-16"), False),
        (authored.json_lines(authored.rows(3)).decode().encode("utf-16-le"), False),
        (authored.json_array(authored.rows(3)), False),
        (b"[1]\n" + authored.json_lines(authored.rows(3)), False),
        (b'{"a":\n{}\n}\n{"a":\n{}\n}', False),
        (b"id,label\na,1\nb,2\n", False),
        (b"", False),
        (b"nothing at all", False),
    ],
)
def test_what_is_read_in_blocks(tmp_path, raw, expected):
    path = tmp_path / "a-file.jsonl"
    path.write_bytes(raw)
    assert is_json_lines(path) == expected


@pytest.mark.parametrize("name", MODULES)
def test_a_large_source_comes_with_its_texts_in_files(tmp_path, name):
    path = authored.write(tmp_path / "a-file.jsonl", [SOUND[name]])
    (imported,) = read_source(str(path), ReadOptions(folder=tmp_path / "spilled")).imported
    assert (imported.benchmark, imported.path) == (name, str(path))
    assert len(list((tmp_path / "spilled").glob("*.parquet"))) == 1
    (looked,) = read_source(str(path)).imported
    assert looked.cases.select(imported.cases.columns).equals(imported.cases)


def test_texts_that_cannot_be_written_are_one_sentence(tmp_path):
    path = authored.write(tmp_path / "a-file.jsonl", authored.rows(3))
    (tmp_path / "taken").write_text("no folder")
    with pytest.raises(UnwritableWorkspace, match="taken"):
        in_blocks(path, processbench, tmp_path / "taken", 1000)


@given(st.lists(st.tuples(st.lists(st.booleans() | st.none(), max_size=5) | st.none(), st.integers(1, 4))))
def test_labels_of_single_steps_become_the_earliest_error_and_all(rows):
    frame = pl.DataFrame(
        {"right": [right for right, _ in rows], "n": [n_steps for _, n_steps in rows]},
        schema={"right": pl.List(pl.Boolean), "n": pl.UInt32},
    )
    earliest, errors = base.labelled(pl.col("right"), pl.col("n"))
    read = frame.select(earliest=earliest, errors=errors).rows()
    for (right, n_steps), (first, wrong) in zip(rows, read, strict=True):
        labels = [*(right or []), *[None] * n_steps][:n_steps]
        named = [step for step, label in enumerate(labels) if label is False]
        complete = None not in labels
        assert first == (named[0] if named else -1 if complete else None)
        assert wrong == (named if complete else None)


def test_problems_have_stable_names():
    names = [base.problem_id(text) for text in ("What is 1 + 1?", "What is 1 + 1?", "What is 1 + 2?", "", "\ud800")]
    assert names[0] == names[1]
    assert len(set(names)) == 4
    assert {len(name) for name in names} == {12}
    frame = pl.DataFrame({"problem": ["What is 1 + 1?", None]})
    assert frame.select(base.problem_ids("problem"))["problem"].to_list() == [names[0], None]
