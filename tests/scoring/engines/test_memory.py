import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.engines.memory import tokens_that_fit

GB = 10**9
SEVEN_B = {"hidden": 3584, "inner": 18944, "bytes_each": 2}


@pytest.mark.parametrize(("free", "least", "most"), [(2 * GB, 4_000, 10_000), (8 * GB, 20_000, 32_768)])
def test_a_7b_body_gets_as_many_tokens_as_its_widest_layer_leaves_room_for(free, least, most):
    assert least <= tokens_that_fit(free, **SEVEN_B) <= most


def test_it_has_a_floor_and_a_ceiling():
    assert tokens_that_fit(0, **SEVEN_B) == 256
    assert tokens_that_fit(80 * GB, **SEVEN_B) == 32_768


@given(
    free=st.integers(0, 10**11),
    more=st.integers(0, 10**10),
    hidden=st.integers(64, 16_384),
    inner=st.integers(64, 65_536),
    vocabulary=st.integers(0, 300_000),
)
def test_more_memory_never_means_fewer_tokens_and_wider_numbers_or_a_vocabulary_never_more(
    free, more, hidden, inner, vocabulary
):
    def fit(memory, **changes):
        return tokens_that_fit(memory, **{"hidden": hidden, "inner": inner, "bytes_each": 2, **changes})

    assert fit(free + more) >= fit(free)
    assert fit(free, bytes_each=4) <= fit(free)
    assert fit(free, vocabulary=vocabulary) <= fit(free)
    assert fit(free, hidden=2 * hidden, inner=2 * inner) <= fit(free)
