"""How arguments are bound: every call of argument_cases.txt gives PyTorch's value, or its exception word for word."""

import os
import re
import warnings

import pytest

import karat
from on_device import cpu_class, cpu_repr

CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "argument_cases.txt")


class Odd:
    pass


class Index:
    def __index__(self):
        return 1


def cases():
    lines = re.sub(r"^#.*\n", "", open(CASES).read(), flags=re.M)
    for case in lines.split(">>> ")[1:]:
        call, _, outcome = case.partition("\n")
        yield call, outcome.rstrip("\n")


def outcome_of(call):
    numpy = pytest.importorskip("numpy") if "numpy" in call else None
    names = {
        "torch": karat, "numpy": numpy, "Odd": Odd, "Index": Index,
        "X": karat.ones(2, 3), "V": karat.arange(3.0), "I": karat.tensor([[0, 1, 2], [2, 1, 0]]), "Z": karat.tensor(1),
        "B": karat.tensor([True, False, True]),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cpu_repr(eval(call, names))
    except TypeError as error:  # types say torch under `karat run` only
        return f"TypeError: {error}".rstrip("\n").replace("karat.", "torch.")
    except Exception as error:
        return f"{cpu_class(error)}: {str(error).splitlines()[0]}"


@pytest.mark.parametrize("call, outcome", list(cases()))
def test_case(call, outcome):
    assert outcome_of(call) == outcome


def test_deprecated_overloads_warn():
    x = karat.ones(2)
    with pytest.warns(UserWarning, match=r"This overload of add is deprecated:\n\tadd\(Tensor input, Number alpha, Tensor other"):
        karat.add(x, 2, x)


def test_keywords_that_are_not_interned():
    assert karat.sum(karat.ones(2, 3), **{"".join(["d", "im"]): 0}).shape == (3,)


def test_a_form_that_no_row_serves_says_so():
    with pytest.raises(NotImplementedError, match=r"^karat does not have this form of mm yet: mm\(Tensor input, Tensor mat2, to"):
        karat.mm(karat.ones(2, 2), karat.ones(2, 2), karat.float32)


def test_help_shows_the_forms():
    assert karat.clamp.__doc__.splitlines()[1:3] == [
        "clamp(Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)",
        "clamp(Tensor input, Number min = None, Number max = None, *, Tensor out = None)",
    ]


@pytest.mark.parametrize("flag", [1, 0, None, "x", [], 2.5])
def test_flags_that_pytorch_reads_by_truth_value(flag):
    """Python functions there, which hand the flag to no operator; those of others must be bools."""
    F, x = karat.nn.functional, karat.rand(2, 3)
    hard = F.gumbel_softmax(x, hard=flag)
    assert bool(flag) == bool(((hard == 0) | (hard == 1)).all())
    assert F.gaussian_nll_loss(x, x, x + 1, full=flag).item() == F.gaussian_nll_loss(x, x, x + 1, full=bool(flag)).item()
    assert F.gaussian_nll_loss(x, x, 2.0, full=flag).item() == F.gaussian_nll_loss(x, x, 2.0, full=bool(flag)).item()
    for stft in (karat.stft, karat.Tensor.stft):
        assert stft(karat.rand(20), 8, center=flag, return_complex=True).shape == (5, 11 if flag else 7)
    assert len(karat.pca_lowrank(karat.rand(4, 4), 2, center=flag)) == 3
    with pytest.raises(TypeError, match="must be bool, not"):
        F.dropout(x, training=flag)
