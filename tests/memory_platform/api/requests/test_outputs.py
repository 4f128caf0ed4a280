"""``Output.render``: an answer is read from the fields that its schema declares."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from rest_framework import serializers

from memory_platform.api.requests.fields import RoundedField
from memory_platform.api.requests.serializers import Output

ID = UUID("019aa9a4-7d2e-7c1b-9f60-3b1f6a3c2d10")


class PageOutput(Output):
    number = serializers.IntegerField()


class BookOutput(Output):
    id = serializers.UUIDField(source="row.id")
    label_ = serializers.CharField(source="row.name")
    subtitle = serializers.CharField(allow_null=True)
    motto = serializers.CharField(allow_blank=True, allow_null=True)
    score = RoundedField(digits=2, allow_null=True)
    pages = PageOutput(many=True)
    first = PageOutput(source="*")
    cover = PageOutput(allow_null=True)
    note = serializers.CharField(required=False)
    length = serializers.IntegerField()

    @staticmethod
    def render_length(book: Any) -> int:
        return len(book.pages)


class SoldBookOutput(BookOutput):
    price = serializers.IntegerField()


def book(**members: Any) -> SimpleNamespace:
    usual = {
        "row": SimpleNamespace(id=ID, name="Dune"),
        "subtitle": "",
        "motto": "",
        "score": 0.126,
        "pages": [SimpleNamespace(number=1), SimpleNamespace(number=2)],
        "number": 7,
        "cover": None,
        "note": None,
    }
    return SimpleNamespace(**{**usual, **members})


def test_reads_sources_methods_and_nested_outputs_in_the_declared_order() -> None:
    answer = BookOutput.render(book())
    assert answer == {
        "id": ID,
        "label": "Dune",
        "subtitle": None,
        "motto": "",
        "score": 0.13,
        "pages": [{"number": 1}, {"number": 2}],
        "first": {"number": 7},
        "cover": None,
        "length": 2,
    }
    assert list(answer) == ["id", "label", "subtitle", "motto", "score", "pages", "first", "cover", "length"]


def test_an_optional_field_stands_only_where_it_has_a_value() -> None:
    assert BookOutput.render(book(note="signed"))["note"] == "signed"
    assert BookOutput.render(book(score=None, cover=SimpleNamespace(number=3)))["cover"] == {"number": 3}


def test_given_members_are_taken_as_they_are() -> None:
    answer = SoldBookOutput.render(book(), price=9, subtitle="", pages=[])
    assert (answer["price"], answer["subtitle"], answer["pages"], answer["length"]) == (9, "", [], 2)
    with pytest.raises(TypeError, match="colour"):
        SoldBookOutput.render(book(), price=9, colour="red")


def test_what_is_rendered_already_passes() -> None:
    assert PageOutput.render({"number": 1}) == {"number": 1}
    assert PageOutput.render_many([{"number": 1}, SimpleNamespace(number=2)]) == [{"number": 1}, {"number": 2}]
