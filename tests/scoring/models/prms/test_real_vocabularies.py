"""What the families take for granted of the vocabularies of Qwen2.5 and Llama-3, and what they make of them."""

import json
from hashlib import sha256

import pytest

import byte_vocabulary
from scoring.models.prms.chat import CHATML, LLAMA3
from scoring.models.prms.implicit import ImplicitPrm
from scoring.models.prms.pathfinder import SENTENCES, PathfinderPrm
from scoring.models.prms.qwen import SYSTEM, SYSTEMS, QwenPrm
from scoring.models.prms.rlhflow import RlhflowPrm
from scoring.models.prms.skywork import SkyworkPrm
from scoring.models.prms.token_classifier import PurePrm, ScanPrm, TokenClassifierPrm
from scoring.models.prms.versa import VersaPrm

tokenizers = pytest.importorskip("tokenizers")

from scoring.runs.tokenizer_file import TokenizerFile  # noqa: E402  # needs tokenizers

SIZES = {"hidden": 8, "max_length": 100_000}
QWEN_IDS = {
    "\n": [198],
    "\n\n": [271],
    ".\n": [624],
    ".\n\n": [382],
    "$\n\n": [66426],
    " \n\n": [4710],
    " \n\n\n\n": [22701],
    "\n\n\n\n": [1022],
    " \n\n\n\n\n": [76325],
    "\n\n\n\n\n": [14621],
    "+": [10],
    " +": [488],
    "-": [12],
    " -": [481],
    "ки": [16748],
    " ки": [7665, 1802],
    "и": [1802],
    "Yes": [9454],
    " Yes": [7414],
    "No": [2753],
    " No": [2308],
    "yes": [9693],
    "no": [2152],
    " yes": [9834],
    " no": [902],
}
LLAMA_IDS = {
    "\n": [198],
    "\n\n": [271],
    " \n\n": [4815],
    " \n\n\n\n": [23535],
    "\n\n\n\n": [1038],
    " \n\n\n\n\n": [77425],
    "+": [10],
    " +": [489],
    "-": [12],
    " -": [482],
    "ки": [17165],
    " ки": [116624],
    "assistant": [78191],
    "Yes": [9642],
    " Yes": [7566],
    "No": [2822],
    " No": [2360],
}


@pytest.fixture(scope="module")
def qwen(tmp_path_factory):
    return TokenizerFile(byte_vocabulary.qwen(tmp_path_factory.mktemp("qwen") / "tokenizer.json"))


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return TokenizerFile(byte_vocabulary.llama(tmp_path_factory.mktemp("llama") / "tokenizer.json"))


def test_ids_of_qwen(qwen):
    assert {text: qwen.encode(text) for text in QWEN_IDS} == QWEN_IDS
    assert len(qwen.encode("<extra_0>")) == 5
    specials = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<extra_0>")
    assert [qwen.special(token) for token in specials] == [151643, 151644, 151645, 151651]


def test_ids_of_llama(llama):
    assert {text: llama.encode(text) for text in LLAMA_IDS} == LLAMA_IDS
    specials = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
    assert [llama.special(token) for token in specials] == [128000, 128006, 128007, 128009]
    assert llama.special("<|reserved_special_token_0|>") == 128002
    assert llama.piece(127_999)


def test_rlhflow_reads_before_the_sign_of_prmbench_s_pattern(llama):
    steps = ["It is 1 + 1.", "", "So\n\n2."]
    found = RlhflowPrm(**SIZES).encoder(llama)("What is 1 + 1?", steps)
    pattern = (128006, 78191, 128007, 271, 10, 128009)
    starts = [at for at in range(len(found.ids)) if found.ids[at : at + 6] == pattern]
    assert found.positions == tuple(start + 3 for start in starts)
    assert len(starts) == 3
    assert found.ids[:5] == (128000, 128006, 882, 128007, 271)


def test_rlhflow_s_options_are_other_tokens(llama):
    def ids(**options):
        return RlhflowPrm(**SIZES, **options).encoder(llama)("1 + 1?", ["It is 2."]).ids

    question, blank_line = llama.encode("1 + 1?"), llama.encode("1 + 1?\n\nIt")
    assert blank_line[: len(question)] != question
    assert ids() != ids(joiner="blank-line")
    # Five tokens of header, and what the template says of dates.
    assert ids(system="default")[:5] == (128000, 128006, 9125, 128007, 271)
    assert ids(system="default")[-len(ids()) + 1 :] == ids()[1:]


