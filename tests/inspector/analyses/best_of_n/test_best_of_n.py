"""`best-of-n`: the document, the command, and responses of people's own from a file to a figure."""

import json
import random
import shlex

import numpy as np
import pytest

import making
import reference
import response_making
import response_reference
from authored import json_lines
from inspector.analyses import Params
from inspector.analyses.best_of_n.best_of_n import BEST_OF_N, best_of_n
from inspector.cli import main
from inspector.cli.command_flags import FORMS
from inspector.render.chart_blocks import Curve
from opened import opened
from scoring.data.errors import UsageError
from scoring.formats.benchmarks.case_format import Imported
from scoring.formats.reading.final_answers import boxed_answer
from scoring.metrics import answer_votes
from scoring.metrics.benchmark_metrics import metrics_of
from scoring.selection.loading import load
from scoring.selection.query import Query
from scoring.workspace.cache import RewardParts
from screen_text import press, rests
from thoroughness import together

NAMES = ("good", "other", "partial")


def study(seed=0):
    """Problems in two subsets with four responses each, as three scorers scored them; the last left some out."""
    rng = random.Random(seed)
    found = {name: [] for name in NAMES}
    for number in range(12):
        right = [rng.random() < 0.5 for _ in range(4)]
        for name in NAMES:
            rewards = [tuple(rng.choice((0.2, 0.5, 0.9)) for _ in range(rng.randint(1, 3))) for _ in right]
            gaps = [None if name == "partial" and number < 3 else one for one in rewards]
            found[name].append((("gsm8k", "math")[number % 2], list(zip(gaps, right, strict=True))))
    # The steps are those of the case, so all scorers need as many rewards.
    for name in NAMES[1:]:
        found[name] = [
            (
                subset,
                [(trimmed(rewards, model, rng), right) for (rewards, right), (model, _) in zip(one, two, strict=True)],
            )
            for (subset, one), (_, two) in zip(found[name], found["good"], strict=True)
        ]
    return found


def trimmed(rewards, model, rng):
    return None if rewards is None else tuple(rng.choice((0.1, 0.4, 0.8)) for _ in model)


def workspace(root, found, **also):
    cases, columns = response_making.flat(found["good"])
    scorers = [(making.scorer(name), response_making.flat(found[name])[0]) for name in found]
    return making.workspace(root, cases, scorers, "candidates", **columns, **also)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("it's responses")
    workspace(root, study())
    return str(root)


def cells(document):
    keys = ("scorer", "benchmark", "subset", "aggregation", "metric", "of")
    found = {tuple(row[key] for key in keys): row for row in document.rows.iter_rows(named=True)}
    assert len(found) == document.rows.height
    return found


def expected(found, name, aggregation, subset=None, n=4):
    values = []
    for own, responses in found[name]:
        if subset in {None, own}:
            rewards, right = zip(*responses, strict=True)
            values.append(response_reference.best_of(response_reference.scores(aggregation, rewards), right, n))
    return float(np.mean(values))


def test_rows_are_in_long_form_and_say_how_they_came_to_be(root):
    document = best_of_n.view(load(Query(workspace=root, seed=3)))
    assert document.rows.columns == list(BEST_OF_N)
    facts = document.provenance
    assert facts["coverage"]["good"] == {"candidates": "12 of 12 problems"}
    assert facts["coverage"]["partial"] == {"candidates": "9 of 12 problems"}
    assert facts["seed"] == 3
    assert any(note.startswith("shifted_product: ") for note in facts["notes"])


def test_values_are_those_of_plain_loops(root):
    found, rows = study(), cells(best_of_n.view(load(Query(workspace=root))))
    for name in NAMES[:2]:
        for aggregation in response_reference.SCORES:
            for subset in ("gsm8k", "math"):
                value = rows[name, "candidates", subset, aggregation, "prm@n", 4]["value"]
                assert value == pytest.approx(expected(found, name, aggregation, subset))
            both = [expected(found, name, aggregation, subset) for subset in ("gsm8k", "math")]
            average = rows[name, "candidates", "average", aggregation, "prm@n", 4]
            assert average["value"] == pytest.approx(np.mean(both))
        for n in (1, 2):
            value = rows[name, "candidates", "all", "min", "prm@n", n]["value"]
            assert value == pytest.approx(expected(found, name, "min", n=n))
    row = rows["partial", "candidates", "all", "product", "prm@n", 4]
    assert (row["n"], row["left_out"]) == (9, 3)


