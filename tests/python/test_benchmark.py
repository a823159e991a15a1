"""karat.utils.benchmark: figures and texts as PyTorch 2.11's (written down here), timers, fuzzers."""

import functools

import pytest

import karat
from karat.utils.benchmark import (
    Compare, FuzzedParameter, FuzzedTensor, Fuzzer, Language, Measurement, ParameterAlias, TaskSpec, Timer, ordered_unique,
    select_unit, set_torch_threads, trim_sigfig, unit_to_english,
)


def measured(times, number=1, **words):
    spec = {"stmt": "x+1", "setup": "", **words}
    return Measurement(number_per_run=number, raw_times=times, task_spec=TaskSpec(**spec))


def text(measurement):
    return repr(measurement).split("\n")[1:]


def shown(table):
    """Without the blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in str(table).split("\n"))


def test_texts_of_measurements():
    assert text(measured([1e-6])) == ["x+1", "  1.00 us", "  1 measurement, 1 runs , 1 thread"]
    assert text(measured([1e-6, 2e-6])) == [
        "x+1", "  Median: 1.50 us", "  2 measurements, 1 runs per measurement, 1 thread",
        "  WARNING: Interquartile range is 33.3% of the median measurement.",
        "           This suggests significant environmental influence."]
    words = {"label": "lab", "sub_label": "sub", "description": "d", "num_threads": 4}
    assert text(measured([1e-6, 1.1e-6, 1.2e-6, 1.05e-6, 1.3e-6], **words)) == [
        "lab: sub", "d", "  Median: 1.10 us", "  IQR:    0.15 us (1.05 to 1.20)",
        "  5 measurements, 1 runs per measurement, 4 threads",
        "  WARNING: Interquartile range is 13.6% of the median measurement.",
        "           This could indicate system fluctuation."]
    assert text(measured([5e-9] * 10, stmt="a\nb", setup="y=1\nz=2"))[:8] == [
        "stmt:", "  a", "  b", "", "setup:", "  y=1", "  z=2", ""]


def test_figures():
    m = measured([1e-3 * i for i in range(1, 20)], 10)
    assert m.median == pytest.approx(1e-3) and m.mean == pytest.approx(1e-3) and m.iqr == pytest.approx(9e-4)
    assert m.significant_figures == 1 and m.has_warnings and not m.meets_confidence()
    assert measured([2.0] * 3).significant_figures == 4 and measured([2.0] * 3).meets_confidence()
    assert measured([1e-6] * 8).significant_figures == 1
    assert m.num_threads == 1 and m.stmt == "x+1" and m.as_row_name == "x+1" and len(m.times) == 19
    with pytest.raises(AttributeError, match="^'Measurement' object has no attribute 'foo'$"):
        m.foo
    merged = Measurement.merge([measured([1.0]), measured([4.0], 2), measured([3.0], stmt="y")])
    assert [one.times for one in merged] == [[1.0, 2.0], [3.0]]
    assert [select_unit(t)[0] for t in (5e-8, 1e-6, 1e-4, 0.01, 1, 100)] == ["ns", "us", "us", "ms", "s", "s"]
    assert unit_to_english("ms") == "millisecond" and ordered_unique([3, 1, 3]) == [3, 1]
    assert trim_sigfig(123456, 2) == 120000 and trim_sigfig(1.5, 1) == 2


def test_tables():
    rows = [measured([1e-6 * (i + 1) * j + 1e-8 * k for k in range(5)], label="Lab", sub_label=f"s{i}", description=f"d{j}",
                     num_threads=t) for i in range(2) for j in (1, 10) for t in (1, 2)]
    table = Compare(rows)
    assert shown(table) == """\
[--------- Lab ---------]
          |   d1  |  d10
1 threads: --------------
      s0  |  1.0  |  10.0
      s1  |  2.0  |  20.0
2 threads: --------------
      s0  |  1.0  |  10.0
      s1  |  2.0  |  20.0

Times are in microseconds (us).
"""
    table.trim_significant_figures()
    assert "      s1  |  2   |   20" in str(table)
    table.colorize()
    assert "|  \033[92m\033[1m1 \033[0m\033[0m  |" in str(table)
    warned = Compare([measured([1e-3, 2e-3, 9e-3, 1e-3, 1e-3], label="A", sub_label="q", description="x", env="e1"),
                      measured([5e-3], label="A", sub_label="q", description="x", env="e2")])
    warned.highlight_warnings()
    assert shown(warned) == """\
[---------- A -----------]
           |       x
1 threads: ---------------
  (e1)  q  |  1.0 (! 100%)
  (e2)  q  |   5.0

