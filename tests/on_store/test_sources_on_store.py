"""Files in a bucket are imported, one or all below a prefix, and followed as they come."""

import json

import pytest

from at_the_terminal import printed, shell
from inspector.cli.actions import watching
from scoring_process import commanded_here

ROWS = [
    {"id": f"c{number}", "problem": f"{number}?", "steps": ["one", "two"], "label": number % 3 - 1, "generator": "g"}
    for number in range(9)
]
REWARDS = [{"id": row["id"], "rewards": [0.9, 0.2]} for row in ROWS]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def put(bucket):
    """Put an object into the bucket."""
    import obstore

    from scoring.data.storage.object_store import open_store
    from scoring.data.storage.store_address import Address

    store = open_store(Address.parse(f"s3://{bucket}"))._store
    return lambda path, data: obstore.put(store, path, data)


def test_one_object_and_all_below_a_prefix(bucket, put, tmp_path):
    put("more/a/sums.jsonl", lines(ROWS[:3]))
    put("more/sums.jsonl", lines(ROWS[3:]))
    shell("import", "processbench", f"s3://{bucket}/more", "-w", "more", cwd=tmp_path)
    assert len(printed("cases", "-w", "more", cwd=tmp_path)) == 9
    put("runs/sums.jsonl", lines(ROWS))
    put("runs/deep/mine.jsonl", lines(REWARDS))
    put("runs/.hidden.jsonl", b"{")
    put("runs/read.me", b"nothing")
    shell("import", "processbench", f"s3://{bucket}/runs/sums.jsonl", "-w", "ws", cwd=tmp_path)
    assert len(printed("cases", "-w", "ws", cwd=tmp_path)) == 9
    shell(
        "import", f"s3://{bucket}/runs/deep/mine.jsonl", "--id", "id", "--rewards", "rewards", "-w", "ws", cwd=tmp_path
    )
    assert {row["scorer"] for row in printed("metrics", "-w", "ws", cwd=tmp_path)} == {"mine"}


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("nowhere", "there is nothing at s3://"), ("runs", "there is no file that looks readable at s3://")],
)
def test_where_there_is_nothing_to_read_it_is_a_sentence(bucket, put, tmp_path, path, sentence):
    put("runs/read.me", b"nothing")
    ran = commanded_here("import", f"s3://{bucket}/{path}", "-w", "ws", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert sentence in ran.stderr


def test_what_comes_into_a_bucket_is_followed(bucket, put, tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(watching, "CASES_SECONDS", 0.05)
    put("runs/sums.jsonl", lines(ROWS[:4]))
    words = ("watch", "processbench", f"s3://{bucket}/runs", "--until-idle", "0", "--jsonl", "-w", "ws")
    before = shell(*words, cwd=tmp_path)
    assert len(printed("cases", "-w", "ws", cwd=tmp_path)) == 4
    put("runs/sums.jsonl", lines(ROWS))
    after = shell(*words, cwd=tmp_path)
    assert len(printed("cases", "-w", "ws", cwd=tmp_path)) == 9
    assert b"sums.jsonl" in before
    assert b"sums.jsonl" in after
