"""Looking at a prompt before the first call: what would make answers mean something else than the protocol says."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from scoring.models.critics.protocols import CriticProtocol, StepLayout
from scoring.models.critics.template import NAMES, Template, filled, slots

# -- from which number a prompt says that steps are counted


_WORDS = {"0": 0, "zero": 0, "1": 1, "one": 1}
_AT = r"\b(?:from|at|with)\s+[\"'(`]?"
# Neither 10 nor 1.5.
_NUMBER = r"(0|1|zero|one)\b(?!\.?\d)"
_SAID = re.compile(
    # "indexed from 0", "numbering starts at 1", "numbers begin with zero"
    rf"\b(?:index|number|count)(?:ed|es|s|ing)?\s+(?:[a-z]+\s+){{0,3}}?{_AT}{_NUMBER}"
    # "starting from 1"; "start with one paragraph" says nothing
    rf"|\b(?:start|begin|beginn)(?:s|ing)?\s+(?:from|at)\s+{_NUMBER}(?!\s+[a-z])"
    # "0-based", "one-indexed"
    r"|\b(0|1|zero|one)[ -](?:based|indexed)\b"
    # "the first paragraph has index 0", "the first step is number 1"
    rf"|\bfirst\s+\w+\s+(?:has|is|gets|carries)\s+(?:[a-z]+\s+){{0,2}}?(?:index|number)\s+{_NUMBER}",
    re.IGNORECASE,
)
_TAG = re.compile(r"\b(?:paragraph|step)_(\d+)\b", re.IGNORECASE)


def stated_bases(text: str) -> set[int]:
    """Return the bases, 0 or 1, that the text names in words; where it names none, that of the lowest tag it mentions.

    A tag is `paragraph_3` or `step_3`; one above 1 says nothing.
    """
    bases = {_WORDS["".join(filter(None, groups)).lower()] for groups in _SAID.findall(text)}
    lowest = min((int(number[:4]) for number in _TAG.findall(text)), default=2)
    return bases or ({lowest} if lowest < 2 else set())


# -- texts that mean something to a program and are only text in a prompt


CHAT_TOKENS = re.compile(
    r"<\|[A-Za-z][\w.:/-]{0,40}\|>"
    r"|</?s>|<pad>|<unk>|<bos>|<eos>|<(?:start|end)_of_turn>|</?think>"
    r"|\[/?INST\]|<</?SYS>>|<｜[^｜>]{1,40}｜>|<extra_\d+>"
)
"""Special tokens of the chat templates in use: Qwen's, Llama's, Mistral's, Gemma's, DeepSeek's."""

ROLE_MARKERS = re.compile(r"^<<(?:system|user|assistant)>>$", re.MULTILINE)
"""The lines that start a message in a template."""

_ESCAPES = {"\x07": "\\a", "\x08": "\\b", "\x0b": "\\v", "\x0c": "\\f", "\r": "\\r", "\t": "\\t"}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|\t(?=ext|imes|frac|an\b|heta|au\b|o\b|ilde|herefore)")
_LATEX_N = (
    *("ne", "neq", "neg", "nu", "nabla", "not", "notin", "ni", "nmid", "newline", "nolimits", "nearrow", "nwarrow"),
    *("nleq", "ngeq", "nless", "ngtr", "nexists", "nparallel", "nsim", "ncong", "nsubseteq", "nsupseteq", "nonumber"),
    *("noindent", "nrightarrow", "nleftarrow", "newcommand", "normalsize", "nobreak", "notag", "natural"),
)
_LITERAL_BREAK = re.compile(rf"(?<!\\)\\n(?!(?:{'|'.join(name[1:] for name in _LATEX_N)})(?![A-Za-z]))")


def control_character(text: str) -> str | None:
    """Return the first control character in words, with the escape that makes it in Python; None where there is none.

    Line breaks and tabs are none, but for a tab in the place of the first letter of a LaTeX command.
    """
    match = _CONTROL.search(text)
    if match is None:
        return None
    character, rest = match[0], re.match(r"[A-Za-z]*", text[match.end() :])
    escape = _ESCAPES.get(character)
    if escape and rest and rest[0]:
        return (
            f"U+{ord(character):04X} before {rest[0][:20]!r}, which {escape + rest[0][:20]} becomes in a Python string"
        )
    return f"U+{ord(character):04X}"


def invisible_character(text: str) -> str | None:
    """Return the first character that shows nothing or stands for a lost one; None where there is none."""
    for character in text:
        if character == "\ufffd" or unicodedata.category(character) == "Cf":
            return f"U+{ord(character):04X}"
    return None


def literal_break(text: str) -> bool:
    r"""Return whether backslash and n stand where a line break was meant: no LaTeX command begins there."""
    return _LITERAL_BREAK.search(text) is not None


