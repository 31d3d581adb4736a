/**
 * Depth h and discharges hu, hv of shallow water over a flat bottom. Cells carry two rings of cells around them for
 * the boundary: cell (i, j), counted from 0, is entry (i + 2) stride + j + 2. Rows are x, columns y; u is the velocity
 * along x.
 */
export interface WaterState {
  readonly h: Float64Array;
  readonly hu: Float64Array;
  readonly hv: Float64Array;
}

export interface ShallowWaterOptions {
  readonly rows: number;
  readonly columns: number;
  /** Width of a cell in both directions. */
  readonly spacing: number;
  /** 1 by default. */
  readonly gravity?: number;
  /**
   * Whether a mirror stands before the first row and before the first column, so that a quarter of a symmetric state
   * does for the whole; false by default.
   */
  readonly mirror?: boolean;
  /**
   * Part of the time in which the fastest wave crosses a cell that a step takes, 0.45 by default and at most 1/2. Next
   * to dry ground take 0.2, which keeps depths from falling below zero.
   */
  readonly courant?: number;
}

export interface ShallowWaterSolver {
  /** Entries from a row to the next, columns + 4. */
  readonly stride: number;
  readonly state: WaterState;
  /** Advances the state by `time`; returns the number of steps. */
  advance(time: number): number;
}

const RINGS = 2;
const DRY = 1e-9; // depth below which water has no velocity

/**
 * Second-order finite volumes: linear reconstruction of h, u and v with the monotonised central limiter (van Leer,
 * JCP 23, 1977), HLLC fluxes (Toro, "Shock-capturing methods for free-surface shallow flows", 2001), both directions in
 * one step of the two-stage SSP Runge-Kutta scheme. Boundaries let waves out: the rings repeat the cell beside them.
 * Rows and columns go through the same code, so that a symmetric state stays symmetric.
 */
