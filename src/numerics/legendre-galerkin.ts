import { gaussLegendre, legendrePolynomials } from "./gauss-legendre.js";
import { symmetricEigen } from "./symmetric-eigen.js";

/**
 * Polynomials psi_m on [0, 1] that vanish at both ends, are orthonormal in L2 and diagonalise the second
 * derivative: the integral of psi_m' psi_n' is `stiffness[m]` for m = n and zero otherwise. Those of even m are
 * even about x = 1/2, those of odd m odd.
 */
export interface DirichletBasis {
  readonly size: number;
  readonly stiffness: Float64Array;
  /** Quadrature that integrates the product of three of them exactly; an even number of nodes, ascending. */
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
  /** Row i holds psi_0 .. psi_{size - 1} at points[i]. */
  at(points: Float64Array): Float64Array;
}

/**
 * The basis of all such polynomials up to degree `size` + 1, from phi_j = (L_j - L_{j+2}) / sqrt(4j + 6) in
 * s = 2x - 1, whose stiffness matrix is the identity and whose mass matrix couples only j and j +- 2:
 * Shen, "Efficient spectral-Galerkin method I", SIAM J. Sci. Comput. 15 (1994), lemma 2.1.
 */
export function dirichletBasis(size: number): DirichletBasis {
  const scale = Float64Array.from({ length: size }, (_, j) => 1 / Math.sqrt(4 * j + 6));
  const mass = new Float64Array(size * size);
  for (let j = 0; j < size; j++) {
    mass[j * size + j] = scale[j] * scale[j] * (2 / (2 * j + 1) + 2 / (2 * j + 5));
    if (j + 2 < size) {
      mass[j * size + j + 2] = -scale[j] * scale[j + 2] * (2 / (2 * j + 5));
      mass[(j + 2) * size + j] = mass[j * size + j + 2];
    }
  }
  const { values, vectors } = symmetricEigen(mass, size);
  const quadrature = gaussLegendre(2 * Math.ceil((3 * (size + 1) + 1) / 4));

  function at(points: Float64Array): Float64Array {
    const out = new Float64Array(points.length * size);
    points.forEach((x, i) => {
      const legendre = legendrePolynomials(size + 1, 2 * x - 1);
      const phi = scale.map((factor, j) => factor * (legendre[j] - legendre[j + 2]));
      for (let m = 0; m < size; m++) {
        let sum = 0;
        for (let j = 0; j < size; j++) sum += vectors[m * size + j] * phi[j];
        out[i * size + m] = sum * Math.sqrt(2 / values[m]); // dx = ds / 2
      }
    });
    return out;
  }

  return {
    size,
    stiffness: values.map((value) => 4 / value),
    nodes: quadrature.nodes.map((s) => (1 + s) / 2),
    weights: quadrature.weights.map((weight) => weight / 2),
    at,
  };
}
