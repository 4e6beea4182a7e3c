"""A small part of Italian with its English, drawn word by word.

Each sentence comes with its one translation and, for each English word, the Italian word that it
comes from. The open words stand in nouns.tsv, adjectives.tsv, verbs.tsv and names.tsv; the closed
ones in the tables below. Persons are counted 0 io, 1 tu, 2 lui or lei, 3 noi, 4 voi, 5 loro.
"""

import csv
import hashlib
import pathlib
import random
import re
from collections import namedtuple
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).parent
LONGEST = 12  # words of a sentence, in either language
SENTENCES = 64_000

Noun = namedtuple("Noun", "italian_s italian_p gender english_s english_p classes")
Adjective = namedtuple("Adjective", "ms fs mp fp english place classes")
Verb = namedtuple("Verb", "forms english english_s classes")
Name = namedtuple("Name", "name gender")


def table(name):
    with open(HERE / name, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


NOUNS = [Noun(*row) for row in table("nouns.tsv")]
ADJECTIVES = [Adjective(*row) for row in table("adjectives.tsv")]
VERBS = [Verb(row[:6], *row[6:]) for row in table("verbs.tsv")]
NAMES = [Name(*row) for row in table("names.tsv")]
POST = [adjective for adjective in ADJECTIVES if adjective.place == "post"]

# By gender and number of the noun, and by how the next word begins: a vowel, z or s and a
# consonant, anything else.
DEFINITE = {"ms": ("l'", "lo", "il"), "fs": ("l'", "la", "la"),
            "mp": ("gli", "gli", "i"), "fp": ("le", "le", "le")}
INDEFINITE = {"ms": ("un", "uno", "un"), "fs": ("un'", "una", "una")}
THIS = {"ms": ("quest'", "questo", "questo"), "fs": ("quest'", "questa", "questa"),
        "mp": ("questi", "questi", "questi"), "fp": ("queste", "queste", "queste")}
POSSESSIVES = [
    (dict(ms="mio", fs="mia", mp="miei", fp="mie"), "my"),
    (dict(ms="tuo", fs="tua", mp="tuoi", fp="tue"), "your"),
    (dict(ms="nostro", fs="nostra", mp="nostri", fp="nostre"), "our"),
    (dict(ms="vostro", fs="vostra", mp="vostri", fp="vostre"), "your"),
    (dict(ms="loro", fs="loro", mp="loro", fp="loro"), "their"),
]
NUMERALS = [("due", "two"), ("tre", "three")]

SUBJECTS = ["i", "you", "he", "we", "you", "they"]  # 2 is he, she or it
PRONOUNS = [("io", 0), ("tu", 1), ("lui", 2), ("lei", 2), ("noi", 3), ("voi", 4), ("loro", 5)]
ENGLISH_PRONOUN = dict(io="i", tu="you", lui="he", lei="she", noi="we", voi="you", loro="they")
ADVERBS = dict(sempre="always", spesso="often", mai="never")
TIMES = dict(oggi="today", ora="now", stasera="tonight")
BE = [("sono", "am"), ("sei", "are"), ("è", "is"), ("siamo", "are"), ("siete", "are"),
      ("sono", "are")]
LIKERS = dict(mi="i", ti="you", ci="we", vi="you")

# How a noun phrase is drawn: the classes its noun may have, the chance of adjectives, the kinds by
# weight. An object takes the classes of its verb.
KINDS = {
    "sentence": ("pat", .75, dict(definite=3, indefinite=2, possessive=2, this=1, numeral=1,
                                  genitive=1, bare=1)),
    "object": (None, .55, dict(definite=3, indefinite=2, possessive=2, this=1, numeral=1,
                               genitive=1)),
    "subject": ("pa", .35, dict(definite=3, indefinite=1, possessive=2, this=1)),
    "after con": ("pa", .3, dict(definite=1, indefinite=1, possessive=1)),
    "subject of be": ("pat", 0, dict(definite=3, possessive=1, this=1)),
    "asked for its name": ("pa", .4, dict(definite=2, possessive=1, this=1)),
    "liked": ("ta", .6, dict(definite=3, possessive=1, this=1, genitive=1)),
    "there": ("pat", .6, dict(indefinite=3, numeral=1)),
}


class Word:
    """One Italian word of a sentence. Compared by identity: a sentence may say it twice."""

    def __init__(self, text):
        self.text = text


@dataclass
class Part:
    """A stretch of a sentence: its Italian words, and its English ones as (text, Italian Word)."""

    italian: list = field(default_factory=list)
    english: list = field(default_factory=list)
    tags: set = field(default_factory=set)
    pairs: list = field(default_factory=list)  # (noun, adjective)
    noun: Noun = None
    number: str = "s"

    def takes(self, *others):
        for other in others:
            self.tags |= other.tags
            self.pairs += other.pairs
        return self


@dataclass(frozen=True)
class Sentence:
    italian: tuple
    english: tuple
    alignment: tuple  # for each English word the index of its Italian one
    tags: frozenset
    compositional: bool


def weighted(rng, weights):
    return rng.choices(list(weights), list(weights.values()))[0]


def goes_with(noun, adjective):
    return bool(set(noun.classes) & set(adjective.classes))


def form(adjective, gender, number):
    return getattr(adjective, gender + number)


def before(forms, gender, number, next_word):
    """The form of an article before `next_word`."""
    if re.match("[aeiouè]", next_word):
        column = 0
    elif re.match("z|s[^aeiouè]", next_word):
        column = 1
    else:
        column = 2
    return Word(forms[gender + number][column])


def adjectives_of(rng, noun, chance):
    """(pre, post), None for one that is not there."""
    if rng.random() >= chance:
        return None, None
    fitting = {place: [a for a in ADJECTIVES if a.place == place and goes_with(noun, a)]
               for place in ("pre", "post")}
    post = rng.choice(fitting["post"]) if rng.random() < .8 else None
    pre = rng.choice(fitting["pre"]) if post is None or rng.random() < .15 else None
    return pre, post


def determiner(rng, kind, noun, number, italian, english):
    """Puts the determiner of `kind` in front of both, and the genitive behind the Italian."""
    gender, first = noun.gender, italian[0].text
    if kind == "definite":
        article = before(DEFINITE, gender, number, first)
        return [article] + italian, [("the", article)] + english
    if kind == "indefinite":
        article = before(INDEFINITE, gender, number, first)
        word = "an" if english[0][0][0] in "aeiou" else "a"
        return [article] + italian, [(word, article)] + english
    if kind == "possessive":
        forms, word = rng.choice(POSSESSIVES)
        owner = Word(forms[gender + number])
        article = before(DEFINITE, gender, number, owner.text)
        return [article, owner] + italian, [(word, owner)] + english
    if kind == "this":
        this = before(THIS, gender, number, first)
        return [this] + italian, [("this" if number == "s" else "these", this)] + english
    if kind == "numeral":
        word, translation = rng.choice(NUMERALS)
        numeral = Word(word)
        return [numeral] + italian, [(translation, numeral)] + english
    if kind == "genitive":
        article = before(DEFINITE, gender, number, first)
        of, name = Word("di"), Word(rng.choice(NAMES).name)
        return [article] + italian + [of, name], [(name.text, name), ("'s", of)] + english
    return italian, english


def noun_phrase(rng, use, classes=None):
    usual, chance, kinds = KINDS[use]
    noun = rng.choice([n for n in NOUNS if set(n.classes) & set(classes or usual)])
    kind = weighted(rng, kinds)
    number = "s"
    if kind == "numeral" or (kind != "indefinite" and rng.random() < .35):
        number = "p"
    pre, post = adjectives_of(rng, noun, chance)
    word = Word(noun.italian_s if number == "s" else noun.italian_p)
    italian, english = [word], [(noun.english_s if number == "s" else noun.english_p, word)]
    if post:
        word = Word(form(post, noun.gender, number))
        italian, english = italian + [word], [(post.english, word)] + english
    if pre:
        word = Word(form(pre, noun.gender, number))
        italian, english = [word] + italian, [(pre.english, word)] + english
    italian, english = determiner(rng, kind, noun, number, italian, english)
    tags = {kind} & {"possessive", "genitive"}
    tags |= {"post-adj"} if post else {"pre-adj"} if pre else set()
    pairs = [(noun, adjective) for adjective in (pre, post) if adjective]
    return Part(italian, english, tags, pairs, noun, number)


def name_part(rng):
    name = rng.choice(NAMES)
    word = Word(name.name)
    return Part([word], [(name.name, word)]), name


def optional(rng, chance, text):
    return Word(text) if rng.random() < chance else None


def time_of(rng):
    """(Italian word, whether it goes in front), or None."""
    if rng.random() >= .15:
        return None
    return Word(rng.choice(list(TIMES))), rng.random() < .5


def with_time(part, time, question):
    """Puts the time where it goes, and the question mark behind everything."""
    if time:
        word, front = time
        said = (TIMES[word.text], word)
        part.tags.add("time")
        if front and not question:
            part.italian, part.english = [word] + part.italian, [said] + part.english
        else:
            part.italian, part.english = part.italian + [word], part.english + [said]
    if question:
        part.italian, part.english = part.italian + [question], part.english + [("?", question)]
        part.tags.add("question")
    return part


def clause_subject(rng):
    """(the subject, its person); a dropped one has no words."""
    kind = weighted(rng, dict(dropped=.42, pronoun=.10, name=.20, phrase=.28))
    if kind == "dropped":
        return Part(tags={"dropped-subject"}), weighted(rng, {0: 2, 1: 1, 3: 1, 4: 1, 5: 1})
    if kind == "pronoun":
        person = weighted(rng, {0: 1, 1: 1, 2: 2, 3: 1, 4: 1, 5: 1})
        word = Word(rng.choice([text for text, of in PRONOUNS if of == person]))
        return Part([word], [(ENGLISH_PRONOUN[word.text], word)]), person
    if kind == "name":
        return name_part(rng)[0], 2
    phrase = noun_phrase(rng, "subject")
    return phrase, 2 if phrase.number == "s" else 5


def clitic(rng, verb, person):
    human = bool(set(verb.classes) & set("pa"))
    said = dict(lo="him" if human else "it", la="her" if human else "it", li="them", le="them")
    if human and person not in (0, 3):
        said |= dict(mi="me", ci="us")
    if human and person not in (1, 4):
        said |= dict(ti="you", vi="you")
    word = Word(rng.choice(list(said)))
    return Part([word], [(said[word.text], word)])


def complement(rng, shape, verb):
    """What follows the verb in Italian: an object, `con` and somebody, or nothing."""
    if shape == "transitive":
        return noun_phrase(rng, "object", verb.classes)
    if shape == "intransitive" and rng.random() < .3:
        who = name_part(rng)[0] if rng.random() < .5 else noun_phrase(rng, "after con")
        word = Word("con")
        return Part([word] + who.italian, [("with", word)] + who.english, {"with"}).takes(who)
    return Part()


def verb_phrase(verb, word, person, subject, non, question, adverb):
    """The English up to the object: subject, do, not, adverb and verb in their order."""
    do = "does" if person == 2 else "do"
    bare = [(text, word) for text in verb.english.split()]
    inflected = [(text, word) for text in (verb.english_s if person == 2 else verb.english).split()]
    often = [(ADVERBS[adverb.text], adverb)] if adverb else []
    if question:
        negation = [("not", non)] if non else []
        return [(do, question)] + subject + negation + often + bare
    if adverb and adverb.text == "mai":
        return subject + often + inflected
    if non:
        return subject + [(do, non), ("not", non)] + often + bare
    return subject + often + inflected


def clause(rng):
    subject, person = clause_subject(rng)
    shape = weighted(rng, dict(transitive=.5, clitic=.3, intransitive=.2))
    verb = rng.choice([v for v in VERBS if (v.classes == "-") == (shape == "intransitive")])
    word = Word(verb.forms[person])
    before_verb = clitic(rng, verb, person) if shape == "clitic" else Part()
    after_verb = complement(rng, shape, verb)
    non, question = optional(rng, .25, "non"), optional(rng, .15, "?")
    adverbs = ["sempre", "spesso", "mai", "mai"] if non and not question else ["sempre", "spesso"]
    adverb = optional(rng, .15, rng.choice(adverbs))
    time = time_of(rng)
    said = subject.english or [(SUBJECTS[person], word)]
    part = Part(
        subject.italian + [non] * bool(non) + before_verb.italian + [word] +
        [adverb] * bool(adverb) + after_verb.italian,
        verb_phrase(verb, word, person, said, non, question, adverb) + before_verb.english +
        after_verb.english)
    part.tags = {shape} | ({"negation"} if non else set()) | ({"adverb"} if adverb else set())
    return with_time(part.takes(subject, after_verb), time, question)


def dropped_be(rng):
    """(subject, person, gender, number, adjective) where no subject is said."""
    adjective = rng.choice(POST)
    human = "p" in adjective.classes
    person = weighted(rng, {0: 2, 1: 1, 2: 3, 3: 1, 4: 1, 5: 2} if human else {2: 1, 5: 1})
    gender, number = rng.choice("mf"), "p" if person >= 3 else "s"
    pronoun = SUBJECTS[person]
    if person == 2:
        pronoun = "it" if not human else "he" if gender == "m" else "she"
    return Part(tags={"be-dropped"}), person, gender, number, adjective, pronoun


def said_be(rng):
    """The same where the subject is a name or a noun phrase."""
    if rng.random() < .3:
        subject, name = name_part(rng)
        gender, number = name.gender, "s"
        adjective = rng.choice([a for a in POST if "p" in a.classes])
    else:
        subject = noun_phrase(rng, "subject of be")
        gender, number = subject.noun.gender, subject.number
        adjective = rng.choice([a for a in POST if goes_with(subject.noun, a)])
        subject.pairs.append((subject.noun, adjective))
    subject.tags.add("be-subject")
    return subject, 2 if number == "s" else 5, gender, number, adjective, None


def be(rng):
    non, question = optional(rng, .2, "non"), optional(rng, .12, "?")
    draw = dropped_be if rng.random() < .45 else said_be
    subject, person, gender, number, adjective, pronoun = draw(rng)
    italian, english = BE[person]
    verb, predicate = Word(italian), Word(form(adjective, gender, number))
    said = subject.english or [(pronoun, predicate if person in (0, 2, 5) else verb)]
    front = [(english, verb)] + said if question else said + [(english, verb)]
    part = Part(subject.italian + [non] * bool(non) + [verb, predicate],
                front + [("not", non)] * bool(non) + [(adjective.english, predicate)])
    part.tags = {"negation"} if non else set()
    return with_time(part.takes(subject), time_of(rng), question)


def asked_name(rng):
    """come si chiama X ?, or None where X came out plural."""
    who = name_part(rng)[0] if rng.random() < .5 else noun_phrase(rng, "asked for its name")
    if who.number == "p":
        return None
    come, si, chiama, mark = map(Word, ("come", "si", "chiama", "?"))
    english = [("what", come), ("is", chiama)] + who.english
    english += [("'s", chiama), ("name", chiama), ("?", mark)]
    return Part([come, si, chiama] + who.italian + [mark], english, {"name", "question"}).takes(who)


def name(rng):
    if rng.random() < .08:
        come, ti, chiami, mark = map(Word, ("come", "ti", "chiami", "?"))
        english = [("what", come), ("is", chiami), ("your", ti), ("name", chiami), ("?", mark)]
        return Part([come, ti, chiami, mark], english, {"name", "question"})
    asked = asked_name(rng) if rng.random() < .5 else None
    if asked:
        return asked
    whose, verb = weighted(rng, {("mi", "chiamo"): 3, ("ti", "chiami"): 1, ("si", "chiama"): 2})
    who, drawn = name_part(rng)
    whose, verb, non = Word(whose), Word(verb), optional(rng, .2, "non")
    owner = {"mi": ("my", whose), "ti": ("your", whose),
             "si": ("his" if drawn.gender == "m" else "her", who.italian[0])}[whose.text]
    english = [owner, ("name", verb), ("is", verb)] + [("not", non)] * bool(non) + who.english
    return Part([non] * bool(non) + [whose, verb] + who.italian, english,
                {"name"} | ({"negation"} if non else set()))


def like(rng):
    non, who = optional(rng, .25, "non"), Word(rng.choice(list(LIKERS)))
    liked = noun_phrase(rng, "liked")
    verb = Word("piace" if liked.number == "s" else "piacciono")
    negation = [("do", non), ("not", non)] if non else []
    part = Part([non] * bool(non) + [who, verb] + liked.italian,
                [(LIKERS[who.text], who)] + negation + [("like", verb)] + liked.english)
    part.tags = {"like"} | ({"negation"} if non else set())
    return part.takes(liked)


def there(rng):
    phrase = noun_phrase(rng, "there")
    words = ("c'", "è", "is") if phrase.number == "s" else ("ci", "sono", "are")
    place, verb = Word(words[0]), Word(words[1])
    part = Part([place, verb] + phrase.italian,
                [("there", place), (words[2], verb)] + phrase.english, {"there"})
    return part.takes(phrase)


def phrase_alone(rng):
    part = noun_phrase(rng, "sentence")
    part.tags.add("np")
    return part


SHARES = {phrase_alone: .10, clause: .56, be: .16, name: .04, like: .07, there: .07}


def held_out_pair(noun, adjective):
    text = noun.english_s + noun.gender + adjective.english
    return hashlib.md5(text.encode()).digest()[0] < 28


def draw(rng):
    """A sentence of at most LONGEST words in either language."""
    while True:
        part = weighted(rng, SHARES)(rng)
        if max(len(part.italian), len(part.english)) <= LONGEST:
            break
    place = {id(word): i for i, word in enumerate(part.italian)}
    alignment = tuple(place[id(word)] for _, word in part.english)
    ahead = {"look-ahead"} if any(i > e for e, i in enumerate(alignment)) else set()
    return Sentence(tuple(word.text for word in part.italian), tuple(t for t, _ in part.english),
                    alignment, frozenset(part.tags | ahead),
                    any(held_out_pair(*pair) for pair in part.pairs))


def corpus(seed):
    """(training, held out, compositional): SENTENCES different ones, and `mi chiamo luke`."""
    rng = random.Random(seed)
    drawn = {}
    while len(drawn) < SENTENCES:
        sentence = draw(rng)
        known = drawn.setdefault(sentence.italian, sentence)
        assert known.english == sentence.english, (known, sentence)
    luke = tuple("mi chiamo luke".split())
    drawn.setdefault(luke, Sentence(luke, tuple("my name is luke".split()), (0, 1, 1, 2),
                                    frozenset({"name"}), False))
    parts = ([], [], [])
    for sentence in drawn.values():
        parts[2 if sentence.compositional else 1 if is_held_out(sentence) else 0].append(sentence)
    return parts


def is_held_out(sentence):
    text = " ".join(sentence.italian)
    if text in ("mi chiamo luke", "come ti chiami ?"):
        return False
    return int(hashlib.md5(("t" + text).encode()).hexdigest()[:6], 16) % 1000 < 40


def repeats(sentence):
    """How often training sees it in an epoch: rare kinds more often."""
    if len(sentence.italian) == 1:
        return 8
    often = {"name": 12, "be-dropped": 4, "there": 2, "be-subject": 2}
    return max((often[tag] for tag in sentence.tags & often.keys()), default=1)


def vocabularies(sentences):
    """(Italian, English): words by id."""
    special = ["<pad>", "<bos>", "<eos>"]
    return tuple(special + sorted({word for sentence in sentences for word in getattr(sentence, of)})
                 for of in ("italian", "english"))


def content_words(sentence):
    """Indices of the English words that say something of their own; alignment is measured there."""
    empty = {"the", "a", "an", "'s", "do", "does", "for", "?"}
    if "name" in sentence.tags:
        empty |= {"is", "his", "her"}
    words = [e for e, word in enumerate(sentence.english) if word not in empty]
    if sentence.tags & {"dropped-subject", "be-dropped"}:  # its pronoun comes before any other
        words.remove(next(e for e in words if sentence.english[e] in ENGLISH_PRONOUN.values()
                          or sentence.english[e] == "it"))
    return words
