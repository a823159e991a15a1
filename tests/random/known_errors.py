"""known_errors.py - refusals that differ from PyTorch's and are meant to: each a test and the reason in a sentence.

In: a Difference of compare.py and the Comparison that found it. A test names the operators, what either side says, and where the
text alone would not tell, the condition under which the difference is meant.
"""

import re

from statement import mentioned, op, operator

BOTH = ("error text", "error type")  # both sides refuse, in other words
LACKS = r"^\"\w+\" not implemented for '"


def said(error):
    """The text of an error: a difference of types has both, one of texts the text alone."""
    return (error[1] if isinstance(error, tuple) else error) or ""


def case(kinds, torch="", karat="", ops=None, also=None):
    """A difference of one of the kinds, by an operator among ops, where both texts match, and also(d, c) holds."""
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    ops = set(ops.split()) if ops else None

    def test(d, c):
        if d.kind not in kinds or not (ops is None or op(d) in ops or op(d).rstrip("_") in ops):
            return False
        return bool(re.search(torch, said(d.torch)) and re.search(karat, said(d.karat)) and (also is None or also(d, c)))
    return test


def named_otherwise(d, c):
    """Whether the texts are the same but for the type of a dtype object, which lives in its own module."""
    return said(d.karat).replace("karat.dtype", "torch.dtype") == said(d.torch)


INNER = {"cross_entropy_loss": "cross_entropy", "nll_loss_nd": "nll_loss", "feature_alpha_dropout_": "feature_alpha_dropout",
         "_consecutive_return_output": "unique_consecutive", "_return_output": "unique", "dropout_": "dropout",
         "_consecutive_return_counts": "unique_consecutive", "_return_counts": "unique", "_unique_impl": "unique",
         "_consecutive_return_inverse": "unique_consecutive", "_return_inverse": "unique",
         "_unique_consecutive_impl": "unique_consecutive",
         "alpha_dropout_": "alpha_dropout", "feature_dropout_": "dropout2d", "feature_dropout": "dropout2d"}


def inner_name(d, c):
    """Whether the texts are the same but for PyTorch's inner function, which its Python function passes arguments on to."""
    name = re.match(r"\w+", said(d.torch))
    ours = said(d.karat).replace("karat.dtype", "torch.dtype")
    return bool(name) and re.match(INNER.get(name.group(0), "(?!)") + r"\b", ours) is not None \
        and re.sub(r"^\w+", "", said(d.torch)) == re.sub(r"^\w+", "", ours)


def stale_view(d, c):
    """Whether what is written to was derived from another tensor and did not ask for a gradient when it was made."""
    target = re.search(r"\bt\d+", re.sub(r"^(with [^:]+: )?t\d+ = ", "", d.statement)).group(0)
    made = [line for line in c.program if re.search(rf"(^|: ){target} = ", line)]
    return bool(made) and "requires_grad" not in made[-1]


def same_elements(d, c):
    """Whether the texts are the same but for the sizes of a saved tensor, which have as many elements."""
    shapes = [re.search(r"(?:Tensor|Type) \[([\d, ]*)\]", said(x)) for x in (d.karat, d.torch)]
    if not all(shapes):
        return False
    counts = []
    for shape in shapes:
        n = 1
        for size in shape.group(1).split(", "):
            n *= int(size or 1)
        counts.append(n)
    rest = [re.sub(r"(Tensor|Type) \[[\d, ]*\]", "", said(x)) for x in (d.karat, d.torch)]
    return counts[0] == counts[1] and rest[0] == rest[1]


def node_alone(d, c):
    """Whether the texts are the same but for the node that made what was written to."""
    return len({re.sub(r"which is output \d+ of \w+", "", said(x)) for x in (d.karat, d.torch)}) == 1


def out_is_operand(d, c):
    out = re.search(r"out=(t\d+)", d.statement)
    return bool(out) and len(re.findall(rf"\b{out.group(1)}\b(?! = )", d.statement)) > 1


def same_places(d, c):
    """Whether two operands have the same elements in the same places, and other strides in dims of one element alone."""
    seen = [c.before[path] for path in operands(d, c)]
    if re.match(r"t\d+(\[\d+\])?\[.*\] \W*= ", d.statement) and all(set(one["shape"]) <= {1} for one in seen):
        return len({(one["shares memory with"], one["offset"]) for one in seen}) == 1
    return any(a["shape"] == b["shape"] and a["offset"] == b["offset"] and a["strides"] != b["strides"]
               and a["shares memory with"] == b["shares memory with"] is not None
               and all(x == y or size == 1 for x, y, size in zip(a["strides"], b["strides"], a["shape"]))
               for i, a in enumerate(seen) for b in seen[:i])


def value_is_target(d, c):
    """Whether an index assigns a tensor, or one element of its memory, to itself."""
    written = re.match(r"(t\d+)\[.*\] ([-+*/]?)= ((t\d+)(?:\[\d+\])?)$", d.statement)
    if written is None or written.group(1) != written.group(3):
        return written is not None and together(c, written.group(1), written.group(4)) and all(
            size == 1 for size in c.before.get(written.group(3), {}).get("shape", (0,)))
    return not written.group(2) or any(1 in shape for shape in shapes(d, c))


def empty_operand(d, c):
    """Whether the program has a tensor without elements."""
    return re.search(r"zeros\(\[[^)]*\b0\b|narrow\(\d, \d, 0\)", "".join(c.program)) is not None


