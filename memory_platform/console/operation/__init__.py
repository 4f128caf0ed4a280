"""Screens for operators: workers, queue, timetable, erasures, job runs."""
