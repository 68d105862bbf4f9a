(() => {
  const COLOURS = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)"];
  for (const box of document.querySelectorAll("[data-touch]")) {
    const law = JSON.parse(box.dataset.touch, (key, value) => value === "inf" ? Infinity : value === "-inf" ? -Infinity : value), compute = LAWS[law.law];
    const svg = box.querySelector("svg"), controls = box.querySelector(".controls"), told = box.querySelector("output");
    const make = (name, attributes, words) => {
      const made = document.createElementNS(svg.namespaceURI, name);
      for (const key in attributes) made.setAttribute(key, attributes[key]);
      if (words !== undefined) made.textContent = words;
      return made;
    };
    const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
    const short = x => {
      if (x === Infinity || x === 0) return x ? "∞" : "0";
      if (Math.abs(x) < 1e5 && Math.abs(x) >= 1e-3) return String(Number(x.toPrecision(4))).replace("-", "−");
      const [digits, power] = x.toExponential(2).split("e");
      return (Number(digits) === 1 ? "" : Number(digits) + "·") + "10" + [...String(Number(power))].map(c => RAISED[c]).join("");
    };
    const value = (slider, share) => {
      if (slider.infinite && share >= 1) return Infinity;
      const x = slider.log ? slider.low * Math.pow(slider.high / slider.low, share) : slider.low + (slider.high - slider.low) * share;
      return slider.whole ? Math.round(x) : Number(x.toPrecision(3));
    };
    const share = (slider, x) => x === Infinity ? 1 : slider.log ? Math.log(x / slider.low) / Math.log(slider.high / slider.low) : (x - slider.low) / (slider.high - slider.low);
    const now = { ...law.points[0].at };

    // The points in groups that share all but the axis; each group is a setting that one can go to.
    const groups = new Map();
    for (const point of law.points) {
      const key = law.sliders.map(s => s.label + " = " + short(point.at[s.name])).join(", ");
      groups.set(key, [...groups.get(key) ?? [], point]);
    }
    const chosen = document.createElement("select"), label = document.createElement("label");
    [...groups.keys()].forEach(key => chosen.add(new Option(key || "all points", key)));
    chosen.add(new Option("moved", "moved"));
    label.append("measured at ", chosen);
    if (groups.size > 1) controls.append(label);

    const inputs = law.sliders.map(slider => {
      const field = document.createElement("label"), input = document.createElement("input"), output = document.createElement("output");
      Object.assign(input, { type: "range", min: 0, max: 1, step: 0.001, name: slider.name });
      field.append(slider.label + " = ", output, input);
      if (slider.moves) controls.append(field);
      const show = () => { output.textContent = short(now[slider.name]); };
      input.addEventListener("input", () => { now[slider.name] = value(slider, Number(input.value)); chosen.value = "moved"; show(); draw(); });
      return () => { input.value = share(slider, now[slider.name]); show(); };
    });

    const constant = () => {
      if (!law.open) return law.factor;
      // A law known up to a factor runs through the middle of its points, or of all of them once it is moved.
      const own = groups.get(chosen.value) ?? law.points;
      const logs = own.map(point => Math.log(point.mean / compute(point.at))).filter(Number.isFinite);
      return logs.length ? Math.exp(logs.reduce((a, b) => a + b, 0) / logs.length) : 1;
    };
    const W = innerWidth < 640 ? 370 : 720, H = W < 700 ? 300 : 400, L = W < 700 ? 74 : 92, B = 50, axis = law.axis;
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    const draw = () => {
      const xs = law.points.map(p => p.at[axis.name]), one = new Set(xs).size === 1;
      const low = one ? axis.low : Math.min(...xs), high = one ? axis.high : Math.max(...xs), wide = axis.log || (low > 0 && high > 5 * low);
      const first = wide ? low / 1.5 : low, last = wide ? high * 1.5 : high, factor = constant(), line = [];
      for (let i = 0; i <= 120; i++) {
        let x = wide ? first * Math.pow(last / first, i / 120) : first + (last - first) * i / 120;
        if (axis.whole) x = Math.max(axis.low, Math.round(x));
        const y = factor * compute({ ...now, [axis.name]: x });
        if (Number.isFinite(y) && (!line.length || x > line.at(-1)[0])) line.push([x, y]);
      }
      const ys = [...law.points.map(p => p.mean), ...line.map(([, y]) => y)].filter(Number.isFinite);
      const positive = ys.filter(y => y > 0), steep = positive.length === ys.length && Math.max(...ys) > 8 * Math.min(...ys);
      let bottom = Math.min(...ys), top = Math.max(...ys);
      if (steep) { bottom = Math.max(bottom, top * 1e-12); bottom /= 1.3; top *= 1.3; } else { const gap = (top - bottom > 1e-6 * Math.abs(top) ? top - bottom : Math.abs(top) || 1) * 0.08; bottom -= gap; top += gap; }
      const X = x => L + (W - L - 15) * (wide ? Math.log(x / first) / Math.log(last / first) : (x - first) / (last - first));
      const Y = y => Math.max(5, Math.min(H - B, H - B - (H - B - 10) * (steep ? Math.log(y / bottom) / Math.log(top / bottom) : (y - bottom) / (top - bottom))));
      const ticks = (a, b, log) => {
        const found = [];
        if (log && b > 9 * a) { const step = Math.ceil(Math.log10(b / a) / (W < 700 ? 5 : 7)); for (let e = Math.ceil(Math.log10(a)); e <= Math.log10(b); e += step) found.push(Math.pow(10, e)); return found; }
        const raw = (b - a) / 5, size = Math.pow(10, Math.floor(Math.log10(raw))), step = [1, 2, 5, 10].map(k => k * size).find(k => k >= raw);
        for (let x = Math.ceil(a / step) * step; x <= b; x += step) found.push(Number(x.toPrecision(12)));
        return found;
      };
      svg.replaceChildren(make("path", { d: `M${L} 5V${H - B}H${W - 10}`, class: "axes" }));
      for (const x of ticks(first, last, wide)) svg.append(make("path", { d: `M${X(x)} ${H - B}v5`, class: "axes" }), make("text", { x: X(x), y: H - B + 20, "text-anchor": "middle" }, short(x)));
      for (const y of ticks(bottom, top, steep)) svg.append(make("path", { d: `M${L} ${Y(y)}h-5`, class: "axes" }), make("text", { x: L - 8, y: Y(y) + 4, "text-anchor": "end" }, short(y)));
      svg.append(make("text", { x: (L + W) / 2, y: H - 8, "text-anchor": "middle" }, axis.label), make("text", { x: 14, y: H / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${H / 2})` }, law.quantity));
      if (line.length) svg.append(make("path", { d: "M" + line.map(([x, y]) => X(x).toFixed(1) + " " + Y(y).toFixed(1)).join("L"), class: "curve" }));
      let number = 0;
      for (const [key, points] of groups) {
        const faint = groups.size > 1 && chosen.value !== key, group = make("g", { class: faint ? "points faint" : "points", style: "color:" + COLOURS[number++ % COLOURS.length] });
        for (const p of points) {
          const x = X(p.at[axis.name]), said = factor * compute(p.at);
          const mark = make("g", { "data-told": axis.label + " = " + short(p.at[axis.name]) + (key ? ", " + key : "") + ": measured " + short(p.mean) + " (" + short(p.low) + " to " + short(p.high) + "), law " + short(said) });
          mark.append(make("path", { d: `M${x} ${Y(p.low > 0 || !steep ? p.low : bottom)}V${Y(p.high)}` }), make("circle", { cx: x, cy: Y(p.mean), r: 4 }), make("circle", { cx: x, cy: Y(p.mean), r: 12, class: "hit" }));
          group.append(mark);
        }
        svg.append(group);
      }
      box.dataset.law = JSON.stringify(line.slice(0, 3));
    };
    const go = () => { if (chosen.value !== "moved") Object.assign(now, groups.get(chosen.value)[0].at); inputs.forEach(show => show()); draw(); };
    chosen.addEventListener("change", go);
    const rest = told.textContent;
    svg.addEventListener("mouseover", event => { told.textContent = event.target.closest("[data-told]")?.dataset.told ?? rest; });
    box.hidden = false;
    go();
  }
})();
