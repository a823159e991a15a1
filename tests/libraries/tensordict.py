"""tensordict: nested batches of tensors, stacked, indexed, mapped, and modules that read and write their keys."""
# pip: tensordict
import torch
from tensordict import TensorDict, tensorclass
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn

torch.manual_seed(0)
data = TensorDict({"x": torch.randn(4, 3), "nested": {"y": torch.arange(8).reshape(4, 2)}}, batch_size=[4])
print(data.shape, data[1:3].shape, sorted(data.keys(include_nested=True), key=str), data["nested", "y"][2].tolist())
both = torch.stack([data, data.apply(lambda t: t * 2)])
print(both.shape, both["x"].sum().item(), both.reshape(-1).shape, torch.cat([data, data]).batch_size, both.sum().to_dict())
print(data.to(torch.float64)["nested", "y"].dtype, (data + 1)["x"].sum().item(), data.clone().zero_()["x"].sum().item())
data["mask"] = data["x"][:, 0] > 0
print(data.masked_select(data["mask"]).shape, data.exclude("x"), data.flatten_keys(".").keys())


@tensorclass
class Pair:
    a: torch.Tensor
    b: torch.Tensor


pair = Pair(a=torch.ones(3, 2), b=torch.zeros(3), batch_size=[3])
print(pair[0].a, torch.stack([pair, pair]).b.shape)
net = TensorDictSequential(TensorDictModule(nn.Linear(3, 8), in_keys=["x"], out_keys=["hidden"]),
                           TensorDictModule(nn.Linear(8, 1), in_keys=["hidden"], out_keys=["out"]))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(3):
    loss = net(data)["out"].pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", step, loss.item())
parameters = TensorDict.from_module(net)
with parameters.data.mul(0.5).to_module(net):
    print(net(data)["out"].sum().item())
