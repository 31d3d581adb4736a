import { alsoIf, type Condition, type Expression, type Expressions } from "../expressions/expression.js";
import {
  dot,
  fixed,
  type Index,
  lookup,
  plus,
  quotient,
  remainder,
  times,
} from "../expressions/index-algebra.js";
import {
  type Cutting,
  isAlias,
  isAnchor,
  isElementwise,
  literalOf,
  type Node,
  type Operation,
} from "../graph/graph.js";
import {
  broadcastCoordinates,
  type Placements,
  partsOf,
  placeIn,
  throughAlias,
} from "../layout/buffer-placement.js";

/** From which stage on a node can be read from memory; never if it is not stored. */
export type Ready = (node: Node) => number;

/**
 * Writes elements of nodes as expressions. What memory holds by the given stage is read; all else is computed on the
 * spot.
 */
export class Reader {
  readonly #expressions: Expressions;
  readonly #placements: Placements;
  readonly #ready: Ready;
  readonly #product: Node | undefined;
  readonly #known = new Map<string, Expression>();

  /** With a product, of which each element in turn is at hand: what is written is its epilogue. */
  constructor(expressions: Expressions, placements: Placements, ready: Ready, product?: Node) {
    this.#expressions = expressions;
    this.#placements = placements;
    this.#ready = ready;
    this.#product = product;
  }

  /** An element, where the conditions hold; elsewhere it may be anything. */
  value(node: Node, at: readonly Index[], stage: number, conditions: readonly Condition[] = []): Expression {
    const literal = literalOf(node);
    if (literal !== undefined) return this.#expressions.literal(literal);
    if (node === this.#product) return this.#expressions.product();
    if (this.#ready(node) <= stage)
      return this.#expressions.load(placeIn(this.#placements.of(node), at), conditions);
    const key = `${node.id} ${stage} ${at.map((index) => index.key)} ${conditions.map(
      ({ index, low, high }) => `${low}<=${index.key}<${high}`,
    )}`;
    const known = this.#known.get(key) ?? this.definition(node, at, stage, conditions);
    this.#known.set(key, known);
    return known;
  }

  /** An element as it is computed, even if it is stored. */
  definition(
    node: Node,
    at: readonly Index[],
    stage: number,
    conditions: readonly Condition[] = [],
  ): Expression {
    const { operation, operands } = node;
    const [x, y] = operands;
    const { name } = operation;
    if (isAnchor(node)) throw new Error(`${name} ${node.id} is not ready at stage ${stage}`);
    if (isAlias(node)) return this.value(x, throughAlias(node, at), stage, conditions);
    if (isElementwise(name)) {
      const values = operands.map((operand) =>
        this.value(operand, broadcastCoordinates(at, operand.shape), stage, conditions),
      );
      return this.#expressions.apply(name, values, "slope" in operation ? operation.slope : undefined);
    }
    switch (name) {
      case "copy":
        return this.value(x, at, stage, conditions);
      case "pad": {
        const { axis, before } = operation as Named<"pad">;
        const inside = at.map((index, i) => (i === axis ? shifted(index, -before) : index));
        const within = { index: inside[axis], low: 0, high: x.shape[axis] };
        return this.#where([within], x, inside, stage, conditions);
      }
      case "concat":
        return this.#concat(node, at, stage, conditions);
      case "gather": {
        const rank = y.shape.length;
        const index = this.#whole(y, at.slice(0, rank), stage, conditions, x.shape[0]);
        return this.value(x, [index, ...at.slice(rank)], stage, conditions);
      }
      case "spread": {
        const [k, row, ...rest] = at;
        const index = this.#whole(y, [k], stage, conditions, node.shape[1]);
        const met = { index: plus(index, times(row, -1)), low: 0, high: 1 };
        const value = this.value(x, [k, ...rest], stage, conditions);
        return this.#expressions.choose([met], value, this.#expressions.literal(0));
      }
      case "patches": {
        const { strides, padding } = operation as Cutting;
        const [sample, channel, i, j, row, column] = at;
        const inField = [
          shifted(plus(times(row, strides[0]), i), -padding[0]),
          shifted(plus(times(column, strides[1]), j), -padding[1]),
        ];
        const within = inField.map((index, axis) => ({ index, low: 0, high: x.shape[2 + axis] }));
        return this.#where(within, x, [sample, channel, ...inField], stage, conditions);
      }
      case "overlap":
        return this.#overlap(node, at, stage, conditions);
      default:
        throw new Error(`${name} ${node.id} cannot be computed at stage ${stage}`);
    }
  }

  /** A whole number that is an index of `extent` rows. */
  #whole(
    node: Node,
    at: readonly Index[],
    stage: number,
    conditions: readonly Condition[],
    extent: number,
  ): Index {
    const value = this.value(node, at, stage, conditions);
    return value.kind === "literal" ? fixed(value.value) : lookup(value, extent);
  }

  /** An element where further conditions hold, zero elsewhere. */
  #where(
    within: readonly Condition[],
    x: Node,
    at: readonly Index[],
    stage: number,
    conditions: readonly Condition[],
  ): Expression {
    const value = this.value(x, at, stage, within.reduce(alsoIf, conditions));
    return this.#expressions.choose(within, value, this.#expressions.literal(0));
  }

  #concat(node: Node, at: readonly Index[], stage: number, conditions: readonly Condition[]): Expression {
    const { axis } = node.operation as Named<"concat">;
    const starts = partsOf(node).map(({ coordinates }) => coordinates(at.map(() => fixed(0)))[axis].constant);
    return node.operands
      .map((part, i) => ({ part, start: starts[i], end: starts[i] + part.shape[axis] }))
      .reduceRight<Expression | undefined>((otherwise, { part, start, end }) => {
        const within = { index: at[axis], low: start, high: end };
        const inside = at.map((index, i) => (i === axis ? shifted(index, -start) : index));
        const value = this.value(part, inside, stage, alsoIf(conditions, within));
        return otherwise ? this.#expressions.choose([within], value, otherwise) : value;
      }, undefined)!;
  }

  /**
   * What all patches say of a point: one after another, in a fixed order. A kernel that moves by several places at once
   * meets a point with every so many of its elements only.
   */
  #overlap(node: Node, at: readonly Index[], stage: number, conditions: readonly Condition[]): Expression {
    const { strides, padding, kernel } = node.operation as unknown as Cutting;
    const [patches] = node.operands;
    const [sample, channel, ...inField] = at;
    const moved = inField.map((index, axis) => shifted(index, padding[axis]));
    const meetings = (axis: 0 | 1) =>
      Array.from({ length: Math.ceil(kernel[axis] / strides[axis]) }, (_, i) => ({
        element: shifted(remainder(moved[axis], strides[axis]), i * strides[axis]),
        place: shifted(quotient(moved[axis], strides[axis]), -i),
      }));
    const terms = meetings(0).flatMap((row) =>
      meetings(1).map((column) => {
        const met = [row, column];
        const within = met.flatMap(({ element, place }, axis) => [
          { index: element, low: 0, high: kernel[axis] },
          { index: place, low: 0, high: patches.shape[4 + axis] },
        ]);
        const where = [sample, channel, row.element, column.element, row.place, column.place];
        return this.#where(within, patches, where, stage, conditions);
      }),
    );
    return terms.reduce((sum, term) => this.#expressions.apply("add", [sum, term]));
  }
}

type Named<N extends Operation["name"]> = Extract<Operation, { readonly name: N }>;

const shifted = (index: Index, by: number): Index => dot(by, [1], [index]);
