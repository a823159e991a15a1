"""timer.py - Timer: how long a statement takes, with the number of threads that is asked for."""

import enum
import textwrap
import timeit
from time import perf_counter

from .... import _karat
from .common import Measurement, TaskSpec, set_torch_threads

_OVERHEAD = 1e-4  # the loop may cost so much of a block


class Language(enum.Enum):
    """The language of a statement."""

    PYTHON = 0
    CPP = 1


def _synchronizing(timer):
    """The timer, after the devices have done their work."""
    def waited():
        if _karat.device_count("cuda"):
            _karat.device_sync(_karat.device("cuda", _karat.device_index("cuda")))
        return timer()

    return waited


class Timer:
    """Timer(stmt, setup): times a statement, on num_threads threads. Times include no warm-up; globals are the statement's."""

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=perf_counter, globals=None, label=None, sub_label=None,
                 description=None, env=None, num_threads=1, language=Language.PYTHON):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language not in (Language.PYTHON, "py", "python"):
            if language in (Language.CPP, "cpp", "c++"):
                raise NotImplementedError("torch.utils.benchmark.Timer: C++ is written against PyTorch's headers, and cannot be "
                                          "timed here")
            raise ValueError(f"Invalid language `{language}`.")
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to "
                             "`setup`.")
        stmt, setup = (textwrap.dedent(text).strip() for text in (stmt, setup))
        import karat

        self._globals = {"torch": karat, **(globals or {})}
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=_synchronizing(timer) if timer is perf_counter else timer,
                                   globals=self._globals)
        self._task_spec = TaskSpec(stmt=stmt, setup=setup, global_setup="", label=label, sub_label=sub_label,
                                   description=description, env=env, num_threads=num_threads)

    def _timeit(self, number):
        return max(self._timer.timeit(number), 1e-9)

    def _measured(self, number, enough, callback=None, warm_up=0):
        """Blocks of runs, at least one, until enough(times, their sum) holds."""
        times, total = [], 0.0
        with set_torch_threads(self._task_spec.num_threads):
            if warm_up:
                self._timeit(warm_up)
            while not times or not enough(times, total):
                times.append(self._timeit(number))
                total += times[-1]
                if callback is not None:
                    callback(number, times[-1])
        return Measurement(number_per_run=number, raw_times=times, task_spec=self._task_spec)

    def timeit(self, number=1000000):
        """A measurement of `number` runs, after a hundredth of them to warm up."""
        return self._measured(number, lambda times, total: True, warm_up=max(number // 100, 2))

    def repeat(self, repeat=-1, number=-1):
        """Not offered: blocked_autorange repeats by itself."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback=None):
        """Not offered: blocked_autorange chooses the number of runs."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, min_run_time):
        """So many runs that the loop around them costs next to nothing."""
        with set_torch_threads(self._task_spec.num_threads):
            empty = sorted(timeit.Timer().timeit(1) for _ in range(5))[2]
            number = 1
            while True:
                taken = self._timeit(number)
                if taken >= min_run_time or (empty / taken <= _OVERHEAD and taken >= min_run_time / 1000):
                    return number
                number *= 10

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        """Many measurements of blocks of runs, for at least min_run_time seconds. callback(number, seconds) sees each."""
        return self._measured(self._block_size(min_run_time), lambda times, total: total >= min_run_time, callback)

    def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
        """The same until the times' spread is below the threshold, for at most max_run_time seconds."""
        def enough(times, total):
            if total < min_run_time or total >= max_run_time:
                return total >= min_run_time
            return len(times) > 3 and Measurement(1, times, self._task_spec).meets_confidence(threshold)

        return self._measured(self._block_size(min_run_time), enough, callback)

    def collect_callgrind(self, number=100, *, repeats=None, collect_baseline=True, retain_out_file=False):
        """Refused: instructions are not counted here."""
        raise NotImplementedError("torch.utils.benchmark.Timer.collect_callgrind: instructions are not counted here; run the "
                                  "program under valgrind --tool=callgrind")
