// What the theme's script leaves out for keyboards and screen readers. It adds the buttons of code blocks and the boxes
// around wide tables only when they come into view, so they are changed as they appear.
"use strict";

(() => {
  function mend() {
    document.querySelectorAll("nav.md-code__nav").forEach((buttons, index) => {
      if (!buttons.hasAttribute("aria-label")) buttons.setAttribute("aria-label", `Code block ${index + 1}`);
    });
    // What is wider than its box is scrolled with the keys: it takes the focus, and a table has a name then.
    document.querySelectorAll(".md-typeset__scrollwrap").forEach((box, index) => {
      const wide = box.scrollWidth > box.clientWidth;
      for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", `Table ${index + 1}`]]) {
        if (!wide) box.removeAttribute(name);
        else if (box.getAttribute(name) !== value) box.setAttribute(name, value);
      }
    });
    for (const code of document.querySelectorAll(".md-typeset pre > code:not([tabindex])")) {
      if (code.scrollWidth > code.clientWidth) code.setAttribute("tabindex", "0");
    }
  }

  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", mend);
  mend();
})();
