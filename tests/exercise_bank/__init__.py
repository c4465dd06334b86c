"""Right and wrong answers as a learner would give them, each wrong one with the misconception it shows."""

from importlib import import_module
from pkgutil import iter_modules

_LESSONS = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]


def _merged(bank):
    return {exercise: given for lesson in _LESSONS for exercise, given in getattr(lesson, bank).items()}


RIGHT = _merged("RIGHT")
WRONG = _merged("WRONG")
# Other answers that the same misconception produces.
ALSO_WRONG = _merged("ALSO_WRONG")
# What stands in the answer, and may stand in no hint and no diagnosis.
GIVEN_AWAY = _merged("GIVEN_AWAY")
