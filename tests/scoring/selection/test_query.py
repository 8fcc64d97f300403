import shlex
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from inspector.cli.command_flags import COMMANDS, FORMS
from inspector.cli.entry import parse
from inspector.cli.query_arguments import query_from
from inspector.state.common_flags import FIGURES
from scoring.data.errors import UsageError
from scoring.selection.query import Query, shell_word
from thoroughness import up_to

# argparse takes an option's value "--" for the end of the options, and no shell passes NUL.
WORD = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=8).filter(
    lambda word: word != "--"
)
WORD = WORD | st.sampled_from(
    ("-x", "--json", "-1", "a'b", 'a"b', "$HOME", "`x`", "a\\b", "!", "a\nb", "=", "a=b", " ", "", "''", "é题")
)
WORDS = st.lists(WORD, max_size=2, unique=True).map(tuple)
NUMBER = st.floats(allow_nan=False).map(repr)
WISH = (
    st.sampled_from(("default", "best", "dev", "dev:kept"))
    | NUMBER
    | NUMBER.map("best:{}".format)
    | st.tuples(NUMBER, WORD).map(lambda pair: "best:{}:{}".format(*pair))
    | WORD.map("from:{}".format)
)
RULES = st.tuples(
    st.sampled_from(("", "lowest:")), st.sampled_from(("", "diff", "max2", "mine-own")), st.sampled_from(("<", "<="))
).map("".join)
NAME = st.none() | WORD.filter(lambda word: word and "from:" not in word)
REQUESTS = st.builds(
    Query,
    workspace=st.none() | WORD,
    benchmarks=WORDS,
    subsets=WORDS,
    scorers=WORDS,
    where=WORDS,
    search=WORD.filter(str.strip),
    within=WORDS,
    thresholds=st.lists(st.tuples(NAME, WISH), max_size=3).map(tuple),
    rules=st.lists(st.tuples(NAME, RULES), max_size=2).map(tuple),
    unparsed=st.sampled_from(("wrong", "drop", None)),
    labels=st.sampled_from(("original", "adjudicated")),
    plugins=WORDS,
    protocol=st.sampled_from(("grben", "processbench", None)),
    seed=st.integers(0, 2**40),
    by=WORDS,
    sort=WORD,
)


def read(command):
    words = shlex.split(command)
    assert words[0] == "prm-inspect"
    return parse(words[1:])


@up_to(150, 20)
@given(query=REQUESTS, form=st.sampled_from(("", *FORMS)))
def test_the_command_line_of_a_request_is_read_back_as_that_request(query, form):
    cases = read(query.command("cases", form=form))
    assert (cases.command, cases.form) == ("cases", form)
    assert query_from(cases) == Query(**{**asdict(query), "by": ()})
    metrics = read(query.command("metrics", form=form))
    assert query_from(metrics) == Query(**{**asdict(query), "sort": ""})


@up_to(40)
@given(query=REQUESTS, verb=st.sampled_from(("show", "board", "scorers")))
def test_other_commands_get_no_flag_that_they_do_not_know(query, verb):
    found = read(query.command(verb, *(["demo/c 'é'"] if verb == "show" else [])))
    unsearched = {"search": "", "within": ()} if verb == "show" else {}
    assert query_from(found) == Query(**{**asdict(query), "sort": "", "by": (), **unsearched})
    assert verb != "show" or found.told_case == "demo/c 'é'"


