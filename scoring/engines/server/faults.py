"""What goes wrong with one request, and whether it is worth another."""


class Unreachable(Exception):  # noqa: N818  # named for what is so, as the errors of scoring.errors
    """No connection: nothing was sent, so the request is as good as before."""

    def __init__(self, phrase: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase


class Fault(Exception):  # noqa: N818  # as above
    """A request that came to no answer.

    Attributes:
        phrase: what happened, in a few words ("HTTP 500").
        again: whether sending it again may help.
        rest: seconds that the server wants to be left alone.
        suspicious: whether the server itself may be down.
        lasting: whether it will always be so, for this request.
    """

    def __init__(
        self, phrase: str, *, again: bool = True, rest: float = 0.0, suspicious: bool = False, lasting: bool = False
    ) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.again = again
        self.rest = rest
        self.suspicious = suspicious
        self.lasting = lasting


class Declined(Fault):
    """A request that a server would not do. Whether the request or the server is the reason, its other answers tell.

    Attributes:
        sentence: what is so where the server is the reason, for the end of a run; `next_step` what to do then.
        account: whether it is about who asks and not about what is asked.
        sure: whether once is enough to blame a server that has not answered anything yet.
    """

    def __init__(
        self,
        phrase: str,
        sentence: str,
        next_step: str,
        *,
        account: bool = False,
        sure: bool = False,
        lasting: bool = False,
    ) -> None:
        super().__init__(phrase, again=account, lasting=lasting)
        self.sentence = sentence
        self.next_step = next_step
        self.account = account
        self.sure = sure


class Reworded(Exception):  # noqa: N818  # as above
    """The server does not take a request in these words, and others are known: send it again at once."""
