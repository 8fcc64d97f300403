"""Reports where something is missing: each part says what, and no part says more than there is."""

import pytest
from msgspec.structs import replace

import making
import reference
from inspector.analyses.report.document import Choices, report_document
from inspector.render.blocks import Bullets, CaseBlock
from report_parts import Parts
from scoring.formats.benchmarks.case_format import Imported
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts

CASES, SCORERS = making.study(n=30)


def told(root, **asked):
    """The texts of a report, which in both forms can be made."""
    document = report_document(load(Query(workspace=str(root), **asked)), Choices(5))
    assert document.render("markdown").startswith("# ")
    found = Parts(document.render("html"))
    assert found.wrong == []
    return document, found.text


def test_scorers_of_different_benchmarks(tmp_path):
    made = making.workspace(tmp_path / "w", CASES, SCORERS[:1])
    other = making.full_frame(CASES[:20], "second", problem=[f"other {number}" for number in range(20)])
    made.add([Imported("second", "o.jsonl", "o", "0-based", other.height, other, ())])
    only = making.scorer("only-second")
    only.save(made.root / "rewards" / only.folder)
    RewardParts(made.root / "rewards" / only.folder).append(making.rewards(SCORERS[0][1][:20], other["key"]))
    document, text = told(made.root)
    for name in ("gpt4", "only-second"):
        assert f"No comparison: it needs two scorers, and {name} is the only scorer with a verdict here." in text
    boards = next(section for section in document.report.sections if section.anchor == "board").parts
    assert [[line[0].value for line in part.blocks[0].rows] for part in boards] == [["gpt4"], ["only-second"]]
    assert "Standings" not in text


def test_nothing_is_said_to_be_right_where_no_gold_label_is(tmp_path):
    cases = [reference.Case(3, None, (0.9, 0.2, 0.8)) for _ in range(6)]
    making.workspace(tmp_path / "w", cases, [(making.scorer(name), cases) for name in ("x", "y")])
    _, text = told(tmp_path / "w")
    assert "5 of 6 cases, in the order of the file." in text
    assert "predicted step 1; the gold labels name no step" in text
    assert "No scorer has a figure here." in text
    assert "fails on" not in text
    assert "every case right" not in text


def test_scorers_that_refused_everything(tmp_path):
    refused = [replace(case, rewards=None, refused="over length") for case in CASES]
    making.workspace(tmp_path / "w", CASES, [(making.scorer(name), refused) for name in ("x", "y")])
    document, text = told(tmp_path / "w")
    assert "and no scorer has a verdict here." in text
    assert "refused: over length" in text
    sections = next(section for section in document.report.sections if section.anchor == "cases").parts
    block = sections[0].blocks[0]
    assert isinstance(block, CaseBlock)
    assert ([name for name, _, _ in block.outcomes], block.others, block.scorers) == (["x", "y"], "", ())


def test_a_scorer_that_is_always_right(tmp_path):
    cases = [reference.Case(1, -1, (0.9,)), reference.Case(1, 0, (0.1,))]
    making.workspace(tmp_path / "w", cases, [(making.scorer("x"), cases)])
    _, text = told(tmp_path / "w")
    assert "x fails on no case with a verdict." in text


@pytest.mark.parametrize("asked", [{"rules": ((None, "diff<="),), "unparsed": "drop"}, {"protocol": "grben"}])
def test_rewards_beyond_the_range_of_their_scorer(tmp_path, asked):
    cases = [reference.Case(2, number - 1, (1e9, -1e9)) for number in (0, 1, 2)]
    scorers = [(making.scorer("x", high=0.0), cases), (making.scorer("z", low=-1.0, threshold=-5.0), cases)]
    making.workspace(tmp_path / "w", cases, scorers)
    _, text = told(tmp_path / "w", **asked)
    assert "--r:1" in text
    assert "--r:0" in text


@pytest.mark.parametrize("asked", [{"baselines": True, "by": ("subset",)}, {"subsets": ("two words",), "seed": 3}])
def test_other_requests_make_a_report(tmp_path, asked):
    making.workspace(tmp_path / "w", CASES, SCORERS, **making.labels(CASES))
    document, text = told(tmp_path / "w", **asked)
    assert document.provenance["command"] in text
    assert "How this was made" in text


@pytest.mark.parametrize("wish", ["best", "dev"])
def test_other_thresholds(tmp_path, wish):
    making.workspace(tmp_path / "w", CASES * 3, [(one, rows * 3) for one, rows in SCORERS])
    _, text = told(tmp_path / "w", scorers=("gpt4",), thresholds=(("gpt4", wish),))
    assert ("Optimistic: the threshold of gpt4" in text) == (wish == "best")


def test_what_could_not_be_read_is_in_the_report(tmp_path):
    made = making.workspace(tmp_path / "w", CASES, SCORERS)
    (made.root / "rewards" / SCORERS[0][0].folder / "part-broken.parquet").write_bytes(b"no Parquet")
    _, text = told(made.root)
    assert "part-broken.parquet" in text


def test_the_notes_of_a_benchmark_stand_in_its_own_part(tmp_path):
    cases = [*CASES, reference.Case(3, None, (0.9, 0.2, 0.8))]
    made = making.workspace(tmp_path / "w", cases, [(one, [*rows, cases[-1]]) for one, rows in SCORERS])
    other = making.full_frame(CASES, "second")
    made.add([Imported("second", "o.jsonl", "o", "0-based", other.height, other, ())])
    document, _ = told(made.root)
    parts = next(section for section in document.report.sections if section.anchor == "compare").parts
    said = [
        " ".join(item for block in part.blocks if isinstance(block, Bullets) for item in block.items) for part in parts
    ]
    assert ["has no gold label of a first error" in one for one in said] == [True, False]
