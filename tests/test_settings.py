"""Where settings come from, and which wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.errors import ConfigError
from graphmem.settings import Origin, read_settings


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def test_a_flag_wins_over_the_environment_over_the_file_over_the_default(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    def group(**flags: str | None) -> tuple[str, Origin]:
        found = read_settings(flags=flags, environ=environ, folder=tmp_path).group
        return found.value, found.origin

    assert group() == ("default", Origin.DEFAULT)
    (tmp_path / "graphmem.toml").write_text('group = "filed"')
    assert group() == ("filed", Origin.FILE)
    environ["GRAPHMEM_GROUP"] = "env"
    assert group() == ("env", Origin.ENVIRONMENT)
    assert group(group="flagged") == ("flagged", Origin.FLAG)
    assert group(group=None) == ("env", Origin.ENVIRONMENT)


def test_the_file_is_found_upward_and_its_db_is_beside_it(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "graphmem.toml").write_text('db = "team.db"')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    found = read_settings(environ=environ, folder=below).db
    assert found.value == str(tmp_path / "team.db")
    assert found.place == str(tmp_path / "graphmem.toml")


def test_without_a_file_upward_the_user_s_is_read(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    user = tmp_path / "home" / ".config" / "graphmem"
    user.mkdir(parents=True)
    (user / "graphmem.toml").write_text('tz = "Asia/Tokyo"')
    assert read_settings(environ=environ, folder=tmp_path).tz.value == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "home/.local/share/graphmem/memory.db"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data/graphmem/memory.db"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "home/.local/share/graphmem/memory.db"),
        ("darwin", {}, "home/Library/Application Support/graphmem/memory.db"),
        ("win32", {}, "home/AppData/Local/graphmem/memory.db"),
    ],
)
def test_the_default_memory_lies_where_the_platform_keeps_data(
    platform: str,
    variables: dict[str, str],
    expected: str,
    tmp_path: Path,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    found = read_settings(environ={**environ, **variables}, folder=tmp_path).db
    assert Path(found.value) == tmp_path / expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("db = 3", "db"),
        ('colour = "red"', "colour"),
        ("db = ", "cannot be read"),
        ('group = "a/b"', "group id"),
        ('tz = "Mars/Olympus"', "Mars/Olympus"),
        ("minimum = nan", "least nearness"),
        ('minimum = "much"', "minimum"),
    ],
)
def test_a_wrong_file_is_named_in_the_error(text: str, words: str, tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "graphmem.toml").write_text(text)
    with pytest.raises(ConfigError, match=words) as raised:
        read_settings(environ=environ, folder=tmp_path)
    assert "graphmem.toml" in str(raised.value)


def test_the_model_its_limit_and_its_files_are_settings(tmp_path: Path, environ: dict[str, str]) -> None:
    found = read_settings(environ=environ, folder=tmp_path)
    assert (found.model.value, found.max_cost.value, found.model_cache.value) == ("rules", "", "")
    (tmp_path / "graphmem.toml").write_text('model = "anthropic:m"\nmax_cost = 2.5\nmodel_cache = "answers"\n')
    found = read_settings(environ=environ, folder=tmp_path)
    assert (found.model.value, found.max_cost.value) == ("anthropic:m", "2.5")
    assert found.model_cache.value == str(tmp_path / "answers")
    flagged = read_settings(flags={"model": "rules", "max_cost": "3"}, environ=environ, folder=tmp_path)
    assert (flagged.model.value, flagged.max_cost.place) == ("rules", "--max-cost")


@pytest.mark.parametrize("cost", ["free", "-1", "nan", "inf"])
def test_a_limit_on_the_cost_that_is_no_amount_is_refused(tmp_path: Path, environ: dict[str, str], cost: str) -> None:
    with pytest.raises(ConfigError, match="GRAPHMEM_MAX_COST"):
        read_settings(environ={**environ, "GRAPHMEM_MAX_COST": cost}, folder=tmp_path)


def test_how_searches_work_is_set_by_variables_and_the_file(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "graphmem.toml").write_text('recipe = "rrf"\nminimum = 0.4\nvectors = "int8"\nreranker = "some/model"')
    environ["GRAPHMEM_VECTORS"] = "float32"
    environ["GRAPHMEM_TOKENIZER"] = "local"
    found = read_settings(flags={"reranker": "none"}, environ=environ, folder=tmp_path)
    values = [found.recipe, found.minimum, found.vectors, found.reranker, found.tokenizer]
    assert [one.value for one in values] == ["rrf", "0.4", "float32", "none", "local"]
    file, variable = Origin.FILE, Origin.ENVIRONMENT
    assert [one.origin for one in values] == [file, file, variable, Origin.FLAG, variable]


def test_a_folder_that_may_not_be_looked_into_holds_no_settings(tmp_path: Path) -> None:
    home = tmp_path / ("x" * 300)  # a name that the system refuses, as it refuses a folder without permission
    assert read_settings(environ={"HOME": str(home)}, folder=tmp_path).group.origin is Origin.DEFAULT
