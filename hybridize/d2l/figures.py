# SPDX-License-Identifier: Apache-2.0
"""Figures: curves of functions, images in rows, and curves that grow while a net is trained.

This is the only door to matplotlib. What grows keeps its points whether or not there is a figure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from hybridize.base.errors import ArgumentError
from hybridize.base.loading import load_module
from hybridize.base.notebooks import notebook, show_again

T = TypeVar("T")
FORMATS = ("-", "m--", "g-.", "r:")
"""The book's lines."""


def pyplot() -> Any:
    """Return the module `matplotlib.pyplot`.

    Raises:
        ArgumentError E380: matplotlib is not installed.
    """
    try:
        return load_module("matplotlib.pyplot")
    except ModuleNotFoundError as error:
        raise ArgumentError(
            "E380", "drawing figures needs matplotlib, which is not installed", help='pip install "hybridize[plot]"'
        ) from error


def _figure_or_none() -> Any:
    """Return `pyplot`, or None where a curve can only be kept."""
    try:
        return pyplot()
    except ArgumentError:
        return None


def use_svg_display() -> None:
    """Let a notebook show figures as SVG. Elsewhere it does nothing.

    >>> from hybridize import d2l
    >>> d2l.use_svg_display()
    """
    if notebook() is not None:
        load_module("matplotlib_inline.backend_inline").set_matplotlib_formats("svg")


def set_figsize(figsize: tuple[float, float] = (3.5, 2.5)) -> None:
    """Set the size of figures that are made from now on, in inches: width and height.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l
    >>> d2l.set_figsize((3.5, 2.5))
    >>> d2l.plt.rcParams["figure.figsize"]
    [3.5, 2.5]
    """
    use_svg_display()
    pyplot().rcParams["figure.figsize"] = figsize


def set_axes(axes: Any, xlabel: Any, ylabel: Any, xlim: Any, ylim: Any, xscale: str, yscale: str, legend: Any) -> None:
    """Set the labels, limits, scales and legend of axes, and show their grid.

    Args:
        axes: matplotlib's axes.
        xlabel, ylabel: texts, or None.
        xlim, ylim: pairs of limits, or None.
        xscale, yscale: `linear` or `log`.
        legend: a text for each curve; empty: no legend.

    >>> from hybridize import d2l
    >>> figure, axes = d2l.plt.subplots()
    >>> d2l.set_axes(axes, "x", "f(x)", [0, 3], [1, 9], "linear", "log", [])
    >>> axes.get_xlabel(), axes.get_yscale()
    ('x', 'log')
    >>> d2l.plt.close(figure)
    """
    axes.set(xlabel=xlabel or "", ylabel=ylabel or "", xscale=xscale, yscale=yscale)
    axes.set_xlim(xlim)
    axes.set_ylim(ylim)
    if legend:
        axes.legend(legend)
    axes.grid()


def plot(
    X: Any,
    Y: Any = None,
    xlabel: Any = None,
    ylabel: Any = None,
    legend: Sequence[str] = (),
    xlim: Any = None,
    ylim: Any = None,
    xscale: str = "linear",
    yscale: str = "linear",
    fmts: Sequence[str] = FORMATS,
    figsize: tuple[float, float] = (3.5, 2.5),
    axes: Any = None,
) -> None:
    """Draw curves.

    Args:
        X: positions of the points, for all curves or for each; without `Y` their heights.
        Y: heights of the points, of one curve or a list of them.
        xlabel, ylabel, legend, xlim, ylim, xscale, yscale: see `set_axes`.
        fmts: a line for each curve.
        figsize: in inches.
        axes: where to draw; None: the present ones.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l
    >>> x = d2l.arange(0, 3, 0.1)
    >>> d2l.plot(x, [x**2, 2 * x], "x", "f(x)", legend=["x squared", "2 x"])
    >>> len(d2l.plt.gca().lines)
    2
    >>> d2l.plt.close()
    """
    curves = _curves(X) if Y is None else _curves(Y)
    positions: list[Any] = [None] * len(curves) if Y is None else _curves(X)
    if len(positions) != len(curves):
        positions = positions * len(curves)
    set_figsize(figsize)
    axes = pyplot().gca() if axes is None else axes
    axes.cla()
    for x, y, line in zip(positions, curves, fmts, strict=False):
        axes.plot(*([numbers(y)] if x is None or not len(x) else [numbers(x), numbers(y)]), line)
    set_axes(axes, xlabel, ylabel, xlim, ylim, xscale, yscale, legend)


