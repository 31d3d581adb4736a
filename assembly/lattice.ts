// One time step of the D2Q9 lattice Boltzmann method in float32, on deviations f_i - w_i from rest. Populations of
// one direction form a plane of rows; around the nodes lies a frame of ghosts, from which nodes take what comes in
// through a boundary. Directions: 0 rest, then pairs of opposites (1, 0), (0, 1), (1, 1), (1, -1).

/** Bytes before the first node of a row: ghosts on the left, and nodes begin at a multiple of 16. */
const MARGIN: usize = 16;

/** Half the difference of opposite populations, relaxed: `keep` of it and `gain` of the velocity along. */
function oddPart(f: v128, opposite: v128, keep: v128, gain: v128, along: v128): v128 {
  return f32x4.add(f32x4.mul(keep, f32x4.sub(f, opposite)), f32x4.mul(gain, along));
}

/**
 * Rows `from` to `to - 1`: every node takes the populations that move to it out of `source`, relaxes them and
 * leaves them in `target`. Equilibrium of the incompressible model (He and Luo, J. Stat. Phys. 88, 1997), with a
 * density that stands for pressure only. Two rates: `evenRate` = 1 / tau for the mean of opposite directions, of
 * which the flux of momentum is kept and the rest forgotten (regularised, Latt and Chopard, Math. Comput. Simul. 72,
 * 2006); `oddRate` for their difference (Ginzburg, Verhaeghe and d'Humieres, Commun. Comput. Phys. 3, 2008).
 * Nodes beyond `width`, up to a multiple of four, are computed and never asked for.
 */
export function relax(
  from: usize,
  to: usize,
  source: usize,
  target: usize,
  plane: usize,
  stride: usize,
  width: usize,
  evenRate: f32,
  oddRate: f32,
): void {
  const even = f32x4.splat(evenRate);
  const keepEven = f32x4.splat(1 - evenRate);
  const keepOdd = f32x4.splat(0.5 * (1 - oddRate));
  const straight = f32x4.splat(oddRate / 3); // 3 w_i
  const oblique = f32x4.splat(oddRate / 12);
  const half = f32x4.splat(0.5);
  const third = f32x4.splat(1.0 / 3.0);
  const p1 = plane;
  const p2 = 2 * plane;
  const p3 = 3 * plane;
  const p4 = 4 * plane;
  const p5 = 5 * plane;
  const p6 = 6 * plane;
  const p7 = 7 * plane;
  const p8 = 8 * plane;
  for (let y = from; y < to; y++) {
    const begin = (y + 1) * stride + MARGIN;
    const end = begin + (width << 2);
    for (let at = begin; at < end; at += 16) {
      const here = source + at;
      const below = here - stride;
      const above = here + stride;
      const f0 = v128.load(here);
      const f1 = v128.load(here + p1 - 4);
      const f2 = v128.load(here + p2, 4);
      const f3 = v128.load(below + p3);
      const f4 = v128.load(above + p4);
      const f5 = v128.load(below + p5 - 4);
      const f6 = v128.load(above + p6, 4);
      const f7 = v128.load(above + p7 - 4);
      const f8 = v128.load(below + p8, 4);

      const rising = f32x4.sub(f5, f6);
      const falling = f32x4.sub(f7, f8);
      const u = f32x4.add(f32x4.sub(f1, f2), f32x4.add(rising, falling));
      const v = f32x4.add(f32x4.sub(f3, f4), f32x4.sub(rising, falling));
      const alongX = f32x4.add(f1, f2);
      const alongY = f32x4.add(f3, f4);
      const alongRise = f32x4.add(f5, f6);
      const alongFall = f32x4.add(f7, f8);
      const diagonal = f32x4.add(alongRise, alongFall);
      const density = f32x4.add(f0, f32x4.add(f32x4.add(alongX, alongY), diagonal));

      // The flux of momentum without its pressure, relaxed to u u.
      const pressure = f32x4.mul(third, density);
      const fluxX = f32x4.sub(f32x4.add(alongX, diagonal), pressure);
      const fluxY = f32x4.sub(f32x4.add(alongY, diagonal), pressure);
      const xx = f32x4.add(f32x4.mul(keepEven, fluxX), f32x4.mul(even, f32x4.mul(u, u)));
      const yy = f32x4.add(f32x4.mul(keepEven, fluxY), f32x4.mul(even, f32x4.mul(v, v)));
      const shear = f32x4.sub(alongRise, alongFall);
      const xy = f32x4.add(f32x4.mul(keepEven, shear), f32x4.mul(even, f32x4.mul(u, v)));

      // Means of opposite populations: w_i (density + 9/2 c_i c_i : flux - 3/2 trace).
      const trace = f32x4.add(xx, yy);
      const base = f32x4.sub(density, f32x4.mul(f32x4.splat(1.5), trace));
      const base9 = f32x4.mul(f32x4.splat(1.0 / 9.0), base);
      const meanX = f32x4.add(base9, f32x4.mul(half, xx));
      const meanY = f32x4.add(base9, f32x4.mul(half, yy));
      const mean = f32x4.mul(f32x4.splat(0.25), f32x4.add(base9, f32x4.mul(half, trace)));
      const twist = f32x4.mul(f32x4.splat(0.25), xy);
      const meanRise = f32x4.add(mean, twist);
      const meanFall = f32x4.sub(mean, twist);
      const towardsX = oddPart(f1, f2, keepOdd, straight, u);
      const towardsY = oddPart(f3, f4, keepOdd, straight, v);
      const towardsRise = oddPart(f5, f6, keepOdd, oblique, f32x4.add(u, v));
      const towardsFall = oddPart(f7, f8, keepOdd, oblique, f32x4.sub(u, v));

      const out = target + at;
      v128.store(out, f32x4.mul(f32x4.splat(4.0 / 9.0), base));
      v128.store(out + p1, f32x4.add(meanX, towardsX));
      v128.store(out + p2, f32x4.sub(meanX, towardsX));
      v128.store(out + p3, f32x4.add(meanY, towardsY));
      v128.store(out + p4, f32x4.sub(meanY, towardsY));
      v128.store(out + p5, f32x4.add(meanRise, towardsRise));
      v128.store(out + p6, f32x4.sub(meanRise, towardsRise));
      v128.store(out + p7, f32x4.add(meanFall, towardsFall));
      v128.store(out + p8, f32x4.sub(meanFall, towardsFall));
    }
  }
}

