"""Static pictures: logical elements, the storage they read, and the bytes that join them.

Pictures hold identifiers, numbers and ``B``, no natural language: one picture
serves every language, and its words stand beside it.
"""

from zerostride.draw.address_picture import addresses, side_by_side

__all__ = ["addresses", "side_by_side"]
