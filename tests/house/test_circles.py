"""No circles of imports: not by imports within functions, nor by those for types alone."""

import grimp
import pytest


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("hybridize", cache_dir=None)


def _circles(edges):
    """The strongly connected components of more than one module, by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(module):
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in edges[module]:
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            component = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(component) > 1:
                found.append(sorted(component))

    for module in sorted(edges):
        if module not in index:
            visit(module)
    return found


def test_no_circle_of_imports(graph):
    """A package imports its modules and re-exports their names: it is the one that takes no part."""
    modules = {module for module in graph.modules if not graph.find_children(module)}
    assert len(modules) > 1000
    edges = {module: graph.find_modules_directly_imported_by(module) & modules for module in modules}
    assert _circles(edges) == [], "\n".join(
        f"{importer} -> {imported}"
        for circle in _circles(edges)
        for importer in circle
        for imported in sorted(edges[importer] & set(circle))
    )


def test_circles_are_seen():
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert _circles({"a": {"b"}, "b": set()}) == []
