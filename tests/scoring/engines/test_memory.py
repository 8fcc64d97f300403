import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.engines.memory import MOST_TOKENS, free_on_cards, free_on_cpu, tokens_that_fit

GB = 10**9
SEVEN_B = {"hidden": 3584, "inner": 18944, "bytes_each": 2}


@pytest.mark.parametrize(("free", "least", "most"), [(2 * GB, 4_000, 10_000), (4 * GB, 10_000, 16_384)])
def test_a_7b_body_gets_as_many_tokens_as_its_widest_layer_leaves_room_for(free, least, most):
    assert least <= tokens_that_fit(free, **SEVEN_B) <= most


def test_it_has_a_floor_and_a_ceiling():
    assert tokens_that_fit(0, **SEVEN_B) == 256
    assert tokens_that_fit(80 * GB, **SEVEN_B) == MOST_TOKENS


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


MEMINFO = "MemTotal:       32000000 kB\nMemAvailable:   {free} kB\nSwapFree:        {swap} kB\n"


def kernel(root, free=8_000_000, swap=0, groups=(), own="0::/\n"):
    """The files in which Linux says what memory there is; `groups`: folder -> limit, and what is used without files."""
    files = {"proc/meminfo": MEMINFO.format(free=free, swap=swap), "proc/self/cgroup": own}
    for folder, (limit, used) in dict(groups).items():
        files[f"sys/fs/cgroup{folder}/memory.max"] = f"{limit}\n"
        files[f"sys/fs/cgroup{folder}/memory.stat"] = f"anon {used}\nfile 99999999999\n"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_memory_is_what_is_available_with_swap_within_the_limits_of_a_container(tmp_path):
    assert free_on_cpu(kernel(tmp_path / "host", swap=1_000_000)) == 9_000_000 * 1024
    limited = kernel(tmp_path / "limited", groups={"": (4 * GB, GB)})
    assert free_on_cpu(limited) == 3 * GB
    nested = {"": ("max", 0), "/jobs/mine": (2 * GB, 3 * GB)}
    assert free_on_cpu(kernel(tmp_path / "nested", groups=nested, own="0::/jobs/mine\n")) == 0
    within = {"": ("max", 0), "/jobs": (4 * GB, GB), "/jobs/mine": ("max", 0)}
    assert free_on_cpu(kernel(tmp_path / "within", groups=within, own="0::/jobs/mine\n")) == 3 * GB
    assert free_on_cpu(tmp_path / "elsewhere") is None


def test_this_machine_says_what_it_has():
    assert 0 < (free_on_cpu() or 1) < 10**15


@pytest.mark.parametrize(
    ("told", "visible", "free"),
    [
        ("H100, 81000\\nH100, 40000\\nH100, 7", None, [81000, 40000, 7]),
        ("H100, 81000\\nH100, 40000\\nH100, 7", "2,0", [7, 81000]),
        ("H100, 81000\\nRTX 4090, 24000", None, []),
        ("H100, 81000\\nH100, 24000", "0,-1", []),
        ("H100, 81000", "", []),
        ("H100, 81000", "3", []),
        ("H100, 81000", "MIG-1c2d", []),
        ("H100, [N/A]", None, []),
    ],
)
def test_free_memory_of_cards_is_what_their_driver_says_of_those_that_are_visible(
    tmp_path, monkeypatch, told, visible, free
):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '{told}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert free_on_cards() == [number << 20 for number in free]


def test_without_a_driver_nothing_is_known_of_cards(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert free_on_cards() == []
