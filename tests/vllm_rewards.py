"""What tests of vLLM's rewards do alike: a PRM through vLLM, compared with the transformers engine. Needs torch."""

import pytest

import tiny_families
from scoring.engines.vllm_engine import VllmEngine
from scoring.readout import Refused


def loaded(opened, **settings):
    return VllmEngine.load(opened.checkpoint, opened.adapter.readout, dtype="float32", **settings)


def encoded(opened, number=12):
    found = [opened.encoder(problem, steps) for problem, steps in tiny_families.work(number)]
    return [one for one in found if not isinstance(one, Refused)]


def check(engine, opened, cases):
    """In float32 to 1e-5; the largest difference that there is."""
    expected = tiny_families.rewards(opened.engine(), cases)
    found = tiny_families.rewards(engine, cases)
    assert max(map(max, expected)) - min(map(min, expected)) > 0.3, "equal numbers would compare equal anyhow"
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=1e-5)
    return max(abs(a - b) for one, other in zip(found, expected, strict=True) for a, b in zip(one, other, strict=True))
