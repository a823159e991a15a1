"""captum: integrated gradients, DeepLift, saliency, occlusion, Shapley values and layer attributions of a CNN."""
# pip: captum
# tolerance: 1e-3
import numpy as np
import torch
from captum.attr import (DeepLift, FeatureAblation, GradientShap, IntegratedGradients, LayerConductance, LayerGradCam,
                         NoiseTunnel, Occlusion, Saliency, ShapleyValueSampling)
from torch import nn

np.random.seed(0)
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)).eval()
x = torch.randn(2, 1, 8, 8)
for kind in (IntegratedGradients, DeepLift, Saliency):
    print(kind.__name__, kind(net).attribute(x, target=1).sum().item())
print(IntegratedGradients(net).attribute(x, target=1, n_steps=20, return_convergence_delta=True)[1].abs().max().item() < 0.1)
print("shap", GradientShap(net).attribute(x, baselines=torch.zeros(3, 1, 8, 8), target=0, n_samples=3).abs().sum().item())
print("noise", NoiseTunnel(Saliency(net)).attribute(x, nt_samples=3, target=2).sum().item())
print("occlusion", Occlusion(net).attribute(x, (1, 4, 4), strides=(1, 4, 4), target=0).sum().item())
masks = torch.arange(4).reshape(1, 1, 2, 2).repeat_interleave(4, 2).repeat_interleave(4, 3)
print("ablation", FeatureAblation(net).attribute(x, target=0, feature_mask=masks).sum().item())
print("shapley", ShapleyValueSampling(net).attribute(x, target=0, feature_mask=masks, n_samples=3).sum().item())
print("layer", LayerConductance(net, net[0]).attribute(x, target=1, n_steps=10).sum().item(),
      LayerGradCam(net, net[0]).attribute(x, target=1).sum().item())
