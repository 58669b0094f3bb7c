"""The command `jobs`: the durable work owed for episodes, listed, shown, run, tried again and given up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from graphmem.cli.exits import ANSWERED
from graphmem.cli.options import Limit
from graphmem.cli.output import Report
from graphmem.cli.session import session_of
from graphmem.errors import InvalidQuery, NotFound

if TYPE_CHECKING:
    from graphmem.memory import Memory
    from graphmem.model import Episode, Job

__all__ = ["app"]

app = typer.Typer(help="Look after queued work: list, show, run, retry, drop.", invoke_without_command=True)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="Its id, which is the episode's.")]

COLUMNS = {
    "job_id": "job",
    "group_id": "group",
    "state": "state",
    "attempts": "attempts",
    "accepted": "accepted",
    "reason": "reason",
}


@app.callback()
def default(ctx: typer.Context) -> int | None:
    """Look after queued work. By default: list what is not done."""
    return _list(ctx, None, 1_000) if ctx.invoked_subcommand is None else None


@app.command("list")
def list_jobs(
    ctx: typer.Context,
    states: Annotated[
        list[str] | None,
        typer.Option("--state", help="queued, running, retrying, done, quarantined, dropped; repeatable."),
    ] = None,
    limit: Limit = 1_000,
) -> int:
    """List jobs; without --state those that are not done."""
    return _list(ctx, states, limit)


@app.command("show")
def show_job(ctx: typer.Context, job_id: JobId) -> int:
    """Show one job with its episode."""
    from graphmem.cli.rows import episode_row, job_row

    session = session_of(ctx)

    async def act(memory: Memory) -> tuple[Sequence[Job], Sequence[Episode]]:
        found = await memory.jobs(group_ids=session.group_id, job_ids=[job_id])
        return found, await memory.episodes([job_id], group_id=session.group_id)

    jobs, episodes = session.run(act)
    if not jobs:
        raise NotFound(f"no job {job_id!r} in group {session.group_id!r}")
    rows = [
        {**job_row(job, session.zone), **(episode_row(episodes[0], session.zone) if episodes else {})} for job in jobs
    ]
    session.print(Report(kind="job", columns={**COLUMNS, "text": "text"}, rows=rows))
    return ANSWERED


@app.command("run")
def run_jobs(ctx: typer.Context) -> int:
    """Work off what is queued, whoever queued it."""
    session = session_of(ctx)
    named = session.groups

    async def act(memory: Memory) -> int:
        if not named:
            return await memory.run_jobs()
        return sum([await memory.run_jobs(group_id=group_id) for group_id in named])

    ended = session.run(act, embeds=True, reads=True)
    session.print(
        Report(kind="jobs_run", text=f"{ended} job{'' if ended == 1 else 's'} came to an end.", fields={"ended": ended})
    )
    return ANSWERED


@app.command("retry")
def retry_job(ctx: typer.Context, job_id: JobId) -> int:
    """Queue a job again that was set aside, and run it."""
    session = session_of(ctx)

    async def act(memory: Memory) -> Sequence[Job]:
        await memory.retry_job(job_id, group_id=session.group_id)
        await memory.run_jobs(group_id=session.group_id)
        return await memory.jobs(group_ids=session.group_id, job_ids=[job_id])

    (job,) = session.run(act, embeds=True, reads=True)
    text = f"Job {job_id} is {job.state}{': ' + job.reason if job.reason else ''}."
    session.print(Report(kind="job_state", text=text, fields={"job_id": job_id, "state": job.state.value}))
    return ANSWERED


@app.command("drop")
def drop_job(ctx: typer.Context, job_id: JobId) -> int:
    """Give a job up; its episode stays as raw text."""
    session = session_of(ctx)

    async def act(memory: Memory) -> None:
        await memory.drop_job(job_id, group_id=session.group_id)

    session.run(act)
    session.print(
        Report(kind="job_state", text=f"Job {job_id} is dropped.", fields={"job_id": job_id, "state": "dropped"})
    )
    return ANSWERED


def _list(ctx: typer.Context, states: Sequence[str] | None, limit: int) -> int:
    from graphmem.cli.rows import job_row
    from graphmem.model import JobState

    session = session_of(ctx)
    unknown = sorted(set(states or ()) - set(JobState))
    if unknown:
        raise InvalidQuery(f"--state {unknown[0]!r} is none of {', '.join(JobState)}")
    open_states = [state for state in JobState if state not in (JobState.DONE, JobState.DROPPED)]
    chosen = [JobState(state) for state in states] if states else open_states

    async def act(memory: Memory) -> Sequence[Job]:
        return await memory.jobs(group_ids=session.groups or None, states=chosen, limit=limit)

    rows = [job_row(job, session.zone) for job in session.run(act)]
    session.print(Report(kind="jobs", columns=COLUMNS, rows=rows, text="" if rows else "No jobs to show."))
    return ANSWERED
