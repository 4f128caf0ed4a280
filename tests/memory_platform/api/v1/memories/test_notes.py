"""Notes over HTTP: list, write, edit, retire, forget. Rows: P9, P10, P4, P5, E2, E8, D1."""

from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.models import Note, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.v1.administration.test_usage import set_bound

ADA = "/v1/subjects/ada"
NOTES = f"{ADA}/notes"
ALLERGY, ALLERGY_ZH = "I'm allergic to peanuts", "我对花生过敏"
FIELDS = (
    "id text grade about vital confidence provenance said_at valid_at invalid_at superseded_by possibly_outdated "
    "review_by grade_probability vital_class context sources slots"
)
VITAL: dict[str, Any] = {"vital": True, "vital_class": "allergy"}


def post(caller: Caller, text: str = ALLERGY, path: str = NOTES, **fields: Any) -> dict[str, Any]:
    response = caller("POST", path, {"text": text, **fields})
    assert response.status_code == 201, response.content
    assert response["ETag"]
    return body_of(response)


def patch(caller: Caller, made: dict[str, Any], **fields: Any) -> dict[str, Any]:
    response = caller("PATCH", f"{NOTES}/{made['id']}", fields)
    assert response.status_code == 200, response.content
    return body_of(response)


def list_texts(caller: Caller, query: str = "", path: str = NOTES) -> list[str]:
    response = caller("GET", f"{path}?{query}")
    assert response.status_code == 200, response.content
    return [one["text"] for one in body_of(response)["data"]]


def contact(caller: Caller, label: str = "妈妈") -> str:
    made = body_of(caller("POST", f"{ADA}/tags", {"label": label, "kind": "contact", "relation": "母亲"}))
    return str(made["id"])


@pytest.mark.parametrize("text", [ALLERGY, ALLERGY_ZH, "🥜🚫 nuts\nnever"])
def test_a_written_note_comes_back_as_it_was_said(acme: Caller, text: str) -> None:
    made = post(acme, text)
    assert made.pop("verdict") == "stored"
    assert made.keys() == set(FIELDS.split())
    assert (made["text"], made["grade_probability"], made["about"]) == (text, 1.0, None)
    assert (made["provenance"], made["confidence"], made["vital"], made["vital_class"]) == (
        "confirmed_by_user",
        1.0,
        False,
        None,
    )
    assert (made["context"], made["slots"], made["sources"], made["review_by"]) == (None, [], [], None)
    shown = acme("GET", f"{NOTES}/{made['id']}")
    assert body_of(shown) == made
    assert shown["ETag"]
    assert body_of(acme("GET", NOTES)) == {"data": [made], "next_cursor": None}


def test_everything_that_is_given_is_kept(acme: Caller) -> None:
    given: dict[str, Any] = {
        "grade": "plan",
        "about": {"kind": "contact", "id": contact(acme), "label": "Mum", "relation": "mother"},
        "confidence": 0.55,
        "provenance": "observation",
        "said_at": "2026-05-08T09:30:00Z",
        "review_by": "2026-12-01T00:00:00Z",
    }
    made = post(acme, "她去上海", **given, **VITAL)
    assert {name: made[name] for name in given} == given
    assert (made["vital"], made["vital_class"]) == (True, "allergy")


