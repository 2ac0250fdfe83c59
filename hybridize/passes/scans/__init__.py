# SPDX-License-Identifier: Apache-2.0
"""Passes over scans: what a step need not do is done before the loop, after it, or not at all.

In and out: graphs, as of all passes. A scan is taken apart (`opened`), changed, and put together; what leaves its body
is written for all steps at once by the rules that ops have for a new first axis (`Op.mapped`). The length of a scan may
be a `Dim`: nothing here asks how long it is.
"""

from hybridize.passes.scans.hoist import HoistFromScans as HoistFromScans
from hybridize.passes.scans.merge import MergeScans as MergeScans
from hybridize.passes.scans.residuals import SaveResiduals as SaveResiduals
from hybridize.passes.scans.sink import SinkFromScans as SinkFromScans
from hybridize.passes.scans.trim import TrimScans as TrimScans
