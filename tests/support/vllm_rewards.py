"""What tests of vLLM's rewards do alike: a PRM through vLLM, compared with the transformers engine. Needs torch."""

import contextlib
from pathlib import Path

import pytest

import tiny_families
from scoring.data.readout import Refused
from scoring.engines.vllm_engine import VllmEngine

TOLERANCE = 5e-4
"""How far vLLM's rewards may be from those of transformers, both in float32.

On most processors they differ by less than 1e-5. On those with AVX-512 and AMX the same test gave 1e-6 in one run and
1.4e-4 in the next; rewards of another token differ by tenths.
"""


def loaded(opened, log, **settings):
    """A vLLM of ours with an opened PRM."""
    return VllmEngine.load(opened.checkpoint, opened.adapter.readout, dtype="float32", log=log, **settings)


def in_session(leader):
    """The processes of a session that live, with what each calls itself."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, session = (place / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found


def encoded(opened, number=12):
    found = [opened.encoder(problem, steps) for problem, steps in tiny_families.work(number)]
    return [one for one in found if not isinstance(one, Refused)]


def check(engine, opened, cases):
    """In float32 within the tolerance; the largest difference that there is."""
    expected = tiny_families.rewards(opened.engine(), cases)
    found = tiny_families.rewards(engine, cases)
    assert max(map(max, expected)) - min(map(min, expected)) > 0.3, "equal numbers would compare equal anyhow"
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=TOLERANCE)
    return max(abs(a - b) for one, other in zip(found, expected, strict=True) for a, b in zip(one, other, strict=True))
