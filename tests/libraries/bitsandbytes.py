"""bitsandbytes: what it has for the CPU: blockwise quantization, 4 bits, 8 bit matrix products."""
# pip: bitsandbytes
# tolerance: 1e-3
import bitsandbytes as bnb
import bitsandbytes.functional as F
import torch

torch.manual_seed(0)
x = torch.randn(64, 64)
q, state = F.quantize_blockwise(x, blocksize=256)
print(q.dtype, tuple(q.shape), q.float().mean().item(), (F.dequantize_blockwise(q, state) - x).abs().mean().item())
for kind in ("nf4", "fp4"):
    q, state = F.quantize_4bit(x, blocksize=64, quant_type=kind)
    print(kind, tuple(q.shape), (F.dequantize_4bit(q, state) - x).abs().mean().item())
linear = bnb.nn.Linear4bit(64, 8, compute_dtype=torch.float32, quant_type="nf4")
linear.load_state_dict({"weight": torch.randn(8, 64), "bias": torch.zeros(8)})
linear = linear.to("cpu")
print(linear.weight.dtype, linear(x).abs().mean().item())
rows, stats, outliers = F.int8_vectorwise_quant(x.half())
print(rows.dtype, stats.float().sum().item(), outliers)
a = torch.randint(-100, 100, (8, 16), dtype=torch.int8)
b = torch.randint(-100, 100, (4, 16), dtype=torch.int8)
print(F.int8_linear_matmul(a, b).tolist()[0])
