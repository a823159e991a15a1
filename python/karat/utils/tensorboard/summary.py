"""summary.py - what a call of SummaryWriter writes: values as NumPy arrays in, tensorboard's messages out."""

import io
import json
import math
import struct
import wave

import numpy
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

from ..._karat import Tensor, as_tensor


def array_of(value):
    """A tensor, an array or a number as an array."""
    if isinstance(value, numpy.ndarray):
        return value
    if isinstance(value, (int, float, complex, numpy.generic)):
        return numpy.array([value])
    if isinstance(value, Tensor):
        return value.detach().cpu().numpy()
    raise NotImplementedError(f"Got {type(value)}, but numpy array or torch tensor are expected.")


def _metadata(plugin, content=b""):
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin, content=content))


def _message(tag, **value):
    return Summary(value=[Summary.Value(tag=tag, **value)])


def _shape(sizes):
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def scalar(name, tensor, collections=None, new_style=False, double_precision=False):
    """One number."""
    if isinstance(tensor, Tensor) and tensor.numel() != 1 or isinstance(tensor, numpy.ndarray) and tensor.size != 1:
        size = tensor.numel() if isinstance(tensor, Tensor) else tensor.size
        raise AssertionError("Tensor should contain one element (0 dimensions).             Was given size: "
                             f"{size} and {tensor.ndim} dimensions.")
    if not isinstance(tensor, (str, Tensor)):
        tensor = array_of(tensor)
    number = float(tensor if isinstance(tensor, str) else tensor.item())
    if not new_style:
        return _message(name, simple_value=number)
    kept = TensorProto(double_val=[number], dtype="DT_DOUBLE") if double_precision else TensorProto(
        float_val=[number], dtype="DT_FLOAT")
    return _message(name, tensor=kept, metadata=_metadata("scalars"))


def tensor_proto(tag, tensor):
    """All values of a tensor."""
    values = tensor.numpy()
    kinds = {"float16": ("half_val", "DT_HALF"), "float32": ("float_val", "DT_FLOAT"), "float64": ("double_val", "DT_DOUBLE"),
             "int8": ("int_val", "DT_INT8"), "uint8": ("int_val", "DT_UINT8"), "int16": ("int_val", "DT_INT16"),
             "int32": ("int_val", "DT_INT32"), "int64": ("int64_val", "DT_INT64")}
    if str(values.dtype) not in kinds:
        raise ValueError(f"{tensor.dtype} is not a supported dtype of tensors in summaries")
    field, dtype = kinds[str(values.dtype)]
    flat = values.reshape(-1)
    if field == "half_val":
        flat = flat.view("uint16").astype("int32")
    kept = TensorProto(dtype=dtype, tensor_shape=_shape(values.shape), **{field: flat.tolist()})
    return _message(tag, tensor=kept, metadata=_metadata("tensor"))


def text(tag, text):
    """Markdown."""
    kept = TensorProto(dtype="DT_STRING", string_val=[text.encode("utf8")], tensor_shape=_shape([1]))
    return _message(f"{tag}/text_summary", tensor=kept, metadata=_metadata("text"))


def default_bins():
    """Limits that grow by a tenth, from 1e-12 to 1e20, and the same below 0."""
    limits, limit = [], 1e-12
    while limit < 1e20:
        limits.append(limit)
        limit *= 1.1
    return [-limit for limit in reversed(limits)] + [0] + limits


def histogram(name, values, bins, max_bins=None):
    """How many values lie between limits; empty buckets at both ends are left out."""
    values = array_of(values).astype(float).reshape(-1)
    if values.size == 0:
        raise ValueError("The input has no element.")
    counts, limits = numpy.histogram(values, bins=default_bins() if isinstance(bins, str) and bins == "tensorflow" else bins)
    together = len(counts) // max_bins if max_bins is not None and len(counts) > max_bins else 1
    if together > 1:
        short = -len(counts) % together
        counts = numpy.pad(counts, (0, short)).reshape(-1, together).sum(axis=1)
        limits = numpy.append(limits[:-1][::together], limits[-1])
    used = numpy.nonzero(counts)[0]
    if used.size == 0:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = used[0], used[-1]
    kept = HistogramProto(min=values.min(), max=values.max(), num=len(values), sum=values.sum(), sum_squares=values.dot(values),
                          bucket_limit=limits[first:last + 2].tolist(), bucket=[0, *counts[first:last + 1].tolist()])
    return _message(name, histo=kept)


