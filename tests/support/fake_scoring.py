"""Scoring without a model: an encoder of letters, an engine whose rewards are a digest, and a process that runs them.

Of hypothesis it needs nothing: every process that scores with it would import that first.
As a script it scores `argv[2]` cases into the workspace `argv[1]`, one JSON event a line, a batch every `argv[3]` s.
"""

import json
import os
import subprocess
import sys
import time
from hashlib import blake2b
from pathlib import Path

from scoring.data.readout import Batch, Encoded, EngineOutput, Refused
from scoring.data.scorer import Scorer
from scoring.data.texts import Texts
from scoring.formats.benchmarks.own import cases_frame
from scoring.runs.events import document
from scoring.runs.interrupt import Interrupt
from scoring.runs.prm_runs import Encoding
from scoring.runs.run import score
from scoring.workspace.cache import RewardParts

SCORER = Scorer(name="fake", fingerprint="fa4e" * 4, low=0.0, high=1.0)


def cases(number):
    """A cases frame with its texts: every seventh case is refused by the encoder."""
    rows = [
        {
            "id": f"c{index}",
            "problem": f"problem {index}",
            "steps": [f"step {step} of {index}" for step in range(index % 4 + 1)],
            "earliest_error": -1,
            "line": index + 1,
        }
        for index in range(number)
    ]
    return cases_frame("bench", "made.jsonl", rows)


def texts(frame):
    return Texts.whole((frame,), (frame.height,))


def encode(problem, steps):
    if int(problem.split()[-1]) % 7 == 6:
        return Refused("a seventh")
    body = [byte for step in steps for byte in (*step.encode(), 0)]
    ids = (*problem.encode(), *body)
    start = len(problem.encode())
    return Encoded(ids, tuple(start + at for at, byte in enumerate(body) if byte == 0))


def rewards(ids, positions):
    texts = (str(tuple(ids[: at + 1])).encode() for at in positions)
    return tuple(int.from_bytes(blake2b(text, digest_size=4).digest()) / 2**32 for text in texts)


class Engine:
    """Batches of `size` in the order given; `ran` holds the ids of every case it was given."""

    name = "fake 1.0"

    def __init__(self, size=8, seconds=0.0, change=None):
        self.size, self.seconds, self.ran = size, seconds, []
        self.change = change or (lambda found, _: found)

    def read(self, encoded):
        for start in range(0, len(encoded), self.size):
            batch = encoded[start : start + self.size]
            time.sleep(self.seconds)
            self.ran += [one.ids for one in batch]
            answers = [
                EngineOutput(start + at, self.change(rewards(one.ids, one.positions), len(self.ran) - len(batch) + at))
                for at, one in enumerate(batch)
            ]
            yield Batch(tuple(answers), sum(len(one.ids) for one in batch), len(batch))


def events(folder, frame, loaded=None, **settings):
    """The events of one run over all cases; `loaded` is the engine that will have been made."""
    method = Encoding(settings.pop("encoder", lambda: encode), truncate=settings.pop("truncate", False))
    settings = {"engine": lambda: loaded or Engine(), **settings}
    return score(frame, texts(frame), SCORER, RewardParts(Path(folder)), method, **settings)


def in_turn(*runs, seconds=60):
    """The last event of each of some runs that go on in turn, an event at a time."""
    last, going, late = {}, dict(enumerate(runs)), time.monotonic() + seconds
    while going:
        assert time.monotonic() < late, "they wait for each other"
        for number, run in list(going.items()):
            event = next(run, None)
            if event is None:
                del going[number]
            else:
                last[number] = event
    return [last[number] for number in range(len(runs))]


def kept(folder):
    """What is in the cache: key -> rewards and reason."""
    frame, problems = RewardParts(folder).read()
    assert problems == []
    return {key: (found, reason) for key, found, reason in frame.select("key", "rewards", "reason").rows()}


def expected(frame):
    found = {}
    for key, problem, steps in frame.select("key", "problem", "steps").rows():
        encoded = encode(problem, steps)
        refused = isinstance(encoded, Refused)
        found[key] = (None, encoded.reason) if refused else (list(rewards(encoded.ids, encoded.positions)), None)
    return found


def started(folder, number=400, seconds=0.05):
    """A process that runs this file as a script."""
    script = Path(__file__)
    path = os.pathsep.join([str(script.parent), str(script.parents[2])])
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(number), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def until_saved(process):
    """The first event `saved` of a process; what it told before that goes by."""
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "saved":
            return event
    raise AssertionError("it ended before it saved")


def main():
    folder, number, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    with Interrupt() as interrupt:
        for event in events(folder, cases(number), Engine(4, seconds), interrupt=interrupt):
            print(json.dumps(document(event)), flush=True)


if __name__ == "__main__":
    main()
