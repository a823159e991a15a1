"""karat.nn.utils.memory_format: the weights of convolutions in another memory format."""

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module, kinds, memory_format):
    for one in module.modules():
        if isinstance(one, kinds):
            one.weight.data = one.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module, memory_format):
    """Puts the weights of all 2-dim convolutions of a module into a memory format."""
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module, memory_format):
    """Puts the weights of all 3-dim convolutions of a module into a memory format."""
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)