def shapes(d, c):
    """The sizes of the statement's operands."""
    return [c.before[path]["shape"] for path in operands(d, c)]


def operands(d, c):
    """The paths of the tensors in a statement, in what was seen before it."""
    named = set(mentioned(d.statement))
    return [path for path in c.before if re.match(r"t\d+", path) and re.match(r"t\d+", path).group(0) in named]


def no_elements(d, c):
    """Whether an operand of the statement has no elements; where nobody looked, whether the program has such a tensor."""
    return any(0 in shape for shape in shapes(d, c)) if c.before else empty_operand(d, c)


DTYPES = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Bool": "bool", "Byte": "uint8",
          "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "ComplexHalf": "complex32",
          "ComplexFloat": "complex64", "ComplexDouble": "complex128"}


def lacks_for_operand(d, c):
    """Whether the dtype that PyTorch lacks the kernel for is that of an operand, or one that the statement names; of a backward
    that of any of the program's tensors. Where nobody looked, it must at least be one that the program names."""
    name = re.search(r"not implemented for '(\w+)'", said(d.torch)).group(1)
    dtype = DTYPES.get(name, name.lower())
    paths = c.before if op(d) == "backward" else operands(d, c)
    if name == "ComplexHalf" and "float16" in {c.before[path]["dtype"] for path in paths}:
        return "j" in d.statement or any(c.before[path]["dtype"].startswith("complex") for path in paths)
    if dtype in {c.before[path]["dtype"] for path in paths} or f"torch.{dtype}" in d.statement:
        return True
    return not c.before and (f"torch.{dtype}" in "".join(c.program) or dtype in ("float32", "int64", "bool", "complex64"))


def writes(statement):
    """The name of the tensor that a statement writes to, or None."""
    body = re.sub(r"^with [^:]+: ", "", statement)
    first = r"(?:t\d+ = )?(?:(?:torch|F)\.\w+_\()?(t\d+)(?:\[[^\]]*\])*(?:\.\w+_\(| [^=]*= |[,)])"
    found = re.search(r"\bout=(t\d+)", body) or re.match(first, body)
    return found.group(1) if found and (operator(statement).endswith(("_", "=")) or "out=" in body) else None


def together(c, one, other):
    """Whether two names are one tensor, or share memory as far as somebody looked."""
    families = [{p["shares memory with"] for path, p in c.before.items() if re.match(rf"{name}\b", path)} - {None}
                for name in (one, other)]
    return one == other or bool(families[0] & families[1])


def written_after(c, of, results):
    """Whether an operand, or a result, of one of the operators was written to after the call."""
    for i, line in enumerate(c.program):
        if operator(line).rstrip("_") not in of:
            continue
        names = set(mentioned(line)) | (set(re.findall(r"(?:^|: )(t\d+) = ", line)) if results else set())
        if any(together(c, writes(later), name) for later in c.program[i + 1:] if writes(later) for name in names):
            return True
    return False


def saved_in_vain(d, c):
    """Whether PyTorch's derivative saved a result that it does not read here, or an operand that it asks for its sizes alone."""
    return "output 0 of SgnBackward0," in said(d.torch) or written_after(c, {"ldexp", "bilinear", "scatter_reduce"}, True) \
        or any(operator(line) == "scatter_reduce_" for line in c.program)


def product_over_itself(d, c):
    """Whether a product was written over memory that one of its factors shares, and the factor saved."""
    for line in c.program:
        target = writes(line)
        if target and operator(line) in ("addr_", "addmv_", "addmm_", "addbmm_", "baddbmm_") \
                and any(together(c, target, name) for name in mentioned(line)[1:]):
            return True
    return False


def target(d):
    """What a statement writes to, as it stands there: t8[0][1:, 0] of t8[0][1:, 0] = t10."""
    return writes(d.statement) or ""


def made_by(c, name):
    """The line that made a tensor."""
    return next((line for line in reversed(c.program) if re.search(rf"(^|: ){name} = ", line)), "")


def inference_operand(d, c):
    """Whether the statement has an inference tensor; where nobody looked, whether the program made one."""
    return any(c.before[path]["is_inference"] for path in operands(d, c)) if c.before else "inference_mode" in "".join(c.program)


def inference_target(d, c):
    """Whether what the statement writes to is an inference tensor."""
    paths = [path for path in c.before if re.match(rf"{target(d)}\b", path)] if target(d) else []
    return any(c.before[path]["is_inference"] for path in paths) if c.before else "inference_mode" in "".join(c.program)


def of_at_most_one(d, c):
    """Whether an operand of the statement is one number or has no elements; where nobody looked, anything may be."""
    named = set(mentioned(d.statement))
    shapes = [seen["shape"] for path, seen in c.before.items() if re.match(r"\w+", path).group(0) in named]
    return any(len(shape) == 0 or 0 in shape for shape in shapes) if c.before else True


def several_ellipses(d):
    return len(re.findall(r"\.\.\.", d.statement)) > 1


def not_resizable(d, c):
    """Whether both refuse a statement since memory that NumPy looks into cannot be resized."""
    return bool(c.errors) and c.errors[1] == "Trying to resize storage that is not resizable"


NO_KERNEL = "PyTorch lacks the kernel for this dtype; Karat computes (DESIGN: does better where a kernel is missing)"
NO_KERNEL_YET = "PyTorch stops at a kernel that it lacks for this dtype; Karat has it, goes on and finds the call's other mistake"
EMPTY = "PyTorch fails inside on an empty operand or an empty dim=; Karat gives the result that the definition gives"
NO_DERIVATIVE = "PyTorch has no derivative here and says so in backward; Karat has one"