def test_over_scorers_are_those_that_scored_every_problem(root):
    found, rows = study(), cells(best_of_n.view(load(Query(workspace=root))))
    values = [expected(found, name, "mean") for name in NAMES[:2]]
    row = rows[None, "candidates", "all", "mean", "prm@n_sd", 4]
    assert (row["n"], row["value"]) == (2, pytest.approx(np.std(values)))
    row = rows[None, "candidates", "all", "mean", "prm@n_somers_d_prmscore", 4]
    assert (row["n"], row["value"]) == (0, None)
    assert row["reason"] == "fewer than 3 scorers have both prm@n of every problem and prmscore"
    one = cells(best_of_n.view(load(Query(workspace=root, scorers=("good",)))))
    row = one[None, "candidates", "all", "mean", "prm@n_sd", 4]
    assert (row["value"], row["reason"]) == (None, "fewer than two scorers scored every problem")


def test_prmscore_and_f1_are_held_against_it(tmp_path):
    found = {name: study()["good"] if name == "good" else study()["other"] for name in NAMES[:2]}
    made = workspace(tmp_path / "w", found)
    for benchmark in ("prmbench", "processbench"):
        cases, scorers = making.study(n=60)
        frame = making.full_frame(cases, benchmark, problem=[f"{benchmark} {index}" for index in range(60)])
        made.add([Imported(benchmark, "made.jsonl", "made", "0-based", frame.height, frame, ())])
        for name, (_, rows) in zip(NAMES[:2], scorers, strict=False):
            RewardParts(tmp_path / "w" / "rewards" / making.scorer(name).folder).append(
                making.rewards(rows, frame["key"])
            )
    results = load(Query(workspace=str(tmp_path / "w"), where=("benchmark = 'candidates'",)))
    rows = cells(best_of_n.view(results))
    for benchmark, metric, subset in (("prmbench", "prmscore", "all"), ("processbench", "f1", "average")):
        within = (results.cases["benchmark"] == benchmark).to_numpy()
        unparsed = results.unparsed(benchmark)
        x = [metrics_of(benchmark).score(results.evaluation(name), within, unparsed) for name in NAMES[:2]]
        assert None not in x
        assert [rows[name, benchmark, subset, None, metric, None]["value"] for name in NAMES[:2]] == x
        row = rows[None, "candidates", "all", "min", f"prm@n_somers_d_{metric}", 4]
        # Of two scorers it would be 1, 0 or -1, whatever their figures.
        assert (row["value"], row["n"]) == (None, 2)
        assert row["reason"].startswith("fewer than 3 scorers have both")
        spread = rows[None, benchmark, subset, None, f"{metric}_sd", None]
        assert (spread["value"], spread["n"]) == (pytest.approx(np.std(x)), 2)


# In other forms the pages beside the first are printed.
@pytest.mark.parametrize(("n", "form"), [(None, "json"), (2, "markdown")])
def test_the_command_prints_the_document_and_its_footer_makes_it_again(root, n, form, capsysbinary):
    document = best_of_n.view(load(Query(workspace=root, seed=3, baselines=True)), Params(options={"of": n}, form=form))
    assert main(shlex.split(document.provenance["command"])[1:]) == 0
    assert capsysbinary.readouterr().out == document.render(form).encode()


