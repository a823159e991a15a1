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

# Units, the largest first: (name, size).
_TIMES = (("s", 1e6), ("ms", 1e3), ("us", 1.0))
_BYTES = (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10), ("B", 1))
_FLOPS = (("PFLOPs", 1e15), ("TFLOPs", 1e12), ("GFLOPs", 1e9), ("MFLOPs", 1e6), ("KFLOPs", 1e3), ("FLOPs", 1.0))


def _unit_of(value, units):
    """The largest unit that the value reaches, or the smallest one."""
    return next((unit for unit in units if value >= unit[1]), units[-1])


def _time_text(us, unit=None):
    name, size = next((one for one in _TIMES if one[0] == unit), None) or _unit_of(us, _TIMES)
    return f"{us / size:.3f}{name}"


def _bytes_text(nbytes):
    name, size = _unit_of(abs(nbytes), _BYTES)
    return f"{nbytes} B" if size == 1 else f"{nbytes / size:.2f} {name}"


def _share_text(part, whole):
    return f"{100.0 * part / whole:.2f}%" if whole else "NaN"


def _as_text(name):
    return property(lambda self: _time_text(getattr(self, name)))


def _mean(name):
    return property(lambda self: getattr(self, name) / self.count if self.count else 0.0)


def _shown_name(name):
    """The name that steps have in common, whatever their number."""
    return "ProfilerStep*" if name.startswith("ProfilerStep#") else name


class FormattedTimesMixin:
    """Averages, and times as text."""

    cpu_time = _mean("cpu_time_total")
    device_time = cuda_time = _mean("device_time_total")
    cpu_time_str = _as_text("cpu_time")
    cpu_time_total_str = _as_text("cpu_time_total")
    self_cpu_time_total_str = _as_text("self_cpu_time_total")
    device_time_str = _as_text("device_time")
    device_time_total_str = _as_text("device_time_total")
    self_device_time_total_str = _as_text("self_device_time_total")


class Interval:
    """From start to end, in microseconds."""

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        return self.end - self.start


# ---- events ----


# What an event has before anything is known of it but what it was made with.
_NOTHING_YET = {"count": 1, "cpu_parent": None, "self_cpu_percent": -1, "total_cpu_percent": -1, "total_device_percent": -1,
                "dtype": "", "file": None, "line": 0, "module": None, "failed": False, "conversions": 0, "conversion_bytes": 0,
                "conversion_time": 0.0}


def _own(name, on_devices=False):
    """The part of a sum that is not the children's. Events of a device have none but, where on_devices says so, the whole."""
    def own(event):
        if event.is_async or not (on_devices or event.device_type == DeviceType.CPU):
            return 0
        return getattr(event, name) - sum(getattr(child, name) for child in event.cpu_children)

    return property(own)


class FunctionEvent(FormattedTimesMixin):
    """One event of a profile. Beyond PyTorch's attributes: dtype and input_dtypes (names), file and line of the call, module (the
    path of the module that was called), failed, and of conversions that kernels made as they read their operands: conversions
    (how many), conversion_bytes, conversion_time (us). ran is a list of (kernel, where, us) of the kernels that the event ran
    itself."""

    def __init__(self, id, name, thread, start_us, end_us, overload_name=None, fwd_thread=None, input_shapes=None, stack=None,
                 scope=0, use_device=None, cpu_memory_usage=0, device_memory_usage=0, is_async=False, is_remote=False,
                 sequence_nr=-1, node_id=-1, device_type=DeviceType.CPU, device_index=0, device_resource_id=None, is_legacy=False,
                 flops=None, trace_name=None, concrete_inputs=None, kwinputs=None, is_user_annotation=False, metadata_json=None):
        facts = {**locals(), **_NOTHING_YET}
        del facts["self"], facts["start_us"], facts["end_us"]
        vars(self).update(facts, time_range=Interval(start_us, end_us), kernels=[], cpu_children=[], input_dtypes=[], ran=[])
        if device_resource_id is None:
            self.device_resource_id = thread

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
    def device_time_total(self):
        if self.is_async or not self.use_device:
            return 0
        if self.device_type != DeviceType.CPU:
            return self.time_range.elapsed_us()
        inside = sum(child.device_time_total for child in self.cpu_children)
        return inside + sum(kernel.duration for kernel in self.kernels)

    self_cpu_time_total = _own("cpu_time_total")
    self_cpu_memory_usage = _own("cpu_memory_usage")
    self_device_memory_usage = _own("device_memory_usage")
    self_device_time_total = _own("device_time_total", on_devices=True)

    cuda_time_total = device_time_total
    self_cuda_time_total = self_device_time_total
    self_cuda_memory_usage = self_device_memory_usage

    def __repr__(self):
        device = self.use_device
        shown = [("id", self.id), ("name", self.name), ("overload_name", self.overload_name),
                 ("device_type", f"DeviceType.{self.device_type.name}"), ("node_id", self.node_id),
                 ("cpu_time", self.cpu_time_str), ("start_us", self.time_range.start),
                 ("end_us", self.time_range.end), ("cpu_children", [child.id for child in self.cpu_children]),
                 (f"{device}_time", self.device_time_str),
                 *((name, getattr(self, name)) for name in ("name", "thread", "input_shapes", "cpu_memory_usage")),
                 (f"{device}_memory_usage", self.device_memory_usage), ("is_async", self.is_async),
                 ("is_remote", self.is_remote), ("seq_nr", self.sequence_nr), ("is_legacy", self.is_legacy)]
        return f"<FunctionEvent {' '.join(f'{name}={value}' for name, value in shown)}>"


