"""Where the PyTorch door is meant to differ from eager PyTorch: patterns of calls, what happens here, and why.

A row that no call matches fails the census, and so does one whose calls no longer differ.
"""

KERNELS = "PyTorch has no kernel for this dtype; the program has"
EMPTY = "PyTorch asks nothing of a tensor without elements"

EXCEPTIONS = [
    (r"special\.ndtri\((bfloat16|float16)", "runs", KERNELS),
    (r"F\.multi_margin_loss\((bfloat16|float16)", "runs", KERNELS),
    (r"avg_pool3d, .*\((bfloat16|float16)", "runs", KERNELS),
    (r"F\.conv_transpose1d\(", "raises", "PyTorch takes a bias of another dtype here, and in no other convolution"),
    (r"F\.one_hot\(\)", "raises", "as many classes as the largest number says: sizes do not depend on data"),
    (r"(nan)?median\(bool", "raises", EMPTY),
    (r"LongTensor\(\w+, (float16|float32|bool_)\)", "runs", "floats of NumPy's are cut off, as Python's are"),
]
