(() => {
  const form = document.getElementById("find"), told = document.getElementById("shown"), table = document.getElementById("claims");
  const picture = document.querySelector(".picture"), fields = ["words", "section", "source", "verdict", "whose", "run"];
  const rows = [...table.querySelectorAll("tr[data-claim]")], home = rows.map(row => row.parentElement);
  const lines = new Map([...picture.querySelectorAll(".row")].map(row => [row.dataset.claim, row]));
  const value = name => form.elements[name]?.value ?? "";
  // What is typed and what is searched: small letters, one blank, Greek letters by name, signs of powers alike.
  const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", η: "eta", θ: "theta", λ: "lambda", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", π: "pi" };
  const plain = text => text.toLowerCase().replace(/[α-ω]/g, letter => GREEK[letter] ?? letter).replace(/\*\*/g, "^").replace(/[−–]/g, "-").replace(/\s+/g, " ").replace(/ ?([-+*\/^=<>≤≥~]) ?/g, "$1").trim();
  const searched = new Map(rows.map(row => [row, plain(row.dataset.words + " " + row.textContent)]));

  const apply = () => {
    const words = plain(value("words")), section = value("section"), source = value("source"), verdict = value("verdict");
    const run = value("run") || "today", whose = value("whose");
    const known = new Set();
    let statements = 0;
    for (const row of rows) {
      const found = [...row.querySelectorAll(".found li")];
      for (const item of found) item.hidden = !verdict || item.dataset[run] !== verdict || (whose && item.classList.contains("own"));
      const fits = found.filter(item => !item.hidden).length;
      row.hidden = Boolean((section && row.dataset.section !== section) || (source && !row.dataset.sources.split(" ").includes(source))
        || (words && !searched.get(row).includes(words)) || (verdict && !fits) || (whose && !row.dataset.sources));
      row.querySelector(".found").hidden = !fits;
      if (!row.hidden) { known.add(row.dataset.claim); statements += fits; }
    }
    for (const body of table.tBodies) body.hidden = ![...body.querySelectorAll("tr[data-claim]")].some(row => !row.hidden);
    let at = 0;
    for (const line of picture.querySelectorAll(".heading, .row")) {
      const shown = line.dataset.claim ? known.has(line.dataset.claim)
        : rows.some(row => row.dataset.section === line.dataset.section && !row.hidden);
      line.style.display = shown ? "" : "none";
      if (shown) line.style.setProperty("--row", at++);
    }
    picture.style.setProperty("--rows", Math.max(at, 1));
    picture.dataset.run = run;
    picture.dataset.whose = whose;
    told.textContent = known.size + " of " + rows.length + (rows.length === 1 ? " claim" : " claims")
      + (verdict ? ", " + statements + (statements === 1 ? " statement that " : " statements that ") + { supported: statements === 1 ? "holds" : "hold", refuted: statements === 1 ? "fails" : "fail", inconclusive: statements === 1 ? "is open" : "are open" }[verdict] : "");
  };

  // The state of the form is in the address, so that it can be sent.
  const write = () => {
    const set = new URLSearchParams(fields.filter(name => value(name)).map(name => [name, value(name)]));
    if (sorted) set.set("sort", sorted);
    history.replaceState(null, "", set.size ? "#" + set : location.pathname + location.search);
  };
  const read = () => {
    if (location.hash && !location.hash.includes("=")) return;
    const set = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) if (form.elements[name]) form.elements[name].value = set.get(name) ?? "";
    const [column, way] = (set.get("sort") ?? "").split(" ");
    sort(column, way);
  };

  // Sorting: by a column, then the other way round, then by section as it was.
  const heads = [...table.tHead.rows[0].cells];
  let sorted = "";
  const number = text => { const found = text.replace("−", "-").match(/-?[\d.]+/); return found ? Number(found[0]) : Infinity; };
  const key = (row, index, kind) => {
    const cell = row.cells[index];
    if (kind === "verdict") return ["refuted", "inconclusive"].reduce((sum, outcome, i) => sum + row.querySelectorAll(`li[data-today=${outcome}]`).length * [1000, 1][i], 0);
    return kind === "number" ? number(cell.textContent) : plain(cell.textContent);
  };
  const sort = (column, way) => {
    const index = heads.findIndex(head => head.dataset.column === column);
    sorted = index < 0 ? "" : column + (way === "down" ? " down" : "");
    for (const head of heads) head.setAttribute("aria-sort", head.dataset.column !== column ? "none" : way === "down" ? "descending" : "ascending");
    for (const title of table.querySelectorAll("tr:not([data-claim]) th.section")) title.parentElement.hidden = index >= 0;
    if (index < 0) return rows.forEach((row, i) => home[i].append(row));
    const kind = heads[index].dataset.sort, sign = way === "down" ? -1 : 1;
    const keyed = rows.map(row => [key(row, index, kind), row]);
    keyed.sort(([a], [b]) => sign * (a < b ? -1 : a > b ? 1 : 0));
    for (const [, row] of keyed) table.tBodies[0].append(row);
  };
  for (const head of heads) {
    const button = document.createElement("button");
    head.dataset.column = head.textContent.replaceAll(" ", "-");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => {
      const name = head.dataset.column, first = head.dataset.sort === "verdict" ? "down" : "up", second = first === "up" ? "down" : "up";
      const now = head.getAttribute("aria-sort") === "none" ? first : head.getAttribute("aria-sort") === (first === "up" ? "ascending" : "descending") ? second : "";
      sort(now ? name : "", now);
      apply();
      write();
    });
    head.replaceChildren(button);
  }

  // What a mark says, at once and in the page's own type.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  for (const mark of picture.querySelectorAll(".mark")) {
    const title = mark.querySelector("title");
    mark.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  const point = event => {
    const mark = event.target.closest?.(".mark");
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.getAttribute("aria-label");
    const box = mark.getBoundingClientRect(), width = Math.min(360, innerWidth - 16);
    tip.style.width = width + "px";
    tip.style.left = Math.max(8, Math.min(innerWidth - width - 8, box.x + box.width / 2 - width / 2)) + "px";
    tip.style.top = scrollY + (box.bottom + 6 + tip.offsetHeight > innerHeight ? box.y - 6 - tip.offsetHeight : box.bottom + 6) + "px";
  };
  picture.addEventListener("mouseover", point);
  picture.addEventListener("mouseleave", () => { tip.hidden = true; });

  form.hidden = false;
  for (const kind of ["input", "change"]) form.addEventListener(kind, () => { apply(); write(); });
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { sort("", ""); apply(); write(); }));
  addEventListener("hashchange", () => { read(); apply(); });
  read();
  apply();
})();
