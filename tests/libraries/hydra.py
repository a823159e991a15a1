"""hydra: a network, an optimizer and a loss made from a configuration by instantiate."""
# pip: hydra-core
import torch
from hydra.utils import get_class, get_method, instantiate
from omegaconf import OmegaConf

torch.manual_seed(0)
config = OmegaConf.create("""
net:
  _target_: torch.nn.Sequential
  _args_:
    - {_target_: torch.nn.Linear, in_features: 4, out_features: 8}
    - {_target_: torch.nn.GELU, approximate: tanh}
    - {_target_: torch.nn.Linear, in_features: 8, out_features: 1}
optimizer: {_target_: torch.optim.AdamW, _partial_: true, lr: 0.01, betas: [0.9, 0.95]}
scheduler: {_target_: torch.optim.lr_scheduler.StepLR, _partial_: true, step_size: 2, gamma: 0.5}
loss: {_target_: torch.nn.functional.mse_loss, _partial_: true, reduction: sum}
data: {_target_: torch.randn, _args_: [16, 4]}
act: {_target_: hydra.utils.get_method, path: torch.nn.functional.gelu}
""")
net = instantiate(config.net)
optimizer = instantiate(config.optimizer)(net.parameters())
scheduler, loss_of, x = instantiate(config.scheduler)(optimizer), instantiate(config.loss), instantiate(config.data)
print(net, instantiate(config.act), get_class("torch.nn.Linear"), get_method("torch.relu").__name__)
for step in range(5):
    loss = loss_of(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    print("loss", step, loss.item(), scheduler.get_last_lr())
