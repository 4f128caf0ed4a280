"""The console speaks Chinese, completely. Rows: D2."""

import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract

from memory_platform.console.site import translation_catalogue
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

# One worker looks for the texts in all files.
one_worker = pytest.mark.xdist_group("translations")


@cache
def extract_once() -> Catalog:
    """Return the texts of the product. They are looked for in all its files; a test that changes them copies them."""
    return translation_catalogue.extract_texts()


def texts_of(catalogue: Catalog) -> set[Any]:
    return {message.id for message in catalogue if message.id}


def translations() -> Iterator[tuple[str, str]]:
    """Yield each text and its translation; of a counted text the plural, for Chinese has one form."""
    for message in translation_catalogue.read_catalogue():
        text = message.id if isinstance(message.id, str) else message.id[-1]
        yield from ((text, translation) for translation in translation_catalogue.translations_of(message) if text)


@one_worker
def test_every_text_of_ours_is_in_the_catalogue_with_its_translation() -> None:
    chinese, wanted = translation_catalogue.read_catalogue(), extract_once()
    assert texts_of(wanted) - texts_of(chinese) == set(), "run: manage.py translate"
    assert texts_of(chinese) - texts_of(wanted) == set(), "no longer shown; run: manage.py translate"
    assert [text for text, translation in translations() if not translation] == []
    assert [message.id for message in chinese if message.id and message.fuzzy] == []


def test_the_compiled_catalogue_is_the_one_that_is_read(tmp_path: Path) -> None:
    translation_catalogue.save_catalogue(translation_catalogue.read_catalogue(), tmp_path)
    assert (tmp_path / translation_catalogue.MO_FILE.name).read_bytes() == translation_catalogue.MO_FILE.read_bytes(), (
        "run: manage.py translate"
    )


def test_translations_keep_the_placeholders() -> None:
    for text, translation in translations():
        assert set(re.findall(r"%\(\w+\)\w", text)) == set(re.findall(r"%\(\w+\)\w", translation))


def test_a_token_of_text_has_one_name() -> None:
    """令牌 is what a key would be; a token that a model reads is 词元, on every page."""
    chinese = "".join(translation for _text, translation in translations())
    assert "词元" in chinese
    assert "令牌" not in chinese
    assert re.search(r"(?<![\w(])token(?!\w)", re.sub(r"%\(\w+\)\w", "", chinese)) is None


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("""{% translate "It's here" %}""", "It's here"),
        ("{% blocktranslate %}Add {{ name }}{% endblocktranslate %}", "Add %(name)s"),
        (
            "{% blocktranslate count n=n %}{{ n }} isn't{% plural %}{{ n }} aren't{% endblocktranslate %}",
            ("%(n)s isn't", "%(n)s aren't"),
        ),
    ],
)
def test_texts_are_found_in_templates(template: str, text: Any) -> None:
    source = BytesIO(f"{{% load i18n %}}\n   <p>{template}</p>".encode())
    found = extract(translation_catalogue.extract_template, source, keywords=translation_catalogue.KEYWORDS)
    assert [row[1] for row in found] == [text]


@one_worker
def test_a_new_text_waits_for_its_translation_and_an_old_one_goes() -> None:
    chinese, wanted = translation_catalogue.read_catalogue(), deepcopy(extract_once())
    wanted.add("brand new")
    wanted.delete("tenant")
    assert translation_catalogue.update_catalogue(chinese, wanted) == ["brand new"]
    assert chinese.get("tenant") is None


def test_the_language_chooser_turns_the_console_chinese(world: World, staff: Staff) -> None:
    assert "First steps" in staff.sam.get("/console/").content.decode()
    staff.sam.post("/i18n/setlang/", {"language": "zh-hans", "next": "/console/"})
    page = staff.sam.get("/console/").content.decode()
    for words in ("记忆平台", "用户", "回答", "审核", "全部数据", "偏好", "客服", "所有时间均为 UTC。"):
        assert words in page
    assert "First steps" not in page


@pytest.mark.parametrize(("accepted", "word"), [("zh-CN,zh;q=0.9", "用户名"), ("fr", "Username")])
def test_a_newcomer_is_met_in_the_language_of_the_browser(world: World, staff: Staff, accepted: str, word: str) -> None:
    staff.sam.logout()
    assert word in staff.sam.get("/console/login/", headers={"accept-language": accepted}).content.decode()
