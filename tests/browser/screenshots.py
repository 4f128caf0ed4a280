"""Pictures of the console's main pages, from a running demo stack.

``DATA_DIR=DIR STACK_URL=URL python -m tests.browser.screenshots OUT`` beside ``manage.py up --data-dir DIR`` writes one
PNG per page into OUT, logged in as ``DIR/demo.json`` says. What the pages show is what the demo world holds.
"""

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from memory_platform.devstack.private_files import DemoAccess, read_demo_access
from tests.browser.program import CHROMIUM, SWITCHES

WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
# Pixels of a page that are shown; what is below looks like what is above.
TALLEST = 1_400
# Of the palette: text stays sharp, and every picture below 150 kB.
COLOURS = 256

WAIT_S = 5


@dataclass(frozen=True, slots=True)
class Picture:
    """One page as one person sees it; ``way``: what is clicked in the order of the clicks from ``address`` on."""

    name: str
    who: str
    address: str
    way: tuple[str, ...] = ()
    looks: Mapping[str, Any] = field(default_factory=dict)


SUBJECT = "profiles/subject/find/?q=ada"
LATEST = "section[aria-labelledby=s-answers] li a >> nth=0"
PICTURES = (
    Picture("start", "mia", ""),
    Picture("find", "sam", "profiles/subject/find/?q=Willow+Lnae"),
    Picture("subject", "sam", SUBJECT, (".moment-box summary", "a[rel=prev]", "a[rel=prev]")),
    Picture("why", "sam", SUBJECT, (LATEST,)),
    Picture(
        "correct", "sam", SUBJECT, ("section[aria-labelledby=s-tags] a:has-text('home')", "a[href$='/act/correct/']")
    ),
    Picture("review", "sam", "profiles/candidate/review/"),
    Picture("dashboard", "mia", "dashboard/"),
    Picture("operation", "operator", "operation/"),
    Picture("playground", "sam", SUBJECT, (LATEST, "a[href*=playground] >> nth=-1", ".play-submit input")),
    Picture("subject-zh", "sam", "profiles/subject/find/?q=lin-yue", (), {"locale": "zh-CN"}),
    Picture("subject-phone", "sam", SUBJECT, (), {"viewport": PHONE}),
    Picture("why-dark", "sam", SUBJECT, (LATEST,), {"color_scheme": "dark"}),
)


def main() -> None:
    """Take every picture, or those that are named."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("out", type=Path)
    asked.add_argument("names", nargs="*", help="only these pictures")
    given = asked.parse_args()
    access = read_demo_access(Path(os.environ.get("DATA_DIR", ".dev")))
    if access is None or CHROMIUM is None:
        raise SystemExit("needs a running demo stack (DATA_DIR names its folder) and Chromium")
    site = os.environ.get("STACK_URL", "http://127.0.0.1:8000")
    try:
        urlopen(f"{site}/health/live", timeout=WAIT_S).close()  # noqa: S310 -- the caller's own stack
    except OSError as fault:
        raise SystemExit(f"{site} does not answer ({fault}): start it, or name another in STACK_URL") from None
    given.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        for picture in PICTURES:
            if not given.names or picture.name in given.names:
                take_pictures(browser, site, access, picture, given.out / f"{picture.name}.png")
        browser.close()


def take_pictures(browser: Browser, site: str, access: DemoAccess, picture: Picture, path: Path) -> None:
    """Take one picture in a browser of its own."""
    context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **picture.looks})
    page = context.new_page()
    log_in_as(page, site, picture.who, access.logins[picture.who])
    page.goto(f"{site}/console/{picture.address}")
    for place in picture.way:
        page.click(place)
    page.wait_for_load_state("networkidle")
    page.mouse.move(0, 0)
    tall = int(page.evaluate("document.documentElement.scrollHeight"))
    width = page.viewport_size["width"] if page.viewport_size else WIDE["width"]
    page.set_viewport_size({"width": width, "height": min(tall, TALLEST)})
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=str(path))
    context.close()
    with Image.open(path) as taken:
        taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def log_in_as(page: Page, site: str, who: str, password: str) -> None:
    """Log in by the form; an operator chooses acme and says why."""
    page.goto(f"{site}/console/")
    page.fill("#id_username", who)
    page.fill("#id_password", password)
    page.click("input[type=submit]")
    if page.url.endswith("/switch/"):
        page.click("text=Acme")


if __name__ == "__main__":
    main()
