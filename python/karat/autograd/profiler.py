"""karat.autograd.profiler: profile and record_function.

The engine records (karat/profiler.h); here its events become FunctionEvents.
"""

import bisect
import functools
import json
import os
import sys
import uuid
from warnings import warn

from .. import _karat, _missing
from ..modes import inside
from .profiler_util import (  # noqa: F401
    MEMORY_EVENT_NAME,
    OUT_OF_MEMORY_EVENT_NAME,
    DeviceType,
    EventList,
    FunctionEvent,
    FunctionEventAvg,
    _shown_name,
)

_is_profiler_enabled = False  # PyTorch's name; libraries read it


def _set_is_profiler_enabled(enable):
    global _is_profiler_enabled
    _is_profiler_enabled = enable


def kineto_available():
    """Chrome traces can be written."""
    return True


class _ExperimentalConfig:
    """Of PyTorch's settings, profile_all_threads: also the calls of other threads are recorded. The others change nothing."""

    def __init__(self, profiler_metrics=(), profiler_measure_per_kernel=False, verbose=False, performance_events=(),
                 enable_cuda_sync_events=False, adjust_profiler_step=False, disable_external_correlation=False,
                 profile_all_threads=False, capture_overload_names=False, record_python_gc_info=False,
                 expose_kineto_event_metadata=False, custom_profiler_config="", adjust_timestamps=False):
        self.profile_all_threads = bool(profile_all_threads)
        self.verbose = bool(verbose)


# ---- a profile of the engine as events ----

_OF_THE_PROGRAM = ("cpu_op", "inner", "conversion", "node", "formula", "user_annotation", "read")
_SCOPES = {"formula": 1, "user_annotation": 7}


class _Converter:
    """One pass over the engine's events, which come after those that they are inside of."""

    def __init__(self, profile, options):
        self.options = options
        self.begin = profile.span[0]
        self.paths = _module_paths(profile.modules)
        self.made = []      # by the engine's number: the FunctionEvent, or None
        self.around = []    # by the engine's number: the FunctionEvent that it is, or is inside of
        self.module = []    # by the engine's number: the path of the module's call that it is inside of
        self.found = []
        self.recorded = []  # numbers on the tape of calls that were recorded, and in which modules
        self.recorded_in = []
        self.threads = {}   # as PyTorch numbers them
        self.lines = {}     # of stacks, by the engine's number
        for event in profile.events():
            self.take(*event)

    def take(self, kind, name, parent, begin, end, thread, failed, file, line, category, stack, inputs, dtype, sequence, module,
             where, nbytes, why, flops, address, device, index):
        outer = self.around[parent] if parent >= 0 else None
        path = self.module[parent] if parent >= 0 else None
        time = (end - begin) / 1000
        event = None
        if kind == "module":
            path = self.paths.get(module, path)
        elif kind == "kernel":
            if outer is not None:
                outer.ran.append((name, where, time))
        elif kind == "memory":
            event = self.memory(outer, begin, thread, nbytes, device)
        elif kind in _OF_THE_PROGRAM:
            if kind == "node":
                path = self.module_of(sequence, path)
            elif kind == "cpu_op" and sequence >= 0:
                self.recorded.append(sequence)
                self.recorded_in.append(path)
            event = self.event(kind, name, begin, end, thread, stack, inputs, sequence, flops)
            event.dtype, event.file, event.line, event.failed, event.module = dtype, file, line, bool(failed), path
            if outer is not None:
                outer.append_cpu_child(event)
                event.set_cpu_parent(outer)
            if kind == "conversion" and outer is not None:
                outer.conversions += 1
                outer.conversion_bytes += nbytes
                outer.conversion_time += time
        if event is not None:
            self.found.append(event)
        self.around.append(outer if event is None else event)
        self.module.append(path)

    def event(self, kind, name, begin, end, thread, stack, inputs, sequence, flops):
        shapes, dtypes = inputs
        event = FunctionEvent(id=len(self.found) + 1, name=_shown_name(name), trace_name=name,
                              overload_name="", thread=self.threads.setdefault(thread, len(self.threads) + 1),
                              start_us=(begin - self.begin) / 1000,
                              end_us=(end - self.begin) / 1000, fwd_thread=1 if kind in ("node", "formula") else 0,
                              input_shapes=shapes if self.options["record_shapes"] else [], concrete_inputs=[], kwinputs={},
                              stack=[self.line(one) for one in stack], scope=_SCOPES.get(kind, 0), sequence_nr=sequence,
                              device_index=thread,
                              device_resource_id=thread, flops=flops if self.options["with_flops"] else 0,
                              is_user_annotation=kind == "user_annotation", metadata_json="")
        event.input_dtypes = dtypes
        return event

    def module_of(self, sequence, path):
        """A call may record several nodes; its number is that of the last."""
        at = bisect.bisect_left(self.recorded, sequence) if sequence >= 0 else len(self.recorded)
        return self.recorded_in[at] if at < len(self.recorded) else path

    def line(self, number):
        """As PyTorch writes a line of a stack."""
        text = self.lines.get(number)
        if text is None:
            file, line, function = _karat.site_line(number)
            text = self.lines[number] = f"{_short_path(file)}({line})" + (f": {function}" if function else "")
        return text

    def memory(self, outer, begin, thread, nbytes, device):
        """Adds to the calls that it happened in; the event itself, if it happened in none."""
        on_cpu = device == "cpu"
        event = self.event("memory", MEMORY_EVENT_NAME, begin, begin, thread, [], ([], []), -1, 0) if outer is None else None
        for one in [event] if outer is None else _outwards(outer):
            if on_cpu:
                one.cpu_memory_usage += nbytes
            else:
                one.device_memory_usage += nbytes
        return event


