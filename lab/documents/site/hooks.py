"""What MkDocs calls when it builds the site: pages that no file of ``docs/`` holds, links, pictures, languages.

``mkdocs.yml`` and ``mkdocs.zh.yml`` name this file. Nothing here opens a connection.
"""

import re
from pathlib import Path
from typing import Any

import orjson
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from lab.documents.site.reference_pages import REFERENCE, make_reference_nav, make_reference_pages
from lab.documents.site.repository_pages import (
    README_PARTS,
    ROOT,
    SiteMap,
    find_address,
    list_linked_files,
    map_chinese_site,
    map_english_site,
    split_readme,
)

OPENAPI = ROOT / "tests" / "golden" / "openapi.json"
# Material would fetch Mermaid from another host; a copy that is there already keeps it from that.
MERMAID = Path(__file__).parent / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"
MERMAID_PAGE = "assets/mermaid.tiny.js"
FIRST_SCRIPT = '<script id="__config"'
ALTERNATE_LINK = re.compile(r'<link rel="alternate"[^>]*>\s*')
# MkDocs makes links relative to their page, and cannot lead above the site. It leaves alone what begins so.
AS_IT_STANDS = "#as-it-stands/"
PICTURE = re.compile(r"\(docs/([^)\s]+\.png)\)")


def find_language(config: MkDocsConfig) -> str:
    """Return the language of the site that is built: en or zh."""
    return str(config.theme["language"])


def make_site_map(config: MkDocsConfig) -> SiteMap:
    """Return where the files of the repository stand in the site that is built."""
    return map_english_site() if find_language(config) == "en" else map_chinese_site()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the navigation's part for the reference."""
    for part in config.nav or []:
        if isinstance(part, dict) and REFERENCE in part:
            part[REFERENCE] = make_reference_nav(orjson.loads(OPENAPI.read_bytes()))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of READMEs, of files elsewhere and of the OpenAPI document."""
    language = find_language(config)
    parts = README_PARTS[language]
    readme = (ROOT / parts.readme).read_text(encoding="utf-8")
    made = split_readme(parts, readme)
    if language == "en":
        made |= make_reference_pages(orjson.loads(OPENAPI.read_bytes()))
        for name, page in list_linked_files():
            files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    else:
        for picture in sorted(set(PICTURE.findall(readme))):
            files.append(File.generated(config, picture, abs_src_path=str(ROOT / "docs" / picture)))
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    if not MERMAID.exists():
        raise PluginError("Mermaid, which draws the pictures, is not installed. Run `make docs`; it needs npm once.")
    files.append(File.generated(config, MERMAID_PAGE, abs_src_path=str(MERMAID)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to pages of the site, also those of files outside ``docs/``."""
    site = make_site_map(config)
    sources = {place: name for name, place in site.pages.items()}
    readme = README_PARTS[find_language(config)].readme
    path = page.file.src_uri
    return site.rewrite_links(markdown, source=sources.get(path, readme), page=path)


def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation) -> dict[str, Any]:
    """Lead the choice of language to the same page in the other one, or to its home."""
    is_english = find_language(config) == "en"
    place, other = page.file.src_uri, map_chinese_site() if is_english else map_english_site()
    here = find_address(place)
    there = here if place in {*other.pages.values(), *other.sections.values()} else ""
    up = "../" * here.count("/")
    english, chinese = (f"./{up}{here}", f"{up}zh/{there}") if is_english else (f"{up}../{there}", f"./{up}{here}")
    config.extra["alternate"] = [
        {"name": "English", "lang": "en", "link": f"{AS_IT_STANDS}{english}"},
        {"name": "中文", "lang": "zh", "link": f"{AS_IT_STANDS}{chinese}"},
    ]
    return context


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Load Mermaid from the site itself, on pages with a picture."""
    # Material's script would look for a sitemap below each of them. The menu of languages has the same links.
    output = ALTERNATE_LINK.sub("", output).replace(f'href="{AS_IT_STANDS}', 'href="')
    if 'class="mermaid"' not in output:
        return output
    here = "../" * find_address(page.file.src_uri).count("/")
    return output.replace(FIRST_SCRIPT, f'<script src="{here}{MERMAID_PAGE}"></script>{FIRST_SCRIPT}', 1)
