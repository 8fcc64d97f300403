"""What happened to the cases, a bar a scorer: outcomes in shares of the cases, told by glyph, word and number."""

from collections.abc import Mapping, Sequence

from inspector.render.elements import Element
from inspector.render.svg import ROW, WIDTH, box, name_label, picture, width_of, words
from inspector.render.view import Cell, Picture, Table, count, table
from inspector.sentences import GLYPHS, WORDS
from scoring.verdicts import OUTCOMES

LEFT = 270
TOP = 34
GAP = 5


def outcome_chart(title: str, counts: Sequence[tuple[str, Mapping[str, int]]]) -> Picture:
    """A bar a scorer, of its name and the number of cases of each outcome; all bars have the same cases."""
    seen = [name for name in OUTCOMES if any(of_one[name] for _, of_one in counts)]
    shapes = _legend(seen)
    for number, (name, of_one) in enumerate(counts):
        shapes += _bar(name, {outcome: of_one[outcome] for outcome in seen}, TOP + ROW * number)
    told = "; ".join(f"{name}: {_told(of_one, seen)}" for name, of_one in counts)
    described = f"Bars are all the cases, parted by outcome in the order of the legend. {told}."
    height = TOP + ROW * len(counts) + 4
    return Picture(title, described, picture(height, title, described, *shapes), _table(title, counts, seen))


def _told(of_one: Mapping[str, int], seen: Sequence[str]) -> str:
    return ", ".join(f"{WORDS[outcome]} {of_one[outcome]}" for outcome in seen if of_one[outcome])


def _legend(seen: Sequence[str]) -> list[Element]:
    """A little box an outcome with its glyph, and its word behind it."""
    shapes, x = [], float(LEFT)
    for outcome in seen:
        shapes.append(box(x, 6, 16, 16, f"o-{outcome.replace('_', '-')}"))
        shapes.append(words(GLYPHS[outcome], x + 8, 18, "inside", "middle"))
        shapes.append(words(WORDS[outcome], x + 21, 18))
        x += 21 + width_of(WORDS[outcome]) + 14
    return shapes


def _bar(name: str, of_one: Mapping[str, int], y: float) -> list[Element]:
    total = sum(of_one.values())
    shapes, x = [name_label(name, LEFT - 12, y + 16)], float(LEFT)
    for outcome, n in of_one.items():
        width = (WIDTH - LEFT) * n / total if total else 0.0
        if not n:
            continue
        shapes.append(box(x, y + 2, width, ROW - GAP, f"o-{outcome.replace('_', '-')}", f"{WORDS[outcome]}: {n}"))
        label = f"{GLYPHS[outcome]} {n}".strip()
        label = label if width_of(label) + 4 <= width else GLYPHS[outcome]
        if width_of(label) + 4 <= width:
            shapes.append(words(label, x + width / 2, y + 16, "inside", "middle"))
        x += width
    return shapes


def _table(title: str, counts: Sequence[tuple[str, Mapping[str, int]]], seen: Sequence[str]) -> Table:
    heads = ("scorer", *(f"{GLYPHS[outcome]} {WORDS[outcome]}".strip() for outcome in seen))
    rows = [[Cell(name), *(count(of_one[outcome]) for outcome in seen)] for name, of_one in counts]
    return table(f"{title}: numbers of cases", heads, rows)
