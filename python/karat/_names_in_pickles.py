"""_names_in_pickles.py - the names in a pickle, found without making anything.

In: the bytes of a pickle, the names that the caller allows. Out: those that weights_only=True does not accept. Independent of:
what they stand for.
"""

import pickletools
from pickle import UnpicklingError

from ._weights import Damaged, Machine, full_name


def unsafe_names(data, allowed):
    """The names in a pickle that are not allowed, in their order, each once. Nothing is made."""
    machine, names = Machine(data, None, allowed), {}
    for module, name in _names_in(machine):
        try:
            machine.named(module, name)
        except UnpicklingError:
            names[full_name(*machine.today(module, name))] = True
    return list(names)


_TEXTS = ("UNICODE", "UNICODE8", "STRING")
_CHANGES = {"APPEND": 1, "SETITEM": 2, "BUILD": 1, "APPENDS": None, "SETITEMS": None, "ADDITEMS": None}  # None: up to the mark
_EXTENSIONS = ("EXT1", "EXT2", "EXT4")


def _names_in(machine):
    """Pairs of module and name, for which any unpickler would ask. Those of protocol 4 are on the stack: texts that the file has,
    wherever it moves them. "?" stands for a name that is only made when the file is read."""
    mark, stack, memo = object(), [], {}

    def pop_to_mark():
        while stack.pop() is not mark:
            pass

    try:
        for opcode, argument, _ in pickletools.genops(machine.data):
            kind = opcode.name
            if kind == "PROTO":
                machine.fix_names = argument < 3
            elif kind in ("GLOBAL", "INST"):
                yield argument.split(" ", 1)
            elif kind == "STACK_GLOBAL":
                yield [one if type(one) is str else "?" for one in (stack[-2], stack[-1])]
            elif kind in _EXTENSIONS:
                yield "?", f"extension {argument}"
            before = opcode.stack_before
            if kind == "MEMOIZE" or kind.endswith("PUT"):
                memo[len(memo) if argument is None else argument] = stack[-1]
            elif kind.endswith("GET"):
                stack.append(memo[argument])
            elif kind == "DUP":
                stack.append(stack[-1])
            elif kind == "MARK":
                stack.append(mark)
            elif kind in _CHANGES:  # what is changed stays what it is
                if _CHANGES[kind] is None:
                    pop_to_mark()
                else:
                    del stack[-_CHANGES[kind]:]
            else:
                if pickletools.markobject in before:
                    pop_to_mark()
                else:
                    for _ in before:
                        stack.pop()
                stack.extend(argument if kind.endswith(_TEXTS) else None for _ in opcode.stack_after)
    except (ValueError, IndexError, KeyError) as e:
        raise Damaged(str(e) or "no pickle") from None
