"""A certificate of erasure as a letter: the rows removed, the limits, and the proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.shared.code_labels import describe_counts
from profiles.models import Erasure, ErasureScope, ErasureState
from profiles.services.erasure_certificates import build_certificate, hash_subject, is_genuine

SCOPE_TITLES: Mapping[str, Any] = {
    ErasureScope.SUBJECT: gettext_lazy("Erasure of a person"),
    ErasureScope.CONVERSATION: gettext_lazy("Erasure of a conversation"),
    ErasureScope.MEMORY: gettext_lazy("Erasure of a memory"),
}
# What an erasure does not reach, and until when it stays there: docs/data/deletion.md has the same list.
BEYOND_REACH_TEXTS: Mapping[str, Any] = {
    "backups": gettext_lazy("Backups made before: until they are deleted. After a restore the erasure is repeated."),
    "write_ahead_log": gettext_lazy("The database’s log of changes: until its files are reused or leave the archive."),
    "planner_statistics": gettext_lazy("The database’s samples of values: until it takes its next samples."),
    "free_pages": gettext_lazy("Deleted rows in the database’s files: until their space is cleaned up."),
    "model_providers": gettext_lazy("Texts sent to providers of language models: for as long as they keep them."),
    "tenant_exports": gettext_lazy("Exports and answers that were handed out: for as long as their holders keep them."),
    "vector_cache": gettext_lazy("Numbers computed from texts, stored without words: until they expire."),
}


class NameForm(forms.Form):
    """The product's id of a person, which is put on the letter if the certificate is about this person."""

    typed = forms.CharField(label=gettext_lazy("The person’s id"), max_length=200)

    def __init__(self, data: Any, erasure: Erasure) -> None:
        super().__init__(data)
        self.erasure = erasure
        self.fields["typed"].widget.attrs.update({"autocomplete": "off", "spellcheck": "false"})

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if hash_subject(typed) != self.erasure.subject_hash:
            raise forms.ValidationError(_("This certificate is about somebody else. Type the id exactly as it was."))
        return typed


@dataclass(frozen=True, slots=True)
class CertificateLetter:
    """The letter. ``name``: the person's id, "" as long as nobody has typed it: the certificate does not hold it."""

    erasure: Erasure
    title: str
    name: str
    is_done: bool
    is_genuine: bool
    removed: Sequence[str]
    kept: Sequence[str]
    uncovered: Sequence[str]
    proofs: Sequence[str]


def write_letter(erasure: Erasure, name: str = "") -> CertificateLetter:
    is_done = erasure.state == ErasureState.DONE
    genuine = is_done and is_genuine(build_certificate(erasure))
    return CertificateLetter(
        erasure,
        make_title(erasure, name),
        name,
        is_done,
        genuine,
        describe_counts(erasure.erased),
        _describe_kept(erasure),
        [str(BEYOND_REACH_TEXTS.get(code, code)) for code in erasure.beyond_reach],
        _describe_proofs(erasure) if is_done else [],
    )


def make_title(erasure: Erasure, name: str = "") -> str:
    title = str(SCOPE_TITLES.get(erasure.scope, erasure.get_scope_display()))
    at = f"{erasure.erased_at or erasure.requested_at:%Y-%m-%d}"
    if name:
        return _("%(title)s: %(name)s, %(date)s") % {"title": title, "name": name, "date": at}
    return _("%(title)s, %(date)s") % {"title": title, "date": at}


def _is_single_value_erasure(erasure: Erasure) -> bool:
    """Return whether one preference, profile field or tag was forgotten by itself: its messages stayed."""
    return erasure.scope == ErasureScope.MEMORY and not erasure.erased.get("snapshot")


def _describe_kept(erasure: Erasure) -> list[str]:
    if not _is_single_value_erasure(erasure):
        return []
    return [
        _(
            "Only one value was forgotten. The messages that said it and other memories that say it were kept on "
            "purpose."
        )
    ]


def _describe_proofs(erasure: Erasure) -> list[str]:
    verified: Mapping[str, Any] = erasure.verified
    left = sum(verified.get("rows_left", {}).values())
    proofs = [_describe_search(verified.get("tables"), left)]
    if _is_single_value_erasure(erasure) and not left:
        proofs = [_("Afterwards the platform searched again for the rows of this value and found none.")]
    redis = verified.get("redis", {})
    if redis.get("away"):
        proofs.append(_("The cache of open conversations did not answer. Its contents expire within 24 hours."))
    elif redis.get("left"):
        proofs.append(_("The cache of open conversations still had contents. They expire within 24 hours."))
    else:
        proofs.append(_("The cache of open conversations was searched, too: nothing was left."))
    if verified.get("late"):
        proofs.append(_("The search was interrupted and repeated later."))
    return proofs


def _describe_search(tables: int | None, left: int) -> str:
    if left:
        text = ngettext(
            "Afterwards the platform searched again and found %(count)d row that was left.",
            "Afterwards the platform searched again and found %(count)d rows that were left.",
            left,
        )
        return text % {"count": left}
    if tables is None:
        return _("Afterwards the platform searched again and found nothing left.")
    text = ngettext(
        "Afterwards the platform searched %(count)d table again and found nothing left.",
        "Afterwards the platform searched all %(count)d tables again and found nothing left.",
        tables,
    )
    return text % {"count": tables}
