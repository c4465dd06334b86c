"""The command ``zerostride``: check the claims, open the course."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import zerostride
from zerostride import language
from zerostride.language import say
from zerostride.refusals import RefusedError, folder_of, must_be_readable, reason_of, unusable
from zerostride.reports import Report, columns, printable

FOLDER = "zerostride-course"


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, say("cli.usage") if prefix is None else prefix)


class _Parser(argparse.ArgumentParser):
    def __init__(self, prog: str, about: str, epilog: str = "") -> None:
        super().__init__(
            prog,
            description=about,
            epilog=epilog,
            formatter_class=_Formatter,
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
        )
        self.own = self.add_argument_group(say("cli.options"))
        self.own.add_argument("-h", "--help", action="help", help=say("cli.help"))
        self.own.add_argument("--lang", metavar="|".join(language.LANGUAGES), help=say("cli.language"))

    def error(self, message: str) -> NoReturn:
        # Nothing comes here but what is missing, named at the end.
        raise RefusedError(say("cli.bad.missing", name=message.rpartition(": ")[2], program=self.prog))


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return 0 where nothing failed, 1 where a check failed, 2 on bad input.

    Parameters
    ----------
    argv : sequence of str, optional
        What was typed after ``zerostride``; by default the program's own.

    Examples
    --------
    >>> main(["--version"])
    zerostride 0.1.0
    0
    """
    _never_fail_to_encode()
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        print(end="", flush=True)
        return status
    except RefusedError as error:
        return _refuse(str(error))
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:  # such as a full disk behind standard output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _refuse(say("cli.bad.output", reason=reason_of(error)))
    except KeyboardInterrupt:  # Ctrl-C, for instance at a question or in a long run
        print(file=sys.stderr)
        return 130
    except SystemExit as stop:  # argparse has shown its help
        return int(stop.code or 0)


def _never_fail_to_encode() -> None:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _refuse(message: str) -> int:
    print(f"zerostride: {printable(message)}", file=sys.stderr)
    return 2


def _run(typed: list[str]) -> int:
    first = argparse.ArgumentParser("zerostride", add_help=False, allow_abbrev=False, exit_on_error=False)
    first.add_argument("--lang")
    wished, rest = _read(first, typed)
    if wished.lang is not None:
        _speak(wished.lang)
    if not rest or rest[0].startswith("-"):
        return _front_door(rest)
    if rest[0] not in _COMMANDS:
        raise RefusedError(say("cli.bad.command", command=rest[0], known=language.enumerated(_COMMANDS)))
    spoken = [] if wished.lang is None else ["--lang", wished.lang]
    return _COMMANDS[rest[0]]([*spoken, *rest[1:]])


def _speak(wished: str) -> None:
    try:
        language.use(wished)
    except ValueError as error:
        raise RefusedError(str(error)) from error


def _front_door(typed: list[str]) -> int:
    about = {name: say(f"cli.{name}.about") for name in _COMMANDS}
    commands = "\n".join(f"  {name:10}{text}" for name, text in about.items())
    parser = _Parser("zerostride", say("cli.about"), f"{say('cli.commands')}:\n{commands}")
    parser.usage = f"%(prog)s [-h] [--lang {'|'.join(language.LANGUAGES)}] [--version] COMMAND ..."
    parser.own.add_argument("--version", action="store_true", help=say("cli.version"))
    if _known(parser, typed).version:
        print(f"zerostride {zerostride.__version__}")
    else:
        parser.print_help()
    return 0


def _read(parser: argparse.ArgumentParser, typed: list[str]) -> tuple[argparse.Namespace, list[str]]:
    for word in typed:
        if word.endswith("=--"):  # argparse takes the value away
            raise RefusedError(say("cli.bad.option", option=word, program=parser.prog))
    try:
        return parser.parse_known_args(typed)
    except argparse.ArgumentError as error:
        if error.argument_name is None:  # from Python 3.12 on
            parser.error(error.message)
        raise RefusedError(say("cli.bad.option", option=error.argument_name, program=parser.prog)) from error


def _tell(report: Report, as_json: bool) -> None:
    print(json.dumps(report.to_dict(), indent=2) if as_json else report.to_text(columns()))


def _known(parser: _Parser, typed: list[str]) -> argparse.Namespace:
    options, unknown = _read(parser, typed)
    if unknown:
        raise RefusedError(say("cli.bad.extra", option=unknown[0], program=parser.prog))
    return options


