"""compare.py - Compare: measurements as tables, a table for each label."""

import enum
import math

from .common import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

_BEST, _SLOW, _SLOWEST = ("\033[92m\033[1m", "\033[2m\033[91m", "\033[31m\033[1m")
_END = "\033[0m\033[0m"
_BEST_WITHIN, _SLOW_FROM, _SLOWEST_FROM = 1.1, 2, 5  # times the best


class Colorize(enum.Enum):
    """Whether times are coloured, and beside which others."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def _coloured(text, value, best):
    if value <= best * _BEST_WITHIN:
        return _BEST + text + _END
    if value > best * _SLOWEST_FROM:
        return _SLOWEST + text + _END
    return _SLOW + text + _END if value > best * _SLOW_FROM else text


def _whole_digits(value):
    """Digits before the point."""
    return int(math.ceil(math.log10(value)))


class _Column:
    """The times of one description: how they are written."""

    def __init__(self, results, scale, trimmed, warned):
        self.scale, self.trimmed, self.warned = scale, trimmed, warned
        found = [result for result in results if result]
        self.gap = warned and any(result.has_warnings for result in found)
        values = [result.median / scale for result in found]
        self.decimals = 1
        if trimmed:
            self.decimals = max(0, min(result.significant_figures - _whole_digits(value)
                                       for result, value in zip(found, values)))
        whole = max(1, *map(_whole_digits, values))
        self.width = whole + self.decimals + (1 if self.decimals else 0)

    def _value(self, result):
        value = result.median / self.scale
        return trim_sigfig(value, result.significant_figures) if self.trimmed else value

    def text(self, result):
        """A cell; empty without a result."""
        if result is None:
            return ""
        text = f"{self._value(result):>{self.width}.{self.decimals}f}"
        if not self.gap:
            return text
        return text + (f" (! {result.iqr / result.median * 100:.0f}%)" if result.has_warnings else " " * 7)


class Compare:
    """Compare(measurements): print() shows them as tables. label names a table, sub_label and env a row, description a column;
    rows stand below their number of threads."""

    def __init__(self, results):
        self._results = []
        self.extend_results(results)
        self._trimmed, self._colours, self._warned = False, Colorize.NONE, False

    def extend_results(self, results):
        """Adds measurements."""
        added = [*results]
        wrong = [type(one) for one in added if not isinstance(one, Measurement)]
        if wrong:
            raise ValueError(f"Expected an instance of `Measurement`, got {wrong[0]} instead.")
        self._results += added

    def trim_significant_figures(self):
        """Shows no more figures than are to be trusted."""
        self._trimmed = True

    def colorize(self, rowwise=False):
        """Colours the times: the best ones of a column, or of a row, and those that are far from it."""
        self._colours = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self):
        """Marks times whose spread is large."""
        self._warned = True

    def print(self):
        """Prints the tables."""
        print(str(self))

    def __str__(self):
        tables = {}
        for result in Measurement.merge(self._results):
            tables.setdefault(result.label, []).append(result)
        return "\n".join(self._table(group) for group in tables.values())

    def _table(self, results):
        unit, scale = select_unit(min(result.median for result in results))
        columns = ordered_unique(result.description for result in results)
        rows = ordered_unique((result.num_threads, result.env, result.as_row_name) for result in results)
        rows.sort(key=lambda row: (row[0], row[1] or ""))
        cells = {(result.num_threads, result.env, result.as_row_name, result.description): result for result in results}
        grid = [[cells.get((*row, column)) for column in columns] for row in rows]
        written = [_Column(column, scale, self._trimmed, self._warned) for column in zip(*grid)]
        text = [[column.text(result) for column, result in zip(written, row)] for row in grid]
        names = self._row_names(rows)
        width = max(len(name) for name in names)
        widths = [max([len(str(column)), *(len(row[i]) for row in text)]) for i, column in enumerate(columns)]
        lines = ["  |  ".join([" " * width, *(str(column).center(size) for column, size in zip(columns, widths))])]
        whole = len(lines[0])
        threads = None
        for row, name, results_there, texts in zip(rows, names, grid, text):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(whole, "-"))
            shown = [one.center(size) for one, size in zip(texts, widths)]
            lines.append("  |  ".join([name.ljust(width), *self._colour(shown, row, results_there, grid, rows)]))
        label = results[0].label or ""
        lines.insert(0, "[" + f" {label} ".center(whole - 2, "-") + "]")
        lines += ["", f"Times are in {unit_to_english(unit)}s ({unit})."]
        if self._warned and any(result.has_warnings for result in results):
            lines.append("(! XX%) Measurement has high variance, where XX is the IQR / median * 100.")
        return "\n".join(lines) + "\n"

    @staticmethod
    def _row_names(rows):
        """The first row of an environment bears its name, if there are several."""
        if len({env for _, env, _ in rows}) == 1:
            return [f"      {name}" for _, _, name in rows]
        width = max(len(f"({env})") for _, env, _ in rows if env)
        before, names = None, []
        for threads, env, name in rows:
            place = f"({env})" if env and (threads, env) != before else ""
            names.append(f"  {place.ljust(width)}  {name}")
            before = threads, env
        return names

    def _colour(self, shown, row, results, grid, rows):
        if self._colours is Colorize.NONE:
            return shown
        coloured = []
        for i, (text, result) in enumerate(zip(shown, results)):
            beside = results if self._colours is Colorize.ROWWISE else [
                other[i] for other, its_row in zip(grid, rows) if its_row[0] == row[0]]
            best = min((other.median for other in beside if other), default=None)
            coloured.append(_coloured(text, result.median, best) if result else text)
        return coloured
