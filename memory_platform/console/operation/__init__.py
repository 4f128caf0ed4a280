"""Screens for operators: workers, queue, timetable, erasures, prices."""
