# SPDX-License-Identifier: Apache-2.0
"""The interface that C sees, as IR: a model made of programs for several processors, complete in one module.

    emit_library(model) -> text        one module: every program at every level, and the functions NAME_* around them

In: a `Model`, that is programs as `codegen.llvm.program.build` makes them, and where their constants will lie. All of
it is written here, or was made of C before (`codegen.runtimes`), so that no C compiler is needed; a linker makes a
library of the object. Errors are numbers with a text (`codes`); what they are in a header is the business of
`formats.library`.

    model, layout        what is emitted, as data; where things lie in the memory of a model
    codes                what can go wrong, by number
    writer               IR of loads, stores and checks
    sizes, call          which program is for a call; the call of one program
    runtime              what C does: making a model, threads, texts of errors; and the tables that it reads
    states               states by name, in and out of files
    stack                the stack that a call takes at most, read in assembly
    weights_file         the checksum of weights in a file
    describe             the description
    probe                what Windows wants of large stack frames
    emit, merged         all of it; several modules as one, each with its processor's code

It must not know graphs, files or the text of headers.
"""
