"""What the verb group says beside its verb: when, and whether at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, takewhile

from graphmem.ingest.rules.plain import is_participle
from graphmem.ingest.rules.words import Form, form_of
from graphmem.timeline.phrases import Tense

__all__ = ["Aspect", "Denial", "View", "aspect_of"]


class View(StrEnum):
    """How the speaker looks at what the verb names."""

    PRESENT = "present"
    PAST = "past"
    PERFECT = "perfect"
    FUTURE = "future"
    USED_TO = "used to"


class Denial(StrEnum):
    """How it is denied, if it is."""

    NONE = "none"
    NOT = "not"
    NEVER = "never"
    NO_LONGER = "no longer"


@dataclass(frozen=True, kw_only=True, slots=True)
class Aspect:
    """The view, the denial and the small words "always" and "still" of a verb group."""

    view: View = View.PRESENT
    denial: Denial = Denial.NONE
    always: bool = False
    still: bool = False
    is_finite: bool = True
    """False for a bare base form or a bare -ing: no clause of its own."""
    form: str = Form.THIRD
    is_state: bool = False
    """The verb is "be" or "have": in the present it tells what is, not what will happen."""
    is_sound: bool = True
    """False where no verb can stand: "it is like home"."""

    @property
    def tense(self) -> Tense | None:
        """Which way open time words look beside this verb; None: as they themselves suggest."""
        if self.view in (View.PAST, View.PERFECT, View.USED_TO):
            return Tense.PAST
        return Tense.FUTURE if self.view is View.FUTURE else None


_SMALL = frozenset("not never no longer still now always".split())
_BE = frozenset("am is are was were been being".split())
_ENDS = (("any", "more"), ("any", "longer"))


def aspect_of(auxiliaries: Sequence[str], lemma: str, verb: str, following: Sequence[str]) -> Aspect:
    """The aspect of a verb with its auxiliaries; `following` are the words after it ("… any more"); all in lower case."""
    small = list(auxiliaries)
    if lemma == "be":
        small += list(takewhile(_SMALL.__contains__, following))
    form = form_of(lemma, verb)
    return Aspect(
        view=_view(small, form, lemma),
        denial=_denial(small, following),
        always="always" in small,
        still="still" in small,
        is_finite=form not in (Form.BASE, Form.PROGRESSIVE) or bool(small),
        form=form,
        is_state=lemma in ("be", "have"),
        is_sound=_is_sound(lemma, form, small, following),
    )


def _is_sound(lemma: str, form: str, small: Sequence[str], following: Sequence[str]) -> bool:
    """Whether a verb can stand there: not "it is like home", nor "have" before a participle, where it is no verb of its own."""
    if lemma == "have" and following and is_participle(following[0]):
        return False
    return lemma == "be" or form not in (Form.BASE, Form.THIRD) or "to" in small or not _BE.intersection(small)


def _view(small: list[str], form: str, lemma: str) -> View:
    if "used" in small and "to" in small:
        return View.USED_TO
    if lemma == "be":
        small = [w for w in small if w not in _SMALL]
    if "will" in small or "shall" in small or ("to" in small and ("going" in small or "about" in small)):
        return View.FUTURE
    if {"has", "have", "having"} & set(small) or (form in (Form.PARTICIPLE, Form.EITHER) and not small):
        return View.PERFECT
    if {"had", "was", "were", "did"} & set(small):
        return View.PAST
    if {"am", "is", "are", "do", "does"} & set(small):
        return View.PRESENT
    return View.PAST if form == Form.PAST else View.PRESENT


def _denial(small: Sequence[str], after: Sequence[str]) -> Denial:
    if "longer" in small:
        return Denial.NO_LONGER
    ends = "anymore" in after or any(pair in _ENDS for pair in pairwise(after))
    if "never" in small:
        return Denial.NEVER
    if "not" in small or (len(after) > 0 and after[0] == "no"):
        return Denial.NO_LONGER if ends else Denial.NOT
    return Denial.NONE
