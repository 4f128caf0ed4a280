"""What staff type is stored as the API would store it, and can be exported again. Rows: D2, P9."""

from typing import Any

import orjson
import pytest
from django.core.exceptions import ValidationError

from memory_platform.console.memory_actions.value_fields import (
    JsonTextField,
    LongTextField,
    NumberOrTextField,
    parse_plain_value,
)

ACCOUNT = "123456789012345678901234"


@pytest.mark.parametrize(
    ("text", "value"),
    [("22", 22), ("-1.5", -1.5), (str(2**63 - 1), 2**63 - 1), (ACCOUNT, ACCOUNT), ("1e30", "1e30"), ("二", "二")],
)
def test_a_number_that_no_export_can_hold_stays_a_text(text: str, value: Any) -> None:
    assert NumberOrTextField().clean(text) == value
    assert parse_plain_value(text) == value


def test_json_with_such_a_number_is_refused() -> None:
    assert JsonTextField().clean('{"unit": "C", "value": 22}') == {"unit": "C", "value": 22}
    for text in (ACCOUNT, f'{{"a": [1, {{"b": {ACCOUNT}}}]}}', "-1e30"):
        assert orjson.loads(text)
        with pytest.raises(ValidationError):
            JsonTextField().clean(text)


def test_a_text_whose_accents_would_keep_the_platform_busy_is_refused() -> None:
    assert LongTextField().clean("tiếng Việt, café") == "tiếng Việt, café"
    with pytest.raises(ValidationError, match="accents in a row"):
        LongTextField().clean("e" + "\u0301" * 5_000)