@pytest.mark.parametrize(("name", "tag"), [("llama", 23535), ("qwen", 22701)])
def test_versa_s_tag_is_one_token_behind_any_end_of_a_step(request, name, tag):
    encode = VersaPrm(**SIZES).encoder(request.getfixturevalue(name))
    found = encode("1 + 1?\n", ["It is 2.", "ends in $x$", "in a word \n", "in 数", "a\n\nb"])
    assert [found.ids[at] for at in found.positions] == [tag] * 5
    assert found.ids.count(tag) == 5
    assert (found.ids[0] == 128000) == (name == "llama")


def test_encoding_apart_keeps_the_separator_that_joint_encoding_merges(qwen):
    assert qwen.encode("So 2.\n")[-1] == 624
    assert qwen.encode("So 2.\n\n")[-1] == 382
    steps = ["So 2.", "a\nb.\n", "It is $x$"]
    separators = {
        198: (PurePrm(**SIZES), SkyworkPrm(**SIZES), TokenClassifierPrm(**SIZES)),
        271: (PurePrm(**SIZES, separator="blank-line"), ScanPrm(**SIZES)),
    }
    for separator, adapters in separators.items():
        for adapter in adapters:
            found = adapter.encoder(qwen)("1 + 1?", steps)
            assert [found.ids[at] for at in found.positions] == [separator] * 3
    joint = TokenClassifierPrm(**SIZES, separator="blank-line", layout="joint").encoder(qwen)("1?", ["a.", "It is $x$"])
    assert [joint.ids[at] for at in joint.positions] == [382, 66426]


def test_a_line_of_skywork_s_never_is_one_token_with_its_newline(qwen):
    steps, ends = ["Let $x$\nbe 1.\n", "", "So\n\n2."], {}
    for layout in ("lines", "steps"):
        found = SkyworkPrm(**SIZES, layout=layout).encoder(qwen)("1 + 1?", steps)
        assert [found.ids[at] for at in found.positions] == [198] * 3
        ends[layout] = [index for index in found.ids if index in {198, 271, 624}]
    # Three lines, an empty one, and three again.
    assert ends == {"lines": [198] * 7, "steps": [624, 198, 198, 271, 198]}


def test_prmbench_s_tag_for_skywork_is_one_token_behind_a_blank(qwen):
    found = SkyworkPrm(**SIZES, layout="prmbench", numbers="removed").encoder(qwen)("It is 1.", ["1. So.", "a\nb", ""])
    pieces = ["Step 1: So. ", "\nStep 2: a\nb ", "\nStep 3:  "]
    ids = [151643, *qwen.encode("It is 1.\n"), *(index for piece in pieces for index in (*qwen.encode(piece), 16748))]
    assert list(found.ids) == ids
    assert [ids[at] for at in found.positions] == [16748] * 3
    assert ids.count(16748) == 3
    assert ids[found.positions[0] - 1] == 220


def test_skywork_and_scan_encode_the_problem_with_what_follows_it(qwen):
    skywork = SkyworkPrm(**SIZES).encoder(qwen)("It is 1.", ["2"])
    assert skywork.ids == (151643, *qwen.encode("It is 1"), 624, *qwen.encode("2"), 198)
    scan = ScanPrm(**SIZES).encoder(qwen)("It is 1.", ["2"])
    assert scan.ids == (*qwen.encode("It is 1"), 382, *qwen.encode("2"), 271)


def test_prmbench_s_prompt_has_a_backspace(qwen):
    assert qwen.encode(SYSTEM)[-8:-4] != qwen.encode(SYSTEMS["prmbench"])[-8:-4]
    ids = QwenPrm(**SIZES, system=SYSTEMS["prmbench"]).encoder(qwen)("p", ["s"]).ids
    text = ",".join(map(str, ids))
    assert ",2878,220,196,5131,291,46391,151645," in text
    own = ",".join(map(str, QwenPrm(**SIZES).encoder(qwen)("p", ["s"]).ids))
    assert ",2878,1124,79075,46391,151645," in own


STEPS = ["So 2.", "a\nb.\n", "", "It is $x$", "数 \n\n", "the end "]
"""Ends that are one token with a blank line behind them, and others."""


