"""Why a file or a folder that was typed cannot be used, in the language in use."""

import errno
from pathlib import Path

from zerostride.language import say


class RefusedError(Exception):
    """What was typed cannot be done; the text says why, in the language in use."""


def folder_of(typed: str, option: str) -> Path:
    """Return the folder that was typed, as a whole path.

    Raises
    ------
    RefusedError
        If it begins with a home that does not exist, or its links go in a circle.

    Examples
    --------
    >>> folder_of("course/../other", "--dir").name
    'other'
    """
    try:
        return Path(typed).expanduser().resolve()
    except (RuntimeError, OSError, ValueError) as error:
        reason = say("cli.bad.no_home" if typed.startswith("~") else "cli.bad.not_found")
        raise RefusedError(say("cli.bad.folder", folder=typed, reason=reason, option=option)) from error


def unusable(folder: Path, option: str, error: OSError) -> RefusedError:
    """Return the refusal of a folder, with the option that chooses another one."""
    return RefusedError(say("cli.bad.folder", folder=folder, reason=reason_of(error), option=option))


def reason_of(error: OSError) -> str:
    """Return why the system refused, in words.

    Examples
    --------
    >>> reason_of(FileNotFoundError()), reason_of(OSError(errno.ENOSPC, ""))
    ('there is no such file', 'no space is left there')
    """
    if isinstance(error, FileExistsError | NotADirectoryError):
        return say("cli.bad.is_a_file")
    if isinstance(error, FileNotFoundError):
        return say("cli.bad.not_found")
    if isinstance(error, IsADirectoryError):
        return say("cli.bad.is_a_folder")
    if error.errno == errno.ENOSPC:
        return say("cli.bad.disk_full")
    if error.errno == errno.ENAMETOOLONG:
        return say("cli.bad.long_name")
    refused = isinstance(error, PermissionError) or error.errno == errno.EROFS
    return say("cli.bad.not_allowed") if refused else str(error.strerror)
