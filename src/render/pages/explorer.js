/* SPDX-License-Identifier: MIT */
{
  const all = s => [...document.querySelectorAll(s)];
  const make = (tag, text, into) => {
    const e = document.createElement(tag);
    e.textContent = text;
    into.append(e);
    return e;
  };
  const find = document.querySelector('.find');
  const label = make('label', 'Find a table or column', find);
  const input = make('input', '', label);
  const told = make('span', '', find);
  input.type = 'search';
  told.setAttribute('role', 'status');
  const tables = all('details.table').map(d => ({
    d, open: d.open, name: d.querySelector('.called').textContent.toLowerCase(),
    rows: [...d.querySelectorAll('tbody tr')]
      .map(r => ({ r, text: r.firstChild.textContent.toLowerCase() }))
  }));
  let asked = '';
  function search() {
    const text = input.value.trim().toLowerCase();
    let n = 0;
    if (!asked)
      tables.forEach(t => t.open = t.d.open);
    asked = text;
    for (const t of tables) {
      const whole = t.name.includes(text);
      let some = false;
      for (const { r, text: own } of t.rows) {
        r.hidden = !whole && !own.includes(text);
        some ||= !r.hidden;
      }
      t.d.hidden = !some;
      t.d.open = text ? some : t.open;
      n += some;
    }
    document.querySelector('.nothing').hidden = n > 0;
    const names = tables.filter(t => !t.d.hidden).map(t => t.d.querySelector('.called').textContent);
    told.textContent = !text ? '' : n + (n === 1 ? ' table' : ' tables') +
      (n ? ': ' : '') + names.slice(0, 3).join(', ') + (n > 3 ? ', ...' : '') +
      (n ? ' (Enter goes there)' : '');
  }
  input.addEventListener('input', search);
  input.addEventListener('keydown', e => {
    if (e.key === 'Enter' && asked)
      tables.find(t => !t.d.hidden)?.d.scrollIntoView();
  });
  function show() {
    const d = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!d || d.tagName !== 'DETAILS')
      return;
    if (d.hidden) {
      input.value = '';
      search();
    }
    d.open = true;
    d.scrollIntoView();
  }
  addEventListener('hashchange', show);
  show();
  async function copy(pre, b) {
    const range = document.createRange();
    range.selectNodeContents(pre.firstChild);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    let done = document.execCommand('copy');
    if (!done && navigator.clipboard)
      done = await navigator.clipboard.writeText(pre.textContent)
        .then(() => true, () => false);
    b.textContent = done ? 'Copied' : 'Selected: press Ctrl+C';
    setTimeout(() => b.textContent = 'Copy', 2000);
  }
  for (const pre of all('.query pre')) {
    const b = make('button', 'Copy', pre.parentElement);
    b.type = 'button';
    b.setAttribute('aria-label', 'Copy: ' +
      pre.parentElement.querySelector('h3').textContent);
    b.addEventListener('click', () => copy(pre, b));
  }
}