def test_a_contact_s_words_stand_where_the_note_has_none(acme: Caller) -> None:
    made = post(acme, "膝盖不好", about={"kind": "contact", "id": contact(acme)})
    assert made["about"] == {"kind": "contact", "id": made["about"]["id"], "label": "妈妈", "relation": "母亲"}
    assert made["grade"] == "about_other"
    acme("DELETE", f"{ADA}/tags/{made['about']['id']}")
    left = body_of(acme("GET", f"{NOTES}/{made['id']}"))["about"]
    assert left == {"kind": "contact", "id": None, "label": None, "relation": None}


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("text", {"text": ""}),
        ("text", {"text": " \n"}),
        ("grade", {"grade": "event"}),
        ("vital", {"vital": "yes"}),
        ("vital_class", {"vital_class": "taste"}),
        ("vital_class", {"vital": False, "vital_class": "allergy"}),
        ("about", {"about": "妈妈"}),
        ("about.kind", {"about": {"label": "Mum"}}),
        ("about.label", {"about": {"kind": "contact"}}),
        ("about.label", {"about": {"kind": "self", "label": "Ada"}}),
        ("about.label", {"about": {"kind": "thing", "label": "x" * 101}}),
        ("about.tenant", {"about": {"kind": "thing", "label": "x", "tenant": "y"}}),
        ("confidence", {"confidence": 1.1}),
        ("review_by", {"review_by": "tomorrow"}),
        ("kind", {"kind": "note"}),
        ("context", {"context": "x"}),
    ],
)
def test_a_malformed_note_is_400_and_names_the_field(acme: Caller, field: str, fields: dict[str, Any]) -> None:
    assert field in fields_of(problem_of(acme("POST", NOTES, {"text": ALLERGY, **fields}), 400))
    assert list_texts(acme) == []


def test_a_note_is_made_vital_and_is_vital_no_more(acme: Caller) -> None:
    assert post(acme, vital_class="allergy")["vital"] is True
    made = post(acme, ALLERGY_ZH)
    assert patch(acme, made, **VITAL)["vital_class"] == "allergy"
    assert patch(acme, made, vital=True)["verdict"] == "unchanged"
    problem_of(acme("PATCH", f"{NOTES}/{made['id']}", {"vital": True, "vital_class": None}), 400)
    assert patch(acme, made, vital_class=None)["vital"] is False
    assert patch(acme, made, vital_class="legal")["vital"] is True
    assert patch(acme, made, vital=False)["vital_class"] is None


def test_who_makes_a_note_vital_leaves_a_record(acme: Caller, world: World) -> None:
    made = post(acme, **VITAL)
    patch(acme, made, vital=False)
    patch(acme, made, grade="habit")
    with tenant_tx(world.acme.tenant.id):
        records = AuditRecord.objects.filter(action="note.vital_changed")
        assert [(one.actor_kind, one.object_id) for one in records] == [("api_key", made["id"])] * 2


def test_more_confidence_than_the_provenance_allows_is_refused(acme: Caller) -> None:
    given = {"text": ALLERGY, "provenance": "observation", "confidence": 0.9}
    assert fields_of(problem_of(acme("POST", NOTES, given), 422)) == {"confidence"}


def test_a_contact_that_nobody_or_somebody_else_has_is_refused_alike(acme: Caller, globex: Caller) -> None:
    body = {"text": ALLERGY, "about": {"kind": "contact", "id": contact(acme)}}
    invented = {"text": ALLERGY, "about": {"kind": "contact", "id": str(new_id())}}
    foreign, unknown = (problem_of(globex("POST", "/v1/subjects/gil/notes", one), 422) for one in (body, invented))
    assert {**foreign, "request_id": ""} == {**unknown, "request_id": ""}
    assert (foreign["code"], fields_of(foreign)) == ("about_unknown", {"about.id"})
    other = problem_of(acme("POST", "/v1/subjects/lin/notes", body), 422)
    assert {**other, "request_id": ""} == {**unknown, "request_id": ""}
    problem_of(acme("GET", "/v1/subjects/lin"), 404)
    made = post(acme)
    problem_of(acme("PATCH", f"{NOTES}/{made['id']}", {"about": invented["about"]}), 422)


def test_the_same_words_again_confirm_the_note_and_teach_it_what_is_new(acme: Caller) -> None:
    made = post(acme, confidence=0.6, provenance="observation")
    assert post(acme, f" {ALLERGY} ", confidence=0.5, provenance="observation")["verdict"] == "unchanged"
    again = post(acme, **VITAL)
    assert (again["id"], again["verdict"]) == (made["id"], "merged")
    assert (again["vital_class"], again["confidence"], again["provenance"]) == ("allergy", 1.0, "confirmed_by_user")
    theirs = post(acme, about={"kind": "contact", "label": "Theo", "relation": "son"})
    assert (theirs["verdict"], theirs["vital"]) == ("stored", False)
    assert len(list_texts(acme)) == 2


