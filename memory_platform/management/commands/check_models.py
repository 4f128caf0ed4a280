"""``manage.py check_models``: ask each configured chat endpoint one tiny question. Safe to repeat."""

from time import perf_counter

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import BaseModel

from memory_platform.env_chat import PURPOSES
from memory_platform.providers.contracts import ChatModel, ChatPrompt, ChatUnavailable, Preparable
from memory_platform.providers.registry import chat_endpoints, chat_model, chat_route

QUESTION = ChatPrompt("Answer the sum.", "2 + 3")

ASKED_AS = "extract"
"""The purpose whose time the answer may take."""

ADVICE = {
    "timeout": "No answer in time. A local model may be loading: try again; else choose a smaller or nearer one.",
    "unreachable": "Nothing answers there. Check base_url, the name, the port and the way to it.",
    "overloaded": "The endpoint refuses for now (429). Check the key's quota, or wait.",
    "broken": "The endpoint fails (5xx). Read its own log, or the maker's status page.",
    "denied": "The key, the project or the model's name is not accepted (401, 403, 404). Check all three.",
    "refused": "The endpoint refuses the request itself (400). Check that the model is a chat model.",
    "redirected": "The endpoint answers elsewhere. Set base_url to the address it redirects to.",
    "too_large": "The answer never ended. Check that base_url leads to a chat endpoint.",
    "wrong_answer": "What came is no chat answer. Check that base_url ends before /chat/completions, and kind.",
    "invalid_output": "It answers, but not as JSON of the shape asked for. Choose a model that follows instructions.",
    "not_installed": "Its packages are missing: make chat.",
    "misconfigured": "Its library refuses the settings. Check api_key, project and region.",
}


class Sum(BaseModel):
    """What is asked for."""

    sum: int


class Command(BaseCommand):
    help = "Ask each configured chat endpoint one tiny question; print its time and tokens, or what is wrong with it."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="endpoints to ask; all when left out")

    def handle(self, *args: object, names: list[str], **options: object) -> None:
        known = chat_endpoints()
        if unknown := [name for name in names if name not in known]:
            raise CommandError(f"No endpoint is called {', '.join(unknown)}; known: {', '.join(known) or 'none'}.")
        if not known:
            self.stdout.write("No chat model is configured: rules do all the work. CHAT_MODEL names one.")
            return
        failed = [name for name in names or known if not self._works(name)]
        if failed:
            raise CommandError(f"{len(failed)} of {len(names or known)} endpoints do not work: {', '.join(failed)}.")

    def _works(self, name: str) -> bool:
        """Ask one endpoint and print one line; return whether it answered the sum."""
        model = chat_model(ASKED_AS, name)
        if model is None:
            return False
        routed = ", ".join(purpose for purpose in PURPOSES if chat_route(purpose) == name) or "no purpose by default"
        self.stdout.write(f"{name} ({model.name}; {routed})")
        try:
            told = asked(model)
        except ChatUnavailable as failure:
            self.stdout.write(f"  {failure.failure}: {ADVICE.get(failure.failure, failure.detail)}")
            return False
        self.stdout.write(f"  {told}")
        return True


def asked(model: ChatModel) -> str:
    """Return what one question took, the library's import apart. Raises ChatUnavailable."""
    if isinstance(model, Preparable):
        model.prepare()
    started = perf_counter()
    answered = model.structured(QUESTION, Sum)
    seconds, usage = perf_counter() - started, answered.usage
    wrong = "" if answered.value.sum == 2 + 3 else "; its sum is wrong: a very small model"
    repaired = "; its first answer was no valid JSON" if usage.requests > 1 else ""
    tokens = f"{usage.input_tokens} tokens read, {usage.output_tokens} written, {usage.cached_tokens} kept by the maker"
    return f"answers in {seconds:.2f} s; {tokens}{repaired}{wrong}"
