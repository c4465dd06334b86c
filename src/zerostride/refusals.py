"""Why a file or a folder that was typed cannot be used, in the language in use."""

import errno
from pathlib import Path

from zerostride.language import say

_KINDS: dict[type, str] = {
    FileExistsError: "is_a_file",
    NotADirectoryError: "is_a_file",
    FileNotFoundError: "not_found",
    IsADirectoryError: "is_a_folder",
    PermissionError: "not_allowed",
    TimeoutError: "no_answer",
}
# Not every system has every number.
_NUMBERS: dict[int, str] = {
    getattr(errno, number): name
    for name, numbers in {
        "disk_full": "ENOSPC EDQUOT",
        "not_allowed": "EROFS",
        "long_name": "ENAMETOOLONG",
        "bad_name": "EINVAL EILSEQ",
        "circle": "ELOOP",
        "in_use": "EBUSY ETXTBSY EDEADLK EAGAIN",
        "too_many_open": "EMFILE ENFILE",
        "too_large": "EFBIG EOVERFLOW",
        "no_memory": "ENOMEM",
        "broken_disk": "EIO ENXIO ENODEV",
        "no_answer": "ESTALE EHOSTDOWN EHOSTUNREACH ENETDOWN ENETUNREACH",
        "not_empty": "ENOTEMPTY",
    }.items()
    for number in numbers.split()
    if hasattr(errno, number)
}


class RefusedError(Exception):
    """What was typed cannot be done; the text says why, in the language in use."""


def folder_of(typed: str, option: str) -> Path:
    """Return the folder that was typed, as a whole path.

    Raises
    ------
    RefusedError
        If nothing was typed, it begins with a home that does not exist, or its links go in a circle.

    Examples
    --------
    >>> folder_of("course/../other", "--dir").name
    'other'
    """
    try:
        if not typed:  # such as a variable of the shell that is empty
            raise ValueError
        return Path(typed).expanduser().resolve()
    except (RuntimeError, OSError, ValueError) as error:
        raise RefusedError(
            say("cli.bad.folder", folder=typed, reason=_why(typed, error), option=option)
        ) from error


def _why(typed: str, error: Exception) -> str:
    if isinstance(error, OSError):
        return reason_of(error)
    if isinstance(error, ValueError):  # a sign that no name can hold
        return say("cli.bad.system.bad_name")
    return say("cli.bad.no_home" if typed.startswith("~") else "cli.bad.system.circle")


def must_be_readable(file: Path) -> None:
    """Raise RefusedError where a file cannot be read, or may never end, as a pipe or a device."""
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise RefusedError(f"{file}: {say('file.no_file')}")
        file.open("rb").close()
    except OSError as error:
        raise RefusedError(f"{file}: {reason_of(error, reading=True)}") from error


def unusable(folder: Path, option: str, error: OSError) -> RefusedError:
    """Return the refusal of a folder, with the option that chooses another one."""
    return RefusedError(say("cli.bad.folder", folder=folder, reason=reason_of(error), option=option))


def reason_of(error: OSError, *, reading: bool = False) -> str:
    """Return why the system refused, in words.

    Parameters
    ----------
    error : OSError
        What it raised.
    reading : bool, default False
        Whether a file was to be read, and not written.

    Examples
    --------
    >>> reason_of(FileNotFoundError()), reason_of(OSError(errno.ENOSPC, ""))
    ('there is no such file', 'no space is left there')
    >>> reason_of(OSError(9999, "?"))
    'the system refused it, with error 9999'
    """
    kind = next((_KINDS[each] for each in type(error).__mro__ if each in _KINDS), None)
    name = kind or _NUMBERS.get(error.errno or 0, "refused")
    if name == "not_allowed" and reading and error.errno != errno.EROFS:
        name = "not_readable"
    return say(f"cli.bad.system.{name}", number=error.errno or type(error).__name__)
