"""karat.autograd.profiler_util: the events of a profile, what they sum up to, and the table."""

import enum
import json
from collections import namedtuple
from operator import attrgetter

from .. import _missing

MEMORY_EVENT_NAME = "[memory]"
OUT_OF_MEMORY_EVENT_NAME = "[OutOfMemory]"

Kernel = namedtuple("Kernel", ["name", "device", "duration"])


class DeviceType(enum.Enum):
    """The kinds of devices, as PyTorch numbers them."""

    CPU = 0
    CUDA = 1
    MKLDNN = 2
    XLA = 9
    XPU = 12
    MPS = 13
    Meta = 14
    HPU = 15
    MTIA = 19
    PrivateUse1 = 20

    def __repr__(self):
        return f"<DeviceType.{self.name}: {self.value}>"


# ---- texts ----


def _format_time(time_us):
    for unit, least in (("s", 1e6), ("ms", 1e3)):
        if time_us >= least:
            return f"{time_us / least:.3f}{unit}"
    return f"{time_us:.3f}us"


def _format_time_share(time_us, total_time_us):
    if total_time_us == 0:
        return "NaN"
    return f"{time_us * 100.0 / total_time_us:.2f}%"


def _format_memory(nbytes):
    for unit, least in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= least:
            return f"{nbytes * 1.0 / least:.2f} {unit}"
    return f"{nbytes} B"


def _attr_formatter(name):
    return property(lambda self: _format_time(getattr(self, name)))


_HIDDEN = {MEMORY_EVENT_NAME, OUT_OF_MEMORY_EVENT_NAME, "profiler::_record_function_enter",
           "profiler::_record_function_enter_new", "profiler::_record_function_exit", "aten::is_leaf", "aten::output_nr",
           "aten::_version"}


def _filter_name(name):
    """Is it no event of the program?"""
    return name in _HIDDEN


def _rewrite_name(name, with_wildcard=False):
    return "ProfilerStep*" if with_wildcard and name.startswith("ProfilerStep#") else name


def _filter_stack_entry(entry):
    return True


class FormattedTimesMixin:
    """Averages, and times as text."""

    cpu_time_str = _attr_formatter("cpu_time")
    cpu_time_total_str = _attr_formatter("cpu_time_total")
    self_cpu_time_total_str = _attr_formatter("self_cpu_time_total")
    device_time_str = _attr_formatter("device_time")
    device_time_total_str = _attr_formatter("device_time_total")
    self_device_time_total_str = _attr_formatter("self_device_time_total")

    @property
    def cpu_time(self):
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self):
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    @property
    def cuda_time(self):
        return self.device_time


class Interval:
    """From start to end, in microseconds."""

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        return self.end - self.start


# ---- events ----


