"""What a run asks of models, and what it costs: by stage and altogether, within a limit."""

from __future__ import annotations

from dataclasses import dataclass, field

from graphmem.errors import InvalidInput, SpendLimitReached
from graphmem.ports import ModelUsage

__all__ = ["Meter", "StageUse"]


@dataclass(frozen=True, kw_only=True, slots=True)
class StageUse:
    """What one stage, or a whole run, asked of models."""

    calls: int = 0
    """Answers that a provider gave."""
    cached: int = 0
    """Answers that had been given before and cost nothing."""
    failed: int = 0
    usage: ModelUsage = field(default_factory=ModelUsage)
    cost_usd: float = 0.0
    seconds: float = 0.0
    """Waiting, summed over calls that may have run side by side."""

    def __add__(self, other: StageUse) -> StageUse:
        one, two = self.usage, other.usage
        return StageUse(
            calls=self.calls + other.calls,
            cached=self.cached + other.cached,
            failed=self.failed + other.failed,
            usage=ModelUsage(
                input_tokens=one.input_tokens + two.input_tokens,
                cache_read_tokens=one.cache_read_tokens + two.cache_read_tokens,
                cache_write_tokens=one.cache_write_tokens + two.cache_write_tokens,
                output_tokens=one.output_tokens + two.output_tokens,
                thinking_tokens=one.thinking_tokens + two.thinking_tokens,
            ),
            cost_usd=self.cost_usd + other.cost_usd,
            seconds=self.seconds + other.seconds,
        )


@dataclass(kw_only=True)
class Meter:
    """Counts over a run, of one model or several. With `max_cost_usd` no call is made that could cost more than is left.

    >>> meter = Meter(max_cost_usd=0.01)
    >>> meter.add("extract", StageUse(calls=1, cost_usd=0.004))
    >>> meter.add("resolve", StageUse(calls=1, cost_usd=0.001))
    >>> meter.total.calls, round(meter.total.cost_usd, 4), list(meter.stages)
    (2, 0.005, ['extract', 'resolve'])
    """

    max_cost_usd: float | None = None
    stages: dict[str, StageUse] = field(default_factory=dict)
    _held_usd: float = 0.0

    def __post_init__(self) -> None:
        if self.max_cost_usd is not None and not self.max_cost_usd >= 0:
            raise InvalidInput(f"a limit on the cost is a number of dollars from 0 on, not {self.max_cost_usd!r}")

    @property
    def total(self) -> StageUse:
        """All stages together."""
        return sum(self.stages.values(), StageUse())

    def add(self, stage: str, use: StageUse) -> None:
        """Count something more of a stage."""
        self.stages[stage] = self.stages.get(stage, StageUse()) + use

    def hold(self, most_usd: float) -> None:
        """Set money aside for a call before it is made. Raises SpendLimitReached where it could cost more than is left."""
        spent = self.total.cost_usd
        if self.max_cost_usd is not None and spent + self._held_usd + most_usd > self.max_cost_usd:
            raise SpendLimitReached(
                f"the next call to the model could cost ${most_usd:.4f} and pass the limit of ${self.max_cost_usd:.2f}:"
                f" ${spent:.4f} is spent and ${self._held_usd:.4f} set aside for calls under way. Raise the limit to go on;"
                " the jobs stay queued"
            )
        self._held_usd += most_usd

    def release(self, most_usd: float) -> None:
        """The call is over, and what it did cost is counted."""
        self._held_usd = max(0.0, self._held_usd - most_usd)
