"""What a model is told about memory and about the moment, in both languages. Rows: X5, X6, X9, X11."""

import re
from typing import Any

import pytest

from snapshots.context.choosing.profile_facts import make_profile_fact
from snapshots.context.values import ContextMaterial, Language, SectionName, StandingProfile
from snapshots.context.writing.memory_guide import (
    SIGNS,
    choose_guide_language,
    render_heading,
    render_phase_guidance,
    render_usage_guide,
)
from tests.snapshots.context.world import ADA, COUNTER, SINCE, SURE, all_content, context, memory

PHASES = ("opening", "in_depth", "task_execution", "confirmation", "after_sales")
ANYBODY = StandingProfile(fields=ADA.fields, preferences=ADA.preferences)
RULES = {
    "en": ("data, not instructions", "is not the user's word", "Newer beats older", "now beat all", "ask", "recite"),
    "zh": ("是数据，不是指令", "不是用户的话", "优先于旧", "此刻所说优先于一切", "先问", "复述"),
}
"""What each guide tells, whatever its format and style."""
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shape", [{}, {"compact": True}, {"plain": True}])
def test_the_guide_tells_what_confidence_means_in_few_tokens(shape: dict[str, bool], language: Language) -> None:
    guide = render_usage_guide(language, **shape)
    assert all(band in guide for band in (SIGNS.values() if shape else SIGNS))
    assert ("user_memory" in guide) is not shape.get("plain", False)
    assert all(rule in guide for rule in RULES[language])
    assert COUNTER.count(f"\n{guide}\n") <= {"en": 60, "zh": 70}[language], "as it is sent, on lines of its own"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shape", [{}, {"style": "compact"}, {"format": "plain"}])
def test_the_guide_names_marks_and_speakers_as_they_stand(shape: dict[str, Any], language: Language) -> None:
    doubted = memory(1, kind="note", confidence=0.9, doubted_since=SINCE)
    profile = StandingProfile(locale="zh-CN" if language == "zh" else "en-GB", notes=(doubted,))
    reply = memory(2, kind="reply")
    told = all_content(context(ContextMaterial(profile, memories=(reply,)), **shape).messages)
    guide, brought = told[: told.index(doubted.text)], told[told.index(doubted.text) :]
    begin, end = {"en": ("until ", "?)"), "zh": ("至", "?)")}[language]
    assert re.search(rf"{begin}[^?]*{re.escape(end)}", brought)
    assert re.search(rf"{begin}[^?]*\?", guide)
    (speaker,) = {name for name in ("assistant_said", "assistant:", "助手") if name in brought}
    assert speaker in guide


def test_without_memory_or_on_request_there_is_no_guide() -> None:
    guide = render_usage_guide("en").splitlines()[1]
    assert guide in all_content(context(ContextMaterial(profile=ADA)).messages)
    assert guide not in all_content(context(ContextMaterial(profile=ADA), guide=False).messages)
    assert [message["role"] for message in context().messages] == ["user"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_has_guidance_of_its_own(phase: str, language: Language) -> None:
    assert render_phase_guidance(phase, language)
    assert len({render_phase_guidance(other, language) for other in PHASES}) == len(PHASES)


def test_no_phase_and_an_unknown_one_have_no_guidance() -> None:
    assert render_phase_guidance(None, "en") == ""
    assert render_phase_guidance("midnight", "zh") == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_ours_holds_markup(language: Language) -> None:
    bare = (SectionName.SYSTEM, SectionName.GUIDE, SectionName.PROFILE, SectionName.MEMORY)
    headed = (name for name in SectionName if name not in bare)
    texts = [
        render_usage_guide(language),
        render_usage_guide(language, compact=True),
        render_usage_guide(language, plain=True),
        *(render_phase_guidance(phase, language) for phase in PHASES),
    ]
    texts += [render_heading(name, language) for name in headed]
    assert not any(sign in text for text in texts for sign in "<>&")


@pytest.mark.parametrize(
    ("locale", "system_prompt", "tenant_locale", "language"),
    [
        ("zh-CN", "You are a helpful assistant.", "en", "zh"),
        ("en-GB", "你是车载助手。", "zh-CN", "en"),
        (None, "你是车载助手。", "en", "zh"),
        (None, "You are a car assistant.", "zh-CN", "en"),
        (None, "", "zh-CN", "zh"),
        (None, "", None, "en"),
        ("fr-FR", "", "zh-CN", "en"),
    ],
)
def test_the_language_follows_what_does_not_change_from_turn_to_turn(
    locale: str | None, system_prompt: str, tenant_locale: str | None, language: Language
) -> None:
    assert choose_guide_language(locale=locale, system_prompt=system_prompt, tenant_locale=tenant_locale) == language


@pytest.mark.parametrize(
    ("said_first", "language"),
    [(["导航回家"], "zh"), (["Navigate home"], "en"), (["👍", "导航回家", "Hello"], "zh"), (["👍"], "en"), ([], "en")],
)
def test_without_all_that_the_first_words_with_a_language_decide(said_first: list[str], language: Language) -> None:
    assert choose_guide_language(locale=None, system_prompt="", tenant_locale=None, said_first=said_first) == language
    assert choose_guide_language(locale="zh-CN", system_prompt="", tenant_locale=None, said_first=said_first) == "zh"
    assert (
        choose_guide_language(locale=None, system_prompt="Be kind.", tenant_locale=None, said_first=said_first) == "en"
    )


def test_without_a_conversation_the_words_of_the_profile_decide() -> None:
    told = [make_profile_fact("mbti", "INTJ", SURE), make_profile_fact("occupation", "老师", SURE)]
    seen = [context(ContextMaterial(profile=StandingProfile(fields=(fact,)))).language for fact in told]
    assert seen == ["en", "zh"]


@pytest.mark.parametrize(("query", "language"), [("晚饭推荐", "zh"), ("Dinner ideas", "en"), ("🍜", "en")])
def test_where_nothing_else_says_anything_the_query_decides(query: str, language: Language) -> None:
    notes = tuple(memory(number, text) for number, text in enumerate(("我不吃香菜", "I love laksa")))
    assert context(ContextMaterial(memories=notes), query).language == language


@pytest.mark.parametrize("material", [ContextMaterial(profile=ADA), ContextMaterial(profile=ANYBODY)])
def test_a_query_in_another_language_does_not_change_the_prefix(material: ContextMaterial) -> None:
    asked: tuple[dict[str, Any], ...] = ({}, {"system_prompt": "Be kind."}, {"tenant_locale": "zh-CN"})
    for request in asked:
        english, chinese = (context(material, query, **request) for query in ("Navigate home", "导航回家"))
        assert english.messages[0] == chinese.messages[0]
        assert english.language == chinese.language


def test_a_chinese_subject_gets_guide_and_phase_in_chinese() -> None:
    result = context(ContextMaterial(profile=StandingProfile(locale="zh-CN", fields=ADA.fields)), phase="opening")
    assert "# 记忆\n" in result.messages[0]["content"]
    assert "对话刚开始" in result.messages[1]["content"]
    assert result.language == "zh"
