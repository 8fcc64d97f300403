"""Laws of edits: what they make of a solution, what is undone, which steps stand beside each other, what is kept."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data.errors import DamagedWorkspace, UsageError
from scoring.data.reward_keys import reward_keys
from scoring.workspace.variants import (
    Edit,
    Variant,
    Variants,
    align_steps,
    apply_edits,
    content_frames,
    placed_steps,
    reward_differences,
)

WORDS = st.text("abc é", min_size=1, max_size=6).filter(str.strip)
SOLUTIONS = st.lists(WORDS, min_size=1, max_size=6)


@st.composite
def solutions_and_edits(draw):
    """A solution, and edits each of which can be made where it comes."""
    steps = draw(SOLUTIONS)
    edits, n = [], len(steps)
    for kind in draw(st.lists(st.sampled_from(("replace", "insert", "delete", "swap", "cut")), max_size=6)):
        at = draw(st.integers(0, n if kind == "insert" else n - 1))
        if kind == "delete" and n == 1:
            continue
        edit = Edit(kind, at, text=draw(WORDS), other=draw(st.integers(0, n - 1)), at=draw(st.integers(0, 6)))
        try:
            n = len(apply_edits(steps, [*edits, edit]))
        except UsageError:
            # A cut that would leave a part without text.
            assert kind == "cut"
            continue
        edits.append(edit)
    return steps, edits


def slowly(steps, edits):
    """Texts by each edit's own words, without origins."""
    texts = list(steps)
    for one in edits:
        if one.kind == "replace":
            texts = [one.text if at == one.step else text for at, text in enumerate(texts)]
        elif one.kind == "insert":
            texts.insert(one.step, one.text)
        elif one.kind == "delete":
            del texts[one.step]
        elif one.kind == "swap":
            order = list(range(len(texts)))
            order[one.step], order[one.other] = one.other, one.step
            texts = [texts[at] for at in order]
        else:
            whole = texts[one.step]
            parts = [whole[: one.at].rstrip(), whole[one.at :].lstrip()]
            texts[one.step : one.step + 1] = parts
    return texts


@given(solutions_and_edits())
def test_edits_do_what_they_say_and_undoing_them_gives_back_what_was_before(made):
    steps, edits = made
    variant = Variant("key", "case")
    before = [apply_edits(steps, ())]
    for edit in edits:
        variant = variant.edited(edit, steps)
        before.append(apply_edits(steps, variant.edits))
    assert [step.text for step in before[-1]] == slowly(steps, edits)
    while variant.edits:
        assert apply_edits(steps, variant.edits) == before.pop()
        variant = variant.undone
    assert [step.text for step in apply_edits(steps, variant.edits)] == steps
    assert variant.undone == variant


@given(solutions_and_edits())
def test_alignment_has_every_step_of_the_variant_in_order_and_every_other_of_the_case_once(made):
    steps, edits = made
    variant = apply_edits(steps, edits)
    pairs = align_steps(len(steps), variant)
    assert [after for _, after in pairs if after is not None] == list(range(len(variant)))
    used = {step.origin for step in variant}
    gone = [before for before, after in pairs if after is None]
    assert sorted(gone) == [step for step in range(len(steps)) if step not in used]
    for before, after in pairs:
        if before is not None and after is not None:
            assert variant[after].origin == before
    # Without edits each step stands beside itself, and a step that nobody touched beside its own text.
    assert align_steps(len(steps), apply_edits(steps, ())) == tuple((at, at) for at in range(len(steps)))
    moved = {"swap", "delete", "insert"}
    if all(edit.kind in moved for edit in edits):
        for before, after in pairs:
            if before is not None and after is not None:
                assert variant[after].text == steps[before]


@given(solutions_and_edits(), st.randoms(use_true_random=False))
def test_a_difference_is_of_the_rewards_of_the_very_steps(made, rng):
    steps, edits = made
    variant = apply_edits(steps, edits)
    # Rewards that name their step: a difference can come from one pair of steps alone.
    rewards = [2.0**-at for at in range(len(steps))]
    after = [rng.random() for _ in variant]
    found = reward_differences(rewards, after, variant)
    assert found == [
        None if step.origin is None else given - 2.0**-step.origin for step, given in zip(variant, after, strict=True)
    ]
    assert reward_differences(rewards, [], variant) == reward_differences([], after, variant) == [None] * len(variant)


def test_each_kind_by_hand():
    steps = ["one", "two, and three", "four"]
    cut = apply_edits(steps, [Edit("cut", 1, at=4)])
    assert cut == (("one", 0), ("two,", 1), ("and three", 1), ("four", 2))
    assert reward_differences([0.9, 0.2, 0.5], [0.9, 0.8, 0.1, 0.5], cut) == pytest.approx([0, 0.6, -0.1, 0])
    assert align_steps(3, apply_edits(steps, [Edit("delete", 1)])) == ((0, 0), (1, None), (2, 1))
    assert align_steps(3, apply_edits(steps, [Edit("delete", 0)])) == ((0, None), (1, 0), (2, 1))
    assert align_steps(3, apply_edits(steps, [Edit("insert", 1, "new")])) == ((0, 0), (None, 1), (1, 2), (2, 3))
    assert align_steps(3, apply_edits(steps, [Edit("swap", 0, other=2)])) == ((2, 0), (1, 1), (0, 2))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (Edit("replace", 0, " \n"), "needs some text"),
        (Edit("insert", 1, ""), "needs some text"),
        (Edit("replace", 1, "x"), "no step 1: the solution has 1"),
        (Edit("insert", 2, "x"), "no step 2"),
        (Edit("swap", 0, other=-1), "no step -1"),
        (Edit("delete", 0), "one step at least"),
        (Edit("cut", 0, at=0), "both parts"),
        (Edit("cut", 0, at=9), "both parts"),
        (Edit("cut", 0, at=-1), "both parts"),
    ],
)
def test_what_cannot_be_done_is_said(edit, said):
    with pytest.raises(UsageError, match=said):
        Variant("key", "case").edited(edit, ["word"])


