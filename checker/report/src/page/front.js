(function () {
  const front = document.getElementById('front');
  const settle = function () {
    front.hidden = !['', '#', '#mutant'].includes(location.hash);
  };
  addEventListener('hashchange', settle);
  settle();
})();
