"""Settings: a flag wins over the environment, the environment over graphmem.toml, the file over the default."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from pathlib import Path

from graphmem.errors import ConfigError, InvalidGroup, InvalidTime
from graphmem.groups import DEFAULT_GROUP, check_group
from graphmem.timeline.calendar import zone_of

__all__ = ["CONFIG_NAME", "Origin", "Setting", "Settings", "default_db", "read_settings"]

CONFIG_NAME = "graphmem.toml"


class Origin(StrEnum):
    """Where the value of a setting was found."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """The value of one setting and where it comes from."""

    value: str
    origin: Origin
    place: str = ""
    """The flag, the variable or the file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings in force."""

    db: Setting
    """Path or URL of the store."""
    group: Setting
    tz: Setting
    """IANA name or offset; empty: the zone of this computer."""
    embedder: Setting
    """What makes vectors: "none", "local", a folder or a name; see `graphmem.inference.embedders.open_embedder`."""
    reranker: Setting
    """The cross-encoder of the recipe of that name: "none", or a name or folder of sentence-transformers."""
    recipe: Setting
    """How searches find and rank; see `graphmem.retrieve.recipes`."""
    minimum: Setting
    """How near a hit must be to the text; empty: as near as the recipe says."""
    vectors: Setting
    """How a file keeps new vectors: "float32" or "int8"."""
    tokenizer: Setting
    """What counts the tokens of a context: "estimate", "local", or a file or folder with a tokenizer.json."""
    model: Setting
    """What reads episodes: "rules" or a language model; see `graphmem.inference.language_models.open_model`."""
    fallback: Setting
    """What reads an episode meanwhile when the model failed: "none" or "rules"."""
    max_cost: Setting
    """Dollars that a run may spend on models; empty: no limit."""
    model_cache: Setting
    """Folder of answers given before; empty: none."""
    model_table: Setting
    """File of prices laid over those of the package; empty: none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Source:
    """The values one source gives, by the name of the setting."""

    origin: Origin
    values: Mapping[str, str]
    places: Mapping[str, str]


def read_settings(
    *,
    flags: Mapping[str, str | None] | None = None,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings in force in a folder (default: the current one). Raises ConfigError for a value that cannot be one.

    graphmem.toml is looked for in the folder, in those above it, then in the user's configuration folder; the first is read.

    >>> read_settings(environ={"GRAPHMEM_DB": "notes.db"}, folder=Path("/")).db.value
    'notes.db'
    """
    environ = os.environ if environ is None else environ
    names = tuple(Settings.__dataclass_fields__)
    variables = {name: f"GRAPHMEM_{name.upper()}" for name in names}
    defaults = dict.fromkeys(names, "") | {
        "db": str(default_db(environ)),
        "group": DEFAULT_GROUP,
        "embedder": "none",
        "reranker": "none",
        "recipe": "full",
        "vectors": "float32",
        "tokenizer": "estimate",
        "model": "rules",
        "fallback": "none",
    }
    given = {name: value for name, value in (flags or {}).items() if value is not None}
    sources = (
        _Source(origin=Origin.FLAG, values=given, places={name: f"--{name.replace('_', '-')}" for name in names}),
        _Source(
            origin=Origin.ENVIRONMENT,
            values={name: environ[variable] for name, variable in variables.items() if environ.get(variable)},
            places=variables,
        ),
        _file_source(folder or Path.cwd(), environ),
        _Source(origin=Origin.DEFAULT, values=defaults, places={}),
    )
    found = {name: _first(name, sources) for name in names}
    _check(found["group"], found["tz"])
    _check_cost(found["max_cost"])
    _check_minimum(found["minimum"])
    return Settings(**found)


def default_db(environ: Mapping[str, str]) -> Path:
    """The memory of this user where none is named: the platform's folder for data of applications."""
    return _user_folder(environ, variable="XDG_DATA_HOME", below_home=".local/share") / "memory.db"


def _user_folder(environ: Mapping[str, str], *, variable: str, below_home: str) -> Path:
    home = Path(environ.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "graphmem"
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "graphmem"
    named = environ.get(variable, "")
    return (Path(named) if Path(named).is_absolute() else home / below_home) / "graphmem"


def _first(name: str, sources: tuple[_Source, ...]) -> Setting:
    source = next(s for s in sources if name in s.values)
    return Setting(value=source.values[name], origin=source.origin, place=source.places.get(name, ""))


def _check(group: Setting, tz: Setting) -> None:
    try:
        check_group(group.value)
        if tz.value:
            zone_of(tz.value)
    except (InvalidGroup, InvalidTime) as error:
        wrong = group if isinstance(error, InvalidGroup) else tz
        raise ConfigError(f"{wrong.place or wrong.origin}: {error}") from error


def _check_cost(cost: Setting) -> None:
    try:
        is_amount = not cost.value or 0 <= float(cost.value) < float("inf")
    except ValueError:
        is_amount = False
    if not is_amount:
        raise ConfigError(f"{cost.place}: a limit on the cost is a number of dollars from 0 on, not {cost.value!r}")


def _check_minimum(minimum: Setting) -> None:
    try:
        is_number = not minimum.value or isfinite(float(minimum.value))
    except ValueError:
        is_number = False
    if not is_number:
        raise ConfigError(
            f"{minimum.place}: the least nearness of a hit is a number such as 0.4, not {minimum.value!r}"
        )


def _file_source(folder: Path, environ: Mapping[str, str]) -> _Source:
    path = next((p for p in _config_paths(folder, environ) if os.path.isfile(p)), None)  # False where it may not look
    if path is None:
        return _Source(origin=Origin.FILE, values={}, places={})
    values = _parsed(path)
    if "db" in values and "://" not in values["db"]:
        values["db"] = str(path.parent / os.path.expanduser(values["db"]))
    for name in values.keys() & {"model_cache", "model_table"}:
        values[name] = str(path.parent / os.path.expanduser(values[name]))
    return _Source(origin=Origin.FILE, values=values, places=dict.fromkeys(values, str(path)))


def _config_paths(folder: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    for level in (folder.absolute(), *folder.absolute().parents):
        yield level / CONFIG_NAME
    yield _user_folder(environ, variable="XDG_CONFIG_HOME", below_home=".config") / CONFIG_NAME


def _parsed(path: Path) -> dict[str, str]:
    from pydantic import BaseModel, ConfigDict, ValidationError  # only where there is a file to read: it takes 0.1 s

    class File(BaseModel):
        model_config = ConfigDict(extra="forbid", strict=True)
        db: str | None = None
        group: str | None = None
        tz: str | None = None
        embedder: str | None = None
        reranker: str | None = None
        recipe: str | None = None
        minimum: float | None = None
        vectors: str | None = None
        tokenizer: str | None = None
        model: str | None = None
        fallback: str | None = None
        max_cost: float | str | None = None
        model_cache: str | None = None
        model_table: str | None = None

    try:
        read = File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    return {name: str(value) for name, value in read.model_dump().items() if value is not None}
