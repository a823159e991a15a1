"""writer.py - SummaryWriter: values of a training, by step, in files that TensorBoard shows."""

import functools
import os
import socket
import time
from datetime import datetime

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from ... import _refused
from . import summary


def _stamped(event, step, walltime):
    """The event with its time, now where none is given, and its step, as a number that protobuf takes."""
    event.wall_time = walltime if walltime is not None else time.time()
    event.step = event.step if step is None else int(step)
    return event


class FileWriter:
    """Writes summaries and events to a file of its own in a folder."""

    def __init__(self, log_dir, max_queue=10, flush_secs=120, filename_suffix=""):
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self):
        """The folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event, step=None, walltime=None):
        """Writes an event, with its time and step."""
        self.event_writer.add_event(_stamped(event, step, walltime))

    def add_summary(self, summary, global_step=None, walltime=None):
        """Writes a summary."""
        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self):
        """Writes what waits."""
        self.event_writer.flush()

    def close(self):
        """Writes what waits, and closes the file."""
        self.event_writer.close()

    def reopen(self):
        """Begins another file."""
        self.event_writer.reopen()


def _written(make):
    """A method that makes a summary becomes one that writes it, at the global_step and walltime that it was called with."""
    names = make.__code__.co_varnames
    places = [(name, names.index(name) - 1) for name in ("global_step", "walltime") if name in names]

    @functools.wraps(make)
    def add(self, *args, **kwargs):
        made = make(self, *args, **kwargs)
        when = {name: args[i] if i < len(args) else kwargs.get(name) for name, i in places}
        self._get_file_writer().add_summary(made, **when)

    return add


class SummaryWriter:
    """SummaryWriter(log_dir): add_scalar("loss", loss, step) and the like write to log_dir, or to a new folder below runs/."""

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if not log_dir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step = log_dir, purge_step
        self.max_queue, self.flush_secs, self.filename_suffix = max_queue, flush_secs, filename_suffix
        self.file_writer = self.all_writers = None
        self.default_bins = summary.default_bins()
        self._get_file_writer()

    def _writer_of(self, folder):
        """The writer to a folder; a new one at first, and after close()."""
        if self.all_writers is None:
            self.all_writers = {}
        if folder not in self.all_writers:
            self.all_writers[folder] = FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)
        return self.all_writers[folder]

    def _get_file_writer(self):
        """The writer to log_dir. The first one tells TensorBoard to forget what another run wrote from purge_step on."""
        self.file_writer = self._writer_of(str(self.log_dir))
        step, self.purge_step = self.purge_step, None
        if step is not None:
            for told in ({"file_version": "brain.Event:2"}, {"session_log": SessionLog(status=SessionLog.START)}):
                self.file_writer.add_event(Event(step=step, **told))
        return self.file_writer

    def get_logdir(self):
        """The folder."""
        return self.log_dir

    @_written
    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """A number at a step."""
        return summary.scalar(tag, scalar_value, None, new_style, double_precision)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Several numbers that are drawn into one chart, each with a folder of its own."""
        beside = f"{self._get_file_writer().get_logdir()}/{main_tag.replace('/', '_')}_"
        when = {"global_step": global_step, "walltime": time.time() if walltime is None else walltime}
        for name in tag_scalar_dict:
            self._writer_of(beside + name).add_summary(summary.scalar(main_tag, tag_scalar_dict[name]), **when)

    @_written
    def add_tensor(self, tag, tensor, global_step=None, walltime=None):
        """A tensor at a step."""
        return summary.tensor_proto(tag, tensor)

    @_written
    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """Text, which TensorBoard shows as Markdown."""
        return summary.text(tag, text_string)

    @_written
    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """How values are distributed."""
        return summary.histogram(tag, values, bins, max_bins)

    @_written
    def add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, global_step=None,
                          walltime=None):
        """A histogram that was made elsewhere."""
        return summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)

    @_written
    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture: bytes, or numbers from 0 to 1."""
        return summary.image(tag, img_tensor, dataformats=dataformats)

    @_written
    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Several pictures, in a grid."""
        return summary.image(tag, img_tensor, dataformats=dataformats)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """A figure of matplotlib, or a list of them."""
        order = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, summary.figure(figure, close), global_step, walltime, dataformats=order)

    @_written
    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        """A sound of one channel: numbers from -1 to 1."""
        return summary.audio(tag, snd_tensor, sample_rate)

    @_written
    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """Precision and recall of predictions (from 0 to 1) of labels (0 and 1)."""
        return summary.pr_curve(tag, labels, predictions, num_thresholds, weights)

    @_written
    def add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts,
                         precision, recall, global_step=None, num_thresholds=127, weights=None, walltime=None):
        """The same, counted elsewhere."""
        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        return summary.pr_curve_raw(tag, *counts, precision, recall, num_thresholds)

    @_written
    def add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None, walltime=None):
        """Points in space, with the triangles between them and their colors where these are given."""
        return summary.mesh(tag, vertices, colors, faces, config_dict)

    @_written
    def add_custom_scalars(self, layout):
        """Charts of several tags: {category: {chart: ["Multiline", tags] or ["Margin", [value, lower, upper]]}}."""
        return summary.custom_scalars(layout)

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled"):
        """One chart of several tags, each a line."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled"):
        """One chart of a tag and what lies below and above it: three tags."""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, global_step=None):
        """The options of a run and what it reached, as a run of its own below this one's folder."""
        messages = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        run_name = run_name or str(time.time())
        with SummaryWriter(log_dir=os.path.join(self._get_file_writer().get_logdir(), run_name)) as run:
            for message in messages:
                run.file_writer.add_summary(message, global_step)
            for name, value in metric_dict.items():
                run.add_scalar(name, value, global_step)

    def flush(self):
        """Writes what waits."""
        for writer in list((self.all_writers or {}).values()):
            writer.flush()

    def close(self):
        """Writes what waits, and closes the files."""
        self.flush()
        writers, self.all_writers, self.file_writer = self.all_writers or {}, None, None
        for folder in writers:
            writers[folder].close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


_HERE = "karat.utils.tensorboard.SummaryWriter"
for _name, _why in {
    "add_graph": "programs are run as they are written, not traced into graphs",
    "add_onnx_graph": "models are not exported to ONNX",
    "add_video": "videos are not written; write the frames with add_images",
    "add_embedding": "embeddings are not written for the projector",
    "add_image_with_boxes": "boxes are not drawn; draw them and use add_image",
}.items():
    setattr(SummaryWriter, _name, _refused.function(f"{_HERE}.{_name}", _why))
