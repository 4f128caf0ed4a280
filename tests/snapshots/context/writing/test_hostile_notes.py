"""Notes, their labels and kept questions, and replies: none leaves its place in any format or style. Rows: X4, E2."""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from snapshots.context.gathering.candidate_items import mark_instructions, render_note_words
from snapshots.context.values import AssembledContext, ContextMaterial, MemoryItem
from snapshots.context.writing.prompt_fence import remove_unseen_characters
from tests.snapshots.context.world import NONCE, all_content, context, memory, words_in
from tests.snapshots.context.writing.test_hostile import (
    PLENTY,
    SHORT,
    STYLES,
    each_text,
    everywhere,
    find_forged,
    line_of,
    outside,
    parse_content,
)

pytestmark = pytest.mark.sampled
CALM = "calm words"
PASSAGES = {"task", "document", "conversation_summary"}


def note(number: int, words: str, **more: Any) -> MemoryItem:
    return mark_instructions(memory(number, words, kind="note", grade="fact", **more))


def with_notes(text: str) -> ContextMaterial:
    """Return a material with ``text`` in every place that a note or a reply can have, and all others."""
    held = everywhere(text)
    standing = (
        note(11, render_note_words(text, (text, text), ""), vital=True),
        note(12, render_note_words("Yes, both", ("", ""), f"{text}?"), vital=True),
        note(13, render_note_words(text, (text, "aunt"), ""), provenance=text),
    )
    asked = (
        note(21, render_note_words("Fish", (text, text), "")),
        note(22, render_note_words("On Tuesday", ("", ""), f"{text}？")),
        mark_instructions(memory(23, f"{text} said I", kind="reply")),
    )
    return replace(held, profile=replace(held.profile, notes=standing), memories=(*held.memories, *asked))


def kept_items(result: AssembledContext, material: ContextMaterial) -> list[MemoryItem]:
    profile = material.profile
    items = (*profile.fields, *profile.attributes, *profile.preferences, *profile.tags, *profile.notes)
    kept = {(one.lane, one.id) for one in result.decisions if one.position}
    return [one for one in (*items, *material.memories) if (one.lane, one.id) in kept]


@each_text
def test_each_note_and_reply_stands_in_its_element_alone(text: str) -> None:
    material = with_notes(text)
    # One text holds the elements that the messages hold; a long one takes a second in all its places and styles.
    for style, format_ in product(STYLES, ("messages", "text") if text in SHORT else ("messages",)):
        assert_notes_stand_alone(material, style, format_)


def write(material: ContextMaterial, style: str, format_: str) -> AssembledContext:
    asked: dict[str, Any] = {"phase": "opening", "budget": PLENTY, "style": style, "format": format_}
    return context(material, "茶?", system_prompt="Be kind.", **asked)


@cache
def write_calm(style: str, format_: str) -> AssembledContext:
    return write(with_notes(CALM), style, format_)


def assert_notes_stand_alone(material: ContextMaterial, style: str, format_: str) -> None:
    result, harmless = write(material, style, format_), write_calm(style, format_)
    root, calm = (parse_content(one.text or all_content(one.messages[:2])) for one in (result, harmless))
    assert outside(root).split() == outside(calm).split()
    assert all(len(one) == 0 for one in root)
    assert [one.tag for one in root if one.tag != "user_memory"] == [one.tag for one in calm if one.tag in OTHERS]
    assert {one.get("nonce") for one in root.iter("user_memory")} == {None, NONCE}
    kept = kept_items(result, material)
    assert {"m-11", "m-12"} <= {one.id for one in kept}, "vital notes stay, whatever they say"
    told = [remove_unseen_characters(one.text) if style == "full" else line_of(one) for one in kept]
    assert sorted(words_in(result.text or all_content(result.messages[:2]))) == sorted(told)


OTHERS = PASSAGES | {"turn", "query"}


@each_text
def test_bare_lines_hold_a_line_for_each_and_forge_nothing(text: str) -> None:
    held = with_notes(text)
    material = ContextMaterial(profile=held.profile, memories=held.memories)
    result = context(material, "茶?", budget=PLENTY, format="plain")
    contents = all_content(result.messages[:2])
    kept = kept_items(result, material)
    lines = contents.split("\n")
    assert sum(line.startswith(("- ", "~ ", "? ")) for line in lines) == len(kept)
    fenced = [one for one in parse_content(contents) if one.tag == "user_memory"]
    orders = [one for one in kept if one.untrusted_instruction]
    assert len(words_in(contents)) == len(orders)
    assert all(one.get("caution") for one in fenced)
    bare = [line for line in lines if line.startswith(("- ", "~ ", "? "))]
    assert find_forged(bare) == []
