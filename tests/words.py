#!/usr/bin/python3
"""Documents, lessons, strings and comments use the plain words of .github/CONTRIBUTING.md.

words.py [TOP]: status 1, with a line for each word that has a plainer one, and for each comment that begins
as a fragment does. Code spans and code blocks are not read, nor what CONTRIBUTING quotes as a bad example
(list items that begin with *Not:*). Of strings, only those of several words are read, as keys, addresses and
names of files have one.
"""
import json
import pathlib
import re
import sys

TOP = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
TOP = TOP if TOP.is_dir() else TOP.parents[1]

# Patterns of whole words, without case, and what to write instead.
EVERYWHERE = {
    r"mend|mends|mended": "fix",
    r"unless said": "default: …",
    r"told of": "reported",
    r"(?:is|are) no(?!\s+(?:longer|more|less|\w+er)\b)": "is not a",
    r"anew": "again",
    r"learnt": "learned",
    r"trys": "tries",
    r"noughts?": "zero",
}
# Drawing code has lanes, and comments on it may name them.
SHOWN = {
    r"(?<!--)lanes?": "variant",
    r"heads? of (?:keys|queries)": "KV head, query head",
    r"into the softmax": "softmax input",
    r"mask layers?": "mask rule",
    r"[\d}] %": "35%",
}
CODE = {
    r"(?<!::)(?<!\.)grounds?": "background",
    r"(?<!--)(?<!`)(?<!::)(?<!\.)blanks?": "space, empty",
    r"endings?": "extension",
    r"whoever|nobody|somebody": "say who: the user, the caller, …",
}
# Words that a comment must not begin with. It is a sentence, or says what the next line is.
FRAGMENT = re.compile(r"(?:Of|Those|Who|What|Whatever|Whichever|None|Whose|Not if|Likewise|Absent)\b")


GAP = r"(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)"  # between two words, which may be on two lines


def words_of(*lists):
    """Returns (pattern, what to write instead) for each entry; a phrase may be on two lines."""
    return [(re.compile(rf"(?<!\w)(?:{words})(?!\w)".replace(" ", GAP), re.IGNORECASE), write)
            for one in lists for words, write in one.items()]


def emptied(text):
    """Replaces all characters with spaces, except line ends."""
    return re.sub(r"[^\n]", " ", text)


def prose_of_markdown(text):
    text = re.sub(r"^```.*?^```$", lambda block: emptied(block[0]), text,
                  flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`\n]*`", lambda code: emptied(code[0]), text)
    return re.sub(r"^ *- \*Not:\*.*$", lambda bad: emptied(bad[0]), text, flags=re.MULTILINE)


# Comments, raw strings, strings and characters; and numbers, whose ' begins no character.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\])*"|"""
                   r"""'(?:\\.|[^'\\\n])+'|\d['\d]*\d""", re.DOTALL)


def parts_of_source(text, is_wanted):
    """Returns the tokens that are wanted, in their places; the rest is replaced with spaces."""
    made, at = [], 0
    for token in TOKEN.finditer(text):
        made += [emptied(text[at:token.start()]),
                 token[0] if is_wanted(token[0]) else emptied(token[0])]
        at = token.end()
    return "".join(made + [emptied(text[at:])])


def strings_of_source(text):
    """Returns the string literals in which two words follow each other, as in a sentence."""
    text = re.sub(r"^#include.*$", lambda line: emptied(line[0]), text, flags=re.MULTILINE)
    text = re.sub(r'"(\s*\n\s*)"', lambda gap: " " + gap[1] + " ", text)  # one literal on several lines
    return parts_of_source(text, lambda token: token[0] == '"' and
                           re.search(r"[^\W\d_]{2,} [^\W\d_]", token) is not None)


def comments_of_source(text):
    text = parts_of_source(text, lambda token: token.startswith("/"))
    text = re.sub(r"`[^`\n]*`", lambda code: emptied(code[0]), text)
    return re.sub(r"//", "  ", text)


def prose_of_lesson(text):
    """Returns the strings of several words of a lesson, without the addresses in braces."""
    json.loads(text)
    text = re.sub(r"\{[^{}\"]*\}", lambda address: emptied(address[0]), text)
    text = re.sub(r'"source": "(?:\\.|[^"\\])*"', lambda title: emptied(title[0]), text)
    return parts_of_source(text, lambda token: token[0] == '"' and " " in token)


DOCUMENTS = ["README.md", ".github/**/*.md", "assets/**/*.md", "core/**/*.md", "app/**/*.md",
             "tests/**/*.md", "shaders/**/*.md"]
SOURCE = ["app/**/*.cpp", "app/**/*.h", "core/**/*.cpp", "core/**/*.h"]
SOURCES = [
    (DOCUMENTS, prose_of_markdown, words_of(EVERYWHERE, SHOWN)),
    (["assets/lessons/*.json", "assets/frameworks/*.json"], prose_of_lesson,
     words_of(EVERYWHERE, SHOWN)),
    (SOURCE, strings_of_source, words_of(EVERYWHERE, SHOWN, CODE)),
    (SOURCE, comments_of_source, words_of(EVERYWHERE, CODE)),
]


def paths(patterns):
    return sorted({path for pattern in patterns for path in TOP.glob(pattern)})


def fragments(text):
    """Yields the line and the first word of each comment that begins like a fragment."""
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        begins = line.strip().startswith("//") and not before.strip().startswith("//")
        if begins and (word := FRAGMENT.match(line.strip()[2:].strip())):
            yield number, word[0]
        before = line


def problems():
    for patterns, prose, words in SOURCES:
        for path in paths(patterns):
            text = prose(path.read_text())
            for pattern, write in words:
                for match in pattern.finditer(text):
                    if text[:match.start()].rstrip()[-5:].lower() == "there":
                        continue  # “there is no”
                    number = text.count("\n", 0, match.start()) + 1
                    found = " ".join(match[0].split())
                    yield f"{path.relative_to(TOP)}:{number}: “{found}”: write “{write}”"
    for path in paths(SOURCE):
        for number, word in fragments(path.read_text()):
            yield f"{path.relative_to(TOP)}:{number}: a comment begins with “{word}”: write a sentence"


found = list(problems())
for problem in found:
    print(problem)
sys.exit(1 if found else 0)
