"""The reference of the API as Markdown: a page for each tag of the OpenAPI document, and one for all error codes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

REFERENCE = "Reference"
ERRORS_PAGE = "reference/errors.md"
OVERVIEW_PAGE = "reference/index.md"
METHODS = ("get", "post", "put", "patch", "delete")
# Examples in other languages and of special cases stay in the OpenAPI document, which `/v1/docs` shows whole.
MOST_EXAMPLES = 2
# Longer lists of allowed values would hide the description beside them.
MOST_VALUES = 12
BOUNDS = (("minimum", "At least"), ("maximum", "At most"))

Document = Mapping[str, Any]


def make_reference_nav(document: Document) -> list[Any]:
    """Return the navigation of the reference: the groups of tags, as MkDocs wants them."""
    groups = [{group["name"]: [{tag: _find_page(tag)} for tag in group["tags"]]} for group in document["x-tagGroups"]]
    return [OVERVIEW_PAGE, *groups, {"Error codes": ERRORS_PAGE}]


def make_reference_pages(document: Document) -> dict[str, str]:
    """Return the Markdown of each page of the reference, by its path in the site."""
    pages = {_find_page(tag["name"]): _render_tag(document, tag) for tag in document["tags"]}
    return {OVERVIEW_PAGE: _render_overview(document), **pages, ERRORS_PAGE: _render_errors(document)}


def list_operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield method, path and description of every operation, in the order of the document."""
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                yield method.upper(), path, operations[method]


def _find_page(tag: str) -> str:
    return f"reference/{tag}.md"


def _render_overview(document: Document) -> str:
    lines = ["# Reference of the API", "", document["info"]["description"], ""]
    lines += ["A running service shows the same with forms at `/v1/docs`, and the document itself at `/v1/schema`.", ""]
    for group in document["x-tagGroups"]:
        lines += [f"## {group['name']}", "", "| | |", "|---|---|"]
        about = {tag["name"]: tag.get("description", "") for tag in document["tags"]}
        lines += [f"| [{tag}]({tag}.md) | {_escape_cell(about[tag])} |" for tag in group["tags"]]
        lines.append("")
    return "\n".join(lines)


def _render_tag(document: Document, tag: Document) -> str:
    operations = [one for one in list_operations(document) if tag["name"] in one[2]["tags"]]
    lines = [f"# {tag['name']}", "", tag.get("description", ""), "", "| call | what it does |", "|---|---|"]
    lines += [
        f"| `{method} {path}` | [{_escape_cell(operation['summary'])}](#{operation['operationId']}) |"
        for method, path, operation in operations
    ]
    for method, path, operation in operations:
        lines += ["", *_render_operation(document, method, path, operation)]
    return "\n".join(lines) + "\n"


def _render_operation(document: Document, method: str, path: str, operation: Document) -> Iterator[str]:
    yield f"## {_escape_text(operation['summary'])} {{ #{operation['operationId']} }}"
    yield from ("", "```http", f"{method} {path}", "```", "")
    description = operation.get("description", "")
    if operation["summary"] != description:
        yield from (_escape_text(description), "")
    if parameters := [_resolve(document, one) for one in operation.get("parameters", ())]:
        yield from ("**Parameters**", "", "| name | in | type | |", "|---|---|---|---|")
        for one in parameters:
            name = f"`{one['name']}`" + (" (required)" if one.get("required") else "")
            yield f"| {name} | {one['in']} | {_name_type(one['schema'])} | {_describe(one)} |"
        yield ""
    if body := operation.get("requestBody"):
        yield from _render_body(document, body)
    for status, answer in operation["responses"].items():
        if status < "300":
            yield from _render_answer(document, status, _resolve(document, answer))
    yield from _render_error_codes(document, operation)


def _render_body(document: Document, body: Document) -> Iterator[str]:
    kind, content = next(iter(body["content"].items()))
    schema = _resolve(document, content.get("schema", {}))
    if fields := schema.get("properties"):
        required = schema.get("required", ())
        yield from ("**Body**", "", "| field | type | |", "|---|---|---|")
        for name, field in fields.items():
            mark = " (required)" if name in required else ""
            yield f"| `{name}`{mark} | {_name_type(field)} | {_describe(field)} |"
        yield ""
    yield from _render_examples("Request", kind, content, is_open=True)


def _render_answer(document: Document, status: str, answer: Document) -> Iterator[str]:
    yield from (f"**Answer {status}**: {_escape_text(answer.get('description') or 'no body')}", "")
    for kind, content in list(answer.get("content", {}).items())[:1]:
        yield from _render_examples("Answer", kind, content, is_open=False)