class FunctionEvent(FormattedTimesMixin):
    """One event of a profile. Beyond PyTorch's attributes: dtype and input_dtypes (names), file and line of the call, module (the
    path of the module that was called), failed, and of conversions that kernels made as they read their operands: conversions
    (how many), conversion_bytes, conversion_time (us). ran is a list of (kernel, where, us) of the kernels that the event ran
    itself."""

    def __init__(self, id, name, thread, start_us, end_us, overload_name=None, fwd_thread=None, input_shapes=None, stack=None,
                 scope=0, use_device=None, cpu_memory_usage=0, device_memory_usage=0, is_async=False, is_remote=False,
                 sequence_nr=-1, node_id=-1, device_type=DeviceType.CPU, device_index=0, device_resource_id=None, is_legacy=False,
                 flops=None, trace_name=None, concrete_inputs=None, kwinputs=None, is_user_annotation=False, metadata_json=None):
        self.id = id
        self.node_id = node_id
        self.name = name
        self.overload_name = overload_name
        self.trace_name = trace_name
        self.time_range = Interval(start_us, end_us)
        self.thread = thread
        self.fwd_thread = fwd_thread
        self.kernels = []
        self.count = 1
        self.cpu_children = []
        self.cpu_parent = None
        self.input_shapes = input_shapes
        self.concrete_inputs = concrete_inputs
        self.kwinputs = kwinputs
        self.stack = stack
        self.scope = scope
        self.use_device = use_device
        self.cpu_memory_usage = cpu_memory_usage
        self.device_memory_usage = device_memory_usage
        self.is_async = is_async
        self.is_remote = is_remote
        self.sequence_nr = sequence_nr
        self.device_type = device_type
        self.device_index = device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.is_legacy = is_legacy
        self.flops = flops
        self.is_user_annotation = is_user_annotation
        self.self_cpu_percent = -1
        self.total_cpu_percent = -1
        self.total_device_percent = -1
        self.metadata_json = metadata_json
        self.dtype = ""
        self.input_dtypes = []
        self.file = None
        self.line = 0
        self.module = None
        self.failed = False
        self.conversions = 0
        self.conversion_bytes = 0
        self.conversion_time = 0.0
        self.ran = []

    def append_kernel(self, name, device, duration):
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child):
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent):
        self.cpu_parent = parent

    @property
    def key(self):
        return self.name

    @property
    def cpu_time_total(self):
        return self.time_range.elapsed_us() if self.device_type == DeviceType.CPU else 0

    @property
    def self_cpu_time_total(self):
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self):
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self):
        return self.device_memory_usage - sum(child.device_memory_usage for child in self.cpu_children)

    @property
    def device_time_total(self):
        return sum(kernel.duration for kernel in self.kernels) + sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_device_time_total(self):
        return self.device_time_total - sum(child.device_time_total for child in self.cpu_children)

    cuda_time_total = device_time_total
    self_cuda_time_total = self_device_time_total
    self_cuda_memory_usage = self_device_memory_usage

    def __repr__(self):
        device = self.use_device
        return (f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
                f"device_type=DeviceType.{self.device_type.name} node_id={self.node_id} cpu_time={self.cpu_time_str} "
                f"start_us={self.time_range.start} end_us={self.time_range.end} "
                f"cpu_children={[child.id for child in self.cpu_children]} {device}_time={self.device_time_str} name={self.name} "
                f"thread={self.thread} input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
                f"{device}_memory_usage={self.device_memory_usage} is_async={self.is_async} is_remote={self.is_remote} "
                f"seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>")


class FunctionEventAvg(FormattedTimesMixin):
    """The sum of events with one key."""

    _SUMS = ("cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage",
             "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count", "conversions",
             "conversion_bytes", "conversion_time")

    def __init__(self):
        self.key = None
        self.count = 0
        self.node_id = 0
        self.is_async = False
        self.is_remote = False
        self.use_device = None
        self.cpu_time_total = 0
        self.device_time_total = 0
        self.self_cpu_time_total = 0
        self.self_device_time_total = 0
        self.input_shapes = None
        self.overload_name = None
        self.stack = None
        self.scope = None
        self.cpu_memory_usage = 0
        self.device_memory_usage = 0
        self.self_cpu_memory_usage = 0
        self.self_device_memory_usage = 0
        self.cpu_children = None
        self.cpu_parent = None
        self.device_type = DeviceType.CPU
        self.is_legacy = False
        self.flops = 0
        self.dtype = None
        self.conversions = 0
        self.conversion_bytes = 0
        self.conversion_time = 0.0
        self.ran = {}
        self.line = None
        self.module = None

    def _begin(self, event):
        self.key = event.key
        for name in ("node_id", "is_async", "is_remote", "use_device", "cpu_parent", "cpu_children", "overload_name",
                     "input_shapes", "stack", "scope", "device_type", "is_legacy", "is_user_annotation", "dtype", "module"):
            setattr(self, name, getattr(event, name, None))
        self.line = _line_of(event) if isinstance(event, FunctionEvent) else event.line

    def _add_kernels(self, other):
        ran = other.ran if isinstance(other, FunctionEvent) else [(*which, *sums) for which, sums in other.ran.items()]
        for name, where, time, *count in ran:
            sums = self.ran.setdefault((name, where), [0.0, 0])
            sums[0] += time
            sums[1] += count[0] if count else 1

    def add(self, other):
        if self.key is None:
            self._begin(other)
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError(f"Expected other to be a FunctionEvent or FunctionEventAvg, but got {type(other)}")
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in self._SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops = (self.flops or 0) + (other.flops or 0)
        if other.dtype != self.dtype:
            self.dtype = "mixed" if self.dtype and other.dtype else self.dtype or other.dtype
        self._add_kernels(other)
        return self

    def __iadd__(self, other):
        return self.add(other)

    def __repr__(self):
        device = self.use_device or "cuda"
        return (f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str}  "
                f"self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
                f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage} "
                f"{device}_memory_usage={self.device_memory_usage}>")


