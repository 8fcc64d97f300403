"""What a critic was sent, exactly: its template is kept once by its hash, and the prompts are made of it again.

A prompt follows from template, layout of the steps, worked examples and the texts of the case, so that these are kept
and not every prompt; a generative PRM's later prompts hold what it wrote before, which is kept as its answer. Beside
each answer lies the hash of what was sent: a prompt that is made again is held against it, so that nobody need believe
that it is the same. `workspace/prompts/<hash>.txt` is a template as it was read, whatever became of its file.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct
from msgspec.structs import replace as struct_replace

from scoring.data.errors import InputError, UsageError
from scoring.data.reward_keys import further_texts
from scoring.data.scorer import Scorer
from scoring.data.storage.files import write_atomically
from scoring.models.asking import GeneratedAnswer, Prompt, Sampling, TokenLogprobs, prompt_hash
from scoring.models.critics.protocols import CriticProtocol, StepLayout
from scoring.models.critics.template import Template
from scoring.runs.generative.generative_catalogue import FAMILIES, GenerativeFamily
from scoring.runs.generative.talk import Talk
from scoring.runs.generative.talk_templates import TalkTemplate, packaged_wording
from scoring.runs.reparse import protocol_of_critic

FOLDER = "prompts"


class Call(Struct, frozen=True):
    """One prompt that was sent; `step` (0-based) is the one it is about, None where it is about all."""

    prompt: Prompt
    step: int | None = None


class SentPrompt(Struct, frozen=True):
    """What was sent for one answer, call for call: one call for a critic, several for a generative PRM.

    `template` says where the template is from, `kept` whether the workspace kept it. `fits` says whether the hash of
    the calls is the one that lies beside the answer; None where no answer says.
    """

    calls: tuple[Call, ...]
    template: str
    kept: bool
    fits: bool | None

    @property
    def words(self) -> str:
        """Whether it is what was sent, and how that is known."""
        if self.fits is None:
            return f"no answer to this case is kept; it is asked so (template {self.template})"
        made = f"made again of the template {self.template}, which was kept" if self.kept else (
            f"rebuilt from this version's template {self.template}, since none was kept with the answers"
        )  # fmt: skip
        if self.fits:
            return f"exactly as it was sent: {made}, and its hash is the one that lies beside the answer"
        return f"WARNING: this is not what was sent: {made}, and its hash does not fit the one beside the answer"


def keep_template(root: Path | None, template: Template) -> None:
    """Keep a template in a workspace, once.

    Raises:
        UnwritableWorkspace: it cannot be written.
    """
    path = _path(root, template.hash)
    if path is not None and not path.exists():
        write_atomically(path, template.text.encode())


def kept_template(root: Path | None, scorer: Scorer) -> Path | None:
    """Find the file of a scorer's template; None where none was kept."""
    path = _path(root, str(scorer.settings.get("template")))
    return path if path is not None and path.exists() else None


def sampling_words(scorer: Scorer, seed: int | None) -> str:
    """Return how a critic's answers were sampled, literally as sent; what is not named was left to the server."""
    sampling = scorer.settings.get("sampling")
    named = dict(sampling) if isinstance(sampling, Mapping) else {}
    settings = {name: value for name, value in {**named, "seed": seed}.items() if value is not None and value != []}
    return ", ".join(f"{name} {value}" for name, value in settings.items()) or "nothing was sent about it"


def sent(
    root: Path | None,
    scorer: Scorer,
    case: Mapping[str, Any],
    texts: Mapping[str, Any],
    answer: Mapping[str, Any] | None,
) -> SentPrompt:
    """Return what was sent to a critic or a generative PRM for an answer.

    Args:
        root: the workspace's folder.
        scorer: who was asked.
        case: its row of the cases frame.
        texts: its row of the texts.
        answer: a row of `scoring.data.schema.VOTES`; None where there is none, which gives what would be sent first.

    Raises:
        UsageError: it was imported, or is no scorer that is sent prompts.
        InputError: its template was not kept, and is not the one of this version either.
    """
    family = FAMILIES.get(str(scorer.settings.get("protocol")))
    problem, steps = texts["problem"], texts["steps"]
    # Whoever imports answers knows the protocol at most.
    protocol = protocol_of_critic(scorer) if "template" in scorer.settings else None
    kept_mark = None if answer is None else answer["prompt"]
    if protocol is not None:
        template, kept = _template(root, scorer, Template.packaged, protocol.template)
        further = [text for _, text in further_texts(scorer.reads, case, texts)]
        calls: tuple[Call, ...] = (Call(_prompt(scorer, protocol, template, problem, steps, *further)),)
        mark = prompt_hash(calls[0].prompt)
    elif family is not None:
        template, kept = _template(root, scorer, packaged_wording, family.template(dict(scorer.settings["options"])))
        # What was written before an answer failed to come is not kept, nor is what was asked after it.
        answered = answer if answer and answer["answer"] is not None else None
        kept_mark = None if answered is None else kept_mark
        calls = tuple(_calls(scorer, family, template, problem, steps, answered))
        hashes = "".join(prompt_hash(call.prompt) for call in calls)
        mark = blake2b(hashes.encode(), digest_size=16).hexdigest()
    else:
        _refuse(scorer)
    return SentPrompt(
        calls, f"{template.source} ({template.hash[:8]})", kept, None if kept_mark is None else mark == kept_mark
    )


