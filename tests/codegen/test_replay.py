"""Refactorings leave the IR of a corpus of programs as it is."""

import importlib.util
import json
from pathlib import Path


def replay():
    spec = importlib.util.spec_from_file_location("replay", Path(__file__).with_name("replay.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_ir_of_the_corpus_is_what_was_written_down():
    module = replay()
    before, now = json.loads(module.FILE.read_text()), module.corpus()
    differ = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    assert not differ, f"of {len(differ)} programs; if they are meant to: python tests/codegen/replay.py --write"