def _line_of(event):
    return f"{event.file.rpartition('/')[2]}:{event.line}" if event.file else ""


def _parent_key(event, of):
    return of(event.cpu_parent) if event.cpu_parent is not None else None


# What group_by= takes: the key of an event.
_GROUPS = {
    "line": lambda event: _line_of(event) or "(no line)",
    "module": lambda event: event.module if event.module is not None else "(no module)",
    "dtype": lambda event: event.dtype or "(no dtype)",
}


class EventList(list):
    """A list of events; key_averages gives one of sums."""

    def __init__(self, *args, use_device=None, profile_memory=False, with_flops=False, **kwargs):
        super().__init__(*args, **kwargs)
        self._use_device = use_device
        self._profile_memory = profile_memory
        self._tree_built = False
        self._with_flops = with_flops
        self._grouped = None

    def _build_tree(self):
        """Finds what is inside what, thread by thread."""
        for event in self:
            event.cpu_children, event.cpu_parent = [], None
        for thread in {event.thread for event in self}:
            inside = []
            for event in sorted((e for e in self if e.thread == thread), key=lambda e: (e.time_range.start, -e.time_range.end)):
                while inside and event.time_range.end > inside[-1].time_range.end:
                    inside.pop()
                if inside:
                    inside[-1].append_cpu_child(event)
                    event.set_cpu_parent(inside[-1])
                inside.append(event)
        self._tree_built = True

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def __str__(self):
        return self.table()

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80,
              header=None, top_level_events_only=False, time_unit=None, columns=()):
        """The events as text, in PyTorch's layout. columns: more of them: "dtype", "conversions", "kernels", "line", "module"."""
        return _build_table(self, sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width,
                            header, self._profile_memory, self._with_flops, top_level_events_only, time_unit, columns)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False, group_by=None):
        """The sums of events of one name, and on request of one list of input shapes, of one stack. group_by: "line", "module" or
        "dtype": the sums of all events of one line of the program, one module or one dtype."""
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages")
        if group_by is not None:
            return self._grouped_by(group_by)
        found = {}
        for event in self:
            key = [event.key, event.node_id, event.device_type, event.is_legacy, event.is_user_annotation]
            if group_by_overload_name:
                key.append(event.overload_name)
            if group_by_input_shapes:
                key.append(str(event.input_shapes))
            if group_by_stack_n > 0:
                key.extend(event.stack[:group_by_stack_n])
            found.setdefault(tuple(key), FunctionEventAvg()).add(event)
        averages = self._list_of(found.values())
        for one in averages:
            one.stack = one.stack[:group_by_stack_n]
            one.input_shapes = one.input_shapes if group_by_input_shapes else ""
            one.overload_name = one.overload_name if group_by_overload_name else ""
        return averages

    def _list_of(self, averages):
        return EventList(averages, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops)

    def _grouped_by(self, what):
        of = _GROUPS.get(what)
        if of is None:
            raise ValueError(f"group_by should be one of: {list(_GROUPS)}, got {what!r}")
        found = {}
        for event in self:
            key = of(event)
            if key not in found:
                found[key] = one = FunctionEventAvg()
                one._begin(event)
                one.key, one.input_shapes, one.overload_name, one.stack = key, "", "", []
                if what == "line":
                    one.line = key
            one = found[key]
            outermost = _parent_key(event, of) != key  # what is inside one of the same group is counted there
            for name in FunctionEventAvg._SUMS:
                if outermost or name.startswith("self_") or name.startswith("conversion"):
                    setattr(one, name, getattr(one, name) + getattr(event, name))
            one.flops += event.flops or 0
            if event.dtype != one.dtype:
                one.dtype = "mixed" if one.dtype and event.dtype else one.dtype or event.dtype
            one._add_kernels(event)
        averages = self._list_of(found.values())
        averages._grouped = what
        return averages

    def total_average(self):
        """The sum of all events."""
        total = FunctionEventAvg()
        for event in self:
            total.key = event.key if total.key is None else total.key
            if total.count == 0:
                total._begin(event)
            total.key = event.key
            total += event
        total.key = "Total"
        return total

    def supported_export_stacks_metrics(self):
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def export_stacks(self, path, metric):
        """Writes stacks with their time, a line each: what flame graphs are made of."""
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError(f"metric should be one of: {self.supported_export_stacks_metrics()}")
        blanks = str.maketrans(" ;\t\n", "____")
        attribute = metric if metric == "self_cpu_time_total" else "self_device_time_total"
        with open(path, "w") as file:
            for event in self:
                if event.stack and int(getattr(event, attribute)) > 0:
                    lines = ";".join(entry.translate(blanks) for entry in reversed(event.stack))
                    file.write(f"{lines} {int(getattr(event, attribute))}\n")

    def export_chrome_trace(self, path):
        """Writes the events in Chrome's trace format."""
        lines = [{"name": event.trace_name or event.name, "ph": "X", "ts": event.time_range.start,
                  "dur": event.time_range.elapsed_us(), "tid": event.thread, "pid": "CPU functions", "args": {}}
                 for event in self]
        with open(path, "w") as file:
            json.dump(lines, file)


