"""ultralytics: YOLO from its configuration, trained on made pictures, and boxes found."""
# pip: ultralytics
# tolerance: 5e-3
import os

os.environ["YOLO_VERBOSE"] = "false"
import numpy as np
import torch
from PIL import Image
from ultralytics import YOLO
from ultralytics.utils import LOGGER

LOGGER.setLevel(40)
draw = np.random.default_rng(0)
for part in ("train", "val"):
    for folder in ("images", "labels"):
        os.makedirs(f"data/{folder}/{part}", exist_ok=True)
    for i in range(4):
        picture = draw.integers(0, 255, (64, 64, 3), dtype=np.uint8)
        picture[16:48, 16:48] = (255, 0, 0)
        Image.fromarray(picture).save(f"data/images/{part}/{i}.png")
        with open(f"data/labels/{part}/{i}.txt", "w") as file:
            file.write("0 0.5 0.5 0.5 0.5\n")
with open("data.yaml", "w") as file:
    file.write(f"path: {os.path.abspath('data')}\ntrain: images/train\nval: images/val\nnames:\n  0: square\n")
torch.manual_seed(0)
net = YOLO("yolov8n.yaml", verbose=False)
print("parameters", sum(p.numel() for p in net.model.parameters()))
seen = []


def note(trainer):
    losses = trainer.loss_items
    seen.append([float(value) for value in (losses.values() if isinstance(losses, dict) else losses)])


net.add_callback("on_train_batch_end", note)
net.train(data="data.yaml", epochs=2, imgsz=64, batch=2, workers=0, device="cpu", verbose=False, plots=False, save=False,
          val=False, amp=False, seed=0, deterministic=True, mosaic=0.0, project="runs", exist_ok=True, optimizer="SGD", lr0=0.001)
print(len(seen), seen[0])
print(torch.tensor(seen).shape, bool(torch.tensor(seen).isfinite().all()))
torch.manual_seed(0)
raw = YOLO("yolov8n.yaml", verbose=False)
with torch.no_grad():
    out = raw.model.eval()(torch.rand(1, 3, 64, 64, generator=torch.Generator().manual_seed(2)))
print(tuple(out[0].shape), out[0].mean().item())
print(len(raw.predict("data/images/val/0.png", imgsz=64, conf=0.001, verbose=False, device="cpu", save=False)[0].boxes) >= 0)
