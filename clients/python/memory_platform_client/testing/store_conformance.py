"""What every store of LangGraph should do, as tests for pytest.

    class TestMyStore(StoreConformance):
        def make_store(self, fields=None):
            return MyStore(index={"fields": fields, …} if fields else None)

Each test works in a namespace of its own, so that a store may be shared. A kind of behaviour that a store does not
have is left out by its flag.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, ClassVar
from uuid import uuid4

import pytest
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

TICK_MINUTES = 0.01
"""The life of an item in tests: 0.6 s."""
HOSTILE = ("100%", "a_b", "back\\slash", "quo'te", 'dou"ble', "中文", "né", " space ", "*", "{1,2}", "NULL", "\t")


class StoreConformance:
    """Subclass it, and return your store from :meth:`make_store`."""

    finds_by_meaning: ClassVar[bool] = True
    has_lives: ClassVar[bool] = True
    hides_ended_lives: ClassVar[bool] = True
    """Whether an item is gone when its life ends, not only after the next sweep."""

    def make_store(self, fields: Sequence[str] | None = None) -> BaseStore:
        """Return a store; with ``fields`` it finds by meaning what stands at these paths."""
        raise NotImplementedError

    @pytest.fixture
    def store(self) -> BaseStore:
        """A store that finds nothing by meaning."""
        return self.make_store()

    @pytest.fixture
    def root(self) -> str:
        """The first label of a namespace that nobody else uses."""
        return f"root-{uuid4()}"

    def test_an_item_comes_back(self, store: BaseStore, root: str) -> None:
        value = {"text": "café 中文 😀", "n": 1, "f": 0.25, "b": True, "z": None, "l": [1, [2]], "o": {"p": {"q": []}}}
        store.put((root, "a"), "k", value)
        found = store.get((root, "a"), "k")
        assert found is not None
        assert (found.namespace, found.key, found.value) == ((root, "a"), "k", value)
        assert type(found.value["b"]) is bool
        assert found.created_at.tzinfo is not None
        assert found.created_at <= found.updated_at

    def test_what_is_not_there_is_none(self, store: BaseStore, root: str) -> None:
        assert store.get((root,), "nothing") is None
        assert store.search((root,)) == []
        store.delete((root,), "nothing")

    def test_a_second_put_replaces_the_whole_value(self, store: BaseStore, root: str) -> None:
        store.put((root,), "k", {"old": 1, "both": 1})
        store.put((root,), "k", {"both": 2})
        found = store.get((root,), "k")
        assert found is not None
        assert found.value == {"both": 2}

    def test_a_deleted_item_is_gone_everywhere(self, store: BaseStore, root: str) -> None:
        store.put((root, "a"), "k", {"n": 1})
        store.delete((root, "a"), "k")
        assert store.get((root, "a"), "k") is None
        assert store.search((root,)) == []

    def test_results_come_in_the_order_of_operations(self, store: BaseStore, root: str) -> None:
        store.put((root,), "there", {"n": 1})
        results = store.batch(
            [
                GetOp((root,), "missing"),
                PutOp((root,), "new", {"n": 2}),
                SearchOp((root,)),
                GetOp((root,), "there"),
                ListNamespacesOp(match_conditions=(MatchCondition("prefix", (root,)),)),
            ]
        )
        assert results[:2] == [None, None]
        assert [one.key for one in results[2]] == ["there"]  # type: ignore[union-attr]
        assert results[3].value == {"n": 1}  # type: ignore[union-attr]
        assert results[4] == [(root,)]

    def test_reads_of_a_batch_do_not_see_its_writes(self, store: BaseStore, root: str) -> None:
        assert store.batch([PutOp((root,), "k", {"n": 1}), GetOp((root,), "k")]) == [None, None]
        assert store.get((root,), "k") is not None

    def test_of_two_writes_to_one_key_the_last_counts(self, store: BaseStore, root: str) -> None:
        store.batch([PutOp((root,), "k", {"n": 1}), PutOp((root,), "k", None), PutOp((root,), "k", {"n": 3})])
        found = store.get((root,), "k")
        assert found is not None
        assert found.value == {"n": 3}
        store.batch([PutOp((root,), "k", {"n": 4}), PutOp((root,), "k", None)])
        assert store.get((root,), "k") is None

    def test_a_prefix_is_one_of_whole_labels(self, store: BaseStore, root: str) -> None:
        for labels in (("users", "1"), ("users", "10"), ("users", "1", "x"), ("users1",), ("user",)):
            store.put((root, *labels), "k", {"at": list(labels)})
        found = {one.namespace[1:] for one in store.search((root, "users", "1"))}
        assert found == {("users", "1"), ("users", "1", "x")}

    @pytest.mark.parametrize("label", HOSTILE)
    def test_a_label_is_compared_as_it_is(self, store: BaseStore, root: str, label: str) -> None:
        store.put((root, label), "k", {"mine": True})
        for other in ("100x", "aXb", "backslash", "quote", "double", "anything", "1"):
            store.put((root, other), "k", {"mine": False})
        assert [one.value for one in store.search((root, label))] == [{"mine": True}]
        found = store.get((root, label), "k")
        assert found is not None
        assert found.namespace == (root, label)

    @pytest.mark.parametrize("namespace", [("a.b",), ("",), ("a", ""), ("a\x00b",), (1,)])
    def test_a_malformed_namespace_is_refused_in_batches_too(self, store: BaseStore, namespace: Any) -> None:
        for op in (GetOp(namespace, "k"), PutOp(namespace, "k", {"n": 1}), SearchOp(namespace)):
            with pytest.raises(InvalidNamespaceError):
                store.batch([op])

    def test_a_put_needs_a_namespace_that_is_not_the_librarys(self, store: BaseStore) -> None:
        for namespace in ((), ("langgraph", "x")):
            with pytest.raises(InvalidNamespaceError):
                store.put(namespace, "k", {"n": 1})

    def test_limit_and_offset_cut_the_results(self, store: BaseStore, root: str) -> None:
        for number in range(15):
            store.put((root,), f"k{number}", {"n": number})
        assert len(store.search((root,))) == 10
        pages = [store.search((root,), limit=6, offset=offset) for offset in (0, 6, 12, 18)]
        assert [len(page) for page in pages] == [6, 6, 3, 0]
        assert len({one.key for page in pages for one in page}) == 15

    @pytest.mark.parametrize(
        ("wanted", "keys"),
        [
            ({"n": 9}, "b"),
            ({"n": 9.0}, "b"),
            ({"n": {"$eq": 10}}, "c"),
            ({"n": {"$ne": 9}}, "acd"),
            ({"n": {"$gt": 9}}, "cd"),
            ({"n": {"$gte": 9}}, "bcd"),
            ({"n": {"$lt": 10}}, "ab"),
            ({"n": {"$lte": 10}}, "abc"),
            ({"n": {"$gt": -1, "$lt": 10}}, "b"),
            ({"n": {"$gt": 9.5}, "kind": "x"}, "c"),
            ({"kind": "x", "deep": {"n": 1}}, "a"),
            ({"tags": ["t", "u"]}, "b"),
            ({"missing": None}, "abcd"),
            ({"kind": "nothing"}, ""),
        ],
    )
    def test_filters_compare_numbers_as_numbers(
        self, store: BaseStore, root: str, wanted: dict[str, Any], keys: str
    ) -> None:
        store.put((root,), "a", {"n": -2, "kind": "x", "deep": {"n": 1, "m": 2}})
        store.put((root,), "b", {"n": 9, "kind": "y", "tags": ["t", "u"]})
        store.put((root,), "c", {"n": 10, "kind": "x", "tags": ["t"]})
        store.put((root,), "d", {"n": 100.5, "kind": "z", "deep": 5})
        assert {one.key for one in store.search((root,), filter=wanted)} == set(keys)

    def test_namespaces_are_listed_matched_and_cut(self, store: BaseStore, root: str) -> None:
        for labels in (("a", "x", "v1"), ("a", "y", "v1"), ("b", "x", "v2"), ("b",)):
            store.put((root, *labels), "k", {"n": 1})
        assert store.list_namespaces(prefix=(root,)) == sorted(
            [(root, "a", "x", "v1"), (root, "a", "y", "v1"), (root, "b"), (root, "b", "x", "v2")]
        )
        assert store.list_namespaces(prefix=(root, "a"), max_depth=3) == [(root, "a", "x"), (root, "a", "y")]
        assert store.list_namespaces(prefix=(root,), suffix=("v1",)) == [(root, "a", "x", "v1"), (root, "a", "y", "v1")]
        assert store.list_namespaces(prefix=(root, "*", "x")) == [(root, "a", "x", "v1"), (root, "b", "x", "v2")]
        assert store.list_namespaces(prefix=(root,), suffix=("x", "*"), limit=1, offset=1) == [(root, "b", "x", "v2")]

    def test_a_large_value_comes_back(self, store: BaseStore, root: str) -> None:
        value = {"text": "0123456789abcdef" * 65_536}
        store.put((root,), "large", value)
        found = store.get((root,), "large")
        assert found is not None
        assert found.value == value

    def test_what_is_awaited_does_the_same(self, root: str) -> None:
        async def go() -> None:
            store = self.make_store()
            await asyncio.gather(*(store.aput((root, "a"), f"k{number}", {"n": number}) for number in range(5)))
            found = await store.aget((root, "a"), "k3")
            assert found is not None
            assert found.value == {"n": 3}
            assert len(await store.asearch((root,), filter={"n": {"$gte": 2}})) == 3
            await store.adelete((root, "a"), "k3")
            assert await store.aget((root, "a"), "k3") is None
            assert await store.alist_namespaces(prefix=(root,)) == [(root, "a")]

        asyncio.run(go())

    def test_a_life_ends(self, store: BaseStore, root: str) -> None:
        self.need_lives()
        store.put((root,), "short", {"n": 1}, ttl=TICK_MINUTES)
        store.put((root,), "long", {"n": 2}, ttl=60)
        store.put((root,), "endless", {"n": 3})
        time.sleep(TICK_MINUTES * 60 + 0.4)
        assert store.get((root,), "short") is None
        assert {one.key for one in store.search((root,))} == {"long", "endless"}

    def test_reading_begins_a_life_anew_unless_told_not_to(self, store: BaseStore, root: str) -> None:
        self.need_lives()
        for key in ("read", "searched", "left"):
            store.put((root, key), key, {"n": 1}, ttl=TICK_MINUTES * 4)
        for _ in range(2):
            time.sleep(TICK_MINUTES * 60 * 2.5)
            store.get((root, "read"), "read")
            store.search((root, "searched"))
            store.get((root, "left"), "left", refresh_ttl=False)
            store.search((root, "left"), refresh_ttl=False)
        assert {one.key for one in store.search((root,))} == {"read", "searched"}

    def test_what_means_the_same_is_found_first(self, root: str) -> None:
        self.need_meaning()
        store = self.make_store(["text"])
        store.put((root,), "dog", {"text": "My dog barks at the mailman."})
        store.put((root,), "tax", {"text": "The tax office wants the forms by May."})
        store.put((root,), "unindexed", {"text": "My dog barks."}, index=False)
        found = store.search((root,), query="a barking dog", limit=3)
        assert [one.key for one in found][:2] == ["dog", "tax"]
        assert found[0].score is not None
        assert found[1].score is not None
        assert found[0].score > found[1].score
        assert [one.key for one in store.search((root,), query="a barking dog", limit=1, offset=1)] == ["tax"]
        assert {one.score for one in store.search((root,))} == {None}

    def test_a_changed_value_is_found_by_its_new_meaning(self, root: str) -> None:
        self.need_meaning()
        store = self.make_store(["text"])
        store.put((root,), "k", {"text": "My dog barks at the mailman."})
        store.put((root,), "other", {"text": "Rain is expected in the north."})
        store.put((root,), "k", {"text": "The tax office wants the forms by May."})
        found = store.search((root,), query="forms of the tax office", limit=2)
        assert [one.key for one in found] == ["k", "other"]

    def test_the_best_of_several_paths_counts(self, root: str) -> None:
        self.need_meaning()
        store = self.make_store(["notes[*].text"])
        store.put((root,), "several", {"notes": [{"text": "Rain in the north."}, {"text": "My dog barks."}]})
        store.put((root,), "one", {"notes": [{"text": "The tax office wants forms."}]})
        found = store.search((root,), query="My dog barks.", limit=5)
        assert [one.key for one in found] == ["several", "one"]

    def test_meaning_and_filters_go_together(self, root: str) -> None:
        self.need_meaning()
        store = self.make_store(["text"])
        for key, year in (("old", 1999), ("new", 2024)):
            store.put((root, key), key, {"text": "My dog barks.", "year": year})
        found = store.search((root,), query="dog", filter={"year": {"$gt": 2000}})
        assert [one.key for one in found] == ["new"]

    def need_lives(self) -> None:
        """Leave the test out if the store has no lives that end by themselves."""
        if not (self.has_lives and self.hides_ended_lives):
            pytest.skip("the store does not hide items whose life has ended")

    def need_meaning(self) -> None:
        """Leave the test out if the store finds nothing by meaning."""
        if not self.finds_by_meaning:
            pytest.skip("the store does not find by meaning")