def test_secrets_are_masked_in_the_text_and_refused_elsewhere(acme: Caller) -> None:
    assert "4111" not in post(acme, "我的卡号是 4111 1111 1111 1111")["text"]
    about = {"kind": "contact", "label": "4111 1111 1111 1111"}
    problem = problem_of(acme("POST", NOTES, {"text": ALLERGY, "about": about}), 422)
    assert (problem["code"], fields_of(problem)) == ("sensitive", {"about.label"})


def test_a_note_over_the_tenant_s_quota_is_refused(acme: Caller, world: World) -> None:
    post(acme)
    set_bound(world.acme, stored_snapshots=1)
    assert problem_of(acme("POST", NOTES, {"text": ALLERGY_ZH}), 429)["code"] == "quota_exceeded"
    assert list_texts(acme) == [ALLERGY]


def test_a_repeated_post_under_a_key_is_replayed(acme: Caller) -> None:
    first, second = (acme("POST", NOTES, {"text": ALLERGY}, Idempotency_Key="k") for _ in "12")
    assert first.content == second.content
    assert second["Idempotent-Replayed"] == "true"


def test_an_edit_changes_what_is_given_and_history_keeps_what_it_was(acme: Caller) -> None:
    made = post(acme, grade="fact", review_by="2026-12-01T00:00:00Z")
    known = utc_now().isoformat().replace("+00:00", "Z")
    about = {"kind": "thing", "label": "Bello", "relation": "dog"}
    edited = patch(acme, made, text=ALLERGY_ZH, grade="limit", about=about, possibly_outdated=True, confidence=0.7)
    assert (edited["verdict"], edited["text"], edited["grade"]) == ("stored", ALLERGY_ZH, "limit")
    assert edited["about"] == {**about, "id": None}
    assert (edited["possibly_outdated"], edited["confidence"]) == (True, 0.7)
    assert edited["review_by"] == made["review_by"]
    left = patch(acme, made, remove=["review_by"], about={"kind": "self"})
    assert (left["review_by"], left["about"]) == (None, None)
    assert patch(acme, made, grade="limit")["verdict"] == "unchanged"
    states = body_of(acme("GET", f"{NOTES}/{made['id']}/history"))["data"]
    assert [(one["version"], one["text"], one["grade"]) for one in states] == [
        (1, ALLERGY, "fact"),
        (2, ALLERGY_ZH, "limit"),
        (3, ALLERGY_ZH, "limit"),
    ]
    assert [one["about"] and one["about"]["label"] for one in states] == [None, "Bello", None]
    assert list_texts(acme, f"known_at={known}") == [ALLERGY]
    assert list_texts(acme, f"known_at={known}&grade=limit") == []
    page = body_of(acme("GET", f"{NOTES}/{made['id']}/history?limit=2"))
    rest = body_of(acme("GET", f"{NOTES}/{made['id']}/history?limit=2&cursor={page['next_cursor']}"))
    assert [*page["data"], *rest["data"]] == states


def test_a_stale_tag_changes_nothing(acme: Caller) -> None:
    made = post(acme)
    path = f"{NOTES}/{made['id']}"
    old = acme("GET", path)["ETag"]
    assert acme("PATCH", path, {"grade": "habit"}, If_Match=old).status_code == 200
    problem_of(acme("PATCH", path, {"grade": "plan"}, If_Match=old), 412)
    problem_of(acme("DELETE", path, None, If_Match=old), 412)
    assert body_of(acme("GET", path))["grade"] == "habit"


def test_a_retired_note_leaves_the_list_and_keeps_its_history(acme: Caller) -> None:
    made = post(acme)
    known = utc_now().isoformat().replace("+00:00", "Z")
    assert acme("DELETE", f"{NOTES}/{made['id']}").status_code == 204
    problem_of(acme("GET", f"{NOTES}/{made['id']}"), 404)
    problem_of(acme("PATCH", f"{NOTES}/{made['id']}", {"grade": "plan"}), 404)
    assert list_texts(acme) == list_texts(acme, "include_history=true") == []
    assert list_texts(acme, f"known_at={known}") == [ALLERGY]
    (state,) = body_of(acme("GET", f"{NOTES}/{made['id']}/history"))["data"]
    assert state["retired_at"] is not None


