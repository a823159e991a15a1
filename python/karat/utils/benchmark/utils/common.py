"""common.py - what was measured (TaskSpec), the times (Measurement), and units and digits of times."""

import contextlib
import dataclasses
import math
import statistics
import struct
import textwrap

from .... import _karat

_UNITS = {-3: ("ns", 1e-9), -2: ("us", 1e-6), -1: ("ms", 1e-3)}
_ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
_FEW = 4  # with fewer times the spread is not shown
_HIGH_SPREAD, _MODERATE_SPREAD = 0.25, 0.1  # of the median
_RESOLUTION = 25e-9  # no time is known better than that
_Z = 1.645  # 90 % of a normal distribution lie within so many deviations
_MOST_FIGURES = 4


def _float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def select_unit(t):
    """The unit in which a time of t seconds reads best, and its seconds."""
    return _UNITS.get(int(_float32(math.log10(t)) // 3), ("s", 1))


def unit_to_english(u):
    """The unit's name: "microsecond" for "us"."""
    return _ENGLISH[u]


def trim_sigfig(x, n):
    """x to n significant figures."""
    scale = 10 ** (math.ceil(math.log10(abs(x))) - n) if x else 1
    return _float32(round(x / scale) * scale)


def ordered_unique(elements):
    """The elements, each once, in their order."""
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n):
    """A scope in which operators use n threads."""
    with contextlib.ExitStack() as at_its_end:
        at_its_end.callback(_karat.set_num_threads, _karat.get_num_threads())
        _karat.set_num_threads(n)
        yield


def _code(text, above, before="", behind=""):
    """Code for readers: a line between two words, several lines indented below one."""
    return f"{above}\n{textwrap.indent(text, '  ')}" if "\n" in text else f"{before}{text}{behind}"


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What was measured: the statement, and the words that name it in tables."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self):
        """What a single measurement is called."""
        beside = f": {self.sub_label}" if self.sub_label else ""
        if self.label is not None:
            return self.label + beside
        return _code(self.stmt, f"stmt: ({self.sub_label})" if beside else "stmt:", behind=beside)

    def setup_str(self):
        """The setup, where there is one to show."""
        return "" if self.setup in ("", "pass", None) else _code(self.setup, "setup:", before="setup: ")

    def summarize(self):
        """The words above the figures, an empty line below what takes several."""
        parts = filter(None, (self.title, self.description, self.setup_str()))
        return "\n".join(part + "\n" * ("\n" in part) for part in parts)


def _quantile(ordered, q):
    """Linear between the two times that lie beside it."""
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    weight = at - low
    return ordered[low] + weight * (ordered[high] - ordered[low])


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """Times of one statement: number_per_run runs of it took each of raw_times. Its figures are of a single run."""

    number_per_run: int
    raw_times: list
    task_spec: TaskSpec
    metadata: dict | None = None

    def __getattr__(self, name):
        """What the task is called belongs to the measurement, too."""
        if name != "task_spec" and name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def times(self):
        """The time of a run, for each measurement."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self):
        """The mean time of a run."""
        return statistics.fmean(self.times)

    @property
    def median(self):
        """The median time of a run."""
        return statistics.median(self.times)

    def _quartiles(self):
        ordered = sorted(self.times)
        return _quantile(ordered, 0.25), _quantile(ordered, 0.75)

    @property
    def iqr(self):
        """The difference of the quartiles."""
        low, high = self._quartiles()
        return high - low

    @property
    def significant_figures(self):
        """How many figures of the median are to be trusted, from the half of the times that lies around it."""
        n = len(self.raw_times)
        inner = sorted(self.times)[n // 4:math.ceil(3 * n / 4)]
        spread = statistics.stdev(inner) if len(inner) > 1 else 0.0
        doubt = max(_Z * spread / math.sqrt(max(len(inner), 1)), _RESOLUTION)
        return min(max(int(math.floor(math.log10(self.median / doubt))), 1), _MOST_FIGURES)

    @property
    def has_warnings(self):
        """Is the spread large?"""
        return not self.meets_confidence(_MODERATE_SPREAD)

    def meets_confidence(self, threshold=_MODERATE_SPREAD):
        """Is the difference of the quartiles less than so much of the median?"""
        return self.iqr / self.median < threshold

    @property
    def title(self):
        """What it is called."""
        return self.task_spec.title

    @property
    def env(self):
        """The environment that its spec names, None where it names none."""
        return self.task_spec.env

    @property
    def as_row_name(self):
        """Its row in a table."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self):
        lines = [object.__repr__(self), self.task_spec.summarize()]
        unit, scale = select_unit(self.median)
        n, median, iqr = len(self.raw_times), self.median, self.iqr
        lines.append(f"  {'Median: ' if n > 1 else ''}{median / scale:.2f} {unit}")
        if n >= _FEW:
            low, high = self._quartiles()
            lines.append(f"  IQR:    {iqr / scale:.2f} {unit} ({low / scale:.2f} to {high / scale:.2f})")
        lines.append(f"  {n} measurement{'s' if n > 1 else ''}, {self.number_per_run} runs "
                     f"{'per measurement' if n > 1 else ''}, {self.num_threads} thread{'s' if self.num_threads > 1 else ''}")
        if self.has_warnings:
            lines += [f"  WARNING: Interquartile range is {iqr / median * 100:.1f}% of the median measurement.",
                      "           This could indicate system fluctuation." if iqr / median <= _HIGH_SPREAD else
                      "           This suggests significant environmental influence."]
        return "\n".join(lines)

    @staticmethod
    def merge(measurements):
        """Those of one task together, as one; their times are of a single run."""
        tasks = {}
        for one in measurements:
            tasks.setdefault(one.task_spec, []).append(one)
        return [Measurement(number_per_run=1, raw_times=[t for one in group for t in one.times], task_spec=task, metadata=None)
                for task, group in tasks.items()]