def _render_examples(title: str, kind: str, content: Document, *, is_open: bool) -> Iterator[str]:
    """Yield the first examples of a body, in parts that fold away."""
    named = list(content.get("examples", {}).items())
    if "example" in content:
        named = [("Example", {"value": content["example"]})]
    for number, (name, example) in enumerate(named[:MOST_EXAMPLES]):
        summary = str(example.get("summary") or name).replace("_", " ").replace('"', "'")
        yield f'???{"+" if is_open and not number else ""} example "{title}: {summary}"'
        language = "json" if "json" in kind else "text"
        yield from ("", f"    ```{language}")
        yield from (f"    {line}" for line in _render_value(example.get("value")).splitlines())
        yield from ("    ```", "")


def _render_value(value: Any) -> str:
    if isinstance(value, str):
        return value.rstrip("\n")
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _render_error_codes(document: Document, operation: Document) -> Iterator[str]:
    yield from ("**Errors**", "")
    for status, answer in operation["responses"].items():
        if status >= "400":
            codes = _resolve(document, answer).get("x-error-codes", ())
            yield f"- {status}: " + (", ".join(f"[`{code}`](errors.md#{code})" for code in sorted(codes)) or "no code")
    yield ""


def _render_errors(document: Document) -> str:
    lines = ["# Error codes", ""]
    lines += ["Every error is a problem of RFC 9457: `code` is stable, `detail` says what happened and what to do, and"]
    lines += ["`errors` names the fields of a malformed request."]
    for code, (statuses, calls) in sorted(_collect_codes(document).items()):
        lines += ["", f"## {code} {{ #{code} }}", ""]
        lines += [f"HTTP status {' or '.join(sorted(statuses))}. {_list_calls(calls)}"]
    return "\n".join(lines) + "\n"


def _collect_codes(document: Document) -> dict[str, tuple[set[str], list[str]]]:
    """Return each error code with its HTTP statuses and links to the calls that answer it."""
    found: dict[str, tuple[set[str], list[str]]] = {}
    for _method, _path, operation in list_operations(document):
        link = f"[{operation['summary']}]({operation['tags'][0]}.md#{operation['operationId']})"
        for status, answer in operation["responses"].items():
            for code in _resolve(document, answer).get("x-error-codes", ()) if status >= "400" else ():
                statuses, calls = found.setdefault(code, (set(), []))
                statuses.add(status)
                calls.append(link)
    return found


def _list_calls(calls: list[str]) -> str:
    if len(calls) > MOST_VALUES:
        return f"{len(calls)} calls answer so."
    return "Calls that answer so: " + ", ".join(dict.fromkeys(calls)) + "."


def _resolve(document: Document, part: Any) -> Any:
    """Return the part that a reference of the document names, or the part itself."""
    while "$ref" in part:
        found: Any = document
        for name in part["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        part = found
    return part


def _name_type(schema: Document) -> str:
    """Return the type of a value in a few words: ``array of string``."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2].removesuffix("Request").removesuffix("Input") or "object"
    for choice in ("oneOf", "anyOf", "allOf"):
        if choice in schema:
            names = dict.fromkeys(_name_type(one) for one in schema[choice] if one.get("type") != "null")
            return " or ".join(names) or "any"
    kind = schema.get("type", "any")
    kinds = [one for one in ([kind] if isinstance(kind, str) else kind) if one != "null"]
    if kinds == ["array"]:
        return f"array of {_name_type(schema.get('items', {}))}"
    return f"{' or '.join(kinds)}" + (f" ({schema['format']})" if "format" in schema and kinds == ["string"] else "")


def _describe(part: Document) -> str:
    """Return the description of a parameter or a field with its bounds, fit for a cell of a table."""
    schema = part.get("schema", part)
    said = [str(part.get("description", "")).strip()]
    values = schema.get("enum") or schema.get("items", {}).get("enum") or ()
    shown = [f"`{one}`" for one in values if one is not None]
    if 0 < len(shown) <= MOST_VALUES:
        said.append(f"One of {', '.join(shown)}.")
    said += [f"{text} {schema[key]}." for key, text in BOUNDS if key in schema]
    if schema.get("default") is not None:
        said.append(f"Default: `{orjson.dumps(schema['default']).decode()}`.")
    return _escape_cell(" ".join(filter(None, said)))


def _escape_text(text: str) -> str:
    """Return a description as Markdown, in which tags are text."""
    return re.sub(r"<(?=[a-zA-Z/])", "&lt;", text)


def _escape_cell(text: str) -> str:
    return re.sub(r"\s+", " ", _escape_text(text)).replace("|", "\\|")
