"""The gate of proposed field values: words of a clause that the user states as true, and that is about the field."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.fields.field_matching import match_notes
from snapshots.understanding.fields.fill_tenant_fields import FieldsFilled, FilledField
from snapshots.understanding.proposing.answer_schema import ProposedField
from snapshots.understanding.proposing.config import JUDGING
from snapshots.understanding.proposing.model_quotes import (
    GatedMessage,
    find_quote,
    is_asserted,
    is_in_quotes,
    is_temporary,
)
from snapshots.understanding.proposing.proposal_metrics import Outcome
from snapshots.understanding.reading.clauses import Clause
from tenants.policies.descriptions_value_kind import FieldDescription


def gate_fields(
    message: GatedMessage, proposed: Sequence[ProposedField], requested_fields: tuple[FieldDescription, ...]
) -> list[tuple[Outcome, FilledField | None]]:
    """Return the outcome of each value proposed of a message, in their order. No transaction may be open. Raises
    EmbeddingUnavailable."""
    names = {one.name for one in requested_fields}
    placed = [_locate_value(message, one, names) for one in proposed]
    texts = list(dict.fromkeys(clause.text for _, clause, _ in placed if clause))
    fits = dict(zip(texts, match_notes(texts, requested_fields), strict=True))
    judged: list[tuple[Outcome, FilledField | None]] = []
    for one, (outcome, clause, span) in zip(proposed, placed, strict=True):
        if clause is None:
            judged.append((outcome, None))
            continue
        fit, score = fits[clause.text], fits[clause.text].scores[one.field]
        if score < JUDGING.fit_from or score != fit.best_score:  # the clause is about another field, or about none
            judged.append(("unsupported", None))
        else:
            text = message.spoken.text[slice(*span)]
            sure = round(min(score, JUDGING.hedged), 2)
            judged.append(("accepted", FilledField(one.field, text, *span, sure)))
    return judged


def add_proposed_fields(filled_fields: FieldsFilled, proposed: Mapping[UUID, Sequence[FilledField]]) -> FieldsFilled:
    """Return the fields that notes fill, and proposed values for fields that they leave empty."""
    whole = {message_id: list(own) for message_id, own in filled_fields.items()}
    for message_id, more in proposed.items():
        own = whole.setdefault(message_id, [])
        own += [one for one in more if one.field not in {other.field for other in own}]
    return whole


def _locate_value(
    message: GatedMessage, one: ProposedField, names: set[str]
) -> tuple[Outcome, Clause | None, tuple[int, int]]:
    place = find_quote(message.spoken.text, one.value)
    over = message.list_clauses(*place) if place else []
    if one.field not in names:
        return "unknown_name", None, (0, 0)
    if place is None or len(over) != 1:
        return "evidence_missing", None, (0, 0)
    ((clause, grade),) = over
    if not is_asserted(message, clause) or is_in_quotes(message, *place):
        return "not_asserted", None, place
    if is_temporary(clause, grade):
        return "one_off", None, place
    if mask_sensitive(clause.text)[1]:
        return "schema", None, place
    return "accepted", clause, place
