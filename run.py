#!/usr/bin/env python3
"""Sets graphmem up in an environment of its own, once, and runs it: `python3 run.py demo` or `python3 run.py test`.

Needs Python 3.11 or newer and nothing else. The environment is .venv beside this file, or GRAPHMEM_VENV; it is made again when
pyproject.toml changes.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("GRAPHMEM_VENV") or ROOT / ".venv").absolute()
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 11)
READY = ".graphmem-ready-"
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")

USAGE = """usage: python3 run.py demo    a short story and its point-in-time questions
       python3 run.py test    the tests; what follows is handed to pytest
       python3 run.py setup   only the environment, ready for the tests; extras may follow: test,local"""


def main(arguments: "list[str]") -> int:
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command not in ("demo", "test", "setup"):
        print(USAGE, file=sys.stderr)
        return 0 if command in ("-h", "--help") else 2
    if sys.version_info < OLDEST:
        return run_on_newer_python(arguments)
    extras = rest[0] if command == "setup" and rest else "" if command == "demo" else "test"
    set_up({name for name in extras.split(",") if name})
    if command == "setup":
        return 0
    module = ["graphmem", "demo"] if command == "demo" else ["pytest"]
    return subprocess.call([str(PYTHON), "-m", *module, *rest], cwd=ROOT, env=with_bytecode())


def with_bytecode() -> "dict[str, str]":
    """The environment, with compiled modules kept beside the packages and not in the checkout: the second start is fast."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(VENV / "bytecode")}


def run_on_newer_python(arguments: "list[str]") -> int:
    newer = next((path for path in map(shutil.which, NEWER) if path), None)
    if newer is None:
        print(f"graphmem needs Python 3.11 or newer, this is {sys.version.split()[0]}", file=sys.stderr)
        return 3
    return subprocess.call([newer, __file__, *arguments])


def set_up(extras: "set[str]") -> None:
    """Install the checkout with these extras into the environment, unless the very same was installed before."""
    fitting = fingerprint()
    marks = VENV.glob(f"{READY}*")
    done = (set(mark.name.removeprefix(READY).split(",")) for mark in marks if mark.read_text() == fitting)
    if PYTHON.exists() and any(extras <= installed for installed in done):
        return
    print(f"graphmem: installing into {VENV} (once) ...", file=sys.stderr, flush=True)
    make_environment()
    names = ",".join(sorted(extras))
    pip("install", "--quiet", "--no-compile", "--editable", f"{ROOT}[{names}]" if names else str(ROOT))
    (VENV / f"{READY}{names}").write_text(fitting)


def fingerprint() -> str:
    project = (ROOT / "pyproject.toml").read_bytes()
    return hashlib.sha256(project + f"\0{ROOT}\0{sys.version}".encode()).hexdigest()


def make_environment() -> None:
    if PYTHON.exists() and subprocess.call([str(PYTHON), "-c", ""]) == 0:
        return
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True)
    if made.returncode != 0:  # Debian's Python without python3-venv: an environment that this Python's own pip fills
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)], check=True)


def pip(*arguments: str) -> None:
    inside = subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True).returncode == 0
    command = [str(PYTHON), "-m", "pip"] if inside else [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    finished = subprocess.run([*command, "--disable-pip-version-check", *arguments], cwd=ROOT)
    if finished.returncode != 0:
        raise SystemExit("graphmem: installing failed, see above; the package index must be reachable the first time")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