def test_a_terminal_gets_a_line_a_scorer_and_aggregation(root, capsys):
    assert main(["best-of-n", "-w", root, "--baselines"]) == 0
    said = capsys.readouterr()
    lines = [line.split() for line in said.out.splitlines()]
    assert ["partial", "shifted_product"] in [line[:2] for line in lines]
    assert ["(no", "scorer)", "pass@n"] in [line[:3] for line in lines]
    assert "3 of 12" in said.out
    assert "verdicts or labels without numbers rank nothing" in said.out
    assert "12 problems, 48 responses (12 with 4)." in said.out


def test_a_filter_chooses_among_what_it_shows(root):
    rows = cells(best_of_n.view(load(Query(workspace=root, where=("id <> 'c0'",), subsets=("gsm8k",)))))
    sizes = {(key[2], key[5]): row["value"] for key, row in rows.items() if key[4] == "problems"}
    assert sizes == {("gsm8k", 3): 1.0, ("gsm8k", 4): 5.0, ("all", 3): 1.0, ("all", 4): 5.0}
    assert rows[None, "candidates", "all", None, "pass@n", None]["n"] == 6


# -- what there is nothing to say of


@pytest.mark.parametrize(
    ("columns", "n", "told"),
    [
        ({"final_answer_correct": [None] * 4, "problem_id": ["1", "1", "2", "2"]}, None, "of no shown case"),
        ({"final_answer_correct": [True] * 4, "problem_id": ["1", "2", "3", "4"]}, None, "no shown problem has two"),
        ({"final_answer_correct": [True] * 4, "problem_id": ["1", "1", "1", "2"]}, 4, "no shown problem has 4"),
        ({"final_answer_correct": [True] * 4, "problem_id": ["1", "1", "1", "2"]}, 0, "out of 0 responses"),
    ],
)
def test_without_responses_there_is_one_sentence_and_exit_code_2(tmp_path, columns, n, told, capsys):
    cases = [making.reference.Case(1, -1, (0.5,))] * 4
    making.workspace(tmp_path / "w", cases, [(making.scorer(), cases)], **columns)
    with pytest.raises(UsageError, match=told):
        best_of_n.view(load(Query(workspace=str(tmp_path / "w"))), Params(options={"of": n}))
    words = [] if n is None else ["--of", str(n)]
    assert main(["best-of-n", "-w", str(tmp_path / "w"), *words]) == 2
    said = capsys.readouterr()
    assert (said.out, len(said.err.splitlines())) == ("", 1)


def test_oddities_are_told(tmp_path, capsys):
    cases = [making.reference.Case(1, -1, (-0.5,))] * 5
    columns = {
        "problem_id": ["1", "1", "1", "2", "3"],
        "final_answer_correct": [True, False, None, True, False],
        "generator": ["a", "b", None, "a", "a"],
        "steps": [[r"\boxed{7}"]] * 5,
    }
    making.workspace(tmp_path / "w", cases, [(making.scorer("negative"), cases)], **columns)
    assert main(["best-of-n", "-w", str(tmp_path / "w")]) == 0
    printed = [
        line for line in capsys.readouterr().out.splitlines() if line.startswith(("1 problems", "bench:", "neg"))
    ]
    assert [line for line in printed if "  " not in line] == [
        "1 problems, 2 responses (1 with 2).",
        "bench: 2 problems with one response are left out: nothing is chosen there.",
        "bench: 1 responses are left out: their final answer is neither right nor wrong.",
        "bench: right and wrong responses in 1 of 1 problems: the choice matters there alone.",
        "bench: 1 problems have responses of several generators, and the best of all is chosen.",
        "bench: in 1 problems one answer is labelled right and wrong; votes count the share that is right.",
        "negative on bench: 2 step rewards are below 0, so that products change sign.",
    ]


