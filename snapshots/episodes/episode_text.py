"""Makes an episode of a task: completes the agent's ending, rates its importance, and writes the text that recall
finds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from memory_platform.kernel.text import detect_language
from snapshots.episodes.config import EPISODES
from snapshots.episodes.values import TaskEnding
from snapshots.models import EpisodeOutcome, StepStatus, Task

# Masks secrets in a text; returns it and their number.
Mask = Callable[[str], tuple[str, int]]

_LABELS = {
    "en": ("Task", "Outcome", "Approach", "Decisions", "Tools", "Feedback", "Lessons"),
    "zh": ("任务", "结果", "做法", "关键决定", "工具", "反馈", "经验"),
}
_OUTCOMES = {
    "en": {"success": "success", "partial": "partial success", "failure": "failure"},
    "zh": {"success": "成功", "partial": "部分成功", "failure": "失败"},
}


def complete_ending(ending: TaskEnding, task: Task) -> TaskEnding:
    """Return the ending, completed from the steps: approach, tools, lessons of failures."""
    steps = [step for step in task.steps if step["text"]]
    done = [step["text"] for step in steps if step["status"] == StepStatus.COMPLETED]
    failed = [f"{step['text']}: {step['error']}" for step in steps if _describe_failure(step) and step.get("error")]
    return replace(
        ending,
        approach=ending.approach or " → ".join(done),
        tools=ending.tools or tuple(dict.fromkeys(step["tool"] for step in steps if step.get("tool"))),
        lessons=ending.lessons or tuple(failed),
    )


def mask_ending(ending: TaskEnding, mask: Mask) -> TaskEnding:
    """Return the ending without secrets: an episode outlives its task."""
    return replace(
        ending,
        approach=mask(ending.approach)[0],
        feedback=mask(ending.feedback)[0],
        key_decisions=tuple(mask(one)[0] for one in ending.key_decisions),
        tools=tuple(mask(one)[0] for one in ending.tools),
        lessons=tuple(mask(one)[0] for one in ending.lessons),
    )


def rate_importance(ending: TaskEnding, task: Task) -> float:
    """Return the importance of the episode, 0..1: by outcome, raised by feedback and lessons."""
    ranges = {
        EpisodeOutcome.SUCCESS: EPISODES.success,
        EpisodeOutcome.PARTIAL: EPISODES.partial,
        EpisodeOutcome.FAILURE: EPISODES.failure,
    }
    least, most = EPISODES.feedback if ending.feedback else ranges[EpisodeOutcome(ending.outcome)]
    taught = len(ending.lessons) + len(ending.key_decisions) + sum(map(_describe_failure, task.steps))
    return round(least + (most - least) * min(1.0, taught / EPISODES.taught_all), 4)


def render_episode(goal: str, ending: TaskEnding) -> str:
    """Return the episode as one text in the language of its goal, each part cut to the configured length."""
    language = "zh" if detect_language(goal) == "zh" else "en"
    said = (
        goal,
        _OUTCOMES[language][ending.outcome],
        ending.approach,
        _join_texts(ending.key_decisions, language),
        _join_texts(ending.tools, language),
        ending.feedback,
        _join_texts(ending.lessons, language),
    )
    colon = ":" if language == "zh" else ": "
    parts = zip(_LABELS[language], said, strict=True)
    return "\n".join(f"{label}{colon}{text[: EPISODES.part_chars]}" for label, text in parts if text)


def _join_texts(texts: Iterable[str], language: str) -> str:
    return (";" if language == "zh" else "; ").join(texts)


def _describe_failure(step: Mapping[str, Any]) -> bool:
    return bool(step["status"] == StepStatus.FAILED)