Times are in milliseconds (ms).
(! XX%) Measurement has high variance, where XX is the IQR / median * 100.
"""
    assert str(Compare([])) == ""
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        Compare([3])


def test_timers(capsys):
    timer = Timer("y = torch.ones(n)", "n = 3", label="ones", globals={"z": 1})
    m = timer.timeit(20)
    assert m.number_per_run == 20 and len(m.raw_times) == 1 and m.median > 0 and m.label == "ones"
    seen = []
    m = timer.blocked_autorange(min_run_time=0.005, callback=lambda number, taken: seen.append(number))
    assert len(seen) == len(m.raw_times) and sum(m.raw_times) >= 0.005
    m = timer.adaptive_autorange(min_run_time=0.001, max_run_time=0.02)
    assert len(m.raw_times) >= 1
    before = karat.get_num_threads()
    with set_torch_threads(1):
        assert karat.get_num_threads() == 1
    assert karat.get_num_threads() == before
    Compare([timer.timeit(2)]).print()
    assert "Times are in" in capsys.readouterr().out
    for make, kind, words in ((lambda: Timer(1), ValueError, "Currently only a `str` stmt is supported."),
                              (lambda: Timer("1", language="foo"), ValueError, "Invalid language `foo`."),
                              (lambda: Timer("1", language=Language.CPP), NotImplementedError, "cannot be timed here"),
                              (lambda: timer.autorange(), NotImplementedError, "See `Timer.blocked_autorange.`"),
                              (lambda: timer.collect_callgrind(), NotImplementedError, "instructions are not counted")):
        with pytest.raises(kind, match=words):
            make()
    with pytest.raises(SyntaxError):
        Timer("x y")


def test_what_is_measured_in_words():
    """As PyTorch 2.11 writes them."""
    spec = functools.partial(TaskSpec, stmt="x + 1", setup="pass")
    assert (spec().title, spec().setup_str(), spec().summarize()) == ("x + 1", "", "x + 1")
    assert spec(sub_label="s").title == "x + 1: s" and spec(label="L", sub_label="s").title == "L: s"
    block = spec(stmt="a\nb", sub_label="s", setup="y = {1}\nz = 2", description="two\nlines")
    assert block.title == "stmt: (s)\n  a\n  b" and block.setup_str() == "setup:\n  y = {1}\n  z = 2"
    assert block.summarize() == "stmt: (s)\n  a\n  b\n\ntwo\nlines\n\nsetup:\n  y = {1}\n  z = 2\n"
    assert spec(setup="y = {1}", label="", description="d").summarize() == "d\nsetup: y = {1}"
    assert repr(Measurement(1, [1e-5], spec(setup="a\nb"))).partition("\n")[2] == (
        "x + 1\nsetup:\n  a\n  b\n\n  10.00 us\n  1 measurement, 1 runs , 1 thread")


def test_what_is_no_measurement_changes_nothing():
    compare = Compare([Measurement(1, [1e-5], TaskSpec("x", "pass"))])
    with pytest.raises(ValueError, match="^Expected an instance of `Measurement`, got <class 'int'> instead.$"):
        compare.extend_results([Measurement(1, [1e-5], TaskSpec("y", "pass")), 3])
    assert [one.stmt for one in compare._results] == ["x"]


def test_strict_parameters_and_orders():
    fuzzer = Fuzzer([FuzzedParameter("k", 1, 9, "uniform", strict=True), FuzzedParameter("n", 2, 9, "uniform")],
                    [FuzzedTensor("x", size=("k", 4, "n"), steps=(1, 2), probability_contiguous=0.0)],
                    constraints=[lambda params: params["n"] > 5], seed=1)
    for tensors, properties, params in fuzzer.take(20):
        x, order = tensors["x"], properties["x"]["order"]
        assert x.shape == (params["k"], 4, params["n"]) and params["n"] > 5 and properties["x"]["steps"] == (1, 2, 1)
        innermost = x.permute(order).stride()[-1]
        assert x.shape[order[-1]] == 1 or innermost == properties["x"]["steps"][order[-1]]
    with pytest.raises(ValueError, match="Some names are repeated"):
        Fuzzer([FuzzedParameter("k", 1, 2, "uniform")] * 2, [])


def test_fuzzers():
    fuzzer = Fuzzer([FuzzedParameter("k", 1, 8, "uniform"), FuzzedParameter("n", 4, 64, "loguniform"),
                     FuzzedParameter("m", distribution={ParameterAlias("n"): 0.5, 3: 0.5})],
                    [FuzzedTensor("x", size=("k", "n"), probability_contiguous=0.0),
                     FuzzedTensor("y", size=("m",), steps=(2,), dtype=karat.int32, max_elements=64)],
                    constraints=[lambda params: params["k"] > 1], seed=3)
    for tensors, properties, params in fuzzer.take(20):
        assert tensors["x"].shape == (params["k"], params["n"]) and params["k"] > 1 and 4 <= params["n"] <= 64
        assert params["m"] in (3, params["n"]) and tensors["y"].dtype is karat.int32 and tensors["y"].shape == (params["m"],)
        assert properties["y"]["is_contiguous"] == tensors["y"].is_contiguous()
    assert [p for _, _, p in fuzzer.take(3)] == [p for _, _, p in fuzzer.take(3)] and 0 <= fuzzer.rejection_rate < 1
    with pytest.raises(ValueError, match="Failed to generate a set of valid parameters."):
        list(Fuzzer([FuzzedParameter("k", 1, 2, "uniform")], [], constraints=[lambda params: False]).take(1))
