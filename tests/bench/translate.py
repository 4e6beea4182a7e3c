"""Measures how long a translated token takes: translate.py MASKSCOPE

It translates 600 held-out sentences in one process, whose start is included. A token is a word or
<eos>. The status is 1 if a token takes more than 0.2 ms of processor time.
"""
import pathlib
import resource
import subprocess
import sys

models = pathlib.Path(__file__).resolve().parents[2] / "assets/models"
sys.path.insert(0, str(models))
sys.dont_write_bytecode = True

import language  # noqa: E402

MOST = 0.2  # milliseconds
sentences = language.corpus(1)[1][:600]
lines = "".join(" ".join(s.italian) + "\n" for s in sentences)
said = subprocess.run([sys.argv[1], "translate"], input=lines, check=True, capture_output=True,
                      text=True).stdout.splitlines()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
tokens = sum(len(line.split()) + 1 for line in said)
each = 1000 * (used.ru_utime + used.ru_stime) / tokens
right = sum(line == " ".join(s.english) for line, s in zip(said, sentences))
print(f"{tokens} tokens, {each:.3f} ms each; {right} of {len(sentences)} sentences right")
sys.exit(each > MOST)
