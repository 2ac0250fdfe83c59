"""An exported library from a Python with NumPy and without hybridize: one class, which asks the library what it takes.

In the folder of the models:

    python ../python/model.py
"""

import ctypes
import json
import weakref
from pathlib import Path

import numpy as np


class Model:
    """What `libNAME.so` computes: arrays in, a dictionary of arrays out."""

    def __init__(self, path: str) -> None:
        library, name = ctypes.CDLL(str(Path(path).resolve())), Path(path).stem.removeprefix("lib")
        create, destroy, describe, self._sizes, self._run, self._error = (
            library[f"{name}_{word}"] for word in ("create", "destroy", "describe", "sizes", "run", "error")
        )
        self._error.restype = ctypes.c_char_p
        describe.restype = ctypes.POINTER(ctypes.c_char_p)
        self.description = json.loads(describe()[0])
        self._model = ctypes.c_void_p()
        self._check(create(ctypes.byref(self._model), None))
        weakref.finalize(self, destroy, self._model)

    def __call__(self, *arrays: np.ndarray) -> dict[str, np.ndarray]:
        inputs, outputs = self.description["inputs"], self.description["outputs"]
        arrays = [np.require(array, one["dtype"], "CA") for array, one in zip(arrays, inputs, strict=True)]
        taken = np.array([size for array in arrays for size in array.shape], np.int64)
        given = np.zeros(sum(len(one["shape"]) for one in outputs), np.int64)
        self._check(self._sizes(taken.ctypes, given.ctypes))
        sizes = iter(given.tolist())
        results = [np.empty([next(sizes) for _ in one["shape"]], one["dtype"]) for one in outputs]
        pointers = [(ctypes.c_void_p * len(group))(*(a.ctypes.data for a in group)) for group in (arrays, results)]
        self._check(self._run(self._model, pointers[0], taken.ctypes, pointers[1], given.ctypes))
        return {one["name"]: array for one, array in zip(outputs, results, strict=True)}

    def _check(self, code: int) -> None:
        if code:
            raise ValueError(self._error(code).decode())


if __name__ == "__main__":
    output = Model("libmlp.so")(np.load("mlp.input.npy"))["output"]
    print(output, "largest difference", abs(output - np.load("mlp.output.npy")).max())
    np.testing.assert_allclose(output, np.load("mlp.output.npy"), atol=1e-5, rtol=0)
    result = Model("libsteps.so")(np.load("steps.input.npy"))
    print(result["steps"], "steps, largest difference", abs(result["state"] - np.load("steps.output.npy")).max())
    np.testing.assert_allclose(result["state"], np.load("steps.output.npy"), atol=1e-5, rtol=0)
    np.testing.assert_equal(result["steps"], np.load("steps.count.npy"))
