import time
from typing import ClassVar

import pytest

import example
from inspector.state.processes.xray import XrayAnswer, XrayQuestion
from opened import DEMO, opened
from screen_text import press, rests, screen_text, shows, until


async def test_the_tokens_of_the_demos_prm_are_asked_for_and_shown():
    pytest.importorskip("tokenizers")
    async with opened(DEMO, size=(100, 40)) as pilot:
        await press(pilot, "g", "l", "enter", "v", "t")
        assert "asking the tokenizer..." in screen_text(pilot.app)
        await until(pilot, lambda: "are read" in screen_text(pilot.app), timeout=60)
        text = await rests(pilot, "tokens of tiny-prm-m (Qwen2.5-Math-PRM)", "step 0: read at token")
        assert "<|im_start|>" in text
        await press(pilot, "v", "t")
        assert "are read" not in screen_text(pilot.app)


class Asked(XrayQuestion):
    """A question that is answered when a test says so."""

    asked: ClassVar[list[tuple[str, str]]] = []
    wait = True

    def answer(self):
        self.asked.append((self.case, self.scorer.name))
        while type(self).wait and not self._off:
            time.sleep(0.01)
        return XrayAnswer(self.case, self.scorer.name, problem=f"Nothing is known of {self.case}.")


@pytest.fixture
def asked(monkeypatch):
    monkeypatch.setattr("inspector.screens.bodies.XrayQuestion", Asked)
    monkeypatch.setattr(Asked, "asked", [])
    monkeypatch.setattr(Asked, "wait", False)
    return Asked.asked


async def test_another_case_or_scorer_is_asked_for_anew_and_keys_go_on_while_the_answer_is_awaited(
    tmp_path, asked, monkeypatch
):
    async with opened(example.write(tmp_path / "w")) as pilot:
        await press(pilot, "g", "l", "enter", "v", "t")
        # What cannot be told is a sentence above the steps.
        await shows(pilot, "Nothing is known of bench/exact-one.", "Step 0 of exact-one.")
        await press(pilot, "n")
        await until(pilot, lambda: len(asked) == 2)
        await press(pilot, "l")
        await until(pilot, lambda: len(asked) == 3)
        assert asked[0] == ("bench/exact-one", "alpha")
        assert [scorer for _, scorer in asked] == ["alpha", "alpha", "beta"]
        monkeypatch.setattr(Asked, "wait", True)
        await press(pilot, "n")
        await until(pilot, lambda: len(asked) == 4)
        await press(pilot, "n")
        await shows(pilot, "4 of 9", "asking the tokenizer...")
        await until(pilot, lambda: len(asked) == 5)
        await press(pilot, "v", "t")
        assert "asking" not in screen_text(pilot.app)
        # Held keys ask for nothing on the way.
        monkeypatch.setattr(Asked, "wait", False)
        monkeypatch.setattr("inspector.screens.bodies.PATIENCE", 0.6)
        await press(pilot, "v", "t", "n", "n", "n")
        await until(pilot, lambda: len(asked) > 5)
        assert len(asked) == 6


async def test_without_a_scorer_there_are_no_tokens(tmp_path):
    async with opened(example.write(tmp_path / "w", scored=False)) as pilot:
        await press(pilot, "enter", "v", "t")
        await shows(pilot, "There is no scorer whose tokens")
