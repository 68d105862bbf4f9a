(() => {
  const form = document.getElementById("find"), cards = [...document.querySelectorAll(".erratum-card")], told = document.getElementById("shown");
  const apply = () => {
    const words = form.elements.words.value.trim().toLowerCase(), grade = form.elements.grade.value, source = form.elements.source.value;
    for (const card of cards) card.hidden = Boolean((words && !card.textContent.toLowerCase().includes(words)) || (grade && card.dataset.grade !== grade) || (source && card.dataset.source !== source));
    for (const group of document.querySelectorAll(".group")) group.hidden = ![...group.querySelectorAll(".erratum-card")].some(card => !card.hidden);
    told.textContent = cards.filter(card => !card.hidden).length + " of " + cards.length;
  };
  form.hidden = cards.length < 2;
  for (const kind of ["input", "change"]) form.addEventListener(kind, apply);
  form.addEventListener("submit", event => event.preventDefault());
  apply();
})();
