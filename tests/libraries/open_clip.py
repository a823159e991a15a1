"""open_clip: a small CLIP from a configuration: contrastive loss, steps, text and image features."""
# pip: open_clip_torch
# tolerance: 1e-3
import open_clip
import torch
from open_clip.loss import ClipLoss
from open_clip.model import CLIP, CLIPTextCfg, CLIPVisionCfg

torch.manual_seed(0)
net = CLIP(32, CLIPVisionCfg(layers=2, width=32, head_width=16, patch_size=8, image_size=32),
           CLIPTextCfg(context_length=16, vocab_size=49408, width=32, heads=2, layers=2))
images = torch.randn(3, 3, 32, 32)
text = open_clip.tokenize(["a dog", "a small cat", "two birds on a roof"], context_length=16)
print(text.shape, text.sum().item())
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
loss_of = ClipLoss()
for _ in range(3):
    image_features, text_features, scale = net(images, text)
    loss = loss_of(image_features, text_features, scale)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
with torch.no_grad():
    print((net.encode_image(images, normalize=True) @ net.encode_text(text, normalize=True).T).tolist())