@pytest.mark.parametrize(("name", "body", "end"), [("qwen", "qwen2", 151645), ("llama", "llama", 128009)])
def test_implicit_steps_end_where_the_authors_count(request, name, body, end):
    """The authors' places: tokens of the chat up to a step, the end of the turn and a blank line, less two."""
    tokenizer = request.getfixturevalue(name)
    chat = {"qwen2": CHATML, "llama": LLAMA3}[body]
    writer, numbered = chat.writer(tokenizer), [f"Step {at}: {step}" for at, step in enumerate(STEPS, 1)]
    found = ImplicitPrm(**SIZES, body=body).encoder(tokenizer)("What?", STEPS)
    before = [*writer.start, *writer.turn("user", "What?")]
    assert found.ids == (*before, *writer.turn("assistant", "\n\n".join(numbered)))
    for at, position in enumerate(found.positions, 1):
        upto = len(before) + len(writer.open("assistant", "\n\n".join(numbered[:at]))) + 1
        assert position == upto + (1 if at < len(STEPS) else 0) - 2
    assert found.ids[found.positions[-1] + 1] == end
    assert tokenizer.piece(found.ids[found.since + 1]) == "Step"
    exact = ImplicitPrm(**SIZES, body=body, offsets="exact").encoder(tokenizer)("What?", STEPS)
    # A blank line is one token with the stop before it.
    ends = [tokenizer.encode(text)[-1] for text in ("2.\n\n", "b.\n\n\n")]
    assert [exact.ids[at + 1] for at in exact.positions[:2]] == ends
    # The script counts one or two tokens of the next "Step k" and the separator; the last step the end of its turn.
    late = [one - other for one, other in zip(found.positions, exact.positions, strict=True)]
    assert set(late[:-1]) <= {1, 2}
    assert late[-1] == 1


def test_pathfinder_s_tokens_stand_apart_from_the_words_before_them(tmp_path_factory):
    path = tmp_path_factory.mktemp("qwen") / "tokenizer.json"
    tokenizer = TokenizerFile(byte_vocabulary.qwen(path, byte_vocabulary.PATHFINDER_SPECIALS))
    signs = tuple(tokenizer.special(token) for token in ("<+>", "<->"))
    found = PathfinderPrm(**SIZES, signs=signs).encoder(tokenizer)("What?", ["It is 2.", "So."])
    parse = tokenizers.Tokenizer.from_file(str(path)).encode
    for one, said in zip(
        found.sequences,
        [
            "Current Step: It is 2. Math reasoning: <extra>, Consistency: <extra>",
            "Current Step: It is 2. Math reasoning: <+>, Consistency: <+>, Correctness: <extra>",
            "It is 2.\n\nCurrent Step: So. Math reasoning: <extra>, Consistency: <extra>",
            "It is 2.\n\nCurrent Step: So. Math reasoning: <+>, Consistency: <+>, Correctness: <extra>",
        ],
        strict=True,
    ):
        asked = f"{SENTENCES['card']}\n\n Question: What?"
        text = f"<|im_start|>user\n{asked}<|im_end|>\n<|im_start|>assistant\n{said}<|im_end|>\n"
        assert list(one.ids) == parse(text, add_special_tokens=False).ids
        assert {one.ids[at + 1] for at in one.positions} == {tokenizer.special("<extra>")}


def test_the_model_card_s_example_has_its_454_tokens(qwen, data_folder):
    path = data_folder / "processbench" / "gsm8k.json"
    if not path.is_file():
        pytest.skip("ProcessBench's gsm8k.json is not there")
    case = json.loads(path.read_bytes())[0]
    # The card has every formula in plain parentheses.
    steps = [step.replace("\\(", "(").replace("\\)", ")") for step in case["steps"]]
    turns = {"system": SYSTEM, "user": case["problem"], "assistant": "".join(f"{step}<extra_0>" for step in steps)}
    text = "".join(f"<|im_start|>{role}\n{said}<|im_end|>\n" for role, said in turns.items())
    assert sha256(text.encode()).hexdigest() == "724dc6ec6fbefcf0579967eae6251c823435af458f716c7291c5cb714f15e4dc"
    found = QwenPrm(**SIZES).encoder(qwen)(case["problem"], steps)
    assert len(found.ids) == 454
    assert found.positions == (197, 333, 386, 451)
    digest = sha256(",".join(map(str, found.ids)).encode()).hexdigest()
    assert digest == "6ddc7c19b5cf91184ba93de4cb4014b1b42e8031b0a09f0478ff2fe65f374dec"
