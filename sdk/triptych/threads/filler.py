"""Pure filler: text that acknowledges or announces, and without which nothing that was said is lost."""

from __future__ import annotations

import re
from typing import Final

# Longer text than this, in characters, says something.
LIMIT: Final = 80

_ACKNOWLEDGED = (
    r"ok(ay)?|sure( thing)?|al(l ?)?right|right|got it|understood|of course|certainly|absolutely|great|perfect|good|"
    r"no problem|thanks|thank you|happy to help|my pleasure"
)
_WAIT = r"(one|just a|just one|give me a) (moment|second|minute|sec)( please)?|please wait|hold on|bear with me"
_LOOK = r"check|look|see|search|have a look|take a look|find out|think|look into|look at|look up|verify|try|get|fetch"
_OBJECT = r"that|this|it|them|those|these|into it|into that|around|again|now|for you|up|about"
_ANNOUNCED = (
    rf"(now |first |next )?(let me|let's|i'?ll|i will|i'm going to|i am going to) (now |just |quickly |first )*"
    rf"({_LOOK})( ({_OBJECT}))*( now| first| quickly| for you)*"
)
_BUSY = rf"(i'm |i am )?(working on|looking into|checking|searching|looking)( ({_OBJECT}))*( now)?"
_SENTENCE = re.compile(rf"({_ACKNOWLEDGED}|{_WAIT}|{_ANNOUNCED}|{_BUSY})\Z")
_APOSTROPHES = str.maketrans({"\N{RIGHT SINGLE QUOTATION MARK}": "'"})
_CUT = re.compile(r"[.!…,;\n\N{EM DASH}-]+")


def is_filler_text(text: str) -> bool:
    """Return whether an assistant's text says nothing: "Ok.", "Let me check that.", white space alone.

    It knows English. Whatever names a thing ("Let me check the invoice"), asks, counts or quotes is not filler.

    Args:
        text: The whole text of a message.
    """
    plain = text.strip()
    if len(plain) > LIMIT:
        return False
    sentences = (" ".join(one.split()) for one in _CUT.split(plain.translate(_APOSTROPHES).casefold()))
    return all(_SENTENCE.match(one) for one in sentences if one)
