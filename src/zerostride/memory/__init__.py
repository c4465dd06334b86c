"""Bytes: logical, stored and touched; predicted for an expression, and measured; and its time."""

from zerostride.memory.bill import EXACT_FROM_BYTES as EXACT_FROM_BYTES
from zerostride.memory.bill import Budget as Budget
from zerostride.memory.graph_storage import SavedForBackward as SavedForBackward
from zerostride.memory.graph_storage import saved_for_backward as saved_for_backward
from zerostride.memory.measuring import Measured as Measured
from zerostride.memory.measuring import measure as measure
from zerostride.memory.prediction import budget as budget
from zerostride.memory.storing import Savings as Savings
from zerostride.memory.storing import saving as saving
from zerostride.memory.tape import peak_of as peak_of
from zerostride.memory.timing import Timing as Timing
from zerostride.memory.timing import Timings as Timings
from zerostride.memory.timing import measure_time as measure_time
from zerostride.memory.totals import Bytes as Bytes
from zerostride.memory.totals import bytes_of as bytes_of
from zerostride.memory.units import bytes_and_units as bytes_and_units
from zerostride.memory.units import in_units as in_units
from zerostride.memory.vocabulary import OPERATIONS as OPERATIONS
