from email.utils import formatdate
from time import time

import pytest

from scoring.engines.server.patience import Patience


@pytest.mark.parametrize(("tries", "most"), [(1, 2.0), (2, 4.0), (3, 8.0), (4, 10.0), (500, 10.0)])
def test_waits_are_drawn_from_nothing_to_a_bound_that_doubles(tries, most):
    waits = [Patience(base=2.0, longest=10.0).wait(tries) for _ in range(300)]
    assert 0.0 <= min(waits) < most / 4
    assert most * 3 / 4 < max(waits) <= most


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [(None, 0), ("3", 3), ("1.5", 1.5), ("9999", 120), ("-1", 0), ("nan", 0), ("inf", 0), ("soon", 0)],
)
def test_a_server_is_left_alone_as_long_as_it_asks_but_not_forever(asked, seconds):
    assert Patience().rests(asked) == seconds


def test_a_server_may_name_a_date():
    assert 50 < Patience().rests(formatdate(time() + 60, usegmt=True)) <= 60
    assert Patience().rests(formatdate(time() - 60, usegmt=True)) == 0
