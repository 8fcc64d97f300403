import json
import os
import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scoring.data.errors import UnwritableWorkspace
from scoring.evaluation.array_folder import DOCUMENT, DamagedPack, pack, unpack
from thoroughness import up_to

KEY = "0123"
ARRAYS = st.sampled_from([np.float64, np.int64, np.uint8, np.bool_]).flatmap(
    lambda dtype: hnp.arrays(dtype, st.integers(0, 6))
)


@up_to(100, 12)
@given(arrays=st.dictionaries(st.sampled_from(["a", "b.c", "d"]), ARRAYS))
def test_arrays_come_back_bit_for_bit(arrays, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "one"
    pack(folder, KEY, arrays, {"told": {"1": "x"}})
    found, facts = unpack(folder, KEY)
    assert facts == {"told": {"1": "x"}}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        if array.dtype.kind == "f" and np.isnan(array).all():
            assert np.isnan(found[name]).all()
        else:
            assert np.ascontiguousarray(found[name]).tobytes() == array.tobytes()
        assert type(found[name]) is np.ndarray
        assert not found[name].flags.writeable


@pytest.mark.parametrize("values", [[0.0, -0.0], [np.inf, np.inf], [-np.inf], [np.nan, 1.0], [1e300] * 3, [-0.0, -0.0]])
def test_one_value_throughout_is_that_value(values, tmp_path):
    pack(tmp_path / "one", KEY, {"a": np.array(values)}, {})
    found = unpack(tmp_path / "one", KEY)[0]["a"]
    assert np.ascontiguousarray(found).tobytes() == np.array(values).tobytes()


@pytest.fixture
def packed(tmp_path):
    folder = tmp_path / "one"
    pack(folder, KEY, {"a": np.arange(9.0), "b": np.zeros(4)}, {})
    return folder


def test_nothing_there_is_none(tmp_path):
    assert unpack(tmp_path / "nowhere", KEY) is None
    (tmp_path / "empty").mkdir()
    assert unpack(tmp_path / "empty", KEY) is None
    (tmp_path / "file").write_text("")
    assert unpack(tmp_path / "file", KEY) is None


def test_a_copied_folder_is_as_good(packed, tmp_path):
    shutil.copytree(packed, tmp_path / "two", copy_function=shutil.copyfile)
    os.utime(tmp_path / "two" / "a.npy", ns=(1, 1))
    assert unpack(tmp_path / "two", KEY)[0]["a"].tolist() == list(range(9))


def flip(path, at=-3):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def no_key(path):
    path.write_text(json.dumps({"format": 1}))


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda folder: (folder / "a.npy").unlink(), "missing"),
        (lambda folder: flip(folder / "a.npy"), "not what was written"),
        (lambda folder: (folder / "a.npy").write_bytes(b""), "0 bytes"),
        (lambda folder: (folder / DOCUMENT).write_text("{"), "Expecting"),
        (lambda folder: (folder / DOCUMENT).write_text("[]"), "list"),
        (lambda folder: (folder / DOCUMENT).write_bytes(b"\xff\xfe"), "Expecting"),
        (lambda folder: no_key(folder / DOCUMENT), "key"),
    ],
)
def test_what_is_damaged_is_never_used(packed, harm, said):
    harm(packed)
    with pytest.raises(DamagedPack, match=said):
        unpack(packed, KEY)


def test_a_pack_of_another_key_is_not_taken(packed):
    with pytest.raises(DamagedPack, match="something else"):
        unpack(packed, "other")


def test_the_first_of_two_writers_stays_and_nothing_half_does(packed):
    pack(packed, KEY, {"a": np.arange(3.0)}, {})
    assert unpack(packed, KEY)[0]["a"].size == 9
    assert [path.name for path in packed.parent.iterdir()] == ["one"]


def test_where_nothing_can_be_written_that_is_said_and_nothing_stays(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableWorkspace):
        pack(tmp_path / "file" / "one", KEY, {"a": np.arange(3.0)}, {})


def test_a_full_disk_leaves_nothing(small_disk):
    with pytest.raises(UnwritableWorkspace):
        pack(small_disk / "one", KEY, {"a": np.random.default_rng(0).random(1 << 21)}, {})
    assert list(small_disk.iterdir()) == []


def test_a_head_that_is_no_head_is_damage_too(packed):
    path = packed / "a.npy"
    times = path.stat().st_mtime_ns
    data = path.read_bytes()
    # The bracket that closes the shape.
    at = data.index(b")")
    path.write_bytes(data[:at] + b"(" + data[at + 1 :])
    os.utime(path, ns=(times, times))
    with pytest.raises(DamagedPack):
        unpack(packed, KEY)


def test_a_folder_that_lost_its_document_is_written_anew(packed):
    (packed / DOCUMENT).unlink()
    assert unpack(packed, KEY) is None
    pack(packed, KEY, {"a": np.arange(3.0)}, {})
    assert unpack(packed, KEY)[0]["a"].tolist() == [0, 1, 2]
