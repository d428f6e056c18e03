"""Frequent phrases of the device text: gpuprims.h embeds that text with a code of two characters in place of each
(src/core/phrases.c expands them). src/phrases lists the phrases; tools/amalgamate.py --phrases writes it.
"""
import collections
import functools
import heapq
import json
import re
import string

ESCAPES = "$`"  # first characters of codes; the device text has none of them
# Second characters: none makes or ends a comment, a string, a trigraph or a continued line.
SECONDS = string.ascii_letters + string.digits + "!#%&()+,-.:;<=>@[]^_{|}~"
CODES = [escape + second for escape in ESCAPES for second in SECONDS]
HEAD = """\
# The phrases that the embedded device text has as codes, a JSON string a line: tools/amalgamate.py --phrases.
"""
TOKEN = re.compile(r"[A-Za-z0-9]+_*|_+|\s|.")  # phrases begin and end with one
COLUMNS = 120
MOST_TOKENS = 10  # of a phrase
LEAST = 250  # characters that a phrase must save to be considered


def escapes_in(text):
    return "".join(escape for escape in ESCAPES if escape in text)


def read(text):
    """The phrases of the list src/phrases. ValueError says what is wrong with it."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        try:
            phrase = json.loads(line)
        except ValueError:
            phrase = None
        if not isinstance(phrase, str) or len(phrase) < 3 or not phrase.isascii():
            raise ValueError(f"{number}: not a JSON string of three or more ASCII characters")
        if escapes_in(phrase):
            raise ValueError(f"{number}: a phrase with {escapes_in(phrase)}, which begins codes")
        if phrase in found:
            raise ValueError(f"{number}: a phrase that is listed above")
        if len(found) == len(CODES):
            raise ValueError(f"{number}: more phrases than codes, {len(CODES)}")
        found.append(phrase)
    return found


def written(phrases):
    """The list src/phrases."""
    return HEAD + "".join(json.dumps(phrase) + "\n" for phrase in phrases)


def embedded(phrases):
    """The list as the header embeds it."""
    return "".join(f"{code}{phrase}{ESCAPES[0]}\n" for code, phrase in zip(CODES, phrases))


def listed(text):
    """{code: phrase} of the header's list."""
    return dict(re.findall(f"([{ESCAPES}].)([^{ESCAPES}]+)[{ESCAPES[0]}]\n", text))


@functools.cache
def encoded(text, phrases):
    """A short text with codes in place of phrases. It has no line of more than COLUMNS if the text has none."""
    starts = collections.defaultdict(list)  # position: [(length of a phrase that begins there, its code, has it lines)]
    for code, phrase in zip(CODES, phrases):
        at = text.find(phrase)
        while at >= 0:
            starts[at].append((len(phrase), code, "\n" in phrase))
            at = text.find(phrase, at + 1)
    # By position: characters from there on to the end; the same to the line's end, without phrases that have lines;
    # for both, the length of what is replaced there, and its code.
    size, best = [0] * (len(text) + 1), {}
    rest, best_of_line = [0] * (len(text) + 1), {}
    for at in range(len(text) - 1, -1, -1):
        size[at] = size[at + 1] + 1
        rest[at] = 0 if text[at] == "\n" else rest[at + 1] + 1
        for length, code, has_lines in starts.get(at, ()):
            if size[at + length] + 2 < size[at]:
                size[at], best[at] = size[at + length] + 2, (length, code)
            if not has_lines and rest[at + length] + 2 < rest[at]:
                rest[at], best_of_line[at] = rest[at + length] + 2, (length, code)
    found, at, column = [], 0, 0
    while at < len(text):
        length, code = best.get(at, (1, text[at]))
        if column + len(code) + rest[at + length] > COLUMNS:  # this line would become too long
            length, code = best_of_line.get(at, (1, text[at]))
        found.append(code)
        at += length
        column = 0 if code == "\n" else column + len(code)
    return "".join(found)


def expanded(text, of):
    """The text that `encoded` was given. of: {code: phrase}."""
    return re.sub(f"[{ESCAPES}].", lambda m: of[m.group()], text)


def choose(texts, most=len(CODES)):
    """A good list for these texts: repeatedly the phrase that saves most once the others are codes."""
    count = collections.Counter()
    for text in texts:
        ends = [0] + [token.end() for token in TOKEN.finditer(text)]
        for first, begin in enumerate(ends):
            count.update(text[begin:end] for end in ends[first + 1:first + 1 + MOST_TOKENS] if end - begin > 2)
    # Characters saved by a phrase, an upper bound until it is counted again; the phrase; how many were chosen then.
    heap = [(-number * (len(phrase) - 2), phrase, -1) for phrase, number in count.items()
            if number * (len(phrase) - 2) >= LEAST]
    heapq.heapify(heap)
    joined, found, forms = "\0".join(texts), [], []  # a form: a phrase with earlier ones as private characters
    while heap and len(found) < most:
        _, phrase, when = heapq.heappop(heap)
        form = phrase
        for number, other in enumerate(forms):
            form = form.replace(other, chr(0xe000 + number))
        if when == len(found):
            joined = joined.replace(form, chr(0xe000 + len(found)))
            found.append(phrase)
            forms.append(form)
            continue
        saved = joined.count(form) * (sum(2 if char >= "\ue000" else 1 for char in form) - 2) - len(phrase) - 4
        if saved > 0:
            heapq.heappush(heap, (-saved, phrase, len(found)))
    return found
