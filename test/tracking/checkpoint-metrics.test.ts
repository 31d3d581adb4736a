import { describe, expect, it } from "vitest";
import { checkpointMetrics, MOST_SINGLE } from "../../src/tracking/checkpoint-metrics.js";

const many = (count: number, value: number | null = 0.5) => new Array<number | null>(count).fill(value);
const lineOf = (count: number) => ({
  round: 5,
  test_error: 0.25,
  train_loss: 0.5,
  h_g_norm: null,
  d_loc: 0.125,
  clients: {
    test_error: many(count),
    train_loss: many(count),
    update: many(count),
    cosine: many(count, null),
  },
  bins: { test_error: many(count) },
});

describe("the metrics of a checkpoint", () => {
  it("are those that are known", () => {
    const clients = {
      test_error: [0.25, null, 0.75],
      train_loss: [1, 2, 3],
      update: [2, null, 4],
      cosine: [1, null, 0],
    };
    expect(
      checkpointMetrics({ round: 5, test_error: 0.5, h_g_norm: null, d_loc: 0.25, clients }, 100),
    ).toEqual({
      test_error: 0.5,
      d_loc: 0.25,
      client_error_mean: 0.5,
      client_error_worst: 0.75,
      client_error_spread: Math.sqrt(0.125),
      client_loss_mean: 2,
      client_loss_worst: 3,
      client_loss_spread: 1,
      client_update_mean: 3,
      client_update_worst: 4,
      client_update_spread: Math.sqrt(2),
      client_cosine_mean: 0.5,
      client_cosine_worst: 0,
      client_cosine_spread: Math.sqrt(0.5),
      participants: 2,
      communication_total: 500,
      "client_test_error/0": 0.25,
      "client_test_error/2": 0.75,
      "client_train_loss/0": 1,
      "client_train_loss/1": 2,
      "client_train_loss/2": 3,
      "client_update/0": 2,
      "client_update/2": 4,
      "client_cosine/0": 1,
      "client_cosine/2": 0,
    });
  });

  it("have no participants at the start, where nobody was asked", () => {
    const clients = { test_error: [1], train_loss: [1], update: [null], cosine: [null] };
    const metrics = checkpointMetrics({ round: 0, test_error: 1, clients });
    expect(metrics).not.toHaveProperty("participants");
    expect(metrics).not.toHaveProperty("communication_total");
  });

  it("are of journals of earlier versions too, which know no clients", () => {
    expect(checkpointMetrics({ round: 1, test_error: 0.5, train_loss: 0.25 })).toEqual({
      test_error: 0.5,
      train_loss: 0.25,
    });
  });

  it("leave out single clients and bins where there are many, and are never more than one request takes", () => {
    const most = checkpointMetrics(lineOf(MOST_SINGLE), 1);
    expect(Object.keys(most).filter((name) => name.startsWith("client_test_error/"))).toHaveLength(
      MOST_SINGLE,
    );
    expect(Object.keys(most).length).toBeLessThan(1000);
    const more = checkpointMetrics(lineOf(MOST_SINGLE + 1), 1);
    expect(Object.keys(more).filter((name) => name.includes("/"))).toEqual([]);
    expect(more).toMatchObject({
      client_error_mean: 0.5,
      client_update_mean: 0.5,
      participants: MOST_SINGLE + 1,
    });
  });
});
