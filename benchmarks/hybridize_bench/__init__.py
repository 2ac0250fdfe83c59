# SPDX-License-Identifier: Apache-2.0
"""The benchmark: hybridize beside every runtime that can be imported here, in one interleaved run.

In: the names of workloads. Out: tables of times, their ratios, and shares of what the core can do. A workload is an
entry of `workloads`; a runtime is a module of `peers` and a line in its table `ROWS`. Each runtime runs in a process of
its own (`worker`): libraries that share a process share thread pools, allocators and caches, and disturb each other's
figures. `command` adds the command `hybridize bench`.
"""
