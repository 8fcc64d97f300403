"""What each LaTeX command stands for: tables of names, no code that acts on them."""

import string

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ "
    "mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ "
    "psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω"
)
_ORDINARY = (
    "infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ aleph ℵ wp ℘ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ "
    "lnot ¬ angle ∠ measuredangle ∡ triangle △ bigtriangleup △ square □ Box □ blacksquare ■ diamond ◇ Diamond ◇ "
    "blacklozenge ⧫ lozenge ◊ clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠ top ⊤ bot ⊥ complement ∁ "
    "prime ′ degree ° dagger † ddagger ‡ bigstar ★ checkmark ✓ bigcirc ◯ frown ⌢ smile ⌣ imath ı jmath ȷ "
    "dots … ldots … dotsc … dotso … cdots ⋯ dotsb ⋯ dotsm ⋯ dotsi ⋯ vdots ⋮ ddots ⋱ therefore ∴ because ∵ "
    "pounds £ euro € yen ¥ cent ¢ textdegree ° textdollar $ S § vert | Vert ‖"
)
_RELATIONS = (
    "le ≤ leq ≤ leqslant ≤ leqq ≤ ge ≥ geq ≥ geqslant ≥ geqq ≥ lt < gt > ll ≪ gg ≫ ne ≠ neq ≠ equiv ≡ approx ≈ "
    "approxeq ≊ cong ≅ sim ∼ simeq ≃ propto ∝ asymp ≍ doteq ≐ coloneqq ≔ triangleq ≜ in ∈ notin ∉ owns ∋ subset ⊂ "
    "subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ supsetneq ⊋ mid | nmid ∤ parallel ∥ nparallel ∦ perp ⟂ "
    "prec ≺ preceq ⪯ succ ≻ succeq ⪰ vdash ⊢ models ⊨ nleq ≰ ngeq ≱ nless ≮ ngtr ≯ nsubseteq ⊈ ncong ≇ nsim ≁ "
    "to → rightarrow → longrightarrow ⟶ gets ← leftarrow ← longleftarrow ⟵ leftrightarrow ↔ Rightarrow ⇒ "
    "Longrightarrow ⟹ implies ⟹ impliedby ⟸ Leftarrow ⇐ Longleftarrow ⟸ Leftrightarrow ⇔ Longleftrightarrow ⟺ iff ⟺ "
    "mapsto ↦ longmapsto ⟼ hookrightarrow ↪ rightharpoonup ⇀ rightleftharpoons ⇌ leadsto ⇝ uparrow ↑ "
    "downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ equal = mod mod bmod mod"
)
_BINARY = (
    "times × cdot · cdotp · div ÷ pm ± mp ∓ cup ∪ cap ∩ setminus ∖ smallsetminus ∖ backslash ∖ wedge ∧ land ∧ vee ∨ "
    "lor ∨ ast ∗ star ⋆ circ ∘ bullet • oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ sqcup ⊔ sqcap ⊓ uplus ⊎ "
    "amalg ⨿ Join ⋈ bowtie ⋈ ltimes ⋉ rtimes ⋊ dotplus ∔ barwedge ⊼ veebar ⊻ plus + minus -"
)
_SIGNS = (
    "sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigwedge ⋀ "
    "bigvee ⋁ bigsqcup ⨆ lim lim"
)
_NAMES = (
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan arccot log ln lg exp det dim ker hom arg deg gcd "
    "lcm max min sup inf limsup liminf Pr sgn tr rank"
)
_OPENERS = (
    "lfloor ⌊ lceil ⌈ langle ⟨ lvert | lVert ‖ lbrace { lbrack [ llbracket ⟦ ulcorner ⌜ llcorner ⌞ "
    "lgroup ( lmoustache ("
)
_CLOSERS = "rfloor ⌋ rceil ⌉ rangle ⟩ rvert | rVert ‖ rbrace } rbrack ] rrbracket ⟧ urcorner ⌝ lrcorner ⌟ rgroup )"


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _pairs(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _pairs(_GREEK)
ORDINARY = LETTERS | _pairs(_ORDINARY) | {"%": "%", "$": "$", "&": "&", "#": "#", "_": "_", "colon": ":"}
OPERATORS = _pairs(_RELATIONS) | _pairs(_BINARY)
SIGNS = _pairs(_SIGNS)
NAMES = {name: name for name in _NAMES.split()} | {"Re": "Re", "Im": "Im", "argmax": "argmax", "argmin": "argmin"}
OPENERS = _pairs(_OPENERS) | {"{": "{"}
CLOSERS = _pairs(_CLOSERS) | {"}": "}"}
FENCES = OPENERS | CLOSERS | {"|": "‖", "vert": "|", "Vert": "‖", "backslash": "∖", "uparrow": "↑", "downarrow": "↓"}
BLANKS = dict.fromkeys((",", ";", ":", ">", " ", "\n", "space", "thinspace", "enspace", "enskip"), " ") | {
    "quad": "  ",
    "qquad": "    ",
    "newline": "\n",
}

# Commands that only say how large, how upright or how far apart; the mathematics is the same without them.
UNSEEN = _words(
    "! displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits big Big bigg Bigg bigl "
    "bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm rm bf it sf tt cal boldmath normalsize small large Large "
    "centering hline noindent nonumber notag allowbreak nobreak mathstrut strut relax protect"
)
STYLES = _words(
    "mathbf mathrm mathit mathsf mathtt mathnormal boldsymbol bm bold pmb mathop mathrel mathbin mathord mathopen "
    "mathclose mathpunct smash underbrace overbrace ensuremath"
)
TEXTS = _words("text textbf textit textrm textsf texttt textnormal textup textsl textsc mbox hbox emph intertext")

FRACTIONS = _words("frac dfrac tfrac cfrac nicefrac")
BINOMIALS = _words("binom dbinom tbinom")
# Commands whose argument is only a width or is not printed.
SPACERS = _words("phantom hphantom vphantom hspace vspace cline")

# Marks that combine with the character before them; lines go over every character of a longer argument.
LINES = {
    "overline": "\u0305",
    "underline": "\u0332",
    "cancel": "\u0336",
    "sout": "\u0336",
}
ACCENTS = {
    "bar": "\u0304",
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "vec": "\u20d7",
    "overparen": "\u0311",
    "wideparen": "\u0311",
    "overarc": "\u0311",
    "overrightarrow": "\u20d7",
    "overleftrightarrow": "\u20e1",
    "overleftarrow": "\u20d6",
    "dot": "\u0307",
    "ddot": "\u0308",
    "check": "\u030c",
    "breve": "\u0306",
    "acute": "\u0301",
    "grave": "\u0300",
    "mathring": "\u030a",
}


def _alphabet(capital: int, small: int, holes: str) -> dict[int, str]:
    """Unicode's styled Latin letters: two runs of code points, less the ones that an older block already had."""
    table = {ord(c): chr(capital + i) for i, c in enumerate(string.ascii_uppercase)}
    table |= {ord(c): chr(small + i) for i, c in enumerate(string.ascii_lowercase)}
    return table | {ord(c): styled for c, styled in zip(holes[::2], holes[1::2], strict=True)}


ALPHABETS = {
    "mathbb": _alphabet(0x1D538, 0x1D552, "CℂHℍNℕPℙQℚRℝZℤ"),
    "mathcal": _alphabet(0x1D49C, 0x1D4B6, "BℬEℰFℱHℋIℐLℒMℳRℛeℯgℊoℴ"),
    "mathfrak": _alphabet(0x1D504, 0x1D51E, "CℭHℌIℑRℜZℨ"),
}
ALPHABETS["Bbb"] = ALPHABETS["mathbb"]
ALPHABETS["mathscr"] = ALPHABETS["mathcal"]

_SUPER = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻=⁼(⁽)⁾aᵃbᵇcᶜdᵈeᵉfᶠgᵍhʰiⁱjʲkᵏlˡmᵐnⁿoᵒpᵖrʳsˢtᵗuᵘvᵛwʷxˣyʸzᶻ"
_SUPER += "AᴬBᴮDᴰEᴱGᴳHᴴIᴵJᴶKᴷLᴸMᴹNᴺOᴼPᴾRᴿTᵀUᵁVⱽWᵂ′′″″°°"
_SUB = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓ"
SUPERSCRIPTS = dict(zip(_SUPER[::2], _SUPER[1::2], strict=True))
SUBSCRIPTS = dict(zip(_SUB[::2], _SUB[1::2], strict=True))

# Environments: a matrix has its own fences, cases a brace, aligned ones a line for each row.
MATRICES = {
    "matrix": ("", ""),
    "smallmatrix": ("", ""),
    "array": ("", ""),
    "pmatrix": ("( ", " )"),
    "bmatrix": ("[ ", " ]"),
    "Bmatrix": ("{ ", " }"),
    "vmatrix": ("| ", " |"),
    "Vmatrix": ("‖ ", " ‖"),
}
CASES = frozenset({"cases", "dcases", "rcases"})
ALIGNED = _words(
    "align aligned alignat alignedat flalign gather gathered split eqnarray multline equation displaymath math "
    "align* alignat* flalign* gather* eqnarray* multline* equation*"
)
TABLES = frozenset({"tabular", "tabular*"})
VERBATIM = frozenset({"asy", "tikzpicture", "verbatim", "lstlisting"})
