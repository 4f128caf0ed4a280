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


@cache
def read_once() -> Catalog:
    return translation_catalogue.read_catalogue()


def translations() -> Iterator[tuple[str, str]]:
    """Yield each text and its translation; of a counted text the plural, for Chinese has one form."""
    for message in read_once():
        text = message.id if isinstance(message.id, str) else message.id[-1]
        yield from ((text, translation) for translation in translation_catalogue.list_translations(message) if text)


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


# A word of the glossary, its Chinese, and Chinese words that would say the same thing in another way.
GLOSSARY = (
    ("certificate", "证书", "凭证"),
    ("confidence", "置信度", "可信度"),
    ("correct", "更正", "纠正"),
    ("disable", "禁用", "停用"),
    ("episode", "经历", "情节|情景"),
    ("erase", "抹除", "清除|擦除"),
    ("forget", "遗忘", "忘掉|忘却"),
    ("id", "ID", "标识|编号"),
    ("job", "作业", "任务"),
    ("operator", "平台运营者", "运维|操作员"),
    ("playground", "试验场", "试用场|调试台"),
    ("profile", "画像", "档案"),
    ("prompt", "提示词", "提示(?!词)"),
    ("proposal", "提议", "候选|建议"),
    ("provenance", "得知方式", "来源"),
    ("reader", "识别器", "读取器"),
    ("reason", "原因", "理由"),
    ("receipt", "回执", "凭据|收据"),
    ("relevance", "相关性", "相关度"),
    ("retire", "停用", "禁用|退役"),
    ("review", "审核", "复核|复查|评审"),
    ("revoke", "吊销", "撤回|撤销"),
    ("staff", "员工", "客服"),
    ("subject", "用户", "主体"),
    ("task", "任务", "作业"),
    ("token", "词元", "令牌"),
    ("vital", "至关重要", "要紧|关键"),
)


@pytest.mark.parametrize(("word", "chinese", "other"), GLOSSARY)
def test_a_word_of_the_glossary_has_one_translation(word: str, chinese: str, other: str) -> None:
    assert re.search(rf"\b{word} {chinese}(?: |$)", str(read_once().header_comment), re.M)
    forms = re.compile(rf"\b{word}(?:s|e?d|ing|ion|ions)?\b", re.I)
    using = [(text, translation) for text, translation in translations() if forms.search(text)]
    assert using
    assert [text for text, translation in using if re.search(other, translation)] == []


def test_punctuation_beside_chinese_is_full_width() -> None:
    half_width = re.compile(r"[\u4e00-\u9fff”）][,:;?!(]|[,;:?!)][\u4e00-\u9fff]|[，。；：？！] | [，。；：？！）]")
    assert [translation for _text, translation in translations() if half_width.search(translation)] == []


def test_no_token_is_left_in_english() -> None:
    chinese = "".join(translation for _text, translation in translations())
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
