// Before the theme's own scripts: the index of the search, which is larger than any page, is fetched when somebody is
// about to search; and names and keyboard access where the theme lacks them (axe-core checks them in tests).
(() => {
  const wanted = new Promise((resolve) => {
    for (const event of ["focusin", "pointerdown", "keydown"]) {
      addEventListener(event, ({ target, key }) => {
        const isSearch = target.closest?.("[data-md-component=search], [for=__search]");
        if (isSearch || ["f", "s", "/"].includes(key)) resolve();
      });
    }
    if (new URLSearchParams(location.search).has("q")) resolve();
  });
  const { open, send } = XMLHttpRequest.prototype;
  const waiting = new WeakSet();
  XMLHttpRequest.prototype.open = function (method, url, ...others) {
    if (url.endsWith("/search_index.json")) waiting.add(this);
    return open.call(this, method, url, ...others);
  };
  XMLHttpRequest.prototype.send = function (body) {
    return waiting.has(this) ? void wanted.then(() => send.call(this, body)) : send.call(this, body);
  };
  addEventListener("DOMContentLoaded", () => {
    document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
    for (const nav of document.querySelectorAll("nav[aria-labelledby]")) {
      const title = nav.querySelector(".md-nav__title").textContent.trim(); // its label is empty
      nav.removeAttribute("aria-labelledby");
      nav.setAttribute("aria-label", `Pages of ${title}`);
    }
    const repair = () => {
      document.querySelectorAll(".md-code__nav:not([aria-label])").forEach((nav) => {
        const number = document.querySelectorAll(".md-code__nav[aria-label]").length + 1;
        nav.setAttribute("aria-label", `Code block ${number}`);
      });
      for (const block of document.querySelectorAll("pre > code, .md-typeset__scrollwrap")) {
        if (!block.hasAttribute("tabindex")) block.tabIndex = 0;
      }
    };
    repair();
    new MutationObserver(repair).observe(document.body, { childList: true, subtree: true });
  });
})();
