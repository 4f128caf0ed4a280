"""An export as one page that a person can read, made of the same lines as the JSON lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson
from django.utils import translation
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.value_rendering import format_json_value
from snapshots.models import MessageRole
from snapshots.portability.line_kinds import END, KIND_BY_NAME

Line = Mapping[str, Any]

# What people know by name, in words; the other lines are records of how it was used.
SECTION_TITLES: Mapping[str, Any] = {
    "profile_fact": gettext_lazy("Profile"),
    "preference": gettext_lazy("Preferences"),
    "tag": gettext_lazy("Places and contacts"),
    "conversation": gettext_lazy("Conversations"),
    "message": gettext_lazy("Messages"),
    "snapshot": gettext_lazy("What was remembered"),
    "task": gettext_lazy("Tasks of the assistant"),
    "episode": gettext_lazy("What was learned from tasks"),
    "ask": gettext_lazy("Questions that were asked"),
    "candidate": gettext_lazy("Proposals for memory"),
    "receipt": gettext_lazy("Answers"),
}
RECORDS = "records"
# How what is open ends: at first nothing is.
ENDS = {"": "", RECORDS: "</ol></details>"}
STYLE = """
body { max-width: 48em; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, sans-serif; color: #1e293b; }
h2 { margin: 1.6em 0 .4em; font-size: 1.15em; border-bottom: 1px solid #cbd5e1; }
ol { margin: 0; padding: 0; list-style: none; } li { margin: .4em 0; overflow-wrap: anywhere; white-space: pre-wrap; }
time, .ended, summary { color: #64748b; } summary { cursor: pointer; font-size: .85em; }
dl { display: grid; grid-template-columns: 12em 1fr; margin: .2em 0; font-size: .85em; } dd { margin: 0; }
"""


def render_readable_export(pieces: Iterable[bytes]) -> Iterator[str]:
    """Return an export as pieces of an HTML page in the language of now. All labels are read before the first piece:
    the rest is rendered while it is sent."""
    return _Page().render(orjson.loads(line) for piece in pieces for line in piece.splitlines())


class _Page:
    """The texts of a page, in one language."""

    def __init__(self) -> None:
        self.language = translation.get_language() or "en"
        self.titles = {name: str(title) for name, title in SECTION_TITLES.items()}
        self.columns = {
            name: {column: capfirst(str(one.verbose_name)) for column, one in kind.columns.items()}
            for name, kind in KIND_BY_NAME.items()
        }
        self.roles = {str(value): capfirst(str(label)) for value, label in MessageRole.choices}
        self.heading, self.records = _("Everything stored about %(name)s"), _("Further records")
        self.all_values, self.made_at = _("All values"), _("Made on %(at)s UTC.")
        self.complete = _("This is complete.")
        self.cut_off = _("This is not complete: the export ended early. Request it again.")
        self.ended, self.gone = _("no longer current"), _("no longer stored")

    def render(self, lines: Iterator[Line]) -> Iterator[str]:
        yield self._render_head(next(lines), next(lines))
        open_kind, is_complete = "", False
        for line in lines:
            kind = line["type"]
            if kind == END:
                is_complete = True
                break
            section = kind if kind in self.titles else RECORDS
            if section != open_kind:
                # Records of how it was used are closed at first.
                begin = "<h2>{}</h2>\n<ol>\n" if kind in self.titles else "<details><summary>{}</summary>\n<ol>\n"
                yield ENDS.get(open_kind, "</ol>") + format_html(begin, self.titles.get(kind, self.records))
                open_kind = section
            yield self._render_line(kind, line)
        yield ENDS.get(open_kind, "</ol>") + format_html(
            "<p>{}</p>\n</body></html>\n", self.complete if is_complete else self.cut_off
        )

    def _render_head(self, header: Line, subject: Line) -> str:
        title = self.heading % {"name": subject["subject_id"]}
        return format_html(
            '<!doctype html>\n<html lang="{}"><head><meta charset="utf-8"><title>{}</title><style>{}</style></head>'
            "<body>\n<h1><bdi>{}</bdi></h1>\n<p>{}</p>\n",
            self.language,
            title,
            STYLE,
            title,
            self.made_at % {"at": _format_time(header["exported_at"])},
        )

    def _render_line(self, kind: str, line: Line) -> str:
        tell = TELLERS.get(kind)
        at, words = tell(self, line) if tell else ("", kind.replace("_", " "))
        has_ended = line.get("invalid_at") or line.get("retired_at")
        values = format_html_join(
            "",
            "<dt>{}</dt><dd><bdi>{}</bdi></dd>",
            (
                (self.columns[kind].get(name, name), format_json_value(value))
                for name, value in line.items()
                if name != "type" and value not in (None, "", [], {})
            ),
        )
        return format_html(
            "<li>{}<bdi>{}</bdi>{}<details><summary>{}</summary><dl>{}</dl></details></li>\n",
            format_html("<time>{}</time> ", _format_time(at)) if at else "",
            words,
            format_html(' <span class="ended">({})</span>', self.ended) if has_ended else "",
            self.all_values,
            values,
        )

    def tell_message(self, line: Line) -> tuple[str, str]:
        return line["said_at"], f"{self.roles.get(line['role'], line['role'])}: {line['content']}"


def _tell_named_value(*names: str) -> Callable[[_Page, Line], tuple[str, str]]:
    def tell(_page: _Page, line: Line) -> tuple[str, str]:
        name = " · ".join(str(line[one]) for one in names)
        return line.get("valid_at") or "", f"{name}: {format_json_value(line['value'])}"

    return tell


def _tell_texts(time: str, *names: str) -> Callable[[_Page, Line], tuple[str, str]]:
    def tell(_page: _Page, line: Line) -> tuple[str, str]:
        return line[time], " · ".join(format_json_value(line[one]) for one in names if line[one])

    return tell


def _tell_answer(_page: _Page, line: Line) -> tuple[str, str]:
    return line["created_at"], (line.get("rendered") or {}).get("query", "")


def _tell_proposal(page: _Page, line: Line) -> tuple[str, str]:
    """Render a proposal, as far as it was not erased."""
    told = ": ".join(filter(None, (line.get("target") or "", format_json_value(line.get("value")))))
    return line.get("created_at") or "", told or page.gone


# When a line was and what it says, in a few words.
TELLERS: Mapping[str, Callable[[_Page, Line], tuple[str, str]]] = {
    "profile_fact": _tell_named_value("field"),
    "preference": _tell_named_value("category", "key"),
    "tag": _tell_texts("created_at", "label", "relation", "address", "phone"),
    "conversation": _tell_texts("created_at", "external_id", "summary"),
    "message": _Page.tell_message,
    "snapshot": _tell_texts("said_at", "text"),
    "task": _tell_texts("created_at", "goal"),
    "episode": _tell_texts("created_at", "approach", "lessons"),
    "ask": _tell_texts("asked_at", "question"),
    "candidate": _tell_proposal,
    "receipt": _tell_answer,
}


def _format_time(at: str) -> str:
    return at[:16].replace("T", " ")
