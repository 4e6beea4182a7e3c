"""text_is_no_code.py PROGRAM: the text of a scene is never run as code in a file that is made from it.

Titles, names and tokens that would be code in Python, HTML, SVG, TeX or a shell go through every
format. The parsers of those formats must find in them nothing but text: the same tags, commands and
names as in the figure of a harmless scene.
"""

import ast
import csv
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

program = sys.argv[1]
ATTACKS = [
    '"""; import os; os.system("touch run") #',
    "'''; import os; os.system('touch run') #",
    "\\'; raise SystemExit #",
    '\\"""',
    "</script><script>run()</script>",
    "</style><img src=x onerror=run()>",
    "--><script>run()</script><!--",
    "]]><script>run()</script>",
    "<![CDATA[<script>run()</script>",
    "&lt;script&gt; &amp; &#60;script&#62;",
    '" onload="run()',
    "\\write18{touch run}",
    "\\input{/etc/passwd}",
    "\\end{tikzpicture}\\write18{touch run}",
    "^^5cwrite18{touch run}",
    "}\\csname write\\endcsname18{touch run}{",
    "%~$&#_^{}",
    "$(touch run) `touch run` ; touch run | touch run",
    "=HYPERLINK(1)",
    "＝HYPERLINK(1)",
    "\ufeff=1+1",
    "\u200b＠SUM(A1)",
    "{run} %s {{ }} ${run}",
    "\u2028import os\u2029",
    "\u202eexe.gnp",
    "\ufffe \uffff \ufdd0 \U0001ffff",  # not characters: XML and cairo refuse them
]


def scene(texts):
    """Returns a scene that has the texts in its title and tokens, and some as pad token and names."""
    return {
        "maskscope": 1,
        "title": " ".join(texts),
        "pad_token": texts[0],
        "sequences": [{"queries": texts}, {"queries": texts[:1]}],
        "inputs": {"kind": "embedding", "seed": 7, "heads": 1, "d_k": 4, "d_v": 4},
        "variants": [{"name": texts[k % len(texts)]} for k in range(2)],
    }


def plain(field):
    """Returns the visible characters of a text, in NFKC."""
    unseen = ("Cc", "Cf", "Cn", "Mn", "Zl", "Zp", "Zs")
    seen = "".join(letter for letter in field if unicodedata.category(letter) not in unseen)
    return unicodedata.normalize("NFKC", seen)


def lesson(one):
    step = {
        "title": one["title"],
        "caption": one["title"].replace("{", "{{"),
        "ask": one["title"].replace("{", "{{"),
        "source": one["title"],
        "scene": one,
        "facts": [
            {
                "lane": "A", "of": "sum", "at": [0, 0, 0], "is": ">", "than": 0.5,
                "fails_with": {"/variants/0/mask": {
                    "layers": [{"kind": "blocked", "rows": [0]}], "apply": "multiply_weights"}},
            }
        ],
    }  # fmt: skip
    return {"maskscope_lesson": 1, "name": "x", "title": one["title"], "steps": [step]}


def run(*arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Tags(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, tuple(name for name, _ in attributes)))


def html_shape(text):
    """Returns the tags, and the names of attributes."""
    return {tag for tag, _ in Tags(text).found} | {a for _, all in Tags(text).found for a in all}


def svg_shape(text):
    elements = list(xml.etree.ElementTree.fromstring(text).iter())
    return {e.tag for e in elements} | {a for e in elements for a in e.attrib}


def python_shape(text):
    tree = ast.parse(text)
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)
    }


def tex_shape(text):
    text = re.sub(r"(?<!\\)%.*", "", text)
    assert "^^" not in text
    return set(re.findall(r"\\[A-Za-z]+", text))


def made(name, texts):
    """Makes every format of a scene or lesson with these texts; returns {format: the names in it}."""
    for kind, content in (("scene", scene(texts)), ("lesson", lesson(scene(texts)))):
        with open(f"{name}-{kind}.json", "w") as file:
            json.dump(content, file)
    run("export", f"{name}-scene.json", "--out", f"{name}.svg")
    run("export", f"{name}-scene.json", "--out", f"{name}.pdf")
    run("export", f"{name}-scene.json", "--out", f"{name}.tex", "--width", "400")
    run("export", f"{name}-lesson.json", "--out", f"{name}.html")
    run("export", f"{name}-scene.json", "--out", f"{name}.csv")
    with open(f"{name}.csv", encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            fields = [plain(field) for field in row[5:7]]
            assert not any(re.match(r"[=@].|[+-].*[^0-9.]", field, re.S) for field in fields), row
    read = lambda ending: open(f"{name}.{ending}", encoding="utf-8").read()
    return {
        "svg": svg_shape(read("svg")),
        "tex": tex_shape(read("tex")),
        "html": html_shape(read("html")),
        "python": python_shape(run("pytorch", f"{name}-scene.json")),
    }


# The commands that TeX needs to write letters that have a meaning there, and no others.
LETTERS = {r"\textbackslash", r"\textasciitilde", r"\textasciicircum", r"\textbar", r"\textless",
           r"\textgreater", r"\textquotedbl", r"\textquotesingle", r"\textasciigrave", r"\char",
           r"\ensuremath", r"\lbrace", r"\rbrace", r"\symbol", r"\textdollar"}  # fmt: skip

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    harmless = {}
    for word in ("a", "word" * 3, "word" * 5, "word" * 9, "a word or two, " * 5):
        for format, shape in made("harmless", [word, "b", "c"]).items():
            harmless[format] = harmless.get(format, set()) | shape
    for attack in ATTACKS:
        hostile = made("hostile", [attack, "b", "c"])
        for format, shape in hostile.items():
            new = shape - harmless[format] - (LETTERS if format == "tex" else set())
            assert not new, f"{attack}: new in {format}: {sorted(new)[:5]}"
    assert not os.path.exists("run")

    # A .tex of many tokens names the picture beside it after itself.
    with open("many.json", "w") as file:
        json.dump({**scene(["a"]), "sequences": [{"queries": ["a"] * 80}]}, file)
    for name in "}\\input{run}%{.tex", "a\n.tex", "a#b.tex", "^^5cinput.tex", "a$b.tex", "a&~.tex":
        done = subprocess.run([program, "export", "many.json", "--out", name], capture_output=True)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, (name, done)
        assert not os.path.exists(name)
    run("export", "many.json", "--out", "straße 2_b-c+d (e).tex")