def test_responses_without_an_answer_do_not_vote_and_are_counted(tmp_path, capsys):
    """As in `maj1`: nine right responses, of which three have an answer in a box."""
    cases = [making.reference.Case(1, -1, (0.5,))] * 9
    columns = {
        "problem_id": [f"{number}" for number in range(3) for _ in range(3)],
        "final_answer_correct": [True] * 9,
        "steps": [
            [rf"\boxed{{{number}}}"] if not place else ["It is so."] for number in range(3) for place in range(3)
        ],
    }
    making.workspace(tmp_path / "w", cases, [(making.scorer("s"), cases)], **columns)
    rows = best_of_n.view(load(Query(workspace=str(tmp_path / "w")))).rows
    votes = rows.filter(rows["metric"].is_in(["maj@n", "weighted@n"]))
    assert set(votes["of"]) == {1, 2, 3}
    assert set(votes["value"]) == {1.0}
    assert main(["best-of-n", "-w", str(tmp_path / "w")]) == 0
    assert "6 of 9 responses have no readable answer" in capsys.readouterr().out


# -- people's own responses


def own_rows(problems=6, responses=4, seed=1):
    rng = random.Random(seed)
    rows = []
    for problem in range(problems):
        for number in range(responses):
            right = rng.random() < 0.5
            answer = problem if right else problem + rng.randint(1, 2)
            steps = [f"Let {number} be.", rf"So it is \boxed{{{answer}}}."]
            rewards = [rng.choice((0.2, 0.6, 0.9)), round(rng.random(), 3)]
            row = {"problem": f"How much is {problem}?", "steps": steps, "is_correct": right}
            rows.append({**row, "answer": str(answer), "scores": rewards})
    return rows


