"""Looking at a prompt before the first call: what would make answers mean something else than the protocol says."""

import re
from collections.abc import Iterator, Sequence

from scoring.critics.case_lint import CaseTexts, PromptFinding, about_cases
from scoring.critics.index_base import stated_bases
from scoring.critics.placeholders import NAMES, filled, slots
from scoring.critics.protocol import CriticProtocol
from scoring.critics.special_texts import CHAT_TOKENS, control_character, invisible_character, literal_break
from scoring.critics.template import Template

_WORD_IN_BRACES = re.compile(r"(\\[A-Za-z]+\s*(?:\{[^{}]*\}|\[[^\]]*\])?|[_^])?(?<!\{)\{([A-Za-z_]\w{0,40})\}(?!\})")
_WORD_IN_TWO = re.compile(rf"\{{\{{\s*({'|'.join(NAMES)})\s*\}}\}}")
_NEARLY_A_MARKER = re.compile(
    r"^(?!(?-i:<<(?:system|user|assistant)>>)$)[ \t]*<<?[ \t]*(?:system|user|assistant)[ \t]*>>?:?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)


def lint(
    template: Template, protocol: CriticProtocol, cases: Sequence[CaseTexts] = (), shots: int | None = None
) -> list[PromptFinding]:
    """What is wrong or odd about a template for a protocol, and about the texts of a sample of cases; errors first.

    Args:
        template: what is asked with.
        protocol: what the answers will be read as, and how the steps are written.
        cases: problem and steps of the cases to look at, all or some.
        shots: how many worked examples are sent; None = as many as the protocol sends.

    Raises:
        UsageError: the template has fewer examples.
    """
    # Raises where examples lack.
    template.prompt("", "", protocol.shots if shots is None else shots)
    asked = "\n".join(
        filled(one.text, template.style, {"problem": "", "steps": ""})
        for one in (*template.instructions, template.question)
    )
    found = [
        *_characters(template),
        *_braces(template),
        *_placeholders(template),
        *_answer(asked, protocol),
        *_base(asked, protocol),
        *about_cases(cases, protocol.steps),
    ]
    return sorted(found, key=lambda one: one.severity != "error")


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
            "Double every brace that is no placeholder's, or none of them.",
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
    asked = slots("\n".join(message.text for message in (*template.instructions, template.question)))
    for slot in (slot for slot, times in asked.items() if times > 1):
        yield PromptFinding(
            "warning",
            "repeated placeholder",
            f"the template {template.source} has the {slot} {asked[slot]} times.",
            "Leave one, unless the repetition is meant.",
        )


def _answer(asked: str, protocol: CriticProtocol) -> Iterator[PromptFinding]:
    """Whether the prompt asks for what the answer is read for; worked examples do not count."""
    wanted = (
        {"\\boxed": "a \\boxed{} answer"}
        if protocol.gives == "earliest error"
        else {"validity": 'the key "validity"', "json": "JSON"}
    )
    if protocol.redundancy:
        wanted["redundancy"] = 'the key "redundancy"'
    lacking = [what for word, what in wanted.items() if word not in asked.lower()]
    if lacking:
        yield PromptFinding(
            "error",
            "missing answer instruction",
            f"nothing in the prompt asks for {' or '.join(lacking)}, which is all that {protocol.name} reads.",
            "Say in the template how the answer must be given.",
        )
    if protocol.gives == "earliest error" and not re.search(r"[-\u2212]\s?1\b", asked):
        yield PromptFinding(
            "warning",
            "no word for no error",
            "the prompt does not say that -1 is the answer where no step is wrong.",
            "Say so in the template.",
        )


def _base(asked: str, protocol: CriticProtocol) -> Iterator[PromptFinding]:
    """Whether the prompt counts steps as they are numbered; of ratings only the order counts."""
    bases, base = stated_bases(asked), protocol.steps.base
    decides = protocol.gives == "earliest error"
    if bases - {base}:
        told = " and ".join(map(str, sorted(bases)))
        yield PromptFinding(
            "error" if decides else "warning",
            "index base",
            f"the prompt counts steps from {told} and {protocol.name} numbers and reads them from {base}.",
            f"Say in the template that the first step has index {base}.",
        )
    elif decides and not bases:
        yield PromptFinding(
            "warning",
            "no index base",
            f"the prompt does not say that steps are counted from {base}.",
            "Say so in the template.",
        )
