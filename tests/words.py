#!/usr/bin/python3
"""The documents use the plain words of .github/CONTRIBUTING.md.

words.py [TOP]: status 1, with a line for each word that has a plainer one. Code spans and code blocks
are not read, nor what CONTRIBUTING quotes as a bad example (list items that begin with *Not:*).
To check other texts as well, such as strings and comments, add to SOURCES patterns of files and a function
that leaves only the prose of a text, at its place.
"""
import pathlib
import re
import sys

TOP = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
TOP = TOP if TOP.is_dir() else TOP.parents[1]

# A pattern of whole words, without case, and what to write.
WORDS = {
    r"mend|mends|mended": "fix",
    r"unless said": "default: …",
    r"told of": "reported",
    r"(?<!there\s)is no(?!\s+longer)": "is not a",
    r"lanes?": "variant",
    r"anew": "again",
}
# A phrase may be broken between two lines.
FORBIDDEN = [(re.compile(rf"\b(?:{words})\b".replace(" ", r"\s+"), re.IGNORECASE), write)
             for words, write in WORDS.items()]


def prose_of_markdown(text):
    """The text, empty where there is code or a bad example; lines stay where they are."""
    def empty(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^```.*?^```$", empty, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", empty, text)
    return re.sub(r"^ *- \*Not:\*.*$", empty, text, flags=re.MULTILINE)


SOURCES = [
    (["README.md", ".github/**/*.md", "assets/**/*.md", "core/**/*.md", "app/**/*.md", "tests/**/*.md",
      "shaders/**/*.md"], prose_of_markdown),
]


def problems():
    for patterns, prose in SOURCES:
        for path in sorted({path for pattern in patterns for path in TOP.glob(pattern)}):
            text = prose(path.read_text())
            for pattern, write in FORBIDDEN:
                for match in pattern.finditer(text):
                    number = text.count("\n", 0, match.start()) + 1
                    words = " ".join(match[0].split())
                    yield f"{path.relative_to(TOP)}:{number}: “{words}”: write “{write}”"


found = list(problems())
for problem in found:
    print(problem)
sys.exit(1 if found else 0)
