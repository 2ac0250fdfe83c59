# SPDX-License-Identifier: Apache-2.0
"""The vocabulary of jaxprs, whole: the tables of rows are filled by being imported here."""

from hybridize.formats.jaxpr import control as control
from hybridize.formats.jaxpr import elementwise as elementwise
from hybridize.formats.jaxpr import indexing as indexing
from hybridize.formats.jaxpr import linear as linear
from hybridize.formats.jaxpr import random as random
from hybridize.formats.jaxpr import reductions as reductions
from hybridize.formats.jaxpr import shapes as shapes
from hybridize.formats.jaxpr import windows as windows
from hybridize.formats.jaxpr.vocabulary import JAXPR as JAXPR
