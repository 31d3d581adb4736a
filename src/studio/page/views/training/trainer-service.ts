import { type ProxyMarked, proxy, wrap } from "comlink";
import type { LentData, LentHalf } from "../../../lab/lent-data.js";
import { openTrainer } from "../../../training/open-trainer.js";
import type { RunFacts, Trainer, TrainingListener, TrainingRequest } from "../../../training/trainer.js";
import { loadWebRuntime } from "./web-runtime.js";

/** A trainer as the page reaches it: data come through a port of the lab. */
export interface TrainerService extends Omit<Trainer, "open"> {
  open(
    request: TrainingRequest,
    data: MessagePort,
    listener: TrainingListener & ProxyMarked,
  ): Promise<readonly RunFacts[]>;
}

export function openTrainerService(): TrainerService {
  const trainer = openTrainer(loadWebRuntime);
  return {
    ...trainer,
    open: (request, data, listener) => trainer.open(request, lentThrough(data), listener),
  };
}

/** The data that the lab lends at the other end of a port. */
function lentThrough(port: MessagePort): LentData {
  const lab = wrap<LentData>(port);
  return {
    half: (split, onProgress) => lab.half(split, onProgress && proxy(onProgress)) as Promise<LentHalf>,
    groups: () => lab.groups() as Promise<Int32Array | undefined>,
    attribute: (name) => lab.attribute(name) as ReturnType<LentData["attribute"]>,
  };
}
