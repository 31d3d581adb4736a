/** The depth and velocity at speed x / t. */
export type SelfSimilar = (speed: number) => { readonly h: number; readonly u: number };

/** A shock and a fan between the given depths: the values for left = 2, right = 1 and g = 1 are in the test. */
export interface Stoker {
  readonly h: number;
  readonly u: number;
  readonly shock: number;
  readonly fan: readonly [head: number, tail: number];
  readonly at: SelfSimilar;
}

/**
 * The dam break over wet ground with g = 1 (Stoker, "Water waves", 1957, section 10.8): the depth between fan and
 * shock solves 2 (sqrt(left) - sqrt(h)) = (h - right) sqrt((h + right) / (2 h right)), found by bisection.
 */
export function stoker(left: number, right: number): Stoker {
  const fromShock = (h: number) => (h - right) * Math.sqrt((h + right) / (2 * h * right));
  let [low, high] = [right, left];
  for (let i = 0; i < 60; i++) {
    const h = (low + high) / 2;
    if (2 * (Math.sqrt(left) - Math.sqrt(h)) > fromShock(h)) low = h;
    else high = h;
  }
  const h = (low + high) / 2;
  const u = fromShock(h);
  const shock = (h * u) / (h - right);
  const fan = [-Math.sqrt(left), u - Math.sqrt(h)] as const;
  return {
    h,
    u,
    shock,
    fan,
    at: (speed) => {
      if (speed < fan[0]) return { h: left, u: 0 };
      if (speed < fan[1]) return inFan(left, speed);
      return speed < shock ? { h, u } : { h: right, u: 0 };
    },
  };
}

/** The dam break over dry ground with g = 1 (Ritter, 1892). */
export function ritter(left: number): SelfSimilar {
  const c = Math.sqrt(left);
  return (speed) => {
    if (speed < -c) return { h: left, u: 0 };
    return speed < 2 * c ? inFan(left, speed) : { h: 0, u: 0 };
  };
}

function inFan(left: number, speed: number) {
  const c = Math.sqrt(left);
  return { h: (2 * c - speed) ** 2 / 9, u: (2 / 3) * (speed + c) };
}
