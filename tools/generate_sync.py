"""Writes graphmem/sync.py from the public methods of graphmem/memory.py: `python -m tools.generate_sync` (or `make sync`)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["generated"]

PACKAGE = Path(__file__).resolve().parent.parent / "graphmem"
SOURCE, TARGET = PACKAGE / "memory.py", PACKAGE / "sync.py"

HEAD = '''"""SyncMemory: the façade for programs without an event loop. Generated from memory.py by `make sync`; do not edit."""

from __future__ import annotations

{imports}

__all__ = ["SyncMemory"]


class SyncMemory:
    """Memory for programs without an event loop; its calls block. Works inside a running loop's thread too.

    >>> import tempfile
    >>> from datetime import datetime, UTC
    >>> with tempfile.TemporaryDirectory() as folder, SyncMemory.open(f"{{folder}}/alice.db") as memory:
    ...     receipt = memory.add_episode("I work at Acme.", speaker="Alice", said_at=datetime(2025, 2, 10, tzinfo=UTC))
    ...     [fact.text for fact in memory.facts(subject="Alice")]
    ['Alice works at Acme']
    """

    def __init__(self, memory: Memory, loop: LoopThread) -> None:
        self._memory = memory
        self._loop = loop

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

'''

OPEN = """
loop = LoopThread()
try:
    memory = loop.run(Memory.open({arguments}))
except BaseException:
    loop.stop()
    raise
return cls(memory, loop)
"""

CLOSE = """
if self._loop.is_stopped:
    return
try:
    self._loop.run(self._memory.close())
finally:
    self._loop.stop()
"""


def generated(source: str) -> str:
    """The text of sync.py for the text of memory.py, not formatted."""
    module = ast.parse(source)
    memory = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Memory")
    methods = [_method(node) for node in memory.body if isinstance(node, ast.AsyncFunctionDef) and node.name[0] != "_"]
    used = {node.id for method in methods for node in ast.walk(method) if isinstance(node, ast.Name)}
    wanted = (used | {"Self", "TracebackType"}) - {"cls", "self"}
    own = sorted((wanted & _defined(module)) | {"Memory"})
    imports = [
        "from graphmem.loop_thread import LoopThread",
        f"from graphmem.memory import {', '.join(own)}",
        *sorted(_imports(module, wanted), key=lambda line: "TYPE_CHECKING:" in line),
    ]
    written = ast.parse(HEAD.format(imports="\n".join(imports)))
    next(node for node in written.body if isinstance(node, ast.ClassDef)).body += methods
    return ast.unparse(written) + "\n"


def _method(node: ast.AsyncFunctionDef) -> ast.FunctionDef:
    """The blocking twin of a method: the same signature and docstring, its body a call."""
    arguments = _NoAsyncIterable().visit(node.args)
    docstring = [statement for statement in node.body[:1] if isinstance(statement, ast.Expr)]
    call = ", ".join(_passed(node.args))
    template = {"open": OPEN.format(arguments=call), "close": CLOSE}.get(
        node.name, f"return self._loop.run(self._memory.{node.name}({call}))"
    )
    method = ast.FunctionDef(
        name=node.name,
        args=arguments,
        body=[*docstring, *ast.parse(template).body],
        decorator_list=node.decorator_list,
        returns=node.returns,
    )
    return ast.fix_missing_locations(method)


def _passed(arguments: ast.arguments) -> Iterator[str]:
    yield from (argument.arg for argument in arguments.args[1:])
    yield from (f"{argument.arg}={argument.arg}" for argument in arguments.kwonlyargs)


class _NoAsyncIterable(ast.NodeTransformer):
    """Takes `| AsyncIterable[…]` out of annotations: a blocking caller has none."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        right = node.right
        if isinstance(right, ast.Subscript) and isinstance(right.value, ast.Name) and right.value.id == "AsyncIterable":
            return node.left
        return node


def _imports(module: ast.Module, wanted: set[str]) -> Iterator[str]:
    """The import statements of the module, cut down to the wanted names; those for type checkers only stay so."""
    for node in module.body:
        if isinstance(node, ast.If):
            lines = list(_imports(ast.Module(body=node.body, type_ignores=[]), wanted))
            if lines:
                yield "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n" + "\n".join(
                    f"    {line}" for line in lines
                )
        elif isinstance(node, ast.Import):
            names = [name for name in node.names if (name.asname or name.name) in wanted]
            yield from (f"import {name.name}" for name in names)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            kept = [name.name for name in node.names if name.name in wanted]
            if kept:
                yield f"from {node.module} import {', '.join(kept)}"


def _defined(module: ast.Module) -> set[str]:
    """The names a module defines itself."""
    found: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return found


def main() -> None:
    TARGET.write_text(generated(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--select", "I", "--fix", str(TARGET)], check=True)
    subprocess.run([*ruff, "format", "--quiet", str(TARGET)], check=True)


if __name__ == "__main__":
    main()
