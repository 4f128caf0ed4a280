"""The languages whose source code is read by a grammar: the one table of their content types and file endings."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeLanguage:
    """A language. Files with its ``endings`` get the first of its ``content_types``; ``grammar`` is the package and the
    function that returns it."""

    content_types: tuple[str, ...]
    endings: tuple[str, ...]
    grammar: tuple[str, str]

    @property
    def names(self) -> frozenset[str]:
        """What a type names the language by: an ending, or as in ``text/x-NAME``."""
        return frozenset({*self.endings, *(one.partition("/")[2].removeprefix("x-") for one in self.content_types)})


_TYPESCRIPT = "tree_sitter_typescript"
CODE_LANGUAGES = (
    CodeLanguage(("text/x-python",), ("py", "pyi"), ("tree_sitter_python", "language")),
    CodeLanguage(
        ("text/javascript", "application/javascript"),
        ("js", "mjs", "cjs", "jsx"),
        ("tree_sitter_javascript", "language"),
    ),
    CodeLanguage(
        ("text/x-typescript", "text/typescript", "application/typescript"),
        ("ts", "mts", "cts"),
        (_TYPESCRIPT, "language_typescript"),
    ),
    CodeLanguage(("text/x-tsx",), ("tsx",), (_TYPESCRIPT, "language_tsx")),
    CodeLanguage(("text/x-java", "text/x-java-source"), ("java",), ("tree_sitter_java", "language")),
    CodeLanguage(("text/x-go",), ("go",), ("tree_sitter_go", "language")),
    CodeLanguage(("text/x-rust",), ("rs",), ("tree_sitter_rust", "language")),
    CodeLanguage(("text/x-c", "text/x-csrc", "text/x-chdr"), ("c", "h"), ("tree_sitter_c", "language")),
    CodeLanguage(
        ("text/x-c++", "text/x-c++src", "text/x-c++hdr"),
        ("cpp", "cc", "cxx", "hpp", "hh", "hxx"),
        ("tree_sitter_cpp", "language"),
    ),
)
LANGUAGE_OF_NAME: Mapping[str, CodeLanguage] = {name: one for one in CODE_LANGUAGES for name in one.names}
ENDING_OF_TYPE: Mapping[str, str] = {kind: one.endings[0] for one in CODE_LANGUAGES for kind in one.content_types}
