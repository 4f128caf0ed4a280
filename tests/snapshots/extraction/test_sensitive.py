"""Card and identity numbers and secrets are found by form and checksum, and masked. Rows: E2."""

import pytest

from snapshots.extraction.pipeline import extract
from snapshots.extraction.sensitive import chinese_id_valid, iban_valid, is_sensitive, luhn_valid, mask_sensitive
from snapshots.extraction.values import ExtractionContext
from tests.snapshots.extraction.said import said

SENSITIVE = [
    "my card is 4111 1111 1111 1111",
    "card 5500-0000-0000-0004 exp 12/29",
    "银行卡6222020200112233 444".replace("6222020200112233 444", "4111111111111111"),
    "身份证11010519491231002X",
    "身份证号是11010519491231002x,谢谢",
    "my SSN is 078-05-1120",
    "IBAN DE89 3704 0044 0532 0130 00",
    "key: sk-proj-abcdEFGH1234567890abcd",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
    "my password is hunter2",
    "the wifi password: correct-horse",
    "PIN is 4821",
    "密码是abc12345",
    "护照号 E12345678",
]
HARMLESS = [
    "my mum's number is 13800138000",
    "call me on +1 415 555 0134",
    "order 4111111111111112 is late",
    "it happened at 1714564800000",
    "the password is required",
    "I forgot my password",
    "I lost my keys and my passport",
    "meet me at 12 Elm Street, 10115 Berlin",
    "我忘了密码",
    "我的卡里有500元",
    "version 1.2.3.4.5.6.7.8.9.10.11.12",
]


@pytest.mark.parametrize("text", SENSITIVE)
def test_sensitive_data_is_masked(text: str) -> None:
    masked, count = mask_sensitive(text)
    assert count >= 1
    assert "[masked " in masked
    assert not is_sensitive(masked)


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_numbers_stay(text: str) -> None:
    assert mask_sensitive(text) == (text, 0)


def test_masking_leaves_the_rest_of_the_words() -> None:
    assert mask_sensitive("Pay with 4111 1111 1111 1111, thanks") == ("Pay with [masked card number], thanks", 1)


def test_checksums_follow_their_standards() -> None:
    assert luhn_valid("79927398713")
    assert not luhn_valid("79927398710")
    assert chinese_id_valid("11010519491231002X")
    assert not chinese_id_valid("110105194912310021")
    assert iban_valid("GB29 NWBK 6016 1331 9268 19")
    assert not iban_valid("GB29 NWBK 6016 1331 9268 18")


def test_the_rest_of_a_message_with_a_card_number_is_still_learned() -> None:
    found = extract(said("My name is Ada and my card is 4111 1111 1111 1111."), context=ExtractionContext())
    assert [fact.value for fact in found.facts] == ["Ada"]
    assert [rejection.reason for rejection in found.rejections] == ["sensitive"]
    assert "4111" not in found.rejections[0].evidence.quote
