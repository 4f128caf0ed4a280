"""Short messages that only answer the assistant's question, and their statements. Pure.

"Are you still working at Acme?" "Yes" states "I am still working at Acme". An evasive answer states nothing.
"""

import re
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.grading.clause_features import SHORT_ANSWER, count_words, find_question
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching

_RE = load_patterns(Path(__file__).with_name("data") / "bare_answers.toml")
_ALONE = 5
# The longest answer that names one thing, in characters.
_LONGEST_WHAT = 24
_VERBS = {"'re": "am", " are": "am", " have": "have", "": "do"}
_MINE = ((r"\byour\b", "my"), (r"\byours\b", "mine"), (r"\byourself\b", "myself"), (r"\byou\b", "I"))


def is_bare_answer(text: str, previous: str) -> bool:
    asked = find_question(previous)
    return ("?" in asked or "?" in asked) and count_words(text) <= SHORT_ANSWER and "?" not in fold_for_matching(text)


def is_evasive(text: str) -> bool:
    form = fold_for_matching(text)
    return bool(_RE["evades"].search(form) or (count_words(form) <= _ALONE and _RE["evades_alone"].match(form)))


def says_yes(text: str) -> bool:
    return _RE["yes"].fullmatch(fold_for_matching(text)) is not None


def says_no(text: str) -> bool:
    return _RE["no"].fullmatch(fold_for_matching(text)) is not None


def restate_answer(text: str, previous: str) -> str:
    """Return the statement of a bare answer to the assistant's question; "" where it is about the moment."""
    yes, no = says_yes(text), says_no(text)
    asked = fold_for_matching(find_question(previous)).strip()
    if not is_bare_answer(text, previous) or is_evasive(text) or _RE["wants"].search(asked):
        return ""
    if not yes and not no:
        return _restate_repeated_verb(asked, text) or _restate_named_thing(asked, text)
    if yes == no:
        return ""
    return (
        _restate_yes_no_zh(asked, yes=yes)
        if detect_rule_language(asked) == "zh"
        else _restate_yes_no_en(asked, yes=yes)
    )


def restate_offer(offer: str) -> str:
    """Return the statement of a yes to an offer: "you like window seats" as "I like window seats"."""
    said = fold_for_matching(offer).strip(" .。")
    if detect_rule_language(said) == "zh":
        return re.sub("[你您]", "我", said)
    return _to_first_person(re.sub(r"\byou are\b|\byou're\b", "I am", said, flags=re.IGNORECASE))


def _restate_repeated_verb(question_form: str, text: str) -> str:
    """Return the statement of an answer that repeats the verb of its question: 您吃辣吗? 不吃."""
    found, question = _RE["verb_zh"].fullmatch(fold_for_matching(text)), _RE["asked_zh"].fullmatch(question_form)
    if (
        found is None
        or question is None
        or _RE["who_zh"].search(question_form)
        or found["verb"] not in question["rest"]
    ):
        return ""
    said = re.sub("[你您]", "我", question["rest"])
    if found["no"] is None:
        return said
    verb = found["verb"]
    return said.replace(verb, ("没" if verb == "有" else "不") + verb, 1)


def _restate_named_thing(question_form: str, text: str) -> str:
    """Return the statement of an answer that names the thing asked for: 您喜欢听什么音乐? 民谣."""
    thing = fold_for_matching(text).strip(" .!,。")
    if not thing or len(thing) > _LONGEST_WHAT or _RE["says_more"].search(thing):
        return ""
    if found := _RE["what_zh"].fullmatch(question_form):
        return f"我{found['rest']}{thing}"
    if found := _RE["what_en"].fullmatch(question_form):
        noun = f" {found['noun']}" if found["noun"] and found["noun"] not in thing and " " not in found["noun"] else ""
        return f"I {found['rest']} {thing}{noun}"
    return ""


def _restate_yes_no_en(question_form: str, *, yes: bool) -> str:
    for pattern, be in (
        (_RE["are_en"], "am"),
        (_RE["do_en"], "do"),
        (_RE["tag_en"], ""),
        (_RE["is_en"], ""),
    ):
        found = pattern.fullmatch(question_form)
        if found is None:
            continue
        parts = found.groupdict()
        rest, still = _to_first_person(parts["rest"]), bool(parts.get("still"))
        if pattern is _RE["is_en"]:
            what, _, where = rest.partition(" still ")
            return f"My {what} {parts['verb'].lower()} {where}" if yes and where else ""
        verb = _VERBS[parts["verb"].lower()] if pattern is _RE["tag_en"] else be
        return _build_sentence_en(verb, rest, yes=yes, still=still)
    return ""


def _build_sentence_en(be: str, rest: str, *, yes: bool, still: bool) -> str:
    if yes:
        return f"I {rest}" if be == "do" else f"I {be} {rest}"
    if still:
        return f"I no longer {rest}" if be == "do" else f"I {be} no longer {rest}"
    return f"I do not {rest}" if be == "do" else f"I {be} not {rest}"


def _restate_yes_no_zh(question_form: str, *, yes: bool) -> str:
    found = _RE["asked_zh"].fullmatch(question_form)
    if found is None or _RE["who_zh"].search(found["rest"]):
        return ""
    said = re.sub("[你您]", "我", found["rest"])
    if yes:
        return _RE["still_zh"].sub("", said)
    return _RE["still_zh"].sub("不再", said, count=1) if _RE["still_zh"].search(said) else ""


def _to_first_person(rest: str) -> str:
    for theirs, mine in _MINE:
        rest = re.sub(theirs, mine, rest, flags=re.IGNORECASE)
    return rest.strip()
