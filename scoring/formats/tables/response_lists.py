r"""Files in which a row is a problem with all its responses: each response becomes a row of a table, and so a case.

What producers write, less what they add for themselves; indices of responses count from 0:

- search-and-learn (`save_dataset`, its commit 6f81cac): the problem's own row, with `completions[]`, `scores[[one a
  step]]`, `pred` (the completion that was chosen), `completion_tokens[]`, `agg_scores[]`, `pred_naive@n` and so on. Its
  PRMs cut a completion at blank lines, Math-Shepherd without an empty end, Skywork's at lines: the cut that fits most
  scores of the file is taken for all.
- VersaPRM (`evaluation/get_rewards_reasoning_step.py`, its commit 81a3c99): `question, metadata{category},
  chain_of_thoughts[{steps[], cot_id, parsed_answer, parsed_answer_correctness, prm_reward[], manually_inspected?}]`;
  a chain that is not `manually_inspected` has no rewards. The file is called `..._with_{PRM}_rewards.json`.
- RewardBench 2 (`scripts/run_v2.py` of reward-bench, its commit 05a9005): `text[], scores[], subset, id, num_correct,
  results, model`, a row a prompt or all rows in one object with a list a key. The first `num_correct` texts are right;
  a score is of the whole text, and may be a list of one.
- MATH-APS: `question_id, question, final_answer, reasoning_steps[{solution_prefix, mc_value}]`. Prefixes of one
  solution are its steps, and their Monte Carlo values its step rewards; a prefix that no other continues is a response.
- Skywork's inference: `problem, response, step_rewards[]`, a row a response; each line of it is a step.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise, takewhile
from pathlib import PurePath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from scoring.data.errors import UnknownFormat
from scoring.formats.benchmarks.case_format import problem_id, unfolded
from scoring.formats.reading.answer_forms import distinct_answers, same_answer
from scoring.formats.reading.compressed_streams import plain_name
from scoring.formats.reading.fields import Fields, kind_of
from scoring.formats.reading.file_bytes import printable
from scoring.formats.reading.final_answers import reference_text, stated_answer
from scoring.formats.reading.findings import Finding
from scoring.formats.reading.math_verify import MathVerify
from scoring.formats.reading.rows import Rows
from scoring.formats.results.model_outputs import written
from scoring.formats.results.reward_lists import number
from scoring.formats.results.scorer_names import scorer_name
from scoring.formats.tables.column_mapping import ColumnMapping
from scoring.formats.tables.response_answers import ANSWER, IS_RIGHT, ResponseAnswers

_SAMPLE = 100
_IDS = ("unique_id", "problem_id", "question_id", "q_id", "id", "idx", "index")
_REFERENCES = ("answer", "final_answer", "reference_answer", "gt_answer", "ground_truth")
_JUDGED = ("final_answer_correct", "is_correct")
_ID, _PROBLEM_ID = "id", "problem_id"
_NAMED = re.compile(r"(pred_naive|pred_weighted|pred_maj)@(\d{1,6})")
_OF_PRM = re.compile(r"_with_(.+)_rewards\Z")
_OF_MODEL = re.compile(
    r"<\|im_start\|>assistant|<\|assistant\|>|<\|start_header_id\|>assistant<\|end_header_id\|>|<start_of_turn>model"
    r"|\[/INST\]|<｜Assistant｜>|Assistant:"
)
_NO_STEPS: list[str] = []


class UnfoldedResponses(Struct, frozen=True, eq=False):
    """The responses of a file, a row each, and which of their columns is what.

    `rows` stand on the lines of their problems, `findings` say what was noticed while they were made. Columns are
    called as the producer calls them, beside the response's
    own `id` (`{problem_id}/{place}`), `problem_id`, `parsed_answer` and `final_answer_correct`.
    """

    rows: Rows
    mapping: ColumnMapping
    findings: tuple[Finding, ...]


def response_list(sample: Sequence[object]) -> str | None:
    """Name the kind of file of which more than half of a hundred sampled rows are; None where they are of none."""
    values = sample[:: len(sample) // _SAMPLE + 1]
    votes = {name: sum(map(kind.recognises, values)) for name, kind in RESPONSE_LISTS.items()}
    best = max(votes, key=lambda name: votes[name])
    return best if 2 * votes[best] > len(values) else None


def unfold(rows: Rows, name: str) -> UnfoldedResponses:
    """Make a row of each response in a file of the kind.

    A problem whose row cannot be used is left out with an error. Findings count how final answers were compared with
    the reference, and those of which nothing says whether they are right.

    Raises:
        UnreadableFile: the file has gone, or does not fit into memory.
        UnknownFormat: no row has a response that can be read.
    """
    kind = RESPONSE_LISTS[name]
    with MathVerify() as math_verify:
        answers = ResponseAnswers(math_verify)
        made = unfolded(rows, kind.responses(rows, answers))
    findings = made.findings
    # What is no object stays among the rows: whoever reads them says so.
    responses = [row.value for row in made.rows if isinstance(row.value, Mapping)]
    if not responses:
        first = next((finding.message for finding in findings if finding.severity == "error"), "there are none")
        hint = "Give a file with a problem and its responses in each row."
        raise UnknownFormat(f"no row of {rows.source} holds responses that can be read ({first}).", hint)
    problems = len({response[_PROBLEM_ID] for response in responses})
    message = f"{len(responses):,} responses to {problems:,} problems became a case each ({kind.title})"
    findings += [Finding("note", "responses", message, rows.source), *answers.findings(rows.source)]
    unread = sum(finding.severity == "error" for finding in findings)
    table = Rows(rows.source, rows.format, made.rows, (), len(made.rows) + unread)
    return UnfoldedResponses(table, _named(responses, kind, rows), tuple(findings))


def _named(responses: Sequence[Mapping[str, Any]], kind: "ResponseList", rows: Rows) -> ColumnMapping:
    """The mapping of the columns that some response has."""
    there = {key for response in responses for key, value in response.items() if value is not None}
    own = {IS_RIGHT: IS_RIGHT, _ID: _ID, _PROBLEM_ID: _PROBLEM_ID}
    columns = {field: column for field, column in {**kind.columns, **own}.items() if column in there}
    rewards = {printable(kind.scorer(rows)): kind.rewards} if kind.rewards in there else {}
    return replace(ColumnMapping(rewards=rewards), **columns)


class ResponseList(Struct, frozen=True, eq=False):
    """One kind of file.

    Attributes:
        title: What it is called.
        recognises: Whether a row is of it.
        responses: From all rows, how the records of the responses in one are read.
        columns: Field of a mapping -> the records' column.
        rewards: The records' column of step rewards, or of one number a solution.
        scorer: Who gave these.
    """

    title: str
    recognises: Callable[[Any], bool]
    responses: Callable[[Rows, ResponseAnswers], Callable[[Fields], Iterator[dict[str, Any]]]]
    columns: Mapping[str, str]
    rewards: str
    scorer: Callable[[Rows], str] = lambda rows: scorer_name(rows.source)


# -- what all kinds share


def _identity(row: Mapping[str, Any], problem: object, names: Sequence[str] = _IDS) -> str:
    """The row's own id, else one made of its problem's text."""
    texts = (written(row.get(name)) for name in names)
    return next((text for text in texts if text and text.strip()), None) or problem_id(str(problem))


def _reference(row: Mapping[str, Any]) -> str | None:
    texts = (written(row.get(name)) for name in _REFERENCES)
    return next((reference_text(text) for text in texts if text and text.strip()), None)


def _with_reference(row: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the row with its reference answer under the key that becomes a column, whatever the row calls it."""
    texts = (written(row.get(name)) for name in (key, *_REFERENCES))
    text = next((text for text in texts if text and text.strip()), None)
    return row if text is None or row.get(key) is not None else {**row, key: text}


