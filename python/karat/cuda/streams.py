"""karat.cuda.streams: streams and events of CUDA devices."""

from . import (  # noqa: F401
    Event, ExternalStream, Stream,
)

__all__ = [
    "Event", "ExternalStream", "Stream",
]
