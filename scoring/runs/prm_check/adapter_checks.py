"""All checks of one adapter, in order: what the weights and files at hand do not allow is skipped, with the reason."""

from collections.abc import Iterator, Sequence

from scoring.data.errors import InspectError
from scoring.models.prms.family_facts import facts_of
from scoring.runs.opened import LoadedPrm
from scoring.runs.prm_check.encoding import EncodingCheck, encoding_checks, result
from scoring.runs.prm_check.golden_rewards import REWARDS, TOKENS, Golden, golden_of, golden_rewards, golden_tokens
from scoring.runs.prm_check.running_checks import NAMES, running_checks
from scoring.runs.xray import Case

ENCODING = (
    "shape", "order", "determinism of tokens", "prefix consistency of tokens", "odd texts", "injection",
)  # fmt: skip
_MUST = frozenset({"shape", "order"})
"""What must hold before ids are handed to an engine."""
RUN_CASES = 4
"""Cases of the user's file that are run; more tell nothing new and a large model takes its time for each."""


def declaration(family: object) -> EncodingCheck:
    """Check whether what a family states without a checkpoint is in order."""
    facts = facts_of(family)
    scale, problems = facts.scale, []
    if scale is None:
        return EncodingCheck("declaration", "skipped", "the scale depends on the checkpoint")
    if not scale.low < scale.high:
        problems.append(f"the range {facts.range} is empty")
    if not scale.low <= scale.threshold <= scale.high:
        problems.append(f"the threshold {scale.threshold:g} is outside of {facts.range}")
    if not scale.threshold_source:
        problems.append("the threshold has no source")
    return result("declaration", problems, f"{scale.family}: {facts.range}, {facts.rule}")


def unopened(reason: str, declared: EncodingCheck) -> list[EncodingCheck]:
    """Return the results where there are no weights to look at."""
    return [declared, *(EncodingCheck(check, "skipped", reason) for check in (*ENCODING, *NAMES, TOKENS, REWARDS))]


def checks(prm: LoadedPrm, adapter: str, cases: Sequence[Case], *, limit: int, chosen: bool) -> Iterator[EncodingCheck]:
    """Yield every check of an opened PRM.

    Args:
        prm: with its weights.
        adapter: its name.
        cases: the user's; none = only the authored ones.
        limit: of how many of them the tokens are looked at.
        chosen: whether options were chosen: what is published is so without any.
    """
    yield declaration(prm.adapter)
    results = list(encoding_checks(prm, cases[:limit]))
    yield from results
    golden = golden_of(prm, adapter)
    card, why = _card(golden, cases, chosen=chosen)
    yield EncodingCheck(TOKENS, "skipped", why) if golden is None or card is None else golden_tokens(prm, golden, card)
    if unsound := [outcome.check for outcome in results if outcome.status == "failed" and outcome.check in _MUST]:
        for check in (*NAMES, REWARDS):
            yield EncodingCheck(check, "skipped", f"the check {unsound[0]!r} failed")
        return
    try:
        engine = prm.engine()
    except InspectError as error:
        for check in (*NAMES, REWARDS):
            yield EncodingCheck(check, "skipped", str(error))
        return
    yield from running_checks(prm, engine, cases[:RUN_CASES])
    if golden is None or card is None:
        yield EncodingCheck(REWARDS, "skipped", why)
    else:
        yield golden_rewards(prm, golden, card, engine)


def _card(golden: Golden | None, cases: Sequence[Case], *, chosen: bool) -> tuple[Case | None, str]:
    """The case whose rewards are published, or why it is not looked at."""
    if golden is None:
        return None, "no rewards are published for a checkpoint of this name"
    if chosen:
        return None, "rewards are published for the family's own options, and others were chosen"
    named = f"{golden.case} of {golden.benchmark}"
    if not cases:
        return None, f"its text is needed: --cases FILE that holds {named}"
    case = golden.find(cases)
    return case, "" if case else f"--cases holds no case with the text of {named}"