class FunctionEventAvg(FormattedTimesMixin):
    """The sum of events with one key."""

    _SUMS = ("cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage",
             "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count", "conversions",
             "conversion_bytes", "conversion_time")

    _UNKNOWN = ("key", "use_device", "input_shapes", "overload_name", "stack", "scope", "cpu_children", "cpu_parent", "dtype",
                "line", "module")

    def __init__(self):
        vars(self).update({**dict.fromkeys(self._UNKNOWN), **dict.fromkeys(self._SUMS, 0)}, conversion_time=0.0, node_id=0,
                          flops=0, is_async=False, is_remote=False, is_legacy=False, device_type=DeviceType.CPU, ran={})

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
        self._has_tree = False
        self._with_flops = with_flops
        self._grouped = None

    def _build_tree(self):
        """Finds what is inside what, thread by thread. What does nothing but call one of its own name is the same event."""
        ordered = [event for event in self if event.device_type == DeviceType.CPU and not event.is_async]
        ordered.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
        inside = {}  # by thread: the events that are open, the outermost first
        for event in self:
            event.cpu_children, event.cpu_parent = [], None
        for event in ordered:
            around = inside.setdefault((event.thread, event.node_id), [])
            while around and event.time_range.end > around[-1].time_range.end:
                around.pop()
            if around:
                around[-1].append_cpu_child(event)
                event.set_cpu_parent(around[-1])
            around.append(event)
        again = set()
        for event in ordered:  # from the outside
            while len(event.cpu_children) == 1 and event.cpu_children[0].name == event.name and event not in again:
                (inner,) = event.cpu_children
                again.add(inner)
                event.cpu_children, event.kernels = inner.cpu_children, inner.kernels
                for child in event.cpu_children:
                    child.set_cpu_parent(event)
        self[:] = [event for event in self if event not in again]
        self._has_tree = True

    @property
    def self_cpu_time_total(self):
        return sum(event.self_cpu_time_total for event in self)

    def __str__(self):
        return self.table()

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75, max_name_column_width=55, max_shapes_column_width=80,
              header=None, top_level_events_only=False, time_unit=None, columns=()):
        """The events as text, in PyTorch's layout. columns: more of them: "dtype", "conversions", "kernels", "line", "module"."""
        if not self:
            return ""
        shown = self if sort_by is None else sorted(self, key=attrgetter(sort_by), reverse=True)
        table = _Table(self, time_unit, max_name_column_width, max_shapes_column_width, max_src_column_width, columns)
        notes = [] if header is None else [str(header)]
        if top_level_events_only:
            notes.append("This report only display top-level ops statistics")
            shown = [event for event in shown if event.cpu_parent is None]
        return table.text(shown[:row_limit] if row_limit >= 0 else shown, notes)

    def key_averages(self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False, group_by=None):
        """The sums of events of one name, and on request of one list of input shapes, of one stack. group_by: "line", "module" or
        "dtype": the sums of all events of one line of the program, one module or one dtype."""
        if not self._has_tree:
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
            total._begin(event)
            total.add(event)
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

_WIDTH = 12


def _width(texts, most):
    """Of a column: so that its longest text fits, with room between; at most `most`."""
    needed = max(map(len, texts), default=0) + 4
    return needed if most is None else min(needed, most)


def _beginning(text, most):
    return text if most is None or len(text) < most - 3 else text[:most - 3] + "..."


def _ending(path, most):
    return path if len(path) <= most else "..." + path[3 - most:]


def _kernels_text(event):
    ran = event.ran if isinstance(event, FunctionEventAvg) else {(name, where): [time, 1] for name, where, time in event.ran}
    most = sorted(ran.items(), key=lambda item: -item[1][0])
    return ", ".join(f"{name} on {where}" for (name, where), _ in most[:2]) + (", ..." if len(most) > 2 else "")


