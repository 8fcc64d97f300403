"""For an unknown or missing name, the error lists the known names."""

import pytest

from inspector.cli import main
from scoring.data.errors import UsageError
from scoring.data.names import match_name


def test_a_scorer_that_is_mistyped_has_the_nearest_name_as_correction():
    with pytest.raises(UsageError) as raised:
        match_name("betta", ["alpha", "beta", "gamma"], "scorer")
    assert [words for _, words in raised.value.instead] == ["scorer beta"]


def test_a_paper_without_its_name_lists_the_names(capsys):
    with pytest.raises(SystemExit):
        main(["paper"])
    said = capsys.readouterr().err
    assert "paper needs NAME. NAME is one of: processbench, prmbench" in said
