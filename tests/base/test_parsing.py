"""Python's parser in several threads: no tree is lost, whoever collects garbage meanwhile."""

import ast
import gc
import threading

from hybridize.base.parsing import literal, parsed

SOURCE = "\n".join(f"def f{n}(x):\n    return [x, (x + {n}) * 2, {{'a': [x, {{1: (x,)}}]}}]" for n in range(60))


def test_threads_parse_at_the_same_time():
    expected, problems = ast.dump(ast.parse(SOURCE)), []

    def work(number):
        try:
            for turn in range(15):
                assert ast.dump(parsed(SOURCE)) == expected
                assert literal(f"({number}, ('a', {turn}), None)") == (number, ("a", turn), None)
                gc.collect(0)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