# More columns, by the name that columns= takes: (header, text of an event).
_MORE = {
    "dtype": (("dtype", lambda event: event.dtype or "--"),),
    "conversions": (("Conversions", lambda event: str(event.conversions)),
                    ("Converted", lambda event: _bytes_text(event.conversion_bytes)),
                    ("Conv. time", lambda event: _time_text(event.conversion_time))),
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


# The columns: heading, what of a _Table is its width, what of it says that it is shown, text of an event.
_COLUMNS = (
    ("Name", "name_width", "always", lambda t, e: _beginning(e.key, t.most_name)),
    ("Overload Name", "name_width", "overloads", lambda t, e: _beginning(e.overload_name or "", t.most_name)),
    ("Self CPU %", "width", "always", lambda t, e: _share_text(e.self_cpu_time_total, t.cpu_total)),
    ("Self CPU", "width", "always", lambda t, e: t.time(e.self_cpu_time_total)),
    ("CPU total %", "width", "always", lambda t, e: "0" if e.is_async else _share_text(e.cpu_time_total, t.cpu_total)),
    ("CPU total", "width", "always", lambda t, e: t.time(e.cpu_time_total)),
    ("CPU time avg", "width", "always", lambda t, e: t.time(e.cpu_time)),
    ("Self {device}", "width", "device_times", lambda t, e: t.time(e.self_device_time_total)),
    ("Self {device} %", "width", "device_times", lambda t, e: _share_text(e.self_device_time_total, t.device_total)),
    ("{device} total", "width", "device_times", lambda t, e: t.time(e.device_time_total)),
    ("{device} time avg", "width", "device_times", lambda t, e: t.time(e.device_time)),
    ("CPU Mem", "width", "memory", lambda t, e: _bytes_text(e.cpu_memory_usage)),
    ("Self CPU Mem", "width", "memory", lambda t, e: _bytes_text(e.self_cpu_memory_usage)),
    ("{device} Mem", "width", "device_memory", lambda t, e: _bytes_text(e.device_memory_usage)),
    ("Self {device} Mem", "width", "device_memory", lambda t, e: _bytes_text(e.self_device_memory_usage)),
    ("# of Calls", "width", "always", lambda t, e: e.count),
    ("Node ID", "width", "nodes", lambda t, e: e.node_id),
    ("Input Shapes", "shapes_width", "shapes", lambda t, e: str(e.input_shapes)[:t.most_shapes]),
    None,  # the caller's own
    ("Source Location", "source_width", "sources", lambda t, e: _ending(e.stack[0], t.source_width) if e.stack else ""),
    ("Total {flops}", "width", "with_flops", lambda t, e: f"{e.flops / t.flops[1]:8.3f}" if e.flops and e.flops > 0 else "--"),
)


class _Table:
    """What the columns of a list of events need to know of all of them, and the text."""

    width, always = _WIDTH, True

    def __init__(self, events, unit, most_name, most_shapes, most_source, more):
        self.unit, self.most_name, self.most_shapes = unit, most_name, most_shapes
        self.name_width = _width([event.key for event in events], most_name)
        self.shapes_width = _width([str(event.input_shapes) for event in events], most_shapes)
        self.sources = [entry for event in events for entry in event.stack or ()]
        self.source_width = _width(self.sources, most_source)
        self.overloads = any(event.overload_name for event in events)
        self.shapes = any(event.input_shapes for event in events)
        self.nodes = any(event.node_id != -1 for event in events)
        self.memory, self.with_flops, self.device = events._profile_memory, events._with_flops, events._use_device
        self.device_times = any(event.self_device_time_total > 0 for event in events)
        self.device_memory = self.memory and self.device and any(event.self_device_memory_usage > 0 for event in events)
        self.flops = _unit_of(min((event.flops for event in events if event.flops), default=0), _FLOPS)
        self.cpu_total = sum(event.self_cpu_time_total for event in events if event.device_type == DeviceType.CPU)
        self.device_total = sum(event.self_device_time_total for event in events if (
            event.is_legacy if event.device_type == DeviceType.CPU else not event.is_user_annotation))
        words = {"device": (self.device or "").upper(), "flops": self.flops[0]}
        self.columns = []  # heading, width, text of an event
        for column in _COLUMNS:
            if column is None:
                self.columns += [(title, max([_WIDTH, *(len(text(event)) for event in events)]), lambda t, e, text=text: text(e))
                                 for title, text in _more_columns(more)]
            elif getattr(self, column[2]):
                self.columns.append((column[0].format(**words), getattr(self, column[1]), column[3]))

    def time(self, us):
        return _time_text(us, self.unit)

    def row(self, cells):
        """A line; cells are those of all columns, or {heading: cell}, the others empty."""
        if isinstance(cells, dict):
            cells = [cells.get(heading, "") for heading, *_ in self.columns]
        return "".join(f"{cell: {'<' if heading == 'Source Location' else '>'}{width}}  "
                       for cell, (heading, width, _) in zip(cells, self.columns)) + "\n"

    def text(self, events, notes):
        rule = "".join("-" * width + "  " for _, width, _ in self.columns) + "\n"
        lines = [part for note in notes for part in ("=" * (len(rule) - 3) + "\n", f"{note}\n")]
        lines += [rule, self.row([heading for heading, *_ in self.columns]), rule]
        for event in events:
            lines.append(self.row([text(self, event) for *_, text in self.columns]))
            if self.sources:
                lines += [self.row({"Source Location": _ending(entry, self.source_width)}) for entry in [*event.stack[1:], ""]]
        lines += [rule, f"Self CPU time total: {self.time(self.cpu_total)}\n"]
        if self.device_times:
            lines.append(f"Self {str(self.device).upper()} time total: {self.time(self.device_total)}\n")
        return "".join(lines)


__getattr__ = _missing.of(__name__)
