"""Expand or repeat? From requirements to one answer, and what has to hold for it."""

from zerostride.advice.advising import advise as advise
from zerostride.advice.answer import Advice as Advice
from zerostride.advice.checking import Check as Check
from zerostride.advice.decisions import ANSWERS as ANSWERS
from zerostride.advice.decisions import REQUIREMENTS as REQUIREMENTS
from zerostride.advice.required import requirements as requirements
