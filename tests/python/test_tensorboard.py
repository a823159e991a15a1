"""karat.utils.tensorboard writes through the package tensorboard; without it the import fails as PyTorch's does."""

import importlib.util

import pytest

import karat

THERE = importlib.util.find_spec("tensorboard") is not None
needs_it = pytest.mark.skipif(not THERE, reason="the package tensorboard is not installed")


@pytest.mark.skipif(THERE, reason="the package tensorboard is installed")
def test_without_the_package_the_import_fails():
    with pytest.raises(ModuleNotFoundError, match="^No module named 'tensorboard'$"):
        import karat.utils.tensorboard  # noqa: F401


def written(folder):
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    return {value.tag: (event.step, value) for path in folder.rglob("*tfevents*")
            for event in LegacyEventFileLoader(str(path)).Load() for value in event.summary.value}


@needs_it
def test_what_is_written(tmp_path):
    from karat.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", karat.tensor(2.5), 3)
        writer.add_scalars("both", {"a": 1, "b": 2}, 5)
        writer.add_text("t", "**x**", 1)
        writer.add_histogram("h", karat.tensor([0.0, 0.0, 0.0]), 2)
        writer.add_hparams({"lr": 0.1, "name": "x", "on": True}, {"acc": 0.5}, run_name="run")
        writer.add_pr_curve("pr", karat.tensor([0, 1, 1, 0, 1]), karat.tensor([0.1, 0.6, 0.8, 0.4, 0.3]), 0, num_thresholds=5)
        numpy = pytest.importorskip("numpy")
        for one in (numpy.array([2.5]), numpy.float32(2.5), karat.full((1, 1), 2.5)):
            writer.add_scalar("loss", one, 3)
        with pytest.raises(AssertionError, match="Tensor should contain one element"):
            writer.add_scalar("bad", karat.ones(2))
        with pytest.raises(NotImplementedError, match="numpy array or torch tensor are expected"):
            writer.add_scalar("bad", [1.0])
        with pytest.raises(NotImplementedError, match="add_graph: programs are run as they are written"):
            writer.add_graph(karat.nn.Linear(1, 1))
        with pytest.raises(NotImplementedError, match="numpy array or torch tensor are expected"):
            writer.add_histogram("bad", [1.0])
        with pytest.raises(TypeError, match="hparam_dict and metric_dict should be dictionary."):
            writer.add_hparams(1, 2)
    found = written(tmp_path)
    assert found["loss"][0] == 3 and found["loss"][1].simple_value == 2.5 and found["acc"][1].simple_value == 0.5
    assert found["t/text_summary"][1].tensor.string_val == [b"**x**"] and "_hparams_/experiment" in found
    assert list(found["h"][1].histo.bucket_limit) == [0, 1e-12] and list(found["h"][1].histo.bucket) == [0, 3]
    assert list(found["pr"][1].tensor.float_val)[:10] == [3, 3, 2, 1, 0, 2, 1, 0, 0, 0]
    assert (tmp_path / "both_a").is_dir() and (tmp_path / "both_b").is_dir()


@needs_it
def test_steps_times_and_files(tmp_path):
    from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

    from karat.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(tmp_path, purge_step=4)
    writer.add_scalar("a", 1, karat.tensor(7), 10.0)
    writer.add_text("b", "text", walltime=12.0, global_step=8)
    writer.add_scalars("c/d", {"x": 1}, 9, 13.0)
    with pytest.raises(ValueError, match=r"^len\(bucket_limits\) != len\(bucket_counts\), see the document.$"):
        writer.add_histogram_raw("h", 0, 1, 2, 3, 4, [1.0], [1, 2])
    assert list(writer.all_writers) == [str(tmp_path), f"{tmp_path}/c_d_x"]
    writer.close()
    assert writer.all_writers is None and writer.file_writer is None
    writer.close()
    writer.add_scalar("again", 1)
    writer.close()
    events = [event for path in sorted(tmp_path.glob("*tfevents*")) for event in LegacyEventFileLoader(str(path)).Load()]
    assert [event.step for event in events if event.HasField("session_log")] == [4]  # once, not again after close()
    kept = {value.tag: (event.step, event.wall_time) for event in events for value in event.summary.value}
    assert kept["a"] == (7, 10.0) and kept["b/text_summary"] == (8, 12.0) and kept["again"][0] == 0 and kept["again"][1] > 1e9


