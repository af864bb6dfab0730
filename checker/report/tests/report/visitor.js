(function () {
  const said = document.documentElement;
  window.alert = function () { said.dataset.dialogs = 'yes'; };
  const all = function (selector, root) {
    const found = [];
    const look = function (from) {
      for (const element of from.querySelectorAll('*')) {
        if (element.matches(selector)) found.push(element);
        if (element.shadowRoot) look(element.shadowRoot);
      }
    };
    look(root || document);
    return found;
  };
  const front = document.getElementById('front');
  const app = document.querySelector('mutation-test-report-app');
  let step = 0;
  const timer = setInterval(function () {
    if (step === 0 && all('mte-metrics-table').length > 0) {
      said.dataset.front = front.hidden ? 'hidden' : 'shown';
      const files = Object.entries(app.report.files);
      said.dataset.listed = files.reduce((sum, [, file]) => sum + file.mutants.length, 0);
      files.sort((a, b) => b[1].mutants.length - a[1].mutants.length);
      // The link of the table to the largest file.
      const name = files[0][0].split('/').pop();
      const link = all('a').find((a) => decodeURIComponent(a.hash).endsWith(name));
      location.hash = link.hash;
      step = 1;
    } else if (step === 1 && all('mte-state-filter').length > 0) {
      for (const box of all('mte-state-filter')[0].shadowRoot.querySelectorAll('input')) {
        if (!box.checked) box.click();
      }
      step = 2;
    } else if (step === 2 && all('svg.mutant-dot, .mutant-dot').length > 0) {
      const ids = new Set(all('.mutant-dot').map((dot) => dot.getAttribute('mutant-id') || dot.id));
      said.dataset.marked = Math.max(ids.size, all('.mutant-dot').length);
      all('.mutant-dot')[0].dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
      step = 3;
    } else if (step === 3 && all('mte-drawer-mutant').length > 0) {
      said.dataset.opened = all('mte-drawer-mutant')[0].mutant !== undefined;
      said.dataset.away = front.hidden ? 'hidden' : 'shown';
      clearInterval(timer);
    }
  }, 50);
})();