def test_a_list_comes_in_pages_without_short_ones(acme: Caller) -> None:
    for number in range(5):
        post(acme, f"{ALLERGY} {number}", grade="habit" if number % 2 else "fact")
    found, cursor = list[str](), ""
    while True:
        page = body_of(acme("GET", f"{NOTES}?grade=fact&limit=2{cursor}"))
        found += [one["text"] for one in page["data"]]
        if page["next_cursor"] is None:
            break
        assert len(page["data"]) == 2
        cursor = f"&cursor={page['next_cursor']}"
    assert found == [f"{ALLERGY} {number}" for number in (0, 2, 4)]


def test_snapshots_leave_notes_out_of_lists_but_not_out_of_reach(acme: Caller) -> None:
    made = post(acme, **VITAL)
    snapshots = f"{ADA}/snapshots"
    acme("POST", snapshots, {"text": "plain 普通"})
    assert list_texts(acme, path=snapshots) == ["plain 普通"]
    assert list_texts(acme, "kind=note", path=snapshots) == [ALLERGY]
    one = f"{snapshots}/{made['id']}"
    assert body_of(acme("GET", one))["kind"] == "note"
    assert body_of(acme("PATCH", one, {"text": ALLERGY_ZH}))["verdict"] == "stored"
    shown = body_of(acme("GET", f"{NOTES}/{made['id']}"))
    assert (shown["text"], shown["vital_class"]) == (ALLERGY_ZH, "allergy")
    assert len(body_of(acme("GET", f"{one}/history"))["data"]) == 2
    assert acme("DELETE", one).status_code == 204
    assert list_texts(acme) == []


def test_a_note_is_not_made_as_a_snapshot_nor_a_snapshot_read_as_a_note(acme: Caller) -> None:
    body = {"text": ALLERGY, "kind": "note"}
    problem = problem_of(acme("POST", f"{ADA}/snapshots", body), 400)
    assert fields_of(problem) == {"kind"}
    assert "/notes" in problem["errors"][0]["message"]
    assert fields_of(problem_of(acme("POST", f"{ADA}/snapshots/bulk", {"items": [body]}), 400)) == {"items.0.kind"}
    other = body_of(acme("POST", f"{ADA}/snapshots", {"text": ALLERGY}))["id"]
    for method, path, sent in (
        ("GET", other, None),
        ("PATCH", other, {"grade": "plan"}),
        ("DELETE", other, None),
        ("GET", f"{other}/history", None),
        ("POST", f"{other}/forget", {}),
    ):
        problem_of(acme(method, f"{NOTES}/{path}", sent), 404)
    assert body_of(acme("GET", f"{ADA}/snapshots/{other}"))["text"] == ALLERGY


@pytest.mark.parametrize("text", [ALLERGY, ALLERGY_ZH])
def test_a_forgotten_note_is_gone_with_a_certificate_and_refused_again(acme: Caller, world: World, text: str) -> None:
    made = post(acme, text)
    certificate = body_of(acme("POST", f"{NOTES}/{made['id']}/forget", {}))["certificate"]
    assert (certificate["erased"]["note"], certificate["erased"]["snapshot"]) == (1, 1)
    with tenant_tx(world.acme.tenant.id):
        assert (Note.objects.count(), Snapshot.objects.count()) == (0, 0)
    problem_of(acme("GET", f"{NOTES}/{made['id']}/history"), 404)
    problem_of(acme("POST", f"{NOTES}/{made['id']}/forget", {}), 404)
    assert problem_of(acme("POST", NOTES, {"text": text}), 422)["code"] == "forgotten"
    assert post(acme, text, allow_forgotten=True)["verdict"] == "stored"
    other = post(acme, "something else 别的")
    assert problem_of(acme("PATCH", f"{NOTES}/{other['id']}", {"text": text}), 422)["code"] == "forgotten"
