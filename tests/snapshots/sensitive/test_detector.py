"""Card and identity numbers and secrets are found by form and checksum, and masked. Rows: E2."""

import re

import pytest

from snapshots.sensitive.detector import is_sensitive, mask_sensitive
from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.values import ExtractionContext
from tests.growth import assert_linear
from tests.snapshots.understanding.utterances import utter

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
    "My alarm code at the workshop is 7731.",
    "the gate code at my mum's place: 4410#",
    "我的银行卡密码是桂花2024，你帮我记住。",
    "密码设成了小雨love520",
    "密码是abc12345",
    "护照号 E12345678",
    "my p@ssw0rd is hunter2",
]
SPELLINGS = [
    "my card is 4111.1111.1111.1111",
    "my card is \uff14\uff11\uff11\uff11 \uff11\uff11\uff11\uff11 \uff11\uff11\uff11\uff11 \uff11\uff11\uff11\uff11",
    "my card is 4\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11",
    "my card is 4111\u00a01111\u30001111\u20021111",
    "my card is 4111\u20131111\u20131111\u20131111",
    "my card is 4111, 1111, 1111, 1111",
    "my card is 4111_1111_1111_1111",
    "my card is 4111\n1111\n1111\n1111",
    "my card is 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    "my card is 4\u200b11111111\u200b1111111",
    "3782.822463.10005",
    "卡号是四一一一 一一一一 一一一一 一一一一",
    "card: four one one one, one one one one, one one one one, one one one one",
    "身份证 110105 19491231 002X",
    "身份证110105-19491231-002X",
    "身份证 11010\uff15\uff11\uff19\uff14\uff19\uff11\uff12\uff13\uff11\uff10\uff10\uff12\uff38",
    "身份证一一零一零五一九四九一二三一零零二X",
    "my id number is 110105 1949 1231 002x",
    "我的身份证号码是：110105491231002",
    "SSN 078 05 1120",
    "iban de89 3704 0044 0532 0130 00",
    "IBAN DE89-3704-0044-0532-0130-00",
    "My passport is E12345678",
    "my bank account number is 12345678901",
    "社保卡号 12345678",
    'my password is "hunter2"',
    "my password is \u2018hunter2\u2019",
    "my password's hunter2",
    "my passwd is hunter2",
    "use password hunter2",
    "cvv 123",
    "I changed my password to sunshine",
    "my password has been changed to sunshine",
    "my seed phrase is witch collapse practice feed shame open",
    "密码是：hunter2",
    "密码是「hunter2」",
    "密碼是hunter2",
    "我的密码是123",
    "我的密码改成了hunter2",
    "把密码改为 abc123",
    "我的密码是一二三四五六",
    "密码：\uff11\uff12\uff13\uff14\uff15\uff16",
    "pin码是4821",
    "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",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG",
    "Bearer abcdefghijklmnopqrstuvwxyz012345",
    "postgres://ada:s3cret@db.example.com/x",
    *(f"my card is {gap.join(['4111', '1111', '1111', '1111'])}" for gap in ("|", " / ", "\\", "*", ":", "    ", "+")),
    "my card is 4111-1111 1111.1111",
    "my card is 4111 1111, 1111 1111",
    "my card is 4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1",
    "No.4111111111111111",
    "卡号④①①①①①①①①①①①①①①①",
    "卡号 ⁴¹¹¹ ¹¹¹¹ ¹¹¹¹ ¹¹¹¹",
    "my card is 𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏",
    "my card is ٤١١١ ١١١١ ١١١١ ١١١١",
    "卡号四、一、一、一、一、一、一、一、一、一、一、一、一、一、一、一",
    "card four triple one, one one one one, one one one one, one one one one",
    "银行卡号是6222020200112233445",
    "账号6222020200112233445",
    "身份证：110105/19491231/002X",
    "身份证：1 1 0 1 0 5 1 9 4 9 1 2 3 1 0 0 2 X",
    "驾驶证号 310105199001011234",
    "港澳通行证C12345678",
    "078.05.1120",
    "my social is 078051120",
    "driver's license D1234567",
    "driving licence MORGA657054SM9IJ",
    "NI number QQ 12 34 56 C",
    "my NHS number is 943 476 5919",
    "codice fiscale RSSMRA85T10A562S",
    "my DNI is 12345678Z",
    "my HKID is A123456(3)",
    "Aadhaar 2341 2341 2346",
    "my SIN is 046-454-286",
    "passport C01X00T47",
    "routing number 021000021",
    "IBAN NO93 8601 1117 947",
    "GB29.NWBK.6016.1331.9268.19",
    "pass: hunter2",
    "password -> hunter2",
    "hunter2 is my wifi password",
    "call me hunter2, that's my password",
    "sunshine is my password",
    "for Netflix I use sunshine as my password",
    "hunter2是我家的wifi密码",
    "我用hunter2做密码",
    "密码为“hunter2”",
    "我的token是hunter2hunter2",
    "the gate code is 2580",
    "verification code 884421",
    "动态码 884421",
    "mk_live_L8eINNhd13ny_7isuIX2XU4Vizztq7WGknJUnySIwMdHjZxK",
    "whsec_abcdEFGH1234567890abcd",
]
"""The same data as people and evaders write it."""
REST = re.compile(
    r"\[masked [a-z ]+\]|\d|[\uff10-\uff19]|hunter2|sunshine|s3cret|witch|shame|abc|wJal|ngeV|[一二三四五六零]{3}"
)
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
    "in 2019, 2020, 2021, 2022 and 2023",
    "2024.05.01 2024.06.01",
    "change my password to something safe",
    "I need a password for the wifi",
    "推荐一个密码app",
    "三三两两 一二三",
    "one two three four five",
    "one one one one one one one one one one one one one",
    "see https://example.com:8080/a@b",
    "Use Bitwarden as my password manager",
    "This is my password",
    "sin 30 45 60 90",
    "Das ist ein 500000 Euro Haus",
    "my account has 10000 followers",
    "our social is on 20251224",
    "my zip code is 94110, the promo code SAVE2024",
    "the alarm code in the manual is on page 12",
    "the access code for visitors is changed every day",
    "密码是8位数字",
    "密码是你自己设的",
    "3000, 4000, 5000 and 6000",
    "Garlic is my secret ingredient",
    "unit_test_results_from_yesterday_are_bad",
    "my passport expires in 2030",
    "我的会员卡号是12345678901",
    "我的游戏账号是abc123",
    "密码改成了新的",
    "我把密码换成指纹了",
    "Gmail是我的密码管理器",
    "iPhone是需要密码的",
]


