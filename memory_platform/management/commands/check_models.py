"""``manage.py check_models``: ask each chat endpoint a tiny question, and for proposals on a few messages.

Safe to repeat.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter, sleep

from django.core.management.base import BaseCommand, CommandError, CommandParser
from pydantic import BaseModel

from memory_platform.env.chat_endpoints import PURPOSES
from memory_platform.providers.contracts import (
    ChatModel,
    ChatPrompt,
    ChatUnavailable,
    InvalidOutput,
    JsonForm,
    JsonForms,
    Preparable,
    Usage,
)
from memory_platform.providers.registry import chat_endpoints, chat_model, chat_route
from snapshots.understanding.proposing.model_tryout import SAMPLE, count_gate_outcomes, propose_for_samples

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


FORMS = {JsonForm.SCHEMA: "JSON held to a schema", JsonForm.PROMPTED: "JSON as instructed"}


LONGEST_PAUSE = 60


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """About how many messages of the sample an endpoint is asked, and seconds between two questions."""

    messages: int
    pause: float


@dataclass(frozen=True, slots=True)
class SampleResult:
    """How many of the questions in one form of JSON had a valid answer, and the whole of it in words."""

    asked: int
    valid: int
    report: str

    @property
    def works(self) -> bool:
        """Whether most answers were of use."""
        return self.valid > self.asked / 2


class SumAnswer(BaseModel):
    """The requested sum."""

    sum: int


class Command(BaseCommand):
    help = (
        "Ask each configured chat endpoint a tiny question, and what it proposes of a few messages; print time and "
        "tokens, what the gate refuses, or what is wrong."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quick", action="store_true", help="the tiny question alone")
        parser.add_argument(
            "--messages", type=int, default=len(SAMPLE), metavar="N", help="ask about so many (%(default)s)"
        )
        parser.add_argument(
            "--pause", type=float, default=0.0, metavar="SECONDS", help="wait between questions, for a small quota"
        )
        parser.add_argument("names", nargs="*", metavar="NAME", help="endpoints to ask; all when left out")

    def handle(
        self, *args: object, names: list[str], quick: bool, messages: int, pause: float, **options: object
    ) -> None:
        if not 1 <= messages <= len(SAMPLE):
            raise CommandError(f"--messages must be between 1 and {len(SAMPLE)}.")
        if not 0 <= pause <= LONGEST_PAUSE:
            raise CommandError(f"--pause must be between 0 and {LONGEST_PAUSE} seconds.")
        pace = SampleOptions(0 if quick else messages, pause)
        known = chat_endpoints()
        if unknown := [name for name in names if name not in known]:
            raise CommandError(f"No endpoint is called {', '.join(unknown)}; allowed: {', '.join(known) or 'none'}.")
        if not known:
            self.stdout.write("No chat model is configured: taught readers do all the work. CHAT_MODEL names one.")
            return
        failed = [name for name in names or known if not self._check_endpoint(name, pace)]
        if failed:
            raise CommandError(f"{len(failed)} of {len(names or known)} endpoints do not work: {', '.join(failed)}.")

    def _check_endpoint(self, name: str, pace: SampleOptions) -> bool:
        model = chat_model(ASKED_AS, name)
        if model is None:
            return False
        routed = ", ".join(purpose for purpose in PURPOSES if chat_route(purpose) == name) or "no purpose by default"
        self.stdout.write(f"{name} ({model.name}; {routed})")
        try:
            told = try_model(model)
        except ChatUnavailable as failure:
            self.stdout.write(f"  {failure.failure}: {ADVICE.get(failure.failure, failure.detail)}")
            return False
        self.stdout.write(f"  {told}")
        if isinstance(model, JsonForms) and pace.messages:
            tried = {form: try_sample(model, form, pace) for form in FORMS}
            for form, title in FORMS.items():
                self.stdout.write(f"  {title}: {tried[form].report}")
            self.stdout.write(f"  {describe_capability(tried)}")
        return True


def try_model(model: ChatModel) -> str:
    """Ask one question; return its time, tokens and faults as text. Importing the library is not timed. Raises
    ChatUnavailable."""
    if isinstance(model, Preparable):
        model.prepare()
    started = perf_counter()
    answered = model.ask_structured(QUESTION, SumAnswer)
    seconds, usage = perf_counter() - started, answered.usage
    wrong = "" if answered.value.sum == 2 + 3 else "; its sum is wrong: a very small model"
    repaired = "; its first answer was no valid JSON" if usage.requests > 1 else ""
    tokens = f"{usage.input_tokens} tokens read, {usage.output_tokens} written, {usage.cached_tokens} kept by the maker"
    return f"answers in {seconds:.2f} s; {tokens}{repaired}{wrong}"


def describe_capability(tried: Mapping[JsonForm, SampleResult]) -> str:
    if tried[JsonForm.SCHEMA].works:
        return "It can propose memories, held to a schema: the purpose extract may be sent to it."
    if tried[JsonForm.PROMPTED].works:
        return "It can propose memories as instructed, not held to a schema: the purpose extract may be sent to it."
    return "It cannot propose memories: most answers are of no use. Leave the purpose extract to the readers."


def try_sample(model: JsonForms, form: JsonForm, pace: SampleOptions) -> SampleResult:
    """Return a model's results on the sample of messages in one form of JSON, with the gate's verdicts. Stops at an
    endpoint that fails or refuses the form. A slow endpoint is asked further until its circuit opens."""
    valid, asked, late, outcomes, usage, started = 0, 0, 0, Counter[str](), Usage(), perf_counter()
    failed = ""
    for text in SAMPLE[: pace.messages]:
        sleep(pace.pause)
        asked += 1
        try:
            proposals, cost = propose_for_samples(model, [text], form)
        except InvalidOutput as invalid:
            usage += invalid.usage
            continue
        except ChatUnavailable as failure:
            usage += failure.usage
            late += failure.failure == "timeout"
            if failure.failure == "timeout":
                continue
            failed = f"; then {failure.failure}"
            break
        valid, usage = valid + 1, usage + cost
        outcomes += count_gate_outcomes([text], proposals)
    took = 1_000 * ((perf_counter() - started) / asked - pace.pause)
    stands = outcomes["accepted"] + outcomes["known"]
    refused = ", ".join(f"{reason} {n}" for reason, n in outcomes.most_common() if reason not in ("accepted", "known"))
    told = (
        f"valid for {valid} of {asked} messages, too late for {late}{failed}; {took:.0f} ms and "
        f"{usage.input_tokens // asked} + {usage.output_tokens // asked} tokens each; "
        f"{outcomes.total()} proposals, {outcomes.total() - stands} refused"
        f"{f': {refused}' if refused else ''}"
    )
    return SampleResult(asked, valid, told)
