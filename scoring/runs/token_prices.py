"""Prices of tokens, read from a file of the user's: prices change, so none are shipped."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.errors import InputError, UnreadableFile
from scoring.formats.reading.file_bytes import file_bytes, printable

_MILLION = 1_000_000
_EXAMPLE = 'A price is [[price]] with model = "a-model-*", in = 1.25 and out = 10, in money per million tokens.'
_KEYS = frozenset({"model", "in", "out"})


class Price(Struct, frozen=True):
    """Money per million tokens, of prompts and of answers, in a currency's own word."""

    tokens_in: Decimal
    tokens_out: Decimal
    currency: str

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        """Compute what so many tokens cost, exactly."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / _MILLION


class Prices(Struct, frozen=True):
    """The prices of a file, by model pattern and in its order.

    currency = "USD"

    [[price]]
    model = "some-model-*"     # a shell pattern; the first that fits counts
    in = 1.25                  # money per million tokens of the prompts
    out = 10                   # money per million tokens of the answers, thinking included
    """

    listed: tuple[tuple[str, Price], ...]

    @classmethod
    def read(cls, path: Path) -> "Prices":
        """Read the prices in a file of TOML.

        Raises:
            UnreadableFile: not there, not allowed, no plain file, or no TOML.
            InputError: a price lacks something or is no price; and which.
        """
        source = printable(path)
        try:
            document = tomllib.loads(file_bytes(path).decode(), parse_float=Decimal)
        except (ValueError, RecursionError) as error:
            raise UnreadableFile(f"{source} is not TOML ({error}).", _EXAMPLE) from None
        currency, prices = document.pop("currency", ""), document.pop("price", None)
        if document or not isinstance(currency, str) or not isinstance(prices, list) or not prices:
            odd = ", ".join(document) or "no [[price]], or a currency that is not text"
            raise InputError(f"{source} is not a price list: it has {odd}.", _EXAMPLE)
        return cls(tuple(_price(price, f"price {n} of {source}", currency) for n, price in enumerate(prices, 1)))

    def of(self, model: str) -> Price | None:
        """Return the price of the first pattern that fits the model's name, letter by letter; None = there is none."""
        return next((price for pattern, price in self.listed if fnmatchcase(model, pattern)), None)


def _price(price: Any, where: str, currency: str) -> tuple[str, Price]:
    if (
        not isinstance(price, Mapping)
        or price.keys() != _KEYS
        or not isinstance(price["model"], str)
        or not price["model"]
    ):
        raise InputError(f"{where} has not exactly model, in and out.", _EXAMPLE)
    return price["model"], Price(_money(price["in"], where), _money(price["out"], where), currency)


def _money(value: Any, where: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not Decimal(value).is_finite() or value < 0:
        raise InputError(f"{where} has an amount that is not a number from 0.", _EXAMPLE)
    return Decimal(value)
