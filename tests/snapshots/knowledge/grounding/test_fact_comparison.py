"""What a sentence says otherwise than its evidence, in English and Chinese. Rows: K3."""

import pytest

from snapshots.knowledge.grounding.claim_facts import find_facts
from snapshots.knowledge.grounding.fact_comparison import compare_facts
from tests.growth import assert_linear


def list_kinds(claim: str, evidence: str) -> set[str]:
    return {one.kind for one in compare_facts(claim, evidence)}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It takes two billion steps, or 12,000 at 2.5 each.", {"2000000000", "12000", "2.5"}),
        ("only one of them", set()),
        ("一共有十二个，最多两万三千个", {"12", "23000"}),
        ("一些人万一来了", set()),
        ("press F3 for the 32-bit form of 4GiB", {"32", "4"}),
        ("release 1.2.3 of 1,2", {"1.2.3", "1,2"}),
        ("写了两" + "亿" * 60, {"两" + "亿" * 60}),
    ],
)
def test_numbers_are_read_by_their_value(text: str, values: set[str]) -> None:
    assert set(find_facts(text).numbers) == values


@pytest.mark.parametrize(
    ("claim", "evidence", "kinds"),
    [
        ("The cache keeps 500 entries.", "Up to 500 entries stay in the cache.", set()),
        ("The cache keeps 500 entries.", "Up to 800 entries stay in the cache.", {"number"}),
        ("The cache keeps six entries.", "Up to 6 entries stay in the cache.", set()),
        ("默认保留八个条目。", "缓存默认保留 6 个条目。", {"number"}),
        ("默认保留六个条目。", "缓存默认保留 6 个条目。", set()),
        ("Files above 100 KB are refused.", "Files of more than 100 megabytes are refused.", {"number"}),
        ("标题不超过 80 个字符。", "屏幕宽 80 列，所以标题不超过 60 个字符。", {"number"}),
        ("The option max_age sets it.", "It is set by max_size.", {"name"}),
        ("用 zip 打包。", "打包时请用 tar 命令。", {"name"}),
        ("The port is not open by default.", "By default the port is open.", {"denial"}),
        ("The port is closed, not open.", "The port is not open (which may change without notice).", set()),
        ("安装后不会删除缓存。", "安装后会删除缓存。", {"denial"}),
        ("All requests are logged.", "Requests are never logged.", {"denial", "opposite"}),
        ("Send it before the deadline.", "Send it after the deadline.", {"opposite"}),
        ("It is off without a network.", "Nothing depends on the network.", set()),
        ("The flag is on.", "The flag is off.", {"opposite"}),
        ("A signed number takes two bytes.", "An unsigned number takes 2 bytes.", {"denial"}),
        ("Each number takes two bytes.", "The 2-byte numbers are unsigned.", set()),
        ("If none is set, it is not read.", "Unless one is set, it will not, and cannot, be read, never.", set()),
        ("看看文件里有没有这一行。", "请检查文件里是否存在这一行。", set()),
        ("兼容级别应当设成 10。", "兼容级别设置为 V10。", set()),
        ("The wait is limited in seconds.", "This is the maximum wait, in milliseconds.", {"number"}),
        ("A handler overrides flush().", "Handlers override the method close().", {"name"}),
        ("Install them with -U.", "They are installed by install -r.", {"name"}),
        ("看 .deb 文件用 dpkg。", "用法：dpkg --info foo.deb", set()),
        ("Longer URL first.", "Sort the longer URLs first.", set()),
        ("It reads any plan.", "It reads any non-parallel plan.", set()),
        ("It reads any parallel plan.", "It reads any non-parallel plan.", {"denial"}),
        ("打印机支持 PostScript。", "用于非 PostScript 打印机。", {"denial"}),
        ("It wakes after it holds the lock.", "It does not wake until it holds the lock.", set()),
        ("It takes several rows.", "It takes an array of rows instead of a single one.", set()),
        ("服务是免费的。", "提供收费的服务。", {"opposite"}),
        ("多数编辑器能打开。", "少数编辑器能够打开。", {"opposite"}),
        ("主题叫做“冻结目标”。", "这些主题叫做“发布目标”。", {"name"}),
    ],
)
def test_what_differs_is_named(claim: str, evidence: str, kinds: set[str]) -> None:
    assert list_kinds(claim, evidence) == kinds


def test_a_word_that_begins_a_sentence_is_no_name() -> None:
    assert set(find_facts("It stops. Adding a worker helps Apache.").names) == {"apache"}


def test_headings_have_names_where_the_evidence_has_no_other() -> None:
    assert not compare_facts("Setting up Postgres needs no root.", "No root is needed to set it up.", "1. Postgres")
    (found,) = compare_facts("Servers should run Sid.", "Servers should run Stable.", "Stable or Sid?")
    assert (found.kind, found.document_words) == ("name", "Stable")


def test_a_difference_tells_both_wordings() -> None:
    (found,) = compare_facts("It waits 30 seconds.", "It waits 90 seconds.")
    assert (found.kind, found.sentence_words, found.document_words) == ("number", "30", "90")
    (found,) = compare_facts("It waits 30 seconds.", "It waits 30 minutes.")
    assert (found.sentence_words, found.document_words) == ("30 s", "30 min")


@pytest.mark.parametrize("text", ["", "\x00", "9" * 4_000, "a-" * 2_000, "一" * 4_000, "(" * 4_000, "1,1," * 1_000])
def test_odd_texts_are_compared(text: str) -> None:
    compare_facts(text, text[::-1])
    compare_facts("It takes 5 s.", text)


@pytest.mark.parametrize("text", ["un" * 4_000, "a(" * 4_000])
def test_facts_are_found_in_linear_time(text: str) -> None:
    assert_linear(find_facts.__wrapped__, text)
