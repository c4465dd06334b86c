"""Editions of the course, all derived from the complete notebooks."""
