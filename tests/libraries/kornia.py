"""kornia: colour, filters, warps, morphology and augmentations, with gradients."""
# pip: kornia
# tolerance: 1e-3
import kornia
import torch
from torch import nn

torch.manual_seed(0)
image = torch.rand(2, 3, 16, 16, requires_grad=True)
steps = {"gray": kornia.color.rgb_to_grayscale, "hsv": kornia.color.rgb_to_hsv, "lab": kornia.color.rgb_to_lab,
         "blur": lambda x: kornia.filters.gaussian_blur2d(x, (3, 3), (1.0, 1.0)), "sobel": kornia.filters.sobel,
         "canny": lambda x: kornia.filters.canny(x)[0], "median": lambda x: kornia.filters.median_blur(x, (3, 3)),
         "rotate": lambda x: kornia.geometry.rotate(x, torch.tensor([30.0, 60.0])),
         "resize": lambda x: kornia.geometry.resize(x, (8, 8)), "pyramid": lambda x: kornia.geometry.pyrdown(x),
         "dilate": lambda x: kornia.morphology.dilation(x, torch.ones(3, 3)), "equalize": kornia.enhance.equalize,
         "ssim": lambda x: kornia.metrics.ssim(x, x.flip(-1), 5), "gamma": lambda x: kornia.enhance.adjust_gamma(x, 2.0)}
for name, step in steps.items():
    made = step(image)
    grad = torch.autograd.grad(made.sum(), image)[0].sum().item() if made.requires_grad else None
    print(name, tuple(made.shape), made.sum().item(), grad)
change = nn.Sequential(kornia.augmentation.RandomHorizontalFlip(p=1.0),
                       kornia.augmentation.ColorJitter(0.1, 0.1, 0.1, 0.1, p=1.0),
                       kornia.augmentation.RandomAffine(15.0, p=1.0), kornia.augmentation.Normalize(0.5, 0.5))
print("augmented", change(image).sum().item())
points = torch.rand(1, 6, 2)
print(kornia.geometry.find_homography_dlt(points, points * 2 + 1).flatten().tolist())
