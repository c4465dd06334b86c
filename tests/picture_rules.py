"""What every picture must hold, one function a rule; each yields what was seen."""

import re
from itertools import combinations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import ImageColor

# Names that stand in pictures as code: functions, attributes, element types and the cast.
CODE = re.compile(
    r"source\.expand|source|target|axis=|np\.broadcast_to"
    r"|nbytes|touched_bytes|x\.grad|None|y = x(\.(expand|clone|detach)\([^)]*\))+|(u?int|float)\d+"
)


def texts(figure):
    """Return every text of a figure that is not empty."""
    found = []
    for ax in figure.axes:
        titles = [ax.title, ax._left_title, ax._right_title]
        found += [(ax, text) for text in [*ax.texts, *titles] if text.get_text()]
    return found


def boxes(figure):
    """Return the box in pixels of every text, and of its axes."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    return [
        (text.get_text(), text.get_window_extent(renderer), ax.get_window_extent(renderer))
        for ax, text in texts(figure)
    ]


def overlapping(figure):
    """Yield each pair of texts of which one covers part of the other."""
    for (one, here, _), (other, there, _) in combinations(boxes(figure), 2):
        wide = min(here.x1, there.x1) - max(here.x0, there.x0)
        tall = min(here.y1, there.y1) - max(here.y0, there.y0)
        if wide > 0.5 and tall > 0.5:
            yield one, other


def leaving(figure):
    """Yield each text that reaches beyond its axes."""
    for text, box, around in boxes(figure):
        inside = around.x0 - 1 <= box.x0 and box.x1 <= around.x1 + 1
        if not inside or box.y0 < around.y0 - 1 or box.y1 > around.y1 + 1:
            yield text


def cut_off(figure):
    """Yield each text, the words and numbers of an axis among them, that reaches beyond the picture."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    shown = [text for _, text in texts(figure)]
    for axis in (axis for ax in figure.axes if ax.axison for axis in (ax.xaxis, ax.yaxis)):
        axis.get_tightbbox(renderer)  # puts the words of the axis in their place
        low, high = sorted(axis.get_view_interval())
        ticks = [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        shown += [axis.label, *ticks]
    for text in shown:
        box, sheet = text.get_window_extent(renderer), figure.bbox.padded(0.5)
        inside = sheet.x0 <= box.x0 and box.x1 <= sheet.x1 and sheet.y0 <= box.y0 and box.y1 <= sheet.y1
        if text.get_text() and not inside:
            yield text.get_text()


def language(figure, names=()):
    """Yield each text with a word that is neither code, nor a name handed in, nor a unit."""
    for _, text in texts(figure):
        left = CODE.sub("", text.get_text())
        for name in names:
            left = left.replace(name, "")
        if re.search(r"[^\W\d_]{2,}", left):
            yield text.get_text()


def too_small(figure, least=5.0):
    """Yield each text whose letters are too small to read."""
    for _, text in texts(figure):
        if text.get_fontsize() < least:
            yield text.get_text()


def grey(colour):
    """Return how bright a colour is in print without colour, from 0 to 255."""
    red, green, blue = ImageColor.getrgb(colour)[:3]
    return round(0.299 * red + 0.587 * green + 0.114 * blue)


def pixels(figure):
    """Return a figure as grey pixels, the top row first."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    colours = np.asarray(canvas.buffer_rgba())[..., :3]
    return colours @ [0.299, 0.587, 0.114]


def faults(figure, names=()):
    """Return what is wrong with a figure, by rule."""
    found = {rule.__name__: list(rule(figure)) for rule in (overlapping, leaving, cut_off, too_small)}
    found["language"] = list(language(figure, names))
    return {rule: seen for rule, seen in found.items() if seen}
