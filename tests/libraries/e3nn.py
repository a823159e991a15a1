"""e3nn: irreps, spherical harmonics and Wigner matrices."""
# pip: e3nn
# but: tensor products and gates are generated code and need fx, which is refused
# tolerance: 1e-3
import torch
from e3nn import o3

torch.manual_seed(0)
irreps = o3.Irreps("2x0e + 1o + 2e")
print(irreps, irreps.dim, irreps.lmax, (irreps + "3x1e").simplify())
angles = o3.rand_angles()
print(irreps.D_from_angles(*angles).sum().item(), o3.wigner_3j(1, 1, 2).sum().item(), o3.rand_matrix().det().item())