def _check(typed: list[str]) -> int:
    parser = _Parser("zerostride check", say("cli.check.about"))
    add = parser.own.add_argument
    add("--rows", metavar="N", type=_count("--rows"), default=4, help=say("cli.check.rows"))
    add("--cols", metavar="N", type=_count("--cols"), default=3, help=say("cli.check.cols"))
    add("--dtype", metavar="TYPE", default="float64", help=say("cli.check.dtype"))
    suites = zerostride.checks.SUITES
    about_suites = say("cli.check.suite", suites=language.enumerated(suites))
    add("--suite", metavar="NAME", action="append", help=about_suites)
    add("--json", action="store_true", help=say("cli.check.json"))
    asked = _known(parser, typed)
    try:
        report = zerostride.checks.run(asked.rows, asked.cols, asked.dtype, asked.suite or suites)
    except ValueError as error:
        raise RefusedError(str(error)) from error
    _tell(report, asked.json)
    return 0 if report.passed else 1


def _layout(typed: list[str]) -> int:
    from zerostride.array_files import file_layouts

    parser = _Parser("zerostride layout", say("cli.layout.about"))
    parser.own.add_argument("file", metavar="FILE", type=Path, help=say("cli.layout.file"))
    parser.own.add_argument("--json", action="store_true", help=say("cli.check.json"))
    asked = _known(parser, typed)
    try:
        report = file_layouts(asked.file)
    except ValueError as error:
        raise RefusedError(f"{asked.file}: {error}") from error
    except OSError as error:
        raise RefusedError(f"{asked.file}: {reason_of(error, reading=True)}") from error
    _tell(report, asked.json)
    return 0


def _writes(typed: list[str]) -> int:
    parser = _Parser("zerostride writes", say("cli.writes.about"), say("cli.writes.more"))
    parser.own.add_argument(
        "--only", metavar="WORD", action="append", default=[], help=say("cli.writes.only")
    )
    parser.own.add_argument("--fresh", action="store_true", help=say("cli.writes.fresh"))
    parser.own.add_argument("--json", action="store_true", help=say("cli.check.json"))
    asked = _known(parser, typed)
    try:
        report = zerostride.writes.atlas(fresh=asked.fresh).only(asked.only)
    except (LookupError, RuntimeError) as error:
        raise RefusedError(str(error.args[0])) from error
    _tell(report, asked.json)
    return 0


def _evidence(typed: list[str]) -> int:
    from zerostride.findings.files import Asked, told

    parser = _Parser("zerostride evidence", say("cli.evidence.about"), say("cli.evidence.more"))
    add = parser.own.add_argument
    add("file", metavar="PROGRAM.py", type=Path, help=say("cli.evidence.file"))
    add("--source", metavar="NAME", default="source", help=say("cli.evidence.source"))
    add("--use", metavar="NAME", action="append", default=[], help=say("cli.evidence.use"))
    add("--loss", metavar="NAME", default="", help=say("cli.evidence.loss"))
    add("--measure", action="store_true", help=say("cli.evidence.measure"))
    add("--time-limit", metavar="S", type=_count("--time-limit"), default=120, help=say("cli.evidence.limit"))
    add("--json", action="store_true", help=say("cli.check.json"))
    add("--markdown", action="store_true", help=say("cli.evidence.markdown"))
    asked = _known(parser, typed)
    must_be_readable(asked.file)
    if not asked.use:
        raise RefusedError(say("cli.evidence.no_use"))
    form = "json" if asked.json else "markdown" if asked.markdown else "text"
    wanted = Asked(
        str(asked.file), asked.source, tuple(asked.use), asked.loss, asked.measure, form, columns()
    )
    try:
        print(told(wanted, asked.time_limit), end="")
    except ValueError as error:
        raise RefusedError(f"{asked.file}: {error}") from error
    return 0


def _advise(typed: list[str]) -> int:
    from zerostride.advice.asking import CHOICES, SHAPES, advice_on

    parser = _Parser("zerostride advise", say("cli.advise.about"), say("cli.advise.more"))
    for name in (*SHAPES, *CHOICES, "dtype", "pattern"):
        parser.own.add_argument(f"--{name}", metavar=name.upper(), help=say(f"cli.advise.{name}"))
    parser.own.add_argument("--json", action="store_true", help=say("cli.check.json"))
    asked = vars(_known(parser, typed))
    as_json, _ = asked.pop("json"), asked.pop("lang")
    missing = any(asked[name] is None for name in SHAPES)
    try:
        report = advice_on(asked, input if missing and sys.stdin and sys.stdin.isatty() else None)
    except (TypeError, ValueError, EOFError) as error:
        raise RefusedError(str(error) or say("cli.advise.ended")) from error
    _tell(report, as_json)
    return 1 if any(check.status == "failed" for check in report.checks) else 0