def _outwards(event):
    while event is not None:
        yield event
        event = event.cpu_parent


def _short_path(path):
    """From the folder on that Python found it in."""
    folders = [os.path.abspath(folder) + os.sep for folder in sys.path if isinstance(folder, str)]
    return path[max((len(folder) for folder in folders if path.startswith(folder)), default=0):]


def _module_paths(modules):
    """By id: the path of each module from the outermost one that has it; "" is that one itself."""
    paths, inner = {}, set()
    for module in (modules or {}).values():
        inner.update(id(child) for child in module.modules() if child is not module)
    for key, module in (modules or {}).items():
        if key not in inner:
            for path, one in module.named_modules():
                paths.setdefault(id(one), path)
    return paths


# ---- profile ----


def _of_its_events(name):
    """A method of the list of events as one of the profile that has recorded them."""
    method = getattr(EventList, name)

    @functools.wraps(method)
    def of_events(self, *args, **kwargs):
        return method(self._events, *args, **kwargs)

    return of_events


class profile:
    """Records what runs inside `with profile() as p:`; p.key_averages() sums it up and p.table() shows it.

    record_shapes, with_stack, with_modules, with_flops and profile_memory say what is kept of each event. Calls of the thread
    that enters it are recorded; of all threads with experimental_config=_ExperimentalConfig(profile_all_threads=True)."""

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False, with_flops=False,
                 profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True,
                 experimental_config=None, acc_events=False,
                 custom_trace_id_callback=None, post_processing_timeout_s=None):
        self.enabled = enabled
        if not self.enabled:
            return
        self.use_cuda = use_cuda
        if self.use_cuda:
            warn("The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.", FutureWarning,
                 stacklevel=2)
            self.use_device = "cuda"
        else:
            self.use_device = use_device
        self.entered = False
        self.record_shapes = record_shapes or with_flops
        self.with_flops = with_flops
        self.acc_events = acc_events
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.profile_memory = profile_memory
        self.use_cpu = use_cpu
        if experimental_config is None:
            experimental_config = _ExperimentalConfig()
        self.experimental_config = experimental_config
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        self.trace_id = ""
        self._made = EventList(use_device=None, profile_memory=profile_memory, with_flops=with_flops)
        self._made._has_tree = True
        self._profile = None
        self._waiting = []  # profiles of the engine whose events nobody has asked for
        if not self.use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        if self.use_device is not None:
            self._check_device()
        if not self.use_cpu and self.use_device is None:
            raise AssertionError("No activities specified for the profiler")

    def _check_device(self):
        if self.use_device not in ("cuda", "xpu", "mtia", "hpu"):
            warn(f"The {self.use_device} is not a valid device option.", stacklevel=3)
            self.use_device = None
        elif self.use_device == "cuda" and not _karat.device_count("cuda"):
            warn("CUDA is not available, disabling CUDA profiling", stacklevel=3)
            self.use_cuda = False
            self.use_device = None

    def default_trace_id(self):
        return f"{uuid.uuid4().int:032X}"

    def create_trace_id(self):
        return self.custom_trace_id_callback() if self.custom_trace_id_callback else self.default_trace_id()

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._prepare()
        self._start_trace()
        return self

    def _prepare(self):
        self.entered = True
        self.trace_id = self.create_trace_id()

    def _start_trace(self):
        self.entered = True
        _karat.profiler_start(self.profile_memory, self.with_stack, self.experimental_config.profile_all_threads,
                              self.with_modules or self.with_stack)
        _set_is_profiler_enabled(True)

    def __exit__(self, exc_type, exc_val, exc_tb):
        if not self.enabled:
            return None
        _set_is_profiler_enabled(False)
        self._profile = _karat.profiler_stop()
        if self._profile.lost:
            warn(f"there was no memory for {self._profile.lost} events", stacklevel=2)
        if not self.acc_events:
            self._waiting.clear()
            self._made.clear()
        self._waiting.append(self._profile)
        return False

    @property
    def _events(self):
        options = {"record_shapes": self.record_shapes, "with_flops": self.with_flops}
        while self._waiting:
            self._made.extend(_Converter(self._waiting.pop(0), options).found)
        return self._made

    @property
    def function_events(self):
        return self._events

    def _ensure_events(self):
        if self._profile is None:
            raise RuntimeError("Profiler didn't finish running")

    def __repr__(self):
        return "<unfinished torch.autograd.profile>" if self._profile is None else repr(self._events)

    def __str__(self):
        return "<unfinished torch.autograd.profile>" if self._profile is None else str(self._events)

    table = _of_its_events("table")
    total_average = _of_its_events("total_average")

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False, group_by=None):
        return self._events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name, group_by)

    key_averages.__doc__ = EventList.key_averages.__doc__

    @property
    def self_cpu_time_total(self):
        """Of all events, in microseconds."""
        return self._events.self_cpu_time_total

    def export_chrome_trace(self, path, metadata=()):
        """Writes Chrome's trace format, which Perfetto and chrome://tracing show."""
        self._ensure_events()
        members = {"trace_id": self.trace_id, "with_stack": int(self.with_stack), "profile_memory": int(self.profile_memory),
                   "record_shapes": int(self.record_shapes), "with_flops": int(self.with_flops),
                   "with_modules": int(self.with_modules)}
        more = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in members.items()]
        more += [f"{json.dumps(key)}: {value}" for key, value in metadata]
        self._profile.write_trace(path, ",\n".join(more))

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes stacks with their time."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        return self._events.export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled, activities):
        raise NotImplementedError("toggle_collection_dynamic: a profile records from its start to its stop; use two")


