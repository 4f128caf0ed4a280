"""Calls about a key rather than a memory: ping, the project, its members, profiles; and the calls that are not
served."""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ANY_KEY
from memory_platform.compat.mem0.access import check_project, name_organisation, name_project
from memory_platform.compat.mem0.errors import NotServed
from memory_platform.compat.mem0.memory_scope import read_scope
from memory_platform.compat.mem0.views import Mem0View, read_raw_body
from memory_platform.kernel.errors import FieldFault, InvalidInput, NotFound
from profiles.models import Subject
from profiles.selectors import current_profile, subject_by_external_id
from tenants.isolation import tenant_tx

NOT_APPLIED: Mapping[str, str] = {
    "custom_instructions": "What is learned follows the tenant's policy: console, or /v1/policies.",
    "agent_custom_instructions": "What is learned follows the tenant's policy: console, or /v1/policies.",
    "custom_categories": "Categories are the platform's topics. Set your own with `categories` when adding.",
    "memory_depth": "The platform has one depth.",
    "usecase_setting": "The platform has no use cases to choose from.",
    "multilingual": "Memories always stay in the language in which they were said.",
    "decay": "The confidence of memories falls by the tenant's policy: /v1/policies.",
    "retrieval_criteria": "Recall ranks by relevance, and by the tenant's policy.",
    "enable_graph": "People and places are tags of a person.",
    "version": "All versions of the clients are served.",
    "name": "A tenant is its only project. An operator renames it.",
    "description": "A project has no description.",
}
_PROFILES_ARE_CURRENT = "Profiles are kept up to date by themselves: nothing needs to be generated."
MEMBERS = "Members are managed in the console, under Members: an invitation goes by a link, not by this call."
PROJECTS = "A tenant is its only project. An operator creates and deletes tenants."
RESET = "Not served: it would erase every person of the tenant. Use delete_users, or DELETE /v1/subjects/{id}."
CONFIGURE = "Not served: models are configured by the operator, in the environment of the server."


class PingView(Mem0View):
    required_scope = ANY_KEY

    def get(self, request: Request) -> Response:
        """Answer whose key it is."""
        caller = self.caller
        names = {"org_id": name_organisation(caller), "project_id": name_project(caller), "user_email": None}
        return Response({"status": "ok", **names, "project_name": caller.tenant_name})


class ProjectView(Mem0View):
    """The one project of a tenant, with the platform's rules in place of mem0's settings."""

    def get(self, request: Request, org_id: str, project_id: str) -> Response:
        check_project(self.caller, org_id, project_id)
        shown: dict[str, Any] = {
            "id": project_id,
            "project_id": project_id,
            "org_id": org_id,
            "name": self.caller.tenant_name,
            **dict.fromkeys(("description", "custom_instructions", "agent_custom_instructions", "memory_depth")),
            "custom_categories": [],
            "usecase_setting": None,
            "multilingual": True,
            "decay": True,
        }
        fields = request.query_params.getlist("fields")
        return Response({name: value for name, value in shown.items() if not fields or name in fields})

    def patch(self, request: Request, org_id: str, project_id: str) -> Response:
        """Change nothing, and say so for each setting."""
        check_project(self.caller, org_id, project_id)
        given = [name for name in read_raw_body(request) if name not in ("org_id", "project_id")]
        unknown = next((name for name in given if name not in NOT_APPLIED), None)
        if unknown is not None:
            message = f"Unknown setting. Known: {', '.join(NOT_APPLIED)}."
            raise InvalidInput(faults=[FieldFault(str(unknown)[:80], "unknown_option", message)])
        told = {name: NOT_APPLIED[name] for name in given}
        return Response({"message": "Nothing was changed: `not_applied` says why.", "not_applied": told})

    def delete(self, request: Request, org_id: str, project_id: str) -> Response:
        raise NotServed(PROJECTS)


class HolderProfileView(Mem0View):
    noun = "profiles"
    required_scope = "memory:read"

    def get(self, request: Request, name: str) -> Response:
        """Answer with the profile of a user."""
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(read_scope({"user_id": name}).subject_id)
            profile = current_profile(subject)
        known = {key: value for key, value in profile.items() if value not in (None, {}, [])}
        return Response(
            {
                "profile": known,
                "status": "succeeded" if known else "insufficient_data",
                "entity_type": "user",
                "entity_id": name,
                "updated_at": subject.updated_at,
                "generation_count": subject.profile_version,
            }
        )


class ProfileJobsView(Mem0View):
    noun = "profiles"

    def post(self, request: Request) -> Response:
        """Answer a job that is done: a profile is kept up to date with every message."""
        if read_raw_body(request).get("operation") != "trigger":
            raise NotServed(f"{_PROFILES_ARE_CURRENT} Read one with get_profile.")
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(
                read_scope({"user_id": read_raw_body(request).get("entity_id")}).subject_id
            )
        job = str(subject.id)
        return Response(
            {
                "job_id": job,
                "status": "succeeded",
                "status_url": f"/v2/profiles/jobs/{job}/",
                "operation": "trigger",
                "entity_type": "user",
                "replayed": False,
                "message": _PROFILES_ARE_CURRENT,
            }
        )


class ProfileJobView(Mem0View):
    noun = "profiles"
    required_scope = "memory:read"

    def get(self, request: Request, job_id: UUID) -> Response:
        with tenant_tx(self.tenant_id):
            if not Subject.objects.filter(id=job_id, erasing=False).exists():
                raise NotFound("No job with this id.")
        counts = {"total": 1, "completed": 1, "succeeded": 1, "failed": 0, "skipped": 0}
        return Response({"job": {"id": str(job_id), "status": "succeeded", **counts, "enumeration_complete": True}})


class ProfileSettingsView(Mem0View):
    noun = "profiles"
    shown: ClassVar[Mapping[str, Any]] = {
        "enabled": True,
        "entities": {"user": {"schema": None, "custom_instructions": None}},
    }

    def get(self, request: Request) -> Response:
        return Response(self.shown)

    def post(self, request: Request) -> Response:
        """Change nothing, and say so."""
        why = "Fields of profiles are set by the tenant's policy: console, or /v1/policies."
        told = {name: why for name in read_raw_body(request) if name not in ("org_id", "project_id")}
        return Response({**self.shown, "message": "Nothing was changed.", "not_applied": told})


class NotServedView(Mem0View):
    """Refuses every method with a reason."""

    reason: ClassVar[str] = ""

    def get(self, request: Request, **_parts: str) -> Response:
        raise NotServed(self.reason)

    post = put = patch = delete = get


class Mem0PathUnknownView(Mem0View):
    required_scope = ANY_KEY

    def get(self, request: Request, **_parts: str) -> Response:
        raise NotFound("No such path for mem0's clients. docs/clients/mem0.md lists those that are served.")

    post = put = patch = delete = get
