import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data import secrets
from scoring.data.secrets import keep_secret, key_like, masked
from thoroughness import up_to


@pytest.mark.parametrize(
    "key",
    [
        "sk-4f7Qx9TnB2mLw8Rz1K", "sk-proj-aB3_dE6-gH9jK2mN5pQ8", "sk-ant-api03-aB3dE6gH9jK2mN5pQ8sT1",
        "sk-or-v1-0123456789abcdef0123", "sk-live-****************wxyz", "hf_aB3dE6gH9jK2mN5pQ8sT1vW4",
        "gsk_aB3dE6gH9jK2mN5pQ8sT1vW4", "AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q", "xai-aB3dE6gH9jK2mN5pQ8sT1",
        "nvapi-aB3dE6gH9jK2mN5pQ8sT1", "AKIAIOSFODNN7EXAMPLE", "Bearer abc.def0123456789+/=", "ghp_aB3dE6gH9jK2mN5pQ8s",
    ],
)  # fmt: skip
def test_what_looks_like_a_key_is_masked_and_the_words_around_it_stay(key):
    assert masked(f"Incorrect API key provided: {key} (no)") == "Incorrect API key provided: *** (no)"
    assert masked(f"({key})") == "(***)"
    assert key_like(key)


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-based-approach", "the task-0123456789abcdefghij", "risk-4f7Qx9TnB2mLw8Rz1K", "hf_short1",
        "bearer of news", "key-value-store-of-the-model", "\\boxed{2}", "so x_0 < 12345678901234567890",
    ],
)  # fmt: skip
def test_what_is_no_key_stays(text):
    assert masked(text) == text


@up_to(100, 12)
@given(st.text(), st.text())
def test_a_key_of_this_process_is_found_in_any_text(before, after):
    keep_secret("correct horse")
    assert "correct horse" not in masked(f"{before}correct horse{after}")


@pytest.mark.parametrize("secret", ["", "x", "EMPTY", "anything", "Whatever"])
def test_a_stand_in_for_a_key_tears_no_holes_into_answers(secret, monkeypatch):
    monkeypatch.setattr(secrets, "_secrets", set())
    keep_secret(secret)
    assert masked("Whatever x is, anything in an EMPTY set is.") == "Whatever x is, anything in an EMPTY set is."


def test_of_a_key_that_holds_another_nothing_is_left(monkeypatch):
    monkeypatch.setattr(secrets, "_secrets", {"hunter", "sk-hunter-2", "hunter-2", "sk-hunter-2-and-more"})
    assert masked("said sk-hunter-2, sk-hunter-2-and-more, hunter-2 and hunter") == "said ***, ***, *** and ***"
