"""What the speaker wants for good, in Chinese: frames of standing wishes."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import known_category
from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.frames_zh import ironic, others_zh, own
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import preference
from snapshots.extraction.rules_zh_limits import field_of
from snapshots.extraction.values import Candidate


def _wished(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for value in own(clause, match)[:1]:
        yield preference(
            clause, "explicit", (known_category(value) or field_of(clause.sentence), "wishes"), "add", (value,)
        )


WISHES: tuple[Frame, ...] = (
    frame(
        "以后 永远 一律 始终 今后 默认 统一 从现 从今 往后 固定 全部 长期",
        r"(?:以后|永远|一律|始终|今后|默认|统一|从现在开始|从今天起|往后|固定|全部|长期)(?:[^,]{0,10}?)(?:都|请|"
        r"麻烦|一律|统一|默认|给我|帮我|就|尽量|也|我|要|得|直接|跟我|对我|回答|回复|说话|"
        r"尽可能)*(?:用|按|以|换算成|显示成?|设为?成?|"
        r"设置成|设|定|开|调到|调成|开到|保持在?|说|讲|选|走|放|播|订|点|要|买|叫|安排|坐|来|念|读|提前|发|回|写|"
        r"加|带|穿|听|看)(?!吗|什么|哪|不|别|谁|我$|了$|给我$|一下)(?P<v>[^,]{2,16})",
        lambda c, m: () if re.search(r"[不别勿没]", c.text[: m.start("v")]) else _wished(c, m),
    ),
    frame(
        "报 显 说 用 按",
        r"^(?:跟|给|对|帮)我(?:报|说|显示|念|讲|播|读|算|看)[^,]{0,6}?(?:用|按|以|说|讲)(?P<v>[^,]{2,12})",
        _wished,
    ),
)
_WISHES = Frames(WISHES, cues_in=cues_of(cue for each in WISHES for cue in each.cues))


def wishes(clause: Clause) -> Iterator[Candidate]:
    """Yield the standing wish that ``clause`` utters."""
    yield from _WISHES.read(clause, unless=[others_zh, ironic])
