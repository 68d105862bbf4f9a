// The functions of formulas, in float64. A browser test compares laws with those of Python.
const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
const gamma = z => {
  if (z < 0.5) return Math.PI / (Math.sin(Math.PI * z) * gamma(1 - z));
  const t = z + 6.5;
  let sum = LANCZOS[0];
  for (let i = 1; i < 9; i++) sum += LANCZOS[i] / (z - 1 + i);
  return Math.sqrt(2 * Math.PI) * Math.pow(t, z - 0.5) * Math.exp(-t) * sum;
};
// The sum of (k + a)^-s over k = 0, 1, ...: Euler and Maclaurin from k = 12 on.
const zeta = (s, a = 1) => {
  if (a === Infinity) return 0;
  let sum = 0, x = a;
  for (; x < a + 12; x++) sum += Math.pow(x, -s);
  sum += Math.pow(x, 1 - s) / (s - 1) + Math.pow(x, -s) / 2;
  let term = s * Math.pow(x, -s - 1);
  [1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160].forEach((factor, j) => {
    sum += factor * term;
    term *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x);
  });
  return sum;
};
const upperGamma = (a, x) => {
  if (x === Infinity) return 0;
  if (x < a + 1) {
    let term = 1 / a, sum = term;
    for (let n = 1; n < 500 && Math.abs(term) > 1e-17 * Math.abs(sum); n++) sum += term *= x / (a + n);
    return gamma(a) - sum * Math.exp(-x + a * Math.log(x));
  }
  let b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (let i = 1; i < 500; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return Math.exp(-x + a * Math.log(x)) * h;
};
const erfc = x => x < 0 ? 2 - erfc(-x) : x === 0 ? 1 : upperGamma(0.5, x * x) / Math.sqrt(Math.PI);
const erf = x => 1 - erfc(x);
const Phi = x => erfc(-x / Math.SQRT2) / 2;
const Ei = x => {
  let term = 1, sum = 0;
  for (let n = 1; n < 400; n++) { term *= x / n; sum += term / n; }
  return 0.5772156649015329 + Math.log(Math.abs(x)) + sum;
};
const simpson = (f, low, high, steps) => {
  const h = (high - low) / steps;
  let sum = f(low) + f(high);
  for (let i = 1; i < steps; i++) sum += (i % 2 ? 4 : 2) * f(low + i * h);
  return sum * h / 3;
};
// The probability that the largest of M - 1 normals exceeds another whose mean is larger by a: by parts, so that small ones are exact.
const gaussianError = (a, M) => simpson(t => (M - 1) * Math.exp(-t * t / 2) / Math.sqrt(2 * Math.PI) * Math.pow(Phi(t), M - 2) * Phi(t - a), -9, 9 + Math.min(a, 30), 800);
const zipfTail = (alpha, P, N) => {
  if (N === Infinity) return zeta(alpha, P + 1) / zeta(alpha);
  let sum = 0, all = 0;
  for (let x = N; x >= 1; x--) { const p = Math.pow(x, -alpha); all += p; if (x > P) sum += p; }
  return sum / all;
};
const unseenMass = (alpha, T, P, N) => {
  let norm = zeta(alpha);
  if (N !== Infinity) { norm = 0; for (let x = N; x >= 1; x--) norm += Math.pow(x, -alpha); }
  const at = x => { const p = Math.pow(x, -alpha) / norm; return T === Infinity ? 0 : p * Math.exp(T * Math.log1p(-p)); };
  const direct = Math.min(P, 3000);
  let sum = 0;
  for (let x = direct; x >= 1; x--) sum += at(x);
  if (P <= direct) return sum;
  // What is left changes slowly: an integral in log x, with the first terms of Euler and Maclaurin at its ends.
  const low = Math.log(direct), high = P === Infinity ? low + 40 / (alpha - 1) : Math.log(P);
  const slope = x => (at(x * 1.0001) - at(x / 1.0001)) / (x * (1.0001 - 1 / 1.0001));
  const end = P === Infinity ? 0 : at(P) / 2 + slope(P) / 12;
  return sum + simpson(u => Math.exp(u) * at(Math.exp(u)), low, high, 2000) - at(direct) / 2 - slope(direct) / 12 + end;
};
const sgdIterate = (n, gamma, M) => { let q = 0; for (let i = 0; i < n; i++) q += gamma / (1 + Math.exp(q) / (M - 1)); return q; };
const flowRoot = (v, t) => {
  let x = Math.min(t, Math.log1p(t / v));
  for (let i = 0; i < 60; i++) x -= (x + v * Math.expm1(x) - t) / (1 + v * Math.exp(x));
  return x;
};
const LAWS = {};