def histogram_raw(name, min, max, num, sum, sum_squares, bucket_limits, bucket_counts):
    """A histogram that the user has made."""
    if len(bucket_limits) != len(bucket_counts):
        raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
    return _message(name, histo=HistogramProto(min=min, max=max, num=num, sum=sum, sum_squares=sum_squares,
                                               bucket_limit=bucket_limits, bucket=bucket_counts))


def _grid(images, across=8):
    """Images beside and below each other."""
    if images.ndim != 4 or images.shape[1] not in (1, 3):
        raise ValueError(f"expected images of 1 or 3 channels, NCHW; got {images.shape}")
    if images.shape[1] == 1:
        images = numpy.concatenate([images] * 3, axis=1)
    n, _, height, width = images.shape
    columns = min(n, across)
    whole = numpy.zeros((3, height * math.ceil(n / columns), width * columns), dtype=images.dtype)
    for i, image in enumerate(images):
        row, column = divmod(i, columns)
        whole[:, row * height:(row + 1) * height, column * width:(column + 1) * width] = image
    return whole


def as_hwc(image, order):
    """An image, or several in a grid, as [height, width, channels]."""
    order = order.upper()
    if len(set(order)) != len(order):
        raise AssertionError(f"You can not use the same dimension shordhand twice.         input_format: {order}")
    if image.ndim != len(order):
        raise AssertionError("size of input tensor and input format are different.         tensor shape: "
                             f"{image.shape}, input_format: {order}")
    if len(order) == 4:
        return _grid(image.transpose([order.index(dim) for dim in "NCHW"])).transpose(1, 2, 0)
    if len(order) == 2:
        image = image.transpose([order.index(dim) for dim in "HW"])
        return numpy.stack([image] * 3, 2)
    image = image.transpose([order.index(dim) for dim in "HWC"])
    return numpy.concatenate([image] * 3, 2) if image.shape[2] == 1 else image


def image(tag, tensor, rescale=1, dataformats="NCHW"):
    """A picture, as PNG: bytes as they are, other numbers from 0 to 1."""
    from PIL import Image

    values = array_of(tensor)
    scale = 1 if values.dtype == numpy.uint8 else 255
    shown = (as_hwc(values, dataformats).astype(numpy.float32) * scale).clip(0, 255).astype(numpy.uint8)
    height, width, channels = shown.shape
    if rescale != 1:
        height, width = int(height * rescale), int(width * rescale)
    file = io.BytesIO()
    picture = Image.fromarray(shown)
    (picture if rescale == 1 else picture.resize((width, height), Image.LANCZOS)).save(file, format="PNG")
    return _message(tag, image=Summary.Image(height=height, width=width, colorspace=channels,
                                             encoded_image_string=file.getvalue()))


def figure(figures, close):
    """Pictures of one or several figures of matplotlib, as CHW or NCHW."""
    import matplotlib.backends.backend_agg as agg
    from matplotlib import pyplot

    def drawn(one):
        canvas = agg.FigureCanvasAgg(one)
        canvas.draw()
        width, height = one.canvas.get_width_height()
        picture = numpy.frombuffer(canvas.buffer_rgba(), dtype=numpy.uint8).reshape(height, width, 4)[:, :, :3]
        if close:
            pyplot.close(one)
        return numpy.moveaxis(picture, 2, 0)

    return numpy.stack([drawn(one) for one in figures]) if isinstance(figures, list) else drawn(figures)


def audio(tag, tensor, sample_rate=44100):
    """A sound of one channel, as WAV: numbers from -1 to 1."""
    values = array_of(tensor).squeeze()
    if abs(values).max() > 1:
        values = values.clip(-1, 1)
    if values.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    whole = [int(32767.0 * x) for x in values]
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.writeframes(struct.pack("<" + "h" * len(whole), *whole))
    return _message(tag, audio=Summary.Audio(sample_rate=sample_rate, num_channels=1, length_frames=len(whole),
                                             encoded_audio_string=file.getvalue(), content_type="audio/wav"))


def pr_curve_raw(tag, tp, fp, tn, fn, precision, recall, num_thresholds=127, weights=None):
    """Precision and recall at thresholds, which the user has counted; the counts are weighted already."""
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

    values = numpy.stack([numpy.asarray(one) for one in (tp, fp, tn, fn, precision, recall)])
    n = min(num_thresholds, 127)
    kept = TensorProto(dtype="DT_FLOAT", float_val=values.reshape(-1).tolist(), tensor_shape=_shape(values.shape))
    content = PrCurvePluginData(version=0, num_thresholds=n).SerializeToString()
    return _message(tag, tensor=kept, metadata=_metadata("pr_curves", content))


