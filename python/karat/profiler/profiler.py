"""karat.profiler.profiler: profile with a schedule."""

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

    def schedule_fn(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        cycle = wait + warmup + active
        if repeat > 0 and step / cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
                             f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0).")
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    return schedule_fn


def _default_schedule_fn(_):
    return ProfilerAction.RECORD


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """For on_trace_ready: writes dir_name/<worker>.<time>.pt.trace.json, which TensorBoard's plugin finds."""

    def handler_fn(profile):
        if not os.path.isdir(dir_name):
            try:
                os.makedirs(dir_name, exist_ok=True)
            except Exception as e:
                raise RuntimeError("Can't create directory: " + dir_name) from e
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        profile.export_chrome_trace(os.path.join(dir_name, name))

    return handler_fn


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
        self._metadata = []
        self.use_device = None
        if ProfilerActivity.CUDA in self.activities:
            self.use_device = "cuda"

    def start(self):
        self.prepare_trace()
        self.start_trace()

    def stop(self):
        self.stop_trace()

    def prepare_trace(self):
        if self.profiler is None or not self.acc_events:
            self.profiler = prof.profile(use_cpu=ProfilerActivity.CPU in self.activities, use_device=self.use_device,
                                         record_shapes=self.record_shapes, with_flops=self.with_flops,
                                         profile_memory=self.profile_memory, with_stack=self.with_stack,
                                         with_modules=self.with_modules, use_kineto=True,
                                         experimental_config=self.experimental_config, acc_events=self.acc_events,
                                         custom_trace_id_callback=self.custom_trace_id_callback)
        self.profiler._prepare_trace()

    def start_trace(self):
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before starting trace")
        self._metadata = [(key, value) for key, value in self.preset_metadata.items()]
        self.profiler._start_trace()

    def stop_trace(self):
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before stopping trace")
        self.profiler.__exit__(None, None, None)

    def export_chrome_trace(self, path):
        """Writes Chrome's trace format; compressed if the path ends with .gz."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before exporting chrome trace")
        if not os.fspath(path).endswith(".gz"):
            return self.profiler.export_chrome_trace(path, self._metadata)
        with tempfile.NamedTemporaryFile("rb", suffix=".json") as plain, gzip.open(path, "wb") as packed:
            self.profiler.export_chrome_trace(plain.name, self._metadata)
            shutil.copyfileobj(plain, packed)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes stacks with their time, for flame graphs."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before exporting stacks")
        return self.profiler.export_stacks(path, metric)

    def export_memory_timeline(self, path, device=None):
        if not (self.record_shapes and self.profile_memory and self.with_stack):
            raise ValueError("record_shapes=True, profile_memory=True, with_stack=True required for memory profiling.")
        raise NotImplementedError("export_memory_timeline: memory is not told apart by category (parameters, gradients, ...); "
                                  "export_chrome_trace has every allocation with its line")

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False, group_by=None):
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before getting key averages")
        return self.profiler.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name, group_by)

    key_averages.__doc__ = prof.EventList.key_averages.__doc__

    def events(self):
        """The events, in the order in which they began."""
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before accessing events")
        return self.profiler.function_events

    def add_metadata(self, key, value):
        """A member of the trace that is a text."""
        self._metadata.append((key, json.dumps(value)))

    def add_metadata_json(self, key, value):
        """A member of the trace that is JSON."""
        self._metadata.append((key, value))

    def preset_metadata_json(self, key, value):
        """The same of the traces that begin from now on."""
        self.preset_metadata[key] = value

    def get_trace_id(self):
        return None if self.profiler is None else self.profiler.trace_id

    def set_custom_trace_id_callback(self, callback):
        self.custom_trace_id_callback = callback

    def toggle_collection_dynamic(self, enable, activities):
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def _memory_profile(self):
        self.export_memory_timeline(None)


class ExecutionTraceObserver:
    """Writes graphs of what was executed in PyTorch; here a profile is what there is."""

    def __init__(self):
        raise NotImplementedError("ExecutionTraceObserver: graphs of execution are not recorded; export_chrome_trace has the "
                                  "calls, with their shapes and dtypes")


_NONE, _WARMUP, _RECORD, _SAVE = ProfilerAction


# What is done where one action follows another; None: the profile ends.
_TRANSITIONS = {
    (_NONE, _NONE): [],
    (_NONE, _WARMUP): ["prepare_trace"],
    (_NONE, _RECORD): ["prepare_trace", "start_trace"],
    (_NONE, _SAVE): ["prepare_trace", "start_trace"],
    (_WARMUP, _NONE): ["Incorrect schedule: WARMUP followed by NONE", "start_trace", "stop_trace"],
    (_WARMUP, _WARMUP): [],
    (_WARMUP, _RECORD): ["start_trace"],
    (_WARMUP, _SAVE): ["start_trace"],
    (_RECORD, _NONE): ["Incorrect schedule: RECORD followed by NONE", "stop_trace"],
    (_RECORD, _WARMUP): ["Incorrect schedule: RECORD followed by WARMUP", "stop_trace"],
    (_RECORD, _RECORD): [],
    (_RECORD, _SAVE): [],
    (_SAVE, _NONE): ["stop_trace", "_trace_ready"],
    (_SAVE, _WARMUP): ["stop_trace", "_trace_ready", "prepare_trace"],
    (_SAVE, _RECORD): ["stop_trace", "_trace_ready", "prepare_trace", "start_trace"],
    (_SAVE, _SAVE): ["stop_trace", "_trace_ready", "prepare_trace", "start_trace"],
    (_NONE, None): [],
    (_WARMUP, None): ["start_trace", "stop_trace"],
    (_RECORD, None): ["stop_trace", "_trace_ready"],
    (_SAVE, None): ["stop_trace", "_trace_ready"],
}


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
        self.schedule = schedule or _default_schedule_fn
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
        self._transit_action(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self):
        self._end_step()
        self._transit_action(self.current_action, None)

    def step(self):
        """The next step begins."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._transit_action(before, self.current_action)
        self._begin_step()

    def _begin_step(self):
        if self.record_steps:
            self.step_rec_fn = prof.record_function("ProfilerStep#" + str(self.step_num))
            self.step_rec_fn.__enter__()

    def _end_step(self):
        if self.record_steps and self.step_rec_fn:
            self.step_rec_fn.__exit__(None, None, None)

    def _trace_ready(self):
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def _transit_action(self, before, now):
        for what in _TRANSITIONS[before, now]:
            if " " in what:
                warn(what, stacklevel=4)
            else:
                getattr(self, what)()


__getattr__ = _missing.of(__name__)