export function shallowWaterSolver(options: ShallowWaterOptions): ShallowWaterSolver {
  const { rows, columns, spacing, gravity = 1, courant = 0.45, mirror = false } = options;
  const stride = columns + 2 * RINGS;
  const length = (rows + 2 * RINGS) * stride;
  const field = () => new Float64Array(length);
  const fields = () => [field(), field(), field()] as const;
  const [h, hu, hv] = fields();
  const [startH, startU, startV] = fields();
  const [u, v] = fields();
  const [slopeH, slopeU, slopeV] = fields();
  const [fluxH, fluxN, fluxT] = fields(); // mass, and momentum normal and tangential to the face
  const [rateH, rateU, rateV] = fields();
  const first = RINGS * stride + RINGS; // entry of cell (0, 0)

  /** Fills the rings: with the cell beside them, or at a mirror with its image, turned by the given signs. */
  function fillRings(q: Float64Array, rowSign: number, columnSign: number): void {
    const end = length - RINGS * stride;
    for (let ring = 0; ring < RINGS; ring++) {
      for (let k = RINGS * stride; k < end; k += stride) {
        q[k + 1 - ring] = mirror ? columnSign * q[k + RINGS + ring] : q[k + RINGS];
        q[k + RINGS + columns + ring] = q[k + RINGS + columns - 1];
      }
    }
    for (let ring = 0; ring < RINGS; ring++) {
      const from = (mirror ? RINGS + ring : RINGS) * stride;
      const to = (1 - ring) * stride;
      for (let j = 0; j < stride; j++) {
        q[to + j] = mirror ? rowSign * q[from + j] : q[from + j];
        q[end + ring * stride + j] = q[end - stride + j];
      }
    }
  }

  /** Rings and velocities for the present state. */
  function prepare(): void {
    fillRings(h, 1, 1);
    fillRings(hu, -1, 1);
    fillRings(hv, 1, -1);
    for (let k = 0; k < length; k++) {
      const inverse = h[k] > DRY ? 1 / h[k] : 0;
      u[k] = hu[k] * inverse;
      v[k] = hv[k] * inverse;
    }
  }

  /** The longest stable step. */
  function longestStep(): number {
    let fastest = 0;
    for (let k = 0; k < length; k++) {
      const speed = Math.max(Math.abs(u[k]), Math.abs(v[k])) + Math.sqrt(gravity * h[k]);
      if (speed > fastest) fastest = speed;
    }
    return fastest === 0 ? Infinity : (courant * spacing) / fastest;
  }

  /** Half the limited difference over a cell, from its centre to its faces, for all cells but the outermost. */
  function findSlopes(q: Float64Array, step: number, slope: Float64Array): void {
    for (let k = step; k < length - step; k++) {
      const before = q[k] - q[k - step];
      const after = q[k + step] - q[k];
      if (before * after > 0) {
        const limit = Math.min(Math.abs(before), Math.abs(after));
        const central = 0.25 * Math.abs(before + after);
        const size = Math.min(limit, central);
        slope[k] = before > 0 ? size : -size;
      } else {
        slope[k] = 0;
      }
    }
  }

  /** Fluxes through the faces between entries k and k + step, with velocities normal and tangential to them. */
  function findFluxes(
    step: number,
    normal: Float64Array,
    tangential: Float64Array,
    slopeN: Float64Array,
    slopeT: Float64Array,
  ): void {
    for (let k = first - step; k < length - first; k++) {
      const r = k + step;
      const hl = h[k] + slopeH[k];
      const hr = h[r] - slopeH[r];
      const ul = normal[k] + slopeN[k];
      const ur = normal[r] - slopeN[r];
      const cl = Math.sqrt(gravity * hl);
      const cr = Math.sqrt(gravity * hr);
      // Speeds of the outer waves as between two rarefactions, or next to dry ground the exact ones.
      const middle = (ul + ur) / 2 + (cl - cr);
      const celerity = (cl + cr) / 2 + (ul - ur) / 4;
      const sl = hl > DRY ? (hr > DRY ? Math.min(ul - cl, middle - celerity) : ul - cl) : ur - 2 * cr;
      const sr = hr > DRY ? (hl > DRY ? Math.max(ur + cr, middle + celerity) : ur + cr) : ul + 2 * cl;
      const massL = hl * ul;
      const massR = hr * ur;
      const momentumL = massL * ul + 0.5 * gravity * hl * hl;
      const momentumR = massR * ur + 0.5 * gravity * hr * hr;
      let mass = massL;
      let momentum = momentumL;
      if (sr <= 0) {
        mass = massR;
        momentum = momentumR;
      } else if (sl < 0) {
        const inverse = 1 / (sr - sl);
        mass = (sr * massL - sl * massR + sl * sr * (hr - hl)) * inverse;
        momentum = (sr * momentumL - sl * momentumR + sl * sr * (massR - massL)) * inverse;
      }
      fluxH[k] = mass;
      fluxN[k] = momentum;
      // The contact wave moves with the mass, and the water on its left and right keeps its tangential velocity.
      fluxT[k] = mass * (mass >= 0 ? tangential[k] + slopeT[k] : tangential[r] - slopeT[r]);
    }
  }

  /** The rate of change of the state, in units of 1 / spacing. */
  function findRates(): void {
    findSlopes(h, stride, slopeH);
    findSlopes(u, stride, slopeU);
    findSlopes(v, stride, slopeV);
    findFluxes(stride, u, v, slopeU, slopeV);
    for (let k = first; k < length - first; k++) {
      rateH[k] = fluxH[k - stride] - fluxH[k];
      rateU[k] = fluxN[k - stride] - fluxN[k];
      rateV[k] = fluxT[k - stride] - fluxT[k];
    }
    findSlopes(h, 1, slopeH);
    findSlopes(u, 1, slopeU);
    findSlopes(v, 1, slopeV);
    findFluxes(1, v, u, slopeV, slopeU);
    for (let k = first; k < length - first; k++) {
      rateH[k] += fluxH[k - 1] - fluxH[k];
      rateU[k] += fluxT[k - 1] - fluxT[k];
      rateV[k] += fluxN[k - 1] - fluxN[k];
    }
  }

  return {
    stride,
    state: { h, hu, hv },
    advance(time) {
      let steps = 0;
      for (let left = time; left > 0; steps++) {
        prepare();
        const step = Math.min(longestStep(), left);
        left -= step;
        const share = step / spacing;
        findRates();
        for (let k = first; k < length - first; k++) {
          startH[k] = h[k];
          startU[k] = hu[k];
          startV[k] = hv[k];
          h[k] += share * rateH[k];
          hu[k] += share * rateU[k];
          hv[k] += share * rateV[k];
        }
        prepare();
        findRates();
        for (let k = first; k < length - first; k++) {
          h[k] = 0.5 * (startH[k] + (h[k] + share * rateH[k]));
          hu[k] = 0.5 * (startU[k] + (hu[k] + share * rateU[k]));
          hv[k] = 0.5 * (startV[k] + (hv[k] + share * rateV[k]));
        }
      }
      return steps;
    },
  };
}
