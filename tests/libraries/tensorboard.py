"""tensorboard: SummaryWriter's scalars, histograms, images and texts, read back from the event file."""
# pip: tensorboard
# but: add_graph and add_embedding are refused
import tempfile

import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import nn
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 2)
folder = tempfile.mkdtemp(dir=".")
with SummaryWriter(folder) as writer:
    for step in range(5):
        loss = nn.functional.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        writer.add_scalar("loss", loss, step)
        writer.add_histogram("weight", net.weight, step)
    writer.add_image("image", torch.rand(3, 8, 8), 0)
    writer.add_text("text", "hello", 0)
    writer.add_hparams({"lr": 0.1}, {"final": loss.item()}, run_name="h")
events = EventAccumulator(folder).Reload()
print({kind: names for kind, names in events.Tags().items() if names})
print([(one.step, one.value) for one in events.Scalars("loss")])
last = events.Histograms("weight")[-1].histogram_value
print(last.min, last.max, last.num, last.sum, last.sum_squares, events.Images("image")[0].width)