def _curves(points: Any) -> list[Any]:
    """The curves: one, if its points are numbers."""
    single = points.ndim == 1 if hasattr(points, "ndim") else not (len(points) and hasattr(points[0], "__len__"))
    return [points] if single else list(points)


def numbers(points: Any) -> Any:
    """Numbers as matplotlib takes them."""
    return points.asnumpy() if hasattr(points, "asnumpy") else points


def show_images(imgs: Any, num_rows: int, num_cols: int, titles: Any = None, scale: float = 1.5) -> Any:
    """Draw images in rows.

    Args:
        imgs: as many images, each (height, width) or (height, width, channels).
        num_rows: how many rows.
        num_cols: how many in a row.
        titles: a text above each; None: no texts.
        scale: inches of each.

    Returns:
        The axes, one after the other.

    Raises:
        ArgumentError E380: matplotlib is not installed.

    >>> from hybridize import d2l, np
    >>> axes = d2l.show_images(np.zeros((6, 8, 8)), num_rows=2, num_cols=3)
    >>> len(axes)
    6
    >>> d2l.plt.close()
    """
    _, grid = pyplot().subplots(num_rows, num_cols, figsize=(num_cols * scale, num_rows * scale), squeeze=False)
    axes = grid.flatten()
    for number, (one, image) in enumerate(zip(axes, imgs, strict=False)):
        one.imshow(numbers(image))
        one.axes.get_xaxis().set_visible(False)
        one.axes.get_yaxis().set_visible(False)
        if titles:
            one.set_title(titles[number])
    return axes


class Animator:
    """Draw curves that grow while a loop runs. In a notebook each point draws the figure again.

    Without matplotlib the points are kept, in `X` and `Y`, and nothing is drawn.

    Args:
        xlabel, ylabel, legend, xlim, ylim, xscale, yscale: see `set_axes`.
        fmts: a line for each curve.
        nrows, ncols: of the figure's axes; the first is drawn.
        figsize: in inches.

    >>> from hybridize import d2l
    >>> animator = d2l.Animator(xlabel="epoch", legend=["train loss", "test loss"])
    >>> animator.add(1, (0.5, 0.75))
    >>> animator.add(2, (0.25, None))
    >>> animator.Y
    [[0.5, 0.25], [0.75]]
    >>> d2l.plt.close()
    """

    def __init__(
        self,
        xlabel: Any = None,
        ylabel: Any = None,
        legend: Sequence[str] | None = None,
        xlim: Any = None,
        ylim: Any = None,
        xscale: str = "linear",
        yscale: str = "linear",
        fmts: Sequence[str] = FORMATS,
        nrows: int = 1,
        ncols: int = 1,
        figsize: tuple[float, float] = (3.5, 2.5),
    ) -> None:
        self.X: list[list[float]] = []
        """Positions of the points of each curve."""
        self.Y: list[list[float]] = []
        """Their heights."""
        self.fmts = fmts
        self.fig: Any = None
        self.axes: list[Any] = []
        self._looks = (xlabel, ylabel, xlim, ylim, xscale, yscale, legend or [])
        plt = _figure_or_none()
        if plt is not None:
            use_svg_display()
            self.fig, axes = plt.subplots(nrows, ncols, figsize=figsize, squeeze=False)
            self.axes = list(axes.flatten())

    def add(self, x: Any, y: Any) -> None:
        """Add a point to each curve.

        Args:
            x: the position, one for all or one for each.
            y: the heights; None: no point of that curve.
        """
        heights = list(y) if hasattr(y, "__len__") else [y]
        positions = list(x) if hasattr(x, "__len__") else [x] * len(heights)
        while len(self.X) < len(heights):
            self.X.append([])
            self.Y.append([])
        for number, (a, b) in enumerate(zip(positions, heights, strict=True)):
            if a is not None and b is not None:
                self.X[number].append(float(a))
                self.Y[number].append(float(b))
        if self.fig is not None:
            self.axes[0].cla()
            for xs, ys, line in zip(self.X, self.Y, self.fmts, strict=False):
                self.axes[0].plot(xs, ys, line)
            set_axes(self.axes[0], *self._looks)
            show_again(self.fig)


def add_to_class(Class: type) -> Callable[[T], T]:
    """Add a function to an existing class as a method. Use it as a decorator.

    Args:
        Class: the class.

    >>> from hybridize import d2l
    >>> class Net: ...
    >>> @d2l.add_to_class(Net)
    ... def answer(self):
    ...     return 42
    >>> Net().answer()
    42
    """

    def add(function: T) -> T:
        setattr(Class, getattr(function, "__name__"), function)  # noqa: B009 - of any callable
        return function

    return add


