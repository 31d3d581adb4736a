import { expose } from "comlink";
import { GENERATOR } from "../lab/generation/generator-name.js";

/** Who answers in a worker, by the name that the worker was given. Each is loaded for those who ask for it. */
const SERVICES: Readonly<Record<string, () => Promise<object>>> = {
  lab: async () => (await import("../lab/lab.js")).openLab(),
  training: async () => (await import("./views/training/trainer-service.js")).openTrainerService(),
  [GENERATOR]: async () => (await import("../lab/generation/generator.js")).generator,
};

/** Messages that arrive before anybody can answer them. */
const early: MessageEvent[] = [];
const keep = (event: MessageEvent) => early.push(event);
addEventListener("message", keep);
expose(await SERVICES[self.name]());
removeEventListener("message", keep);
for (const { data, ports } of early) dispatchEvent(new MessageEvent("message", { data, ports: [...ports] }));
