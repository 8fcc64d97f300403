"""Wordings that every family shares, and how one is taken.

Each list holds several ways of saying the same thing. **The last one is held out**: the training stream and the demo
never use it, and the held-out stream uses nothing else. Names and things are one vocabulary for both.
"""

from collections.abc import Sequence
from random import Random


def pick(rng: Random, options: Sequence[str], *, held_out: bool) -> str:
    """One of the wordings: the last if `held_out`, else any of the others."""
    return options[-1] if held_out else options[rng.randrange(len(options) - 1)]


NAMES = (
    "Mia", "Ben", "Lena", "Omar", "Ada", "Tom", "Nina", "Ravi", "Sara", "Paul", "Ines", "Karl", "Yuki", "Hugo",
    "Ella", "Femi", "Olga", "Sven", "Tara", "Milo", "Ruth", "Dara", "Igor", "Nora", "Luca", "Zoe", "Amir", "Vera",
    "Jon", "Kofi",
)  # fmt: skip

ITEMS = (
    "stamps", "marbles", "apples", "cards", "pens", "books", "coins", "shells", "eggs", "tickets", "candles", "beads",
    "plums", "buttons", "stickers", "bricks", "cups", "roses", "keys", "cookies",
)  # fmt: skip

BOXES = ("boxes", "bags", "packs", "trays", "baskets", "crates")

_ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z")
_VOWELS = ("a", "e", "i", "o", "u")


def invented(rng: Random) -> str:
    """A word of two syllables that means nothing, in lower case."""
    return "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(2))


def names(rng: Random, count: int) -> list[str]:
    """That many different names, about one in six of them invented."""
    found: list[str] = []
    while len(found) < count:
        name = (invented(rng) + rng.choice("lmnrs")).capitalize() if rng.random() < 0.17 else rng.choice(NAMES)
        if name not in found:
            found.append(name)
    return found


def item(rng: Random) -> str:
    """Things to count, in the plural; about one in six invented."""
    return invented(rng) + "ns" if rng.random() < 0.17 else rng.choice(ITEMS)


FIRST_LEADS = {
    "plain": ("", "", "first, ", "to begin, ", "we begin: "),
    "latex": ("", "", "first, ", "to start, ", "as a first step, "),
    "chatty": ("okay, ", "let's see: ", "first, ", "alright, ", "so let's begin: "),
}
LEADS = {
    "plain": ("", "", "", "next, ", "then ", "now ", "after that, "),
    "latex": ("", "", "", "next, ", "then ", "now ", "moving on, "),
    "chatty": ("", "", "next, ", "okay, ", "then ", "now ", "going on, "),
}
LAST_LEADS = {
    "plain": ("", "so ", "therefore ", "hence "),
    "latex": ("", "therefore ", "thus ", "in conclusion, "),
    "chatty": ("so ", "great, ", "and so ", "all in all, "),
}
AGAIN_LEADS = ("", "", "also, ", "again, ", "once more, ", "to repeat, ")

GIVEN = (
    "the problem tells us: {notes}.",
    "we are given {notes}.",
    "what we know: {notes}.",
    "from the problem we take {notes}.",
    "let me collect the facts: {notes}.",
    "the data are {notes}.",
)

PARTS = (
    "the parts we need are {goals}.",
    "all we need is {goals}.",
    "this splits into these parts: {goals}.",
    "we do it in parts, which are {goals}.",
    "the whole plan is {goals}.",
    "nothing but this has to be found: {goals}.",
)

RESTATE = (
    "in other words, we want {goal}.",
    "the question asks for {goal}.",
    "we are looking for {goal}.",
    "put simply, the goal is {goal}.",
    "that means we must find {goal}.",
    "what is wanted is {goal}.",
)

ANSWER = (
    "the answer is {ans}.",
    "the final answer is {ans}.",
    "this gives the answer {ans}.",
    "we get {ans} as the answer.",
    "our answer is {ans}.",
    "the result asked for is {ans}.",
)

CHECK = (
    "check: {eq}, as it should be.",
    "to check, {eq}, which fits.",
    "going back, {eq}, and that agrees.",
    "as a test, {eq}, so this is right.",
    "let me verify: {eq}, which matches.",
    "a quick control: {eq}, so all is well.",
)
FALSE_ALARM = (
    "check: {eq}, but it should be {w}, so something is off.",
    "to check, {eq}, which does not fit {w}.",
    "going back, {eq}, and that does not agree with {w}.",
    "as a test, {eq} and not {w}, so there is a mistake.",
    "let me verify: {eq}, which does not match {w}.",
    "a quick control: {eq} instead of {w}, so all is not well.",
)
FALSE_REPAIR = (
    "check: {eq}, so {v} has to be corrected to {w}.",
    "to check, {eq}, so it must be {w} and not {v}.",
    "going back, {eq}, so I change {v} to {w}.",
    "as a test, {eq}, so the right value is {w} instead of {v}.",
    "let me verify: {eq}, so {w} is right and {v} is wrong.",
    "a quick control: {eq}, so {v} turns into {w}.",
)

NEEDLESS = (
    "by the way, {eq}.",
    "we can also work out {eq}.",
    "another thing we can find is {eq}.",
    "one may also note that {eq}.",
    "for interest, {eq}.",
    "on the side, {eq}.",
)

ENOUGH = (
    "since {a} is {rel} {b}, the answer is {yes}.",
    "{a} is {rel} {b}, so the answer is {yes}.",
    "we compare: {a} is {rel} {b}. The answer is {yes}.",
    "as {a} is {rel} {b}, we answer {yes}.",
    "{a} against {b}: {a} is {rel} {b}, so {yes}.",
    "seeing that {a} is {rel} {b}, it is a {yes}.",
)
