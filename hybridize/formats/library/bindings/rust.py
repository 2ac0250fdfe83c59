# SPDX-License-Identifier: Apache-2.0
"""A crate for Rust: safe functions around those of C."""

from __future__ import annotations

import re
from typing import Final

from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.codegen.llvm.library.sizes import chosen
from hybridize.formats.library.bindings.arrays import call_arrays, filled

_TYPES: Final = {
    "bool": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "float16": "u16", "bfloat16": "u16", "float32": "f32", "float64": "f64",
}  # fmt: skip
"""The types of elements; short floats are their bits."""
_WORDS: Final = """
abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in
let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof
unsafe unsized use virtual where while yield sizes inputs outputs lengths wanted
"""
_UPPER: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def rust_manifest(model: LibraryModel, version: str) -> str:
    """Return the text of Cargo.toml."""
    return filled(_MANIFEST, model, {"CRATE": _snake(model.name), "VERSION": version})


def rust_build(model: LibraryModel) -> str:
    """Return the text of build.rs: the library is beside the crate's folder."""
    return filled(_BUILD, model, {})


def rust_library(model: LibraryModel) -> str:
    """Return the text of src/lib.rs."""
    arrays = [(one, _snake(one.name)) for one in call_arrays(model, _WORDS.split())]
    inputs = [(one, name) for one, name in arrays if one.is_input]
    outputs = [(one, name) for one, name in arrays if not one.is_input]
    sized = chosen(model)
    parameters = [f"{name}: &[{_TYPES[one.dtype]}]" for one, name in inputs]
    parameters += [f"{name}: &mut [{_TYPES[one.dtype]}]" for one, name in outputs]
    known = [str(size) for one in model.inputs for size in one.type.shape]
    axes = [[one.axes for one, _ in group] for group in (inputs, outputs)]
    parts = {
        "TABLE": [f"    /// - `{name}`: {one.dtype}{one.shape}" for one, name in arrays],
        "SIZES": "    ///\n    /// `sizes` are those of all inputs, one after the other.\n" if sized else "",
        "PARAMETERS": ", ".join(["&self", *parameters, *(["sizes: &[i64]"] if sized else [])]),
        "KNOWN": "" if sized else f"        let sizes: &[i64] = &[{', '.join(known)}];\n",
        "LENGTHS": f"[{', '.join(f'{name}.len()' for _, name in inputs)}]",
        "OUTPUT_LENGTHS": f"[{', '.join(f'{name}.len()' for _, name in outputs)}]",
        "INPUT_AXES": f"{axes[0]}",
        "OUTPUT_AXES": f"{axes[1]}",
        "AXES": str(sum(axes[0])),
        "OUTPUT_COUNT": str(sum(axes[1])),
        "INPUTS": ", ".join(f"{name}.as_ptr().cast()" for _, name in inputs),
        "OUTPUTS": ", ".join(f"{name}.as_mut_ptr().cast()" for _, name in outputs),
        "SEED_C": "    fn NAME_seed(model: *mut c_void, number: u64) -> i32;\n" if model.random >= 0 else "",
        "SEED": _SEED if model.random >= 0 else "",
        "STATES_C": _STATES_C if model.state_tensors else "",
        "ELEMENTS": _elements(model) if model.state_tensors else "",
        "STATES": _STATES if model.state_tensors else "",
    }
    texts = {key: "\n".join(part) if isinstance(part, list) else part for key, part in parts.items()}
    return filled(_LIBRARY, model, {key: text.replace("NAME_", f"{model.name}_") for key, text in texts.items()})


def _snake(name: str) -> str:
    return _UPPER.sub("_", name).lower()


def _elements(model: LibraryModel) -> str:
    rows = []
    for one in model.state_tensors:
        size = 1
        for axis in one.type.shape:
            size *= axis
        rows.append(f'    ("{one.name}", "{_TYPES[one.type.dtype.name]}", {size}),')
    return f"const STATES: [(&str, &str, usize); {len(rows)}] = [\n" + "\n".join(rows) + f"\n];\n{_ELEMENT}"