# -- looking at the texts of cases that go into a critic's prompt: what a model could take for something else


class CaseTexts(NamedTuple):
    """What of a case goes into a prompt; `between` are texts of a trajectory that are no steps."""

    problem: str
    steps: Sequence[str]
    between: Sequence[str] = ()


_AS_TEXT = "They are sent as plain text; look at the answers to these cases."


class PromptFinding(Struct, frozen=True):
    """One thing about a template or about the texts that go into it.

    An "error" would make answers mean something else than the protocol says, and nothing is asked; a "warning" is told.
    `kind` is a stable word to count by. `cases` is how many of the looked-at cases it is about, 0 = the template.
    """

    severity: Literal["error", "warning"]
    kind: str
    sentence: str
    next_step: str
    cases: int = 0

    def __str__(self) -> str:
        return f"{self.severity}: {self.sentence} {self.next_step}"


def about_cases(cases: Sequence[CaseTexts], layout: StepLayout) -> Iterator[PromptFinding]:
    """Yield one finding a kind, with how many cases it is about and the place of the first (1-based, as given)."""
    marks = layout.marks()
    for kind, what, next_step, holds in (
        (
            "colliding tags",
            "hold the marks that number steps",
            "The model may miscount their steps.",
            _any(marks.search),
        ),
        ("special token", "hold special tokens of chat templates", _AS_TEXT, _any(CHAT_TOKENS.search)),
        ("role marker", "hold a line that starts a message in templates", _AS_TEXT, _any(ROLE_MARKERS.search)),
        ("control character", "hold control characters", _AS_TEXT, _any(control_character)),
        (
            "literal line break",
            "hold a backslash and an n where a line break may be meant",
            "They are sent as they are; see whether the file or its import lost the line breaks.",
            _any(literal_break),
        ),
        ("empty step", "have a step without text", "It keeps its number, and the model may pass over it.", _blank),
        ("no steps", "have no steps", "There is nothing to judge in them.", lambda case: not case.steps),
        (
            "empty problem",
            "have a problem without text",
            "Their steps are judged alone.",
            lambda case: not case.problem.strip(),
        ),
    ):
        numbers = [
            number
            for number, case in enumerate(cases, 1)
            if holds(case._replace(steps=[*map(layout.step, case.steps)]))
        ]
        if numbers:
            yield PromptFinding(
                "warning",
                kind,
                f"{len(numbers):,} of {len(cases):,} cases {what}, the first being number {numbers[0]:,}.",
                next_step,
                len(numbers),
            )


def _any(test: Callable[[str], object]) -> Callable[[CaseTexts], bool]:
    return lambda case: any(map(test, (case.problem, *case.steps, *case.between)))


def _blank(case: CaseTexts) -> bool:
    return any(not step.strip() for step in case.steps)


