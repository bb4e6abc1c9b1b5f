// Sets the colour scheme before the first paint. Its own file: the CSP allows no inline script.
(() => {
  let choice = "auto";
  try {
    choice = localStorage.getItem("argosy.theme") || "auto";
  } catch {}
  const dark = choice === "dark" || (choice === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
