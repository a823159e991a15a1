"""accelerate: prepare, accumulation of gradients, clipping, a state saved and loaded, mixed precision in bfloat16."""
# pip: accelerate
# tolerance: 1e-3
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from accelerate.utils import set_seed

for precision in ("no", "bf16"):
    set_seed(0)
    AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2, mixed_precision=precision)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    x = torch.randn(64, 8)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :1].sin()), batch_size=16)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    net, optimizer, loader, schedule = accelerator.prepare(net, optimizer, loader, schedule)
    for _ in range(3):
        for a, b in loader:
            with accelerator.accumulate(net):
                loss = torch.nn.functional.mse_loss(net(a), b)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(net.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
        print(precision, loss.item(), schedule.get_last_lr())
    accelerator.save_state("state")
    with torch.no_grad():
        net[0].weight.zero_()
    accelerator.load_state("state")
    print(accelerator.unwrap_model(net)[0].weight.sum().item(), accelerator.gather(torch.ones(2)).tolist())
