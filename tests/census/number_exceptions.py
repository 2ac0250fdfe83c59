"""What `np` gives otherwise than NumPy, on purpose: the reasons are those of docs/guide/differences.md."""

import re

EXCEPTIONS = {
    re.compile(pattern): reason
    for pattern, reason in {
        r": np\.take\(.*axis=0, mode": "an array without axes has no axis 0",
        r"float64 .*: np\.(broadcast_arrays|atleast_3d|meshgrid)\(": "each argument is an array of its own: numbers float32",
        r"float64 .*: np\.ediff1d\((0\.3|\[0|numpy)": "the result has the dtype of the first argument, a number",
        r"float64 arrays: stored\(np\.savetxt": "text has no dtype: float32",
        r"float\d\d list: np\.fmod": "a list is of float32 beside float16 and float32",
        r"float16 list: np\.\w+\(.*out=": "a list is of float32 beside float16, also where the result goes into float64",
        r": np\.spacing\((0|3|True|numpy|\[).*out=": "a number alone is float32, also where the result goes into float64",
        r" bool: np\.(exp|log1p)\(True.*out=": "NumPy computes of a bool in float16",
        r"float16 \S+: np\.spacing": "NumPy's float16 has no sign there; float32's and float64's have",
        r"float16 .*: np\.fft\.(irfft|hfft)": "transforms of float16 are float32",
        r"(int\d+|bool) .*: np\.(fabs|rint)\(": "integers are whole, and stay integers, as by np.floor",
        r"(int\d+|bool) .*: np\.sinc\(": "of integers in float32: sin(pi x) is not exactly 0",
        r"(int\d+) (float|float64|list): (np\.)?(A //|A %|divmod|mod|remainder|floor_divide|fmod)": "integers beside a float are float32, whose 0.3 is another number",
        r"(int\d+|bool) .*: np\.(spacing\(|nextafter\(.*out=)": "of integers in float32, whose next number is another one",
        r"int(8|32) (int|int64|uint8): np\.clip\((3|numpy)": "numbers take the dtype of the arrays beside them",
        r"uint8 arrays: np\.pad\(V, 3, 'linear_ramp', end_values=\(5, -4": "below 0 an unsigned integer is 0, as from float to integer",
        r"bool .*(//|%|\*\*|mod|floor_divide|fmod|remainder|power)": "bools are not numbers: E205",
        r"bool .*: np\.(square|conj|conjugate)\(": "of bools bools",
    }.items()
}
"""What each row's text matches may differ; a row that matches nothing that differs is out of date."""
