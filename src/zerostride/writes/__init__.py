"""What each write in place does to a view that reads one place many times, on the installed version.

>>> import numpy as np
>>> import zerostride as zs
>>> zs.writes.can_i_write(np.broadcast_to([1.0, 2.0, 3.0], (4, 3)), "x[:, 0] = 9").outcome
'raises'
"""

from zerostride.writes.answers import WriteAnswer as WriteAnswer
from zerostride.writes.asking import can_i_write as can_i_write
from zerostride.writes.atlases import Atlas as Atlas
from zerostride.writes.atlases import atlas as atlas
from zerostride.writes.atlases import autograd as autograd
from zerostride.writes.rows import OUTCOMES as OUTCOMES
from zerostride.writes.rows import Row as Row

__all__ = ["atlas", "autograd", "can_i_write"]
