"""Static pictures: logical elements, the storage they read, and the bytes that join them.

Pictures hold identifiers, numbers and ``B``, no natural language: one picture
serves every language, and its words stand beside it.

>>> import numpy as np
>>> import zerostride as zs
>>> figure = zs.draw.storages(row=np.ones((4, 3))[0])
>>> type(figure).__name__
'Figure'
"""

from zerostride.draw.address_picture import addresses, side_by_side
from zerostride.draw.bar_picture import byte_bill
from zerostride.draw.chain_picture import chain_rule
from zerostride.draw.origin_picture import origins
from zerostride.draw.route_picture import storage_and_path
from zerostride.draw.routes import measured_routes
from zerostride.draw.shape_picture import alignment
from zerostride.draw.shared_ruler import one_ruler, storages
from zerostride.draw.timing_picture import timings
from zerostride.draw.training_picture import training_curves
from zerostride.draw.write_picture import write_propagation
from zerostride.draw.written import measured_write

__all__ = [
    "addresses",
    "alignment",
    "byte_bill",
    "chain_rule",
    "measured_routes",
    "measured_write",
    "one_ruler",
    "origins",
    "side_by_side",
    "storage_and_path",
    "storages",
    "timings",
    "training_curves",
    "write_propagation",
]
