import polars as pl
import pytest

from inspector.checking.ruling import default_rule, result_of


@pytest.mark.parametrize(
    ("low", "high", "result"),
    [
        (-0.2, -0.1, "regression"),
        (-0.2, 0.0, "no evidence"),
        (-0.2, 0.1, "no evidence"),
        (0.0, 0.1, "no evidence"),
        (0.05, 0.1, "improvement"),
        (None, None, "undefined"),
    ],
)
def test_the_whole_interval_decides(low, high, result):
    assert result_of({"low": low, "high": high}) == result
    expected = {"regression": True, "undefined": None}.get(result, False)
    schema = {"low": pl.Float64, "high": pl.Float64}
    assert default_rule(pl.DataFrame({"low": [low], "high": [high]}, schema=schema)) == [expected]
