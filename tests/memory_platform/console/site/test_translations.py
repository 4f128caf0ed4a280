"""The console speaks Chinese, completely. Rows: D2."""

import re
from pathlib import Path

import pytest

from memory_platform.console.site import catalogue
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff


def test_every_text_of_ours_is_in_the_catalogue_with_its_translation() -> None:
    chinese = catalogue.read_catalogue()
    known = {(entry.msgid, entry.msgid_plural) for entry in chinese}
    assert catalogue.texts() - known == set(), "run: manage.py translate"
    assert known - catalogue.texts() == set(), "no longer shown; run: manage.py translate"
    assert [entry.msgid for entry in chinese.untranslated_entries()] == []
    assert [entry.msgid for entry in chinese.fuzzy_entries()] == []


def test_the_compiled_catalogue_is_the_one_that_is_read(tmp_path: Path) -> None:
    catalogue.save(catalogue.read_catalogue(), tmp_path)
    assert (tmp_path / catalogue.MO.name).read_bytes() == catalogue.MO.read_bytes(), "run: manage.py translate"


def test_translations_keep_the_placeholders() -> None:
    for entry in catalogue.read_catalogue():
        for translation in (entry.msgstr, *entry.msgstr_plural.values()):
            if translation:
                said = entry.msgid_plural or entry.msgid  # Chinese has one form, for one as for many
                assert set(re.findall(r"%\(\w+\)\w", said)) == set(re.findall(r"%\(\w+\)\w", translation))


def test_a_token_of_text_has_one_name() -> None:
    """令牌 is what a key would be; a token that a model reads is 词元, on every page."""
    translations = "".join(
        one for entry in catalogue.read_catalogue() for one in (entry.msgstr, *entry.msgstr_plural.values())
    )
    assert "词元" in translations
    assert "令牌" not in translations
    assert re.search(r"(?<![\w(])token(?!\w)", re.sub(r"%\(\w+\)\w", "", translations)) is None


def test_texts_are_found_in_python_and_in_templates() -> None:
    python = "a = _('one')\nb = ngettext('%(n)d row', '%(n)d rows', n)\nc = other('no')\nd = _(f'{e}')"
    assert set(catalogue.texts_of_python(python)) == {("one", ""), ("%(n)d row", "%(n)d rows")}
    template = (
        '{% load i18n %}<p>{% translate "It\'s here" %}</p>{% blocktranslate %}Add {{ name }}{% endblocktranslate %}'
    )
    assert set(catalogue.texts_of_template(template)) == {("It's here", ""), ("Add %(name)s", "")}
    counted = (
        "{% load i18n %}{% blocktranslate count n=n %}{{ n }} isn't{% plural %}{{ n }} aren't{% endblocktranslate %}"
    )
    assert set(catalogue.texts_of_template(counted)) == {("%(n)s isn't", "%(n)s aren't")}


def test_a_new_text_waits_for_its_translation_and_an_old_one_goes() -> None:
    chinese = catalogue.read_catalogue()
    wanted = (catalogue.texts() | {("brand new", "")}) - {("tenant", "")}
    assert catalogue.bring_up_to_date(chinese, wanted) == ["brand new"]
    assert chinese.find("tenant") is None


def test_the_language_chooser_turns_the_console_chinese(world: World, staff: Staff) -> None:
    assert "What is known" in staff.sam.get("/console/").content.decode()
    staff.sam.post("/i18n/setlang/", {"language": "zh-hans", "next": "/console/"})
    page = staff.sam.get("/console/").content.decode()
    for words in ("记忆平台", "已知信息", "会话与记忆", "租户与权限", "偏好", "客服", "所有时间均为 UTC。"):
        assert words in page
    assert "What is known" not in page


@pytest.mark.parametrize(("accepted", "word"), [("zh-CN,zh;q=0.9", "用户名"), ("fr", "Username")])
def test_a_newcomer_is_met_in_the_language_of_the_browser(world: World, staff: Staff, accepted: str, word: str) -> None:
    staff.sam.logout()
    assert word in staff.sam.get("/console/login/", headers={"accept-language": accepted}).content.decode()
