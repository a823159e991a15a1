"""karat.nn.modules.channelshuffle: channels of groups interleaved."""

from .. import functional as F
from ._declared import shown
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Interleaves the channels of `groups` groups."""

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    extra_repr = shown(groups=str)
