"""The time of a correction beside that of an ordinary message.

Subjects hold 300 values each. Every turn posts one ordinary message, then one correction of a value that is held, then
recalls: the right value has to be there, and the wrong one gone.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any
from uuid import UUID

from lab.benchmarks.load.load_target import MeasuredStack, make_subject_path
from lab.benchmarks.load.timings import percentile
from lab.benchmarks.worlds.world_spec import PREFIX
from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance
from profiles.services.preferences import record_preference
from profiles.services.value_claims import Claim
from tenants.isolation import tenant_tx

KEYS = 100
ENTRIES = 3


@dataclass(frozen=True, slots=True)
class Tongue:
    """The values of one language; any word of ``kinds`` with any of ``things``
    is a value, with any of ``new`` one that is not held."""

    kinds: str
    things: str
    new: str
    joined: str
    correction: str
    ordinary: str

    def make_held_value(self, number: int, entry: int) -> str:
        """Return one of the values that are held, each another one."""
        kinds, place = self.kinds.split(), number * ENTRIES + entry
        return self._format_value(kinds[place % len(kinds)], self.things.split()[place // len(kinds)])

    def make_correct_value(self, turn: int) -> str:
        kinds = self.kinds.split()
        return self._format_value(kinds[turn % len(kinds)], self.new.split()[turn // len(kinds)])

    def _format_value(self, kind: str, thing: str) -> str:
        return self.joined.format(kind=kind, thing=thing)


ENGLISH = Tongue(
    "red blue green black white brown grey pink olive amber coral ivory lilac mauve peach ruby sable teal umber plum",
    "tea coffee juice soup cake bread wine beer salad pasta rice noodles curry cheese apples",
    "plums pears grapes melons figs",
    "{kind} {thing}",
    "Not {old}, {new}",
    "I am on my way home now, see you",
)
CHINESE = Tongue(
    "红 蓝 绿 黑 白 棕 灰 粉 紫 黄 橙 青 金 银 米 杏 玫红 湖蓝 墨绿 藏青",
    "茶杯 围巾 雨伞 帽子 手套 背包 毛衣 裙子 皮鞋 沙发 台灯 窗帘 地毯 书桌 钱包",
    "拖鞋 袜子 皮带 领带 眼镜",
    "{kind}色的{thing}",
    "不是{old}，是{new}",
    "我现在在回家的路上，一会儿见",
)
TONGUES = (ENGLISH, CHINESE)
ANALYSIS_CONFIDENCE = 0.8
APPLIED = frozenset({"superseded", "merged", "stored"})


@dataclass(slots=True)
class CorrectionTimings:
    """Milliseconds of each posted message and correction, and how many corrections took effect in time."""

    ordinary_ms: list[float] = field(default_factory=list)
    correction_ms: list[float] = field(default_factory=list)
    in_request: int = 0
    in_next_answer: int = 0

    def lines(self) -> Iterator[str]:
        floor = percentile(self.ordinary_ms, 50)
        for name, ms in (("ordinary message", self.ordinary_ms), ("correction", self.correction_ms)):
            p50, p95, most = percentile(ms, 50), percentile(ms, 95), max(ms)
            shares = f"{p50 / floor:.1f} and {p95 / floor:.1f} x the ordinary p50"
            yield f"{name}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, most {most:.0f} ms; {shares}"
        count = len(self.correction_ms)
        yield f"applied before the answer: {self.in_request} of {count}, held by the next: {self.in_next_answer}"


def fill_beliefs(tenant_id: UUID, subjects: int, *, advance: Callable[[int], object]) -> list[tuple[str, Tongue]]:
    """Make subjects that hold ``KEYS`` lists of ``ENTRIES`` values, new ones for each run; return their ids."""
    made = []
    for tongue, _ in zip(cycle(TONGUES), range(subjects), strict=False):
        with tenant_tx(tenant_id):
            subject = Subject.objects.create(external_id=f"{PREFIX}-corrected-{new_id()}")
            for number in range(KEYS):
                values = [tongue.make_held_value(number, entry) for entry in range(ENTRIES)]
                claim = Claim(values, Provenance.ANALYSIS, ANALYSIS_CONFIDENCE)
                record_preference(subject, f"shelf_{number % 10}", f"things_{number}", claim)
        made.append((subject.external_id, tongue))
        advance(1)
    return made


def correct_over_http(
    target: MeasuredStack, subjects: Sequence[tuple[str, Tongue]], turns: int, *, advance: Callable[[int], object]
) -> CorrectionTimings:
    """Let every subject post ``turns`` ordinary messages and corrections in turn; ``turns`` are at most ``KEYS``."""
    seen = CorrectionTimings()
    for turn in range(turns):
        for subject, tongue in subjects:
            old, new = tongue.make_held_value(turn, turn % ENTRIES), tongue.make_correct_value(turn)
            seen.ordinary_ms.append(_post_message(target, subject, tongue.ordinary)[0])
            took, answer = _post_message(target, subject, tongue.correction.format(old=old, new=new))
            seen.correction_ms.append(took)
            seen.in_request += any(change["verdict"] in APPLIED for change in answer["fast_lane"])
            held = _read_preferences(target, subject)
            seen.in_next_answer += repr(new) in held and repr(old) not in held
            advance(1)
    return seen


def _post_message(target: MeasuredStack, subject: str, text: str) -> tuple[float, Any]:
    body = {"messages": [{"role": "user", "content": text}]}
    began = time.perf_counter()
    answer = target.send_request("POST", f"{make_subject_path(subject)}/conversations/shop/messages", body)
    return (time.perf_counter() - began) * 1_000, answer


def _read_preferences(target: MeasuredStack, subject: str) -> str:
    """Return the preferences of the next recall. A context would cut them: its profile holds fewer than 300 values."""
    asked = {"query": "?", "lanes": ["preferences"]}
    return str(target.send_request("POST", f"{make_subject_path(subject)}/recall", asked)["preferences"])
