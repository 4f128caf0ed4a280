"""Reads source code: one block a definition, with its comments and decorators, under the names around it."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from tree_sitter import Language, Node, Parser

from snapshots.knowledge.reading.block_writer import BlockWriter
from snapshots.knowledge.reading.code_languages import LANGUAGE_OF_NAME
from snapshots.knowledge.values import BlockKind, ParsedDocument

# How the grammars end the names of nodes that define something.
_DEFINITION = re.compile(
    r"(?:class|function|method|constructor|interface|enum|record|struct|union|trait|impl|mod|namespace|type|template"
    r"|abstract_class|module|internal_module|annotation_type|generator_function|macro|type_alias|const|static|var)"
    r"_(?:definition|declaration|specifier|item|signature)|decorated_definition|export_statement|internal_module"
    r"|lexical_declaration"
)
_WRAPPERS = {"decorated_definition", "export_statement", "template_declaration"}
_BODIES = ("body", "declaration_list", "field_declaration_list")
# A definition with more lines is cut at the definitions inside it.
_WHOLE_LINES = 60
_MOST_DEPTH = 6
_TOP_LEVEL = re.compile(r"\n[^\S\n]*\n(?=[^\s})\]])")


def read_code(text: str, extension: str | None) -> ParsedDocument:
    """Return the document. Code of a language without a grammar here is cut where an unindented line follows an empty
    one."""
    writer = BlockWriter()
    parser = _find_parser(extension or "")
    if parser is None:
        for part in _TOP_LEVEL.split(text.replace("\r\n", "\n")):
            writer.add_block(BlockKind.CODE, part)
    else:
        source = text.encode("utf-8", "replace")
        _write_members(parser.parse(source).root_node, source, 1, writer)
    return writer.make_document(None)


def _write_members(parent: Node, source: bytes, level: int, writer: BlockWriter) -> None:
    """Write the definitions inside ``parent``, and the lines between them as blocks of their own."""
    done = parent.start_byte if level > 1 else 0
    for start, node in _list_definitions(parent):
        writer.close_headings(level)
        _write_source(source[done:start], writer)
        done = node.end_byte
        inner = _unwrap(node)
        writer.open_heading(level, _get_name(inner))
        body = _find_body(inner)
        lines = node.end_point[0] - node.start_point[0]
        if body is None or lines <= _WHOLE_LINES or level >= _MOST_DEPTH or not any(_list_definitions(body)):
            _write_source(source[start:done], writer)
        else:
            _write_source(source[start : body.start_byte], writer)
            _write_members(body, source, level + 1, writer)
            _write_source(source[body.end_byte : done], writer)
    writer.close_headings(level)
    _write_source(source[done : parent.end_byte if level > 1 else len(source)], writer)


def _list_definitions(parent: Node) -> Iterator[tuple[int, Node]]:
    """Yield the definitions right inside ``parent``, each with the byte where its comments start."""
    start = None
    for node in parent.children:
        if "comment" in node.type or node.type in ("attribute_item", "annotation"):
            start = node.start_byte if start is None else start
            continue
        if _DEFINITION.fullmatch(node.type):
            yield node.start_byte if start is None else start, node
        start = None


def _unwrap(node: Node) -> Node:
    """Return the definition inside a decorator, an export or a template."""
    for _ in range(_MOST_DEPTH):
        if node.type not in _WRAPPERS:
            break
        inner = [child for child in node.children if _DEFINITION.fullmatch(child.type)]
        if not inner:
            break
        node = inner[-1]
    return node


def _get_name(node: Node) -> str:
    for field in ("name", "declarator", "type", "trait"):
        found = node.child_by_field_name(field)
        if found is not None and found.text:
            return found.text.decode("utf-8", "replace").partition("\n")[0]
    named = [child for child in node.named_children[:3] if child.child_by_field_name("name") is not None]
    return _get_name(named[0]) if named else ""


def _find_body(node: Node) -> Node | None:
    found = node.child_by_field_name("body")
    return found or next((child for child in node.children if child.type in _BODIES), None)


def _write_source(part: bytes, writer: BlockWriter) -> None:
    text = part.decode("utf-8", "replace")
    if text.strip(" \t\r\n{};"):
        writer.add_block(BlockKind.CODE, text)


@cache
def _find_parser(extension: str) -> Parser | None:
    language = LANGUAGE_OF_NAME.get(extension)
    if language is None:
        return None
    package, function = language.grammar
    return Parser(Language(getattr(import_module(package), function)()))
