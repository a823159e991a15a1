"""safetensors: a model's state written, read back and loaded, with shared tensors and bfloat16."""
# pip: safetensors
import torch
from safetensors import safe_open
from safetensors.torch import load_file, load_model, save, save_file, save_model
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Linear(5, 4))
net[2].weight = nn.Parameter(net[0].weight.t().contiguous())
save_model(net, "net.safetensors", metadata={"made": "here"})
other = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.Linear(5, 4))
print(load_model(other, "net.safetensors"), all(torch.equal(a, b) for a, b in zip(net.state_dict().values(),
                                                                                     other.state_dict().values())))
tensors = {"a": torch.randn(3, 4).bfloat16(), "b": torch.arange(6).reshape(2, 3), "c": torch.randn(2, 2).half(),
           "d": torch.tensor([True, False]), "e": torch.randn(2, dtype=torch.float64)}
save_file(tensors, "some.safetensors", metadata={"k": "v"})
for name, t in sorted(load_file("some.safetensors").items()):
    print(name, t.dtype, t.shape, t.double().sum().item())
with safe_open("some.safetensors", framework="pt", device="cpu") as f:
    print(sorted(f.keys()), f.metadata(), f.get_slice("a")[1:2].float().sum().item(), f.get_tensor("b").tolist())
print(len(save(tensors)))
