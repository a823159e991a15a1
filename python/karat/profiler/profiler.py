"""karat.profiler.profiler: profile with a schedule."""

import bisect
import enum
import gzip
import json
import os
import shutil
import socket
import tempfile
import time
from warnings import warn

from .. import _karat, _missing
from .._torch_private import private_names
from ..autograd import profiler as prof
from ..autograd.profiler import _ExperimentalConfig, kineto_available  # noqa: F401


class ProfilerActivity(enum.IntEnum):
    """What is recorded."""

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5

    def __repr__(self):
        return f"<ProfilerActivity.{self.name}: {self.value}>"

    def __str__(self):
        return f"ProfilerActivity.{self.name}"


class RecordScope(enum.Enum):
    """What an event is of, as PyTorch numbers it."""

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    TORCHSCRIPT_FUNCTION = 2
    KERNEL_FUNCTION_DTYPE = 3
    CUSTOM_CLASS = 4
    BUILD_FEATURE = 5
    LITE_INTERPRETER = 6
    USER_SCOPE = 7
    STATIC_RUNTIME_OP = 8
    STATIC_RUNTIME_MODEL = 9


def supported_activities():
    """What can be recorded here."""
    found = {ProfilerActivity.CPU}
    if _karat.device_count("cuda"):
        found.add(ProfilerActivity.CUDA)
    return found


class ProfilerAction(enum.Enum):
    """What a profile does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """A function from the number of a step to an action: after skip_first steps come cycles of wait, warmup and active steps,
    repeat of them (0: as long as there are steps); skip_first_wait != 0: the first cycle does not wait."""
    least = {"wait": 0, "warmup": 0, "active": 1, "repeat": 0, "skip_first": 0}
    given = dict(zip(least, (wait, warmup, active, repeat, skip_first)))
    if any(given[name] < least[name] for name in least):
        told = ", ".join(f"{name}={given[name]} (need {'>' if least[name] else '>='} 0)" for name in least)
        raise AssertionError(f"Invalid profiler schedule arguments. Got {told}.")
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)

    length = wait + warmup + active
    begins = (wait, wait + warmup, length - 1)  # the places in a cycle where the actions after the first begin
    origin = skip_first - (wait if skip_first_wait else 0)
    cycles = repeat or float("inf")

    def action_of(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        cycle, place = divmod(step - origin, length)
        return _ACTIONS[bisect.bisect_right(begins, place) if step >= skip_first and cycle < cycles else 0]

    return action_of


def _record_always(_):
    return ProfilerAction.RECORD


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """For on_trace_ready: writes dir_name/<worker>.<time>.pt.trace.json, which TensorBoard's plugin finds."""
    ending = ["pt", "trace", "json", "gz"][:4 if use_gzip else 3]

    def write(traced):
        try:
            os.makedirs(dir_name, exist_ok=True)
        except Exception as reason:
            raise RuntimeError(f"Can't create directory: {dir_name}") from reason
        worker = worker_name or "_".join((socket.gethostname(), str(os.getpid())))
        traced.export_chrome_trace(os.path.join(dir_name, ".".join([worker, str(time.time_ns()), *ending])))

    return write


# What a _KinetoProfile tells the profile that records for it.
_HANDED_ON = ("record_shapes", "with_flops", "profile_memory", "with_stack", "with_modules", "use_device", "experimental_config",
              "acc_events", "custom_trace_id_callback")