ERRORS = [
    # ---- the operator is there for more dtypes
    (case("raised by torch", LACKS, also=lacks_for_operand), NO_KERNEL),
    (case(BOTH, LACKS + r"(Float8_\w+|UInt16|UInt32|UInt64|Bool|Half|BFloat16|ComplexHalf)'$", f"^(?!{LACKS[1:]})"),
     NO_KERNEL_YET),
    (case("raised by torch", "^linalg.vander supports floating point, complex, and integer tensors, but got", ops="vander"),
     NO_KERNEL),
    (case("error text", "^linalg.vander supports floating point, complex, and integer tensors, but got", "^N must be greater",
          "vander"), NO_KERNEL_YET),
    (case("error type", LACKS + "Complex(Float|Double)'$", "without overflow$|^step must be|^upper bound|^unsupported range",
          "arange"), NO_KERNEL_YET),
    (case(("raised by karat",) + BOTH, karat="^Unsupported input type encountered for isin\\(\\): ComplexHalf", ops="isin"),
     "isin of complex32: PyTorch refuses the other complex dtypes, forgets this one and then lacks the kernel but for a number"),
    (case("raised by torch", r"^std_var_all: Unsupported dtype|^Unsupported dtype Float8"), NO_KERNEL),
    (case("raised by torch", r"^Promotion for (Float8 Types|uint16, uint32, uint64 types) is not supported",
          ops="nanmean vander renorm"), NO_KERNEL),
    (case("error text", LACKS + "Bool'", LACKS + "Bool'", "inner tensordot bilinear"),
     "a product of bools made of another one: PyTorch lacks the kernel of dot or bmm, Karat that of mm, which it takes"),
    (case("error text", "^\"bernoulli_tensor_cpu_self_\" not implemented for '(Float8_\\w+|UInt16|UInt32|UInt64)'$",
          "^\"bernoulli_tensor_cpu_p_\" not implemented for '", "bernoulli"), NO_KERNEL_YET),
    (case("error type", "^aminmax not implemented for Complex", LACKS + "Complex", "aminmax"),
     "aminmax(dim=) of a complex number: PyTorch refuses a 0-dim tensor in other words than every other tensor"),
    # ---- gradients
    (case("raised by torch", "does not support automatic differentiation for outputs with complex dtype"),
     "PyTorch has no complex derivative here; Karat has"),
    (case("error type", "does not support automatic differentiation for outputs with complex dtype", LACKS + "Complex"),
     "neither has the operator for complex numbers: PyTorch says first that it would have no derivative"),
    (case(("raised by torch",) + BOTH, "^Autograd not support dtype"),
     "a gradient through an integer result: Karat's integers carry none, PyTorch refuses"),
    (case(("raised by torch",) + BOTH, r"^derivative for aten::(remainder|aminmax|narrow_copy|floor_divide_?) is not implemented"
          r"|^the derivative for '(inplace version of (atanh|acosh|asinh)|_cdist_backward|igammac?: input)' is not implemented",
          ops="backward"),
     NO_DERIVATIVE),
    (case("raised by torch", "^Expected a proper Tensor but got None", ops="backward",
          also=lambda d, c: re.search(r"\bdist\(.*p=0(\.0)?\)", "\n".join(c.program))),
     "the gradient of dist with p=0, which is 0 everywhere: PyTorch negates what it did not make, and fails inside"),
    (case("raised by torch", r"^Function \w+ returned an invalid gradient at index \d - got .* but expected shape compatible",
          ops="backward", also=lambda d, c: re.search(
              r"(no_grad\(\)|inference_mode\(\)|set_grad_enabled\(False\)): .*out=t", "\n".join(c.program))),
     "a leaf that out= resized where nothing is recorded: the gradient of a view that was made before fits it no longer"),
    (case("raised by torch", "^A view was created in no_grad mode and is being modified inplace",
          also=lambda d, c: "autograd.grad(" in made_by(c, target(d))),
     "a gradient that is written to: PyTorch's may be a view of a temporary that nobody else has, which it then cannot follow"),
    (case("raised by karat", karat="^one of the variables needed for gradient computation has been modified", ops="backward",
          also=lambda d, c: written_after(c, {"polar"}, False)),
     "polar's slope: Karat reads the operands, PyTorch the result"),
    (case("raised by torch", "^one of the variables needed for gradient computation has been modified", ops="backward",
          also=lambda d, c: "output 0 of PolarBackward0," in said(d.torch)),
     "polar's slope: Karat reads the operands, PyTorch the result"),
    (case("raised by torch", r"^Function Scatter(Add|Reduce)?Backward0 returned an invalid gradient at index \d - got"
          r"|^The size of tensor a \(\d+\) must match the size of tensor b \(\d+\) at non-singleton dimension", ops="backward",
          also=lambda d, c: "scatter" in "".join(c.program)),
     "scatter with an index smaller than src: PyTorch's gradient of src has the index's sizes and fails, Karat's has src's"),
    (case(("raised by torch",) + BOTH, "^one of the variables needed for gradient computation has been modified", ops="backward",
          also=saved_in_vain),
     "PyTorch saves, and looks at, a result or operand that was written to and that Karat's derivative of sgn, scatter_reduce,"
     " bilinear or ldexp does not read"),
    (case("raised by torch", "^one of the variables needed for gradient computation has been modified"
          "|^A view was created in no_grad|^Output \\d+ of \\w+ is a view and its base", ops="backward",
          also=product_over_itself),
     "a product written over memory that a factor shares: Karat saved the factor as it was, PyTorch finds it written to"),
    (case("raised by torch", "Expected isFloatingType|expected scalar type|Found dtype|result type .* can't be cast"
          "|^Subtraction, the `-` operator, with (a|two) bool tensor|^Negation, the `-` operator, on a bool tensor"
          "|^masked_scatter: expected self and source to have same dtypes|^Promotion for uint16, uint32, uint64 types",
          ops="backward"),
     "PyTorch fails inside in a backward of mixed dtypes; Karat's conversions are recorded and have a backward"),
    (case("raised by torch", "^index_fill_\\(\\): Expected dtype int64 for index", ops="backward",
          also=lambda d, c: "index_reduce" in "".join(c.program)),
     "the backward of index_reduce by int32: PyTorch fails inside, which takes int64 alone"),
    (case("error text", "one of the variables needed for gradient", "one of the variables needed for gradient", "backward",
          same_elements),
     "a batch that is multiplied by a matrix: PyTorch saves it flattened, and names those sizes"),
    (case("raised by karat", karat="^one of the variables needed for gradient computation has been modified", ops="backward",
          also=lambda d, c: "kron(" in "".join(c.program)),
     "an operand of kron that was written to: PyTorch forgets to look and its gradient is that of the new values; Karat refuses"),
    (case(("raised by torch",), "^Function torch::autograd::CopySlices returned an invalid gradient", ops="backward",
          also=lambda d, c: "scatter" in "".join(c.program)),
     "scatter with an index smaller than src: PyTorch's gradient of src has the index's sizes and fails, Karat's has src's"),
    (case("raised by torch", "^Tensor must have a last dimension with stride 1$", ops="backward"), EMPTY),
    (case("raised by torch", "^unsupported operation: more than one element of the written-to tensor", ops="backward",
          also=lambda d, c: "expand" in "".join(c.program)),
     "the backward of a write into an expanded tensor: PyTorch writes 0 into the gradient, which is expanded too, and fails"),
    (case("raised by karat", karat="^one of the variables needed for gradient computation has been modified"
          "|^Trying to backward through the graph a second time", ops="backward",
          also=lambda d, c: re.search(r"matmul\(|linear\(| @ ", "".join(c.program))),
     "a product of batches that broadcast: PyTorch multiplies and saves copies, and its last node is a view that saves nothing"),
    (case("raised by karat", karat="^Trying to backward through the graph a second time", ops="backward",
          also=lambda d, c: "trapezoid(" in "".join(c.program) or "trapz(" in "".join(c.program)),
     "a second walk through trapezoid: its factor dx / 2 is a number in PyTorch's node, in Karat's a tensor that was let go"),
    (case(BOTH, "^Inference tensors cannot be saved for backward", "size|shape|must be a matrix|must be a 3D|dtype",
          also=inference_operand),
     "an inference tensor that would be saved, and sizes or dtypes that do not fit: PyTorch saves before it looks at those"),
    (case("error text", r"^Function \w+ returned an invalid gradient at index \d - got",
          r"^Function \w+ returned an invalid gradient at index \d - got", "backward",
          also=lambda d, c: "out=" in "".join(c.program)),
     "a tensor with a history that out= resized where nothing is recorded: its gradient fits no longer, found at another node"),
    # ---- leaves and views
    (case(("raised by karat",) + BOTH, karat=r"leaf Variable|is a view and is being modified inplace|view was created in",
          ops="logical_and logical_or logical_xor logical_not"),
     "logical operators in place on a leaf or a view: PyTorch forgets to refuse and loses the history of what is written"),
    (case(("raised by karat",) + BOTH,
          karat="^(gt|ge|lt|le|eq|ne|logical_\\w+|isposinf|isneginf|signbit|histc)\\(\\): functions with out=",
          also=lambda d, c: "out=" in d.statement),
     "a comparison into an out= that wants a gradient: PyTorch forgets to refuse and writes over a leaf"),
    (case(("raised by torch",) + BOTH, "^a leaf Variable that requires grad is being used in an in-place operation.$",
          also=stale_view),
     "a view whose base got a history after it was made: PyTorch takes it for a leaf until somebody asks for its grad_fn"),
    (case(BOTH, "^(?!Inplace update to inference tensor)",
          "^Inplace update to inference tensor outside InferenceMode is not allowed", also=inference_target),
     "PyTorch writes to an inference tensor and then refuses: other mistakes come first; Karat refuses and writes nothing"),
    # ---- memory
    (lambda d, c: d.kind == "shape" and not_resizable(d, c),
     "both refuse to resize memory that NumPy looks into: PyTorch has given the tensor its new sizes, Karat leaves it as it was"),
    (case(BOTH, "^Trying to resize storage that is not resizable$",
          LACKS + "|^Expected out tensor to have dtype|single memory location"),
     "out= that cannot be resized and has another mistake: PyTorch resizes first, Karat changes nothing before it has looked"),
    (case(("raised by torch",) + BOTH, "^1D tensors expected, but got|^Dimension out of range|single memory location"
          "|must be a matrix, got|^output with shape", also=out_is_operand,
          ops="dot vdot mv addmv addbmm addr kron linear matmul sum mean prod nansum nanmean"),
     "out= is an operand and is resized: PyTorch reads what it has resized, Karat the operand as it was"),
    (case(("raised by torch",) + BOTH, r"^Size does not match at dimension \d+ expected index|^quantile\(\) q values must be in"
          " the range|^output with shape", also=out_is_operand, ops="quantile nanquantile"),
     "out= is an operand and is resized: PyTorch reads what it has resized, Karat the operand as it was"),
    (case("raised by karat", karat="single memory location", ops="threshold", also=lambda d, c: "out=" in d.statement),
     "threshold into memory that it reads: PyTorch does not look and reads what it has written, Karat refuses"),
    (case("raised by karat", karat=r"^result type Complex\w+ can't be cast to the desired output type (Float|Double|Half|BF)",
          ops="logsumexp", also=lambda d, c: "out=" in d.statement),
     "logsumexp of complex numbers into a real out=: PyTorch drops imaginary parts on the way and gives another number"),
    (case("error text", "^Tensors must have same number of dimensions", "single memory location", "stack", out_is_operand),
     "out= is an operand of stack and is resized: PyTorch looks at sizes that it has changed, Karat at those that were given"),
    (case("raised by karat", karat="^unsupported operation: more than one element of the written-to tensor", ops="addmv baddbmm"),
     "a product into an expanded tensor: PyTorch writes one element several times, Karat refuses as for every other operator"),
    (case(("raised by karat",) + BOTH, karat="^unsupported operation: more than one element of the written-to tensor",
          also=lambda d, c: re.search(r"as_strided\(|unfold\(", "".join(c.program))),
     "elements that overlap by strides of several dims: PyTorch does not look that far and writes one of them twice"),
    # ---- nothing to do
    (case("raised by karat", karat="^expected scalar type Long but found", ops="multilabel_margin_loss", also=no_elements),
     "a target of another dtype: PyTorch does not look at it where there is no element"),
    (case("raised by torch", r"^cannot reshape tensor of 0 elements into shape"
          r"|^output with shape \[\] doesn't match the broadcast shape \[1"), EMPTY),
    (case(BOTH, "^cannot reshape tensor of 0 elements into shape", ops="bilinear"), EMPTY),
    (case("raised by torch", "^view size is not compatible", ops="kron"), EMPTY),
    (case("raised by torch", "^view size is not compatible", ops="isin",
          also=lambda d, c: "unfold(" in "".join(c.program)),
     "isin of elements that lie over each other: PyTorch cannot see them as a line, and fails inside"),
    (case("raised by karat", karat="^self and mat2 must have the same dtype", ops="addbmm", also=no_elements),
     "a product over an inner dim of no elements: PyTorch does not look at the factors' dtypes"),
    (case("error type", "^argument #2 'target' is out of range", LACKS, "multilabel_margin_loss"),
     "a target that names no class, of a dtype without a kernel: both reasons hold"),
    (case("error text", r"^result type \w+ can't be cast", r"^ldexp can't be cast", "ldexp"),
     "ldexp in place of complex numbers: PyTorch's is a product, and says what a product says"),
    (case("error text", "^size mismatch, got input", "^Expected size for first two dimensions of batch2", "@ matmul"),
     "a vector times matrices that do not fit: whether PyTorch folds these into one depends on who wants a gradient"),
    (case("raised by torch", "^select\\(\\) cannot be applied to a 0-dim tensor|^Dimension out of range", ops="backward",
          also=lambda d, c: "_foreach_addc" in "".join(c.program)),
     "the gradient of a list with one number each: PyTorch fails inside"),
    (case("error text", LACKS, LACKS, "softmin scatter_reduce multilabel_margin_loss"),
     "an operator put together from others lacks a kernel: PyTorch names that of its first step, Karat its own"),
    (case("error text", "without overflow$", "^expected scalar type", "addmv"),
     "addmv by a beta that does not fit, of factors of two dtypes: PyTorch converts the number first"),
    (case("error type", "^Dimension out of range", "^Bad in-place call", "cumsum cumprod"),
     "a scan in place with another dtype=, along a dim that is not there: PyTorch names the dim first"),
    (case(("raised by torch",) + BOTH, "^start out of range", ops="diff", also=no_elements), EMPTY),
    (case(("raised by torch",) + BOTH, r"^result type \w+ can't be cast to the desired output type",
          ops="addmm addbmm baddbmm addmv", also=no_elements),
     "a product over an inner dim of no elements: PyTorch multiplies by beta in another way, which refuses a float beta"),
    (case("raised by karat", karat="without overflow$", ops="addmm addmv addbmm baddbmm", also=empty_operand),
     "a number that the dtype cannot hold: PyTorch does not look at it where there is no element"),
    (case(("raised by torch",) + BOTH, r"^select\(\): index \d+ out of range|^setStorage: ",
          ops="index_reduce index_fill index_copy", also=no_elements), EMPTY),
    (case("raised by karat", karat="^index out of range in self$|^index \\d+ is out of bounds for dimension", ops="index_add",
          also=no_elements),
     "index_add to a place that an empty tensor does not have: PyTorch writes nothing and says nothing, Karat refuses"),
    (case("raised by karat", karat="^expected scalar type \\w+ but found", ops="addmv mv bmm baddbmm matmul @",
          also=no_elements),
     "a product over an inner dim of no elements: PyTorch does not look at the factors' dtypes"),
    (case("raised by karat", karat="^Dimension out of range", ops="cummax cummin",
          also=empty_operand),
     "cummax of an empty tensor along a dim that is not there: PyTorch forgets to look"),
    (case("raised by karat", karat=LACKS + "|must be a floating point but you specified", also=no_elements,
          ops="normal log_normal exponential geometric random bernoulli nanmean mode cummax cummin linear mm mv bmm matmul addmm"
          " amax amin inner addmv addbmm baddbmm scatter_reduce median nanmedian @"),
     "an operator without a kernel for the dtype: PyTorch accepts it where there is no element, Karat never"),
    (case("raised by karat", karat=LACKS + "Complex", ops="cummax cummin kthvalue mode",
          also=lambda d, c: () in map(tuple, shapes(d, c))),
     "the order of complex numbers, asked of one number: PyTorch gives it back before it finds that it has no such kernel"),
    (case("raised by karat", karat=r"^(min|max)\(\): Expected reduction dim to be specified for input.numel\(\) == 0",
          ops="min max", also=lambda d, c: "out=" in d.statement and no_elements(d, c)),
     "the least element of none into out=: PyTorch forgets to refuse, and leaves there what lay in the memory"),
    (case(("raised by karat",) + BOTH, karat="^Dimension out of range", also=lambda d, c: several_ellipses(d)),
     "an index behind a second ellipsis: PyTorch reads sizes beyond the last dim, Karat says that there is no such dim"),
    # ---- words
    (case(BOTH, also=named_otherwise), "a dtype is an object of its own module, karat"),
    (case("error text", also=inner_name), "PyTorch names the inner function that its Python function passes the arguments to"),
    (case("error text", "^Dimension specified as 0 but", "^Dimension specified as 1 but", "addbmm"),
     "addbmm of a number where somebody wants a gradient: its derivative asks for the batch's sizes before the product"),
    (case("raised by karat", karat=r"^reduction is 0 \(none\), 1 \(mean\) or 2 \(sum\), not", ops="kl_div"
          " binary_cross_entropy_with_logits"),
     "a number that names no reduction: here PyTorch takes it for none, in other losses it fails inside; Karat refuses it"),
    (case("raised by karat", karat=LACKS, ops="kthvalue mode cummax cummin amax amin", also=of_at_most_one),
     "one number or none along the dim: PyTorch needs no kernel for it, Karat refuses by the dtype alone"),
    (case("raised by karat", karat=r"^expected scalar type \w+ but found", ops="cdist", also=of_at_most_one),
     "distances of no points: PyTorch looks at no dtypes"),
    (case("raised by torch", "^a (view of a )?leaf Variable that requires grad is being used in an in-place", ops="cov"),
     "weighted cov: PyTorch subtracts the mean from its operand, in place; Karat leaves it as it was"),
    (case("raised by torch", r"^ArrayRef: attempted to access back\(\) of empty list", ops="searchsorted"),
     "searchsorted of one number into out= that is an operand: PyTorch resizes the operand first and fails inside"),
    (case("error type", r"^'\w+' object has no attribute 'split'", r"^split\(\) received an invalid combination"),
     "a function that PyTorch wrote in Python fails at the first attribute of what is no tensor; Karat says that it is none"),
    (case("error type", r"^'\w+(\.\w+)?' object has no attribute '", r"argument '\w+' \(position \d\) must be Tensor, not"),
     "a function that PyTorch wrote in Python fails at the first attribute of what is no tensor; Karat says that it is none"),
    (case("error text", "does not support automatic differentiation for outputs with complex dtype",
          "must match the size of tensor", "bilinear"),
     "neither takes the sizes of the bias: PyTorch says first that it would have no derivative"),
    (case("error text", *["^torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "] * 2, ops="meshgrid"),
     "meshgrid prints the whole tensor into the message, Karat its sizes"),
    (case("error text", r"^(softsign|tanhshrink)\(\) got an unexpected keyword argument 'out'", "must be Tensor, not",
          "softsign tanhshrink"),
     "a function that PyTorch wrote in Python looks at the names of its arguments before it looks whether the input is a tensor"),
    (case("error type", "^dropout probability has to be between 0 and 1", r"argument 'input' \(position 1\) must be Tensor, not"),
     "a function that PyTorch wrote in Python looks at p before it looks whether the input is a tensor"),
    (case("error type", "^Please look up dimensions by name, got: name = None", "received an invalid combination of arguments"),
     "None for a dim of logsumexp: PyTorch takes it for a name, and has no dims by name; Karat lists what it takes"),
    (case("error text", "argument 'dims_self' .* must be tuple of ints, not int", "argument 'out' must be Tensor", "tensordot"),
     "a number for each of tensordot's dims and an out= that is no tensor: PyTorch names the number first"),
    (case("raised by torch", "^value cannot be converted to type c10::Float8_e8m0fnu without overflow", ops="matrix_norm",
          also=no_elements), EMPTY),
    (case("error type", "^scatter_add: You passed a dimname", "received an invalid combination of arguments", "scatter_add"),
     "None for a dim of scatter_add: PyTorch takes it for a name, and has no dims by name; Karat lists what it takes"),
    (case("raised by torch", "^Inference tensors cannot be saved for backward", ops="bilinear", also=inference_operand),
     "PyTorch saves more of bilinear than its derivative reads, and an inference tensor cannot be saved"),
    (case("raised by torch", "^value cannot be converted to type c10::Float8_e8m0fnu without overflow", ops="pad"),
     "0 in float8_e8m0fnu, which has none: F.pad alone refuses it; fill_, zeros and constant_pad_nd take the least number"),
    (case("error text", r"^nanmean\(\): integral types and 'Bool' are not", r"^nansum\(\): functions with out=", "nanmean"),
     "nanmean of integers into an out= that wants a gradient: PyTorch looks at the dtype before it sums, Karat at out= first"),
    (case("error text", LACKS + "UInt64'", LACKS, "normal"),
     "normal of integers: PyTorch lacks the kernel that looks for the least std, Karat that which draws"),
    (case("raised by torch", "without overflow$", ops="histc"),
     "histc of a narrow integer: PyTorch cannot hold the ends of the range, those that were given or that it makes around one"
     " value"),
    (case("raised by torch", r"^any\(\) received an invalid combination", ops="gaussian_nll_loss"),
     "a variance that is a bool: PyTorch passes what it compares to any(), which takes no bool; Karat takes it as a number"),
    (case("raised by torch", "^ZeroTensors are immutable", ops="backward"), "PyTorch fails inside"),
    (case(BOTH, "^fn_edge.is_valid\\(\\) == this_edge.is_valid\\(\\) INTERNAL ASSERT FAILED", ops="backward"),
     "PyTorch fails inside"),
    (case("raised by torch", r"^index_select\(\): Index to scalar can have only 1 value, got 0", ops="backward",
          also=lambda d, c: "index_fill" in "".join(c.program)), EMPTY),
    (case("raised by torch", "^one of the variables needed for gradient computation has been modified", ops="backward",
          also=lambda d, c: "vander(" in "".join(c.program)),
     "the backward of vander: PyTorch writes over what it has saved, and fails"),
    (case("error text", "^one of the variables needed for gradient", "^one of the variables needed for gradient", "backward",
          lambda d, c: written_after(c, {"kron"}, False)),
     "an operand of kron that was written to: PyTorch forgets to look, and finds another"),
    (case("error text", "^one of the variables needed for gradient", "^Trying to backward through the graph a second time",
          "backward", no_elements),
     "a second walk through tensors without elements, one of them written to: PyTorch did not go through it the first time"),
    (case("error text", "which is output 0 of AsStridedBackward0", "^one of the variables needed for gradient", "backward",
          node_alone),
     "a result that was written through a view, and its base written to: PyTorch names the view's history, which it makes anew"),
    (case("raised by torch", "single memory location", also=same_places),
     "memory written over an operand that lies in it element by element: PyTorch compares strides of dims of one element"),
    (case("raised by torch", "single memory location", also=value_is_target),
     "a tensor of one element assigned to itself through an index: PyTorch compares strides of dims that have no second element"),
    (case("error text", r"^torch.histc: range of \[-nan, -nan\] is", r"^torch.histc: range of \[nan, nan\] is"),
     "the sign of a NaN in a message"),
    (case("raised by torch", "INTERNAL ASSERT FAILED"), "PyTorch fails inside"),
    (case("error text", "INTERNAL ASSERT FAILED.*Unrecognized ScalarType: UInt(16|32|64)",
          "^linalg.vector_norm: Expected a floating point or complex tensor as input. Got UInt", "renorm"),
     "renorm of unsigned integers: PyTorch fails inside, Karat refuses them as every other integer"),
    (case("error text", "^n must be non-negative, got-", "^Trying to create tensor with negative dimension", "randperm"),
     "a permutation of fewer than no numbers: into out= PyTorch refuses it in other words than without"),
    (case("raised by torch", "without overflow$", ops="threshold hardtanh celu elu leaky_relu softshrink hardshrink rrelu"),
     "a number that the dtype of the operand cannot hold: PyTorch cannot convert it, Karat computes with it as it is"),
    # ---- what lies beside the operators
    (case("raised by torch", "^MKL FFT error: Intel oneMKL DFTI ERROR: Inconsistent configuration", also=no_elements), EMPTY),
    (case("raised by torch", "^Trying to backward through the graph a second time", ops="backward",
          also=lambda d, c: "torch.fft." in "".join(c.program)),
     "a second walk through a Fourier transform, which needs no tensor: PyTorch saves its operand for the sizes alone"),
    (case("raised by torch", "^mixed dtype \\(CPU\\)|propagation primitive|^itensor_view_from_dense|^expected scalar type"
          "|must have the same dtype|same dtype", ops="backward",
          also=lambda d, c: re.search(r"\bm\d+\.(half|double|float|to|bfloat16)\(|\bm\d+\.load_state_dict", "".join(c.program))),
     "a module that was converted between forward and backward: PyTorch's saved parameters are what they have become"),
    (case("raised by torch", "UntypedStorage' (object )?has no attribute", ops="copy deepcopy loads"),
     "a pickle of a dtype that PyTorch has no class of storages for: it fails inside"),
    (case(("raised by torch",) + BOTH, "^ fallback doesn't currently support (mutable TensorLists|multiple)"),
     "a list with a lazy conjugate: PyTorch refuses to write to those"),
    (case("raised by torch", "^Inference tensors cannot be saved for backward", also=lambda d, c: "_foreach_" in d.statement),
     "a list that PyTorch saves as a whole: an inference tensor in it cannot be, though its own operator would save nothing"),
    (case("raised by torch", "^one of the variables needed for gradient computation has been modified", ops="backward",
          also=lambda d, c: "_foreach_" in "".join(c.program)),
     "a second list's tensor that was written to: PyTorch's node is one of all results, and looks at what all have saved"),
    (case("raised by torch", "^Promotion for uint16, uint32, uint64 types is not supported",
          ops="logical_and logical_or logical_xor unravel_index"),
     "a logical operator of unsigned integers and others under vmap: PyTorch promotes what it asks for its truth alone"),
    (case(("raised by torch", "error text"), "^ZeroDivisionError$"), "PyTorch fails inside"),
    (case("error type", "^weight has to be a 2D Tensor", r"argument 'input' \(position 1\) must be Tensor, not",
          "embedding_bag"),
     "a function that PyTorch wrote in Python looks at the weight before it looks whether the input is a tensor"),
    (case("error text", "^_fft_c2[rc]\\(\\): functions with out=|^_fft_r2c\\(\\): functions with out=", "functions with out="),
     "out= of a spectrum that wants a gradient: PyTorch names the step, Karat what was called"),
    (case("error text", "^cannot reshape tensor of 0 elements", "^multinomial only supports floating-point", "sample"),
     "draws of no complex chances: both reasons hold"),
    (case("error text", "is not differentiable with respect to argument 'pivots'", "^linalg.lu_solve: pivots should be",
          "lu_solve"),
     "pivots of another dtype that want a gradient: both reasons hold"),
    (case(BOTH, "^Expected tensor for 'values' to have the same type", "single memory location", "median kthvalue mode"),
     "results into tensors of which one is the operand and one has another dtype: both reasons hold"),
    (case("error text", "^Invalid number of data points \\(0\\)", "^Invalid number of data points \\(-2\\)", also=no_elements),
     "half a spectrum of no points: PyTorch names what there is, Karat what would come of it"),
    (case(("raised by torch", "error text"), "^Trying to backward through the graph a second time", ops="backward",
          also=lambda d, c: "_foreach_" in "".join(c.program)),
     "a second walk through a list's results: PyTorch's node is one of all of them, and walked with any"),
    (case("error text", "must transform at least one axis$|^Invalid number of data points", "^Unsupported dtype"),
     "a spectrum over no dim or points of a dtype that has none: both reasons hold"),
    (case("raised by torch", "^derivative for (aten::)?_foreach_\\w+ is not implemented", ops="backward"),
     NO_DERIVATIVE),
    (case("raised by torch", "^foreach_tensor_norm_slow expects ord to be integer or float", ops="_foreach_norm"),
     "a bool as the order of a list's norms: PyTorch takes it in norms of one tensor, not of a list"),
    (case("raised by torch", "^Trying to backward outside of the 'allow_mutation_on_saved_tensors'", ops="backward"),
     "a graph that was recorded where saved tensors may be written to: PyTorch walks it there alone, Karat anywhere"),
    (case("error text", "^Unsupported dtype", "^MKL FFT doesn't support tensors of type", also=lambda d, c: "set_default_dtype" in
          "".join(c.program)),
     "a spectrum of integers where the default dtype is narrow: PyTorch refuses it before it converts, Karat afterwards"),
    (case(BOTH, "^Dimension out of range|^At least one|^tuple index", "^Unsupported dtype"),
     "a spectrum of a dtype that has none, along a dim that is not there: both reasons hold"),
    (case("error text", r"^ctc_loss\(\) received an invalid combination", r"^ctc_loss\(\) received an invalid combination"),
     "PyTorch names the arguments that its Python function passes on, Karat those that were given"),
    (case("raised by karat", karat="^one of the variables needed for gradient computation has been modified", ops="backward",
          also=lambda d, c: re.search(r"_foreach_\w+_\(\[.*\b(t\d+)\b.*\b\1\b", "\n".join(c.program)) is not None),
     "a list that has a tensor several times, which is written over as often: what was saved of it first is no longer there"),
    (case("raised by karat", karat="its base or another view of its base has been modified inplace",
          also=lambda d, c: re.search(r"\.data = ", d.statement) is not None),
     "one of several views whose base was written to gets other memory: PyTorch does not look at its history, Karat does"),
    (case("error text", "its base or another view of its base has been modified inplace",
          "^post accumulate grad hooks cannot be"),
     "a hook of one of several views whose base was written to: both reasons hold"),
    (case("raised by torch", "^frexp\\(\\): functions with out=... arguments don't support", ops="frexp", also=inference_operand),
     "frexp of an inference tensor that asks for a gradient: PyTorch takes the way of out= inside, and refuses"),
    (case("raised by torch", "^Unexpected floating ScalarType in at::autocast::prioritize"),
     "autocast of a dtype that is narrow, and not the one asked for: PyTorch's roll and its kin fail inside"),
    (case("error type", r"^segment_reduce\(\): ", LACKS, "segment_reduce"),
     "a reduction of segments that were given wrongly, of a dtype without a kernel: both reasons hold"),
    (case("error text", "^torch.histogram: input tensor and (bin_edges|hist) tensor should have the same dtype",
          "^histogram\\(\\): functions with out=", "histogram"),
     "a histogram into edges of another dtype that wants a gradient: both reasons hold"),
    # ---- not there yet
    (case(("raised by karat",) + BOTH, karat="negative powers need linalg.inv, which is not there yet$", ops="matrix_power"),
     "a negative power of a matrix: Karat has no inverses yet and says so"),
    (case(("raised by karat",) + BOTH, karat="needs singular values, which Karat cannot compute yet$", ops="matrix_norm norm"),
     "a norm by singular values: Karat has none yet and says so"),
]