@pytest.mark.parametrize("mapped", [False, True])
def test_a_table_of_responses_becomes_figures(tmp_path, mapped, capsys):
    rows, path = own_rows(), tmp_path / "candidates.jsonl"
    path.write_bytes(json_lines(rows))
    words = []
    if mapped:
        mapping = {
            "format": 1,
            "benchmark": "mine",
            "problem": "problem",
            "steps": "steps",
            "rewards": {"prm": "scores"},
        }
        (tmp_path / "mapping.json").write_text(json.dumps({**mapping, "final_answer_correct": "is_correct"}))
        words = ["--mapping", str(tmp_path / "mapping.json")]
    assert main(["import", str(path), *words, "-w", str(tmp_path / "w")]) == 0
    capsys.readouterr()
    assert main(["best-of-n", "-w", str(tmp_path / "w"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["rows"]
    value = {
        (row["scorer"], row["aggregation"], row["metric"], row["of"]): row["value"]
        for row in found
        if row["subset"] == "all"
    }
    problems = [rows[start : start + 4] for start in range(0, len(rows), 4)]
    scorer = "prm" if mapped else "candidates"
    for name in response_reference.SCORES:
        best = []
        for problem in problems:
            scores = response_reference.scores(name, [tuple(one["scores"]) for one in problem])
            best.append(problem[response_reference.first_best(scores)]["is_correct"])
        assert value[scorer, name, "prm@n", 4] == pytest.approx(np.mean(best))
    votes = [
        response_reference.vote([one["answer"] for one in problem], [one["is_correct"] for one in problem])
        for problem in problems
    ]
    assert value[None, None, "maj@n", 4] == pytest.approx(float(sum(votes)) / len(votes))


def test_no_note_is_about_a_rule_where_no_verdict_counts(root, tmp_path):
    asked = {"rules": ((None, "<="),), "thresholds": ((None, "0.3"), (None, "0.4"))}
    bare = best_of_n.view(load(Query(workspace=root))).provenance["notes"]
    assert best_of_n.view(load(Query(workspace=root, **asked))).provenance["notes"] == bare
    cases = [reference.Case(2, -1, (0.9, 0.9)), reference.Case(2, 0, (0.1, 0.9))]
    frame = making.full_frame(cases, "processbench", problem=["one", "two"])
    made = workspace(tmp_path / "w", study())
    made.add([Imported("processbench", "made.jsonl", "made", "0-based", frame.height, frame, ())])
    RewardParts(tmp_path / "w" / "rewards" / making.scorer("good").folder).append(making.rewards(cases, frame["key"]))
    notes = best_of_n.view(load(Query(workspace=str(tmp_path / "w"), **asked))).provenance["notes"]
    assert "--threshold 0.3 is overridden by 0.4 for every scorer" in notes


def test_without_intervals_all_else_is_there(root):
    results = load(Query(workspace=root))
    quick, whole = (best_of_n.view(results, intervals=intervals).rows for intervals in (False, True))
    assert quick["low"].null_count() == quick.height
    assert quick.drop("low", "high").equals(whole.drop("low", "high"))


# -- pages beside the first


def solved(number, rng):
    """A problem's row: eight completions with answers among which 12 is right, one without an answer."""
    answers = [rng.choice(("12", "12", "13", "14")) for _ in range(7)] + [None]
    scores = [[rng.choice((0.2, 0.5, 0.9)) for _ in range(2)] for _ in answers]
    return response_making.search_and_learn_row(number, answers, scores)


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A workspace made of a file of search-and-learn alone, and the file's rows with the answers of each."""
    rng, folder = random.Random(4), tmp_path_factory.mktemp("searched")
    rows = [solved(number, rng) for number in range(9)]
    (folder / "best_of_n_completions.jsonl").write_bytes(json_lines(rows))
    assert main(["import", str(folder / "best_of_n_completions.jsonl"), "-w", str(folder / "w")]) == 0
    return str(folder / "w"), rows


def completions(row):
    """Answers, rewards, and whether right; the last number of a step is an answer where no other is stated."""
    answers = [boxed_answer([text]) or text.split("We take ")[1][0] for text in row["completions"]]
    return answers, row["scores"], [answer == "12" for answer in answers]


def asked(root, page, **options):
    return best_of_n.view(load(Query(workspace=root, seed=3)), Params(page, options))


def test_a_file_of_search_and_learn_alone_has_the_figures_of_its_code(searched):
    root, rows = searched
    found = {(row["metric"], row["of"]): row for row in asked(root, "protocols").rows.iter_rows(named=True)}
    for n in (1, 2, 4, 8):
        each = [response_reference.search_and_learn(*completions(row), n) for row in rows]
        for metric, values in zip(("pred_naive", "pred_weighted", "pred_maj"), zip(*each, strict=True), strict=True):
            assert found[metric, n]["value"] == pytest.approx(np.mean(values))
            assert found[metric, n]["n"] == len(rows)
    assert "the first response is not right" in found["score", None]["reason"]


@pytest.mark.parametrize("by", ["product", "last"])
def test_lost_problems_are_those_where_a_right_response_is_not_chosen(searched, by):
    root, rows = searched
    document = asked(root, "lost", aggregation=by)
    expected = {}
    for row in rows:
        answers, rewards, right = completions(row)
        scores = response_reference.scores(by, [tuple(steps) for steps in rewards])
        best = response_reference.first_best(scores)
        if any(right) and not right[best]:
            good = [at for at, correct in enumerate(right) if correct]
            top = good[response_reference.first_best([scores[at] for at in good])]
            before = sum((scores[at], -at) > (scores[top], -top) for at in range(len(right)) if not right[at])
            vote = {0: False, 1: True}.get(response_reference.vote(answers, right))
            name = row["unique_id"]
            expected[name] = (sum(right), f"{name}/{best}", f"{name}/{top}", before, vote)
    assert 0 < len(expected) < len(rows)
    found = {
        row["problem_id"]: (
            row["right"],
            row["chosen"].partition("/")[2],
            row["best_right"].partition("/")[2],
            row["before"],
            row["majority"],
        )
        for row in document.rows.iter_rows(named=True)
    }
    assert found == expected
    assert document.rows["right"].to_list() == sorted(document.rows["right"].to_list(), reverse=True)
    assert document.sections[0].blocks[0].text.startswith(f"{len(expected)} of {len(rows)} problems are lost")


def test_the_responses_to_one_problem_stand_in_the_order_of_their_scores(searched):
    root, rows = searched
    row = rows[5]
    answers, rewards, right = completions(row)
    document = asked(root, "problem", problem=row["unique_id"], aggregation="mean")
    scores = response_reference.scores("mean", [tuple(steps) for steps in rewards])
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], at))
    assert document.rows["case"].str.split("/").list.last().cast(int).to_list() == order
    assert document.rows["right"].to_list() == [right[at] for at in order]
    assert document.rows["score"].to_list() == pytest.approx([scores[at] for at in order])
    assert document.rows["by_last"].to_list() == [rewards[at][-1] for at in order]
    assert document.rows["answer"].to_list() == [answers[at] for at in order]
    assert document.rows["rank"].to_list() == list(range(1, len(order) + 1))
    # Without a name it is the first that is lost.
    lost = asked(root, "lost").rows["problem_id"][0]
    assert asked(root, "problem").rows["problem_id"].unique().to_list() == [lost]
    with pytest.raises(UsageError, match="no shown problem is called 'nobody'"):
        asked(root, "problem", problem="nobody")


