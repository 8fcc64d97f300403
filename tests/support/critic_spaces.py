"""Workspaces with critics that were asked here, as the loop leaves them, without a server."""

import polars as pl

import authored
from inspector import cli
from scoring.data.schema import VOTES
from scoring.data.scorer import Scorer
from scoring.models.asking import GeneratedAnswer
from scoring.models.critics.protocols import PROTOCOLS
from scoring.runs.critic_runs import answer_row
from scoring.workspace.cache import VoteParts
from scoring.workspace.workspace import Workspace


def imported(folder, number=12):
    """A workspace with so many authored cases."""
    file = authored.write(folder / "sums.json", authored.rows(number))
    assert cli.main(["import", str(file), "-w", str(folder / "space"), "-q"]) == 0
    return folder / "space"


def critic(root, answers, *, name="judge", protocol="processbench", runs=1, **settings):
    """Keep answers in the workspace as a critic's, and return where.

    `answers(row, run)` are the answers to one case: texts, or values of Answer.
    """
    cases, _ = Workspace.open(root).cases()
    redundancy = {"threshold": 0.0, "low": -1.0, "comparison": "<="} if protocol in {"prmbench", "socratic"} else {}
    mark = name.encode().hex().ljust(8, "0")
    scorer = Scorer(name, mark, "critic", settings={"protocol": protocol, **settings}, **redundancy)
    folder = root / "rewards" / scorer.folder
    scorer.save(folder)
    rows = []
    for row, (key, steps) in enumerate(cases.select("key", "n_steps").iter_rows()):
        for run in range(runs):
            for vote, said in enumerate(answers(row, run)):
                answer = (
                    said
                    if isinstance(said, GeneratedAnswer)
                    else GeneratedAnswer(said, finish_reason="stop", tokens_out=5)
                )
                kept = answer_row(answer, PROTOCOLS[protocol].read, steps)
                rows.append(kept | {"key": key, "vote": vote, "run": run})
    VoteParts(folder).append(pl.DataFrame(rows, schema=VOTES, orient="row"))
    return folder
