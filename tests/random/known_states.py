"""known_states.py - differences in the state of tensors, and in warnings, that are meant: versions, nodes, views, layouts.

In: a Difference of compare.py and the Comparison that found it. Out: STATES, for known.py: tests, each with its reason.
"""

import re

from known_values import over_itself
from statement import born, mentioned, op, operator, plain_op

# The node of an operator that is put together from others is that of its last step. Karat's, PyTorch's.
COMPOSED = {
    "alpha_dropout": [("DivBackward0", "DivBackward1"), ("MulBackward0", "MulBackward1")],  # a number in C++ has its own node
    "matmul": [("UnsafeViewBackward0", "CloneBackward0"),
               ("UnsafeViewBackward0", "TransposeBackward0")],  # a matrix times a batch: PyTorch turns it round and copies back
    "diff": [("CloneBackward0", "torch::autograd::CopyBackwards")],  # n=0
    "cross_entropy": [("DivBackward1", "NegBackward0")],  # of nothing
    "dropout1d": [("torch::autograd::CopySlices", "SqueezeBackward4")],  # in place, of one dim less: PyTorch adds it in place
    "dropout3d": [("torch::autograd::CopySlices", "SqueezeBackward4")],
    "vander": [("CatBackward0", "torch::autograd::CopySlices")],
    "xlogy": [("XlogyBackward0", "XlogyBackward1")],  # a number first
    "float_power": [("PowBackward1", "PowBackward2")],  # a number first
    "squeeze": [("SqueezeBackward1", "SqueezeBackward2")],  # dims in a tuple: an overload of its own
    "round": [("RoundBackward0", "RoundBackward1")],  # torch.special.round: always the overload with decimals
    "squeeze_copy": [("SqueezeBackward2_copy", "SqueezeBackward1_copy")],
    "ndtr": [("MulBackward0", "MulBackward1")],  # a number in C++ has its own node
    "pad": [("CatBackward0", f"{mode}Pad{n}DBackward0") for mode in ("Reflection", "Replication") for n in (1, 2, 3)],
}
COMPOSED["@"] = COMPOSED["matmul"]

ONCE = "|".join(["ComplexHalf support is experimental", "Casting complex values to real", r"index_reduce\(\) is in beta"])
COMPARING = {"==", "!=", "eq", "ne", "not_equal", "logical_and", "logical_or", "logical_xor", "isclose"}


def more_of(difference):
    """Warnings that one side alone gave: Karat's, PyTorch's."""
    return [[one for one in a if one not in b] for a, b in ((difference.karat, difference.torch),
        (difference.torch, difference.karat))]


def said_again(difference, comparison):
    """Whether all that differs is how often a text is given that a process gives once, after both sides gave it."""
    return difference.kind == "warnings" and all(re.match(ONCE, text[1]) and text in comparison.said
                                                 for side in more_of(difference) for text in side)


def only_torch_warned(difference, pattern):
    if difference.kind != "warnings":
        return False
    ours, theirs = more_of(difference)
    return not ours and all(re.match(pattern, text[1]) for text in theirs)


def only_karat_warned(difference, pattern):
    if difference.kind != "warnings":
        return False
    ours, theirs = more_of(difference)
    return not theirs and all(re.match(pattern, text[1]) for text in ours)


# How often PyTorch's implementation has written to a new result when it gives it.
WRITTEN = {"isclose": 2, "diff": 1, "vander": 3, "isfinite": 1, "quantile": 4,
           "nanquantile": 4, "one_hot": 2, "pad": 6, "linear": 2, "matmul": 1, "@": 1, "svd": 1, "max_pool1d": 1,
           "inner": 1, "matrix_power": 1, "trapezoid": 1, "trapz": 1, "cumulative_trapezoid": 1,
           "alpha_dropout": 1, "feature_alpha_dropout": 1, "margin_ranking_loss": 1, "poisson_nll_loss": 1, "matrix_rank": 1,
           "cond": 1, "module": 1, "copy": 1, "deepcopy": 1, "loads": 1, "list": 1, "[]": 1}