_WORD_IN_BRACES = re.compile(r"(\\[A-Za-z]+\s*(?:\{[^{}]*\}|\[[^\]]*\])?|[_^])?(?<!\{)\{([A-Za-z_]\w{0,40})\}(?!\})")
_WORD_IN_TWO = re.compile(rf"\{{\{{\s*({'|'.join(NAMES)})\s*\}}\}}")
_NEARLY_A_MARKER = re.compile(
    r"^(?!(?-i:<<(?:system|user|assistant)>>)$)[ \t]*<<?[ \t]*(?:system|user|assistant)[ \t]*>>?:?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)


def lint(
    template: Template, protocol: CriticProtocol, cases: Sequence[CaseTexts] = (), shots: int | None = None
) -> list[PromptFinding]:
    """Find what is wrong or odd about a template for a protocol, and about the texts of a sample of cases; errors
    first.

    Args:
        template: what is asked with.
        protocol: what the answers will be read as, and how the steps are written.
        cases: texts of the cases to look at, all or some.
        shots: how many worked examples are sent; None = as many as the protocol sends.

    Raises:
        UsageError: the template has fewer examples.
    """
    # Raises where examples lack.
    template.prompt("", "", protocol.shots if shots is None else shots)
    instructions = "\n".join(
        filled(message.text, template.style, {"problem": "", "steps": ""})
        for message in (*template.instructions, template.question)
    )
    findings = [
        *_characters(template),
        *_braces(template),
        *_placeholders(template),
        *_answer(instructions, protocol),
        *_base(instructions, protocol),
        *about_cases(cases, protocol.steps),
    ]
    return sorted(findings, key=lambda finding: finding.severity != "error")


def _characters(template: Template) -> Iterator[PromptFinding]:
    """Characters that an editor or a string of some language put there."""
    control = control_character(template.text)
    if control:
        yield PromptFinding(
            "error",
            "control character",
            f"the template {template.source} holds the control character {control}.",
            "Write the text as it is meant, without escapes.",
        )
    if literal_break(template.text):
        yield PromptFinding(
            "warning",
            "literal line break",
            rf"the template {template.source} holds a backslash and an n where a line break may be meant.",
            "Break the line itself, unless the model was trained on it.",
        )
    hidden = invisible_character(template.text)
    if hidden:
        yield PromptFinding(
            "warning",
            "invisible character",
            f"the template {template.source} holds {hidden}, which does not show or stands for a lost character.",
            "Remove it, unless it is meant.",
        )
    token = CHAT_TOKENS.search(template.text)
    if token:
        yield PromptFinding(
            "warning",
            "special token",
            f"the template {template.source} holds {token[0]}, which is sent as plain text.",
            "Start messages with lines of <<system>>, <<user>> and <<assistant>> instead.",
        )
    marker = _NEARLY_A_MARKER.search(template.text)
    if marker:
        yield PromptFinding(
            "error",
            "message marker",
            f"the template {template.source} has the line {marker[0]!r}, which starts no message.",
            "Write exactly <<system>>, <<user>> or <<assistant>> on a line of its own.",
        )


def _braces(template: Template) -> Iterator[PromptFinding]:
    """Braces that are neither text nor placeholders for certain."""
    if template.style == "mixed":
        yield PromptFinding(
            "error",
            "mixed braces",
            f"some braces of the template {template.source} are doubled and some are not.",
            "Double every brace that is not a placeholder's, or none of them.",
        )
    for name in dict.fromkeys(_WORD_IN_TWO.findall(template.text)):
        yield PromptFinding(
            "error",
            "doubled placeholder",
            f"{{{{{name}}}}} in the template {template.source} is the word in braces, not the placeholder.",
            f"Write {{{name}}}.",
        )
    words = (word for command, word in _WORD_IN_BRACES.findall(template.text) if not command)
    for word in dict.fromkeys(words):
        if word not in NAMES:
            yield PromptFinding(
                "error",
                "unfilled placeholder",
                f"nothing fills {{{word}}} in the template {template.source}.",
                f"Placeholders are {', '.join(f'{{{name}}}' for name in NAMES)}; if it is text, double all braces.",
            )


def _placeholders(template: Template) -> Iterator[PromptFinding]:
    for slot in template.missing():
        others = ", ".join(f"{{{name}}}" for name, filling in NAMES.items() if filling == slot)
        yield PromptFinding(
            "error",
            "missing placeholder",
            f"the template {template.source} does not say where the {slot} {'go' if slot == 'steps' else 'goes'}.",
            f"Write one of {others}.",
        )
    if any(slots(message.text) for pair in template.examples for message in pair):
        yield PromptFinding(
            "error",
            "placeholder in an example",
            f"a worked example of the template {template.source} holds a placeholder, which is not filled there.",
            "Write the example out, or put the placeholder into the last <<user>> message.",
        )
    slot_counts = slots("\n".join(message.text for message in (*template.instructions, template.question)))
    for slot in (slot for slot, times in slot_counts.items() if times > 1):
        yield PromptFinding(
            "warning",
            "repeated placeholder",
            f"the template {template.source} has the {slot} {slot_counts[slot]} times.",
            "Leave one, unless the repetition is meant.",
        )


_IN_WORDS = {"\\boxed": "a \\boxed{} answer", "json": "JSON"}


def _answer(wording: str, protocol: CriticProtocol) -> Iterator[PromptFinding]:
    """Whether the prompt asks for what the answer is read for; worked examples do not count."""
    lacking = [_IN_WORDS.get(word, f'the key "{word}"') for word in protocol.words if word not in wording.lower()]
    if lacking:
        yield PromptFinding(
            "error",
            "missing answer instruction",
            f"nothing in the prompt asks for {' or '.join(lacking)}, which is all that {protocol.name} reads.",
            "Say in the template how the answer must be given.",
        )
    if protocol.gives == "earliest error" and not re.search(r"[-\u2212]\s?1\b", wording):
        yield PromptFinding(
            "warning",
            "no word for no error",
            "the prompt does not say that -1 is the answer where no step is wrong.",
            "Say so in the template.",
        )


def _base(wording: str, protocol: CriticProtocol) -> Iterator[PromptFinding]:
    """Whether the prompt counts steps as they are numbered; of lists of ratings only the order counts."""
    bases, base, decides = stated_bases(wording), protocol.steps.base, protocol.gives != "step rewards"
    if bases - {base}:
        bases_listed = " and ".join(map(str, sorted(bases)))
        yield PromptFinding(
            "error" if decides else "warning",
            "index base",
            f"the prompt counts steps from {bases_listed} and {protocol.name} numbers and reads them from {base}.",
            f"Say in the template that the first step has index {base}.",
        )
    elif decides and not bases:
        yield PromptFinding(
            "warning",
            "no index base",
            f"the prompt does not say that steps are counted from {base}.",
            "Say so in the template.",
        )
