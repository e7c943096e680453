/* SPDX-License-Identifier: MIT */
const level = row => row ? +row.getAttribute('aria-level') : 0;
const isShut = row => row.getAttribute('aria-expanded') === 'false';
function fold(row) {
  row.setAttribute('aria-expanded', isShut(row));
  let shut = isShut(row) ? level(row) : Infinity;
  for (let r = row; level(r = r.nextElementSibling) > level(row);) {
    r.hidden = level(r) > shut;
    if (!r.hidden)
      shut = isShut(r) ? level(r) : Infinity;
  }
}
for (const cell of document.querySelectorAll('.node')) {
  const row = cell.parentElement;
  if (level(row.nextElementSibling) <= level(row))
    continue;
  const button = document.createElement('button');
  button.setAttribute('aria-label', 'fold');
  button.addEventListener('click', () => fold(row));
  row.setAttribute('aria-expanded', true);
  cell.prepend(button);
}