class _KinetoProfile:
    """A profile that is started and stopped by hand: prepare_trace, start_trace, stop_trace."""

    def __init__(self, *, activities=None, record_shapes=False, profile_memory=False, with_stack=False, with_flops=False,
                 with_modules=False, experimental_config=None, execution_trace_observer=None, acc_events=False,
                 custom_trace_id_callback=None, post_processing_timeout_s=None):
        self.activities = set(activities) if activities else supported_activities()
        self.record_shapes = record_shapes
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.experimental_config = experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.profiler = None
        self.preset_metadata = {}
        self._members = []  # of the trace: names, and values as JSON
        self.use_device = "cuda" if ProfilerActivity.CUDA in self.activities else None

    def _prepared(self, before):
        """The profile that records; there is one from prepare_trace on."""
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {before}")
        return self.profiler

    def start(self):
        self.prepare_trace()
        self.start_trace()

    def stop(self):
        self.stop_trace()

    def prepare_trace(self):
        if not (self.acc_events and self.profiler):
            told = {name: getattr(self, name) for name in _HANDED_ON}
            self.profiler = prof.profile(use_kineto=True, use_cpu=ProfilerActivity.CPU in self.activities, **told)
        self.profiler._prepare()

    def start_trace(self):
        recorder = self._prepared("starting trace")
        self._members = [*self.preset_metadata.items()]
        recorder._start_trace()

    def stop_trace(self):
        self._prepared("stopping trace").__exit__(None, None, None)

    def export_chrome_trace(self, path):
        """Writes Chrome's trace format; compressed if the path ends with .gz."""
        recorder = self._prepared("exporting chrome trace")
        if not os.fspath(path).endswith(".gz"):
            return recorder.export_chrome_trace(path, self._members)
        with tempfile.NamedTemporaryFile("rb", suffix=".json") as plain, gzip.open(path, "wb") as packed:
            recorder.export_chrome_trace(plain.name, self._members)
            shutil.copyfileobj(plain, packed)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes stacks with their time, for flame graphs."""
        return self._prepared("exporting stacks").export_stacks(path, metric)

    def export_memory_timeline(self, path, device=None):
        if not (self.record_shapes and self.profile_memory and self.with_stack):
            raise ValueError("record_shapes=True, profile_memory=True, with_stack=True required for memory profiling.")
        raise NotImplementedError("export_memory_timeline: memory is not told apart by category (parameters, gradients, ...); "
                                  "export_chrome_trace has every allocation with its line")

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False, group_by=None):
        by = (group_by_input_shape, group_by_stack_n, group_by_overload_name, group_by)
        return self._prepared("getting key averages").key_averages(*by)

    key_averages.__doc__ = prof.EventList.key_averages.__doc__

    def events(self):
        """The events, in the order in which they began."""
        return self._prepared("accessing events").function_events

    def add_metadata(self, key, value):
        """A member of the trace that is a text."""
        self.add_metadata_json(key, json.dumps(value))

    def add_metadata_json(self, key, value):
        """A member of the trace that is JSON."""
        self._members.append((key, value))

    def preset_metadata_json(self, key, value):
        """The same of the traces that begin from now on."""
        self.preset_metadata[key] = value

    def get_trace_id(self):
        return None if self.profiler is None else self.profiler.trace_id

    def set_custom_trace_id_callback(self, callback):
        self.custom_trace_id_callback = callback

    def toggle_collection_dynamic(self, enable, activities):
        return self.profiler and self.profiler.toggle_collection_dynamic(enable, activities)

    def _memory_profile(self):
        self.export_memory_timeline(None)


class ExecutionTraceObserver:
    """Writes graphs of what was executed in PyTorch; here a profile is what there is."""

    def __init__(self):
        raise NotImplementedError("ExecutionTraceObserver: graphs of execution are not recorded; export_chrome_trace has the "
                                  "calls, with their shapes and dtypes")


_NONE, _WARMUP, _RECORD, _SAVE = _ACTIONS = tuple(ProfilerAction)

# How far a recorder is brought for an action, and the methods that bring it from each state to the next.
_STATE = {_NONE: 0, _WARMUP: 1, _RECORD: 2, _SAVE: 2}
_BRINGS = ("prepare_trace", "start_trace")


def _change(before, now):
    """What a profile does as it goes from one action to another, None: to its end. Methods; and where a schedule stops in the
    middle of a cycle, whose events nobody asked for then, a warning."""
    state, target, ends = _STATE[before], _STATE.get(now, 0), []
    if before is _SAVE or (before is _RECORD and now is None):
        state, ends = 0, ["stop_trace", "_report"]
    elif target < state:
        told = [] if now is None else [f"Incorrect schedule: {before.name} followed by {now.name}"]
        return [*told, *_BRINGS[state:], "stop_trace"]  # only what was started can be stopped
    return [*ends, *_BRINGS[state:target]]


_CHANGES = {(before, now): _change(before, now) for before in _ACTIONS for now in (*_ACTIONS, None)}


class profile(_KinetoProfile):
    """Records what runs inside `with profile() as p:`. With a schedule, p.step() at the end of each step goes from one action to
    the next, and on_trace_ready(p) is called at the end of each cycle. docs/profiler.md has examples."""

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, with_modules=False, experimental_config=None, execution_trace_observer=None,
                 acc_events=False, use_cuda=None, custom_trace_id_callback=None, post_processing_timeout_s=None):
        asked = set(activities) if activities else supported_activities()
        if use_cuda is not None:
            warn("`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, 2)
            if use_cuda:
                asked.add(ProfilerActivity.CUDA)
            else:
                asked.discard(ProfilerActivity.CUDA)
        if not asked:
            raise AssertionError("No valid profiler activities found")
        super().__init__(activities=asked, record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
                         with_flops=with_flops, with_modules=with_modules, experimental_config=experimental_config,
                         execution_trace_observer=execution_trace_observer, acc_events=acc_events,
                         custom_trace_id_callback=custom_trace_id_callback, post_processing_timeout_s=post_processing_timeout_s)
        self.schedule = schedule or _record_always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(self.step_num)
        self.step_rec_fn = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.stop()

    def start(self):
        self._change_to(self.current_action, ProfilerAction.NONE)
        self._name_step()

    def stop(self):
        self._end_step()
        self._change_to(None, self.current_action)

    def step(self):
        """The next step begins."""
        self._end_step()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        self._change_to(self.current_action, before)
        self._name_step()

    def _name_step(self):
        """With a schedule, each step is an event."""
        if self.record_steps:
            self.step_rec_fn = prof.record_function(f"ProfilerStep#{self.step_num}").__enter__()

    def _end_step(self):
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)

    def _report(self):
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def _change_to(self, now, before):
        for what in _CHANGES[before, now]:
            if " " in what:
                warn(what, stacklevel=3)
            else:
                getattr(self, what)()


__getattr__ = private_names(__name__, globals(), _missing.of(__name__))
