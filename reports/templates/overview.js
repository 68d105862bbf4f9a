"use strict";
(() => {
  const form = document.querySelector(".filters");
  const rows = [...document.querySelectorAll("#claims tbody tr[data-verdict]")];
  const told = document.getElementById("shown");
  form.hidden = false;
  const apply = () => {
    const section = form.elements.section.value, verdict = form.elements.verdict.value;
    const words = form.elements.words.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = (!section || row.dataset.section === section) && (!verdict || row.dataset.verdict.split(" ").includes(verdict))
        && (!words || row.textContent.toLowerCase().includes(words));
      row.hidden = !fits;
      shown += fits;
    }
    for (const body of document.querySelectorAll("#claims tbody")) {
      body.hidden = ![...body.querySelectorAll("tr[data-verdict]")].some(row => !row.hidden);
    }
    told.textContent = shown + " of " + rows.length + " claims shown";
  };
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  apply();
})();
