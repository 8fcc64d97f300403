"""`report` as a shell sees it: where it goes, what it holds when something is missing, and how large it is."""

import random
import shlex

import pytest
from msgspec.structs import replace

import making
import reference
from inspector.analyses.report import chosen_cases
from inspector.analyses.report.document import Choices, report_document
from inspector.cli import main
from inspector.render.blocks import CaseBlock
from report_parts import Parts
from scoring.data.errors import UsageError
from scoring.evaluation.instructive import instructive
from scoring.formats.benchmarks.demo import NAME
from scoring.selection.loading import load
from scoring.selection.query import Query

DEMO = ("--benchmark", NAME)
TWO = ("blend", "ledger")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.delenv("PRM_INSPECT_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def called(capsys):
    def call(*words):
        code = main(words)
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    root = tmp_path_factory.mktemp("study") / "w"
    making.workspace(root, *making.study(n=30))
    return Query(workspace=str(root))


def text(path):
    found = Parts(path.read_text())
    assert found.wrong == []
    return found.text


def cases(found):
    """The blocks of the chosen cases, and the sentence about the choice."""
    section = next(one for one in found.report.sections if one.anchor == "cases")
    blocks = [block for part in section.parts for block in part.blocks]
    assert all(isinstance(block, CaseBlock) for block in blocks)
    return blocks, section.blocks[0].text


def test_the_command_in_a_report_makes_the_same_bytes(called, tmp_path):
    words = ("--scorer", "blend", "--where", "n_steps > 9", "--cases", "2", "--title", 'a "title" <x>')
    assert called("report", *DEMO, *words, "-o", "first.html") == (0, "", "Wrote first.html, 0.1 MB\n")
    found = report_document(
        load(Query(benchmarks=(NAME,), scorers=("blend",), where=("n_steps > 9",))), Choices(2, 'a "title" <x>')
    )
    command = found.provenance["command"]
    assert command in Parts((tmp_path / "first.html").read_text()).texts
    assert called(*shlex.split(command)[1:], "-q") == (0, "", "")
    assert (tmp_path / "report.html").read_bytes() == (tmp_path / "first.html").read_bytes()


def test_markdown_goes_to_stdout_or_into_a_file(called, tmp_path):
    words = ("report", *DEMO, "--scorer", "blend", "--scorer", "ledger", "--where", "n_steps > 9", "--cases", "1")
    code, out, _ = called(*words, "--markdown")
    assert code == 0
    assert out.startswith("# demo: 2 scorers\n")
    assert called(*words, "-o", "x.md", "-q")[0] == 0
    assert (tmp_path / "x.md").read_text() == out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "a report is a file. Name it: -o report.html"),
        (("-o", "x.pdf"), "A browser prints report.html as PDF."),
        (("-o", "x.csv"), "Name it report.html or report.md."),
        (("-o", "report"), "Name it report.html or report.md."),
        (("-o", "x.html", "--markdown"), "x.html: a report is markdown, and that is not a name for it."),
        (("-o", "no/x.html"), "there is no folder no."),
        (("-o", "file/x.html"), "there is no folder file."),
        (("-o", "x.html", "--where", "nothing = 1"), "nothing"),
        (("-o", "x.html", "--scorer", "nobody"), "nobody"),
        (("-o", "x.html", "--sort", "nothing"), "nothing"),
    ],
)
def test_bad_input_is_told_in_a_sentence_and_writes_nothing(called, tmp_path, words, said):
    (tmp_path / "file").write_text("")
    code, out, err = called("report", *DEMO, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_path_that_cannot_be_written_keeps_what_was_there(called, tmp_path):
    (tmp_path / "x.html").mkdir()
    code, _, err = called("report", *DEMO, "--scorer", "blend", "--cases", "0", "-o", "x.html")
    assert code == 2
    assert "Cannot write: " in err


def test_there_is_no_such_form():
    with pytest.raises(UsageError, match="a report is no csv"):
        report_document(load(Query(benchmarks=(NAME,))), form="csv")
    with pytest.raises(UsageError, match="-1 is not a number of cases"):
        report_document(load(Query(benchmarks=(NAME,))), Choices(-1))


def test_without_a_scorer_there_are_statistics_and_cases(called, tmp_path):
    found, _ = making.study(n=30)
    making.workspace(tmp_path / "w", found, [])
    code, _, err = called("report", "-w", "w", "-o", "x.html")
    assert code == 0
    assert "No scorer has rewards here yet: the report holds statistics and cases." in err
    told = text(tmp_path / "x.html")
    assert "so there is no figure" in told
    assert "Statistics of the 30 cases" in told
    assert "20 of 30 cases, in the order of the file." in told
    assert "Comparison" not in told


def test_one_scorer_is_not_compared_and_it_is_said_why(called, tmp_path):
    assert called("report", *DEMO, "--scorer", "blend", "--cases", "0", "-o", "x.html")[0] == 0
    assert "No comparison: it needs two scorers, and blend is the only scorer with a verdict here." in text(
        tmp_path / "x.html"
    )


def test_a_filter_that_keeps_nothing_is_told(called, tmp_path):
    code, _, err = called("report", *DEMO, "--where", "n_steps > 400", "-o", "x.html")
    assert code == 0
    assert "No case is left by the filter" in err
    assert "No case is left by the filter, so there is nothing to report." in text(tmp_path / "x.html")


def test_the_chosen_cases_are_the_failures_that_teach_most(study):
    results = load(replace(study, scorers=("gpt4",)))
    blocks, said = cases(report_document(results, Choices(4)))
    best = results.evaluation("gpt4")
    wrong = [
        row
        for row in instructive(best.margins, best.codes).tolist()
        if best.column("outcome")[row] not in {"exact", "clean"}
    ]
    assert [block.title for block in blocks] == [results.cases["case"][row] for row in wrong[:4]]
    assert said == f"4 of the {len(wrong)} failures of gpt4: the largest miss first."
    assert len(cases(report_document(results, Choices(1000)))[0]) == len(wrong)


def test_asked_for_are_those_that_a_filter_keeps_right_ones_too():
    results = load(Query(benchmarks=(NAME,), scorers=("blend",), where=("n_steps > 9",)))
    blocks, said = cases(report_document(results, Choices(1000)))
    right = sum(block.outcomes[0][1] in "=." for block in blocks)
    assert len(blocks) == results.shown.size > right > 0
    wrong = len(blocks) - right
    assert said.startswith(f"{wrong} of the {wrong} failures of blend, then {right} that the filter keeps and it has")


@pytest.mark.parametrize(("where", "told"), [("earliest_error >= 0", "erroneous"), ("earliest_error < 0", "clean")])
def test_cases_of_one_side_have_no_f1_and_all_else(where, told):
    found = report_document(load(Query(benchmarks=(NAME,), scorers=TWO, where=(where,))), Choices(2))
    page = Parts(found.render("html")).text
    assert "No scorer has a figure here." in page
    assert f"ccuracy on {told} cases" in page
    assert "Not the same cases" not in page
    assert "Optimistic" not in page
    assert len(cases(found)[0]) == 2


def test_an_order_comes_before_all_else():
    results = load(Query(benchmarks=(NAME,), scorers=TWO, sort="n_steps:desc"))
    found = report_document(results, Choices(3))
    blocks, said = cases(found)
    assert [len(block.steps) for block in blocks] == results.cases["n_steps"].sort(descending=True)[:3].to_list()
    assert said == "3 of 240 cases, sorted by n_steps:desc."
    assert "--sort n_steps:desc" in found.provenance["command"]


def test_steps_of_a_case_are_marked_by_words_and_glyphs(tmp_path):
    case = [reference.Case(3, 1, (0.9, 0.8, 0.1), error_steps=(1, 2))]
    other = [reference.Case(3, 1, (0.9, 0.2, 0.1))]
    scorers = [(making.scorer("late"), case), (making.scorer("right", low=-1.0), other)]
    made = making.workspace(tmp_path / "w", case, scorers, reason=["since it is"])
    blocks, _ = cases(report_document(load(Query(workspace=str(made.root), sort="case"))))
    (block,) = blocks
    assert block.scorers == ("right", "late")
    assert [step.gold for step in block.steps] == ["right", "error", "error step"]
    right, late = zip(*(step.judged for step in block.steps), strict=True)
    assert [(one.text, one.wrong, one.verdict) for one in late] == [
        ("0.90", False, False),
        ("0.80", False, False),
        ("0.10", True, True),
    ]
    assert [one.share for one in right] == pytest.approx([0.95, 0.6, 0.55])
    assert [one.verdict for one in right] == [False, True, False]
    assert block.outcomes[1] == (
        "late",
        ">",
        "predicted step 2, gold step 1: one step late (reward 0.80 at the gold step)",
    )
    assert block.gold == "step 1 (also wrong: 2)"
    assert block.reason == "since it is"


def test_what_is_not_to_be_compared_is_said(study):
    told = report_document(load(replace(study, thresholds=(("gpt4", "best"),)))).render("html")
    assert "Not the same cases: " in Parts(told).text
    assert "Optimistic: the threshold of gpt4 was tuned on cases that the figures are of." in Parts(told).text


def test_the_cases_that_are_not_the_same_are_those_that_the_figures_are_of(tmp_path):
    """Of steps, a refused case counts nowhere, and one of which no error step is there counts."""
    cases = [
        reference.Case(2, 0, (0.1, 0.9), "", "circular", (0,)),
        reference.Case(2, 1, (0.9, 0.1), "", "circular", (1,)),
        reference.Case(2, None, (0.9, 0.9), "", "circular", (5,)),
    ]
    fewer = [cases[0], replace(cases[1], rewards=None, refused="over length"), cases[2]]
    scorers = [(making.scorer("all"), cases), (making.scorer("fewer"), fewer)]
    made = making.workspace(tmp_path / "w", cases, scorers, benchmark="prmbench", error_type=["circular"] * 3)
    words = Parts(report_document(load(Query(workspace=str(made.root)))).render("html")).text
    assert "Not the same cases: all 3, fewer 2. " in words


SENTENCE = (
    r"Since $\angle ABC = 90^\circ$ and $\frac{AB}{BC} = \sqrt{3}$, we know that $BC^2 = \left(\frac{x+1}{2}\right)^2$,"
    " so that the remaining side is the one which the theorem gives us, as we have seen in the step before. "
)


def test_a_report_of_200_long_cases_is_below_two_megabytes(called, tmp_path, monkeypatch):
    """50 of them with a quarter of the LaTeX take a quarter of what is not in a report without cases."""
    monkeypatch.setattr(chosen_cases, "WRITTEN", chosen_cases.WRITTEN // 4)
    rng = random.Random(1)
    found, scorers = [], [[] for _ in range(5)]
    for _ in range(65):
        # ProcessBench's longest subset: nine steps and 2,300 letters a solution.
        n_steps = rng.randint(5, 13)
        gold = rng.choice((-1, *range(n_steps)))
        found.append(reference.Case(n_steps, gold, subset=rng.choice(("one", "two", "three", "four"))))
        for rows in scorers:
            rewards = tuple(rng.random() for _ in range(n_steps))
            rows.append(reference.Case(n_steps, gold, rewards, subset=found[-1].subset))
    solutions = [
        [f"{number} {step} {SENTENCE * (1 + step % 2 * (step % 3 == 0))}" for step in range(case.n_steps)]
        for number, case in enumerate(found)
    ]
    named = [(making.scorer(f"Some-Family-PRM-7B-v{number}"), rows) for number, rows in enumerate(scorers)]
    problems = [f"{number} {SENTENCE * 2}" for number in range(len(found))]
    making.workspace(
        tmp_path / "w", found, named, problem=problems, steps=solutions, generator=[f"m{n % 12}" for n in range(65)]
    )
    assert called("report", "-w", "w", "--cases", "50", "-o", "x.html")[0] == 0
    assert sum(len("".join(steps)) for steps in solutions) / 65 > 2_200
    assert called("report", "-w", "w", "--cases", "0", "-o", "none.html")[0] == 0
    page = (tmp_path / "x.html").read_text()
    assert page.count('class="steps"') == 50
    rest = (tmp_path / "none.html").stat().st_size
    assert rest + 4 * (len(page.encode()) - rest) < 2_000_000
    # The LaTeX of the last ones is left out.
    assert 0 < page.count("prm-inspect show") < 50 > page.count("As written") - page.count("prm-inspect show") > 0
