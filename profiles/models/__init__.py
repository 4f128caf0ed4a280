"""Subjects and direct knowledge about them."""

from profiles.models.ask import Ask, AskPriority
from profiles.models.belief import PROFILE_FIELDS, Preference, ProfileFact
from profiles.models.candidate import Candidate, CandidateKind
from profiles.models.erasure import Erasure, ErasureScope, ErasureState, Forgotten, ForgottenKind
from profiles.models.idempotency import IdempotentReply, ToolSave
from profiles.models.join import SubjectAlias, SubjectJoin
from profiles.models.subject import Subject, SubjectOwned
from profiles.models.tag import DetailName, Tag, TagDetail, TagKind

__all__ = [
    "PROFILE_FIELDS",
    "Ask",
    "AskPriority",
    "Candidate",
    "CandidateKind",
    "DetailName",
    "Erasure",
    "ErasureScope",
    "ErasureState",
    "Forgotten",
    "ForgottenKind",
    "IdempotentReply",
    "Preference",
    "ProfileFact",
    "Subject",
    "SubjectAlias",
    "SubjectJoin",
    "SubjectOwned",
    "Tag",
    "TagDetail",
    "TagKind",
    "ToolSave",
]
