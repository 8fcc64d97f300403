"""What a server says when it does not do what it was asked to."""

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from scoring.engines.server.quoting import quoted

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|max_model_len|prompt is too long|longer than the model|"
    r"input[\w ]* (token count|tokens) .*(exceed|must be <=)|maximum number of tokens allowed|"
    r"inputs?`? tokens \+ `?max_new_tokens",
    re.IGNORECASE,
)

_MODERATED = re.compile(
    r"moderat|content[ _-]?(filter|policy|management)|flagged|inappropriate|data_inspection|prohibited[ _-]?content|"
    r"safety",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The words of a server, on one line and without keys; and the parameter and code that it names."""

    message: str
    param: str = ""
    code: str = ""

    @classmethod
    def read(cls, body: bytes) -> "Refusal":
        """Read the body of an error as OpenAI, FastAPI and others write it; what is none of theirs is quoted."""
        try:
            told = msgspec.json.decode(body)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return cls(quoted(body[:2000].decode(errors="replace")))
        inner = told.get("error", told) if isinstance(told, dict) else told
        if not isinstance(inner, dict):
            return cls(quoted(str(inner)))
        return cls._of(inner)

    @classmethod
    def _of(cls, told: dict[str, Any]) -> "Refusal":
        detail = told.get("detail")
        if isinstance(detail, list) and detail and isinstance(detail[0], dict):
            place = detail[0].get("loc")
            param = str(place[-1]) if isinstance(place, list) and place else ""
            return cls(quoted(f"{detail[0].get('msg', '')} ({param})"), param)
        message = told.get("message") or detail or ""
        code = " ".join(str(told[name]) for name in ("code", "type") if told.get(name) is not None)
        return cls(quoted(str(message)), str(told.get("param") or ""), code)

    @property
    def too_long(self) -> bool:
        """Whether prompt and answer do not fit into the model's context."""
        return "context" in self.code or _TOO_LONG.search(self.message) is not None

    @property
    def moderated(self) -> bool:
        """Whether it is the prompt's content that is not wanted, which asking again does not change."""
        return _MODERATED.search(f"{self.code} {self.message}") is not None

    @property
    def no_credit(self) -> bool:
        """Whether the account has nothing left, which waiting does not change."""
        return "insufficient_quota" in self.code

    def names(self, parameter: str) -> bool:
        """Whether it is this parameter of the request that is not taken."""
        if self.param:
            return self.param == parameter
        return re.search(rf"(?<![\w]){re.escape(parameter)}(?![\w])['\"`]?", self.message) is not None
