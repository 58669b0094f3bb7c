"""What a reader and a judge are asked: prompts by kind of question, after LongMemEval's own rules in words of our own."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path

from benchmarks.longmemeval.loading import Case
from graphmem.ports import ModelRequest

__all__ = ["JUDGE", "READER", "judge_request", "prompt_hash", "reader_request", "verdict_of"]

READER, JUDGE = "reader", "judge"
"""Who is asked; the stages of the meter."""
_PROMPTS = Path(__file__).parent / "prompts"
_MOST_TOKENS = 1_000
_RULES = {
    "temporal-reasoning": "judge_days",
    "knowledge-update": "judge_update",
    "single-session-preference": "judge_preference",
}
_ANSWER, _ABSTENTION = "judge_answer", "judge_abstention"
_REFERENCES = {"judge_preference": "suits_the_user", _ABSTENTION: "why_it_cannot_be_answered"}
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def reader_request(case: Case, block: str) -> ModelRequest:
    """The question on its day, after what the memory holds for it."""
    day = case.asked_at
    asked_on = f"{_DAYS[day.weekday()]}, {day:%Y-%m-%d, %H:%M}"
    prompt = f"{block}\n\nThe question is asked on {asked_on}.\nQuestion: {case.text}"
    return ModelRequest(system=_prompt("reader"), prompt=prompt, max_output_tokens=_MOST_TOKENS, stage=READER)


def judge_request(case: Case, response: str, *, attempt: int = 1) -> ModelRequest:
    """Is the response right, by the rules for this kind of question; the judge is to say yes or no."""
    rules = _rules_of(case)
    reference = _REFERENCES.get(rules, "right_answer")
    parts = (("question", case.text), (reference, case.answer), ("response", response))
    prompt = "\n".join(f"<{name}>\n{escape(text, quote=False)}\n</{name}>" for name, text in parts)
    return ModelRequest(
        system=_prompt(rules), prompt=prompt, max_output_tokens=_MOST_TOKENS, stage=JUDGE, attempt=attempt
    )


def verdict_of(text: str) -> bool | None:
    """What the judge said; None when it is neither yes nor no.

    >>> verdict_of("Yes."), verdict_of("no"), verdict_of("It depends.")
    (True, False, None)
    """
    words = text.split()
    return {"yes": True, "no": False}.get(words[0].strip("*.,:!\"'").lower()) if words else None


def prompt_hash() -> str:
    """The first digits of a hash over all prompts: figures of one hash can be compared."""
    texts = (path.read_bytes() for path in sorted(_PROMPTS.glob("*.md")))
    return sha256(b"\0".join(texts)).hexdigest()[:12]


def _rules_of(case: Case) -> str:
    return _ABSTENTION if case.is_abstention else _RULES.get(case.kind, _ANSWER)


@cache
def _prompt(name: str) -> str:
    return (_PROMPTS / f"{name}.md").read_text(encoding="utf-8")
