"""torchmetrics: classification, regression, retrieval, image and text metrics, in batches."""
# pip: torchmetrics
# but: mutual information and other scores of clusterings need sparse layouts, which are refused
import torch
import torchmetrics
from torchmetrics import MetricCollection
from torchmetrics.classification import (MulticlassAccuracy, MulticlassAUROC, MulticlassCalibrationError,
                                         MulticlassConfusionMatrix, MulticlassF1Score)
from torchmetrics.image import PeakSignalNoiseRatio, StructuralSimilarityIndexMeasure
from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef, R2Score, SpearmanCorrCoef

torch.manual_seed(0)
several = MetricCollection({"acc": MulticlassAccuracy(4), "f1": MulticlassF1Score(4), "auroc": MulticlassAUROC(4),
                            "ece": MulticlassCalibrationError(4), "cm": MulticlassConfusionMatrix(4)})
numbers = MetricCollection([MeanSquaredError(), PearsonCorrCoef(), R2Score(), SpearmanCorrCoef()])
for _ in range(3):
    logits, classes = torch.randn(20, 4), torch.randint(4, (20,))
    several.update(logits.softmax(-1), classes)
    x = torch.randn(20)
    numbers.update(x, x + 0.3 * torch.randn(20))
for found in (several.compute(), numbers.compute()):
    for name in sorted(found):
        print(name, found[name].tolist())
a = torch.rand(2, 3, 32, 32, requires_grad=True)
b = torch.rand(2, 3, 32, 32)
quality = StructuralSimilarityIndexMeasure(data_range=1.0)(a, b)
quality.backward()
print(quality.item(), a.grad.abs().sum().item(), PeakSignalNoiseRatio(data_range=1.0)(a.detach(), b).item())
print(torchmetrics.functional.pairwise_cosine_similarity(a.detach().flatten(1), b.flatten(1)).tolist())
mean = torchmetrics.MeanMetric()
mean.update(torch.tensor([1.0, 2.0, 6.0]))
mean.update(5)
print(mean.compute().item(), torchmetrics.functional.text.word_error_rate(["a b c"], ["a c c"]).item())
