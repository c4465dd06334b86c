"""Editions from the notebooks: for learners, for teachers, on paper, as slides, as one offline page.

Each module that ``editions.EDITIONS`` names has ``build(lessons, wishes)``, which
yields the names and the contents of its files in the language that is spoken.
"""