def pr_curve(tag, labels, predictions, num_thresholds=127, weights=None):
    """Precision and recall of predictions from 0 to 1, at evenly spaced thresholds."""
    labels, predictions = array_of(labels).reshape(-1), array_of(predictions).reshape(-1)
    n = min(num_thresholds, 127)
    weights = numpy.ones(len(labels)) if weights is None else array_of(weights).reshape(-1)
    place = numpy.int32(numpy.floor(predictions * (n - 1)))
    true = labels.astype(float) * weights
    reached = [numpy.histogram(place, bins=n, range=(0, n - 1), weights=one)[0][::-1].cumsum()[::-1]
               for one in (true, (1.0 - labels) * weights)]
    tp, fp = reached
    tn, fn = fp[0] - fp, tp[0] - tp
    tiny = 1e-7
    return pr_curve_raw(tag, tp, fp, tn, fn, tp / numpy.maximum(tiny, tp + fp), tp / numpy.maximum(tiny, tp + fn), n)


def hparams(hparam_dict=None, metric_dict=None, hparam_domain_discrete=None):
    """The three messages of a run: what its options and metrics are, its options, and its end."""
    from google.protobuf import struct_pb2
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

    if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
        raise TypeError("hparam_dict and metric_dict should be dictionary.")
    discrete = hparam_domain_discrete or {}
    infos, start = [], plugin_data_pb2.SessionStartInfo()
    for name, value in hparam_dict.items():
        value = array_of(value).reshape(-1)[0].item() if isinstance(value, Tensor) else value
        if value is None:
            continue
        if isinstance(value, bool):
            start.hparams[name].bool_value, kind, field = value, "DATA_TYPE_BOOL", "bool_value"
        elif isinstance(value, (int, float)):
            start.hparams[name].number_value, kind, field = value, "DATA_TYPE_FLOAT64", "number_value"
        elif isinstance(value, str):
            start.hparams[name].string_value, kind, field = value, "DATA_TYPE_STRING", "string_value"
        else:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(kind))
        for choice in discrete.get(name, ()):
            info.domain_discrete.values.append(struct_pb2.Value(**{field: choice}))
        infos.append(info)
    metric_infos = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metric_dict]
    end = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    experiment = api_pb2.Experiment(hparam_infos=infos, metric_infos=metric_infos)
    version = metadata.PLUGIN_DATA_VERSION
    kept = ((metadata.EXPERIMENT_TAG, plugin_data_pb2.HParamsPluginData(experiment=experiment, version=version)),
            (metadata.SESSION_START_INFO_TAG, plugin_data_pb2.HParamsPluginData(session_start_info=start, version=version)),
            (metadata.SESSION_END_INFO_TAG, plugin_data_pb2.HParamsPluginData(session_end_info=end, version=version)))
    return tuple(_message(name, metadata=_metadata(metadata.PLUGIN_NAME, data.SerializeToString())) for name, data in kept)


def custom_scalars(layout):
    """Which tags are drawn into one chart: {category: {chart: ["Multiline", tags] or ["Margin", [value, lower, upper]]}}."""
    from tensorboard.plugins.custom_scalar import layout_pb2, metadata

    def chart(title, kind, tags):
        if kind != "Margin":
            return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
        if len(tags) != 3:
            raise AssertionError("len(tags) != 3")
        series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
        return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))

    categories = [layout_pb2.Category(title=title, chart=[chart(name, one[0], one[1]) for name, one in charts.items()])
                  for title, charts in layout.items()]
    kept = TensorProto(dtype="DT_STRING", string_val=[layout_pb2.Layout(category=categories).SerializeToString()])
    return _message(metadata.CONFIG_SUMMARY_TAG, tensor=kept, metadata=metadata.create_summary_metadata())


def mesh(tag, vertices, colors, faces, config_dict, display_name=None, description=None):
    """Points in space, and the triangles and colors of them that there are: a tensor B x N x 3 of each, beside one another."""
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    given = ((vertices, MeshPluginData.VERTEX), (faces, MeshPluginData.FACE), (colors, MeshPluginData.COLOR))
    parts = [(as_tensor(values), kind) for values, kind in given if values is not None]
    config, made = json.dumps(config_dict or {}, sort_keys=True), Summary()
    mask = metadata.get_components_bitmask([kind for _, kind in parts])
    for values, kind in parts:
        about = metadata.create_summary_metadata(tag, display_name, kind, mask, values.shape, description, json_config=config)
        kept = TensorProto(dtype="DT_FLOAT", float_val=values.reshape(-1).tolist(), tensor_shape=_shape(values.shape))
        made.value.add(tag=metadata.get_instance_name(tag, kind), tensor=kept, metadata=about)
    return made
