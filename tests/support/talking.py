"""What tests of generative PRMs share: answers with log-probabilities, and a talk that is led by hand."""

import math

from scoring.models.asking import GeneratedAnswer, TokenLogprobs


def token(text, likely=0.0, **top):
    """A generated token with the log-probabilities of others in its place; `_` in a name stands for a blank."""
    pairs = ((name.replace("_", " "), math.log(chance)) for name, chance in top.items())
    return TokenLogprobs(text, math.log(likely) if likely else -0.1, tuple(pairs))


def decides(**top):
    """The answer to a decision question: its one token has these probabilities."""
    (first, chance), *_ = top.items()
    return GeneratedAnswer(
        first.strip("_"),
        finish_reason="length",
        tokens_out=1,
        logprobs=(token(first.replace("_", " "), chance, **top),),
    )


def box(word, behind="}$\n", **top):
    """The answer that writes a judgement: its token for the word has these probabilities."""
    place = token(word, top.get(word, 0.0), **top)
    return GeneratedAnswer(
        f"{{{word}{behind}", finish_reason="stop", tokens_out=4, logprobs=(token("{"), place, token(behind))
    )


def led(talk, *answers):
    """The questions of a talk that hears these answers, and what it came to (None = it goes on)."""
    questions = [next(talk)]
    for answer in answers:
        try:
            questions.append(talk.send(answer))
        except StopIteration as end:
            return questions, end.value
    return questions, None


def reference(yes, no):
    """p(yes) / (p(yes) + p(no)) of two log-probabilities, as it is written down."""
    return math.exp(yes) / (math.exp(yes) + math.exp(no))
