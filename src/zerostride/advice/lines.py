"""The lines of code of an answer, for NumPy and for torch."""

from zerostride.advice.growth import Growth
from zerostride.expansion import Shape

WITHOUT_CODE = ("impossible", "contradictory")


def expression(answer: str, growth: Growth, library: str, x: str = "x") -> str:
    """Return what makes the target from the source.

    Examples
    --------
    >>> from zerostride.advice.growth import growth
    >>> expression("expand", growth((1, 3), (4, 3)), "torch")
    'x.expand(4, 3)'
    >>> expression("repeat_each", growth((2, 3), (4, 3), "each"), "numpy")
    'np.repeat(x, 2, axis=-2)'
    """
    if answer == "leave_to_broadcasting":
        return f"{x} + other"
    if answer == "reshape_first" and growth.kind == "expand":
        start, target = growth.flattest
        flat = f"{x}.reshape({_sizes(start)})"
        return flat if start == target else _view(flat, target, library)
    if growth.source == growth.target and answer != "reshape_first":
        return x if answer == "expand" else x + (_OWN if answer == "copy_first" else _BLOCK)[library]
    if growth.kind == "blocks" and growth.pattern == "each":
        return _each(_started(x, growth), growth, library)
    if answer in ("repeat", "separate_parameters", "repeat_each") or growth.kind == "blocks":
        return _whole(_started(x, growth) if growth.kind == "reshaped" else x, growth, library)
    view = _reshaped(x, growth)
    if growth.kind != "reshaped" or growth.start != growth.target:
        view = _view(view, growth.target, library)
    return view + _OWN[library] if answer == "copy_first" else view


def other_expression(answer: str, growth: Growth, library: str) -> str:
    """Return what would be written otherwise, to be measured against the answer; empty if nothing."""
    if growth.kind == "blocks":
        return ""
    if answer == "reshape_first":
        flat = "" if growth.kind == "reshaped" else ".reshape(-1)"
        return expression("repeat", growth, library) + flat
    if answer == "leave_to_broadcasting":
        return expression("repeat", growth, library) + " + other"
    return expression("repeat" if answer == "expand" else "expand", growth, library)


def lines(answer: str, growth: Growth, library: str, writes: str, learns: str, then: str) -> str:
    """Return the code for a source ``x``; ``other`` is what an operation meets, of the target's shape.

    A parameter has storage of its own, so that training leaves ``x`` alone,
    unless edits of ``x`` are to show.
    """
    if answer in WITHOUT_CODE:
        return ""
    learned = library == "torch" and learns != "nobody"
    if answer == "separate_parameters":
        made = expression(answer, growth, library, "x.detach()" if library == "torch" else "x")
        code = [f"rows = torch.nn.Parameter({made})" if learned else f"rows = {made}"]
        return "\n".join(
            code + ["optimizer = torch.optim.SGD([rows], lr=0.1)"] * (learned and then == "optimizer_loop")
        )
    kept = "x" if writes == "source" else "x.detach().clone()"
    code = [f"w = torch.nn.Parameter({kept})"] if learned else []
    code += ["optimizer = torch.optim.SGD([w], lr=0.1)"] * (learned and then == "optimizer_loop")
    x = "w" if learned else "x"
    if answer == "copy_first" and library == "torch" and learns == "nobody" and writes != "nobody":
        x = "x.detach()"
    if answer == "expand" and then in ("save", "process"):
        sent = _SENT[library, then].format(x=x)
        return "\n".join(
            [*code, sent.split("|")[0], f"y = {expression(answer, growth, library, sent.split('|')[1])}"]
        )
    name = "result" if answer == "leave_to_broadcasting" else "y"
    made = expression(answer, growth, library, x)
    if then == "contiguous":
        made = made.replace(_OWN[library], _BLOCK[library])
    return "\n".join([*code, f"{name} = {made}"])


def measuring(answer: str, found: Growth, library: str) -> str:
    """Return the line that measures an answer against the other way; empty where there is no answer.

    Examples
    --------
    >>> from zerostride.advice.growth import growth
    >>> measuring("expand", growth((1,), (4,)), "torch")
    'zs.measure_time({"this": lambda x: x.expand(4).sum(), "other_way": lambda x: x.repeat(4).sum()}, x)'
    """
    if answer in WITHOUT_CODE:
        return ""
    ways = {"this": expression(answer, found, library), "other_way": other_expression(answer, found, library)}
    inputs = "x, other" if answer == "leave_to_broadcasting" else "x"
    whole = {
        name: f"({code}).sum()" if " + " in code else f"{code}.sum()" for name, code in ways.items() if code
    }
    programs = ", ".join(f'"{name}": lambda {inputs}: {code}' for name, code in whole.items())
    return f"zs.measure_time({{{programs}}}, {inputs})"


_OWN = {"numpy": ".copy()", "torch": ".clone()"}
# A clone keeps the order of axes in memory, unless it is told otherwise.
_BLOCK = {"numpy": ".copy()", "torch": ".clone(memory_format=torch.contiguous_format)"}
_SENT = {
    ("numpy", "save"): 'np.save("x.npy", {x})|np.load("x.npy")',
    ("torch", "save"): 'torch.save({x}, "x.pt")|torch.load("x.pt")',
    ("numpy", "process"): "import pickle\nsent = pickle.dumps({x})|pickle.loads(sent)",
    ("torch", "process"): "import pickle\nsent = pickle.dumps({x})|pickle.loads(sent)",
}


def _sizes(shape: Shape) -> str:
    return ", ".join(map(str, shape)) if shape else "()"


def _started(x: str, growth: Growth) -> str:
    return x if growth.start == growth.source else f"{x}.reshape({_sizes(growth.start)})"


def _reshaped(x: str, growth: Growth) -> str:
    return _started(x, growth) if growth.kind == "reshaped" else x


def _view(x: str, target: Shape, library: str) -> str:
    return f"np.broadcast_to({x}, {target})" if library == "numpy" else f"{x}.expand({_sizes(target)})"


def _whole(x: str, growth: Growth, library: str) -> str:
    return f"np.tile({x}, {growth.times})" if library == "numpy" else f"{x}.repeat({_sizes(growth.times)})"


def _each(x: str, growth: Growth, library: str) -> str:
    axes = len(growth.target)
    for axis, times in enumerate(growth.times):
        if times > 1 and library == "numpy":
            x = f"np.repeat({x}, {times}, axis={axis - axes})"
        elif times > 1:
            x = f"{x}.repeat_interleave({times}, dim={axis - axes})"
    return x
