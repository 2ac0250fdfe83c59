"""A library that holds a training step, loaded."""

import ctypes
import json
import os

import numpy

CODES = ("OK", "NULL", "SIZE", "UNALIGNED", "MEMORY", "FILE", "ASSERTION", "OPTION", "STATE")


class Trained:
    """A library of a step."""

    def __init__(self, exported, name):
        self.exported = exported
        self.code = ctypes.CDLL(exported.files[0])
        self.name = name
        self.function("error").restype = ctypes.c_char_p
        self.model = self.create()

    def function(self, word):
        return getattr(self.code, f"{self.name}_{word}")

    @property
    def states(self):
        """The names of states, as the library describes itself."""
        self.function("describe").restype = ctypes.POINTER(ctypes.c_char_p)
        return [one["name"] for one in json.loads(self.function("describe")()[0])["states"]]

    def create(self):
        model = ctypes.c_void_p()
        assert self.function("create")(ctypes.byref(model), None) == 0
        return model

    def run(self, *arrays):
        output = numpy.full((), numpy.nan, "f4")
        inputs = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        sizes = (ctypes.c_int64 * 64)(*(size for array in arrays for size in array.shape))
        code = self.function("run")(self.model, inputs, sizes, (ctypes.c_void_p * 1)(output.ctypes.data), None)
        return self.said(code) or output

    def said(self, code):
        return f"{CODES[code & 255]}: {self.function('error')(code).decode()}" if code else ""

    def get(self, name, array):
        array = numpy.empty_like(array)
        data = ctypes.c_void_p(array.ctypes.data)
        code = self.function("get")(self.model, name.encode(), data, ctypes.c_int64(array.nbytes))
        return self.said(code) or array

    def set(self, name, array):
        data = ctypes.c_void_p(array.ctypes.data)
        return self.said(self.function("set")(self.model, name.encode(), data, ctypes.c_int64(array.nbytes)))

    def file(self, word, path):
        return self.said(self.function(word)(self.model, os.fsencode(path)))
