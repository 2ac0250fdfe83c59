# SPDX-License-Identifier: Apache-2.0
"""A header for C++17: a class that owns a model, and throws what functions return."""

from __future__ import annotations

from typing import Final

from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.library.sizes import chosen
from hybridize.formats.library.bindings.arrays import call_arrays, filled
from hybridize.formats.library.header import c_type
from hybridize.formats.library.names import KEYWORDS, MACROS

_RESERVED: Final = {*KEYWORDS, *MACROS, "sizes", "inputs", "outputs", "model", "std", "check", "handle"}


def cpp_header(model: LibraryModel) -> str:
    """Return the text of NAME.hpp."""
    arrays = call_arrays(model, {*_RESERVED, model.name})
    sized = chosen(model)
    parameters = [f"{'const ' if one.is_input else ''}{_type(one.dtype)} *{one.name}" for one in arrays]
    parameters += ["const std::vector<std::int64_t> &sizes"] if sized else []
    inputs = ", ".join(one.name for one in arrays if one.is_input)
    outputs = ", ".join(one.name for one in arrays if not one.is_input)
    parts = {
        "TABLE": [f"    /// {'in ' if one.is_input else 'out'}  {one.name}: {one.dtype}{one.shape}" for one in arrays],
        "SIZES": "\n    /// `sizes`: those of all inputs, one after the other." if sized else "",
        "PARAMETERS": ", ".join(parameters),
        "INPUTS": f"const void *const inputs[] = {{{inputs}}};" if inputs else "const void *const *inputs = nullptr;",
        "OUTPUTS": f"void *const outputs[] = {{{outputs}}};" if outputs else "void *const *outputs = nullptr;",
        "COUNT": _COUNT.replace("COUNT", str(sum(one.axes for one in arrays if one.is_input))) if sized else "",
        "GIVEN": "sizes.data()" if sized else "nullptr",
        "SEED": _SEED.replace("NAME", model.name) if model.random >= 0 else "",
        "STATES": _STATES.replace("NAME", model.name) if model.state_tensors else "",
        "PRIVATE": _PRIVATE.replace("NAME", model.name) if model.state_tensors else "",
    }
    return filled(_TEMPLATE, model, parts)


def _type(dtype: str) -> str:
    word = c_type(dtype)
    return f"std::{word}" if word.endswith("_t") else word


_COUNT: Final = """
        if (sizes.size() != COUNT) throw std::invalid_argument("sizes must be COUNT numbers");"""
_SEED: Final = """
    /// Begins the random numbers anew.
    void seed(std::uint64_t number) { check(NAME_seed(handle.get(), number)); }
"""
_STATES: Final = """
    /// The elements of a state, row by row.
    template <typename Number> std::vector<Number> get(const std::string &name) const {
        std::vector<Number> elements(count<Number>(name));
        check(NAME_get(handle.get(), name.c_str(), elements.data(), bytes(elements)));
        return elements;
    }

    /// A state that is one number.
    template <typename Number> Number value(const std::string &name) const { return get<Number>(name).at(0); }

    /// Sets a state, row by row.
    template <typename Number> void set(const std::string &name, const std::vector<Number> &elements) {
        set_all(name, elements);
    }

    /// Sets a state that is one number.
    template <typename Number> void set_value(const std::string &name, Number number) {
        set_all(name, std::vector<Number>{number});
    }

    /// Writes all states to a safetensors file.
    void save(const std::string &path) const { check(NAME_save(handle.get(), path.c_str())); }

    /// Reads all states from one.
    void load(const std::string &path) { check(NAME_load(handle.get(), path.c_str())); }
"""
_TEMPLATE: Final = """\
// The model NAME from C++17; the functions are those of NAME.h.
#ifndef NAME_HPP
#define NAME_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "NAME.h"

namespace NAME_cpp {

/// What a function of the library returned, with its text.
class failure : public std::runtime_error {
  public:
    explicit failure(std::int32_t code) : std::runtime_error(NAME_error(code)), code_(code) {}
    std::int32_t code() const noexcept { return code_; }

  private:
    std::int32_t code_;
};

/// A model. It can be moved and not copied.
class model {
  public:
    explicit model(const NAME_options *options = nullptr) : handle(made(options), NAME_destroy) {}

    /// Runs the model on row-major arrays.
    ///
%TABLE%%SIZES%
    void run(%PARAMETERS%) {
        %INPUTS%
        %OUTPUTS%%COUNT%
        check(NAME_run(handle.get(), inputs, %GIVEN%, outputs, nullptr));
    }

    /// The sizes of all outputs, one after the other, for those of all inputs.
    static std::vector<std::int64_t> sizes(const std::vector<std::int64_t> &inputs) {
        const NAME_description *description = NAME_describe();
        std::size_t axes = 0;
        for (std::int32_t k = 0; k < description->output_count; k++)
            axes += static_cast<std::size_t>(description->outputs[k].ndim);
        std::vector<std::int64_t> outputs(axes + 1);
        check(NAME_sizes(inputs.data(), outputs.data()));
        outputs.resize(axes);
        return outputs;
    }
%SEED%%STATES%
    NAME *c_model() const noexcept { return handle.get(); }

  private:
    std::unique_ptr<NAME, decltype(&NAME_destroy)> handle;

    static void check(std::int32_t code) {
        if (code != 0) throw failure(code);
    }

    static NAME *made(const NAME_options *options) {
        NAME *place = nullptr;
        check(NAME_create(&place, options));
        return place;
    }
%PRIVATE%};

}  // namespace NAME_cpp

#endif
"""
_PRIVATE: Final = """
    template <typename Number> static std::int64_t bytes(const std::vector<Number> &elements) {
        return static_cast<std::int64_t>(elements.size() * sizeof(Number));
    }

    template <typename Number> static std::size_t count(const std::string &name) {
        const NAME_description *description = NAME_describe();
        for (std::int32_t k = 0; k < description->state_count; k++) {
            const NAME_tensor &state = description->states[k];
            if (name != state.name) continue;
            if (static_cast<std::size_t>(state.itemsize) != sizeof(Number))
                throw std::invalid_argument("state " + name + " has elements of " + state.dtype);
            std::size_t elements = 1;
            for (std::int32_t axis = 0; axis < state.ndim; axis++)
                elements *= static_cast<std::size_t>(state.largest[axis]);
            return elements;
        }
        throw std::invalid_argument("the model has no state " + name);
    }

    template <typename Number> void set_all(const std::string &name, const std::vector<Number> &elements) {
        if (elements.size() != count<Number>(name))
            throw std::invalid_argument("state " + name + " has another number of elements");
        check(NAME_set(handle.get(), name.c_str(), elements.data(), bytes(elements)));
    }
"""
