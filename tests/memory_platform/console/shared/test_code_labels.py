"""Codes are told in the reader's words, and what is no code of ours as it is. Rows: D2, G1, E9."""

from typing import get_args

import pytest
from django.utils import translation

from memory_platform.console.operation.job_previews import render_job_purpose
from memory_platform.console.shared import code_labels
from memory_platform.console.shared.code_labels import CODE_LABELS, render_code
from memory_platform.timetable import TIMETABLE
from profiles.models import Candidate
from profiles.services.value_claims import NOT_A_LIST, OLDER, WEAKER
from snapshots.context.turn.turn_classifiers import INTENTS, PHASES
from snapshots.context.values import CandidateLane, DecisionReason, Guardrail, SectionName
from snapshots.recall.values import DegradedReason
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from snapshots.understanding.values import RejectionReason as GateReason
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

CODES = (
    *(*INTENTS, *PHASES, *Guardrail, *DecisionReason, *SectionName, *DegradedReason, OLDER, WEAKER, NOT_A_LIST),
    *(*get_args(CandidateLane), *get_args(GateReason)),
)


@pytest.mark.parametrize("code", sorted(set(CODES)))
def test_every_code_has_words_in_both_languages(code: str) -> None:
    assert "_" not in render_code(code)
    with translation.override("zh-hans"):
        assert not render_code(code).isascii(), code


def test_what_is_no_code_is_shown_as_it_is() -> None:
    for text in ("", "ValueError", "their own code", "a,b", "<b>", "older,x<b>"):
        assert render_code(text) == text.replace("older", str(CODE_LABELS["older"]))
    assert render_code(None) == ""
    assert render_code("redis_unavailable,replica_lag") == "Redis unavailable, replica behind"


def test_what_the_jobs_are_for_is_told_in_chinese() -> None:
    with translation.override("zh-hans"):
        for job in TIMETABLE:
            told = render_job_purpose(f"{job.why} ({job.owner}) [timetable 0123456789ab]")
            assert not told.isascii()
            assert job.owner not in told
        assert render_job_purpose("moved by Olga") == "moved by Olga"
        assert render_job_purpose("") == ""


def test_a_filter_offers_what_the_newest_rows_hold_and_what_is_chosen(
    world: World, staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_labels, "SCANNED_ROWS", 2)
    with tenant_tx(world.acme.tenant.id):
        for intent in ("navigation", "general", "knowledge"):
            told = RenderedPrompt("q", [{"role": "user", "content": "q"}], None)
            write_receipt(ReceiptDraft(world.acme.subject.pk, "1", told, intent=intent))
    page = staff.sam.get("/console/snapshots/receipt/").content.decode()
    offered = [intent in page for intent in ("?intent=knowledge", "?intent=general", "?intent=navigation")]
    assert offered == [True, True, False]
    page = staff.sam.get("/console/snapshots/receipt/", {"intent": "navigation"}).content.decode()
    assert all(f"?intent={intent}" in page for intent in ("knowledge", "general", "navigation"))
    hostile = staff.sam.get("/console/snapshots/receipt/", {"intent": "<script>alert(1)</script>"})
    assert hostile.status_code == 200
    assert "<script>alert" not in hostile.content.decode()


@pytest.mark.parametrize("name", ["origin", "sort"])
def test_a_filter_of_candidates_offers_what_the_newest_hold(
    world: World, staff: Staff, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(code_labels, "SCANNED_ROWS", 2)
    with tenant_tx(world.acme.tenant.id):
        for value in ("aaa", "bbb", "ccc"):
            Candidate.objects.create(
                subject=world.acme.subject,
                kind="preference",
                target="food/likes",
                value="tea",
                verdict="stored",
                confidence=0.5,
                provenance="observation",
                **{name: value},
            )
    page = staff.sam.get("/console/profiles/candidate/").content.decode()
    assert [f"?{name}={value}" in page for value in ("ccc", "bbb", "aaa")] == [True, True, False]


def test_a_receipt_and_a_verdict_speak_chinese(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        subject = world.acme.subject
        memory = ReceiptCandidate(
            memory_id="01a20000-0000-7000-8000-000000000001",
            lane="preferences",
            kind="preference",
            candidate_score=0.5,
            decision_reason="over_budget",
            tokens=3,
            guardrail_hit="forged_memory",
        )
        receipt = write_receipt(
            ReceiptDraft(
                subject_id=subject.pk,
                conversation_id=None,
                policy_version="1",
                rendered=RenderedPrompt(
                    "q", [{"role": "assistant", "content": None, "tool_calls": [{"name": "订座"}]}], None
                ),
                candidates=[memory],
                intent="recommendation",
                phase="task_execution",
                sections=[{"name": "guide", "tokens": 1, "items": 1, "dropped": 0}],
                tokens={},
                degraded_reason="redis_unavailable",
            )
        )
        Candidate.objects.create(
            subject=subject,
            kind="preference",
            target="seat/x",
            value=1,
            verdict="rejected",
            reason=WEAKER,
            sort="implicit",
            provenance="analysis",
        )
    staff.sam.post("/i18n/setlang/", {"language": "zh-hans", "next": "/console/"})
    page = staff.sam.get(f"/console/snapshots/receipt/{receipt.pk}/change/").content.decode()
    for words in ("未放入：空间不足", "伪造的记忆", "推荐", "任务执行", "引导", "Redis 不可用", "助手", "订座"):
        assert words in page, words
    assert ">None<" not in page
    assert "?intent=recommendation" in staff.sam.get("/console/snapshots/receipt/").content.decode()
    verdicts = staff.sam.get("/console/profiles/candidate/", {"verdict__exact": "all"}).content.decode()
    assert verdicts.count("弱于已知信息") == 2  # in the list and in its filter
    assert verdicts.count("隐含") == 1  # in its filter
    assert "?reason=weaker_than_current" in verdicts
