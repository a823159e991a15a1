"""What a policy judges: conversions of the user's operands and of the result, in every row by one rule, never what an operator
converts for itself. The samples are those of the conformance suite: every operator that Karat has, of one dtype alone."""

import gzip
import json
import os
import warnings

import karat
import pytest

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance", "opinfo")
ONE = ("float32", "float16", "bfloat16", "complex64")
# their dtypes differ by what they mean: an index, a mask, a count beside values
BESIDE = {"int64", "int32", "bool"}


def tensors(entry):
    """The recorded tensors in an argument."""
    if isinstance(entry, list):
        for part in entry:
            yield from tensors(part)
    elif isinstance(entry, dict):
        if "tensor" in entry:
            yield entry
        else:
            for part in entry.values():
                yield from tensors(part)


def asks_for_a_dtype(entry):
    if isinstance(entry, list):
        return any(map(asks_for_a_dtype, entry))
    return isinstance(entry, dict) and ("dtype_arg" in entry or any(map(asks_for_a_dtype, entry.values())))


def rows():
    with gzip.open(DATA + ".jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            given = {e["dtype"] for e in tensors([row["args"], row["kwargs"]])}
            if row["dtype"] in ONE and given - BESIDE <= {row["dtype"]} and not asks_for_a_dtype([row["args"], row["kwargs"]]):
                yield row


def decoded(entry, blob, grad):
    if isinstance(entry, list):
        return [decoded(part, blob, grad) for part in entry]
    if not isinstance(entry, dict):
        return entry
    if "tensor" in entry:
        offset, n = entry["tensor"]
        dtype = getattr(karat, entry["dtype"])
        flat = karat.frombuffer(bytearray(blob[offset:offset + n]), dtype=karat.uint8) if n else None
        t = flat.view(dtype).reshape(entry["shape"]).clone() if n else karat.zeros(entry["shape"], dtype=dtype)
        return t.requires_grad_() if grad and entry.get("grad") else t
    for word, make in (("float", float), ("complex", lambda e: complex(float(e[0]), float(e[1]))),
                       ("slice", lambda e: slice(*decoded(e, blob, grad))), ("ellipsis", lambda e: ...),
                       ("tuple", lambda e: tuple(decoded(e, blob, grad))), ("list", lambda e: decoded(e, blob, grad)),
                       ("device", karat.device)):
        if word in entry:
            return make(entry[word])
    raise AssertionError(entry)


def function_of(row, args):
    path = row["op"].split(".")
    if path[0] == "Tensor":
        return getattr(args[0], path[1]), args[1:]
    function = karat
    for name in path[1:]:
        function = getattr(function, name)
    return function, args


def of_the_tape(value):
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from of_the_tape(part)
    elif isinstance(value, karat.Tensor) and value.requires_grad:
        yield value


def attempt(row, blob):
    """One sample, forward and backward: the refusal of a policy, or None; and whether it ran."""
    args = decoded(row["args"], blob, True)
    kwargs = {name: decoded(value, blob, True) for name, value in row["kwargs"].items()}
    try:
        function, args = function_of(row, args)
        with karat.policy("strict"):
            for part in of_the_tape(function(*args, **kwargs)):
                part.backward(karat.ones_like(part), retain_graph=True)
    except Exception as e:
        return (str(e).splitlines() or [""])[0] if "policy" in str(e) else None, False
    return None, True


@pytest.fixture(scope="module")
def blob():
    with gzip.open(DATA + ".bin.gz") as data:
        return data.read()


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# ---- one dtype: nothing to refuse ----

# float_power gives float64 whatever goes in; one sample of clamp has bounds of another dtype
REFUSED = {"float_power", "clamp"}


def test_no_policy_refuses_what_an_operator_converts_for_itself(blob):
    refused, ran = {}, 0
    for row in rows():
        refusal, done = attempt(row, blob)
        ran += done
        if refusal and row["name"].split("/")[0] not in REFUSED:
            refused.setdefault(row["name"], refusal)
    assert not refused
    assert ran > 2500  # most samples were truly run


def test_what_is_inside_an_operator():
    x = karat.ones(2, 2)
    with karat.policy("strict"):
        assert [t.dtype for t in karat.frexp(x)] == [karat.float32, karat.int32]
        assert karat.cov(x, fweights=karat.ones(2, dtype=karat.int64)).dtype is karat.float32
        x.requires_grad_()
        x.amax().backward()  # divides by a count
        assert x.grad.dtype is karat.float32
    with karat.policy("safe"):
        assert karat.cov(karat.ones(2, 2, dtype=karat.int16)).dtype is karat.float32  # every int16 is a float32
        with pytest.raises(TypeError, match="refuses to convert self from int32 to float32 in cov"):
            karat.cov(karat.ones(2, 2, dtype=karat.int32))


def test_what_ran_inside_an_operator_says_nothing_of_the_users_call():
    """The decision about a temporary is not the decision about an operand of the same dtypes."""
    x = karat.ones(2, 2, dtype=karat.int16)
    with karat.policy("safe"):
        karat.cov(x)
    with karat.policy("strict"):
        y = karat.ones(2, 2, requires_grad=True)
        y.amax().backward()
        with pytest.raises(TypeError, match="refuses to convert other from int64 to float32 in true_divide"):
            karat.true_divide(karat.ones(2, 2), karat.ones((), dtype=karat.int64))


# ---- two dtypes: an error in every row that joins them ----

# views of one in the shape of the other, and what compares sizes first; ldexp takes an integer beside a float
JOINS_NOTHING = {"broadcast_tensors", "expand_as", "reshape_as", "view_as", "resize_as_", "equal", "ldexp"}
# labels that are compared with 1 and -1, and nothing else
JOINS_NOTHING |= {"nn.functional.hinge_embedding_loss", "nn.functional.cosine_embedding_loss"}
JOINS_NOTHING |= {"nn.functional.batch_norm"}  # of no elements


def changed(entry, which, count, to):
    """The arguments with the float32 tensor of that place in another dtype."""
    if isinstance(entry, karat.Tensor):
        count[0] += entry.dtype is karat.float32
        return entry.to(to) if entry.dtype is karat.float32 and count[0] - 1 == which else entry
    if isinstance(entry, (list, tuple)):
        return type(entry)(changed(part, which, count, to) for part in entry)
    return entry


def mixed(row, blob, which, to):
    count = [0]
    args = changed(decoded(row["args"], blob, False), which, count, to)
    kwargs = {name: changed(decoded(value, blob, False), which, count, to) for name, value in row["kwargs"].items()}
    return args, kwargs, count[0]


def accepts(row, args, kwargs, policy):
    try:
        function, args = function_of(row, args)
        with karat.policy(policy):
            function(*args, **kwargs)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("to", [karat.float64, karat.float16, karat.int64])
def test_strict_refuses_a_mix_in_every_row(blob, to):
    joined, asked = set(), 0
    for row in rows():
        for which in range(4 if row["dtype"] == "float32" else 0):
            args, kwargs, n = mixed(row, blob, which, to)
            if n < 2 or which >= n or not accepts(row, args, kwargs, "torch"):
                continue
            asked += 1
            args, kwargs, _ = mixed(row, blob, which, to)
            if accepts(row, args, kwargs, "strict"):
                joined.add(row["name"].split("/")[0])
    assert joined <= JOINS_NOTHING
    assert asked > 300


F = karat.nn.functional
NORMS = {
    "layer_norm": lambda x, w: F.layer_norm(x, [4], w, w),
    "rms_norm": lambda x, w: F.rms_norm(x, [4], w),
    "group_norm": lambda x, w: F.group_norm(x, 2, w, w),
    "batch_norm, a weight": lambda x, w: F.batch_norm(x, None, None, w, w, training=True),
    "batch_norm, statistics": lambda x, w: F.batch_norm(x, w, w),
    "instance_norm, a weight": lambda x, w: F.instance_norm(x, weight=w, bias=w),
    "instance_norm, statistics": lambda x, w: F.instance_norm(x, w, w, use_input_stats=False),
}


of_the_cpu = pytest.mark.not_on_a_gpu("float32 beside a narrow input is refused there, as by PyTorch")


@pytest.mark.parametrize("norm", [pytest.param(norm, id=name, marks=of_the_cpu if name in ("layer_norm", "group_norm") else ())
                                  for name, norm in NORMS.items()])
def test_parameters_and_statistics_of_a_norm_are_judged(norm):
    x, w = karat.ones(2, 4, 4, dtype=karat.bfloat16), karat.ones(4)
    assert norm(x, w).dtype is karat.bfloat16  # as in PyTorch
    with karat.policy("safe"):
        assert norm(x, w).dtype is karat.bfloat16  # every bfloat16 is a float32
    with karat.policy("strict"), pytest.raises(TypeError, match="convert input from bfloat16 to float32 in"):
        norm(x, w)
    with karat.policy("strict"):
        norm(x.float(), w)
        norm(x, w.bfloat16())


def test_statistics_that_an_instance_norm_converts():
    x, narrow, wide = karat.rand(2, 4, 4), karat.zeros(4, dtype=karat.float16), karat.zeros(4, dtype=karat.float64)
    F.instance_norm(x, narrow, narrow.clone())
    F.instance_norm(x, wide, wide.clone())
    for policy in ("strict", "safe"):
        before = wide.tolist()
        with karat.policy(policy), pytest.raises(TypeError, match="convert running_mean from float64 to float32"):
            F.instance_norm(x, wide, wide)
        assert wide.tolist() == before
    with karat.policy("safe"), pytest.raises(TypeError, match="from float32 to float16"):
        F.instance_norm(x, narrow, narrow)  # read without loss, but not written


# ---- a tensor that is written is a tensor, of however many dims ----

WRITES = {
    "copy_": lambda h, v: h.copy_(v),
    "fill_": lambda h, v: h.fill_(v),
    "fill": lambda h, v: karat.fill(h, v),
    "masked_fill_": lambda h, v: h.masked_fill_(h > 0, v),
    "masked_fill": lambda h, v: h.masked_fill(h > 0, v),
    "index_fill_": lambda h, v: h.index_fill_(0, karat.tensor([0]), v),
    "index_fill": lambda h, v: h.index_fill(0, karat.tensor([0]), v),
    "an element": lambda h, v: h.__setitem__(0, v),
    "a slice": lambda h, v: h.__setitem__(slice(0, 2), v),
    "all": lambda h, v: h.__setitem__(..., v),
    "a mask": lambda h, v: h.__setitem__(h > 0, v),
    "add_": lambda h, v: h.add_(v),
    "where": lambda h, v: karat.where(h > 0, h, v),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_value_of_no_dims_is_judged(write):
    h, value = karat.ones(3, dtype=karat.float16), karat.tensor(1.5, dtype=karat.float64)
    for policy in ("strict", "safe"):
        with karat.policy(policy), pytest.raises(TypeError, match=r"convert \w+ from float64 to float16"):
            write(h, value)
        assert h.tolist() == [1, 1, 1]
    with karat.policy("strict"):
        write(h, value.half())
        write(h, 1.5)  # a number converts nothing
    with karat.policy("safe"):
        write(karat.ones(3, dtype=karat.float64), value.half())


# ---- dtype= is the user's word, beside out= too ----

FOLDS = {
    "sum": lambda x, **o: karat.sum(x, 0, **o),
    "prod": lambda x, **o: karat.prod(x, 0, **o),
    "mean": lambda x, **o: karat.mean(x, 0, **o),
    "cumsum": lambda x, **o: karat.cumsum(x, 0, **o),
    "cumprod": lambda x, **o: karat.cumprod(x, 0, **o),
    "norm": lambda x, **o: karat.norm(x, 2, 0, **o),
    "vector_norm": lambda x, **o: karat.linalg.vector_norm(x, 2, 0, **o),
}


@pytest.mark.parametrize("fold", FOLDS.values(), ids=FOLDS)
def test_a_dtype_that_was_asked_for(fold):
    x = karat.ones(3)
    for policy in ("strict", "safe"):
        with karat.policy(policy):
            assert fold(x, dtype=karat.float64, out=karat.empty(0, dtype=karat.float64)).dtype is karat.float64
    with karat.policy("strict"), pytest.raises((TypeError, RuntimeError)):
        fold(x, out=karat.empty(0, dtype=karat.float64))  # nobody asked, whatever was asked for before
    if fold in (FOLDS["sum"], FOLDS["prod"], FOLDS["mean"], FOLDS["cumsum"]):
        with karat.policy("safe"):
            assert fold(x, dtype=karat.float16, out=karat.empty(0, dtype=karat.float16)).dtype is karat.float16