def new_counts(difference, comparison):
    """Whether the tensor is new, Karat counts from 0, and PyTorch's implementation wrote to it a few times: to a gradient, a
    result of one of the operators above, or one of an inference tensor, for which it takes another way. Where nobody looked
    before, the result may have been made by any statement."""
    if not isinstance(difference.torch, int) or not isinstance(difference.karat, int):
        return False
    scattered = any(operator(line) == "nll_loss" or "Embedding(" in line  # into zeros, which Karat counts
                    for line in comparison.program)
    if difference.kind == "grad.version":  # what was added to it since is counted alike
        return 0 < difference.torch - difference.karat <= 4 or (scattered and difference.karat - difference.torch == 1)
    if scattered and op(difference) == "backward" and difference.karat == 1:
        return True
    if difference.karat != 0:
        return False
    if op(difference) == "backward":
        return difference.torch <= 4
    c = comparison
    inference = any(c.before[path]["is_inference"] for path in c.operands) or not c.before and "inference" in "".join(c.program)
    names = [op(difference)] if c.before else [operator(line) for line in c.program]
    return born(difference) and difference.torch <= max([WRITTEN.get(name, 0) for name in names] + [4 * inference])


def of_gradient(difference, comparison):
    """Whether the statement writes to what autograd.grad gave, under its own name or that of an earlier write."""
    grads = set()
    for line in comparison.program:
        if "autograd.grad(" in line or operator(line).endswith("_") and grads & set(mentioned(line)):
            grads |= set(re.findall(r"(?:^|: )(t\d+) = ", line))
    return bool(grads & set(mentioned(difference.statement)))


def view_that_is_a_leaf(difference, comparison):
    """Whether a tensor was made as a view and asks for a gradient, and something was written to where nothing is recorded."""
    name = re.match(r"t\d+", difference.where).group(0)
    program = comparison.program
    made = [line for line in program if line.startswith(f"{name} = ")]
    return bool(made) and re.search(r"reshape\(.*requires_grad_\(\)", made[-1]) is not None and any(
        re.match(r"with torch\.(no_grad|set_grad_enabled)\((False)?\): .*(\w_\(|\] = | [-+*/]= |out=)", line) for line in program)


def row_major(shape):
    steps = [1]
    for size in reversed(shape[1:]):
        steps.insert(0, steps[0] * max(size, 1))
    return tuple(steps)


def differ_at_ones(difference, shape):
    return all(a == b or size == 1 for a, b, size in zip(difference.karat, difference.torch, shape))


def shares_with_out(difference, comparison):
    """Whether the tensor is not the out= of the statement but shared its memory before, where somebody looked, or is an out=
    of no elements."""
    out = re.search(r"out=(t\d+)", difference.statement)
    path = re.match(r"t\d+(\[\d+\])?", difference.where)
    if not out or not path or born(difference):
        return False
    if path.group(0) == out.group(1):  # of no elements, it lay behind the last of its base
        return difference.kind == "shares memory with" and 0 in comparison.before.get(out.group(1), {}).get("shape", ())
    was = [comparison.before.get(name, {}).get("shares memory with") for name in (out.group(1), path.group(0))]
    empty = any(0 in comparison.before.get(name, {}).get("shape", ())  # a view of no elements shares nothing yet
                for name in (out.group(1), path.group(0)))
    return empty or (was[0] == was[1] and (was[0] is not None or not comparison.before))


def seen_as_dtype(difference, comparison):
    """Whether the statement is a view, as another dtype, of what autograd.grad gave."""
    of = re.search(r"= (t\d+)\[\d+\]\.view\((?:dtype=)?torch\.", difference.statement)
    return bool(of) and any(line.startswith(f"{of.group(1)} = torch.autograd.grad(") for line in comparison.program)


def listed(name):
    """The name of a node without what tells it from those of other overloads and of lists."""
    return re.sub(r"(Backward)\d+(Scalar|List|ScalarList|Tensor)?$", r"\1", str(name)).replace("Foreach", "")