# ---- the table ----

_SHORTEST_UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs", "EFLOPs", "ZFLOPs", "YFLOPs")
_WIDTH = 12


def _width(values, most):
    return min(max((len(value) for value in values), default=0) + 4, most)


def _cut_name(name, most):
    return name[:most - 3] + "..." if most is not None and len(name) >= most - 3 else name


def _cut_path(path, most):
    return "..." + path[len(path) - (most - 3):] if len(path) > most else path


def _kernels_text(event):
    ran = event.ran if isinstance(event, FunctionEventAvg) else {(name, where): [time, 1] for name, where, time in event.ran}
    most = sorted(ran.items(), key=lambda item: -item[1][0])
    return ", ".join(f"{name} on {where}" for (name, where), _ in most[:2]) + (", ..." if len(most) > 2 else "")


# More columns, by the name that columns= takes: (header, text of an event).
_MORE = {
    "dtype": (("dtype", lambda event: event.dtype or "--"),),
    "conversions": (("Conversions", lambda event: str(event.conversions)),
                    ("Converted", lambda event: _format_memory(event.conversion_bytes)),
                    ("Conv. time", lambda event: _format_time(event.conversion_time))),
    "kernels": (("Kernels", lambda event: _kernels_text(event) or "--"),),
    "line": (("Line", lambda event: (event.line if isinstance(event, FunctionEventAvg) else _line_of(event)) or "--"),),
    "module": (("Module", lambda event: "--" if event.module is None else event.module or "(root)"),),
}


def _more_columns(columns):
    found = []
    for name in (columns,) if isinstance(columns, str) else columns:
        if name not in _MORE:
            raise ValueError(f"columns should be of: {list(_MORE)}, got {name!r}")
        found += _MORE[name]
    return found