PAGES = [page.name for page in best_of_n.pages]


@pytest.mark.parametrize(("which", "page"), together(["searched", "root"], PAGES))
def test_links_open_as_many_cases_as_they_say_and_intervals_move_nothing(request, which, page):
    made = request.getfixturevalue(which)
    results = load(Query(workspace=made if which == "root" else made[0]))
    quick, whole = (best_of_n.view(results, Params(page), intervals=intervals) for intervals in (False, True))
    bounds = [name for name in ("low", "high") if name in whole.rows.columns]
    assert quick.rows.drop(bounds).equals(whole.rows.drop(bounds))
    links = list(whole.links())
    assert bool(links) == (page in {"lost", "problem"})
    for link in links:
        assert (results.mask & results.evaluated.passing(link.where)).sum() == link.n


def test_the_command_of_one_problem_names_it_where_nobody_chose_one(searched, capsysbinary):
    """The screen opens on the first that is lost."""
    document = best_of_n.view(load(Query(workspace=searched[0])), Params("problem", form="csv"))
    assert "--problem" in document.provenance["command"]
    assert main(shlex.split(document.provenance["command"])[1:]) == 0
    assert capsysbinary.readouterr().out == document.render("csv").encode()


@pytest.mark.parametrize(("page", "form"), together(PAGES[1:], FORMS))
def test_every_page_is_printed_as_the_command_of_its_footer_prints_it(searched, page, form, capsysbinary):
    root, rows = searched
    told = {"problem": rows[2]["unique_id"]} if page == "problem" else {}
    document = best_of_n.view(load(Query(workspace=root, seed=3)), Params(page, told, form=form))
    assert main(shlex.split(document.provenance["command"])[1:]) == 0
    assert capsysbinary.readouterr().out == document.render(form).encode()


def test_curves_go_through_the_figures_and_the_way_that_is_asked_for_is_first(searched):
    root, _ = searched
    document = asked(root, "choice", aggregation="last")
    rows = cells(document)
    (chart,) = [block for block in document.blocks() if isinstance(block, Curve)]
    assert [line.name for line in chart.series] == [
        *("last", "product", "min", "mean", "weighted@n by last", "maj@n", "pass@n"),
    ]
    for line in chart.series[:4]:
        values = [
            rows["best_of_n_completions", "best_of_n_completions", "all", line.name, "prm@n", int(n)] for n in line.xs
        ]
        assert list(line.ys) == [row["value"] for row in values]
    assert list(chart.series[-1].xs) == [1, 2, 4, 8]
    assert [line.low is not None for line in chart.series] == [True, *[False] * 6]
    # A vote of one response is a random one.
    starts = {round(float(line.ys[0]), 12) for line in chart.series}
    assert starts == {round(rows[None, "best_of_n_completions", "all", None, "mean@1", 1]["value"], 12)}


def test_answers_that_are_in_no_box_are_those_of_the_file(searched):
    root, rows = searched
    value = cells(asked(root, "choice"))[None, "best_of_n_completions", "all", None, "maj@n", 8]
    votes = [float(response_reference.vote(*completions(row)[::2])) for row in rows]
    assert (value["value"], value["n"]) == (pytest.approx(np.mean(votes)), len(rows))


