(() => {
  const pages = [...document.querySelectorAll("section")];
  const last = pages[pages.length - 1].dataset.step;
  const [back, next] = document.querySelectorAll("nav button");
  const place = document.querySelector("nav output");
  let at = 0;
  const show = (k) => {
    at = Math.max(0, Math.min(pages.length - 1, k));
    pages.forEach((page, j) => { page.hidden = j !== at; });
    const asks = "asks" in pages[at].dataset;
    next.textContent = asks ? "Show the answer" : "Next";
    back.disabled = at === 0;
    next.disabled = at === pages.length - 1;
    place.textContent = `${pages[at].dataset.step} / ${last}`;
  };
  // Back is never to a question that was answered.
  const before = () => {
    let k = at - 1;
    while (k > 0 && "asks" in pages[k].dataset) --k;
    return k;
  };
  back.onclick = () => show(before());
  next.onclick = () => show(at + 1);
  pages.forEach((page) => {
    if ("asks" in page.dataset) page.querySelector("img").onclick = () => show(at + 1);
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const button = ["BUTTON", "SUMMARY"].includes(event.target.tagName);
    if (["ArrowRight", "PageDown"].includes(event.key) ||
        (!button && [" ", "Enter"].includes(event.key))) show(at + 1);
    else if (["ArrowLeft", "PageUp"].includes(event.key)) show(before());
    else if (event.key === "Home") show(0);
    else return;
    event.preventDefault();
  });
  document.querySelector("nav").hidden = false;
  show(0);
})();