_MANIFEST: Final = """\
[package]
name = "%CRATE%"
version = "%VERSION%"
edition = "2021"
links = "NAME"

[lib]
path = "src/lib.rs"
"""
_BUILD: Final = """\
//! The library lies beside this crate's folder, or where NAME_LIBRARY_DIR says. Programs find it when they run by the
//! system's own ways, such as LD_LIBRARY_PATH; those of this crate (`cargo run --example ...`) have its folder inside.
use std::{env, path::Path};

fn main() {
    let beside = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).parent().unwrap().display().to_string();
    let folder = env::var("NAME_LIBRARY_DIR").unwrap_or(beside);
    println!("cargo:rerun-if-env-changed=NAME_LIBRARY_DIR");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rustc-link-lib=dylib=NAME");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
}
"""
_SEED: Final = """
    /// Begins the random numbers anew.
    pub fn seed(&self, number: u64) -> Result<(), Failure> {
        check(unsafe { NAME_seed(self.0, number) })
    }
"""
_STATES_C: Final = """\
    fn NAME_get(model: *mut c_void, name: *const c_char, data: *mut c_void, nbytes: i64) -> i32;
    fn NAME_set(model: *mut c_void, name: *const c_char, data: *const c_void, nbytes: i64) -> i32;
    fn NAME_save(model: *mut c_void, path: *const c_char) -> i32;
    fn NAME_load(model: *mut c_void, path: *const c_char) -> i32;
"""
_ELEMENT: Final = """
/// A type of elements.
pub trait Element: Copy + Default + private::Sealed {
    #[doc(hidden)]
    const NAME: &'static str;
}

mod private {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($kind:ident)*) => {
        $(impl private::Sealed for $kind {}
        impl Element for $kind {
            const NAME: &'static str = stringify!($kind);
        })*
    };
}
elements!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

fn count<T: Element>(name: &str) -> Result<usize, Failure> {
    match STATES.iter().find(|state| state.0 == name) {
        Some(state) if state.1 == T::NAME => Ok(state.2),
        Some(state) => Err(Failure::here(format!("state {name} has elements of {}, not of {}", state.1, T::NAME))),
        None => Err(Failure::here(format!("the model has no state {name}"))),
    }
}

fn c_text(text: &str) -> Result<std::ffi::CString, Failure> {
    std::ffi::CString::new(text).map_err(|_| Failure::here(format!("{text:?} has a zero in it")))
}
"""
_STATES: Final = """
    /// The elements of a state, row by row.
    pub fn get<T: Element>(&self, name: &str) -> Result<Vec<T>, Failure> {
        let mut data = vec![T::default(); count::<T>(name)?];
        let nbytes = std::mem::size_of_val(&data[..]) as i64;
        check(unsafe { NAME_get(self.0, c_text(name)?.as_ptr(), data.as_mut_ptr().cast(), nbytes) })?;
        Ok(data)
    }

    /// Sets a state.
    pub fn set<T: Element>(&self, name: &str, data: &[T]) -> Result<(), Failure> {
        if data.len() != count::<T>(name)? {
            return Err(Failure::here(format!("state {name} has another number of elements than {}", data.len())));
        }
        let nbytes = std::mem::size_of_val(data) as i64;
        check(unsafe { NAME_set(self.0, c_text(name)?.as_ptr(), data.as_ptr().cast(), nbytes) })
    }

    /// Writes all states to a safetensors file.
    pub fn save(&self, path: &str) -> Result<(), Failure> {
        check(unsafe { NAME_save(self.0, c_text(path)?.as_ptr()) })
    }

    /// Reads all states from one.
    pub fn load(&self, path: &str) -> Result<(), Failure> {
        check(unsafe { NAME_load(self.0, c_text(path)?.as_ptr()) })
    }
"""
_LIBRARY: Final = """\
//! The model NAME; the functions are those of NAME.h.

use std::ffi::{c_char, c_void, CStr};
use std::{error, fmt, ptr};

extern "C" {
    fn NAME_create(model: *mut *mut c_void, options: *const c_void) -> i32;
    fn NAME_sizes(input_sizes: *const i64, output_sizes: *mut i64) -> i32;
    fn NAME_run(
        model: *mut c_void,
        inputs: *const *const c_void,
        input_sizes: *const i64,
        outputs: *const *mut c_void,
        output_sizes: *const i64,
    ) -> i32;
    fn NAME_destroy(model: *mut c_void);
    fn NAME_error(code: i32) -> *const c_char;
%SEED_C%%STATES_C%}

/// What a function of the library returned, with its text; the code is -1 where it was not asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub code: i32,
    pub text: String,
}

impl Failure {
    fn here(text: String) -> Failure {
        Failure { code: -1, text }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl error::Error for Failure {}

fn check(code: i32) -> Result<(), Failure> {
    if code == 0 {
        return Ok(());
    }
    let text = unsafe { CStr::from_ptr(NAME_error(code)) }.to_string_lossy().into_owned();
    Err(Failure { code, text })
}

/// The slices are as long as the sizes say.
fn check_lengths(what: &str, lengths: &[usize], axes: &[usize], mut sizes: &[i64]) -> Result<(), Failure> {
    for (number, (&length, &count)) in lengths.iter().zip(axes).enumerate() {
        let (own, rest) = sizes.split_at(count);
        let wanted = own.iter().try_fold(1_i64, |product, &size| product.checked_mul(size)).unwrap_or(-1);
        if wanted < 0 || wanted as usize != length {
            return Err(Failure::here(format!("{what} {number} has {length} elements, and not {own:?}")));
        }
        sizes = rest;
    }
    Ok(())
}
%ELEMENTS%
/// A model. Threads may share it.
pub struct Model(*mut c_void);

unsafe impl Send for Model {}
unsafe impl Sync for Model {}

impl Model {
    pub fn new() -> Result<Model, Failure> {
        let mut model = Model(ptr::null_mut());
        check(unsafe { NAME_create(&mut model.0, ptr::null()) })?;
        Ok(model)
    }

    /// Runs the model on row-major arrays.
    ///
%TABLE%
%SIZES%    pub fn run(%PARAMETERS%) -> Result<(), Failure> {
%KNOWN%        if sizes.len() != %AXES% {
            return Err(Failure::here(format!("there are %AXES% sizes of inputs, got {}", sizes.len())));
        }
        check_lengths("input", &%LENGTHS%, &%INPUT_AXES%, sizes)?;
        let mut wanted = [0_i64; %OUTPUT_COUNT% + 1];
        check(unsafe { NAME_sizes(sizes.as_ptr(), wanted.as_mut_ptr()) })?;
        check_lengths("output", &%OUTPUT_LENGTHS%, &%OUTPUT_AXES%, &wanted[..])?;
        let inputs: &[*const c_void] = &[%INPUTS%];
        let outputs: &[*mut c_void] = &[%OUTPUTS%];
        check(unsafe { NAME_run(self.0, inputs.as_ptr(), sizes.as_ptr(), outputs.as_ptr(), wanted.as_ptr()) })
    }
%SEED%%STATES%}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { NAME_destroy(self.0) }
    }
}
"""
