"use strict";
// Every block of code gets a button that copies it, and every element with data-copy one that copies that.
for (const block of document.querySelectorAll("pre > code, [data-copy]")) {
  const button = document.createElement("button"), text = block.dataset.copy ?? block.textContent;
  const name = block.dataset.copyName ?? block.closest("figure")?.querySelector("figcaption")?.textContent ?? "this";
  button.type = "button";
  button.className = "copy";
  button.textContent = block.dataset.copyName ? "copy " + name : "copy";
  button.setAttribute("aria-label", "copy " + name);
  button.addEventListener("click", () => {
    // A page from a folder may not be allowed to write to the clipboard: then a hidden field is copied from.
    const done = () => { button.textContent = "copied"; };
    const old = () => {
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      done();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, old); else old();
  });
  block.dataset.copy === undefined ? block.parentElement.before(button) : block.append(button);
}
// A link to a statement opens it.
const unfold = () => {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = target && target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", unfold);
unfold();
addEventListener("beforeprint", () => { for (const box of document.querySelectorAll("details.statement")) box.open = true; });
