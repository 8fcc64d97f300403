"""The contested labels of MR-MATH, against plain Python on the columns of its cases; nothing of it is written to."""

import math
from collections import Counter
from hashlib import blake2b

import pytest

from inspector.cli import main
from published_spaces import mr_math
from scoring.selection.loading import load
from scoring.selection.query import split
from views import contested_view


@pytest.fixture(scope="module")
def query(tmp_path_factory, data_folder):
    return mr_math(tmp_path_factory.mktemp("mr-math") / "w", data_folder)


def plain(results):
    """Verdict, lead and share of every case that is contested, reckoned case by case."""
    cases = results.evaluated.table(results.evaluated.columns).to_dicts()
    families = {
        one.scorer.name: one.scorer.family for one in results.evaluations if one.scorer.kind in {"prm", "critic"}
    }
    found = {}
    for case in cases:
        behind, weighing = Counter(), 0
        for name, family in families.items():
            said = case[f"{name}.verdict"]
            if said is None or not -1 <= said < case["n_steps"]:
                continue
            others = [other for other in cases if other["problem_id"] != case["problem_id"]]
            right = sum(other[f"{name}.outcome"] in {"exact", "clean"} for other in others)
            siblings = [
                one
                for one in families
                if (one == name or (family and families[one] == family))
                and case[f"{one}.verdict"] is not None
                and -1 <= case[f"{one}.verdict"] < case["n_steps"]
            ]
            odds = math.log((right + 1) / (len(others) - right + 1))
            behind[said] += max(0, odds) / len(siblings)
            weighing += odds > 0
        ranked = behind.most_common(2)
        if weighing >= 2 and (len(ranked) < 2 or not math.isclose(ranked[0][1], ranked[1][1])):
            said, weight = ranked[0]
            gold = case["earliest_error"]
            if said != gold:
                found[case["case"]] = (said, weight - behind[gold], weight / sum(behind.values()))
    return found


def test_every_contested_label_is_reckoned_again(query):
    results = load(query)
    rows = contested_view(results).rows
    expected = plain(results)
    assert len(expected) > 20
    assert set(rows["case"]) == set(expected)
    assert rows["rank"].to_list() == list(range(1, rows.height + 1))
    assert rows["lead"].is_sorted(descending=True)
    for row in rows.iter_rows(named=True):
        assert row["contested_by"] == "consensus"
        assert (row["consensus"], row["lead"], row["share"]) == pytest.approx(expected[row["case"]])
        assert len(split(row["scorers"])) == row["votes"]
        assert row["because"].startswith(f"{row['votes']} of {row['voters']} scorers say")


def test_every_row_says_why(query):
    assert contested_view(load(query)).rows["because"].null_count() == 0


def test_nothing_is_written_to(query, data_folder, capsys):
    folders = (data_folder / "mr-math", load(query).loaded.workspace.root)

    def digests():
        files = (path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file())
        return {path: blake2b(path.read_bytes()).hexdigest() for path in files}

    before = digests()
    assert main(["contested", "-w", query.workspace, "--json"]) == 0
    assert "does not vote: one number a solution" in capsys.readouterr().out
    assert {path: digest for path, digest in digests().items() if path in before} == before
