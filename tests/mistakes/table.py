"""Mistakes of users: what was typed, what must be said. docs/errors/mistakes.md is made from this table.

Each row: the lines before, what was typed, how it runs, the code, words of the sentence, words of the remedy. The remedy is
empty where the sentence is the rule. `BOTH`: as it is, and inside a function that is hybridized.
"""

from typing import NamedTuple

IMPERATIVE, HYBRIDIZED, BOTH = ("imperatively",), ("hybridized",), ("imperatively", "hybridized")

PREPARED = """\
import math
import random
import time
from pathlib import Path

import numpy

from hybridize import autograd, gluon, gpu, hybridize, load, lr_scheduler, metric, np, npx
from hybridize.gluon import SymbolBlock, Trainer, nn, rnn
"""
"""The first lines of each program."""


class Mistake(NamedTuple):
    """A mistake and what is said about it."""

    before: str
    typed: str
    ways: tuple[str, ...]
    code: str
    says: str
    remedy: str


NET = """\
net = nn.Dense(1, in_units=2)
net.initialize()
x = np.ones((4, 2))
"""
TRAINER = NET + "trainer = Trainer(net.collect_params(), 'sgd')\n"

MISTAKES: dict[str, list[Mistake]] = {
    "Shapes": [
        Mistake(
            "x, y = np.ones((2, 3)), np.ones((2, 4))",
            "x + y",
            BOTH,
            "E101",
            "add: shapes do not broadcast: f32[2,3] and f32[2,4]",
            "compared from the last axis, two sizes must be equal or one of them must be 1",
        ),
        Mistake(
            "x, w = np.ones((32, 10)), np.ones((12, 5))",
            "x @ w",
            BOTH,
            "E102",
            "matmul needs [m, k] and [k, n], got f32[32,10] and f32[12,5]",
            "the sizes 10 and 12 must be equal",
        ),
        Mistake(
            "x, w = np.ones((32, 10)), np.ones((12, 5))",
            "np.dot(x, w)",
            BOTH,
            "E102",
            "dot needs [..., k] and [..., k, n], got f32[32,10] and f32[12,5]",
            "the inner sizes 10 and 12 must be equal",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.reshape(4, 2)",
            BOTH,
            "E104",
            "reshape of f32[2,3] to [4, 2]: 6 elements do not fit",
            "one size may be -1; it is then computed from the others",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.sum(axis=2)",
            BOTH,
            "E111",
            "sum: axis 2 is out of bounds for an array of 2 axes",
            "axes run from -2 to 1",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "np.transpose(x, (0, 0))",
            BOTH,
            "E105",
            "transpose of f32[2,3]: (0, 0) must name each axis exactly once",
            "give the new order of the axes, such as (1, 0)",
        ),
        Mistake(
            "x = np.ones((2, 1, 3))",
            "np.squeeze(x, axis=0)",
            BOTH,
            "E106",
            "squeeze of f32[2,1,3]: axis 0 is not of size 1",
            "squeeze removes axes of size 1; index or reduce the others: x[0], x.sum(axis=0)",
        ),
        Mistake(
            "x, y = np.ones((2, 3)), np.ones((2, 4))",
            "np.concatenate([x, y], axis=0)",
            BOTH,
            "E107",
            "concatenate along axis 0: f32[2,3], f32[2,4]",
            "all other sizes must be equal",
        ),
        Mistake(
            "x, y = np.ones(3), np.ones(4)",
            "np.stack([x, y])",
            BOTH,
            "E107",
            "stack needs arrays of one shape, got f32[3], f32[4]",
            "make the shapes equal; np.concatenate joins along an axis whose sizes differ",
        ),
        Mistake(
            "x = np.arange(10)",
            "np.split(x, 3)",
            BOTH,
            "E108",
            "split of f32[10]: 10 is not a multiple of 3",
            "array_split allows parts of unequal size",
        ),
        Mistake(
            "x = np.zeros((2, 3))",
            "x[0] = np.ones(2)",
            IMPERATIVE,
            "E132",
            "x[0] = value: could not broadcast input array from shape (2,) into shape (3,); x is f32[2,3], value f32[2]",
            "give the value the shape of the part, or sizes of 1, which are repeated",
        ),
        Mistake(
            "x = np.zeros((2, 3))",
            "x[0] = np.ones(2)",
            HYBRIDIZED,
            "E132",
            "a value f32[2] does not fit the part f32[3] of f32[2,3]",
            "give the value the shape of the part, or sizes of 1, which are repeated",
        ),
        Mistake(
            "x = np.arange(3)",
            "x[5]",
            IMPERATIVE,
            "E110",
            "x[5] of f32[3]: index 5 is out of bounds for axis 0 with size 3",
            "indices run from -n to n - 1",
        ),
        Mistake(
            "x = np.arange(3)",
            "x[5]",
            HYBRIDIZED,
            "E110",
            "index 5 is out of bounds for axis 0 of f32[3]",
            "indices run from -n to n - 1",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x[0, 1, 2]",
            IMPERATIVE,
            "E133",
            "x[(0, 1, 2)] of f32[2,3]: too many indices for array: array is 2-dimensional, but 3 were indexed",
            "each index uses one axis, and a mask as many as it has axes",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x[0, 1, 2]",
            HYBRIDIZED,
            "E133",
            "too many indices: 3 for f32[2,3]",
            "each index uses one axis, and a mask as many as it has axes",
        ),
        Mistake(
            "",
            "np.array([[1, 2, 3], [4, 5]])",
            IMPERATIVE,
            "E103",
            "a list cannot become an array: setting an array element with a sequence. The requested array has an inhomogeneous shape after 1",
            "make all rows equally long, with zeros at their ends, for example",
        ),
        Mistake(
            "",
            "np.zeros((2, -1))",
            BOTH,
            "E112",
            "sizes must not be negative, got [2, -1]",
            "only reshape takes -1, as it knows the number of elements",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "np.einsum('ijk->k', x)",
            BOTH,
            "E114",
            "einsum 'ijk->k': 'ijk' does not match the number of axes of f32[2,3]",
            "give one letter for each axis",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "np.linalg.inv(x)",
            BOTH,
            "E169",
            "inv takes square matrices, got f32[2,3]",
            "np.linalg.pinv and np.linalg.lstsq take other matrices",
        ),
        Mistake(
            "x = np.zeros((0, 3))",
            "x.max(axis=0)",
            BOTH,
            "E109",
            "max of f32[0,3] over no elements",
            "pass initial= or test x.size",
        ),
    ],
    "Layers": [
        Mistake(
            """\
layer = nn.Conv2D(channels=4, kernel_size=3)
layer.initialize()
x = np.ones((3, 8, 8))
""",
            "layer(x)",
            BOTH,
            "E174",
            "Conv2D needs an input of 4 axes (NCHW), got f32[3,8,8]",
            "np.expand_dims(x, 0) makes a batch of one input",
        ),
        Mistake(
            """\
layer = nn.Conv2D(channels=4, kernel_size=5)
layer.initialize()
x = np.ones((1, 3, 4, 4))
""",
            "layer(x)",
            BOTH,
            "E175",
            "convolution of f32[1,3,4,4] with weight f32[4,3,5,5]: along axis 2, a window over 5 elements does not fit into 4",
            "the size counts the image's elements at their dilation and the padding before and after; make the window smaller or the padding",
        ),
        Mistake(
            """\
net = nn.Dense(2, in_units=3)
net.initialize()
x = np.ones((4, 5))
""",
            "net(x)",
            BOTH,
            "E102",
            "fully_connected needs [n, in] and weight [out, in], got f32[4,5] and f32[2,3]",
            "each row has 5 elements and must have as many as the weight's rows, 3",
        ),
        Mistake(
            """\
layer = rnn.LSTM(4)
layer.initialize()
x = np.ones((5, 3))
""",
            "layer(x)",
            BOTH,
            "E186",
            "LSTM needs an input of 3 axes (TNC), got f32[5,3]",
            "the axes are steps, sequences and the features of a step; np.expand_dims adds an axis of one sequence",
        ),
        Mistake(
            """\
layer = nn.Embedding(10, 4)
layer.initialize()
x = np.array([3, 12])
""",
            "layer(x)",
            IMPERATIVE,
            "E110",
            "embedding of f32[10,4]: index 12 is out of bounds",
            "indices run from 0 to 9",
        ),
        Mistake(
            """\
layer = nn.Embedding(10, 4)
layer.initialize()
x = np.array([3, 12])
""",
            "layer(x)",
            HYBRIDIZED,
            "E110",
            "embedding of f32[10,4]: an index is out of bounds; indices run from 0 to 9",
            "",
        ),
        Mistake(
            "",
            "nn.MultiHeadAttention(10, 4)",
            IMPERATIVE,
            "E192",
            "MultiHeadAttention: 10 units in 4 heads",
            "each number must divide the one before it",
        ),
        Mistake(
            "",
            "nn.Conv2D(channels=4, kernel_size=3, groups=3)",
            IMPERATIVE,
            "E331",
            "Conv2D to 4 channels in 3 groups",
            "groups must divide the numbers of input and output channels",
        ),
        Mistake(
            """\
net = nn.Dense(2, in_units=3)
x = np.ones((1, 3))
""",
            "net(x)",
            BOTH,
            "E502",
            "has not been initialized",
            "call net.initialize(); parameters of children are in net.collect_params(), not in net.params",
        ),
        Mistake(
            """\
net = nn.Dense(2)
net.initialize()
""",
            "net.weight.data()",
            IMPERATIVE,
            "E501",
            "has not been initialized yet: its shape (2, -1) is known only after the first call",
            "call the net once with a batch of data, or give the sizes (in_units, in_channels, ...)",
        ),
        Mistake(
            """\
net = nn.Dense(2, in_units=3)
net.initialize()
""",
            "net.weight.set_data(np.ones((3, 2)))",
            IMPERATIVE,
            "E124",
            ": expected shape (2, 3), got (3, 2)",
            "a parameter keeps its shape: pass an array of that shape",
        ),
        Mistake(
            "",
            """\
class Net(nn.HybridBlock):
    def __init__(self):
        self.layer = nn.Dense(2)
        super().__init__()


Net()
""",
            IMPERATIVE,
            "E504",
            "Net: 'layer' is set before super().__init__() was called",
            "call super().__init__() first",
        ),
        Mistake(
            """\
class Net(nn.HybridBlock):
    pass


x = np.ones(3)
""",
            "Net()(x)",
            IMPERATIVE,
            "E328",
            "Net has no forward",
            "define forward or hybrid_forward",
        ),
        Mistake(
            """\
class Plain(gluon.Block):
    def forward(self, x):
        return x


net = nn.HybridSequential()
""",
            "net.add(Plain())",
            IMPERATIVE,
            "E326",
            "children of HybridBlock must also be HybridBlock, got Plain Plain(",
            "derive it from HybridBlock, or make the parent a Block (Sequential instead of HybridSequential)",
        ),
        Mistake(
            "",
            "nn.Dense(2, activation='swich')",
            IMPERATIVE,
            "E330",
            "'swich' is not an activation",
            "one of relu, sigmoid, log_sigmoid, mish, tanh, softrelu, softsign",
        ),
        Mistake(
            "net = nn.Dense(2)",
            "net.hybridize(bakend='llvm')",
            IMPERATIVE,
            "E329",
            "hybridize() got an unexpected keyword 'bakend'",
            "known: backend, verify, dynamic, freeze, threads, winograd",
        ),
        Mistake(
            "",
            "nn.Dense(2, unit=3)",
            IMPERATIVE,
            "E344",
            "Dense takes no keyword 'unit'",
            "did you mean 'units'?",
        ),
    ],
    "Dtypes": [
        Mistake(
            "x = np.array([1, 2, 3], dtype='int32')",
            "x += 0.5",
            IMPERATIVE,
            "E206",
            "add in place: f32[3] cannot be stored in i32[3]",
            "write x = x + y, which creates a new array of the result's dtype",
        ),
        Mistake(
            "x = np.ones(3)",
            "x[1.5]",
            IMPERATIVE,
            "E204",
            "x[1.5] of f32[3]: only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid",
            "convert it: int(i), or x.astype(int) of an array",
        ),
        Mistake(
            "x = np.ones(3)",
            "x[1.5]",
            HYBRIDIZED,
            "E204",
            "an index is an integer, a slice or an array of integers or bools, got 1.5",
            "convert it: int(i), or x.astype(int) of an array",
        ),
        Mistake(
            "x = np.ones(3)",
            "~x",
            BOTH,
            "E205",
            "invert of f32[3]: expected integers or bools",
            "compare first, ~(x > 0), or cast: x.astype(bool)",
        ),
        Mistake(
            "",
            "np.zeros(3, dtype='float80')",
            BOTH,
            "E201",
            "'float80' is not a supported dtype",
            "use one of bfloat16, bool, bool_, complex128, complex64, float16, float32, float64, int16, int32, int64, int8, uint16, uint32",
        ),
        Mistake(
            "",
            "np.array(['a', 'b'])",
            IMPERATIVE,
            "E202",
            "cannot make an array of list ['a', 'b']",
            "pass numbers",
        ),
        Mistake(
            "x = np.array([1, 2], dtype='uint8')",
            "x + 300",
            BOTH,
            "E203",
            "300 is not a u8: Python integer 300 out of bounds for uint8",
            "cast the array first: x.astype(...)",
        ),
        Mistake(
            "x = np.ones(3)",
            "np.select([x], [x])",
            BOTH,
            "E208",
            "select: a condition must be bool, got f32[3]",
            "compare with 0: x != 0",
        ),
        Mistake(
            """\
loss = gluon.loss.SoftmaxCrossEntropyLoss()
pred, label = np.ones((4, 3)), np.ones((4, 3))
""",
            "loss(pred, label)",
            BOTH,
            "E139",
            "SoftmaxCrossEntropyLoss needs labels of the shape (4,), got f32[4,3] for f32[4,3]",
            "sparse labels are class indices; for distributions pass sparse_label=False",
        ),
        Mistake(
            "x = np.ones((2, 2), dtype='float16')",
            "np.linalg.inv(x)",
            BOTH,
            "E221",
            "inv takes float32 or float64, got f16[2,2]",
            "cast first",
        ),
    ],
    "Names and arguments of other libraries": [
        Mistake(
            "x = np.ones((2, 3))",
            "np.sum(x, dim=1)",
            BOTH,
            "E344",
            "sum(f32[2,3], dim=1): sum() got an unexpected keyword argument 'dim'",
            "its arguments are (a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True)",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.numpy()",
            BOTH,
            "E364",
            "'ndarray' object has no attribute 'numpy'",
            "x.asnumpy()",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.unsqueeze(0)",
            BOTH,
            "E364",
            "'ndarray' object has no attribute 'unsqueeze'",
            "np.expand_dims(x, axis)",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.cpu()",
            BOTH,
            "E364",
            "'ndarray' object has no attribute 'cpu'",
            "x.to('cpu')",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.cuda()",
            BOTH,
            "E364",
            "'ndarray' object has no attribute 'cuda'",
            "x.to('gpu')",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.to('float16')",
            BOTH,
            "E300",
            "to() takes a device, got 'float16'",
            "x.astype(dtype) changes the type",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.to('cuda')",
            BOTH,
            "E300",
            "to() takes a device, got 'cuda'",
            "use gpu(0)",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "x.permute(1, 0)",
            BOTH,
            "E364",
            "'ndarray' object has no attribute 'permute'",
            "x.transpose(axes)",
        ),
        Mistake(
            "",
            "np.tensor([1.0, 2.0])",
            IMPERATIVE,
            "E364",
            "module 'hybridize.array.np' has no 'tensor'",
            "np.array(x)",
        ),
        Mistake(
            "x = np.ones((2, 3))",
            "np.cat([x, x])",
            BOTH,
            "E364",
            "module 'hybridize.array.np' has no 'cat'",
            "np.concatenate(arrays, axis)",
        ),
        Mistake(
            "",
            "np.rand(3)",
            IMPERATIVE,
            "E364",
            "module 'hybridize.array.np' has no 'rand'",
            "np.random.rand(2, 3)",
        ),
        Mistake(
            "",
            "nn.Linear(3, 2)",
            IMPERATIVE,
            "E364",
            "module 'hybridize.gluon.nn' has no 'Linear'",
            "nn.Dense(units)",
        ),
        Mistake(
            "",
            "nn.Conv2d(3, 4, 3)",
            IMPERATIVE,
            "E364",
            "module 'hybridize.gluon.nn' has no 'Conv2d'",
            "did you mean 'Conv2D'?",
        ),
        Mistake(
            "",
            "nn.ReLU()",
            IMPERATIVE,
            "E364",
            "module 'hybridize.gluon.nn' has no 'ReLU'",
            "nn.Activation('relu')",
        ),
        Mistake(
            "",
            "nn.CrossEntropyLoss()",
            IMPERATIVE,
            "E364",
            "module 'hybridize.gluon.nn' has no 'CrossEntropyLoss'",
            "gluon.loss.SoftmaxCrossEntropyLoss()",
        ),
        Mistake(
            "net = nn.Dense(2)",
            "net.parameters()",
            IMPERATIVE,
            "E364",
            "'Dense' object has no attribute 'parameters'",
            "net.collect_params()",
        ),
        Mistake(
            "net = nn.Dense(2)",
            "net.eval()",
            IMPERATIVE,
            "E364",
            "'Dense' object has no attribute 'eval'",
            "a net predicts outside of autograd.record(): leave it out",
        ),
        Mistake(
            "net = nn.Dense(2)",
            "net.state_dict()",
            IMPERATIVE,
            "E364",
            "'Dense' object has no attribute 'state_dict'",
            "net.save_parameters(path)",
        ),
        Mistake(
            "net = nn.Dense(2)",
            "net.to('cuda')",
            IMPERATIVE,
            "E364",
            "'Dense' object has no attribute 'to'",
            "net.cast(dtype), or net.reset_device(device)",
        ),
        Mistake(
            "net = nn.Dense(2)",
            "net.cuda()",
            IMPERATIVE,
            "E364",
            "'Dense' object has no attribute 'cuda'",
            "net.reset_device(gpu(0))",
        ),
        Mistake(
            "",
            "autograd.no_grad()",
            IMPERATIVE,
            "E364",
            "module 'hybridize.autograd' has no 'no_grad'",
            "autograd.pause()",
        ),
        Mistake(
            "",
            "np.matrix([[1.0]])",
            IMPERATIVE,
            "E364",
            "module 'hybridize.array.np' has no 'matrix'",
            "numpy.matrix on x.asnumpy(), outside of compiled functions",
        ),
        Mistake(
            "x = np.ones(3)",
            "np.reduce_sum(x)",
            IMPERATIVE,
            "E364",
            "module 'hybridize.array.np' has no 'reduce_sum'",
            "np.sum(x, axis)",
        ),
        Mistake(
            "",
            "np.meen(np.ones(3))",
            IMPERATIVE,
            "E364",
            "module 'hybridize.array.np' has no 'meen'",
            "did you mean 'mean' or 'median'?",
        ),
        Mistake(
            "",
            "gluon.losses",
            IMPERATIVE,
            "E364",
            "module 'hybridize.gluon' has no 'losses'",
            "did you mean 'loss'?",
        ),
        Mistake(
            "",
            "np.zeros(2, 3)",
            IMPERATIVE,
            "E201",
            "3 is not a supported dtype",
            "use one of bfloat16, bool, bool_, complex128, complex64, float16, float32, float64, int16, int32, int64, int8, uint16, uint32",
        ),
        Mistake(
            "",
            "np.ones(3, device='cuda:0')",
            IMPERATIVE,
            "E701",
            "there is no cuda:0: a device is cpu(0), gpu(0) or the like",
            "use gpu(0) for the first GPU, or cpu()",
        ),
    ],
    "Values": [
        Mistake(
            "x = np.array([1.0, -2.0])",
            """\
if x > 0:
    print('positive')
""",
            BOTH,
            "E130",
            "bool of an array needs one element, got bool[2]",
            "use .any() or .all() of bools, x.sum() or x.max() of numbers, or index one element: x[0]",
        ),
        Mistake(
            "x = np.array([1.0, -2.0])",
            "float(x)",
            BOTH,
            "E130",
            "float of an array needs one element, got f32[2]",
            "use .any() or .all() of bools, x.sum() or x.max() of numbers, or index one element: x[0]",
        ),
        Mistake(
            "x = np.array([1.0, -2.0])",
            "x.item()",
            BOTH,
            "E130",
            "item() of an array needs one element, got f32[2]",
            "use .any() or .all() of bools, x.sum() or x.max() of numbers, or index one element: x[0]",
        ),
        Mistake(
            "x, y = np.ones(3), np.ones(3)",
            "x == y and print('equal')",
            BOTH,
            "E130",
            "bool of an array needs one element, got bool[3]",
            "use .any() or .all() of bools, x.sum() or x.max() of numbers, or index one element: x[0]",
        ),
        Mistake(
            "x = np.array(3.0)",
            "len(x)",
            BOTH,
            "E302",
            "len() of an array without axes",
            "x.item() is its only element",
        ),
        Mistake(
            "x = np.array(3.0)",
            """\
for row in x:
    print(row)
""",
            BOTH,
            "E302",
            "iteration over an array without axes",
            "x.item() is its only element",
        ),
        Mistake(
            "x = np.array([1.5, 2.0])",
            "range(x[0])",
            BOTH,
            "E304",
            "an index must be one integer, got f32[]",
            "int(x) converts one element",
        ),
        Mistake(
            "x = np.array([1.0, 2.0])",
            "[10, 20, 30][x]",
            BOTH,
            "E304",
            "an index must be one integer, got f32[2]",
            "int(x) converts one element",
        ),
        Mistake(
            "x = np.array([1.0, 2.0])",
            "math.sqrt(x)",
            BOTH,
            "E130",
            "float of an array needs one element, got f32[2]",
            "use .any() or .all() of bools, x.sum() or x.max() of numbers, or index one element: x[0]",
        ),
        Mistake(
            "x = np.array([1.0, 2.0])",
            "assert x > 0",
            BOTH,
            "E130",
            "bool of an array needs one element, got bool[2]",
            "use .any() or .all() of bools, x.sum() or x.max() of numbers, or index one element: x[0]",
        ),
        Mistake(
            "x = np.array([1.0, 2.0])",
            "print(f'{x:.2f}')",
            IMPERATIVE,
            "E344",
            "the format '.2f' is of one number, not of f32[2]",
            "format(x.item(), ...) for an array of one element",
        ),
        Mistake(
            "",
            "np.random.choice(3, p=np.array([0.5, 0.5]))",
            IMPERATIVE,
            "E135",
            "choice: probabilities f32[2] for 3 elements",
            "give one for each",
        ),
        Mistake(
            "x = np.broadcast_to(np.ones(3), (2, 3))",
            "x[0] = 5.0",
            BOTH,
            "E306",
            "f32[2,3] is a read-only view",
            "copy it first: x.copy()",
        ),
        Mistake(
            "x = np.ones(3)",
            "np.percentile(x, 150)",
            BOTH,
            "E345",
            "percentile: q is from 0 to 100",
            "",
        ),
        Mistake(
            "",
            "np.arange(0, 10, 0)",
            IMPERATIVE,
            "E312",
            "arange: the step must not be 0",
            "",
        ),
    ],
    "Captured functions": [
        Mistake(
            "x = np.array([1.0, -2.0])",
            "return x[x > 0]",
            HYBRIDIZED,
            "E402",
            "the result of x[mask]: the number of its elements depends on the data",
            "reduce it with sum, mean, max, min, any, all, std, var or len, or keep the size: np.where(mask, x, 0)",
        ),
        Mistake(
            "x = np.array([1.0, 1.0])",
            "return np.unique(x)",
            HYBRIDIZED,
            "E403",
            "unique cannot be compiled: NumPy computes it, and the size or dtype of its result may depend on the data",
            "call it outside the compiled function and pass its result as an argument",
        ),
        Mistake(
            "x = np.ones(3)",
            "return x * float(numpy.asarray(x).max())",
            HYBRIDIZED,
            "E401",
            "numpy.asarray() of x, an array f32[3]: a captured array has no value",
            "keep it an array: np and npx compute with it; npx.print shows it when the program runs",
        ),
        Mistake(
            "x = np.ones(3)",
            "return x + random.random()",
            HYBRIDIZED,
            "E420",
            "random.Random.random() draws or reads in Python, but only once, while the program is captured",
            "call it outside the compiled function and pass the result as an argument; use hybridize.random to draw inside",
        ),
        Mistake(
            "x = np.ones(3)",
            "return x * time.time()",
            HYBRIDIZED,
            "E420",
            "time.time() draws or reads in Python, but only once, while the program is captured",
            "call it outside the compiled function and pass the result as an argument; use hybridize.random to draw inside",
        ),
        Mistake(
            """\
x = np.ones(3)
numbers = iter([1, 2])
""",
            "return x + next(numbers)",
            HYBRIDIZED,
            "E421",
            "'numbers' is an iterator (list_iterator): it yields other data at each call",
            "pass its items as arguments, or create it inside the function",
        ),
        Mistake(
            "x, names = np.ones(3), {0: 'zero'}",
            "return names[x.argmax()]",
            HYBRIDIZED,
            "E422",
            "an array i64[] cannot be used as a key: it has no value while capturing",
            "use Python values as keys",
        ),
        Mistake(
            "x = np.ones(3)",
            "return eval('x * 2')",
            HYBRIDIZED,
            "E428",
            "eval() inside a compiled function: the code in its text cannot be captured",
            "write the code directly, or call it outside the compiled function",
        ),
        Mistake(
            "x = np.ones(3)",
            """\
y = x if x.sum() > 0 else x.sum()
return y
""",
            HYBRIDIZED,
            "E440",
            "the two branches of a condition that depends on data give f32[3] and f32[]",
            "give both the same shape and dtype, and the same structure",
        ),
        Mistake(
            """\
x = np.ones(3)
log = []
""",
            """\
if x.sum() > 0:
    log.append(1)
return x
""",
            HYBRIDIZED,
            "E430",
            "a list of the surroundings is changed (append) in a branch or loop that depends on data: Python runs both sides once",
            "set a variable on both sides, and write it after the branch: b = new if better else self.best",
        ),
        Mistake(
            "x = np.ones(3)",
            """\
try:
    if x.sum() > 10:
        raise ValueError('large')
except ValueError:
    pass
return x
""",
            HYBRIDIZED,
            "E433",
            "ValueError is raised depending on data, and an enclosing except may catch it",
            "move the try statement into the branch, or use if and else instead",
        ),
        Mistake(
            """\
x = np.ones(3)
net = nn.Dense(2, in_units=3)
net.initialize()
""",
            """\
net.save_parameters('net.params')
return x
""",
            HYBRIDIZED,
            "E407",
            "Block.save_parameters() inside of a compiled function: it writes a file, which Python would have to do at each call",
            "call it before or after the compiled function",
        ),
        Mistake(
            "x = np.ones(3)",
            """\
y = x
while y.sum() < 10:
    y = np.concatenate([y, y])
return y
""",
            HYBRIDIZED,
            "E440",
            "variable 'y' is f32[3] before and f32[6] after one round of the loop that depends on data at",
            "set it to a value of the same type on every path, before the branch or loop",
        ),
        Mistake(
            "x = np.ones(3)",
            """\
for i in range(0, 10, x.astype(int)[0].item()):
    pass
return x
""",
            HYBRIDIZED,
            "E443",
            "range() with a step that depends on data",
            "use a while loop, or multiply the index",
        ),
        Mistake(
            "",
            """\
@hybridize
def rows(x):
    yield x
""",
            IMPERATIVE,
            "E355",
            "rows is a generator function, whose calls compute nothing yet, so no program can compute its results",
            "hybridize the functions that it calls and that return arrays",
        ),
        Mistake(
            """\
net = nn.Dense(2, in_units=3)
net.initialize()
x = np.ones((1, 3))
""",
            "hybridize(net(x))",
            IMPERATIVE,
            "E301",
            "hybridize takes a function, a Block or a torch.nn.Module, got ndarray",
            "pass the callable itself, as in hybridize(net), not its result",
        ),
    ],
    "Gradients and training": [
        Mistake(
            """\
x = np.ones(3)
y = (x * 2).sum()
""",
            "y.backward()",
            IMPERATIVE,
            "E540",
            "f32[] was not recorded, so it cannot be differentiated",
            "compute it within `with autograd.record():`, from an array with attach_grad()",
        ),
        Mistake(
            """\
x = np.ones(3)
x.attach_grad()
with autograd.record():
    y = (x * x).sum()
y.backward()
""",
            "y.backward()",
            IMPERATIVE,
            "E541",
            "the graph of sum, recorded at",
            "pass retain_graph=True to that backward pass, or record again",
        ),
        Mistake(
            """\
x, w = np.ones(3), np.ones(3)
x.attach_grad()
with autograd.record():
    y = (x * w).sum()
w[:] = 5
""",
            "y.backward()",
            IMPERATIVE,
            "E542",
            "a value that mul, recorded at",
            "write to a copy, or call backward before the write",
        ),
        Mistake(
            """\
x = np.ones(3)
x.attach_grad()
""",
            """\
with autograd.record():
    y = x * 2
    x[:] = 5
""",
            IMPERATIVE,
            "E543",
            "f32[3] has a gradient attached, so it cannot be written while its use is recorded",
            "compute a new array, or write within autograd.pause()",
        ),
        Mistake(
            """\
x = np.ones(3)
x.attach_grad()
with autograd.record():
    y = x * 2
""",
            "y.backward(np.ones(4))",
            IMPERATIVE,
            "E387",
            "the head gradient of f32[3] is f32[4]",
            "a gradient must have the shape and dtype of its array",
        ),
        Mistake(
            "x = np.ones(3)",
            "x.attach_grad(grad_req='replace')",
            IMPERATIVE,
            "E322",
            "grad_req must be write, add or null, got 'replace'",
            "write replaces the gradient at each backward pass, add adds to it, null keeps none",
        ),
        Mistake(
            TRAINER,
            "trainer.step(4)",
            IMPERATIVE,
            "E561",
            "the gradient of parameter 'weight' has not been written by backward since the last step",
            "if it takes no part in the loss, say step(batch_size, ignore_stale_grad=True), or give it grad_req='null'",
        ),
        Mistake(
            TRAINER
            + """\
with autograd.record():
    loss = net(x).sum()
loss.backward()
""",
            "trainer.step(0)",
            IMPERATIVE,
            "E353",
            "batch_size must be a positive number, got 0",
            "pass the number of samples of the batch: trainer.step(len(x))",
        ),
        Mistake(
            NET,
            "Trainer(net, 'sgd')",
            IMPERATIVE,
            "E358",
            "a trainer takes a dict or list of parameters, got Dense",
            "pass the parameters of the net: Trainer(net.collect_params(), ...)",
        ),
        Mistake(
            NET,
            "Trainer(net.collect_params(), 'sdg')",
            IMPERATIVE,
            "E354",
            "'sdg' is not an optimizer",
            "use one of adabelief, adadelta, adagrad, adam, adamax, adamw, dcasgd, ftml, ftrl, groupadagrad, lamb, lans, lars, lbsgd, nadam",
        ),
        Mistake(
            NET,
            "Trainer(net.collect_params(), 'sgd', {'lr': 0.1})",
            IMPERATIVE,
            "E352",
            "SGD takes no 'lr'",
            "it takes aggregate_num, begin_num_update, clip_gradient, lazy_update, learning_rate, lr_scheduler, momentum, multi_precision",
        ),
        Mistake(
            TRAINER
            + """\
schedule = lr_scheduler.FactorScheduler(step=10)
trainer = Trainer(net.collect_params(), 'sgd', {'lr_scheduler': schedule})
""",
            "trainer.set_learning_rate(0.1)",
            IMPERATIVE,
            "E560",
            "the learning rate comes from the optimizer's lr_scheduler",
            "set lr_scheduler.base_lr, or create the optimizer without a scheduler",
        ),
        Mistake(
            """\
loss = gluon.loss.L2Loss()
pred, label = np.ones((4, 1)), np.ones((3,))
""",
            "loss(pred, label)",
            BOTH,
            "E139",
            "L2Loss needs one label for each prediction, got f32[3] and f32[4,1]",
            "the numbers of elements must be equal; labels are not broadcast",
        ),
        Mistake(
            """\
loss = gluon.loss.SoftmaxCrossEntropyLoss()
pred, label = np.ones((4, 3)), np.ones((5,))
""",
            "loss(pred, label)",
            BOTH,
            "E139",
            "SoftmaxCrossEntropyLoss needs labels of the shape (4,), got f32[5] for f32[4,3]",
            "sparse labels are class indices; for distributions pass sparse_label=False",
        ),
        Mistake(
            """\
accuracy = metric.Accuracy()
pred, label = np.ones((4, 3)), np.ones((5,))
""",
            "accuracy.update(label, pred)",
            IMPERATIVE,
            "E140",
            "Accuracy has 5 labels [5] for 4 predictions [4]",
            "the numbers of labels and predictions must be equal",
        ),
        Mistake(
            NET,
            "net.weight.grad_req = 'replace'",
            IMPERATIVE,
            "E322",
            "grad_req must be write, add or null, got 'replace'",
            "write replaces the gradient at each backward pass, add adds to it, null keeps none",
        ),
        Mistake(
            NET + "net.weight.grad_req = 'null'",
            "net.weight.grad()",
            IMPERATIVE,
            "E503",
            "has no gradient: grad_req is null",
            "set grad_req='write'",
        ),
        Mistake(
            TRAINER,
            """\
@hybridize
def step(x):
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    if loss < 1e9:
        trainer.step(1)
    return loss


step(x)
""",
            IMPERATIVE,
            "E562",
            "a trainer's step in a branch or loop that depends on data",
            "compute the gradients in the branch or loop, and call step() after it",
        ),
    ],
    "Files, data and devices": [
        Mistake(
            NET,
            "net.export('net')",
            IMPERATIVE,
            "E506",
            "Dense has not been compiled yet, so there is nothing to export",
            "first call net.hybridize() and then the net once, with an input",
        ),
        Mistake(
            NET,
            "net.load_parameters('no_such.params')",
            IMPERATIVE,
            "E600",
            "cannot read no_such.params: No such file or directory",
            "check the path; relative paths begin at",
        ),
        Mistake(
            NET,
            "net.save_parameters('no_such_folder/net.params')",
            IMPERATIVE,
            "E335",
            "cannot write",
            "make the folder first",
        ),
        Mistake(
            NET
            + """\
net.save_parameters('net.params')
other = nn.Dense(3, in_units=2)
""",
            "other.load_parameters('net.params')",
            IMPERATIVE,
            "E613",
            "parameter 'weight': expected shape (3, 2), saved (1, 2)",
            "make the net with the sizes of the one that was saved",
        ),
        Mistake(
            NET
            + """\
net.save_parameters('net.params')
other = nn.Dense(1, in_units=2, use_bias=False)
""",
            "other.load_parameters('net.params')",
            IMPERATIVE,
            "E611",
            "parameter 'bias' of net.params is not in the net, which has 'weight'",
            "pass ignore_extra=True to leave it out",
        ),
        Mistake(
            NET
            + """\
net.hybridize()
net(x)
""",
            "net.export('net', format='onnxx')",
            IMPERATIVE,
            "E336",
            "format must be one of 'archive', 'library', 'object', 'wheel', 'wasm', 'web', 'onnx', got 'onnxx'",
            "did you mean 'onnx'?",
        ),
        Mistake(
            """\
@hybridize
def double(x):
    return x * 2
""",
            "double.save('double')",
            IMPERATIVE,
            "E530",
            "double has no program to save yet",
            "call it once, or use compile(...)",
        ),
        Mistake(
            """\
@hybridize
def double(x):
    return x * 2


double(np.ones(3))
double.save('double')
again = load('double')
""",
            "again(np.ones(5))",
            IMPERATIVE,
            "E120",
            "double was saved for (f32[3]), got (f32[5])",
            "call it with these sizes before saving",
        ),
        Mistake(
            """\
@hybridize
def double(x):
    return x * 2


double(np.ones(3))
double.save('double')
again = load('double')
""",
            "again(np.ones(3, dtype='int32'))",
            IMPERATIVE,
            "E210",
            "double was saved for (f32[3]), got (i32[3])",
            "cast the arguments: x.astype(...)",
        ),
        Mistake(
            "",
            "load('no_such_model')",
            IMPERATIVE,
            "E600",
            "cannot read no_such_model: No such file or directory",
            "check the path; relative paths begin at",
        ),
        Mistake(
            "Path('notes.txt').write_text('not a model')",
            "load('notes.txt')",
            IMPERATIVE,
            "E608",
            "notes.txt is not in a format that hybridize reads",
            "it reads its own archives, MXNet's -symbol.json and .params, models of ONNX and TFLite, SavedModels",
        ),
        Mistake(
            "",
            "np.ones(3, ctx=gpu(0))",
            IMPERATIVE,
            "E701",
            "there is no gpu(0): HYBRIDIZE_DEVICE is not set, so there is only the CPU",
            "use cpu(), or set HYBRIDIZE_DEVICE to cuda or webgpu before Python starts",
        ),
        Mistake(
            NET,
            "net.initialize(ctx=gpu(0))",
            IMPERATIVE,
            "E701",
            "there is no gpu(0): HYBRIDIZE_DEVICE is not set, so there is only the CPU",
            "use cpu(), or set HYBRIDIZE_DEVICE to cuda or webgpu before Python starts",
        ),
        Mistake(
            "",
            "SymbolBlock.imports('net.json', ['data'])",
            IMPERATIVE,
            "E600",
            "cannot read net.json: No such file or directory",
            "check the path; relative paths begin at",
        ),
        Mistake(
            "data = gluon.data.ArrayDataset(np.ones((4, 2)))",
            "gluon.data.DataLoader(data)",
            IMPERATIVE,
            "E375",
            "DataLoader needs a batch_size",
            "DataLoader(data, batch_size=64)",
        ),
        Mistake(
            "",
            "gluon.data.ArrayDataset(np.ones((4, 2)), np.ones(3))",
            IMPERATIVE,
            "E377",
            "the arrays of a data set must have equal lengths, got 4, 3",
            "the first axis counts samples",
        ),
        Mistake(
            "",
            "gluon.utils.split_data(np.ones((5, 2)), 2)",
            IMPERATIVE,
            "E361",
            "5 examples cannot be split evenly into 2 parts along axis 0",
            "use a batch size that is a multiple of 2, or even_split=False",
        ),
        Mistake(
            "",
            "gluon.data.vision.MNIST(root='data')",
            IMPERATIVE,
            "E381",
            "MNIST needs train-images-idx3-ubyte, or the same with .gz, in data, but found none of them",
            "nothing is downloaded: put the published files there, or pass another folder as root=",
        ),
        Mistake(
            "",
            "metric.create('acuracy')",
            IMPERATIVE,
            "E368",
            "'acuracy' is not a metric",
            "a function, an EvalMetric or acc, accuracy, binaryaccuracy, ce, composite, compositeevalmetric, crossentropy, custommetric, f1",
        ),
        Mistake(
            NET,
            "net.initialize(init='xaver')",
            IMPERATIVE,
            "E354",
            "'xaver' is not an initializer",
            "one of bilinear, constant, fusedrnn, gaussian, load, lstmbias, mixed, msraprelu, normal, one, ones, orthogonal, rnnfused",
        ),
    ],
}
