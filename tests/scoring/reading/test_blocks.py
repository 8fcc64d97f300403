import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.errors import UnreadableFile
from scoring.reading import blocks as module
from scoring.reading.blocks import blocks

MARK = b"\xef\xbb\xbf"


@given(st.lists(st.sampled_from([b"", b"a", b"bc\r", MARK, b"\xff"])), st.integers(1, 9), st.booleans())
@example([MARK], 1, False)
def test_blocks_are_all_lines_in_order(tmp_path_factory, parts, size, mark):
    raw = b"\n".join(parts)
    path = tmp_path_factory.getbasetemp() / "lines"
    path.write_bytes(MARK * mark + raw)
    lines, text = [], raw if mark else raw.removeprefix(MARK)
    for block in blocks(path, size):
        assert block.lines
        assert block.line == len(lines) + 1
        assert sum(len(line) + 1 for line in block.lines[:-1]) <= size
        lines += block.lines
    assert lines == (text.removesuffix(b"\n").split(b"\n") if text else [])


@pytest.mark.parametrize(("raw", "line"), [(b"0123456789a", 1), (b"a\n0123456789a\nb\n", 2), (b"\n\n0123456789abc", 3)])
@pytest.mark.parametrize("size", [1, 5, 100])
def test_a_line_that_is_too_long_is_one_sentence(tmp_path, monkeypatch, raw, line, size):
    monkeypatch.setattr(module, "LONGEST_LINE", 10)
    path = tmp_path / "lines"
    path.write_bytes(raw)
    with pytest.raises(UnreadableFile, match=f"line {line} of .*lines is longer than"):
        list(blocks(path, size))


def test_a_line_may_be_as_long_as_the_longest(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_LINE", 10)
    path = tmp_path / "lines"
    path.write_bytes(b"0123456789\n0123456789")
    assert [line for block in blocks(path, 1) for line in block.lines] == [b"0123456789", b"0123456789"]


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    with pytest.raises(UnreadableFile, match="Check the path"):
        list(blocks(tmp_path))
