/* SPDX-License-Identifier: MIT */
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
function isDark() {
  return root.dataset.theme ? root.dataset.theme === 'dark' : system.matches;
}
function button(text, act) {
  const b = document.createElement('button');
  b.type = 'button';
  b.textContent = text;
  b.addEventListener('click', () => act(b));
  document.querySelector('.tools').append(b);
}
button(isDark() ? 'Light' : 'Dark', b => {
  b.textContent = isDark() ? 'Dark' : 'Light';
  root.dataset.theme = isDark() ? 'light' : 'dark';
});
button('Print', () => print());
if (document.querySelector('body.report .minor')) {
  button('All columns', b => {
    const all = root.dataset.columns !== 'all';
    root.dataset.columns = all ? 'all' : '';
    b.setAttribute('aria-pressed', all);
  });
}
let shut = [];
addEventListener('beforeprint', () => {
  shut = [...document.querySelectorAll('details:not([open])')];
  shut.forEach(d => d.open = true);
});
addEventListener('afterprint', () => shut.forEach(d => d.open = false));
