"use strict";
// Draws each picture when it comes near the window, in the colours that the reader's system asks for.
(() => {
  const given = JSON.parse(document.getElementById("pictures").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const places = [...document.querySelectorAll(".picture")];
  const drawn = new Map();

  const painted = (spec, scheme) =>
    JSON.parse(JSON.stringify(spec).replace(/"@(\w+)"/g, (whole, name) => JSON.stringify(given.schemes[scheme][name])));

  async function draw(place) {
    const scheme = dark.matches ? "dark" : "light";
    if (drawn.get(place) === scheme || !place.offsetWidth) return;
    drawn.set(place, scheme);
    const picture = given.pictures[Number(place.dataset.number)];
    const spec = painted({ ...given.specs[picture.spec], config: given.config }, scheme);
    spec.width = "container";
    spec.height = picture.height;
    spec.data = { values: picture.rows.map((row) => ({ ...row })) };
    const result = await vegaEmbed(place, spec, {
      mode: "vega-lite",
      renderer: "svg",
      actions: false,
      tooltip: { theme: scheme },
    });
    place.dataset.scheme = scheme;
    return result;
  }

  const failed = (error) => console.error(error);
  const watcher = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target).catch(failed)),
    { rootMargin: "800px 0px" },
  );
  places.forEach((place) => watcher.observe(place));

  const visible = () => Promise.all(places.map((place) => draw(place).catch(failed)));
  dark.addEventListener("change", () => Promise.all([...drawn.keys()].map((place) => draw(place).catch(failed))));
  window.addEventListener("beforeprint", visible);
  // Whoever tests or prints the page from outside may want all that is shown at once.
  window.drawAll = visible;

  function choose(policy) {
    document.body.dataset.policy = policy;
    document.querySelectorAll("[data-of]").forEach((element) => (element.hidden = element.dataset.of !== policy));
    document.querySelectorAll("article").forEach((article) => {
      const groups = [...article.querySelectorAll(".grid")];
      article.hidden = groups.length > 0 && groups.every((group) => group.hidden);
    });
  }
  document.querySelectorAll("input[name=policy]").forEach((input) => input.addEventListener("change", () => choose(input.value)));
  if (document.body.dataset.policy) choose(document.querySelector("input[name=policy]:checked")?.value ?? document.body.dataset.policy);
})();
