import pytest
from hypothesis import given
from hypothesis import strategies as st

from any_json import ANY_JSON
from inspector.app.app import InspectApp
from inspector.app.terminal.keymap import FILE, laid_over, read, usual
from inspector.cli import main
from screen_text import press, rests, screen_text, shows, until


def keys_of(keymap):
    return {one.id: one.keys for one in keymap.bound}


def test_without_a_file_the_usual_keys_hold(tmp_path):
    keymap = read(tmp_path / FILE)
    assert keymap.bound == usual()
    assert not keymap.problems
    assert not keymap.textual


def test_every_usual_command_has_an_id_of_its_own():
    ids = [one.id for one in usual()]
    assert len(set(ids)) == len(ids)
    assert all(one.title and one.help and one.places for one in usual())


@pytest.mark.parametrize(
    ("text", "name", "keys"),
    [
        ('statistics = "f7"', "stats", ("f7",)),
        ('zoom = "Z"', "zoom", ("Z",)),
        ('zoom = "g Z"', "zoom", ("g Z",)),
        ('view = "f8"\nzoom = "v"', "zoom", ("v",)),
        ("'table.last' = 'PgDn'", "table.last", ("pagedown",)),
        ('next-hit = "f7"', "next-case", ("f7",)),
        ('zoom = ["ctrl+y", "f5"]', "zoom", ("ctrl+y", "f5")),
        ('zoom = "?"', "zoom", ("question_mark",)),
        ('zoom = "Ctrl+F5"', "zoom", ("ctrl+f5",)),
        ("table.down = 'ctrl+j'", "table.down", ("ctrl+j",)),
        ("[table]\ndown = 'ctrl+j'", "table.down", ("ctrl+j",)),
        ("rail-keep = 'k'", "rail-keep", ("k",)),
    ],
)
def test_what_can_be_followed_is(tmp_path, text, name, keys):
    (tmp_path / FILE).write_text(text)
    keymap = read(tmp_path / FILE)
    assert not keymap.problems
    assert keys_of(keymap)[name] == keys
    assert keymap.textual[name] == ",".join(keys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("zooom = 'Z'", "There is no command 'zooom', did you mean zoom?"),
        ("qqqqqqqqqqqq = 'Z'", "prm-inspect keys lists them"),
        ("zoom = 3", "zoom = 3: keys are a text or a list of texts"),
        ("zoom = []", "keys are a text or a list of texts"),
        ("zoom = 'hyperspace'", "zoom: there is no key 'hyperspace'"),
        ("zoom = 'x Z'", "zoom: there is no key 'x Z'"),
        ("zoom = 'v'", "zoom: v waits for a second key; give view another key above it first."),
        ("[table]\nfirst = ['home', 'g']", "table.first: g waits for a second key; give go another key"),
        ("zoom = 'Z'\nsort = 'Z'", "sort: Z is zoom already."),
        ("zoom = 'j'", "zoom: j is table.down in lists, which comes first."),
        ("zoom =", "is not TOML"),
        ("zoom = 'a'\nzoom = 'b'", "is not TOML"),
    ],
)
def test_what_cannot_be_followed_is_told_and_leaves_the_usual_key(tmp_path, text, said):
    (tmp_path / FILE).write_text(text)
    keymap = read(tmp_path / FILE)
    (problem,) = keymap.problems
    assert said in problem
    assert keys_of(keymap)["sort"] == ("s",)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\x00", None])
def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path, data):
    (tmp_path / FILE).mkdir() if data is None else (tmp_path / FILE).write_bytes(data)
    keymap = read(tmp_path / FILE)
    assert len(keymap.problems) == 1
    assert keymap.bound == usual()


def test_a_chosen_key_is_taken_from_who_had_it():
    keymap = laid_over({"reason": "t"})
    assert keys_of(keymap)["reason"] == ("t",)
    assert keys_of(keymap)["threshold"] == ()
    assert keymap.textual["threshold"] == "no_key"
    # On other screens it may start something else.
    assert keys_of(laid_over({"prefix": "f"}))["facets"] == ("f",)


@given(st.dictionaries(st.sampled_from([one.id for one in usual()]) | st.text(max_size=5), ANY_JSON, max_size=4))
def test_nothing_in_a_file_breaks_it_and_no_key_starts_two_commands(chosen):
    keymap = laid_over(chosen)
    for number, one in enumerate(keymap.bound):
        for other in keymap.bound[:number]:
            if one.layer == other.layer and set(one.places) & set(other.places) and set(one.keys) & set(other.keys):
                before = {each.id: set(each.keys) for each in usual()}
                assert before[one.id] & before[other.id] & set(one.keys)


async def test_the_app_follows_it_in_keys_footer_panel_and_palette(query, tmp_path):
    (tmp_path / FILE).write_text('facets = "ctrl+f"\nrail-keep = "ctrl+k"\nraw = "f"\nnothing = "z"\n')
    app = InspectApp(query, config=tmp_path)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await shows(pilot, "2 scorers")
        assert any("There is no command 'nothing'" in message.text for message in app.message_history)
        app.clear_notifications()
        await press(pilot, "enter")
        text = await rests(pilot, "sorted by most instructive", "^F facets")
        assert "⏎ case" in text
        await press(pilot, "f")
        await shows(pilot, "$\\frac{3}{4}$")
        await press(pilot, "ctrl+f")
        await shows(pilot, "outcome of")
        await press(pilot, "escape")
        # The panel of keys shows what is active.
        assert app.screen.active_bindings["ctrl+f"].binding.id == "facets"
        assert app.screen.active_bindings["f"].binding.id == "raw"
        await press(pilot, "t", "right", "ctrl+k")
        await until(pilot, lambda: "* best" not in screen_text(app))
        await shows(pilot, "0.510")
        # Enter still opens, though it shared its key with the command that moved.
        await press(pilot, "enter")
        await shows(pilot, "1 of 5")


def test_the_command_lists_every_key_and_ends_with_1_where_the_file_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    out = tmp_path / "keys.csv"
    assert main(["keys", "--csv", "-o", str(out)]) == 0
    assert "which does not exist yet" in capsys.readouterr().err
    assert len(out.read_text().splitlines()) == len(usual()) + 1
    (tmp_path / "prm-inspect").mkdir()
    (tmp_path / "prm-inspect" / FILE).write_text("zoom = 'ctrl+y'\nnothing = 'z'")
    assert main(["keys", "--csv", "-o", str(out)]) == 1
    assert "zoom,Ctrl+y,v z," in out.read_text()
    assert "There is no command 'nothing'" in capsys.readouterr().err