@up_to(150)
@given(WORD)
def test_a_shell_reads_a_word_back(word):
    assert shlex.split(shell_word(word)) == [word]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_a_real_shell_reads_the_words_back():
    words = [
        "a'b",
        "a\"b'c",
        "$HOME",
        "`id`",
        "a\\b'",
        "!x'",
        "a\nb",
        "",
        " ",
        "*",
        "~",
        "é题",
        "\"x.outcome\" = 'late'",
        "#",
        "\t'",
    ]
    line = " ".join(map(shell_word, words))
    found = subprocess.run(["/bin/sh", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True)
    assert found.stdout.decode().split("\0")[:-1] == words


def test_a_condition_with_both_kinds_of_quotes_stays_readable():
    query = Query(where=("\"gpt4.outcome\" = 'late'",), thresholds=(("gpt4", "-0.5"), (None, "-1")), sort="instructive")
    assert query.command("cases", form="csv") == (
        'prm-inspect cases --where "\\"gpt4.outcome\\" = \'late\'"'
        " --threshold gpt4=-0.5 --threshold=-1 --sort instructive --csv"
    )


def test_the_plain_request_is_the_plain_command():
    assert Query().command("metrics") == "prm-inspect metrics"


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("0.5", (None, "0.5")),
        ("-1", (None, "-1")),
        ("a=0.5", ("a", "0.5")),
        ("a=b=0.5", ("a=b", "0.5")),
        ("default=best", ("default", "best")),
        ("from:math", (None, "from:math")),
        ("from:a=b", (None, "from:a=b")),
        ("a=from:b=c", ("a", "from:b=c")),
        ("a=", ("a", "")),
    ],
)
def test_thresholds_name_a_scorer_or_none(text, pair):
    assert query_from(parse(["metrics", f"--threshold={text}"])).thresholds == (pair,)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("<", (None, "<")),
        ("<=", (None, "<=")),
        ("a=<", ("a", "<")),
        ("a=<=", ("a", "<=")),
        ("a=b=<=", ("a=b", "<=")),
        ("a=>", (None, "a=>")),
        ("diff<", (None, "diff<")),
        ("a=diff<=", ("a", "diff<=")),
        ("diff=reward<", ("diff", "reward<")),
        # Whether there is such a rule is not known before files of the user's own are read.
        ("a=dif<", ("a", "dif<")),
        ("lowest:<=", (None, "lowest:<=")),
        ("a:b=lowest:max2<=", ("a:b", "lowest:max2<=")),
        ("my-own<=", (None, "my-own<=")),
        ("a=lowest:", (None, "a=lowest:")),
    ],
)
def test_rules_name_a_scorer_or_none(text, pair):
    assert query_from(parse(["metrics", f"--rule={text}"])).rules == (pair,)


def test_a_new_threshold_of_a_scorer_takes_the_place_of_its_old_one():
    query = Query(thresholds=((None, "best"), ("a", "0.1"), ("b", "0.2")))
    assert query.with_threshold("a", "0.3").thresholds == ((None, "best"), ("b", "0.2"), ("a", "0.3"))


@pytest.mark.parametrize("verb", [name for name, verb in COMMANDS.items() if verb.takes == FIGURES])
def test_flags_before_the_command_and_after_it_count_alike(verb):
    words = {"show": ["x"], "similar": ["x"], "export": ["cases", "--to", "trl"], "paper": ["grben"]}
    words |= {"check": ["x", "--baseline", "y"], "card": ["x"]}
    case = words.get(verb, [])
    before, after = (
        ["--where", "a > 1", "--threshold", "0.1", "-w", "x"],
        ["--where", "b > 1", "--threshold=b=0.2", "--seed", "3"],
    )
    found = query_from(parse([*before, verb, *case, *after]))
    assert found == query_from(parse([verb, *case, *before, *after]))
    assert found.where == ("a > 1", "b > 1")
    assert found.thresholds == ((None, "0.1"), ("b", "0.2"))


@pytest.mark.parametrize(
    "words",
    [["metrics", "--seed", "-1"], ["metrics", "--seed", "x"], ["cases", "--by", "x"], ["metrics", "--sort", "x"]],
)
def test_wrong_usage_ends_with_2(words, capsys):
    with pytest.raises(SystemExit) as left:
        parse(words)
    assert left.value.code == 2
    assert words[1] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--in", "steps"], "--in says where --search looks"),
        (["--search", ""], "--search is empty"),
        (["--search", "  ", "--in", "steps"], "--search is empty"),
        (["--columns", ""], "--columns is empty"),
        (["--columns", " , "], "--columns is empty"),
    ],
)
def test_a_flag_that_says_nothing_is_no_silent_one(words, said):
    with pytest.raises(UsageError, match=said):
        query_from(parse(["cases", *words]))
