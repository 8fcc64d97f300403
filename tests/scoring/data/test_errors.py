"""Messages about names of any length."""

import pytest

from scoring.data.errors import LONGEST_MESSAGE, LONGEST_NAME, LONGEST_PATH, UnreadableFile, shortened, with_short_names
from scoring.formats.reading.findings import Finding


@pytest.mark.parametrize("message", ["", "a short one.", f"{'word ' * 300}", f"/{'folder/' * 100}file.jsonl: no rows."])
def test_ordinary_messages_stay(message):
    assert shortened(message) == message


@pytest.mark.parametrize("name", ["n" * 5000, "\N{CJK UNIFIED IDEOGRAPH-6570}" * 5000, "x/" * 30_000, "e\u0301" * 5000])
def test_a_long_name_keeps_both_ends_and_the_rest_of_the_message(name):
    text = shortened(f"the file first{name}last cannot be read. Check the path.")
    assert len(text) <= LONGEST_PATH + 100
    assert text.startswith(f"the file first{name[:20]}")
    assert text.endswith(f"{name[-20:]}last cannot be read. Check the path.")
    assert "\N{HORIZONTAL ELLIPSIS}" in text


def test_a_name_of_wide_characters_is_measured_in_cells():
    assert len(shortened("\N{CJK UNIFIED IDEOGRAPH-6570}" * 150)) <= LONGEST_NAME // 2 + 1


def test_a_name_of_many_words_is_shortened_with_its_message():
    text = shortened(f"column {'a b ' * 5000}is missing. Name another.")
    assert len(text) <= LONGEST_MESSAGE
    assert text.endswith("is missing. Name another.")


def test_errors_and_findings_are_shortened_where_they_are_made_and_data_is_not():
    name = "n" * 5000
    error = UnreadableFile(f"{name} is a pipe.", f"Rename {name}.")
    assert max(map(len, (error.sentence, error.next_step, error.words))) < 3 * LONGEST_NAME
    finding = Finding("note", "odd", f"the column {name} is odd", name, 1, name)
    assert len(finding.message) < 2 * LONGEST_NAME
    assert len(str(finding)) < 3 * LONGEST_NAME
    assert (finding.source, finding.case) == (name, name)


def test_a_command_of_any_length_stays_whole():
    cases = ", ".join(f"'processbench/gsm8k-{number}'" for number in range(500))
    command = f'See: prm-inspect cases --where "case IN ({cases})"'
    assert with_short_names(command) == command
    assert UnreadableFile("It is damaged.", command).next_step == command
