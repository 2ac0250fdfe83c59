"""Columns of features and support vectors of ai.onnx.ml give ONNX Runtime's numbers, for any number of rows."""

import numpy
import pytest

from hybridize import np
from hybridize.errors import ArgumentError, LoadError
from tests.formats.onnx.oracles import agree, block_of, info, model_of, node

RANDOM = numpy.random.RandomState(1)


def model(op, inputs, output, **attributes):
    names = [one.name for one in inputs]
    return model_of(
        [node(op, " ".join(names), ["y"], domain="ai.onnx.ml", **attributes)], inputs, [output], ai_onnx_ml=1
    )


def x_of(rows, dtype="f4"):
    return RANDOM.randint(-4, 4, (rows, 4)).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_columns_are_chosen(dtype):
    chosen = model(
        "ArrayFeatureExtractor", [info("x", dtype, ["n", 4]), info("i", "i8", [3])], info("y", dtype, ["n", 3])
    )
    agree(chosen, *[{"x": x_of(rows, dtype), "i": numpy.array([3, 0, 0])} for rows in (2, 3, 5)])


def test_arrays_are_joined():
    joined = model(
        "FeatureVectorizer",
        [info("x", "f4", ["n", 4]), info("i", "f4", ["n", 4])],
        info("y", "f4", ["n", 8]),
        inputdimensions=[4, 4],
    )
    agree(joined, *[{"x": x_of(rows), "i": x_of(rows)} for rows in (2, 3, 5)])


@pytest.mark.parametrize("zeros", [0, 1])
@pytest.mark.parametrize("dtype", ["f4", "i8"])
def test_categories_are_encoded(dtype, zeros):
    encoded = model("OneHotEncoder", [info("x", dtype, ["n", 4])], info("y", "f4"), cats_int64s=[2, 0, -1], zeros=zeros)
    rows = numpy.array([[2, 0, -1, 0], [0, 0, 2, 2]], dtype)
    block = agree(encoded, *[{"x": rows[[0, 1] * n]} for n in (1, 2, 3)])
    other = rows + numpy.array(1, dtype)
    if zeros:
        agree(encoded, {"x": other})
    else:
        with pytest.raises(ArgumentError, match=r"E323: .*numbers that are no category"):
            block(np.array(other))


@pytest.mark.parametrize("values", [[7.0], [1.0, 2.0, 3.0, 4.0]])
@pytest.mark.parametrize("absent", [float("nan"), 2.0])
def test_absent_numbers_are_replaced(values, absent):
    imputed = model(
        "Imputer",
        [info("x", "f4", ["n", 4])],
        info("y", "f4", ["n", 4]),
        imputed_value_floats=values,
        replaced_value_float=absent,
    )
    feeds = [{"x": x_of(rows)} for rows in (2, 3, 5)]
    for one in feeds:
        one["x"][:, 1] = absent
    agree(imputed, *feeds)


@pytest.mark.parametrize("kernel", ["LINEAR", "POLY", "RBF", "SIGMOID"])
@pytest.mark.parametrize("one_class", [0, 1])
def test_support_vectors(kernel, one_class):
    vectors = RANDOM.uniform(-1, 1, (6, 4)).astype("f4")
    machine = model(
        "SVMRegressor", [info("x", "f4", ["n", 4])], info("y", "f4", ["n", 1]), kernel_type=kernel, kernel_params=[0.3, 0.2, 2.0],
        n_supports=6, support_vectors=vectors.reshape(-1).tolist(), coefficients=[0.5, -1.0, 0.25, 1.0, -0.5, 2.0], rho=[0.1],
        one_class=one_class,
    )  # fmt: skip
    agree(machine, *[{"x": x_of(rows) / 3} for rows in (2, 3, 5)])


