"""Explorers: controls linked in the front end to one live drawing, and a static twin of each.

The drawing computes in the browser, so it answers without a round trip to the
kernel and goes on without one; its numbers are tested equal to ``Layout`` and
to ``can_expand``.

>>> import zerostride as zs
>>> zs.explore.shapes((1, 3), (4, 3)).expansion.allowed
True
"""

from zerostride.explore.aligning import shapes
from zerostride.explore.billing import byte_bill
from zerostride.explore.deciding import decide
from zerostride.explore.deriving import derivative
from zerostride.explore.strided import addresses
from zerostride.explore.writing import writes

__all__ = ["addresses", "byte_bill", "decide", "derivative", "shapes", "writes"]
