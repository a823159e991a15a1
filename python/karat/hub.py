"""karat.hub: models whose code lies in a folder (hubconf.py), and files of weights by address. Code is not fetched."""

import hashlib
import importlib.util
import os
import re
import sys
import tempfile
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from . import _missing, _written
from ._torch_private import private_names

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")  # in a file's name: resnet18-5c106cde.pth
_folder = None
_NOT_FETCHED = ("code is not fetched from {}; clone the repository and use source='local' with its folder")


def set_dir(d):
    """Sets the folder in which files are kept."""
    global _folder
    _folder = os.path.expanduser(d)


def home_folder():
    """The folder of all that is kept: $TORCH_HOME, or ~/.cache/torch."""
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(os.getenv("XDG_CACHE_HOME", "~/.cache"), "torch")))


def get_dir():
    """The folder in which files are kept: set_dir, or $TORCH_HOME/hub, or ~/.cache/torch/hub."""
    return _folder if _folder is not None else os.path.join(home_folder(), "hub")


def _configuration(folder):
    """The module hubconf of a folder."""
    path = os.path.join(folder, "hubconf.py")
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location("hubconf.py", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def load(repo_or_dir, model, *args, source="github", trust_repo=None, force_reload=False, verbose=True, skip_validation=False,
         **kwargs):
    """Calls the function `model` of a folder's hubconf.py (source="local")."""
    where = source.lower()
    if where == "github":
        raise NotImplementedError(f"torch.hub.load: {_NOT_FETCHED.format(repo_or_dir)}")
    if where != "local":
        raise ValueError(f'Unknown source: "{where}". Allowed values: "github" | "local".')
    offered = {name: one for name, one in vars(_configuration(repo_or_dir)).items() if callable(one)}
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    if model not in offered:
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return offered[model](*args, **kwargs)


def list(github, force_reload=False, skip_validation=False, trust_repo=None, verbose=True):
    """Refused: code is not fetched."""
    raise NotImplementedError(f"torch.hub.list: {_NOT_FETCHED.format(github)}")


def help(github, model, force_reload=False, skip_validation=False, trust_repo=None):
    """Refused: code is not fetched."""
    raise NotImplementedError(f"torch.hub.help: {_NOT_FETCHED.format(github)}")


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Writes what lies at an address to a file, which is there when all has come; its SHA-256 must begin with hash_prefix."""
    dst, digest = os.path.expanduser(dst), hashlib.sha256()
    with tempfile.TemporaryFile() as file:
        with urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as source:
            while part := source.read(1 << 17):
                file.write(part)
                digest.update(part)
        if hash_prefix is not None and digest.hexdigest()[:len(hash_prefix)] != hash_prefix:
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')
        _written.write(dst, _written.Copied(file), file.tell())


def load_state_dict_from_url(url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None,
                             weights_only=False):
    """torch.load of a file at an address, which is fetched once. check_hash: its name says how its SHA-256 begins."""
    from .serialization import load

    model_dir = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(model_dir, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(model_dir, name)
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, found[1] if found else None, progress=progress)
    return load(path, map_location=map_location, weights_only=weights_only)


class silent_tqdm:
    """What stands for tqdm where it is not installed: counts, and shows nothing."""

    def __init__(self, iterable=None, *args, total=None, disable=False, **options):
        self.iterable, self.total, self.disable, self.n = iterable, total, disable, 0

    def __iter__(self):
        for one in self.iterable:
            yield one
            self.n += 1

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def update(self, n=1):
        """n more are done."""
        self.n += n

    def close(self):
        """The end."""

    def set_description(self, *args, **options):
        """Shows nothing."""


def _tqdm():
    try:
        from tqdm import tqdm
    except ImportError:
        return silent_tqdm
    return tqdm


_otherwise = private_names(__name__, globals(), _missing.of(__name__))


def __getattr__(name):
    if name == "tqdm":  # a progress bar is loaded where somebody asks for it
        return _tqdm()
    return _otherwise(name)
