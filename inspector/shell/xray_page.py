"""The token X-ray of a case for a person: what the model is, and for every step what was read and what came of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from inspector.shell.page import WARNING, hanging
from inspector.text import cell, clean
from inspector.token_text import joint, visible, window
from inspector.xray import problems

_INDENT = 10
_SLOT, _APART = 20, 1
"""Cells of a place in the list of tokens, and how many at least are between two tokens."""
_DIGITS = len("-12.3456")
Tokens = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class XrayPage:
    """The page of one answer of `python -m scoring explain`.

    `steps` are the case's own texts; `width` is in cells; with `whole` every token is listed at the end.
    """

    answer: Mapping[str, Any]
    steps: Sequence[str]
    width: int
    ascii_only: bool = False
    whole: bool = False

    def lines(self) -> Iterator[Text]:
        """The page, line by line."""
        tokens: Tokens = self.answer["tokens"]
        yield from self._head(tokens)
        for read in tokens:
            if read["read"]:
                yield Text()
                yield from self._step(read, [one for one in tokens if one["sequence"] == read["sequence"]])
        if self.whole and tokens:
            yield Text()
            yield from self._list(tokens)

    def _head(self, tokens: Tokens) -> Iterator[Text]:
        answer, outputs = self.answer, self.answer["outputs"]
        title = f"{clean(answer['case'])} as {clean(answer['family'])} sees it"
        yield Text(_cut(title, self.width, ascii_only=self.ascii_only), "bold")
        run = f" ({answer['engine']})" if answer["engine"] else ", not run"
        yield from self._fact("model", f"{answer['model']}{run}")
        if tokens:
            yield from self._fact("tokens", _counts(tokens))
            yield from self._ends(tokens)
        if answer["reads"]:
            yield from self._fact("also read", ", ".join(answer["reads"]))
        yield from self._fact("head", outputs["head"])
        by = f" by {outputs['transform']}" if outputs["transform"] == "softmax" else ""
        redundancy = f"; redundancy = {outputs['redundancy']}" if outputs["redundancy"] else ""
        bounds = answer["range"] if outputs["transform"] else "without bounds"
        yield from self._fact("reward", f"{outputs['reward']}{by}, {bounds}{redundancy}")
        yield from self._fact("rule", answer["rule"])
        for warning in problems(answer):
            yield from self._warning(warning, 0)

    def _ends(self, tokens: Tokens) -> Iterator[Text]:
        """How the first sequence begins, and how the last one ends."""
        room = self.width - _INDENT
        first = [self._seen(one) for one in tokens if not one["sequence"]]
        last = [self._seen(one) for one in tokens if one["sequence"] == tokens[-1]["sequence"]]
        for name, texts, at in (("begins", first, 0), ("ends", last, len(last) - 1)):
            yield Text(name.ljust(_INDENT) + window(texts, at, room, ascii_only=self.ascii_only)[0])

    def _step(self, read: Mapping[str, Any], sequence: Tokens) -> Iterator[Text]:
        """One step: its text, the tokens around what is read, and the numbers."""
        step = read["step"]
        label = f"step {step}".ljust(_INDENT)
        text = visible(self.steps[step], ascii_only=self.ascii_only) if step < len(self.steps) else ""
        text = _cut(text, self.width - len(label), ascii_only=self.ascii_only) if text.strip() else "(blank)"
        yield Text(label + text, "bold")
        yield from self._around(read, sequence)
        if read["warning"]:
            yield from self._warning(f"{read['warning']}: {self._seen(read)!r}", _INDENT)
        if read["logits"] is not None:
            yield from self._numbers(read)

    def _around(self, read: Mapping[str, Any], sequence: Tokens) -> Iterator[Text]:
        """The tokens around the one that is read, and below it a mark and which one it is."""
        texts = [self._seen(one) for one in sequence]
        line, start, size = window(texts, read["index"], self.width - _INDENT, ascii_only=self.ascii_only)
        yield Text(" " * _INDENT).append(line)
        several = f" of sequence {read['sequence']}" if self.answer["tokens"][-1]["sequence"] else ""
        told = f"read: token {read['index']}{several}, id {read['id']}"
        mark, at = "^" * max(1, size), _INDENT + start
        if at + len(mark) + 1 + len(told) <= self.width:
            yield Text(f"{' ' * at}{mark} {told}", "bold")
        elif len(told) + 1 <= at:
            yield Text(f"{told.rjust(at - 1)} {mark}", "bold")
        else:
            yield Text(" " * at + mark, "bold")
            yield from hanging("", told, self.width, indent=0, style="bold")

    def _numbers(self, read: Mapping[str, Any]) -> Iterator[Text]:
        outputs = self.answer["outputs"]
        yield from self._fact("logits", _labelled(outputs["labels"], read["logits"]))
        if outputs["transform"]:
            yield from self._fact(outputs["transform"], _labelled(outputs["labels"], read["values"]))
        told = f"{_number(read['reward'])} = {outputs['reward']}{self._verdict(read)}"
        yield from self._fact("reward", told, "bold")
        if read["redundancy"] is not None:
            scale = self.answer["scale"]
            cut = scale["redundancy_threshold"]
            over = cut is not None and read["redundancy"] > cut
            mark = f", redundant: > {cut:g}" if over else ""
            yield from self._fact("redundant", f"{_number(read['redundancy'])} = {outputs['redundancy']}{mark}")

    def _verdict(self, read: Mapping[str, Any]) -> str:
        """Whether the step is wrong by the family's own rule."""
        scale, reward = self.answer["scale"], read["reward"]
        if reward is None:
            return ""
        cut, comparison = scale["threshold"], scale["comparison"]
        wrong = reward < cut or (comparison == "<=" and reward == cut)
        return f", wrong: {comparison} {cut:g}" if wrong else ", right"

    def _list(self, tokens: Tokens) -> Iterator[Text]:
        """Every token with its place, id and text, those that are read with a star; a line for each new owner."""
        yield Text("every token: place, id, text (* is read)", "bold")
        places, ids = (max(len(str(one[name])) for one in tokens) for name in ("index", "id"))
        bar = joint(self.ascii_only)
        for owner, some in groupby(tokens, _owner):
            yield Text(owner, "bold")
            line = ""
            for one in some:
                entry = f"{'*' if one['read'] else ' '}{one['index']:>{places}} {one['id']:>{ids}} {bar}"
                entry += _cut(self._seen(one), self.width - len(entry) - 1, ascii_only=self.ascii_only) + bar
                # Longer ones take the room of two or more.
                size = -(-(cell_len(entry) + _APART) // _SLOT) * _SLOT
                if line and cell_len(line) + cell_len(entry) > self.width:
                    yield Text(line.rstrip())
                    line = ""
                line += entry + " " * (size - cell_len(entry))
            yield Text(line.rstrip())

    def _fact(self, name: str, text: str, style: str = "") -> Iterator[Text]:
        return hanging(name, text, self.width, indent=_INDENT, style=style)

    def _warning(self, text: str, indent: int) -> Iterator[Text]:
        for line in hanging("!", text, self.width - indent, indent=2, style=WARNING, label_style=WARNING):
            yield Text(" " * indent).append_text(line)

    def _seen(self, token: Mapping[str, Any]) -> str:
        return visible(token["text"], ascii_only=self.ascii_only)


def _cut(text: str, width: int, *, ascii_only: bool) -> str:
    """A line's text in at most `width` cells; what is cut off is marked."""
    if cell_len(text) <= width:
        return text
    return f"{cell(text, width - 2)[:-1].rstrip()}..." if ascii_only else cell(text, width).rstrip()


def _counts(tokens: Tokens) -> str:
    """How many tokens there are of which part."""
    sequences = tokens[-1]["sequence"] + 1
    parts = {name: sum(one["part"] == name for one in tokens) for name in ("problem", "step", "layout")}
    told = f"{parts['problem']:,} of the problem, {parts['step']:,} of steps, {parts['layout']:,} of the layout"
    several = f" in {sequences} sequences" if sequences > 1 else ""
    return f"{len(tokens):,}{several}: {told}"


def _owner(token: Mapping[str, Any]) -> str:
    """Whose text a token is, for a line above."""
    whose = f"step {token['step']}" if token["part"] == "step" else token["part"]
    return f"sequence {token['sequence']}, {whose}" if token["sequence"] else str(whose)


def _labelled(labels: Sequence[str], numbers: Sequence[float | None]) -> str:
    named = [*labels, *(f"output {at}" for at in range(len(labels), len(numbers)))]
    return "   ".join(f"{label} {_number(one):>{_DIGITS}}" for label, one in zip(named, numbers, strict=False))


def _number(number: float | None) -> str:
    return "no number" if number is None else f"{number:.4f}"
