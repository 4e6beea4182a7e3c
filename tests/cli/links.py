"""Checks the documents. Every relative link leads to a file, and to a heading if it names one. Every
source file that is named exists. The README and the pages of the help, except the terms, are short. The
README gives the number of lessons and of their steps.

links.py [MASKSCOPE]: the documents are those of the tree that this script is in.
"""
import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
HELP_BYTES, README_BYTES = 4096, 6144
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# A path to a source file in a code span; NAME and the like stand for any file.
SOURCE = re.compile(r"`([\w.-]+(?:/[\w.-]+)+\.(?:cpp|h|sh|py|md|txt|comp|glsl))`")


def documents():
    for path in sorted(TOP.rglob("*.md")):
        folders = path.relative_to(TOP).parts[:-1]
        if not any(folder == ".git" or folder.startswith("build") for folder in folders):
            yield path


def without_code(text):
    """Returns the text, with code blocks and code spans left out; lines stay where they are."""
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text,
                  flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    """Returns the fragments that GitHub makes of a document's headings."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    made = set()
    for heading in re.findall(r"^#+ +(.*)$", text, flags=re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower())
        made.add(words.replace(" ", "-"))
    return made


def problems():
    lessons = [json.loads(path.read_text()) for path in TOP.glob("assets/lessons/*.json")]
    count = f"{len(lessons)} interactive lessons ({sum(len(one['steps']) for one in lessons)} steps)"
    if count not in (TOP / "README.md").read_text():
        yield f"README.md: does not say “{count}”"
    for path in documents():
        name, text = path.relative_to(TOP), path.read_text()
        size = len(text.encode())
        most = size
        if name.parts[:2] == ("assets", "help") and name.name != "terms.md":
            most = HELP_BYTES
        if name == pathlib.Path("README.md"):
            most = README_BYTES
        if size > most:
            yield f"{name}: {size} bytes, at most {most}"
        if name.parts[0] != "assets":
            for source in SOURCE.findall(text):
                if "NAME" not in source and not any((folder / source).exists()
                                                    for folder in (TOP, path.parent)):
                    yield f"{name}: there is no {source}"
        for number, line in enumerate(without_code(text).split("\n"), 1):
            for link in LINK.findall(line):
                if re.match(r"[a-z]+:", link):
                    continue
                target, _, anchor = link.partition("#")
                file = (path.parent / target).resolve() if target else path
                if not file.exists() or not file.is_relative_to(TOP):
                    yield f"{name}:{number}: {link} leads nowhere"
                elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
                    yield f"{name}:{number}: {link}: no such heading"


found = list(problems())
for problem in found:
    print(problem, file=sys.stderr)
sys.exit(1 if found else 0)
