"""What Anthropic's API refuses in the JSON schema of an answer, so that a fake refuses it too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["faults_of_schema"]

MAX_OPTIONAL = 24
MAX_UNIONS = 16
_REFUSED = frozenset(
    (
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
        "maxItems", "uniqueItems", "oneOf", "patternProperties", "minProperties", "maxProperties", "not", "if",
    )
)  # fmt: skip


def faults_of_schema(schema: Mapping[str, object]) -> list[str]:
    """Why the API would refuse the schema, one sentence each; empty when it takes it.

    >>> faults_of_schema({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]})
    ['n: minimum is not supported', 'additionalProperties must be false']
    """
    found = list(_faults(schema, "", schema, ()))
    optional, unions = _counted(schema)
    if optional > MAX_OPTIONAL:
        found.append(f"schema is too complex: {optional} optional parameters, at most {MAX_OPTIONAL}")
    if unions > MAX_UNIONS:
        found.append(f"schema is too complex: {unions} parameters of several types, at most {MAX_UNIONS}")
    return found


def _faults(
    node: Mapping[str, object], place: str, root: Mapping[str, object], within: tuple[str, ...]
) -> Iterator[str]:
    prefix = f"{place}: " if place else ""
    reference = node.get("$ref")
    if isinstance(reference, str):
        if reference in within:
            yield f"{prefix}recursion is not supported"
            return
        target = _mapping(_mapping(root.get("$defs")).get(reference.rpartition("/")[2]))
        yield from _faults(target, place, root, (*within, reference))
        return
    yield from (f"{prefix}{word} is not supported" for word in sorted(_REFUSED & set(node)))
    for name, child in _children(node):
        yield from _faults(child, f"{place}.{name}".strip("."), root, within)
    if _is_object(node) and node.get("additionalProperties") is not False:
        yield f"{prefix}additionalProperties must be false"
    if isinstance(node.get("minItems"), int) and node["minItems"] not in (0, 1):
        yield f"{prefix}minItems is 0 or 1"


def _children(node: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, child in _mapping(node.get("properties")).items():
        yield name, _mapping(child)
    if isinstance(node.get("items"), Mapping):
        yield "[]", _mapping(node["items"])
    for word in ("anyOf", "allOf"):
        choices = node.get(word)
        for number, choice in enumerate(choices if isinstance(choices, list) else []):
            yield f"{word}{number}", _mapping(choice)


def _counted(schema: Mapping[str, object]) -> tuple[int, int]:
    """Optional parameters and parameters of several types, over the whole schema."""
    optional = unions = 0
    waiting = [schema, *(_mapping(one) for one in _mapping(schema.get("$defs")).values())]
    while waiting:
        node = waiting.pop()
        required = node.get("required")
        names = set(_mapping(node.get("properties")))
        optional += len(names - set(required if isinstance(required, list) else ()))
        unions += "anyOf" in node or isinstance(node.get("type"), list)
        waiting += [child for _, child in _children(node)]
    return optional, unions


def _is_object(node: Mapping[str, object]) -> bool:
    return node.get("type") == "object" or "properties" in node


def _mapping(found: object) -> Mapping[str, object]:
    return found if isinstance(found, Mapping) else {}
