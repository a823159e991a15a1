"""known_autograd.py - differences that are meant in programs about derivatives: histories, transforms, custom Functions.

In: a Difference of compare.py and the Comparison that found it. Out: AUTOGRAD, for known.py: tests, each with its reason.
"""

import re

from known_errors import case, inference_operand, said
from known_states import differ_at_ones, only_torch_warned
from known_values import every
from statement import born, mentioned, op, operator, plain_op

TRANSFORMS = set("vmap grad grad_and_value vjp jacrev jacfwd jvp linearize hessian jacobian checkpoint".split())
FORWARD = {"jvp", "jacfwd", "linearize", "hessian"}
OVERLOADED = re.compile(r"(squeeze|unsqueeze|t|transpose|swapaxes|swapdims|as_strided|float_power)_$|_foreach_")


def without_number(name):
    return re.sub(r"\d+$", "", str(name))


def by_transform(d):
    """Whether the tensor is what a transform gave."""
    return op(d) in TRANSFORMS and born(d)


def of_transform(d, c):
    """Whether the statement is about what a transform gave."""
    given = {name for line in c.program if operator(line) in TRANSFORMS for name in re.findall(r"(?:^|: )(t\d+) = ", line)}
    return bool(given & set(mentioned(d.statement)))


def bodies(c):
    return "\n".join(line for line in c.program if line.startswith("def "))


def text(c):
    return "\n".join(c.program)


def moved(c):
    """Whether the program gives a tensor other memory or other sizes without a record of it."""
    return re.search(r"\.data = |\.set_\(|\.resize_\(|with torch\.(no_grad|inference_mode)\(\): t\d+\.(un)?squeeze_|_\(.*out=",
                     text(c)) is not None


def same_operand_twice(c):
    """Whether a function of the program writes over an operand that stands in the call twice: x.mul_(x)."""
    return re.search(r"\b([xu]\d*)\.(mul|addcmul|div|lerp|copy|sub|add)_\((.*\b)?\1\b|\b([xu]\d*) [-*+/]= \4\b",
                     bodies(c)) is not None


def same_but_overload(karat, torch):
    """Whether two texts are the same but for the number behind a node's name."""
    return re.sub(r"Backward\d+", "Backward", karat) == re.sub(r"Backward\d+", "Backward", torch)


PART_OF_A_TRANSFORM = ("what a transform gives, formally: a view, its base, its layout, the writes that made it and the name of"
                       " its node")

def linearized(c):
    return "torch.func.linearize(" in text(c)