def _refuse(scorer: Scorer) -> NoReturn:
    if scorer.kind == "critic":
        raise UsageError(f"{scorer.name} was not asked here, so that what it was sent is not known.")
    raise UsageError(f"{scorer.name} is a {scorer.kind}: it is sent no prompt.", "--explain shows a PRM's tokens.")


def _path(root: Path | None, mark: str) -> Path | None:
    return None if root is None else root / FOLDER / f"{mark}.txt"


def _template(
    root: Path | None, scorer: Scorer, packaged: Callable[[str], Template], usual: str
) -> tuple[Template, bool]:
    """The template of a scorer and whether it was kept: the file of its hash, else the packaged one if it is that."""
    mark = str(scorer.settings.get("template"))
    path = _path(root, mark)
    if path is not None and path.exists():
        kept = replace(Template.read(path), source="of these answers")
        if kept.hash == mark:
            return kept, True
    if (present := packaged(usual)).hash == mark:
        return present, False
    raise InputError(
        f"the template of {scorer.name} ({mark[:8]}) was not kept when it was asked, and it is none of this version's.",
        "Run the same `score` again with --template FILE: nothing is asked again, and the template is kept.",
    )


def _prompt(
    scorer: Scorer,
    protocol: CriticProtocol,
    template: Template,
    problem: str,
    steps: Sequence[str],
    context: str | None = None,
) -> Prompt:
    """A critic's prompt, with the layout and the examples that its settings name."""
    layout, shots = scorer.settings.get("steps"), scorer.settings.get("shots", protocol.shots)
    written = StepLayout(**layout) if isinstance(layout, Mapping) else protocol.steps
    protocol = struct_replace(protocol, steps=written, message=scorer.settings.get("message", ""))
    return template.prompt(problem, protocol.text(steps, context), shots)


# -- generative PRMs


def _calls(
    scorer: Scorer,
    family: GenerativeFamily,
    template: Template,
    problem: str,
    steps: Sequence[str],
    answer: Mapping[str, Any] | None,
) -> Iterator[Call]:
    """Every call of a generative PRM's talks, held again with what it answered then; without answers the first ones."""
    options = dict(scorer.settings["options"])
    sampling = {name: value for name, value in scorer.settings["sampling"].items() if value is not None}
    made = family.make(TalkTemplate(template, family.placeholders, own=False), options, Sampling(**sampling))
    answer_texts, places = (json.loads(answer[name] or "[]") if answer else [] for name in ("answer", "logprobs"))
    talks = made.talks(problem, list(steps))
    for at, talk in enumerate(talks):
        texts = answer_texts[at] if at < len(answer_texts) else []
        step = at if len(talks) == len(steps) else None
        if answer is None:
            yield Call(next(talk).prompt, step)
        # Of a talk that nothing was heard of nothing was asked either: another one of its vote came to nothing.
        elif texts:
            yield from (Call(prompt, step) for prompt in _held(talk, texts, places))
        talk.close()


def _held(talk: Talk, texts: Sequence[str], places: Sequence[Any]) -> Iterator[Prompt]:
    """The prompts of a talk that hears these texts; `places` are the tokens at which its rewards were read, by step."""
    question = next(talk)
    asked_first = _turns(question.prompt)
    yield question.prompt
    with suppress(StopIteration):
        for text in texts[:-1]:
            step = _turns(question.prompt) - asked_first
            question = talk.send(
                GeneratedAnswer(text, logprobs=_logprobs(places[step]) if step < len(places) else None)
            )
            yield question.prompt


def _turns(prompt: Prompt) -> int:
    return sum(message.role == "user" for message in prompt)


def _logprobs(place: Any) -> tuple[TokenLogprobs, ...] | None:
    """The token at which a reward was read, between the braces of its box."""
    if place is None:
        return None
    token, logprob, top = place
    return (TokenLogprobs("{", 0.0), TokenLogprobs(token, logprob, tuple(map(tuple, top))), TokenLogprobs("}", 0.0))
