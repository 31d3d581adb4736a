/** The paper's formulas, keyed by label, in the TeX that GitHub renders. GitHub does not support \\operatorname. */
export const FORMULAS: Readonly<Record<string, string>> = {
  "eq:app-exact-alpha": String.raw`\mathbb{E}[\mathcal{H}_u] = \frac{K-1}{K\alpha+1}\sum_{b=1}^{B}\pi_b^2`,
  "lem:app-dirichlet-moments": String.raw`\mathbb{E}[R_{kb}] = \frac1K,\quad
\mathrm{Var}(R_{kb}) = \frac{K-1}{K^2(K\alpha+1)},\quad
\mathrm{Cov}(R_{ib},R_{jb}) = \frac{-1}{K^2(K\alpha+1)},\quad
\mathbb{E}[(R_{ib}-R_{jb})^2] = \frac{2}{K(K\alpha+1)}`,
  "eq:app-normalization": String.raw`\left|\sqrt{\mathcal{H}_q}-\sqrt{\mathcal{H}_u}\right| \leq \delta
\quad\text{if}\quad \max_k|s_k-1| \leq \delta < 1`,
  "eq:app-finite-Hq": String.raw`\left|\sqrt{\widehat{\mathcal{H}}_q}-\sqrt{\mathcal{H}_q}\right|
\leq \varepsilon_{\mathrm{part}} = \left(\sum_k p_k\|\widehat q_k-q_k\|_2^2\right)^{1/2}`,
  "eq:app-finite-Hg": String.raw`\left|\sqrt{\widehat{\mathcal{H}}_g}-\sqrt{\mathcal{H}_g}\right|
\leq M_g\,\varepsilon_{\mathrm{part}}`,
  "eq:app-tv": String.raw`c_{\min}\mathrm{TV}(q,q') \leq W_C(q,q') \leq c_{\max}\mathrm{TV}(q,q')`,
  "eq:app-HW-Hq": String.raw`\frac{c_{\min}^2}{4}\mathcal{H}_q \leq \mathcal{H}_W \leq \frac{Bc_{\max}^2}{4}\mathcal{H}_q`,
  "eq:app-gradient-identity": String.raw`g_k(\theta)-g(\theta) = G(\theta)(q_k-\bar q)`,
  "eq:app-gradient-restricted": String.raw`m_g\|v\|_2 \leq \|G(\theta)v\|_2 \leq M_g\|v\|_2
\quad\text{for}\quad \mathbf{1}^\top v=0`,
  "eq:app-gradient-sandwich": String.raw`m_g^2\mathcal{H}_q \leq \mathcal{H}_g \leq M_g^2\mathcal{H}_q`,
  "eq:app-physical-gradient": String.raw`\frac{4m_g^2}{Bc_{\max}^2}\mathcal{H}_W \leq \mathcal{H}_g
\leq \frac{4M_g^2}{c_{\min}^2}\mathcal{H}_W`,
  "eq:app-local-bound": String.raw`\left|\sqrt{\mathcal{D}_{\mathrm{loc}}}-\eta E\sqrt{\mathcal{H}_g(\theta)}\right|
\leq R_E = \frac{\eta^2LG_0E(E-1)}{2}`,
  "eq:app-local-leading": String.raw`\mathcal{D}_{\mathrm{loc}} = \eta^2E^2\mathcal{H}_g+O(\eta^3E^3)`,
  "eq:app-sgd": String.raw`\left|\sqrt{\mathbb{E}\mathcal{D}_{\mathrm{loc}}^{\mathrm{SGD}}}-\eta E\sqrt{\mathcal{H}_g}\right|
\leq R_E+\eta\sqrt{E\sum_kp_k\sigma_k^2}`,
  "eq:app-second-drift": String.raw`\theta_{\mathrm{FA}}^+-\theta_{\mathrm{C}}^+
= \eta^2\frac{E(E-1)}{2}\sum_{k=1}^{K}p_k(H_k-H)(g_k-g)+O(\eta^3E^3)`,
  "thm:app-trajectory": String.raw`\theta_{\mathrm{FA}}^+ = \theta_{\mathrm{C}}^+ \quad\text{for}\quad E=1`,
  "eq:app-local-second": String.raw`\theta_{k,E} = \theta-\eta Eg_k+\eta^2c_EH_kg_k+O(\eta^3E^3)`,
  "eq:app-drift-upper": String.raw`\left\|\sum_kp_k(H_k-H)(g_k-g)\right\|_2 \leq \sqrt{\mathcal{H}_H\mathcal{H}_g}`,
  "eq:app-drift-upper-final": String.raw`\|\theta_{\mathrm{FA}}^+-\theta_{\mathrm{C}}^+\|_2
\leq \eta^2c_E\sqrt{\mathcal{H}_H\mathcal{H}_g}+O(\eta^3E^3)`,
  "eq:app-alignment": String.raw`\left\|\sum_kp_k(H_k-H)(g_k-g)\right\|_2 \geq \kappa\mathcal{H}_q`,
  "eq:app-alpha-drift": String.raw`\mathbb{E}\|\theta_{\mathrm{FA}}^+-\theta_{\mathrm{C}}^+\|_2^2
= \Omega\!\left(\frac{\eta^4E^2(E-1)^2}{(K\alpha+1)^2}\right)`,
  "eq:app-risk-bound": String.raw`\left|\Delta_{\mathcal{R}}-\nabla\mathcal{R}(\theta_{\mathrm{C}}^+)^\top\Delta_\theta\right|
\leq \frac{L_{\mathcal{R}}}{2}\|\Delta_\theta\|_2^2`,
  "eq:app-risk-lower": String.raw`\Delta_{\mathcal{R}} \geq \nabla\mathcal{R}(\theta_{\mathrm{C}}^+)^\top\Delta_\theta
+\frac{\mu_{\mathcal{R}}}{2}\|\Delta_\theta\|_2^2`,
  "eq:app-quadratic": String.raw`\theta_{\mathrm{FA},2}-\theta_{\mathrm{C},2}
= \eta^2\mathrm{Var}_p(q_k)\,\Delta h\,\Delta g`,
};