def test_drawn_votes_are_marked_where_they_stand(searched, monkeypatch):
    root, _ = searched
    exact = best_of_n.view(load(Query(workspace=root)))
    assert exact.rows["sampling_error"].null_count() == exact.rows.height
    assert "≈" not in exact.render("markdown")
    monkeypatch.setattr(answer_votes, "MOST_CHOICES", 30)
    drawn = best_of_n.view(load(Query(workspace=root)))
    errors = drawn.rows.filter(drawn.rows["sampling_error"].is_not_null())
    assert set(errors.select("metric", "of").unique().rows()) == {("weighted@n", 4)}
    text = drawn.render("markdown")
    lines = [line for line in text.splitlines() if "votes by" in line]
    assert lines
    assert all(line.count("≈") == 1 for line in lines)
    # In the chart's names, and explained under the table.
    (chart,) = [block for block in drawn.blocks() if isinstance(block, Curve)]
    assert "weighted@n by last ≈" in [line.name for line in chart.series]
    assert "\n≈ mean over " in text
    assert "sampling_error" in drawn.render("csv")
    both = (cells(document) for document in (exact, drawn))
    for here, there in zip(*(side.values() for side in both), strict=True):
        if here["value"] is not None:
            assert there["value"] == pytest.approx(here["value"], abs=2 * (there["sampling_error"] or 0) + 1e-12)


def test_texts_of_a_file_do_not_act(tmp_path, capsys):
    rng, bad = random.Random(5), "\x1b[31337m[red]|&<b>"
    rows = []
    for number in range(4):
        made = response_making.search_and_learn_row(number, (bad, "12", "13"), [[rng.random(), 0.5] for _ in range(3)])
        rows.append({**made, "unique_id": f"{bad}{number}", "problem": f"{bad} {number}"})
    path = tmp_path / "rows.jsonl"
    path.write_bytes(json_lines(rows))
    assert main(["import", str(path), "-w", str(tmp_path / "w")]) == 0
    results = load(Query(workspace=str(tmp_path / "w")))
    for page, words in (
        ("", []),
        ("lost", ["--lost"]),
        ("protocols", ["--protocols"]),
        ("problem", ["--problem", rows[0]["unique_id"]]),
    ):
        assert main(["best-of-n", "-w", str(tmp_path / "w"), *words]) == 0
        printed = capsys.readouterr()
        assert "\x1b" not in printed.out + printed.err
        document = best_of_n.view(results, Params(page, {"problem": words[1]} if page == "problem" else {}))
        for form in ("markdown", "html", "latex"):
            text = document.render(form)
            assert "\x1b" not in text
            assert form != "html" or "<b>" not in text


@pytest.mark.parametrize("page", ["lost", "problem"])
def test_without_a_number_of_any_scorer_nothing_is_lost(tmp_path, page):
    cases, columns = response_making.flat(study()["good"])
    making.workspace(tmp_path / "w", cases, [], "candidates", **columns)
    with pytest.raises(UsageError, match="no scorer has a number"):
        best_of_n.view(load(Query(workspace=str(tmp_path / "w"))), Params(page))


async def test_a_lost_problem_opens_its_responses(searched):
    root, _ = searched
    async with opened(Query(workspace=root), size=(120, 40)) as pilot:
        await press(pilot, "g", "n")
        text = await rests(pilot, "[which is chosen]", "Which response is chosen")
        assert "l last" in text
        await press(pilot, "right_square_bracket")
        await rests(pilot, "[as others count]", "pred_weighted", "first 8")
        await press(pilot, "right_square_bracket")
        text = await rests(pilot, "[problems lost]", "Lost by product")
        assert "of 9 problems are lost" in text
        await press(pilot, "right_square_bracket")
        await rests(pilot, "[one problem]", "responses  right", "rank")
        await press(pilot, "left_square_bracket")
        await rests(pilot, "[problems lost]", "Lost by product")
        await press(pilot, "j", "enter")
        await rests(pilot, "8 of 72 cases", "filter responses to one problem")
