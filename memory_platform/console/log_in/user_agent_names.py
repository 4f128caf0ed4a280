"""A browser's own description in a few words. It is shown, never trusted."""

import re

from django.utils.translation import gettext as _

# The first that matches counts: most browsers also claim to be others.
BROWSERS = {
    "Edge": r"Edg(e|A|iOS)?/",
    "Opera": r"OPR/",
    "Firefox": r"Firefox/|FxiOS/",
    "Chrome": r"Chrom(e|ium)/|CriOS/",
    "Safari": r"Safari/",
}
SYSTEMS = {
    "iOS": r"iPhone|iPad",
    "Android": r"Android",
    "Windows": r"Windows",
    "macOS": r"Mac OS X",
    "Linux": r"Linux|X11",
}


def describe_device(user_agent: str) -> str:
    """Return browser and system, such as "Firefox, Linux"."""
    names = [_find_name(BROWSERS, user_agent), _find_name(SYSTEMS, user_agent)]
    return ", ".join(filter(None, names)) or _("unknown device")


def _find_name(patterns: dict[str, str], user_agent: str) -> str:
    return next((name for name, pattern in patterns.items() if re.search(pattern, user_agent)), "")
