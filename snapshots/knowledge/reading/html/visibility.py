"""Which elements of a page a visitor reads."""

import re

from selectolax.lexbor import LexborNode

_NEVER_READ = frozenset(
    {
        "script",
        "style",
        "noscript",
        "template",
        "nav",
        "button",
        "select",
        "textarea",
        "iframe",
        "object",
        "embed",
        "svg",
        "canvas",
        "math",
        "audio",
        "video",
        "dialog",
        "head",
        "footer",
    }
)
# Old sites wrap a whole page in a form; one that only asks for something has none of these.
_PAGE_IN_FORM = "h1, h2, h3, p"
# What holds the title, or a warning beside the text, in the content of a page, and navigation around it.
_READ_IN_CONTENT = frozenset({"header", "aside"})
_NAVIGATION_ROLES = {"navigation", "banner", "contentinfo", "search", "complementary", "menu", "dialog"}
_HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:font-size|opacity)\s*:\s*0(?:\.0*)?(?![.\d])"
    # A margin of -100px moves the target of a link below a fixed header: only larger ones move text out of sight.
    r"|(?<![\w-])(?:left|top|text-indent)\s*:\s*-\d{3,}|margin-(?:left|top)\s*:\s*-\d{4,}",
    re.IGNORECASE,
)
# The sign beside a heading that links to it, as documentation generators make it.
_MARKER_CLASSES = {"headerlink", "anchor-link", "hash-link", "heading-anchor", "edit-link", "skip-link"}


def is_read(node: LexborNode, *, in_content: bool) -> bool:
    """Return whether a visitor reads the element. ``in_content``: it stands in ``main`` or ``article``."""
    if node.tag in _NEVER_READ or (node.tag in _READ_IN_CONTENT and not in_content):
        return False
    if node.tag == "form" and node.css_first(_PAGE_IN_FORM) is None:
        return False
    marks = node.attributes
    return not marks or not _is_hidden(marks)


def _is_hidden(marks: dict[str, str | None]) -> bool:
    if "hidden" in marks or (marks.get("aria-hidden") or "").lower() == "true":
        return True
    if (marks.get("role") or "").lower() in _NAVIGATION_ROLES:
        return True
    if _HIDING_STYLE.search((marks.get("style") or "")[:2000]):
        return True
    return not _MARKER_CLASSES.isdisjoint((marks.get("class") or "")[:500].split())