@pytest.mark.parametrize("text", SENSITIVE)
def test_sensitive_data_is_masked(text: str) -> None:
    masked, count = mask_sensitive(text)
    assert count >= 1
    assert "[masked " in masked
    assert not is_sensitive(masked)


@pytest.mark.parametrize("text", SPELLINGS)
def test_no_spelling_hides_it(text: str) -> None:
    masked, count = mask_sensitive(text)
    assert count == 1
    assert REST.findall(masked) == re.findall(r"\[masked [a-z ]+\]", masked)


def test_a_mask_stands_where_the_words_stood() -> None:
    text = "卡\u200b号４１１１ １１１１ １１１１ １１１１，谢\u200b谢"
    assert mask_sensitive(text) == ("卡\u200b号[masked card number]，谢\u200b谢", 1)


@pytest.mark.parametrize(
    "piece", ["password is ", "1 ", "4111,", "密码是给我", "身份证 ", "://a:", "one ", "token is is "]
)
def test_long_hostile_texts_are_read_in_linear_time(piece: str) -> None:
    assert_linear(mask_sensitive, piece * (32_000 // len(piece)))


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_numbers_stay(text: str) -> None:
    assert mask_sensitive(text) == (text, 0)


def test_masking_leaves_the_rest_of_the_words() -> None:
    assert mask_sensitive("Pay with 4111 1111 1111 1111, thanks") == ("Pay with [masked card number], thanks", 1)


@pytest.mark.parametrize(
    ("right", "wrong", "kind"),
    [
        ("4111 1111 1111 1111", "4111 1111 1111 1112", "card number"),
        ("11010519491231002X", "110105194912310021", "identity number"),
        ("GB29 NWBK 6016 1331 9268 19", "GB29 NWBK 6016 1331 9268 18", "bank number"),
    ],
)
def test_checksums_follow_their_standards(right: str, wrong: str, kind: str) -> None:
    assert mask_sensitive(f"It is {right}") == (f"It is [masked {kind}]", 1)
    assert not is_sensitive(f"It is {wrong}")


def test_the_rest_of_a_message_with_a_card_number_is_still_learned() -> None:
    found = extract_candidates(utter("My name is Ada and my card is 4111 1111 1111 1111."), context=ExtractionContext())
    assert [fact.value for fact in found.facts] == ["Ada"]
    assert [rejection.reason for rejection in found.rejections] == ["sensitive"]
    assert "4111" not in found.rejections[0].evidence.quote


@pytest.mark.parametrize("text", ["我的密码是向日葵", "密码就是芝麻开门", "wifi密码改成了向日葵"])
def test_a_chinese_word_that_is_a_password_is_masked(text: str) -> None:
    masked, count = mask_sensitive(text)
    assert count == 1
    assert masked.endswith("[masked secret]")
    assert not re.search("向日葵|芝麻", masked)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("My gate code is 8823 now, not 4711.", "My gate code is [masked secret] now, not [masked secret]."),
        (
            "The wifi password is hunter22x, no longer oldpass99",
            "The wifi password is [masked secret], no longer [masked secret]",
        ),
        ("My PIN is 4821 instead of 1199", "My PIN is [masked secret] instead of [masked secret]"),
        (
            "The gate code is no longer 4711, it's 8823",
            "The gate code is no longer [masked secret], it's [masked secret]",
        ),
        (
            "door code changed to 5521, not 9914 any more",
            "door code changed to [masked secret], not [masked secret] any more",
        ),
        ("My pin is not 4711", "My pin is not [masked secret]"),
        ("门禁密码是8823,不是4711", "门禁密码是[masked secret],不是[masked secret]"),
        ("密码改成了abc12345,不再是qwe98765", "密码改成了[masked secret],不再是[masked secret]"),
        (
            "my gate code is 8823. The bus is the 41, not the 4711",
            "my gate code is [masked secret]. The bus is the 41, not the 4711",
        ),
        ("Class is at 8823 Elm, not 4711", "Class is at 8823 Elm, not 4711"),
        ("my password is not working", "my password is not working"),
    ],
)
def test_the_value_before_a_secret_is_masked_too(text: str, masked: str) -> None:
    assert mask_sensitive(text)[0] == masked