def of_classes(sizes, **more):
    """A classifier by support vectors of so many classes, so many vectors each."""
    count, whole = len(sizes), sum(sizes)
    pairs = count * (count - 1) // 2
    numbers = {"rho": pairs, "coefficients": (count - 1) * whole, "support_vectors": 4 * whole}
    if more.pop("probable", False):
        numbers |= {"prob_a": pairs, "prob_b": pairs}
    drawn = {name: RANDOM.uniform(-1, 1, size).tolist() for name, size in numbers.items()}
    attributes = {"classlabels_ints": [3, 1, 7, 5][:count], "vectors_per_class": sizes, "kernel_type": "RBF",
                  "kernel_params": [0.3, 0.0, 3.0], **drawn, **more}  # fmt: skip
    labelled = node("SVMClassifier", "x", "label y", domain="ai.onnx.ml", **attributes)
    outputs = [info("label", "i8", ["n"]), info("y", "f4", ["n", None])]
    return model_of([labelled], [info("x", "f4", ["n", 4])], outputs, ai_onnx_ml=1)


@pytest.mark.parametrize(
    ("sizes", "more"),
    [
        ([2, 3], {}), ([2, 3], {"post_transform": "LOGISTIC"}), ([2, 3], {"post_transform": "SOFTMAX"}),
        ([2, 1, 3], {}), ([2, 1, 3], {"post_transform": "SOFTMAX"}),
        ([2, 3], {"probable": True}), ([2, 1, 3, 1], {"probable": True, "kernel_type": "POLY"}),
    ],
)  # fmt: skip
def test_classes_by_support_vectors(sizes, more):
    agree(of_classes(sizes, **more), *[{"x": x_of(rows) / 3} for rows in (2, 3, 5)])


@pytest.mark.parametrize("least", [-1, 0])
def test_classes_by_linear_functions(least):
    machine = of_classes([1, 1], coefficients=RANDOM.uniform(least, 1, 8).tolist(), rho=[0.1])
    own = machine.graph.node[0]
    for attribute in [one for one in own.attribute if one.name in ("vectors_per_class", "support_vectors")]:
        own.attribute.remove(attribute)
    agree(machine, *[{"x": x_of(rows) / 3} for rows in (2, 9, 30)])


def test_support_vectors_that_are_too_few():
    with pytest.raises(LoadError, match=r"E603.*its numbers are not those of 2 classes with 2, 3 support vectors"):
        block_of(of_classes([2, 3], coefficients=[1.0]))(numpy.zeros((2, 4), "f4"))


def test_dictionaries_are_refused_with_what_to_do():
    zipped = model("ZipMap", [info("x", "f4", ["n", 4])], info("y", "f4", ["n", 4]), classlabels_int64s=[1, 2, 3, 4])
    with pytest.raises(LoadError, match="zipmap=False"):
        block_of(zipped)


@pytest.mark.parametrize(
    ("version", "dtype", "result", "more"),
    [
        (2, "i8", "f4", {"keys_int64s": [0, 1, 2], "values_floats": [0.5, 1.5, 2.5], "default_float": -3.0}),
        (2, "f4", "i8", {"keys_floats": [0.0, 0.5, float("nan")], "values_int64s": [7, 8, 9], "default_int64": -2}),
        (4, "f4", "i8", {"keys_floats": [0.0, 0.5, float("nan")], "values_int64s": [7, 8, 9], "default_int64": -2}),
    ],
)
def test_labels_stand_for_others(version, dtype, result, more):
    encoded = model_of(
        [node("LabelEncoder", "x", ["y"], domain="ai.onnx.ml", **more)],
        [info("x", dtype, ["n", 4])],
        [info("y", result, ["n", 4])],
        ai_onnx_ml=version,
    )
    feeds = [{"x": x_of(rows, dtype)} for rows in (2, 3, 5)]
    for one in feeds if dtype == "f4" else ():
        one["x"][:, 1] = numpy.nan
    agree(encoded, *feeds)


def test_labels_that_are_strings_are_refused():
    attributes = {"keys_floats": [0.0, 1.0], "values_strings": ["a", "b"]}
    encoded = model_of(
        [node("LabelEncoder", "x", ["y"], domain="ai.onnx.ml", **attributes)],
        [info("x", "f4", ["n"])],
        [info("y", "f4", ["n"])],
        ai_onnx_ml=2,
    )
    with pytest.raises(LoadError, match="its values are strings"):
        block_of(encoded)(numpy.zeros(2, "f4"))
