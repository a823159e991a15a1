"""torchvision: resnet18 trained, Faster R-CNN of random weights (loss and boxes), deformable convolution, transforms v2."""
# pip: torchvision
# tolerance: 2e-3
import torch
import torchvision
from torchvision import tv_tensors
from torchvision.models import resnet18
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn
from torchvision.ops import DeformConv2d, batched_nms, ps_roi_align, ps_roi_pool, roi_align, roi_pool
from torchvision.transforms import v2

torch.manual_seed(0)
images, classes = torch.randn(4, 3, 64, 64), torch.tensor([0, 1, 2, 3])
net = resnet18(num_classes=4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for _ in range(3):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(images), classes)
    loss.backward()
    optimizer.step()
    print("resnet18", loss.item())

detector = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=3, box_score_thresh=0.0)
boxes = torch.tensor([[10.0, 12.0, 90.0, 80.0], [30.0, 20.0, 110.0, 120.0]])
pictures, targets = [torch.rand(3, 128, 160)], [{"boxes": boxes, "labels": torch.tensor([1, 2])}]
losses = detector(pictures, targets)
sum(losses.values()).backward()
print({name: round(loss.item(), 4) for name, loss in losses.items()})
print("grad", sum(p.grad.abs().sum().item() for p in detector.parameters() if p.grad is not None) > 0)
found = detector.eval()(pictures)[0]
print({name: tuple(value.shape) for name, value in found.items()})
print(found["scores"].sum().item(), found["boxes"].mean().item())

x = torch.randn(2, 8, 16, 16, requires_grad=True)
rois = torch.tensor([[0, 1.0, 1.5, 9.0, 12.0], [1, 0.0, 2.0, 15.0, 9.5]])
for pool in (roi_align, roi_pool, ps_roi_align, ps_roi_pool):
    pooled = pool(x, rois, 2)
    print(pool.__name__, pooled.sum().item(), torch.autograd.grad(pooled.pow(2).sum(), x)[0].abs().sum().item())
deform = DeformConv2d(8, 4, 3, padding=1)
out = deform(x, torch.randn(2, 18, 16, 16), torch.rand(2, 9, 16, 16))
print("deform", out.mean().item(), torch.autograd.grad(out.pow(2).sum(), deform.weight)[0].sum().item())
many = torch.rand(200, 4) * 50
many[:, 2:] += many[:, :2]
print("nms", batched_nms(many, torch.rand(200), torch.randint(3, (200,)), 0.4)[:10].tolist())

torch.manual_seed(1)
augment = v2.Compose([v2.ToImage(), v2.RandomResizedCrop(24, antialias=True), v2.RandomHorizontalFlip(), v2.ColorJitter(0.3, 0.3),
                      v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.2] * 3)])
picture = tv_tensors.Image(torch.randint(256, (3, 40, 40), dtype=torch.uint8))
marks = tv_tensors.BoundingBoxes([[4, 4, 30, 30]], format="XYXY", canvas_size=(40, 40))
image, mark = augment(picture, marks)
print(type(image).__name__, tuple(image.shape), image.mean().item(), mark.tolist())
print(torchvision.utils.make_grid(images).sum().item())
