"""diffusers: UNet2DModel trained on noise of a DDPM, then samples by DDPM and DDIM."""
# pip: diffusers transformers
# tolerance: 2e-3
import torch
from diffusers import AutoencoderKL, DDIMScheduler, DDPMPipeline, DDPMScheduler, UNet2DModel

torch.manual_seed(0)
net = UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32),
                  norm_num_groups=8, down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                  up_block_types=("AttnUpBlock2D", "UpBlock2D"))
scheduler = DDPMScheduler(num_train_timesteps=100)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
images = torch.rand(4, 3, 16, 16) * 2 - 1
for _ in range(3):
    noise, at = torch.randn_like(images), torch.randint(0, 100, (4,))
    loss = torch.nn.functional.mse_loss(net(scheduler.add_noise(images, noise, at), at).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
net.eval()
for kind in (DDPMScheduler, DDIMScheduler):
    pipeline = DDPMPipeline(net, kind(num_train_timesteps=100))
    pipeline.set_progress_bar_config(disable=True)
    made = pipeline(batch_size=1, num_inference_steps=4, generator=torch.Generator().manual_seed(1), output_type="np").images
    print(kind.__name__, made.shape, float(made.mean()), float(made.std()))
coder = AutoencoderKL(block_out_channels=(16,), norm_num_groups=8, latent_channels=2, sample_size=16)
z = coder.encode(images).latent_dist
print(z.mean.sum().item(), coder.decode(z.mode()).sample.abs().mean().item())
