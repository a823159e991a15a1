"""karat.utils.model_zoo: the old names of what karat.hub has."""

from .. import hub
from ..hub import load_state_dict_from_url as load_url  # noqa: F401


def __getattr__(name):
    if name == "tqdm":
        return hub.tqdm
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