def _build_table(events, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55,
                 max_shapes_column_width=80, header=None, profile_memory=False, with_flops=False, top_level_events_only=False,
                 time_unit=None, columns=()):
    if len(events) == 0:
        return ""

    def time_text(us):
        return _format_time(us) if time_unit is None else f"{us / _SHORTEST_UNITS[time_unit]:.3f}{time_unit}"

    if sort_by is not None:
        events = EventList(sorted(events, key=attrgetter(sort_by), reverse=True))
    name_width = _width([event.key for event in events], max_name_column_width)
    shapes_width = _width([str(event.input_shapes) for event in events], max_shapes_column_width)
    shaped = any(event.input_shapes is not None and len(event.input_shapes) > 0 for event in events)
    sources = [entry for event in events if event.stack for entry in event.stack]
    source_width = _width(sources, max_src_column_width)
    nodes = any(event.node_id != -1 for event in events)
    more = _more_columns(columns)
    total = sum(event.self_cpu_time_total for event in events if event.device_type == DeviceType.CPU and event.is_legacy is False)
    flops = [event.flops for event in events if event.flops] if with_flops else []
    scale = 0
    while flops and scale + 1 < len(_FLOPS) and min(flops) >= 1000 ** (scale + 1):
        scale += 1

    # each: header, width, alignment, text of an event
    table = [("Name", name_width, ">", lambda e: _cut_name(e.key, max_name_column_width)),
             ("Self CPU %", _WIDTH, ">", lambda e: _format_time_share(e.self_cpu_time_total, total)),
             ("Self CPU", _WIDTH, ">", lambda e: time_text(e.self_cpu_time_total)),
             ("CPU total %", _WIDTH, ">", lambda e: "0" if e.is_async else _format_time_share(e.cpu_time_total, total)),
             ("CPU total", _WIDTH, ">", lambda e: time_text(e.cpu_time_total)),
             ("CPU time avg", _WIDTH, ">", lambda e: time_text(e.cpu_time))]
    if profile_memory:
        table += [("CPU Mem", _WIDTH, ">", lambda e: _format_memory(e.cpu_memory_usage)),
                  ("Self CPU Mem", _WIDTH, ">", lambda e: _format_memory(e.self_cpu_memory_usage))]
    table.append(("# of Calls", _WIDTH, ">", lambda e: e.count))
    if nodes:
        table.append(("Node ID", _WIDTH, ">", lambda e: e.node_id))
    if shaped:
        table.append(("Input Shapes", shapes_width, ">", lambda e: str(e.input_shapes)[:max_shapes_column_width]))
    for title, text in more:
        table.append((title, max([_WIDTH] + [len(text(e)) for e in events]), ">", text))
    source_at = len(table)
    if sources:
        table.append(("Source Location", source_width, "<",
                      lambda e: _cut_path(e.stack[0], source_width) if e.stack else ""))
    if with_flops:
        table.append((f"Total {_FLOPS[scale]}", _WIDTH, ">",
                      lambda e: f"{e.flops / 1000 ** scale:8.3f}" if e.flops and e.flops > 0 else "--"))

    def row(values):
        return "".join(f"{value: {align}{width}}  " for value, (_, width, align, _) in zip(values, table)) + "\n"

    line = "".join("-" * width + "  " for _, width, _, _ in table) + "\n"
    length = len(line) - 3
    lines = []
    if header is not None:
        lines += ["=" * length + "\n", f"{header}\n"]
    if top_level_events_only:
        lines += ["=" * length + "\n", "This report only display top-level ops statistics\n"]
    lines += [line, row([title for title, _, _, _ in table]), line]
    shown = 0
    for event in events:
        if shown == row_limit:
            break
        if top_level_events_only and event.cpu_parent is not None:
            continue
        shown += 1
        lines.append(row([text(event) for _, _, _, text in table]))
        if sources:
            for entry in [*event.stack[1:], ""]:
                values = [""] * len(table)
                values[source_at] = _cut_path(entry, source_width)
                lines.append(row(values))
    lines += [line, f"Self CPU time total: {time_text(total)}\n"]
    return "".join(lines)


__getattr__ = _missing.of(__name__)
