"""torch.profiler and torch.autograd.profiler: what is recorded, names, tables, schedules, traces, mistakes."""

import gc
import gzip
import json
import re
import threading
import warnings

import pytest

import karat
from karat.autograd import profiler as prof
from karat.autograd import profiler_util as util
from karat.profiler import (
    ProfilerAction,
    ProfilerActivity,
    _ExperimentalConfig,
    profile,
    record_function,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

CPU = [ProfilerActivity.CPU]
pytestmark = pytest.mark.cpu_only("profiles of the CPU")


def names(events):
    return [e.name for e in events]


def counts(p, **how):
    return {e.key: e.count for e in p.key_averages(**how)}


def tree(events):
    """[name, [what is inside]] of each event that is in none."""
    def one(event):
        return [event.name, [one(child) for child in event.cpu_children]]

    return [one(event) for event in events if event.cpu_parent is None]


# ---- what is recorded ----


def test_inner_names_are_pytorchs():
    layer, x = karat.nn.Linear(3, 2), karat.ones(5, 3)
    with profile(activities=CPU, record_shapes=True) as p:
        layer(x)
    strided = ["aten::as_strided", []]
    assert tree(p.events()) == [["aten::linear", [
        ["aten::t", [["aten::transpose", [strided]]]],
        ["aten::addmm", [["aten::expand", [strided]], ["aten::copy_", []], ["aten::resolve_conj", []],
                         ["aten::resolve_conj", []]]]]]]
    shapes = {e.name: e.input_shapes for e in p.events()}
    assert shapes["aten::linear"] == [[5, 3], [2, 3], [2]]
    assert shapes["aten::addmm"] == [[2], [5, 3], [3, 2], [], []]


def test_backward_has_pytorchs_nodes():
    layer = karat.nn.Linear(3, 2)
    with profile(activities=CPU) as p:
        layer(karat.ones(5, 3)).sum().backward()
    found = counts(p)
    for node in ("SumBackward0", "AddmmBackward0"):
        assert found[node] == found[f"autograd::engine::evaluate_function: {node}"] == 1
    assert found["torch::autograd::AccumulateGrad"] == 2
    events = {e.name: e for e in p.events()}
    assert events["AddmmBackward0"].cpu_parent.name == "autograd::engine::evaluate_function: AddmmBackward0"
    assert events["AddmmBackward0"].sequence_nr == events["aten::linear"].sequence_nr >= 0


def test_a_function_of_ones_own():
    class Twice(karat.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    with profile(activities=CPU) as p:
        Twice.apply(karat.ones(3, requires_grad=True)).sum().backward()
    events = {e.name: e for e in p.events()}
    assert "aten::mul" in names(events["Twice"].cpu_children) and "aten::mul" in names(events["TwiceBackward"].cpu_children)


def test_where_a_kernel_ran():
    for dtype in (karat.float64, karat.float32, karat.int64):
        a = karat.ones(64, 64, dtype=dtype)
        with profile(activities=CPU) as p:
            a @ a
        ((kernel, where, _),) = [one for e in p.events() for one in e.ran]
        libraries = set() if dtype == karat.int64 else {"cpu oneDNN", "cpu OpenBLAS"}
        assert kernel == "matmul" and where in libraries | {f"cpu {karat._karat.isa}"}


def test_an_operator_has_the_name_that_pytorch_calls_it_by():
    with profile(activities=CPU) as p:
        karat.ones(2, 3).norm()
    assert "aten::linalg_vector_norm" in [e.name for e in p.events()]


def test_a_fused_conversion_is_an_event():
    a, b = karat.ones(4, 2), karat.ones(4, 2, dtype=karat.int32)
    with profile(activities=CPU, record_shapes=True) as p:
        a + b
    (add,) = [e for e in p.events() if e.name == "aten::add"]
    copy = ["aten::_to_copy", [["aten::empty_strided", []], ["aten::copy_", []]]]
    assert tree([add]) == [["aten::add", [["aten::to", [copy]]]]]
    assert (add.conversions, add.conversion_bytes, add.dtype, add.input_dtypes[:2]) == (1, 32, "float32", ["float32", "int32"])
    assert 0 <= add.conversion_time <= add.cpu_time_total
    assert add.cpu_children[0].input_shapes == [[4, 2], [], [], [], []]
    ((kernel, where, time),) = add.ran
    assert kernel == "add" and where.startswith("cpu ") and time > 0


def test_an_explicit_conversion_is_no_fused_one():
    with profile(activities=CPU) as p:
        karat.ones(3).to(karat.float64)
        karat.ones(3).float()
    assert counts(p)["aten::to"] == 2 and counts(p)["aten::_to_copy"] == 1
    assert sum(e.conversions for e in p.events()) == 0


def test_the_line_of_a_call():
    with profile(activities=CPU) as p:
        karat.ones(2)
    (event,) = [e for e in p.events() if e.name == "aten::ones"]
    assert event.file == __file__ and event.line > 0


def test_stacks():
    def inner():
        return karat.ones(2)

    with profile(activities=CPU, with_stack=True) as p:
        inner()
    event = p.events()[0]
    assert event.stack[0].endswith(": inner") and event.stack[1].endswith(": test_stacks")
    table = p.key_averages(group_by_stack_n=2).table()
    assert "Source Location" in table and ": inner" in table


def test_item_and_the_optimizer_and_the_loader():
    layer = karat.nn.Linear(2, 2)
    optimizer = karat.optim.SGD(layer.parameters(), lr=0.1)
    loader = karat.utils.data.DataLoader([karat.ones(2)] * 4, batch_size=2)
    with profile(activities=CPU) as p:
        for batch in loader:
            layer(batch).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        karat.ones(1).item()
    found = counts(p)
    assert found["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"] == 3
    assert found["Optimizer.step#SGD.step"] == found["Optimizer.zero_grad#SGD.zero_grad"] == 2
    assert found["aten::item"] == found["aten::_local_scalar_dense"] == 2  # one is the seed of the loader


def test_memory():
    with profile(activities=CPU, profile_memory=True) as p:
        x = karat.ones(1000)
        y = x + x
        del x, y
    rows = {e.key: e for e in p.key_averages()}
    assert rows["aten::add"].cpu_memory_usage == rows["aten::add"].self_cpu_memory_usage == 4000
    assert rows["[memory]"].cpu_memory_usage == -8000 and rows["[memory]"].count == 2
    assert "Self CPU Mem" in p.key_averages().table()


def test_flops():
    with profile(activities=CPU, with_flops=True) as p:
        karat.ones(3, 4) @ karat.ones(4, 5)
        karat.nn.functional.conv2d(karat.ones(1, 2, 5, 5), karat.ones(3, 2, 2, 2))
        karat.ones(6) + karat.ones(6)
    flops = {e.key: e.flops for e in p.key_averages()}
    assert flops["aten::mm"] == 2 * 3 * 4 * 5 and flops["aten::conv2d"] == 2 * 16 * 8 * 3 and flops["aten::add"] == 6
    assert "Total FLOPs" in p.key_averages().table()


def test_modules():
    class Net(karat.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = karat.nn.Sequential(karat.nn.Linear(3, 3), karat.nn.ReLU())

        def forward(self, x):
            return self.body(x) + 1

    with profile(activities=CPU, with_modules=True) as p:
        Net()(karat.ones(2, 3)).sum().backward()
    assert {e.module for e in p.events() if e.name.endswith(("AddmmBackward0", "TBackward0"))} == {"body.0"}
    forward = [e for e in p.events() if e.scope == 0 and e.cpu_parent is None]
    assert {e.name: e.module for e in forward if e.name in ("aten::linear", "aten::relu", "aten::add")} == {
        "aten::linear": "body.0", "aten::relu": "body.1", "aten::add": ""}
    groups = p.key_averages(group_by="module")
    assert {"body.0", "body.1", ""} <= {e.key for e in groups}


def test_groups():
    a, b = karat.ones(4), karat.ones(4, dtype=karat.bfloat16)
    with profile(activities=CPU) as p:
        a + b
        b + b
    by_dtype = {e.key: e for e in p.key_averages(group_by="dtype")}
    assert by_dtype["bfloat16"].count == 1 and by_dtype["float32"].conversions == 1
    by_line = p.key_averages(group_by="line")
    assert all(e.key.startswith("test_profiler.py:") for e in by_line) and len(by_line) == 2
    total = sum(e.self_cpu_time_total for e in p.events())
    assert sum(e.self_cpu_time_total for e in by_line) == pytest.approx(total)
    assert sum(e.cpu_time_total for e in by_line) == pytest.approx(total)
    with pytest.raises(ValueError, match="group_by should be one of"):
        p.key_averages(group_by="color")


def test_more_columns():
    with profile(activities=CPU) as p:
        karat.ones(4) + karat.ones(4, dtype=karat.int32)
    table = p.key_averages().table(columns=("dtype", "conversions", "kernels", "line", "module"))
    for title in ("dtype", "Conversions", "Converted", "Conv. time", "Kernels", "Line", "Module", "add on cpu ", "16 B"):
        assert title in table
    with pytest.raises(ValueError, match="columns should be of"):
        p.key_averages().table(columns="color")


# ---- record_function ----


def test_record_function():
    @record_function("decorated")
    def twice(x):
        """Twice."""
        return x + x

    @record_function("generated")
    def numbers():
        got = yield 1
        yield got

    with profile(activities=CPU) as p:
        with record_function("region") as region:
            twice(karat.ones(2))
        g = numbers()
        assert next(g) == 1 and g.send(7) == 7
    assert counts(p) == {"region": 1, "decorated": 1, "generated": 2, "aten::ones": 1, "aten::empty": 1, "aten::fill_": 1,
                         "aten::add": 1}
    assert region.name == "region" and twice.__doc__ == "Twice."
    assert [e.is_user_annotation for e in p.events() if e.name == "region"] == [True]


def test_record_function_without_a_profile():
    with record_function("region"):
        karat.ones(2)
    assert prof.record_function("x").record is None
    with pytest.raises(AssertionError, match="Expected record to be set"):
        record_function("x").__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="Expected a value of type 'str' for argument 'name' but instead found type 'int'"):
        record_function(3).__enter__()


def test_an_exception_in_a_region():
    with pytest.raises(RuntimeError), profile(activities=CPU) as p:
        with record_function("region"):
            karat.ones(2) + karat.ones(3)
    assert not karat.autograd._profiler_enabled()
    (failed,) = [e for e in p.events() if e.failed]
    assert failed.name == "aten::add" and failed.cpu_parent.name == "region"


def test_a_region_that_outlives_its_profile():
    region = record_function("region")
    with profile(activities=CPU) as p:
        region.__enter__()
        karat.ones(2)
    region.__exit__(None, None, None)
    assert counts(p)["region"] == 1
    early = record_function("early")
    early.__enter__()
    with profile(activities=CPU) as p:
        early.__exit__(None, None, None)
        karat.ones(2)
    assert "early" not in counts(p) and counts(p)["aten::ones"] == 1


# ---- profiles ----


def test_threads():
    def work():
        karat.mm(karat.eye(2), karat.eye(2))

    def run():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        karat.ones(2)

    with profile(activities=CPU) as p:
        run()
    assert "aten::mm" not in counts(p) and "aten::ones" in counts(p)
    with profile(activities=CPU, experimental_config=_ExperimentalConfig(profile_all_threads=True)) as p:
        run()
    assert counts(p)["aten::mm"] == 1
    assert len({e.thread for e in p.events()}) == 2


def test_many_threads_profile_themselves():
    found = {}

    def work(i):
        with profile(activities=CPU) as p:
            for _ in range(i + 1):
                karat.ones(3) + karat.ones(3)
        found[i] = counts(p)["aten::add"]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: i + 1 for i in range(6)}


def test_nested_profiles():
    outer = profile(activities=CPU)
    outer.__enter__()
    with profile(activities=CPU) as inner:
        karat.ones(2)
    assert "aten::ones" in counts(inner)
    with pytest.raises(RuntimeError, match="Can't disable Kineto profiler when it's not running"):
        outer.__exit__(None, None, None)


def test_a_profile_again():
    p = prof.profile()
    with p:
        karat.ones(2)
    with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"):
        p.__enter__()
    p = profile(activities=CPU)
    with p:
        karat.ones(2)
    with p:
        karat.zeros(2)
    assert "aten::ones" not in counts(p) and "aten::zeros" in counts(p)
    p = profile(activities=CPU, acc_events=True)
    with p:
        karat.ones(2)
    with p:
        karat.zeros(2)
    assert "aten::ones" in counts(p) and "aten::zeros" in counts(p)


def test_mistakes():
    p = profile()
    for ask, what in ((p.events, "accessing events"), (p.key_averages, "getting key averages"), (p.stop, "stopping trace"),
                      (lambda: p.export_chrome_trace("x"), "exporting chrome trace")):
        with pytest.raises(AssertionError, match=f"Profiler must be initialized before {what}"):
            ask()
    with pytest.raises(AssertionError, match="Device-only events supported only with Kineto"):
        prof.profile(use_cpu=False)
    with pytest.raises(AssertionError, match="No activities specified for the profiler"):
        prof.profile(use_cpu=False, use_kineto=True)
    with profile(activities=CPU) as p:
        karat.ones(2)
    with pytest.raises(RuntimeError, match="Can't disable Kineto profiler when it's not running"):
        p.stop()
    with pytest.raises(AttributeError, match="'FunctionEventAvg' object has no attribute 'foo'"):
        p.key_averages().table(sort_by="foo")
    with pytest.raises(AssertionError, match=r"export_stacks\(\) requires with_stack=True"):
        p.export_stacks("x")
    with pytest.raises(ValueError, match="record_shapes=True, profile_memory=True, with_stack=True required"):
        p.export_memory_timeline("x.html")
    with pytest.raises(RuntimeError, match="No such file or directory"):
        p.export_chrome_trace("/nowhere/at/all/x.json")
    with pytest.raises(RuntimeError, match="Found no NVIDIA driver"):
        prof.emit_nvtx().__enter__()
    with pytest.raises(RuntimeError, match="PyTorch was compiled without ITT"):
        prof.emit_itt().__enter__()
    assert str(prof.profile()) == "<unfinished torch.autograd.profile>" and prof.profile().table() == ""


def test_disabled():
    with prof.profile(enabled=False) as p:
        karat.ones(2)
    assert p is None and not karat.autograd._profiler_enabled()


def test_use_cuda_without_a_device():
    if karat.cuda.is_available():
        pytest.skip("there is a device")
    with pytest.warns(FutureWarning, match="The attribute `use_cuda` will be deprecated soon"), \
            pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"):
        with prof.profile(use_cuda=True) as p:
            karat.zeros(5, dtype=karat.float16).add_(1)
    assert "aten::add_" in p.key_averages().table(sort_by="self_cpu_time_total")
    with pytest.warns(FutureWarning, match="`use_cuda` is deprecated, use `activities` argument instead"):
        profile(use_cuda=False)
    assert supported_activities() == {ProfilerActivity.CPU}


def test_enabled():
    assert not karat.autograd._profiler_enabled() and not prof._is_profiler_enabled
    with profile(activities=CPU):
        assert karat.autograd._profiler_enabled() and prof._is_profiler_enabled
    assert not karat.autograd._profiler_enabled() and not prof._is_profiler_enabled


def test_nothing_is_kept():
    def one():
        with profile(activities=CPU, with_stack=True, with_modules=True, profile_memory=True) as p:
            karat.nn.Linear(2, 2)(karat.ones(3, 2)).sum().backward()
        return len(p.events())

    one()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(20):
        one()
    gc.collect()
    assert len(gc.get_objects()) <= before + 50


def test_where_pytorch_keeps_names():
    from karat._C import _profiler

    assert _profiler._ExperimentalConfig is _ExperimentalConfig and karat._C._profiler.ProfilerActivity is ProfilerActivity
    assert karat.autograd.DeviceType is util.DeviceType and karat.autograd.kineto_available()
    with pytest.raises(NotImplementedError, match="graphs of execution are not recorded"):
        karat.profiler.ExecutionTraceObserver()


# ---- schedules ----


def test_schedule():
    actions = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    none, warmup, record, save = ProfilerAction
    assert [actions(i) for i in range(8)] == [none, none, warmup, record, save, none, none, none]
    with pytest.raises(AssertionError, match="Step must be non-negative. Got -1."):
        actions(-1)
    with pytest.raises(AssertionError, match=r"Invalid profiler schedule arguments. Got wait=-1 \(need >= 0\)"):
        schedule(wait=-1, warmup=0, active=1)
    with pytest.warns(UserWarning, match="Profiler won't be using warmup, this can skew profiler results"):
        schedule(wait=0, warmup=0, active=1)


def test_a_schedule_is_a_function_of_the_step():
    letters = "-wrS"

    def shown(**how):
        actions = schedule(**how)
        return "".join(letters[actions(i).value] for i in range(12))

    assert shown(wait=1, warmup=1, active=2) == "-wrS-wrS-wrS"
    assert shown(wait=0, warmup=2, active=1, repeat=2) == "wwSwwS------"
    assert shown(wait=2, warmup=1, active=1, skip_first=1) == "---wS--wS--w"
    assert shown(wait=2, warmup=1, active=1, skip_first=1, skip_first_wait=1) == "-wS--wS--wS-"
    assert shown(wait=2, warmup=1, active=1, repeat=1, skip_first_wait=3) == "wS----------"
    far = schedule(wait=10**12, warmup=1, active=10**12)
    assert far(10**12) is ProfilerAction.WARMUP and far(2 * 10**12) is ProfilerAction.RECORD_AND_SAVE
    with pytest.raises(AssertionError, match=re.escape("Got wait=0 (need >= 0), warmup=-2 (need >= 0), active=0 (need > 0), "
                                                       "repeat=-1 (need >= 0), skip_first=-3 (need >= 0).")):
        schedule(wait=0, warmup=-2, active=0, repeat=-1, skip_first=-3)


def test_from_action_to_action():
    """Every pair of actions, and the end after each; p: prepare, s: start, e: stop, r: ready, !: a warning."""
    done = []

    class Told(profile):
        def prepare_trace(self):
            done.append("p")

        def start_trace(self):
            done.append("s")

        def stop_trace(self):
            done.append("e")

    want = {"00": "||", "01": "|p|se", "02": "|ps|er", "03": "|ps|er",
            "10": "p|!se|", "11": "p||se", "12": "p|s|er", "13": "p|s|er",
            "20": "ps|!e|", "21": "ps|!e|se", "22": "ps||er", "23": "ps||er",
            "30": "ps|er|", "31": "ps|erp|se", "32": "ps|erps|er", "33": "ps|erps|er"}
    for pair, expected in want.items():
        done.clear()
        actions = [ProfilerAction(int(one)) for one in pair]
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, category, path, line, *_: done.append("!" if path == __file__ else path)
            warnings.simplefilter("always")
            p = Told(activities=CPU, schedule=actions.__getitem__, on_trace_ready=lambda p: done.append("r"))
            p.start()
            done.append("|")
            p.step()
            done.append("|")
            p.stop()
        assert "".join(done) == expected, pair


def test_a_profile_that_was_not_prepared(tmp_path):
    p = karat.profiler._KinetoProfile(activities=CPU)
    for call, doing in ((p.start_trace, "starting trace"), (p.stop, "stopping trace"), (p.events, "accessing events"),
                        (p.key_averages, "getting key averages"), (lambda: p.export_stacks("x"), "exporting stacks"),
                        (lambda: p.export_chrome_trace("x"), "exporting chrome trace")):
        with pytest.raises(AssertionError, match=f"^Profiler must be initialized before {doing}$"):
            call()
    assert p.toggle_collection_dynamic(True, []) is None and p.get_trace_id() is None
    assert karat.profiler.profiler._default_schedule_fn(7) is ProfilerAction.RECORD  # Lightning asks for it
    (tmp_path / "file").write_text("")
    with pytest.raises(RuntimeError, match=f"^Can't create directory: {tmp_path}/file/inner$"):
        tensorboard_trace_handler(f"{tmp_path}/file/inner")(p)


def test_steps():
    ready = []
    with profile(activities=CPU, schedule=schedule(wait=1, warmup=1, active=2),
                 on_trace_ready=lambda p: ready.append((p.step_num, counts(p)))) as p:
        for _ in range(9):
            karat.ones(2)
            p.step()
    want = {"ProfilerStep*": 2, "aten::ones": 2, "aten::empty": 2, "aten::fill_": 2}
    assert ready == [(4, want), (8, want)]


def test_steps_without_a_schedule():
    with profile(activities=CPU) as p:
        for _ in range(3):
            karat.ones(2)
            p.step()
    assert counts(p) == {"aten::ones": 3, "aten::empty": 3, "aten::fill_": 3}


def test_a_schedule_that_is_wrong():
    none, warmup, record, _ = ProfilerAction
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with profile(activities=CPU, schedule=[warmup, none, record, none].__getitem__) as p:
            for _ in range(3):
                p.step()
    assert [str(w.message) for w in said] == ["Incorrect schedule: WARMUP followed by NONE",
                                              "Incorrect schedule: RECORD followed by NONE"]


# ---- files ----


def test_a_trace(tmp_path):
    with profile(activities=CPU, record_shapes=True, profile_memory=True, with_modules=True) as p:
        with record_function('a "quoted" \\ name'):
            karat.nn.Linear(3, 2)(karat.ones(5, 3)) + karat.ones(2, dtype=karat.int32)
    p.add_metadata("text", 'a "b"')
    p.add_metadata_json("list", "[1, 2]")
    path = tmp_path / "trace.json"
    p.export_chrome_trace(str(path))
    trace = json.loads(path.read_text())
    assert trace["schemaVersion"] == 1 and trace["record_shapes"] == 1 and trace["text"] == 'a "b"' and trace["list"] == [1, 2]
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert {"cpu_op", "kernel", "user_annotation", "python_function"} <= {e["cat"] for e in events}
    assert 'a "quoted" \\ name' in {e["name"] for e in events} and "nn.Module: Linear_0" in {e["name"] for e in events}
    linear = next(e for e in events if e["name"] == "aten::linear")
    assert linear["args"]["Input Dims"] == [[5, 3], [2, 3], [2]] and linear["args"]["line"] > 0
    conversion = next(e for e in events if "why" in e["args"])
    assert conversion["args"]["why"] == "promotion" and conversion["args"]["bytes"] == 8
    assert all(e["args"]["where"].startswith("cpu") for e in events if e["cat"] == "kernel")
    assert [e for e in trace["traceEvents"] if e["name"] == "[memory]"]
    p.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    assert json.loads(gzip.open(tmp_path / "trace.json.gz").read())["schemaVersion"] == 1


def test_stacks_in_a_trace(tmp_path):
    with profile(activities=CPU, with_stack=True) as p:
        karat.ones(2)
    p.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    ones = next(e for e in events if e["name"] == "aten::ones")
    assert ones["args"]["Call stack"].startswith(f"{__file__}({ones['args']['line']});")


def test_tensorboard(tmp_path):
    with profile(activities=CPU, on_trace_ready=tensorboard_trace_handler(str(tmp_path / "log"), worker_name="w")):
        karat.ones(2)
    (path,) = (tmp_path / "log").iterdir()
    assert path.name.startswith("w.") and path.name.endswith(".pt.trace.json") and json.loads(path.read_text())["traceEvents"]


def test_stacks_in_a_file(tmp_path):
    with profile(activities=CPU, with_stack=True) as p:
        karat.ones(300, 300) @ karat.ones(300, 300)
    p.export_stacks(str(tmp_path / "stacks"))
    assert all(line.rpartition(" ")[2].isdigit() for line in (tmp_path / "stacks").read_text().splitlines())
    with pytest.raises(ValueError, match="metric should be one of"):
        p.export_stacks(str(tmp_path / "stacks"), "count")


# ---- events ----


def test_events_of_ones_own():
    def event(i, name, begin, end):
        return util.FunctionEvent(id=i, name=name, thread=0, start_us=begin, end_us=end, stack=[], input_shapes=[])

    events = util.EventList([event(0, "a", 10.0, 20.0), event(1, "b", 0.0, 100.0), event(2, "a", 30.0, 35.0)])
    with pytest.raises(AssertionError, match="Expected tree to be built before calling key_averages"):
        events.key_averages()
    events._build_tree()
    assert tree(events) == [["b", [["a", []], ["a", []]]]]
    assert events.self_cpu_time_total == 100.0 and events[1].self_cpu_time_total == 85.0
    assert repr(events.total_average()).startswith("<FunctionEventAvg key=Total self_cpu_time=100.000us cpu_time=38.333us")
    assert util.Interval(1.0, 3.0).elapsed_us() == 2.0 and util.EventList([]).table() == ""
    assert repr(events[0]).startswith("<FunctionEvent id=0 name=a overload_name=None device_type=DeviceType.CPU node_id=-1 ")


def own_events(*rows, **options):
    """Events of one's own, each a dict of what is not 0, in a list with its tree."""
    made = [util.FunctionEvent(**{"id": i, "thread": 0, "stack": [], "input_shapes": [], "overload_name": "",
                                  "use_device": options.get("use_device"), **row}) for i, row in enumerate(rows)]
    events = util.EventList(made, **options)
    events._build_tree()
    return events


def cells(table):
    return [line.split() for line in table.splitlines()]


def test_a_table_of_ones_own_events():
    """The figures are PyTorch 2.11's."""
    rows = [{"name": "a", "start_us": 0.0, "end_us": 100.0, "cpu_memory_usage": 2048, "device_memory_usage": 4096},
            {"name": "b", "start_us": 10.0, "end_us": 50.0, "cpu_memory_usage": 1000},
            {"name": "k", "start_us": 20.0, "end_us": 27.0, "device_type": util.DeviceType.CUDA, "thread": 5},
            {"name": "c", "start_us": 60.0, "end_us": 70.0, "is_async": True}]
    events = own_events(*rows, use_device="cuda", profile_memory=True)
    for event, duration in zip([events[1], events[0], events[3]], (7.0, 30.0, 1.0)):
        event.append_kernel("k", 0, duration)
    text = events.table()
    assert cells(text)[1] == ("Name Self CPU % Self CPU CPU total % CPU total CPU time avg Self CUDA Self CUDA % CUDA total "
                              "CUDA time avg CPU Mem Self CPU Mem CUDA Mem Self CUDA Mem # of Calls").split()
    assert [" ".join(line) for line in cells(text)[3:7]] == [
        "a 60.00% 60.000us 100.00% 100.000us 100.000us 30.000us 428.57% 37.000us 37.000us 2.00 KB 1.02 KB 4.00 KB 4.00 KB 1",
        "b 40.00% 40.000us 40.00% 40.000us 40.000us 7.000us 100.00% 7.000us 7.000us 1000 B 1000 B 0 B 0 B 1",
        "k 0.00% 0.000us 0.00% 0.000us 0.000us 7.000us 100.00% 7.000us 7.000us 0 B 0 B 0 B 0 B 1",
        "c 0.00% 0.000us 0 10.000us 10.000us 0.000us 0.00% 0.000us 0.000us 0 B 0 B 0 B 0 B 1"]
    assert text.endswith("Self CPU time total: 100.000us\nSelf CUDA time total: 7.000us\n")
    first = [line[0] for line in cells(events.table(sort_by="device_time_total", row_limit=2))[3:-3]]
    assert first == ["a", "b"]
    assert len(events.table(row_limit=0).splitlines()) == 6 and len(events.table(row_limit=-1).splitlines()) == 10
    lines = events.table(top_level_events_only=True, header="H").splitlines()
    assert lines[0] == "=" * (len(lines[4]) - 2) == lines[2] and lines[1] == "H"
    assert [line.split()[0] for line in lines[7:10]] == list("akc")
    with pytest.raises(AttributeError):
        events.table(sort_by="nope")


def test_columns_that_are_there_when_there_is_something():
    wide = {"name": "n" * 80, "start_us": 0.0, "end_us": 1e7, "overload_name": "Tensor", "flops": 10**30, "node_id": 2}
    text = own_events(wide, {"name": "m", "start_us": 0.0, "end_us": 5.0, "thread": 1}, with_flops=True).table()
    assert " ".join(cells(text)[1]).endswith("CPU time avg # of Calls Node ID Total PFLOPs")
    assert cells(text)[3][:2] == ["n" * 52 + "...", "Tensor"] and cells(text)[3][-2:] == ["2", "1000000000000000.000"]
    assert cells(text)[4][-2:] == ["-1", "--"]
    text = own_events(wide).table(max_name_column_width=None, time_unit="ms")
    assert cells(text)[3][0] == "n" * 80 and "10000.000ms" in text and text.endswith("Self CPU time total: 10000.000ms\n")
    assert cells(own_events(wide).table(max_name_column_width=5))[3][:2] == ["nn...", "Te..."]
    stacked = own_events({"name": "a", "start_us": 0.0, "end_us": 1.0, "stack": ["file.py(1): f", "x" * 90]})
    lines = stacked.table(max_src_column_width=30).splitlines()
    assert lines[3].rstrip().endswith("file.py(1): f") and lines[4].strip() == "..." + "x" * 27 and not lines[5].strip()


def test_what_only_calls_its_like_is_one_event():
    spans = {"f": (0.0, 100.0), "g": (5.0, 80.0), "h": (10.0, 20.0)}
    whole, inner, last = ({"name": "f", "start_us": a, "end_us": b} for a, b in spans.values())
    events = own_events(whole, inner, {**last, "name": "h"})
    assert tree(events) == [["f", [["h", []]]]] and len(events) == 2 and events[0].self_cpu_time_total == 90.0
    beside = {"name": "f", "start_us": 85.0, "end_us": 90.0}
    assert tree(own_events(whole, inner, beside)) == [["f", [["f", []], ["f", []]]]]
