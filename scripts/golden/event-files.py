"""Writes test/golden/tracking/events.json: records and events as TensorBoard's own code has them, in hexadecimal.

Usage: python scripts/golden/event-files.py (needs `pip install tensorboard`)
"""

import io
import json
from pathlib import Path

from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
from tensorboard.compat.tensorflow_stub import pywrap_tensorflow
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar import metadata as custom_scalars
from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2
from tensorboard.plugins.hparams import metadata as hparams
from tensorboard.summary.writer.record_writer import RecordWriter

OUT = Path(__file__).parents[2] / "test/golden/tracking/events.json"
TIME = 1234567890.125


def frame(data):
    file = io.BytesIO()
    RecordWriter(file).write(data)
    return file.getvalue()


def event(**fields):
    return event_pb2.Event(wall_time=TIME, **fields).SerializeToString(deterministic=True)


def plugin(tag, metadata, tensor):
    value = summary_pb2.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)
    return event(summary=summary_pb2.Summary(value=[value]))


def of_hparams(**data):
    return hparams.create_summary_metadata(plugin_data_pb2.HParamsPluginData(**data))


def content(**data):
    return of_hparams(**data).plugin_data.content


start = plugin_data_pb2.SessionStartInfo(start_time_secs=TIME)
start.hparams["alpha"].number_value = 0.1
start.hparams["split"].string_value = "alpha 0.1"
start.hparams["tf32"].bool_value = True
experiment = api_pb2.Experiment(
    name="tiny",
    hparam_infos=[
        api_pb2.HParamInfo(name="alpha", type=api_pb2.DATA_TYPE_FLOAT64, differs=True),
        api_pb2.HParamInfo(name="split", type=api_pb2.DATA_TYPE_STRING),
        api_pb2.HParamInfo(name="tf32", type=api_pb2.DATA_TYPE_BOOL),
    ],
)
layout = layout_pb2.Layout(
    category=[layout_pb2.Category(title="a", chart=[layout_pb2.Chart(title="b", multiline={"tag": ["^c$"]})])]
)
string = tensor_pb2.TensorProto(
    dtype=types_pb2.DT_STRING,
    tensor_shape=tensor_shape_pb2.TensorShapeProto(),
    string_val=[layout.SerializeToString()],
)
scalars = summary_pb2.Summary(
    value=[
        summary_pb2.Summary.Value(tag="test_error", simple_value=0.25),
        summary_pb2.Summary.Value(tag="client_test_error/0", simple_value=-1.5),
    ]
)
golden = {
    "crc": {text: pywrap_tensorflow.masked_crc32c(text.encode()) for text in ["", "a", "123456789"]},
    "frame": {text: frame(text.encode()).hex() for text in ["", "TensorBoard"]},
    "version": event(
        file_version="brain.Event:2", source_metadata=event_pb2.SourceMetadata(writer="pde-dirichlet 0.1.0 onnx")
    ).hex(),
    "scalars": event(step=300, summary=scalars).hex(),
    "first scalars": event(step=0, summary=scalars).hex(),
    "restart": event(step=5, session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START)).hex(),
    "start": content(session_start_info=start).hex(),
    "start event": plugin(
        hparams.SESSION_START_INFO_TAG, of_hparams(session_start_info=start), hparams.NULL_TENSOR
    ).hex(),
    "end": {
        name: content(session_end_info=plugin_data_pb2.SessionEndInfo(status=status, end_time_secs=TIME)).hex()
        for name, status in {
            "finished": api_pb2.STATUS_SUCCESS,
            "failed": api_pb2.STATUS_FAILURE,
            "killed": api_pb2.STATUS_UNKNOWN,
        }.items()
    },
    "experiment": content(experiment=experiment).hex(),
    "layout event": plugin(
        custom_scalars.CONFIG_SUMMARY_TAG, custom_scalars.create_summary_metadata(), string
    ).hex(),
    "layout content": layout.SerializeToString().hex(),
}
OUT.parent.mkdir(parents=True, exist_ok=True)
OUT.write_text(json.dumps(golden, indent=1) + "\n")
