"""Measure searches of documents: ``manage.py evaluate_documents FOLDER``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from lab.evaluation.documents.grounding_comparison import judge_sentences, list_tasks, render_judgements
from lab.evaluation.documents.lane_comparison import compare_lanes
from lab.evaluation.documents.page_anchors import find_lost_anchors, read_sentences
from lab.evaluation.documents.questions_of_pages import QUESTIONS, cut_pages, find_answers, read_questions
from memory_platform.management.base_command import PlatformCommand, progress


class Command(PlatformCommand):
    help = "Put questions to Markdown pages and print what each way finds; or judge sentences by them (--grounding)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the pages, such as /usr/share/doc/nodejs/api")
        parser.add_argument("--questions", type=Path, default=QUESTIONS, help="a JSON file (%(default)s)")
        half = parser.add_mutually_exclusive_group()
        half.add_argument("--held-out", action="store_true", help="ask the questions that nobody tunes on, instead")
        half.add_argument("--all", action="store_true", help="ask the questions of both halves, together and each")
        parser.add_argument(
            "--grounding", action="store_true", help="judge sentences by the pages in FOLDER/en and FOLDER/zh, instead"
        )

    def handle(self, **options: Any) -> None:
        if options["grounding"]:
            self._judge(options["folder"], is_held_out=options["held_out"])
        else:
            self._search(options)

    def _judge(self, folder: Path, *, is_held_out: bool) -> None:
        if find_lost_anchors(folder):
            raise CommandError(f"{folder} has not the pages of the sentences. Run `manage.py fetch_documents` first.")
        sentences = [one for one in read_sentences() if one.held_out == is_held_out]
        with progress(self.stdout, "judging", 0, "steps") as advance:
            judged = judge_sentences(list_tasks(folder, sentences, advance))
        self.stdout.write(f"{len(sentences)} sentences that are {'' if is_held_out else 'not '}held out")
        for line in render_judgements(judged):
            self.stdout.write(line)

    def _search(self, options: dict[str, Any]) -> None:
        pieces, questions = cut_pages(options["folder"]), read_questions(options["questions"])
        is_held_out = None if options["all"] else options["held_out"]
        questions = [one for one in questions if is_held_out in (None, one.held_out)]
        lost = [one.id for one in questions if one.file is not None and not find_answers(one, pieces)]
        if lost:
            raise CommandError(f"{options['folder']} has no passage for {', '.join(lost[:5])}. Name the pages' folder.")
        with progress(self.stdout, "measuring", len(pieces) + len(questions), "steps") as advance:
            found = compare_lanes(pieces, questions, advance=advance)
        for half in (None, False, True) if options["all"] else (is_held_out,):
            for line in found.render(held_out=half):
                self.stdout.write(line)
