"""A workspace in which every text tries to become markup: of HTML, SVG, CSS or Markdown."""

from pathlib import Path

from msgspec.structs import replace

import making
import reference

CANARY = "document.title='31337'"
"""What a script of the data would do: a page whose title is another one has run it."""
HTML = (
    f"<script>{CANARY}</script>",
    f'"><img src=x onerror="{CANARY}">',
    f"'><svg onload={CANARY}><desc>",
    f"</style><script>{CANARY}</script>",
    f"</title></desc></text></svg><script>{CANARY}</script>",
    f"--> ]]> <![CDATA[ <!-- <script>{CANARY}</script>",
    f'<a href="javascript:{CANARY}" onclick={CANARY} autofocus>x</a>',
    f'<iframe srcdoc="<script>parent.{CANARY}</script>"></iframe>',
    f'<meta http-equiv="refresh" content="0;url=javascript:{CANARY}">',
    '<base href="//31337.example/"><link rel=stylesheet href="//31337.example/x.css"><style>*{display:none}</style>',
    "</td></tr></table></details></section></main></body></html><plaintext>",
    "<textarea><template><noscript><xmp>",
    "&lt;script&gt; &#60;script&#62; &amp;lt; &#x202e;",
    f'" onmouseover="{CANARY}" style="position:fixed;inset:0" x="',
    "--h:1}*{background:url(//31337.example/x)}",
    f"javascript:{CANARY}",
)
MARKDOWN = (
    "[x](javascript:31337) ![x](http://31337.example/x.png) <http://31337.example> [x]: http://31337.example",
    "http://31337.example/x https://31337.example www.31337.example ann@31337.example @ann #31337 ftp://31337.example",
    "```\n<script>31337</script>\n```\n~~~\n    code\n",
    "\n# heading\n\n- list\n1. list\n> quote\n\n---\n***\n===\n| a | b |\n|---|---|\n",
    "`x` **x** __x__ ~~x~~ \\` \\| | || $x$ $$x$$ &amp; <br> <!-- x -->",
    "\u202e<31337>\u2066 \x1b[31337m \x00 \u200b\ufeff",
)
TEXTS = (*HTML, *MARKDOWN)
FIELDS = ("problem", "subset", "generator", "error_type", "error_category", "error_kind", "pattern", "reason")
NAMES = (f"a {HTML[1]}", f"b {HTML[4]}", f"c {MARKDOWN[0]}", f"{HTML[13]}")
"""Names of scorers."""
BENCHMARK = "bench <img src=x onerror=31337> [x](javascript:31337) @ann"


def make(root: Path) -> Path:
    """Make the workspace, and give its folder. Every text is in every field of some case."""
    rewards = [(0.9, 0.8 if number % 3 else 0.4, (0.1 * number) % 1) for number in range(len(TEXTS))]
    cases = [reference.Case(3, number % 4 - 1, found) for number, found in enumerate(rewards)]
    columns: dict[str, list[object]] = {name: list(TEXTS) for name in FIELDS}
    columns["id"] = [f"{text}{number}" for number, text in enumerate(TEXTS)]
    columns["steps"] = [[text, f"{text}\n\t{text}", "plain"] for text in TEXTS]
    scorers = []
    for number, name in enumerate(NAMES):
        scored = [replace(case, rewards=tuple(reward / (1 + number) for reward in case.rewards)) for case in cases]
        scored[number] = replace(scored[number], rewards=None, refused=f"refused {HTML[number]}")
        text = TEXTS[number]
        scorers.append((making.scorer(name, about=f"about {text}", threshold_source=f"source {text}"), scored))
    made = making.workspace(root, cases, scorers, benchmark=BENCHMARK, **columns)
    return made.root
