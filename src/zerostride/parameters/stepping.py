"""One optimizer step on a suspicious parameter; run as a child process alone, for some steps destroy memory.

The arguments are one JSON list of (parameter, optimizer, setting); each line
that is printed is the answer to one of them, as JSON.
"""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch

from zerostride.layouts import layout
from zerostride.layouts.arithmetic import byte_offsets

# Around the values there is room for what a step writes beyond them, so that it is seen and nothing breaks.
ROOM, FIRST, UNTOUCHED = 96, 32, -7.0
RATE = 0.5
MAKERS: dict[str, Callable[[Any], Any]] = {
    "x.repeat(4, 1)": lambda room: _filled(room, 12).view(4, 3),
    "x.expand(4, 3)": lambda room: _filled(room, 3).view(1, 3).expand(4, 3),
    "x.unfold(0, 3, 1)": lambda room: _filled(room, 5).unfold(0, 3, 1),
    "x[:, :3]": lambda room: _filled(room, 24).view(4, 6)[:, :3],
}
SETTINGS: dict[str, dict[str, bool]] = {
    "foreach=False": {"foreach": False},
    "foreach=True": {"foreach": True},
    "fused=True": {"fused": True},
}


def _filled(room: Any, count: int) -> Any:
    values = room[FIRST : FIRST + count]
    values.copy_(torch.arange(count).remainder(3) + 1.0)
    return values


def outcome(maker: str, optimizer: str, setting: str) -> tuple[str, str]:
    """Return what a step does, compared with the same step on a clone, and the first line of an error.

    Examples
    --------
    >>> outcome("x.unfold(0, 3, 1)", "SGD", "foreach=False")
    ('wrong', '')
    """
    room = torch.full((ROOM,), UNTOUCHED, dtype=torch.float64)
    parameter = torch.nn.Parameter(MAKERS[maker](room))
    clone = torch.nn.Parameter(parameter.detach().clone())
    before = room.clone()
    for each in (clone, parameter):
        weights = torch.arange(1.0, each.numel() + 1, dtype=torch.float64).view(each.shape)
        torch.autograd.backward((each * weights).sum())
        try:
            getattr(torch.optim, optimizer)([each], lr=RATE, **SETTINGS[setting]).step()
        except (RuntimeError, TypeError, ValueError) as error:
            return "refused" if each is parameter else "not_available", str(error).splitlines()[0]
    seen = layout(parameter)
    starts = byte_offsets(seen.shape, seen.strides_bytes, seen.storage_offset_bytes).ravel()
    changed = (room != before).nonzero().ravel().tolist()
    if set(changed) - {int(start) // seen.itemsize for start in starts}:
        return "writes_beyond", ""
    return "as_a_copy" if torch.equal(parameter.detach(), clone.detach()) else "wrong", ""


def answers(asked: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each."""
    torch.set_num_threads(1)
    for maker, optimizer, setting in asked:
        yield outcome(maker, optimizer, setting)


if __name__ == "__main__":
    for answer in answers(json.loads(sys.argv[1])):
        print(json.dumps(answer), flush=True)
