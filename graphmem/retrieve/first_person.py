"""Who "I" is in a question: the first person put into the third, for an asker whose name is known."""

from __future__ import annotations

import re

from graphmem.retrieve.question_phrases import IN_TRUTH, KNOWING

__all__ = ["in_third_person"]

_FIRST_PERSON = re.compile(
    r"\b(?P<told>(?:tell|remind|give|show|let|for)\s+me)\b"
    r"|\b(?P<am>am\s+I|I\s+am|I['’]m)\b|\b(?P<have>I['’]ve)\b|\b(?P<had>I['’]d)\b|\b(?P<will>I['’]ll)\b"
    r"|\b(?P<owned>my|mine)\b|\b(?P<one>I|me|myself)\b",
    re.IGNORECASE,
)
_VERBS = {"have": "has", "had": "had", "will": "will"}


def in_third_person(question: str, asker: str) -> str:
    """The question with "I" and "my" as the asker's name; "did I think" and "tell me" stay, for they ask of no fact.

    >>> in_third_person("Tell me, where did I live before my sister moved out?", "Ann")
    "Tell me, where did Ann live before Ann's sister moved out?"
    """
    kept = [found.span() for pattern in (KNOWING, IN_TRUTH) for found in pattern.finditer(question)]

    def renamed(found: re.Match[str]) -> str:
        if found["told"] or any(start <= found.start() < end for start, end in kept):
            return found.group()
        if found["am"]:
            return f"is {asker}" if found.group().casefold().startswith("am") else f"{asker} is"
        if found["owned"]:
            return f"{asker}'s"
        verb = next((_VERBS[name] for name in _VERBS if found[name]), None)
        return asker if verb is None else f"{asker} {verb}"

    return _FIRST_PERSON.sub(renamed, question)
