from decimal import Decimal

import pytest

from scoring.data.errors import InputError, UnreadableFile
from scoring.runs.token_prices import Price, Prices

GOOD = """
currency = "EUR"

[[price]]
model = "big-*-mini"
in = 0.1
out = 0.4

[[price]]
model = "big-*"
in = 1.25
out = 10
"""


def prices(tmp_path, text):
    path = tmp_path / "prices.toml"
    path.write_text(text)
    return Prices.read(path)


def test_the_first_pattern_that_fits(tmp_path):
    read = prices(tmp_path, GOOD)
    assert read.of("big-1-mini") == Price(Decimal("0.1"), Decimal("0.4"), "EUR")
    assert read.of("big-1") == Price(Decimal("1.25"), Decimal(10), "EUR")
    assert read.of("Big-1") is None
    assert read.of("small") is None


def test_money_is_exact():
    price = Price(Decimal("0.1"), Decimal("0.4"), "EUR")
    assert price.of(3, 0) == Decimal("0.0000003")
    assert price.of(1_000_000, 2_000_000) == Decimal("0.9")
    assert price.of(0, 0) == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "currency = 3\n[[price]]\nmodel='a'\nin=1\nout=1",
        "[[prices]]\nmodel='a'\nin=1\nout=1",
        "price = 3",
        "price = [3]",
        "[[price]]\nmodel='a'\nin=1",
        "[[price]]\nmodel='a'\nin=1\nout=1\nextra=1",
        "[[price]]\nmodel=''\nin=1\nout=1",
        "[[price]]\nmodel=3\nin=1\nout=1",
        "[[price]]\nmodel='a'\nin=-1\nout=1",
        "[[price]]\nmodel='a'\nin=nan\nout=1",
        "[[price]]\nmodel='a'\nin=1\nout=inf",
        "[[price]]\nmodel='a'\nin='1'\nout=1",
        "[[price]]\nmodel='a'\nin=true\nout=1",
    ],
)
def test_what_is_no_price_list(tmp_path, text):
    with pytest.raises(InputError):
        prices(tmp_path, text)


def test_what_is_no_toml(tmp_path):
    with pytest.raises(UnreadableFile, match="not TOML"):
        prices(tmp_path, "a =")
    (tmp_path / "latin.toml").write_bytes(b"a = '\xfc'")
    with pytest.raises(UnreadableFile, match="not TOML"):
        Prices.read(tmp_path / "latin.toml")
    with pytest.raises(UnreadableFile, match="there is no file"):
        Prices.read(tmp_path / "missing.toml")
