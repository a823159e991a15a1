"""torchrl: PPO's loss and advantage on a small environment of its own, a replay buffer, three steps."""
# pip: torchrl
# tolerance: 1e-3
import os

os.environ["RL_LOGGING_LEVEL"] = "ERROR"  # its log goes to standard output, with times

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from tensordict.nn.distributions import NormalParamExtractor
from torch import nn
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer
from torchrl.modules import ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

torch.manual_seed(0)
actor = ProbabilisticActor(TensorDictModule(nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2), NormalParamExtractor()),
                                            in_keys=["observation"], out_keys=["loc", "scale"]),
                           in_keys=["loc", "scale"], distribution_class=TanhNormal, return_log_prob=True)
critic = ValueOperator(nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1)), in_keys=["observation"])
observation = torch.randn(2, 9, 4)
data = TensorDict({"observation": observation[:, :-1], "next": {
    "observation": observation[:, 1:], "reward": torch.randn(2, 8, 1), "done": torch.zeros(2, 8, 1, dtype=torch.bool),
    "terminated": torch.zeros(2, 8, 1, dtype=torch.bool)}}, batch_size=[2, 8])
with torch.no_grad():
    data = actor(data)
GAE(gamma=0.99, lmbda=0.95, value_network=critic)(data)
print(sorted(map(str, data.keys())), data["advantage"].sum().item())
buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(16), batch_size=8)
buffer.extend(data.reshape(-1))
loss_of = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=1e-3)
optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
for step in range(3):
    losses = loss_of(buffer.sample())
    loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", step, loss.item(), losses["kl_approx"].item())
