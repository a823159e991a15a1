"""tests/libraries/run.py: the table in docs/libraries.md after a run of some programs only."""

import importlib.util
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def runner():
    spec = importlib.util.spec_from_file_location("libraries_run", os.path.join(ROOT, "tests", "libraries", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def test_rows_of_programs_that_were_not_run_stay(tmp_path):
    run, document = runner(), tmp_path / "table.md"
    before = [run.as_line([name, "1.0", "works", "1.0", "2.0", "about", ""]) for name in ("einops", "gone_program", "timm")]
    head = ["before", run.MARKS[0], run.as_line(run.HEAD), run.as_line(["---"] * len(run.HEAD))]
    document.write_text("\n".join([*head, *before, run.MARKS[1], "after"]))
    measured = ["timm", "2.0", "differs", "3.0", "4.0", "a | b", "x < y"]
    older = ["einops", "0.1", "refused", "9.0", "9.0", "of an older results file", ""]
    added = ["higher", "0.2", "works", "1.0", "2.0", "only in the results file", ""]
    run.write_document(document, [older, added, measured], {"timm"})
    assert lines_of(document) == [
        *head, before[0], run.as_line(added), r"| timm | 2.0 | differs | 3.0 | 4.0 | a \| b | x &lt; y |", run.MARKS[1], "after"]
