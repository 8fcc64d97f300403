"""Images that cases name: what is said of them, and that nothing is opened but images beside their file."""

import json
import struct
import sys

import pytest

from benchmark_rows import visualprocessbench as row
from inspector.case_page import images
from inspector.case_page.images import MOST, find_image, image_kind, named_images, open_outside
from inspector.state import programs
from inspector.state.visit import HERE
from scoring.importing.batch import ImportOptions, read_sources
from scoring.workspace.workspace import Workspace


def png(width, height, rest=b""):
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height) + rest


JPEG = (
    b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(10) + b"\xff\xc4\0\x04\0\0" + b"\xff\xc2\0\x11\x08" + struct.pack(">HH", 3, 5)
)
BMP = b"BM" + bytes(12) + b"\x28\0\0\0" + struct.pack("<ii", 7, -9)


@pytest.mark.parametrize(
    ("head", "kind", "pixels"),
    [
        (png(640, 480), "PNG", (640, 480)),
        (b"GIF89a" + struct.pack("<HH", 20, 30), "GIF", (20, 30)),
        (JPEG + bytes(6), "JPEG", (5, 3)),
        (JPEG[:20], "JPEG", None),
        (BMP, "BMP", (7, 9)),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\x09\0\0\x13\0\0", "WebP", (10, 20)),
        (b"RIFF\0\0\0\0WEBPVP8L" + bytes(5) + struct.pack("<I", 9 | 19 << 14), "WebP", (10, 20)),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + struct.pack("<HH", 10 | 0x4000, 20), "WebP", (10, 20)),
        (png(1, 1)[:18], "", None),
        (b"<svg onload='x'>", "", None),
        (b"[Desktop Entry]", "", None),
        (b"", "", None),
    ],
)
def test_a_picture_is_told_by_its_beginning(head, kind, pixels):
    assert image_kind(head) == (kind, pixels)


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "set" / "images"
    inside.mkdir(parents=True)
    (inside / "sound.png").write_bytes(png(640, 480, bytes(976)))
    (inside / "text.png").write_bytes(b"no picture")
    (inside / "run.desktop").write_bytes(png(1, 1))
    (inside / "huge.png").write_bytes(png(20_000, 20_000))
    (inside / "folder.png").mkdir()
    (tmp_path / "secret.png").write_bytes(png(1, 1))
    (inside / "link.png").symlink_to(tmp_path / "secret.png")
    (inside / "circle.png").symlink_to(inside / "circle.png")
    return tmp_path / "set"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("images/sound.png", "640 x 480 PNG, 1 kB"),
        ("images/none.png", "missing"),
        ("images/folder.png", "not a file"),
        ("images/text.png", "not an image: 10 bytes that are neither PNG, JPEG, GIF, WebP nor BMP"),
        ("images/run.desktop", "not opened: 1 x 1 PNG, 24 bytes, but its name does not end like an image's"),
        ("images/huge.png", "too large to be opened from here: 20000 x 20000 PNG, 24 bytes"),
        ("../secret.png", "not opened: it lies outside the folder of the file that names it"),
        ("images/link.png", "not opened: it lies outside the folder of the file that names it"),
        ("/etc/passwd", "not opened: it lies outside the folder of the file that names it"),
        ("nul\0.png", "cannot be read (its name has a NUL)"),
        ("x" * 5000, "cannot be read (File name too long)"),
    ],
)
def test_what_is_said_of_a_picture(folder, name, words, monkeypatch):
    opened = []
    monkeypatch.setattr(programs.subprocess, "Popen", lambda command, **_: opened.append(command))
    monkeypatch.setattr(images, "_opener", lambda: "/usr/bin/xdg-open")
    shown = find_image(name, folder)
    assert (shown.words, shown.sound) == (words, name == "images/sound.png")
    told, opening = open_outside(shown, HERE)
    assert opening == shown.sound == bool(opened)
    assert words in told or opening
    assert "\0" not in told


def test_a_link_in_a_circle_ends_in_a_sentence(folder):
    shown = find_image("images/circle.png", folder)
    assert not shown.sound
    assert shown.words == "missing" or shown.words.startswith("cannot be read")


def test_what_is_opened_is_one_file_and_no_words_of_a_shell(folder, monkeypatch):
    commands = []
    monkeypatch.setattr(programs.subprocess, "Popen", lambda command, **_: commands.append(command))
    monkeypatch.setattr(images, "_opener", lambda: "/usr/bin/xdg-open")
    name = "-n; touch x $(id).png"
    (folder / name).write_bytes(png(2, 2))
    assert open_outside(find_image(name, folder), HERE) == (f"Opening {name} outside.", True)
    assert commands == [["/usr/bin/xdg-open", str(folder.resolve() / name)]]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have one")
def test_without_a_screen_the_place_is_told(folder, monkeypatch):
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    told, opening = open_outside(find_image("images/sound.png", folder), HERE)
    assert not opening
    assert told.endswith(str(folder.resolve() / "images" / "sound.png"))


def test_the_names_are_of_the_folder_of_the_file_that_cases_were_read_from(folder, tmp_path):
    file = folder / "test.jsonl"
    many = row(image=[f"{number}.png" for number in range(MOST + 5)])
    file.write_text("".join(json.dumps(value) + "\n" for value in (row(image=["images/sound.png", "a"]), many)))
    workspace = Workspace.create(tmp_path / "w")
    read_sources([str(file)], ImportOptions(), workspace, None).put(workspace)
    cases, _, metadata = workspace.cases_and_columns(["visualprocessbench"])
    shown = [list(named_images(workspace, cases.row(at, named=True), metadata.row(at))) for at in range(2)]
    assert [(one.name, one.words) for one in shown[0]] == [
        ("images/sound.png", "640 x 480 PNG, 1 kB"),
        ("a", "missing"),
    ]
    assert len(shown[1]) == MOST
    file.unlink()
    # In another benchmark the column may hold anything: what does not end like an image's name is none.
    other = {**cases.row(0, named=True), "benchmark": "mine"}
    assert [one.name for one in named_images(workspace, other, {"image": "a cat\nb.PNG"})] == ["b.PNG"]
    assert list(named_images(workspace, other, {"image": 7})) == list(named_images(workspace, other, {})) == []