def _shared(row: Mapping[str, Any], count: int, less: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What a row says beside its `count` responses, for each of them: lists of as many values are taken apart."""
    kept = {key: value for key, value in row.items() if key not in less}
    apart = {key: value for key, value in kept.items() if isinstance(value, list) and len(value) == count}
    for place in range(count):
        yield {**kept, **{key: values[place] for key, values in apart.items()}}


def _label_at(row: Mapping[str, Any], place: int, count: int) -> object:
    """What a list of the file says of a final answer; None where there is none."""
    lists = (row.get(name) for name in _JUDGED)
    return next((values[place] for values in lists if isinstance(values, list) and len(values) == count), None)


# -- search-and-learn


def _is_search_and_learn(row: Any) -> bool:
    return (
        isinstance(row, Mapping)
        and "problem" in row
        and isinstance(row.get("completions"), list)
        and isinstance(row.get("scores"), list)
        and all(isinstance(scores, list) for scores in row["scores"])
    )


def _blank_lines(text: str) -> list[str]:
    return text.split("\n\n")


def _without_empty_end(text: str) -> list[str]:
    parts = text.split("\n\n")
    return parts[:-1] if len(parts) > 1 and not parts[-1] else parts


def _lines(text: str) -> list[str]:
    return text.split("\n")


_CUTS = (_blank_lines, _without_empty_end, _lines)


def _search_and_learn(rows: Rows, answers: ResponseAnswers) -> Callable[[Fields], Iterator[dict[str, Any]]]:
    pairs = [
        (text, len(scores))
        for row in rows.rows
        for text, scores in zip(_list_of(row.value, "completions"), _list_of(row.value, "scores"), strict=False)
        if isinstance(text, str) and isinstance(scores, list)
    ]
    cut = max(_CUTS, key=lambda way: sum(len(way(text)) == count for text, count in pairs))
    return lambda fields: _completions(fields, cut, answers) if _has_completions(fields) else iter(())


def _list_of(row: object, name: str) -> list[Any]:
    values = row.get(name) if isinstance(row, Mapping) else None
    return values if isinstance(values, list) else []


def _has_completions(fields: Fields) -> bool:
    completions = fields.texts("completions", required=True)
    if completions is not None and not completions:
        fields.note("error", "no-responses", "the row holds no completions")
    return bool(completions)


def _completions(fields: Fields, cut: Callable[[str], list[str]], answers: ResponseAnswers) -> Iterator[dict[str, Any]]:
    row = _with_reference(fields.value, "answer")
    completions, scores = row["completions"], row.get("scores")
    count = len(completions)
    if not isinstance(scores, list) or len(scores) != count:
        what = f"{len(scores)} lists" if isinstance(scores, list) else kind_of(scores)
        fields.note("warning", "length-mismatch", f"there are {count} completions and {what} of scores: none are read")
        scores = [None] * count
    chosen = completions.index(row["pred"]) if row.get("pred") in completions else None
    name, reference = _identity(row, row.get("problem")), _reference(row)
    beside = _shared(row, count, ("completions", "scores", "pred", "id"))
    stated = []
    for place, (text, shared) in enumerate(zip(completions, beside, strict=True)):
        own = {_ID: f"{name}/{place}", _PROBLEM_ID: name, "completions": cut(text), "scores": scores[place]}
        pred = None if chosen is None else place == chosen
        judged = answers.judge(name, stated_answer(text), reference, _label_at(row, place, count))
        stated.append(judged[ANSWER] or "")
        yield {**shared, **own, "pred": pred, **judged}
    _compare_named(row, stated, scores, answers)


def _compare_named(row: Mapping[str, Any], stated: list[str], scores: list[Any], answers: ResponseAnswers) -> None:
    """Count where the answers that the row names of its first n completions are those that these give."""
    last = [number(rewards[-1]) if isinstance(rewards, list) and rewards else None for rewards in scores]
    for key, value in row.items():
        named = _NAMED.fullmatch(key)
        if named is None or not isinstance(value, str):
            continue
        kind, n = named[1], int(named[2])
        weights = [1.0] * n if kind == "pred_maj" else last[:n]
        if stated[:n] and None not in weights:
            winner = _winner(stated[:n], [weight or 0.0 for weight in weights], summed=kind != "pred_naive")
            answers.named[kind] += 1
            answers.named_otherwise[kind] += not same_answer(stated_answer(value) or "", winner)


def _winner(stated: list[str], weights: list[float], *, summed: bool) -> str:
    """The answer with the highest weight, or sum of weights, of equal ones the first."""
    if not summed:
        return stated[weights.index(max(weights))]
    sums: dict[str, float] = {}
    for answer, weight in zip(map(str, distinct_answers(stated)), weights, strict=False):
        sums[answer] = sums.get(answer, 0.0) + weight
    return max(sums, key=sums.__getitem__)


# -- VersaPRM


def _is_versa(row: Any) -> bool:
    chains = row.get("chain_of_thoughts") if isinstance(row, Mapping) else None
    return isinstance(chains, list) and "question" in row and all(_is_chain(chain) for chain in chains)


def _is_chain(chain: object) -> bool:
    return isinstance(chain, Mapping) and "steps" in chain


def _chains(fields: Fields, answers: ResponseAnswers) -> Iterator[dict[str, Any]]:
    row = _with_reference(fields.value, "answer")
    if not isinstance(row.get("chain_of_thoughts"), list):
        what = kind_of(row.get("chain_of_thoughts"))
        fields.note("error", "wrong-type", f"chain_of_thoughts is {what}, not a list")
        return
    # The question's place in MMLU-Pro is in its metadata; without one, its words name it.
    name, reference = _identity(row, row.get("question")), _reference(row)
    inner = row.get("metadata")
    shared = {key: value for key, value in row.items() if key not in {"chain_of_thoughts", "metadata", "id"}}
    shared |= inner if isinstance(inner, Mapping) else {}
    for place, chain in enumerate(row["chain_of_thoughts"]):
        if not _is_chain(chain):
            fields.of({}).note("warning", "wrong-type", f"chain_of_thoughts[{place}] is no chain of steps")
            continue
        steps = chain["steps"] if isinstance(chain["steps"], list) else _NO_STEPS
        answer = written(chain.get("parsed_answer"))
        if answer is None:
            answer = stated_answer("\n\n".join(step for step in steps if isinstance(step, str)))
        judged = answers.judge(name, answer, reference, chain.get("parsed_answer_correctness"))
        # An answer of the chain is not the reference answer.
        own = {f"chain.{key}" if key == "answer" and key in row else key: value for key, value in chain.items()}
        yield {**shared, **own, _ID: f"{name}/{place}", _PROBLEM_ID: name, **judged}


def _versa_scorer(rows: Rows) -> str:
    stem = PurePath(plain_name(rows.source)).name.partition(".json")[0]
    named = _OF_PRM.search(stem)
    return named[1] if named else scorer_name(rows.source)


# -- RewardBench 2


def _is_rewardbench(row: Any) -> bool:
    if not isinstance(row, Mapping) or not {"text", "scores", "num_correct"} <= row.keys():
        return False
    return isinstance(row["text"], list) and isinstance(row["scores"], list)


def _scored_texts(whole: Fields) -> Iterator[dict[str, Any]]:
    for fields in _prompts(whole):
        texts, scores, right = (fields.value.get(name) for name in ("text", "scores", "num_correct"))
        if not isinstance(texts, list) or not isinstance(scores, list) or len(texts) != len(scores) or not texts:
            fields.note("error", "length-mismatch", "text and scores are not lists of the same length")
        elif not isinstance(right, int | float) or isinstance(right, bool) or not 0 <= right <= len(texts):
            fields.note("error", "wrong-type", "num_correct is not a number of texts")
        else:
            yield from _texts(fields)


def _prompts(fields: Fields) -> Iterator[Fields]:
    """The rows of a file that is one object with a list a key; else the row itself."""
    row = fields.value
    ids = row.get("id")
    if not isinstance(ids, list):
        yield fields
        return
    for place in range(len(ids)):
        yield fields.of(
            {
                key: values[place] if isinstance(values, list) and len(values) == len(ids) else values
                for key, values in row.items()
            }
        )


def _texts(fields: Fields) -> Iterator[dict[str, Any]]:
    row = fields.value
    parted = _conversations(row["text"])
    if parted is None:
        fields.note("error", "no-problem", "the texts of the row share no prompt, so that its problem is not known")
        return
    problem, responses = parted
    name = _identity(row, problem, ("id",))
    shared = {key: value for key, value in row.items() if key not in {"text", "scores", "id"}}
    for place, (response, score) in enumerate(zip(responses, row["scores"], strict=True)):
        score_of_text = score[0] if isinstance(score, list) and len(score) == 1 else score
        own = {
            _ID: f"{name}/{place}",
            _PROBLEM_ID: name,
            "prompt": problem,
            "text": [response],
            "scores": score_of_text,
        }
        yield {**shared, **own, IS_RIGHT: place < row["num_correct"]}


def _conversations(texts: list[Any]) -> tuple[str, list[str]] | None:
    """The prompt that texts share, and what each answers: of messages the last one, of a chat's text what differs.

    A text is parted at the last mark before which all are the same that says that the model speaks, else at the last
    line break before which they are.
    """
    if all(isinstance(text, list) and text and all(isinstance(part, Mapping) for part in text) for text in texts):
        before = ["\n\n".join(str(message.get("content")) for message in text[:-1]) for text in texts]
        alike = len(set(before)) == 1 and before[0].strip()
        return (before[0], [str(text[-1].get("content")) for text in texts]) if alike else None
    if not all(isinstance(text, str) for text in texts):
        return None
    # What the first and the last in their order share, all do.
    ends = zip(min(texts), max(texts), strict=False)
    prefix = "".join(letter for letter, _ in takewhile(lambda both: both[0] == both[1], ends))
    marks = [mark.end() for mark in _OF_MODEL.finditer(prefix)]
    end = marks[-1] if marks else prefix.rfind("\n") + 1
    problem = prefix[:end]
    return (problem, [text[end:] for text in texts]) if problem.strip() and len(set(texts)) > 1 else None


def _rewardbench_scorer(rows: Rows) -> str:
    named = (row.get("model") for row in rows.sample() if isinstance(row, Mapping))
    first = next((name for name in named if isinstance(name, str) and name.strip()), None)
    return first or scorer_name(rows.source)


# -- MATH-APS


def _is_math_aps(row: Any) -> bool:
    prefixes = row.get("reasoning_steps") if isinstance(row, Mapping) else None
    if not isinstance(prefixes, list) or not prefixes or "question" not in row:
        return False
    return all(isinstance(part, Mapping) and isinstance(part.get("solution_prefix"), str) for part in prefixes)


def _paths(fields: Fields, answers: ResponseAnswers) -> Iterator[dict[str, Any]]:
    row = fields.value
    if not _is_math_aps(row):
        fields.note("error", "wrong-type", "reasoning_steps is not a list of objects with a solution_prefix each")
        return
    row = _with_reference(row, "final_answer")
    values = {part["solution_prefix"]: part.get("mc_value") for part in reversed(row["reasoning_steps"])}
    # In order of their texts, a prefix stands right before what continues it.
    ordered = sorted(prefix for prefix in values if prefix)
    continued = {prefix for prefix, after in pairwise(ordered) if after.startswith(prefix)}
    name, reference = _identity(row, row["question"]), _reference(row)
    shared = {key: value for key, value in row.items() if key not in {"reasoning_steps", "id"}}
    place = 0
    for response in dict.fromkeys(part["solution_prefix"] for part in row["reasoning_steps"]):
        if not response or response in continued:
            continue
        chain = [prefix for prefix in ordered if response.startswith(prefix)]
        starts = [0, *map(len, chain[:-1])]
        steps = [response[start : len(prefix)] for start, prefix in zip(starts, chain, strict=True)]
        own = {"reasoning_steps": steps, "mc_value": [values[prefix] for prefix in chain]}
        yield {
            **shared,
            _ID: f"{name}/{place}",
            _PROBLEM_ID: name,
            **own,
            **answers.judge(name, stated_answer(response), reference),
        }
        place += 1


# -- Skywork's inference


def _is_skywork(row: Any) -> bool:
    return isinstance(row, Mapping) and {"problem", "response", "step_rewards"} <= row.keys()


def _skywork(_: Rows, answers: ResponseAnswers) -> Callable[[Fields], Iterator[dict[str, Any]]]:
    places: dict[str, int] = {}

    def response_of(fields: Fields) -> Iterator[dict[str, Any]]:
        row = _with_reference(fields.value, "answer")
        response = fields.text("response", required=True)
        if response is None:
            return
        name = _identity(row, row.get("problem"), ("problem_id", "question_id"))
        place = places[name] = places.get(name, -1) + 1
        label = next((row[key] for key in _JUDGED if isinstance(row.get(key), bool)), None)
        own = {_ID: f"{name}/{place}", _PROBLEM_ID: name, "response": _lines(response)}
        yield {**row, **own, **answers.judge(name, stated_answer(response), _reference(row), label)}

    return response_of


RESPONSE_LISTS: dict[str, ResponseList] = {
    "search_and_learn": ResponseList(
        "search-and-learn's completions",
        _is_search_and_learn,
        _search_and_learn,
        {"problem": "problem", "steps": "completions", "reference_answer": "answer"},
        "scores",
    ),
    "versaprm": ResponseList(
        "VersaPRM's chains of thought",
        _is_versa,
        lambda _, answers: partial(_chains, answers=answers),
        {"problem": "question", "steps": "steps", "reference_answer": "answer", "subset": "category"},
        "prm_reward",
        _versa_scorer,
    ),
    "rewardbench2": ResponseList(
        "RewardBench 2's scored texts",
        _is_rewardbench,
        lambda *_: _scored_texts,
        {"problem": "prompt", "steps": "text", "subset": "subset"},
        "scores",
        _rewardbench_scorer,
    ),
    "math_aps": ResponseList(
        "MATH-APS's prefixes",
        _is_math_aps,
        lambda _, answers: partial(_paths, answers=answers),
        {"problem": "question", "steps": "reasoning_steps", "reference_answer": "final_answer"},
        "mc_value",
        lambda _: "mc_value",
    ),
    "skywork": ResponseList(
        "Skywork's inference",
        _is_skywork,
        _skywork,
        {"problem": "problem", "steps": "response", "reference_answer": "answer"},
        "step_rewards",
    ),
}
"""Name -> a kind of file in which responses stand together."""
