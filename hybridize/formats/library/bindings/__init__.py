# SPDX-License-Identifier: Apache-2.0
"""A library as people of other languages expect it: files beside it that call its functions of C.

    binding_texts(model, version, platform, which) -> {path: text}

    arrays       inputs and outputs as the parameters of a call, in each language's words
    cpp          NAME.hpp: a class that owns a model, exceptions, vectors
    fortran      NAME.f90: a module by iso_c_binding
    rust         NAME-rust: a crate
    packages     NAMEConfig.cmake and NAMEConfigVersion.cmake for find_package, NAME.pc for pkg-config

In: what was emitted (`LibraryModel`). Out: text; nothing here is compiled, and the library does not need it.
"""

from hybridize.formats.library.bindings.write import binding_texts as binding_texts