class record_function:
    """A part of the program with a name: a context, or a decorator."""

    def __init__(self, name, args=None):
        self.name = name
        self.args = args
        self.run_callbacks_on_exit = True
        self.record = None

    def __enter__(self):
        if not isinstance(self.name, str):
            raise RuntimeError(f"profiler::_record_function_enter_new() Expected a value of type 'str' for argument 'name' but "
                               f"instead found type '{type(self.name).__name__}'.\nPosition: 0\nValue: {self.name!r}\n"
                               "Declaration: profiler::_record_function_enter_new(str name, str? args=None) -> "
                               "__torch__.torch.classes.profiler._RecordFunction\nCast error details: Unable to cast Python "
                               f"instance of type {type(self.name)} to C++ type '?'")
        self.record = _karat.range_begin(self.name)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        if not self.run_callbacks_on_exit:
            return
        if self.record is None:
            raise AssertionError("Expected record to be set")
        _karat.range_end(self.record)

    def __call__(self, function):
        return inside(lambda: type(self)(self.name, self.args), function)


class _Emit:
    """Ranges for another tool, which is not there: enabled, it refuses as PyTorch does without the tool."""

    _tool, _why = "", ""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes

    def __enter__(self):
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError(f"{self._tool} annotation context manager is not reentrant")
        self.entered = True
        raise RuntimeError(self._why)

    def __exit__(self, exc_type, exc_val, exc_tb):
        return False


class emit_nvtx(_Emit):
    """Ranges for NVIDIA's tools, which need a driver."""

    _tool = "NVTX"
    _why = ("Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
            "http://www.nvidia.com/Download/index.aspx")


class emit_itt(_Emit):
    """Ranges for Intel's tools."""

    _tool = "ITT"
    _why = "Can't use ITT profiler - PyTorch was compiled without ITT"


__getattr__ = _missing.of(__name__)
