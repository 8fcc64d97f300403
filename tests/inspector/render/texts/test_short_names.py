from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.render.texts.short_names import short_name, short_names
from inspector.render.texts.text import clean

WORDS = st.sampled_from(["prm", "reasoneval", "llemma", "7b", "34b", "v1.0", "题目", "é", "a", "…#1"])
NAMES = st.lists(st.lists(WORDS, min_size=1, max_size=5).map("-".join) | st.text(max_size=30), max_size=12)
SCORERS = (
    *("reasoneval_llemma-34b", "reasoneval_wizardmath-7b-v1.1", "reasoneval_mistral-7b", "reasoneval_llama2-7b"),
    *("math-shepherd_mistral-7b", "gpt4"),
)


@given(names=NAMES, width=st.integers(4, 40), again=st.randoms(use_true_random=False))
def test_names_that_differ_fit_and_stay_apart_and_what_fits_is_untouched(names, width, again):
    whole = {name: clean(name) for name in names}
    forms = short_names(names, width)
    assert list(forms) == list(dict.fromkeys(names))
    assert all(cell_len(form) <= width for form in forms.values())
    assert len(set(forms.values())) == len(set(whole.values()))
    # No form is the name of another.
    assert all(whole[name] == form for name, form in forms.items() if form in set(whole.values()))
    if all(cell_len(text) <= width for text in whole.values()):
        assert forms == whole
    again.shuffle(names)
    assert short_names(names, width) == forms
    assert all(short_name(name, width, names) == form for name, form in forms.items())


def test_what_all_begin_with_is_left_out_and_no_more_of_it_than_must_be():
    names = ("reasoneval_llemma-34b", "reasoneval_wizardmath-7b-v1.1", "reasoneval_wizardmath-7b-v1.0")
    assert list(short_names(names, 20).values()) == ["llemma-34b", "wizardmath-7b-v1.1", "wizardmath-7b-v1.0"]
    assert list(short_names(names[1:], 20).values()) == ["wizardmath-7b-v1.1", "wizardmath-7b-v1.0"]
    assert list(short_names(names[1:], 10).values()) == ["7b-v1.1", "7b-v1.0"]
    assert list(short_names(("qwen-math-7b-prm", "skywork-7b-prm"), 12).values()) == ["qwen-math-7b", "skywork-7b"]


def test_what_most_begin_with_gives_way_to_one_sign_and_never_where_two_could_be_meant():
    assert list(short_names(SCORERS, 21).values()) == [
        *("…llemma-34b", "…wizardmath-7b-v1.1", "reasoneval_mistral-7b", "…llama2-7b"),
        *("math-s…erd_mistral-7b", "gpt4"),
    ]


@given(text=st.text(max_size=30), width=st.integers(1, 40))
def test_alone_a_name_fits_in_any_width(text, width):
    assert cell_len(short_name(text, width)) <= width


def test_alone_a_name_gives_up_its_middle():
    assert short_name("ab", 1) == "a"
    assert short_name("missing_condition_1", 10) == "mis…tion_1"
    assert short_name("题目题目题目甲", 8) == "题…目甲"