def test_kept_as_a_file_each_and_gone_without_edits(tmp_path):
    there = Variants(tmp_path / "variants")
    assert there.of("key") == there.every() == ()
    first = Variant("key", "b/1").edited(Edit("swap", 0, other=1), ["x", "y"])
    second = Variant("key", "b/1", (Edit("cut", 0, at=2), Edit("replace", 1, "é\n")))
    other = Variant("other", "b/2", (Edit("insert", 0, "z"), Edit("delete", 1)))
    for one in (first, second, other, first):
        there.save(one)
    assert there.of("key") == (first, second)
    assert there.every() == Variants(tmp_path / "variants").every() == (first, second, other)
    document = json.loads((there.folder / f"{second.id}.json").read_bytes())
    assert document["edits"] == [{"edit": "cut", "step": 0, "at": 2}, {"edit": "replace", "step": 1, "text": "é\n"}]
    there.save(first.undone)
    assert there.of("key") == (second,)
    assert not (there.folder / f"{first.id}.json").exists()
    there.save(first.undone)


def test_a_damaged_record_is_left_out_and_named(tmp_path):
    there = Variants(tmp_path)
    good = Variant("key", "b/1", (Edit("delete", 0),))
    there.save(good)
    path = tmp_path / f"{good.id}.json"
    right = json.loads(path.read_bytes())
    rng = random.Random(4)
    wrong = [
        b"",
        b"[]",
        json.dumps({**right, "format": 2}).encode(),
        json.dumps({**right, "key": 3}).encode(),
        json.dumps({**right, "edits": [{"edit": "explode", "step": 0}]}).encode(),
        json.dumps({**right, "edits": [{"edit": "cut", "step": 0}]}).encode(),
        json.dumps({**right, "edits": [{"edit": "delete", "step": True}]}).encode(),
        json.dumps({**right, "edits": [{"edit": "replace", "step": 0, "text": "\ud800"}]}).encode(),
        rng.randbytes(64),
    ]
    for at, data in enumerate(wrong):
        bad = tmp_path / f"{at:032x}.json"
        bad.write_bytes(data)
        with pytest.raises(DamagedWorkspace, match=bad.name):
            Variant.load(bad)
    assert there.every() == (good,)
    assert len(there.problems()) == len(wrong)


# -- where the messages of a trajectory belong


def interleaved(gaps, edits):
    """Where each step of the variant and each message stands, by moving them in one list; None where nobody knows."""
    line = []
    for step, gap in enumerate(gaps):
        line += [("message", len(line) + number) for number in range(gap)]
        line += [("step", step)] if step < len(gaps) - 1 else []
    for one in edits:
        steps = [at for at, (kind, _) in enumerate(line) if kind == "step"]
        at = steps[one.step] if one.step < len(steps) else len(line)
        if one.kind == "insert":
            line.insert(at, ("step", None))
        elif one.kind == "cut":
            line.insert(at + 1, ("step", None))
        elif one.kind == "delete":
            del line[at]
        elif one.kind == "swap" and one.step != one.other:
            first, last = sorted((at, steps[one.other]))
            if any(kind == "message" for kind, _ in line[first:last]):
                return None
    return [at for at, (kind, _) in enumerate(line) if kind == "step"]


@given(solutions_and_edits(), st.data())
def test_messages_stay_behind_the_step_that_they_follow(made, data):
    steps, edits = made
    gaps = data.draw(st.lists(st.integers(0, 2), min_size=len(steps) + 1, max_size=len(steps) + 1))
    places = [step + sum(gaps[: step + 1]) for step in range(len(steps))]
    texts = {"steps": steps, "context": [{"role": "user", "name": None, "text": "a"}] * sum(gaps)}
    expected = interleaved(gaps, edits)
    if expected is None:
        with pytest.raises(UsageError, match="where these belong then is not known"):
            placed_steps({"step_messages": places}, texts, edits)
    else:
        assert placed_steps({"step_messages": places}, texts, edits) == expected
    assert placed_steps({"step_messages": places}, texts, ()) == places
    assert placed_steps({"step_messages": None}, texts, edits) is None


def test_a_content_has_a_context_only_where_it_says_which_messages_its_steps_are():
    context = [{"role": "user", "name": None, "text": "a"}]
    sound = {"case": "c", "problem": "p", "steps": ["s", "t"], "context": context, "step_messages": [0, 2]}
    odd = [[0], [2, 0], ["0", 2], [True, 2], "02", [-1, 2], None]
    frame, texts = content_frames([sound, *({**sound, "step_messages": places} for places in odd)])
    assert frame["step_messages"].to_list() == [[0, 2], *[None] * len(odd)]
    assert texts.frame(["context"])["context"].to_list() == [context, *[None] * len(odd)]
    keys = reward_keys(frame, texts, ("context",))["key"]
    assert set(keys[1:]) == {frame["key"][0]} != {keys[0]}
