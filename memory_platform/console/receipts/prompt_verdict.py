"""The verdict on an answer that was asked again: whether the old values are gone, in words. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory_platform.console.explanation.receipt_explanation import MessageView
from memory_platform.console.shared.status_badges import GOOD, WARNING
from memory_platform.console.transcript.changes_since_prompt import split_label
from memory_platform.kernel.text import to_comparable
from snapshots.lifecycle.staff_actions.value_mentions import ReplacedValue, holds_old_value

MAX_TOLD = 5


@dataclass(frozen=True, slots=True)
class PromptLine:
    """A line of a prompt; the addresses of its memory and of the form that retires it are "" without one."""

    text: str
    address: str = ""
    retire_address: str = ""


@dataclass(frozen=True, slots=True)
class MissingReason:
    """Why today's value is not in a prompt, and the address of a question about it; "" without one."""

    text: str
    question_address: str = ""


@dataclass(frozen=True, slots=True)
class JudgedValue:
    """The fate of one value, in a sentence. ``missing``: why today's value is not told. ``still``: lines that have the
    old one."""

    sentence: str
    missing: MissingReason | None = None
    still: tuple[PromptLine, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptVerdict:
    """``tone`` as of badges."""

    tone: str
    values: tuple[JudgedValue, ...]

    @property
    def has_old_value(self) -> bool:
        return any(one.still for one in self.values)


def judge_replaced_values(
    replaced: Sequence[ReplacedValue], lines: Sequence[PromptLine], missing: Mapping[str, MissingReason]
) -> PromptVerdict:
    """Return the verdict on the values that were replaced, by the lines of the prompt as it is now. ``missing``: why
    values of today are not in it, by value."""
    judged = [_judge_value(one, lines, missing) for one in list(dict.fromkeys(replaced))[:MAX_TOLD]]
    is_good = not any(one.still or one.missing for one in judged)
    return PromptVerdict(GOOD if is_good else WARNING, tuple(judged))


def tells_value(text: str, value: str) -> bool:
    return to_comparable(value) in to_comparable(text)


def _judge_value(one: ReplacedValue, lines: Sequence[PromptLine], missing: Mapping[str, MissingReason]) -> JudgedValue:
    found = tuple(line for line in lines if holds_old_value(line.text, one))
    is_told = bool(one.new) and any(tells_value(line.text, one.new) for line in lines)
    why = None if is_told or not one.new else missing.get(one.new, MissingReason(""))
    return JudgedValue(" ".join(_tell_value(one, len(found), is_told=is_told)), why, found)


def _tell_value(one: ReplacedValue, count: int, *, is_told: bool) -> Iterator[str]:
    if is_told:
        yield _("The prompt now says “%(new)s”.") % {"new": one.new}
    elif one.new:
        yield _("Today's value “%(new)s” is not in this prompt.") % {"new": one.new}
    if count:
        text = ngettext(
            "The old value “%(old)s” still occurs in %(count)d line:",
            "The old value “%(old)s” still occurs in %(count)d lines:",
            count,
        )
        yield text % {"old": one.old, "count": count}
    else:
        yield _("The old value “%(old)s” no longer occurs.") % {"old": one.old}


def name_replaced_value(before: str, now: str) -> ReplacedValue:
    """Return the difference between two lines of a memory, without a label that both have."""
    (label, old), (label_now, new) = split_label(before), split_label(now)
    if label and (label == label_now or not now):
        return ReplacedValue(old, new)
    return ReplacedValue(before, now)


def omit_repeated_values(replaced: Sequence[ReplacedValue]) -> list[ReplacedValue]:
    """Leave out memories that only ended and repeat the old value of another: a note that says the same in a
    sentence."""
    values = [to_comparable(one.old) for one in replaced if one.new]
    return [one for one in replaced if one.new or not any(value in to_comparable(one.old) for value in values)]


def list_prompt_lines(
    prompt: Iterable[MessageView], question: str, memories: Mapping[int, PromptLine]
) -> list[PromptLine]:
    """Return the lines of a prompt that say something of their own; ``memories``: those of memories, by position. The
    question itself is left out."""
    lines: list[PromptLine] = []
    for piece in (piece for message in prompt for piece in message.pieces):
        if piece.position is not None:
            known = memories.get(piece.position)
            text = piece.text.strip()
            lines.append(PromptLine(text, known.address, known.retire_address) if known else PromptLine(text))
        elif piece.text.strip() != question.strip():
            lines += [PromptLine(line.strip()) for line in piece.text.splitlines() if line.strip()]
    return lines


def tell_nothing_corrected(blamed: Sequence[Any], *, is_same: bool) -> PromptVerdict | None:
    """Return the verdict when no memory was corrected; ``blamed``: the lines that the next message corrected and that
    the prompt still says. None if there is nothing to tell."""
    if blamed:
        told = ", ".join(f"“{one}”" for one in blamed[:MAX_TOLD])
        sentence = _("Nothing was corrected since: the prompt still says %(what)s.") % {"what": told}
        return PromptVerdict(WARNING, (JudgedValue(sentence),))
    sentence = _("No memory of this answer was corrected or retired since.")
    return None if is_same else PromptVerdict("quiet", (JudgedValue(sentence),))
