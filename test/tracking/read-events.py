"""Prints what TensorBoard's own readers make of a folder of event files, as JSON. Usage: read-events.py <folder>"""

import json
import logging
import sys
from types import SimpleNamespace

from google.protobuf import json_format
from tensorboard import context
from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import custom_scalars_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context, get_experiment, list_session_groups

logging.disable(logging.CRITICAL)
folder = sys.argv[1]
multiplexer = plugin_event_multiplexer.EventMultiplexer(tensor_size_guidance={"scalars": 0})
multiplexer.AddRunsFromDirectory(folder)
multiplexer.Reload()
provider = data_provider.MultiplexerDataProvider(multiplexer, folder)
request = context.RequestContext()


def texts(run):
    found = provider.read_tensors(request, experiment_id="", plugin_name="text", downsample=10).get(run, {})
    return {tag: [datum.numpy.item().decode() for datum in data] for tag, data in found.items()}


def scalars(run):
    tags = provider.list_scalars(request, experiment_id="", plugin_name="scalars").get(run, {})
    found = provider.read_scalars(request, experiment_id="", plugin_name="scalars", downsample=10000).get(run, {})
    return {tag: [[datum.step, datum.value] for datum in found[tag]] for tag in tags}


hparams = backend_context.Context(SimpleNamespace(data_provider=provider))
metadata = hparams.hparams_metadata(request, "")
listed = hparams.hparams_from_data_provider(request, "", None)
experiment = get_experiment.Handler(request, hparams, "", api_pb2.GetExperimentRequest()).run()
columns = [
    api_pb2.ColParams(hparam=info.name, include_in_result=True) for info in experiment.hparam_infos
] + [api_pb2.ColParams(metric=info.name, include_in_result=True) for info in experiment.metric_infos]
sessions = list_session_groups.Handler(
    request,
    hparams,
    "",
    api_pb2.ListSessionGroupsRequest(
        start_index=0,
        slice_size=1000,
        allowed_statuses=[0, 1, 2, 3],
        col_params=columns,
        include_metrics=True,
    ),
).run()

layout = custom_scalars_plugin.CustomScalarsPlugin(
    SimpleNamespace(data_provider=provider, logdir=folder, multiplexer=multiplexer, plugin_name_to_instance={})
).layout_impl(request, "")

# The reader that users call in Python knows the plain scalars too.
runs = sorted(run for run in multiplexer.Runs())
plain = {}
for run in runs:
    events = EventAccumulator(f"{folder}/{run}", size_guidance={"scalars": 0}).Reload()
    plain[run] = {tag: [[one.step, one.value] for one in events.Scalars(tag)] for tag in events.Tags()["scalars"]}

print(
    json.dumps(
        {
            "runs": runs,
            "scalars": {run: scalars(run) for run in runs},
            "plain": plain,
            "texts": {run: texts(run) for run in runs},
            "experiment": json_format.MessageToDict(experiment),
            "sessions": json_format.MessageToDict(sessions),
            "layout": json.loads(layout) if isinstance(layout, str) else layout,
        }
    )
)
