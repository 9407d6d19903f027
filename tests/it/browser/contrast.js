// Returns the visible texts whose contrast with their background is below 4.5 (WCAG 2.2, success criterion 1.4.3).
(() => {
  for (const animation of document.getAnimations()) animation.finish();
  const kept = (make) => {
    const known = new Map();
    return (key) => {
      if (!known.has(key)) known.set(key, make(key));
      return known.get(key);
    };
  };
  const colour = kept((text) => {
    const numbers = text.match(/^rgba?\(([^)]+)\)$/)?.[1].split(/[,\s/]+/).map(Number);
    if (!numbers) throw new Error(`a colour that the test cannot read: ${text}`);
    return { rgb: numbers.slice(0, 3), alpha: numbers[3] ?? 1 };
  });
  const over = (top, alpha, bottom) => top.map((value, index) => value * alpha + bottom[index] * (1 - alpha));
  const background = kept((element) => {
    if (!element) return [255, 255, 255];
    const { rgb, alpha } = colour(getComputedStyle(element).backgroundColor);
    return over(rgb, alpha, background(element.parentElement));
  });
  const opacity = kept((element) => (element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1));
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = new Set();
  let count = 0;
  const check = (element, text, pseudo) => {
    if (!text.trim() || element.disabled || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
    count += 1;
    const { rgb, alpha } = colour(getComputedStyle(element, pseudo).color);
    const below = background(element);
    const [one, other] = [over(rgb, alpha * opacity(element), below), below].map(luminance);
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const place = `${element.parentElement.className} > ${element.localName}.${element.className}`;
    if (ratio < 4.5) found.add(`${ratio.toFixed(2)} ${place}: ${text.trim().slice(0, 40)}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!["SCRIPT", "STYLE", "NOSCRIPT", "OPTION"].includes(element.tagName)) check(element, texts.currentNode.data);
  }
  for (const pseudo of ["::before", "::after"]) {
    for (const element of document.querySelectorAll("body *")) {
      check(element, getComputedStyle(element, pseudo).content.match(/^"(.*)"$/)?.[1] ?? "", pseudo);
    }
  }
  for (const field of document.querySelectorAll("input, textarea, select")) {
    check(field, field.value);
    if (field.placeholder) check(field, field.placeholder, "::placeholder");
  }
  return { found: [...found], count };
})()
