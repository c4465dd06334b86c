"""Derivatives by column sums, central differences and autograd, and how often each source element is used."""

from zerostride.gradients.comparing import GradientComparison as GradientComparison
from zerostride.gradients.comparing import compare_gradients as compare_gradients
from zerostride.gradients.differences import Differences as Differences
from zerostride.gradients.differences import finite_difference as finite_difference
from zerostride.gradients.losses import STEP as STEP
from zerostride.gradients.precision import column_sums as column_sums
from zerostride.gradients.precision import in_float64 as in_float64
from zerostride.gradients.precision import is_real as is_real
from zerostride.gradients.precision import numbers as numbers
from zerostride.gradients.precision import rounding as rounding
from zerostride.gradients.rearranging import Uses as Uses
from zerostride.gradients.rearranging import uses as uses
