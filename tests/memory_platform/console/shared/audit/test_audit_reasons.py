"""What a service writes before a reason is told in words, apart from the reason, also in Chinese. Rows: T7, D2."""

import pytest
from django.utils import translation

from memory_platform.console.shared.audit.audit_reasons import split_reason
from memory_platform.kernel.ids import new_id
from tenants.models import AuditRecord

INVITATION = "invitation 01a22aa4-5677-74ec-88d3-4ecfeb44b5d0"


@pytest.mark.parametrize(
    ("action", "reason", "english", "chinese"),
    [
        ("member.set", "viewer: covers for Mia", ("viewer", "covers for Mia"), ("查看者", "covers for Mia")),
        ("member.set", "manager", ("manager", ""), ("管理员", "")),
        ("member.set", f"viewer: {INVITATION}", ("viewer", "by invitation"), ("查看者", "通过邀请")),
        ("support.opened", "60 min: ticket 工单: 7", ("1 hour", "ticket 工单: 7"), ("1 小时", "ticket 工单: 7")),
        (
            "usage_limit.set",
            "burst default, requests_per_second 7: 试点",
            ("requests at once default · requests a second 7", "试点"),
            ("突发请求上限 默认 · 每秒请求数 7", "试点"),
        ),
        ("usage_limit.set", "pilot, burst: 试点", ("", "pilot, burst: 试点"), ("", "pilot, burst: 试点")),
        ("member.set", "nobody: x", ("", "nobody: x"), ("", "nobody: x")),
        ("member.removed", "viewer: left", ("", "viewer: left"), ("", "viewer: left")),
        ("support.opened", "", ("", ""), ("", "")),
    ],
)
def test_a_reason_is_told_in_words(
    action: str, reason: str, english: tuple[str, str], chinese: tuple[str, str]
) -> None:
    record = AuditRecord(tenant_id=new_id(), action=action, reason=reason)
    for language, told in (("en", english), ("zh-hans", chinese)):
        with translation.override(language):
            assert split_reason(record) == told
