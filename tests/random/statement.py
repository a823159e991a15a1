"""statement.py - what a statement of a random program is about.

In: a statement, or a difference of compare.py that has one. Out: the operator's name, the tensors it makes and reads.
"""

import re


SCOPE = (r"^with torch\.[a-z_]+\([A-Za-z0-9_=', .]*\)(, torch\.no_grad\(\))?: "
         r"|^with torch\.(autograd|random)\.(.* lambda t: t\)|[^:]*): ")


def call_inside(statement):
    """A statement that makes what a transform of one call calls, or None: t3 = t1.sin() of
    t3 = torch.vmap(lambda t1: t1.sin())(t1)."""
    body = re.match(r"((?:with [^:]*: )?t\d+ = )(.*)$", statement)
    found = body and re.search(r"\blambda (?:t\d+(?:, )?)+: (?!torch\.(?:func|vmap))(.*)$", body.group(2))
    if not found:
        return None
    inner, depth = re.sub(r"^\((.*?)\)\.sum\(\)(?=[,)])", r"\1", found.group(1)), 0
    for i, character in enumerate(inner):  # to the end of the lambda
        depth += (character in "([{") - (character in ")]}")
        if depth < 0 or depth == 0 and character == "," :
            return body.group(1) + inner[:i]
    return body.group(1) + inner


def operator(statement):
    """The name of the operator that a statement is about: the outermost call, or the Python operator."""
    text = re.sub(SCOPE, "", statement)
    if re.search(r"\.backward\(|autograd\.grad\(", text):
        return "backward"
    body = re.sub(r"^t\d+ = ", "", text)
    found = re.match(r"(?:\(lambda r: .*?\)\()?torch\.(?:func|autograd\.functional|utils\.checkpoint)\.(\w+)\(|"
                     r"[A-Z]\w+\.(apply)\(", body)
    if found:
        return found.group(1) or found.group(2)
    if re.match(r"m\d+\(", body):
        return "module"
    found = re.match(r"(?:torch\.(?:[a-z_]+\.)*|F\.|(?:[a-z]\w*|-?\d+\.?\d*)(?:\[\d+\])*\.)"
                     r"([a-zA-Z_]\w*)(\(|$)", body)
    if found:
        return found.group(1)
    found = re.match(r"t\d+(?:\[\d+\])?\[.*\] ([-+*/]?=) ", body)
    if found:
        return "[] " + found.group(1)
    found = re.search(r" (\*\*=?|//=?|<<|[-+*/%@&|^<>=!]=?) ", body)
    if found:
        return found.group(1)
    return "[]" if "[" in body else body.split("(")[0]


def op(difference):
    return operator(difference.statement)


def plain_op(difference):
    """The operator as it is called out of place and without a subscript."""
    name = op(difference).removeprefix("[] ").removeprefix("_foreach_")
    return name.rstrip("_") or name


def born(difference):
    """Whether the tensor is a result of the statement itself."""
    name = (re.match(r"\w+", difference.where) or [""])[0]
    return name == "log" or re.search(rf"(^|: ){name} = ", difference.statement) is not None


def mentioned(statement):
    """Names of the program's tensors in a statement, as often as they stand there."""
    return re.findall(r"\bt\d+\b(?! = )", statement)


def numbers(statement):
    """Numbers that are arguments: alpha=2.5, the 3 in x + 3."""
    return [abs(float(n)) for n in re.findall(r"(?<![\w.])\d+\.?\d*(?:e-?\d+)?(?![\w.\]])", statement)]


MEETING = re.compile(r"\b(index_\w+|scatter\w*|put_?|take\w*|gather|embedding\w*|bincount|histc|repeat_interleave)\(|"
                     r"\bt\d+(\[\d+\])?\[[^]]*(\bt\d|\[)")


def order_is_open(program):
    """Whether elements of a program may meet at one place: a GPU puts or adds them in any order, forward or back."""
    return any(MEETING.search(line) for line in program)
