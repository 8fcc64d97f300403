"""Installed packages with entry points, made for a test: modules and what importlib.metadata reads."""


def install(folder, monkeypatch, group, entries, modules):
    """Put a package `mine 1.2` where Python finds it. `entries`: name -> value, `modules`: file name -> source."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in modules.items():
        (folder / name).write_text(source)
    facts = folder / "mine-1.2.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.2\n")
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (facts / "entry_points.txt").write_text(f"[{group}]\n{lines}")
    monkeypatch.syspath_prepend(str(folder))