AUTOGRAD = [
    (lambda d, c: op(d) == "backward" and linearized(c) and d.kind in ("values", "grad", "made by one side"),
     "what linearize gives, differentiated by the point: PyTorch's is a program of constants, Karat's follows the point"),
    (lambda d, c: d.kind in ("values", "shape") and op(d) in TRANSFORMS and "as_strided_(" in bodies(c),
     "as_strided_ inside a transform: PyTorch changes the sizes of what stands for the tensor, and not those of its level"),
    (case("raised by torch", "^invalid index of a 0-dim tensor|^tangent:0 with shape", ops="linearize"),
     "linearize where the mode of inference is on: PyTorch's tracer fails inside"),
    (case("error text", "leaf Variable that requires grad is being used in an in-place", "^setStorage: ", " ".join(TRANSFORMS)),
     "an in-place view of a captured leaf beyond its memory: both reasons hold"),
    (case("error text", "is a view and its base or another view of its base has been modified inplace", "^view_as_real is only",
          "view_as_real"),
     "view_as_real of real numbers, one of several views whose base was written to: both reasons hold"),
    (lambda d, c: d.kind in ("dtype", "grad.dtype") and op(d) == "backward" and re.search(r"\.data = ", text(c)) is not None,
     "a tensor of the graph got memory of another dtype without a record: which of the two its gradient has"),
    (case("error text", "^accessing `data` under vmap transform is not allowed",
          "^Cannot access data pointer of Tensor that doesn't have storage", " ".join(TRANSFORMS)),
     "x.data of an example: both refuse, in other words"),
    (case("error text", "^a leaf Variable that requires grad is being used", "^a view of a leaf Variable that requires grad is",
          " ".join(TRANSFORMS)),
     "a captured leaf that a transform's function writes to through what it was given, which is a view of it in Karat"),
    (case(("error text", "error type"), "", "^a leaf Variable that requires grad is being used in an in-place",
          "linearize hessian"),
     "a function that writes to its argument and fails later: Karat refuses the write, PyTorch goes on to the other mistake"),
    (case("error text", "^a leaf Variable that requires grad has been used", "^A view was created in (no_grad|inference) mode",
          "apply"),
     "a Function that writes to a view of a leaf that was made where nothing is recorded: both reasons hold"),
    (case("raised by karat", karat="^one of the variables needed for gradient computation", ops="jvp linearize jacfwd",
          also=lambda d, c: same_operand_twice(c)),
     "x.mul_(x) in forward mode where backward is recorded, too: Karat has no operand left to read, PyTorch's tangent is wrong"),
    (case("raised by karat", karat="^During a grad \\(vjp, jvp, grad, etc\\) transform|^one of the variables needed for gradient",
          ops=" ".join(TRANSFORMS), also=lambda d, c: "_foreach_" in bodies(c)),
     "a list operator that writes to a captured or saved tensor inside a transform: PyTorch does not look"),
    (case("raised by karat", karat="^one of the variables needed for gradient computation", ops="backward",
          also=lambda d, c: "repeat_interleave(" in text(c)),
     "the repeats of repeat_interleave, written to: PyTorch saves what it has made of them"),
    (lambda d, c: d.kind in ("base", "grad.base") and op(d) == "backward",
     "whether a gradient is formally a view of an inner temporary that nobody else has"),
    (lambda d, c: d.kind == "base" and born(d) and "a tensor without a name" in (d.karat, d.torch) and any(
        f.kind == "is_view" and f.at == d.at for f in c.found),
     "whether a result is formally a view of an inner temporary that nobody else has"),
    (lambda d, c: d.kind == "grad_fn" and of_transform(d, c) and {d.karat, d.torch} == {"AsStridedBackward0",
                                                                                       "torch::autograd::CopySlices"},
     PART_OF_A_TRANSFORM),
    (lambda d, c: d.kind == "grad_fn" and without_number(d.karat) == without_number(d.torch) and (
        OVERLOADED.search(op(d)) or re.search(r"_foreach_|squeeze_|t_\(|transpose_", text(c))),
     "the number in a node's name counts PyTorch's overloads: in-place views and lists of tensors have their own"),
    (lambda d, c: d.kind in ("base", "is_view", "strides") and of_transform(d, c), PART_OF_A_TRANSFORM),
    (lambda d, c: d.kind == "version" and op(d) in TRANSFORMS and not born(d) and re.search(r"\w_\(|[-+*/]= |\] = ", bodies(c)),
     "the writes of a transform's function to what it was given: PyTorch counts those of the operators its rules are made of"),
    (lambda d, c: by_transform(d) and (d.kind in ("is_view", "base", "strides", "offset", "grad_fn", "shares memory with",
                                                  "same object as") or d.kind == "version"), PART_OF_A_TRANSFORM),
    (lambda d, c: op(d) in TRANSFORMS and only_torch_warned(
        d, r"`torch\.jit\.script`|.*There is a performance drop|Attempted to insert a get_attr|.*torch\.utils\.checkpoint"),
     "PyTorch warns of what its transforms are made of"),
    (lambda d, c: d.kind == "dtype" and op(d) == "vmap" and re.search(r"\b(addbmm|addmm|addmv|baddbmm|addr)\(", d.statement)
        and re.match("u?int", str(d.karat)) is not None,
     "a product of integers for examples: PyTorch makes it of a sum and multiples, and not of their dtype as without examples"),
    (lambda d, c: d.kind == "dtype" and op(d) in TRANSFORMS and "frexp(" in d.statement
        and (d.karat, d.torch) in (("bfloat16", "float32"), ("float16", "float32")),
     "the mantissa's derivative along a direction: PyTorch's formula leaves the narrow dtype, Karat's does not"),
    (lambda d, c: d.kind == "dtype" and op(d) in FORWARD and (d.karat, d.torch) == ("float32", "float64")
        and c.seen["shape"] == (),
     "a number's derivative along a direction: PyTorch's tangents of tensors without dims take the dtype of Python's numbers"),
    (lambda d, c: d.kind == "grad_fn" and op(d) in TRANSFORMS and not born(d) and re.search(r"\w_\(|[-+*/]= |\] = ", bodies(c)),
     "the writes of a transform's function to what it was given: PyTorch counts those of the operators its rules are made of"),
    (lambda d, c: d.kind == "requires_grad" and by_transform(d) and (d.karat, d.torch) == (False, True)
        and ".data" in bodies(c),
     "a derivative that does not depend on a captured tensor: PyTorch's zeros ask for a gradient all the same"),
    (case("error text", "leaf Variable that requires grad is being used in an in-place", "", " ".join(TRANSFORMS)),
     "a function that writes to its argument and fails earlier for its examples: both reasons hold"),
    (lambda d, c: d.kind == "is_leaf" and all(
        str(x).startswith("RuntimeError: A view was created in ") for x in (d.karat, d.torch)),
     "a Function's view that was made where nothing is recorded: both reasons hold"),
    (case("error text", "is a view and is being modified inplace", "is being modified inplace in normal mode"),
     "a Function's view that was made where nothing is recorded: both reasons hold"),
    (lambda d, c: d.kind == "requires_grad" and by_transform(d) and 0 in c.seen["shape"],
     "a derivative without elements: whether it has a history"),
    (lambda d, c: d.kind == "requires_grad" and by_transform(d) and (d.karat, d.torch) == (True, False),
     "a derivative that is 0 or does not depend on a captured tensor: Karat keeps its history all the same"),
    (lambda d, c: d.kind == "shares memory with" and op(d) in ("reshape", "flatten", "ravel") and of_transform(d, c),
     PART_OF_A_TRANSFORM),
    (case("raised by karat", karat="^element 0 of tensors does not require grad", ops="grad grad_and_value",
          also=lambda d, c: "inference_mode" in text(c)),
     "a transform where the mode of inference is on, which records nothing: PyTorch gives zeros, Karat refuses"),
    (case("raised by torch", "^Vmap does not currently support same randomness with a batched tensor input", ops="vmap"),
     "PyTorch lacks a rule for examples, or has one that fails on examples without dims; Karat computes"),
    (lambda d, c: d.kind == "grad.shape" and re.search(r"inputs=\[", text(c))
        and re.search(r"\b(transpose|swapaxes|t|squeeze)_\(", text(c)),
     "a gradient that inputs= left at a result which was then given other dims in place: how the next one is added to it"),
    (lambda d, c: d.kind == "requires_grad" and by_transform(d) and (d.karat, d.torch) in ((False, True), (True, False))
        and (op(d) in FORWARD | {"hessian", "jacrev"} or re.search(r": torch\.func\.(jvp|jacfwd)", d.statement)),
     "a derivative that does not depend on a captured tensor: PyTorch's zeros ask for a gradient all the same"),
    (case("raised by torch", r"^Batching rule not implemented|^vmap: (We do not support|It looks like|aten::|inplace)|^You tried "
          r"to vmap over|^Trying to use forward AD with|^Dimension out of range|^iteration over a 0-d|^Cannot access data",
          ops=" ".join(TRANSFORMS)),
     "PyTorch lacks a rule for examples, or has one that fails on examples without dims; Karat computes"),
    (case("raised by torch", r"^Dimension out of range|^iteration over a 0-d", also=lambda d, c: "torch.func." in d.statement),
     "PyTorch lacks a rule for examples, or has one that fails on examples without dims; Karat computes"),
    (lambda d, c: d.kind in ("error text", "error type") and op(d) in TRANSFORMS and re.search(
        r"^t\d+ = torch\.(func\.)?vmap\(|torch\.(func\.)?vmap\(torch\.func|torch\.func\.(jvp|jacfwd|hessian|linearize)",
        d.statement) is not None,
     "both refuse a function of examples, each at what its rules do not take"),
    (case(("error text", "error type"), r"^vmap: |^Batching rule|^Dimension out of range|^You tried to vmap",
          ops=" ".join(TRANSFORMS)),
     "both refuse a function of examples, each at what its rules do not take"),
    (lambda d, c: d.kind == "values" and op(d) in FORWARD and same_operand_twice(c),
     "x.mul_(x) in forward mode: PyTorch writes x, or its tangent, before it has read it for the other factor"),
    (lambda d, c: d.kind == "strides" and op(d) == "apply" and c.seen and differ_at_ones(d, c.seen["shape"]),
     "an input that a Function returns as it is: PyTorch's view of it is made anew, and a dim of one element has any stride"),
    (lambda d, c: d.kind == "shape" and op(d) in TRANSFORMS and "squeeze_(" in bodies(c),
     "squeeze_ of a tensor without examples inside a vmap over one example: PyTorch squeezes the examples' dim too"),
    (lambda d, c: op(d) == "resize_" and d.kind in ("values", "shares memory with"),
     "resize_ beyond the memory: PyTorch grows what all views look into, Karat gives the tensor memory of its own"),
    (lambda d, c: d.kind == "grad" and d.torch is None and re.search(r"inputs=\[", text(c)),
     "the gradient that backward(inputs=) left at a result: PyTorch forgets it when the result is written to"),
    (case("raised by torch", "^one of the variables needed for gradient computation has been modified"
          "|^Output \\d+ of \\w+ is a view and its base or another view of its base has been modified inplace", ops="backward",
          also=lambda d, c: re.search(r"index_add_\(", text(c)) is not None),
     "index_add: PyTorch saves the source, and looks at it, for its sizes alone"),
    (case("raised by torch", "^one of the variables needed for gradient computation has been modified|^Trying to backward through"
          " the graph a second|^When use_reentrant=True", ops="backward", also=lambda d, c: "inputs=[" in d.statement),
     "a result that inputs= names and that is itself a root: PyTorch runs its Function, Karat ends before it"),
    (case("raised by karat", karat="^Inplace update to inference tensor", also=inference_operand),
     "detach of an inference tensor: PyTorch gives what it gives a counter, and it is an inference tensor all the same"),
    (case("raised by torch", "^element 0 of tensors does not require grad", ops="backward",
          also=lambda d, c: "inference_mode" in text(c)),
     "a leaf of inference mode that asks for a gradient: PyTorch forgets that it does where it is used, Karat gives it one"),
    (case("error text", r"leaf Variable", r"^t_\(\) expects a tensor with <= 2", "t_"),
     "a leaf of more than two dims: PyTorch names the leaf first, Karat the dims"),
    (case("error text", "^If your Function modifies inplace an input that is a view", "is a view and is being modified inplace"),
     "a Function of two results that writes to one of several views: both reasons hold"),
    (case("raised by torch", "single memory location", also=of_transform),
     "what a transform gave is written to: PyTorch's is formally an expanded part of a temporary"),
    (case("raised by torch", r"^Output \d+ of \w+ is a view and is being modified inplace|^A view was created in no_grad mode",
          also=lambda d, c: re.search(r"torch\.func\.|autograd\.functional", text(c)) is not None),
     "what a transform gave is written to: PyTorch's is formally a part of a temporary that nobody else has"),
    (case(("raised by torch", "error text"), r"^Function \S+ returned an invalid gradient|^output with shape|^One of the "
          r"differentiated Tensors|^The size of tensor a|must match the size|^shape .* is invalid|^expand\(|^The expanded s",
          ops="backward", also=lambda d, c: moved(c)),
     "a tensor of the graph got other sizes without a record: PyTorch finds it at another place, or not at all"),
    (lambda d, c: d.kind in ("grad.shape", "grad") and op(d) == "backward" and moved(c),
     "a leaf that got other sizes without a record: the node that collects PyTorch's gradient keeps those that it was made with"),
    (case("raised by torch", "leaf Variable that requires grad is being used in an in-place", ops=" ".join(TRANSFORMS)),
     "x.data of a level of forward mode: PyTorch's is still the leaf that lies behind it"),
    (lambda d, c: d.kind == "error text" and same_but_overload(said(d.karat), said(d.torch)),
     "the number in a node's name counts PyTorch's overloads: in-place views and lists of tensors have their own"),
    (lambda d, c: d.kind == "is_leaf" and all(
        str(x).startswith("RuntimeError: A view was created in no_grad mode") for x in (d.karat, d.torch)),
     "a Function's view that was made where nothing is recorded: both reasons hold"),
    (case("error text", r"^A view was created in no_grad mode|^If your Function modifies",
          r"^A view was created in (no_grad|inference) mode"),
     "a Function's view that was made where nothing is recorded: both reasons hold"),
    (case("error text", r"is being modified inplace", r"its base or another view of its base has been modified inplace",
          "t_ transpose_ swapaxes_ swapdims_ squeeze_ unsqueeze_ as_strided_"),
     "an in-place view of a view whose base was written to: both reasons hold"),
    (case("error text", "is a view and is being modified inplace", "^setStorage: ", "as_strided_"),
     "an in-place view of a Function's view beyond its memory: both reasons hold"),
    (case("error text", "^one of the variables needed for gradient", "^Trying to backward through the graph a second time",
          "backward", lambda d, c: "_foreach_" in text(c) and "save_for_backward" in text(c)),
     "a second walk through what a Function saved and a list wrote to: both reasons hold"),
    (case("error text", "^TensorAccessor expected 1 dims but tensor has", "^(weight|bias|running_\\w+) should contain",
          "native_batch_norm batch_norm"),
     "a weight that is no vector: PyTorch fails inside, Karat says what it should be"),
    (case("error text", "^setStorage: ", "^setStorage: ", " ".join(TRANSFORMS)),
     "an in-place view beyond the memory inside a transform: each names the part that it looks at"),
    (lambda d, c: d.kind == "error text" and re.sub(r"which is output \d+ of \w+, ", "", said(d.karat)) == said(d.torch),
     "a tensor that nothing flows to was saved and written to: Karat names the node that it stands beside"),
    (lambda d, c: d.kind == "warnings" and op(d) == "zero_grad" and not d.torch and all(
        "that is not a leaf Tensor is being accessed" in warned[1] for warned in d.karat) and "no_grad" in text(c),
     "a view of a leaf that was made where nothing is recorded, as a parameter: PyTorch takes it for a leaf until somebody asks"),
    (lambda d, c: d.kind == "error type" and "its base or another view of its base has been modified inplace" in said(d.torch)
        and re.match(r'"\w+" not implemented for', said(d.karat)) is not None,
     "one of several views whose base was written to, of a dtype without a kernel: both reasons hold"),
    (case("error text", "leaf Variable that requires grad", "^setStorage: ", "as_strided_"),
     "an in-place view of a leaf beyond its memory: both reasons hold"),
    (lambda d, c: d.kind == "warnings" and c.errors and op(d) == "backward" and not d.torch
        and all("create_graph=True" in warned[1] for warned in d.karat),
     "both refuse: Karat has warned of create_graph=True before it has looked at the roots"),
    (lambda d, c: d.kind == "version" and op(d) == "backward" and re.search(r"lambda g: g\.mul_\(", text(c)),
     "a gradient that a hook wrote to: whether it is the tensor that was given or a copy of it"),
    (case("raised by karat", "", "leaf Variable that requires grad is being used in an in-place", "linearize"),
     "linearize of a function that writes to its argument: PyTorch runs it twice over the same memory, Karat refuses"),
    (case("raised by torch", "^(a leaf|unsupported operation: (more than one|some) element|SmallVector unable to grow|Trying to "
          "set a f"
          "orward|Cannot set version_counter|Expected primal to be)", ops=" ".join(TRANSFORMS)),
     "PyTorch fails inside a transform"),
    (lambda d, c: d.kind == "is_inference" and ".data = " in d.statement,
     "data = of an inference tensor: in Karat it stays one, in PyTorch it is what was given"),
    (lambda d, c: plain_op(d) in ("neg", "negative") and every(lambda x, y, gap: gap.complex & (x == 0) & (y == 0))(d, c),
     "the sign of a zero part: PyTorch's vector loop and its loop for the rest differ"),
    (case("raised by karat", "", "^a leaf has got other sizes than those that its gradient has|^Trying to backward through the "
          "graph a second|^one of the variables needed|^The size of tensor a", "backward", lambda d, c: moved(c)),
     "a tensor of the graph got other memory without a record: Karat refuses where its gradient no longer fits"),
    (lambda d, c: d.kind in ("shape", "made by one side") and op(d) == "backward" and moved(c),
     "a tensor of the graph got other memory without a record: which sizes its gradient has"),
    (case("raised by torch", "^(Function \\w+ returned an )?invalid gradient at index", ops="backward",
          also=lambda d, c: re.search(
        r"no_grad\(\): t\d+\.\w+_\(|inference_mode\(\): t\d+\.\w+_\(|\.data = ", text(c)) is not None),
     "a leaf that got other sizes without a record: the node that collects PyTorch's gradient keeps those that it was made with"),
    (case("raised by torch", "^leaf variable has been moved into the graph interior", ops="backward"),
     "a leaf that was used, detached and written to: PyTorch's node of the leaf is still in the graph, Karat's is let go"),
]