STATES = [
    (lambda d, c: d.kind == "grad_fn" and "Foreach" in str(d.torch) and "_foreach_" in "".join(c.program) and (
        d.karat == "ForeachBackward0" or listed(d.karat) == listed(d.torch)
        or (d.karat, d.torch) == ("LinalgVectorNormBackward0", "ForeachNormBackward0")),
     "a list's results: PyTorch's node is one of all of them and has a name of its own, Karat's are those of the operator"),
    (lambda d, c: d.kind in ("strides", "is_view") and op(d) == "lstsq",
     "the solution of more equations than unknowns: PyTorch's lies in the memory of the right sides, Karat's has its own"),
    (said_again,
     "a warning that is given once a process was given before: repeats, which set_warn_always asks for, count temporaries"),
    (lambda d, c: c.errors and only_torch_warned(d, "An output with one or more elements was resized|"
        "reduction: 'mean'|torch.range is|" + ONCE),
     "both refuse, and PyTorch had begun: it warned of the resize, or of the dtype, of a result that it then did not give"),
    (lambda d, c: plain_op(d) in COMPARING and only_torch_warned(d, "Casting complex values to real|ComplexHalf support"),
     "a comparison of complex numbers written into a real tensor: PyTorch warns of a lost imaginary part, a bool has none"),
    (lambda d, c: d.kind in ("version", "grad.version") and new_counts(d, c),
     "the version that a new result or gradient starts with: Karat's is 0, PyTorch counts the writes that its"
     " implementation made"),
    (lambda d, c: d.kind in ("requires_grad", "is_leaf", "grad_fn") and c.seen
        and not re.match("float|complex|bfloat", c.seen["dtype"]),
     "PyTorch marks integers that were written from a tensor with a history as requiring a gradient; Karat's"
     " integers carry none"),
    (lambda d, c: d.kind in ("strides", "grad.strides") and c.seen and 0 in c.seen["shape"],
     "strides of a tensor without elements"),
    (lambda d, c: d.kind in ("strides", "grad.strides") and op(d) == "backward" and c.seen
        and differ_at_ones(d, c.seen["shape"]),
     "the stride of a dim of one element in a gradient: no element lies there, and each formula leaves another"),
    (lambda d, c: d.kind == "grad_fn" and d.torch == "torch::autograd::NotImplemented" and d.karat,
     "Karat has a derivative where PyTorch's node says that it has none"),
    (lambda d, c: d.kind == "grad_fn" and (d.karat, d.torch) in COMPOSED.get(op(d), []),
     "an operator put together from others: its last step, and so the name of the node, is another; gradients are compared"),
    (lambda d, c: d.kind == "grad_fn" and op(d) in ("resolve_neg", "resolve_conj") and "trap" in "".join(c.program)
        and (d.karat, d.torch) in COMPOSED["trapezoid"],
     "an operator put together from others: its last step, and so the name of the node, is another; gradients are compared"),
    (lambda d, c: d.kind == "grad_fn" and op(d) == "backward" and "create_graph=True" in d.statement and d.karat and d.torch,
     "the graph of a gradient: a formula is put together from other steps; second derivatives are compared"),
    (lambda d, c: d.kind in ("is_view", "grad.is_view") and op(d) == "backward",
     "whether a gradient is formally a view of an inner temporary that nobody else has"),
    (lambda d, c: d.kind == "shares memory with" and op(d) == "backward" and re.search(r"\bsgn\(", "".join(c.program)),
     "the gradient of sgn, which is 0: PyTorch's has no memory, and so any two have the same"),
    (lambda d, c: d.kind == "is_view" and op(d).endswith("_") and of_gradient(d, c),
     "whether a gradient is formally a view of an inner temporary that nobody else has"),
    (lambda d, c: d.kind == "grad.requires_grad" and "create_graph=True" in d.statement and (d.karat, d.torch) == (True, False)
        and any(0 in seen["shape"] for seen in c.before.values()),
     "a gradient that came through a tensor without elements: PyTorch makes zeros that have no history, Karat's has one"),
    (lambda d, c: d.kind == "grad.offset" and d.karat == 0,
     "a gradient that is a part of a larger one: PyTorch keeps the larger one's memory for it, in Karat .grad has its own"),
    (lambda d, c: d.kind == "requires_grad" and (d.karat, d.torch) == (True, False) and any(
        c.before[path]["is_inference"] and c.before[path]["requires_grad"] is True for path in c.operands),
     "a leaf of inference mode that asks for a gradient: PyTorch forgets that it does where it is used, Karat gives it one"),
    (lambda d, c: d.kind == "grad_fn" and "autocast" in d.statement and op(d) == "module" and d.torch == "StackBackward0"
        and d.karat == "MkldnnRnnLayerBackward0",
     "a recurrent layer of a narrow dtype under autocast of another: PyTorch runs it step by step, Karat as a whole"),
    (lambda d, c: d.kind == "strides" and "autograd.grad(" in d.statement and "log_ndtr(" in "".join(c.program),
     "the gradient of log_ndtr from autograd.grad lies as its last step did; .grad has the leaf's layout"),
    (lambda d, c: d.kind == "strides" and born(d) and op(d) in ("stack", "cat") and "channels_last" in "".join(c.program)
        and c.seen and differ_at_ones(d, c.seen["shape"]),
     "the stride of a dim of one element in what is made like a tensor that is not row-major: no element lies there"),
    (lambda d, c: d.kind == "grad_fn" and (d.karat, d.torch) in COMPOSED["pad"] and "F.pad(" in "".join(c.program),
     "an operator put together from others: its last step, and so the name of the node, is another; gradients are compared"),
    (lambda d, c: d.kind == "strides" and op(d) == "backward" and "channels_last" in "".join(c.program) and re.search(
        r"F\.pad\(.*mode='(reflect|replicate)'", "\n".join(c.program)) is not None,
     "the gradient of a padded image that lies channels last: PyTorch's lies so, Karat's as the pieces that it is added up from"),
    (lambda d, c: d.kind == "requires_grad" and "create_graph=True" in d.statement and (d.karat, d.torch) == (False, True)
        and re.search(r"F\.pad\(.*mode='(reflect|replicate)'", "\n".join(c.program)) is not None,
     "the gradient of a padding, which is linear: PyTorch's keeps the operand for its sizes, and so a history"),
    (lambda d, c: d.kind == "offset" and op(d) == "backward" and 0 in (d.karat, d.torch),
     "whether a gradient is a part of a larger one or a copy of it"),
    (lambda d, c: d.kind == "grad_fn" and d.torch == "AsStridedBackward0" and d.karat
        and (not born(d) or op(d).endswith("_")),
     "a view whose base was written to: its history is made anew, in Karat of the operators that give the view"),
    (lambda d, c: d.kind == "version" and op(d) == "kron" and "out=" in d.statement and d.karat == d.torch + 1,
     "kron into out=: PyTorch writes through a view that it does not count"),
    (lambda d, c: d.kind == "version" and plain_op(d) in ("matmul", "linear", "inner") and "out=" in d.statement
        and d.torch == d.karat + 1,
     "a vector times a matrix into out=: PyTorch counts the dim that it takes away as a write"),
    (lambda d, c: d.kind == "strides" and "F.bilinear" in "".join(c.program) and (op(d) == "backward" or seen_as_dtype(d, c)),
     "the gradient of bilinear's weight from autograd.grad lies as the product was made; .grad has the leaf's layout"),
    (lambda d, c: d.kind == "strides" and op(d) == "backward" and c.seen and not c.seen["dtype"].startswith("complex")
        and d.karat == tuple(2 * step for step in d.torch),
     "the gradient of a real operand beside complex ones is the real part, in Karat a view of it"),
    (lambda d, c: d.kind == "is_leaf" and d.karat is True and not born(d)
        and (op(d) == "requires_grad_" or d.statement.endswith(".requires_grad = True")),
     "a view of a leaf that was written to before it required a gradient: PyTorch looks for a history that there is not"),
    (lambda d, c: "view_as_complex" in "".join(c.program) and only_torch_warned(d, "ComplexHalf support"),
     "a first complex32 tensor that is a view: Karat warns with the first that takes memory of its own beyond a small record"),
    (lambda d, c: only_torch_warned(d, "mkldnn_matmul failed"),
     "PyTorch tells of a library that it could not use"),
    (lambda d, c: d.kind in ("conj", "grad.conj") and op(d) == "backward" and (d.karat, d.torch) == (False, True),
     "a gradient whose conjugate PyTorch leaves to be taken by its readers, Karat has taken; elements are compared"),
    (lambda d, c: d.kind == "offset" and c.seen and 0 in c.seen["shape"],
     "the offset of a tensor without elements"),
    (lambda d, c: d.kind == "same object as" and op(d) == "backward" and c.seen and 0 in c.seen["shape"],
     "a gradient without elements: PyTorch gives the operand itself"),
    (lambda d, c: d.kind == "version" and op(d) == "detach" and d.torch == 0 and "Inference tensors" in str(d.karat),
     "detach of an inference tensor: PyTorch gives what it gives a counter, and it is an inference tensor all the same"),
    (lambda d, c: op(d) == "addbmm" and "out=" in d.statement and d.kind == "warnings" and not d.torch
        and all("was resized" in text[1] for text in d.karat),
     "addbmm resizes out= without a word in PyTorch"),
    (lambda d, c: c.errors and op(d).startswith("_foreach_") and d.kind in ("version", "requires_grad", "is_leaf", "grad_fn"),
     "a list that is refused where somebody wants a gradient: both had written to its first tensors, PyTorch without a history"),
    (lambda d, c: d.kind == "version" and c.errors and op(d) == "apply",
     "a Function that is refused: PyTorch counts what it had written by then"),
    (lambda d, c: d.kind == "version" and op(d) == "addbmm_" and d.torch == d.karat + 1,
     "addbmm_ counts as two writes in PyTorch"),
    (lambda d, c: op(d) == "cov" and not born(d) and (d.kind == "values" or d.kind == "version" and d.torch == d.karat + 1)
        and re.search("[af]weights=", d.statement),
     "weighted cov: PyTorch subtracts the mean from its operand, which changes where it is a vector; Karat leaves it as it was"),
    (lambda d, c: of_gradient(d, c) and (d.kind in ("is_view", "shares memory with") and op(d) in ("flatten", "ravel", "reshape")
        or d.kind == "grad_fn" and {d.karat, d.torch} == {"UnsafeViewBackward0", "ViewBackward0"}),
     "a gradient from autograd.grad lies as it was made; whether it can be flattened in place depends on that"),
    (lambda d, c: d.kind == "warnings" and op(d) in ("linear", "matmul") and all(len(side) == 1 and "was resized" in side[0][1]
        for side in (d.karat, d.torch)),
     "a vector times a matrix into out=: PyTorch names the matrix of one row that it makes between"),
    (lambda d, c: op(d) in ("linear", "matmul") and "out=" in d.statement
        and only_torch_warned(d, r"An output with one or more elements was resized .* required output shape \[1, "),
     "a vector times a matrix into out=: PyTorch makes out= a matrix of one row between, and warns that it did"),
    (lambda d, c: op(d) in ("linear", "matmul") and "out=" in d.statement and only_karat_warned(d,
        r"An output .* had shape \[1, (\d+)\], which does not match the required output shape \[\1\]\."),
     "a vector times a matrix into out= of one row, which it is between in PyTorch: that takes the dim away without a word"),
    (lambda d, c: op(d) in ("std", "var") and over_itself(d, c)
        and only_torch_warned(d, r"(std|var)\(\): degrees of freedom is <= 0"),
     "out= is the operand and is resized: PyTorch reads what it has resized, which is too little, Karat the operand as it was"),
    (lambda d, c: op(d).rstrip("_") == "addmv" and only_torch_warned(d, "Casting complex values to real"),
     "a complex addend of a real addmv: PyTorch warns in float16 and not in float32, Karat in neither"),
    (lambda d, c: c.errors is None and shares_with_out(d, c) and (d.kind in ("version", "shares memory with")
        or d.kind == "values" and (op(d) == "kron" or any(f.kind == "version" and f.at == d.at and f.where == d.where
                                                          for f in c.found))),
     "out= is a view and needs more memory than its base has: PyTorch grows the memory of both, Karat gives the result its own"),
    (lambda d, c: d.kind == "version" and c.errors and re.match(r"\"\w+\" not implemented for", c.errors[1])
        and re.match(r"t\d+\[\d+\] [-+*/@%]*= ", d.statement) and d.karat == d.torch + 1,
     "a tensor of a tuple written to: the tuple refuses it afterwards, but PyTorch lacks the kernel and has not written yet"),
    (lambda d, c: d.kind == "version" and op(d) == "nanmean" and "out=" in d.statement and d.torch == d.karat + 1,
     "nanmean into out=: PyTorch writes the sum there and then the quotient, and counts both"),
    (lambda d, c: d.kind == "requires_grad" and op(d) == "matrix_norm" and (d.karat, d.torch) == (True, False) and any(
        0 in c.before[path]["shape"] for path in c.operands),
     "a norm of matrices without elements: PyTorch gives zeros that have no history"),
    (lambda d, c: d.kind == "grad_fn" and op(d) in ("dropout1d", "dropout3d") and "inplace=True" in d.statement
        and d.torch == "SqueezeBackward4",
     "an operator put together from others: its last step, and so the name of the node, is another; gradients are compared"),
    (lambda d, c: d.kind == "strides" and op(d) in ("isfinite", "addr") and c.seen and differ_at_ones(d, c.seen["shape"]),
     "isfinite of integers, and addr, are made like their operand in PyTorch, of which a dim of one element may have any stride"),
    (lambda d, c: only_torch_warned(d, "ComplexHalf support") and re.search(r"view\(.*complex32", "".join(c.program)),
     "complex32 that was made by a view: Karat warns where such memory is made, PyTorch at the first result"),
    (lambda d, c: d.kind == "strides" and born(d) and c.seen and differ_at_ones(d, c.seen["shape"]) and any(
        c.before[path]["shape"] == c.seen["shape"] and not differ_at_ones(d._replace(torch=row_major(c.seen["shape"])),
                                                                          c.seen["shape"]) for path in c.operands),
     "the stride of a dim of one element in what is made like a tensor that is not row-major: no element lies there"),
    (lambda d, c: d.kind == "strides" and born(d) and c.seen and differ_at_ones(d, c.seen["shape"]) and any(
        c.before[path]["conj"] and c.before[path]["strides"] != row_major(c.before[path]["shape"]) for path in c.operands),
     "the stride of a dim of one element in what is made like a tensor that is not row-major: no element lies there"),
    (lambda d, c: d.kind in ("strides", "is_view", "base", "offset") and born(d)
        and any((path, d.kind) in c.settled for path in c.operands),
     "a result that lies as its operand does, which lies otherwise by design"),
    (lambda d, c: d.kind == "grad.version" and re.search(r"\.set_\(|\.data = ", "".join(c.program)) is not None,
     "the version of the gradient of a tensor that got other memory without a record"),
    (lambda d, c: op(d) in ("vmap", "searchsorted") and d.kind == "warnings" and all(
        re.match(r"torch.searchsorted\(\): (input value|boundary) tensor is non-contiguous", text[1])
        for side in more_of(d) for text in side),
     "which of searchsorted's tensors does not lie in rows: PyTorch's examples do, or do not"),
    (lambda d, c: op(d) == "backward" and only_torch_warned(d, "An output with one or more elements was resized"),
     "PyTorch warns of what its derivatives for examples are made of"),
    (lambda d, c: only_torch_warned(d, r"__array(_wrap)?__ "),
     "NumPy warns of the way in which PyTorch takes part in its calls"),
    (lambda d, c: d.kind == "warnings" and op(d) in ("kthvalue", "median", "nanmedian", "mode") and "out=(" in d.statement
        and all(len(side) == 1 and "was resized" in side[0][1] for side in (d.karat, d.torch)),
     "values along a dim into out=: PyTorch names the sizes with that dim, which it takes away afterwards"),
    (lambda d, c: d.kind == "is_view" and op(d) == "copy" and (d.karat, d.torch) == (True, False) and ".parameters())" in
        "".join(c.program),
     "copy.copy of a parameter: formally a view of a tensor of the plain class that nobody else has"),
    (lambda d, c: d.kind == "is_view" and "torch.load(" in d.statement and c.seen and c.seen["conj"],
     "a conjugate that was loaded: formally a view of the memory as it was saved"),
    (lambda d, c: op(d) in ("vmap", "jvp", "searchsorted")
        and only_torch_warned(d, r"torch.searchsorted\(\): input value tensor is non"),
     "PyTorch warns of what its transforms are made of"),
    (lambda d, c: d.kind == "strides" and re.search(r"unfold\(.*isclose\(", "".join(c.program))
        and (op(d) == "isclose" or op(d).endswith("_")),
     "isclose of a tensor that overlaps itself: its last step lies as the one before, which others are"),
    (lambda d, c: d.kind == "version" and op(d) == "randn" and "out=" in d.statement and d.torch == d.karat + 1,
     "randn into an out= that it resizes: PyTorch counts that as a write, as rand and zeros do not"),
    (lambda d, c: d.kind == "is_view" and op(d) == "stack" and (d.karat, d.torch) == (False, True)
        and any(c.before[path]["is_inference"] for path in c.operands),
     "stack of inference tensors where the mode is over: PyTorch takes another way, whose last step is a view of its own result"),
    (lambda d, c: d.kind == "version" and born(d) and 0 in c.seen["shape"] and mentioned(d.statement)
        and isinstance(d.torch, int) and d.karat - d.torch in c.behind.values(),
     "a view without elements of a tensor whose writes PyTorch counted otherwise"),
    (lambda d, c: op(d) == "backward" and only_torch_warned(d, "Casting complex values to real") and re.search(
        r"cum(sum|prod)\(.*dtype=torch\.complex", "\n".join(c.program)),
     "the gradient of a real tensor that was scanned as complex numbers: PyTorch warns of the conversion that it makes itself"),
    (lambda d, c: d.kind == "grad" and op(d) == "backward" and d.torch is None and view_that_is_a_leaf(d, c),
     "a leaf that is a view, and a view of it that was written to where nothing is recorded: PyTorch makes that one's history"
     " from the base of both, which asks for no gradient"),
    (lambda d, c: d.kind == "strides" and op(d) == "backward" and "polar(" in "".join(c.program)
        and d.torch == tuple(2 * step for step in d.karat),
     "the gradient of polar's length is the real part of a product, in PyTorch a view of it"),
    (lambda d, c: d.kind == "is_leaf" and str(d.torch).startswith("RuntimeError: Output 0 of ")
        and "is a view and its base or another view of its base has been modified inplace" in str(d.torch),
     "one of several views whose base was written to: PyTorch refuses to say whether it is a leaf, Karat says so"),
    (lambda d, c: d.kind == "strides" and "autograd.grad(" in d.statement and re.search(r" % |remainder", "".join(c.program)),
     "the gradient of a divisor from autograd.grad lies as the quotient did; .grad has the leaf's layout"),
    (lambda d, c: d.kind == "is_inference" and re.search(r"\.view\((dtype=)?torch\.", d.statement),
     "a view as another dtype: in PyTorch alone it is an inference tensor by the mode and not by its base"),
]
