"""einops: rearrange, reduce, repeat, einsum and pack, and their layers in a trained patch embedding."""
# pip: einops
import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 3, 8, 8)
print(rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4).shape, reduce(x, "b c h w -> b c", "max").sum().item())
print(repeat(x, "b c h w -> b (r c) h w", r=2).mean().item(), einsum(x, x, "b c h w, b d h w -> b c d").sum().item())
packed, shapes = pack([x, x[:, :, :4]], "b c * w")
print(packed.shape, [one.shape for one in unpack(packed, shapes, "b c * w")])
net = nn.Sequential(Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4), nn.Linear(48, 16), nn.GELU(),
                    EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=16, d=8), Reduce("b t d -> b d", "mean"),
                    nn.Linear(8, 2))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
for step in range(4):
    loss = nn.functional.cross_entropy(net(x), torch.tensor([0, 1]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", step, loss.item())
