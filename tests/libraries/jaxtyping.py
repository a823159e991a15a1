"""jaxtyping: annotated shapes and dtypes, checked while a network is trained."""
# pip: jaxtyping beartype
import torch
from beartype import beartype
from jaxtyping import Float, Int, TypeCheckError, jaxtyped
from torch import Tensor, nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 3))

    @jaxtyped(typechecker=beartype)
    def forward(self, x: Float[Tensor, "batch 4"]) -> Float[Tensor, "batch 3"]:
        return x @ self.weight


@jaxtyped(typechecker=beartype)
def loss_of(y: Float[Tensor, "batch classes"], target: Int[Tensor, "batch"]) -> Float[Tensor, ""]:
    return nn.functional.cross_entropy(y, target)


net = Net()
x, target = torch.randn(5, 4), torch.randint(0, 3, (5,))
loss = loss_of(net(x), target)
loss.backward()
print(loss.item(), net.weight.grad.abs().sum().item())
for wrong in (lambda: net(torch.randn(5, 3)), lambda: loss_of(net(x), target.float()), lambda: loss_of(net(x), target[:2])):
    try:
        wrong()
    except TypeCheckError:
        print("refused")
print(isinstance(x, Float[Tensor, "a b"]), isinstance(x, Float[Tensor, "a a"]), isinstance(x.half(), Float[Tensor, "5 4"]))