class HyperParameters:
    """Keep the arguments of `__init__` as attributes.

    >>> from hybridize import d2l
    >>> class Net(d2l.HyperParameters):
    ...     def __init__(self, width, rate=0.1):
    ...         self.save_hyperparameters()
    >>> Net(8).hparams
    {'width': 8, 'rate': 0.1}
    """

    def save_hyperparameters(self, ignore: Collection[str] = ()) -> None:
        """Keep the arguments and variables of the function that calls this as attributes, and in `hparams`.

        Args:
            ignore: names to leave out, in addition to `self` and names that begin with `_`.
        """
        frame = inspect.currentframe()
        caller = frame.f_back if frame is not None else None
        local: Mapping[str, Any] = caller.f_locals if caller is not None else {}
        left_out = {*ignore, "self"}
        self.hparams: dict[str, Any] = {
            name: v for name, v in local.items() if name not in left_out and not name.startswith("_")
        }
        for name, value in self.hparams.items():
            setattr(self, name, value)


class ProgressBoard(HyperParameters):
    """Draw curves by name that grow while a net is trained. In a notebook each point draws the figure again.

    Outside of notebooks it draws if it has `axes`. The points are in `data`.

    Args:
        xlabel, ylabel, xlim, ylim, xscale, yscale: see `set_axes`.
        ls: a line for each curve.
        colors: a colour for each.
        fig, axes: where to draw; None: a figure of its own.
        figsize: in inches.
        display: whether to draw at all.

    >>> from hybridize import d2l
    >>> board = d2l.ProgressBoard("x")
    >>> for x in range(4):
    ...     board.draw(x, x**2, "square", every_n=2)  # a point is the mean of two
    >>> board.data
    {'square': [(0.5, 0.5), (2.5, 6.5)]}
    """

    xlabel: Any
    ylabel: Any
    xlim: Any
    ylim: Any
    xscale: str
    yscale: str
    ls: Sequence[str]
    colors: Sequence[str]
    fig: Any
    axes: Any
    figsize: tuple[float, float]
    display: bool

    def __init__(
        self,
        xlabel: Any = None,
        ylabel: Any = None,
        xlim: Any = None,
        ylim: Any = None,
        xscale: str = "linear",
        yscale: str = "linear",
        ls: Sequence[str] = ("-", "--", "-.", ":"),
        colors: Sequence[str] = ("C0", "C1", "C2", "C3"),
        fig: Any = None,
        axes: Any = None,
        figsize: tuple[float, float] = (3.5, 2.5),
        display: bool = True,
    ) -> None:
        self.xlabel, self.ylabel, self.xlim, self.ylim = xlabel, ylabel, xlim, ylim
        self.xscale, self.yscale = xscale, yscale
        self.ls, self.colors = ls, colors
        self.fig, self.axes, self.figsize, self.display = fig, axes, figsize, display
        self.raw_points: dict[str, list[tuple[float, float]]] = {}
        """Points that wait to become one, by curve."""
        self.data: dict[str, list[tuple[float, float]]] = {}
        """The points of each curve."""

    def draw(self, x: Any, y: Any, label: str, every_n: int = 1) -> None:
        """Add a point to a curve.

        Args:
            x: the position.
            y: the height.
            label: the name of the curve.
            every_n: how many points become one, their mean.
        """
        waiting = self.raw_points.setdefault(label, [])
        curve = self.data.setdefault(label, [])
        waiting.append((float(x), float(y)))
        if len(waiting) < max(every_n, 1):
            return
        curve.append((sum(a for a, _ in waiting) / len(waiting), sum(b for _, b in waiting) / len(waiting)))
        waiting.clear()
        plt = _figure_or_none() if self.display and (self.axes is not None or notebook() is not None) else None
        if plt is None:
            return
        use_svg_display()
        if self.fig is None:
            self.fig = plt.figure(figsize=self.figsize) if self.axes is None else self.axes.figure
        axes = self.fig.gca() if self.axes is None else self.axes
        axes.cla()
        for (name, points), line, colour in zip(self.data.items(), self.ls, self.colors, strict=False):
            axes.plot([a for a, _ in points], [b for _, b in points], linestyle=line, color=colour, label=name)
        set_axes(axes, self.xlabel, self.ylabel, self.xlim, self.ylim, self.xscale, self.yscale, list(self.data))
        show_again(self.fig)
