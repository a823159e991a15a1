"""_probes.py - what it takes to put keys into a dict or a set, where a file chooses the keys.

Python hashes numbers, and tuples of them, in the same way in every process. A file can have keys that all look for a free place
in the same taken ones: the time is the square of their number, though no two have one hash.

In: the hashes of keys, in their order. Out: how many places they look at in vain, in a table of whatever size they may lie in.
Independent of: what the keys are; when a version of Python makes a table larger, as tables of all sizes are tried.
"""

from array import array

from ._karat import places_in_vain

FEW = 4096  # keys that need not be counted
_NEAR = 10  # a set looks at so many places in a row
_FULL, _LOOSE = 2 / 3, 8  # a table has no more keys for its size than this, and no more places for a key


class Probes:
    """The tables in which the keys of one container may lie."""

    __slots__ = ("hashes", "near", "tables", "larger")

    def __init__(self, is_set):
        self.hashes, self.near = array("q"), _NEAR if is_set else 1
        self.tables, self.larger = {}, 2 * FEW  # with how many keys they have; the size of the next

    def extend(self, hashes, most):
        """More keys. How many places they look at in vain; a number above `most` is not the whole of it."""
        self.hashes.extend(hashes)
        end, vain = len(self.hashes), 0
        while self.larger <= _LOOSE * end:
            self.tables[self.larger] = array("i", bytes(4 * self.larger)), 0
            self.larger *= 2
        for size, (table, begin) in list(self.tables.items()):
            until = min(end, int(size * _FULL))
            vain += places_in_vain(self.hashes, table, begin, until, self.near, most - vain)
            if vain > most:
                break
            if until < end:
                del self.tables[size]  # the keys do not fit any more
            else:
                self.tables[size] = table, until
        return vain