/**
 * Links `from` to `to - 1`, records of 20 bytes: where to, two places to mix, the share of the first, a source.
 * Writes the population that a node will take out of a ghost or a solid node. Places are bytes from `lattice` on.
 */
export function link(from: usize, to: usize, links: usize, lattice: usize, drive: f32): void {
  for (let record = links + from * 20, end = links + to * 20; record < end; record += 20) {
    const first = load<f32>(lattice + load<u32>(record, 4));
    const second = load<f32>(lattice + load<u32>(record, 8));
    const value = second + load<f32>(record, 12) * (first - second) + drive * load<f32>(record, 16);
    store<f32>(lattice + load<u32>(record), value);
  }
}

/** Brings the nodes of spans `from` to `to - 1` to rest: records of first byte and number of bytes. */
export function still(from: usize, to: usize, spans: usize, lattice: usize, plane: usize): void {
  for (let record = spans + (from << 3), end = spans + (to << 3); record < end; record += 8) {
    const at = lattice + load<u32>(record);
    const bytes = load<u32>(record, 4);
    for (let i: usize = 0; i < 9; i++) memory.fill(at + i * plane, 0, bytes);
  }
}

function velocityX(at: usize, plane: usize): f32 {
  return (
    load<f32>(at + plane) -
    load<f32>(at + 2 * plane) +
    (load<f32>(at + 5 * plane) - load<f32>(at + 6 * plane)) +
    (load<f32>(at + 7 * plane) - load<f32>(at + 8 * plane))
  );
}

function velocityY(at: usize, plane: usize): f32 {
  return (
    load<f32>(at + 3 * plane) -
    load<f32>(at + 4 * plane) +
    (load<f32>(at + 5 * plane) - load<f32>(at + 6 * plane)) -
    (load<f32>(at + 7 * plane) - load<f32>(at + 8 * plane))
  );
}

function throughOutlet(f: f32, weight: f32, density: f32, along: f32, square: f32): f32 {
  return 2 * weight * (density + 4.5 * along * along - 1.5 * square) - f;
}

/**
 * The ghosts right of column `width - 1` in rows 0 to `height - 1`: pressure zero half a cell beyond the last
 * nodes, by anti-bounce-back (Ginzburg, Verhaeghe and d'Humieres 2008). What arrives in excess of the mean velocity
 * `mean` is a plane sound wave, p = c_s u', and that pressure lets it pass; flow without divergence has no excess.
 * Corners belong to the walls.
 */
export function outlet(
  lattice: usize,
  plane: usize,
  stride: usize,
  width: usize,
  height: usize,
  mean: f32,
): void {
  const first = lattice + stride + MARGIN + ((width - 1) << 2);
  let flux: f64 = 0;
  for (let y: usize = 0, at = first; y < height; y++, at += stride) flux += velocityX(at, plane);
  const density = f32(3 * 0.5773502691896258 * (flux / f64(height) - f64(mean)));
  for (let y: usize = 0, at = first; y < height; y++, at += stride) {
    const u = velocityX(at, plane);
    const v = velocityY(at, plane);
    const square = u * u + v * v;
    const ghost = at + 4;
    store<f32>(ghost + 2 * plane, throughOutlet(load<f32>(at + plane), 1.0 / 9.0, density, u, square));
    if (y + 1 < height) {
      const f = load<f32>(at + 5 * plane);
      store<f32>(ghost + stride + 6 * plane, throughOutlet(f, 1.0 / 36.0, density, u + v, square));
    }
    if (y > 0) {
      const f = load<f32>(at + 7 * plane);
      store<f32>(ghost - stride + 8 * plane, throughOutlet(f, 1.0 / 36.0, density, u - v, square));
    }
  }
}
