"""READMEs become pages, and links lead to pages of the site. Rows: D15."""

import re
from collections import Counter

import pytest

from lab.documents.site.repository_pages import (
    FIRST_STEPS,
    HOME,
    LINK,
    README_PARTS,
    ROOT,
    ReadmeParts,
    SectionMissing,
    find_address,
    map_chinese_site,
    map_english_site,
    split_readme,
)

# The site's own navigation leaves them out.
NOT_IN_NAVIGATION = {"features.md"}
LISTED_PAGE = re.compile(r"^ +- (?:.*: )?([\w/-]+\.md)$", re.MULTILINE)
PARTS = ReadmeParts("README.md", "Begin", ("Run",), ("Next",))


def test_a_readme_is_split() -> None:
    text = "# Us\n\nHello.\n\n## Why\n\nSo.\n\n## Run\n\n```sh\nmake run\n```\n\n## Next\n\nMore.\n"
    assert split_readme(PARTS, text) == {
        HOME: "# Us\n\nHello.\n\n## Why\n\nSo.\n\n",
        FIRST_STEPS: "# Begin\n\n## Run\n\n```sh\nmake run\n```\n\n",
    }


def test_a_section_that_is_gone_is_named() -> None:
    with pytest.raises(SectionMissing, match=r"README.md has no section Next."):
        split_readme(PARTS, "# Us\n\n## Run\n\nx\n")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_readmes_have_their_sections(language: str) -> None:
    parts = README_PARTS[language]
    pages = split_readme(parts, (ROOT / parts.readme).read_text(encoding="utf-8"))
    assert "manage.py create_key --tenant acme" in pages[FIRST_STEPS]
    assert "create_key" not in pages[HOME]


@pytest.mark.parametrize(
    ("link", "source", "page", "rewritten"),
    [
        ("[a](docs/api.md#x)", "README.md", HOME, "[a](api.md#x)"),
        ("[a](docs/api.md)", "README.md", FIRST_STEPS, "[a](../api.md)"),
        ("![a](docs/console/why.png)", "README.md", HOME, "![a](console/why.png)"),
        ("[a](README.zh.md)", "README.md", HOME, "[a](zh/)"),
        ("[a](../README.md#first-recall-in-five-minutes)", "docs/api.md", "api.md",
         "[a](start/first-memory.md#first-recall-in-five-minutes)"),
        ("[a](../README.md)", "docs/api.md", "api.md", "[a](index.md)"),
        ("[a](../../lab/notes/care.md#x)", "docs/operations/care.md", "operations/care.md",
         "[a](../repository/lab/notes/care.md#x)"),
        ("[a](../lab/runs)", "docs/cost.md", "cost.md", "a (`lab/runs`)"),
        ("[a](nowhere.md)", "docs/cost.md", "cost.md", "[a](nowhere.md)"),
        ("[a](#x) [b](https://example.com/docs/api.md)", "docs/cost.md", "cost.md",
         "[a](#x) [b](https://example.com/docs/api.md)"),
        ("```md\n[a](../README.md)\n```", "docs/api.md", "api.md", "```md\n[a](../README.md)\n```"),
    ],
)  # fmt: skip
def test_a_link_leads_to_a_page_of_the_site(link: str, source: str, page: str, rewritten: str) -> None:
    assert map_english_site().rewrite_links(link, source=source, page=page) == rewritten


@pytest.mark.parametrize(
    ("link", "source", "page", "rewritten"),
    [
        ("[概念](memory.md)", "docs/zh/concepts/tenants.md", "concepts/tenants.md", "[概念](memory.md)"),
        (
            "[审计](../../operations/audit.md#x)",
            "docs/zh/concepts/tenants.md",
            "concepts/tenants.md",
            "[审计](../../../operations/audit/#x)",
        ),
        ("[接口](docs/api.md)", "README.zh.md", HOME, "[接口](../api/)"),
        ("[客户端](docs/clients/README.md)", "README.zh.md", FIRST_STEPS, "[客户端](../../../clients/)"),
        ("[English](README.md)", "README.zh.md", HOME, "[English](../)"),
    ],
)
def test_a_chinese_page_leads_to_english_ones_above(link: str, source: str, page: str, rewritten: str) -> None:
    assert map_chinese_site().rewrite_links(link, source=source, page=page) == rewritten


@pytest.mark.parametrize(
    ("page", "address"),
    [("index.md", ""), ("api.md", "api/"), ("clients/README.md", "clients/"), ("a/b/c.md", "a/b/c/")],
)
def test_a_page_has_an_address(page: str, address: str) -> None:
    assert find_address(page) == address


def test_the_navigation_names_every_page_once() -> None:
    listed = Counter(LISTED_PAGE.findall((ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    docs = ROOT / "docs"
    pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")}
    assert {one for one in pages if not one.startswith("zh/")} - listed.keys() == NOT_IN_NAVIGATION
    assert {page: count for page, count in listed.items() if count > 1} == {}


def list_readme_pages(readme: str) -> set[str]:
    """Return the pages that a README links; of those in both languages, the English ones."""
    links = LINK.finditer((ROOT / readme).read_text(encoding="utf-8"))
    pages = {link["target"].partition("#")[0].replace("docs/zh/", "docs/") for link in links if not link["image"]}
    return pages - {"README.md", "README.zh.md"}


def test_both_readmes_lead_to_the_same_pages() -> None:
    assert list_readme_pages("README.zh.md") == list_readme_pages("README.md")
