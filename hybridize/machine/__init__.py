# SPDX-License-Identifier: Apache-2.0
"""Machines as plain data: what schedule and code generation ask of the processor that a program is made for.

    target       one machine: registers, caches, and what is fast on it; equal targets give equal schedules and code
    device       what a GPU has besides: blocks of threads, and memory that they share
    choices      the fields that are a matter of speed alone, their values, and how the user sets them
    families     the choices of processors that were measured by hand
    arithmetic   vectors of one element type on one target: what it is computed in, how many fill a register

It must not know how code is written, nor what machine this is: `codegen.llvm.engine` finds that out, and
`compiler.measured` what is fast on it.
"""
