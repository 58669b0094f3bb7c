"""How people say follow-ups: the words that `follow_up` goes by."""

from __future__ import annotations

import re

__all__ = [
    "ANSWERING",
    "ASKED_AFTER",
    "ASKS",
    "AT_NAME",
    "AT_THAT_TIME",
    "BARE",
    "BESIDE",
    "CONSENT",
    "FIRST_PERSON",
    "FRAGMENT",
    "LEAD",
    "NAME",
    "NOW",
    "NO_NAMES",
    "OFFER",
    "OFFERED",
    "OF_EVENT",
    "ONWARD",
    "OWNED",
    "OWN_S",
    "POSSESSIVE",
    "PRONOUN",
    "ROLE",
    "STEP",
    "STEP_WORDS",
    "THERE",
    "TOWARDS",
    "TO_THE_ASKER",
]

ROLE = re.compile(r"(user|human|assistant|ai|bot)\s*:\s*", re.IGNORECASE)
ANSWERING = frozenset(["assistant", "ai", "bot"])
ASKS = re.compile(
    r"(?:who|whom|whose|what|which|where|when|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|tell me|list)\b",
    re.IGNORECASE,
)
LEAD = re.compile(r"(?:(?:and|but|so|ok|okay|well|hm+|also|then|right|alright)\b[,\s]*)+(?=\S)", re.IGNORECASE)
_ABOUT = r"(?:what|how) about|(?:the )?same (?:for|with)"
OFFER = re.compile(rf"(?:{_ABOUT})\s+|(?:(?:and|or|but)\s+)+(?:(?:{_ABOUT})\s+)?", re.IGNORECASE)
STEP = re.compile(
    r"(?P<head>.*?)\b(?:(?P<back>before(?:hand)?|prior(?: to)?|earlier|previously)|after(?:wards?)?|next|later)"
    r"(?: (?:that|this|it|then|her|him|them))?",
    re.IGNORECASE,
)
"""The head may say again what is asked: "where did she work before that"."""
STEP_WORDS = frozenset(["just", "right", "direct", "came", "job", "place"])
"""Terms that may stand in the head whatever was asked."""
ONWARD = re.compile(r"since then|then what|what then|then", re.IGNORECASE)
TOWARDS = re.compile(r"(?:before|after|prior to)\s+\S.*", re.IGNORECASE)
AT_THAT_TIME = re.compile(
    r"(?P<head>.+?)\s+(?:(?:just |right )?(?P<shift>before|after) (?:that|then)|(?<!since )(?<!until )(?<!by )(?:back )?then"
    r"|(?:at|around|during) (?:that|the) time|at that point|in those days)",
    re.IGNORECASE,
)
THERE = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere(?=\W*$)", re.IGNORECASE)
_UNIT = r"day|week|month|year"
BESIDE = re.compile(
    rf"(?:the )?(?P<unit>{_UNIT}) (?:(?P<back>before)|after)(?: that)?"
    rf"|the (?:(?P<previous>previous)|next|following) (?P<other>{_UNIT})",
    re.IGNORECASE,
)
"""One unit on from the time of the question before: "and the year before?"."""
NOW = re.compile(r"(?:right )?now|today|nowadays|these days|at present|currently|at the moment", re.IGNORECASE)
BARE = re.compile(
    r"(?:(?:(?:since|until|till|from) )?when(?: exactly| was (?:that|this|it))?|for how long|how long|where|who|why"
    r"|how(?: so| often)?)",
    re.IGNORECASE,
)
CONSENT = re.compile(
    r"(?:(?:yes|yeah|yep|yup|sure|please|ok|okay|no|nope|do(?: so)?|go|ahead|that|this|it|thanks|thank you|exactly|right|tell me"
    r"|more|go on|go for it|of course|fine|great|good|perfect|absolutely|definitely|let['’]?s|why not"
    r"|sounds (?:good|great|fine)"
    r"|look|find|check|up|out|show me)\b[\s,.!]*)+",
    re.IGNORECASE,
)
OFFERED = re.compile(
    r"(?:^|(?<=[.!?,;]\s))(?:(?:is there |do you (?:need|want) )?anything else\b[^.!?]*"
    r"|(?:(?:shall|should) I|(?:do you|would you) (?:want|like)(?: me)? to|want me to|(?:can|could|may) I(?= \w+ you\b))"
    r" (?:also )?(?:look|check|find|search|tell|show|list|give|know|hear|see|help)"
    r"(?: (?:that|it|you|up|out|for|into|with|about))*\b(?P<what>[^?]*))\?$",
    re.IGNORECASE,
)
TO_THE_ASKER = re.compile(
    r"(?<=[.!?]\s)(?!(?:do|can|could|would|will) you (?:know|remember|tell|remind|show|look|find|check|list|say)\b.{3})"
    r"(?:[^.!?]*\byour?\b[^.!?]*|(?:is|was) that (?:right|correct|what)\b[^.!?]*)\?$",
    re.IGNORECASE,
)
"""What an answer may end with: "Is that right?", "How can I help you?"."""
PRONOUN = re.compile(r"\b(he|she|they|him|them|his|her|hers|their|theirs)\b", re.IGNORECASE)
POSSESSIVE = frozenset(["his", "their", "hers", "theirs"])
FIRST_PERSON = re.compile(r"\b(?:I|me|my|we|us|our)\b")
NAME = re.compile(r"\b[^\W\d_a-zß-ÿ][\w'’-]*(?:\s+[^\W\d_a-zß-ÿ][\w'’-]*)*")
AT_NAME = re.compile(rf"\b(?:[Aa]t|[Ii]n|[Oo]n)\s+{NAME.pattern}")
OWN_S = re.compile(r"['’]s$")
NO_NAMES = frozenset(
    "i who whom whose what which where when why how is are was were do does did has have had can could will would should tell"
    " list since until for in on at by from the a an and or but so yes no ok okay please if as of my our your he she it they we"
    " you his her their this that these those there monday tuesday wednesday thursday friday saturday sunday january february"
    " march april may june july august september october november december give show name hello hi hey thanks great nice"
    " sure".split()
)
OWNED = re.compile(r"(?:[Tt]he(?= [a-z])|(?P<owner>\S.*?['’]s|[Mm]y|[Oo]ur)) (?P<thing>.+)")
ASKED_AFTER = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\s+([^\W\d_][\w'’-]*)", re.IGNORECASE
)
OF_EVENT = re.compile(r"(?:\w+\s+)?did\b", re.IGNORECASE)
FRAGMENT = re.compile(r"(?:at|in|on|with|from|since|for|to|by|until)\b.*|\S+(?:\s+\S+)?", re.IGNORECASE)
"""An answer without its verb: "At Globex.", "Globex"."""
