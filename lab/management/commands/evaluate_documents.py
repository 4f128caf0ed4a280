"""Measure searches of documents: ``manage.py evaluate_documents FOLDER``."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from lab.evaluation.documents.lane_comparison import compare_lanes
from lab.evaluation.documents.questions_of_pages import QUESTIONS, cut_pages, find_answers, read_questions
from memory_platform.management.base import PlatformCommand, progress


class Command(PlatformCommand):
    help = "Put questions to Markdown pages by words, by vectors and by both, and print what each way finds."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the pages, such as /usr/share/doc/nodejs/api")
        parser.add_argument("--questions", type=Path, default=QUESTIONS, help="a JSON file (%(default)s)")
        parser.add_argument("--held-out", action="store_true", help="ask the questions that nobody tunes on, instead")

    def handle(self, **options: Any) -> None:
        pieces, questions = cut_pages(options["folder"]), read_questions(options["questions"])
        questions = [one for one in questions if one.held_out == options["held_out"]]
        lost = [one.id for one in questions if one.file is not None and not find_answers(one, pieces)]
        if lost:
            raise CommandError(f"{options['folder']} has no passage for {', '.join(lost[:5])}. Name the pages' folder.")
        with progress(self.stdout, "measuring", len(pieces) + len(questions), "steps") as advance:
            found = compare_lanes(pieces, questions, advance=advance)
        for line in found.render(held_out=options["held_out"]):
            self.stdout.write(line)