def _publish(typed: list[str]) -> int:
    from zerostride.publish import editions
    from zerostride.publish.paper.typesetting import TypesettingError
    from zerostride.publish.workers import WorkerEndedError

    parser = _Parser("zerostride publish", say("cli.publish.about"), say("cli.publish.more"))
    add = parser.own.add_argument
    add("--out", metavar="DIR", help=say("cli.publish.out"))
    add("--lesson", metavar="NAME", action="append", default=[], help=say("cli.publish.lesson"))
    known = language.enumerated(editions.EDITIONS)
    add("--edition", metavar="NAME", action="append", help=say("cli.publish.edition", known=known))
    add("--paper", metavar="|".join(editions.PAPERS), default="a4", help=say("cli.publish.paper"))
    add("--answers", metavar="|".join(editions.ANSWERS), default="end", help=say("cli.publish.answers"))
    add("--json", action="store_true", help=say("cli.check.json"))
    asked = _known(parser, typed)
    if not asked.out:
        raise RefusedError(say("cli.publish.no_out"))
    languages = [asked.lang] if asked.lang else language.LANGUAGES
    folder = folder_of(asked.out, "--out")
    try:
        wishes = editions.Wishes(asked.paper, asked.answers)
        with _progress() as progress:
            wanted = asked.edition or tuple(editions.EDITIONS)
            done = editions.publish(folder, languages, asked.lesson, wanted, wishes, progress=progress)
    except ImportError as error:
        raise RefusedError(say("cli.publish.missing", package=error.name)) from error
    except (LookupError, ValueError, TypesettingError, WorkerEndedError) as error:
        raise RefusedError(str(error.args[0])) from error
    except OSError as error:
        raise unusable(folder, "--out", error) from error
    _tell(done, asked.json)
    return 0


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    try:
        from tqdm import tqdm
    except ImportError:  # an edition that needs no extra is built without a bar
        yield lambda done, all_of_them: None
        return
    with tqdm(leave=False, disable=None, bar_format="{bar} {n_fmt}/{total_fmt} {elapsed}") as bar:

        def progress(done: int, all_of_them: int) -> None:
            bar.total, bar.n = all_of_them, done
            bar.refresh()

        yield progress


def _count(option: str) -> Callable[[str], int]:
    def count(value: str) -> int:
        if not value.isdecimal():
            raise RefusedError(say("cli.bad.count", option=option, value=value))
        return int(value)

    return count


def _lab(typed: list[str]) -> int:
    parser = _Parser("zerostride lab", say("cli.lab.about"), say("cli.lab.more"))
    add = parser.own.add_argument
    add("--dir", metavar="DIR", default=FOLDER, help=say("cli.lab.dir", folder=FOLDER))
    add("--copy-only", action="store_true", help=say("cli.lab.copy_only"))
    options, passed_on = _read(parser, typed)
    if passed_on and not passed_on[0].startswith("-"):
        raise RefusedError(say("cli.bad.extra", option=passed_on[0], program=parser.prog))
    folder = folder_of(options.dir, "--dir")
    _copy(folder)
    return 0 if options.copy_only else _open(folder, [word for word in passed_on if word != "--"])


def _copy(folder: Path) -> None:
    from zerostride.learner import copy_course

    try:
        done = copy_course(folder).told(folder)
    except (LookupError, ValueError) as error:
        raise RefusedError(str(error.args[0])) from error
    except OSError as error:
        raise unusable(folder, "--dir", error) from error
    if done:
        print(done, flush=True)


def _open(folder: Path, passed_on: list[str]) -> int:
    from zerostride import lab

    if not lab.is_installed():
        raise RefusedError(say("cli.no_lab"))
    print(say("cli.starting", folder=folder), flush=True)
    try:
        environment = lab.environment(folder)
    except OSError as error:
        raise unusable(folder, "--dir", error) from error
    return lab.open_lab(folder, passed_on, environment)


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "advise": _advise,
    "check": _check,
    "evidence": _evidence,
    "lab": _lab,
    "layout": _layout,
    "publish": _publish,
    "writes": _writes,
}
