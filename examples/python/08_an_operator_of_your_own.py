"""Lesson 8: an operator of your own, whose kernel says what it can read.

torch.library is PyTorch's, and PyTorch runs this program too. `takes` is Karat's: there the kernel below gets float32 in
row-major order and nothing else, and the error for another tensor tells where its dtype came from.

Run it with: karat run 08_an_operator_of_your_own.py
"""

import ctypes

import torch

# PyTorch has none: nothing is checked there
takes = getattr(torch.library, "takes", lambda *args, **options: lambda kernel: kernel)


@torch.library.custom_op("lesson::halve", mutates_args=())
@takes("x: float32 contiguous")
def halve(x: torch.Tensor) -> torch.Tensor:
    result = torch.empty_like(x)
    number = ctypes.c_float * x.numel()  # reads memory by its address, as a C function would
    source, target = number.from_address(x.data_ptr()), number.from_address(result.data_ptr())
    for i in range(x.numel()):
        target[i] = source[i] / 2
    return result


@halve.register_fake
def _(x):
    return torch.empty_like(x)


halve.register_autograd(lambda ctx, grad: grad / 2)

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.ops.lesson.halve(x)
y.sum().backward()
print(y.detach(), x.grad)
print(torch.ops.lesson.halve.default._schema)
print(torch.library.opcheck(halve, (x,)))
assert y.tolist() == [0.5, 1.0, 1.5] and x.grad.tolist() == [0.5] * 3
assert halve(torch.empty(2, 2, device="meta")).shape == (2, 2)

if hasattr(torch.library, "takes"):
    weights = torch.ones(3)
    weights = weights.half()
    try:
        halve(weights)
    except RuntimeError as error:
        print(error)
        assert "expected scalar type Float but found Half" in str(error) and error.karat["fixes"]
    else:
        raise AssertionError("float16 was read as float32")
