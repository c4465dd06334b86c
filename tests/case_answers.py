"""The product's answers to the public cases, against what the libraries were seen to do."""

import warnings

from cases.cases import close

SWAPPED = {"refused": "ok", "ok": "refused"}


def answered(answer, case):
    """Return what the product says of a case built afresh; warnings of the libraries are left aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return answer(**case["build"]())


def agrees(answer, fact):
    """Return whether an answer is the fact; an error of a library stands for any refusal."""
    return (answer == "refused") == (fact != "ok") if answer in ("refused", "ok") else close(answer, fact)


def wrong_answers(answers, expected, agrees=agrees):
    """Return the facts that the product has otherwise."""
    return {
        key: (answer, expected[key]) for key, answer in answers.items() if not agrees(answer, expected[key])
    }


def unseen(answers, expected, agrees=agrees):
    """Return the facts of which a wrong answer would not be found, or found of others as well."""
    return [
        key
        for key, answer in answers.items()
        if set(wrong_answers(answers | {key: another(answer)}, expected, agrees)) != {key}
    ]


def another(answer):
    """Return an answer that is certainly another one."""
    if isinstance(answer, str):
        return SWAPPED.get(answer, "other")
    if isinstance(answer, bool):
        return not answer
    return (*answer, 0) if isinstance(answer, tuple) else ()