@needs_it
def test_messages_are_made_without_a_writer():
    from karat.utils.tensorboard import summary

    experiment, start, end = summary.hparams({"lr": 0.1}, {"acc": 0.5})
    assert [one.value[0].tag for one in (experiment, start, end)] == [
        "_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info"]
    assert summary.scalar("x", karat.tensor(1.5)).value[0].simple_value == 1.5
    assert summary.scalar(name="x", tensor=2, new_style=True, double_precision=True).value[0].tensor.double_val == [2.0]
    assert summary.image("i", karat.zeros(2, 3, 4, 4), rescale=2).value[0].image.height == 8
    with pytest.raises(TypeError, match="should be dictionary"):
        summary.hparams([], {})


@needs_it
def test_layouts_of_charts_and_meshes(tmp_path):
    from tensorboard.plugins.custom_scalar.layout_pb2 import Layout
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    from karat.utils.tensorboard import SummaryWriter

    points, faces = karat.arange(12.0).reshape(1, 4, 3), karat.tensor([[[0, 1, 2], [1, 2, 3]]])
    with SummaryWriter(tmp_path) as writer:
        writer.add_custom_scalars({"one": {"lines": ["Multiline", ["a", "b"]], "band": ["Margin", ["v", "low", "up"]]}})
        writer.add_mesh("m", points, colors=points.long(), faces=faces, config_dict={"camera": 1}, global_step=3)
        writer.add_mesh("only", points)
        with pytest.raises(AssertionError, match="Expected 3 tags, got 2."):
            writer.add_custom_scalars_marginchart(["a", "b"])
        with pytest.raises(AssertionError, match=r"len\(tags\) != 3"):
            writer.add_custom_scalars({"one": {"band": ["Margin", ["v"]]}})
        with pytest.raises(ValueError, match="Tensor shape should be of shape BxNx3"):
            writer.add_mesh("bad", points[0])
    found = written(tmp_path)
    layout = Layout.FromString(found["custom_scalars__config__"][1].tensor.string_val[0])
    lines, band = layout.category[0].chart
    assert layout.category[0].title == "one" and list(lines.multiline.tag) == ["a", "b"]
    assert (band.margin.series[0].value, band.margin.series[0].lower, band.margin.series[0].upper) == ("v", "low", "up")
    assert found["m_FACE"][0] == 3 and list(found["m_FACE"][1].tensor.float_val) == [0, 1, 2, 1, 2, 3]
    about = MeshPluginData.FromString(found["m_COLOR"][1].metadata.plugin_data.content)
    assert about.components == 14 and about.json_config == '{"camera": 1}' and list(about.shape) == [1, 4, 3]
    assert "only_VERTEX" in found and "only_FACE" not in found


@needs_it
@pytest.mark.parametrize("add, kind", [("multilinechart", "multiline"), ("marginchart", "margin")])
def test_one_chart_of_several_tags(tmp_path, add, kind):
    from tensorboard.plugins.custom_scalar.layout_pb2 import Layout

    from karat.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        getattr(writer, f"add_custom_scalars_{add}")(["a", "b", "c"], title="t")
    layout = Layout.FromString(written(tmp_path)["custom_scalars__config__"][1].tensor.string_val[0])
    chart = layout.category[0].chart[0]
    assert (layout.category[0].title, chart.title, chart.WhichOneof("content")) == ("default", "t", kind)
